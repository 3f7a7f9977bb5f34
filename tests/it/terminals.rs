//! What a person reads: tables that fit, ids that are whole, colours that can be turned off, and text that is only text.

use serde_json::json;

use crate::support::env::Env;
use crate::support::service::Service;
use crate::support::terminal::Terminal;
use crate::support::wire::{PROJECT, fixture};
use crate::support::workspace::person;

#[test]
fn a_table_fits_the_terminal_and_no_id_is_cut() {
    let long = |id: i64| {
        let mut one = person(id);
        one["referenceId"] = json!(format!("{}-{id}", "SITE-NORTH".repeat(usize::try_from(id % 4).expect("small"))));
        one["fullName"] = json!("Zoë 山田太郎 🚒 ".repeat(usize::try_from(id % 3).expect("small")));
        one
    };
    let service = Service::start().of((4_000_001..4_000_012).map(long));
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    for columns in [60, 80, 100, 140] {
        for command in ["testtakers list", "results list", "results get id:4000003 id:4000007", "projects list"] {
            let (code, screen) = Terminal::start(&env, columns, &crate::support::env::words(command)).ends();
            let text = screen.text();
            assert_eq!(code, 0, "{text}");
            assert!(!screen.wraps(), "{command} at {columns}:\n{text}");
            let ids = if command.starts_with("projects") { vec![PROJECT] } else { vec!["4000003", "4000007"] };
            assert!(ids.iter().all(|id| text.contains(id)), "{command} at {columns}:\n{text}");
        }
    }
}

#[test]
fn whatever_a_service_sends_is_only_text_on_a_terminal() {
    let evil = "\u{1b}[2J\u{1b}]0;owned\u{7}a\u{202e}b\u{200b}\r\n\u{9b}31m\u{85}c";
    let mut record = fixture("test-taker");
    for field in ["email", "firstName", "lastName", "fullName", "referenceId", "result"] {
        record[field] = json!(evil);
    }
    let mut project = fixture("project");
    project["name"] = json!(evil);
    project["id"] = json!("00000000-0000-4000-8000-000000000009");
    let service = Service::start().of([record]);
    service.held().projects.push(project);
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT).with("NO_COLOR", "1");
    for format in ["table", "csv", "json", "ndjson"] {
        for command in ["testtakers list", "results list", "projects list"] {
            let args = crate::support::env::words(&format!("{command} -o {format}"));
            let (code, screen) = Terminal::start(&env, 140, &args).ends();
            let raw = String::from_utf8_lossy(&screen.raw).into_owned();
            // The progress line erases itself.
            let told = raw.replace("\u{1b}[2K", "").replace("\u{1b}[?25l", "").replace("\u{1b}[?25h", "");
            assert_eq!(code, 0, "{}", screen.text());
            let bad = ['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}', '\u{85}'];
            assert!(!told.contains(bad), "{command} -o {format}: {told:?}");
        }
        // In a file CSV is exact, and so is JSON once it is read.
        let exact = env.line(&format!("testtakers list -o {format}")).ok().stdout;
        assert!(format != "csv" || exact.contains(evil), "{exact:?}");
    }
}

#[test]
fn colours_are_for_terminals_and_can_be_turned_off() {
    let service = Service::start().with_people(2);
    let colours = |env: &Env, more: &str| {
        let args = crate::support::env::words(&format!("results list -p {PROJECT} -o table {more}"));
        let (code, screen) = Terminal::start(env, 120, &args).ends();
        assert_eq!(code, 0, "{}", screen.text());
        // A colour or a weight, whichever.
        String::from_utf8_lossy(&screen.raw)
            .split("\u{1b}[")
            .skip(1)
            .any(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m'))
    };
    let env = || Env::at(&service.url);
    assert!(colours(&env(), ""), "HighRisk stands out");
    assert!(!colours(&env(), "--color never"));
    assert!(!colours(&env().with("NO_COLOR", "1"), ""));
    assert!(!colours(&env().with("TERM", "dumb"), ""));
    let piped =
        |more: &str| env().line(&format!("results list -p {PROJECT} -o table {more}")).ok().stdout.contains('\u{1b}');
    assert!(!piped("") && piped("--color always"));
    let forced = env().with("CLICOLOR_FORCE", "1").line(&format!("results list -p {PROJECT} -o table")).ok();
    assert!(forced.stdout.contains('\u{1b}'), "{forced}");
}

#[test]
fn a_terminal_is_told_what_was_done_and_what_an_empty_list_means() {
    let service = Service::start();
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    for command in
        ["testtakers list", "testtakers list --filter nobody", "results list --flagged", "projects create Depot"]
    {
        let (code, screen) = Terminal::start(&env, 80, &crate::support::env::words(command)).ends();
        let text = screen.text();
        assert!(code == 0 && !text.trim().is_empty() && !screen.wraps(), "{command}: {text}");
    }
}

#[test]
fn a_record_is_a_block_of_lines_where_its_ids_do_not_fit() {
    let long = |id: i64| {
        let mut one = person(id);
        one["referenceId"] = json!(format!("SITE-NORTH-SHIFT-TWO-EMPLOYEE-{id:012}"));
        one
    };
    let service = Service::start().of((1..3).map(long));
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    for (columns, is_table) in [(40, false), (140, true)] {
        let (code, screen) = Terminal::start(&env, columns, &["results", "list"]).ends();
        let text = screen.text();
        let begin = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
        assert!(code == 0 && (is_table || begin("referenceId") == 2), "{columns}:\n{text}");
        assert_eq!(is_table, begin("id  ") == 1 && text.lines().count() == 3, "{columns}:\n{text}");
    }
}

#[test]
fn a_question_is_asked_at_a_terminal_only() {
    let env = Env::new().with("NO_COLOR", "1");
    let file = env.place("config/assessctl/config.toml");
    for (columns, answer, code) in [(60, "n\r", 130), (140, "\r", 130), (80, "yes\r", 0)] {
        env.configure("[profiles.night]\n");
        let mut terminal = Terminal::start(&env, columns, &["config", "remove", "night"]);
        terminal.shows("[y/N]").types(answer);
        let (ended, screen) = terminal.ends();
        assert_eq!(ended, code, "{}", screen.text());
        assert!(!String::from_utf8_lossy(&screen.raw).contains('\u{1b}'), "no colours: {}", screen.text());
        let is_there = std::fs::read_to_string(&file).expect("a file").contains("night");
        assert_eq!(is_there, code != 0);
    }
    // Without a terminal nothing is asked, and nothing waits for an answer.
    env.configure("[profiles.night]\n");
    let _ = env.run_with(&["config", "remove", "night"], b"y\n").fails(2).names("--yes");
    let _ = env.line("config init").fails(2);
    let _ = env.line("config remove night --yes").data();
}

#[test]
fn rosters_their_names_links_and_questions_are_only_text_on_a_terminal() {
    let evil = "\u{1b}]0;owned\u{7}a\u{202e}b\u{9b}31m";
    let mut project = fixture("project");
    (project["name"], project["id"]) = (json!(evil), json!("3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691"));
    let service = Service::start();
    service.held().projects.push(project);
    let mut record = person(1);
    (record["email"], record["fullName"]) = (json!(evil), json!(evil));
    service.held().add_to("3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691", record);
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", evil).with("NO_COLOR", "1");
    let file = format!("{evil}.csv");
    env.write(&file, format!("email,{evil}\nann@example.com,{evil}\n{evil},\n"));
    let lines = [
        (vec!["testtakers", "check", &file], "", 5),
        (vec!["testtakers", "import", &file, "--skip-invalid", "-o", "table"], "", 10),
        (vec!["testtakers", "sync", &file], "", 5),
        (vec!["links", "issue", "--all", "--to", "-", "-o", "table"], "", 0),
        (vec!["testtakers", "remove", "id:1"], "n\r", 130),
        (vec!["testtakers", "remove", "id:1"], "y\r", 0),
    ];
    for (args, keys, code) in lines {
        let mut terminal = Terminal::start(&env, 140, &args);
        if !keys.is_empty() {
            terminal.shows("[y/N]").types(keys);
        }
        let (ended, screen) = terminal.ends();
        let raw = String::from_utf8_lossy(&screen.raw).into_owned();
        // The progress line erases itself.
        let told = raw.replace("\u{1b}[2K", "").replace("\u{1b}[?25l", "").replace("\u{1b}[?25h", "");
        assert_eq!(ended, code, "{args:?}: {told:?}");
        assert!(!told.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{args:?}: {told:?}");
        assert_eq!(service.held().people.iter().any(|one| one.record["id"] == 1), keys != "y\r");
    }
}
