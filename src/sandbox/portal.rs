//! What the portal and people do, written straight into the state: results, invitations, projects, made-up people.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use rusqlite::{Connection, Row, TransactionBehavior, params};

use super::enrolments::{Newcomer, insert};
use super::state::{PRESENT, fold, micros, now, open};
use crate::model::people::TestTaker;
use crate::model::person::PersonRef;
use crate::model::projects::{ProjectId, ProjectState};
use crate::model::results::{RESULTS, is_finished};
use crate::model::text::{ProjectName, nearest};
use crate::model::time::instant;
use crate::model::verdict::{Failure, Verdict};

/// The words of an identity status (specification, Result); empty when a verification was never attempted.
const IDENTITY_STATUSES: [&str; 5] =
    ["Verified", "VerificationPending", "NotVerified", "VerificationOff", "Compromised"];

/// What changes about a person: the options of `sandbox set`; `None` leaves it. A result that ends an assessment completes
/// it now (without `completed`); any other takes the completion time away. `identityVerified` follows the identity status.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonChanges {
    /// Latest result, such as HighRisk (any word is taken)
    #[arg(long, value_name = "WORD", value_parser = result)]
    pub result: Option<String>,
    /// When the latest test was completed: a time, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub completed: Option<Timestamp>,
    /// When the latest invitation was sent
    #[arg(long = "sent", value_name = "TIME", value_parser = instant)]
    pub last_test_sent: Option<Timestamp>,
    /// Whether the person is a top performer
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub top_performer: Option<bool>,
    /// Status of the latest identity verification, such as NotVerified
    #[arg(long = "identity", value_name = "WORD", value_parser = IDENTITY_STATUSES, hide_possible_values = true)]
    pub identity_status: Option<String>,
}

/// An unlisted result rehearses one that the service may add later; a near miss is a typing error.
fn result(text: &str) -> Result<String, String> {
    let known = RESULTS.iter().find(|word| word.eq_ignore_ascii_case(text)).copied();
    match (known, nearest(text, RESULTS)) {
        (None, Some(near)) => Err(format!("has no such result; did you mean {near}?")),
        (None, None) if text.is_empty() => Err("is empty".to_owned()),
        (known, _) => Ok(known.unwrap_or(text).to_owned()),
    }
}

/// Changes a person of a project, which is named by its name or id. The person must be exactly one.
pub fn set_person(folder: &Path, project: &str, person: &PersonRef, changes: &PersonChanges) -> Result<(), Failure> {
    write(folder, |state| {
        let number = match find_project(state, project)? {
            Ok(number) => number,
            Err(why) => return Ok(Err(why)),
        };
        match find_people(state, number, person)?[..] {
            [entry] => apply(state, entry, changes).map(Ok),
            [] => {
                let cause = format!("there is no such test taker in {project} (sandbox)");
                let failure = Failure::new(Verdict::NotFound, cause);
                Ok(Err(failure.hint("assessctl --profile sandbox testtakers list")))
            }
            ref several => {
                let ids: Vec<String> = several.iter().map(|entry| format!("id:{entry}")).collect();
                Ok(Err(Failure::usage(format!("several test takers match: {}", ids.join(", ")))))
            }
        }
    })
}

/// Changes the state or the name of a project, which is named by its name or id; `None` leaves it.
pub fn set_project(
    folder: &Path,
    project: &str,
    state: Option<ProjectState>,
    name: Option<&ProjectName>,
) -> Result<(), Failure> {
    write(folder, |db| {
        let project = match find_project(db, project)? {
            Ok(project) => project,
            Err(why) => return Ok(Err(why)),
        };
        let (state, name) = (state.map(|state| format!("{state:?}")), name.map(|name| &**name));
        db.execute(
            "UPDATE projects SET state = coalesce(?2, state), name = coalesce(?3, name), folded = coalesce(?4, folded),
                modified = ?5
             WHERE seq = ?1",
            params![project, state, name, name.map(fold), now()],
        )?;
        Ok(Ok(()))
    })
}

/// Enrols made-up people with results in a project. The n-th person of a project is always the same one.
pub fn seed(folder: &Path, project: &str, people: u32) -> Result<(), Failure> {
    write(folder, |state| {
        let project = match find_project(state, project)? {
            Ok(project) => project,
            Err(why) => return Ok(Err(why)),
        };
        let count = "SELECT count(*) FROM people WHERE project = ?1";
        let before: u32 = state.query_row(count, [project], |row| row.get(0))?;
        for number in before.saturating_add(1)..=before.saturating_add(people) {
            let entry = insert(state, project, &made_up(number))?;
            apply(state, entry, &lived_through(number))?;
        }
        Ok(Ok(()))
    })
}

/// Works in one transaction. What refuses has written nothing.
fn write(
    folder: &Path,
    work: impl FnOnce(&Connection) -> rusqlite::Result<Result<(), Failure>>,
) -> Result<(), Failure> {
    let mut state = open(folder)?;
    let done = state.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
        let done = work(&transaction)?;
        transaction.commit().map(|()| done)
    });
    done.unwrap_or_else(|error| {
        Err(Failure::new(Verdict::Unforeseen, format!("cannot use the sandbox's state: {error}")))
    })
}

/// Writes changes of one entry.
pub(super) fn apply(state: &Connection, entry: i64, changes: &PersonChanges) -> rusqlite::Result<()> {
    let PersonChanges { result, top_performer, identity_status, .. } = changes;
    let [given, sent] = [changes.completed, changes.last_test_sent].map(|time| Some(time?.as_microsecond()));
    let completed = result.as_deref().filter(|result| is_finished(result)).map(|_| now());
    let mut update = state.prepare_cached(
        "UPDATE people SET completed = coalesce(?3, CASE WHEN ?2 IS NULL THEN completed ELSE ?4 END),
            result = coalesce(?2, result), sent = coalesce(?5, sent), top_performer = coalesce(?6, top_performer),
            identity = coalesce(?7, identity)
         WHERE entry = ?1",
    )?;
    update.execute(params![entry, result, given, completed, sent, top_performer, identity_status]).map(|_| ())
}

fn no_project(why: &str) -> Failure {
    Failure::usage(why).hint("assessctl --profile sandbox projects list")
}

/// The number of the one project of this id, else of exactly this name, else of this name ignoring case.
fn find_project(state: &Connection, name_or_id: &str) -> rusqlite::Result<Result<i64, Failure>> {
    let id = name_or_id.parse().map(|id: ProjectId| id.to_string()).unwrap_or_default();
    for (column, text) in [("id", id), ("name", name_or_id.to_owned()), ("folded", fold(name_or_id))] {
        let mut select = state.prepare(&format!("SELECT seq FROM projects WHERE {column} = ?1"))?;
        let found: Vec<i64> = select.query_map([text], |row| row.get(0))?.collect::<Result<_, _>>()?;
        match found[..] {
            [] => {}
            [project] => return Ok(Ok(project)),
            _ => return Ok(Err(no_project("several projects of the sandbox have this name"))),
        }
    }
    Ok(Err(no_project("no project of the sandbox has this name")))
}

/// The entries of the people who are meant.
fn find_people(state: &Connection, project: i64, person: &PersonRef) -> rusqlite::Result<Vec<i64>> {
    let mut select =
        state.prepare("SELECT entry, reference_id, email FROM people WHERE project = ?1 AND until > ?2")?;
    let record = |row: &Row<'_>| {
        let (id, reference_id, email) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(TestTaker { id, email, reference_id, ..TestTaker::default() })
    };
    let mut people: Vec<TestTaker> = select.query_map([project, PRESENT], record)?.collect::<Result<_, _>>()?;
    people.retain(|one| person.fits(one));
    Ok(people.into_iter().filter_map(|one| one.id.map(i64::from)).collect())
}

/// Words of which seeded people have one each, in turn; a hyphen is no result.
const FIRST_NAMES: &str = "Amara Björn Chloé Dmitri Elif Femi Grace Hana Ivan José Keiko Luca";
const LAST_NAMES: &str = "Adeyemi Bauer Castillo Dubois Eriksen Fischer García Haddad Ito Jansen O'Brien";
const SEEDED_RESULTS: &str = "Completed Completed Completed HighRisk Completed - Completed Fatigued NotStarted Completed \
                              InProgress Completed Confirming Completed CouldNotCompleteTimedOut Escalated";

fn nth_of(words: &'static str, number: u32) -> Option<&'static str> {
    words.split(' ').nth(number as usize % words.split(' ').count())
}

fn made_up(number: u32) -> Newcomer {
    let name = |names| nth_of(names, number)?.parse().ok();
    Newcomer {
        email: format!("person{number}@example.com"),
        first_name: name(FIRST_NAMES),
        last_name: name(LAST_NAMES),
        birth_year: i32::try_from(1960 + number % 45).ok(),
        // Not everybody has a staff number.
        reference_id: format!("EMP-{number:05}").parse().ok().filter(|_| !number.is_multiple_of(10)),
    }
}

fn lived_through(number: u32) -> PersonChanges {
    let Some(result) = nth_of(SEEDED_RESULTS, number).filter(|result| *result != "-") else {
        return PersonChanges::default();
    };
    let ago = |minutes: u32| {
        let length = micros(Duration::from_mins(minutes.into()));
        Timestamp::from_microsecond(now().saturating_sub(length)).ok()
    };
    let minutes = 17 * (number % 600);
    PersonChanges {
        result: Some(result.to_owned()),
        completed: ago(minutes).filter(|_| is_finished(result)),
        last_test_sent: ago(minutes + 60),
        top_performer: Some(number.is_multiple_of(9)),
        identity_status: IDENTITY_STATUSES.get(number as usize % 7).map(|&word| word.to_owned()),
    }
}
