//! `assessctl redirect-uris add`: further entries of the allowlist.

use clap::Args;

use crate::api::Error;
use crate::commands::shared::redirect_allowlist::{RedirectSchemes, allowed};
use crate::commands::shared::run_failure::{AGAIN_ALONE, failed_write};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::{Columns, Record, Shape};

/// What is printed for each URI.
const COLUMNS: Columns<'static> = Columns::of(&["redirectUri", "outcome"]);

/// Allow further redirect URIs; `*` stands for any characters. They are removed in the portal alone
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Write, Prints::Records(&COLUMNS)).printing(JsonShape::Many, JsonSource::Own))]
#[command(after_help = "\
Examples:
  assessctl redirect-uris add https://hr.example.com/done
  assessctl redirect-uris add 'https://*.example.com/*' \\
      https://hr.example.com/done -o json")]
pub struct AddUris {
    /// The URIs to allow
    #[arg(value_name = "URI", required = true, value_parser = uri)]
    uris: Vec<String>,
    #[command(flatten)]
    schemes: RedirectSchemes,
}

/// An entry has something in it; which further rules the service has is not shown.
fn uri(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("must not be empty") } else { Ok(text.trim().to_owned()) }
}

/// Whether a set has an entry; the service ignores case.
fn has(set: &[String], uri: &str) -> bool {
    set.iter().any(|entry| entry.to_lowercase() == uri.to_lowercase())
}

/// Says that what came of an addition could not be read.
fn unread_again(error: anyhow::Error) -> anyhow::Error {
    let Some(verdict) = error.downcast_ref().map(Error::verdict) else { return error };
    let cause = format!("the redirect URIs were sent, and what came of it is not known: {error:#}");
    Failure::new(verdict.beside_changes(), cause).hint(AGAIN_ALONE).into()
}

impl AddUris {
    /// Reads the set before and after: what the service answers to an addition is not shown.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&COLUMNS, Shape::Many)?;
        self.uris.iter().try_for_each(|uri| self.schemes.check(uri))?;
        session.may_write_for_good("add redirect URIs, which the portal alone can remove")?;
        let client = session.client()?;
        let before = allowed(&client).await?;
        let mut wanted: Vec<String> = Vec::new();
        for uri in self.uris {
            if !has(&wanted, &uri) {
                wanted.push(uri);
            }
        }
        let new: Vec<String> = wanted.iter().filter(|uri| !has(&before, uri)).cloned().collect();
        if !new.is_empty() {
            let added = client.add_redirect_uris(&new).await;
            added.map_err(|error| failed_write(error, "cannot add the redirect URIs", AGAIN_ALONE))?;
        }
        let after = if new.is_empty() { before.clone() } else { allowed(&client).await.map_err(unread_again)? };
        let (mut added, mut refused) = (0, 0);
        for uri in &wanted {
            let outcome = match (has(&before, uri), has(&after, uri)) {
                (true, _) => "existing",
                (false, true) => {
                    added += 1;
                    "added"
                }
                (false, false) => {
                    refused += 1;
                    "refused"
                }
            };
            printer.push(Record::Cells(&[uri.into(), outcome.into()]))?;
        }
        printer.finish()?;
        let uris = counted(added, "redirect URI", "redirect URIs");
        session.console.aside(&format!("{uris} added{}", session.place()));
        if refused == 0 {
            return Ok(Verdict::Done);
        }
        let cause =
            format!("the service did not keep {refused} of {}", counted(wanted.len(), "redirect URI", "redirect URIs"));
        Err(Failure::new(Verdict::RowsToFix, cause).hint("`assessctl redirect-uris list` shows what is allowed").into())
    }
}
