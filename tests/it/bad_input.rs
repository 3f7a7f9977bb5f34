//! Bad input: each kind ends in one clear error with its exit code, nothing sent, nothing lost, no panic.

use std::io::Write;
use std::net::TcpListener;

use crate::doubts_of_writes::{at, service};
use crate::harness::{Env, KEY, Said, finish};
use crate::socket::{Answer, Socket};
use crate::tls;
use crate::wire::{self, PROJECT};
use crate::words;

/// One bad input: what is typed, what stands in the files, and what has to come of it.
struct Case {
    what: &'static str,
    /// The command; `{P}` is the project.
    line: &'static str,
    /// A roster called `roster.csv`; none where it is empty.
    roster: &'static [u8],
    code: i32,
    /// What the error has to say.
    says: &'static [&'static str],
}

/// A case whose roster is refused.
const fn roster(what: &'static str, roster: &'static [u8], says: &'static [&'static str]) -> Case {
    Case { what, line: "testtakers import roster.csv -p {P}", roster, code: 5, says }
}

/// A case whose command line is refused.
const fn usage(what: &'static str, line: &'static str, says: &'static [&'static str]) -> Case {
    Case { what, line, roster: b"email\na@example.com\n", code: 2, says }
}

const CASES: [Case; 32] = [
    usage("an unknown profile", "--profile nowhere projects list", &["nowhere"]),
    usage("a bare number as test taker", "testtakers get 4711 -p {P}", &["id:NUMBER", "ref:REFERENCE_ID"]),
    usage("a bare number to remove", "testtakers remove 4711 -p {P} --yes", &["id:NUMBER", "ref:REFERENCE_ID"]),
    usage("a bare e-mail as test taker", "links issue a@example.com -p {P}", &["email:ADDRESS"]),
    usage(
        "a name of 101 characters",
        "testtakers enrol -p {P} --email a@example.com --first-name {101}",
        &["101", "100"],
    ),
    usage(
        "a year out of range",
        "testtakers enrol -p {P} --email a@example.com --birth-year 99999999999",
        &["32 bits"],
    ),
    usage("a reference id with a space", "testtakers enrol -p {P} --email a@b --reference-id 'a b'", &["character 2"]),
    usage("a project name of 51 characters", "projects create {51}", &["51", "50"]),
    usage("a page size of 101", "projects list --page-size 101", &["101"]),
    usage("a page size below zero", "projects list --page-size -1", &["--page-size", "not a whole number"]),
    usage("a page 0", "projects list --page 0", &["0"]),
    usage("an unknown field", "testtakers list -p {P} --fields id,shoeSize", &["shoeSize", "referenceId"]),
    usage("an unknown field of a creation", "projects create Depot --fields shoeSize", &["shoeSize", "name"]),
    usage("a naive time", "results list -p {P} --last-test-sent-from 2026-03-01T06:00:00", &["time zone"]),
    usage("a limit and a page", "projects list --limit 3 --page 1", &["--page"]),
    Case {
        what: "a wrong project name",
        line: "testtakers list -p 'Nigth shift north'",
        roster: b"",
        code: 4,
        says: &["Night shift north"],
    },
    roster("an empty roster", b"", &["roster.csv", "empty"]),
    roster("a roster of blank lines", b"\n\n", &["roster.csv", "blank"]),
    roster("a roster with only a header", b"email,firstName\n", &["no rows"]),
    roster("NUL bytes", b"email,firstName\na@example.com,A\0B\n", &["line 2", "NUL"]),
    roster(
        "invalid UTF-8 after a BOM",
        b"\xef\xbb\xbfemail,firstName\nok@example.com,Zo\xc3\xab\nb@example.com,Zo\xeb\n",
        &["line 3", "byte"],
    ),
    roster(
        "a first name of 101 characters",
        b"email,firstName\na@example.com,{101}\n",
        &["roster.csv:2:15: firstName:", "101"],
    ),
    roster(
        "a birth year out of range",
        b"email,birthYear\na@example.com,99999999999\n",
        &["roster.csv:2:15: birthYear:"],
    ),
    roster(
        "a file that is cut off in a row",
        b"email,firstName,lastName\na@example.com,A,B\nb@example.com,B",
        &["roster.csv:3:1: row: 2 cells, but the header has 3: the file ends in this line", "get the whole file again"],
    ),
    roster(
        "a file that is cut off in quotes",
        b"email,firstName,lastName\na@example.com,A,B\nb@example.com,\"B",
        &["roster.csv:3:15: row: this quote is never closed: the file ends in this line", "get the whole file again"],
    ),
    roster(
        "a file that is cut off in a character",
        b"email,firstName\na@example.com,Zo\xc3\xab\nb@example.com,Ren\xc3",
        &["roster.csv: line 3: the file ends in the middle of a character", "get the whole file again"],
    ),
    roster(
        "a file with a mark that is cut off in a character",
        b"\xef\xbb\xbfemail,firstName\na@example.com,Zoe\nb@example.com,Ren\xe2\x82",
        &["roster.csv: line 3: the file ends in the middle of a character", "get the whole file again"],
    ),
    Case {
        what: "names that are cut off",
        line: "results get -p {P} --ids-from roster.csv",
        roster: b"email,referenceId\na@example.com,A\nb@exam",
        code: 5,
        says: &[
            "roster.csv:3:1: row: 1 cell, but the header has 2: the file ends in this line",
            "get the whole file again",
        ],
    },
    roster(
        "a short row that ends",
        b"email,firstName\na@example.com\n",
        &["roster.csv:2:1: row: 1 cell, but the header has 2", "--skip-invalid"],
    ),
    roster(
        "two headers for one field",
        b"email,firstName,first name\na@example.com,A,B\n",
        &["firstName", "first name"],
    ),
    roster("no header for the e-mail", b"firstName,lastName\nA,B\n", &["email"]),
    Case {
        what: "the key and the roster both on standard input",
        line: "testtakers import - -p {P} --api-key-file -",
        roster: b"",
        code: 2,
        says: &["standard input"],
    },
];

fn long(text: &str) -> String {
    text.replace("{101}", &"x".repeat(101)).replace("{51}", &"x".repeat(51)).replace("{P}", PROJECT)
}

#[test]
fn each_bad_input_ends_in_one_clear_error_and_nothing_is_sent() {
    let mut wrong = Vec::new();
    for Case { what, line, roster, code, says } in CASES {
        let socket = wire::workspace(true);
        let env = Env::at(&socket.url);
        let content = match std::str::from_utf8(roster) {
            Ok(text) => long(text).into_bytes(),
            Err(_) => roster.to_vec(),
        };
        env.write("roster.csv", content);
        let said = env.run_with(&words::split(&long(line)), b"email\na@example.com\n");
        wrong.extend(complaints(what, &said, code, says));
        if !socket.writes().is_empty() {
            wrong.push(format!("{what}: something was sent: {:?}", socket.lines()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// What is wrong with how a run failed; the table reports all cases at once.
fn complaints(what: &str, said: &Said, code: i32, says: &[&str]) -> Option<String> {
    let lines = |prefix: &str| said.stderr.lines().filter(|line| line.starts_with(prefix)).count();
    let mut wrong: Vec<_> =
        says.iter().filter(|text| !said.stderr.contains(**text)).map(|t| format!("no {t:?}")).collect();
    if said.code != code {
        wrong.push(format!("exit {} and not {code}", said.code));
    }
    if lines("error: ") != 1 || lines("hint: ") > 1 {
        wrong.push("not one error with at most one hint".to_owned());
    }
    if said.stderr.contains("panicked") || said.stderr.contains(KEY) || !said.stdout.is_empty() {
        wrong.push("a panic, a key or data".to_owned());
    }
    (!wrong.is_empty()).then(|| format!("{what}: {}\n{said}", wrong.join(", ")))
}

#[track_caller]
fn fails(what: &str, said: &Said, code: i32, says: &[&str]) {
    if let Some(wrong) = complaints(what, said, code, says) {
        panic!("{wrong}");
    }
}

#[test]
fn a_missing_key_is_an_error_before_anything_is_sent() {
    let socket = wire::workspace(false);
    let said = Env::at(&socket.url).without("ASSESSCTL_API_KEY").line("projects list");
    fails("a missing key", &said, 3, &["key"]);
    assert!(socket.requests().is_empty());
}

#[test]
fn a_wrong_key_is_named_as_such_and_not_shown() {
    for status in [401, 403] {
        let socket = Socket::always(Answer::problem(status, "Unauthorized", "the key is not known"));
        let said = Env::at(&socket.url).line("projects list");
        fails("a wrong key", &said, 3, &["key"]);
        assert_eq!(socket.requests().len(), 1, "a refusal is not repeated");
    }
}

#[test]
fn a_run_tells_a_key_that_may_not_from_one_that_is_not_known() {
    for (status, hint) in [(401, "check the API key"), (403, "this API key may not do that; ask for one that may")] {
        let refused = move || Some(Answer::problem(status, "Refused", ""));
        let socket = service(move |request, _| match request.method.as_str() {
            "POST" if !request.path().ends_with("/1/test-link") => refused(),
            _ => None,
        });
        let env = at(&socket);
        env.write("new.csv", "email,referenceId\ncy@x.com,C\n");
        let _ = env.line("testtakers import new.csv").exits(3).mentions(&format!("hint: {hint}"));
        let said = env.line("links issue ref:A ref:B -o csv --concurrency 1").exits(3);
        let _ = said.mentions(&format!("hint: {hint}, then"));
        let env = at(&service(move |_, _| refused()));
        let _ = env.line("testtakers remove --file people.csv --yes").exits(3).mentions(&format!("hint: {hint}"));
    }
}

#[test]
fn an_address_that_answers_html_is_an_error_that_names_the_address() {
    let page = Answer::new(200, &["Content-Type: text/html"], "<!DOCTYPE html><title>Welcome</title>");
    let socket = Socket::always(page);
    let said = Env::at(&socket.url).line("projects list");
    fails("HTML", &said, 2, &["base URL"]);
}

#[test]
fn a_port_where_nobody_listens_is_no_answer() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port();
    let said = Env::at(&format!("http://127.0.0.1:{port}")).line("projects list");
    fails("nobody listens", &said, 6, &["127.0.0.1"]);
}

#[test]
fn a_certificate_that_nobody_trusts_is_an_error_and_the_key_stays_here() {
    let server = tls::untrusted();
    let said = Env::at(&server.url).line("projects list");
    fails("an untrusted certificate", &said, 2, &["certificate"]);
    assert_eq!(server.requests(), 0, "a request was sent over a connection that nobody vouched for");
}

#[test]
fn a_directory_instead_of_a_roster_is_an_error() {
    let socket = wire::workspace(true);
    let env = Env::at(&socket.url);
    std::fs::create_dir(env.work().join("people")).expect("a folder");
    let said = env.line(&format!("testtakers import people -p {PROJECT}"));
    fails("a directory", &said, 2, &["people", "directory"]);
    assert!(socket.writes().is_empty());
}

#[test]
fn a_line_of_a_gigabyte_is_refused_without_keeping_it() {
    let socket = wire::workspace(true);
    let env = Env::at(&socket.url);
    let mut command = env.command(&["testtakers", "import", "-", "-p", PROJECT]);
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().expect("the program starts");
    let mut pipe = child.stdin.take().expect("a pipe");
    let feeder = std::thread::spawn(move || {
        let chunk = vec![b'x'; 1 << 20];
        let fed = pipe.write_all(b"email\n").and_then(|()| (0..1024).try_for_each(|_| pipe.write_all(&chunk)));
        // The program may stop reading as soon as it knows.
        drop(fed);
    });
    let said = finish(child, b"");
    feeder.join().expect("the feeder ends with the program");
    fails("a gigabyte line", &said, 5, &["1 MiB"]);
    assert!(socket.writes().is_empty());
}

#[test]
fn base_urls_that_would_leak_are_refused() {
    let cases = [
        ("http://example.com", "https"),
        ("ftp://127.0.0.1/", "http"),
        ("https://user:canary@example.com/", "base URL"),
        ("http://127.0.0.1/?a=b", "base URL"),
        ("http://127.0.0.1/#x", "base URL"),
        ("http://127.0.0.1.example.com/", "https"),
        ("not a url", "base URL"),
    ];
    for (url, says) in cases {
        let said = Env::at(url).line("projects list");
        fails(url, &said, 2, &[says]);
        let _ = said.hides("canary");
    }
}

#[test]
fn a_roster_that_is_cut_off_is_told_as_such_also_where_the_row_is_left_out() {
    let env = Env::sandbox();
    let whole = "email,firstName\na@example.com,A\nb@example.com,B\nc@example.com,C\n";
    env.write("people.csv", &whole[..whole.len() - 4]);
    let _ = env
        .line("testtakers check people.csv")
        .exits(5)
        .mentions("hint: get the whole file again: it ends in the middle of line 4");
    for line in ["testtakers import people.csv --skip-invalid -q", "testtakers sync people.csv --skip-invalid -q"] {
        let said = env.line(line).exits(10);
        let _ = said.mentions("warning: people.csv ends in the middle of line 4: people may be missing from it");
    }
    // The whole file adds those who were missing, and nobody twice.
    env.write("people.csv", whole);
    let _ = env.line("testtakers import people.csv -q").ok();
    assert_eq!(env.line("testtakers list -o ndjson").data().lines().count(), 3);
    // A file without a line break at its end is no torn one.
    env.write("people.csv", whole.trim_end());
    assert_eq!(env.line("testtakers import people.csv --skip-invalid -q").ok().stderr, "");
}

#[test]
fn an_earlier_export_whose_record_has_no_end_is_refused_and_a_long_file_is_not() {
    let env = Env::sandbox();
    let endless = "x".repeat(20 << 20);
    for (name, text) in [
        ("row.csv", format!("id,result\n1,{endless}\n")),
        ("header.csv", format!("id,result,{endless}")),
        ("array.json", format!("[{{\"id\":1,\"result\":\"{endless}\"}}]")),
        ("lines.ndjson", format!("{{\"id\":1,\"result\":\"{endless}\"}}\n")),
    ] {
        env.write(name, text);
        let said = env.line(&format!("results changes --since {name}")).fails(2);
        let _ = said.mentions("cannot be read as an earlier export");
    }
    let wide = "x".repeat(5 << 20);
    let rows: Vec<String> = (1..=5).map(|id| format!("{id},Completed,{wide}")).collect();
    env.write("long.csv", format!("id,result,notes\n{}\n", rows.join("\n")));
    let _ = env.line("results changes --since long.csv --allow-empty").ok();
}
