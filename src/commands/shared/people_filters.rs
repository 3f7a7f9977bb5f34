//! The filters that the lists of test takers and of results share.

use clap::Args;
use jiff::Timestamp;

use crate::commands::shared::session::Session;
use crate::model::failure::Failure;
use crate::model::field_rules::Filter;
use crate::model::list_query::PeopleFilters;
use crate::model::time::{TimeError, parse_time};

/// Reads a time of a flag against this machine's clock.
pub fn time(text: &str) -> Result<Timestamp, TimeError> {
    parse_time(text, Timestamp::now())
}

/// Which people a list shows. The service filters.
#[derive(Debug, Args)]
pub struct PeopleArgs {
    /// Only people with this text in their reference id, full name or e-mail (at most 500 characters)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Only people who completed an assessment
    #[arg(long)]
    completed_only: bool,
    /// Only people who have a reference id, or who have none
    #[arg(long, value_name = "true|false")]
    has_reference_id: Option<bool>,
    /// Only people to whom an invitation was sent, or was never sent
    #[arg(long, value_name = "true|false")]
    has_last_test_sent: Option<bool>,
    /// Only people whose latest invitation was sent at this time or later: 2026-03-01T06:00:00Z, an offset, or an age
    /// such as 24h
    #[arg(long, value_name = "TIME", value_parser = time)]
    last_test_sent_from: Option<Timestamp>,
    /// Only people whose latest invitation was sent at this time or earlier
    #[arg(long, value_name = "TIME", value_parser = time)]
    last_test_sent_to: Option<Timestamp>,
}

impl PeopleArgs {
    /// Says what a search looks at that found no person; `more` is what else chooses people here.
    pub fn say_none_matches(&self, session: &Session, more: &str) {
        let Some(filter) = &self.filter else { return };
        say_none_matches(session, filter, ("nobody", "reference id, full name and e-mail"), more);
    }

    /// The filters as the service takes them; an error where no time can lie between the two that are given.
    pub fn filters(&self) -> Result<PeopleFilters, Failure> {
        if let (Some(from), Some(to)) = (self.last_test_sent_from, self.last_test_sent_to)
            && from > to
        {
            let cause = format!("--last-test-sent-from {from} is later than --last-test-sent-to {to}");
            return Err(Failure::usage(cause).hint("an age counts back from now: 7d is earlier than 24h"));
        }
        Ok(PeopleFilters {
            filter: self.filter.clone(),
            completed_only: self.completed_only.then_some(true),
            has_reference_id: self.has_reference_id,
            reference_id: None,
            has_last_test_sent: self.has_last_test_sent,
            last_test_sent_from: self.last_test_sent_from,
            last_test_sent_to: self.last_test_sent_to,
        })
    }
}

/// Says what a search looks at that found nothing: who did not match, which fields are searched, and what else chooses.
pub fn say_none_matches(session: &Session, filter: &Filter, (none, searched): (&str, &str), more: &str) {
    let is_condition = begins_with_a_field(filter.as_str());
    let more = if is_condition { ": leave the name of the field out of the text" } else { more };
    session.console.note(&format!("{none} matches: --filter searches {searched}{more}"));
}

/// Whether a text is written as a condition on a field, such as `email=ann@example.com`.
fn begins_with_a_field(text: &str) -> bool {
    const FIELDS: [&str; 9] =
        ["email", "ref", "referenceId", "name", "firstName", "lastName", "fullName", "state", "id"];
    let condition = text.split_once(['=', ':', '~']);
    condition.is_some_and(|(name, _)| FIELDS.iter().any(|known| name.trim().eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::begins_with_a_field;

    #[test]
    fn a_condition_is_told_from_a_text() {
        for condition in ["email=ann@example.com", "email:ann@example.com", "REF:A-1", "name ~ ann"] {
            assert!(begins_with_a_field(condition), "{condition}");
        }
        for text in ["ann", "ann@example.com", "b=c@example.com", "email", "A:1", "result=HighRisk"] {
            assert!(!begins_with_a_field(text), "{text}");
        }
    }
}
