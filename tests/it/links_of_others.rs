//! Links that are visibly another person's are not handed out, and those that had expired when they came are said.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::doubts::listed;
use crate::doubts_of_writes::{at, service};
use crate::harness::Env;
use crate::socket::{Answer, Request, Socket};

/// A service whose links are what `link` says of the request and the entry.
fn linking(link: impl Fn(&Request, &str) -> String + Send + Sync + 'static) -> Socket {
    service(move |request, _| {
        if request.path().ends_with("/redirect-uris") {
            return Some(Answer::ok("[]"));
        }
        let entry = request.path().strip_suffix("/test-link")?.rsplit('/').next()?;
        Some(Answer::ok(&json!({ "url": link(request, entry) }).to_string()))
    })
}

fn lines(env: &Env) -> usize {
    env.read("links.csv").lines().count()
}

#[test]
fn a_link_that_another_person_has_already_is_not_handed_out_and_stops_the_run() {
    let socket = linking(|_, _| "https://t.example/take/1".to_owned());
    for line in ["links issue --all", "links issue --file people.csv", "links issue ref:A ref:B"] {
        let env = at(&socket);
        let said = env.line(&format!("{line} --to links.csv --concurrency 1")).exits(7).hides("t.example/take");
        let _ = said.mentions("it is that of entry 1");
        assert_eq!(lines(&env), 2, "the first one got it");
    }
    let env = at(&socket);
    let line = "testtakers import people.csv --settle 1s --with-links links.csv --concurrency 1";
    let _ = env.line(line).exits(7).mentions("it is that of entry 1").hides("t.example/take");
    assert_eq!(lines(&env), 2);
    // What an earlier run issued is known from the journal, and from a file.
    let env = at(&socket);
    let _ = env.line("links issue ref:A -o csv").ok();
    let said = env.line("links issue ref:B -o csv").exits(7).mentions("it is that of entry 1");
    let _ = said.hides("t.example/take");
    let elsewhere = at(&socket);
    elsewhere.write("links.csv", "projectEntryId,referenceId,url,expiresAtUtc\n1,A,https://t.example/take/1,\n");
    let said = elsewhere.line("links issue ref:B --to links.csv").exits(7).mentions("it is that of entry 1");
    let _ = said.hides("t.example/take");
    // One person's own link may come again.
    let _ = env.line("links issue ref:A -o csv").ok();
}

#[test]
fn a_link_with_another_reference_id_or_redirect_uri_than_was_sent_is_not_handed_out() {
    let socket = linking(|request, entry| {
        let id = request.json()["referenceId"].as_str().map_or_else(String::new, |id| id.replace('B', "A"));
        let uri = request.json()["redirectUri"].as_str().map_or_else(String::new, |uri| uri.replace("hr", "evil"));
        format!("https://t.example/take/{entry}?reference_id={id}&redirect_uri={uri}")
    });
    let env = at(&socket);
    let all = "links issue --all --to links.csv --concurrency 1 --own-reference-id --report report.csv";
    let _ = env.line(all).exits(7).mentions("it has another reference_id than was sent").hides("t.example/take");
    assert_eq!(lines(&env), 2, "the first one is right");
    let report = env.read("report.csv");
    assert!(report.contains("in-doubt") && report.contains("the link before is void"), "{report}");
    let redirect = "--redirect-uri https://hr.example/done";
    let said = at(&socket).line(&format!("links issue ref:A {redirect} -o csv")).exits(7);
    let _ = said.mentions("it has another redirect_uri than was sent").hides("t.example/take");
}

#[test]
fn a_link_that_had_expired_when_it_came_is_handed_out_and_said() {
    let expired = json!({ "url": "https://t.example/take/1", "expiresAtUtc": "2026-01-01T00:00:00Z" }).to_string();
    let at_the_time = "Date: Thu, 01 Jan 2026 00:00:01 GMT";
    let before = "Date: Wed, 31 Dec 2025 23:59:50 GMT";
    for (date, code) in [(at_the_time, 10), (before, 0)] {
        let expired = expired.clone();
        let socket = service(move |request, _| {
            request.path().ends_with("/1/test-link").then(|| Answer::new(200, &[date], &expired))
        });
        let said = at(&socket).line("links issue ref:A -o csv");
        assert_eq!((said.code, said.stdout.contains("/take/1")), (code, true), "{said}");
        let env = at(&socket);
        let said = env.line("links issue --all --to links.csv --report report.csv --concurrency 1");
        assert_eq!((said.code, lines(&env)), (code, 3), "{said}");
        let report = env.read("report.csv");
        let is_said = report.contains("expired already at 2026-01-01T00:00:00Z by the service's clock");
        assert_eq!((report.matches("issued").count(), is_said), (2, code == 10), "{report}");
        let line = "testtakers import people.csv --settle 1s --with-links others.csv --rotate --concurrency 1";
        let said = env.line(line).exits(code);
        assert_eq!(said.stderr.matches("1 link had expired already").count(), usize::from(code == 10), "{said}");
    }
}

#[test]
fn whoever_has_the_entry_of_another_person_now_gets_a_link_of_their_own() {
    let is_reused = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_reused);
    let socket = service(move |request, people| {
        if told.load(Ordering::SeqCst) && request.method == "GET" {
            people.insert(1, listed(&json!({ "email": "zoe@x.com", "referenceId": "Z" }), 1));
        }
        None
    });
    let env = at(&socket);
    let all = "links issue --all --to links.csv --with email";
    let _ = env.line(all).ok().mentions("2 issued");
    is_reused.store(true, Ordering::SeqCst);
    // Without the journal the file alone tells whose its links are.
    let elsewhere = at(&socket);
    let file = env.read("links.csv").replace("/t/1,", "/t/1,2100-01-01T00:00:00Z");
    elsewhere.write("links.csv", file.replace("/t/2,", "/t/2,2100-01-01T00:00:00Z"));
    for env in [env, elsewhere] {
        let _ = env.line(all).ok().mentions("1 issued, 1 kept");
        assert!(
            env.read("links.csv").lines().last().is_some_and(|line| line.ends_with("zoe@x.com")),
            "the last row counts"
        );
        let _ = env.line(all).ok().mentions("2 kept");
    }
}
