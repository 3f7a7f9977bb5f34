//! Profiles (TOML), the precedence of flag, environment, profile and default, and the origin of each value.

pub mod edit;
mod environment;
mod folders;
mod key;
mod key_command;
mod profiles;
mod settings;
mod settle;
mod values;

pub use environment::{COMPLETE, Environment};
pub use folders::create_private;
#[cfg(feature = "sandbox")]
pub use folders::state_dir;
pub use folders::state_folder;
pub use key::{StoredKey, check_file as check_key_file, from_stdin as key_from_stdin};
pub use profiles::{KEYS, Profile, Profiles, SANDBOX, check_name};
pub use settings::{Given, Settings};
pub use settle::{locate, profile_in_use, settle};
pub use values::{Origin, Value, parse_address};

/// What is wrong with the settings: `Verdict::Usage`, or `Verdict::Key` where it is the key.
pub use crate::model::verdict::Failure as Error;
