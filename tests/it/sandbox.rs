//! The sandbox as its user meets it: inside a command, as a server, and on the page where a test is taken.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::env::{Env, mode, signal, words};
use crate::support::served::Served;
use crate::support::service::Service;
use crate::support::terminal::Terminal;
use crate::support::wire::{self, Reply, ask_raw};

/// Enrols somebody; the path of their record.
fn enrol(served: &Served) -> String {
    let people = format!("{}/testtakers", served.demo());
    let answer = served.ask(&format!("POST {people}"), json!({ "email": "ann@example.com", "referenceId": "EMP-1" }));
    assert_eq!(answer.status, 201, "{answer:?}");
    format!("{people}/{}", answer.json()["projectEntryId"])
}

/// A link for the person, as a path of the sandbox.
fn issue(served: &Served, person: &str, body: Value) -> String {
    let link = served.ask(&format!("POST {person}/test-link"), body).json();
    let url = link["url"].as_str().expect("a link");
    url.strip_prefix(&served.url).expect("an address of this sandbox").to_owned()
}

fn open(served: &Served, link: &str) -> Reply {
    ask_raw(&served.url, &format!("GET {link}"), "", "")
}

/// Sends the form of a page, which has no address of its own, as a browser does.
fn submit(served: &Served, link: &str, outcome: &str) -> Reply {
    let label = "Content-Type: application/x-www-form-urlencoded\r\n";
    ask_raw(&served.url, &format!("POST {link}"), label, &format!("outcome={outcome}"))
}

/// The latest result of the person.
fn result(served: &Served) -> Value {
    served.ask(&format!("GET {}/results/EMP-1", served.demo()), None).json()["result"].clone()
}

#[test]
fn a_person_takes_the_test_on_the_page_of_a_link_and_goes_where_the_allowlist_lets_them() {
    let served = Served::start(&Env::new(), "");
    let person = enrol(&served);
    let done = "https://portal.example.com/done";
    let added = served.ask("POST /workspace/redirect-uris", json!([done]));
    assert_eq!(added.status, 200, "{added:?}");
    let allowed = issue(&served, &person, json!({ "redirectUri": done, "referenceId": "EMP-1" }));
    let page = open(&served, &allowed);
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")), "{page:?}");
    assert!(page.body.contains("<form method=\"post\">") && page.body.contains("Demo"), "{page:?}");
    assert_eq!(result(&served), Value::Null, "looking at the page is no test");
    let taken = submit(&served, &allowed, "HighRisk");
    assert_eq!((taken.status, taken.header("location")), (303, Some(done)), "no result is appended");
    assert_eq!(result(&served), "HighRisk");

    let elsewhere = issue(&served, &person, json!({ "redirectUri": "https://elsewhere.example.com/" }));
    let taken = submit(&served, &elsewhere, "Completed");
    assert_eq!((taken.status, taken.header("location")), (200, None), "{taken:?}");
    assert_eq!(result(&served), "Completed");
}

#[test]
fn a_dead_link_takes_no_test_and_each_kind_has_its_reason() {
    let env = Env::new();
    let served = Served::start(&env, "");
    let person = enrol(&served);
    let (rotated, spent) = (issue(&served, &person, json!({})), issue(&served, &person, json!({})));
    assert_eq!(submit(&served, &spent, "Completed").status, 200);
    let inactive = issue(&served, &person, json!({}));
    assert_eq!(env.line("sandbox set --state Inactive").data(), "");
    let mut pages: Vec<_> = [&rotated, &spent, &inactive].map(|link| open(&served, link).body).into();
    for link in [&rotated, &spent, &inactive] {
        assert_eq!((open(&served, link).status, submit(&served, link, "HighRisk").status), (410, 410), "{link}");
    }
    assert_eq!(env.line("sandbox set --state Active").data(), "");
    assert_eq!(open(&served, &inactive).status, 200);
    assert_eq!(served.ask(&format!("DELETE {person}"), None).status, 204);
    let gone = open(&served, &inactive);
    pages.push(gone.body);
    pages.sort();
    pages.dedup();
    assert_eq!((gone.status, pages.len()), (410, 4), "{pages:#?}");
    assert_eq!(open(&served, "/take/nonsense").status, 404);
}

#[test]
fn a_served_sandbox_has_a_new_key_each_time_or_the_one_of_a_private_file() {
    let env = Env::new();
    let status = |served: &Served, key: &str| wire::ask(&served.url, "GET /projects", Some(key), None).status;
    let (one, other) = (Served::start(&env, ""), Served::start(&env, ""));
    assert_eq!([status(&one, &one.key), status(&other, &one.key)], [200, 401]);
    // A shell reads the key from the file, wherever it is.
    let made = Served::start(&env, "--key-file key.txt");
    assert!(made.key.split([' ', '\'', ')']).any(|word| word.ends_with("key.txt") && Path::new(word).is_absolute()));
    let key = env.read("key.txt");
    let again = Served::start(&env, "--key-file key.txt");
    assert_eq!([status(&made, key.trim()), status(&again, key.trim())], [200, 200]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let found = env.work().join("key.txt").metadata().expect("a file").permissions().mode();
        assert_eq!(found & 0o777, 0o600);
        mode(&env.work().join("key.txt"), 0o644);
        let _ = env.line("sandbox serve --listen 127.0.0.1:0 --key-file key.txt").fails(2).hides(key.trim());
    }
    let port = one.url.rsplit(':').next().expect("a port");
    let _ = env.line(&format!("sandbox serve --listen 127.0.0.1:{port}")).fails(2);
    let _ = env.line("sandbox serve --listen 0.0.0.0:0").fails(2);
}

#[test]
fn commands_and_servers_share_one_state_until_it_is_reset() {
    let env = Env::new();
    let listed = || env.line("--profile sandbox testtakers list -q").data().lines().count();
    assert_eq!(env.line("sandbox seed --people 3").data(), "");
    let served = Served::start(&env, "");
    let shown = |path: &str| served.ask(&format!("GET {path}/testtakers"), None);
    let before = served.demo();
    assert_eq!((listed(), shown(&before).json().as_array().map(Vec::len)), (3, Some(3)));
    assert_eq!(env.line("sandbox seed --people 2 -p demo").data(), "");
    assert_eq!((listed(), shown(&before).json().as_array().map(Vec::len)), (5, Some(5)));
    let _ = env.line("sandbox reset").fails(2);
    assert_eq!(listed(), 5);
    assert_eq!(env.line("sandbox reset -y").data(), "");
    assert_eq!((listed(), shown(&before).status, shown(&served.demo()).status), (0, 404, 200));
}

#[cfg(unix)]
#[test]
fn whatever_was_answered_is_there_after_a_kill_and_ctrl_c_leaves_one_file() {
    let env = Env::new();
    let mut served = Served::start(&env, "");
    (0..20).for_each(|_| drop(enrol(&served)));
    signal(&served.child, "KILL");
    assert_eq!(served.child.wait().expect("a status").code(), None);
    let mut again = Served::start(&env, "");
    let people = again.ask(&format!("GET {}/testtakers", again.demo()), None).json();
    assert_eq!(people.as_array().map(Vec::len), Some(20));
    signal(&again.child, "INT");
    assert_eq!(crate::support::env::code(again.child.wait().expect("a status")), 130);
    let files = std::fs::read_dir(env.place("state/sandbox")).expect("a folder");
    let names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
    assert_eq!(names, ["sandbox.db"], "the log of the database is closed");
}

#[test]
fn no_command_of_the_sandbox_reaches_a_service() {
    let service = Service::start().with_people(1);
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", "Night shift north");
    for line in ["sandbox seed --people 1", "sandbox set id:1 --result HighRisk", "sandbox reset -y"] {
        assert_eq!(env.line(line).data(), "", "{line}");
    }
    let projects = env.line("--profile sandbox projects list --fields name -o csv").ok();
    assert_eq!(projects.stdout, "name\nDemo\n");
    assert_eq!(service.log(), []);
}

#[test]
fn on_a_terminal_the_commands_say_where_and_a_reset_asks() {
    let env = Env::new();
    let says = |line: &str, keys: &str| {
        let mut terminal = Terminal::start(&env, 80, &words(line));
        if !keys.is_empty() {
            terminal.shows("[y/N]").types(keys);
        }
        let (code, screen) = terminal.ends();
        assert!(!screen.wraps(), "{}", screen.text());
        (code, screen.text())
    };
    let (code, text) = says("sandbox seed --people 4", "");
    assert!(code == 0 && text.contains("in Demo (sandbox)") && text.contains("results list"), "{text}");
    let (code, text) = says("sandbox set id:1 --result HighRisk", "");
    assert!(code == 0 && text.contains("in Demo (sandbox)"), "{text}");
    assert_eq!(says("sandbox reset", "n\r").0, 130);
    assert_eq!(env.line("--profile sandbox testtakers list -q").data().lines().count(), 4);
    let (code, text) = says("sandbox reset", "y\r");
    assert!(code == 0 && text.contains("Demo"), "{text}");
    assert_eq!(env.line("--profile sandbox testtakers list -q").data(), "");
}
