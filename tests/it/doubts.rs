//! Imports against a service that is not what it seems: stale lists, other ids, foreign answers, doubles.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use crate::harness::{Env, KEY, Said};
use crate::imports::records;
use crate::socket::{Answer, Request, Socket};
use crate::wire::{PROJECT, decoded, fixture};

const ROSTER: &str = "email,firstName,lastName,birthYear,referenceId\n\
                      zoe.mueller@example.com,Zoë,Müller,1984,EMP-00017\n";

fn import(socket: &Socket, roster: &str, more: &str) -> Said {
    let env = Env::at(&socket.url);
    env.write("people.csv", roster);
    env.line(&format!("testtakers import people.csv -p {PROJECT} -o csv --settle 1s {more}"))
}

fn outcomes(said: &Said) -> Vec<String> {
    records(&said.stdout).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

pub(crate) fn array(records: &[Value]) -> Answer {
    Answer::ok(&Value::Array(records.to_vec()).to_string())
}

/// A project that enrols whom it is sent, and lists them as `record` says of the body and the entry id.
fn enrolling(record: impl Fn(&Value, i64) -> Value + Send + Sync + 'static) -> Socket {
    enrolling_and_blind(record, Arc::default())
}

/// The same; its list is empty for as long as it is blind.
fn enrolling_and_blind(
    record: impl Fn(&Value, i64) -> Value + Send + Sync + 'static,
    is_blind: Arc<AtomicBool>,
) -> Socket {
    let people = Mutex::new(Vec::<Value>::new());
    Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no server thread panics");
        if request.method == "POST" {
            let entry = 5000 + i64::try_from(people.len()).expect("few people");
            let body = request.json();
            people.push(record(&body, entry));
            return Answer::json(201, &enrolment(&body, entry).to_string());
        }
        if is_blind.load(Ordering::Relaxed) || request.parameter("page").is_some_and(|page| page != "1") {
            return array(&[]);
        }
        array(&matching(request, &people))
    })
}

pub(crate) fn enrolment(body: &Value, entry: i64) -> Value {
    let mut answer = fixture("enrolment-bare");
    for (field, value) in body.as_object().into_iter().flatten() {
        answer[field] = value.clone();
    }
    answer["projectEntryId"] = json!(entry);
    answer
}

/// What a list shows of somebody who was enrolled with this body.
pub(crate) fn listed(body: &Value, entry: i64) -> Value {
    let mut record = fixture("test-taker-bare");
    for field in ["email", "firstName", "lastName", "referenceId"] {
        record[field] = body[field].clone();
    }
    record["id"] = json!(entry);
    record["yearOfBirth"] = body["birthYear"].clone();
    record
}

pub(crate) fn matching(request: &Request, people: &[Value]) -> Vec<Value> {
    let wanted = |name| request.parameter(name).map(decoded);
    let (id, part) = (wanted("referenceId"), wanted("filter"));
    let fits = |person: &&Value| {
        let text = person.to_string();
        id.as_deref().is_none_or(|id| person["referenceId"] == id)
            && part.as_deref().is_none_or(|part| text.contains(part))
    };
    people.iter().filter(fits).cloned().collect()
}

#[test]
fn somebody_whom_the_walk_did_not_show_is_asked_for_before_being_sent() {
    // A project of so many people that two questions are cheaper than its list.
    let many: Vec<Value> = (1..=100).map(|id| json!({ "id": id, "email": "other@example.com" })).collect();
    let socket =
        Socket::answering(move |request, _| match (request.parameter("referenceId"), request.parameter("filter")) {
            (Some("EMP-00017"), _) => array(&[fixture("test-taker")]),
            (None, None) => array(&many),
            _ => array(&[]),
        });
    let said = import(&socket, ROSTER, "").ok();
    assert_eq!((outcomes(&said), socket.writes().len()), (vec!["existing".to_owned()], 0), "{said}");
}

#[test]
fn an_entry_id_that_is_not_the_lists_id_stops_the_import() {
    let socket = enrolling(|body, entry| listed(body, entry + 1000));
    let rows = (2..=40).map(|n| format!("p{n}@example.com,,,,P-{n}\n")).collect::<Vec<_>>().concat();
    let said = import(&socket, &format!("{ROSTER}{rows}"), "--concurrency 1");
    assert!(said.code != 0 && said.code != 10, "{said}");
    assert!(socket.writes().len() < 40, "{} people were enrolled on a wrong reading\n{said}", socket.writes().len());
    assert_eq!(records(&said.stdout).len(), 40, "{said}");
}

#[test]
fn an_answer_that_spells_the_person_otherwise_counts_and_says_so() {
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "POST" => {
            let mut other = fixture("enrolment");
            other["email"] = json!("spelt.otherwise@example.com");
            other["referenceId"] = json!("OTHER-1");
            Answer::json(201, &other.to_string())
        }
        _ => array(&[]),
    });
    let said = import(&socket, ROSTER, "").exits(7);
    assert_eq!((outcomes(&said), socket.writes().len()), (vec!["enrolled".to_owned()], 1), "{said}");
    let message = "the service stored another email, referenceId; the project's list does not show this entry yet";
    assert_eq!(records(&said.stdout)[0]["message"], message);
    let _ = said.hides("spelt.otherwise@example.com").hides("OTHER-1");
}

#[test]
fn a_reference_id_is_compared_byte_for_byte_whatever_the_service_thinks() {
    let socket = Socket::answering(|request, _| match (request.method.as_str(), request.parameter("referenceId")) {
        ("POST", _) => Answer::nothing(),
        (_, None) => array(&[]),
        _ => {
            let mut other = fixture("test-taker");
            other["referenceId"] = json!("emp-00017");
            other["email"] = json!("another@example.com");
            array(&[other])
        }
    });
    let said = import(&socket, ROSTER, "--no-wait");
    assert_eq!((said.code, outcomes(&said)), (7, vec!["in-doubt".to_owned()]), "{said}");
    assert_eq!(socket.writes().len(), 1);
}

#[test]
fn an_email_alone_is_looked_up_with_its_plus_sign_encoded() {
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "POST" => Answer::nothing(),
        _ => array(&[]),
    });
    let said = import(&socket, "email\nann+test@example.com\n", "").exits(7);
    assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
    let asked: Vec<_> = socket.requests().iter().filter_map(|r| r.parameter("filter").map(str::to_owned)).collect();
    assert!(asked.iter().any(|filter| filter == "ann%2Btest%40example.com"), "{asked:?}");
}

#[test]
fn people_without_anything_in_common_are_enrolled_once_at_any_concurrency() {
    for concurrency in [1, 7, 32] {
        let socket = enrolling(listed);
        let rows = (1..=60).map(|n| format!("p{n}@example.com,F,L,1980,P-{n}\n")).collect::<Vec<_>>().concat();
        let roster = format!("email,firstName,lastName,birthYear,referenceId\n{rows}");
        let said = import(&socket, &roster, &format!("--concurrency {concurrency}")).ok();
        assert_eq!((outcomes(&said).len(), socket.writes().len()), (60, 60), "{said}");
        let again = import(&socket, &roster, "").ok();
        assert!(outcomes(&again).iter().all(|outcome| outcome == "existing"), "{again}");
        assert_eq!(socket.writes().len(), 60);
    }
}

#[test]
fn names_and_addresses_of_the_roster_stay_out_of_talk() {
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "POST" => Answer::problem(422, "Unprocessable", "Zoë Müller (zoe.mueller@example.com) EMP-00017 is odd"),
        _ => array(&[]),
    });
    let said = import(&socket, ROSTER, "-v").exits(10);
    assert_eq!(outcomes(&said), ["refused"], "{said}");
    for secret in ["Zoë", "Müller", "zoe.mueller", "EMP-00017"] {
        assert!(!said.stderr.contains(secret), "{secret} in\n{}", said.stderr);
    }
    let row = &records(&said.stdout)[0];
    assert!(
        row["message"].as_str().is_some_and(|message| message.contains("Zoë Müller")),
        "the report has it whole: {row}"
    );
}

/// A project without people whose first list answers are cut off.
fn cutting(lists: usize, post: impl Fn() -> Answer + Send + Sync + 'static) -> Socket {
    let left = std::sync::atomic::AtomicUsize::new(lists);
    let people = Mutex::new(Vec::<Value>::new());
    Socket::answering(move |request, _| {
        use std::sync::atomic::Ordering::SeqCst;
        if request.method == "POST" {
            let answer = post();
            if answer != Answer::nothing() {
                let body = request.json();
                let mut people = people.lock().expect("no server thread panics");
                people.push(listed(&body, 5000));
                return Answer::json(201, &enrolment(&body, 5000).to_string());
            }
            return answer;
        }
        if left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Answer::ok("[{\"id\":");
        }
        let people = people.lock().expect("no server thread panics");
        if request.parameter("page").is_some_and(|page| page != "1") {
            array(&[])
        } else {
            array(&matching(request, &people))
        }
    })
}

#[test]
fn a_list_that_is_cut_off_is_asked_for_again_and_then_is_no_answer() {
    let socket = cutting(1, || Answer::ok(""));
    let said = import(&socket, ROSTER, "").ok();
    assert_eq!((outcomes(&said), socket.writes().len()), (vec!["enrolled".to_owned()], 1), "{said}");
    let socket = cutting(usize::MAX, || Answer::ok(""));
    let said = import(&socket, ROSTER, "").fails(6).mentions("its body is cut off").mentions("hint: try again later");
    assert_eq!((socket.requests().len(), socket.writes().len()), (4, 0), "{said}");
}

#[test]
fn a_run_that_only_looked_is_unfinished_while_a_row_of_it_is_in_doubt() {
    let env = Env::new().with("ASSESSCTL_API_KEY", crate::harness::KEY);
    env.write("people.csv", ROSTER);
    let import = |socket: &Socket, more: &str| {
        let line = format!("testtakers import people.csv -p {PROJECT} -o csv --base-url {} {more}", socket.url);
        env.line(&line)
    };
    let cut = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_cut = std::sync::Arc::clone(&cut);
    let socket = Socket::answering(move |request, _| match request.method.as_str() {
        "POST" => Answer::nothing(),
        _ if is_cut.load(std::sync::atomic::Ordering::SeqCst) => Answer::nothing(),
        _ => array(&[]),
    });
    let said = import(&socket, "--no-wait").exits(7);
    assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
    cut.store(true, std::sync::atomic::Ordering::SeqCst);
    let said = import(&socket, "").fails(7).mentions("nothing was sent, and 1 row is in doubt");
    assert_eq!(socket.writes().len(), 1, "{said}");
}

#[test]
fn people_who_stand_twice_before_the_first_run_are_told_with_what_to_do() {
    let body = json!({"email": "zoe.mueller@example.com", "firstName": "Zoë", "lastName": "Müller", "birthYear": 1984,
        "referenceId": "EMP-00017"});
    let twins = [listed(&body, 7), listed(&body, 8)];
    let socket = Socket::answering(move |request, _| match request.parameter("page") {
        Some(page) if page != "1" && request.parameter("pageSize") != Some("1") => array(&[]),
        Some(page) if request.parameter("pageSize") == Some("1") => {
            let place = page.parse::<usize>().expect("a number");
            array(&twins.iter().skip(place - 1).take(1).cloned().collect::<Vec<_>>())
        }
        _ => array(&matching(request, &twins)),
    });
    let said = import(&socket, ROSTER, "").exits(10).mentions("hint: compare the entries that the messages name");
    assert_eq!((outcomes(&said), socket.writes().len()), (vec!["duplicate".to_owned()], 0), "{said}");
    assert!(said.stdout.contains("also as entry 8"), "{said}");
}

#[test]
fn a_service_that_shows_nothing_at_all_is_not_believed_that_a_row_is_absent() {
    let created = Mutex::new(0);
    let socket = Socket::answering(move |request, _| {
        let mut created = created.lock().expect("no server thread panics");
        match request.method.as_str() {
            "POST" => {
                *created += 1;
                let is_first = *created == 1;
                if is_first {
                    Answer::json(201, &enrolment(&request.json(), 5001).to_string())
                } else {
                    Answer::nothing()
                }
            }
            _ => array(&[]),
        }
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", format!("{ROSTER}ann@example.com,Ann,Lee,1990,EMP-00018\n"));
    let run = format!("testtakers import people.csv -p {PROJECT} -o csv --settle 200ms --concurrency 1");
    let messages: Vec<String> = (0..3)
        .map(|_| {
            let rows = records(&env.line(&run).exits(7).stdout);
            let of = |row: usize, field: &str| rows[row][field].as_str().unwrap_or_default().to_owned();
            assert_eq!(of(1, "outcome"), "in-doubt", "{rows:?}");
            of(1, "message")
        })
        .collect();
    assert_eq!(socket.writes().len(), 2, "each person is sent once\n{messages:?}");
    assert!(
        messages.iter().all(|words| words.ends_with("proves nothing: entry 5001 is not shown either")),
        "{messages:?}"
    );
}

#[test]
fn a_lost_answer_is_not_sent_again_beside_a_person_enrolled_just_before_whom_the_list_lacks() {
    let created = Mutex::new(0);
    let socket = Socket::answering(move |request, _| {
        if request.method != "POST" {
            return array(&[]);
        }
        let mut created = created.lock().expect("no server thread panics");
        *created += 1;
        let is_first = *created == 1;
        if is_first { Answer::json(201, &enrolment(&request.json(), 5000).to_string()) } else { Answer::nothing() }
    });
    let env = Env::at(&socket.url);
    let enrol = format!("testtakers enrol -p {PROJECT} --settle 500ms -o csv");
    let _ = env.line(&format!("{enrol} --email ann@example.com --reference-id EMP-1")).ok();
    for _ in 0..2 {
        let said = env.line(&format!("{enrol} --email bob@example.com --reference-id EMP-2")).exits(7);
        assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
        assert!(said.stdout.contains("looking it up proves nothing: entry 5000 is not shown either"), "{said}");
    }
    assert_eq!(socket.writes().len(), 2, "each person is sent once");
}

#[test]
fn a_lost_answer_is_not_sent_again_beside_a_person_whom_another_run_enrolls_meanwhile() {
    let (sends, bob_is_sent) = mpsc::channel();
    let (enrols, ann_is_enrolled) = mpsc::channel::<()>();
    let ann_is_enrolled = Mutex::new(ann_is_enrolled);
    let socket = Socket::answering(move |request, _| {
        if request.method != "POST" {
            return array(&[]);
        }
        if request.json()["referenceId"] == "EMP-1" {
            return Answer::json(201, &enrolment(&request.json(), 5000).to_string());
        }
        // Who is not listened to any more, or has nothing more to say, has gone on.
        let _ = sends.send(());
        let _ = ann_is_enrolled.lock().expect("no server thread panics").recv();
        Answer::nothing()
    });
    let env = Env::at(&socket.url);
    env.write("people.csv", "email,referenceId\nbob@example.com,EMP-2\n");
    let import = format!("testtakers import people.csv -p {PROJECT} --settle 200ms -o csv");
    let enrol = format!("testtakers enrol -p {PROJECT} --email ann@example.com --reference-id EMP-1 -o csv");
    let said = std::thread::scope(|threads| {
        let importing = threads.spawn(|| env.line(&import));
        bob_is_sent.recv().expect("the import sends its row");
        let _ = env.line(&enrol).ok();
        drop(enrols);
        importing.join().expect("a run that ends")
    });
    let said = said.exits(7);
    assert!(said.stdout.contains("looking it up proves nothing: entry 5000 is not shown either"), "{said}");
    assert_eq!((outcomes(&said), socket.writes().len()), (vec!["in-doubt".to_owned()], 2), "{said}");
}

#[test]
fn a_list_that_shows_none_of_those_who_were_enrolled_from_here_is_blind_and_no_one_new_is_sent() {
    let is_blind = Arc::new(AtomicBool::new(false));
    let socket = enrolling_and_blind(listed, Arc::clone(&is_blind));
    let env = Env::at(&socket.url);
    let roster = |from: usize, to: usize| {
        let rows = (from..to).map(|n| format!("p{n}@example.com,P{n},Q{n},1990,P-{n}\n"));
        format!("email,firstName,lastName,birthYear,referenceId\n{}", rows.collect::<String>())
    };
    let run = format!("testtakers import people.csv -p {PROJECT} --settle 1ms");
    env.write("people.csv", roster(0, 5));
    let _ = env.line(&run).ok();
    is_blind.store(true, Ordering::Relaxed);
    env.write("people.csv", roster(4, 8));
    let said = env.line(&run).exits(7);
    assert!(
        said.stderr.contains("shows none of the last 5 people enrolled from here; nothing was sent\nhint: look at"),
        "{said}"
    );
    let _ = said.clone().mentions(&format!("`assessctl journal forget -p {PROJECT}` lets it go"));
    assert_eq!(socket.writes().len(), 5, "{said}");
    is_blind.store(false, Ordering::Relaxed);
    let said = env.line(&run).ok();
    assert_eq!(socket.writes().len(), 8, "{said}");
}

#[test]
fn a_person_who_got_a_reference_id_and_whom_the_list_lacks_is_gone_and_not_new() {
    let is_blind = Arc::new(AtomicBool::new(false));
    let socket = enrolling_and_blind(listed, Arc::clone(&is_blind));
    let env = Env::at(&socket.url);
    let run = format!("testtakers import people.csv -p {PROJECT} -o csv --settle 1ms");
    env.write("people.csv", "email,firstName,referenceId\nann@example.com,Ann,\nbob@example.com,Bob,R-2\n");
    let _ = env.line(&format!("{run} --concurrency 1")).ok();
    is_blind.store(true, Ordering::Relaxed);
    let edited =
        "email,firstName,referenceId\nann@example.com,Ann,R-1\nrobert@example.com,Bob,R-2\ncy@example.com,Cy,R-3\n";
    env.write("people.csv", edited);
    // The new one is not shown either: that is all that is unfinished.
    let said = env.line(&format!("{run} --no-wait")).exits(7);
    let rows = records(&said.stdout);
    let ends: Vec<_> = rows.iter().map(|row| (row["outcome"].as_str(), row["message"].as_str())).collect();
    let ann = "entry 5000 was enrolled from here with this email and is gone (--again enrols it anew)";
    let bob = "entry 5001 was enrolled from here with this referenceId and is gone (--again enrols it anew)";
    assert_eq!(ends[..2], [(Some("gone"), Some(ann)), (Some("gone"), Some(bob))], "{said}");
    assert_eq!((ends[2].0, socket.writes().len()), (Some("enrolled"), 3), "the third is new\n{said}");
    // The dispatcher's address is no person: another reference id makes another one of it.
    env.write("people.csv", "email,firstName,referenceId\nrobert@example.com,Rob,R-9\nbob@example.com,Rob,R-8\n");
    let said = env.line(&format!("{run} --no-wait"));
    assert_eq!(outcomes(&said), ["enrolled", "enrolled"], "{said}");
    env.write("people.csv", edited);
    is_blind.store(false, Ordering::Relaxed);
    let said = env.line(&format!("{run} --no-wait"));
    assert!(!outcomes(&said).contains(&"gone".to_owned()), "{said}");
    assert_eq!(socket.writes().len(), 5, "{said}");
}

/// A service with 400 people, which gives no answer to the next enrolment after them and keeps its reference id in capitals.
#[test]
fn a_lost_enrolment_that_is_kept_under_another_reference_id_is_found_by_its_email_and_not_sent_again() {
    let there = Env::new();
    let faults = ["--fault", "close-after@enrol:nth=401", "--fault", "spell=upper@enrol:nth=401"];
    let served = there.serve(&[&["--key", KEY], &faults[..]].concat());
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    let rows: String = (0..400).map(|row| format!("p{row}@example.com,R-{row}\n")).collect::<Vec<_>>().concat();
    env.write("many.csv", format!("email,referenceId\n{rows}"));
    let _ = env.line("testtakers import many.csv -q").ok();
    env.write("one.csv", "email,referenceId\none@example.com,r-one\n");
    for _ in 0..2 {
        let said = env.line("testtakers import one.csv --settle 1s -o csv").exits(7);
        assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
        assert!(said.stdout.contains("entry 401 may be this person"), "{said}");
    }
    assert_eq!(env.line("testtakers list -o json").json().as_array().map(Vec::len), Some(401));
}

#[test]
fn a_lost_enrolment_whose_reference_id_the_service_cuts_is_not_sent_again() {
    let there = Env::new();
    let faults = ["--fault", "close-after@enrol:nth=1", "--fault", "spell=cut@enrol"];
    let served = there.serve(&[&["--key", KEY], &faults[..]].concat());
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    env.write("one.csv", "email,referenceId,firstName\none@example.com,EMP-000017,Ann\n");
    for _ in 0..2 {
        let said = env.line("testtakers import one.csv --settle 1s -o csv").exits(7);
        assert_eq!(outcomes(&said), ["in-doubt"], "{said}");
        assert!(said.stdout.contains("entry 1 may be this person"), "{said}");
    }
    assert_eq!(env.line("testtakers list --fields referenceId -o csv").data(), "referenceId\nEMP-0000\n");
}
