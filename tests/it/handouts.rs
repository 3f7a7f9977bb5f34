//! An import that assigns reference ids and hands out links, and people who are removed around it.

use crate::harness::{Env, KEY};
use crate::imports::records;

fn outcomes(report: &str) -> Vec<String> {
    records(report).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The assigned reference ids of a report, by e-mail.
fn ids(report: &str) -> Vec<(String, String)> {
    let text = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_lowercase();
    let mut ids: Vec<_> = records(report).iter().map(|row| (text(row, "email"), text(row, "referenceId"))).collect();
    ids.sort();
    ids
}

#[test]
fn an_assigned_reference_id_stays_the_same_when_the_roster_is_edited() {
    let env = Env::sandbox();
    env.write("people.csv", "email,firstName\nann@example.com,Ann\nbob@example.com,Bob\n");
    let first = env.line("testtakers import people.csv --assign-reference-ids -o csv").ok().stdout;
    assert!(ids(&first).iter().all(|(_, id)| id.starts_with("auto-")), "{first}");
    env.write(
        "edited.csv",
        "email;firstName;referenceId\nBOB@example.com;Bob;\ncy@example.com;Cy;EMP-1\nann@example.com;Anna;\n",
    );
    let said = env.line("testtakers import edited.csv --assign-reference-ids -o csv").ok();
    let second = ids(&said.stdout);
    assert_eq!((&second[..2], second[2].1.as_str()), (&ids(&first)[..], "emp-1"), "{said}");
    assert_eq!(
        env.line("testtakers list -o json").json().as_array().map(Vec::len),
        Some(3),
        "nobody is enrolled twice"
    );
    env.write("report.csv", &first);
    let _ = env.line("testtakers import report.csv").ok().mentions("2 enrolled");
    let _ = env.line("journal undo people.csv --yes").ok().mentions("2 of 2 people removed");
}

#[test]
fn a_lost_row_with_an_assigned_reference_id_is_sent_again_by_itself() {
    let there = Env::new();
    let served = there.serve(&["--key", KEY, "--fault", "close-before@enrol:nth=1"]);
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    env.write("people.csv", "email\nann@example.com\n");
    let _ = env.line("testtakers import people.csv --assign-reference-ids --settle 300ms").ok().mentions("1 enrolled");
    assert_eq!(env.line("testtakers list -o json").json().as_array().map(Vec::len), Some(1));
}

#[test]
fn an_import_hands_out_links_and_the_next_one_only_those_that_are_missing() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\nbob@example.com,B\n");
    let said = env.line("testtakers import people.csv --with-links links.csv --own-reference-id").ok();
    assert_eq!(said.stdout, "", "links go to the file alone");
    let _ = said.mentions("2 rows: 2 enrolled").mentions("links: 2 rows: 2 issued").hides("/take/");
    assert_eq!(records(&env.read("links.csv")).len(), 2);
    env.write("people.csv", "email,referenceId\ncy@example.com,C\nbob@example.com,B\nann@example.com,A\nnobody,D\n");
    let said = env.line("testtakers import people.csv --with-links links.csv --skip-invalid --failed-out fix.csv");
    let _ = said.exits(10).mentions("links: 3 rows: 1 issued, 2 kept (link valid as far as is known)");
    let links = records(&env.read("links.csv"));
    let mut whom: Vec<_> = links.iter().map(|link| link["referenceId"].as_str().unwrap_or_default()).collect();
    // Two are issued at a time, and the file has them in the order of the answers.
    whom.sort_unstable();
    assert_eq!(whom, ["A", "B", "C"]);
    assert!(links.iter().all(|link| link["url"].as_str().is_some_and(|url| url.contains("/take/"))));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(env.work().join("links.csv")).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn nobody_is_enrolled_where_links_could_not_be_written() {
    let env = Env::sandbox();
    env.write("people.csv", "email\nann@example.com\n");
    env.write("mine.csv", "mine\n");
    let _ = env.line("testtakers import people.csv --with-links mine.csv").fails(2).mentions("was not changed");
    let _ = env.line("testtakers import people.csv --with-links people.csv").fails(2).mentions("same file");
    let _ = env.line("testtakers import people.csv --with-links l.csv --dry-run").fails(2);
    assert_eq!(env.line("testtakers list -o json").json().as_array().map(Vec::len), Some(0));
    assert_eq!(env.read("mine.csv"), "mine\n");
}

#[test]
fn whom_we_removed_is_enrolled_anew_and_whom_somebody_else_removed_is_gone() {
    let there = Env::new();
    let served = there.serve(&["--key", KEY]);
    let client = || Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    let (here, elsewhere) = (client(), client());
    for env in [&here, &elsewhere] {
        env.write("people.csv", "email,referenceId\nann@example.com,A\nbob@example.com,B\n");
    }
    let import = "testtakers import people.csv --settle 300ms --report report.csv";
    let _ = here.line(import).ok();
    let _ = here.line("testtakers remove ref:A --yes").ok();
    let _ = here.line(import).ok();
    let _ = here.line("testtakers remove --file people.csv --yes").ok();
    let _ = here.line(import).ok();
    assert_eq!(here.line("testtakers list -o json").json().as_array().map(Vec::len), Some(2), "enrolled anew");
    // Within the settle time the list may only lag behind (7); a run that begins after it says that the person is gone.
    let _ = elsewhere.line("testtakers remove ref:B --yes").ok();
    let mut said = here.line(import);
    while said.code == 7 {
        said = here.line(import);
    }
    let _ = said.exits(10).mentions("--failed-out");
    assert_eq!(outcomes(&here.read("report.csv")), ["enrolled", "gone"]);
    // Until the settle time is over, a second enrolment could still be one too many.
    while here.line(&format!("{import} --again")).code == 10 {}
    assert_eq!(here.line("testtakers list -o json").json().as_array().map(Vec::len), Some(2));
}
