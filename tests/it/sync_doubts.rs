//! Syncs against lists that lag behind or show no one, lost answers, and a service that spells people otherwise.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::doubts::{array, enrolment, listed, matching};
use crate::harness::{Env, Said};
use crate::socket::{Answer, Request, Socket};
use crate::sync::{held, night, person};
use crate::sync_movers::{HERE, THERE, TwoProjects, rows, sites_night};
use crate::wire::PROJECT;

/// A project that stores people so, and whose list shows no one while it is blind.
fn project(people: Vec<Value>, store: fn(&mut Value)) -> (Socket, Arc<AtomicBool>) {
    let (people, is_blind) = (Mutex::new(people), Arc::new(AtomicBool::new(false)));
    let blind = Arc::clone(&is_blind);
    let socket = Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no server thread panics");
        match request.method.as_str() {
            "DELETE" => {
                people.retain(|person| !request.path().ends_with(&format!("/testtakers/{}", person["id"])));
                Answer::new(204, &[], "")
            }
            "POST" => {
                let entry = 5000 + i64::try_from(people.len()).expect("few people");
                let mut body = request.json();
                store(&mut body);
                people.push(listed(&body, entry));
                Answer::json(201, &enrolment(&body, entry).to_string())
            }
            _ if request.path().ends_with(PROJECT) => Answer::ok(&json!({"id": PROJECT, "name": "Night"}).to_string()),
            _ if blind.load(Ordering::Relaxed) => array(&[]),
            _ if request.parameter("page").is_some_and(|page| page != "1") => array(&[]),
            _ => array(&matching(request, &people)),
        }
    });
    (socket, is_blind)
}

/// Follows a file of these people; one absence is enough.
fn follow(env: &Env, people: impl IntoIterator<Item = u32>, more: &str) -> Said {
    let rows: Vec<String> = people.into_iter().map(|of| format!("p{of}@example.com,emp-{of}")).collect();
    night(env, &format!("email,referenceId\n{}\n", rows.join("\n")), &format!("-p {PROJECT} --absent-for 1 {more}"))
}

fn written(socket: &Socket, method: &str) -> usize {
    socket.writes().iter().filter(|request| request.method == method).count()
}

fn as_sent(_: &mut Value) {}

#[test]
fn by_a_list_that_shows_no_one_nothing_that_is_held_or_planned_is_done_or_called_done() {
    let (socket, is_blind) = project(Vec::new(), as_sent);
    let env = Env::at(&socket.url);
    let _ = follow(&env, 1..=30, "").ok();
    let _ = follow(&env, 1..=29, "--plan plan.ndjson").ok();
    let id = held(&follow(&env, 1..=24, "").exits(11));
    is_blind.store(true, Ordering::Relaxed);
    for what in [format!("{id} --expect 6"), "plan.ndjson --expect 1".to_owned()] {
        let said = env.line(&format!("testtakers apply {what}")).fails(7);
        let _ = said.mentions("shows none of the 30 people of the rosters synced before; nothing was done");
    }
    let _ = follow(&env, 1..=24, "").fails(7).mentions("shows none of the");
    assert_eq!((written(&socket, "DELETE"), written(&socket, "POST")), (0, 30));
    is_blind.store(false, Ordering::Relaxed);
    let elsewhere = Env::at(&socket.url);
    let _ = elsewhere.line(&format!("testtakers remove -p {PROJECT} ref:emp-30 --yes")).ok();
    let left = "5 of 6 held left, and 1 was gone already";
    let _ = env.line(&format!("testtakers apply {id} --expect 6")).ok().mentions(left);
    let _ = env.line(&format!("testtakers apply {id} --expect 6")).ok().mentions("nothing was sent");
    assert_eq!(written(&socket, "DELETE"), 6);
}

#[test]
fn a_line_of_a_plan_whose_person_was_gone_already_is_not_counted_as_removed() {
    let (socket, _) = project(Vec::new(), as_sent);
    let env = Env::at(&socket.url);
    let _ = follow(&env, 1..=30, "").ok();
    let _ = follow(&env, 1..=29, "--plan plan.ndjson").ok();
    let _ = Env::at(&socket.url).line(&format!("testtakers remove -p {PROJECT} ref:emp-30 --yes")).ok();
    let said = env.line("testtakers apply plan.ndjson --expect 1 -o csv").ok();
    assert!(said.stdout.contains("gone-already"), "{said}");
}

#[test]
fn a_respelt_person_who_is_in_the_file_again_is_not_removed_by_a_plan_of_before() {
    let (socket, _) = project(Vec::new(), |body| {
        body["referenceId"] = json!(body["referenceId"].as_str().unwrap_or_default().to_uppercase());
    });
    let env = Env::at(&socket.url);
    let _ = follow(&env, 1..=20, "");
    let _ = follow(&env, 1..=19, "--plan plan.ndjson");
    let _ = follow(&env, 1..=20, "");
    let said = env.line("testtakers apply plan.ndjson --expect 1 -o csv");
    assert!(written(&socket, "DELETE") == 0 && said.stdout.contains("changed-since-plan"), "{said}");
}

#[test]
fn an_empty_list_is_believed_where_few_were_known_or_this_machine_removed_them_all() {
    let (socket, is_blind) = project((1..=4).map(person).collect(), as_sent);
    let env = Env::at(&socket.url);
    let rows: Vec<String> = (1..=4).map(|of| format!("p{of}@example.com,EMP-{of}")).collect();
    let file = format!("email,referenceId\n{}\n", rows.join("\n"));
    let _ = night(&env, &file, &format!("-p {PROJECT}")).ok().mentions("4 as they were");
    is_blind.store(true, Ordering::Relaxed);
    let _ = night(&env, &file, &format!("-p {PROJECT} --plan plan.ndjson")).ok().mentions("4 would join");
    let (socket, _) = project(Vec::new(), as_sent);
    let env = Env::at(&socket.url);
    let _ = follow(&env, 1..=6, "").ok();
    let _ = env.line(&format!("testtakers remove -p {PROJECT} --file night.csv --yes")).ok();
    let _ = follow(&env, 1..=6, "").ok().mentions("6 returned");
}

#[test]
fn a_leaver_whose_reference_id_or_address_the_service_spells_otherwise_leaves() {
    let spellings: [fn(&mut Value); 3] = [
        |body| body["referenceId"] = json!(body["referenceId"].as_str().unwrap_or_default().to_uppercase()),
        |body| body["referenceId"] = Value::Null,
        |body| {
            body["referenceId"] = json!(body["referenceId"].as_str().unwrap_or_default().to_uppercase());
            body["email"] = json!(format!("x{}", body["email"].as_str().unwrap_or_default()));
        },
    ];
    for (at, store) in spellings.into_iter().enumerate() {
        let (socket, _) = project(Vec::new(), store);
        let env = Env::at(&socket.url);
        let _ = follow(&env, 1..=21, "");
        let _ = follow(&env, 1..=20, "--plan plan.ndjson");
        let said = env.line("testtakers apply plan.ndjson --expect 1 -o csv").ok();
        assert!(said.stdout.contains(",removed,"), "{at}: {said}");
        let said = follow(&env, 1..=19, "");
        assert!(said.stderr.contains("1 left") && !said.stderr.contains("stray"), "{at}: {said}");
        assert_eq!((written(&socket, "DELETE"), written(&socket, "POST")), (2, 21), "{at}: {said}");
    }
}

#[test]
fn a_respelt_person_who_is_held_leaves_once_that_is_approved_and_one_who_is_kept_stays() {
    let (socket, _) = project(Vec::new(), |body| {
        body["referenceId"] = json!(body["referenceId"].as_str().unwrap_or_default().to_uppercase());
    });
    let env = Env::at(&socket.url);
    env.write("keep.txt", "ref:EMP-30\n");
    let _ = follow(&env, 1..=30, "");
    let id = held(&follow(&env, 1..=24, "--max-leavers 2 --keep keep.txt").exits(11));
    let _ = env.line(&format!("testtakers apply {id} --expect 5")).ok().mentions("5 of 5 held left");
    assert_eq!(written(&socket, "DELETE"), 5);
}

/// Two projects, of which the first may answer each enrolment so, and whether its list hides who joined it.
fn two_projects(odd: Option<fn() -> Answer>) -> (Socket, Arc<Mutex<TwoProjects>>, Arc<AtomicBool>) {
    let service = Arc::new(Mutex::new(TwoProjects::new(&[1, 2, 3], &[4, 5])));
    let (answering, hides) = (Arc::clone(&service), Arc::new(AtomicBool::new(false)));
    let hiding = Arc::clone(&hides);
    let socket = Socket::answering(move |request, _| {
        let mut service = answering.lock().expect("no panic");
        if is_list(request) && hiding.load(Ordering::Relaxed) && request.path().contains(HERE) {
            let old: Vec<Value> =
                service.people[0].iter().filter(|person| person["id"].as_i64() < Some(9000)).cloned().collect();
            let is_first = request.parameter("page").is_none_or(|page| page == "1");
            return if is_first { array(&matching(request, &old)) } else { array(&[]) };
        }
        let answer = service.answer(request);
        odd.filter(|_| request.method == "POST" && request.path().contains(HERE)).map_or(answer, |odd| odd())
    });
    (socket, service, hides)
}

fn is_list(request: &Request) -> bool {
    request.method == "GET" && request.path().ends_with("/testtakers")
}

/// Where a joiner goes next, how the enrolment was answered, and what is said at the end.
type Joiner = (Option<&'static str>, fn() -> Answer, &'static str);

/// The usual people, but one.
const LEFT: [(u32, &str); 4] = [(1, HERE), (2, HERE), (4, THERE), (5, THERE)];

/// The usual people, and one who joins.
fn with_joiner(place: Option<&'static str>) -> String {
    let usual = [(1, HERE), (2, HERE), (3, HERE), (4, THERE), (5, THERE)];
    rows(&usual.into_iter().chain(place.map(|place| (9, place))).collect::<Vec<_>>())
}

#[test]
fn whom_the_old_list_does_not_show_yet_does_not_join_another_project_and_is_moved_later() {
    let (socket, service, hides) = two_projects(None);
    let env = Env::at(&socket.url);
    let _ = sites_night(&env, &with_joiner(None), "").ok();
    let _ = sites_night(&env, &with_joiner(Some(HERE)), "").ok().mentions("1 joined");
    hides.store(true, Ordering::Relaxed);
    let said = sites_night(&env, &with_joiner(Some(THERE)), "--absent-for 1 -o csv").exits(7);
    assert!(said.stdout.contains("the move waits for that"), "{said}");
    assert_eq!(service.lock().expect("no panic").people[1].len(), 2, "{said}");
    hides.store(false, Ordering::Relaxed);
    let _ = sites_night(&env, &with_joiner(Some(THERE)), "--absent-for 1").ok().mentions("1 moved here; 1 moved away");
    let service = service.lock().expect("no panic");
    assert_eq!([0, 1].map(|at| service.people[at].len()), [3, 3]);
}

#[test]
fn whom_the_list_does_not_show_yet_is_no_stranger_once_the_row_is_out_of_the_file() {
    let (socket, service, hides) = two_projects(None);
    let env = Env::at(&socket.url);
    let _ = sites_night(&env, &with_joiner(None), "").ok();
    let _ = sites_night(&env, &with_joiner(Some(HERE)), "").ok();
    hides.store(true, Ordering::Relaxed);
    let said = sites_night(&env, &with_joiner(Some(HERE)), "");
    assert!(!said.stderr.contains("not in the file"), "{said}");
    let pending = "1 person is not in the file who may have been enrolled by an earlier run";
    for more in ["--plan plan.ndjson", ""] {
        // Nor does anyone else leave before that is known.
        let said = sites_night(&env, &rows(&LEFT), &format!("--absent-for 1 {more}"));
        let _ = said.exits(7).mentions(pending);
        assert_eq!(service.lock().expect("no panic").people[0].len(), 4);
    }
    hides.store(false, Ordering::Relaxed);
    let _ = sites_night(&env, &rows(&LEFT), "--absent-for 1").ok().mentions("2 left");
    assert_eq!(service.lock().expect("no panic").people[0].len(), 2);
}

#[test]
fn whom_no_roster_had_and_no_list_shows_yet_holds_up_no_sync() {
    let (socket, _, hides) = two_projects(None);
    let env = Env::at(&socket.url);
    let _ = sites_night(&env, &with_joiner(None), "").ok();
    let _ = env.line(&format!("testtakers enrol -p {HERE} --email hand@example.com --reference-id HAND")).ok();
    hides.store(true, Ordering::Relaxed);
    let _ = sites_night(&env, &with_joiner(None), "--absent-for 1").ok();
}

#[test]
fn a_joiner_in_doubt_whose_row_changes_its_place_or_goes_is_known_and_moves_or_leaves() {
    let page = || Answer::new(201, &["Content-Type: text/html"], "<html>");
    // The file without the row is the one that was followed last, and counts no absence. Of an enrolment that was answered
    // it is not known who it was, and that is no reason to wait for ever.
    let answers: [Joiner; 3] = [
        (Some(THERE), Answer::nothing, "1 moved here; 1 moved away"),
        (None, Answer::nothing, "1 missing"),
        (None, page, "1 left alone"),
    ];
    for (place, answer, end) in answers {
        let (socket, service, hides) = two_projects(Some(answer));
        let env = Env::at(&socket.url);
        let _ = sites_night(&env, &with_joiner(None), "").ok();
        hides.store(true, Ordering::Relaxed);
        let _ = sites_night(&env, &with_joiner(Some(HERE)), "--no-wait").exits(7);
        hides.store(false, Ordering::Relaxed);
        let said = sites_night(&env, &with_joiner(place), "--absent-for 1").exits(7);
        assert_eq!(service.lock().expect("no panic").people[1].len(), 2, "{said}");
        std::thread::sleep(Duration::from_millis(1100));
        let _ = sites_night(&env, &with_joiner(place), "--absent-for 1 --settle 1s").ok().mentions(end);
        let service = service.lock().expect("no panic");
        let moved = usize::from(place.is_some());
        assert_eq!([0, 1].map(|at| service.people[at].len()), [4 - moved, 2 + moved]);
    }
}

#[test]
fn a_person_enrolled_by_hand_is_a_stray_and_holds_up_no_sync() {
    let (socket, is_blind) = project((1..=3).map(person).collect(), as_sent);
    let env = Env::at(&socket.url);
    let rows: Vec<String> = (1..=3).map(|of| format!("p{of}@example.com,EMP-{of}")).collect();
    let text = format!("email,referenceId\n{}\n", rows.join("\n"));
    let _ = night(&env, &text, &format!("-p {PROJECT}")).ok();
    let _ = env.line(&format!("testtakers enrol -p {PROJECT} --email hand@example.com --reference-id HAND")).ok();
    let _ = night(&env, &text, &format!("-p {PROJECT} --absent-for 1")).ok().mentions("1 stray");
    assert!(!is_blind.load(Ordering::Relaxed) && written(&socket, "DELETE") == 0);
}
