//! One file for many projects: whoever moves from one to another joins first, is looked for, and only then leaves.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, mpsc};

use serde_json::{Value, json};

use crate::doubts::{array, listed, matching};
use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::{Answer, Request, Socket};
use crate::sync::held;

/// A file: people by their numbers, each with a project.
pub(crate) fn sites<'a>(people: impl IntoIterator<Item = (u32, &'a str)>) -> String {
    let mut text = "email,firstName,lastName,referenceId,site\n".to_owned();
    for (of, site) in people {
        writeln!(text, "p{of}@example.com,First{of},Last{of},EMP-{of},{site}").expect("a text");
    }
    text
}

/// Syncs a file of many projects as the night's. Nothing waits: each file counts.
pub(crate) fn sites_night(env: &Env, text: &str, more: &str) -> Said {
    env.write("night.csv", text);
    env.line(&format!("testtakers sync night.csv --project-column site --roster-interval 0s {more}"))
}

/// The numbers of the people of a project, sorted.
pub(crate) fn people_of(env: &Env, project: &str) -> Vec<String> {
    let people = env.line(&format!("--profile sandbox testtakers list -p {project} -o json")).json();
    let people = people.as_array().expect("an array").iter();
    let mut ids: Vec<String> = people.map(|person| person["referenceId"].as_str().unwrap_or("-").to_owned()).collect();
    ids.sort();
    ids
}

fn ids(people: &[u32]) -> Vec<String> {
    let mut ids: Vec<String> = people.iter().map(|of| format!("EMP-{of}")).collect();
    ids.sort();
    ids
}

/// A sandbox with the projects `Demo` and `Nights`, which has followed a file: 1 to 6 are in `Demo`, 7 to 12 in `Nights`.
pub(crate) fn two_sites() -> Env {
    let env = Env::sandbox();
    let _ = env.line("projects create Nights").ok();
    let said = sites_night(&env, &sites(usual(&[])), "").ok();
    let said = said.mentions("Demo: 6 in the file: 6 joined\n").mentions("Nights: 6 in the file: 6 joined\n");
    let _ = said.mentions("12 in the file: 12 joined in 2 projects (sandbox)");
    env
}

/// The usual places, but for those who are named.
pub(crate) fn usual<'a>(others: &[(u32, &'a str)]) -> Vec<(u32, &'a str)> {
    let usual = |of| if of <= 6 { "Demo" } else { "Nights" };
    let place = |of| others.iter().find(|(other, _)| *other == of).map_or(usual(of), |(_, site)| site);
    (1..=12).map(|of| (of, place(of))).filter(|(_, site)| !site.is_empty()).collect()
}

/// What a run printed as CSV: each person with the outcome.
fn outcomes(said: &Said) -> Vec<String> {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    let each = records(&said.stdout);
    each.iter()
        .map(|row| ["referenceId", "change", "outcome", "project"].map(|field| text(row, field)).join(" "))
        .collect()
}

#[test]
fn a_mover_joins_and_leaves_in_one_night_and_the_summary_adds_up() {
    let env = two_sites();
    let said = sites_night(&env, &sites(usual(&[(3, "Nights"), (8, "Demo"), (12, "")])), "-o csv").ok();
    let mut told = outcomes(&said);
    told.sort();
    let moved = [
        "EMP-3 mover enrolled Nights",
        "EMP-3 mover removed Demo",
        "EMP-8 mover enrolled Demo",
        "EMP-8 mover removed Nights",
    ];
    assert_eq!(told, moved, "{said}");
    let said = said.mentions("Demo: 6 in the file: 5 as they were, 1 moved here; 1 moved away\n");
    let said = said.mentions("Nights: 5 in the file: 4 as they were, 1 moved here; 1 moved away, 1 missing\n");
    let said = said.mentions("11 in the file: 9 as they were, 2 moved here; 2 moved away, 1 missing in 2 projects");
    let said = said.mentions("the results of 2 people who move can't be read here afterwards: export them before");
    let _ = said.mentions("the results of those who left can't be read here any more");
    assert_eq!(people_of(&env, "Demo"), ids(&[1, 2, 4, 5, 6, 8]));
    assert_eq!(people_of(&env, "Nights"), ids(&[3, 7, 9, 10, 11, 12]));
    let _ = sites_night(&env, &sites(usual(&[(3, "Nights"), (8, "Demo"), (12, ""), (11, "Demo")])), "").ok();
    assert_eq!(people_of(&env, "Nights"), ids(&[3, 7, 9, 10]), "12 was absent twice, and 11 moved");
}

#[test]
fn a_person_may_be_in_two_projects_and_leaves_one_of_them_by_absence() {
    let env = two_sites();
    let both = |more: &[(u32, &str)]| {
        let mut people: Vec<(u32, String)> = usual(more).into_iter().map(|(of, site)| (of, site.to_owned())).collect();
        people.push((3, "Nights".to_owned()));
        sites(people.iter().map(|(of, site)| (*of, site.as_str())))
    };
    let _ = sites_night(&env, &both(&[]), "").ok().mentions("1 joined");
    assert!(people_of(&env, "Demo").contains(&"EMP-3".to_owned()));
    let _ = sites_night(&env, &both(&[(3, "")]), "").ok().mentions("1 missing").hides("moved");
    assert!(people_of(&env, "Demo").contains(&"EMP-3".to_owned()), "one absence");
    let _ = sites_night(&env, &both(&[(3, ""), (1, "Nights")]), "").ok().mentions("1 left");
    assert_eq!(people_of(&env, "Demo"), ids(&[2, 4, 5, 6]));
    assert_eq!(people_of(&env, "Nights"), ids(&[1, 3, 7, 8, 9, 10, 11, 12]));
}

#[test]
fn a_project_is_named_as_with_p_and_a_wrong_name_is_a_mistake_of_the_file() {
    let env = two_sites();
    let projects = env.line("projects list -o json").json();
    let nights = projects.as_array().expect("an array").iter().find(|project| project["name"] == "Nights");
    let id = nights.expect("a project")["id"].as_str().expect("an id").to_owned();
    let by_id = sites(usual(&[])).replace(",Nights", &format!(",{id}")).replace(",Demo", ",demo");
    let _ = sites_night(&env, &by_id, "").ok().mentions("12 in the file: 12 as they were");
    let wrong = sites(usual(&[(9, "Night")]));
    let said = sites_night(&env, &wrong, "").fails(5).mentions("nothing was sent");
    let said = said.mentions("night.csv:10:35: project: there is no project with this name (did you mean \"Nights\"?)");
    assert!(!said.stderr.contains("p9@"), "{said}");
    let empty = sites(usual(&[])).replace("EMP-9,Nights", "EMP-9,");
    let _ = sites_night(&env, &empty, "").fails(5).mentions("night.csv:10:35: project: is empty");
    let two_ways = sites(usual(&[])).replacen(",Nights", &format!(",{id}"), 1);
    let _ = sites_night(&env, &two_ways, "").fails(5).mentions("name one project in two ways");
    let unknown = sites(usual(&[])).replace(",Nights", ",00000000-0000-4000-8000-000000000000");
    let _ = sites_night(&env, &unknown, "").fails(5).mentions("there is no project with this id");
    let twice = format!("{}p9@example.com,First9,Last9,EMP-9,Nights\n", sites(usual(&[])));
    let _ = sites_night(&env, &twice, "").fails(5).mentions("the same as in line 10");
    let _ = env.line("projects create nights --allow-duplicates").ok();
    let _ = env.line("projects create NIGHTS --allow-duplicates").ok();
    let ambiguous = sites(usual(&[])).replace(",Nights", ",nIGHTS");
    let _ = sites_night(&env, &ambiguous, "").fails(5).mentions("3 projects have this name: name one by its id");
    env.write("night.csv", sites(usual(&[])));
    let _ = env.line("testtakers sync night.csv --project-column depot").fails(2).mentions("--project-column");
    let _ = env.line("testtakers sync night.csv --project-column site -p Demo").fails(2);
    let _ = env.line("testtakers sync night.csv --project-column site --leavers all").fails(2).mentions("goes with -p");
    assert_eq!(people_of(&env, "Demo"), ids(&[1, 2, 3, 4, 5, 6]));
}

#[test]
fn rows_without_a_project_are_left_out_where_that_is_wanted_and_then_nobody_leaves_or_moves() {
    let env = two_sites();
    let text = sites(usual(&[(3, "Nights")])).replace("EMP-9,Nights", "EMP-9,");
    let said = sites_night(&env, &text, "--skip-invalid -o csv").exits(10);
    let said = said.mentions("12 in the file: 10 as they were, 1 joined, 1 invalid");
    assert!(said.stdout.contains("unsettled,invalid,,,EMP-9"), "{said}");
    assert_eq!(people_of(&env, "Demo"), ids(&[1, 2, 3, 4, 5, 6]), "3 stays");
    assert_eq!(people_of(&env, "Nights"), ids(&[3, 7, 8, 9, 10, 11, 12]));
}

#[test]
fn a_column_that_shifted_is_held_as_a_whole_and_moves_are_let_through_by_a_person() {
    let env = two_sites();
    let swapped: Vec<(u32, &str)> = (1..=12).map(|of| (of, if of <= 6 { "Nights" } else { "Demo" })).collect();
    let text = sites(swapped);
    let said = sites_night(&env, &text, "-o csv").exits(11);
    let said = said.mentions("6 of 6 would leave Demo, where the limit is 5");
    let said = said.mentions("6 of 6 would leave Nights, where the limit is 5");
    assert_eq!(outcomes(&said).iter().filter(|person| person.contains(" mover held ")).count(), 24, "{said}");
    assert_eq!(
        (people_of(&env, "Demo"), people_of(&env, "Nights")),
        (ids(&[1, 2, 3, 4, 5, 6]), ids(&[7, 8, 9, 10, 11, 12]))
    );
    let id = held(&said);
    let again = sites_night(&env, &text, "").exits(11);
    assert_eq!(held(&again), id, "the same people have the same id");
    let shown = env.line(&format!("testtakers sync --show {id} -o csv")).ok();
    assert_eq!(outcomes(&shown).iter().filter(|person| person.contains(" mover held ")).count(), 12, "{shown}");
    let _ = env.line(&format!("testtakers apply {id} --expect 11")).fails(5);
    let said = env.line(&format!("testtakers apply {id} --expect 12")).ok();
    let _ = said.mentions("12 moves are let through: run the sync of that file again");
    assert_eq!(people_of(&env, "Demo"), ids(&[1, 2, 3, 4, 5, 6]), "nothing was sent yet");
    let _ = sites_night(&env, &text, "").ok().mentions("12 moved here; 12 moved away");
    assert_eq!(
        (people_of(&env, "Nights"), people_of(&env, "Demo")),
        (ids(&[1, 2, 3, 4, 5, 6]), ids(&[7, 8, 9, 10, 11, 12]))
    );
    let back = sites_night(&env, &sites(usual(&[])), "").exits(11);
    assert_ne!(held(&back), id, "moves back are others");
}

#[test]
fn a_project_that_the_file_no_longer_names_is_refused_and_not_forgotten() {
    let env = two_sites();
    let without = sites(usual(&[]).into_iter().filter(|(_, site)| *site == "Demo"));
    let said = sites_night(&env, &without, "").fails(5).mentions("Nights: the file has no people; nothing was done");
    let id = held(&said);
    let _ = env.line(&format!("testtakers apply {id} --expect 6")).ok().mentions("let through once");
    let _ = sites_night(&env, &without, "").ok().mentions("Nights: 0 in the file: ; 6 missing");
    let said = sites_night(&env, &without.replace("Last5", "Other"), "").exits(11);
    let _ = said.mentions("6 of 6 would leave Nights");
    let _ = sites_night(&env, &sites(usual(&[])), "").ok().mentions("11 as they were, 1 changed");
}

#[test]
fn whoever_is_kept_or_in_another_source_joins_and_does_not_leave() {
    let env = two_sites();
    env.write("keep.txt", "ref:EMP-3\n");
    let _ = env.line("testtakers enrol -p Demo --email p4@example.com --reference-id EMP-4 -q");
    env.write("agency.csv", "email,referenceId\np4@example.com,EMP-4\n");
    let _ = env.line("testtakers sync agency.csv -p Demo --source agency").ok();
    let text = sites(usual(&[(3, "Nights"), (4, "Nights"), (5, "Nights")]));
    let said = sites_night(&env, &text, "--keep keep.txt").ok();
    let said = said.mentions("Demo: 3 in the file: 3 as they were; 1 moved away, 1 kept, 1 in another source\n");
    let _ = said.mentions("Nights: 9 in the file: 6 as they were, 2 joined, 1 moved here\n");
    assert_eq!(people_of(&env, "Demo"), ids(&[1, 2, 3, 4, 6]));
}

#[test]
fn a_mover_whose_new_project_refuses_stays_however_often_the_file_says_it() {
    let env = two_sites();
    // The new project knows the e-mail with another reference id: a conflict.
    let _ = env.line("testtakers enrol -p Nights --email p3@example.com --reference-id OTHER -q").ok();
    for round in 0_u32..4 {
        let text = sites(usual(&[(3, "Nights")]).into_iter().chain([(20 + round, "Demo")]));
        let said = sites_night(&env, &text, "").exits(10);
        assert!(people_of(&env, "Demo").contains(&"EMP-3".to_owned()), "{said}");
    }
}

/// A service of two projects whose people are these; what it does before an answer is sent is the caller's to say.
pub(crate) struct TwoProjects {
    pub(crate) people: [Vec<Value>; 2],
    next: i64,
    /// In no project at some instant: who was.
    lost: Vec<String>,
    everyone: Vec<String>,
}

pub(crate) const HERE: &str = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690";
pub(crate) const THERE: &str = "7c1d84e7-b690-4b7f-9a35-2c3f8a1c526d";

impl TwoProjects {
    pub(crate) fn new(here: &[u32], there: &[u32]) -> Self {
        let person = |of: &u32| {
            listed(
                &json!({"email": format!("p{of}@example.com"), "referenceId": format!("EMP-{of}")}),
                4000 + i64::from(*of),
            )
        };
        let people = [here.iter().map(person).collect(), there.iter().map(person).collect()];
        let everyone = here.iter().chain(there).map(|of| format!("EMP-{of}")).collect();
        Self { people, next: 9000, lost: Vec::new(), everyone }
    }

    pub(crate) fn answer(&mut self, request: &Request) -> Answer {
        let at = usize::from(request.path().contains(THERE));
        let answer = match request.method.as_str() {
            _ if request.path().ends_with(HERE) => Answer::ok(&json!({"id": HERE, "name": "Here"}).to_string()),
            _ if request.path().ends_with(THERE) => Answer::ok(&json!({"id": THERE, "name": "There"}).to_string()),
            _ if request.path().ends_with("/projects") => Answer::ok("[]"),
            "DELETE" => {
                self.people[at].retain(|person| !request.path().ends_with(&format!("/testtakers/{}", person["id"])));
                Answer::new(204, &[], "")
            }
            "POST" => {
                self.next += 1;
                let body = request.json();
                self.people[at].push(listed(&body, self.next));
                Answer::json(201, &crate::doubts::enrolment(&body, self.next).to_string())
            }
            _ if request.parameter("page").is_some_and(|page| page != "1") => array(&[]),
            _ => array(&matching(request, &self.people[at])),
        };
        let somewhere = |id: &String| self.people.iter().flatten().any(|person| person["referenceId"] == id.as_str());
        let lost: Vec<String> = self.everyone.iter().filter(|id| !somewhere(id)).cloned().collect();
        self.lost.extend(lost);
        answer
    }

    pub(crate) fn ids(&self, at: usize) -> Vec<String> {
        let mut ids: Vec<String> =
            self.people[at].iter().map(|person| person["referenceId"].as_str().unwrap_or("-").to_owned()).collect();
        ids.sort();
        ids
    }
}

/// Bytes typed by hand for two projects.
fn typed(here: &[u32], there: &[u32]) -> (Socket, Arc<Mutex<TwoProjects>>) {
    let service = Arc::new(Mutex::new(TwoProjects::new(here, there)));
    let answering = Arc::clone(&service);
    let socket = Socket::answering(move |request, _| answering.lock().expect("no panic").answer(request));
    (socket, service)
}

pub(crate) fn rows(people: &[(u32, &str)]) -> String {
    let rows: Vec<String> = people.iter().map(|(of, site)| format!("p{of}@example.com,EMP-{of},{site}")).collect();
    format!("email,referenceId,site\n{}\n", rows.join("\n"))
}

#[test]
fn a_mover_is_enrolled_looked_for_and_then_deleted_in_this_order_and_nothing_else_is_written() {
    let (socket, service) = typed(&[1, 2, 3], &[4, 5]);
    let env = Env::at(&socket.url);
    let text = |third| rows(&[(1, HERE), (2, HERE), (3, third), (4, THERE), (5, THERE)]);
    let _ = sites_night(&env, &text(HERE), "").ok();
    assert!(socket.writes().is_empty());
    let _ = sites_night(&env, &text(THERE), "").ok().mentions("1 moved here; 1 moved away");
    let lines = socket.lines();
    let writes: Vec<String> = socket.writes().iter().map(Request::line).collect();
    let (join, leave) =
        (format!("POST /projects/{THERE}/testtakers"), format!("DELETE /projects/{HERE}/testtakers/4003"));
    assert_eq!(writes, [join.clone(), leave.clone()]);
    let place = |wanted: &String| lines.iter().position(|line| line == wanted).expect("was sent");
    let between = &lines[place(&join)..place(&leave)];
    assert!(
        between.iter().filter(|line| line.starts_with(&format!("GET /projects/{THERE}/testtakers"))).count() >= 3,
        "{between:?}"
    );
    let service = service.lock().expect("no panic");
    assert_eq!((service.ids(0), service.ids(1)), (ids(&[1, 2]), ids(&[3, 4, 5])));
    assert!(service.lost.is_empty(), "{:?}", service.lost);
}

#[test]
fn a_mover_whom_the_new_list_does_not_show_stays_in_the_old_project_until_a_later_run() {
    let service = Arc::new(Mutex::new(TwoProjects::new(&[1, 2, 3], &[4, 5])));
    let (answering, hides) = (Arc::clone(&service), Arc::new(Mutex::new(true)));
    let hiding = Arc::clone(&hides);
    let socket = Socket::answering(move |request, _| {
        let mut service = answering.lock().expect("no panic");
        let is_list = request.method == "GET" && request.path().ends_with("/testtakers");
        if is_list && *hiding.lock().expect("no panic") && request.path().contains(THERE) {
            // The list lags: whoever joined is not in it.
            let old: Vec<Value> =
                service.people[1].iter().filter(|person| person["id"].as_i64() < Some(9000)).cloned().collect();
            return if request.parameter("page").is_some_and(|page| page != "1") {
                array(&[])
            } else {
                array(&matching(request, &old))
            };
        }
        service.answer(request)
    });
    let env = Env::at(&socket.url);
    let text = |third| rows(&[(1, HERE), (2, HERE), (3, third), (4, THERE), (5, THERE)]);
    let _ = sites_night(&env, &text(HERE), "").ok();
    let _ = sites_night(&env, &text(THERE), "--settle 1s").exits(7);
    assert_eq!(service.lock().expect("no panic").ids(0), ids(&[1, 2, 3]), "joined, not seen: it stays");
    *hides.lock().expect("no panic") = false;
    let _ = sites_night(&env, &text(THERE), "--settle 1s").ok().mentions("1 moved here; 1 moved away");
    let service = service.lock().expect("no panic");
    assert_eq!((service.ids(0), service.ids(1)), (ids(&[1, 2]), ids(&[3, 4, 5])));
    assert!(service.lost.is_empty(), "{:?}", service.lost);
}

#[test]
fn an_answer_that_names_another_persons_entry_does_not_let_a_mover_leave() {
    let service = Arc::new(Mutex::new(TwoProjects::new(&[1, 2, 3], &[4, 5])));
    let answering = Arc::clone(&service);
    let socket = Socket::answering(move |request, _| {
        let mut service = answering.lock().expect("no panic");
        if request.method == "POST" {
            // Somebody else was enrolled at the same time, and the answer is theirs.
            let other = json!({"email": "other@example.com", "referenceId": "OTHER"});
            service.people[1].push(listed(&other, 9500));
            return Answer::json(201, &crate::doubts::enrolment(&request.json(), 9500).to_string());
        }
        service.answer(request)
    });
    let env = Env::at(&socket.url);
    let text = |third| rows(&[(1, HERE), (2, HERE), (3, third), (4, THERE), (5, THERE)]);
    let _ = sites_night(&env, &text(HERE), "").ok();
    let said = sites_night(&env, &text(THERE), "--settle 1s");
    assert!(said.code == 7 || said.code == 10, "{said}");
    let service = service.lock().expect("no panic");
    assert!(service.ids(0).contains(&"EMP-3".to_owned()) && service.lost.is_empty(), "{said}");
}

#[test]
fn where_one_projects_list_cannot_be_proven_nothing_is_sent_anywhere() {
    let (socket, _) = typed(&[1, 2, 3], &[4, 5]);
    let env = Env::at(&socket.url);
    let text = |third| rows(&[(1, HERE), (2, HERE), (3, third), (4, THERE), (5, THERE)]);
    let _ = sites_night(&env, &text(HERE), "").ok();
    let service = Arc::new(Mutex::new(TwoProjects::new(&[1, 2, 3], &[4, 5])));
    let answering = Arc::clone(&service);
    let torn = Socket::answering(move |request, _| {
        if request.method == "GET" && request.path().ends_with(&format!("{HERE}/testtakers")) {
            return Answer::problem(500, "Broken", "broken");
        }
        answering.lock().expect("no panic").answer(request)
    });
    let env = env.with("ASSESSCTL_BASE_URL", &torn.url);
    let said = sites_night(&env, &text(THERE), "--deadline 2s");
    assert!(said.code == 6 && torn.writes().is_empty(), "{said}");
}

/// A service of two projects that stops a run at one of its requests: before it does what is asked, or after.
fn stopping(at: usize, after: bool) -> (Socket, Arc<Mutex<TwoProjects>>, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let service = Arc::new(Mutex::new(TwoProjects::new(&[1, 2, 3], &[4, 5])));
    let ((reached, is_reached), (go_on, may_go_on)) = (mpsc::channel(), mpsc::channel::<()>());
    let gate = Mutex::new((0, Some((reached, may_go_on))));
    let answering = Arc::clone(&service);
    let socket = Socket::answering(move |request, _| {
        let mut gate = gate.lock().expect("no panic");
        let has_joined = answering.lock().expect("no panic").next > 9000;
        gate.0 += usize::from(request.method == "POST" || has_joined);
        if gate.0 != at + 1 || gate.1.is_none() {
            drop(gate);
            return answering.lock().expect("no panic").answer(request);
        }
        if after {
            let _ = answering.lock().expect("no panic").answer(request);
        }
        let (reached, may_go_on) = gate.1.take().expect("was looked at");
        drop(gate);
        let _ = reached.send(());
        let _killed = may_go_on.recv();
        Answer::nothing()
    });
    (socket, service, is_reached, go_on)
}

/// Two files of two nights, and where everyone is after the second.
struct Nights {
    first: String,
    second: String,
    ends: [Vec<String>; 2],
}

/// Kills the run of the second night at each of its requests, from the first write on, and runs it again.
fn is_finished_by_the_next_run(nights: &Nights) {
    let mut killed = 0;
    for (at, after) in (0..30).flat_map(|at| [(at, false), (at, true)]) {
        let (socket, service, is_reached, go_on) = stopping(at, after);
        let env = Env::at(&socket.url);
        let _ = sites_night(&env, &nights.first, "").ok();
        env.write("night.csv", &nights.second);
        let line =
            "testtakers sync night.csv --project-column site --replace-renamed --roster-interval 0s --settle 400ms";
        let start = || env.command(&crate::words::split(line)).spawn().expect("started");
        let mut child = start();
        while is_reached.try_recv().is_err() && child.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
        let was_killed = child.wait().expect("an exit status").code().is_none();
        drop(go_on);
        if !was_killed {
            break;
        }
        killed += 1;
        let said = crate::harness::finish(start(), b"");
        let service = service.lock().expect("no panic");
        assert!(service.lost.is_empty(), "{at}, {after}: in no project: {:?}\n{said}", service.lost);
        assert_eq!([service.ids(0), service.ids(1)], nights.ends, "{at}, {after}:\n{said}");
        assert_eq!(said.code, 0, "{at}, {after}:\n{said}");
    }
    assert!(killed > 12, "{killed} kills");
}

#[test]
fn a_run_that_is_killed_at_any_request_of_a_move_is_finished_by_the_next_one() {
    let text = |third| rows(&[(1, HERE), (2, HERE), (3, third), (4, THERE), (5, THERE)]);
    let ends = [ids(&[1, 2]), ids(&[3, 4, 5])];
    is_finished_by_the_next_run(&Nights { first: text(HERE), second: text(THERE), ends });
}

#[test]
fn a_run_that_is_killed_at_any_request_of_a_replacement_is_finished_by_the_next_one() {
    let first = rows(&[(1, HERE), (2, HERE), (3, HERE), (4, THERE), (5, THERE)]);
    let second = first.replace("p3@", "new@");
    is_finished_by_the_next_run(&Nights { first, second, ends: [ids(&[1, 2, 3]), ids(&[4, 5])] });
}
