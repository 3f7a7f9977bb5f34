//! Settings: options, environment variables and the configuration file, and where each value comes from.

pub mod edit;
pub mod environment;
pub mod file;
pub mod key;
pub mod settings;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::model::talk::ColorChoice;
use crate::model::time;

/// The profile whose service is part of the program: it has its own address and key, and needs no configuration file.
pub const SANDBOX: &str = "sandbox";

/// The options that every command has.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Profile of the configuration file, or sandbox
    #[arg(long, global = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Configuration file [default: see config show]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address of the service
    #[arg(long, global = true, value_name = "URL")]
    pub base_url: Option<String>,
    /// File with the API key; - is stdin
    #[arg(long, global = true, value_name = "PATH|-")]
    pub api_key_file: Option<PathBuf>,
    /// Longest time for one request, such as 45s
    #[arg(long, global = true, value_name = "TIME", value_parser = timeout)]
    pub timeout: Option<Duration>,
    /// Max. requests at a time, 1 to 64 [default: 16]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub concurrency: Option<u8>,
    /// Print no notes; `list` prints only ids
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Show method, path, status and time of requests
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// auto, always or never
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t, hide_possible_values = true)]
    pub color: ColorChoice,
}

/// Where a value comes from; of several the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Option,
    Environment,
    /// The profile in use, or the configuration file around it.
    Profile,
    Default,
}

/// Reads a limit of time, which zero is not.
fn timeout(text: &str) -> Result<Duration, &'static str> {
    let time = time::duration(text).ok().filter(|time| !time.is_zero());
    time.ok_or("must be a length of time such as 45s or 5m")
}
