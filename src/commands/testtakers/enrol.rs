//! `testtakers enrol`: one person, by the rules of an import of one row.

use clap::Args;

use super::roster_run::{SettleArgs, new_people};
use crate::bulk::enrol::EnrolOptions;
use crate::bulk::outcome::Of;
use crate::commands::account::BulkArgs;
use crate::commands::people::Named;
use crate::commands::project::ProjectArgs;
use crate::commands::session::Session;
use crate::commands::work::Work;
use crate::model::text::{Email, PersonName, ReferenceId};
use crate::model::verdict::Verdict;
use crate::roster::{Person, SuspiciousArgs};

/// Enrol one person
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl testtakers enrol --email ann@example.com --reference-id EMP-00017")]
pub struct EnrolPerson {
    /// E-mail address
    #[arg(long, value_name = "ADDRESS")]
    email: Email,
    /// First name
    #[arg(long, value_name = "NAME")]
    first_name: Option<PersonName>,
    /// Last name
    #[arg(long, value_name = "NAME")]
    last_name: Option<PersonName>,
    /// Year of birth
    #[arg(long, value_name = "YEAR", value_parser = birth_year)]
    birth_year: Option<i32>,
    /// Your own identifier of this person
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    reference_id: Option<ReferenceId>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    suspicious: SuspiciousArgs,
    /// Others may have the same e-mail address
    #[arg(long)]
    shared_mailboxes: bool,
    /// Also enrol people whom others removed
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    settle: SettleArgs,
    #[command(flatten)]
    bulk: BulkArgs,
}

/// A year that a file may have, too.
fn birth_year(text: &str) -> Result<i32, String> {
    crate::roster::birth_year(text.trim())
}

impl EnrolPerson {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let account = self.bulk.begin(session)?;
        let person = Person {
            entry_id: None,
            email: Some(self.email),
            first_name: self.first_name,
            last_name: self.last_name,
            birth_year: self.birth_year,
            reference_id: self.reference_id,
        };
        person.check(&self.suspicious.allowed)?;
        let project = self.project.find(session).await?;
        let named = Named::from(person);
        let work = Work::begin(session, &project, "testtakers enrol", self.bulk.dry_run).await?;
        let options = EnrolOptions { again: self.again, ..self.settle.options(session)? };
        let people = new_people(&named);
        let run = work.run(work.enrol(work.rows(&people, self.shared_mailboxes)?, options, None)).await?;
        account.end(&named, &run, Of::One, &project)
    }
}
