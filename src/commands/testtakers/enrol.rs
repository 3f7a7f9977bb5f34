//! `testtakers enrol`: an import of one row.

use clap::Args;

use super::enrol_run::{self, EnrolWish, SettleArgs};
use crate::bulk::enrol::OnExisting;
use crate::bulk::outcome::Of;
use crate::commands::account::{Account, AccountRow};
use crate::commands::project::ProjectArgs;
use crate::commands::roster_args::{Suspects, allowed};
use crate::commands::session::Session;
use crate::model::text::{Email, PersonName, ReferenceId};
use crate::model::verdict::Verdict;
use crate::output::OutputArgs;
use crate::roster::Person;

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
    /// Accept suspicious values, or those of FIELD
    #[arg(long, value_name = "FIELD", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    allow_suspicious: Vec<Suspects>,
    /// Others may have the same e-mail address
    #[arg(long)]
    shared_mailboxes: bool,
    /// Enrol people again if removed elsewhere
    #[arg(long)]
    again: bool,
    /// Only show what would be done
    #[arg(long, alias = "dryrun")]
    dry_run: bool,
    #[command(flatten)]
    settle: SettleArgs,
    #[command(flatten)]
    show: OutputArgs,
}

/// A year that a file may have, too.
fn birth_year(text: &str) -> Result<i32, String> {
    crate::roster::birth_year(text.trim())
}

impl EnrolPerson {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            session.may_write()?;
        }
        let account = Account::new(session, &self.show)?;
        let person = Person {
            entry_id: None,
            email: Some(self.email),
            first_name: self.first_name,
            last_name: self.last_name,
            birth_year: self.birth_year,
            reference_id: self.reference_id,
        };
        person.check(&allowed(&self.allow_suspicious))?;
        let project = self.project.find(session).await?;
        let people: Vec<_> = person.new_test_taker().into_iter().collect();
        let wish = EnrolWish {
            again: self.again,
            shared_mailboxes: self.shared_mailboxes,
            on_existing: OnExisting::Skip,
            is_dry_run: self.dry_run,
        };
        let run = enrol_run::run(session, &project, &people, self.settle, wish, "testtakers enrol").await?;
        account.end(session, &[AccountRow { line: None, person }], &run, Of::One, &session.place(&project))
    }
}
