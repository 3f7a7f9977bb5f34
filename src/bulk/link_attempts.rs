//! Issuing one test link, as often as it takes: when to wait, and when to give up.

use std::time::Duration;

use crate::api::{ATTEMPTS, Class, Client, Error, Kind, backoff};
use crate::model::projects::ProjectId;
use crate::model::test_links::{LinkRequest, TestLink};
use crate::model::testtakers::TestTaker;

/// How long a test taker may take to be provisioned.
const PROVISIONING: Duration = Duration::from_mins(2);
/// A late first request would void the second link, so it gets this time to arrive.
pub const LATE: Duration = Duration::from_secs(10);

/// Decides on the next attempt; knows no clock and no network.
#[derive(Debug, Default)]
struct Patience {
    /// Waiting for a test taker to be provisioned is not counted.
    attempts: u32,
    not_provisioned: u32,
    waited: Duration,
}

impl Patience {
    /// How long to wait before the next attempt; `None` where there is none.
    fn after(&mut self, error: &Error) -> Option<Duration> {
        if error.is_not_provisioned() {
            return self.after_not_provisioned(error.retry_after().unwrap_or_default());
        }
        self.attempts += 1;
        if self.attempts >= ATTEMPTS || error.kind() == Kind::NotTheService {
            return None;
        }
        match error.class() {
            Class::NeverSent if !error.worth_retrying() => None,
            // A pause that the service asks for is kept by the gate.
            Class::NeverSent | Class::RefusedForNow => Some(backoff(self.attempts - 1)),
            Class::Lost | Class::DoneUnreadable => Some(LATE),
            Class::Refused => None,
        }
    }

    /// The longer of what the service asks for and 1 s, 2 s, 4 s, 4 s … (specification, Errors 4).
    fn after_not_provisioned(&mut self, asked: Duration) -> Option<Duration> {
        let own = Duration::from_secs(1 << self.not_provisioned.min(2));
        let pause = asked.max(own);
        self.not_provisioned += 1;
        self.waited += pause;
        (self.waited <= PROVISIONING).then_some(pause)
    }
}

/// Issues a link for one test taker, one request at a time: each voids the link before.
pub async fn link(
    client: &Client,
    project: ProjectId,
    person: &TestTaker,
    request: &LinkRequest,
) -> Result<TestLink, Error> {
    let mut patience = Patience::default();
    let mut before = None;
    loop {
        let error = match client.issue_link(project, person, request).await {
            Ok(link) => return Ok(link),
            Err(error) => error,
        };
        if matches!(error, Error::Closed) {
            return Err(before.unwrap_or(error));
        }
        match patience.after(&error) {
            Some(pause) if error.is_not_provisioned() || client.may_repeat() => {
                let why = error.to_string();
                let error = error.prefer_ambiguous(before);
                if !client.pause_write(pause, &why).await {
                    return Err(error);
                }
                before = Some(error);
            }
            _ => return Err(error.prefer_ambiguous(before)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::backoff_ceiling;

    fn lost() -> Error {
        Error::Lost { host: "h".into(), cause: "reset".into() }
    }

    #[test]
    fn a_lost_answer_gets_ten_seconds_to_arrive_late() {
        let mut patience = Patience::default();
        for _ in 0..3 {
            assert_eq!(patience.after(&lost()), Some(LATE));
        }
        assert_eq!(patience.after(&lost()), None);
    }

    #[test]
    fn waiting_to_be_provisioned_grows_to_four_seconds_and_ends_after_two_minutes() {
        let mut patience = Patience::default();
        let waits: Vec<Option<Duration>> = (0..4).map(|_| patience.after_not_provisioned(Duration::ZERO)).collect();
        assert_eq!(waits, [1, 2, 4, 4].map(|s| Some(Duration::from_secs(s))));
        assert_eq!(patience.after_not_provisioned(Duration::from_secs(5)), Some(Duration::from_secs(5)));
        let rest = (0..100).map(|_| patience.after_not_provisioned(Duration::ZERO)).position(|next| next.is_none());
        assert!(rest.is_some_and(|count| count < 30), "{rest:?}");
    }
    #[test]
    fn a_provisioning_that_takes_two_minutes_is_waited_for_and_a_longer_one_is_not() {
        let after = |asked| Patience::default().after_not_provisioned(asked);
        assert_eq!(after(PROVISIONING), Some(PROVISIONING));
        assert_eq!(after(PROVISIONING + Duration::from_secs(1)), None);
    }

    #[test]
    fn what_was_never_sent_is_tried_again_after_a_short_pause_unless_that_is_useless() {
        let never_sent = |permanent| Error::NeverSent { host: "h".into(), cause: "refused".into(), permanent };
        assert_eq!(Patience::default().after(&never_sent(true)), None);
        for _ in 0..64 {
            let Some(pause) = Patience::default().after(&never_sent(false)) else { panic!("it gives up") };
            assert!(pause <= backoff_ceiling(0), "{pause:?}");
        }
    }
}
