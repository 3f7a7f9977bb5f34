//! Records of test takers, and the list that the test taker and results operations share: filters, orders, pages.

use std::time::Duration;

use clap::ValueEnum;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde::Serialize;

use super::orderings::Orderings;
use super::pages::{direction, page_of, window};
use super::request::{Call, Page, Query};
use super::response::{OperationResult, Refusal, ServiceReply};
use super::service::RunningService;
use super::state::{fold, from_word, iso, now};
use crate::model::field_rules::{FILTER_MAX, REFERENCE_ID_MAX};
use crate::model::list_query::Order;
use crate::model::projects::ProjectId;
use crate::model::results::LegacyOrderBy;
use crate::model::test_status::TestStatus;
use crate::model::testtakers::{TestTaker, TestTakerOrderBy};

/// The columns of a record, in the order in which `Person::read` takes them.
const COLUMNS: &str = "entry, email, reference_id, first_name, last_name, full_name, birth_year, result, completed, \
                       sent, top_performer, identity_status";

/// How grave a result is, the gravest highest. The service's ranking is not shown; this is our reading, and the sort
/// orders Priority, Performance and Risk follow it.
pub(super) fn severity(result: Option<&TestStatus>) -> i64 {
    match result {
        Some(TestStatus::Emergency) => 9,
        Some(TestStatus::Escalated) => 8,
        Some(TestStatus::HighRisk) => 7,
        Some(TestStatus::Fatigued | TestStatus::Distressed | TestStatus::ReasonableCause) => 6,
        Some(TestStatus::Confirming) => 5,
        Some(TestStatus::Incomplete | TestStatus::Unlisted(_)) => 4,
        Some(
            TestStatus::CouldNotCompleteConnectionIssues
            | TestStatus::CouldNotCompleteNpServerIssues
            | TestStatus::CouldNotCompleteTimedOut
            | TestStatus::CouldNotCompleteUnsupportedDevice,
        ) => 3,
        Some(TestStatus::Started | TestStatus::InProgress) => 2,
        Some(TestStatus::NotStarted) => 1,
        Some(TestStatus::Completed) | None => 0,
    }
}

/// Whether a result means that the assessment came to its end, so that it has a completion time (our reading).
pub(super) fn is_complete(result: &TestStatus) -> bool {
    matches!(
        result,
        TestStatus::Completed
            | TestStatus::HighRisk
            | TestStatus::Fatigued
            | TestStatus::Distressed
            | TestStatus::ReasonableCause
            | TestStatus::Escalated
            | TestStatus::Emergency
    )
}

/// First and last name combined; an empty string where there is neither (specification, Result).
pub(super) fn full_name(first: Option<&str>, last: Option<&str>) -> String {
    [first, last].into_iter().flatten().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A test taker as the state has them.
#[derive(Debug)]
pub(super) struct Person {
    /// The record of the lists.
    pub(super) record: TestTaker,
    /// Status of the latest identity verification; empty when there was none.
    pub(super) identity_status: String,
}

impl Person {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let record = TestTaker {
            id: row.get(0)?,
            email: row.get(1)?,
            reference_id: row.get(2)?,
            first_name: row.get(3)?,
            last_name: row.get(4)?,
            full_name: row.get(5)?,
            year_of_birth: row.get(6)?,
            result: row.get::<_, Option<String>>(7)?.and_then(from_word),
            date_completed: row.get::<_, Option<i64>>(8)?.map(iso),
            last_test_sent_utc: row.get::<_, Option<i64>>(9)?.map(iso),
            top_performer: row.get(10)?,
        };
        Ok(Self { record, identity_status: row.get(11)? })
    }
}

/// The internal number of a project, which must exist.
pub(super) fn project_seq(connection: &Connection, id: ProjectId) -> Result<i64, Refusal> {
    let mut select = connection.prepare_cached("SELECT seq FROM projects WHERE id = ?1")?;
    let seq = select.query_row([id.to_string()], |row| row.get(0)).optional()?;
    seq.ok_or_else(|| Refusal::not_found("project"))
}

/// One enrolled test taker; removed ones are not found.
pub(super) fn one(connection: &Connection, project: i64, entry: i32) -> Result<Person, Refusal> {
    let sql = format!("SELECT {COLUMNS} FROM test_takers WHERE project = ?1 AND entry = ?2 AND removed = 0");
    let mut select = connection.prepare_cached(&sql)?;
    let person = select.query_row((project, entry), Person::read).optional()?;
    person.ok_or_else(|| Refusal::not_found("test taker in this project"))
}

/// The test taker with the latest result among those that share a reference id: the latest completion first, those
/// without one last, then the latest enrolment (our reading).
pub(super) fn latest(connection: &Connection, project: i64, reference_id: &str) -> Result<Person, Refusal> {
    let sql = format!(
        "SELECT {COLUMNS} FROM test_takers WHERE project = ?1 AND reference_id = ?2 AND removed = 0
         ORDER BY completed DESC NULLS LAST, entry DESC LIMIT 1"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let person = select.query_row((project, reference_id), Person::read).optional()?;
    person.ok_or_else(|| Refusal::not_found("result"))
}

/// One page of a project's people. `exact`: the query may ask for a reference id, equal byte for byte (our reading). Without
/// `orderBy` and `order` the list stands in the order of `by_default`.
pub(super) fn people_page<K: ValueEnum + Into<SortKey>, R: Serialize>(
    service: &RunningService,
    call: &Call,
    exact: bool,
    by_default: (K, Order),
    shape: fn(TestTaker) -> R,
) -> OperationResult {
    let state = service.state();
    let query = &call.query;
    let mut selection = PeopleSelection::read(project_seq(&state, call.project()?)?, query)?;
    if exact && let Some(id) = query.bounded("referenceId", REFERENCE_ID_MAX)? {
        selection.and("reference_id = ?", [id.to_owned()]);
    }
    let selection = selection.behind_by(call.faults.lag);
    let key = query.word("orderBy")?.unwrap_or(by_default.0).into();
    let order = query.word("order")?.unwrap_or(by_default.1);
    let sort = Sort { key, order, shuffle: call.faults.unordered };
    let people = page_of(call, |page| Ok(selection.page(&state, sort, page, &service.orderings)?))?;
    Ok(ServiceReply::ok(&people.into_iter().map(|person| shape(person.record)).collect::<Vec<_>>()))
}

/// What a list is sorted by, with the specification's words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SortKey {
    /// Priority and Risk: how grave the latest result is.
    Severity,
    /// The better, the higher: top performers, then by falling severity.
    Performance,
    /// Ignoring case.
    FullName,
    /// Never invited comes first.
    LastTestSent,
}

impl From<TestTakerOrderBy> for SortKey {
    fn from(order_by: TestTakerOrderBy) -> Self {
        match order_by {
            TestTakerOrderBy::Priority => Self::Severity,
            TestTakerOrderBy::Performance => Self::Performance,
            TestTakerOrderBy::FullName => Self::FullName,
            TestTakerOrderBy::LastTestSent => Self::LastTestSent,
        }
    }
}

impl From<LegacyOrderBy> for SortKey {
    fn from(order_by: LegacyOrderBy) -> Self {
        match order_by {
            LegacyOrderBy::Risk => Self::Severity,
            LegacyOrderBy::Performance => Self::Performance,
            LegacyOrderBy::FullName => Self::FullName,
        }
    }
}

/// In which order a list stands.
#[derive(Clone, Copy, Debug)]
struct Sort {
    key: SortKey,
    order: Order,
    /// With which seed equal keys are put into another order than that of enrolment (a rehearsed fault).
    shuffle: Option<u64>,
}

impl Sort {
    /// As SQL. Equal keys stand in the order of enrolment, whatever the direction (our reading).
    fn sql(self) -> String {
        let key = match self.key {
            SortKey::Severity => "severity",
            SortKey::Performance => "top_performer * 100 - severity",
            SortKey::FullName => "full_name_folded",
            SortKey::LastTestSent => "sent",
        };
        let direction = direction(self.order);
        match self.shuffle {
            None => format!("{key} {direction}, entry"),
            // Another multiplier each time is enough of a shuffle.
            Some(seed) => format!("{key} {direction}, entry * {} % 1000003", 1 + seed % 1_000_002),
        }
    }
}

/// Which test takers a list shows.
#[derive(Debug)]
struct PeopleSelection {
    project: i64,
    conditions: String,
    values: Vec<Value>,
    /// Whether the list is that of an earlier time.
    lags: bool,
}

impl PeopleSelection {
    /// Reads the filters that both lists have.
    fn read(project: i64, query: &Query) -> Result<Self, Refusal> {
        let conditions = "project = ? AND removed = 0".to_owned();
        let mut selection = Self { project, conditions, values: vec![project.into()], lags: false };
        if let Some(text) = query.bounded("filter", FILTER_MAX)? {
            let part = "(instr(full_name_folded, ?) OR instr(email_folded, ?) OR instr(reference_folded, ?))";
            selection.and(part, [fold(text), fold(text), fold(text)]);
        }
        if query.flag("completedOnly")? == Some(true) {
            selection.and::<Value>("completed IS NOT NULL", []);
        }
        for (name, column) in [("hasReferenceId", "reference_id"), ("hasLastTestSent", "sent")] {
            if let Some(has) = query.nullable_flag(name)? {
                let is = if has { "IS NOT NULL" } else { "IS NULL" };
                selection.and::<Value>(&format!("{column} {is}"), []);
            }
        }
        if let Some(from) = query.time("lastTestSentFromUtc")? {
            // Rounded up: an invitation a nanosecond before the bound is before it.
            let microseconds = (from.as_nanosecond() + 999).div_euclid(1000);
            selection.and("sent >= ?", [i64::try_from(microseconds).unwrap_or(i64::MAX)]);
        }
        if let Some(to) = query.time("lastTestSentToUtc")? {
            let microseconds = to.as_nanosecond().div_euclid(1000);
            selection.and("sent <= ?", [i64::try_from(microseconds).unwrap_or(i64::MAX)]);
        }
        Ok(selection)
    }

    /// Shows the people that were on the list `age` ago, as a list does that is read from a copy.
    fn behind_by(mut self, age: Duration) -> Self {
        if !age.is_zero() {
            let age = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
            let then = now().saturating_sub(age);
            self.conditions = self.conditions.replacen("removed = 0", "(removed = 0 OR removed_at > ?)", 1);
            self.values.insert(1, then.into());
            self.and("created <= ?", [then]);
            self.lags = true;
        }
        self
    }

    fn and<T: Into<Value>>(&mut self, condition: &str, values: impl IntoIterator<Item = T>) {
        self.conditions.push_str(" AND ");
        self.conditions.push_str(condition);
        self.values.extend(values.into_iter().map(Into::into));
    }

    /// One page. Early ones, and those of a list that is spoilt, are found by an index, where there is one, before any
    /// record is read; later ones in the order that `orderings` remembers, one look-up for each record.
    fn page(
        &self,
        connection: &Connection,
        sort: Sort,
        page: Page,
        orderings: &Orderings,
    ) -> rusqlite::Result<Vec<Person>> {
        let (limit, offset) = window(page);
        let chosen = format!("SELECT entry FROM test_takers WHERE {} ORDER BY {}", self.conditions, sort.sql());
        if offset > 0 && !self.lags && sort.shuffle.is_none() {
            let entries = orderings.entries(connection, &chosen, &self.values)?;
            let sql = format!("SELECT {COLUMNS} FROM test_takers WHERE project = ?1 AND entry = ?2");
            let mut select = connection.prepare_cached(&sql)?;
            let wanted = entries.iter().skip(usize::try_from(offset).unwrap_or(usize::MAX)).take(page.size as usize);
            return wanted.map(|entry| select.query_row((self.project, entry), Person::read)).collect();
        }
        let sql = format!(
            "SELECT {COLUMNS} FROM test_takers JOIN ({chosen} LIMIT ? OFFSET ?) AS chosen USING (entry)
             WHERE project = ? ORDER BY {}",
            sort.sql(),
        );
        let mut values = self.values.clone();
        values.extend([limit.into(), offset.into(), self.project.into()]);
        let mut select = connection.prepare_cached(&sql)?;
        let people = select.query_map(params_from_iter(values), Person::read)?;
        people.collect()
    }
}
