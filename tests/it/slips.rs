//! Guesses of people who know other programs: each works, or gets the one right line to type. The lists are by nouns.

use std::collections::HashSet;

use crate::harness::{Env, Said};
use crate::shell;
use crate::slips_hints::lines_to_type;
use crate::slips_links::LINKS;
use crate::slips_projects::PROJECTS;
use crate::slips_rest::REST;
use crate::slips_results::RESULTS;
use crate::slips_testtakers::TESTTAKERS;

/// What comes of a guess.
pub(crate) enum Comes {
    /// It works.
    Thing,
    /// An error whose hint begins so.
    Line(&'static str),
    /// An error that says at most what there is: nothing here is meant by it.
    Nothing,
}
use Comes::{Line, Nothing, Thing};

pub(crate) const PEOPLE: &str = "email,firstName,lastName,birthYear,referenceId
ann@example.com,Ann,Lee,1984,A-1
bob@example.com,Bob,Ray,1979,B-2
";

/// What means nothing here, and must not lead anywhere else.
const MEANINGLESS: [(&str, Comes); 12] = [
    ("alias", Nothing),
    ("plugin", Nothing),
    ("frobnicate", Nothing),
    ("projects list --frobnicate", Nothing),
    ("projects list --owner me", Nothing),
    ("projects list --max-depth 3", Nothing),
    ("testtakers list --role admin", Nothing),
    ("results list --region eu", Nothing),
    ("projects list --ma", Nothing),
    ("projects list --show-labels", Nothing),
    ("projects list -o hologram", Nothing),
    ("projects create Depot --colour-of x", Nothing),
];

pub(crate) fn prepared() -> Env {
    let env = Env::sandbox();
    env.write("people.csv", PEOPLE);
    env.write("mapped.csv", PEOPLE.replace("email,", "Mail,"));
    env.write("semicolons.csv", PEOPLE.replace(',', ";"));
    let _ = env.line("testtakers import people.csv -q").ok();
    let _ = env.line("sandbox set ref:A-1 --result Completed").ok();
    env
}

/// Finds out whether the hints of lines with slips have what they should, and tells of all that do not.
pub(crate) fn hints_have(env: &Env, hints: &[(&str, &str)]) {
    let faults: Vec<String> = hints
        .iter()
        .filter_map(|(line, expected)| {
            let said = env.line(line).fails(2);
            (!said.stderr.contains(expected)).then(|| format!("{line}\n  expected {expected}\n{}", said.stderr))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The lists of guesses, but those that mean nothing here.
pub(crate) const LISTS: [&[(&str, Comes)]; 5] = [PROJECTS, TESTTAKERS, RESULTS, LINKS, REST];

/// What is wrong with the answer to a guess; nothing where it is as expected.
fn fault(env: &Env, guess: &str, comes: &Comes) -> Option<String> {
    let said = env.line(guess);
    let hint = said.stderr.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_default();
    let right = match comes {
        Thing => said.code == 0,
        // A noun alone shows what it can do.
        Line("") => said.code == 2 && said.stderr.contains("Usage:"),
        // The command that is meant may be told with the rest of the line.
        Line(line) => {
            let [hint, line] = [hint, line.trim_end_matches("`?")].map(without_project);
            // An option that is meant may be told in the whole line.
            let is_in_line = line.split('`').nth(1).is_some_and(|ours| {
                !ours.starts_with("assessctl") && hint.starts_with("did you mean `assessctl ") && hint.contains(ours)
            });
            matches!(said.code, 2 | 4 | 5)
                && (is_in_line || hint.starts_with(&line))
                && repeats_the_project(guess, &said)
        }
        Nothing => said.code == 2 && lists_what_there_is(hint),
    };
    (!right).then(|| format!("{guess}\n{said}"))
}

/// Whether a hint says what there is, or where that is said, and that nothing of it was meant.
fn lists_what_there_is(hint: &str) -> bool {
    ["`--help` after the command", "`assessctl help` tells what"].iter().any(|begins| hint.starts_with(begins))
        || hint.ends_with("all commands have -o, --fields and --to")
}

fn without_project(hint: &str) -> String {
    hint.replace(" -p Demo", "").replace(" --profile prod", "")
}

/// Whether each command of a hint that is about one project names the project of the line.
fn repeats_the_project(guess: &str, said: &Said) -> bool {
    !guess.contains("-p Demo")
        || lines_to_type(said).iter().all(|line| {
            let is_about_one = ["testtakers ", "results ", "links "].iter().any(|noun| line.starts_with(noun));
            let is_of_none = ["testtakers check", "testtakers apply"].iter().any(|verb| line.starts_with(verb));
            !is_about_one || is_of_none || line.contains("--all-projects") || line.contains("-p Demo")
        })
}

/// Whether each guess of a list gets what is expected, and none changes anything.
fn get_the_thing_or_the_right_line(list: &[(&str, Comes)]) {
    let env = prepared();
    let faults: Vec<_> = list.iter().filter_map(|(guess, comes)| fault(&env, guess, comes)).collect();
    assert!(faults.is_empty(), "{} of {}\n{}", faults.len(), list.len(), faults.join("\n"));
    assert_eq!(env.line("testtakers list -o ndjson").data().lines().count(), 2, "no guess has enrolled or removed");
    assert_eq!(env.line("projects list -o ndjson").data().lines().count(), 1, "no guess has created");
}

#[test]
fn guesses_about_projects_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(PROJECTS);
}

#[test]
fn guesses_about_test_takers_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(TESTTAKERS);
}

#[test]
fn guesses_about_results_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(RESULTS);
}

#[test]
fn guesses_about_links_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(LINKS);
}

#[test]
fn guesses_about_everything_else_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(REST);
}

#[test]
fn no_guess_stands_in_two_lists() {
    let different: HashSet<_> = LISTS.into_iter().flatten().map(|(guess, _)| guess).collect();
    assert_eq!(different.len(), LISTS.into_iter().flatten().count());
}

#[test]
fn what_means_nothing_here_is_not_sent_elsewhere() {
    let env = prepared();
    let faults: Vec<_> = MEANINGLESS.iter().filter_map(|(guess, comes)| fault(&env, guess, comes)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_value_that_looks_like_a_foreign_word_stays_a_value() {
    let env = prepared();
    let _ = env.line("testtakers enrol --email ls@example.com --reference-id show --first-name --json -q").ok();
    assert_eq!(env.line("testtakers get ref:show -o csv --fields firstName --no-header").data(), "--json\n");
    let _ = env.line("testtakers list --filter whoami -o csv").ok();
    let _ = env.line("results get help").fails(4);
    let _ = env.line("projects get ls").fails(4);
}

#[test]
fn guesses_with_a_pipe_get_the_thing_or_the_right_line() {
    let env = prepared();
    let _ = shell::run(&env, "cat people.csv | assessctl testtakers import -p Demo - -q").ok();
    let said = shell::run(&env, "echo ann@example.com | xargs -n1 assessctl links create -p Demo");
    assert!(said.stderr.contains("hint: did you mean `assessctl links issue -p Demo email:ADDRESS`?"), "{said}");
}

#[test]
fn a_search_that_finds_no_person_says_what_it_searches() {
    let env = prepared();
    for noun in ["testtakers", "results"] {
        let said = env.line(&format!("{noun} list --filter email=ann@example.com -p Demo")).fails(2);
        let search = format!("hint: leave the name of the field out: `assessctl {noun} list --filter TEXT -p Demo`");
        let _ = said.mentions(&search);
        let said = env.line(&format!("{noun} list --filter status=highrisk -p Demo")).fails(2);
        let _ = said.mentions("hint: `assessctl results list --result HighRisk -p Demo` chooses by result\n");
        let said = env.line(&format!("{noun} list --filter HighRisk")).exits(0);
        assert!(said.stderr.contains("by result") && !said.stderr.contains("leave the name"), "{said}");
        assert!(!env.line(&format!("{noun} list --filter ann@example.com")).ok().stderr.contains("nobody"));
    }
    let said = env.line("projects list --filter name=Demo").fails(2);
    let _ = said
        .mentions("hint: leave the name of the field out: `assessctl projects list --filter TEXT` searches the name");
    let _ = env.line("projects list --filter Harbour").ok().mentions("no project matches: --filter searches the name");
}
