//! Serving: routes, the order in which a request is checked, and the embedded service on its own thread.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{ConnectInfo, RawPathParams, Request, State};
use axum::http::header::ACCEPT;
use axum::http::{Response, StatusCode};
use axum::middleware::{self, Next};
use axum::routing::{MethodFilter, on};
use clap::ValueEnum as _;
use tokio::sync::oneshot;

use super::connection::{BreakableListener, ConnectionHandle};
use super::fault_kinds::FaultKind;
use super::operation::Operation;
use super::own_address::OwnAddress;
use super::request::{Call, Query};
use super::response::{OperationResult, Refusal, ServiceReply};
use super::service::RunningService;
use super::{
    DEFAULT_ADDRESS, Error, ServerOptions, assessment_page, fault_move, projects, redirect_uris, results, test_links,
    testtakers,
};
use crate::model::results::ResultsApi;
use crate::model::secret::ApiKey;

/// What does an operation's work.
type Work = fn(&RunningService, &Call) -> OperationResult;

fn work(operation: Operation) -> Work {
    match operation {
        Operation::ListProjects => projects::list,
        Operation::CreateProject => projects::create,
        Operation::GetProject => projects::get,
        Operation::ProjectLink => projects::link,
        Operation::ListTestTakers => testtakers::list,
        Operation::Enrol => testtakers::enrol,
        Operation::Update => testtakers::update,
        Operation::Remove => testtakers::remove,
        Operation::TestLink => test_links::issue,
        Operation::ListResults => results::list,
        Operation::GetResult => results::get,
        Operation::ListRedirectUris => redirect_uris::list,
        Operation::AddRedirectUris => redirect_uris::add,
    }
}

type Params = Result<RawPathParams, RawPathParamsRejection>;

fn router(service: Arc<RunningService>, own: OwnAddress) -> Router {
    let mut routes = assessment_page::routes();
    for operation in Operation::value_variants() {
        let handler =
            async |State(service): State<Arc<RunningService>>,
                   ConnectInfo(wire): ConnectInfo<ConnectionHandle>,
                   params: Params,
                   request: Request| run(service, *operation, &wire, params, request).await;
        let (method, path) = operation.route();
        let method = MethodFilter::try_from(method).expect("each of the four methods has a filter");
        routes = routes.route(path, on(method, handler));
    }
    let routes = routes.fallback(unknown).method_not_allowed_fallback(unasked);
    routes.layer(middleware::from_fn_with_state(own, guard)).with_state(service)
}

/// Lets through what is meant for this address, and keeps the connection open while it is worked on.
async fn guard(
    State(own): State<OwnAddress>,
    ConnectInfo(wire): ConnectInfo<ConnectionHandle>,
    request: Request,
    next: Next,
) -> Response<Body> {
    if let Err(refusal) = own.admit(&request) {
        return refusal.reply(request.uri().path()).into_response(request.headers().get(ACCEPT));
    }
    wire.begin();
    let response = next.run(request).await;
    wire.end();
    response
}

/// 404 for a path that names nothing.
async fn unknown(State(service): State<Arc<RunningService>>, request: Request) -> Response<Body> {
    refuse(&service, &request, Refusal::not_found("resource"))
}

/// 405 for a path that has no such operation.
async fn unasked(State(service): State<Arc<RunningService>>, request: Request) -> Response<Body> {
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "This resource has no such operation.");
    refuse(&service, &request, refusal)
}

/// Answers a request that is no operation; without a key it learns no more than that.
fn refuse(service: &RunningService, request: &Request, refusal: Refusal) -> Response<Body> {
    let refusal = service.admit(request.headers(), None).err().unwrap_or(refusal);
    refusal.reply(request.uri().path()).into_response(request.headers().get(ACCEPT))
}

/// One request from its arrival to its answer: faults before the work, the work, faults after it.
async fn run(
    service: Arc<RunningService>,
    operation: Operation,
    wire: &ConnectionHandle,
    params: Params,
    request: Request,
) -> Response<Body> {
    let work = work(operation);
    let (head, body) = request.into_parts();
    let accept = head.headers.get(ACCEPT).cloned();
    let instance = head.uri.path().to_owned();
    let page = Query::parse(&head.uri).and_then(|query| query.page()).map_or(1, |page| page.number);
    let plan = service.faults.next(operation, page);
    if !plan.delay.is_zero() {
        tokio::time::sleep(plan.delay).await;
    }
    let effect = plan.effect;
    let answer = async {
        match effect {
            Some(FaultKind::CloseBefore) => {
                wire.cut();
                return Ok(ServiceReply::no_content());
            }
            Some(FaultKind::Refuse(status)) => return Err(Refusal::rehearsed(status, plan.retry_after)),
            _ => {}
        }
        service.admit(&head.headers, Some(operation))?;
        if let Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) = params {
            return Err(Refusal::not_found("resource"));
        }
        let read = Call::read(params.as_ref().ok(), &head.uri, head.headers, body);
        let mut call = tokio::time::timeout(service.options.limits.first_request, read)
            .await
            .map_err(|_| Refusal::too_slow())??;
        call.faults = plan.work;
        if let Some(seed) = plan.moves {
            fault_move::mutate_people(&service, call.project()?, seed)?;
        }
        if let Some(FaultKind::Late(delay)) = effect {
            wire.cut();
            tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                // No client is left to be told how it went.
                let _ = work(&service, &call);
            });
            return Ok(ServiceReply::no_content());
        }
        work(&service, &call)
    };
    let mut reply = answer.await.unwrap_or_else(|refusal| refusal.reply(&instance));
    if plan.cut {
        reply = reply.cut();
    }
    if plan.http10 {
        reply = reply.until_close();
    }
    spoil(reply, effect.as_ref(), wire, &instance).into_response(accept.as_ref())
}

/// The answer as an effect leaves it after the work.
fn spoil(reply: ServiceReply, effect: Option<&FaultKind>, wire: &ConnectionHandle, instance: &str) -> ServiceReply {
    match effect {
        Some(FaultKind::CloseAfter) => wire.cut(),
        // Half of the body; of an answer without one, everything.
        Some(FaultKind::Truncate) if reply.body_length() == 0 => wire.cut(),
        Some(FaultKind::Truncate) => wire.cut_tail(reply.body_length().div_ceil(2)),
        Some(FaultKind::ErrorAfter) => {
            let detail = "A rehearsed fault, after the work.";
            return Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, detail).reply(instance);
        }
        Some(FaultKind::Status(status)) => return reply.with_status(*status),
        _ => {}
    }
    reply
}

/// The service on a listener of the caller's.
pub struct Server {
    listener: TcpListener,
    service: RunningService,
    base_url: String,
}

impl Server {
    /// Opens the state. Connections wait until the server runs; links point at the listener's address.
    pub fn new(listener: TcpListener, options: ServerOptions) -> Result<Self, Error> {
        let address = listener.local_addr().map_err(Error::Listen)?;
        let service = RunningService::new(options, address)?;
        let base_url = service.address.clone();
        Ok(Self { listener, service, base_url })
    }

    /// Where the service answers, without a slash at the end.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Serves until the future is dropped.
    pub async fn run(self) -> Result<(), Error> {
        answer(self.listener, self.service).await.map_err(Error::Listen)
    }
}

async fn answer(listener: TcpListener, service: RunningService) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let own = OwnAddress(listener.local_addr()?);
    let lines = BreakableListener::new(tokio::net::TcpListener::from_std(listener)?, service.options.limits);
    let router = router(Arc::new(service), own).into_make_service_with_connect_info::<ConnectionHandle>();
    axum::serve(lines, router).await
}

/// The service inside this process: on a free port of loopback, on its own thread, until it is dropped.
#[derive(Debug)]
pub struct Embedded {
    address: SocketAddr,
    key: ApiKey,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Embedded {
    /// Starts the service on this state, with the defaults but for the shape of its results.
    pub fn start(state: PathBuf, results_api: ResultsApi) -> Result<Self, Error> {
        Self::with(ServerOptions { results_api, ..ServerOptions::new(state) })
    }

    /// Starts the service with other options.
    pub(super) fn with(options: ServerOptions) -> Result<Self, Error> {
        let key = options.key.clone();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Error::Listen)?;
        let address = listener.local_addr().map_err(Error::Listen)?;
        // Links outlive this process: they point at where `sandbox serve` answers.
        let service = RunningService::new(options, DEFAULT_ADDRESS)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Listen)?;
        let (stop, stopped) = oneshot::channel();
        let work = async move {
            tokio::select! {
                // A listener that fails ends the service: its clients get no answer, and say so.
                _ = answer(listener, service) => {}
                _ = stopped => {}
            }
        };
        let thread = std::thread::Builder::new().name("sandbox".to_owned());
        let thread = thread.spawn(move || runtime.block_on(work)).map_err(Error::Listen)?;
        Ok(Self { address, key, stop: Some(stop), thread: Some(thread) })
    }

    /// Where the service answers, without a slash at the end.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The key that it takes.
    pub fn key(&self) -> ApiKey {
        self.key.clone()
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The receiver is gone if the service has ended by itself.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            // Waiting lets SQLite close its files. A panic in there was its own end; there is nothing to add here.
            let _ = thread.join();
        }
    }
}
