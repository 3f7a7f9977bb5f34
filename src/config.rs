//! Profiles (TOML), the precedence of flag, environment, profile and default, and the origin of each value.

mod core_files;
pub mod edit_profiles;
mod environment;
mod flags;
mod folders;
mod key_address;
mod key_command;
mod key_source;
mod key_text;
mod literal;
mod precedence;
mod profiles;
mod resolve;
mod run_settings;
mod sandbox_profile;
mod setting_table;
mod setting_values;
mod sourced;
mod trusted_file;

pub use core_files::leave_no_core;
pub use environment::{COMPLETE, Environment};
pub use flags::Flags;
#[cfg(feature = "sandbox")]
pub use folders::state_dir;
pub use folders::state_folder;
pub use key_source::StoredKey;
pub use key_text::key_from_stdin;
pub use profiles::{Profiles, SANDBOX, check_name};
pub use resolve::{error_format, locate, locate_own, profile_in_use, resolve};
pub use run_settings::Settings;
pub use setting_table::{
    ALLOW_HTTP, API_KEY, API_KEY_COMMAND, API_KEY_FILE, BASE_URL, CA_CERT, OUTPUT, PROFILE, PROJECT, RESULTS_API, Row,
    profile_settings, setting_names,
};
#[cfg(test)]
pub use setting_table::{CONFIG, Declaration};
pub use sourced::Origin;
pub use trusted_file::{check_key_file, configuration_text, read_certificates};
