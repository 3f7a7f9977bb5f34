//! Slips of those who know directories, HR systems and other programs' lists: each gets the thing or the one right line.

use crate::slips::prepared;

/// Lines with slips, and what their hint has.
const HINTS: &[(&str, &str)] = &[
    (
        "results wait ref:A --timeout 10m -p Demo",
        "nothing waits here: `assessctl results get REFERENCE_ID --fail-on flagged -p Demo`",
    ),
    ("wait ref:A --timeout=10m", "nothing waits here: `assessctl results get REFERENCE_ID --fail-on flagged`"),
    ("results watch --until-complete -p Demo", "`assessctl results changes -p Demo`"),
    ("results changes --until-done", "leave it out: nothing waits here"),
    ("configure --list", "`assessctl config list`"),
    ("config init --with-token", "--api-key-file -"),
    ("results list --export-csv out.csv -p Demo", "`assessctl results list --to out.csv -p Demo`"),
    ("testtakers list --starting-after X", "leave it out: a list is the whole list"),
    ("results list --fit-for-duty no", "`--flagged`"),
    ("results list --only-show-errors", "leave it out"),
    ("testtakers update ref:A --new-ref B", "update ref:REFERENCE_ID --reference-id REFERENCE_ID`"),
    ("import resume", "it continues where it stopped"),
    ("roster", "`assessctl testtakers list`"),
    ("hr sync people.csv", "`assessctl testtakers sync people.csv"),
    ("testtakers sync --source people.csv", "`assessctl testtakers sync people.csv`"),
    ("testtakers sync --source people.csv --preview", "`assessctl testtakers sync people.csv --plan plan.ndjson`"),
    ("testtakers sync -p Demo --source=people.csv", "`assessctl testtakers sync -p Demo people.csv`"),
    ("testtakers sync --source hr", "add FILE"),
    ("results list --limit 5 --page 2", "`assessctl results list --page 2 --page-size 5`"),
    (
        "testtakers list -p Demo --page 1 --limit 5000000",
        "leave one of them out: `assessctl testtakers list -p Demo --limit 5000000` or `assessctl testtakers list -p Demo --page 1`",
    ),
    ("results list --max-results 5 --page 2", "`assessctl results list --page 2 --page-size 5`"),
    ("who Ada", "`assessctl testtakers list --filter TEXT`"),
    ("config env", "`assessctl help environment`"),
];

/// Lines that are done as they are meant, and ours.
const DONE: &[(&str, &str)] = &[("print users -p Demo", "testtakers list -p Demo"), ("print groups", "projects list")];

#[test]
fn a_word_of_directories_and_hr_systems_leads_to_ours() {
    let env = prepared();
    let mut faults = Vec::new();
    for (line, expected) in HINTS {
        let said = env.line(line).fails(2);
        if !said.stderr.contains(expected) || said.stderr.contains("10m") {
            faults.push(format!("{line}\n  expected {expected}\n{}", said.stderr));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (line, ours) in DONE {
        assert_eq!(env.line(line).ok().to_string(), env.line(ours).ok().to_string(), "{line}");
    }
}
