//! The client: connecting, one attempt of a request, and the state of the service as the latest answers show it.

use std::cell::Cell;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE};
use reqwest::{Method, Url};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout};

use super::effect::Effect;
use super::error::{Error, date};
use super::pace::{Pace, Turn};
use super::path::Path;
use super::redact::{collect, collect_json, is_page};
use crate::model::address::is_loopback;
use crate::model::people::TestTaker;
use crate::model::projects::ProjectQuery;
use crate::model::secret::ApiKey;

/// Connecting must time out before the whole does, or an unreachable host is a lost answer.
const CONNECT: Duration = Duration::from_secs(10);
const READ: Duration = Duration::from_secs(30);
/// Long: a write that times out leaves its row in doubt.
const WRITE: Duration = Duration::from_mins(2);
/// After this many lost answers in a row no write is sent until a read is answered.
const LOST_IN_A_ROW: u32 = 3;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const BODY_MAX: usize = 1 << 20;
const PAGE_MAX: usize = 16 << 20;

/// Where a client connects, and how.
pub struct Connection {
    pub base_url: Url,
    pub key: ApiKey,
    /// Name and content of a PEM file, whose certificates are trusted besides those of the system.
    pub ca_cert: Option<(String, Vec<u8>)>,
    /// The time for a whole request; 30 s for reads and 120 s for writes where it is not given.
    pub timeout: Option<Duration>,
    /// The most requests under way at once.
    pub concurrency: u32,
}

/// What happened on the wire: no key, body, link, query or id.
pub enum Exchange<'a> {
    Ended { method: &'a Method, path: &'a str, status: Option<u16>, took: Duration },
    Waiting { pause: Duration, why: String },
}

type Watch = Box<dyn Fn(&Exchange<'_>)>;

/// A connection to one service with one key. Single-threaded.
pub struct Client {
    http: reqwest::Client,
    pub(super) pace: Pace,
    connection: Connection,
    lost_in_a_row: Cell<u32>,
    /// Held while one read asks whether the service is there again.
    probe: Mutex<()>,
    /// No write begins any more.
    stopped: watch::Sender<bool>,
    clock: Cell<Option<SignedDuration>>,
    watch: Watch,
}

pub(super) struct Request {
    method: Method,
    path: Path,
    query: Vec<(String, String)>,
    body: Option<Value>,
    /// Sending it twice does no harm: true of all but enrolling, creating projects and issuing links.
    pub(super) is_safe: bool,
}

impl Request {
    pub(super) fn get(path: Path, query: Vec<(String, String)>) -> Self {
        Self { method: Method::GET, path, query, body: None, is_safe: true }
    }

    /// A write that is not repeated once it may have had an effect.
    pub(super) fn once<B: Serialize>(method: Method, path: Path, body: &B) -> Result<Self, Error> {
        let body = serde_json::to_value(body).map_err(|error| Error::Setup(error.to_string()))?;
        Ok(Self { method, path, query: Vec::new(), body: Some(body), is_safe: false })
    }

    /// A write that may be repeated.
    pub(super) fn repeatable<B: Serialize>(method: Method, path: Path, body: &B) -> Result<Self, Error> {
        Ok(Self { is_safe: true, ..Self::once(method, path, body)? })
    }

    pub(super) fn delete(path: Path) -> Self {
        Self { method: Method::DELETE, ..Self::get(path, Vec::new()) }
    }

    /// Takes the words of the record along that the request is about.
    pub(super) fn about(mut self, person: &TestTaker) -> Self {
        collect_json(&serde_json::to_value(person).unwrap_or_default(), &mut self.path.words);
        self
    }

    pub(super) fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    /// The words that no message may repeat.
    fn carried(&self) -> Vec<String> {
        let mut words = self.path.words.clone();
        self.body.iter().for_each(|body| collect_json(body, &mut words));
        self.query.iter().for_each(|(_, value)| collect(value, &mut words));
        words
    }
}

impl Client {
    /// Sets up a client. Nothing is sent yet. `watch` sees each exchange and each wait.
    pub fn new(connection: Connection, watch: impl Fn(&Exchange<'_>) + 'static) -> Result<Self, Error> {
        Ok(Self {
            http: http(&connection)?,
            pace: Pace::new(connection.concurrency),
            connection,
            lost_in_a_row: Cell::new(0),
            probe: Mutex::new(()),
            stopped: watch::Sender::new(false),
            clock: Cell::new(None),
            watch: Box::new(watch),
        })
    }

    /// A write's turn. It is taken before the intent is written down, so a write that waits has not begun.
    pub async fn turn(&self) -> Result<Turn<'_>, Error> {
        let mut stopped = self.stopped.subscribe();
        tokio::select! {
            biased;
            _ = stopped.wait_for(|is_stopped| *is_stopped) => Err(Error::Stopped),
            turn = self.turn_at_service() => turn,
        }
    }

    /// A turn, and a service that answers.
    async fn turn_at_service(&self) -> Result<Turn<'_>, Error> {
        let is_away = || self.lost_in_a_row.get() >= LOST_IN_A_ROW;
        loop {
            let turn = self.pace.turn().await;
            if !is_away() {
                return Ok(turn);
            }
            drop(turn);
            // One read serves all writes that wait. Whatever is answered, the service is there.
            let _one = self.probe.lock().await;
            if is_away() {
                let _ = Box::pin(self.projects(&ProjectQuery::default()).page(1, 1)).await;
            }
            if is_away() {
                return Err(Error::Away);
            }
        }
    }

    /// How far the service's clock was ahead of ours at its latest answer with a date, to the second.
    pub fn clock(&self) -> Option<SignedDuration> {
        self.clock.get()
    }

    /// From now on no write begins.
    pub fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Shows a wait before a write, and waits; ends at once when no write may begin.
    pub(super) async fn wait(&self, pause: Duration, why: String) {
        (self.watch)(&Exchange::Waiting { pause, why });
        // Whichever comes first: the end of the time, or the stop.
        let _ = timeout(pause, self.stopped.subscribe().wait_for(|is_stopped| *is_stopped)).await;
    }

    /// Sends a request once, in its turn. `parse` reads the body of a success.
    pub(super) async fn attempt<T>(
        &self,
        request: &Request,
        turn: Option<Turn<'_>>,
        parse: impl Fn(&[u8]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let turn = match turn {
            Some(turn) => turn,
            None if request.is_read() => self.pace.turn().await,
            None => self.turn().await?,
        };
        let url = request.path.below(&self.connection.base_url, &request.query)?;
        let sent = self.http.request(request.method.clone(), url).header("x-api-key", self.connection.key.expose());
        let sent = sent.header(ACCEPT, "application/json").header(ACCEPT_ENCODING, "identity");
        // Else a proxy could keep answers, also for others: no header that it knows says whose they are.
        let mut sent = sent.header(CACHE_CONTROL, "no-cache, no-store");
        sent = sent.timeout(self.connection.timeout.unwrap_or(if request.is_read() { READ } else { WRITE }));
        if let Some(body) = &request.body {
            sent = sent.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        let began = Instant::now();
        let mut status = None;
        let body = self.exchange(sent, request, &mut status).await;
        let ended = body.and_then(|body| parse(&body));
        let error = ended.as_ref().err();
        self.count_lost(error);
        (self.watch)(&Exchange::Ended {
            method: &request.method,
            path: &request.path.shown,
            status,
            took: began.elapsed(),
        });
        match status {
            Some(429 | 503) => {
                // A longer wait ends the run, so no other request waits for it.
                let asked = error.filter(|error| !error.asks_too_long()).and_then(Error::retry_after);
                if let Some(pause) = turn.refused(asked) {
                    (self.watch)(&Exchange::Waiting { pause, why: "the service asks to slow down".to_owned() });
                }
            }
            Some(200..500) => turn.served(),
            _ => {}
        }
        ended
    }

    /// Counts answers that were lost in a row, whether or not the request left.
    fn count_lost(&self, error: Option<&Error>) {
        let is_refusal = error.is_some_and(|error| error.status() == Some(429));
        let is_lost = error.is_some_and(|error| {
            matches!(error, Error::NeverSent { .. }) || error.effect() == Effect::Unknown && error.status() != Some(409)
        });
        if !is_refusal {
            self.lost_in_a_row.set(if is_lost { self.lost_in_a_row.get() + 1 } else { 0 });
        }
    }

    /// Sends once and reads the answer. `shown` is its status, once there is one.
    async fn exchange(
        &self,
        sent: reqwest::RequestBuilder,
        request: &Request,
        shown: &mut Option<u16>,
    ) -> Result<Vec<u8>, Error> {
        let Connection { base_url, key, .. } = &self.connection;
        let host = base_url.host_str().unwrap_or("the service");
        let mut response = sent.send().await.map_err(|error| Error::of_transport(&error, host))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        *shown = Some(status);
        self.clock.set(date(&headers).map(|date| date.duration_since(Timestamp::now())).or(self.clock.get()));
        // A removal has no other answer (specification, Test takers): 200 may be a gateway's.
        let is_done = status == 204 || (matches!(status, 200 | 201) && request.method != Method::DELETE);
        let most = if request.is_read() && is_done { PAGE_MAX } else { BODY_MAX };
        let unreadable = |why: &str, is_cut| Error::Unreadable { why: why.to_owned(), is_cut };
        let mut body = Vec::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= most => body.extend_from_slice(&chunk),
                Ok(Some(_)) if is_done => return Err(unreadable("it is too large", false)),
                Err(error) if is_done && error.is_timeout() => return Err(unreadable("it took too long", true)),
                Err(_) if is_done => return Err(unreadable("it broke off", true)),
                // The end; or an error body that cannot be read whole, where the status says enough.
                Ok(_) | Err(_) => break,
            }
        }
        if body.starts_with(BYTE_ORDER_MARK) {
            body.drain(..BYTE_ORDER_MARK.len());
        }
        // A page for browsers is a sign-in page or a proxy's, whatever its status.
        if !is_done || is_page(&body) {
            return Err(Error::of_status(status, &headers, &body, &request.carried(), key.expose()));
        }
        Ok(body)
    }
}

fn http(connection: &Connection) -> Result<reqwest::Client, Error> {
    let is_plain = connection.base_url.scheme() == "http";
    // The first call counts; a later one finds it done.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("assessctl/", env!("CARGO_PKG_VERSION")))
        // On a redirect the library would forward the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .retry(reqwest::retry::never())
        // HTTP/2 would send a request again by itself.
        .http1_only()
        // A service that closes an idle connection just when a request is sent leaves that request in doubt.
        .pool_idle_timeout(Duration::from_secs(4))
        .connect_timeout(connection.timeout.map_or(CONNECT, |timeout| CONNECT.min(timeout / 2)));
    if is_plain || is_loopback(&connection.base_url) {
        builder = builder.no_proxy();
    }
    let broken = || {
        let whose = connection.ca_cert.as_ref().map_or("this computer", |(file, _)| file);
        Error::Setup(format!("no certificate of {whose} can be read"))
    };
    if is_plain {
        // Reading the system's certificates costs more than the request, and a bare container has none.
        builder = builder.tls_certs_only([]);
    } else if let Some((_, pem)) = &connection.ca_cert {
        let pem = pem.strip_prefix(BYTE_ORDER_MARK).unwrap_or(pem);
        let certificates = reqwest::Certificate::from_pem_bundle(pem).ok().filter(|found| !found.is_empty());
        builder = builder.tls_certs_merge(certificates.ok_or_else(broken)?);
    }
    // What else can fail are the certificates.
    builder.build().map_err(|_| broken())
}
