//! The workspace's allowlist for the redirect after an assessment, as commands that issue links ask it.

use anyhow::Context as _;
use clap::Args;

use crate::api::Client;
use crate::commands::shared::session::Session;
use crate::model::browser_addresses::check_redirect_uri;
use crate::model::failure::Failure;
use crate::model::list_query::Order;
use crate::model::redirect_uris::admits;

/// Which redirects may be other than a web page.
#[derive(Debug, Args)]
pub struct RedirectSchemes {
    /// Also a redirect with this scheme, such as that of an app (may be repeated)
    #[arg(long, value_name = "SCHEME")]
    allow_scheme: Vec<String>,
}

impl RedirectSchemes {
    /// Refuses a redirect URI, or an entry of the allowlist, that leads to no web page, before anything is sent.
    pub fn check(&self, uri: &str) -> Result<(), Failure> {
        let Err(reason) = check_redirect_uri(uri, &self.allow_scheme) else { return Ok(()) };
        let failure = Failure::usage(format!("the redirect URI {reason}"));
        Err(match uri.split_once(':') {
            Some((scheme, _)) if reason.contains("other than") => {
                failure.hint(format!("--allow-scheme {scheme} allows it, if an app is meant"))
            }
            _ => failure.hint("a redirect URI is such as https://hr.example.com/done"),
        })
    }
}

/// The whole allowlist.
pub async fn allowed(client: &Client) -> anyhow::Result<Vec<String>> {
    let set = client.redirect_uris(Order::Asc).all().await.context("cannot read the redirect URIs")?;
    Ok(set.into_iter().map(|read| read.record).collect())
}

/// A redirect that the allowlist does not have is no error for the service: the browser just stays.
pub async fn warn_of_redirect(session: &Session, client: &Client, uri: Option<&str>) -> anyhow::Result<()> {
    let Some(uri) = uri else { return Ok(()) };
    if !allowed(client).await?.iter().any(|entry| admits(entry, uri)) {
        let cause = "the redirect URI is in no entry of the workspace's allowlist, so the browser will not go there";
        session.console.warn(cause);
        session.hint("`assessctl redirect-uris add URI` allows it");
    }
    Ok(())
}
