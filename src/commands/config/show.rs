//! `config show`.

use clap::Args;

use crate::commands::Ended;
use crate::commands::session::Session;
use crate::config::Origin;
use crate::config::settings::SettingRow;
use crate::model::text::nearest;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Cell, Columns, OutputArgs, Shape};

const COLUMNS: Columns = Columns {
    all: &["setting", "value", "origin"],
    table: &["setting", "value", "origin"],
    ids: &["setting", "value"],
    times: &[],
    quiet: &[("", "setting")],
    noun: ("setting", "settings"),
    red: None,
};

const VALUE: Columns = Columns { all: &["value"], table: &["value"], ids: &[], quiet: &[("", "value")], ..COLUMNS };

/// Show settings and where they come from
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl config show\n  assessctl config show --profile night -o json\n  assessctl config show project"
)]
pub struct ShowSettings {
    /// Print the value of this setting only
    #[arg(value_name = "KEY")]
    key: Option<String>,
    #[command(flatten)]
    show: OutputArgs,
}

impl ShowSettings {
    pub fn run(self, session: &Session) -> Ended {
        let rows = &session.settings()?.rows;
        let Some(key) = self.key else {
            let output = session.output(&self.show, &COLUMNS, Shape::Many)?;
            output.print(&rows.iter().map(cells).collect::<Vec<_>>())?;
            return Ok(Verdict::Done);
        };
        let output = session.output(&self.show, &VALUE, Shape::Text)?;
        let row = rows.iter().find(|row| row.name == key).ok_or_else(|| unknown(&key, rows))?;
        let unset = || Failure::new(Verdict::NotFound, format!("{} is not set", row.name));
        output.print(&[row.value.clone().ok_or_else(unset)?])?;
        Ok(Verdict::Done)
    }
}

fn unknown(key: &str, rows: &[SettingRow]) -> Failure {
    let known: Vec<&str> = rows.iter().map(|row| row.name).collect();
    let hint = nearest(key, known.iter().copied()).map(|near| format!("did you mean {near}?"));
    Failure::usage("there is no such setting").hint(hint.unwrap_or_else(|| format!("known: {}", known.join(", "))))
}

fn cells(row: &SettingRow) -> Vec<Cell<'_>> {
    let origin = row.value.as_ref().map(|_| match row.origin {
        Origin::Flag => "option",
        Origin::Variable => "environment",
        Origin::Profile => "profile",
        Origin::Default => "default",
    });
    vec![row.name.into(), row.value.as_deref().into(), origin.into()]
}
