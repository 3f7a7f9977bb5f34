//! One person at a time, on the embedded service: enrol, look up, update, remove, links, results.

use serde_json::{Value, json};

use crate::harness::{Env, KEY};
use crate::pty::Terminal;

/// A project with three people, two of whom share a reference id.
fn crew() -> Env {
    let env = Env::sandbox();
    for (email, first, reference) in [("zoe@example.com", "Zoë", "EMP-1"), ("ann@example.com", "Ann", "SHARED")] {
        let args = ["testtakers", "enrol", "--email", email, "--first-name", first, "--reference-id", reference];
        let _ = env.run(&args).ok();
    }
    env.write("shared.csv", "email,referenceId\nbob@example.com,SHARED\n");
    let _ = env.line("testtakers import shared.csv --allow-duplicates").ok();
    env
}

fn get(env: &Env, who: &str) -> Value {
    env.run(&["testtakers", "get", who, "-o", "json"]).json()
}

#[test]
fn somebody_enrolled_is_found_by_id_reference_and_email() {
    let env = crew();
    let zoe = get(&env, "ref:EMP-1");
    assert_eq!(zoe["firstName"], "Zoë");
    assert_eq!(get(&env, "email:ZOE@example.com"), zoe);
    assert_eq!(get(&env, &format!("id:{}", zoe["id"])), zoe);
    let _ = env.line("testtakers get ref:NOBODY").fails(4);
    let _ = env.line("testtakers get ref:SHARED").fails(2).mentions("id:");
    let _ = env.line("testtakers get id:999999").fails(4);
}

#[test]
fn enrolling_somebody_again_reports_the_person_enrolled_before() {
    let env = crew();
    let args = "testtakers enrol --email zoe@example.com --first-name Zoë --reference-id EMP-1 -o json";
    let record = env.line(args).json();
    assert_eq!((&record["outcome"], &record["projectEntryId"]), (&json!("enrolled"), &get(&env, "ref:EMP-1")["id"]));
}

#[test]
fn an_update_of_one_person_is_rehearsed() {
    let env = crew();
    let shown = env.line("testtakers update ref:EMP-1 --last-name Else --first-name '' --dry-run -o json").json();
    assert_eq!((&shown["outcome"], &shown["lastName"]), (&json!("would-update"), &json!("Else")));
    assert_eq!((&shown["firstName"], &shown["referenceId"]), (&Value::Null, &json!("EMP-1")));
    assert_eq!(get(&env, "ref:EMP-1")["firstName"], "Zoë", "nothing was sent");
    let _ = env.line("testtakers update ref:EMP-1 --dry-run").fails(2);
    let _ = env.line("testtakers update ref:EMP-1 --last-name Else --report r.csv").fails(2).mentions("--file");
}

#[test]
fn an_update_keeps_what_it_does_not_name_and_an_empty_value_clears() {
    let env = crew();
    let _ = env.line("testtakers update ref:EMP-1 --last-name Müller").ok();
    let zoe = get(&env, "ref:EMP-1");
    assert_eq!((&zoe["firstName"], &zoe["lastName"]), (&json!("Zoë"), &json!("Müller")));
    let _ = env.line("testtakers update ref:EMP-1 --first-name ''").ok();
    assert_eq!(get(&env, "ref:EMP-1")["firstName"], Value::Null);
    let _ = env.line("testtakers update ref:EMP-1 --reference-id EMP-2").ok();
    assert_eq!(get(&env, "ref:EMP-2")["lastName"], "Müller");
    let _ = env.line("testtakers update ref:EMP-2").fails(2);
}

#[test]
fn a_removal_asks_on_a_terminal_and_needs_a_yes_elsewhere() {
    let env = crew();
    let _ = env.line("testtakers remove ref:EMP-1").fails(2).mentions("--yes");
    let mut terminal = Terminal::start(&env, 100, &["testtakers", "remove", "ref:EMP-1"]);
    let _ = terminal.shows("zoe@example.com");
    let _ = terminal.shows("the results of the person who leaves can't be read here afterwards: export them before");
    let _ = terminal.shows("Remove this person from Demo (sandbox)?");
    let _ = terminal.types("n\r");
    assert_eq!(terminal.ends().0, 130);
    assert_eq!(get(&env, "ref:EMP-1")["firstName"], "Zoë");
    let mut terminal = Terminal::start(&env, 100, &["testtakers", "remove", "ref:EMP-1"]);
    let _ = terminal.shows("zoe@example.com");
    let _ = terminal.types("y\r");
    assert_eq!(terminal.ends().0, 0);
    let _ = env.line("testtakers get ref:EMP-1").fails(4);
}

#[test]
fn several_people_are_removed_and_nobody_where_one_is_ambiguous() {
    let env = crew();
    let _ = env.line("testtakers remove ref:EMP-1 ref:SHARED --yes").fails(2);
    assert_eq!(get(&env, "ref:EMP-1")["firstName"], "Zoë");
    let said = env.line("testtakers remove ref:EMP-1 email:bob@example.com --yes -o json").json();
    assert_eq!(said.as_array().map(Vec::len), Some(2), "{said}");
    assert!(said.as_array().is_some_and(|all| all.iter().all(|one| one["outcome"] == "removed")), "{said}");
    assert_eq!(env.line("testtakers list -o json").json().as_array().map(Vec::len), Some(1));
}

#[test]
fn links_are_issued_with_their_columns_and_several_reach_a_terminal_only_with_show() {
    let env = crew();
    let csv = env.line("links issue ref:EMP-1 -o csv --own-reference-id").ok().stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("projectEntryId,referenceId,url,expiresAtUtc"));
    assert!(lines.next().is_some_and(|line| line.contains(",EMP-1,http") && line.contains("reference_id=EMP-1")));
    let two = ["links", "issue", "ref:EMP-1", "email:bob@example.com"];
    let (code, screen) = Terminal::start(&env, 200, &two).ends();
    assert!(code == 2 && !screen.text().contains("http://"), "{}", screen.text());
    let (code, screen) = Terminal::start(&env, 200, &[&two[..], &["--show"]].concat()).ends();
    assert!(code == 0 && screen.text().matches("http://").count() == 2, "{}", screen.text());
    let piped = env.run(&[&two[..], &["-o", "csv"]].concat()).ok();
    assert_eq!(piped.stdout.lines().count(), 3, "{piped}");
}

#[test]
fn a_redirect_uri_that_no_entry_admits_is_warned_of() {
    let env = crew();
    let said = env.line("redirect-uris add https://portal.example.com/* https://x.example.com/done -o json").ok();
    assert!(said.stdout.contains("portal.example.com"), "{said}");
    let link = |uri: &str| env.run(&["links", "issue", "ref:EMP-1", "-o", "csv", "--redirect-uri", uri]).ok();
    assert_eq!(link("https://PORTAL.example.com/Done").stderr, "");
    assert!(link("https://elsewhere.example.com/").stderr.starts_with("warning: "));
    let again = env.line("redirect-uris add https://X.example.com/DONE https://new.example.com -o json").json();
    let text = again.to_string();
    assert!(text.contains("new.example.com"), "what was added is shown: {text}");
}

#[test]
fn a_result_has_the_identity_and_a_shared_one_is_refused() {
    let env = crew();
    let set = "sandbox set ref:EMP-1 --result HighRisk --identity-status NotVerified --top-performer true";
    let _ = env.line(set).ok();
    let result = env.line("results get EMP-1 -o json").json();
    assert_eq!((&result["result"], &result["identityVerified"]), (&json!("HighRisk"), &json!(false)));
    assert_eq!((&result["identityStatus"], &result["topPerformer"]), (&json!("NotVerified"), &json!(true)));
    let _ = env.line("results get SHARED").fails(2).mentions("2 test takers have this reference id");
    let _ = env.line("results get NOBODY").fails(4);
    let done = env.line("results list --completed-only -o csv --fields referenceId").data();
    assert_eq!(done, "referenceId\nEMP-1\n");
}

#[test]
fn projects_are_created_listed_and_put_into_a_state() {
    let env = Env::sandbox();
    let made = env.run(&["projects", "create", "Night shift", "-o", "json"]).json();
    assert_eq!((&made["name"], &made["fitForDutyResponse"]), (&json!("Night shift"), &json!("")));
    let _ = env.run(&["sandbox", "set", "-p", "Night shift", "--state", "Inactive"]).ok();
    let listed = env.line("projects list --state Inactive -o csv --fields name,state").data();
    assert_eq!(listed, "name,state\nNight shift,Inactive\n");
    let link = env.run(&["projects", "link", "Night shift"]).data();
    assert!(link.contains("http"), "{link}");
    assert_eq!(env.run(&["projects", "get", "night SHIFT", "-o", "json"]).json()["id"], made["id"]);
}

#[test]
fn the_embedded_service_keeps_its_state_serves_two_at_once_and_can_be_reset() {
    let env = crew();
    let commands: Vec<_> = (0..4).map(|_| env.command(&["testtakers", "list", "-o", "csv"]).spawn()).collect();
    for child in commands {
        let said = crate::harness::finish(child.expect("the program starts"), b"");
        assert_eq!(said.data().lines().count(), 4);
    }
    let _ = env.line("sandbox reset --yes");
    assert_eq!(env.line("testtakers list -o json").json(), json!([]));
}

/// A project with so many people, who have the reference ids `R-0` and so on, and files that name one of them each.
fn with_many(people: usize) -> Env {
    let env = Env::sandbox();
    let rows: Vec<String> = (0..people).map(|row| format!("p{row}@example.com,R-{row}")).collect();
    env.write("many.csv", format!("email,referenceId\n{}\n", rows.join("\n")));
    let _ = env.line("testtakers import many.csv -q").ok();
    env.write("ids.csv", "id,firstName\n30,Ann\n");
    env.write("references.csv", "referenceId,firstName\nR-30,Ann\n");
    env
}

#[test]
fn one_person_of_a_file_is_found_among_many_by_entry_id_and_by_reference_id() {
    let env = with_many(400);
    for file in ["ids.csv", "references.csv"] {
        let said = env.line(&format!("testtakers update --file {file} --dry-run -o csv")).ok();
        assert!(said.stdout.contains("would-update"), "{said}");
    }
}

#[test]
fn a_list_that_cannot_be_read_whole_says_of_nobody_in_a_file_that_they_are_gone() {
    let there = with_many(150);
    let served = there.serve(&["--key", KEY, "--fault", "404@list-test-takers:page=2"]);
    let env = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    env.write("ids.csv", there.read("ids.csv"));
    env.write("references.csv", "referenceId,firstName\nR-30,Ann\nR-31,Bob\nR-32,Cy\nR-33,Di\n");
    let said = env.line("testtakers update --file ids.csv --dry-run -o csv").fails(7);
    let _ = said.mentions("the list could not be read whole");
    let said = env.line("testtakers update --file references.csv --dry-run -o csv").ok();
    assert!(said.stdout.contains("would-update"), "{said}");
}

#[test]
fn a_removal_by_file_tells_whom_an_earlier_run_removed() {
    let env = crew();
    let _ = env.line("testtakers remove ref:EMP-1 --yes").ok();
    env.write("leave.csv", "referenceId\nEMP-1\n");
    let earlier = "1 row: 1 removed (by an earlier run) in Demo (sandbox)\n";
    for line in ["testtakers remove --file leave.csv --dry-run", "testtakers remove --file leave.csv --yes"] {
        assert_eq!(env.line(line).ok().stderr, earlier, "{line}");
    }
    let _ = env.line("testtakers enrol --email dan@example.com --reference-id EMP-7 -q").ok();
    env.write("leave.csv", "referenceId\nEMP-1\nEMP-7\n");
    let both = "2 rows: 1 removed (by an earlier run), 1 would-remove in Demo (sandbox)\n";
    assert_eq!(env.line("testtakers remove --file leave.csv --dry-run").ok().stderr, both);
    let done = "2 rows: 2 removed (1 of them by an earlier run) in Demo (sandbox)\n";
    assert_eq!(env.line("testtakers remove --file leave.csv --yes").ok().stderr, done);
    let _ = env.line("testtakers enrol --email cy@example.com --reference-id EMP-8 -q").ok();
    assert_eq!(env.line("testtakers remove ref:EMP-8 --yes").ok().stderr, "", "a script that goes well is silent");
}
