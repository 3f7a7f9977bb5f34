//! What an answer means for an enrolment: the evidence, as the plan needs it.

use std::time::Duration;

use crate::api::{Class, Error, Kind};
use crate::model::testtakers::{Enrolment, NewTestTaker};
use crate::model::text::{PersonName, ReferenceId, filled, same_email};

/// What the answer to one create means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A 2xx with a readable record: the person is enrolled as its entry, however the service spells the person.
    Done {
        /// What the service answered.
        enrolment: Enrolment,
        /// What it stored otherwise.
        remark: Option<String>,
        /// That is its e-mail or reference id, so that it can't be looked up by what was sent.
        respelt: bool,
    },
    /// A 2xx that does not say as which entry: its body cannot be read, or names an entry that cannot be this person.
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
        /// The status of the answer, if one came. 409: if the row turns out not to be enrolled, this was a no.
        status: Option<u16>,
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
    /// `--on-existing fail`, and one of the people is enrolled already.
    Existing,
    /// The service answers every create alike, for a reason that is not the row's own.
    Alike(String),
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
    // These may end the run and be said on standard error, where no person is named.
    let masked = error.to_string();
    match error.class() {
        Class::NeverSent => Answer::NeverSent { words: masked, permanent: !error.worth_retrying() },
        Class::RefusedForNow => Answer::RefusedForNow { wait: error.retry_after().unwrap_or_default(), words: masked },
        Class::Refused => Answer::Refused(words),
        Class::Lost => Answer::Lost { words, status: error.status() },
        Class::DoneUnreadable => Answer::DoneIdUnknown(words),
    }
}

/// What a readable answer says of the person who was sent: services store people otherwise than sent, and say so.
fn verify_echo(person: &NewTestTaker, enrolment: Enrolment) -> Answer {
    let reference = person.reference_id.as_ref().map(ReferenceId::as_str);
    let same = [
        ("email", same_email(person.email.as_str(), enrolment.email.as_deref().unwrap_or_default())),
        ("referenceId", reference == filled(enrolment.reference_id.as_deref())),
        ("firstName", name(person.first_name.as_ref()) == filled(enrolment.first_name.as_deref())),
        ("lastName", name(person.last_name.as_ref()) == filled(enrolment.last_name.as_deref())),
        ("birthYear", person.birth_year.map(|year| year.0) == enrolment.birth_year),
    ];
    let other: Vec<&str> = same.into_iter().filter_map(|(name, same)| (!same).then_some(name)).collect();
    let respelt = other.contains(&"email") || other.contains(&"referenceId");
    let remark = (!other.is_empty()).then(|| format!("the service stored another {}", other.join(", ")));
    Answer::Done { enrolment, remark, respelt }
}

fn name(name: Option<&PersonName>) -> Option<&str> {
    name.map(PersonName::as_str)
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
    fn a_readable_answer_counts_however_the_service_spells_the_person() {
        let told = |email: &str, reference: &str, first: &str| match answered(email, reference, first) {
            Answer::Done { remark, respelt, .. } => (remark, respelt),
            other => panic!("{other:?}"),
        };
        assert_eq!(told("ZOE@example.com", "R-1", "Zoe"), (None, false));
        assert_eq!(told("zoe@example.com", "R-1", "Z").0.as_deref(), Some("the service stored another firstName"));
        assert!(!told("zoe@example.com", "R-1", "Z").1, "a name does not hinder a look-up");
        let other = (Some("the service stored another email, referenceId".to_owned()), true);
        assert_eq!(told("zoe@xn--example.com", "r-1", "Zoe"), other);
        assert!(told("zoe@example.com", "", "Zoe").1);
    }
}
