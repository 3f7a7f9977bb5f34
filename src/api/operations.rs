//! The 13 operations of the specification, in its order.

use std::time::Duration;

use reqwest::Method;
use serde::Serialize;

use super::client::{Client, Request};
use super::effect::Effect;
use super::error::Error;
use super::list::List;
use super::pace::Turn;
use super::path::Path;
use super::record::{Read, json};
use crate::model::links::{LinkRequest, TestLink, check_web_address};
use crate::model::people::{
    Enrolment, EntryId, NewTestTaker, Order, PeopleFilters, ResultQuery, TestTaker, TestTakerQuery, UpdateTestTaker,
};
use crate::model::projects::{NewProject, Project, ProjectId, ProjectQuery};
use crate::model::settle::LATE;
use crate::model::text::fold_email;

/// How long a test taker may take to be provisioned (our assumption).
const PROVISIONING: Duration = Duration::from_mins(2);
const LINK_ATTEMPTS: usize = 4;

impl Client {
    /// GET /projects.
    pub fn projects(&self, query: &ProjectQuery) -> List<'_, Project> {
        List::new(self, Path::of("projects"), pairs(query))
    }

    /// POST /projects: not repeated after a lost answer.
    pub async fn create_project(&self, project: &NewProject) -> Result<Read<Project>, Error> {
        let request = Request::once(Method::POST, Path::of("projects"), project)?;
        Read::of(&self.write(&request, None).await?)
    }

    /// GET /projects/{projectId}.
    pub async fn project(&self, id: ProjectId) -> Result<Read<Project>, Error> {
        self.get(project_path(id)).await
    }

    /// GET /projects/{projectId}/get-link.
    pub async fn project_link(&self, id: ProjectId) -> Result<Read<String>, Error> {
        let link = self.get(project_path(id).word("get-link")).await;
        link.map_err(|error| if error.status() == Some(404) { Error::UnknownProject } else { error })
    }

    /// GET /projects/{projectId}/testtakers.
    pub fn test_takers(&self, project: ProjectId, query: &TestTakerQuery) -> List<'_, TestTaker> {
        List::new(self, project_path(project).word("testtakers"), pairs(query))
    }

    /// The test takers with exactly this reference id. Compared here too: the service may ignore case.
    pub async fn with_reference_id(&self, project: ProjectId, id: &str) -> Result<Vec<Read<TestTaker>>, Error> {
        let Ok(reference_id) = id.parse() else { return Ok(Vec::new()) };
        let query = TestTakerQuery { reference_id: Some(reference_id), ..TestTakerQuery::default() };
        let mut found = self.test_takers(project, &query).matches().await?;
        found.retain(|read| read.record.reference_id.as_deref() == Some(id));
        Ok(found)
    }

    /// The test takers with this e-mail address, in any spelling that compares equal. A text filter finds them, so nobody
    /// found proves nothing.
    pub async fn with_email(&self, project: ProjectId, email: &str) -> Result<Vec<Read<TestTaker>>, Error> {
        let query = TestTakerQuery { filters: PeopleFilters::search(email), ..TestTakerQuery::default() };
        let mut found = self.test_takers(project, &query).matches().await?;
        let wanted = fold_email(email);
        found.retain(|read| read.record.email.as_deref().is_some_and(|other| fold_email(other) == wanted));
        Ok(found)
    }

    /// POST /projects/{projectId}/testtakers: not repeated after a lost answer, or a person would be enrolled twice.
    pub async fn enrol(&self, project: ProjectId, person: &NewTestTaker, turn: Turn<'_>) -> Result<Enrolment, Error> {
        let request = Request::once(Method::POST, project_path(project).word("testtakers"), person)?;
        json(&self.write(&request, Some(turn)).await?)
    }

    /// PATCH /projects/{projectId}/testtakers/{id}: carries all three values, so that a second one changes nothing.
    /// `before` is the record that it is about.
    pub async fn update(
        &self,
        project: ProjectId,
        entry: EntryId,
        to: &UpdateTestTaker,
        before: &TestTaker,
    ) -> Result<Read<TestTaker>, Error> {
        let request = Request::repeatable(Method::PATCH, person_path(project, entry), to)?.about(before);
        let read: Read<TestTaker> = Read::of(&self.write(&request, None).await?)?;
        if read.record.entry_id() == Some(entry) { Ok(read) } else { Err(Error::OtherRecord) }
    }

    /// DELETE /projects/{projectId}/testtakers/{id}: repeats answer 204 too, so it may be repeated.
    pub async fn remove(&self, project: ProjectId, entry: EntryId, before: &TestTaker) -> Result<(), Error> {
        let request = Request::delete(person_path(project, entry)).about(before);
        self.write(&request, None).await.map(drop)
    }

    /// POST /projects/{projectId}/testtakers/{id}/test-link: one at a time for each person, because each voids the one
    /// before. Waits while the person is not provisioned, and after a lost answer until that one can't come late any more.
    pub async fn issue_link(
        &self,
        project: ProjectId,
        entry: EntryId,
        link: &LinkRequest,
        person: &TestTaker,
    ) -> Result<TestLink, Error> {
        let request = Request::once(Method::POST, person_path(project, entry).word("test-link"), link)?.about(person);
        let (mut waited, mut early, mut lost) = (Duration::ZERO, 0, Vec::new());
        loop {
            let error = match self.write(&request, None).await.and_then(|body| link_of(&body)) {
                Ok(link) => return Ok(link),
                Err(error) => error,
            };
            let pause = if error.is_not_provisioned() && waited < PROVISIONING {
                early += 1;
                let asked = error.retry_after().unwrap_or_default().min(PROVISIONING);
                asked.max(Duration::from_secs(1 << (early - 1).min(2)))
            } else if error.effect() != Effect::None && error.is_temporary() && lost.len() < LINK_ATTEMPTS - 1 {
                lost.push(error.clone());
                LATE
            } else {
                // A later refusal does not undo what an earlier attempt may have done.
                return Err(lost.pop().unwrap_or(error));
            };
            waited += pause;
            self.wait(pause, error.to_string()).await;
        }
    }

    /// GET /projects/{projectId}/results, in either documented shape: both can be sorted by these fields.
    pub fn results(&self, project: ProjectId, query: &ResultQuery) -> List<'_, TestTaker> {
        List::new(self, project_path(project).word("results"), pairs(query))
    }

    /// GET /projects/{projectId}/results/{referenceId}. Reference ids are not unique, and the service would silently show
    /// one of several people, or an old result. So the list is read too, to see how many have it, and whether it agrees. `None`
    /// where nobody has it. An error is shown by its status only: its words could be of a result, which is about somebody's
    /// health.
    pub async fn result(&self, project: ProjectId, id: &str) -> Result<Option<Read<TestTaker>>, Error> {
        let path = project_path(project).word("results").value("referenceId", &id);
        let (people, read) = tokio::join!(self.with_reference_id(project, id), self.get::<TestTaker>(path));
        // The list shows whether the project or the person is missing.
        let people = people?;
        let read = match read {
            Err(error) if error.status() == Some(404) && !error.is_not_the_service() => None,
            read => Some(read.map_err(Error::without_words)?),
        };
        if people.len() > 1 {
            let entries = people.iter().filter_map(|read| read.record.entry_id());
            return Err(Error::SharedReferenceId(entries.map(|id| format!("id:{id}")).collect::<Vec<_>>().join(", ")));
        }
        // An earlier entry of somebody who was removed and enrolled again may have another result.
        let Some(listed) = people.into_iter().next() else { return Ok(None) };
        let is_other = |read: &Read<TestTaker>| {
            listed.record.id.zip(read.record.id).is_some_and(|(a, b)| a != b)
                || read.record.reference_id.as_deref() != Some(id)
        };
        if read.as_ref().is_some_and(is_other) {
            return Err(Error::OtherRecord);
        }
        if listed.record.agrees(read.as_ref().map(|read| &read.record)) { Ok(read) } else { Err(Error::TwoResults) }
    }

    /// GET /workspace/redirect-uris.
    pub fn redirect_uris(&self, order: Order) -> List<'_, String> {
        List::new(self, Path::of("workspace").word("redirect-uris"), vec![("order".to_owned(), format!("{order:?}"))])
    }

    /// POST /workspace/redirect-uris: merges, so it may be repeated. The specification does not show its answer, so the
    /// answer is not read.
    pub async fn add_redirect_uris(&self, uris: &[String]) -> Result<(), Error> {
        let path = Path::of("workspace").word("redirect-uris");
        self.write(&Request::repeatable(Method::POST, path, &uris)?, None).await.map(drop)
    }
}

/// A link that may be handed out.
fn link_of(body: &[u8]) -> Result<TestLink, Error> {
    let link: TestLink = json(body)?;
    match check_web_address(link.url.expose()) {
        Ok(()) => Ok(link),
        Err(why) => Err(Error::Unreadable { why: format!("its link {why}"), is_cut: false }),
    }
}

fn project_path(project: ProjectId) -> Path {
    Path::of("projects").value("projectId", &project)
}

fn person_path(project: ProjectId, entry: EntryId) -> Path {
    project_path(project).word("testtakers").value("id", &entry)
}

/// A query as it is sent: what is not given is left out.
fn pairs(query: &impl Serialize) -> Vec<(String, String)> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(query) else { return Vec::new() };
    let given = fields.into_iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name, value.as_str().map_or_else(|| value.to_string(), str::to_owned))).collect()
}
