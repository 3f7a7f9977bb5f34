//! The fifty tasks: what is typed for each does it, in at most two commands.

use crate::harness::{Env, owner_only};
use crate::shell;

/// A task, and its lines with the exit code that each should have.
struct Task {
    name: String,
    lines: Vec<(String, i32)>,
}

fn tasks() -> Vec<Task> {
    let file = format!("{}/tests/tasks.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).expect("the tasks");
    let mut tasks: Vec<Task> = Vec::new();
    for line in text.lines() {
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            tasks.push(Task { name: line.to_owned(), lines: Vec::new() });
        } else if let Some(typed) = line.strip_prefix("       ") {
            let (typed, code) = typed.split_once("   # ").unwrap_or((typed, "0"));
            let code = code.parse().expect("an exit code");
            tasks.last_mut().expect("a task above").lines.push((typed.trim().to_owned(), code));
        }
    }
    tasks
}

#[test]
fn each_of_the_fifty_tasks_is_done_by_what_is_typed_for_it() {
    let env = Env::sandbox();
    let demo = format!("{}/demo/site-roster.csv", env!("CARGO_MANIFEST_DIR"));
    env.write("german.csv", std::fs::read(demo).expect("a roster"));
    env.write("french.csv", "Nom;Prénom;Courriel;Matricule;Année de naissance\nDupont;Léa;lea@example.com;F-1;1990\n");
    env.write("more.csv", "email,referenceId\nnew@example.com,N-1\n");
    env.write("broken.csv", "email,birthYear\nnobody,19x4\n");
    env.write("company.pem", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n");
    for key in ["north.key", "new.key"] {
        owner_only(&env.write(key, "a-key\n"));
    }
    let tasks = tasks();
    assert_eq!(tasks.len(), 50);
    for task in tasks {
        assert!(matches!(task.lines.len(), 1 | 2), "{}", task.name);
        for (typed, code) in &task.lines {
            let said = shell::run(&env, typed);
            assert_eq!(said.code, *code, "{}\n{typed}\n{said}", task.name);
        }
        if task.name.starts_with("10. ") {
            let _ = env.line("sandbox set ref:EMP-00018 --result HighRisk").ok();
        }
    }
    assert!(env.read("results.csv").contains("HighRisk"));
    assert_eq!(env.read("links.csv").matches("/take/").count(), 7, "all but the one with a link");
}
