//! Canaries: a key, a link and a person that must turn up nowhere but where the user asked for them, in every command, told
//! at length, with faults.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::env::{Env, KEY};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::{Answer, PROJECT, fixture};

/// What tells the person: e-mail, names, reference id.
const PERSON: [&str; 4] = ["canary.mail", "Canaryfirst", "Canarylast", "CANARY-REF"];

/// Every command, and whether its data is about the person.
const COMMANDS: [(&str, bool); 52] = [
    ("sandbox seed --people 2", false),
    ("sandbox set ref:CANARY-REF --result HighRisk", false),
    ("sandbox reset --yes", false),
    ("results summary", false),
    ("results list --all-projects", true),
    ("results export --to list.csv", false),
    ("results export --all-projects --to list.csv --fail-on flagged", false),
    ("results changes --as canary-reader --dry-run", true),
    ("results changes --as canary-reader --to list.csv", false),
    ("results report --to list.csv", false),
    ("testtakers list", true),
    ("testtakers list --filter canary.mail -o json", true),
    ("testtakers list --reference-id CANARY-REF -o csv", true),
    ("testtakers list --to list.csv", false),
    ("testtakers get ref:CANARY-REF", true),
    ("testtakers get CANARY-REF canary.mail@example.com id:4711 -o json", true),
    ("testtakers get email:nobody.canary.mail@example.com", false),
    ("testtakers get NOBODY-2", false),
    ("results list", true),
    ("results list --flagged --fail-on HighRisk", true),
    ("results list --to list.csv --limit 1", false),
    ("results get CANARY-REF", true),
    ("results get email:canary.mail@example.com --fail-on flagged", true),
    ("results get NOBODY-2", false),
    ("projects list", false),
    ("projects get {P}", false),
    ("projects get canary.mail", false),
    ("projects create Depot", false),
    ("redirect-uris list", false),
    ("redirect-uris add https://hr.example.com/y", false),
    ("config set output csv --profile main", false),
    ("config set project {P} --profile main", false),
    ("config show --profile main", false),
    ("config use main", false),
    ("config unset output --profile main", false),
    ("doctor --profile main", false),
    ("config init --profile main", false),
    ("config remove main --yes", false),
    ("completions bash", false),
    ("man", false),
    ("testtakers enrol --email canary.mail@example.com --reference-id CANARY-REF --no-wait", false),
    ("testtakers import list.csv --no-wait", false),
    ("testtakers check list.csv", false),
    ("testtakers sync list.csv --dry-run", false),
    ("testtakers update ref:CANARY-REF --first-name Other", false),
    ("testtakers remove ref:NOBODY-2 --yes", true),
    ("links issue ref:NOBODY-2", false),
    ("journal list", false),
    ("journal show", false),
    ("journal undo list.csv --yes", false),
    ("journal forget --all --yes", false),
    ("testtakers list -q", false),
];

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.map(|entry| entry.expect("an entry").path()).flat_map(below).collect()
}

fn stage(faults: bool) -> (Service, Env) {
    let mut record = fixture("test-taker");
    for (field, value) in ["firstName", "lastName", "referenceId"].into_iter().zip(&PERSON[1..]) {
        record[field] = json!(value);
    }
    record["email"] = json!("canary.mail@example.com");
    record["fullName"] = json!("Canaryfirst Canarylast");
    let mut service = Service::start().of([record]);
    if faults {
        // A plain-letter name of somebody whom the request is not about would pass.
        let told = "canary.mail@example.com of https://tests.example/t/canary (Canary1st)";
        for op in [Op::TestTakers, Op::LookUp, Op::Results, Op::Result, Op::Projects, Op::AddUris, Op::CreateProject] {
            service = service
                .on(op, When::Share(0.3, 3), Trouble::Answer(Answer::problem(500, "Internal", told)))
                .on(op, When::Share(0.2, 5), Trouble::Truncate)
                .on(op, When::Share(0.2, 7), Trouble::Answer(Answer::problem(422, told, told)))
                .on(op, When::Share(0.1, 9), Trouble::CloseBefore);
        }
        let about = |reference: &str| Answer::problem(422, reference, "the test taker CANARY-REF is odd");
        service = service
            .with(move |request, _| request.path().ends_with("/results/CANARY-REF").then(|| about("CANARY-REF")));
    }
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    std::fs::create_dir(env.place("tmp")).expect("a folder");
    let place = env.place("tmp");
    (service, env.with("TMPDIR", place))
}

#[test]
fn no_canary_turns_up_where_nobody_asked_for_it() {
    for faults in [false, true] {
        let (_service, env) = stage(faults);
        for (command, is_about) in COMMANDS {
            let said = env.line(&format!("{} -v", command.replace("{P}", PROJECT)));
            let silent = |text: &str, words: &[&str], stream: &str| {
                for word in words {
                    assert!(!text.contains(word), "{word} in the {stream} of {command} (faults: {faults}):\n{said}");
                }
            };
            silent(&said.stderr, &PERSON, "talk");
            silent(&said.stderr, &[KEY, "?page", "tests.example"], "talk");
            silent(&said.stdout, &[KEY], "data");
            if !is_about {
                silent(&said.stdout, &PERSON, "data");
            }
            for file in files(&env.place("state")).into_iter().chain(files(&env.place("tmp"))) {
                let text = String::from_utf8_lossy(&std::fs::read(&file).expect("a file")).into_owned();
                silent(&text, &[&PERSON[..], &[KEY]].concat(), &file.display().to_string());
            }
        }
        let names: Vec<_> =
            files(&env.work()).iter().map(|path| path.file_name().map(std::ffi::OsStr::to_os_string)).collect();
        assert!(names.iter().flatten().all(|name| name == "list.csv"), "{names:?}");
    }
}

#[test]
fn talk_at_length_shows_the_status_and_no_key_id_query_or_uri() {
    let (service, env) = stage(false);
    for (command, status) in [
        ("projects list --filter canary-filter", 200),
        ("results get CANARY-REF", 200),
        ("redirect-uris add https://canary-uri.example", 200),
        ("testtakers enrol --email canary-new@example.com", 201),
        ("testtakers remove CANARY-REF --yes", 204),
    ] {
        let said = env.line(&format!("{command} -v")).ok();
        // The summary names the project as it was asked for.
        let requests: Vec<_> = said.stderr.lines().filter(|line| line.ends_with(" ms")).collect();
        for secret in [KEY, "CANARY-REF", "canary-filter", "canary-uri", "canary-new", PROJECT] {
            assert!(!requests.iter().any(|line| line.contains(secret)), "{command}: {secret} in\n{said}");
        }
        assert!(said.stderr.contains(&format!(": {status}, ")), "{command}: -v shows the status:\n{said}");
    }
    assert!(service.log().len() > 3);
}

#[test]
fn every_command_is_searched_for_canaries() {
    for (command, page) in crate::help::pages(80) {
        let is_noun = command.is_empty() || page.contains("\nCommands:\n");
        let is_known = COMMANDS.iter().any(|(known, _)| known.starts_with(&command))
            || ["projects link", "sandbox serve"].contains(&command.as_str());
        assert!(is_noun || is_known, "{command} is not searched for canaries");
    }
}

/// A service that names the person in every refusal, and a run over people of a file.
#[test]
fn no_person_of_a_roster_is_named_in_talk_whatever_the_service_says() {
    let told = "canary.mail@example.com is CANARY-REF (Canaryfirst Canarylast)";
    for (op, line) in [
        (Op::Enrol, "testtakers import people.csv --no-wait"),
        (Op::Enrol, "testtakers enrol --email canary.mail@example.com --reference-id CANARY-REF --no-wait"),
        (Op::Update, "testtakers update --file people.csv"),
        (Op::Update, "testtakers import people.csv --on-existing update"),
        (Op::Remove, "testtakers remove --file people.csv --yes"),
        (Op::Link, "links issue --file people.csv --to list.csv"),
    ] {
        for status in [400, 409, 401] {
            let (service, env) = stage(false);
            if op == Op::Enrol {
                service.held().people.clear();
            }
            let _service = service.on(op, When::Always, Trouble::Answer(Answer::problem(status, told, told)));
            let head = "email,firstName,lastName,referenceId";
            env.write("people.csv", format!("{head}\ncanary.mail@example.com,Canaryfirst,Other,CANARY-REF\n"));
            let said = env.line(&format!("{line} -v"));
            assert_ne!(said.code, 0, "{line}, {status}: {said}");
            for word in PERSON.iter().chain([&KEY]) {
                assert!(!said.stderr.contains(word), "{line}, {status}: {word} in the talk:\n{said}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn files_that_are_still_being_written_are_their_owners_alone_too() {
    use crate::support::service::gate;
    use std::os::unix::fs::PermissionsExt as _;
    let (gate, waiting) = gate();
    let service = Service::start().with_people(3).on(Op::Link, When::Nth(2), Trouble::Gate(gate));
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    let script = "umask 000; exec assessctl links issue --all --to links.csv --concurrency 1";
    let child = crate::support::shell::command(&env, script).spawn().expect("started");
    waiting.arrived.recv().expect("one link is on disk");
    let found = [files(&env.work()), files(&env.place("state"))].concat();
    assert!(found.len() >= 3, "{found:?}");
    for file in found {
        let mode = std::fs::metadata(&file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.display());
    }
    drop(waiting);
    let _ = crate::import::end_of(child).ok();
}

/// A machine with a folder that another account shares; `None`, and said, where this account cannot act as two.
#[cfg(target_os = "linux")]
fn shared() -> Option<(Service, Env)> {
    let (service, env) = stage(false);
    env.write("people.csv", "email,referenceId\nann@example.com,A-1\nno,A-2\n");
    std::fs::create_dir(env.work().join("shared")).expect("a folder");
    if std::os::unix::fs::chown(env.work().join("shared"), STRANGER, STRANGER).is_err() {
        crate::support::env::cannot_run("acting as two accounts needs root");
        return None;
    }
    Some((service, env))
}

#[cfg(target_os = "linux")]
const STRANGER: Option<u32> = Some(4002);

/// Each option that names a file to write, with a line that would write into it.
#[cfg(target_os = "linux")]
const WRITING: [&str; 8] = [
    "testtakers list -o csv --to shared/out.csv",
    "results list -o csv --to shared/out.csv",
    "results export -o csv --to shared/out.csv",
    "results report --to shared/out.csv",
    "results changes --as x -o csv --to shared/out.csv",
    "links issue --all -o csv --to shared/out.csv",
    "testtakers import people.csv --skip-invalid --no-wait --failed-out shared/out.csv",
    "testtakers sync people.csv --skip-invalid --failed-out shared/out.csv",
];

#[cfg(target_os = "linux")]
#[test]
fn no_option_writes_to_the_pipe_or_through_the_link_of_another_account() {
    use std::os::unix::fs::{lchown, symlink};
    let Some((service, env)) = shared() else { return };
    env.write("precious", "mine\n");
    let at = env.work().join("shared/out.csv");
    for kind in ["pipe", "link", "dead link"] {
        let before = service.writes().len();
        match kind {
            "pipe" => _ = crate::support::shell::run(&env, "mkfifo -m 666 shared/out.csv").data(),
            "link" => symlink(env.work().join("precious"), &at).expect("a link"),
            _ => symlink(env.work().join("new"), &at).expect("a link"),
        }
        lchown(&at, STRANGER, STRANGER).expect("given away");
        for line in WRITING {
            // A pipe is opened when there is something to write.
            let _ = env.line(line).exits(if kind == "pipe" { 1 } else { 2 }).hides("canary.mail");
        }
        let is_silent = service.writes().len() == before;
        assert!(kind == "pipe" || is_silent, "{kind}: it is looked at before anything is sent");
        std::fs::remove_file(&at).expect("removed");
    }
    assert_eq!((env.read("precious").as_str(), env.work().join("new").exists()), ("mine\n", false));
}

#[cfg(target_os = "linux")]
#[test]
fn a_state_folder_or_configuration_of_another_account_is_not_obeyed() {
    let Some((service, env)) = shared() else { return };
    let script = "mkdir -m 700 ../theirs && cp ../config/assessctl/config.toml ../theirs/ && chown -R 4002 ../theirs";
    env.configure("[profiles.main]\noutput = \"json\"\n");
    let _ = crate::support::shell::run(&env, script).data();
    let theirs = env.place("theirs");
    let other = env.line_with(
        "ASSESSCTL_STATE_DIR",
        &theirs.display().to_string(),
        "testtakers import people.csv --skip-invalid",
    );
    let _ = other.fails(2);
    let _ = env.line(&format!("projects list --config {}", theirs.join("config.toml").display())).fails(2);
    assert_eq!(service.log().len(), 0);
    // A colleague's roster is a roster.
    let _ = crate::support::shell::run(&env, "chown 4002 people.csv").data();
    let _ = env.line("testtakers import people.csv --skip-invalid").exits(10);
}
