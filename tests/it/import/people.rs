//! Updates and removals of many people, and lists that lead from one command to the next.

use std::time::Duration;

use serde_json::json;

use super::{end_of, held, machine, outcomes, roster};
use crate::support::env::PATIENCE;
use crate::support::service::{Op, Service, Trouble, When, gate};
use crate::support::wire::Answer;

#[test]
fn a_list_leads_into_a_removal() {
    let service = Service::start().with_people(30);
    let env = machine(&service, roster(1));
    let ids = env.line("testtakers list -q").data();
    let remove = ["testtakers", "remove", "--file", "-", "--max", "50"];
    let _ = env.run_with(&remove, ids.as_bytes()).fails(2);
    let _ = env.run_with(&[&remove[..], &["--yes", "--max", "29"]].concat()[..], ids.as_bytes());
    assert_eq!(service.writes().len(), 0);
    let _ = env.run_with(&[&remove[..], &["--yes"]].concat(), ids.as_bytes()).ok();
    assert_eq!(service.held().people.len(), 0);
    // A removal that is repeated knows its own work.
    assert_eq!(env.run_with(&[&remove[..], &["--yes"]].concat(), ids.as_bytes()).code, 4);
}

#[test]
fn a_row_whose_other_columns_name_somebody_else_removes_nobody() {
    let service = Service::start().with_people(2);
    let env = machine(&service, "email,referenceId\np2@example.com,EMP-00001\n");
    let said = env.line("testtakers remove --file people.csv --yes -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["conflict"], "{said}");
    assert_eq!(service.writes().len(), 0);
    let _ = env.line("testtakers remove --file people.csv --yes -o csv --by referenceId").ok();
    assert_eq!(held(&service, "referenceId"), ["EMP-00002"]);
}

#[test]
fn the_report_of_an_import_that_left_out_a_row_leads_into_each_command_of_a_file() {
    let service = Service::start();
    let env = machine(&service, "email,referenceId\na@example.com,E-1\nb at example.com,E-2\nc@example.com,E-3\n");
    let _ = env.line("testtakers import people.csv --skip-invalid --to report.csv").exits(10);
    let lines = |file: &str| env.read(file).lines().count();
    for (command, done) in [
        ("links issue --file report.csv --to links.csv", "2 issued, 1 invalid"),
        ("testtakers get --file report.csv --to found.csv", ""),
        ("results get --file report.csv --to results.csv", ""),
        ("testtakers update --file report.csv", "2 unchanged, 1 invalid"),
        ("testtakers remove --file report.csv --yes", "2 removed, 1 invalid"),
    ] {
        let _ = env.line(command).fails(5);
        let said = env.line(&format!("{command} --skip-invalid")).exits(10);
        assert!(said.stderr.contains(done), "{said}");
        assert_eq!(said.stderr.matches("report.csv:3:1").count(), 1, "{said}");
    }
    assert_eq!(["links.csv", "found.csv", "results.csv"].map(lines), [3; 3]);
    env.write("people.csv", "referenceId\nE 1\nNOBODY\n");
    for command in ["testtakers get", "results get", "results get --fail-on flagged", "links issue --to links.csv"] {
        let _ = env.line(&format!("{command} --file people.csv --skip-invalid")).exits(10);
    }
    assert_eq!(service.held().people.len(), 0);
}

#[test]
fn several_people_are_removed_and_nobody_where_one_is_ambiguous() {
    let service = Service::start().with_people(3);
    service.held().people[2].record["referenceId"] = json!("EMP-00002");
    let env = machine(&service, "");
    let _ = env.line("testtakers remove EMP-00001 EMP-00002 --yes").fails(2);
    assert_eq!(service.writes().len(), 0);
    let _ = env.line("testtakers remove EMP-00001 id:3 --yes").ok();
    assert_eq!(held(&service, "email"), ["p2@example.com"]);
}

#[test]
fn new_badge_numbers_come_by_email() {
    let service = Service::start().with_people(3);
    let env = machine(&service, "email,referenceId\np1@example.com,BADGE-1\np2@example.com,BADGE-2\n");
    let said = env.line("testtakers update --file people.csv -o csv").exits(10);
    assert!(said.stdout.contains("--by email"), "{said}");
    assert_eq!(outcomes(&said.stdout), ["conflict"; 2], "{said}");
    assert_eq!(service.writes().len(), 0);
    let said = env.line("testtakers update --file people.csv -o csv --by email --dry-run").ok();
    assert_eq!(outcomes(&said.stdout), ["would-update"; 2], "{said}");
    assert_eq!(service.writes().len(), 0);
    let said = env.line("testtakers update --file people.csv -o csv --by email").ok();
    assert_eq!(outcomes(&said.stdout), ["updated"; 2], "{said}");
    assert_eq!(held(&service, "referenceId"), ["BADGE-1", "BADGE-2", "EMP-00003"]);
    // What is as it should be is not sent again.
    let _ = env.line("testtakers update --file people.csv --by email").ok();
    assert_eq!(service.count(Op::Update), 2);
}

#[test]
fn an_update_gives_nobody_the_reference_id_of_another_person() {
    let service = Service::start().with_people(3);
    let env = machine(&service, "email,referenceId\np1@example.com,EMP-00002\np3@example.com,NEW-3\n");
    let _ = env.line("testtakers update EMP-00001 --reference-id EMP-00002").exits(5);
    assert_eq!(service.writes().len(), 0);
    let said = env.line("testtakers update --file people.csv --by email -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["conflict", "updated"], "{said}");
    assert_eq!(held(&service, "referenceId"), ["EMP-00001", "EMP-00002", "NEW-3"]);
}

#[test]
fn an_update_that_answers_with_another_person_or_the_old_values_is_not_said_to_be_done() {
    for (at, code, end) in [(1, 7, "in-doubt"), (0, 5, "refused")] {
        let service = Service::start().with_people(2);
        let record = service.held().people[at].record.clone();
        let service = service.on(Op::Update, When::Always, Trouble::Answer(Answer::ok(record)));
        let said = machine(&service, "").line("testtakers update EMP-00001 --first-name '' -o csv").exits(code);
        assert_eq!(outcomes(&said.stdout), [end], "{said}");
    }
}

#[test]
fn an_update_carries_what_another_one_changed_between_the_list_and_the_patch() {
    let (gate, waiting) = gate();
    // The list was read; the person is read once more right before the PATCH.
    let service = Service::start().with_people(120).on(Op::LookUp, When::First(1), Trouble::Gate(gate));
    let env = machine(&service, "referenceId,firstName\nEMP-00001,Una\n");
    let run = env.command(&["testtakers", "update", "--file", "people.csv"]).spawn().expect("started");
    waiting.arrived.recv_timeout(PATIENCE).expect("the read before the PATCH");
    assert!(service.count(Op::TestTakers) > 0 && service.count(Op::Update) == 0);
    service.held().people[0].record["lastName"] = json!("Changed");
    drop(waiting);
    let _ = end_of(run).ok();
    let body = service.writes()[0].json();
    assert_eq!(body, json!({ "referenceId": "EMP-00001", "firstName": "Una", "lastName": "Changed" }));
    assert_eq!(service.held().people[0].record["lastName"], "Changed");
}

#[test]
fn a_write_that_something_else_answers_is_not_done_and_ends_the_run() {
    let page = || Answer::new(200, &["Content-Type: text/html"], "<html>Sign in</html>");
    let (refused, gone) = (Answer::problem(401, "No", ""), Answer::problem(403, "No", ""));
    let moved = Answer::new(302, &["Location: /elsewhere"], "");
    for (answer, code, end) in
        [(page(), 2, "in-doubt"), (moved, 2, "in-doubt"), (refused, 3, "not-attempted"), (gone, 3, "not-attempted")]
    {
        for (op, line) in [
            (Op::Remove, "testtakers remove --file people.csv --yes -o csv --concurrency 1"),
            (Op::Update, "testtakers update --file people.csv --by email -o csv --concurrency 1"),
        ] {
            let service = Service::start().with_people(3).on(op, When::After(1), Trouble::Answer(answer.clone()));
            let env =
                machine(&service, "email,firstName\np1@example.com,Una\np2@example.com,Uma\np3@example.com,Ulf\n");
            let said = env.line(line);
            let done = if op == Op::Remove { "removed" } else { "updated" };
            assert_eq!(outcomes(&said.stdout), [done, end, "not-attempted"], "{line} {answer:?}: {said}");
            assert_eq!(said.code, code, "{said}");
            if op == Op::Remove {
                // Whoever may still be there is not forgotten.
                assert_eq!(service.held().people.len(), 2);
                let known = &env.line("journal list -o json").json()[0];
                assert_eq!(known["removed"], json!(1 + i32::from(end == "in-doubt")), "{answer:?}");
            }
        }
    }
}

#[test]
fn whoever_was_enrolled_a_moment_ago_is_not_gone_where_reads_lag() {
    let service = Service::start().on(Op::Enrol, When::Always, Trouble::Lag(Duration::from_mins(5)));
    let env = machine(&service, roster(1));
    let _ = super::import(&env, "").ok();
    for (line, code) in [
        ("testtakers remove NEW-1 --yes", 6),
        ("testtakers remove --file people.csv --yes", 6),
        ("testtakers update NEW-1 --first-name Una", 6),
        ("links issue NEW-1 -q", 6),
    ] {
        let _ = env.line(line).exits(code);
    }
    // Somebody else is absent.
    let _ = env.line("testtakers remove NEW-2 --yes").exits(4);
    assert_eq!(service.writes().len(), 1);
}

#[test]
fn a_name_that_several_people_have_or_that_may_mean_another_is_refused() {
    let service = Service::start().with_people(250);
    service.held().people[239].record["email"] = json!("p2@example.com");
    service.held().people[2].record["referenceId"] = json!("1");
    let env = machine(&service, "email\np1@example.com\np2@example.com\n");
    let said = env.line("testtakers remove --file people.csv --yes -o csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["removed", "conflict"], "{said}");
    let _ = env.line("testtakers remove email:p2@example.com --yes").fails(2).names("240");
    service.held().add(crate::support::workspace::person(1));
    for line in ["testtakers remove 1 --yes", "testtakers update 1 --first-name Una", "links issue 1 -q"] {
        let _ = env.line(line).fails(2).names("id:1");
    }
    assert_eq!(service.writes().len(), 1);
    let _ = env.line("testtakers remove id:1 --yes").ok();
    assert_eq!(service.held().people.len(), 249);
}

#[test]
fn an_update_keeps_what_it_does_not_name_and_an_empty_value_clears() {
    let service = Service::start().with_people(2);
    let env = machine(&service, "referenceId,firstName,lastName\nEMP-00001,,Day\nEMP-00002,Una,\n");
    let name = |at: usize| ["firstName", "lastName"].map(|field| service.held().people[at].record[field].clone());
    let _ = env.line("testtakers update EMP-00001 --last-name ''").ok();
    assert_eq!(name(0), [json!("Zoë"), json!(null)]);
    let said = env.line("testtakers update EMP-00001 --first-name Zoë --dry-run -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["existing"], "{said}");
    let _ = env.line("testtakers update --file people.csv").ok();
    assert_eq!((name(0), name(1)), ([json!("Zoë"), json!("Day")], [json!("Una"), json!("Müller")]));
    let _ = env.line("testtakers update --file people.csv --clear-empty").ok();
    assert_eq!((name(0), name(1)), ([json!(null), json!("Day")], [json!("Una"), json!(null)]));
    let _ = env.line("testtakers update EMP-00001").fails(2);
    let _ = env.line("testtakers update EMP-99999 --first-name Una").exits(4);
    env.write("people.csv", "email,firstName\nnobody@example.com,Una\n");
    let _ = env.line("testtakers update --file people.csv").exits(4);
}

#[test]
fn an_entry_id_of_a_file_says_who_a_row_is() {
    let service = Service::start().with_people(120);
    let env = machine(&service, "id,firstName\n7,Una\n");
    let _ = env.line("testtakers update --file people.csv").fails(5).names("may be projectEntryId");
    for header in ["projectEntryId", "id"] {
        let file = format!("{header},email,firstName,topPerformer\n7,other@example.com,{header},\n");
        let env = machine(&service, file);
        let said = env.line("testtakers update --file people.csv -o csv");
        assert_eq!((said.code, outcomes(&said.stdout)), (10, vec!["conflict".to_owned()]), "{said}");
        let _ = env.line("testtakers update --file people.csv --by projectEntryId").ok();
        assert_eq!(service.held().people[6].record["firstName"], header);
    }
}

#[test]
fn nobody_is_forgotten_because_a_project_or_a_person_is_not_found() {
    let service = Service::start().on(Op::Remove, When::First(1), Trouble::Answer(Answer::problem(400, "No", "")));
    let env = machine(&service, roster(2));
    let _ = super::import(&env, "").ok();
    let said = env.line("testtakers remove NEW-1 --yes -o csv").exits(5);
    assert_eq!(outcomes(&said.stdout), ["refused"], "{said}");
    let projects = std::mem::take(&mut service.held().projects);
    for line in
        ["testtakers remove NEW-1 --yes", "journal undo people.csv --yes", "testtakers update NEW-1 --first-name Una"]
    {
        let _ = env.line(line).fails(2);
    }
    service.held().projects = projects;
    let said = env.line("journal undo people.csv --dry-run -o csv").ok();
    assert_eq!(
        (outcomes(&said.stdout), service.held().people.len()),
        (vec!["would-remove".to_owned(); 2], 2),
        "{said}"
    );
}
