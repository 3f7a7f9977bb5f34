//! Messages for programs: with `--errors json` standard error is one JSON object a line and nothing else.

use serde_json::{Value, json};

use crate::harness::{Env, KEY, Said};
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};

/// Every line of standard error as the object that it has to be.
#[track_caller]
fn messages(said: &Said) -> Vec<Value> {
    let read = |line: &str| -> Value {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}\n{said}"));
        let level = message["level"].as_str().unwrap_or_else(|| panic!("no level: {line}"));
        let keys: Vec<_> = message.as_object().expect("an object").keys().map(String::as_str).collect();
        if level == "error" {
            assert_eq!(keys, ["code", "error", "hint", "level", "retryable"], "{line}");
            assert_eq!(message["code"], said.code, "{line}");
        } else {
            assert_eq!(keys, ["level", "message"], "{line}");
        }
        message
    };
    let all: Vec<_> = said.stderr.lines().map(read).collect();
    assert!(
        all.iter().rev().skip(1).all(|message| message["level"] != "error"),
        "one error, and it comes last: {said}"
    );
    all
}

#[track_caller]
fn error(said: &Said) -> Value {
    messages(said).pop().unwrap_or_else(|| panic!("no message:\n{said}"))
}

#[test]
fn a_usage_error_is_json_whether_the_option_or_the_variable_asks_for_it() {
    let env = Env::new();
    let expected = json!({ "level": "error", "code": 2, "error": "there is no command \"lst\" here",
                           "hint": "did you mean `assessctl projects list`?", "retryable": false });
    let by_variable = Env::new().with("ASSESSCTL_ERRORS", "json");
    for said in [
        env.line("projects lst --errors json"),
        env.line("--errors=JSON projects lst"),
        env.line("--errors text --errors json projects lst"),
        by_variable.line("projects lst"),
    ] {
        assert_eq!(messages(&said.exits(2)), std::slice::from_ref(&expected));
    }
    // The option goes before the variable, and a word after `--` is no option.
    let _ = by_variable.line("projects lst --errors text").fails(2).mentions("error: there is no command");
    let _ = env.line("testtakers remove -- --errors json").fails(2).mentions("error: ");
    for line in ["", "projects", "projects list --page x", "projects list --fields nix", "results get", "--nix"] {
        let said = by_variable.line(line).exits(2);
        assert!(error(&said)["retryable"] == false && said.stdout.is_empty(), "{said}");
    }
    let _ = Env::new().with("ASSESSCTL_ERRORS", "xml").line("config path").fails(2).mentions("ASSESSCTL_ERRORS");
    assert_eq!(by_variable.line("config show errors -o json").json()[0]["value"], "json");
}

#[test]
fn each_end_says_its_code_and_whether_the_same_command_may_succeed_later() {
    let ended = |answer: Answer| {
        let socket = Socket::always(answer);
        error(&Env::at(&socket.url).line("projects list --errors json --deadline 2s"))
    };
    let refused = ended(Answer::problem(401, "Unauthorized", "who are you?\n\u{1b}[31m"));
    assert_eq!((&refused["code"], &refused["retryable"]), (&json!(3), &json!(false)));
    assert!(refused["error"].as_str().expect("a text").contains("who are you?"), "{refused}");
    assert!(refused["hint"].as_str().expect("a hint").contains("API key"), "{refused}");
    let later = ended(Answer::new(503, &["Retry-After: 400"], ""));
    assert_eq!((&later["code"], &later["retryable"]), (&json!(6), &json!(true)));
}

#[test]
fn notes_warnings_rows_and_summaries_are_json_as_well() {
    let env = Env::sandbox().with("ASSESSCTL_ERRORS", "json");
    env.write("people.csv", "E-mail;referenceId\nann@example.com;A\n");
    let said = env.line("testtakers import people.csv").ok();
    let all = messages(&said);
    let levels: Vec<_> = all.iter().map(|message| message["level"].as_str().expect("a level")).collect();
    assert_eq!(levels, ["note", "summary"], "{said}");
    assert_eq!(all[1]["message"], "1 row: 1 enrolled in Demo (sandbox)");
    assert_eq!(env.line("testtakers import people.csv -q").ok().stderr, "");
    env.write("bad.csv", "email,referenceId\nann,B C\n");
    let said = env.line("testtakers import bad.csv").exits(5);
    let all = messages(&said);
    assert_eq!(all.iter().filter(|message| message["level"] == "row").count(), 2, "{said}");
    let said = env.line("testtakers list --limit 1 -v -o csv").ok();
    assert!(messages(&said).iter().any(|message| message["level"] == "detail"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_program_that_prints_the_key_cannot_talk_in_between() {
    let env = Env::new();
    env.configure(
        "[profiles.p]\nbase-url = \"http://127.0.0.1:1\"\napi-key-command = [\"/bin/sh\", \"-c\", \"echo aside >&2; exit 1\"]\n",
    );
    let said = env.line("projects list --profile p --errors json").exits(3);
    assert_eq!(messages(&said).len(), 1, "{said}");
    let _ = env.line("projects list --profile p").exits(3).mentions("aside");
}

#[test]
fn no_question_is_asked_where_a_program_reads_the_messages() {
    let env = Env::sandbox().with("ASSESSCTL_ERRORS", "json");
    let (code, screen) = Terminal::start(&env, 120, &["sandbox", "reset"]).ends();
    assert_eq!(code, 2, "{}", screen.text());
    assert!(screen.text().contains("\"hint\":\"add --yes to the command\""), "{}", screen.text());
    assert!(!screen.text().contains(KEY));
}

#[test]
fn a_word_that_may_be_a_persons_is_not_repeated_where_no_command_has_it() {
    let env = Env::sandbox();
    for line in ["links DEMO-0004", "DEMO-0004", "results anna@example.com", "testtakers Anna", "link DEMO-0004"] {
        let said = env.line(line).fails(2);
        assert!(!said.stderr.contains(line.split(' ').next_back().unwrap_or_default()), "{line}: {said}");
    }
}

#[test]
fn a_command_that_ends_with_another_code_than_0_ends_with_an_error_whatever_it_said_before() {
    let env = Env::sandbox().with("ASSESSCTL_ERRORS", "json");
    let _ = env.line("testtakers enrol --email ann@example.com --reference-id A -q").ok();
    let _ = env.line("testtakers enrol --email bob@example.com --reference-id B -q").ok();
    let _ = env.line("sandbox set ref:A --result HighRisk").ok();
    for (line, code) in [
        ("results get NOPE NOPE-2", 4),
        ("results get B", 4),
        ("testtakers get ref:A ref:NOPE", 10),
        ("results list --fail-on HighRisk", 8),
    ] {
        let error = error(&env.line(line));
        assert_eq!((&error["level"], &error["code"]), (&json!("error"), &json!(code)), "{line}");
    }
}

#[test]
fn a_project_without_a_name_is_no_project_that_is_not_found() {
    let env = Env::sandbox();
    for line in ["testtakers list -p ''", "results export -p ' ' --to all.csv"] {
        let said = env.line(line).fails(2);
        assert!(said.stderr.contains("is empty; is a variable of the script unset?"), "{said}");
    }
}
