//! The filters that the lists of test takers and of results share.

use clap::{Args, ValueEnum as _};
use jiff::Timestamp;

use crate::commands::shared::list_args::NoneMatches;
use crate::commands::shared::session::Session;
use crate::model::did_you_mean::folded;
use crate::model::failure::Failure;
use crate::model::field_rules::{Filter, TextError};
use crate::model::list_query::PeopleFilters;
use crate::model::projects::ProjectState;
use crate::model::test_status::TestStatus;
use crate::model::time::{TimeError, parse_time};

/// Reads a time of a flag against this machine's clock.
pub fn time(text: &str) -> Result<Timestamp, TimeError> {
    parse_time(text, Timestamp::now())
}

/// Which people a list shows. The service filters.
#[derive(Debug, Args)]
pub struct PeopleArgs {
    /// Only people with this text in their reference id, full name or e-mail (at most 500 characters)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = people_text)]
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
    /// What is said of a list without people, where one of these options or, as `is_chosen` says, another one of the command
    /// chooses; of a search what it looks at. `more` is what else chooses people here.
    pub fn none_matches(&self, session: &Session, is_chosen: bool, more: &str) -> Option<NoneMatches> {
        let nobody = format!("nobody{}", session.place());
        if let Some(filter) = &self.filter {
            let has_star = filter.as_str().contains('*');
            let searched =
                if has_star { "parts of reference id, full name and e-mail, and * as it stands" } else { SEARCHED };
            return Some(none_found(&nobody, searched, more));
        }
        let is_chosen = is_chosen
            || self.completed_only
            || [self.has_reference_id, self.has_last_test_sent].iter().any(Option::is_some)
            || [self.last_test_sent_from, self.last_test_sent_to].iter().any(Option::is_some);
        is_chosen.then(|| NoneMatches { said: format!("{nobody} matches"), is_explained: false })
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

const SEARCHED: &str = "reference id, full name and e-mail";

/// Whether a word is one of a list with spaces in between, in any case.
fn is_word_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether a word says that an assessment was done, whatever came of it.
pub fn is_done(word: &str) -> bool {
    is_word_of("completed complete done finished tested taken closed", word)
}

/// How people are chosen by a word for their result. Flagged people have completed as well.
pub fn by_result(word: &str) -> String {
    const OPEN: &str = "pending open incomplete not-completed outstanding untested overdue missing";
    const FLAGGED: &str = "flagged unfit failed fail at-risk risk true";
    let plain: String = folded(word).collect();
    let listed = if plain == "high" { "HighRisk" } else { &plain };
    let (option, what) = match TestStatus::listed(listed) {
        _ if is_done(word) => {
            return "`assessctl testtakers list --completed-only` shows who completed, `assessctl results list --completed-only` with their results; --result Completed leaves out who is flagged".to_owned();
        }
        _ if is_word_of(OPEN, word) => ("--not-completed", "shows who has no result yet"),
        _ if is_word_of(FLAGGED, &word.replace(' ', "-")) => ("--flagged", "shows who needs attention"),
        _ if is_word_of("fit passed pass ok clear", word) => {
            ("--result Completed", "shows who completed and is not flagged")
        }
        Some(status) => (&*format!("--result {}", status.word()), "chooses by result"),
        None => ("--result RESULT", "chooses by result, --not-completed who is not done"),
    };
    format!("`assessctl results list {option}` {what}")
}

/// What is said of a search that found nothing: who did not match, which fields are searched, and what else chooses.
pub fn none_found(none: &str, searched: &str, more: &str) -> NoneMatches {
    NoneMatches { said: format!("{none} matches: --filter searches {searched}{more}"), is_explained: true }
}

/// Reads a text to search people by. A condition on a field would be searched for as it stands, and find no person.
pub fn people_text(text: &str) -> Result<Filter, Failure> {
    condition(text).map_or_else(|| parsed(text), |condition| Err(Failure::usage(CONDITION).hint(condition.hint())))
}

/// The same for projects.
pub fn project_text(text: &str) -> Result<Filter, Failure> {
    let Some(Condition { field, value, .. }) = condition(text) else { return parsed(text) };
    let state = ProjectState::from_str(value, true).ok().and_then(|state| state.to_possible_value());
    let refusal = Failure::usage(CONDITION);
    Err(match state.filter(|_| is_word_of("state status", field)) {
        Some(state) => {
            let option = format!("--state {}", state.get_name());
            refusal.hint(format!("did you mean `{option}`?")).meant(option)
        }
        None => {
            refusal.hint("leave the name of the field out: `--filter TEXT` searches the name; --state chooses by state")
        }
    })
}

/// What is wrong with a condition.
const CONDITION: &str = "a text is searched for, and no condition on a field is taken";

fn parsed(text: &str) -> Result<Filter, Failure> {
    text.parse().map_err(|error: TextError| Failure::usage(error.to_string()))
}

/// A text that is written as a condition on a field, such as `email=ann@example.com` or `status eq 'completed'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition<'t> {
    pub field: &'t str,
    pub value: &'t str,
    pub is_not: bool,
}

impl Condition<'_> {
    /// How people are chosen by it here.
    pub fn hint(&self) -> String {
        let is_no = self.is_not != is_word_of("false no 0 null", self.value);
        match self.field {
            field if is_named("status result results flagged risk riskLevel level", field) => match self.is_not {
                true if is_done(self.value) => by_result("pending"),
                true => by_result(""),
                false => by_result(self.value),
            },
            field if is_named("completed complete done finished", field) => by_result(if is_no { "pending" } else { "completed" }),
            field if is_named("fit fitForDuty passed ok", field) => by_result(if is_no { "flagged" } else { "completed" }),
            field if is_named("dateCompleted completedAt completedOn completionDate", field) => {
                "`assessctl results list --completed-since TIME` shows who completed since".to_owned()
            }
            _ if self.value.contains('*') => {
                "leave the name of the field and each * out: `--filter TEXT` finds a part of reference id, full name or e-mail"
                    .to_owned()
            }
            _ => "leave the name of the field out: `--filter TEXT` searches reference id, full name and e-mail".to_owned(),
        }
    }
}

/// Whether a field has one of these names, in any way to write several words as one.
fn is_named(names: &str, field: &str) -> bool {
    is_word_of(names, &folded(field).collect::<String>())
}

/// Fields that are asked for in conditions: with any sign, as no person is called so.
const FIELDS: &str = "email mail ref referenceId name firstName lastName fullName state status result id risk riskLevel \
    flagged completed dateCompleted completedAt fitForDuty userName displayName department";

/// The condition that a text is: any word with a sign of equality, which no reference id and hardly a name has, the fields
/// there are with other signs and with words for them, and anything that is compared with a text in quotes.
pub fn condition(text: &str) -> Option<Condition<'_>> {
    let text = text.trim();
    by_function(text).or_else(|| by_word(text)).or_else(|| by_sign(text))
}

fn by_sign(text: &str) -> Option<Condition<'_>> {
    let (field, value) = text.split_once(['=', ':', '~', '<', '>'])?;
    let is_not = field.ends_with('!') || value.starts_with('>');
    let field = field.trim().trim_start_matches('.').trim_end_matches('!').trim();
    let is_known = is_named(FIELDS, field);
    let is_word = field.len() > 1 && field.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let value = unquoted(value.trim_start_matches(['=', '>']));
    let is_meant = is_known || is_word && text.contains('=') && !value.contains('@');
    is_meant.then_some(Condition { field, value, is_not })
}

/// `field eq 'value'`, as directories and services write it. The words may be a part of a name, too: Le, Co, Like.
fn by_word(text: &str) -> Option<Condition<'_>> {
    const WORDS: &str = "eq ne gt ge lt le co sw ew -eq -ne -like like contains is in startswith equals";
    let (field, rest) = text.split_once(' ')?;
    let (word, value) = rest.trim_start().split_once(' ')?;
    let is_quoted = value.trim().starts_with(['\'', '"', '(']);
    let field = field.trim_start_matches('.');
    let is_meant = is_word_of(WORDS, word) && (is_quoted || is_named(FIELDS, field) || is_word_of("eq", word));
    let is_not = is_word_of("ne -ne", word);
    is_meant.then(|| Condition { field, value: unquoted(value), is_not })
}

/// `contains(field, 'value')`.
fn by_function(text: &str) -> Option<Condition<'_>> {
    const FUNCTIONS: &str = "contains startswith endswith starts_with ends_with like equals matches";
    let (function, rest) = text.strip_suffix(')')?.split_once('(')?;
    let (field, value) = rest.split_once(',')?;
    is_word_of(FUNCTIONS, function).then(|| Condition { field: field.trim(), value: unquoted(value), is_not: false })
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\'', '`'])
}

#[cfg(test)]
mod tests {
    use super::{condition, people_text, project_text};

    #[test]
    fn a_condition_is_told_from_a_text() {
        for condition in ["email=ann@example.com", "email:ann@example.com", "REF:A-1", "name ~ ann", "department=Pit"] {
            assert!(super::condition(condition).is_some(), "{condition}");
        }
        for text in ["ann", "ann@example.com", "b=c@example.com", "bounce=c@example.com", "email", "A:1", "Lee: Ann"] {
            assert_eq!(condition(text), None, "{text}");
        }
        for condition in [
            "risk eq 'High'",
            "email EQ ann@example.com",
            "lastName like Lee",
            "department eq Pit",
            "site co \"North\"",
            "contains(email, 'ann')",
            "dateCompleted>2026-01-01",
            "result <> 'HighRisk'",
        ] {
            assert!(super::condition(condition).is_some(), "{condition}");
        }
        for text in ["Anna Le Roux", "Xu Ge Li", "Ne Win", "Marks & Co", "Lee is here", "a<b", "Lee (Ann, Pit)"] {
            assert_eq!(condition(text), None, "{text}");
        }
        let read = condition(".result == \"HighRisk\"").expect("a condition");
        assert_eq!((read.field, read.value, read.is_not), ("result", "HighRisk", false));
    }

    #[test]
    fn what_a_condition_is_about_has_an_option_of_its_own() {
        let hint = |text| people_text(text).expect_err("a condition").hint.expect("a hint");
        assert!(hint("status=highrisk").starts_with("`assessctl results list --result HighRisk`"));
        assert!(hint("result!=x").starts_with("`assessctl results list --result RESULT`"));
        assert!(hint("risk eq 'High'").starts_with("`assessctl results list --result HighRisk`"));
        assert!(hint("status ne 'completed'").starts_with("`assessctl results list --not-completed`"));
        assert!(hint("completed eq false").starts_with("`assessctl results list --not-completed`"));
        assert!(hint("fit_for_duty=no").starts_with("`assessctl results list --flagged`"));
        assert!(hint("dateCompleted ge 2026-01-01").starts_with("`assessctl results list --completed-since TIME`"));
        assert!(hint("email=ann").starts_with("leave the name of the field out"));
        let hint = |text| project_text(text).expect_err("a condition").hint.expect("a hint");
        assert_eq!(hint("state=active"), "did you mean `--state Active`?");
        assert!(hint("name=Demo").starts_with("leave the name of the field out"));
    }
}
