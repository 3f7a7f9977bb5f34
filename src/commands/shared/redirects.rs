//! The workspace's allowlist for the redirect after an assessment, as commands that issue links ask it.

use anyhow::Context as _;

use crate::api::Client;
use crate::commands::shared::session::Session;
use crate::model::listing::Order;
use crate::model::redirect_uris::admits;

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
        session.talk.warn(cause);
        session.talk.hint("`assessctl redirect-uris add URI` allows it");
    }
    Ok(())
}
