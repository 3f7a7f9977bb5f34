//! The options that are settings: what they say goes before everything else.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::setting_table as of;
use super::sourced::positive;
use crate::model::concurrency::{Concurrency, MaxRate};
use crate::model::counted::whole_number;
use crate::model::output_format::{ErrorFormat, Format};
use crate::model::results::ResultsApi;

/// What the options say; `None` where one is not given. What each means stands in the table of settings.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Service")]
pub struct Flags {
    #[arg(long, global = true, value_name = "NAME", help = of::PROFILE.about.help)]
    pub profile: Option<String>,
    #[arg(long, global = true, value_name = "FILE", help = of::CONFIG.about.help)]
    pub config: Option<PathBuf>,
    #[arg(long, global = true, value_name = "URL", help = of::BASE_URL.about.help)]
    pub base_url: Option<String>,
    #[arg(long, global = true, value_name = "PATH", help = of::API_KEY_FILE.about.help)]
    pub api_key_file: Option<PathBuf>,
    #[arg(long, global = true, value_name = "FILE", help = of::CA_CERT.about.help)]
    pub ca_cert: Option<PathBuf>,
    #[arg(long, global = true, value_name = "TIME", value_parser = positive, help = of::TIMEOUT.about.help)]
    pub timeout: Option<Duration>,
    #[arg(
        long,
        global = true,
        value_name = "TIME",
        value_parser = positive,
        help = of::DEADLINE.about.help,
        long_help = "End by then, such as 10m: nothing is begun that cannot end in time\n\n\
                     What the service asks to wait for longer is not waited for. An enrolment or a test link that is \
                     under way may still finish: cut off it would leave doubt."
    )]
    pub deadline: Option<Duration>,
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = |text: &str| whole_number::<u64>(text, 1, u64::MAX),
        help = of::MAX_RECORDS.about.help
    )]
    pub max_records: Option<u64>,
    #[arg(long, global = true, value_name = "auto|N", help = of::CONCURRENCY.about.help)]
    pub concurrency: Option<Concurrency>,
    #[arg(long, global = true, value_name = "N", help = of::MAX_RATE.about.help)]
    pub max_rate: Option<MaxRate>,
    #[arg(long, global = true, value_enum, ignore_case = true, help = of::RESULTS_API.about.help)]
    pub results_api: Option<ResultsApi>,
    #[arg(
        short,
        long,
        global = true,
        value_enum,
        ignore_case = true,
        value_name = "FORMAT",
        help = of::OUTPUT.about.help,
        help_heading = "Output"
    )]
    pub output: Option<Format>,
    #[arg(
        long,
        global = true,
        value_enum,
        ignore_case = true,
        value_name = "FORMAT",
        help = of::ERRORS.about.help,
        help_heading = "Output"
    )]
    pub errors: Option<ErrorFormat>,
    #[arg(long, global = true, help = of::MASK.about.help, help_heading = "Output")]
    pub mask: bool,
}

#[cfg(test)]
mod tests {
    use super::super::setting_table::{AnySetting, SETTINGS};
    use super::*;

    #[test]
    fn the_options_are_those_of_the_table_with_its_words() {
        let command = Flags::augment_args(clap::Command::new("assessctl"));
        let mut options: Vec<(String, String)> = command
            .get_arguments()
            .map(|arg| (format!("--{}", arg.get_long().unwrap_or_default()), arg.get_help().expect("help").to_string()))
            .collect();
        options.sort();
        // A project is named to each command that works on one.
        let abouts = SETTINGS.into_iter().map(AnySetting::about).filter(|about| about.key != of::PROJECT.about.key);
        let mut table: Vec<(String, String)> =
            abouts.filter_map(|about| Some((about.flag?.to_owned(), about.help.to_owned()))).collect();
        table.sort();
        assert_eq!(options, table);
    }
}
