//! All projects at once: one file, a file for each, and one of them in trouble.

use serde_json::{Value, json};

use crate::support::env::Env;
use crate::support::service::Service;
use crate::support::wire::{Answer, Request, fixture};
use crate::support::workspace::person;

fn id(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

/// Projects of these names, with one, two, three … people, who all are HighRisk; a name that begins with `-` is deleted.
fn projects(names: &[&str]) -> Service {
    let service = Service::start();
    service.held().projects.clear();
    for (name, number) in names.iter().zip(1..) {
        let mut project = fixture("project");
        project["id"] = json!(id(number));
        project["name"] = json!(name.trim_start_matches('-'));
        if name.starts_with('-') {
            project["state"] = json!("Deleted");
        }
        service.held().projects.push(project);
        for person in (1..).map(person).take(number) {
            service.held().add_to(&id(number), person);
        }
    }
    service
}

/// The same, with this answer to whatever is asked about results of project `number`.
fn with_trouble(names: &[&str], number: usize, answer: &Answer) -> Service {
    let (answer, results) = (answer.clone(), format!("/projects/{}/results", id(number)));
    projects(names).with(move |request: &Request, _| (request.path() == results).then(|| answer.clone()))
}

fn folder(env: &Env) -> Vec<(String, usize)> {
    let entries = std::fs::read_dir(env.work().join("sites")).expect("a folder").map(|entry| entry.expect("an entry"));
    let lines = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("a text").lines().count() - 1;
    let file = |entry: std::fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), lines(entry.path()));
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

fn at(service: &Service) -> Env {
    let env = Env::at(&service.url);
    std::fs::create_dir(env.work().join("sites")).expect("a folder");
    env
}

fn named(files: &[(&str, usize)]) -> Vec<(String, usize)> {
    files.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
}

const TO_DIR: &str = "results export --all-projects --to-dir sites";

#[test]
fn each_project_but_deleted_ones_has_a_file_by_its_name() {
    let service = projects(&["Nord/Süd", "Depot 7", "depot_7", "-Gone", "  "]);
    let env = at(&service);
    let _ = env.line(TO_DIR).data();
    let [one, two, blank] =
        [("Depot_7-", 2), ("depot_7-", 3), ("", 5)].map(|(name, number)| format!("{name}{}.csv", id(number)));
    let mut expected = named(&[(&one, 2), ("Nord_Süd.csv", 1), (&two, 3), (&blank, 5)]);
    expected.sort();
    assert_eq!(folder(&env), expected);
    assert!(env.read("sites/Nord_Süd.csv").starts_with("id,referenceId,"));
    // The second project of this name came later.
    env.write("sites/Depot_7.csv", "id,referenceId\n1,EMP-00001\n");
    let _ = env.line(TO_DIR).fails(5).names("Depot_7.csv is not written any more");
    std::fs::remove_file(env.work().join("sites/Depot_7.csv")).expect("removed");
    let _ = env.line(&format!("results export -p {} --to-dir sites -o ndjson", id(2))).data();
    assert!(env.read(&format!("sites/{one}").replace("csv", "ndjson")).starts_with('{'), "one project, the same name");
    let _ = env.line(&format!("results export -p {} --to-dir sites", id(9))).fails(2);
}

#[test]
fn one_list_or_file_of_all_projects_begins_each_record_with_its_project() {
    let service = projects(&["Crane", "Bay", "-Gone"]);
    let env = at(&service);
    let _ = env.line("results export --all-projects --to all.csv --fields project,projectId,id").data();
    let [one, two] = [1, 2].map(id);
    let expected = format!("project,projectId,id\nBay,{two},1\nBay,{two},2\nCrane,{one},1\n");
    assert_eq!(env.read("all.csv"), expected);
    let listed = env.line("results list --all-projects -o csv --fields project,projectId,id").data();
    assert_eq!(listed, expected);
    let json = env.line("results list --all-projects -o json --flagged").json();
    let names =
        |field: &str| json.as_array().expect("a list").iter().map(|one| one[field].clone()).collect::<Vec<Value>>();
    assert_eq!(names("project"), ["Bay", "Bay", "Crane"]);
    assert_eq!(names("email"), ["p1@example.com", "p2@example.com", "p1@example.com"]);
    let _ = env.line("results list --all-projects --fail-on HighRisk -q").exits(8);
}

#[test]
fn a_project_in_trouble_does_not_stop_the_others_and_the_worst_code_counts() {
    // The third is gone since the projects were listed: no wrong call, and not "not found" for all of them.
    let gone = Answer::problem(404, "Not Found", "no such project");
    for (answer, code) in [
        (Answer::problem(422, "No", "not this one"), 5),
        (Answer::problem(403, "No", "not with this key"), 3),
        (gone, 7),
        (Answer::ok(json!([{"id": "seven"}])), 1),
    ] {
        let service = with_trouble(&["Alpha", "Beta", "Gamma"], 2, &answer);
        let env = at(&service);
        env.write("sites/Beta.csv", "id\n1\n");
        let said = env.line(TO_DIR).fails(code).names("Beta");
        assert_eq!(folder(&env), named(&[("Alpha.csv", 1), ("Beta.csv", 1), ("Gamma.csv", 3)]), "{said}");
        // An alert of the others outranks what a later run can mend, and is said.
        let said = env.line(&format!("{TO_DIR} --fail-on HighRisk"));
        assert_eq!(said.code, if [5, 7].contains(&code) { 8 } else { code }, "{said}");
        let _ = said.names("4 results match --fail-on").names("Beta");
        // One file of all is whole, or as it was.
        env.write("all.csv", "as it was\n");
        let said = env.line("results export --all-projects --to all.csv --fail-on HighRisk").names("4 results");
        assert_eq!(said.code, if [5, 7].contains(&code) { 8 } else { code }, "{said}");
        assert_eq!(env.read("all.csv"), "as it was\n");
        // A list is the whole list, or an error.
        let _ = env.line("results list --all-projects").fails(code).names("Beta");
    }
}

#[test]
fn of_several_troubles_the_gravest_is_the_error_and_the_others_are_named() {
    let service = with_trouble(&["Alpha", "Beta", "Gamma"], 2, &Answer::problem(422, "No", "not this one"));
    let env = at(&service);
    env.write("sites/Alpha.csv", "id\n1\n2\n");
    service.held().people.remove(0);
    let said = env.line(TO_DIR).fails(5).names("Alpha").names("Beta");
    assert_eq!(said.stderr.matches("error: ").count(), 1, "{said}");
    assert_eq!(folder(&env), named(&[("Alpha.csv", 2), ("Gamma.csv", 3)]), "no results replace no fuller file");
    let _ = env.line(&format!("{TO_DIR} --allow-empty")).fails(5);
    assert_eq!(folder(&env), named(&[("Alpha.csv", 0), ("Gamma.csv", 3)]));
}

#[test]
fn an_alert_that_is_known_counts_although_another_project_cannot_be_read() {
    let service = with_trouble(&["Alpha", "Beta"], 2, &Answer::problem(422, "No", "not this one"));
    let said = at(&service).line("results list --all-projects --fail-on flagged -q").exits(8);
    assert!(said.stdout.is_empty() && said.stderr.contains("Beta"), "{said}");
}
