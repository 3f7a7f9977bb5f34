//! Files that a sync refuses as a whole: nothing is sent, nothing is remembered, and a person may let one through once.

use std::fmt::Write as _;

use crate::harness::{Env, KEY, Said, Served};
use crate::sync::{enrolled, file, held, ids, night};
use crate::sync_movers::{sites, sites_night, two_sites, usual};

/// A project that has followed a file of thirty people.
fn followed() -> Env {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=30), "").ok();
    env
}

/// A file is refused, nothing changes, and the people do not become more absent by it.
#[track_caller]
fn is_refused(env: &Env, text: &str, cause: &str) -> Said {
    let before = enrolled(env);
    let mut said = None;
    for _ in 0..3 {
        let refused = night(env, text, "").fails(5).mentions(cause);
        assert!(!refused.stderr.contains("--max"), "no limit is to be raised:\n{refused}");
        said = Some(refused);
    }
    assert_eq!(enrolled(env), before);
    let _ = night(env, &file(1..=30), "").ok().hides("left");
    said.expect("refused three times")
}

#[test]
fn an_empty_file_and_a_header_alone_are_refused_on_any_night() {
    let fresh = Env::sandbox();
    for text in ["", "\n\n", "email,referenceId\n"] {
        let _ = night(&fresh, text, "").fails(5).mentions("nothing was done").mentions("Ask why it is empty");
        let _ = is_refused(&followed(), text, "nothing was done");
    }
}

#[test]
fn a_file_that_shrank_or_grew_or_has_other_people_is_refused() {
    let env = followed();
    let _ = is_refused(&env, &file(1..=23), "the file has 23 people, the last one had 30; it may shrink by 20 %");
    let _ = is_refused(&env, &file(101..=130), "0 of the 30 known people, fewer than half");
    let _ = is_refused(&env, &file(1..=300), "270 people of the file are new, with 30 known");
    let swapped = file(1..=30).replace("firstName,lastName", "lastName,firstName");
    let _ = is_refused(&env, &swapped, "30 people of the file are changed");
    assert_eq!(enrolled(&env), ids(1..=30));
}

#[test]
fn a_file_that_was_followed_is_followed_again_however_soon_it_came() {
    let env = followed();
    // Seven of thirty are missing and one is new: within the limit, and too soon for an absence.
    env.write("night.csv", file((1..=23).chain([31])));
    let said = env.line("testtakers sync night.csv").ok();
    let _ = said.mentions("24 in the file: 23 as they were, 1 joined; 7 missing");
    let said = env.line("testtakers sync night.csv").ok();
    let _ = said.mentions("24 in the file: 24 as they were; 7 missing");
    assert_eq!(enrolled(&env), ids(1..=31));
}

#[test]
fn a_file_whose_header_lost_the_column_of_the_reference_id_is_another_sites_file() {
    let env = followed();
    let mut text = "email,firstName,lastName\n".to_owned();
    for of in 1..=30 {
        writeln!(text, "q{of}@example.com,First{of},Last{of}").expect("a text");
    }
    let _ = is_refused(&env, &text, "has the column of the reference id changed?");
    // By their e-mails the people are still known to be in the file: no one becomes absent.
    let mails =
        file(1..=30).lines().map(|line| line.split(',').next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    let said = night(&env, &mails, "");
    assert!(said.code == 5 && enrolled(&env) == ids(1..=30), "{said}");
}

#[test]
fn a_mistake_in_any_row_means_that_nothing_is_sent_and_no_one_leaves() {
    let env = followed();
    let _ = night(&env, &file(1..=29), "").ok();
    let whole = file((1..=29).chain([31]));
    for (text, cause) in [
        (whole.replace(",1980,EMP-7\n", ",19x4,EMP-7\n"), "birthYear"),
        (whole[..whole.len() - 8].to_owned(), "1 mistake"),
        (whole.replace("EMP-9\n", "EMP-8\n"), "referenceId"),
        (whole.replace("p4@example.com", "p5@example.com"), "email"),
        (whole.replace("Last3,", "\"Last3,"), "quote"),
        (whole.replace("lastName", "Surnme"), "Surnme"),
        (whole.replace("EMP-2\n", "1.2E+16\n"), "referenceId"),
    ] {
        let _ = night(&env, &text, "").fails(5).mentions(cause);
        assert_eq!(enrolled(&env), ids(1..=30), "{cause}");
    }
    let said = night(&env, &whole.replace(",1980,EMP-7\n", ",19x4,EMP-7\n"), "--skip-invalid").exits(10);
    let _ =
        said.mentions("1 joined").mentions("1 invalid").mentions("nobody is removed, and the roster is not remembered");
    assert_eq!(enrolled(&env), ids(1..=31));
    let _ = night(&env, &whole, "").ok().mentions("1 left");
}

#[test]
fn what_is_held_is_listed_in_every_format_with_what_apply_takes() {
    let env = followed();
    let show = |more: &str| env.line(&format!("testtakers sync --show {more}")).ok();
    assert_eq!(
        (show("-o json").stdout.as_str(), show("-o ndjson").stdout.as_str(), show("-q").stdout.as_str()),
        ("[]\n", "", "")
    );
    let id = held(&night(&env, &file(1..=20), "").fails(5));
    let holds: serde_json::Value = serde_json::from_str(&show("-o json").stdout).expect("JSON");
    let hold = &holds[0];
    assert_eq!(
        (hold["id"].as_str(), hold["kind"].as_str(), hold["count"].as_u64()),
        (Some(&*id), Some("file"), Some(20))
    );
    assert!(hold["source"] == "main" && hold["heldUtc"].as_str().is_some_and(|time| time.ends_with('Z')), "{hold}");
    assert_eq!(show("-o csv --fields id,count").stdout, format!("id,count\n{id},20\n"));
    assert_eq!(
        (show("-q").stdout, show("-q --mask -o csv --fields id").stdout),
        (format!("{id}\n"), format!("id\n{id}\n"))
    );
    let _ = show("--to held.csv");
    assert!(env.read("held.csv").starts_with("id,kind,count,heldUtc,source\n"));
    let _ = env.line("testtakers apply 00ff00ff").fails(4).shows(snapbox::str![[r#"
exit 4
--- stdout
--- stderr
error: no hold with id 00ff00ff: it is mistyped, was applied, or a later file replaced it
hint: `assessctl testtakers sync --show` lists what is held

"#]]);
    let _ = env.line(&format!("testtakers apply {id} --expect 20")).ok();
    assert_eq!(show("-o csv").stdout, "id,kind,count,heldUtc,source\n");
}

#[test]
fn a_file_that_a_person_lets_through_is_let_through_once() {
    let env = followed();
    let small = file(1..=20);
    let refused = night(&env, &small, "").fails(5);
    let id = held(&refused);
    let _ = env.line(&format!("testtakers sync --show {id}")).ok().mentions("a file of 20 rows");
    let _ = env.line(&format!("testtakers apply {id} --expect 19")).fails(5).mentions("are 20 rows, not 19");
    let _ = env.line(&format!("testtakers apply {id} --expect 20")).ok().mentions("let through once");
    let _ = night(&env, &file(1..=19), "").fails(5).mentions("may shrink");
    let _ = night(&env, &small, "").ok().mentions("let through once, as it was approved").mentions("10 missing");
    assert_eq!(enrolled(&env), ids(1..=30), "no one leaves after one absence");
    let _ = night(&env, &file(1..=30), "").ok();
    let _ = night(&env, &small, "").fails(5);
}

/// A machine, and a service that answers the requests for an operation so.
fn faulty(fault: &str) -> (Env, Env, Served) {
    let there = Env::new();
    let served = there.serve(&["--key", KEY, "--fault", fault]);
    (Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo"), there, served)
}

#[test]
fn rows_in_doubt_count_for_the_limit_of_joiners() {
    let (env, _there, _served) = faulty("503@enrol:nth=41,retry-after=3600");
    let _ = night(&env, &file(1..=40), "").ok();
    let _ = night(&env, &file(1..=41), "").exits(7);
    let said = night(&env, &file(1..=53), "").fails(5);
    let _ = said.mentions("13 people of the file are new, with 40 known; the limit is 30 %; nothing was done");
}

#[test]
fn whom_a_move_that_did_not_end_brought_is_no_one_of_the_last_roster() {
    let (env, there, _served) = faulty("503@remove:nth=1,retry-after=3600");
    let _ = there.line("--profile sandbox projects create Nights").ok();
    let people = |moved: u32, last: u32| {
        let place = |of| if of <= moved || of > 24 { "Nights" } else { "Demo" };
        sites((1..=last).map(|of| (of, place(of))))
    };
    let _ = sites_night(&env, &people(0, 24), "").ok();
    let _ = sites_night(&env, &people(12, 24), "--max-leavers 20").exits(7);
    // The first roster of Nights has no limits, and the twelve who moved make it no later one.
    let _ = sites_night(&env, &people(12, 36), "--max-leavers 20").ok().mentions("Nights: 24 in the file");
}

#[test]
fn a_file_that_lost_the_column_of_the_projects_is_not_what_the_command_is_about_and_nothing_is_done() {
    let env = two_sites();
    let file = sites(usual(&[]));
    let lost: Vec<&str> = file.lines().map(|line| line.rsplit_once(',').expect("cells").0).collect();
    let lost = lost.join("\n");
    for text in [lost.as_str(), "email,referenceId\n"] {
        let _ = sites_night(&env, text, "").fails(2).mentions("night.csv has no column \"site\" for --project-column");
    }
    let _ = sites_night(&env, "", "").fails(5);
    let _ = sites_night(&env, &sites(usual(&[(12, "")])), "").ok().mentions("1 missing").hides("left");
}
