//! A file of links is evidence: whoever writes to it continues it, and what it holds is read before a link is voided.

use snapbox::str;

use serde_json::Value;

use crate::harness::Env;
use crate::imports::records;
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};

/// Links go into the file, and the summary is all that is said.
#[track_caller]
fn sums_up(env: &Env, line: &str, came: &str) {
    let said = env.line(line).ok();
    assert_eq!(said.stderr, format!("3 rows: {came} in Demo (sandbox)\n"));
    assert_eq!(said.stdout, "");
}

/// Three people who are enrolled, each with a link in `links.csv`.
fn handed_out() -> Env {
    let env = Env::sandbox();
    env.write("people.csv", "email,firstName,referenceId\na@x.example,Ann,A\nb@x.example,Bob,B\nc@x.example,Cy,C\n");
    let _ = env.line("testtakers import people.csv --concurrency 1").ok();
    sums_up(&env, "links issue --all --to links.csv --concurrency 1", "3 issued");
    env
}

fn journal_of(env: &Env) -> std::path::PathBuf {
    env.work().with_file_name("state").join("journal.db")
}

/// The reference ids of a file's links, in its order.
fn whose(env: &Env, file: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    records(&env.read(file)).iter().map(|row| text(&row["referenceId"])).collect()
}

#[test]
fn a_person_who_is_named_gets_a_further_row_and_the_replaced_link_is_said() {
    let env = handed_out();
    let before = env.read("links.csv");
    let said = env.line("links issue ref:A --to links.csv").ok();
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", "1 valid link was replaced\n"));
    let after = env.read("links.csv");
    assert!(after.starts_with(&before), "the file is continued");
    assert_eq!(whose(&env, "links.csv"), ["A", "B", "C", "A"]);
    sums_up(&env, "links issue --all --to links.csv", "3 kept (link valid as far as is known)");
    assert_eq!(env.read("links.csv"), after);
}

#[test]
fn a_terminal_says_how_many_links_a_file_got() {
    let env = handed_out();
    let (code, screen) = Terminal::start(&env, 80, &["links", "issue", "ref:A", "--to", "links.csv"]).ends();
    assert_eq!(code, 0, "{}", screen.text());
    assert!(screen.text().contains("1 link issued in Demo (sandbox), added to links.csv"), "{}", screen.text());
    assert!(!screen.text().contains("/take/"), "the link itself is not shown: {}", screen.text());
}

#[test]
fn a_refused_key_leaves_the_file_and_accounts_for_everyone_named() {
    let socket = Socket::always(Answer::json(401, r#"{"title":"Unauthorized"}"#));
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690");
    let kept = "projectEntryId,referenceId,url,expiresAtUtc\n9,Z,https://t.example/9,2026-03-02T06:00:00Z\n";
    env.write("l.csv", kept);
    let said = env.line("links issue id:1 id:2 id:3 --to l.csv --concurrency 1").exits(3);
    assert_eq!(env.read("l.csv"), kept);
    for entry in ["id:1", "id:2", "id:3"] {
        assert!(said.stderr.contains(&format!("warning: no link for {entry}: ")), "{said}");
    }
    let _ = said.mentions("error: the service refused the key").mentions("hint: check the API key");
}

#[test]
fn a_file_that_lacks_valid_links_is_said_and_rotating_issues_others() {
    let env = handed_out();
    std::fs::remove_file(env.work().join("links.csv")).expect("removed");
    let said = env.line("links issue --all --to links.csv").ok();
    let _ = said.mentions("warning: 3 people have a valid link that is not in this file; --rotate issues others");
    assert_eq!(env.read("links.csv"), "projectEntryId,referenceId,url,expiresAtUtc\n");
    let _ = env
        .line("testtakers import people.csv --with-links links.csv --rotate")
        .ok()
        .mentions("links: 3 rows: 3 issued");
    assert_eq!(whose(&env, "links.csv").len(), 3);
}

#[test]
fn a_valid_link_with_another_redirect_uri_is_said() {
    let env = handed_out();
    let _ = env.line("redirect-uris add https://hr.example.com/done").ok();
    let said = env.line("links issue --all --to links.csv --redirect-uri https://hr.example.com/done").ok();
    let _ = said.mentions("warning: 3 people have a valid link with another redirect URI; --rotate issues others");
    let rotated = "links issue --all --to links.csv --redirect-uri https://hr.example.com/done --rotate";
    let _ = env.line(rotated).ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
3 valid links were replaced
3 rows: 3 issued in Demo (sandbox)

"#]]);
}

#[test]
fn what_a_killed_run_handed_out_is_found_in_the_file_and_not_voided() {
    let env = handed_out();
    let before = env.read("links.csv");
    // As a kill leaves it between the row of the file and the note of the journal.
    let journal = rusqlite::Connection::open(journal_of(&env)).expect("the journal");
    let killed = "INSERT INTO link_intents SELECT service, project, entry, NULL FROM links; DELETE FROM links;";
    journal.execute_batch(killed).expect("changed");
    drop(journal);
    sums_up(&env, "links issue --all --to links.csv", "3 kept (link valid as far as is known)");
    assert_eq!(env.read("links.csv"), before);
    // Killed before the row: what stands in the file is the link from before, which may be void.
    let journal = rusqlite::Connection::open(journal_of(&env)).expect("the journal");
    let killed = "INSERT INTO link_intents SELECT service, project, entry, link FROM links; DELETE FROM links;";
    journal.execute_batch(killed).expect("changed");
    drop(journal);
    let line = "testtakers import people.csv --with-links links.csv --settle 0s";
    let _ = env.line(line).ok().mentions("links: 3 rows: 3 issued");
}

#[test]
fn a_link_that_this_machine_does_not_know_is_kept_where_the_file_has_it() {
    let env = handed_out();
    let before = env.read("links.csv");
    std::fs::remove_file(journal_of(&env)).expect("removed");
    let _ = env.line("links issue --all --to links.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
warning: 3 people have a link in this file that was not issued from here, and keep it; --rotate issues others
3 rows: 3 kept (link valid as far as is known) in Demo (sandbox)

"#]]);
    assert_eq!(env.read("links.csv"), before);
}

#[test]
fn fields_of_the_person_stand_beside_the_link_and_another_header_is_refused() {
    let env = handed_out();
    let _ = env.line("links issue --all --rotate --with email,firstName --to mail.csv --concurrency 1").ok();
    let first = &records(&env.read("mail.csv"))[0];
    assert_eq!((first["email"].as_str(), first["firstName"].as_str()), (Some("a@x.example"), Some("Ann")));
    let said = env.line("links issue --all --rotate --to mail.csv").fails(2);
    let _ = said
        .mentions("it has other columns or another format than this run writes; it was not changed")
        .mentions("hint: name a new file");
    let said = env.line("links issue id:1 --with email -o csv --fields projectEntryId,email").ok();
    assert_eq!(said.stdout, "projectEntryId,email\n1,a@x.example\n");
    let _ = env.line("testtakers import people.csv --with email").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: --with is about links, and none are issued
hint: add --with-links FILE

"#]]);
}

#[test]
fn a_format_that_cannot_grow_is_refused_before_a_link_is_issued() {
    let env = handed_out();
    let before = env.line("links issue --all --to links.csv").ok();
    let _ = env.line("links issue ref:A -o json --to links.csv").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: links are written one by one, and a JSON array cannot grow
hint: add --to FILE.csv or FILE.ndjson, or take -o csv or -o ndjson

"#]]);
    let _ = env.line("testtakers import people.csv --with-links l.json").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: a file of links is CSV or NDJSON, and l.json is neither
hint: end its name in .csv or .ndjson

"#]]);
    assert_eq!(env.line("links issue --all --to links.csv").ok().stderr, before.stderr, "all are valid still");
}
