//! Test takers: the people enrolled in a project (specification, Test taker creation record, Result).

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::field_rules::{BirthYear, Email, PersonName, ReferenceId};
use super::test_status::TestStatus;
use super::time::none_if_blank;

/// The project-entry identifier: the int32 in the paths of update, delete and test-link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryId(pub i32);

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for EntryId {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

/// A test taker as lists and PATCH answer it. Fields other than `id` may be absent in what we read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestTaker {
    /// Numeric identifier within the project.
    pub id: i32,
    /// E-mail address.
    pub email: Option<String>,
    /// The caller's identifier.
    pub reference_id: Option<String>,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// First and last name combined; empty if no name is on file.
    pub full_name: Option<String>,
    pub year_of_birth: Option<i32>,
    /// Latest assessment status; `None` if no test was started.
    pub result: Option<TestStatus>,
    /// When the latest assessment was completed, as the service wrote it (UTC).
    #[serde(default, deserialize_with = "none_if_blank")]
    pub date_completed: Option<String>,
    /// When the latest invitation was sent, as the service wrote it (UTC).
    #[serde(default, deserialize_with = "none_if_blank")]
    pub last_test_sent_utc: Option<String>,
    /// A derived flag, not a score. PATCH answers do not carry it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_performer: Option<bool>,
}

impl TestTaker {
    /// The entry id of a read record. That `id` here is the number which POST answers as `projectEntryId` is our
    /// reading: the specification calls it "numeric identifier of the test taker within the project". An import
    /// checks it on its first own row and stops if it is wrong.
    pub fn entry_id(&self) -> EntryId {
        EntryId(self.id)
    }
}

/// The fields of a record that identify its person. A list has millions of records: read as one of these, a record's texts
/// are not copied.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedPerson<'a> {
    id: i32,
    #[serde(borrow)]
    email: Option<LentText<'a>>,
    #[serde(borrow)]
    reference_id: Option<LentText<'a>>,
    #[serde(borrow)]
    first_name: Option<LentText<'a>>,
    #[serde(borrow)]
    last_name: Option<LentText<'a>>,
    /// As [`TestTaker`] has it.
    pub year_of_birth: Option<i32>,
}

/// A text that is copied only where it has escapes. (serde borrows no `Cow` within an `Option`.)
#[derive(Debug, Deserialize)]
struct LentText<'a>(#[serde(borrow)] Cow<'a, str>);

impl ListedPerson<'_> {
    /// As [`TestTaker::entry_id`].
    pub fn entry_id(&self) -> EntryId {
        EntryId(self.id)
    }

    pub fn email(&self) -> Option<&str> {
        text(self.email.as_ref())
    }

    pub fn reference_id(&self) -> Option<&str> {
        text(self.reference_id.as_ref())
    }

    pub fn first_name(&self) -> Option<&str> {
        text(self.first_name.as_ref())
    }

    pub fn last_name(&self) -> Option<&str> {
        text(self.last_name.as_ref())
    }
}

fn text<'t>(lent: Option<&'t LentText<'_>>) -> Option<&'t str> {
    lent.map(|text| &*text.0)
}

impl<'a> From<&'a TestTaker> for ListedPerson<'a> {
    fn from(record: &'a TestTaker) -> Self {
        Self {
            id: record.id,
            email: lent(record.email.as_ref()),
            reference_id: lent(record.reference_id.as_ref()),
            first_name: lent(record.first_name.as_ref()),
            last_name: lent(record.last_name.as_ref()),
            year_of_birth: record.year_of_birth,
        }
    }
}

fn lent(text: Option<&String>) -> Option<LentText<'_>> {
    text.map(|text| LentText(Cow::Borrowed(text)))
}

/// What POST testtakers answers (201).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Enrolment {
    /// Globally unique identifier of the created test taker; we print it as `enrolmentId`.
    pub id: uuid::Uuid,
    /// The number by which update, delete and test-link name the test taker.
    pub project_entry_id: EntryId,
    /// E-mail address, echoed.
    pub email: Option<String>,
    /// First name, echoed.
    pub first_name: Option<String>,
    /// Last name, echoed.
    pub last_name: Option<String>,
    /// Year of birth, echoed.
    pub birth_year: Option<i32>,
    /// Reference id, echoed; `None` when none was set.
    pub reference_id: Option<String>,
}

/// Body of POST testtakers: one person to enrol. Absent values are omitted from the body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewTestTaker {
    /// Required.
    pub email: Email,
    /// At most 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_name: Option<PersonName>,
    /// At most 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_name: Option<PersonName>,
    /// Any int32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birth_year: Option<BirthYear>,
    /// 1 to 500 characters of the specification's pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_id: Option<ReferenceId>,
}

/// What an update does to one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// The field is left out of the body. What that does is not shown.
    #[default]
    Leave,
    /// The field is sent as `null`.
    Clear,
    /// The field is sent with this value.
    Set(T),
}

impl<T> Change<T> {
    /// Whether the field is left out of the body.
    pub fn is_leave(&self) -> bool {
        matches!(self, Self::Leave)
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leave | Self::Clear => serializer.serialize_none(),
            Self::Set(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<T>::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

/// Body of PATCH testtakers. What omitted fields do is not shown, so each is sent with its wanted value. The body's own
/// `id` is never sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestTakerUpdate {
    /// At most 500 characters of the specification's pattern.
    #[serde(default, skip_serializing_if = "Change::is_leave")]
    pub reference_id: Change<ReferenceId>,
    /// At most 100 characters.
    #[serde(default, skip_serializing_if = "Change::is_leave")]
    pub first_name: Change<PersonName>,
    /// At most 100 characters.
    #[serde(default, skip_serializing_if = "Change::is_leave")]
    pub last_name: Change<PersonName>,
}

/// Sort field of the test taker and results lists; the service's default is `Priority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum TestTakerOrderBy {
    /// The service's own ranking; it moves while people take tests.
    Priority,
    /// By performance.
    Performance,
    /// By full name.
    FullName,
    /// By the time of the latest invitation.
    LastTestSent,
}
