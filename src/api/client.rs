//! The client: how it connects, and what it tells about each exchange.

use std::cell::Cell;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::Url;
use reqwest::header::HeaderValue;
use tokio::time::Instant;

use super::accepted_certificates::tls;
use super::error::Error;
use super::error_causes::innermost;
use super::proxy::{Route, goes_straight};
use super::request_limits::CONNECT_TIMEOUT;
use super::throttle::{Stats, Throttle};
use crate::model::concurrency::{Concurrency, MaxRate};
use crate::model::secret::ApiKey;

/// Where to connect to, and with which key.
#[derive(Debug)]
pub struct Connection {
    /// The service's base URL, checked by the configuration: no user info, query or fragment.
    pub base_url: Url,
    /// The workspace's key.
    pub key: ApiKey,
    /// Further certificate authorities, PEM.
    pub ca_cert: Option<Vec<u8>>,
    /// Time for a whole request, reads and writes alike; `None` for 30 s and 120 s.
    pub timeout: Option<Duration>,
    /// Requests under way at a time.
    pub concurrency: Concurrency,
    /// Requests a second, at most.
    pub max_rate: Option<MaxRate>,
    /// When the run has to be over; `None` for whenever it is done.
    pub deadline: Option<Instant>,
    /// Records of one list, at most: an endless one must end.
    pub max_records: u64,
    /// Whether the service's own words in refusals are left out: they may name a person.
    pub hides_words: bool,
}

/// What happened on the wire, for those who want to watch. Holds no key, body, link, query or reference id.
#[derive(Debug)]
pub enum Exchange<'a> {
    /// A request ended.
    Ended {
        /// HTTP method.
        method: &'a str,
        /// The path's template.
        path: &'a str,
        /// Status, or `None` where no answer came.
        status: Option<u16>,
        /// From the first byte to the end of the body.
        took: Duration,
    },
    /// A pause before the next attempt.
    Waiting {
        /// How long.
        pause: Duration,
        /// Why, without personal data.
        why: &'a str,
    },
    /// Something about the service that is worth knowing.
    Remark {
        /// What, without personal data.
        text: &'a str,
    },
}

type Watch = Box<dyn Fn(&Exchange<'_>)>;

/// A connection to one service with one key. Single-threaded; share it with `Rc`.
pub struct Client {
    pub(super) http: reqwest::Client,
    pub(super) base: Url,
    pub(super) key: HeaderValue,
    pub(super) throttle: Throttle,
    pub(super) timeout: Option<Duration>,
    pub(super) deadline: Option<Instant>,
    pub(super) max_records: u64,
    pub(super) hides_words: bool,
    /// The service's clock minus ours, from the latest `Date` header.
    pub(super) clock_ahead: Cell<Option<SignedDuration>>,
    /// Whether the service has answered anything.
    pub(super) answered: Cell<bool>,
    watch: Watch,
}

impl Client {
    /// Sets up a client; no request is made. Fails where the certificate file can't be read as PEM, or the platform's
    /// certificate store can't be opened.
    pub fn new(connection: Connection, watch: impl Fn(&Exchange<'_>) + 'static) -> Result<Self, Error> {
        let mut key = HeaderValue::from_str(connection.key.expose())
            .map_err(|_| Error::Setup("the API key cannot stand in a header".into()))?;
        key.set_sensitive(true);
        Ok(Self {
            http: http_client(&connection)?,
            base: connection.base_url,
            key,
            throttle: Throttle::new(connection.concurrency, connection.max_rate),
            timeout: connection.timeout,
            deadline: connection.deadline,
            max_records: connection.max_records,
            hides_words: connection.hides_words,
            clock_ahead: Cell::new(None),
            answered: Cell::new(false),
            watch: Box::new(watch),
        })
    }

    /// The service's time at a moment of ours, as far as its answers told; ours where they did not.
    pub fn service_time(&self, ours: Timestamp) -> Timestamp {
        let ahead = self.clock_ahead.get().unwrap_or(SignedDuration::ZERO);
        ours.checked_add(ahead).unwrap_or(ours)
    }

    /// The service's clock minus ours; `None` where no answer had a `Date`.
    pub fn clock_ahead(&self) -> Option<SignedDuration> {
        self.clock_ahead.get()
    }

    /// What this client has asked of the service so far, and how often it was refused for coming too fast.
    pub fn stats(&self) -> Stats {
        self.throttle.stats()
    }

    /// How many requests may be under way now. While too many answers were lost it is two: a write that is sent then
    /// waits 30 s and for a GET to be answered before its first byte goes out. A caller with a journal asks here before it
    /// writes intents down, so that few intents stand there for requests that were not sent yet.
    pub fn room(&self) -> usize {
        if self.throttle.is_free() { self.throttle.limit() as usize } else { 2 }
    }

    /// Launches no write any more: a waiting one ends with [`Error::Closed`], never sent. A read that finds out what became
    /// of a write may go on, but waits for no pause.
    pub fn close(&self) {
        self.throttle.close();
    }

    /// Waits before a write, and says why; `false` at once where nothing is launched any more, or the deadline leaves no
    /// time for the wait and a request after it.
    pub async fn pause_write(&self, pause: Duration, why: &str) -> bool {
        if self.check_time(pause, &mut None).is_err() {
            return false;
        }
        self.tell(&Exchange::Waiting { pause, why });
        self.throttle.sleep(pause, true).await
    }

    /// Takes one repetition of a write out of the run's budget (20 % of the requests, and 10); `false` where it is used
    /// up. Requests that are repeated in here count by themselves.
    pub fn may_repeat(&self) -> bool {
        self.throttle.may_repeat()
    }

    /// Says something about the service that is worth knowing; without personal data.
    pub(super) fn remark(&self, text: &str) {
        self.tell(&Exchange::Remark { text });
    }

    pub(super) fn tell(&self, exchange: &Exchange<'_>) {
        (self.watch)(exchange);
    }

    /// Host and port, and by which proxy, for messages about a failure.
    pub(super) fn destination(&self) -> String {
        match Route::of(&self.base) {
            Route::Proxy { host, port, .. } => format!("{} by the proxy {host}:{port}", self.host()),
            _ => self.host(),
        }
    }

    /// Host and port, for messages.
    pub(super) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or("the service");
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

fn http_client(connection: &Connection) -> Result<reqwest::Client, Error> {
    let connect = connection.timeout.map_or(CONNECT_TIMEOUT, |timeout| CONNECT_TIMEOUT.min(timeout / 2));
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("assessctl/", env!("CARGO_PKG_VERSION")))
        // On a redirect the library would forward the key to the other host.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        // The library would re-send a POST by itself on some HTTP/2 errors.
        .retry(reqwest::retry::never())
        .connect_timeout(connect);
    if goes_straight(&connection.base_url) {
        builder = builder.no_proxy();
    }
    if connection.base_url.scheme() == "http" {
        // Loading the certificate store costs more than a request, and a bare container has none.
        builder = builder.tls_certs_only([]);
    } else if let Some(pem) = &connection.ca_cert {
        builder = builder.tls_backend_preconfigured(tls(pem).map_err(|error| setup(&error))?);
    }
    // Fails only where one is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder.build().map_err(|error| setup(innermost(&error)))
}

/// Why a client cannot be made. That there is no certificate store, the verifier says in a sentence alone.
fn setup(error: &(dyn std::error::Error + 'static)) -> Error {
    let words = error.to_string();
    if words.contains("No CA certificates were loaded") { Error::NoCertificateStore } else { Error::Setup(words) }
}
