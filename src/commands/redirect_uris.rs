//! The commands about redirect URIs, and how it is proven that new ones were added.

use std::collections::HashSet;

use clap::{Args, Subcommand};

use super::list::ListArgs;
use super::plain_columns;
use super::session::Session;
use crate::api::{Client, Effect, Error};
use crate::model::links::{plain_address, web_address};
use crate::model::people::Order;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Shape};

const COLUMNS: Columns = plain_columns("redirectUri", &[("", "redirectUri")], ("redirect URI", "redirect URIs"));

/// List and add addresses where browsers may go after a test
#[derive(Subcommand)]
pub enum RedirectUriVerb {
    #[command(aliases = ["ls", "show", "get"])]
    List(ListUris),
    #[command(aliases = ["create", "new"])]
    Add(AddUris),
}

/// List the workspace's redirect URIs
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl redirect-uris list")]
pub struct ListUris {
    /// Sort direction
    #[arg(long, ignore_case = true, value_name = "Asc|Desc", value_enum, default_value_t, hide_possible_values = true)]
    order: Order,
    #[command(flatten)]
    list: ListArgs,
}

impl ListUris {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = session.output(&self.list.show, &COLUMNS, Shape::Texts)?;
        self.list.print(session, &session.client().await?.redirect_uris(self.order), &output).await
    }
}

/// Add redirect URIs to the workspace's list
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl redirect-uris add https://portal.example/done")]
pub struct AddUris {
    /// Addresses to add
    #[arg(required = true, value_name = "URI", value_parser = web_address)]
    uris: Vec<String>,
}

impl AddUris {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        session.may_write()?;
        let client = session.client().await?;
        let before = listed(client).await?;
        let asked: HashSet<String> = self.uris.iter().map(|uri| plain_address(uri)).collect();
        let new: Vec<&String> = asked.difference(&before).collect();
        if !new.is_empty() {
            let in_doubt = |why: String| Failure::new(Verdict::Unfinished, why).hint("assessctl redirect-uris list");
            let is_refusal = |error: &Error| error.effect() == Effect::None || error.status() == Some(409);
            // What the answer contains is not shown, and it may get lost: only a list proves that they are there.
            let doubt = match client.add_redirect_uris(&self.uris).await {
                Ok(()) => "the service took the URIs, but does not list all of them".to_owned(),
                Err(error) if is_refusal(&error) || error.is_not_the_service() => return Err(error.into()),
                Err(error) => format!("it is not known whether the URIs were added: {error}"),
            };
            let after = listed(client).await.map_err(|error| {
                in_doubt(format!("the redirect URIs were sent, and the list could not be read again: {error}"))
            })?;
            if !new.iter().all(|uri| after.contains(*uri)) {
                return Err(in_doubt(doubt).into());
            }
        }
        let (uris, known) = (counted(new.len(), "redirect URI", "redirect URIs"), self.uris.len() - new.len());
        let service = session.service();
        session.console.say(&format!("in the service{service}: {uris} added, {known} unchanged"));
        Ok(Verdict::Done)
    }
}

async fn listed(client: &Client) -> Result<HashSet<String>, Error> {
    let list = client.redirect_uris(Order::Asc).whole().await?;
    Ok(list.into_iter().map(|read| plain_address(&read.record)).collect())
}
