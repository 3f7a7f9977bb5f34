//! Issuing test links (specification, Test link rules).

use reqwest::Method;

use super::client::Client;
use super::error::{BodyFault, Error};
use super::retries::Repeat;
use super::send::Request;
use super::url_path::Segment::{Entry, Project, Word};
use crate::model::browser_addresses::check_link;
use crate::model::projects::ProjectId;
use crate::model::test_links::{LinkRequest, TestLink};
use crate::model::testtakers::TestTaker;

impl Client {
    /// POST /projects/{projectId}/testtakers/{id}/test-link: one attempt, because each call voids the link before.
    pub async fn issue_link(
        &self,
        project: ProjectId,
        person: &TestTaker,
        request: &LinkRequest,
    ) -> Result<TestLink, Error> {
        let path =
            [Word("projects"), Project(project), Word("testtakers"), Entry(person.entry_id()), Word("test-link")];
        let request = Request::new(Method::POST, &path, Repeat::Once).about(person).json(request)?;
        let link: TestLink = self.send(&request).await?.read()?;
        check_link(link.url.expose()).map_err(|why| Error::Unreadable {
            status: 200,
            why: format!("its link is not handed out: {why}"),
            body: BodyFault::Foreign,
        })?;
        Ok(link)
    }
}
