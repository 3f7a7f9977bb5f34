//! Ways by which something could leak, or be written where it must not: each of them closed.

use crate::harness::{Env, KEY};
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::{self, PROJECT, fixture};

/// A title of the window, a cleared screen, a C1 control and a bidi override.
const HOSTILE: &str = "P\u{1b}]0;OWNED\u{7}\u{1b}[2J\u{9b}31m\u{202e}";

#[test]
fn csv_on_a_terminal_goes_through_the_door_and_elsewhere_stays_as_it_is() {
    let mut record = fixture("test-taker");
    record["fullName"] = HOSTILE.into();
    let body = serde_json::Value::Array(vec![record]).to_string();
    let socket = Socket::answering(move |request, _| match request.parameter("page") {
        Some("1") => Answer::ok(&body),
        _ => Answer::ok("[]"),
    });
    let env = Env::at(&socket.url);
    let args = ["testtakers", "list", "-p", PROJECT, "-o", "csv", "--fields", "fullName"];
    let (code, screen) = Terminal::start(&env, 100, &args).ends();
    let raw = String::from_utf8_lossy(&screen.raw);
    assert_eq!(code, 0, "{raw}");
    assert!(!raw.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{raw:?}");
    assert!(raw.contains("OWNED"), "{raw:?}");
    assert_eq!(env.run(&args).data(), format!("fullName\n{HOSTILE}\n"));
}

#[test]
fn links_in_bulk_are_no_way_around_the_door() {
    let mut record = fixture("test-taker");
    record["referenceId"] = HOSTILE.into();
    let body = serde_json::Value::Array(vec![record]).to_string();
    let socket = Socket::answering(move |request, _| match (request.method.as_str(), request.parameter("page")) {
        ("POST", _) => wire::test_link(),
        (_, Some("1")) => Answer::ok(&body),
        _ => Answer::ok("[]"),
    });
    for format in ["csv", "ndjson"] {
        let env = Env::at(&socket.url);
        let args = ["links", "issue", "-p", PROJECT, "--all", "--show", "-o", format];
        let (code, screen) = Terminal::start(&env, 200, &args).ends();
        let raw = String::from_utf8_lossy(&screen.raw);
        assert_eq!(code, 0, "{raw}");
        assert!(raw.contains("OWNED") && !raw.contains("\u{1b}]0"), "{raw:?}");
        assert!(!raw.contains(['\u{9b}', '\u{202e}']), "{raw:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_that_others_can_write_is_not_obeyed() {
    use std::os::unix::fs::PermissionsExt as _;
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::new();
    env.write("key", KEY);
    crate::harness::owner_only(&env.work().join("key"));
    let url = &socket.url;
    env.configure(&format!("profile = \"m\"\n[profiles.m]\nbase-url = \"{url}\"\napi-key-file = \"work/key\"\n"));
    let _ = env.line("projects list").ok();
    let asked = socket.requests().len();
    let file = env.work().with_file_name("config.toml");
    for mode in [0o666, 0o620] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("a mode");
        let _ = env.line("projects list").fails(3).mentions("others can change it").mentions("chmod 600");
        assert!(env.line("doctor").exits(3).stdout.contains("others can change it"));
    }
    assert_eq!(socket.requests().len(), asked, "the key went where others say");
}

#[cfg(unix)]
#[test]
fn a_key_and_a_configuration_of_another_account_are_not_obeyed() {
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::new();
    env.write("key", KEY);
    let (key, file) = (env.work().join("key"), env.work().with_file_name("config.toml"));
    crate::harness::owner_only(&key);
    let url = &socket.url;
    env.configure(&format!("profile = \"m\"\n[profiles.m]\nbase-url = \"{url}\"\napi-key-file = \"work/key\"\n"));
    let _ = env.line("projects list").ok();
    let asked = socket.requests().len();
    for path in [key, file] {
        match std::os::unix::fs::chown(&path, Some(54_321), None) {
            // An account cannot give a file away, but for the administrator's.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return,
            given => given.expect("given away"),
        }
        let _ = env.line("projects list").fails(3).mentions("belongs to another account").mentions("chown");
        std::os::unix::fs::chown(&path, Some(0), None).expect("taken back");
    }
    assert_eq!(socket.requests().len(), asked, "the key went where another account says");
}

#[test]
fn a_profile_is_not_named_by_what_is_no_name() {
    let env = Env::new();
    for file in ["profile = \"canary@example.com\"\n", "[profiles.\"canary@example.com\"]\nproject = \"x\"\n"] {
        env.configure(file);
        let _ = env.line("projects list").fails(2).mentions("a profile's name has").hides("canary");
        let _ = env.line("doctor").exits(2).hides("canary");
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_links_is_for_its_owner_alone_also_where_it_was_not() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email ann@example.com").ok();
    let file = env.write("links.csv", "");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).expect("a mode");
    let _ = env.line("links issue --all --to links.csv").ok();
    assert_eq!(std::fs::metadata(&file).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_a_service_says_of_a_person_is_not_told_while_waiting() {
    let list = format!("[{}]", fixture("test-taker"));
    let socket = Socket::answering(move |request, before| match request.method.as_str() {
        "DELETE" if before < 3 => Answer::problem(503, "busy", "Bob Canary <bob@example.com> is busy"),
        "DELETE" => Answer::new(204, &[], ""),
        _ if request.parameter("page") == Some("1") => Answer::ok(&list),
        _ => Answer::ok("[]"),
    });
    let said = Env::at(&socket.url).line(&format!("testtakers remove id:4711 -p {PROJECT} --yes -v"));
    let _ = said.ok().mentions("503 Service Unavailable").hides("Bob Canary").hides("bob@example.com");
}

#[test]
fn a_page_and_an_encoded_problem_name_no_address_and_no_link_of_another_person() {
    let page = "<html><title>bob@example.com has https://t.example/take/1</title>";
    let encoded = "bob%40example.com%20has%20https%3A%2F%2Ft.example%2Ftake%2F1";
    for status in [200, 400, 403, 500] {
        let html = Answer::new(status, &["Content-Type: text/html"], page);
        for answer in [html, Answer::problem(status, "No", encoded)] {
            let socket = Socket::answering(move |request, _| match request.method.as_str() {
                "GET" => Answer::ok("[]"),
                _ => answer.clone(),
            });
            for more in ["", "-v", "--errors json"] {
                let line = format!("links issue id:1 -p {PROJECT} --deadline 2s {more}");
                let said = Env::at(&socket.url).line(&line);
                assert!(said.code != 0, "{said}");
                let _ = said.hides("bob").hides("t.example").hides("take/");
            }
        }
    }
}

#[test]
fn doctor_repeats_no_title_of_a_page() {
    let page = "<html><title>Welcome zoe@example.com</title>";
    let socket = Socket::always(Answer::new(200, &["Content-Type: text/html"], page));
    let said = Env::at(&socket.url).line("doctor");
    assert_eq!(said.code, 2, "{said}");
    let _ = said.hides("zoe@example.com");
}

#[test]
fn a_roster_that_begins_with_a_person_is_not_repeated() {
    let env = Env::sandbox();
    env.write("people.csv", "R1,Zoe,Canary\nR2,Bob,X\n");
    for command in ["import people.csv", "remove --file people.csv --yes", "update --file people.csv"] {
        let said = env.line(&format!("testtakers {command}")).fails(5).mentions("has no header");
        let _ = said.hides("Zoe").hides("Canary").hides("R1");
    }
    // An option that names a column which is not there lists the columns only where they are headers.
    for option in ["--map Nr=email", "--ignore-column Notes", "--birth-date Born"] {
        let said = env.line(&format!("testtakers import people.csv {option}")).fails(2);
        let _ = said.mentions("its first line names none of the fields").hides("Zoe").hides("Canary").hides("R1");
    }
    env.write("site.csv", "Nummer,Standort\nR1,Nord\n");
    let said = env.line("testtakers import site.csv --map Nummer=referenceId --map Mail=email").fails(2);
    let _ = said.mentions("its columns are Nummer, Standort");
}

#[test]
fn a_read_only_profile_refuses_undo_before_it_asks_anybody() {
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::new();
    env.configure(&format!("profile = \"m\"\n[profiles.m]\nbase-url = \"{}\"\nread-only = true\n", socket.url));
    env.write("people.csv", "email\nann@example.com\n");
    let env = env.with("ASSESSCTL_API_KEY", KEY);
    let _ = env.line("journal undo people.csv --yes -p Demo").fails(2).mentions("read-only");
    assert_eq!(socket.requests().len(), 0);
}

#[test]
fn a_file_without_certificates_is_no_authority() {
    let env = Env::at("https://127.0.0.1:9");
    env.write("none.pem", "nothing\n");
    for file in ["none.pem", "nowhere.pem"] {
        let _ = env.line(&format!("projects list --ca-cert {file}")).fails(2).mentions(file).mentions("PEM");
    }
}

#[test]
fn a_profile_that_allows_http_allows_it_for_its_own_address_alone() {
    let env = Env::new().with("ASSESSCTL_API_KEY", KEY);
    env.configure("profile = \"m\"\n[profiles.m]\nbase-url = \"http://inside.invalid\"\nallow-http = true\n");
    let _ = env.line("config show").ok();
    let _ = env.line("projects list --base-url http://elsewhere.invalid").fails(2).mentions("plain http");
}

#[test]
fn why_a_run_stops_is_said_without_the_services_words_about_people() {
    let person = |id: &str| format!(r#"{{"id":{},"email":"{id}@b","referenceId":"CANARY-{id}"}}"#, id.len());
    let list = format!("[{},{},{}]", person("a"), person("bb"), person("ccc"));
    let socket = Socket::answering(move |request, _| match (request.method.as_str(), request.parameter("page")) {
        ("GET", Some("1")) => Answer::ok(&list),
        ("GET", _) => Answer::ok("[]"),
        _ => Answer::new(429, &["Retry-After: 3600"], r#"{"title":"Slow down","detail":"CANARY-NAME is busy"}"#),
    });
    let env = Env::at(&socket.url);
    env.write("leavers.csv", "referenceId\nCANARY-a\nCANARY-bb\nCANARY-ccc\n");
    let line = format!("testtakers remove --file leavers.csv -p {PROJECT} --yes --report report.csv");
    let said = env.line(&line).exits(6).mentions("stopped with 3 not attempted: 429");
    assert!(!said.stderr.contains("CANARY"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_file_that_is_not_ours_to_continue_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email a@example.com").ok();
    let other = env.write("other.csv", "something,else\n1,2\n");
    std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    let _ = env.line("links issue --all --to other.csv").fails(2).mentions("another format");
    let mode = std::fs::metadata(&other).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
}
