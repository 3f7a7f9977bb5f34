//! The first guesses of somebody who knows other programs: each gets the thing itself, or the one right line to type.

use std::collections::HashSet;

use crate::harness::{Env, Said};
use crate::shell;
use crate::slips_fifth::FIFTH_GUESSES;
use crate::slips_fourth::FOURTH_GUESSES;
use crate::slips_hints::lines_to_type;
use crate::slips_seventh::SEVENTH_GUESSES;
use crate::slips_sixth::SIXTH_GUESSES;
use crate::slips_third::{SIBLINGS, THIRD_GUESSES};

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

/// Written down before any of them was tried.
const GUESSES: [(&str, Comes); 123] = [
    ("version", Thing),
    ("--version", Thing),
    ("-V", Thing),
    ("help", Thing),
    ("-h", Thing),
    ("whoami", Thing),
    ("login", Line("did you mean `assessctl config init`?")),
    ("auth", Line("did you mean `assessctl config init`?")),
    ("logout", Line("`assessctl config unset api-key`")),
    ("status", Line("`assessctl results summary`")),
    ("ping", Line("`assessctl doctor`")),
    ("completion bash", Thing),
    ("projects", Line("")),
    ("projects ls", Thing),
    ("project list", Thing),
    ("projects show Demo", Thing),
    ("projects get Demo --json", Thing),
    ("projects describe Demo", Thing),
    ("get projects", Line("`assessctl projects list` lists them")),
    ("list results", Line("did you mean `assessctl results list`?")),
    ("ls", Line("`assessctl NOUN ls`, where NOUN is one of projects, testtakers")),
    ("list", Line("`assessctl NOUN list`")),
    ("projects list --json", Thing),
    ("projects list --json id,name", Line("did you mean `assessctl projects list --output json --fields id,name`?")),
    ("projects list -o yaml", Line("did you mean `assessctl projects list --output json`?")),
    ("projects list -o jsonl", Line("did you mean `assessctl projects list --output ndjson`?")),
    ("projects list -o tsv", Line("did you mean `assessctl projects list --output csv`?")),
    ("projects list -o name", Line("did you mean `assessctl projects list --output csv --no-header --fields id`?")),
    ("projects list -o wide", Line("`-o csv`")),
    ("projects list -o JSON", Thing),
    ("projects list --output=csv", Thing),
    ("projects list --format csv", Thing),
    ("projects list --csv", Thing),
    ("projects list --quiet", Thing),
    ("projects list --columns id,name", Thing),
    ("projects list --fields 'id, name'", Thing),
    ("projects list --no-headers", Thing),
    ("projects list -L 5", Thing),
    ("projects list --limit=5", Thing),
    ("projects list -n 5", Line("did you mean `assessctl projects list --limit 5`?")),
    ("projects list --max 5", Line("`--limit N`")),
    ("projects list --max-items 5", Thing),
    ("projects list --per-page 10", Thing),
    ("projects list --paginate", Line("leave it out")),
    ("projects list --search Demo", Thing),
    ("projects list --status Active", Line("did you mean `--state`?")),
    ("projects list --sort name", Thing),
    ("projects list --sort-by=Name", Thing),
    ("projects list --reverse", Line("did you mean `assessctl projects list --order Desc`?")),
    ("projects list --query '[].name'", Line("`")),
    ("projects list --template x", Line("`")),
    ("projects list --watch", Line("`assessctl results changes`")),
    ("projects list -w", Line("`assessctl results changes`")),
    ("projects list --debug", Thing),
    ("projects list -v", Thing),
    ("projects list -vv", Thing),
    ("projects list --no-color", Thing),
    ("projects list --color=never", Thing),
    ("projects list --no-pager", Line("leave it out")),
    ("projects list help", Thing),
    ("projects help", Thing),
    ("projects help list", Thing),
    ("help projects ls", Thing),
    ("projects list -?", Line("did you mean `--help`?")),
    ("projects delete Demo", Line("projects are changed and deleted in the portal")),
    ("projects rename Demo Other", Line("projects are changed and deleted in the portal")),
    ("projects new Depot", Line("did you mean `assessctl projects create`?")),
    ("projects create --name Depot", Line("did you mean `assessctl projects create Depot`?")),
    ("projects use Demo", Line("did you mean `assessctl config set project Demo`? In the sandbox -p names one")),
    ("testtakers ls", Thing),
    ("test-takers ls", Thing),
    ("people list", Thing),
    ("testtakers list -p demo", Thing),
    ("testtakers list --project-name Demo", Thing),
    ("testtakers list Demo", Line("did you mean `assessctl testtakers list -p Demo`?")),
    ("testtakers show ref:A-1", Thing),
    ("testtakers get A-1", Line("write `assessctl testtakers get ref:REFERENCE_ID")),
    ("testtakers get ann@example.com", Line("write `assessctl testtakers get email:ADDRESS")),
    ("testtakers get 1", Line("write `assessctl testtakers get ref:REFERENCE_ID` for a reference id, or id:NUMBER")),
    ("testtakers get --id 1", Line("did you mean `assessctl testtakers get id:1`?")),
    ("testtakers get --email ann@example.com", Line("did you mean `assessctl testtakers get email:ADDRESS`?")),
    ("testtakers get ref:A-1 ref:B-2", Thing),
    ("testtakers rm ref:A-1", Line("did you mean `assessctl testtakers remove`?")),
    ("testtakers delete ref:A-1", Line("did you mean `assessctl testtakers remove`?")),
    ("testtakers remove ref:A-1 --force", Line("did you mean `--yes`?")),
    ("testtakers remove ref:A-1 -f", Line("did you mean `assessctl testtakers remove ref:REFERENCE_ID --yes`?")),
    ("testtakers add --email x@example.com", Line("did you mean `assessctl testtakers enrol --email ADDRESS`?")),
    ("testtakers create --email x@example.com", Line("did you mean `assessctl testtakers enrol --email ADDRESS`?")),
    ("testtakers enrol x@example.com", Line("did you mean `assessctl testtakers enrol --email ADDRESS`?")),
    ("testtakers enroll --email x@example.com --dry-run", Thing),
    ("testtakers edit ref:A-1 --first-name Zoe", Line("did you mean `assessctl testtakers update`?")),
    ("testtakers import --file people.csv", Line("did you mean `assessctl testtakers import people.csv`?")),
    ("testtakers import people.csv --dry-run", Thing),
    ("testtakers upload people.csv", Line("did you mean `assessctl testtakers import`?")),
    ("testtakers validate people.csv", Line("did you mean `assessctl testtakers check`?")),
    ("testtakers export", Line("`assessctl testtakers list --to FILE` writes")),
    ("testtakers search Ann", Line("`assessctl testtakers list --filter TEXT`")),
    ("search Ann", Line("`assessctl testtakers list --filter TEXT`")),
    ("import people.csv", Line("did you mean `assessctl testtakers import`?")),
    ("delete ref:A-1", Line("did you mean `assessctl testtakers remove`?")),
    ("results", Line("")),
    ("results ls", Thing),
    ("results list --status HighRisk", Line("did you mean `--result`?")),
    ("results list --flagged", Thing),
    ("results list --since 24h", Thing),
    ("results list --today", Line("`--completed-since 24h`")),
    ("results list --high-risk", Line("`--flagged`")),
    ("results get A-1 B-2", Thing),
    ("results get ref:A-1", Thing),
    ("results show A-1 --json", Thing),
    ("results download", Line("did you mean `assessctl results export`?")),
    ("results stats", Line("did you mean `assessctl results summary`?")),
    ("results watch", Line("did you mean `assessctl results changes`?")),
    ("links list", Line("links cannot be read again")),
    ("links create ref:A-1", Line("did you mean `assessctl links issue`?")),
    ("links revoke ref:A-1", Line("a new link voids the old one")),
    ("config view", Thing),
    ("config ls", Thing),
    ("config get output", Thing),
    ("config edit", Line("`assessctl config path`")),
    ("projects list --token abc", Line("`--api-key-file FILE`")),
    ("projects list --insecure", Line("certificates are always checked")),
    ("projects list --retries 3", Line("leave it out")),
];

/// Written down by another newcomer, who knew `--help` alone.
const MORE_GUESSES: &[(&str, Comes)] = &[
    ("tt list", Thing),
    ("users list", Thing),
    ("get people -n Demo", Line("`assessctl testtakers list` lists them")),
    ("describe project Demo", Line("did you mean `assessctl projects get`?")),
    ("testtakers list --all", Line("leave it out")),
    ("testtakers list -A", Line("`assessctl results export --all-projects --to FILE.csv`")),
    ("results list --all-projects", Line("`assessctl results export --all-projects --to FILE.csv`")),
    ("results export --all", Line("did you mean `--all-projects`?")),
    ("testtakers list --columns id,name", Line("did you mean `--fields id,fullName`?")),
    ("testtakers list --sort name", Line("did you mean `FullName`?")),
    ("testtakers enrol people.csv", Line("`assessctl testtakers import people.csv` enrols everybody in")),
    ("testtakers import people.csv people.csv", Line("name one file at a time")),
    ("results export results.xlsx", Line("did you mean `assessctl results export --to results.xlsx`?")),
    ("testtakers remove people.csv --yes", Line("write `assessctl testtakers remove --file")),
    ("testtakers remove --all", Line("`--file FILE` names many")),
    ("testtakers mv ref:A-1 Other", Line("enrol in the other project first")),
    ("testtakers undo people.csv", Line("did you mean `assessctl journal undo people.csv`?")),
    ("rollback", Line("did you mean `assessctl journal undo FILE.csv`?")),
    ("journal undo people.csv --dry-run", Thing),
    ("apply -f people.csv", Line("`assessctl testtakers import people.csv` enrols a file, `ass")),
    ("diff people.csv", Line("`assessctl testtakers sync people.csv --plan PLAN.ndjson` co")),
    (
        "testtakers sync people.csv --dry-run",
        Line("did you mean `assessctl testtakers sync people.csv --plan plan.ndjson`?"),
    ),
    ("testtakers sync people.csv --yes", Line("leave it out: nothing is asked")),
    ("testtakers update ref:A-1 --email new@example.com", Line("the service changes no e-mail")),
    ("results list --since yesterday", Line("did you mean `assessctl results list --completed-since 2")),
    ("results list --since 2026-11-01", Line("write `--completed-since 2026-11-01T00:00:00Z`")),
    (
        "results list --from 2026-11-01",
        Line("did you mean `assessctl results list --completed-since 2026-11-01T00:00:00Z`?"),
    ),
    ("results --at-risk", Line("`assessctl results list --flagged`")),
    ("results list --latest", Line("leave it out")),
    (
        "results wait A-1",
        Line(
            "nothing waits here: `assessctl results get REFERENCE_ID --fail-on flagged` ends with 4 until the test is over",
        ),
    ),
    ("projects set-default Demo", Line("did you mean `assessctl config set project Demo`?")),
    ("testtakers list --since 24h", Line("`assessctl results list --completed-since 24h`")),
    ("testtakers list --offset 10", Line("did you mean `assessctl testtakers list --jq '.[10:]'`?")),
    ("testtakers list --no-truncate", Line("leave it out")),
    ("testtakers list --pretty", Line("leave it out")),
    ("testtakers list --raw", Line("leave it out")),
    ("testtakers list --save people.csv", Line("did you mean `--to`?")),
    ("testtakers get --reference-id A-1", Line("did you mean `assessctl testtakers get ref:REFERENCE_ID`?")),
    ("testtakers exists ref:A-1", Line("`assessctl testtakers get ref:REFERENCE_ID`")),
    ("testtakers import people.csv --yes", Line("leave it out: nothing is asked")),
    ("testtakers import people.csv --force", Line("`--skip-invalid`")),
    ("testtakers import people.csv --continue-on-error", Line("`--skip-invalid`")),
    ("testtakers import people.csv --header", Line("leave it out")),
    ("testtakers bulk-create people.csv", Line("did you mean `assessctl testtakers import`?")),
    ("testtakers remove ref:A-1 --dry-run", Thing),
    ("testtakers unenroll ref:A-1", Line("did you mean `assessctl testtakers remove`?")),
    ("results list --failed", Line("`assessctl results list --flagged`")),
    ("results list --passed", Line("`--result Completed`")),
    ("results list --since 2026-11-21T00:00:00", Line("write `--completed-since 2026-11-21T00:00:00Z`")),
    ("results history ref:A-1", Line("the service has the latest result alone")),
    ("links issue people.csv", Line("write `assessctl links issue --file")),
    ("links issue ref:A-1 --expires 48h", Line("leave it out: how long a link works is the service's")),
    ("links issue ref:A-1 --copy", Line("`--fields url --no-header -o csv`")),
    ("audit", Line("`assessctl journal list`")),
    ("journal tail", Thing),
    ("journal export", Line("`assessctl journal show --to FILE.csv`")),
    ("config set-context prod", Line("did you mean `assessctl config init --name prod`?")),
    ("doctor --fix", Line("leave it out")),
    ("sandbox stop", Line("nothing runs between commands")),
    ("sandbox status", Line("`assessctl doctor --profile sandbox`")),
    ("sandbox set ref:A-1 highrisk", Line("did you mean `assessctl sandbox set ref:REFERENCE_ID --result highrisk`?")),
    ("help proxies", Line("`assessctl help environment`")),
    ("help cron", Line("`assessctl help scripting`")),
    ("projects list --proxy http://127.0.0.1:1", Line("set HTTPS_PROXY")),
    ("-P sandbox projects list", Line("did you mean `--profile`")),
    ("proxy", Line("`assessctl help environment`")),
    ("links issue ref:A-1 ref:nobody", Line("`assessctl testtakers list --filter TEXT` searches")),
];

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

/// The lists of guesses, but those that mean nothing here.
pub(crate) const LISTS: [&[(&str, Comes)]; 8] =
    [&GUESSES, MORE_GUESSES, THIRD_GUESSES, FOURTH_GUESSES, FIFTH_GUESSES, SIBLINGS, SEVENTH_GUESSES, SIXTH_GUESSES];

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
fn the_first_guesses_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(LISTS[0]);
}

#[test]
fn guesses_of_the_second_list_get_the_thing_or_the_right_line() {
    get_the_thing_or_the_right_line(LISTS[1]);
}

#[test]
fn guesses_of_the_third_and_fourth_lists_get_the_thing_or_the_right_line() {
    LISTS[2..4].iter().for_each(|list| get_the_thing_or_the_right_line(list));
}

#[test]
fn guesses_of_the_fifth_list_and_their_siblings_get_the_thing_or_the_right_line() {
    LISTS[4..6].iter().for_each(|list| get_the_thing_or_the_right_line(list));
}

#[test]
fn guesses_of_the_sixth_and_seventh_lists_get_the_thing_or_the_right_line() {
    LISTS[6..].iter().for_each(|list| get_the_thing_or_the_right_line(list));
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
