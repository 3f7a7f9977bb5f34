//! Entries that the journal knows as its own people's and that are other people's now: a service was set up anew, or reuses
//! numbers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::doubts::listed;
use crate::doubts_of_writes::{at, service};
use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::Socket;

/// A service that was set up anew once it is told so: other people have the numbers of those who were enrolled.
fn reused() -> (Socket, Env, Arc<AtomicBool>) {
    let is_new = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_new);
    let socket = service(move |request, people| {
        if told.load(Ordering::SeqCst) && request.method == "GET" {
            for (entry, person) in people.iter_mut().filter(|(entry, _)| **entry > 2) {
                let body = json!({ "email": format!("other{entry}@y.com"), "referenceId": format!("OTHER-{entry}") });
                *person = listed(&body, *entry);
            }
        }
        None
    });
    let env = at(&socket);
    env.write("new.csv", "email,firstName,lastName,referenceId\ncy@x.com,Cy,Three,C\ndee@x.com,Dee,Four,D\n");
    // One at a time: the service numbers those who arrive.
    let _ = env.line("testtakers import new.csv --concurrency 1").ok();
    is_new.store(true, Ordering::SeqCst);
    (socket, env, is_new)
}

fn outcomes(said: &Said) -> Vec<String> {
    records(&said.stdout).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn an_entry_that_is_another_person_now_is_a_conflict_and_gets_no_link() {
    let (socket, env, _) = reused();
    for more in ["", "--again", "--with-links links.csv"] {
        let said = env.line(&format!("testtakers import new.csv --settle 0s -o csv {more}")).exits(10);
        assert_eq!(outcomes(&said), ["conflict", "conflict"], "{said}");
        assert!(said.stdout.contains("entry 3 is another person now: e-mail and reference id differ"), "{said}");
    }
    let enrol = "testtakers enrol --email cy@x.com --first-name Cy --last-name Three --reference-id C -o json";
    assert!(env.line(enrol).exits(5).stdout.contains(r#""outcome": "conflict""#));
    assert_eq!(socket.writes().len(), 2, "nothing is sent");
    // The message names the way out.
    let _ = env.line("journal forget --yes").ok();
    assert_eq!(outcomes(&env.line("testtakers import new.csv -o csv").ok()), ["enrolled", "enrolled"]);
    assert_eq!(socket.writes().len(), 4, "once more");
}

#[test]
fn an_undo_leaves_other_people_alone_who_have_the_entries_now() {
    let (socket, env, is_new) = reused();
    let left = "2 entries are other people now, and left alone: e-mail and reference id differ (id:3, id:4)";
    let _ = env.line("journal undo new.csv --dry-run").mentions(left).mentions("0 people would be removed");
    let _ = env.line("journal undo new.csv --yes").exits(10).mentions(left).mentions("0 of 0 people removed");
    assert_eq!(socket.writes().len(), 2, "nothing is sent");
    is_new.store(false, Ordering::SeqCst);
}
