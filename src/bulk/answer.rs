//! What an answer means for an enrolment: the evidence, as the plan needs it.

use std::time::Duration;

use crate::api::{Class, Error, Kind};
use crate::model::testtakers::{Enrolment, NewTestTaker};
use crate::model::text::same_email;

/// What the answer to one create means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A 2xx that echoes what was sent. Other differences are worth a remark.
    Done {
        /// What the service answered.
        enrolment: Enrolment,
        /// What it stored otherwise.
        remark: Option<String>,
    },
    /// A 2xx whose body does not say who was enrolled.
    DoneIdUnknown(String),
    /// Nothing arrived; `permanent` where trying again is useless.
    NeverSent {
        /// What happened.
        words: String,
        /// An untrusted certificate, say.
        permanent: bool,
    },
    /// 429: nothing was done.
    RefusedForNow {
        /// What the service asks to wait.
        wait: Duration,
        /// What it said.
        words: String,
    },
    /// The service said no to this row.
    Refused(String),
    /// It may or may not have happened.
    Lost {
        /// What happened.
        words: String,
        /// 409: if the row turns out not to be enrolled, this was a no.
        conflict: bool,
    },
    /// The whole run stops.
    Stop(Stop),
}

/// Why nothing more can be sent in this run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// 401 or 403.
    Key(String),
    /// 404: the project is gone.
    Gone(String),
    /// 3xx, or a 404 that is not the service's: the base URL is wrong. The request itself may have had its effect.
    Redirect(String),
    /// The service does not answer, or asks to wait too long.
    NoAnswer(String),
    /// The deadline has passed.
    OutOfTime(String),
    /// A read record's id is not the entry id.
    WrongIds,
    /// The journal can't be written: without it nothing is sent.
    Journal(String),
    /// The list could not be read at the end.
    Unaudited(String),
    /// `--on-existing fail`, and somebody is enrolled already.
    Existing,
    /// The user.
    Interrupted {
        /// SIGTERM instead of SIGINT.
        terminated: bool,
    },
}

impl Stop {
    /// Whether this one is what a run is said to have stopped for, although another came before.
    pub fn outranks(&self, before: &Self) -> bool {
        match (before, self) {
            (Self::Interrupted { .. }, _) => matches!(self, Self::Interrupted { .. }),
            (_, Self::Interrupted { .. } | Self::Key(_)) | (Self::NoAnswer(_), Self::OutOfTime(_)) => true,
            _ => false,
        }
    }
}

/// What stops the whole run, whatever was asked.
pub fn stop(error: &Error) -> Option<Stop> {
    let words = error.to_string();
    match error.kind() {
        Kind::OutOfTime => Some(Stop::OutOfTime(words)),
        Kind::UnknownKey | Kind::Forbidden => Some(Stop::Key(words)),
        // A page for browsers that came with a 2xx may stand for a record that was made: that row is looked up.
        Kind::NotTheService if error.class() != Class::DoneUnreadable => Some(Stop::Redirect(words)),
        Kind::NotFound => Some(Stop::Gone(words)),
        Kind::NotTheService | Kind::Misconfigured | Kind::Other => None,
    }
}

/// Judges the answer to one create. The service's words are whole: they are for the report.
pub fn classify(person: &NewTestTaker, answer: Result<Enrolment, Error>) -> Answer {
    let error = match answer {
        Ok(enrolment) => return verify_echo(person, enrolment),
        Err(error) => error,
    };
    if let Some(stop) = stop(&error).filter(|_| !(error.kind() == Kind::OutOfTime && error.outcome_unknown())) {
        return Answer::Stop(stop);
    }
    let words = error.unredacted();
    // These may end the run and be said on standard error, where nobody is named.
    let masked = error.to_string();
    match error.class() {
        Class::NeverSent => Answer::NeverSent { words: masked, permanent: !error.worth_retrying() },
        Class::RefusedForNow => Answer::RefusedForNow { wait: error.retry_after().unwrap_or_default(), words: masked },
        Class::Refused => Answer::Refused(words),
        Class::Lost => Answer::Lost { words, conflict: error.status() == Some(409) },
        Class::DoneUnreadable => Answer::DoneIdUnknown(words),
    }
}

/// An answer counts where it echoes the reference id byte for byte and the e-mail ignoring case.
fn verify_echo(person: &NewTestTaker, enrolment: Enrolment) -> Answer {
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let email = enrolment.email.as_deref().unwrap_or_default();
    let reference = person.reference_id.as_ref().map(|id| id.as_str().to_owned());
    if reference != text(&enrolment.reference_id) || !same_email(person.email.as_str(), email) {
        return Answer::DoneIdUnknown("the answer tells of another person than the one that was sent".to_owned());
    }
    let name = |name: &Option<crate::model::text::PersonName>| name.as_ref().map(|name| name.as_str().to_owned());
    let same = [
        ("firstName", name(&person.first_name) == text(&enrolment.first_name)),
        ("lastName", name(&person.last_name) == text(&enrolment.last_name)),
        ("birthYear", person.birth_year.map(|year| year.0) == enrolment.birth_year),
    ];
    let other: Vec<&str> = same.into_iter().filter_map(|(name, same)| (!same).then_some(name)).collect();
    let remark = (!other.is_empty()).then(|| format!("the service stored another {}", other.join(", ")));
    Answer::Done { enrolment, remark }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person() -> NewTestTaker {
        let json = r#"{"email":"zoe@example.com","firstName":"Zoe","referenceId":"R-1"}"#;
        serde_json::from_str(json).expect("a person")
    }

    fn answered(email: &str, reference: &str, first: &str) -> Answer {
        let json = format!(
            r#"{{"id":"5f0c1e6e-0000-4000-8000-000000000001","projectEntryId":7,"email":"{email}","referenceId":"{reference}","firstName":"{first}"}}"#
        );
        classify(&person(), Ok(serde_json::from_str(&json).expect("an enrolment")))
    }

    #[test]
    fn an_interruption_is_what_a_run_stopped_for_whatever_comes_after() {
        let (key, gone, late) = (Stop::Key(String::new()), Stop::Gone(String::new()), Stop::OutOfTime(String::new()));
        let interrupted = Stop::Interrupted { terminated: false };
        assert!(!key.outranks(&interrupted) && interrupted.outranks(&key));
        assert!(Stop::Interrupted { terminated: true }.outranks(&interrupted));
        assert!(key.outranks(&gone) && !gone.outranks(&key));
        assert!(late.outranks(&Stop::NoAnswer(String::new())) && !late.outranks(&gone));
    }

    #[test]
    fn an_answer_counts_where_it_echoes_what_was_sent() {
        assert!(matches!(answered("ZOE@example.com", "R-1", "Zoe"), Answer::Done { remark: None, .. }));
        assert!(matches!(answered("zoe@example.com", "r-1", "Zoe"), Answer::DoneIdUnknown(_)));
        assert!(matches!(answered("", "R-1", "Zoe"), Answer::DoneIdUnknown(_)));
        let Answer::Done { remark, .. } = answered("zoe@example.com", "R-1", "Z") else { panic!("done") };
        assert_eq!(remark.as_deref(), Some("the service stored another firstName"));
    }
}
