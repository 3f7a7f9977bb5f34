//! People who were removed from here, and whom lists show still: they lag behind, or the removal was not carried out.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::doubts::{enrolment, listed};
use crate::doubts_of_writes::{at, service};
use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::{Answer, Request, Socket};

/// A service that removes the people it is told to, and goes on to show them as long as it lags. It has Ann (1, A) and Bob
/// (2, B) at first.
fn lagging() -> (Socket, Env, Arc<AtomicBool>) {
    let lags = Arc::new(AtomicBool::new(true));
    let (is_late, removed) = (Arc::clone(&lags), Mutex::new(Vec::<i64>::new()));
    let socket = service(move |request, people| {
        let mut removed = removed.lock().expect("no server thread panics");
        if !is_late.load(Ordering::SeqCst) {
            for entry in removed.drain(..) {
                people.remove(&entry);
            }
        }
        (request.method == "DELETE").then(|| {
            removed.push(request.path().rsplit('/').next().and_then(|entry| entry.parse().ok()).expect("an entry id"));
            Answer::new(204, &[], "")
        })
    });
    let env = at(&socket);
    (socket, env, lags)
}

fn outcomes(said: &Said) -> Vec<String> {
    records(&said.stdout).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn enrolments(socket: &Socket) -> usize {
    socket.writes().iter().filter(|request| request.method == "POST").count()
}

#[test]
fn whoever_was_removed_a_short_time_ago_is_enrolled_anew_once_no_list_shows_the_old_entry() {
    let (socket, env, lags) = lagging();
    let import = "testtakers import people.csv --no-wait -o csv";
    assert_eq!(outcomes(&env.line(import).ok()), ["existing", "existing"]);
    let _ = env.line("testtakers remove ref:A --yes").ok();
    for line in [format!("{import} --dry-run"), import.to_owned()] {
        let said = env.line(&line).exits(7).mentions("the messages say when to run the same command again");
        assert_eq!(
            (outcomes(&said), enrolments(&socket)),
            (vec!["not-attempted".into(), "existing".into()], 0),
            "{said}"
        );
        let words =
            "entry 1 was removed a short time ago and the service still shows it: run the same command again in 5m";
        assert!(said.stdout.contains(words), "{said}");
    }
    let enrol = "testtakers enrol --email ann@x.com --reference-id A --no-wait -o json";
    assert!(env.line(enrol).exits(7).stdout.contains(r#""outcome": "not-attempted""#));
    lags.store(false, Ordering::SeqCst);
    for sent in [1, 1] {
        let said = env.line(import).ok();
        assert_eq!(
            (outcomes(&said), enrolments(&socket)),
            (vec!["enrolled".into(), "existing".into()], sent),
            "{said}"
        );
    }
}

#[test]
fn an_import_that_was_taken_back_enrols_anew_once_no_list_shows_the_old_entries() {
    let (socket, env, lags) = lagging();
    env.write("new.csv", "email,referenceId\ncy@x.com,C\ndee@x.com,D\n");
    let import = "testtakers import new.csv --no-wait -o csv";
    let _ = env.line(import).ok();
    let _ = env.line("journal undo new.csv --yes").ok().mentions("2 of 2 people removed");
    assert_eq!(outcomes(&env.line(import).exits(7)), ["not-attempted", "not-attempted"]);
    lags.store(false, Ordering::SeqCst);
    let said = env.line(import).ok();
    assert_eq!((outcomes(&said), enrolments(&socket)), (vec!["enrolled".to_owned(); 2], 4), "{said}");
}

#[test]
fn a_removal_answered_with_404_is_believed_only_where_the_entry_is_not_shown() {
    let socket = service(|request, people| match request.method.as_str() {
        "DELETE" if request.path().ends_with("/3") => {
            people.remove(&3);
            Some(Answer::problem(404, "Not Found", ""))
        }
        "DELETE" => Some(Answer::problem(404, "Not Found", "no such thing")),
        _ => None,
    });
    let env = at(&socket);
    env.write("new.csv", "email,referenceId\ncy@x.com,C\ndee@x.com,D\n");
    let _ = env.line("testtakers import new.csv").ok();
    let _ = env.line("journal undo new.csv --yes").exits(10).mentions("1 of 2 people removed");
    let said = env.line("testtakers remove ref:A --yes -o csv");
    assert_eq!(outcomes(&said), ["refused"], "{said}");
    assert!(said.stdout.contains("refused,404: Not Found: no such thing"), "{said}");
    let said = env.line("testtakers import new.csv --no-wait -o csv").ok();
    assert_eq!(
        (outcomes(&said), enrolments(&socket)),
        (vec!["enrolled".to_owned(); 2], 3),
        "one is here still\n{said}"
    );
}

#[test]
fn a_404_is_held_against_the_entry_itself_by_the_address_that_the_service_shows() {
    let refusing = |request: &Request| (request.method == "DELETE").then(|| Answer::problem(404, "Not Found", ""));
    // Ann's entry is gone, and another one has her address.
    let socket = service(move |request, people| {
        let refused = refusing(request)?;
        let mut other = people.remove(&1)?;
        (other["id"], other["referenceId"]) = (json!(9), json!("Z"));
        people.insert(9, other);
        Some(refused)
    });
    assert_eq!(outcomes(&at(&socket).line("testtakers remove ref:A --yes -o csv").ok()), ["removed"]);
    // Of an entry without an address nothing can be looked for.
    let socket = service(move |request, people| {
        people.get_mut(&1)?["email"] = Value::Null;
        refusing(request)
    });
    assert_eq!(outcomes(&at(&socket).line("testtakers remove ref:A --yes -o csv").exits(5)), ["refused"]);
    // The service shows another address than was sent.
    let socket = service(move |request, people| {
        for person in people.values_mut() {
            person["email"] = json!(text(&person["email"]).replace("+hr", ""));
        }
        refusing(request)
    });
    let env = at(&socket);
    env.write("new.csv", "email,referenceId\ncy+hr@x.com,C\n");
    let _ = env.line("testtakers import new.csv").ok();
    let _ = env.line("journal undo new.csv --yes").exits(10).mentions("0 of 1 person removed");
}

#[test]
fn a_removed_entry_that_is_shown_under_another_address_or_reference_id_holds_its_row_up() {
    for field in ["email", "referenceId"] {
        let socket = service(move |request, people| {
            (request.method == "DELETE").then(|| {
                people.get_mut(&1).expect("Ann")[field] = json!("other");
                Answer::new(204, &[], "")
            })
        });
        let env = at(&socket);
        let _ = env.line("testtakers remove ref:A --yes").ok();
        let said = env.line("testtakers import people.csv --no-wait -o csv").exits(7);
        assert_eq!(
            (outcomes(&said), enrolments(&socket)),
            (vec!["not-attempted".into(), "existing".into()], 0),
            "{said}"
        );
    }
}

#[test]
fn a_service_that_gives_whoever_comes_back_the_old_entry_is_believed() {
    let socket = service(|request, people| match request.method.as_str() {
        "POST" => {
            people.insert(1, listed(&request.json(), 1));
            Some(Answer::json(201, &enrolment(&request.json(), 1).to_string()))
        }
        _ => people.is_empty().then(Answer::nothing),
    });
    let env = at(&socket);
    let _ = env.line("testtakers remove ref:A --yes").ok();
    for sent in [1, 1] {
        let said = env.line("testtakers import people.csv -o csv").ok();
        assert_eq!(
            (outcomes(&said), enrolments(&socket)),
            (vec!["enrolled".into(), "existing".into()], sent),
            "{said}"
        );
    }
}

#[test]
fn an_entry_that_was_removed_longer_ago_than_lists_lag_is_there_again() {
    let (socket, env, _) = lagging();
    let _ = env.line("testtakers remove ref:A --yes").ok();
    let said = env.line("testtakers import people.csv --settle 0s -o csv").ok();
    assert_eq!((outcomes(&said), enrolments(&socket)), (vec!["existing".to_owned(); 2], 0), "{said}");
}
