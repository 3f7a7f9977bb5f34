//! Who counts as enrolled: lost answers, lists that lag or lie, conflicts, and people who went elsewhere.

use serde_json::json;

use super::{each_once, ended, held, import, machine, outcomes, records, roster};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::Answer;
use crate::support::workspace::person;

#[test]
fn the_same_command_again_enrols_nobody_and_sends_nothing() {
    let service = Service::start();
    let env = machine(&service, roster(12));
    let said = import(&env, "").ok();
    assert_eq!(ended(&said.stdout, "enrolled"), 12, "{said}");
    let first = records(&said.stdout);
    let said = import(&env, "").ok();
    assert_eq!(ended(&said.stdout, "existing"), 12, "{said}");
    for (before, now) in first.iter().zip(records(&said.stdout)) {
        assert_eq!(before["projectEntryId"], now["projectEntryId"], "{said}");
    }
    assert_eq!(service.writes().len(), 12);
    each_once(&service, 12, "again");
}

#[test]
fn what_is_in_doubt_is_not_sent_again_before_its_time() {
    let service = Service::start().on(Op::Enrol, When::First(1), Trouble::CloseBefore);
    let env = machine(&service, roster(1));
    let again = "testtakers import people.csv -o csv --settle 10m --no-wait";
    for _ in 0..2 {
        let said = env.line(again).exits(7);
        assert_eq!(outcomes(&said.stdout), ["in-doubt"], "{said}");
    }
    // Nor is the same address with another reference id.
    env.write("people.csv", roster(1).replace("NEW-1", "OTHER-1"));
    assert_eq!(outcomes(&env.line(again).exits(7).stdout), ["in-doubt"]);
    assert_eq!(service.count(Op::Enrol), 1);
}

#[test]
fn a_list_that_shows_none_of_those_who_were_enrolled_from_here_is_not_believed() {
    let service = Service::start();
    let env = machine(&service, roster(5));
    let _ = import(&env, "").ok();
    service.held().people.clear();
    env.write("people.csv", roster(6));
    for options in ["", "--again"] {
        let said = env.line(&format!("testtakers import people.csv -o csv --settle 1ms {options}")).exits(7);
        assert_eq!(ended(&said.stdout, "enrolled"), 0, "{said}");
        assert_eq!(service.count(Op::Enrol), 5, "{said}");
    }
}

#[test]
fn whoever_was_removed_elsewhere_is_gone_and_enrolled_again_on_request_only() {
    let service = Service::start();
    let env = machine(&service, roster(3));
    let _ = import(&env, "").ok();
    service.held().people.retain(|one| one.record["referenceId"] != "NEW-2");
    // Before the settle time a list may lag.
    let said = env.line("testtakers import people.csv -o csv --settle 10m").ok();
    assert_eq!(outcomes(&said.stdout), ["existing"; 3], "{said}");
    let again = "testtakers import people.csv -o csv --settle 1ms";
    let said = env.line(again).exits(10);
    assert_eq!(outcomes(&said.stdout), ["existing", "gone", "existing"], "{said}");
    assert_eq!(service.count(Op::Enrol), 3);
    let said = env.line(&format!("{again} --again")).ok();
    assert_eq!(outcomes(&said.stdout), ["existing", "enrolled", "existing"], "{said}");
    each_once(&service, 3, "again");
}

#[test]
fn whom_we_removed_is_enrolled_anew() {
    let service = Service::start();
    let env = machine(&service, roster(2));
    let _ = import(&env, "").ok();
    let _ = env.line("testtakers remove NEW-2 --yes").ok();
    let said = import(&env, "").ok();
    assert_eq!(outcomes(&said.stdout), ["existing", "enrolled"], "{said}");
    each_once(&service, 2, "anew");
}

#[test]
fn a_conflict_of_the_service_is_looked_for_once() {
    let conflict = || Answer::problem(409, "Conflict", "");
    let service = Service::start().on(Op::Enrol, When::First(1), Trouble::Answer(conflict()));
    let env = machine(&service, roster(1));
    // It stays open until a list after the settle time says more.
    for (code, outcome) in [(10, "refused"), (7, "in-doubt")] {
        let said = env.line("testtakers import people.csv -o csv --settle 10m --no-wait").exits(code);
        assert_eq!((outcomes(&said.stdout), service.count(Op::Enrol)), (vec![outcome.to_owned()], 1), "{said}");
    }
    let service = Service::start().on(Op::Enrol, When::First(1), Trouble::AnswerAfter(conflict()));
    let said = import(&machine(&service, roster(1)), "").ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled"], "{said}");
}

#[test]
fn conflicts_are_reported_and_never_guessed() {
    let theirs = [person(1), person(2), person(3), person(4), person(4)];
    let service = Service::start().of(theirs);
    service.held().people[2].record["referenceId"] = json!(null);
    service.held().people[4].record["id"] = json!(44);
    let rows = "p1@example.com,EMP-00001\nother@example.com,EMP-00002\np2@example.com,TWO\n\
        P3@Example.com,EMP-00003\np4@example.com,EMP-00004\nnew@example.com,NEW\n";
    let env = machine(&service, format!("email,referenceId\n{rows}"));
    let said = import(&env, "").exits(10);
    let ends = ["existing", "conflict", "conflict", "existing", "conflict", "enrolled"];
    assert_eq!(outcomes(&said.stdout), ends, "{said}");
    let both = &records(&said.stdout)[4]["message"];
    assert!(both.contains('4') && both.contains("44"), "{both}");
    assert_eq!(service.writes().len(), 1);
}

#[test]
fn an_id_without_its_zeros_is_no_other_person() {
    let service = Service::start().of([person(1)]);
    service.held().people[0].record["referenceId"] = json!("00017");
    let env = machine(&service, "email,referenceId\np1@example.com,17\n");
    let said = import(&env, "").exits(10);
    assert_eq!((outcomes(&said.stdout), service.writes().len()), (vec!["conflict".to_owned()], 0), "{said}");
}

#[test]
fn fail_on_existing_looks_at_all_rows_before_the_first_is_sent() {
    let service = Service::start().of([person(1)]);
    let env = machine(&service, "email,referenceId\nnew@example.com,NEW\np1@example.com,EMP-00001\n");
    let _ = import(&env, "--on-existing fail").exits(5);
    assert_eq!(service.writes().len(), 0);
    env.write("people.csv", roster(3));
    let _ = import(&env, "--on-existing fail").ok();
    // Whom this machine enrolled doesn't count.
    let _ = import(&env, "--on-existing fail").ok();
    assert_eq!(service.writes().len(), 3);
}

#[test]
fn people_may_share_an_address_where_that_is_said() {
    let rows = "email,firstName,referenceId\nf@example.com,A,F-1\nf@example.com,B,F-2\nf@example.com,C,F-3\n";
    let service = Service::start().on(Op::Enrol, When::Nth(2), Trouble::CloseAfter);
    let env = machine(&service, rows);
    let _ = import(&env, "").exits(5);
    assert_eq!(service.log().len(), 0, "the whole file is checked first");
    let said = import(&env, "--shared-mailboxes").ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled"; 3], "{said}");
    let said = import(&env, "--shared-mailboxes").ok();
    assert_eq!(outcomes(&said.stdout), ["existing"; 3], "{said}");
    assert_eq!(held(&service, "referenceId"), ["F-1", "F-2", "F-3"]);
    env.write("people.csv", "email,referenceId\nf@example.com,F-1\nf@example.com,\n");
    let _ = import(&env, "--shared-mailboxes").exits(5);
}

#[test]
fn rows_that_failed_are_fed_in_again() {
    let no = Answer::problem(422, "No", "");
    let service = Service::start().on(Op::Enrol, When::Nth(2), Trouble::Answer(no));
    let lines = roster(3);
    let rows: Vec<_> = lines.lines().zip(["Dept", "", "x", ""]).map(|(row, dept)| format!("{row},{dept}\n")).collect();
    let env = machine(&service, rows.concat());
    let said = import(&env, "--concurrency 1 --failed-out failed.csv").exits(10);
    assert_eq!(outcomes(&said.stdout), ["enrolled", "refused", "enrolled"], "{said}");
    let failed = records(&env.read("failed.csv"));
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0]["outcome"].as_str(), failed[0]["Dept"].as_str()), ("refused", "x"));
    let said = env.line("testtakers import failed.csv -o csv --failed-out failed.csv");
    let _ = said.exits(2);
    let said = env.line("testtakers import failed.csv -o csv --failed-out rest.csv").ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled"], "{said}");
    assert_eq!(env.read("rest.csv").lines().count(), 1, "a header");
    each_once(&service, 3, "fed in again");
}

#[test]
fn cells_that_are_not_under_their_headers_are_not_fed_in_as_if_they_were() {
    let service = Service::start();
    let rows = "email,lastName,firstName,referenceId\ni@example.com,Moss, Jr.,Ida,EMP-1\nl@example.com,EMP-3\n";
    let env = machine(&service, rows);
    let _ = import(&env, "--skip-invalid --failed-out failed.csv").exits(10);
    assert_eq!(env.line("testtakers check failed.csv").exits(5).stderr.matches(": this row has ").count(), 2);
    let _ = env.line("testtakers import failed.csv --skip-invalid --failed-out again.csv").exits(10);
    let again = env.read("again.csv");
    assert!(
        again.contains(",i@example.com,Moss, Jr.,Ida,EMP-1\n") && again.contains(",l@example.com,EMP-3\n"),
        "{again}"
    );
    assert_eq!(again.matches("invalid").count(), 2, "what an earlier report said is not repeated: {again}");
    assert_eq!(service.count(Op::Enrol), 0);
}

#[test]
fn a_success_is_final_however_it_spells_the_person() {
    let other = json!({ "id": uuid::Uuid::new_v4(), "projectEntryId": 5001, "email": "N1@EXAMPLE.COM", "referenceId": "new-1" });
    let service = Service::start().on(Op::Enrol, When::Nth(1), Trouble::AnswerAfter(Answer::json(201, &other)));
    let env = machine(&service, roster(1));
    let _ = import(&env, "").ok();
    let said = import(&env, "").ok();
    assert_eq!(outcomes(&said.stdout), ["existing"], "{said}");
    assert_eq!(service.count(Op::Enrol), 1);
}

#[test]
fn an_entry_id_that_is_not_the_lists_id_stops_the_import() {
    let other =
        json!({ "id": uuid::Uuid::new_v4(), "projectEntryId": 9, "email": "n1@example.com", "referenceId": "NEW-1" });
    let service = Service::start().on(Op::Enrol, When::Nth(1), Trouble::AnswerAfter(Answer::json(201, &other)));
    let said = import(&machine(&service, roster(9)), "--concurrency 1").exits(1);
    assert!(ended(&said.stdout, "not-attempted") > 0, "{said}");
    assert!(service.count(Op::Enrol) < 9);
}

#[test]
fn where_nobody_of_a_list_can_be_compared_nobody_is_enrolled() {
    let nameless = |id| {
        let mut person = person(id);
        person["email"] = json!(null);
        person["referenceId"] = json!(null);
        person
    };
    let service = Service::start().of([nameless(1), nameless(2)]);
    let said = import(&machine(&service, roster(3)), "").exits(1);
    assert!(said.stderr.contains("nobody can be compared") && service.count(Op::Enrol) == 0, "{said}");
    // One of them may be somebody whose data were deleted.
    let service = Service::start().of([nameless(1), person(2)]);
    let _ = import(&machine(&service, roster(3)), "").ok();
}

#[test]
fn a_reference_id_that_differs_only_in_capitals_is_nobody_else_s() {
    let service = Service::start().of([person(1)]);
    let env = machine(&service, "email,referenceId\nnew@example.com,emp-00001\n");
    let said = import(&env, "").exits(10);
    assert_eq!((outcomes(&said.stdout), service.count(Op::Enrol)), (vec!["conflict".to_owned()], 0), "{said}");
}

#[test]
fn an_email_alone_identifies_a_person_also_with_a_plus_sign() {
    let service = Service::start().on(Op::Enrol, When::Always, Trouble::CloseAfter);
    let env = machine(&service, "email\na+b@example.com\n");
    let said = import(&env, "").ok();
    assert_eq!(outcomes(&said.stdout), ["enrolled"], "{said}");
    assert_eq!(held(&service, "email"), ["a+b@example.com"]);
}

#[test]
fn whom_a_list_still_shows_after_their_removal_is_waited_for_and_then_believed_to_be_there() {
    let service = Service::start();
    let env = machine(&service, roster(2));
    let _ = import(&env, "").ok();
    let before = service.held().clone();
    let _ = env.line("testtakers remove NEW-2 --yes").ok();
    *service.held() = before;
    let said = env.line("testtakers import people.csv -o csv --settle 10m --no-wait").exits(6);
    assert_eq!(outcomes(&said.stdout), ["existing", "not-attempted"], "{said}");
    let said = env.line("testtakers import people.csv -o csv --settle 1ms").ok();
    assert_eq!((outcomes(&said.stdout), service.count(Op::Enrol)), (vec!["existing".to_owned(); 2], 2), "{said}");
}

#[test]
fn whoever_got_a_reference_id_and_was_removed_elsewhere_is_gone_and_not_new() {
    let service = Service::start();
    let env = machine(&service, "email\na@example.com\nb@example.com\n");
    let _ = import(&env, "").ok();
    env.write("people.csv", "email,referenceId\na@example.com,A\nb@example.com,B\n");
    service.held().people.retain(|one| one.record["email"] == "b@example.com");
    let said = env.line("testtakers import people.csv -o csv --settle 1ms").exits(10);
    assert_eq!(
        (outcomes(&said.stdout), service.count(Op::Enrol)),
        (vec!["gone".to_owned(), "existing".to_owned()], 2),
        "{said}"
    );
}
