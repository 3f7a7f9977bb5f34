//! Issuing test links (specification, Test link rules).

use reqwest::Method;

use super::connect::Client;
use super::error::Error;
use super::path::Segment::{Entry, Project, Word};
use super::send::{Repeat, Request};
use crate::model::links::{LinkRequest, TestLink};
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

impl Client {
    /// POST /projects/{projectId}/testtakers/{id}/test-link: one attempt, because each call voids the link before.
    pub async fn issue_link(
        &self,
        project: ProjectId,
        entry: EntryId,
        request: &LinkRequest,
    ) -> Result<TestLink, Error> {
        let path = [Word("projects"), Project(project), Word("testtakers"), Entry(entry), Word("test-link")];
        self.send(&Request::new(Method::POST, &path, Repeat::Once).json(request)?).await?.read()
    }
}
