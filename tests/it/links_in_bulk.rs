//! Links in bulk: handed out one by one, valid ones left alone, a file that is continued and never replaced.

use snapbox::str;

use serde_json::Value;

use crate::harness::{Env, KEY};
use crate::imports::records;
use crate::pty::Terminal;

/// Five people who are enrolled, and the file that names them.
fn prepared() -> Env {
    let env = Env::sandbox();
    let row = |n| format!("p{n}@example.com,First{n},EMP-0{n}\n");
    env.write("people.csv", format!("email,firstName,referenceId\n{}", (1..=5).map(row).collect::<String>()));
    let _ = env.line("testtakers import people.csv --concurrency 1").ok();
    env
}

fn outcomes(env: &Env, report: &str) -> Vec<String> {
    records(&env.read(report)).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

/// The links of a file, by reference id, the latest last.
fn links(env: &Env, file: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    records(&env.read(file)).iter().map(|row| (text(&row["referenceId"]), text(&row["url"]))).collect()
}

#[test]
fn a_second_run_leaves_valid_links_alone_and_says_so() {
    let env = prepared();
    let _ = env.line("links issue --file people.csv --to links.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
5 rows: 5 issued in Demo (sandbox)

"#]]);
    let before = env.read("links.csv");
    let said = env.line("links issue --file people.csv --to links.csv --report report.csv").ok();
    assert_eq!(said.stdout, "");
    assert_eq!(env.read("links.csv"), before);
    assert_eq!(outcomes(&env, "report.csv"), ["kept"; 5]);
    assert!(!env.read("report.csv").contains("/take/"), "a report holds no link");
}

#[test]
fn only_those_get_a_new_link_whose_record_has_moved_or_who_have_none() {
    let env = prepared();
    let _ = env.line("links issue ref:EMP-01").ok();
    let _ = env.line("links issue --file people.csv --to links.csv --report report.csv").ok();
    assert_eq!(outcomes(&env, "report.csv"), ["kept", "issued", "issued", "issued", "issued"]);
    let _ = env.line("sandbox set ref:EMP-03 --result Started").ok();
    let _ = env.line("links issue --all --to links.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
warning: 1 person has a valid link that is not in this file; --rotate issues others
5 rows: 1 issued, 4 kept (link valid as far as is known) in Demo (sandbox)

"#]]);
    let last = links(&env, "links.csv").pop().expect("a link");
    assert_eq!(last.0, "EMP-03");
    let _ = env.line("links issue --all --to links.csv --rotate").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
5 valid links were replaced
5 rows: 5 issued in Demo (sandbox)

"#]]);
    assert_eq!(links(&env, "links.csv").len(), 4 + 1 + 5);
}

#[test]
fn a_rehearsal_issues_nothing_and_touches_no_file() {
    let env = prepared();
    env.write("links.csv", "mine\n");
    let said = env.line("links issue --all --to links.csv --dry-run -o csv").ok();
    assert_eq!(records(&said.stdout).iter().filter(|row| row["outcome"] == "would-issue").count(), 5);
    assert_eq!(env.read("links.csv"), "mine\n");
    let _ = env.line("links issue --all --to links.csv").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: cannot continue links.csv: it has other columns or another format than this run writes; it was not changed
hint: name a new file, or give the -o, --fields and --with that it was begun with

"#]]);
    assert_eq!(env.read("links.csv"), "mine\n");
}

#[test]
fn nobody_and_somebody_twice_are_accounted_for() {
    let env = prepared();
    env.write("some.csv", "id,note\n1,a\n99,b\n1,c\n,d\n");
    let said =
        env.line("links issue --file some.csv --ignore-column note --to l.csv --report r.csv --failed-out f.csv");
    let said = said.exits(10);
    assert_eq!(outcomes(&env, "r.csv"), ["issued", "absent", "conflict", "invalid"], "{said}");
    assert_eq!(env.read("f.csv"), "id,note\n99,b\n1,c\n,d\n");
}

#[test]
fn several_links_are_shown_on_a_terminal_only_on_request() {
    let env = prepared();
    let (code, screen) = Terminal::start(&env, 120, &["links", "issue", "--all"]).ends();
    assert_eq!(code, 2, "{}", screen.text());
    let (code, screen) = Terminal::start(&env, 120, &["links", "issue", "--all", "--show"]).ends();
    assert!(code == 0 && screen.text().contains("/take/"), "{}", screen.text());
}

#[test]
fn links_reach_a_pipe_as_lines_of_csv_or_json() {
    let env = prepared();
    let said = env.line("links issue --all").ok();
    assert!(said.stdout.starts_with("projectEntryId,referenceId,url,expiresAtUtc\n"), "{said}");
    let said = env.line("links issue --all --rotate -o ndjson --own-reference-id").ok();
    assert_eq!(said.stdout.lines().count(), 5);
    for line in said.stdout.lines() {
        let link: Value = serde_json::from_str(line).expect("an object");
        let id = link["referenceId"].as_str().expect("a reference id");
        assert!(link["url"].as_str().is_some_and(|url| url.ends_with(&format!("reference_id={id}"))), "{line}");
    }
    let _ = env.line("links issue --all -o json").fails(2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_link_that_could_not_be_handed_out_is_issued_again_by_the_next_run() {
    let env = prepared();
    let said = env.line("links issue --all --to /dev/full --concurrency 1").exits(1).hides("/take/");
    assert!(said.stderr.contains("/dev/full"), "{said}");
    let _ = env.line("links issue --all --to links.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
5 rows: 5 issued in Demo (sandbox)

"#]]);
}

#[test]
fn a_run_whose_answers_are_lost_is_finished_by_the_next_one() {
    let here = Env::new();
    let served = here.serve(&["--key", KEY, "--fault", "429@test-link:share=0.3,seed=7,retry-after=0"]);
    let env = here.with("ASSESSCTL_BASE_URL", &served.url).with("ASSESSCTL_API_KEY", KEY);
    let env = env.with("ASSESSCTL_PROJECT", "Demo");
    let row = |n| format!("p{n}@example.com,EMP-{n}\n");
    env.write("people.csv", format!("email,referenceId\n{}", (1..=20).map(row).collect::<String>()));
    let _ = env.line("testtakers import people.csv --settle 1s").ok();
    let mut runs = 0;
    while env.line("links issue --file people.csv --to links.csv").code != 0 {
        runs += 1;
        assert!(runs < 10, "it never ends");
    }
    let mut ids: Vec<_> = links(&env, "links.csv").into_iter().map(|(id, _)| id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), links(&env, "links.csv").len()), (20, 20), "each got exactly one link");
}
