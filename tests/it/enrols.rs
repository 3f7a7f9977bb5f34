//! One person: what is said of them, what is rehearsed, and what is refused.

use serde_json::json;

use crate::harness::Env;

#[test]
fn a_record_of_one_person_has_no_line_and_no_empty_texts() {
    let env = Env::sandbox();
    let line = "testtakers enrol --email ann@example.com --first-name Ann --birth-year 1984 -o json";
    let mut record = env.line(line).json();
    record["enrolmentId"] = json!("one");
    let expected = json!({"email": "ann@example.com", "firstName": "Ann", "lastName": null, "birthYear": 1984,
        "referenceId": null, "outcome": "enrolled", "projectEntryId": 1, "enrolmentId": "one", "message": null});
    assert_eq!(record, expected);
    let header = env.line("testtakers enrol --email bob@example.com -o csv").data();
    assert!(header.starts_with("email,firstName,lastName,birthYear,referenceId,outcome,"), "{header}");
    env.write("back.csv", &header);
    let _ = env.line("testtakers check back.csv").ok();
    for line in ["enrol --email ann@example.com --first-name Zoe", "enrol --email x@example.com --reference-id A"] {
        let said = env.line(&format!("testtakers {line} -o json"));
        assert!(!said.to_string().contains("line"), "{said}");
    }
}

#[test]
fn a_rehearsal_of_one_person_sends_nothing() {
    let env = Env::sandbox();
    let line =
        "testtakers enrol --email ann@example.com --reference-id A-1 --dry-run -o csv --fields outcome --no-header";
    assert_eq!(env.line(line).data(), "would-enrol\n");
    assert_eq!(env.line("testtakers list -o json").json(), json!([]));
    let _ = env.line("testtakers enrol --email ann@example.com --reference-id A-1 -q").ok();
    assert_eq!(env.line(line).data(), "enrolled\n");
    let other = line.replace("A-1", "A-2");
    let said = env.line(&other).exits(5);
    assert_eq!(said.stdout, "conflict\n", "{said}");
    assert_eq!(env.line("testtakers list -o ndjson").data().lines().count(), 1);
}

#[test]
fn what_a_roster_calls_suspicious_is_refused_of_one_person_too() {
    let env = Env::sandbox();
    for slip in ["--email ann@example.com --birth-year 85", "--email '<ann@example.com>'", "--email ann@example.con"] {
        let said = env.line(&format!("testtakers enrol {slip}")).fails(5);
        let _ = said.mentions("nothing was sent").mentions("--allow-suspicious accepts it");
        let _ = env.line(&format!("testtakers enrol {slip} --dry-run --allow-suspicious")).ok();
    }
    assert_eq!(env.line("testtakers list -o json").json(), json!([]));
}
