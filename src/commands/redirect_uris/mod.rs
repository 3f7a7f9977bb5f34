//! `assessctl redirect-uris`: the workspace's allowlist for the redirect after an assessment.

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::api::Client;
use crate::commands::shared::list_args::ListArgs;
use crate::commands::shared::session::{Session, failed_write};
use crate::model::listing::Order;
use crate::model::verdict::Verdict;
use crate::output::{Columns, Shape};

pub const URIS: Columns<'static> = Columns::of(&["redirectUri"]).uncut(&["redirectUri"]);
pub const ADDED: Columns<'static> = Columns::of(&["redirectUri", "outcome"]).uncut(&["redirectUri"]);

/// The commands on the workspace's redirect URIs
#[derive(Debug, Subcommand)]
pub enum RedirectUrisCommand {
    /// List the redirect URIs that the workspace allows, all of them
    #[command(after_help = "\
Examples:
  assessctl redirect-uris list
  assessctl redirect-uris list --order Desc -o json")]
    List(ListUris),
    /// Allow further redirect URIs; `*` stands for any characters. They are removed in the portal alone
    #[command(after_help = "\
Examples:
  assessctl redirect-uris add https://hr.example.com/done
  assessctl redirect-uris add 'https://*.example.com/*' \\
      https://hr.example.com/done -o json")]
    Add(AddUris),
}

/// Arguments of `redirect-uris list`.
#[derive(Debug, Args)]
pub struct ListUris {
    /// Sort direction
    #[arg(long, value_enum, ignore_case = true, default_value = "Asc")]
    order: Order,
    #[command(flatten)]
    list: ListArgs,
}

/// Arguments of `redirect-uris add`.
#[derive(Debug, Args)]
pub struct AddUris {
    /// The URIs to allow
    #[arg(value_name = "URI", required = true, value_parser = uri)]
    uris: Vec<String>,
}

/// An entry has something in it; which further rules the service has is not shown.
fn uri(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("is empty") } else { Ok(text.trim().to_owned()) }
}

/// What became of one URI.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Added<'a> {
    redirect_uri: &'a str,
    outcome: &'static str,
}

impl RedirectUrisCommand {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::List(args) => {
                let printer = session.printer(&URIS, Shape::Strings)?;
                let client = session.client()?;
                let listing = client.redirect_uris(args.order);
                let listed = args.list.print(session, listing, printer, false, |_| true).await;
                listed.context("cannot list the redirect URIs")
            }
            Self::Add(args) => args.run(session).await,
        }
    }
}

impl AddUris {
    /// Reads the set before and after: what the service answers to an addition is not shown.
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let mut printer = session.printer(&ADDED, Shape::Many)?;
        session.may_write()?;
        let client = session.client()?;
        let before = allowed(&client).await?;
        let has = |set: &[String], uri: &str| set.iter().any(|entry| entry.to_lowercase() == uri.to_lowercase());
        let mut wanted: Vec<String> = Vec::new();
        for uri in self.uris {
            if !has(&wanted, &uri) {
                wanted.push(uri);
            }
        }
        let new: Vec<String> = wanted.iter().filter(|uri| !has(&before, uri)).cloned().collect();
        if !new.is_empty() {
            let added = client.add_redirect_uris(&new).await;
            added.map_err(|error| failed_write(error, "cannot add the redirect URIs"))?;
        }
        let after = if new.is_empty() { before.clone() } else { allowed(&client).await? };
        let mut verdict = Verdict::Done;
        for uri in &wanted {
            let outcome = match (has(&before, uri), has(&after, uri)) {
                (true, _) => "existing",
                (false, true) => "added",
                (false, false) => {
                    verdict = Verdict::RowsToFix;
                    "refused"
                }
            };
            printer.push(&serde_json::to_string(&Added { redirect_uri: uri, outcome })?)?;
        }
        printer.finish()?;
        Ok(verdict)
    }
}

/// The whole allowlist.
pub async fn allowed(client: &Client) -> anyhow::Result<Vec<String>> {
    let set = client.redirect_uris(Order::Asc).all().await.context("cannot read the redirect URIs")?;
    Ok(set.into_iter().map(|read| read.record).collect())
}
