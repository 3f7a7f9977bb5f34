//! The rules of a sync, one by one, by what the project holds afterwards.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::{Site, approval, staff};
use crate::import::outcomes;
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::Answer;
use crate::support::workspace::person;

#[test]
fn people_join_and_leave_and_come_back_and_nobody_else_is_touched() {
    let site = Site::of(Service::start().with_people(2));
    let _ = site.night(staff(1..=8), "").ok();
    assert_eq!((site.here().len(), site.writes()), (8, [8, 0, 0]));
    // The same file again, however soon, and strangers in the project.
    let _ = site.night(staff(1..=8), "").ok();
    assert_eq!(site.writes(), [8, 0, 0]);
    // Missing, but not for long enough.
    for _ in 0..2 {
        let _ = site.env.write("night.csv", staff(1..=6));
        let _ = site.env.line("testtakers sync night.csv").ok();
        assert_eq!(site.writes(), [8, 0, 0]);
    }
    let _ = site.night(staff(1..=6), "--dry-run").ok();
    assert_eq!(site.writes(), [8, 0, 0], "a rehearsal sends nothing");
    let _ = site.night(staff(1..=6), "").ok();
    assert_eq!((site.here(), site.service.held().people.len(), site.writes()), ((1..=6).collect(), 8, [8, 0, 2]));
    let _ = site.night(staff(1..=7), "").ok();
    assert_eq!((site.here(), site.service.held().people.len()), ((1..=7).collect(), 9));
}

#[test]
fn a_row_in_conflict_is_told_and_neither_changed_nor_a_reason_to_leave() {
    // Enrolled by hand, with another reference id.
    let mut by_hand = person(1);
    (by_hand["email"], by_hand["referenceId"]) = (json!("s2@example.com"), json!("BY-HAND"));
    let site = Site::of(Service::start().of([by_hand]));
    let _ = site.night(staff(1..=6), "").exits(10);
    let before = site.service.held().people.iter().map(|one| one.record.clone()).collect::<Vec<_>>();
    let twice = staff(1..=6).replace("s3@", "s4@");
    let _ = site.night(twice, "").fails(5);
    let said = site.night(staff(1..=6).replace("s1@", "married@"), "-o csv").exits(10);
    let ends = ["conflict", "conflict", "existing", "existing", "existing", "existing"];
    assert_eq!(outcomes(&said.stdout), ends, "{said}");
    let after = site.service.held().people.iter().map(|one| one.record.clone()).collect::<Vec<_>>();
    assert_eq!((after, site.writes()), (before, [5, 0, 0]));
}

#[test]
fn exactly_those_who_were_looked_at_leave() {
    let site = Site::with(1..=40);
    let held = site.night(staff(9..=40), "").exits(11);
    assert_eq!((site.here().len(), site.writes()), (40, [40, 0, 0]), "{held}");
    // One is back: the id does not fit any more, and the rest of the file is followed.
    let back = staff((8..=40).chain([41]));
    let again = site.night(&back, &format!("--approve {}", approval(&held))).exits(11);
    assert_eq!((site.here().len(), site.writes()), (41, [41, 0, 0]), "{again}");
    assert_ne!(approval(&held), approval(&again));
    let _ = site.night(&back, &format!("--approve {}", approval(&again))).ok();
    assert_eq!(site.here(), (8..=41).collect());
    // Where nothing is held an id is no error.
    let _ = site.night(&back, &format!("--approve {}", approval(&again))).ok();
}

#[test]
fn a_file_that_is_not_right_changes_nothing_and_is_not_remembered() {
    let site = Site::with(1..=30);
    let good = staff(1..=30);
    let header = good.lines().next().expect("a header").to_owned() + "\n";
    let others = staff(101..=130);
    let no_ids: String =
        good.lines().map(|line| line.split("S-").next().unwrap_or_default().to_owned() + "\n").collect();
    let files: [(&str, Vec<u8>, i32); 12] = [
        ("empty", Vec::new(), 5),
        ("a header", header.clone().into(), 5),
        ("a mistake", good.replace("s7@", "s7 ").into(), 5),
        ("somebody twice", format!("{good}s7@example.com,Ann,Moss,S-7\n").into(), 5),
        ("a quote that swallows", good.replacen("Ann", "\"Ann", 1).into(), 5),
        ("cut off in a quote", good[..good.len() - 9].replace("Lee", "\"Lee\"")[..900].into(), 5),
        ("a web page", "<!DOCTYPE html><html><body>Sign in</body></html>".into(), 5),
        ("no header", good.replace(&header, "").into(), 5),
        ("of another site", others.clone().into(), 11),
        ("no reference ids any more", no_ids.clone().into(), 11),
        ("less than half", staff(1..=14).into(), 11),
        ("of several sites", format!("{good}{}", others.replace(&header, "")).into(), 11),
    ];
    for (what, bytes, code) in files {
        for options in ["", "--dry-run"] {
            let said = site.night(&bytes, options);
            assert_eq!((said.code, site.writes()), (code, [30, 0, 0]), "{what}: {said}");
        }
    }
    std::fs::create_dir(site.env.work().join("folder")).expect("a folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere.csv", site.env.work().join("dead.csv")).expect("a link");
    for name in ["folder", "dead.csv", "missing.csv"] {
        let _ = site.follow(name, "").fails(2);
    }
    let _ = site.night(&good, "--only Site=Berlin").fails(2);
    let _ = site.night(&good, "--only referenceId=S-99").fails(5);
    // Whoever was in none of these was never missing, and whoever was in one is in no roster.
    let _ = site.env.line("testtakers sync night.csv").ok();
    assert_eq!((site.here().len(), site.writes()), (30, [30, 0, 0]));
    let held = site.night(&no_ids, "").fails(11);
    let _ = site.night(&no_ids, &format!("--approve {}", approval(&held))).ok();
    let _ = site.night(&no_ids, "").ok();
    assert_eq!((site.here().len(), site.writes()), (30, [30, 0, 0]), "what was approved is asked about once");
}

#[test]
fn where_rows_are_left_out_people_join_and_nobody_leaves() {
    let site = Site::with(1..=10);
    let said = site.night(staff(2..=11).replace("s7@", "s7 "), "--skip-invalid").exits(10);
    assert_eq!((site.here().len(), site.writes()), (11, [11, 0, 0]), "{said}");
    // Its people are remembered.
    let _ = site.night(staff(1..=10), "").ok();
    assert_eq!(site.writes(), [11, 0, 1], "who joined then leaves");
    let _ = site.night(staff(2..=10), "--skip-invalid").ok();
    assert_eq!(site.writes(), [11, 0, 2], "no row was left out");
}

#[test]
fn a_list_that_shows_nobody_or_is_not_whole_changes_and_remembers_nothing() {
    let site = Site::with(1..=6);
    let people = std::mem::take(&mut site.service.held().people);
    let _ = site.night(staff(2..=7), "--settle 1ms").fails(7);
    site.service.held().people = people;
    assert_eq!(site.writes(), [6, 0, 0]);
    let torn = Answer::problem(500, "Broken", "");
    let site = Site { service: site.service.on(Op::TestTakers, When::First(4), Trouble::Answer(torn)), ..site };
    let _ = site.night(staff(2..=7), "").fails(6);
    let _ = site.env.line("testtakers sync night.csv --dry-run --absent-for 1h").ok();
    assert_eq!(site.writes(), [6, 0, 0]);
    // Few who are gone are believed to be gone.
    let site = Site::with(1..=4);
    site.service.held().people.clear();
    // A list that began before the settle time may lag.
    let is_gone = |_: &usize| outcomes(&site.night(staff(1..=4), "-o csv --settle 1ms").stdout) == ["gone"; 4];
    assert!((0..500).find(is_gone).is_some());
    assert_eq!(site.writes(), [4, 0, 0]);
}

#[test]
fn one_of_two_sources_keeps_whom_the_other_lacks() {
    let site = Site::with(1..=6);
    let _ = site.night(staff(5..=8), "--source agency").ok();
    let _ = site.night(staff(1..=4), "").ok();
    assert_eq!((site.here().len(), site.writes()), (8, [8, 0, 0]), "the agency has them");
    let _ = site.env.line("journal forget -p 'Night shift north' --source agency --yes").ok();
    let _ = site.night(staff(1..=4), "").ok();
    assert_eq!(site.here(), [1, 2, 3, 4, 7, 8].into());
    // A forgotten project has a first roster again.
    let _ = site.env.line("journal forget -p 'Night shift north' --yes").ok();
    let _ = site.night(staff(1..=2), "").ok();
    assert_eq!(site.here(), [1, 2, 3, 4, 7, 8].into());
}

#[test]
fn a_run_that_was_stopped_removes_nobody_and_the_next_one_does() {
    let refused = Trouble::Answer(Answer::problem(401, "Unauthorized", ""));
    let service = Service::start().on(Op::Enrol, When::Nth(7), refused);
    let site = Site::of(service);
    let _ = site.night(staff(1..=6), "").ok();
    let _ = site.night(staff(3..=7), "").exits(3);
    assert_eq!(site.writes(), [7, 0, 0]);
    let _ = site.night(staff(3..=7), "").ok();
    assert_eq!(site.here(), (3..=7).collect());
}

#[test]
fn a_joiner_in_doubt_whose_row_is_gone_is_settled_and_never_sent_again() {
    for (trouble, came) in [(Trouble::CloseAfter, true), (Trouble::CloseBefore, false)] {
        let site = Site::of(Service::start().on(Op::Enrol, When::Nth(7), trouble));
        let _ = site.night(staff(1..=6), "").ok();
        let _ = site.night(staff(1..=7), "--no-wait").exits(if came { 0 } else { 7 });
        let _ = site.night(staff(1..=6), "").ok();
        assert_eq!((site.here().len(), site.writes()), (6, [7, 0, usize::from(came)]));
        let _ = site.night(staff(1..=7), "").ok();
        assert_eq!((site.here().len(), site.writes()[0]), (7, 8));
    }
}

#[test]
fn other_names_are_changed_and_a_missing_reference_id_is_set() {
    let mut bare = person(1);
    bare["referenceId"] = json!(null);
    bare["email"] = json!("S3@Example.com");
    let site = Site::of(Service::start().of([bare]));
    let _ = site.night(staff(1..=3), "").ok();
    assert_eq!((site.here(), site.writes()), ((1..=3).collect(), [2, 1, 0]));
    let _ = site.night(staff(1..=3).replacen("Ann,Lee", "Ann,Day", 1), "").ok();
    assert_eq!(site.writes(), [2, 2, 0]);
    // Nobody leaves because their id is new.
    let _ = site.night(staff(2..=3), "").ok();
    assert_eq!((site.here(), site.writes()), ((2..=3).collect(), [2, 2, 1]));
}

#[test]
fn a_number_that_an_update_gave_back_can_be_somebody_elses() {
    let site = Site::with(1..=3);
    let _ = site.env.line("testtakers update S-2 --reference-id S-9").ok();
    let file = staff([1, 3]) + "s2@example.com,Ann,Lee,S-9\nzoe@example.com,Zoe,Lee,S-2\n";
    let _ = site.night(file, "").ok();
    assert_eq!((site.here(), site.writes()), (BTreeSet::from([1, 2, 3, 9]), [4, 1, 0]));
    // Whoever had it before can leave.
    let _ = site.night(staff([1, 3]) + "zoe@example.com,Zoe,Lee,S-2\n", "").ok();
    assert_eq!((site.here(), site.writes()), ((1..=3).collect(), [4, 1, 1]));
}

#[test]
fn a_file_that_was_undone_and_imported_again_is_still_believed() {
    let site = Site::with(1..=25);
    let _ = site.env.line("journal undo night.csv --yes").ok();
    let _ = site.env.line("testtakers import night.csv").ok();
    let _ = site.night(staff(1..=25), "").ok();
    assert_eq!((site.here(), site.writes()), ((1..=25).collect(), [50, 0, 25]));
    // Or synced again.
    let _ = site.env.line("journal undo night.csv --yes").ok();
    let _ = site.night(staff(1..=25), "").ok();
    assert_eq!((site.here(), site.writes()), ((1..=25).collect(), [75, 0, 50]));
    // Whoever was enrolled anew from here leaves like everybody else.
    let _ = site.env.line("testtakers remove S-1 --yes").ok();
    let _ = site.env.line("testtakers import night.csv").ok();
    let _ = site.night(staff(2..=25), "").ok();
    assert_eq!((site.here(), site.writes()), ((2..=25).collect(), [76, 0, 52]));
}

#[test]
fn whoever_was_in_doubt_when_the_file_dropped_them_leaves_when_they_turn_up() {
    let Site { service, env } = Site::with(1..=3);
    let site = Site { service: service.on(Op::Enrol, When::Always, Trouble::CloseBefore), env };
    let _ = site.night(staff(1..=4), "--settle 5m --no-wait").exits(7);
    let _ = site.night(staff(1..=3), "--settle 5m").ok();
    let mut late = person(4);
    (late["email"], late["referenceId"]) = (json!("s4@example.com"), json!("S-4"));
    site.service.held().add(late);
    // The first run that sees them knows then whose entry that is.
    let _ = site.night(staff(1..=3), "--settle 5m").ok();
    let _ = site.night(staff(1..=3), "--settle 5m").ok();
    assert_eq!(site.here(), (1..=3).collect());
}

#[test]
fn whoever_a_list_that_lags_does_not_show_yet_is_not_forgotten() {
    let site = Site::of(Service::start().on(Op::Enrol, When::Always, Trouble::Lag(Duration::from_mins(5))));
    for people in [0..4, 0..3] {
        let _ = site.night(staff(people), "--settle 5m").ok();
    }
    site.service.held().show_all();
    let _ = site.night(staff(0..3), "").ok();
    assert_eq!(site.here(), BTreeSet::from([0, 1, 2]));
}

#[test]
fn a_person_is_known_by_the_row_that_last_agreed_with_their_entry() {
    let site = Site::with(1..=3);
    let entry = site.service.held().people.iter().position(|one| one.record["referenceId"] == "S-2").expect("S-2");
    for (field, value, row) in [
        ("email", "two@example.com", "two@example.com,Ann,Lee,S-2\n"),
        ("referenceId", "S-9", "two@example.com,Ann,Lee,S-9\n"),
    ] {
        site.service.held().people[entry].record[field] = json!(value);
        let _ = site.night(staff([1, 3]) + row, "").ok();
    }
    let _ = site.night(staff([1, 3]), "").ok();
    assert_eq!((site.here(), site.writes()), ([1, 3].into(), [3, 0, 1]));
    // Without reference ids, a new domain of all addresses.
    let list = |host: &str| format!("email\ns1@{host}\ns2@{host}\ns3@{host}\n");
    let site = Site::of(Service::start());
    let _ = site.night(list("example.com"), "").ok();
    for one in &mut site.service.held().people {
        let email = one.record["email"].as_str().expect("an address").replace("example.com", "example.org");
        one.record["email"] = json!(email);
    }
    for _ in 0..2 {
        // The file follows later, and nobody leaves because of that.
        let _ = site.night(list("example.com"), "--settle 1ms").exits(10);
    }
    let _ = site.night(list("example.org"), "").ok();
    let _ = site.night(list("example.org").replace("s2@example.org\n", ""), "").ok();
    assert_eq!((site.service.held().people.len(), site.writes()), (2, [3, 0, 1]));
}

#[test]
fn whoever_was_given_a_leavers_record_stays() {
    let site = Site::with(1..=3);
    let entry = site.service.held().people.iter().position(|one| one.record["referenceId"] == "S-2").expect("S-2");
    let given = json!({ "email": "new@example.com", "referenceId": "N-1", "lastName": "Ng" });
    for (field, value) in given.as_object().expect("values") {
        site.service.held().people[entry].record[field] = value.clone();
    }
    for _ in 0..2 {
        let said = site.night(staff([1, 3]), "").ok();
        assert!(said.stderr.contains("0 removed, 1 kept (not managed by sync)"), "{said}");
    }
    assert_eq!((site.service.held().people.len(), site.writes()), (3, [3, 0, 0]));
}

#[test]
fn whoever_is_in_the_file_again_stays_although_their_removal_had_no_answer() {
    let Site { service, env } = Site::with(1..=3);
    let site = Site { service: service.on(Op::Remove, When::Always, Trouble::CloseBefore), env };
    let _ = site.night(staff(1..=2), "").exits(7);
    let tried = site.writes()[2];
    // A list proves nothing yet.
    let _ = site.night(staff(1..=3), "--settle 5m").exits(6);
    let _ = site.night(staff(1..=3), "--settle 1ms").ok();
    assert_eq!((site.here(), site.writes()), ((1..=3).collect(), [3, 0, tried]));
}

#[test]
fn a_file_that_had_nothing_to_do_is_compared_again_once_it_or_the_project_has_changed() {
    let site = Site::with(1..=4);
    let again = |options: &str| site.night(staff(1..=4), &format!("--settle 1ms {options}"));
    let said = [(); 3].map(|()| again("").ok().stderr);
    assert!(said[0].starts_with("4 in the file: 4 unchanged, 0 enrolled, 0 updated\n"), "{said:?}");
    assert_eq!([&said[0]; 2], [&said[1], &said[2]]);
    let _ = again("--failed-out failed.csv").ok();
    // A row that was allowed, and is not any more.
    let doubtful = staff(1..=4).replace("s2@example.com,Ann,Lee", "s2@example.com,Ann,#N/A");
    let allowed = [(); 3].map(|()| site.night(&doubtful, "--settle 1ms --allow-suspicious=lastName").ok().stderr);
    assert_eq!(allowed[1], allowed[2]);
    let _ = site.night(&doubtful, "--settle 1ms --skip-invalid").exits(10);
    let _ = [(); 2].map(|()| again("").ok());
    let rows = again("-o csv").ok().stdout;
    assert_eq!((outcomes(&rows), rows.matches(",existing,5").count()), (vec!["existing".to_owned(); 4], 4), "{rows}");
    assert!(site.env.work().join("failed.csv").exists());
    let changed = site.writes()[1];
    let entry = |field: &str, value| site.service.held().people[0].record[field] = json!(value);
    entry("lastName", "Lim");
    let _ = again("").ok();
    assert_eq!(site.writes(), [4, changed + 1, 0]);
    let _ = again("").ok();
    let _ = site.night(staff(1..=4).replace("s2@example.com,Ann", "s2@example.com,Anna"), "--settle 1ms").ok();
    assert_eq!(site.writes(), [4, changed + 2, 0], "another file");
    let _ = again("").ok();
    let _ = again("").ok();
    let _ = site.service.held().people.pop();
    assert_eq!(outcomes(&again("").exits(10).stdout), ["gone"]);
}

#[test]
fn a_file_that_waits_for_somebody_is_compared_again_each_time() {
    let site = Site::with(1..=40);
    // Missing, then missing for long enough.
    site.env.write("night.csv", staff(2..=40));
    for _ in 0..2 {
        let said = site.env.line("testtakers sync night.csv --settle 1ms").ok();
        assert!(said.stderr.contains("1 kept (missing for less than 20h"), "{said}");
    }
    let _ = site.night(staff(2..=40), "--settle 1ms").ok();
    assert_eq!(site.writes(), [40, 0, 1]);
    let years = staff(2..=40).replace("lastName,", "lastName,birthYear,").replace("Lee,", "Lee,1990,");
    for (file, options, code) in
        [(staff(12..=40), "", 11), (staff(12..=40).replace("s13@", "s13 "), "--skip-invalid", 10), (years, "", 0)]
    {
        site.service.held().people[8].record["yearOfBirth"] = json!(1991);
        let said = [(); 3].map(|()| site.night(&file, &format!("--settle 1ms {options}")).exits(code).stderr);
        assert_eq!([&said[0]; 2], [&said[1], &said[2]]);
    }
    // A change that is answered and not made yet.
    let mut made =
        site.service.held().people.iter().find(|one| one.record["referenceId"] == "S-9").expect("S-9").record.clone();
    made["lastName"] = json!("Lim");
    let trouble = Trouble::Answer(Answer::ok(made));
    let site = Site { service: site.service.on(Op::Update, When::Always, trouble), ..site };
    let said = [(); 3].map(|()| site.night(staff(2..=40).replace("Lee,S-9", "Lim,S-9"), "--settle 1ms").ok().stderr);
    assert_eq!([&said[0]; 2], [&said[1], &said[2]]);
    assert_eq!(site.service.count(Op::Update), 3);
    // Somebody else's.
    let _ = site.env.line("testtakers sync night.csv --source agency --settle 1ms").ok();
    let said = [(); 3].map(|()| site.night(staff(3..=40), "--settle 1ms").ok().stderr);
    assert!(said[2].contains(r#"1 kept (managed by source "agency""#), "{said:?}");
}

#[test]
fn a_first_file_teaches_what_lets_the_next_one_be_doubted() {
    let site = Site::of(Service::start());
    site.env.write("people.csv", staff(1..=25));
    let _ = site.env.line("testtakers import people.csv --shared-mailboxes --settle 1ms").ok();
    site.service.held().people.iter_mut().for_each(|one| one.record["referenceId"] = json!(null));
    let bare = (1..=25).map(|n| {
        staff([n]).lines().nth(1).expect("a row").replace(
            &format!(",S-{n}"),
            ",
",
        )
    });
    let bare = format!(
        "email,firstName,lastName,referenceId
{}",
        bare.collect::<String>()
    );
    let ends = [(); 3].map(|()| site.night(&bare, "--settle 1ms --shared-mailboxes").code);
    assert_eq!(ends, [0, 11, 11]);
    let id = approval(&site.night(&bare, "--settle 1ms --shared-mailboxes"));
    for (approve, code) in [(format!("--approve {id}"), 0), (format!("--approve {id}"), 0), (String::new(), 11)] {
        let _ = site.night(&bare, &format!("--settle 1ms --shared-mailboxes {approve}")).exits(code);
    }
}

#[test]
fn with_another_settle_time_the_mailbox_of_somebody_enrolled_a_moment_ago_is_a_conflict() {
    let site = Site::with(1..=4);
    site.service.held().people[0].record["id"] = json!(6001);
    site.service.held().people[0].record["referenceId"] = json!(null);
    let bare = staff(1..=4);
    let id = (1..=4).find(|n| !site.here().contains(n)).expect("whose id is gone");
    let bare = bare.replace(&format!(",S-{id}\n"), ",\n");
    let ends = ["1ms", "1ms", "1ms", "5m"]
        .map(|settle| site.night(&bare, &format!("--shared-mailboxes --no-wait --settle {settle}")).code);
    assert_eq!(ends, [0, 0, 0, 10]);
}

#[test]
fn of_a_list_that_lags_who_is_there_twice_and_who_is_gone_are_told() {
    let site = Site::with(1..=2);
    let mut twice = site.service.held().people[1].record.clone();
    twice["id"] = json!(6001);
    site.service.held().people.remove(0);
    site.service.held().add(twice);
    let mut nights = (0..200).map(|_| outcomes(&site.night(staff(1..=2), "").stdout));
    let ends = nights.find(|ends| ends.len() == 2).expect("a list is believed 1 s after each enrolment");
    assert_eq!(BTreeSet::from_iter(ends), BTreeSet::from(["conflict".to_owned(), "gone".to_owned()]));
}
