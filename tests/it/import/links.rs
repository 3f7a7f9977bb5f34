//! Files of links: a link that stands in its file works until it expires, whatever happens to a run.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::{machine, records, roster};
use crate::support::env::{Env, PATIENCE, mode, words};
use crate::support::service::{Op, Service, Trouble, When, gate};
use crate::support::wire::Answer;

const ISSUE: &str = "links issue --all --to links.csv";

/// The last link of each entry in a file; a line without its end is none.
pub(super) fn filed(env: &Env) -> BTreeMap<i64, String> {
    let text = std::fs::read_to_string(env.work().join("links.csv")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let rows = records(whole).into_iter();
    rows.map(|row| (row["projectEntryId"].parse().expect("a number"), row["url"].clone())).collect()
}

/// The link of each entry that works.
pub(super) fn working(service: &Service) -> BTreeMap<i64, String> {
    let held = service.held();
    held.links.iter().filter_map(|(entry, links)| Some((*entry, links.last()?.clone()))).collect()
}

#[test]
fn links_of_a_file_are_kept_and_continued_and_rotated_on_request() {
    let service = Service::start().with_people(3);
    let env = machine(&service, "");
    let _ = env.line(ISSUE).ok();
    let first = filed(&env);
    assert_eq!((first.len(), &first), (3, &working(&service)));
    let _ = env.line(ISSUE).ok();
    assert_eq!((service.count(Op::Link), &filed(&env)), (3, &first), "valid links are kept");
    service.held().add(crate::support::workspace::person(4));
    let _ = env.line(ISSUE).ok();
    assert_eq!(service.count(Op::Link), 4, "the new person gets one");
    assert_eq!(filed(&env), working(&service));
    let _ = env.line(&format!("{ISSUE} --rotate")).ok();
    assert_eq!(service.count(Op::Link), 8);
    assert_eq!(filed(&env), working(&service));
}

#[test]
fn a_file_that_is_not_one_of_links_is_left_alone() {
    let service = Service::start().with_people(1);
    let env = machine(&service, "email\na@example.com\n");
    let before = env.read("people.csv");
    let mode_of = || std::fs::metadata(env.work().join("people.csv")).expect("a file").permissions();
    mode(&env.work().join("people.csv"), 0o644);
    let permissions = mode_of();
    let _ = env.line("links issue --all --to people.csv").fails(2);
    assert_eq!((env.read("people.csv"), service.count(Op::Link), mode_of()), (before, 0, permissions));
}

#[cfg(unix)]
#[test]
fn a_file_of_links_is_for_its_owner_alone_also_where_it_was_not() {
    use std::os::unix::fs::PermissionsExt as _;
    let service = Service::start().with_people(1);
    let env = machine(&service, "");
    let path = env.write("links.csv", "projectEntryId,referenceId,email,url,expiresAtUtc,projectId\n");
    mode(&path, 0o644);
    let _ = env.line(ISSUE).ok();
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn several_links_need_a_place_and_one_is_printed() {
    let service = Service::start().with_people(2);
    let env = machine(&service, "");
    let _ = env.line("links issue --all").fails(2);
    assert_eq!(service.count(Op::Link), 0);
    let said = env.line("links issue EMP-00001 -q").data();
    assert_eq!(said.trim_end(), working(&service)[&1]);
    let said = env.line("links issue --all --to - -o csv").ok();
    assert_eq!(records(&said.stdout).len(), 2, "{said}");
}

#[test]
fn a_run_whose_answers_are_lost_is_finished_by_itself_after_ten_seconds() {
    let service = Service::start().with_people(2).on(Op::Link, When::Nth(1), Trouble::CloseAfter);
    let env = machine(&service, "");
    let began = Instant::now();
    let _ = env.line(ISSUE).ok();
    assert!(began.elapsed() >= Duration::from_secs(10));
    assert_eq!((filed(&env).len(), filed(&env)), (2, working(&service)));
}

#[test]
fn the_run_after_a_killed_one_gives_a_late_request_its_time_and_voids_no_link_of_the_file() {
    let (gate, waiting) = gate();
    let service = Service::start().with_people(3).on(Op::Link, When::Nth(2), Trouble::GateAfter(gate));
    let env = machine(&service, "");
    let line = format!("{ISSUE} --concurrency 1");
    let mut child = env.command(&words(&line)).spawn().expect("the program starts");
    waiting.arrived.recv_timeout(PATIENCE).expect("the second link is asked for");
    child.kill().expect("it runs");
    let _ = child.wait();
    drop(waiting);
    let before = filed(&env);
    assert_eq!(before.len(), 1, "the first link is on disk");
    let began = Instant::now();
    let said = env.line(&line).ok();
    assert!(began.elapsed() >= Duration::from_secs(10), "{said}");
    assert_eq!((filed(&env).len(), filed(&env)), (3, working(&service)), "{said}");
    assert!(before.iter().all(|link| filed(&env).get(link.0) == Some(link.1)), "a link of the file was voided: {said}");
    let began = Instant::now();
    let _ = env.line(&line).ok();
    assert!(began.elapsed() < Duration::from_secs(10), "it waits once");
}

#[test]
fn a_refused_key_stops_the_run_and_leaves_what_came() {
    let refused = Trouble::Answer(Answer::problem(401, "No", ""));
    let service = Service::start().with_people(3).on(Op::Link, When::After(1), refused);
    let env = machine(&service, "");
    let _ = env.line(&format!("{ISSUE} --concurrency 1")).exits(3);
    assert_eq!((filed(&env).len(), filed(&env)), (1, working(&service)));
    assert_eq!(service.count(Op::Link), 2);
}

#[test]
fn who_is_nobody_and_who_is_named_twice_is_told_and_gets_no_second_link() {
    let service = Service::start().with_people(2);
    let env = machine(
        &service,
        "referenceId,email\nEMP-00001,\nNOBODY,\nEMP-00001,p1@example.com\nEMP-00002,p1@example.com\n",
    );
    let said = env.line("links issue --file people.csv --to links.csv").exits(10);
    assert!(said.stderr.contains("line 3 is not in the project") && said.stderr.contains("line 4: conflict"), "{said}");
    assert_eq!((filed(&env).len(), service.count(Op::Link)), (1, 1), "{said}");
    let _ = env.line("links issue NOBODY --to links.csv").exits(4);
    let _ = env.line("links issue EMP-00001 EMP-00002").fails(2);
}

#[test]
fn everybody_includes_whoever_a_list_that_lags_does_not_show_yet() {
    let lag = Trouble::Lag(Duration::from_mins(5));
    let service = Service::start().with_people(1).on(Op::Enrol, When::Always, lag);
    let env = machine(&service, roster(2));
    let _ = super::import(&env, "").ok();
    let _ = env.line("links issue --all --to links.csv").exits(7).names("not listed yet");
    service.held().show_all();
    let _ = env.line("links issue --all --to links.csv").ok();
    assert_eq!(env.read("links.csv").lines().count(), 4);
}

#[test]
fn an_allowlist_that_cannot_be_read_stops_no_link() {
    let no = Trouble::Answer(Answer::problem(403, "No", ""));
    let service = Service::start().with_people(1).on(Op::Uris, When::Always, no);
    let line = "links issue EMP-00001 --redirect-uri https://depot.example/done";
    let said = machine(&service, "").line(line).ok().names("cannot be read");
    assert!(said.stdout.contains("https://"), "{said}");
}

#[test]
fn a_row_without_a_link_is_named_with_the_reason() {
    let no = Answer::problem(409, "The test taker is blocked", "p2@example.com");
    let service = Service::start().with_people(3).on(Op::Link, When::Nth(2), Trouble::Answer(no));
    let env = machine(&service, "");
    let said = env.line("links issue --all --to links.csv --concurrency 1").exits(10);
    let reason = "id:2: refused: the service answered 409: The test taker is blocked - [hidden]\n";
    assert!(said.stderr.contains(reason), "{said}");
}

#[test]
fn what_a_file_of_links_cannot_be_is_refused_before_a_link_is_issued() {
    let service = Service::start().with_people(2);
    let env = machine(&service, "");
    for options in [
        "--to links.xlsx",
        "--to links.json",
        "--to links.csv -o json",
        "--to links.csv --excel",
        "--to missing/links.csv",
        "--to .",
    ] {
        let said = env.line(&format!("links issue --all {options}"));
        assert_eq!((said.code, service.count(Op::Link)), (2, 0), "{options}: {said}");
    }
    for uri in ["javascript:alert(1)", "ftp://example.com/", "nowhere"] {
        let _ = env.line(&format!("links issue EMP-00001 --redirect-uri {uri}")).fails(2);
    }
    // A place that the workspace does not list is warned of.
    let _ = env.line("links issue EMP-00001 -q --redirect-uri https://hr.example.com/").ok().names("warning: ");
    service.held().uris.push(serde_json::json!("https://HR.example.com/"));
    let _ = env.line("links issue EMP-00001 -q --redirect-uri https://hr.example.com/").data();
}

#[test]
fn a_link_that_opens_no_web_page_is_not_handed_out() {
    let odd = Answer::ok(serde_json::json!({ "url": "javascript:alert(1)", "expiresAtUtc": "2099-01-01T00:00:00Z" }));
    let service = Service::start().with_people(1).on(Op::Link, When::Always, Trouble::Answer(odd));
    let env = machine(&service, "");
    let _ = env.line("links issue EMP-00001 -q").exits(7).hides("javascript");
    assert_eq!(service.count(Op::Link), 1);
}

#[test]
fn one_link_for_two_people_is_handed_to_one_at_most() {
    let one = Answer::ok(serde_json::json!({ "url": "https://x.example/t/1", "expiresAtUtc": "2099-01-01T00:00:00Z" }));
    let service = Service::start().with_people(3).on(Op::Link, When::Always, Trouble::Answer(one));
    let env = machine(&service, "");
    let _ = env.line(ISSUE).fails(1);
    assert_eq!(filed(&env).len(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_that_did_not_fit_on_the_disk_is_issued_again_by_the_next_run() {
    let service = Service::start().with_people(20);
    let env = machine(&service, "");
    let said = crate::support::shell::run(&env, &format!("trap '' XFSZ; ulimit -f 1; exec assessctl {ISSUE}")).exits(1);
    let before = filed(&env);
    assert!((1..20).contains(&before.len()), "{said}");
    let _ = env.line(ISSUE).ok();
    assert_eq!((filed(&env).len(), filed(&env)), (20, working(&service)));
    assert!(before.iter().all(|link| filed(&env).get(link.0) == Some(link.1)), "a link of the file was voided");
}
