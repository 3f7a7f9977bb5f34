//! Updates, removals, undo and links against a service whose answers are lost, late, foreign or another's work: typed bytes.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use snapbox::str;

use crate::doubts::{enrolment, listed, matching};
use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::{Answer, Request, Socket};
use crate::wire::PROJECT;

/// The people of the project, by entry id.
pub(crate) type People = BTreeMap<i64, Value>;

const ROSTER: &str = "email,firstName,lastName,referenceId\nann@x.com,Ann,One,A\nbob@x.com,Bob,Two,B\n";

/// A service that does what it is told, but where `odd` has another answer. It has Ann (1) and Bob (2) at first.
pub(crate) fn service(odd: impl Fn(&Request, &mut People) -> Option<Answer> + Send + Sync + 'static) -> Socket {
    let person = |first: &str, last: &str, id: &str| {
        let email = format!("{}@x.com", first.to_lowercase());
        json!({ "email": email, "firstName": first, "lastName": last, "referenceId": id })
    };
    let bodies = [(1, person("Ann", "One", "A")), (2, person("Bob", "Two", "B"))];
    let people = Mutex::new(bodies.map(|(entry, body)| (entry, listed(&body, entry))).into());
    Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no server thread panics");
        odd(request, &mut people).unwrap_or_else(|| done(request, &mut people))
    })
}

/// What the service does of itself.
pub(crate) fn done(request: &Request, people: &mut People) -> Answer {
    let path: Vec<&str> = request.path().split('/').skip(3).collect();
    let entry = path.get(1).and_then(|entry| entry.parse().ok()).unwrap_or_default();
    match (request.method.as_str(), path.as_slice()) {
        ("GET", ["testtakers"]) => {
            let found = matching(request, &people.values().cloned().collect::<Vec<_>>());
            let number = |name, default| request.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(default);
            let (size, page) = (number("pageSize", 100), number("page", 1));
            Answer::ok(&found.into_iter().skip((page - 1) * size).take(size).collect::<Value>().to_string())
        }
        ("POST", ["testtakers"]) => {
            let (body, entry) = (request.json(), people.keys().max().map_or(1, |last| last + 1));
            people.insert(entry, listed(&body, entry));
            Answer::json(201, &enrolment(&body, entry).to_string())
        }
        ("DELETE", ["testtakers", _]) => {
            people.remove(&entry);
            Answer::new(204, &[], "")
        }
        ("PATCH", ["testtakers", _]) if people.contains_key(&entry) => {
            for (field, value) in request.json().as_object().into_iter().flatten() {
                people.get_mut(&entry).expect("a person")[field] = value.clone();
            }
            Answer::ok(&people[&entry].to_string())
        }
        ("POST", ["testtakers", _, "test-link"]) if people.contains_key(&entry) => link(entry),
        ("GET", []) => Answer::ok(&crate::wire::text("project.json")),
        _ => Answer::problem(404, "Not Found", ""),
    }
}

fn link(entry: i64) -> Answer {
    Answer::ok(&json!({ "url": format!("https://tests.example.com/t/{entry}") }).to_string())
}

/// What a proxy shows to whoever is not logged in.
fn page() -> Answer {
    Answer::new(200, &["Content-Type: text/html"], "<html><title>Log in</title></html>")
}

pub(crate) fn at(socket: &Socket) -> Env {
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
    env.write("people.csv", ROSTER);
    env
}

fn outcomes(said: &Said) -> Vec<String> {
    records(&said.stdout).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

fn is(request: &Request, method: &str, end: &str) -> bool {
    request.method == method && request.path().ends_with(end)
}

fn count(socket: &Socket, line: &str) -> usize {
    socket.count(&line.replace("{P}", &format!("/projects/{PROJECT}/testtakers")))
}

/// A server that gives the first answer of this kind, and then does what it is told.
fn at_first(method: &'static str, answer: impl Fn(&Request, &mut People) -> Answer + Send + Sync + 'static) -> Socket {
    let seen = AtomicUsize::new(0);
    service(move |request, people| {
        let is_first = request.method == method && seen.fetch_add(1, Ordering::SeqCst) == 0;
        is_first.then(|| answer(request, people))
    })
}

#[test]
fn a_page_for_browsers_is_no_answer_to_a_removal_and_nothing_is_forgotten() {
    let is_away = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let away = std::sync::Arc::clone(&is_away);
    let socket = service(move |request, _| (request.method == "DELETE" && away.load(Ordering::SeqCst)).then(page));
    let env = at(&socket);
    env.write("new.csv", "email,referenceId\ncy@x.com,C\ndee@x.com,D\n");
    let _ = env.line("testtakers import new.csv").ok();
    is_away.store(true, Ordering::SeqCst);
    let known = env.line("journal show -o csv").ok().stdout;
    for line in ["remove ref:C --yes -o csv", "remove ref:C ref:D --yes -o csv", "remove --file new.csv --yes -o csv"] {
        let said = env.line(&format!("testtakers {line} --concurrency 1")).exits(7);
        assert_eq!(outcomes(&said)[0], "in-doubt", "{said}");
        let _ = said.mentions("an HTML page titled \"Log in\"");
    }
    let _ = env.line("journal undo new.csv --yes --concurrency 1").exits(7).mentions("0 of 2 people removed");
    assert_eq!(socket.writes().len(), 2 + 4, "the first of each stopped its run");
    assert_eq!(env.line("journal show -o csv").ok().stdout, known, "nothing was forgotten");
    is_away.store(false, Ordering::SeqCst);
    let _ = env.line("journal undo new.csv --yes").ok().mentions("2 of 2 people removed");
}

#[test]
fn a_removal_is_asked_for_again_after_an_answer_that_is_no_json_and_takes_nothing_for_an_answer() {
    for (odd, requests) in
        [(Answer::ok("{\"a\":"), 2), (Answer::ok("removed"), 2), (Answer::ok(""), 1), (Answer::ok("{}"), 1)]
    {
        let socket = at_first("DELETE", move |request, people| {
            let _ = done(request, people);
            odd.clone()
        });
        let said = at(&socket).line("testtakers remove ref:A --yes -o csv").ok();
        assert_eq!((outcomes(&said), socket.writes().len()), (vec!["removed".to_owned()], requests), "{said}");
    }
}

#[test]
fn who_is_not_there_after_a_lost_answer_was_removed_while_the_project_is_there() {
    for project_is_there in [true, false] {
        let deleted = AtomicUsize::new(0);
        let socket = service(move |request, people| match request.method.as_str() {
            "DELETE" if deleted.fetch_add(1, Ordering::SeqCst) == 0 => {
                let _ = done(request, people);
                Some(Answer::nothing())
            }
            "DELETE" => Some(Answer::problem(404, "Not Found", "")),
            _ if is(request, "GET", PROJECT) && !project_is_there => Some(Answer::problem(404, "Not Found", "")),
            _ => None,
        });
        let said = at(&socket).line("testtakers remove ref:A --yes -o csv");
        let (code, outcome) = if project_is_there { (0, "removed") } else { (4, "gone") };
        assert_eq!((said.code, outcomes(&said)), (code, vec![outcome.to_owned()]), "{said}");
    }
}

#[test]
fn a_removal_that_was_refused_is_not_taken_for_ours_when_another_removes_the_person() {
    for command in ["testtakers remove --file new.csv --yes -o csv", "journal undo new.csv --yes"] {
        let is_gone = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let gone = std::sync::Arc::clone(&is_gone);
        let socket = service(move |request, people| {
            if gone.load(Ordering::SeqCst) {
                people.retain(|entry, _| *entry < 3);
            }
            (request.method == "DELETE").then(|| Answer::problem(400, "Bad Request", "people with results stay"))
        });
        let env = at(&socket);
        env.write("new.csv", "email,referenceId\ncy@x.com,C\n");
        let _ = env.line("testtakers import new.csv --settle 1s").ok();
        let _ = env.line(command).exits(10);
        is_gone.store(true, Ordering::SeqCst);
        if command.starts_with("testtakers") {
            // Not removed by us, and enrolled too short a time ago to be called gone.
            let said = env.line(command).exits(6);
            assert_eq!(outcomes(&said), ["not-attempted"], "{said}");
        }
        let journal = rusqlite::Connection::open(env.work().join("../state/journal.db")).expect("the journal");
        let open: u32 = journal.query_row("SELECT count(*) FROM removing", [], |row| row.get(0)).expect("a count");
        assert_eq!(open, 0, "{command}: nothing of ours is under way");
    }
}

#[test]
fn a_removal_of_several_that_is_repeated_knows_whom_it_removed() {
    let socket = at_first("DELETE", |request, people| {
        let _ = done(request, people);
        Answer::new(429, &["Retry-After: 3600"], "")
    });
    // Ann was removed for all that the service says; Bob was not asked for.
    let env = at(&socket);
    let line = "testtakers remove ref:A email:bob@x.com --yes --concurrency 1 -o csv";
    let said = env.line(line);
    assert_eq!((said.code, outcomes(&said).len()), (6, 2), "{said}");
    let _ = env.line(line).fails(5).mentions("number 1 of 2: nobody in this project has this reference id");
    let socket = at_first("DELETE", |request, people| {
        let _ = done(request, people);
        Answer::new(302, &["Location: https://sso.example.com/"], "")
    });
    let env = at(&socket);
    let said = env.line(line).exits(7).mentions("run the same command again");
    assert_eq!(outcomes(&said), ["in-doubt", "not-attempted"], "{said}");
    for requests in [2, 2] {
        let said = env.line(line).ok();
        assert_eq!(outcomes(&said), ["removed", "removed"], "{said}");
        assert_eq!(socket.writes().len(), requests);
        assert!(said.stdout.contains(",A,removed,by an earlier run"), "{said}");
    }
    let said = env.line("testtakers remove ref:A --dry-run -o csv").ok();
    assert!(said.stdout.contains(",A,removed,by an earlier run"), "{said}");
    let _ = env.line("testtakers remove ref:OTHER --yes").fails(4);
}

#[test]
fn a_removal_of_one_person_that_is_refused_ends_with_why() {
    let socket = service(|request, _| (request.method == "DELETE").then(|| Answer::problem(400, "Bad Request", "")));
    let said = at(&socket).line("testtakers remove ref:A --yes -o csv").exits(5);
    let _ = said.shows(str![[r#"
exit 5
--- stdout
projectEntryId,referenceId,outcome,message
1,A,refused,400: Bad Request
--- stderr
error: cannot remove the test taker: 400 Bad Request

"#]]);
}

#[test]
fn an_undo_of_rows_that_are_all_in_doubt_is_not_said_to_find_no_one() {
    let socket = at_first("POST", |_, _| Answer::nothing());
    let env = at(&socket);
    env.write("new.csv", "email\ncy@x.com\n");
    let _ = env.line("testtakers import new.csv --no-wait").exits(7);
    for more in ["--yes", "--dry-run"] {
        let said = env.line(&format!("journal undo new.csv {more}")).fails(7);
        let _ = said.mentions("1 row of this file is in doubt, and may be enrolled").mentions("journal resolve");
    }
}

#[test]
fn who_was_enrolled_a_short_time_ago_is_not_gone_where_reads_lag_behind() {
    // The service's reads show those who were there at first alone.
    let socket = service(|request, people| {
        let first: People = people.iter().filter(|(entry, _)| **entry < 3).map(|(e, p)| (*e, p.clone())).collect();
        (request.method == "GET").then(|| done(request, &mut first.clone()))
    });
    let env = at(&socket);
    env.write("new.csv", "email,referenceId\ncy@x.com,C\n");
    let _ = env.line("testtakers import new.csv --no-wait").exits(7);
    env.write("ids.csv", "id,firstName\n3,Cyril\n");
    env.write("mails.csv", "email,firstName\nCY@x.com,Cyril\n");
    for line in [
        "testtakers update --file ids.csv -o csv",
        "testtakers update --file mails.csv -o csv",
        "testtakers remove --file new.csv --yes -o csv",
    ] {
        let said = env.line(line).exits(6);
        assert_eq!(outcomes(&said), ["not-attempted"], "{said}");
        assert!(said.stdout.contains("the service does not show it yet"), "{said}");
    }
    for line in [
        "testtakers update ref:C --first-name Cyril",
        "testtakers update id:3 --first-name Cyril --dry-run",
        "testtakers remove email:CY@x.com --yes",
        "testtakers remove ref:A ref:C --yes",
        "links issue ref:C",
    ] {
        let said = env.line(line).exits(7);
        let _ = said.mentions("enrolled from here a short time ago as entry 3, and the service does not show it yet");
    }
    let _ = env.line("links issue --file new.csv --to links.csv").exits(6).mentions("1 not-attempted");
    let said = env.line("links issue --all --to links.csv").exits(7).mentions("2 issued");
    let _ = said.mentions("1 enrolled row is not in the project's list yet");
    assert_eq!(socket.writes().len(), 1 + 2, "Cy, and two links");
    // Who was removed from here is not waited for.
    let _ = env.line("journal undo new.csv --yes").ok();
    let _ = env.line("links issue --all --to links.csv").ok();
    env.write("none.csv", "referenceId\nX\n");
    let said = env.line("testtakers update --file none.csv -o csv").exits(4);
    assert_eq!(outcomes(&said), ["absent"], "{said}");
}

/// What an update of Ann's first name comes to, after the first PATCH got no answer and this was done: how it ended, how
/// many were sent, and what the record then is.
fn after_lost_patch(line: &str, meanwhile: impl Fn(&Request, &mut People) + Send + Sync + 'static) -> (Said, usize) {
    let socket = at_first("PATCH", move |request, people| {
        meanwhile(request, people);
        Answer::nothing()
    });
    let env = at(&socket);
    env.write("new.csv", "referenceId,firstName\nA,Anna\n");
    let said = env.line(line);
    let left = env.line("testtakers get id:1 -o json").json();
    assert!(left["lastName"] != "One" || !said.stdout.contains("Married"), "{said}");
    (said, count(&socket, "PATCH {P}/1"))
}

const UPDATE: &str = "testtakers update ref:A --first-name Anna -o csv";

#[test]
fn an_update_is_not_sent_again_over_what_another_one_changed_meanwhile() {
    for line in [UPDATE, "testtakers update --file new.csv -o csv"] {
        let (said, sent) = after_lost_patch(line, |_, people| {
            people.get_mut(&1).expect("Ann")["lastName"] = json!("Married");
        });
        assert_eq!((said.code, sent), (7, 1), "{said}");
        if line == UPDATE {
            let _ = said.fails(7).mentions("another update has changed the record meanwhile").mentions("get id:1");
        } else {
            assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
        }
    }
}

#[test]
fn an_update_that_was_done_is_known_whatever_came_after_it_and_however_it_is_spelt() {
    let (said, sent) = after_lost_patch(UPDATE, |request, people| {
        let _ = done(request, people);
        people.get_mut(&1).expect("Ann")["lastName"] = json!("Married");
    });
    assert_eq!((sent, said.ok().stdout.contains("1,A,Anna,Married,updated")), (1, true));
    let spelt = "testtakers update ref:A --first-name 'Anna  Maria' -o csv";
    let (said, sent) = after_lost_patch(spelt, |_, people| {
        people.get_mut(&1).expect("Ann")["firstName"] = json!("Anna Maria");
    });
    let _ = said.ok().shows(str![[r#"
exit 0
--- stdout
projectEntryId,referenceId,firstName,lastName,outcome
1,A,Anna Maria,One,updated
--- stderr
warning: the service stored another firstName

"#]]);
    assert_eq!(sent, 1);
}

#[test]
fn an_update_is_done_once_the_record_has_it_and_not_because_the_status_is_200() {
    let socket = service(|request, people| (request.method == "PATCH").then(|| Answer::ok(&people[&1].to_string())));
    let env = at(&socket);
    env.write("new.csv", "referenceId,firstName\nA,Anna\n");
    let _ = env.line(UPDATE).fails(7).mentions("its record does not have the change");
    let said = env.line("testtakers update --file new.csv -o csv").exits(7);
    assert_eq!((outcomes(&said), socket.writes().len()), (vec!["in-doubt".to_owned()], 2), "{said}");
    // An old answer: the list has it.
    let socket = at_first("PATCH", |request, people| {
        let old = people[&1].to_string();
        let _ = done(request, people);
        Answer::ok(&old)
    });
    let said = at(&socket).line(UPDATE).ok();
    assert!(said.stdout.contains("1,A,Anna,One,updated") && socket.writes().len() == 1, "{said}");
    let capitals = service(|request, people| {
        (request.method == "PATCH").then(|| {
            let _ = done(request, people);
            people.get_mut(&1).expect("Ann")["firstName"] = json!("ANNA");
            Answer::ok(&people[&1].to_string())
        })
    });
    let env = at(&capitals);
    env.write("new.csv", "referenceId,email,firstName\nA,ann@x.com,Anna\n");
    for line in ["update --file new.csv -o csv", "import new.csv --on-existing update -o csv"] {
        let said = env.line(&format!("testtakers {line}")).ok();
        assert_eq!(outcomes(&said), ["updated"], "{said}");
        assert!(said.stdout.contains("the service stored another firstName"), "{said}");
    }
}

#[test]
fn what_is_said_after_a_lost_change_of_a_reference_id_can_be_typed() {
    let is_lost = AtomicUsize::new(0);
    let socket = service(move |request, people| match request.method.as_str() {
        "PATCH" if is_lost.fetch_add(1, Ordering::SeqCst) == 0 => {
            let _ = done(request, people);
            Some(Answer::nothing())
        }
        // It cannot be read back.
        "GET" if is_lost.load(Ordering::SeqCst) == 1 && request.parameter("filter").is_some() => {
            Some(Answer::problem(403, "Forbidden", ""))
        }
        _ => None,
    });
    let env = at(&socket);
    let said = env.line("testtakers update ref:A --reference-id AA -o csv").fails(7);
    let _ = said.mentions("hint: run the same command again with id:1: the reference id may be the new one by now");
    let said = env.line("testtakers update id:1 --reference-id AA -o csv").ok();
    assert!(said.stdout.contains("1,AA,Ann,One,updated"), "{said}");
}

#[test]
fn a_write_that_something_else_answers_may_have_happened() {
    for odd in [page(), Answer::new(302, &["Location: https://sso.example.com/"], "")] {
        let socket = service(move |request, _| (request.method != "GET").then(|| odd.clone()));
        let env = at(&socket);
        for line in ["testtakers update ref:A --first-name Anna", "links issue ref:A"] {
            let said = env.line(line).fails(7).mentions("may have happened all the same");
            let _ = said.mentions("hint: the base URL is probably wrong");
        }
        let said = env.line("links issue --all --to links.csv --concurrency 1").exits(7);
        let _ = said.mentions("stopped with 1 in doubt, 1 not attempted");
    }
}

#[test]
fn after_some_links_the_hint_names_those_who_got_none() {
    let socket =
        service(|request, _| is(request, "POST", "/2/test-link").then(|| Answer::new(429, &["Retry-After: 3600"], "")));
    let env = at(&socket);
    for to in ["", " --to links.csv"] {
        let said = env.line(&format!("links issue ref:A ref:B -o csv --concurrency 1{to}")).exits(7);
        let hint = "hint: run it again for those alone who got no link (id:2): a new link voids the one before";
        let _ = said.mentions(hint);
    }
    let said = env.line("links issue ref:B -o csv").exits(6);
    let _ = said.hides("those alone");
}

/// A server that gives no answer where the second link is asked for, so many times, and tells of each.
#[cfg(unix)]
fn hanging_at_the_second_link(times: usize) -> (Socket, std::sync::mpsc::Receiver<()>) {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let (asked, seen) = (Mutex::new(asked), AtomicUsize::new(0));
    let socket = service(move |request, _| {
        let hangs = is(request, "POST", "/2/test-link") && seen.fetch_add(1, Ordering::SeqCst) < times;
        hangs.then(|| {
            asked.lock().expect("no server thread panics").send(()).expect("the test waits");
            Answer::Hang(Vec::new())
        })
    });
    (socket, is_asked)
}

#[test]
#[cfg(unix)]
fn links_that_came_are_shown_and_count_as_handed_out_only_then() {
    let (socket, is_asked) = hanging_at_the_second_link(1);
    let env = at(&socket);
    let line = ["links", "issue", "ref:A", "ref:B", "-o", "csv", "--concurrency", "1"];
    let mut killed = env.command(&line).spawn().expect("the program starts");
    is_asked.recv_timeout(crate::harness::PATIENCE).expect("the second link is asked for");
    killed.kill().expect("killed");
    let said = killed.wait_with_output().expect("ended");
    assert!(said.stdout.is_empty(), "Ann's link was not shown");
    let line = "testtakers import people.csv --with-links links.csv --settle 0s";
    let said = env.line(line).ok().mentions("links: 2 rows: 2 issued");
    assert_eq!(env.read("links.csv").lines().count(), 3, "{said}");
}

#[test]
#[cfg(unix)]
fn signals_that_come_together_are_one_wish_and_what_is_under_way_is_reported() {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel();
    let (asked, may_go_on) = (Mutex::new(asked), Mutex::new(may_go_on));
    let socket = service(move |request, _| {
        if request.method == "POST" {
            asked.lock().expect("no server thread panics").send(()).expect("the test waits");
            let _ = may_go_on.lock().expect("no server thread panics").recv();
        }
        None
    });
    let env = at(&socket);
    env.write("new.csv", "email,referenceId\ncy@x.com,C\ndee@x.com,D\n");
    let line = crate::words::split("testtakers import new.csv --concurrency 1 -o csv");
    let child = env.command(&line).spawn().expect("the program starts");
    is_asked.recv_timeout(crate::harness::PATIENCE).expect("the first is sent");
    for signal in ["TERM", "INT"] {
        crate::harness::signal(&child, signal);
    }
    go_on.send(()).expect("the service waits");
    let said = crate::harness::finish(child, b"").exits(143);
    assert_eq!(outcomes(&said), ["enrolled", "not-attempted"], "{said}");
}

#[test]
#[cfg(unix)]
fn whoever_leaves_at_once_is_shown_the_links_that_came() {
    let (socket, is_asked) = hanging_at_the_second_link(usize::MAX);
    let env = at(&socket);
    let line = ["links", "issue", "ref:A", "ref:B", "-o", "csv", "--concurrency", "1"];
    let mut child = env.command(&line).spawn().expect("the program starts");
    is_asked.recv_timeout(crate::harness::PATIENCE).expect("the second link is asked for");
    // A second one counts only a second after the first.
    while child.try_wait().expect("a child").is_none() {
        crate::harness::terminate(&child);
    }
    let said = crate::harness::finish(child, b"").exits(143);
    assert!(said.stdout.contains("1,A,https://tests.example.com/t/1,"), "{said}");
    let _ = said.mentions("run it again for those alone who got no link (id:2)");
}

#[test]
fn an_update_of_a_file_keeps_what_another_one_changed_after_the_list_was_read() {
    let socket = at_first("PATCH", |request, people| {
        people.get_mut(&2).expect("Bob")["lastName"] = json!("Married");
        done(request, people)
    });
    let env = at(&socket);
    let _ = env.line("testtakers import people.csv").ok();
    env.write("new.csv", "referenceId,firstName\nA,Anna\nB,Rob\n");
    let said = env.line("testtakers update --file new.csv --concurrency 1 -o csv").ok();
    assert_eq!(outcomes(&said), ["updated", "updated"], "{said}");
    assert_eq!(env.line("testtakers get id:2 -o json").json()["lastName"], "Married");
    // What a row names is its own, and nothing has to be read for it.
    env.write("new.csv", "referenceId,firstName,lastName\nA,Ann,One\n");
    let reads = |line: &str| {
        let before = count(&socket, "GET {P}");
        let _ = env.line(line).ok();
        count(&socket, "GET {P}") - before
    };
    assert_eq!(reads("testtakers update --file new.csv --dry-run"), reads("testtakers update --file new.csv"));
}

#[test]
fn a_404_about_a_person_of_a_project_that_is_gone_too_ends_the_run() {
    let socket = service(|request, _| {
        let is_about_one = request.method != "GET" && !request.path().ends_with("/testtakers");
        let is_gone = is_about_one || request.path().ends_with(PROJECT);
        is_gone.then(|| Answer::problem(404, "Not Found", "nothing here"))
    });
    let env = at(&socket);
    env.write("names.csv", "referenceId,firstName\nA,Anna\nB,Rob\n");
    for line in ["testtakers update", "testtakers remove --yes", "links issue --to links.csv"] {
        let said = env.line(&format!("{line} --file names.csv --concurrency 1 --report report.csv")).exits(4);
        let report = records(&env.read("report.csv"));
        assert_eq!([&report[0]["outcome"], &report[1]["outcome"]], ["gone", "not-attempted"], "{line}");
        let _ = said.mentions("the project is gone").mentions("`assessctl projects list` shows the projects");
    }
    assert_eq!(socket.writes().len(), 3, "the first of each stopped its run");
}
