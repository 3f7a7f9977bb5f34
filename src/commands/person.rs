//! Which people a command is about.

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::session::Session;
use crate::api::Read;
use crate::model::people::{TestTaker, TestTakerQuery};
use crate::model::person::PersonRef;
use crate::model::projects::ProjectId;
use crate::model::verdict::{Failure, Verdict};

/// More people than this are looked up in the whole list, which takes fewer requests.
pub const LOOK_UPS: usize = 8;

/// The records that fit each person, in the order of `people`.
pub async fn find(
    session: &Session,
    project: ProjectId,
    people: &[PersonRef],
) -> anyhow::Result<Vec<Vec<Read<TestTaker>>>> {
    let client = session.client().await?;
    let has_ids = people.iter().any(|person| matches!(person, PersonRef::Id(_)));
    if has_ids || people.len() > LOOK_UPS {
        let _progress = session.count_answers("reading, answers");
        let list = client.test_takers(project, &TestTakerQuery::default()).whole().await?;
        return Ok(people
            .iter()
            .map(|person| list.iter().filter(|read| person.fits(&read.record)).cloned().collect())
            .collect());
    }
    let look_ups = stream::iter(people).map(async |person| match person {
        PersonRef::Reference(id) => client.with_reference_id(project, id).await,
        PersonRef::Email(email) => client.with_email(project, email).await,
        PersonRef::Id(_) => Ok(Vec::new()),
    });
    Ok(look_ups.buffered(LOOK_UPS).try_collect().await?)
}

/// The one record that was found; `None` for nobody.
pub fn only(found: &[Read<TestTaker>]) -> Result<Option<&Read<TestTaker>>, Failure> {
    match found {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        several => {
            let ids: Vec<String> =
                several.iter().filter_map(|read| read.record.entry_id()).map(|id| format!("id:{id}")).collect();
            Err(Failure::usage(format!("{} test takers fit: {}", several.len(), ids.join(", ")))
                .hint("name one by its entry id, such as id:4711"))
        }
    }
}

/// How a look at `asked` people ends of whom `missing` are not there: 4 where all are, 10 where some are.
pub fn absent(session: &Session, missing: usize, asked: usize, place: &str) -> Result<Verdict, Failure> {
    match missing {
        0 => Ok(Verdict::Done),
        1 if asked == 1 => Err(Failure::new(Verdict::NotFound, format!("there is no such test taker{place}"))),
        all if all == asked => Err(Failure::new(Verdict::NotFound, format!("none of the {asked} people is{place}"))),
        some => {
            session.console.warn(&format!("{some} of {asked} people are not{place}"));
            Ok(Verdict::RowsToFix)
        }
    }
}
