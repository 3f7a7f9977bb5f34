//! What an answer means for an enrolment: the evidence, as the plan needs it.

use std::time::Duration;

use crate::api::{Class, Error, Kind};
use crate::model::field_rules::{PersonName, ReferenceId, filled, same_email};
use crate::model::testtakers::{Enrolment, NewTestTaker};

use super::early_stop::{Stop, stop};

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
    use crate::api::error_samples::{PAUSE, foreign, lost, never_sent, out_of_time, page, rejected};

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

    #[test]
    fn an_answer_that_is_no_record_is_evidence_of_what_may_have_been_done() {
        let answer = |error: Error| classify(&person(), Err(error));
        let in_report = || "no to Zoe".to_owned();
        let masked = |status: &str| format!("{status}: no to …");
        assert_eq!(answer(rejected(422)), Answer::Refused(format!("422: {}", in_report())));
        assert_eq!(
            answer(rejected(429)),
            Answer::RefusedForNow { wait: PAUSE, words: masked("429 Too Many Requests") }
        );
        for status in [408, 409, 503] {
            let lost = Answer::Lost { words: format!("{status}: {}", in_report()), status: Some(status) };
            assert_eq!(answer(rejected(status)), lost);
        }
        assert_eq!(answer(lost()), Answer::Lost { words: lost().to_string(), status: None });
        for error in [page, foreign] {
            assert_eq!(answer(error()), Answer::DoneIdUnknown(error().to_string()));
        }
        for permanent in [true, false] {
            let words = never_sent(permanent).to_string();
            assert_eq!(answer(never_sent(permanent)), Answer::NeverSent { words, permanent });
        }
    }

    #[test]
    fn an_answer_that_stops_the_run_does_so_unless_the_row_may_have_been_enrolled_before_time_was_up() {
        let answer = |error: Error| classify(&person(), Err(error));
        let key = Stop::Key("401 Unauthorized: no to …".to_owned());
        assert_eq!(answer(rejected(401)), Answer::Stop(key), "nobody is named");
        assert!(matches!(answer(rejected(302)), Answer::Stop(Stop::Redirect(_))), "although it may be done");
        for nothing_done in [None, Some(never_sent(false)), Some(rejected(429))] {
            assert!(matches!(answer(out_of_time(nothing_done)), Answer::Stop(Stop::OutOfTime(_))));
        }
        assert!(matches!(answer(out_of_time(Some(lost()))), Answer::Lost { status: None, .. }));
        assert!(matches!(answer(out_of_time(Some(foreign()))), Answer::DoneIdUnknown(_)));
    }
}
