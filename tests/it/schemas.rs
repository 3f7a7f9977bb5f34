//! What `schema` says of outputs and of the command line holds: every JSON output of every test is held against it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::harness::{Env, PROGRAM};

/// What `schema` prints, asked for once.
fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let said = std::process::Command::new(PROGRAM).arg("schema").env_clear().output().expect("the program starts");
        assert!(said.status.success() && said.stderr.is_empty(), "{}", String::from_utf8_lossy(&said.stderr));
        serde_json::from_slice(&said.stdout).expect("JSON")
    })
}

fn commands() -> &'static [Value] {
    schema()["commands"].as_array().expect("commands")
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// What is wrong with a value by a schema, of those words of JSON Schema that ours use; another word is an error.
fn fault(schema: &Value, value: &Value, place: &str) -> Option<String> {
    let words = schema.as_object().expect("a schema is an object");
    words.iter().find_map(|(word, rule)| match word.as_str() {
        "$schema" => None,
        "type" => {
            let types: Vec<&str> = rule.as_array().map_or_else(
                || rule.as_str().into_iter().collect(),
                |types| types.iter().filter_map(Value::as_str).collect(),
            );
            (!types.iter().any(|kind| is(kind, value))).then(|| format!("{place}: {value} is none of {types:?}"))
        }
        "enum" => (!rule.as_array().expect("words").contains(value)).then(|| format!("{place}: unknown word {value}")),
        "minimum" => value.as_f64().filter(|n| *n < rule.as_f64().expect("a number")).map(|n| format!("{place}: {n}")),
        "maximum" => value.as_f64().filter(|n| *n > rule.as_f64().expect("a number")).map(|n| format!("{place}: {n}")),
        "properties" => rule.as_object().expect("properties").iter().find_map(|(name, inner)| {
            value.get(name).and_then(|value| fault(inner, value, &format!("{place}.{name}")))
        }),
        "required" => rule.as_array().expect("names").iter().filter_map(Value::as_str).find_map(|name| {
            (value.is_object() && value.get(name).is_none()).then(|| format!("{place}: {name} is missing"))
        }),
        "additionalProperties" => value.as_object().filter(|_| *rule == json!(false)).and_then(|object| {
            object
                .keys()
                .find(|name| schema["properties"].get(name.as_str()).is_none())
                .map(|name| format!("{place}: what is {name}?"))
        }),
        "items" => value
            .as_array()
            .and_then(|values| values.iter().find_map(|value| fault(rule, value, &format!("{place}[]")))),
        "anyOf" => {
            let faults: Option<Vec<String>> =
                rule.as_array().expect("schemas").iter().map(|inner| fault(inner, value, place)).collect();
            faults.map(|faults| faults.join(", or "))
        }
        other => panic!("the validator does not know {other:?}"),
    })
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type: {other}"),
    }
}

/// The schema of a record that was cut down to some fields: none is required then.
fn without_required(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => members
            .iter()
            .filter(|(word, _)| *word != "required")
            .map(|(word, rule)| (word.clone(), without_required(rule)))
            .collect(),
        Value::Array(values) => values.iter().map(without_required).collect(),
        other => other.clone(),
    }
}

/// The last value that a line gives to an option.
fn last<'a>(args: &'a [String], short: &str, long: &str) -> Option<&'a str> {
    let value = |(at, word): (usize, &'a String)| {
        let joined = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
        if word == short || word == long { args.get(at + 1).map(String::as_str) } else { joined }
    };
    args.iter().enumerate().filter_map(value).next_back()
}

/// A JSON text; `None` where it is nested deeper than this reader goes: the schema says nothing of such properties.
#[track_caller]
fn parsed(text: &str, args: &[String]) -> Option<Value> {
    match serde_json::from_str(text) {
        Err(error) if error.to_string().starts_with("recursion limit") => None,
        parsed => Some(parsed.unwrap_or_else(|error| panic!("{error}: {args:?}"))),
    }
}

/// Holds what a command printed as JSON against the schema of its output.
#[track_caller]
pub(crate) fn check(args: &[String], stdout: &str) {
    let format = last(args, "-o", "--output").unwrap_or_default();
    if stdout.is_empty() || !matches!(format, "json" | "ndjson") || last(args, "--jq", "--jq").is_some() {
        return;
    }
    let named = |command: &&Value| {
        let words: Vec<&str> = text(command, "command").split(' ').collect();
        args.windows(words.len()).any(|window| window == words)
    };
    let Some(command) = commands().iter().find(named).filter(|command| !command["output"].is_null()) else { return };
    let mut output = command["output"].clone();
    if last(args, "--fields", "--fields").is_some() {
        output = without_required(&output);
    }
    // A line of NDJSON is an element of the array.
    let texts: Vec<&str> = if format == "json" { vec![stdout] } else { stdout.lines().collect() };
    for value in texts.into_iter().filter_map(|text| parsed(text, args)) {
        let value = if format == "ndjson" && output["type"] == "array" { json!([value]) } else { value };
        assert_eq!(fault(&output, &value, text(command, "command")), None, "{args:?}");
    }
}

fn output(command: &str) -> Value {
    commands()
        .iter()
        .find(|known| text(known, "command") == command)
        .map(|known| known["output"].clone())
        .expect("a command")
}

#[test]
fn a_wrong_type_a_missing_column_and_an_unknown_word_each_fail() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let good = env.line("testtakers import people.csv -q -o json").json();
    let schema = output("testtakers import");
    assert_eq!(fault(&schema, &good, ""), None);
    let planted = |change: &dyn Fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad[0]);
        fault(&schema, &bad, "").unwrap_or_default()
    };
    assert!(planted(&|row| row["projectEntryId"] = "7".into()).contains("none of"));
    assert!(planted(&|row| drop(row.as_object_mut().expect("a row").remove("enrolmentId"))).contains("is missing"));
    assert!(planted(&|row| row["outcome"] = "enroled".into()).contains("unknown word"));
    let mut check = json!([{ "state": "ok", "check": "dns", "found": "x", "todo": null }]);
    assert_eq!(fault(&output("doctor"), &check, ""), None);
    check[0]["more"] = 1.into();
    assert!(fault(&output("doctor"), &check, "").is_some_and(|fault| fault.contains("what is more?")));
    assert!(fault(&output("testtakers list"), &json!([{ "email": 5 }]), "").is_some());
    assert!(fault(&output("results summary"), &json!({}), "").is_some());
    assert!(std::panic::catch_unwind(|| self::check(&["doctor", "-o", "json"].map(str::to_owned), "[{}]")).is_err());
}

#[test]
fn the_schema_has_every_command_and_option_that_help_shows_and_no_other() {
    let env = Env::new();
    for command in commands() {
        let path = text(command, "command");
        let help = env.line(&format!("{path} --help")).data();
        let shown: BTreeSet<String> = help
            .lines()
            .filter(|line| line.starts_with("      --") || (line.starts_with("  -") && !line.starts_with("  --")))
            .filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")))
            .map(|word| word.trim_end_matches(',').to_owned())
            .filter(|word| word != "--help" && !word.ends_with('.'))
            .collect();
        let options = command["options"].as_array().expect("options");
        let known: BTreeSet<String> =
            options.iter().map(|option| text(option, "long").to_owned()).filter(|word| word != "--help").collect();
        // A description that is broken may begin its line with an option of another command.
        let all = [&schema()["globalOptions"]].into_iter().chain(commands().iter().map(|command| &command["options"]));
        let all: BTreeSet<&str> =
            all.flat_map(|all| all.as_array().expect("options")).map(|one| text(one, "long")).collect();
        let more: Vec<_> = shown.difference(&known).filter(|word| !all.contains(word.as_str())).collect();
        assert!(known.is_subset(&shown) && more.is_empty(), "{path}: {known:?} {shown:?}");
        assert!(matches!(text(command, "effect"), "read" | "write" | "destroys" | "local"), "{path}");
    }
    let paths: BTreeSet<&str> = commands().iter().map(|command| text(command, "command")).collect();
    for known in ["testtakers import", "results changes", "links issue", "doctor", "schema", "config init"] {
        assert!(paths.contains(known), "{known}");
    }
}

#[test]
fn a_command_that_a_read_only_profile_refuses_is_none_that_only_reads() {
    let effects = |effect: &str| -> Vec<&str> {
        commands().iter().filter(|known| text(known, "effect") == effect).map(|known| text(known, "command")).collect()
    };
    assert_eq!(
        effects("write"),
        [
            "projects create",
            "testtakers enrol",
            "testtakers import",
            "testtakers update",
            "links issue",
            "redirect-uris add"
        ]
    );
    for destroys in ["testtakers remove", "journal undo", "journal forget", "sandbox reset"] {
        assert!(effects("destroys").contains(&destroys), "{destroys}");
    }
    assert!(effects("read").contains(&"results export"));
}

#[test]
fn exit_codes_are_those_of_the_program_and_a_single_command_can_be_asked_for() {
    let codes: Vec<i64> =
        schema()["exitCodes"].as_array().expect("codes").iter().filter_map(|code| code["code"].as_i64()).collect();
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130, 143] {
        assert!(codes.contains(&code), "{code} in {codes:?}");
    }
    let env = Env::new();
    let one: Value = serde_json::from_str(&env.line("schema links issue").data()).expect("JSON");
    assert_eq!(one["commands"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&one["commands"][0]["printsPeople"], &one["commands"][0]["printsSecrets"]),
        (&json!(true), &json!(true))
    );
    let noun: Value = serde_json::from_str(&env.line("schema results").data()).expect("JSON");
    assert!(noun["commands"].as_array().is_some_and(|all| all.len() > 5));
    let _ = env.line("schema nix").fails(2).mentions("assessctl schema");
}
