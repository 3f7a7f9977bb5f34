//! `--replace-renamed`: another e-mail of the same reference id is enrolled anew, looked for, and then the old entry goes.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::doubts::{array, enrolment, listed, matching};
use crate::harness::{Env, KEY};
use crate::imports::records;
use crate::socket::{Answer, Request, Socket};
use crate::sync::{enrolled, file, held, ids, night, person};
use crate::wire::PROJECT;

/// The e-mails of the people of `Demo`, sorted.
fn emails(env: &Env) -> Vec<String> {
    let people = env.line("--profile sandbox testtakers list -p Demo -o json").json();
    let people = people.as_array().expect("an array").iter();
    let mut emails: Vec<String> = people.map(|person| person["email"].as_str().unwrap_or("-").to_owned()).collect();
    emails.sort();
    emails
}

#[test]
fn a_person_with_another_email_is_replaced_in_one_night_where_that_is_wanted() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=4), "").ok();
    let text = file(1..=4).replace("p2@", "married@");
    let _ = night(&env, &text, "").exits(10).mentions("1 renamed");
    assert!(emails(&env).contains(&"p2@example.com".to_owned()));
    let said = night(&env, &text, "--replace-renamed -o csv").ok();
    let said = said.mentions("4 in the file: 3 as they were, 1 replaced in Demo");
    let said = said.mentions("can't be read here afterwards").mentions("can't be read here any more");
    let outcomes: Vec<String> = records(&said.stdout)
        .iter()
        .map(|row| format!("{} {} {}", row["change"], row["outcome"], row["email"]).replace('"', ""))
        .collect();
    assert_eq!(outcomes, ["replaced enrolled married@example.com", "replaced removed p2@example.com"], "{said}");
    assert_eq!(emails(&env), ["married@example.com", "p1@example.com", "p3@example.com", "p4@example.com"]);
    let _ = night(&env, &text, "").ok().mentions("4 as they were");
    let back = night(&env, &file(1..=4), "--replace-renamed").ok();
    let _ = back.mentions("1 replaced");
    assert_eq!(enrolled(&env), ids(1..=4));
}

#[test]
fn nobody_is_replaced_on_the_first_roster_or_whom_the_rules_would_not_let_leave() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email old1@example.com --reference-id EMP-1 -q").ok();
    let _ = night(&env, &file(1..=3), "--replace-renamed").exits(10).mentions("1 renamed");
    let text = file(1..=4).replace("p2@", "new@");
    env.write("keep.txt", "ref:EMP-2\n");
    let _ = night(&env, &text, "--replace-renamed --keep keep.txt").exits(10).mentions("1 renamed");
    let _ = night(&env, &text, "--replace-renamed --leavers keep").exits(10).mentions("renamed");
    assert!(emails(&env).contains(&"p2@example.com".to_owned()));
}

#[test]
fn an_email_that_is_put_aside_is_told_with_what_to_type() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email old1@example.com --reference-id EMP-1 -q").ok();
    let first = "hint: no e-mail is replaced on a source's first roster: run the same command again";
    let said = night(&env, &file(1..=3), "--replace-renamed").exits(10).mentions("1 renamed");
    let _ = said.mentions(&format!("{first}\n"));
    let other = Env::sandbox();
    let _ = other.line("testtakers enrol --email old1@example.com --reference-id EMP-1 -q").ok();
    let _ = night(&other, &file(1..=3), "").exits(10).mentions(&format!("{first} with --replace-renamed\n"));
    let _ = night(&other, &file(1..=3), "--replace-renamed").ok().mentions("1 replaced");
    let flag = "hint: --replace-renamed enrols people under their new e-mail and removes the old entries\n";
    for more in ["", "--plan plan.ndjson"] {
        let _ = night(&env, &file(1..=3), more).exits(10).mentions(flag);
    }
    // What the flag would not replace is not promised.
    let _ = night(&env, &file(1..=3), "--leavers keep").exits(10).hides("--replace-renamed");
    env.write("import.csv", file(1..=3));
    let said = env.line("testtakers import import.csv").exits(10);
    let _ = said.mentions("for a changed e-mail `assessctl testtakers sync FILE --replace-renamed` does both\n");
    let _ = night(&env, &file(1..=3), "--replace-renamed").ok().mentions("1 replaced");
}

#[test]
fn an_email_that_another_entry_has_is_a_conflict_for_which_nothing_is_planned_announced_or_sent() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=4), "").ok();
    let _ = env.line("testtakers enrol --email taken@example.com -q").ok();
    for text in [
        file(1..=4).replace("p2@", "taken@"),
        file(1..=4).replace("p2@", "p3@").replace("p3@example.com,First3", "p2@example.com,First3"),
    ] {
        let said = night(&env, &text, "--replace-renamed --plan plan.ndjson").exits(10).hides("move");
        assert_eq!(env.read("plan.ndjson").lines().count(), 1, "{said}");
        let said = night(&env, &text, "--replace-renamed -o csv").exits(10).hides("can't be read here");
        assert!(said.stdout.contains("this e-mail") && said.stderr.contains("renamed"), "{said}");
    }
    assert_eq!(enrolled(&env), ["-", "EMP-1", "EMP-2", "EMP-3", "EMP-4"]);
    let text = file(1..=4).replace("p2@", "free@");
    let _ = night(&env, &text, "--replace-renamed --plan plan.ndjson").ok();
    let _ = env.line("testtakers enrol --email free@example.com -q").ok();
    let _ = env.line("testtakers apply plan.ndjson --expect 1").exits(10);
    assert_eq!(enrolled(&env), ["-", "-", "EMP-1", "EMP-2", "EMP-3", "EMP-4"]);
}

#[test]
fn each_changed_email_counts_as_a_change_of_the_file_where_they_are_replaced() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=30), "").ok();
    for of in 1..=10 {
        let _ = env.line(&format!("testtakers enrol --email p{of}@new.example.com -q")).ok();
    }
    let moved = |count: u32| {
        (1..=count).fold(file(1..=30), |text, of| text.replace(&format!("\np{of}@"), &format!("\np{of}@new.")))
    };
    let _ = night(&env, &moved(10), "").exits(10).mentions("10 renamed");
    let said = night(&env, &moved(10), "--replace-renamed").fails(5);
    let _ = said.mentions("10 people of the file are changed, with 30 known; the limit is 30 %; nothing was done");
    let _ = night(&env, &moved(9), "--replace-renamed").exits(10).mentions("9 renamed");
}

#[test]
fn a_column_of_emails_that_changed_is_held_as_a_whole() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=9), "").ok();
    let text = file(1..=9).replace("@example.com", "@new.example.com");
    let said = night(&env, &text, "--replace-renamed").exits(11).mentions("9 of 9 would leave; the limit is 5");
    assert_eq!(emails(&env).iter().filter(|email| email.contains("@new.")).count(), 0);
    let id = held(&said);
    let _ = env.line(&format!("testtakers sync --show {id}")).ok();
    let _ = env.line(&format!("testtakers apply {id} --expect 9")).ok().mentions("9 moves are let through");
    let _ = night(&env, &text, "--replace-renamed").ok().mentions("9 replaced");
    assert_eq!(emails(&env).iter().filter(|email| email.contains("@new.")).count(), 9);
    assert_eq!(enrolled(&env), ids(1..=9));
}

#[test]
fn the_new_email_is_enrolled_looked_for_and_then_the_old_entry_is_deleted() {
    let people: Mutex<Vec<Value>> = Mutex::new((1..=3).map(person).collect());
    let gone = Arc::new(Mutex::new(false));
    let was_gone = Arc::clone(&gone);
    let socket = Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no panic");
        let answer = match request.method.as_str() {
            "DELETE" => {
                people.retain(|person| !request.path().ends_with(&format!("/testtakers/{}", person["id"])));
                Answer::new(204, &[], "")
            }
            "POST" => {
                people.push(listed(&request.json(), 9001));
                Answer::json(201, &enrolment(&request.json(), 9001).to_string())
            }
            _ if request.parameter("page").is_some_and(|page| page != "1") => array(&[]),
            _ => array(&matching(request, &people)),
        };
        if !people.iter().any(|person| person["referenceId"] == "EMP-2") {
            *was_gone.lock().expect("no panic") = true;
        }
        answer
    });
    let env = Env::at(&socket.url);
    let rows = |email: &str| format!("email,referenceId\np1@example.com,EMP-1\n{email},EMP-2\np3@example.com,EMP-3\n");
    let at = format!("-p {PROJECT} --replace-renamed");
    let _ = night(&env, &rows("p2@example.com"), &at).ok();
    assert!(socket.writes().is_empty());
    let _ = night(&env, &rows("new@example.com"), &at).ok().mentions("1 replaced");
    let writes: Vec<Request> = socket.writes();
    let lines: Vec<String> = writes.iter().map(Request::line).collect();
    let (join, leave) =
        (format!("POST /projects/{PROJECT}/testtakers"), format!("DELETE /projects/{PROJECT}/testtakers/4002"));
    assert_eq!(lines, [join.clone(), leave.clone()]);
    assert_eq!(writes[0].json(), json!({"email": "new@example.com", "referenceId": "EMP-2"}));
    let all = socket.lines();
    let place = |wanted: &String| all.iter().position(|line| line == wanted).expect("was sent");
    assert!(all[place(&join)..place(&leave)].iter().filter(|line| line.starts_with("GET ")).count() >= 3, "{all:?}");
    assert!(!*gone.lock().expect("no panic"), "at some instant in no entry");
    let _ = night(&env, &rows("new@example.com"), &at).ok().mentions("3 as they were");
    assert_eq!(socket.writes().len(), 2);
}

#[test]
fn an_email_that_changes_again_after_a_lost_answer_is_replaced_once_that_cannot_take_effect_any_more() {
    let there = Env::new();
    let served = there.serve(&["--key", KEY, "--fault", "close-before@enrol:nth=4"]);
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    let _ = night(&env, &file(1..=3), "").ok();
    let changed = |name: &str| file(1..=3).replace("p2@", name);
    let lost = night(&env, &changed("first@"), "--replace-renamed --deadline 1s --settle 1h");
    assert_eq!(lost.code, 7, "{lost}");
    let waits = night(&env, &changed("second@"), "--replace-renamed --deadline 1s --settle 1h").exits(7);
    let _ = waits.mentions("1 in doubt").hides("conflict");
    let said = night(&env, &changed("second@"), "--replace-renamed --settle 0s").ok().mentions("1 replaced");
    assert_eq!(emails(&there), ["p1@example.com", "p3@example.com", "second@example.com"], "{said}");
}

#[test]
fn an_email_that_changes_again_before_the_old_entry_went_leaves_one_entry() {
    for more in ["", "--plan plan.ndjson"] {
        let there = Env::new();
        let served = there.serve(&["--key", KEY, "--fault", "503@remove:nth=1,retry-after=3600"]);
        let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
        let _ = night(&env, &file(1..=3), "").ok();
        let changed = |name: &str| file(1..=3).replace("p2@", name);
        let half = night(&env, &changed("first@"), "--replace-renamed --settle 0s");
        assert_eq!((half.code, emails(&there).len()), (7, 4), "{half}");
        let said = night(&env, &changed("second@"), &format!("--replace-renamed --settle 0s {more}")).ok();
        let replaced = if more.is_empty() { "1 replaced" } else { "1 would be replaced" };
        let _ = said.mentions(&format!("2 as they were, {replaced}"));
        if !more.is_empty() {
            let _ = env.line("testtakers apply plan.ndjson --expect 2").ok().mentions("1 enrolled, 2 removed");
        }
        assert_eq!(emails(&there), ["p1@example.com", "p3@example.com", "second@example.com"]);
        let _ = night(&env, &changed("second@"), "").ok().mentions("3 as they were");
    }
}
