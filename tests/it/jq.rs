//! `--jq`: expressions over the whole output, checked before anything is sent.

use serde_json::{Value, json};

use crate::harness::{Env, KEY};
use crate::lists::crowd;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// Runs a list of people with an expression.
#[track_caller]
fn said(env: &Env, code: &str) -> String {
    env.run(&["testtakers", "list", "-p", PROJECT, "--jq", code]).data()
}

#[test]
fn an_expression_sees_the_whole_list_and_texts_come_out_raw() {
    // Three pages: an expression that saw one page would count a hundred.
    let env = Env::at(&crowd(250).url);
    assert_eq!(said(&env, "length"), "250\n");
    assert_eq!(said(&env, ".[:2][].email"), "p1@example.com\np2@example.com\n");
    assert_eq!(said(&env, ".[0] | {id, email}"), "{\"id\":1,\"email\":\"p1@example.com\"}\n");
    assert_eq!(said(&env, ".[] | select(.id > 1000)"), "", "no match is no error and no line");
    assert_eq!(said(&env, "[.[].id] | add"), format!("{}\n", 250 * 251 / 2));
    // `-o json` may be said, and the fields that it would print are those that the expression sees.
    let args = ["testtakers", "list", "-p", PROJECT, "-o", "json", "--fields", "id", "--limit", "1", "--jq", ".[0]"];
    assert_eq!(env.run(&args).ok().stdout, "{\"id\":1}\n");
}

#[test]
fn a_field_that_no_record_has_is_named() {
    let env = Env::at(&crowd(3).url);
    let run = |code: &str| env.run(&["testtakers", "list", "-p", PROJECT, "--jq", code]);
    let said = run("map(select(.status == \"done\")) | length").fails(2);
    let _ = said.mentions("--jq: there is no field \"status\" here: the fields are id, email, referenceId");
    // A column that the service leaves out of its records is a field all the same, and what is said to be in place of a
    // missing one is meant.
    for code in [
        ".[].topPerformer",
        ".[] | {status: .id} | .status",
        "[.[] | to_entries[] | .key] | length",
        "\".x\"",
        ".[].status // \"none\"",
        ".[].status?",
    ] {
        assert_eq!(run(code).ok().stderr, "", "{code}");
    }
}

/// What the documentation of a well-known tool shows of its own `--jq`, on our fields.
#[test]
fn what_people_know_of_other_tools_works_here() {
    let people = json!([
        { "id": 1, "email": "ann@example.com", "referenceId": "A-1", "tags": [{ "name": "north" }, { "name": "new" }] },
        { "id": 2, "email": "bob@example.com", "referenceId": null, "tags": [] },
        { "id": 3, "email": "eve@example.com", "referenceId": "E-3", "tags": [{ "name": "south" }] },
    ]);
    let socket = Socket::always(Answer::ok(&people.to_string()));
    let env = Env::at(&socket.url);
    // Values of each record.
    assert_eq!(said(&env, ".[].email"), "ann@example.com\nbob@example.com\neve@example.com\n");
    // Several lines, comments, filtering by a length, an update of nested arrays, a slice.
    let code = "map(select((.tags | length) > 0))    # must have tags
                | map(.tags = (.tags | map(.name)))  # show only their names
                | .[:3]                              # the first three";
    let shown: Value = serde_json::from_str(&said(&env, code)).expect("JSON");
    assert_eq!(shown.as_array().map(Vec::len), Some(2));
    assert_eq!(shown[0]["tags"], json!(["north", "new"]));
    // Tabular text, interpolation, counting, defaults.
    assert_eq!(said(&env, ".[] | [.id, .referenceId // \"-\"] | @tsv"), "1\tA-1\n2\t-\n3\tE-3\n");
    assert_eq!(said(&env, ".[] | select(.referenceId) | \"\\(.referenceId): \\(.email)\"").lines().count(), 2);
    assert_eq!(said(&env, "[.[] | select(.email | test(\"^[ab]\"))] | length"), "2\n");
    assert_eq!(said(&env, "group_by(.referenceId == null) | map(length)"), "[2,1]\n");
    assert_eq!(said(&env, "map({(.email): .id}) | add | keys[0]"), "ann@example.com\n");
    assert_eq!(said(&env, ".[-1].email | split(\"@\")[1] | ascii_upcase"), "EXAMPLE.COM\n");
}

#[test]
fn a_mistake_is_told_with_its_place_before_anything_is_sent() {
    let socket = crowd(1);
    let env = Env::at(&socket.url);
    let said = env.run(&["testtakers", "list", "-p", PROJECT, "--jq", ".[] | maap(.x)"]).fails(2);
    assert_eq!(said.stderr, "error: --jq: there is no filter `maap` here (line 1, character 7)\n");
    for args in [
        "testtakers list --jq . -o csv",
        "testtakers list --jq . -o table",
        "testtakers list --jq . -o ndjson",
        "testtakers list --jq . --to people.csv",
        "testtakers list --jq . --excel",
        "links issue --all --jq .",
        "results export --to results.json --jq .",
        "completions bash --jq .",
        "testtakers enrol --email a@example.com --jq '.['",
    ] {
        let _ = env.line(&format!("{args} {}", if args.contains("completions") { "" } else { "-p X" })).fails(2);
    }
    assert!(socket.requests().is_empty(), "{:?}", socket.requests());
    // What the environment or a profile says of the format does not stand in the way.
    let env = Env::at(&socket.url).with("ASSESSCTL_OUTPUT", "csv");
    assert_eq!(self::said(&env, "length"), "1\n");
}

#[test]
fn a_field_that_the_records_of_a_list_have_is_not_asked_of_the_list_and_nothing_is_sent() {
    let socket = crowd(1);
    let env = Env::at(&socket.url);
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    for (line, said) in [
        (
            "testtakers import people.csv --jq .created",
            "no field \"created\" in a list: the fields of its records are email,",
        ),
        ("testtakers import people.csv --jq '.outcome'", "hint: write `--jq '.[].outcome'`"),
        ("testtakers import people.csv --jq '.[] | .created'", "no field \"created\" here: the fields are email,"),
        ("testtakers list --jq '.items[].email'", "no field \"items\" in a list"),
        ("testtakers list --jq '.email'", "hint: write `--jq '.[].email'`"),
        ("testtakers list --jq 'select(.emial) | .id' --fields id,email", "did you mean email?"),
        ("testtakers enrol --email a@example.com --jq .id", "no field \"id\" here: the fields are email,"),
        ("links issue ref:A --jq '.url'", "hint: write `--jq '.[].url'`"),
        ("projects create North --jq .uuid", "no field \"uuid\" here: the fields are id, name"),
    ] {
        let project = if line.starts_with("projects") { String::new() } else { format!(" -p {PROJECT}") };
        let _ = env.line(&format!("{line}{project}")).fails(2).mentions(said);
    }
    assert!(socket.requests().is_empty(), "{:?}", socket.requests());
}

#[test]
fn one_result_has_the_fields_of_a_result() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email ann@example.com --reference-id A -q").ok();
    let _ = env.line("sandbox set ref:A --result Completed").ok();
    let said = env.line("results get A --jq .status").fails(2);
    let _ = said.mentions("--jq: there is no field \"status\" here: the fields are id,").mentions("result, ");
    assert_eq!(env.line("results get A --jq .result").data(), "Completed\n");
}

#[test]
fn an_expression_that_ends_with_an_error_prints_nothing_and_quotes_nobody() {
    let env = Env::at(&crowd(3).url);
    env.write("old.txt", "old");
    let code = ".[].email, (.[].email | tonumber)";
    let said = env.run(&["testtakers", "list", "-p", PROJECT, "--jq", code, "--to", "old.txt"]).fails(1);
    assert_eq!(
        said.stderr,
        "error: cannot list the test takers: --jq: the expression ends with an error (after 3 results)\nhint: -o json shows what the expression is run over\n"
    );
    assert_eq!(env.read("old.txt"), "old");
    let _ = env.run(&["testtakers", "list", "-p", PROJECT, "--jq", "env"]).fails(2).hides(KEY);
}

#[test]
fn every_command_that_prints_records_takes_an_expression() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let _ = env.line("testtakers import people.csv -q").ok();
    let _ = env.line("sandbox set ref:A --result Completed").ok();
    for (line, expected) in [
        ("testtakers import people.csv -q --jq .[].outcome", "enrolled\n"),
        ("testtakers check people.csv -q --jq length", "0\n"),
        ("testtakers get ref:A --jq .email", "ann@example.com\n"),
        ("testtakers update ref:A --first-name Ann -q --jq type", "object\n"),
        ("projects get Demo --jq .name", "Demo\n"),
        ("projects list --jq .[].state", "Active\n"),
        ("results list --jq .[].referenceId", "A\n"),
        ("results get A --jq .referenceId", "A\n"),
        ("results summary --jq type", "object\n"),
        ("results changes --look -q --jq length", "0\n"),
        ("links issue ref:A --jq '.[0].url | startswith(\"http\")'", "true\n"),
        ("redirect-uris list --jq length", "0\n"),
        ("journal list --jq '.[].project | length > 0'", "true\n"),
        ("config show profile --jq .[].value", "sandbox\n"),
        ("config path --jq '. | endswith(\"toml\")'", "true\n"),
    ] {
        let said = env.line(line).ok();
        assert_eq!(said.stdout, expected, "{line}: {said}");
    }
    assert!(env.line("projects list --jq .[].name --to names.txt").data().is_empty());
    assert_eq!(env.read("names.txt"), "Demo\n");
    assert_eq!(env.line("doctor --jq '.[0].check'").stdout, "version\n");
}
