//! How a test taker is named on the command line, and how the name is looked up.

use std::collections::HashMap;
use std::str::FromStr;

use anyhow::Context as _;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use crate::api::{Client, Error, PeopleQuery, Read};
use crate::bulk::find_people::LookupKey;
use crate::bulk::list_or_look_ups::longest_to_find;
use crate::bulk::roster::{Field, prefixed};
use crate::commands::shared::named_people::AT_ONCE;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::project_journal::FreshPeople;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::field_rules::fold_email;
use crate::model::list_query::ReferenceLookup;
use crate::model::projects::ProjectId;
use crate::model::pseudonym::is_masked_address;
use crate::model::testtakers::{EntryId, TestTaker};

/// A test taker as an argument: always with its prefix, because badge numbers look like ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `id:ENTRY_ID`.
    Id(EntryId),
    /// `ref:REFERENCE_ID`.
    Reference(ReferenceLookup),
    /// `email:ADDRESS`.
    Email(String),
}

const LENGTH: &str = "1 to 500 characters are needed after the prefix";
/// So many people of one name are proposed for a look.
const COMPARED: usize = 5;
const CANNOT: &str = "cannot look the test taker up";
/// What a person is hardly called.
const FILE_ENDINGS: [&str; 3] = [".csv", ".xlsx", ".ndjson"];
const FORMS: &str = "write ref:REFERENCE_ID or email:ADDRESS";

fn wrong(cause: &str, hint: &str) -> Result<Target, Failure> {
    Err(Failure::usage(cause).hint(hint))
}

impl FromStr for Target {
    type Err = Failure;
    /// Errors quote nothing: the text may be personal.
    fn from_str(text: &str) -> Result<Self, Failure> {
        match prefixed(text) {
            Some((Field::EntryId, id)) => {
                id.parse().map(Self::Id).or_else(|_| wrong("not an entry id", "an entry id is a number, e.g. id:1042"))
            }
            Some((Field::ReferenceId, id)) => id.parse().map(Self::Reference).or_else(|_| wrong(LENGTH, FORMS)),
            Some((_, "")) => wrong(LENGTH, FORMS),
            Some((_, email)) if is_masked_address(email) => wrong(
                "a pseudonym of --mask, which is nobody's address",
                "name the person by the entry id of the same row: id:ENTRY_ID",
            ),
            Some((_, email)) => Ok(Self::Email(email.to_owned())),
            _ if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => wrong(
                "a bare number, which could be an entry id or a badge number",
                "write id:NUMBER for an entry id, or ref:NUMBER for a reference id",
            ),
            _ if text.contains('@') => wrong(
                "no prefix says what it is",
                "write email:ADDRESS for an e-mail address, or ref:REFERENCE_ID for a reference id",
            ),
            _ if FILE_ENDINGS.iter().any(|ending| text.to_ascii_lowercase().ends_with(ending)) => wrong(
                "a file stands behind an option",
                "write --file FILE where people are changed, --ids-from FILE where they are read",
            ),
            _ => wrong(
                "no prefix says what it is",
                "write ref:REFERENCE_ID for a reference id, or id:ENTRY_ID, or email:ADDRESS",
            ),
        }
    }
}

impl Target {
    /// The entry id, where that is the name.
    pub fn entry(&self) -> Option<EntryId> {
        if let Self::Id(entry) = self { Some(*entry) } else { None }
    }

    /// The name as it is typed: for data alone, it may be personal.
    pub fn as_typed(&self) -> String {
        match self {
            Self::Id(id) => format!("id:{id}"),
            Self::Reference(id) => format!("ref:{}", id.as_str()),
            Self::Email(email) => format!("email:{email}"),
        }
    }

    /// By what the person is named, and the name in the form in which names are compared.
    pub fn key(&self) -> AskedName {
        match self {
            Self::Id(id) => (LookupKey::Id, id.to_string()),
            Self::Reference(id) => (LookupKey::ReferenceId, id.as_str().to_owned()),
            Self::Email(email) => (LookupKey::Email, fold_email(email).into_owned()),
        }
    }

    /// What kind of name this is, for messages: the name itself may be personal.
    fn kind(&self) -> String {
        match self {
            Self::Id(id) => format!("entry id {id}"),
            Self::Reference(_) => "this reference id".to_owned(),
            Self::Email(_) => "this e-mail address".to_owned(),
        }
    }

    /// The test takers of this name: none, one or several.
    async fn look_up(&self, client: &Client, project: ProjectId) -> Result<Vec<Read<TestTaker>>, Error> {
        match self {
            // No operation reads one test taker by entry id, so the list is walked until it is found. Who is not found is not
            // in the project only if that list is whole.
            Self::Id(id) => {
                let listing = client.test_takers(project, &PeopleQuery::default());
                Ok(listing.find(|record| record.entry_id() == *id).await?.into_iter().collect())
            }
            Self::Reference(id) => client.with_reference_id(project, id).await,
            Self::Email(email) => client.with_email(project, email).await,
        }
    }

    /// Finds the one test taker of this name. None is "not found"; several are an error that lists their entry ids.
    pub async fn find(&self, context: &ProjectContext<'_>) -> anyhow::Result<Read<TestTaker>> {
        Ok(self.one_of(self.look_up(&context.client, context.project).await.context(CANNOT)?)?)
    }

    fn one_of(&self, mut found: Vec<Read<TestTaker>>) -> Result<Read<TestTaker>, Failure> {
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(self.not_found()),
            _ => {
                let ids: Vec<String> = found.iter().map(|read| format!("id:{}", read.record.entry_id())).collect();
                let cause = format!("{} test takers have {}: {}", found.len(), self.kind(), ids.join(", "));
                let ids = ids.iter().take(COMPARED).map(String::as_str).collect::<Vec<_>>().join(" ");
                let hint =
                    format!("`assessctl testtakers get {ids}` shows who they are; then name one by its entry id");
                Err(Failure::usage(cause).hint(hint))
            }
        }
    }

    /// No test taker of the project has this name.
    fn not_found(&self) -> Failure {
        if let Self::Reference(id) = self
            && let Some(count) = joined_people(id.as_str())
        {
            return joined(count)
                .hint("put a space between people, each with its prefix: ref:REFERENCE_ID ref:REFERENCE_ID");
        }
        let cause = format!("nobody in this project has {}", self.kind());
        Failure::new(Verdict::NotFound, cause).hint("`assessctl testtakers list --filter TEXT` searches")
    }

    /// The failure of a person this machine enrolled as this entry a short time ago, and the service does not show.
    fn unseen(&self, entry: EntryId) -> Failure {
        let cause = format!(
            "the person with {} was enrolled from here a short time ago as entry {entry}, and the service does not show it yet",
            self.kind()
        );
        Failure::new(Verdict::Unfinished, cause).hint("run the same command again in some minutes")
    }
}

/// How many people a name is that has commas in it, where each of its parts may be one: a reference id may hold a comma.
pub fn joined_people(text: &str) -> Option<usize> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    (parts.len() > 1 && parts.iter().all(|part| may_be_one(part))).then_some(parts.len())
}

fn may_be_one(part: &str) -> bool {
    !part.contains(' ') && part.contains(|c: char| c.is_ascii_digit() || c == '@')
}

/// What is wrong with a name that is probably this many.
pub fn joined(count: usize) -> Failure {
    Failure::usage(format!("nobody has this name, which is {count} with commas between them"))
}

/// Looks all of them up, several at a time, and gives the answers in order. Of many the list is read once, where that takes
/// fewer requests.
pub async fn look_up_all(
    client: &Client,
    project: ProjectId,
    targets: &[Target],
) -> Result<Vec<Vec<Read<TestTaker>>>, Error> {
    let listed = PeopleFromList::read(client, project, targets.iter().map(Target::key)).await?;
    let one = async |target: &Target| match listed.called(&target.key()) {
        Some(found) => Ok(found),
        None => target.look_up(client, project).await,
    };
    stream::iter(targets).map(one).buffered(AT_ONCE).try_collect().await
}

/// Finds the person to change, as [`Target::find`] does; one that this machine enrolled a short time ago may not be shown
/// yet, and is not "not found".
pub async fn find_to_change(context: &ProjectContext<'_>, target: &Target) -> anyhow::Result<Read<TestTaker>> {
    Ok(find_all(context, std::slice::from_ref(target)).await?.remove(0))
}

/// Finds all of them before something is done to them, as [`find_to_change`] does; who cannot be found is told by their
/// place among those who are named. Not all of several are there: that is refused, because "not found" would say that
/// none of them is.
pub async fn find_all(context: &ProjectContext<'_>, targets: &[Target]) -> anyhow::Result<Vec<Read<TestTaker>>> {
    let found = find_all_but(context, targets, |_| Ok(false)).await?;
    Ok(found.into_iter().flatten().collect())
}

/// The same, where `may_be_absent` says of a name that no one needs to have it any more: such a one is `None`.
pub async fn find_all_but(
    context: &ProjectContext<'_>,
    targets: &[Target],
    may_be_absent: impl Fn(&Target) -> Result<bool, Failure>,
) -> anyhow::Result<Vec<Option<Read<TestTaker>>>> {
    let found = look_up_all(&context.client, context.project, targets).await.context(CANNOT)?;
    let is_any_there = found.iter().any(|found| !found.is_empty());
    let mut people = Vec::new();
    for (place, (target, found)) in targets.iter().zip(found).enumerate() {
        if found.is_empty() && may_be_absent(target)? {
            people.push(None);
            continue;
        }
        // A journal that cannot be read knows of no one.
        let fresh = if found.is_empty() { FreshPeople::read(context).ok() } else { None };
        let (by, name) = target.key();
        let unseen = fresh.and_then(|fresh| fresh.called((by, &name))).map(|entry| target.unseen(entry));
        let number = |failure: Failure| match targets.len() {
            1 => failure,
            several => Failure {
                cause: format!("number {} of {several}: {}; nothing was sent", place + 1, failure.cause),
                verdict: match failure.verdict {
                    Verdict::NotFound if is_any_there => Verdict::Refused,
                    verdict => verdict,
                },
                ..failure
            },
        };
        let one = unseen.map_or_else(|| target.one_of(found), Err);
        people.push(Some(one.map_err(number)?));
    }
    Ok(people)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_taker_is_named_with_a_prefix() {
        assert_eq!("id:7".parse().ok(), Some(Target::Id(EntryId(7))));
        assert_eq!("email:a@b".parse().ok(), Some(Target::Email("a@b".into())));
        assert!(matches!("ref:..".parse(), Ok(Target::Reference(_))));
        assert!(matches!("ref:id:7".parse(), Ok(Target::Reference(_))));
    }

    #[test]
    fn names_with_commas_between_them_are_counted() {
        assert_eq!((joined_people("A-1,B-2"), joined_people("1, 2,ann@site.example")), (Some(2), Some(3)));
        for one in ["A-1", "A-1,", "Lee, Ann", "A-1,north", "A-1,Lee 2"] {
            assert_eq!(joined_people(one), None, "{one}");
        }
    }

    #[test]
    fn a_bare_value_is_an_error_with_the_likely_forms() {
        for (text, form) in [
            ("00017", "id:NUMBER"),
            ("zoe@example.com", "email:ADDRESS"),
            ("EMP-00017", "ref:REFERENCE_ID"),
            ("people.CSV", "--file FILE"),
            ("", "ref:REFERENCE_ID"),
            ("id:x", "id:1042"),
            ("ref:", "ref:REFERENCE_ID"),
            ("email:p-0123456789@masked.invalid", "id:ENTRY_ID"),
        ] {
            let failure = text.parse::<Target>().expect_err("no test taker");
            assert!(failure.hint.is_some_and(|hint| hint.contains(form)), "{text:?}: {}", failure.cause);
        }
    }
}
