//! `testtakers check`.

use std::path::PathBuf;

use clap::Args;

use crate::commands::session::Session;
use crate::model::text::counted;
use crate::model::verdict::Verdict;
use crate::roster::ReadOptions;

/// Check a CSV or Excel file without sending anything
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl testtakers check people.csv\n  assessctl testtakers check staff.xlsx --sheet Staff"
)]
pub struct CheckRoster {
    /// CSV or Excel file of people; - is stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    roster: ReadOptions,
}

impl CheckRoster {
    pub fn run(&self, session: &Session) -> anyhow::Result<Verdict> {
        let roster = session.read_roster(&self.file, &self.roster, false, &[])?;
        session.console.say(&format!("{}: {}, no mistakes", roster.name, counted(roster.rows.len(), "row", "rows")));
        Ok(Verdict::Done)
    }
}
