//! Plans: written without a write, reviewed in an editor, applied once, and only where all is as it was.

use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::{Answer, Socket};
use crate::sync::{enrolled, file, ids, night, person, typed};
use crate::sync_movers::{people_of, sites, sites_night, two_sites, usual};
use crate::wire::PROJECT;

/// A project in which a plan has a joiner, a change and a leaver.
fn planned() -> Env {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=12), "").ok();
    let _ = night(&env, &file(1..=11), "").ok();
    let text = file((1..=11).chain([13])).replace("Last5", "Other");
    let said = night(&env, &text, "--plan plan.ndjson").ok();
    let said = said.mentions(
        "12 in the file: 10 as they were, 1 would join, 1 would change; 1 would leave in Demo (sandbox); plan ",
    );
    assert_eq!(said.stdout.lines().count(), 4, "the table shows each change:\n{said}");
    assert_eq!(enrolled(&env), ids(1..=12), "nothing was done");
    env
}

fn apply(env: &Env, more: &str) -> Said {
    env.line(&format!("testtakers apply plan.ndjson {more}"))
}

#[test]
fn a_plan_is_its_owners_alone_says_so_and_is_applied_once() {
    let env = planned();
    let text = env.read("plan.ndjson");
    assert!(text.starts_with("{\"format\":\"assessctl-plan-1\"") && text.contains("names people"), "{text}");
    assert_eq!(text.lines().count(), 4);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(env.work().join("plan.ndjson")).expect("a plan").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let shown = env.line("testtakers sync --show plan.ndjson -o csv").ok();
    assert_eq!(records(&shown.stdout).len(), 3, "{shown}");
    let _ = apply(&env, "").fails(2).mentions("--expect N");
    let _ = apply(&env, "--expect 2").fails(5).mentions("not 2; nothing was done");
    let said = apply(&env, "--expect 1").ok().mentions("applied: 3 rows: 1 enrolled, 1 updated, 1 removed in Demo");
    assert!(said.stdout.is_empty(), "{said}");
    assert_eq!(enrolled(&env), ids((1..=11).chain([13])));
    let _ = apply(&env, "--expect 1").ok().mentions("nothing was sent");
    let _ = env.line("testtakers sync --show plan.ndjson").ok();
    // Its roster is remembered: the next file without a person makes the first absence.
    let _ = night(&env, &file(1..=11).replace("Last5", "Other"), "").ok().mentions("1 missing");
}

#[test]
fn a_reviewer_may_delete_lines_and_nothing_else() {
    let env = planned();
    let text = env.read("plan.ndjson");
    let lines: Vec<&str> = text.lines().collect();
    env.write("plan.ndjson", text.replace("EMP-13", "EMP-14"));
    let _ = apply(&env, "--expect 1").fails(5).mentions("line 3 was added or changed");
    env.write("plan.ndjson", format!("{text}{}\n", lines[1]));
    let _ = apply(&env, "--expect 1").fails(5).mentions("line 5 stands in the plan twice");
    env.write("plan.ndjson", text.replacen("\"changes\":3", "\"changes\":4", 1));
    let _ = apply(&env, "--expect 1").fails(5).mentions("its first line was changed");
    for (no_plan, cause) in [("email\na@b\n", "not a plan"), ("", "not a plan")] {
        env.write("plan.ndjson", no_plan);
        let _ = apply(&env, "--expect 1").fails(5).mentions(cause);
    }
    assert_eq!(enrolled(&env), ids(1..=12));
    env.write("plan.ndjson", format!("{}\n{}\n", lines[0], lines[1]));
    let said = apply(&env, "").ok().mentions("lines were deleted: the roster is not remembered");
    let _ = said.mentions(if lines[1].contains("enrol") { "1 enrolled" } else { "1 updated" });
}

#[test]
fn a_line_whose_person_was_changed_since_is_left_undone() {
    let env = planned();
    let _ = env.line("testtakers update ref:EMP-12 --last-name Elsewhere").ok();
    let _ = env.line("testtakers update ref:EMP-5 --first-name Else").ok();
    let _ = env.line("testtakers enrol --email p13@example.com --reference-id EMP-13").ok();
    let said = apply(&env, "--expect 1 -o csv").exits(10);
    let outcomes: Vec<_> = records(&said.stdout).iter().map(|row| row["outcome"].clone()).collect();
    assert_eq!(outcomes.iter().filter(|outcome| *outcome == "changed-since-plan").count(), 3, "{said}");
    assert_eq!(enrolled(&env), ids(1..=13), "no one left");
}

#[test]
fn a_plan_of_another_service_or_state_folder_is_refused() {
    let env = planned();
    let text = env.read("plan.ndjson");
    let other = Env::sandbox();
    other.write("plan.ndjson", text);
    let _ = apply(&other, "--expect 1").fails(5).mentions("another state folder");
    let _ = env.line("sandbox reset --yes").ok();
    let _ = apply(&env, "--expect 1").fails(5).mentions("of another service");
}

#[test]
fn a_plan_that_has_a_change_is_an_alert_where_that_is_wanted() {
    let env = Env::sandbox();
    let _ =
        night(&env, &file(1..=3), "--plan plan.ndjson --fail-on-change").exits(8).mentions("the plan has 3 changes");
    let _ = night(&env, &file(1..=3), "").ok();
    let _ = night(&env, &file(1..=3), "--plan plan.ndjson --fail-on-change").ok();
    let _ = env.line("testtakers sync night.csv --fail-on-change").fails(2);
}

#[test]
fn a_plan_sends_no_write_and_applying_it_sends_what_it_says() {
    let socket: Socket = typed((1..=3).map(person).collect());
    let env = Env::at(&socket.url);
    let rows = |people: &[u32]| -> String {
        let rows: Vec<String> = people.iter().map(|of| format!("p{of}@example.com,EMP-{of}")).collect();
        format!("email,referenceId\n{}\n", rows.join("\n"))
    };
    let at = format!("-p {PROJECT}");
    let _ = night(&env, &rows(&[1, 2, 3]), &at).ok();
    let _ = night(&env, &rows(&[1, 2]), &at).ok();
    let said = night(&env, &rows(&[2, 1]), &format!("{at} --plan plan.ndjson --absent-for 2")).ok();
    assert!(socket.writes().is_empty(), "{said}");
    let _ = apply(&env, "--expect 1").ok();
    let writes: Vec<String> = socket.writes().iter().map(crate::socket::Request::line).collect();
    assert_eq!(writes, [format!("DELETE /projects/{PROJECT}/testtakers/4003")]);
    let refusing = Socket::always(Answer::problem(401, "Unauthorized", "no"));
    let env = env.with("ASSESSCTL_BASE_URL", &refusing.url);
    let _ = apply(&env, "--expect 1").fails(5).mentions("of another service");
}

#[test]
fn a_person_who_leaves_two_projects_by_a_plan_joins_the_third_once() {
    let env = two_sites();
    let _ = env.line("projects create Third").ok();
    let third = || usual(&[]).into_iter().chain([(20, "Third")]);
    let _ = sites_night(&env, &sites(third().chain([(1, "Nights")])), "").ok();
    assert_eq!((people_of(&env, "Nights").len(), people_of(&env, "Third")), (7, vec!["EMP-20".to_owned()]));
    let moved = sites(usual(&[(1, "Third")]).into_iter().chain([(20, "Third")]));
    let _ = sites_night(&env, &moved, "--plan plan.ndjson").ok().mentions("2 would move away");
    let said = apply(&env, "--expect 2").ok().mentions("applied: 3 rows: 1 enrolled, 2 removed in 3 projects");
    assert_eq!(people_of(&env, "Third"), ["EMP-1", "EMP-20"], "{said}");
    assert_eq!((people_of(&env, "Demo").len(), people_of(&env, "Nights").len()), (5, 6));
    let _ = sites_night(&env, &moved, "").ok().mentions("13 in the file: 13 as they were");
}
