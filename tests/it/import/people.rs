//! Updates and removals of many people, and lists that lead from one command to the next.

use serde_json::json;

use super::{held, machine, outcomes, roster};
use crate::support::service::{Op, Service, Trouble, When};
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
fn more_people_than_expected_are_not_removed() {
    let service = Service::start().with_people(3);
    let env = machine(&service, "referenceId\nEMP-00001\nEMP-00002\nEMP-00003\n");
    let _ = env.line("testtakers remove --file people.csv --yes --max 2").exits(5);
    assert_eq!(service.writes().len(), 0);
    let _ = env.line("testtakers remove --file people.csv --yes --dry-run").ok();
    assert_eq!(service.writes().len(), 0);
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
fn a_removal_bears_lost_answers_and_accounts_for_refusals() {
    let lost = Trouble::CloseAfter;
    let service = Service::start().with_people(3).on(Op::Remove, When::Nth(1), lost);
    let env = machine(&service, "referenceId\nEMP-00001\nEMP-00002\nEMP-00003\n");
    let _ = env.line("testtakers remove --file people.csv --yes").ok();
    assert_eq!(service.held().people.len(), 0);
    let no = Trouble::Answer(Answer::problem(400, "No", ""));
    let service = Service::start().with_people(3).on(Op::Remove, When::Nth(2), no);
    let env = machine(&service, "referenceId\nEMP-00001\nEMP-00002\nEMP-00003\n");
    let said = env.line("testtakers remove --file people.csv --yes -o csv --concurrency 1").exits(10);
    assert_eq!(outcomes(&said.stdout), ["removed", "refused", "removed"], "{said}");
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
fn an_update_keeps_what_another_one_changed_after_the_list_was_read() {
    let service = Service::start().with_people(1);
    let env = machine(&service, "referenceId,firstName\nEMP-00001,Una\n");
    let before = service.held().people[0].record["lastName"].clone();
    let _ = env.line("testtakers update --file people.csv").ok();
    let record = service.held().people[0].record.clone();
    assert_eq!((&record["firstName"], &record["lastName"]), (&json!("Una"), &before));
    let body = service.writes()[0].json();
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(3), "all three fields: {body}");
}

#[test]
fn an_update_that_answers_with_another_person_is_not_said_to_be_done() {
    let service = Service::start().with_people(2);
    let other = service.held().people[1].record.clone();
    let service = service.on(Op::Update, When::Always, Trouble::Answer(Answer::ok(other)));
    let env = machine(&service, "");
    let said = env.line("testtakers update EMP-00001 --first-name Una");
    assert_ne!(said.code, 0, "{said}");
}
