//! `assessctl testtakers get`: one test taker, or several with what came of each.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use crate::bulk::roster::Purpose;
use crate::commands::shared::named_people::{LookUp, LookUps, PersonArg, all_named, listed};
use crate::commands::shared::person_argument::{Target, look_up_all};
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::columns::COLUMNS;
use crate::model::exit_ranks::Verdict;
use crate::output::{Columns, Record, Shape};

/// Show one test taker, or several
///
/// Of several each is accounted for, in the order in which they are named: the columns `asked` and `outcome` (found,
/// absent, or shared by several people, of whom none is shown) stand before the others.
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).with_people().printing(JsonShape::OneOrMany, JsonSource::Service))]
#[command(after_help = "\
Examples:
  assessctl testtakers get -p Demo ref:EMP-00017
  assessctl testtakers get -p Demo email:zoe.mueller@example.com -o json
  assessctl testtakers get -p Demo ref:EMP-00017 ref:EMP-00018 -o csv
  assessctl testtakers get -p Demo --ids-from enrolled.csv -o csv
  assessctl results list -p Demo -o csv --fields referenceId | \\
      assessctl testtakers get -p Demo - -o csv")]
pub struct GetTestTaker {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`, one or several; `-` reads them from standard input
    #[arg(value_name = "TEST_TAKER", required_unless_present = "ids_from")]
    targets: Vec<PersonArg<Target>>,
    /// Look up everybody of this file: one a line, or a CSV with a column of entry ids, reference ids or e-mails
    #[arg(long, value_name = "FILE", conflicts_with = "targets")]
    ids_from: Option<PathBuf>,
}

impl GetTestTaker {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match (self.targets.as_slice(), &self.ids_from) {
            ([PersonArg::Given(target)], None) => self.one(session, target).await,
            (_, Some(file)) => self.each(session, &listed::<Target>(session, file, Purpose::Name)?).await,
            (named, None) => self.each(session, &all_named(session, named, Purpose::Name)?).await,
        }
    }

    async fn one(&self, session: &Session, target: &Target) -> anyhow::Result<Verdict> {
        let mut printer = session.quiet_printer(&COLUMNS, Shape::One, "id")?;
        let found = target.find(&self.project.open(session).await?).await?;
        printer.push(Record::Sent(found.sent.get()))?;
        printer.finish()?;
        Ok(Verdict::Done)
    }

    async fn each(&self, session: &Session, targets: &[Target]) -> anyhow::Result<Verdict> {
        let names = [&["asked", "outcome"], COLUMNS.names()].concat();
        let columns = Columns::of(&names)
            .called("test taker", "test takers")
            .in_table(&["asked", "outcome", "id", "fullName", "email", "result"]);
        let mut printer = session.printer(&columns, Shape::Many)?;
        let client = session.client()?;
        let project = self.project.find(session, &client).await?;
        let found = look_up_all(&client, project.id(), targets).await.context("cannot look the test takers up")?;
        let mut look_ups = LookUps::default();
        for (target, found) in targets.iter().zip(&found) {
            let look_up = match found.len() {
                0 => LookUp::Absent,
                1 => LookUp::Found,
                _ => LookUp::Shared,
            };
            if look_ups.count(look_up) {
                project.check(&client).await?;
            }
            let sent = found.first().filter(|_| look_up == LookUp::Found).map_or("{}", |read| read.sent.get());
            printer.push(Record::CellsAndSent(&[target.as_typed().into(), look_up.name().into()], sent))?;
        }
        let verdict = look_ups.end(session, "not found");
        printer.finish()?;
        Ok(verdict)
    }
}
