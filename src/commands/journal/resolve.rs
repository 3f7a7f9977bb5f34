//! `assessctl journal resolve`: what became of a row in doubt, as a person saw it.

use std::path::Path;

use clap::{ArgGroup, Args};

use crate::api::PeopleQuery;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::project_journal::known_rows;
use crate::commands::shared::roster_file::RosterArgs;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::journal::clock::Moment;
use crate::journal::row_store::{Fact, RowStore as _};
use crate::journal::rows::JournalRows;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::{filled, fold_email};
use crate::model::testtakers::{EntryId, TestTaker};

/// Say what became of a row in doubt, after looking yourself
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Silent))]
#[command(after_help = "\
Examples:
  assessctl journal resolve 17 --enrolled 4711 -p Demo
  assessctl journal resolve people.csv:12 --absent -p Demo")]
#[command(group = ArgGroup::new("entry").args(["enrolled"]))]
#[command(group = ArgGroup::new("what is known").required(true).args(["enrolled", "absent"]))]
pub struct ResolveRow {
    #[command(flatten)]
    project: ProjectArg,
    /// Number of the row as `journal show` prints it, or FILE.csv:LINE (of a workbook FILE.xlsx:ROW)
    #[arg(value_name = "ROW")]
    row: String,
    /// They are enrolled, as this entry
    #[arg(long, value_name = "ENTRY_ID")]
    enrolled: Option<EntryId>,
    /// They are not enrolled: the next import sends the row again
    #[arg(long)]
    absent: bool,
    /// Take the entry although its e-mail or reference id is not what the row was sent with
    #[arg(long, requires = "entry")]
    force: bool,
}

impl ResolveRow {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.may_write()?;
        let context = self.project.open(session).await?;
        let _lock = context.lock()?;
        let mut rows = context.rows()?;
        let number = self.number(&context, &rows)?;
        let facts = match self.enrolled {
            Some(entry) if rows.is_claimed(entry, &[0; 32])? => {
                let cause = format!("entry {entry} belongs to another row");
                return Err(Failure::usage(cause).hint("`assessctl journal show` tells whose").into());
            }
            Some(entry) => {
                let differs = self.check(&context, &rows, (number, entry)).await?;
                [Fact::Enrolled(entry, None)].into_iter().chain(differs.then_some(Fact::Respelt)).collect()
            }
            None => vec![Fact::Free],
        };
        if rows.resolve(number, &facts, Moment::now())? {
            session.console.note(&if self.absent {
                format!("row {number} is recorded as not enrolled: the next import sends it")
            } else {
                format!("row {number} is recorded as enrolled")
            });
            return Ok(Verdict::Done);
        }
        Err(Failure::new(Verdict::NotFound, format!("row {number} is not in doubt"))
            .hint("`assessctl journal show --in-doubt` lists the rows that are")
            .into())
    }

    /// Finds the entry in a verified list, and holds it against what the row was sent with: whether it differs.
    async fn check(
        &self,
        context: &ProjectContext<'_>,
        rows: &JournalRows,
        (number, entry): (i64, EntryId),
    ) -> anyhow::Result<bool> {
        let console = context.session.console;
        let people = context.client.test_takers(context.project, &PeopleQuery::default()).verified(false).await?;
        let mut found: Option<TestTaker> = None;
        people.each_record(|record: TestTaker| {
            if record.entry_id() == entry {
                found = Some(record);
            }
        })?;
        let Some(record) = found else {
            return Err(Failure::new(Verdict::NotFound, format!("the project's list has no entry {entry}"))
                .hint("`assessctl testtakers list` shows the entry ids")
                .into());
        };
        let Some(known) = rows.all(true)?.into_iter().find(|known| known.number == number) else { return Ok(false) };
        let (hasher, email) = (rows.hasher(), record.email.as_deref().unwrap_or_default());
        let reference = filled(record.reference_id.as_deref());
        let differs = [
            ("e-mail", hasher.email(&fold_email(email)) != known.email),
            ("reference id", reference.map(|id| hasher.reference(id)) != known.reference),
        ];
        let other: Vec<&str> = differs.into_iter().filter_map(|(what, differs)| differs.then_some(what)).collect();
        if other.is_empty() || self.force {
            return Ok(!other.is_empty());
        }
        let cause =
            format!("row {number} was sent with another {} than entry {entry} has", other.join(" and another "));
        if !console.can_ask() {
            return Err(Failure::new(Verdict::Refused, cause).hint("--force takes it all the same").into());
        }
        console.show(&format!("{cause}:"));
        let person = if console.mask {
            String::new()
        } else {
            format!("  {}  {email}", reference.unwrap_or("(no reference id)"))
        };
        console.show(&format!("  id:{entry}{person}"));
        if console.confirm("Take it all the same?").unwrap_or(false) {
            return Ok(true);
        }
        Err(Failure::new(Verdict::Interrupted, "nothing was noted").into())
    }

    /// The row's number: as given, or that of what stands on a line of a file.
    fn number(&self, context: &ProjectContext<'_>, rows: &JournalRows) -> anyhow::Result<i64> {
        if let Ok(number) = self.row.parse() {
            return Ok(number);
        }
        let place = self.row.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
        let Some((file, line)) = place else {
            return Err(Failure::usage("ROW is neither a number nor FILE.csv:LINE")
                .hint("`assessctl journal show --in-doubt` lists the rows with their numbers")
                .into());
        };
        let roster = RosterArgs::of_file(Path::new(file)).read(context.session)?;
        let row = (0..roster.row_count()).find(|row| roster.line(*row) == line);
        let known = match row {
            Some(row) => known_rows(&roster, context.project, rows)?.into_iter().nth(row).flatten(),
            None => None,
        };
        let Some(known) = known else {
            return Err(Failure::new(
                Verdict::NotFound,
                format!("the journal does not know what stands on line {line}"),
            )
            .hint("rows are identified by content, not line: `assessctl journal show --in-doubt` lists the numbers")
            .into());
        };
        // The line is that of the last run: another row may stand there by now.
        if known.line != line {
            let cause = format!(
                "{file} was changed since its last run: what is on line {line} now was on line {} then",
                known.line
            );
            return Err(Failure::new(Verdict::Refused, cause)
                .hint("`assessctl journal show --in-doubt` lists the rows with their numbers: name it by that")
                .into());
        }
        Ok(known.number)
    }
}
