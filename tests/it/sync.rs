//! A project that follows HR's file: who joins, changes and leaves, what is remembered, and what a person approves.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::doubts::{array, listed, matching};
use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// A night's file: people by their numbers.
pub(crate) fn file(people: impl IntoIterator<Item = u32>) -> String {
    let mut text = "email,firstName,lastName,birthYear,referenceId\n".to_owned();
    for of in people {
        writeln!(text, "p{of}@example.com,First{of},Last{of},1980,EMP-{of}").expect("a text");
    }
    text
}

/// Syncs a file as the night's. Nothing waits: each file counts.
pub(crate) fn night(env: &Env, text: &str, more: &str) -> Said {
    env.write("night.csv", text);
    env.line(&format!("testtakers sync night.csv --roster-interval 0s {more}"))
}

/// The reference ids of the people of `Demo`, sorted.
pub(crate) fn enrolled(env: &Env) -> Vec<String> {
    let people = env.line("--profile sandbox testtakers list -p Demo -o json").json();
    let people = people.as_array().expect("an array").iter();
    let mut ids: Vec<String> = people.map(|person| person["referenceId"].as_str().unwrap_or("-").to_owned()).collect();
    ids.sort();
    ids
}

pub(crate) fn ids(people: impl IntoIterator<Item = u32>) -> Vec<String> {
    let mut ids: Vec<String> = people.into_iter().map(|of| format!("EMP-{of}")).collect();
    ids.sort();
    ids
}

/// The id by which the last line of a run says that something is held.
pub(crate) fn held(said: &Said) -> String {
    let id = said.stderr.split("testtakers apply ").nth(1).and_then(|rest| rest.split_whitespace().next());
    id.unwrap_or_else(|| panic!("nothing is held:\n{said}")).to_owned()
}

/// What a run printed as CSV: each person with the outcome.
fn outcomes(said: &Said) -> Vec<String> {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or_default().to_owned();
    records(&said.stdout)
        .iter()
        .map(|row| format!("{} {} {}", text(row, "referenceId"), text(row, "change"), text(row, "outcome")))
        .collect()
}

#[test]
fn the_summary_of_each_night_adds_up_and_people_leave_after_two_absences() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email stray@example.com -q").ok();
    let _ = night(&env, &file(1..=12), "").shows(snapbox::str![[r#"
exit 0
--- stdout
--- stderr
this is the first roster of the source main here: nobody is removed
12 in the file: 12 joined; 1 stray in Demo (sandbox)

"#]]);
    let second = file((1..=11).chain([13])).replace("Last5", "Other");
    let said = night(&env, &second, "-o csv").ok();
    assert_eq!(outcomes(&said), ["EMP-5 changed updated", "EMP-13 joiner enrolled"]);
    let said =
        said.mentions("12 in the file: 10 as they were, 1 joined, 1 changed; 1 missing, 1 stray in Demo (sandbox)");
    assert!(said.stderr.lines().count() == 1, "{said}");
    let said = night(&env, &file((1..=11).chain([13, 14])), "-o csv").ok();
    assert_eq!(outcomes(&said), ["EMP-5 changed updated", "EMP-14 joiner enrolled", "EMP-12 leaver removed"]);
    let said = said.mentions("13 in the file: 11 as they were, 1 joined, 1 changed; 1 left, 1 stray in Demo (sandbox)");
    let _ = said.mentions("the results of the person who left can't be read here any more");
    assert_eq!(enrolled(&env), [vec!["-".to_owned()], ids((1..=11).chain([13, 14]))].concat());
}

#[test]
fn a_person_who_comes_back_is_enrolled_anew_and_told_as_a_returner() {
    let env = Env::sandbox();
    for people in [vec![1, 2, 3], vec![1, 2], vec![1, 2, 4]] {
        let _ = night(&env, &file(people), "").ok();
    }
    assert_eq!(enrolled(&env), ids([1, 2, 4]));
    let said = night(&env, &file(1..=4), "-o csv").ok().mentions("1 returned");
    assert_eq!(outcomes(&said), ["EMP-3 returner enrolled"]);
}

#[test]
fn neither_the_same_file_again_nor_a_second_one_too_soon_makes_anyone_leave() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=4), "").ok();
    for _ in 0..4 {
        let _ = night(&env, &file(1..=3), "").ok();
    }
    let _ = night(&env, &file(1..=3), "").ok().mentions("absences are not counted");
    env.write("later.csv", file((1..=3).chain([5])));
    for _ in 0..3 {
        // Twelve hours are not over.
        let _ = env.line("testtakers sync later.csv").ok();
        env.write("later.csv", file((1..=3).chain([5, 6])));
    }
    assert_eq!(enrolled(&env), ids([1, 2, 3, 4, 5, 6]));
    let _ = night(&env, &file((1..=3).chain([5, 6, 7])), "").ok().mentions("1 left");
}

#[test]
fn a_source_has_its_own_memory_and_spares_the_people_of_another() {
    let env = Env::sandbox();
    let _ = night(&env, &file([1, 2, 3]), "").ok();
    let _ = night(&env, &file([3, 8, 9]), "--source agency").ok().mentions("first roster of the source agency");
    let _ = night(&env, &file([1]), "").ok();
    let said = night(&env, &file([1, 4]), "").ok().mentions("1 left, 3 in another source");
    assert_eq!(enrolled(&env), ids([1, 3, 4, 8, 9]), "{said}");
}

#[test]
fn people_of_the_keep_file_never_leave_and_one_who_is_not_there_is_said() {
    let env = Env::sandbox();
    let _ = night(&env, &file([1, 2, 3]), "").ok();
    env.write("keep.txt", "# the lead\nref:EMP-2\nemail:P3@example.com\nref:EMP-77\n");
    let _ = night(&env, &file([1]), "--keep keep.txt").ok();
    let said = night(&env, &file([1, 4]), "--keep keep.txt").ok().mentions("1 person of --keep is not on the list");
    let _ = said.mentions("2 kept");
    assert_eq!(enrolled(&env), ids([1, 2, 3, 4]));
    env.write("keep.txt", "EMP-2\n");
    let _ = night(&env, &file([1, 5]), "--keep keep.txt").fails(5).mentions("keep.txt:1: not a person");
}

#[test]
fn a_changed_email_of_a_person_with_a_reference_id_is_a_conflict_and_no_one_leaves() {
    let env = Env::sandbox();
    let _ = night(&env, &file([1, 2]), "").ok();
    for round in 0..3 {
        let text = file([1, 2].into_iter().chain(10..=10 + round)).replace("p2@", "married@");
        let said = night(&env, &text, "-o csv --allow-duplicates").exits(10).mentions("1 renamed");
        assert!(outcomes(&said).contains(&"EMP-2 renamed conflict".to_owned()), "{said}");
    }
    assert_eq!(enrolled(&env), ids([1, 2, 10, 11, 12]));
}

#[test]
fn a_reference_id_that_was_set_by_hand_is_a_conflict_with_the_files_and_is_not_overwritten() {
    let env = Env::sandbox();
    let _ = night(&env, &file([1, 2]), "").ok();
    let _ = env.line("testtakers update ref:EMP-2 --reference-id NEW-2").ok();
    for text in [file([1, 2, 3]), file([1, 2, 3]).replace("Last2", "Else")] {
        let said = night(&env, &text, "-o csv").exits(10).mentions("1 conflict");
        assert!(outcomes(&said).contains(&"EMP-2 unsettled conflict".to_owned()), "{said}");
        assert!(said.stdout.contains("has this e-mail and another reference id"), "{said}");
        assert_eq!(enrolled(&env), [ids([1, 3]), vec!["NEW-2".to_owned()]].concat());
    }
    let _ = night(&env, &file([1, 2, 3]).replace("EMP-2", "NEW-2"), "").ok().mentions("3 as they were");
}

#[test]
fn without_reference_ids_a_changed_email_leaves_both_alone() {
    let env = Env::sandbox();
    let _ = night(&env, "email,firstName,lastName\nann@example.com,Ann,Lee\nbob@example.com,Bob,May\n", "").ok();
    for (extra, stays) in [
        ("", "1 missing"),
        ("cid@example.com,Cid,Fox\n", "1 left alone"),
        ("cid@example.com,Cid,Fix\n", "1 left alone"),
    ] {
        let text = format!("email,firstName,lastName\nnew@example.com,ANN,lee\nbob@example.com,Bob,May\n{extra}");
        let said = night(&env, &text, "-o csv").exits(10).mentions(stays);
        assert!(said.stdout.contains("unsettled,conflict") && said.stdout.contains("this may be one person"), "{said}");
    }
    assert_eq!(enrolled(&env).len(), 3);
}

#[test]
fn leavers_beyond_the_limit_are_held_together_until_a_person_applies_them() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=40), "").ok();
    let _ = night(&env, &file(9..=40), "").ok();
    let said = night(&env, &file((9..=40).chain([41])), "").exits(11).mentions("1 joined; 8 held");
    let said = said.mentions("error: held: 8 of 40 would leave; the limit is 5");
    let id = held(&said);
    assert_eq!(enrolled(&env), ids(1..=41), "joiners went on, and no one left");
    let again = night(&env, &file((9..=40).chain([41, 42])), "").exits(11);
    assert_eq!(held(&again), id, "the same people have the same id");

    let shown = env.line(&format!("testtakers sync --show {id} -o csv")).ok();
    let mut who: Vec<_> = outcomes(&shown);
    who.sort();
    assert_eq!(who, ids(1..=8).iter().map(|id| format!("{id} leaver held")).collect::<Vec<_>>());
    let table = env.line(&format!("testtakers sync --show {}", &id[..4])).data();
    assert_eq!(table.lines().count(), 9, "{table}");

    let _ = env.line(&format!("testtakers apply {id}")).fails(2).mentions("add --expect N");
    let _ = env.line(&format!("testtakers apply {id} --expect 7")).fails(5).mentions("are 8 people, not 7");
    let _ = env.line(&format!("testtakers apply {id} --expect 8")).ok().mentions("8 of 8 held left in Demo (sandbox)");
    assert_eq!(enrolled(&env), ids(9..=42));
    let _ = env.line(&format!("testtakers apply {id} --expect 8")).ok().mentions("nothing was sent");
    let _ = night(&env, &file((9..=40).chain([41, 42])), "").ok().hides("cancelled");
}

#[test]
fn whoever_is_back_in_the_file_before_the_approval_stays() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=40), "").ok();
    let _ = night(&env, &file(9..=40), "").ok();
    let id = held(&night(&env, &file((9..=40).chain([41])), "").exits(11));
    let said = night(&env, &file(7..=41), "").exits(11).mentions(&format!("hold {id} is cancelled"));
    let other = held(&said);
    assert_ne!(other, id);
    let _ = env.line(&format!("testtakers apply {id} --expect 8")).fails(4);
    let _ = env.line(&format!("testtakers apply {other} --expect 6")).ok();
    assert_eq!(enrolled(&env), ids(7..=41));
}

#[test]
fn whoever_was_changed_since_it_was_held_is_left_undone() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=40), "").ok();
    let _ = night(&env, &file(9..=40), "").ok();
    let id = held(&night(&env, &file((9..=40).chain([41])), "").exits(11));
    let _ = env.line("testtakers update ref:EMP-3 --reference-id OTHER").ok();
    let _ = env.line("testtakers remove ref:EMP-4 --yes").ok();
    let said = env.line(&format!("testtakers apply {id} --expect 8 -o csv")).exits(10);
    assert!(said.stdout.contains("leaver,changed-since-plan"), "{said}");
    assert!(said.stdout.contains("leaver,gone-already"), "{said}");
    let _ = said.mentions("6 of 8 held left, and 1 was gone already in Demo");
    assert_eq!(enrolled(&env), [ids(9..=41), vec!["OTHER".to_owned()]].concat());
}

#[test]
fn all_removes_strays_too_but_never_on_the_first_roster_and_never_without_the_projects_name() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email stray@example.com -q").ok();
    let _ = night(&env, &file(1..=3), "--leavers all").fails(2).mentions("--confirm-project");
    let _ = night(&env, &file(1..=3), "--leavers all --confirm-project Depot").fails(2);
    let _ = night(&env, &file(1..=3), "--leavers all --confirm-project Demo").ok().mentions("1 stray");
    let _ = night(&env, &file(1..=4), "--leavers all --confirm-project Demo").ok().mentions("1 left");
    assert_eq!(enrolled(&env), ids(1..=4));
    for text in [file(1..=2), file([1, 2, 5])] {
        let _ = night(&env, &text, "--leavers keep").ok();
    }
    assert_eq!(enrolled(&env), ids(1..=5));
}

#[test]
fn what_is_forgotten_of_a_project_is_its_rosters_too() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=40), "").ok();
    let _ = night(&env, &file(9..=40), "").ok();
    let id = held(&night(&env, &file((9..=40).chain([41])), "").exits(11));
    let _ = env.line("journal forget -p Demo --yes").ok();
    let _ = env.line(&format!("testtakers apply {id} --expect 8")).fails(4);
    let _ = night(&env, &file(9..=41), "").ok().mentions("this is the first roster");
    assert_eq!(enrolled(&env), ids(1..=41));
}

/// A project of typed answers, whose people are these until they are removed.
pub(crate) fn typed(people: Vec<Value>) -> Socket {
    let people = std::sync::Mutex::new(people);
    Socket::answering(move |request, _| {
        let mut people = people.lock().expect("no server thread panics");
        if request.method == "DELETE" {
            people.retain(|person| !request.path().ends_with(&format!("/testtakers/{}", person["id"])));
            return Answer::new(204, &[], "");
        }
        if request.parameter("page").is_some_and(|page| page != "1") {
            return array(&[]);
        }
        array(&matching(request, &people))
    })
}

pub(crate) fn person(of: u32) -> Value {
    listed(&json!({"email": format!("p{of}@example.com"), "referenceId": format!("EMP-{of}")}), 4000 + i64::from(of))
}

#[test]
fn exactly_the_entry_of_the_leaver_is_deleted_and_nothing_else_is_written() {
    let socket = typed((1..=5).map(person).collect());
    let env = Env::at(&socket.url);
    let sync = |people: Vec<u32>| {
        let rows: Vec<String> = people.iter().map(|of| format!("p{of}@example.com,EMP-{of}")).collect();
        night(&env, &format!("email,referenceId\n{}\n", rows.join("\n")), &format!("-p {PROJECT}"))
    };
    let _ = sync(vec![1, 2, 3]).ok().mentions("3 in the file: 3 as they were; 2 strays");
    let _ = sync(vec![1, 2]).ok().mentions("1 missing, 2 strays");
    assert!(socket.writes().is_empty());
    let _ = sync(vec![1, 2, 4]).ok().mentions("3 in the file: 3 as they were; 1 left, 1 stray");
    let writes: Vec<String> = socket.writes().iter().map(crate::socket::Request::line).collect();
    assert_eq!(writes, [format!("DELETE /projects/{PROJECT}/testtakers/4003")]);
}

#[test]
fn after_a_list_that_was_not_proven_whole_nothing_is_sent_or_remembered() {
    let whole = typed((1..=12).map(person).collect());
    let env = Env::at(&whole.url);
    let text = "email,referenceId\np1@example.com,EMP-1\n";
    // The count disagrees: a page of one always has somebody.
    let torn = Socket::answering(|request, _| {
        match (request.parameter("pageSize"), request.parameter("page").and_then(|page| page.parse().ok())) {
            (Some("1"), Some(page)) if page <= 3 => array(&[person(page)]),
            (_, Some(1)) => array(&[person(1)]),
            _ => array(&[]),
        }
    });
    let env = env.with("ASSESSCTL_BASE_URL", &torn.url);
    let said = night(&env, text, &format!("-p {PROJECT}"));
    assert!(said.code == 7 && torn.writes().is_empty(), "{said}");
    let refused = Socket::always(Answer::problem(500, "Broken", "broken"));
    let env = env.with("ASSESSCTL_BASE_URL", &refused.url);
    let said = night(&env, text, &format!("-p {PROJECT} --deadline 2s"));
    assert!(said.code == 6 && refused.writes().is_empty(), "{said}");
}

#[cfg(unix)]
#[test]
fn the_week_of_the_demo_ends_as_it_says() {
    let script = format!("{}/demo/nights", env!("CARGO_MANIFEST_DIR"));
    let env = Env::new();
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg("sh \"$0\" \"$1\" 2>&1").arg(script).arg(crate::harness::PROGRAM).env("TMPDIR", env.work());
    let said = command.output().expect("a shell");
    let text = String::from_utf8(said.stdout).expect("UTF-8");
    assert!(said.status.success(), "{text}");
    for part in ["63 in the file", "hr.csv is empty; nothing was done", "(exit 11)", "6 of 6 held left in Demo"] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    assert!((30..=45).contains(&text.lines().count()), "about forty lines:\n{text}");
}
