//! The test taker's page: what opening a test link shows, and how an assessment is "taken".

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY};
use axum::http::{HeaderValue, Response, StatusCode, Uri};
use axum::routing::{get, post};
use axum::{Router, body::Body};
use clap::ValueEnum;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::portal::{Changes, apply};
use super::redirect_uris;
use super::request::Query;
use super::response::Refusal;
use super::service::RunningService;
use super::state::{now, word};
use crate::model::projects::ProjectState;
use crate::model::redirect_uris::admits;
use crate::model::sanitize::escape_html;
use crate::model::test_status::TestStatus;

type Service = State<Arc<RunningService>>;
type Token = Path<String>;

/// The page's routes; they need no key, the link is the key.
pub(super) fn routes() -> Router<Arc<RunningService>> {
    Router::new()
        .route(
            "/take/{token}",
            get(async |State(service): Service, Path(token): Token| respond(show(&service, &token))),
        )
        .route(
            "/take/{token}/start",
            post(async |State(service): Service, Path(token): Token| respond(spend(&service, &token))),
        )
        .route(
            "/take/{token}/finish",
            post(async |State(service): Service, Path(token): Token, form: Bytes| {
                respond(complete(&service, &token, &form))
            }),
        )
        .route("/join/{project}", get(join))
}

/// A link with what decides whether it works.
struct Link {
    project: i64,
    entry: i32,
    expires: i64,
    redirect_uri: Option<String>,
    ended: Option<String>,
    finished: bool,
    removed: bool,
    project_state: String,
    project_name: String,
}

impl Link {
    fn find(connection: &Connection, token: &str) -> Result<Option<Self>, Refusal> {
        let mut select = connection.prepare_cached(
            "SELECT l.project, l.entry, l.expires, l.redirect_uri, l.ended, l.finished IS NOT NULL, t.removed,
                p.state, p.name
             FROM links l JOIN test_takers t ON t.project = l.project AND t.entry = l.entry
                JOIN projects p ON p.seq = l.project
             WHERE l.token = ?1",
        )?;
        let link = select.query_row([token], |row| {
            Ok(Self {
                project: row.get(0)?,
                entry: row.get(1)?,
                expires: row.get(2)?,
                redirect_uri: row.get(3)?,
                ended: row.get(4)?,
                finished: row.get(5)?,
                removed: row.get(6)?,
                project_state: row.get(7)?,
                project_name: row.get(8)?,
            })
        });
        Ok(link.optional()?)
    }

    /// Why the link opens nothing, if it does not.
    fn dead(&self, now: i64) -> Option<&'static str> {
        match self.ended.as_deref() {
            _ if self.removed => Some("The test taker of this link has been removed from the project."),
            Some("rotated") => Some("A newer link was issued. Only the newest link works."),
            Some(_) => Some("This link has been used: an assessment was started with it."),
            None if now >= self.expires => Some("This link has expired."),
            None if self.project_state != word(&ProjectState::Active) => {
                Some("The project is not active. Its links work again when it is.")
            }
            None => None,
        }
    }
}

/// A page, before it is HTML.
struct Page {
    status: StatusCode,
    title: &'static str,
    /// HTML that is already escaped.
    main: String,
    redirect: Option<String>,
}

impl Page {
    fn new(status: StatusCode, title: &'static str, main: String) -> Self {
        Self { status, title, main, redirect: None }
    }

    fn dead(why: &str) -> Self {
        Self::new(StatusCode::GONE, "This link does not work", format!("<p>{}</p>", escape_html(why)))
    }

    fn into_response(self) -> Response<Body> {
        // The title first: what stands in `main` may come from people.
        let html = include_str!("assessment_page.html").replace("{title}", &escape_html(self.title));
        let html = html.replace("{main}", &self.main);
        let mut response = Response::new(Body::from(html));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            (CACHE_CONTROL, "no-store"),
            (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
            // The address of this page is a secret that the next site must not learn; its own forms name their origin.
            (REFERRER_POLICY, "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        // What a header cannot carry leads nowhere; the page itself is the answer then.
        if let Some(target) = self.redirect.and_then(|uri| HeaderValue::try_from(uri).ok()) {
            *response.status_mut() = StatusCode::SEE_OTHER;
            response.headers_mut().insert(LOCATION, target);
        }
        response
    }
}

impl From<Refusal> for Page {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Problem { status, detail, .. } => {
                Self::new(status, "This did not work", format!("<p>{}</p>", escape_html(&detail)))
            }
            Refusal::NotProvisioned => Self::dead("Not yet."),
        }
    }
}

fn respond(page: Result<Page, Refusal>) -> Response<Body> {
    page.unwrap_or_else(Page::from).into_response()
}

fn unknown() -> Page {
    let why = "<p>There is no such link. It may have been copied in part.</p>";
    Page::new(StatusCode::NOT_FOUND, "This link does not work", why.to_owned())
}

fn show(service: &RunningService, token: &str) -> Result<Page, Refusal> {
    let Some(link) = Link::find(&service.state(), token)? else { return Ok(unknown()) };
    if let Some(why) = link.dead(now()) {
        return Ok(Page::dead(why));
    }
    let main = format!(
        "<p>You are invited to an assessment of <strong>{}</strong>.</p>\n<p>Starting it uses this link up.</p>\n\
         <form method=\"post\" action=\"/take/{}/start\"><button>Start the assessment</button></form>",
        escape_html(&link.project_name),
        escape_html(token),
    );
    Ok(Page::new(StatusCode::OK, "Assessment", main))
}

/// Spends the link: it expires now, and the result says that an assessment was started.
fn spend(service: &RunningService, token: &str) -> Result<Page, Refusal> {
    let mut state = service.state();
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(link) = Link::find(&transaction, token)? else { return Ok(unknown()) };
    let now = now();
    if let Some(why) = link.dead(now) {
        return Ok(Page::dead(why));
    }
    transaction
        .prepare_cached("UPDATE links SET ended = 'spent', expires = ?2 WHERE token = ?1")?
        .execute((token, now))?;
    let started = Changes { result: Some(TestStatus::Started), ..Changes::default() };
    apply(&transaction, link.project, link.entry, &started)?;
    transaction.commit()?;
    // Completed stands first, so that a browser selects it.
    let mut outcomes: Vec<String> = TestStatus::value_variants().iter().map(word).collect();
    outcomes.sort_by_key(|outcome| *outcome != word(&TestStatus::Completed));
    let main = format!(
        "<p>The assessment of <strong>{}</strong> is under way.</p>\n\
         <form method=\"post\" action=\"/take/{}/finish\">\n\
         <p><label for=\"outcome\">How it ends</label> <select id=\"outcome\" name=\"outcome\">\
         <option>{}</option></select></p>\n<p><button>Finish the assessment</button></p></form>",
        escape_html(&link.project_name),
        escape_html(token),
        outcomes.join("</option><option>"),
    );
    Ok(Page::new(StatusCode::OK, "Assessment under way", main))
}

/// Ends the assessment with the outcome that was chosen.
fn complete(service: &RunningService, token: &str, form: &[u8]) -> Result<Page, Refusal> {
    let form = std::str::from_utf8(form).map_err(|_| unreadable())?;
    // A form's body has the syntax of a query.
    let form = Uri::try_from(format!("/?{form}")).map_err(|_| unreadable())?;
    let outcome: Option<TestStatus> = Query::parse(&form)?.word("outcome")?;
    let outcome = outcome.ok_or_else(|| Refusal::bad("outcome is required."))?;
    let mut state = service.state();
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let Some(link) = Link::find(&transaction, token)? else { return Ok(unknown()) };
    if link.finished || link.removed || link.ended.as_deref() != Some("spent") {
        return Ok(Page::dead("No assessment is under way with this link."));
    }
    transaction.prepare_cached("UPDATE links SET finished = ?2 WHERE token = ?1")?.execute((token, now()))?;
    apply(&transaction, link.project, link.entry, &Changes { result: Some(outcome), ..Changes::default() })?;
    let allowed = redirect_uris::all(&transaction)?;
    transaction.commit()?;
    let thanks = "<p>The assessment is finished. You can close this page.</p>".to_owned();
    // "The browser is sent there only if it matches the allowlist. No result data is appended to it."
    let redirect = link.redirect_uri.filter(|uri| allowed.iter().any(|entry| admits(entry, uri)));
    Ok(Page { redirect, ..Page::new(StatusCode::OK, "Thank you", thanks) })
}

fn unreadable() -> Refusal {
    Refusal::bad("The form cannot be read.")
}

/// Where a project link leads: enrolling oneself is the portal's business, and not shown.
async fn join() -> Response<Body> {
    let main = "<p>Here people enrol themselves in the real service. The sandbox has no such page.</p>".to_owned();
    Page::new(StatusCode::OK, "Project link", main).into_response()
}
