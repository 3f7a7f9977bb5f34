//! Imports where the service spells, lags or is edited beside: typed answers for what is answered, the sandbox for the rest.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::doubts::{array, enrolment, listed, matching};
use crate::harness::{Env, KEY, Said, Served};
use crate::imports::records;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

fn outcomes(said: &Said) -> Vec<String> {
    records(&said.stdout).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

fn import(env: &Env, more: &str) -> Said {
    env.line(&format!("testtakers import people.csv -p {PROJECT} -o csv --settle 1s {more}"))
}

/// A project that spells whom it enrols, answers so, and shows in its lists what was enrolled `behind` creates before.
fn spelling(spell: fn(&mut Value), behind: usize) -> Socket {
    let people = Mutex::new(Vec::<Value>::new());
    Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no server thread panics");
        if request.method == "POST" {
            let entry = 5000 + i64::try_from(people.len()).expect("few people");
            let mut body = request.json();
            spell(&mut body);
            people.push(listed(&body, entry));
            return Answer::json(201, &enrolment(&body, entry).to_string());
        }
        if request.parameter("page").is_some_and(|page| page != "1") {
            return array(&[]);
        }
        let shown = people.len().saturating_sub(behind);
        array(&matching(request, &people[..shown]))
    })
}

#[test]
fn a_person_whom_the_service_spells_otherwise_is_enrolled_once_in_three_runs() {
    let spellings: [fn(&mut Value); 4] = [
        |body| body["email"] = json!(body["email"].as_str().unwrap_or_default().replace("+hr", "")),
        |body| body["email"] = json!(body["email"].as_str().unwrap_or_default().replace("exämple", "xn--exmple-cua")),
        |body| body["referenceId"] = json!(body["referenceId"].as_str().unwrap_or_default().to_uppercase()),
        |body| body["referenceId"] = Value::Null,
    ];
    for spell in spellings {
        let socket = spelling(spell, 0);
        let env = Env::at(&socket.url);
        env.write("people.csv", "email,referenceId\nann+hr@exämple.com,emp-1\n");
        let said = import(&env, "").ok();
        assert_eq!(outcomes(&said), ["enrolled"], "{said}");
        assert!(said.stdout.contains("the service stored another"), "{said}");
        for _ in 0..2 {
            let said = import(&env, "").ok();
            assert_eq!(outcomes(&said), ["enrolled"], "{said}");
        }
        assert_eq!(socket.writes().len(), 1);
    }
}

#[test]
fn whom_the_service_answered_under_another_name_and_has_under_their_own_too_is_a_duplicate() {
    let people = Mutex::new(Vec::<Value>::new());
    let socket = Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no server thread panics");
        if request.method == "POST" {
            let (own, other) = (request.json(), json!({"email": "other@y.example", "referenceId": "OTHER"}));
            people.extend([listed(&other, 5000), listed(&own, 5001)]);
            return Answer::json(201, &enrolment(&other, 5000).to_string());
        }
        let is_first = request.parameter("page").is_none_or(|page| page == "1");
        array(&if is_first { matching(request, &people) } else { Vec::new() })
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", "email,referenceId\nann@x.example,emp-1\n");
    let said = import(&env, "").exits(10);
    assert_eq!(outcomes(&said), ["duplicate"], "{said}");
}

/// A reference id that the service stores otherwise looks like one that somebody set by hand: it is left as it is, and so
/// are the names beside it.
#[test]
fn an_update_of_people_whom_the_service_spells_otherwise_enrols_no_one_again_and_overwrites_nothing() {
    type Spelling = (fn(&mut Value), i32, &'static str);
    let spellings: [Spelling; 3] = [
        (|body| body["email"] = json!(body["email"].as_str().unwrap_or_default().replace("+hr", "")), 0, "enrolled"),
        (|body| body["referenceId"] = json!("EMP-017"), 0, "enrolled"),
        (|body| body["referenceId"] = json!("17"), 10, "conflict"),
    ];
    for (spell, code, outcome) in spellings {
        let socket = spelling(spell, 0);
        let env = Env::at(&socket.url);
        env.write("people.csv", "email,firstName,lastName,referenceId\nann+hr@example.com,Ann,Lee,emp-017\n");
        let _ = import(&env, "--on-existing update").ok().mentions("1 enrolled");
        for _ in 0..2 {
            let said = import(&env, "--on-existing update").exits(code);
            assert_eq!(outcomes(&said), [outcome], "{said}");
        }
        assert_eq!(socket.writes().len(), 1, "enrolled once, and nothing changed");
    }
}

#[test]
fn an_answer_that_names_an_entry_of_before_is_not_believed_and_never_sent_again() {
    let sends = AtomicUsize::new(0);
    let socket = Socket::answering(move |request, _| {
        let there = listed(&json!({"email": "bob@example.com", "referenceId": "B"}), 7);
        if request.method == "POST" {
            sends.fetch_add(1, Ordering::Relaxed);
            return Answer::json(201, &enrolment(&request.json(), 7).to_string());
        }
        if request.parameter("page").is_some_and(|page| page != "1") {
            array(&[])
        } else {
            array(&matching(request, &[there]))
        }
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    for _ in 0..3 {
        let said = import(&env, "--resend-in-doubt").exits(7);
        assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
    }
    assert_eq!(socket.writes().len(), 1);
}

#[test]
fn a_lost_row_that_the_service_spells_otherwise_throughout_is_not_sent_again() {
    type Spell = fn(&mut Value);
    let spellings: [(&str, Spell); 2] = [
        ("", |body| {
            body["email"] = json!(body["email"].as_str().unwrap_or_default().replace("+hr", ""));
            body["referenceId"] = Value::Null;
        }),
        ("--resend-in-doubt", |body| {
            body["email"] = json!(body["email"].as_str().unwrap_or_default().replace("exämple", "xn--exmple-cua"));
            body["referenceId"] = json!("cut");
        }),
    ];
    for (more, spell) in spellings {
        let people = Mutex::new(Vec::<Value>::new());
        let socket = Socket::answering(move |request, _| {
            let mut people = people.lock().expect("no server thread panics");
            if request.method == "POST" {
                let (mut body, entry) = (request.json(), 5000 + i64::try_from(people.len()).expect("few people"));
                spell(&mut body);
                people.push(listed(&body, entry));
                return Answer::nothing();
            }
            let is_first = request.parameter("page").is_none_or(|page| page == "1");
            array(&if is_first { matching(request, &people) } else { Vec::new() })
        });
        let env = Env::at(&socket.url);
        env.write("people.csv", "email,firstName,lastName,referenceId\nann+hr@exämple.com,Ann,One,emp-1\n");
        for _ in 0..2 {
            let said = import(&env, more).exits(7);
            assert!(said.stdout.contains("entry 5000 may be this person"), "{said}");
        }
        assert_eq!(socket.writes().len(), 1);
    }
}

#[test]
fn a_reference_id_that_is_taken_is_a_conflict_although_another_row_fits_its_holder() {
    let orders = ["ann.new@x.example,A-1\nann@x.example,\n", "ann@x.example,\nann.new@x.example,A-1\n"];
    for (rows, fresh_machine) in orders.into_iter().flat_map(|rows| [(rows, false), (rows, true)]) {
        let socket = spelling(|_| {}, 0);
        let first = Env::at(&socket.url);
        first.write("people.csv", "email,referenceId\nann@x.example,A-1\n");
        let _ = import(&first, "").ok();
        let env = if fresh_machine { Env::at(&socket.url) } else { first };
        env.write("people.csv", format!("email,referenceId\n{rows}"));
        let dry = import(&env, "--dry-run").exits(10);
        let said = import(&env, "").exits(10);
        let (mut dry, mut real) = (outcomes(&dry), outcomes(&said));
        dry.sort();
        real.sort();
        assert_eq!(
            (&dry, &real),
            (&vec!["conflict".into(), "existing".into()], &vec!["conflict".into(), "existing".into()]),
            "{said}"
        );
        assert_eq!(socket.writes().len(), 1, "{said}");
    }
}

#[test]
fn what_lists_do_not_show_yet_is_enrolled_and_unfinished_and_not_sent_again() {
    let socket = spelling(|_| {}, 1);
    let env = Env::at(&socket.url);
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let said = import(&env, "").exits(7);
    assert_eq!(outcomes(&said), ["enrolled"], "{said}");
    let _ = said.mentions("1 enrolled row is not in the project's list yet");
    let said = env.line(&format!("testtakers enrol -p {PROJECT} --email bob@example.com --settle 1s -o json")).ok();
    assert!(said.stdout.contains("does not show this entry yet"), "one person is not waited for\n{said}");
    assert_eq!(socket.writes().len(), 2);
}

fn sandbox(faults: &[&str]) -> (Env, Served) {
    let there = Env::new();
    let faults = faults.iter().flat_map(|fault| ["--fault", fault]);
    let served = there.serve(&["--key", KEY].into_iter().chain(faults).collect::<Vec<_>>());
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    (env, served)
}

#[test]
fn undo_leaves_alone_whom_a_look_up_found() {
    let (env, _served) = sandbox(&["close-after@enrol:nth=1"]);
    env.write("people.csv", "email,referenceId\nann@example.com,A\nbob@example.com,B\n");
    let _ = env.line("testtakers import people.csv --settle 500ms --concurrency 1").ok();
    let said = env.line("journal undo people.csv --yes").ok();
    let _ = said.mentions("1 person is left alone").mentions("1 of 1 person removed");
    let said = env.line("journal undo people.csv --yes").exits(4);
    let _ = said.mentions("--include-found");
    let _ = env.line("journal undo people.csv --yes --include-found").ok().mentions("1 of 1 person removed");
    assert_eq!(env.line("testtakers list -o json").json(), json!([]));
}

#[test]
fn a_row_is_resolved_as_an_entry_that_is_there_and_fits() {
    let (env, served) = sandbox(&["close-before@enrol:nth=1"]);
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let _ = env.line("testtakers import people.csv --settle 300ms --no-wait").exits(7);
    let _ = env.line("journal resolve people.csv:2 --enrolled 999999").exits(4).mentions("no entry 999999");
    let elsewhere = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    let _ = elsewhere.line("testtakers enrol --email cy@example.com --reference-id C").ok();
    let cy = elsewhere.line("testtakers get ref:C -o json").json()["id"].clone();
    let said = env.line(&format!("journal resolve people.csv:2 --enrolled {cy}")).exits(5);
    let _ = said.mentions("another e-mail and another reference id").mentions("--force");
    let _ = elsewhere.line("testtakers enrol --email ann@example.com --reference-id A").ok();
    let ann = elsewhere.line("testtakers get ref:A -o json").json()["id"].clone();
    let _ = env.line(&format!("journal resolve people.csv:2 --enrolled {ann}")).ok();
    let said = env.line("testtakers import people.csv -o csv").ok();
    assert_eq!(outcomes(&said), ["enrolled"], "{said}");
}

#[test]
fn another_person_with_a_rows_reference_id_is_a_conflict_and_no_second_enrolment() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nv1@example.com,V-1\nv2@example.com,V-2\n");
    let _ = env.line("testtakers import people.csv -q").ok();
    let _ = env.line("testtakers update email:v1@example.com --reference-id V-2 --allow-duplicates").ok();
    env.write("people.csv", "email,referenceId\nv2@example.com,V-2\n");
    let said = env.line("testtakers import people.csv -o csv").exits(10);
    assert_eq!(outcomes(&said), ["conflict"], "{said}");
    assert!(said.stdout.ends_with(",entry 1 has this reference id and another e-mail\n"), "{said}");
    let _ = said.mentions("or look at the entry with");
}

#[test]
fn an_update_gives_nobody_the_reference_id_of_another_person_unless_that_is_meant() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@x.com,A\nbob@x.com,B\ncy@x.com,C\n");
    let _ = env.line("testtakers import people.csv --concurrency 1").ok();
    let entry = |id: &str| {
        let said = env.line(&format!("testtakers get email:{id}@x.com --fields id -o csv --no-header")).ok();
        said.stdout.trim().to_owned()
    };
    let bob = entry("bob");
    let taken = format!("entry {bob} has this reference id already (--allow-duplicates lets both have it)");
    for more in ["--dry-run", ""] {
        let _ = env.line(&format!("testtakers update ref:A --reference-id B {more}")).exits(5).mentions(&taken);
    }
    // A name alone asks nothing, and neither does a reference id that stays.
    let _ = env.line("testtakers update ref:A --first-name Ann --reference-id A").ok();
    let free = "testtakers update ref:A --first-name Ann --allow-duplicates";
    let _ = env.line(free).exits(2).mentions("need --file FILE");
    env.write("new.csv", "email,referenceId,firstName\nann@x.com,B,Anna\nbob@x.com,D,\ncy@x.com,C,Cy\n");
    for (more, other) in [("--dry-run", "would-update"), ("", "updated")] {
        let said = env.line(&format!("testtakers update --file new.csv --by email -o csv {more}")).exits(10);
        assert_eq!(outcomes(&said), ["conflict", other, other], "{said}");
        let again = "its own row gives it another one: run the same command again";
        assert!(said.stdout.contains(&taken.replace("(--allow", &format!("({again}; --allow"))), "{said}");
    }
    // The id is free now.
    let said = env.line("testtakers update --file new.csv --by email -o csv").ok();
    assert_eq!(outcomes(&said), ["updated", "existing", "existing"], "{said}");
    let _ = env.line("testtakers update email:cy@x.com --reference-id B --allow-duplicates").ok();
    let said = env.line("testtakers list --reference-id B -o csv").ok();
    assert_eq!(records(&said.stdout).len(), 2, "{said}");
}
