//! The connection to the service, and what it answers: nothing but reads.

use jiff::{SignedDuration, Timestamp};
use url::Url;

use super::Diagnosis;
use crate::api::{
    Certificate, Client, Error, Kind, PeopleQuery, ProjectQuery, Route, SetupFault, connect, fetch_certificate,
    is_no_such_host, resolve,
};
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::list_query::{Order, PeopleFilters};
use crate::model::projects::ProjectId;
use crate::model::results::{LegacyOrderBy, ResultsApi};

/// A certificate that expires sooner than this is worth a warning.
const SOON: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How far off a clock may be: expiries and waits are longer.
const OFF: SignedDuration = SignedDuration::from_secs(60);

/// Looks at the connection, then asks the service for one project and one result.
pub async fn examine(diagnosis: &mut Diagnosis, session: &Session, project: &ProjectArg, proxies: &[&str]) {
    if let Some(url) = &session.settings.base_url {
        connection(diagnosis, &url.value, proxies).await;
    }
    if diagnosis.failed("base-url") || diagnosis.failed("api-key") {
        return diagnosis.skip("service", "not asked: see above");
    }
    let client = match session.client() {
        Ok(client) => client,
        Err(error) => return diagnosis.fail("service", Failure::usage(format!("{error:#}"))),
    };
    let asked = client.projects(&ProjectQuery::default()).page_size(1).page(1).await;
    clock(diagnosis, client.clock_ahead());
    match asked {
        Ok(projects) => {
            diagnosis.ok("service", "answers, and accepts the key");
            let first = projects.first().map(|read| read.record.id);
            results(diagnosis, session, &client, project, first).await;
        }
        Err(error) => refused(diagnosis, &error),
    }
}

/// Name, connection and certificate: of the service, or of the proxy on the way to it. `proxies` are the variables that
/// name one.
async fn connection(diagnosis: &mut Diagnosis, url: &Url, proxies: &[&str]) {
    let route = Route::of(url);
    let (host, port) = match &route {
        Route::Proxy { host, port, .. } => (host.as_str(), *port),
        _ => (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(443)),
    };
    let by_proxy = matches!(route, Route::Proxy { .. });
    proxy(diagnosis, &route, url.scheme(), proxies);
    let addresses = match resolve(host, port).await {
        Ok(addresses) => addresses,
        Err(error) => {
            let verdict = if is_no_such_host(&error) { Verdict::Usage } else { Verdict::NoAnswer };
            let failure = Failure::new(verdict, format!("{host} is not found: {error}"));
            let todo = "check the host name, and whether this machine may look names up";
            return diagnosis.fail("dns", failure.hint(todo));
        }
    };
    diagnosis.ok("dns", format!("{host}: {} found", addresses.len()));
    let stream = match connect(&addresses).await {
        Ok(stream) => stream,
        Err(error) => {
            let failure = Failure::new(Verdict::NoAnswer, format!("{host}:{port}: {error}"));
            let todo = "check the port, the firewall, and whether a proxy is needed";
            return diagnosis.fail("tcp", failure.hint(todo));
        }
    };
    diagnosis.ok("tcp", format!("{host}:{port} accepts connections"));
    match (url.scheme(), by_proxy) {
        ("https", false) => certificate(diagnosis, fetch_certificate(host, stream).await),
        ("https", true) => {
            diagnosis.skip("tls", "not looked at through a proxy; `service` below tells whether it holds");
        }
        _ => diagnosis.skip("tls", "plain http"),
    }
}

fn proxy(diagnosis: &mut Diagnosis, route: &Route, scheme: &str, proxies: &[&str]) {
    let todo = "set the variable to http://HOST:PORT, or the host's name in NO_PROXY";
    let meant = [format!("{scheme}_proxy"), "all_proxy".to_owned()];
    match (route, proxies.iter().find(|name| meant.contains(&name.to_ascii_lowercase()))) {
        (Route::Proxy { scheme, host, port }, _) if scheme.starts_with("http") => {
            diagnosis.ok("proxy", format!("{host}:{port}, as the environment says"));
        }
        (Route::Proxy { scheme, .. }, _) => {
            let cause = format!("{scheme} is not spoken: http and https are");
            diagnosis.fail("proxy", Failure::new(Verdict::NoAnswer, cause).hint(todo));
        }
        (Route::Exempt, _) => diagnosis.ok("proxy", "none for this host, as NO_PROXY says"),
        (Route::Direct, Some(name)) => diagnosis.warn("proxy", format!("none: {name} is no address of one"), todo),
        (Route::Plain, Some(name)) => {
            diagnosis.warn("proxy", format!("none: plain http ignores {name}"), "use https where a proxy is needed");
        }
        (Route::Direct | Route::Plain, None) | (Route::Loopback, _) => diagnosis.ok("proxy", "none"),
    }
}

fn certificate(diagnosis: &mut Diagnosis, seen: std::io::Result<Certificate>) {
    match seen {
        Ok(Certificate { issuer, expires }) => {
            let found = format!("issued by {issuer}, until {expires}");
            let left = expires.duration_since(Timestamp::now());
            if left.is_negative() {
                diagnosis.warn("tls", found, "expired: tell those who run the service");
            } else if left < SOON {
                diagnosis.warn("tls", found, "expires soon: tell those who run the service");
            } else {
                diagnosis.ok("tls", found);
            }
        }
        Err(error) => {
            let failure = Failure::new(Verdict::NoAnswer, format!("no certificate was shown: {error}"));
            diagnosis.fail("tls", failure.hint("check that the base URL is https and its port right"));
        }
    }
}

fn clock(diagnosis: &mut Diagnosis, ahead: Option<SignedDuration>) {
    match ahead {
        None => diagnosis.skip("clock", "the service did not say what time it is"),
        Some(ahead) if ahead.abs() <= OFF => diagnosis.ok("clock", "agrees with the service's"),
        Some(ahead) => {
            let which = if ahead.is_negative() { "ahead of" } else { "behind" };
            let found = format!("{} s {which} the service's", ahead.abs().as_secs());
            diagnosis.warn("clock", found, "set this machine's clock: expiries and pauses are judged by it");
        }
    }
}

/// Why the service is of no use, in our words: its own may name a person.
fn refused(diagnosis: &mut Diagnosis, error: &Error) {
    let found = match error.status() {
        Some(status) => format!("answers {status}"),
        // A page may name a person.
        None => match error {
            Error::Unreadable { .. } => "answers, but not as the service does".to_owned(),
            other => other.to_string(),
        },
    };
    let (verdict, todo) = match (error, error.status()) {
        (Error::Misconfigured { fault: SetupFault::Certificate(refused), .. }, _) => {
            (Verdict::Usage, refused.remedy.advice())
        }
        (_, Some(401)) => (Verdict::Key, "the key is not accepted: ask for a new one, or name another profile"),
        (_, Some(403)) => (Verdict::Key, "the key may not read projects: ask for one that may"),
        _ if error.kind() == Kind::Misconfigured => (error.verdict(), "check the base URL"),
        _ if error.kind() == Kind::NotTheService => (error.verdict(), "the base URL is probably wrong"),
        (Error::Unreadable { .. }, _) | (_, Some(400..=407 | 410..=428 | 430..=499)) => {
            (Verdict::Usage, "this is not the service, or the base URL lacks a path")
        }
        _ => (Verdict::NoAnswer, "try again later"),
    };
    diagnosis.fail("service", Failure::new(verdict, found).hint(todo));
}

/// The project that commands work on unless they name one, if it is there.
async fn set_project(session: &Session, client: &Client, project: &ProjectArg) -> anyhow::Result<ProjectId> {
    let found = project.find(session, client).await?;
    found.check(client).await?;
    Ok(found.id())
}

/// Says that the project cannot be worked on: each command that does not name another one would fail.
fn say_missing(diagnosis: &mut Diagnosis, error: &anyhow::Error) {
    let todo = "`assessctl projects list` shows the projects";
    let is_missing = error.downcast_ref::<Error>().is_some_and(Error::is_not_found);
    let missing = is_missing.then_some((Verdict::NotFound, "there is no project of this id"));
    let unfit = error.downcast_ref::<Failure>().map(|failure| (failure.verdict, failure.cause.as_str()));
    match missing.or(unfit) {
        Some((verdict, cause)) => {
            diagnosis.skip("results-api", "there is no project to look at");
            diagnosis.fail("project", Failure::new(verdict, cause).hint(todo));
        }
        None => diagnosis.warn("results-api", format!("the project cannot be read: {error}"), todo),
    }
}

/// Which documented shape the results have, by the first result of a project.
async fn results(
    diagnosis: &mut Diagnosis,
    session: &Session,
    client: &Client,
    project: &ProjectArg,
    first: Option<ProjectId>,
) {
    let id = match project.named(session) {
        Some(_) => match set_project(session, client, project).await {
            Ok(id) => id,
            Err(error) => return say_missing(diagnosis, &error),
        },
        None => match first {
            Some(id) => id,
            None => return diagnosis.skip("results-api", "there is no project to look at"),
        },
    };
    let (set, name) = match session.settings.results_api.value {
        ResultsApi::Current => {
            (client.results(id, &PeopleQuery::default()).page_size(1).page(1).await.map(|r| r.len()), "current")
        }
        ResultsApi::Legacy => {
            let query =
                PeopleQuery { order_by: LegacyOrderBy::FullName, order: Order::Asc, filters: PeopleFilters::default() };
            (client.legacy_results(id, &query).page_size(1).page(1).await.map(|r| r.len()), "legacy")
        }
    };
    match set {
        Ok(0) => diagnosis.skip("results-api", format!("there is no result to tell by; set to {name}")),
        Ok(_) => diagnosis.ok("results-api", format!("{name}, as set")),
        Err(Error::OtherShape { found }) => {
            let found = if found == ResultsApi::Legacy { "legacy" } else { "current" };
            let failure = Failure::usage(format!("{found}, but set to {name}"));
            diagnosis.fail("results-api", failure.hint(format!("assessctl config set results-api {found}")));
        }
        Err(error) => {
            let found = error.status().map_or_else(|| error.to_string(), |status| format!("answers {status}"));
            diagnosis.warn(
                "results-api",
                format!("cannot be told: {found}"),
                "name a project that you may read with -p",
            );
        }
    }
}
