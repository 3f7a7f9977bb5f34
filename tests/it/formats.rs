//! How records are shown: columns, widths, control characters, files, pipes.

use snapbox::str;

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::harness::Env;
use crate::lists::{crowd, person};
use crate::pty::{Screen, Terminal};
use crate::socket::{Answer, Socket};
use crate::wire::{PROJECT, fixture};

/// People whose names are as wide as terminals find difficult.
fn wide_people() -> Socket {
    let names =
        ["Plain Name", "Zoe\u{308} Mu\u{308}ller", "王小明", "🚒 Fire 🚒", "ｆｕｌｌ", "e\u{301}e\u{301}e\u{301}"];
    let record_of = |(id, name): (i64, &&str)| {
        let mut record = person(7000 + id);
        record["fullName"] = json!(name);
        record
    };
    let all: Vec<_> = (0..).zip(&names).map(record_of).collect();
    Socket::always(Answer::ok(&Value::Array(all).to_string()))
}

fn on_screen(socket: &Socket, columns: u16, line: &str) -> Screen {
    let env = Env::at(&socket.url);
    let words = crate::words::split(&line.replace("{P}", PROJECT));
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let (code, screen) = Terminal::start(&env, columns, &words).ends();
    assert_eq!(code, 0, "{}", screen.text());
    screen
}

#[test]
fn columns_are_straight_with_wide_characters_combining_marks_and_emoji() {
    for columns in [60, 100, 200] {
        let screen = on_screen(&wide_people(), columns, "testtakers list -p {P} --fields fullName,id");
        let places: Vec<_> = (0..6).map(|id| screen.column_of(&format!("700{id}"))).collect();
        assert!(places.iter().all(|place| place.is_some() && *place == places[0]), "{places:?}\n{}", screen.text());
    }
}

#[test]
fn a_table_fits_the_terminal_and_never_cuts_an_id() {
    for columns in [60, 100, 200] {
        let screen = on_screen(&wide_people(), columns, "testtakers list -p {P} --fields id,email,fullName,result");
        assert!(!screen.wraps(), "{columns}:\n{}", screen.text());
        for id in 0..6 {
            assert!(screen.text().contains(&format!("700{id}")), "{columns}:\n{}", screen.text());
        }
    }
    let mut long = person(1);
    long["fullName"] = json!("x".repeat(300));
    let socket = Socket::always(Answer::ok(&json!([long]).to_string()));
    let screen = on_screen(&socket, 100, "testtakers list -p {P} --fields id,fullName,result");
    assert!(screen.text().contains('…') && !screen.wraps(), "{}", screen.text());
    let whole = Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT}")).data();
    assert!(whole.contains(&"x".repeat(300)) && !whole.contains('…'), "off a terminal nothing is cut: {whole}");
}

#[test]
fn control_characters_are_shown_and_not_sent_to_a_terminal() {
    let mut hostile = person(1);
    hostile["fullName"] = json!("\u{1b}[31mRed\u{1b}[0m\u{7}\u{9b}2J\u{202e}esrever\u{2028}x\r\ny");
    let socket = Socket::always(Answer::ok(&json!([hostile]).to_string()));
    let screen = on_screen(&socket, 200, "testtakers list -p {P} --fields id,fullName");
    let raw = String::from_utf8_lossy(&screen.raw).into_owned();
    for forbidden in ["\u{1b}[31m", "\u{7}", "\u{9b}", "\u{202e}", "\u{2028}"] {
        assert!(!raw.contains(forbidden), "{forbidden:?} in {raw:?}");
    }
    assert!(raw.contains("Red"), "{raw:?}");
    let env = Env::at(&socket.url);
    for format in ["json", "ndjson"] {
        let said = env.line(&format!("testtakers list -p {PROJECT} -o {format}")).data();
        for forbidden in ['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\u{2028}'] {
            assert!(!said.contains(forbidden), "{forbidden:?} in {said:?}");
        }
        let read: Value = serde_json::from_str(&said).expect("JSON");
        let name = if format == "json" { &read[0]["fullName"] } else { &read["fullName"] };
        assert_eq!(*name, hostile_name(), "the same value, escaped");
    }
    let csv = env.line(&format!("testtakers list -p {PROJECT} -o csv --fields fullName --no-header")).data();
    assert_eq!(csv.trim_end_matches('\n').trim_matches('"'), hostile_name(), "CSV carries values unchanged");
}

fn hostile_name() -> &'static str {
    "\u{1b}[31mRed\u{1b}[0m\u{7}\u{9b}2J\u{202e}esrever\u{2028}x\r\ny"
}

#[test]
fn fields_choose_columns_in_their_order_and_the_header_can_go() {
    let env = Env::at(&crowd(2).url);
    let said = |more: &str| env.line(&format!("testtakers list -p {PROJECT} {more}")).data();
    assert_eq!(said("-o csv --fields referenceId,id"), "referenceId,id\nEMP-00001,1\nEMP-00002,2\n");
    assert_eq!(said("-o csv --fields referenceId,id --no-header"), "EMP-00001,1\nEMP-00002,2\n");
    let chosen: Value = serde_json::from_str(&said("-o json --fields id,email")).expect("JSON");
    assert_eq!(chosen[1], json!({ "id": 2, "email": "p2@example.com" }));
    let table = said("--fields id,email");
    assert_eq!(table.lines().next().map(|line| line.split_whitespace().collect::<Vec<_>>()), Some(vec!["id", "email"]));
    assert!(!table.contains('\u{1b}') && !table.contains('│') && !table.contains('|'), "{table}");
    assert_eq!(said("--fields id,email --no-header").lines().count(), 2);
}

#[test]
fn cells_with_commas_quotes_and_line_ends_are_quoted() {
    let mut record = person(1);
    record["fullName"] = json!("a,\"b\"\nc");
    let socket = Socket::always(Answer::ok(&json!([record]).to_string()));
    let said = Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} -o csv --fields fullName")).data();
    assert_eq!(said, "fullName\n\"a,\"\"b\"\"\nc\"\n");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for format in ["table", "csv", "json", "ndjson"] {
        let env = Env::at(&crowd(2000).url);
        let mut child = env.command(&["testtakers", "list", "-p", PROJECT, "-o", format]).spawn().expect("a start");
        let mut line = String::new();
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().expect("a pipe"));
        let _ = stdout.read_line(&mut line).expect("a first line");
        drop(stdout);
        let said = crate::harness::finish(child, b"");
        assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{format}");
    }
}

#[test]
fn a_file_is_written_whole_and_for_its_owner_alone() {
    let env = Env::at(&crowd(3).url);
    let said = env.line(&format!("testtakers list -p {PROJECT} -o csv --fields id --to ids.csv")).ok();
    assert_eq!(said.stdout, "");
    assert_eq!(env.read("ids.csv"), "id\n1\n2\n3\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(env.work().join("ids.csv")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_full_disk_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let env = Env::at(&crowd(3).url);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    let mut command = env.command(&["testtakers", "list", "-p", PROJECT]);
    let said = crate::harness::finish(command.stdout(full).spawn().expect("a start"), b"");
    let _ = said.fails(1);
}

#[test]
fn one_record_is_an_object_and_a_bare_string_has_a_column() {
    let socket = crate::wire::workspace(false);
    let env = Env::at(&socket.url);
    let project = env.line(&format!("projects get {PROJECT} -o json")).json();
    assert_eq!(project, fixture("project"));
    let link = env.line(&format!("projects link {PROJECT} -o csv")).data();
    assert_eq!(link, "link\nhttps://portal.example.com/join/7Qm2xV\n");
}

#[test]
fn a_terminal_of_no_talents_gets_no_colour() {
    let socket = crowd(2);
    let env = Env::at(&socket.url).with("NO_COLOR", "1");
    let (code, screen) = Terminal::start(&env, 100, &["testtakers", "list", "-p", PROJECT]).ends();
    assert_eq!(code, 0);
    assert!(!String::from_utf8_lossy(&screen.raw).contains("\u{1b}["), "{:?}", String::from_utf8_lossy(&screen.raw));
}

#[test]
fn a_file_has_the_format_of_its_ending_unless_one_is_named_whatever_the_command() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let _ = env.line("testtakers import people.csv").ok();
    for list in ["projects list", "testtakers list", "results list", "config show", "journal list"] {
        for (to, begins) in [("a.json", "["), ("a.ndjson", "{\""), ("a.csv", ""), ("a.txt", "")] {
            assert_eq!(env.line(&format!("{list} --to {to}")).data(), "", "{list}");
            let text = env.read(to);
            assert!(text.starts_with(begins), "{list} --to {to}: {text}");
            let is_csv = text.lines().next().is_some_and(|header| header.contains(',') && !header.contains("  "));
            assert_eq!(is_csv && !text.starts_with(['[', '{']), to == "a.csv", "{list} --to {to}: {text}");
        }
        let refused = env.line(&format!("{list} --to a.dat")).fails(2);
        let _ = refused.mentions("cannot tell the format from the ending of a.dat").mentions("-o FORMAT");
        assert!(!env.work().join("a.dat").exists());
        assert!(env.line(&format!("{list} --to a.dat -o ndjson")).ok().stdout.is_empty());
        std::fs::remove_file(env.work().join("a.dat")).expect("a file");
    }
    let _ = env.line("links issue --all --rotate --to links.txt").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: links are written one by one, and a table cannot grow
hint: add --to FILE.csv or FILE.ndjson, or take -o csv or -o ndjson

"#]]);
}

#[test]
fn a_dash_is_standard_output_the_last_format_counts_and_fields_may_have_spaces() {
    let env = Env::sandbox();
    let said = env.line("projects list --to - -o csv -o json --fields 'state, name'").data();
    assert_eq!(said, "[\n  {\n    \"state\": \"Active\",\n    \"name\": \"Demo\"\n  }\n]\n");
}

#[test]
fn what_was_written_is_said_on_a_terminal_and_nowhere_else() {
    let env = Env::sandbox();
    let _ = env.line("projects list --to projects.csv").data();
    let said = |words: &[&str]| {
        let (code, screen) = Terminal::start(&env, 80, words).ends();
        assert_eq!(code, 0, "{}", screen.text());
        screen.text().trim().to_owned()
    };
    assert_eq!(said(&["projects", "list", "--to", "projects.csv"]), "1 project in projects.csv");
    assert_eq!(said(&["projects", "list", "--to", "projects.csv", "-q"]), "");
}

#[test]
fn a_header_is_left_out_of_formats_that_have_one_alone() {
    let env = Env::sandbox();
    for (format, name) in [("json", "JSON"), ("ndjson", "NDJSON")] {
        let said =
            format!("error: --no-header does nothing with {name}\nhint: leave it out: each record names its fields\n");
        env.line(&format!("projects list --no-header -o {format}")).refuses(2, &said);
    }
    assert_eq!(env.line("projects list --no-header -o csv --fields name").data(), "Demo\n");
}
