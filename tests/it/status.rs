//! `--status`: written at every end, read by a strict parser of the Prometheus text format; no person in it.

use std::collections::{BTreeMap, BTreeSet};

use crate::harness::{Env, finish, terminate};
use crate::socket::{Answer, Socket};

/// Samples of a text, by metric and labels; fails on whatever the format's documentation does not allow: a sample before
/// its TYPE, a second TYPE, groups that are torn apart, names, labels, escapes and values of another form.
fn samples(text: &str) -> BTreeMap<(String, BTreeMap<String, String>), f64> {
    assert!(text.ends_with('\n'), "the last line must end");
    let name = regex::Regex::new("^[a-zA-Z_:][a-zA-Z0-9_:]*$").expect("a pattern");
    let sample =
        regex::Regex::new(r#"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+0-9.eE]+|NaN|[+-]Inf)$"#).expect("a pattern");
    let pair = regex::Regex::new(r#"^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)"#).expect("a pattern");
    let (mut found, mut typed, mut current) = (BTreeMap::new(), BTreeSet::new(), String::new());
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            assert!(name.is_match(rest.split(' ').next().unwrap_or_default()), "{line}");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (metric, kind) = rest.split_once(' ').expect("a name and a type");
            assert!(name.is_match(metric) && kind == "gauge" && typed.insert(metric.to_owned()), "{line}");
            metric.clone_into(&mut current);
        } else {
            let parts = sample.captures(line).unwrap_or_else(|| panic!("no sample: {line}"));
            assert_eq!(&parts[1], current, "a sample stands below the TYPE of its metric: {line}");
            let (mut rest, mut labels) = (parts.get(2).map_or("", |labels| labels.as_str()), BTreeMap::new());
            while !rest.is_empty() {
                let label = pair.captures(rest).unwrap_or_else(|| panic!("no label: {rest} in {line}"));
                assert!(labels.insert(label[1].to_owned(), label[2].to_owned()).is_none(), "{line}");
                rest = &rest[label[0].len()..];
            }
            let value = parts[3].parse().unwrap_or_else(|_| panic!("no number: {line}"));
            assert!(found.insert((parts[1].to_owned(), labels), value).is_none(), "twice: {line}");
        }
    }
    found
}

/// The value of a metric of a run, and of what it counts where that is named.
fn value(text: &str, metric: &str, what: Option<&str>) -> Option<f64> {
    let all = samples(text);
    let found = all.iter().find(|((name, labels), _)| name == metric && labels.get("what").map(String::as_str) == what);
    found.map(|(_, value)| *value)
}

#[test]
fn the_parser_sees_what_is_wrong() {
    for bad in [
        "a 1",
        "a 1\n",
        "# TYPE a gauge\nb 1\n",
        "# TYPE a gauge\na{x=\"\"\"} 1\n",
        "# TYPE a gauge\na one\n",
        "# TYPE a gauge\na 1\na 2\n",
        "# TYPE a gauge\na 1\n# TYPE a gauge\n",
    ] {
        assert!(std::panic::catch_unwind(|| samples(bad)).is_err(), "{bad}");
    }
    assert_eq!(samples("# HELP a b c\n# TYPE a gauge\na{x=\"\\\"\",y=\"\"} 1.5\n").len(), 1);
}

#[test]
fn an_import_says_how_it_ended_and_when_one_last_worked() {
    let env = Env::sandbox();
    env.write("people.csv", "email,firstName,referenceId\nann.canary@example.com,Anncanary,A\nbob@example.com,Bob,B\n");
    let _ = env.line("testtakers import people.csv -q --status import.prom").ok();
    let text = env.read("import.prom");
    assert!(!text.contains("canary") && !text.contains("Demo"), "{text}");
    assert_eq!(value(&text, "assessctl_last_run_exit_code", None), Some(0.0));
    assert_eq!(value(&text, "assessctl_last_run_count", Some("enrolled")), Some(2.0));
    let worked = value(&text, "assessctl_last_success_timestamp_seconds", None).expect("a time");
    assert_eq!(value(&text, "assessctl_last_run_timestamp_seconds", None), Some(worked));
    let labels = samples(&text).into_keys().next().expect("a sample").1;
    assert_eq!((labels["command"].as_str(), labels["name"].as_str()), ("testtakers import", "import"));
    // A run that fails keeps when one last worked, also before anything was asked.
    env.write("people.csv", "email\nann\n");
    let _ = env.line("testtakers import people.csv --status import.prom").exits(5);
    let text = env.read("import.prom");
    assert_eq!(value(&text, "assessctl_last_run_exit_code", None), Some(5.0));
    assert_eq!(value(&text, "assessctl_last_success_timestamp_seconds", None), Some(worked));
    let _ = env.line("testtakers import people.csv --status import.prom --profile nix").exits(2);
    assert_eq!(value(&env.read("import.prom"), "assessctl_last_run_exit_code", None), Some(2.0));
}

#[test]
fn who_joined_is_told_from_who_was_enrolled_by_an_earlier_run() {
    let env = Env::sandbox();
    let (head, two, third) = ("email,referenceId\n", "ann@example.com,A\nbob@example.com,B\n", "cy@example.com,C\n");
    env.write("people.csv", [head, two].concat());
    let counts = |env: &Env| {
        let _ = env.line("testtakers import people.csv -q --status import.json").ok();
        serde_json::from_str::<serde_json::Value>(&env.read("import.json")).expect("JSON")["counts"].clone()
    };
    assert_eq!(counts(&env), serde_json::json!({"rows": 2, "enrolled": 2}));
    env.write("people.csv", [head, two, third].concat());
    assert_eq!(counts(&env), serde_json::json!({"rows": 3, "enrolled": 3, "enrolled-earlier": 2}));
}

#[test]
fn exports_and_changes_say_it_as_json() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let _ = env.line("testtakers import people.csv -q").ok();
    let _ = env.line("sandbox set ref:A --result HighRisk").ok();
    let read = |name: &str| -> serde_json::Value { serde_json::from_str(&env.read(name)).expect("JSON") };
    let _ = env.line("results export --to results.csv --status export.json").ok();
    let status = read("export.json");
    assert_eq!((&status["exitCode"], &status["finished"]), (&0.into(), &true.into()));
    assert_eq!((&status["counts"]["results"], &status["counts"]["projects"]), (&1.into(), &1.into()), "{status}");
    assert_eq!(status["command"], "results export");
    assert_eq!(status["lastSuccessUtc"], status["endedUtc"]);
    let line = "results changes --as cron --fail-on HighRisk -o csv --to changes.csv --status changes.json";
    let _ = env.line(line).exits(8);
    let status = read("changes.json");
    assert_eq!((&status["exitCode"], &status["finished"]), (&8.into(), &true.into()));
    assert_eq!((&status["counts"]["changes"], &status["counts"]["alerts"]), (&1.into(), &1.into()), "{status}");
    let _ = env.line(line).ok();
    assert_eq!(read("changes.json")["exitCode"], 0);
    let _ =
        env.line("results export --to results.csv --status export.json --deadline 1s --max-records 1 -p Nix").exits(4);
    let failed = read("export.json");
    assert_eq!((&failed["exitCode"], &failed["finished"]), (&4.into(), &false.into()));
    assert!(failed["lastSuccessUtc"].is_string() && failed["lastSuccessUtc"] != failed["endedUtc"], "{failed}");
}

#[cfg(unix)]
#[test]
fn an_export_that_is_interrupted_says_so() {
    // The first answer never ends, so the run is at work until it is asked to end.
    let socket = Socket::always(Answer::Hang(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[".to_vec()));
    let env = Env::at(&socket.url);
    let args = ["results", "export", "-p", crate::wire::PROJECT, "--to", "results.csv", "--status", "export.json"];
    let child = env.command(&args).spawn().expect("the program starts");
    while socket.requests().is_empty() {
        std::thread::yield_now();
    }
    terminate(&child);
    let said = finish(child, b"").exits(143);
    assert!(said.stdout.is_empty() && !env.work().join("results.csv").exists());
    let status: serde_json::Value = serde_json::from_str(&env.read("export.json")).expect("JSON");
    assert_eq!(
        (&status["exitCode"], &status["finished"], &status["lastSuccessUtc"]),
        (&143.into(), &false.into(), &serde_json::Value::Null)
    );
}

#[test]
fn a_file_that_cannot_be_meant_is_refused_before_anything_is_sent() {
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::at(&socket.url);
    env.write("people.csv", "email\nann@example.com\n");
    for (line, why) in [
        ("testtakers import people.csv -p X --status status.txt", ".json or .prom"),
        ("testtakers import people.csv -p X --status nix/status.json", "folder"),
        ("testtakers list -p X --status status.json", "does nothing for this command"),
        ("config show --status status.json", "does nothing for this command"),
    ] {
        let _ = env.line(line).fails(2).mentions(why);
    }
    assert!(socket.requests().is_empty());
}

#[test]
fn a_status_in_the_place_of_another_file_of_the_command_is_refused_before_anything_is_asked() {
    let env = Env::sandbox();
    env.write("people.csv", "email\nann@example.com\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("people.csv", env.work().join("link.json")).expect("a link");
    let here = env.work().join("x.json").display().to_string();
    for line in [
        "results export --to x.json --status ./x.json",
        &format!("results changes --as m -o json --to {here} --status x.json"),
        "testtakers import people.csv -o json --to x.json --status x.json",
        "testtakers import people.csv --report x.json --status x.json",
        "testtakers import people.csv --failed-out x.json --status x.json",
        #[cfg(unix)]
        "testtakers import people.csv --status link.json",
    ] {
        let said = env.line(line).fails(2).mentions("which the command reads or writes as well");
        let _ = said.mentions("hint: give each a file of its own");
    }
    assert!(!env.work().join("x.json").exists() && env.read("people.csv").starts_with("email"));
    let _ = env.line("results export --to x.json --status y.json").ok();
}
