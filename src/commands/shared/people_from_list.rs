//! People of whom many are named: found in the project's list, where that takes fewer requests than looking each one up.

use std::collections::HashMap;

use crate::api::{Client, Error, PeopleQuery, Read};
use crate::bulk::find_people::LookupKey;
use crate::bulk::list_or_look_ups::longest_to_find;
use crate::model::projects::ProjectId;
use crate::model::testtakers::TestTaker;

/// From so many reference ids and addresses on a list is tried: that it is too long for them is found out by reading some
/// of it.
const MANY: usize = 20;

/// How a person is named: by what, and the name in the form in which names are compared.
pub type AskedName = (LookupKey, String);

/// Who of those that are named stands in the list; nothing where it was not read.
#[derive(Debug, Default)]
pub struct PeopleFromList(HashMap<AskedName, Vec<String>>);

impl PeopleFromList {
    /// Reads the list, verified, for several entry ids, which nothing else looks up, and for [many](MANY) other names where
    /// it is not too long for them.
    pub async fn read(
        client: &Client,
        project: ProjectId,
        names: impl Iterator<Item = AskedName>,
    ) -> Result<Self, Error> {
        let mut found: HashMap<AskedName, Vec<String>> = names.map(|name| (name, Vec::new())).collect();
        let ids = found.keys().filter(|(by, _)| *by == LookupKey::Id).count();
        let others = found.len() - ids;
        if others < MANY {
            found.retain(|(by, _), _| *by == LookupKey::Id && ids > 1);
        }
        if found.is_empty() {
            return Ok(Self::default());
        }
        let most = if ids > 1 { usize::MAX } else { longest_to_find(others) };
        let list = client.test_takers(project, &PeopleQuery::default());
        let people = match list.verified_within(most, false, |_| ()).await {
            Ok(Some(people)) => people,
            Ok(None) => return Ok(Self::default()),
            // A list that moves too much is no help.
            Err(Error::Unverified) if ids < 2 => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        people.each::<Error>(|json| {
            if let Ok(record) = serde_json::from_str::<TestTaker>(json) {
                for by in [LookupKey::Id, LookupKey::ReferenceId, LookupKey::Email] {
                    if let Some(one) = by.of_record(&record).and_then(|name| found.get_mut(&(by, name))) {
                        one.push(json.to_owned());
                    }
                }
            }
            Ok(())
        })?;
        Ok(Self(found))
    }

    /// The people of a name; `None` where a look-up has to tell: also of a name that the list lacks, as it may lag behind,
    /// unless it is an entry id.
    pub fn called(&self, name: &AskedName) -> Option<Vec<Read<TestTaker>>> {
        let found = self.0.get(name).filter(|found| !found.is_empty() || name.0 == LookupKey::Id)?;
        Some(found.iter().filter_map(|sent| Read::again(sent)).collect())
    }
}
