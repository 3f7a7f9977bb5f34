//! What lists have in common: order, pages, and the filters of test takers and results (specification, Paging).

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::field_rules::{Filter, REFERENCE_ID_MAX, ReferenceId, TextError, at_most, bounded};

/// Largest page, and the service's default (specification, Limits).
pub const PAGE_SIZE_MAX: u32 = 100;

/// Sort direction. The specification contradicts itself on the default, so a direction is always sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[value(rename_all = "verbatim")]
pub enum Order {
    /// Ascending.
    Asc,
    /// Descending.
    Desc,
}

/// The filters that the test taker list and the results list share; `None` omits the parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleFilters {
    /// Substring of reference id, full name or e-mail.
    pub filter: Option<Filter>,
    /// Only people who completed.
    pub completed_only: Option<bool>,
    /// Only people with, or without, a reference id.
    pub has_reference_id: Option<bool>,
    /// Exact match; the test taker list alone has it.
    pub reference_id: Option<ReferenceLookup>,
    /// Only people with, or without, an invitation.
    pub has_last_test_sent: Option<bool>,
    /// Inclusive lower bound of the latest invitation.
    pub last_test_sent_from: Option<jiff::Timestamp>,
    /// Inclusive upper bound of the latest invitation.
    pub last_test_sent_to: Option<jiff::Timestamp>,
}

/// A reference id to look for: 1 to 500 characters, whatever they are. The service may hold what today's rules refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceLookup(String);

fn check_reference_lookup(text: &str) -> Result<(), TextError> {
    if text.is_empty() { Err(TextError::Empty) } else { at_most(text, REFERENCE_ID_MAX) }
}

bounded!(ReferenceLookup by check_reference_lookup);

impl From<&ReferenceId> for ReferenceLookup {
    fn from(id: &ReferenceId) -> Self {
        Self(id.as_str().to_owned())
    }
}
