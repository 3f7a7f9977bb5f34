//! How the records of people are looked up: one by one or in the whole list; and how a command ends if some are missing.

use std::collections::HashSet;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::session::Session;
use crate::api::Read;
use crate::model::people::{TestTaker, TestTakerQuery};
use crate::model::person::PersonRef;
use crate::model::projects::ProjectId;
use crate::model::verdict::Failure;

/// More people than this are looked up in the whole list, which takes fewer requests.
const LOOK_UPS: usize = 8;

/// Everybody in a project.
pub async fn everybody(session: &Session, project: ProjectId) -> anyhow::Result<Vec<Read<TestTaker>>> {
    let _progress = session.count_answers();
    Ok(session.client().await?.test_takers(project, &TestTakerQuery::default()).whole().await?)
}

/// All records that may be of these people, each of them once; everybody, where that takes fewer requests, or where the text
/// filter finds nobody with an e-mail: that proves nothing.
pub async fn records(
    session: &Session,
    project: ProjectId,
    people: &[PersonRef],
) -> anyhow::Result<Vec<Read<TestTaker>>> {
    if people.len() > LOOK_UPS || people.iter().any(|person| matches!(person, PersonRef::Id(_))) {
        return everybody(session, project).await;
    }
    let client = session.client().await?;
    let look_ups = stream::iter(people).map(async |person| match person {
        PersonRef::Reference(id) => client.with_reference_id(project, id).await,
        PersonRef::Email(email) => client.with_email(project, email).await,
        PersonRef::Id(_) => Ok(Vec::new()),
    });
    let found: Vec<_> = look_ups.buffered(LOOK_UPS).try_collect().await?;
    let is_open = |(person, found): (&PersonRef, &Vec<_>)| matches!(person, PersonRef::Email(_)) && found.is_empty();
    if people.iter().zip(&found).any(is_open) {
        return everybody(session, project).await;
    }
    let mut records = found.concat();
    let mut met = HashSet::new();
    records.retain(|read| read.record.id.is_none_or(|id| met.insert(id)));
    Ok(records)
}

/// The one record that was found; `None` for nobody.
pub fn only(mut found: Vec<Read<TestTaker>>) -> Result<Option<Read<TestTaker>>, Failure> {
    if found.len() > 1 {
        let ids = found.iter().filter_map(|read| read.record.entry_id()).map(|id| format!("id:{id}"));
        let cause = format!("{} test takers match: {}", found.len(), ids.collect::<Vec<_>>().join(", "));
        return Err(Failure::usage(cause).hint("name one by its entry id, such as id:4711"));
    }
    Ok(found.pop())
}
