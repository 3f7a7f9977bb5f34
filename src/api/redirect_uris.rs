//! The workspace's redirect URIs (specification, Workspace redirect URIs).

use reqwest::Method;

use super::client::Client;
use super::error::Error;
use super::projects::word;
use super::read_list::Listing;
use super::retries::Repeat;
use super::send::Request;
use super::url_path::Segment::Word;
use crate::model::list_query::Order;

impl Client {
    /// GET /workspace/redirect-uris.
    pub fn redirect_uris(&self, order: Order) -> Listing<'_, String> {
        Listing::new(self, vec![Word("workspace"), Word("redirect-uris")], vec![("order", word(&order))])
    }

    /// POST /workspace/redirect-uris: merges, so it is repeated like a read. What it answers is not shown, so the
    /// answer's body is not looked at.
    pub async fn add_redirect_uris(&self, uris: &[String]) -> Result<(), Error> {
        let path = [Word("workspace"), Word("redirect-uris")];
        self.send(&Request::new(Method::POST, &path, Repeat::Safe).json(&uris)?).await.map(|_| ())
    }
}
