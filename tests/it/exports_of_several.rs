//! Exports of several projects: one project's trouble stays its own, and a file of all loses none unseen.

use snapbox::str;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::harness::{Env, Said};
use crate::socket::{Answer, Socket};

const COUNT: usize = 5;

fn id(number: usize) -> String {
    format!("{number}{number}{number}{number}{number}{number}{number}{number}-2222-4333-8444-555555555555")
}

/// What the service answers about a project's results, by the project's number; one person each without a word.
type Answers = Arc<Mutex<BTreeMap<usize, Answer>>>;

/// A service with five projects, typed as bytes; `hidden` ones are not in the list of projects.
struct Service {
    env: Env,
    answers: Answers,
    hidden: Arc<Mutex<Vec<usize>>>,
    deleted: Arc<Mutex<Vec<usize>>>,
    socket: Socket,
}

impl Service {
    fn new() -> Self {
        let (answers, hidden, deleted) =
            (Answers::default(), Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
        let (results, unlisted, gone) = (Arc::clone(&answers), Arc::clone(&hidden), Arc::clone(&deleted));
        let socket = Socket::answering(move |request, _| {
            let project = |number: usize| {
                let state = if gone.lock().expect("a list").contains(&number) { "Deleted" } else { "Active" };
                json!({"id": id(number), "name": format!("P{number}"), "state": state})
            };
            let number = (1..=COUNT).find(|number| request.path().contains(&id(*number)));
            let parameter = |name| request.parameter(name).and_then(|text| text.parse::<usize>().ok()).unwrap_or(1);
            let page = |all: Vec<Value>| {
                let (page, size) = (parameter("page"), parameter("pageSize"));
                Answer::ok(
                    &Value::from(all.into_iter().skip((page - 1) * size).take(size).collect::<Vec<_>>()).to_string(),
                )
            };
            match number {
                None => {
                    let hidden = unlisted.lock().expect("a list");
                    page((1..=COUNT).filter(|number| !hidden.contains(number)).map(project).collect())
                }
                Some(number) if request.path().ends_with("/results") => {
                    let told = results.lock().expect("a map").get(&number).cloned();
                    let told = told.map(|told| if parameter("page") == 1 { told } else { Answer::ok("[]") });
                    told.unwrap_or_else(|| {
                        page(vec![json!({"id": number, "email": "a@example.com", "result": "Completed"})])
                    })
                }
                Some(number) => Answer::ok(&project(number).to_string()),
            }
        });
        let env = Env::at(&socket.url);
        std::fs::create_dir(env.work().join("each")).expect("a folder");
        Self { env, answers, hidden, deleted, socket }
    }

    fn tells(&self, number: usize, answer: Answer) {
        self.answers.lock().expect("a map").insert(number, answer);
    }

    fn export(&self, more: &str) -> Said {
        self.env.line(&format!("results export --all-projects --deadline 20s {more}"))
    }

    fn files(&self) -> usize {
        let entries = std::fs::read_dir(self.env.work().join("each")).expect("a folder");
        entries.filter(|e| e.as_ref().expect("an entry").file_name().to_string_lossy().starts_with('P')).count()
    }
}

const RISK: &str = r#"[{"id":1,"email":"a@example.com","result":"HighRisk"}]"#;

#[test]
fn every_project_that_can_be_written_is_written_whatever_ails_one() {
    for (answer, code, word) in [
        (Answer::problem(403, "Forbidden", "no"), 3, "403"),
        (Answer::problem(400, "Bad", "no"), 5, "400"),
        (Answer::problem(410, "Gone", "no"), 5, "410"),
        (Answer::ok(r#"[{"id":"x"}]"#), 1, "P3"),
        (Answer::problem(404, "Not found", "no"), 7, "name the others with -p"),
    ] {
        let service = Service::new();
        service.tells(3, answer);
        let said = service.export("--to-dir each").fails(code);
        assert!(said.stderr.contains("P3-33333333.csv stays as it was") && said.stderr.contains(word), "{said}");
        assert_eq!(service.files(), 4, "{said}");
    }
}

#[test]
fn the_gravest_trouble_is_the_code_and_absent_is_what_all_are() {
    let service = Service::new();
    service.tells(2, Answer::problem(400, "Bad", "no"));
    service.tells(4, Answer::problem(403, "Forbidden", "no"));
    let said = service.export("--to-dir each").fails(3);
    assert_eq!(said.stderr.matches("stays as it was").count(), 2, "{said}");
    assert_eq!(service.files(), 3);
    for number in 1..=COUNT {
        service.tells(number, Answer::problem(404, "Not found", "no"));
    }
    let _ = service.export("--to-dir each").fails(4);
}

#[test]
fn an_alert_is_not_hidden_by_a_project_that_is_refused() {
    let service = Service::new();
    let _ = service.export("--to-dir each").data();
    service.tells(2, Answer::ok("[]"));
    let _ = service.export("--to-dir each --fail-on HighRisk").fails(7).shows(str![[r#"
exit 7
--- stdout
--- stderr
error: P2-22222222.csv stays as it was: the new export is empty; each/P2-22222222.csv was kept
hint: --allow-empty replaces it

"#]]);
    service.tells(4, Answer::ok(RISK));
    let said = service.export("--to-dir each --fail-on HighRisk").exits(8);
    assert!(said.stderr.contains("P2-22222222.csv") && said.stderr.contains("1 result is HighRisk"), "{said}");
    let said = service.export("--to all.csv --fail-on HighRisk").exits(8);
    assert!(said.stderr.contains("1 result is HighRisk"), "{said}");
}

#[test]
fn a_file_of_all_projects_loses_none_unseen() {
    let service = Service::new();
    let lines = || service.env.read("all.csv").lines().count();
    let _ = service.export("--to all.csv").data();
    assert_eq!(lines(), COUNT + 1);
    service.hidden.lock().expect("a list").push(3);
    let said = service.export("--to all.csv").fails(7);
    assert!(said.stderr.contains("\"P3\"") && said.stderr.contains("--allow-fewer"), "{said}");
    assert_eq!(lines(), COUNT + 1);
    // One that was deleted is missed by nobody.
    service.deleted.lock().expect("a list").push(3);
    let _ = service.export("--to all.csv").data();
    assert_eq!(lines(), COUNT);
    service.hidden.lock().expect("a list").push(4);
    let _ = service.export("--to all.csv").fails(7);
    let _ = service.export("--to all.csv --allow-fewer").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
warning: left out 1 project of the last export: "P4" ([UUID])

"#]]);
    assert_eq!(lines(), COUNT - 1);
    let _ = service.export("--to all.csv").data();
    // A project that has become empty is asked again, and not believed.
    let asked = service.socket.requests().len();
    service.tells(5, Answer::ok("[]"));
    let _ = service.export("--to all.csv").fails(7).shows(str![[r#"
exit 7
--- stdout
--- stderr
error: all.csv stays as it was: no results any more of "P5" ([UUID])
hint: --allow-empty writes it all the same

"#]]);
    let of_five = |request: &crate::socket::Request| request.path().contains(&id(5));
    assert!(service.socket.requests()[asked..].iter().filter(|r| of_five(r)).count() >= 2);
    let _ = service.export("--to all.csv --allow-empty").data();
    assert_eq!(lines(), COUNT - 2);
    // Listed, and not found: the file would not be whole.
    service.tells(1, Answer::problem(404, "Not found", "no"));
    let said = service.export("--to all.csv").fails(7);
    assert!(said.stderr.contains("because of \"P1\""), "{said}");
    let _ = service.export("--to all.csv --allow-fewer").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
warning: "P1" ([UUID]) is left out: cannot read the results: 404 Not Found: Not found: no

"#]]);
    assert_eq!(lines(), COUNT - 3);
}

#[test]
fn the_file_of_a_project_that_was_renamed_is_named() {
    let service = Service::new();
    std::fs::write(service.env.work().join("each/Old-33333333.csv"), "id\n").expect("written");
    let said = service.export("--to-dir each").ok();
    assert!(said.stderr.contains("Old-33333333.csv is the file of a project under an earlier name"), "{said}");
}
