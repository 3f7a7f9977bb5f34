//! What is sent again, how often, and when it is given up.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tokio::time::sleep;

use super::client::{Client, Request};
use super::effect::Effect;
use super::error::Error;
use super::pace::{Turn, backoff};
use super::path::Path;
use super::record::{Read, json};

/// How often a request is tried at most.
const ATTEMPTS: u32 = 4;
/// The longest wait that the service may ask for, and the longest time of nothing but refusals.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

impl Error {
    /// Whether another attempt may succeed.
    pub fn is_temporary(&self) -> bool {
        match self {
            Self::NeverSent { is_setup, .. } => !is_setup,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500..),
            Self::Unreadable { is_cut, .. } => *is_cut,
            Self::Lost { .. } => true,
            _ => false,
        }
    }

    /// Whether the service asks to wait longer than anybody waits here. What a wait does not mend has its own words.
    pub fn asks_too_long(&self) -> bool {
        self.is_temporary() && self.retry_after() > Some(LONGEST_WAIT)
    }
}

impl Client {
    /// A read: what it answers as JSON.
    pub(super) async fn read<T: DeserializeOwned>(&self, request: &Request) -> Result<T, Error> {
        self.send(request, None, json).await
    }

    /// A read of one record.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: Path) -> Result<Read<T>, Error> {
        let sent: Box<RawValue> = self.read(&Request::get(path, Vec::new())).await?;
        Read::parse(sent.into(), 0)
    }

    /// A write: the body of its answer. The turn is given to its first attempt.
    pub(super) async fn write(&self, request: &Request, turn: Option<Turn<'_>>) -> Result<Vec<u8>, Error> {
        self.send(request, turn, |body| Ok(body.to_vec())).await
    }

    /// Sends a request, and reads the body of a success by `parse`. It is repeated where it certainly had no effect, or where
    /// sending it twice does no harm.
    pub(super) async fn send<T>(
        &self,
        request: &Request,
        mut turn: Option<Turn<'_>>,
        parse: impl Fn(&[u8]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (mut unknown, mut attempts, mut refusals) = (None, 0, 0);
        loop {
            let answer = self.attempt(request, turn.take(), &parse).await;
            let Err(error) = answer else { return answer };
            // The service is answering other requests, so a 429 is no attempt and only costs time.
            let is_refusal = error.status() == Some(429);
            attempts += u32::from(!is_refusal);
            refusals += u32::from(is_refusal);
            let may_repeat = (request.is_safe || error.effect() == Effect::None) && error.is_temporary();
            let is_over = attempts >= ATTEMPTS || (is_refusal && self.pace.refused_for() > LONGEST_WAIT);
            if !may_repeat || is_over || error.asks_too_long() {
                // A later refusal does not undo what an earlier attempt may have done.
                return Err(unknown.filter(|_| !request.is_read()).unwrap_or(error));
            }
            if error.effect() == Effect::Unknown {
                unknown = Some(error);
            }
            sleep(backoff(if is_refusal { refusals } else { attempts } - 1)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderMap;

    use super::*;

    #[test]
    fn what_may_end_otherwise_is_tried_again() {
        let status = |status: u16, body: &str| Error::of_status(status, &HeaderMap::new(), body.as_bytes(), &[], "k-1");
        let temporary = [408, 429, 500, 503].map(|code| status(code, "{}").is_temporary());
        let lasting = [302, 400, 401, 404, 409].map(|code| status(code, "{}").is_temporary());
        assert_eq!((temporary, lasting), ([true; 4], [false; 5]));
        let unsent = |is_setup| Error::NeverSent { host: String::new(), why: String::new(), is_setup };
        assert!(unsent(false).is_temporary() && !unsent(true).is_temporary());
        let gateway = status(503, "<html>");
        assert!(gateway.is_temporary() && !gateway.is_not_the_service());
        assert!([200, 302, 403, 404].iter().all(|code| status(*code, "<html>").is_not_the_service()));
    }
}
