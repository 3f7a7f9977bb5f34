//! `doctor`: every check with its mark, broken configurations and silent services, and nothing that is not public.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::harness::{Env, KEY, Said};
use crate::socket::{Answer, Socket};
use crate::tls;
use crate::wire::{PROJECT, fixture, workspace};

/// State and finding of a check, as JSON tells them.
fn told(said: &Said, check: &str) -> (String, String, Value) {
    let all: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("no JSON ({error}):\n{said}"));
    let rows = all.as_array().expect("an array");
    let row = rows.iter().find(|row| row["check"] == check).unwrap_or_else(|| panic!("no {check}:\n{said}"));
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    (text("state"), text("found"), row["todo"].clone())
}

fn state(said: &Said, check: &str) -> String {
    told(said, check).0
}

#[test]
fn a_healthy_sandbox_is_all_marks() {
    let env = Env::sandbox();
    let _ = env.line("doctor").ok();
    let said = env.line("doctor").ok();
    assert!(said.stdout.contains("✓") && !said.stdout.contains("✗"), "{said}");
    for check in ["version", "configuration", "profile", "state", "locks", "sandbox", "service", "clock"] {
        assert!(said.stdout.lines().any(|line| line.contains(check)), "{check}:\n{said}");
    }
}

#[test]
fn a_healthy_service_is_told_with_where_each_value_is_from() {
    let socket = workspace(false);
    let env = Env::new();
    env.configure(&format!(
        "profile = \"north\"\n[profiles.north]\nbase-url = \"{}\"\napi-key = \"{KEY}\"\nproject = \"{PROJECT}\"\n",
        socket.url
    ));
    let said = env.line("doctor -o json").ok().hides(KEY).hides(PROJECT);
    assert_eq!(told(&said, "base-url").1, format!("{} (profile north)", socket.url));
    for check in ["api-key", "project", "dns", "tcp", "service", "results-api", "proxy"] {
        assert_eq!(state(&said, check), "ok", "{check}:\n{said}");
    }
    assert!(socket.writes().is_empty());
}

#[test]
fn a_project_that_is_not_there_is_a_finding() {
    let env = Env::sandbox();
    let said = env.line("doctor -p Nowhere -o json").exits(4);
    let (state_of, found, todo) = told(&said, "project");
    assert_eq!((state_of.as_str(), todo.as_str()), ("error", Some("`assessctl projects list` shows the projects")));
    assert!(!found.is_empty() && said.stdout.matches("\"project\"").count() == 1, "{said}");
    let said = env.line("doctor -p 00000000-0000-4000-8000-000000000000 -o json").exits(4);
    assert_eq!((state(&said, "project").as_str(), state(&said, "results-api").as_str()), ("error", "skipped"));
    let _ = env.line("doctor -p Demo").ok();
}

#[test]
fn a_broken_configuration_is_a_finding() {
    let env = Env::new();
    env.configure("[profiles.north]\nbase_url = \"https://x\"\napi-key = \"canary-key-7f3a\"\n");
    let said = env.line("doctor -o json").exits(2).hides(KEY);
    let (state_of, found, todo) = told(&said, "configuration");
    assert_eq!((state_of.as_str(), todo.as_str()), ("error", Some("did you mean base-url?")));
    assert!(found.contains("config.toml:2:"), "{said}");
    assert_eq!((state(&said, "version").as_str(), state(&said, "dns").as_str()), ("ok", "skipped"));
    let _ = Env::new().line("doctor").exits(2);
}

#[test]
fn a_file_that_is_not_toml_is_corrected_or_moved_away_before_a_profile_is_made() {
    let env = Env::new();
    env.write("w.toml", "[profiles.a\n");
    let said = env.line("doctor -o json --config w.toml").exits(2);
    let todo = "correct it, or move the file away and type `assessctl config init --config w.toml`";
    assert_eq!(told(&said, "configuration").2, todo);
    let init = "config init --config w.toml --name a --base-url https://a.example --no-check";
    let _ = env.line(init).fails(2).mentions("w.toml:1: ");
    std::fs::remove_file(env.work().join("w.toml")).expect("moved away");
    let hint = "hint: `assessctl config init --config w.toml` writes one\n";
    let _ = env.line("projects list --config w.toml").fails(2).mentions(hint);
    let _ = env.line(init).ok();
    assert_eq!(state(&env.line("doctor -o json --config w.toml"), "configuration"), "ok");
}

#[test]
fn of_writing_doctor_says_what_the_profile_says_and_that_the_key_was_not_tried() {
    let served = Env::new().serve(&["--read-only-key", KEY]);
    let env = Env::at(&served.url);
    let said = env.line("doctor -o json").ok();
    let found = "no profile refuses it; whether the key may write was not tried".to_owned();
    assert_eq!(told(&said, "writing"), ("ok".to_owned(), found, Value::Null));
    let _ = env.line("projects create North").fails(3);
}

#[test]
fn nobody_answers_is_told_step_by_step() {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let said = Env::at(&format!("http://{free}")).line("doctor -o json").exits(6);
    assert_eq!((state(&said, "dns").as_str(), state(&said, "tcp").as_str()), ("ok", "error"));
}

/// That a name does not exist is for good; a machine without a resolver can say only that it does not know.
#[test]
fn a_name_that_does_not_exist_is_a_fault_of_the_address() {
    let said = Env::at("https://assess.invalid").line("doctor -o json --deadline 1s");
    let (state, found, _) = told(&said, "dns");
    assert_eq!(state, "error");
    let is_unknown =
        ["not known", "No address associated", "does not resolve"].iter().any(|words| found.contains(words));
    let _ = said.exits(if is_unknown { 2 } else { 6 });
}

#[test]
fn a_certificate_is_shown_whether_it_is_trusted_or_not() {
    for (server, mark) in [(tls::untrusted(), "ok"), (tls::expired(), "warning")] {
        let said = Env::at(&server.url).line("doctor -o json").exits(2);
        let (found_state, found, _) = told(&said, "tls");
        assert!(found.contains("issued by") && found.contains("until"), "{said}");
        assert_eq!((found_state.as_str(), state(&said, "service").as_str()), (mark, "error"), "{said}");
        assert_eq!(server.requests(), 0);
    }
    let server = tls::untrusted();
    let env = Env::at(&server.url);
    env.write("own.pem", &server.certificate);
    let said = env.line("doctor -o json --ca-cert own.pem").ok();
    assert_eq!(state(&said, "service"), "ok");
}

#[test]
fn a_proxy_is_named_without_its_password() {
    let proxy = Socket::always(Answer::new(502, &[], ""));
    let with_password = proxy.url.replace("http://", "http://me:canary@");
    let said = Env::at("https://assess.invalid").with("HTTPS_PROXY", &with_password);
    let said = said.line("doctor -o json --deadline 1s").exits(6).hides("canary");
    assert_eq!(told(&said, "proxy").1, format!("{}, as the environment says", proxy.url.trim_start_matches("http://")));
}

#[test]
fn a_proxy_that_is_not_used_is_told_with_the_reason() {
    let proxy = |variables: &[(&str, &str)]| {
        let env = variables.iter().fold(Env::at("https://assess.invalid"), |env, (name, value)| env.with(name, value));
        let (state, found, _) = told(&env.line("doctor -o json --deadline 1s"), "proxy");
        (state, found)
    };
    let is = |state: &str, found: &str| (state.to_owned(), found.to_owned());
    let named = ("HTTPS_PROXY", "http://127.0.0.1:1");
    assert_eq!(proxy(&[]), is("ok", "none"));
    for hosts in [".invalid", "other.example,assess.invalid", "*"] {
        assert_eq!(proxy(&[named, ("NO_PROXY", hosts)]), is("ok", "none for this host, as NO_PROXY says"));
    }
    assert_eq!(proxy(&[("HTTPS_PROXY", "::canary")]), is("warning", "none: HTTPS_PROXY is no address of one"));
    assert_eq!(proxy(&[("HTTP_PROXY", "::canary")]), is("ok", "none"));
    assert_eq!(
        proxy(&[("all_proxy", "socks5://127.0.0.1:1")]),
        is("error", "socks5 is not spoken: http and https are")
    );
}

#[test]
fn a_refused_key_a_wrong_shape_and_a_wrong_clock_have_something_to_type() {
    let refusing = Socket::always(Answer::problem(401, "canary", "canary of Zoë Müller"));
    let said = Env::at(&refusing.url).line("doctor -o json").exits(3).hides("canary").hides("Müller");
    assert!(told(&said, "service").2.as_str().is_some_and(|todo| todo.contains("key")), "{said}");
    let legacy = Socket::answering(|request, _| match request.path() {
        "/projects" => {
            Answer::new(200, &["Date: Thu, 01 Jan 2015 00:00:00 GMT"], &json!([fixture("project")]).to_string())
        }
        _ => Answer::ok(&json!([fixture("result-legacy")]).to_string()),
    });
    let said = Env::at(&legacy.url).line("doctor -o json").exits(2).hides("Müller");
    assert_eq!(told(&said, "results-api").2, "assessctl config set results-api legacy");
    let (clock, found, _) = told(&said, "clock");
    assert!(clock == "warning" && found.contains("ahead of"), "{said}");
    let said = Env::at(&legacy.url).line("doctor -o json --results-api legacy").ok();
    assert_eq!(state(&said, "results-api"), "ok");
    let without = Env::at(&legacy.url).without("ASSESSCTL_API_KEY").line("doctor -o json").exits(3);
    assert_eq!((state(&without, "api-key").as_str(), state(&without, "tcp").as_str()), ("error", "ok"));
}

#[cfg(unix)]
#[test]
fn permissions_and_the_users_folder_are_looked_after() {
    use std::os::unix::fs::PermissionsExt;
    let env = Env::sandbox();
    let home = env.work().join("../home");
    let state_dir = home.join("zoe-state");
    std::fs::create_dir(&state_dir).expect("a folder");
    std::fs::set_permissions(&state_dir, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let home = home.canonicalize().expect("a folder").display().to_string();
    let env = env.with("HOME", &home).with("ASSESSCTL_STATE_DIR", &format!("{home}/zoe-state"));
    let said = env.line("doctor -o json").ok().hides(&home);
    let (state_of, _, todo) = told(&said, "state");
    assert_eq!((state_of.as_str(), todo), ("warning", json!("chmod 700 ~/zoe-state")));
}

#[test]
fn who_is_at_work_is_named() {
    let silent = Socket::answering(|request, _| match request.path() {
        path if path.ends_with("/testtakers") => Answer::Hang(Vec::new()),
        _ => Answer::ok(&json!([fixture("project")]).to_string()),
    });
    let env = Env::at(&silent.url);
    env.write("people.csv", "email\nann@example.com\n");
    let mut import = env.command(&["testtakers", "import", "people.csv", "-p", PROJECT]).spawn().expect("a run");
    while silent.count(&format!("GET /projects/{PROJECT}/testtakers")) == 0 {
        std::thread::yield_now();
    }
    let said = env.line("doctor -o json --timeout 500ms");
    let (locks, found, _) = told(&said, "locks");
    assert!(locks == "warning" && found.contains(&format!("process {}", import.id())), "{said}");
    import.kill().and_then(|()| import.wait()).expect("an end");
}
