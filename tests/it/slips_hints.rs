//! What the hint of a slip says is taken when it is typed.

use std::collections::BTreeSet;
use std::path::Path;

use crate::harness::{Env, Said};
use crate::slips::Comes::{self, Line};
use crate::slips::{PEOPLE, prepared};
use crate::slips_links::LINKS;
use crate::slips_projects::PROJECTS;
use crate::slips_rest::REST;
use crate::slips_results::RESULTS;
use crate::slips_testtakers::TESTTAKERS;

/// What stands for a placeholder of a hint in the prepared place; `before` is the word before it.
fn filled<'w>(before: &str, word: &'w str) -> &'w str {
    match word {
        "NAME_OR_ID" | "OTHER" => "Demo",
        "ref:REFERENCE_ID" | "TEST_TAKER" => "ref:A-1",
        "REFERENCE_ID" => "A-1",
        "email:ADDRESS" => "email:ann@example.com",
        "id:ENTRY_ID" | "id:NUMBER" => "id:1",
        "ADDRESS" => "zoe@example.com",
        "ID" => "Z-9",
        "ROW" => "1",
        "YEAR" => "1990",
        "FILE" | "FILE.csv" if ["--to", "--with-links"].contains(&before) => "out.csv",
        "FILE" | "FILE.csv" => "people.csv",
        "FILE.html" => "out.html",
        "PLAN_ID" | "PLAN" | "PLAN.ndjson" => "plan.ndjson",
        "TEXT" => "Ann",
        "RESULT" => "HighRisk",
        "KEY" => "output",
        "VALUE" => "csv",
        "NAME" => "main",
        "URI" => "https://a.example/done",
        _ => word,
    }
}

/// A line up to a pipe that stands outside of quotes.
fn before_a_pipe(line: &str) -> &str {
    let mut pipes = line.match_indices(" | ").map(|(place, _)| &line[..place]);
    pipes.find(|before| before.matches('\'').count() % 2 == 0).unwrap_or(line)
}

/// The commands that an answer tells to type, ready to be typed here.
pub(crate) fn lines_to_type(said: &Said) -> Vec<String> {
    let hint = said.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_default();
    let lines = hint.split('`').skip(1).step_by(2).flat_map(|typed| typed.split(" || "));
    let lines = lines.filter_map(|line| before_a_pipe(line).strip_prefix("assessctl "));
    lines
        .map(|line| {
            let words: Vec<_> = line.split(' ').collect();
            let all = words.iter().enumerate();
            all.map(|(at, word)| filled(at.checked_sub(1).map_or("", |at| words[at]), word))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect()
}

/// Whether a line changes nothing, so that the next one finds what it found.
fn only_looks(line: &str) -> bool {
    let verb = line.split(' ').nth(1).unwrap_or_default();
    ["list", "get", "show", "summary", "path", "check"].contains(&verb) || !line.contains(' ')
}

/// A prepared place with the files and the folder that lines of hints name.
fn place_to_type() -> Env {
    let env = prepared();
    for file in ["hr.csv", "open.csv", "leavers.csv", "people-2.csv"] {
        env.write(file, PEOPLE);
    }
    std::fs::create_dir(env.work().join("FOLDER")).expect("a folder");
    env
}

/// The same place once more.
fn copied(template: &Env) -> Env {
    let env = Env::sandbox();
    for name in ["home", "state", "work"] {
        copy(&template.work().with_file_name(name), &env.work().with_file_name(name));
    }
    env
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("its entry");
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), &place).expect("a file");
        }
    }
}

/// Each line that a hint of this list gives is taken; where it names a verb alone, what is missing is said.
fn can_be_typed(list: &[(&str, Comes)]) {
    let env = prepared();
    let lines: BTreeSet<(String, bool)> = list
        .iter()
        .filter(|(_, comes)| matches!(comes, Line(_)))
        .flat_map(|(guess, _)| {
            let said = env.line(guess);
            // What nobody has typed yet cannot stand in the line.
            let may_be_cut = ["add ", "? Add ", ": add "].iter().any(|asks| said.stderr.contains(asks));
            lines_to_type(&said).into_iter().map(move |line| (line, may_be_cut))
        })
        .filter(|(line, _)| !line.contains("NOUN") && !line.starts_with("sandbox serve") && !line.contains("COMMAND"))
        .collect();
    assert!(lines.len() > 10, "{lines:?}");
    let template = place_to_type();
    let shared = copied(&template);
    let faults: Vec<_> = lines
        .iter()
        .filter_map(|(line, may_be_cut)| {
            // Another in a place of its own: it may remove whom the next one reads.
            let said = if only_looks(line) { shared.line(line) } else { copied(&template).line(line) };
            let is_cut = *may_be_cut && said.stderr.contains("were not provided") || said.stderr.contains("Usage:");
            // What is set up elsewhere, or asks on a terminal.
            let is_elsewhere = [
                "without a terminal",
                "the profile sandbox is built in",
                "in the sandbox the project is its own",
                "unknown profile",
                "an export needs a place",
                "there is no project named",
                "create the folder first",
                "cannot read the plan",
                "is not a valid URL",
            ]
            .iter()
            .any(|why| said.stderr.contains(why));
            (said.code == 2 && !is_cut && !is_elsewhere).then(|| format!("{line}\n{said}"))
        })
        .collect();
    assert!(faults.is_empty(), "{} of {}\n{}", faults.len(), lines.len(), faults.join("\n"));
}

#[test]
fn what_a_hint_says_after_a_guess_about_projects_can_be_typed() {
    can_be_typed(PROJECTS);
}

#[test]
fn what_a_hint_says_after_a_guess_about_test_takers_can_be_typed() {
    can_be_typed(TESTTAKERS);
}

#[test]
fn what_a_hint_says_after_a_guess_about_results_can_be_typed() {
    can_be_typed(RESULTS);
}

#[test]
fn what_a_hint_says_after_a_guess_about_links_can_be_typed() {
    can_be_typed(LINKS);
}

#[test]
fn what_a_hint_says_after_a_guess_about_everything_else_can_be_typed() {
    can_be_typed(REST);
}
