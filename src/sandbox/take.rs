//! The page that a test link opens, where an assessment is "taken": plain HTML, no script.

use std::fmt::Write as _;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, LOCATION, REFERRER_POLICY};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::http::Refusal;
use super::portal::{PersonChanges, apply};
use super::service::Shared;
use super::state::{PRESENT, fold, now};
use crate::model::results::RESULTS;
use crate::model::show::html;

/// The pages. They need no key: the link is the key.
pub(super) fn routes() -> Router<Shared> {
    let closed = |refusal: Refusal| {
        page(refusal.status, "This link does not work", &format!("<p>{}</p>", html(&refusal.detail)))
    };
    let take = get(async move |State(sandbox): State<Shared>, Path(token): Path<String>| {
        show(&*sandbox.state().await, &token).unwrap_or_else(closed)
    });
    let take = take.post(async move |State(sandbox): State<Shared>, Path(token): Path<String>, form: Bytes| {
        finish(&mut *sandbox.state().await, &token, &form).unwrap_or_else(closed)
    });
    let join = "<p>Here people enrol themselves in the real service. The sandbox has no such page.</p>";
    let join = get(async || page(StatusCode::OK, "Project link", join));
    Router::new().route("/take/{token}", take).route("/join/{project}", join)
}

/// A page. What comes from people is escaped by the caller.
fn page(status: StatusCode, title: &str, main: &str) -> Response {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<h1>{title}</h1>\n{main}\n\
         <p><small>A sandbox: nothing here is a real assessment.</small></p>\n</html>\n"
    );
    // The address of the page is a secret that the next site must not learn.
    let headers = [(CACHE_CONTROL, "no-store"), (REFERRER_POLICY, "no-referrer")];
    (status, headers, Html(page)).into_response()
}

/// A link that works.
struct OpenLink {
    entry: i64,
    project_name: String,
    redirect_uri: Option<String>,
}

/// Finds a link, or says why it opens nothing.
fn open(state: &Connection, token: &str) -> Result<OpenLink, Refusal> {
    let sql = "SELECT links.entry, projects.name, redirect_uri,
            CASE WHEN until <= ?2 THEN 'The person of this link was removed from the project.'
                WHEN ended = 'rotated' THEN 'A newer link was issued. Only the newest one works.'
                WHEN ended = 'spent' THEN 'This link was used already.'
                WHEN expires <= ?3 THEN 'This link has expired.'
                WHEN projects.state <> 'Active' THEN 'The project is not active. Its links work again when it is.' END
        FROM links JOIN people USING (entry) JOIN projects ON projects.seq = people.project WHERE token = ?1";
    let found = state.prepare_cached(sql)?.query_row(params![token, PRESENT, now()], |row| {
        let (entry, project_name, redirect_uri) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok((OpenLink { entry, project_name, redirect_uri }, row.get::<_, Option<String>>(3)?))
    });
    match found.optional()? {
        Some((link, None)) => Ok(link),
        Some((_, Some(why))) => Err(Refusal::new(StatusCode::GONE, why)),
        None => Err(Refusal::not_found("link")),
    }
}

fn show(state: &Connection, token: &str) -> Result<Response, Refusal> {
    let link = open(state, token)?;
    let mut form = format!(
        "<p>You are invited to an assessment of <strong>{}</strong>. The link can be used once.</p>\n\
         <form method=\"post\">\n<label>Outcome <select name=\"outcome\">",
        html(&link.project_name)
    );
    for result in RESULTS {
        // What most people get is chosen already. Writing into a String does not fail.
        let _ = write!(form, "<option{}>{result}</option>", if result == "Completed" { " selected" } else { "" });
    }
    form.push_str("</select></label>\n<button>Take the assessment</button>\n</form>");
    Ok(page(StatusCode::OK, "Assessment", &form))
}

/// Spends the link and sets the outcome. The browser goes to the link's redirect URI only if that is in the allowlist,
/// ignoring case (our reading); no result is appended.
fn finish(state: &mut Connection, token: &str, form: &[u8]) -> Result<Response, Refusal> {
    let outcome = url::form_urlencoded::parse(form).find(|(name, _)| name == "outcome").map(|(_, value)| value);
    let Some(outcome) = outcome.filter(|outcome| RESULTS.contains(&outcome.as_ref())) else {
        return Err(Refusal::bad("The form names no outcome."));
    };
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let link = open(&transaction, token)?;
    transaction.execute("UPDATE links SET ended = 'spent', expires = ?2 WHERE token = ?1", params![token, now()])?;
    let changes = PersonChanges { result: Some(outcome.into_owned()), ..PersonChanges::default() };
    apply(&transaction, link.entry, &changes)?;
    let redirect_uri = link.redirect_uri.as_deref().map(fold);
    let is_allowed: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM redirect_uris WHERE folded = ?1)",
        [redirect_uri],
        |row| row.get(0),
    )?;
    transaction.commit()?;
    let mut response = page(StatusCode::OK, "Thank you", "<p>The assessment is finished. You can close this page.</p>");
    let target = link.redirect_uri.filter(|_| is_allowed).and_then(|uri| HeaderValue::try_from(uri).ok());
    if let Some(target) = target {
        *response.status_mut() = StatusCode::SEE_OTHER;
        response.headers_mut().insert(LOCATION, target);
    }
    Ok(response)
}
