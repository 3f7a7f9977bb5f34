//! Serving: the routes, the order in which a request is checked, and the embedded sandbox on its own thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{HOST, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, delete, get, patch, post};
use axum::serve::ListenerExt as _;
use axum::{Router, serve};
use clap::ValueEnum as _;
use tokio::sync::oneshot;
use url::Url;

use super::faults::{Kind, Operation, Troubles, troubles};
use super::http::{AsOf, Refusal, cut, with_problem};
use super::service::{DEFAULT_ADDRESS, Sandbox, SandboxOptions, Shared};
use super::state::{PRESENT, micros, now};
use super::{enrolments, links, people, projects, redirect_uris, take};
use crate::model::secret::ApiKey;
use crate::model::verdict::{Failure, Verdict};

/// How large a body may be.
const BODY: usize = 1 << 21;

/// Path and handler of an operation (specification, Endpoints).
fn route(operation: Operation) -> (&'static str, MethodRouter<Shared>) {
    match operation {
        Operation::Projects => ("/projects", get(projects::list)),
        Operation::CreateProject => ("/projects", post(projects::create)),
        Operation::Project => ("/projects/{project}", get(projects::one)),
        Operation::ProjectLink => ("/projects/{project}/get-link", get(projects::link)),
        Operation::Testtakers => ("/projects/{project}/testtakers", get(people::list)),
        Operation::Enrol => ("/projects/{project}/testtakers", post(enrolments::enrol)),
        Operation::Update => ("/projects/{project}/testtakers/{id}", patch(enrolments::update)),
        Operation::Remove => ("/projects/{project}/testtakers/{id}", delete(enrolments::remove)),
        Operation::Link => ("/projects/{project}/testtakers/{id}/test-link", post(links::issue)),
        Operation::Results => ("/projects/{project}/results", get(people::results)),
        Operation::Result => ("/projects/{project}/results/{reference_id}", get(people::result)),
        Operation::RedirectUris => ("/workspace/redirect-uris", get(redirect_uris::list)),
        Operation::AddRedirectUris => ("/workspace/redirect-uris", post(redirect_uris::add)),
    }
}

fn router(sandbox: &Shared, own: SocketAddr) -> Router {
    let mut router = take::routes();
    for operation in Operation::value_variants() {
        let (path, handler) = route(*operation);
        let state = (Shared::clone(sandbox), *operation);
        router = router.route(path, handler.route_layer(from_fn_with_state(state, operate)));
    }
    router.layer(from_fn_with_state(own, guard)).with_state(Shared::clone(sandbox))
}

/// Lets through what names this address as its host: a page of another site may reach the port by a name of its own. Gives
/// each refusal its problem body.
async fn guard(State(own): State<SocketAddr>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_own = host == own.to_string() || host.eq_ignore_ascii_case(&format!("localhost:{}", own.port()));
    let response = if is_own {
        next.run(request).await
    } else {
        Refusal::new(StatusCode::MISDIRECTED_REQUEST, format!("Host is not {own}.")).into_response()
    };
    with_problem(response, &path).await
}

/// One request: its key, its faults, its work. What was read is worked on to the end, as a service behind a proxy does,
/// also if the client leaves meanwhile.
async fn operate(State((sandbox, operation)): State<(Shared, Operation)>, request: Request, next: Next) -> Response {
    if request.headers().get("x-api-key").map(HeaderValue::as_bytes) != Some(sandbox.key.expose().as_bytes()) {
        let detail = "The header x-api-key is missing, or its key is not known.";
        return Refusal::new(StatusCode::UNAUTHORIZED, detail).into_response();
    }
    let (mut head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY).await else {
        return Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "The body is too large.").into_response();
    };
    let Troubles { delay, lag, end } = troubles(&mut sandbox.faults.lock().await, operation, page_of(&head.uri));
    let late = if let Some(Kind::Late(time)) = end { time } else { Duration::ZERO };
    let work = async move {
        tokio::time::sleep(delay.saturating_add(late)).await;
        head.extensions.insert(AsOf(if lag.is_zero() { PRESENT } else { now().saturating_sub(micros(lag)) }));
        next.run(Request::from_parts(head, Body::from(body))).await
    };
    match end {
        Some(Kind::Refuse(status, retry_after)) => {
            tokio::time::sleep(delay).await;
            let mut refused = Refusal::new(status, "Simulated by --fault.").into_response();
            refused.headers_mut().extend(retry_after.map(|seconds| (RETRY_AFTER, HeaderValue::from(seconds))));
            return refused;
        }
        Some(Kind::CloseBefore) => tokio::time::sleep(delay).await,
        Some(Kind::Late(_)) => drop(tokio::spawn(work)),
        end => {
            let done = tokio::spawn(work).await.ok();
            return done.filter(|_| end != Some(Kind::CloseAfter)).unwrap_or_else(cut);
        }
    }
    cut()
}

fn page_of(uri: &Uri) -> u32 {
    let query = uri.query().unwrap_or_default().as_bytes();
    let page = url::form_urlencoded::parse(query).find(|(name, _)| name == "page");
    page.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

/// Serves until the future is dropped.
async fn answer(listener: TcpListener, sandbox: Shared) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let router = router(&sandbox, listener.local_addr()?);
    // A small answer must not wait for the client's acknowledgement; without it we are only slower.
    let listener = tokio::net::TcpListener::from_std(listener)?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    serve(listener, router).await
}

fn no_listener(address: SocketAddr, error: &io::Error) -> Failure {
    Failure::usage(format!("cannot listen on {address}: {error}"))
        .hint("to take a free port: assessctl sandbox serve --listen 127.0.0.1:0")
}

/// The sandbox as a server on an address of this machine.
pub struct Server {
    listener: TcpListener,
    sandbox: Shared,
}

impl Server {
    /// Listens on a loopback address, to which links point, too. Connections wait until the server runs.
    pub fn bind(address: SocketAddr, options: SandboxOptions) -> Result<Self, Failure> {
        if !address.ip().is_loopback() {
            let failure =
                Failure::usage(format!("the sandbox refuses to listen on {address}: other computers could reach it"));
            return Err(failure.hint(format!("assessctl sandbox serve --listen 127.0.0.1:{}", address.port())));
        }
        let bound = TcpListener::bind(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) = bound.map_err(|error| no_listener(address, &error))?;
        Ok(Self { listener, sandbox: Sandbox::open(options, address)? })
    }

    /// Where it answers.
    pub fn base_url(&self) -> Url {
        self.sandbox.url_of("")
    }

    /// Serves until the future is dropped.
    pub async fn run(self) -> Result<(), Failure> {
        let address = self.sandbox.address;
        answer(self.listener, self.sandbox).await.map_err(|error| no_listener(address, &error))
    }
}

/// The sandbox inside this process: on a free port of loopback, on its own thread, until it is dropped.
#[derive(Debug)]
pub struct Embedded {
    pub base_url: Url,
    pub key: ApiKey,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Embedded {
    /// Starts it.
    pub fn start(options: SandboxOptions) -> Result<Self, Failure> {
        let key = options.key.clone();
        let sandbox = Sandbox::open(options, DEFAULT_ADDRESS)?;
        let (stop, stopped) = oneshot::channel();
        let (base_url, thread) = spawn(sandbox, stopped)
            .map_err(|error| Failure::new(Verdict::Unforeseen, format!("cannot start the sandbox: {error}")))?;
        Ok(Self { base_url, key, stop: Some(stop), thread: Some(thread) })
    }
}

fn spawn(sandbox: Shared, stopped: oneshot::Receiver<()>) -> io::Result<(Url, JoinHandle<()>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let base_url = Url::parse(&format!("http://{}", listener.local_addr()?)).map_err(io::Error::other)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let work = async move {
        tokio::select! {
            // A listener that fails ends the sandbox: its clients get no answer, and say so.
            _ = answer(listener, sandbox) => {}
            _ = stopped => {}
        }
    };
    let thread = std::thread::Builder::new().name("sandbox".to_owned()).spawn(move || runtime.block_on(work))?;
    Ok((base_url, thread))
}

impl Drop for Embedded {
    /// Waits for the thread, so that SQLite closes its log.
    fn drop(&mut self) {
        // The receiver learns of it.
        drop(self.stop.take());
        // A panic in there was its own end.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
