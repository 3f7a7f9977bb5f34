//! Whole screens full of hostile text: whatever a service, a file or a file's name holds, it stands there as text and
//! touches no attribute, title, cursor or clipboard.

use serde_json::{Value, json};

use crate::harness::Env;
use crate::lists::person;
use crate::pty::{Screen, Terminal};
use crate::socket::{Answer, Socket};
use crate::wire::{PROJECT, fixture};

/// Sequences that would do something: colours, title, icon, clipboard, cursor, screens, modes, links, reports, C1, bidi.
const HOSTILE: [&str; 18] = [
    "\u{1b}[31;1mred",
    "\u{1b}]0;pwned\u{7}",
    "\u{1b}]2;pwned\u{1b}\\",
    "\u{1b}]52;c;cHduZWQ=\u{7}",
    "\u{1b}[2J\u{1b}[H",
    "\u{1b}[?1049h",
    "\u{1b}[?25l",
    "\u{1b}[?1000h\u{1b}[?2004h",
    "\u{1b}]8;;http://evil.example\u{7}link\u{1b}]8;;\u{7}",
    "\u{1b}[6n\u{1b}[c",
    "\u{1b}[8;1;1t",
    "\u{1b}P+q544e\u{1b}\\",
    "\u{9b}31mC1\u{9d}0;pwned\u{9c}",
    "\u{1b}c\u{1b}(0\u{e}",
    "a\u{8}\u{8}b\u{7f}\u{7}",
    "over\rwritten\u{b}\u{c}",
    "\u{202e}txt.exe\u{2066}\u{2028}\u{200f}",
    "\u{0}nul\u{1a}",
];

fn every_trick() -> String {
    HOSTILE.concat()
}

/// Counts what a terminal was asked to do beyond showing text.
#[derive(Default)]
struct Touched(Vec<String>);

impl vt100::Callbacks for Touched {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.0.push("bell".into());
    }
    fn visual_bell(&mut self, _: &mut vt100::Screen) {
        self.0.push("flash".into());
    }
    fn resize(&mut self, _: &mut vt100::Screen, _: (u16, u16)) {
        self.0.push("size".into());
    }
    fn set_window_icon_name(&mut self, _: &mut vt100::Screen, _: &[u8]) {
        self.0.push("icon".into());
    }
    fn set_window_title(&mut self, _: &mut vt100::Screen, _: &[u8]) {
        self.0.push("title".into());
    }
    fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], _: &[u8]) {
        self.0.push("copy".into());
    }
    fn paste_from_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8]) {
        self.0.push("paste".into());
    }
    fn unhandled_control(&mut self, _: &mut vt100::Screen, byte: u8) {
        self.0.push(format!("control {byte:#x}"));
    }
    fn unhandled_escape(&mut self, _: &mut vt100::Screen, _: Option<u8>, _: Option<u8>, byte: u8) {
        self.0.push(format!("escape {byte:#x}"));
    }
    fn unhandled_osc(&mut self, _: &mut vt100::Screen, _: &[&[u8]]) {
        self.0.push("osc".into());
    }
}

/// The screen after a run, checked: but for our own colours nothing but text arrived.
#[track_caller]
fn calm(env: &Env, args: &[&str]) -> Screen {
    for color in ["never", "auto"] {
        let all: Vec<&str> = args.iter().copied().chain(["--color", color]).collect();
        let (_, screen) = Terminal::start(env, 120, &all).ends();
        let raw = String::from_utf8(screen.raw.clone()).expect("UTF-8");
        let own = ["\u{1b}[1;31m", "\u{1b}[1;33m", "\u{1b}[1;36m", "\u{1b}[1m", "\u{1b}[0m"];
        let rest = own.iter().fold(raw.clone(), |raw, sequence| raw.replace(sequence, ""));
        let rest = rest.replace("\r\n", "\n");
        let bad =
            rest.chars().find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{2066}\u{2028}\u{200f}".contains(*c));
        assert_eq!(bad, None, "{args:?} --color {color}: {raw:?}");
        let mut parser = vt100::Parser::new_with_callbacks(
            400.try_into().expect("a size"),
            120.try_into().expect("a size"),
            0,
            Touched::default(),
        );
        parser.process(&screen.raw);
        assert_eq!(parser.callbacks().0, Vec::<String>::new(), "{args:?}: {raw:?}");
        let end = parser.screen();
        assert!(!end.hide_cursor() && !end.alternate_screen() && !end.bracketed_paste(), "{args:?}");
        assert!(!end.bold() && !end.inverse() && end.fgcolor() == vt100::Color::Default, "{args:?}");
        if color == "auto" {
            return screen;
        }
    }
    unreachable!("the last of two rounds returns")
}

/// A person whose every text is hostile.
fn hostile_person(id: i64) -> Value {
    let mut record = person(7000 + id);
    for field in ["email", "referenceId", "firstName", "lastName", "fullName", "result", "dateCompleted"] {
        record[field] = json!(every_trick());
    }
    record[every_trick()] = json!(every_trick());
    record
}

#[test]
fn records_of_a_service_are_text() {
    let people: Vec<Value> = (0..HOSTILE.len())
        .map(|trick| {
            let mut record = person(i64::try_from(trick).expect("few"));
            record["fullName"] = json!(HOSTILE[trick]);
            record
        })
        .chain([hostile_person(99)])
        .collect();
    let socket = Socket::answering(move |request, _| match request.path().rsplit('/').next() {
        Some("testtakers" | "results") => Answer::ok(&json!(people).to_string()),
        Some("redirect-uris") => Answer::ok(&json!(HOSTILE).to_string()),
        Some("get-link") => Answer::ok(&json!(every_trick()).to_string()),
        Some("projects") => {
            let mut project = fixture("project");
            project["name"] = json!(every_trick());
            Answer::ok(&json!([project]).to_string())
        }
        _ => {
            let mut record = hostile_person(1);
            record["referenceId"] = json!("EMP-1");
            Answer::ok(&record.to_string())
        }
    });
    let env = Env::at(&socket.url);
    for format in ["table", "json", "ndjson"] {
        for command in [
            vec!["projects", "list"],
            vec!["testtakers", "list", "-p", PROJECT],
            vec!["testtakers", "get", "-p", PROJECT, "id:7099"],
            vec!["results", "list", "-p", PROJECT],
            vec!["results", "get", "EMP-1", "-p", PROJECT],
            vec!["redirect-uris", "list"],
        ] {
            let command: Vec<&str> = command.into_iter().chain(["-o", format]).collect();
            let screen = calm(&env, &command);
            assert!(screen.text().contains("\\u"), "{command:?}:\n{}", screen.text());
        }
    }
    let screen = calm(&env, &["projects", "link", PROJECT]);
    assert!(screen.text().contains("the service's link is not handed out"), "{}", screen.text());
}

#[test]
fn errors_of_a_service_are_text() {
    let trick = every_trick();
    let page = format!("<html><title>{trick}</title>");
    let answers = [
        Answer::problem(422, &trick, &trick),
        Answer::json(409, &json!({ "code": trick, "message": trick }).to_string()),
        Answer::new(403, &["Content-Type: text/html"], &page),
        Answer::new(200, &["Content-Type: text/html"], &page),
        Answer::new(307, &["Location: https://\u{1b}]0;pwned\u{7}.example/"], ""),
    ];
    for answer in answers {
        let socket = Socket::always(answer);
        let env = Env::at(&socket.url);
        let _ = calm(&env, &["projects", "create", "Depot", "-v"]);
        let _ = calm(&env, &["testtakers", "list", "-p", PROJECT, "--deadline", "1s", "-v"]);
        let _ = calm(&env, &["doctor", "--deadline", "1s"]);
    }
}

#[test]
fn rosters_and_the_names_of_files_are_text() {
    let socket = crate::wire::workspace(false);
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
    let trick = every_trick().replace(['\u{0}', '/', '\n'], "");
    let quoted = trick.replace('"', "\"\"");
    let short: String = trick.chars().take(60).collect();
    let names = [format!("{short}.csv"), "plain.csv".to_owned()];
    for name in &names {
        env.write(name, format!("email,{quoted},birthYear,\"{quoted}\"\n\"{quoted}\",\"{quoted}\",\"{quoted}\",x\n"));
        let _ = calm(&env, &["testtakers", "check", name]);
        let _ = calm(&env, &["testtakers", "import", name]);
        let _ = calm(&env, &["testtakers", "check", name, "--ignore-column", &trick]);
        let _ = calm(&env, &["testtakers", "check", name, "--map", &format!("{trick}=firstName")]);
    }
    env.write(&names[0], "email,firstName\nzoe.mueller@example.com,\"\u{1b}[31mRed\u{1b}]0;x\u{7}\"\n");
    // Without the progress bar, which redraws its own line.
    let _ = calm(&env, &["testtakers", "import", &names[0], "--dry-run", "-q"]);
    let _ = calm(&env, &["testtakers", "list", "--to", &format!("no/{short}")]);
    let _ = calm(&env, &["testtakers", "list", "--fields", &trick]);
    let _ = calm(&env, &["testtakers", "get", &trick]);
    let _ = calm(&env, &["projects", "get", &trick]);
    let _ = calm(&env, &["--config", &names[0], "projects", "list"]);
    let _ = calm(&env, &["--api-key-file", &short, "projects", "list"]);
    let _ = calm(&env, &["--profile", &trick, "projects", "list"]);
    let _ = calm(&env, &["--base-url", &trick, "projects", "list"]);
    let _ = calm(&env, &["sandbox", "set", "id:1", "--fault", &trick]);
    let _ = calm(&env, &[&trick]);
}

#[test]
fn a_question_shows_whom_as_text() {
    let socket = Socket::always(Answer::ok(&json!([hostile_person(1)]).to_string()));
    let env = Env::at(&socket.url);
    let mut terminal = Terminal::start(&env, 120, &["testtakers", "remove", "-p", PROJECT, "id:7001"]);
    let _ = terminal.shows("Remove this person").types("n\r");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 130);
    let raw = String::from_utf8(screen.raw).expect("UTF-8");
    assert!(!raw.contains("\u{1b}]") && !raw.contains('\u{7}') && !raw.contains('\u{9b}'), "{raw:?}");
}

#[test]
fn an_empty_list_from_which_options_choose_says_that_nobody_matches() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email ann@example.com --reference-id A -q").ok();
    let nobody = "nobody in Demo (sandbox) matches";
    let searched = "nobody in Demo (sandbox) matches: --filter searches reference id, full name and e-mail";
    for (line, says) in [
        ("results list --flagged".to_owned(), nobody.to_owned()),
        ("results list --result Escalated --page 1".to_owned(), nobody.to_owned()),
        ("results list --completed-since 1s".to_owned(), nobody.to_owned()),
        ("results list --completed-only".to_owned(), nobody.to_owned()),
        ("results list --has-last-test-sent true -p Demo".to_owned(), nobody.to_owned()),
        ("testtakers list --reference-id X".to_owned(), nobody.to_owned()),
        ("testtakers list --filter zzz".to_owned(), format!("{searched}; `assessctl results list` chooses by result")),
        ("results list --filter zzz".to_owned(), format!("{searched}; --flagged and --result choose by result")),
        (
            "projects list --filter zzz".to_owned(),
            "no project matches: --filter searches the name; --state chooses by state".to_owned(),
        ),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let (code, screen) = Terminal::start(&env, 200, &words).ends();
        assert_eq!((code, screen.text().trim()), (0, says.as_str()), "{line}");
        let is_told = says.contains("--filter") || !line.contains("-p Demo") && !line.contains("--page");
        let told = if is_told { format!("{says}\n") } else { String::new() };
        assert_eq!(env.line(&format!("{line} -o csv")).ok().stderr, told, "{line}");
    }
}

#[test]
fn an_empty_list_says_where_it_looked_and_how_to_look_elsewhere() {
    let env = Env::sandbox();
    for (line, says) in [
        ("testtakers list", "no test takers in Demo (sandbox); -p NAME_OR_ID names another project"),
        ("testtakers list -p demo", "no test takers in Demo (sandbox)"),
        ("results list", "no results in Demo (sandbox); -p NAME_OR_ID names another project"),
        ("projects list --state Inactive", "no project matches"),
    ] {
        let words: Vec<_> = line.split(' ').collect();
        let (code, screen) = Terminal::start(&env, 100, &words).ends();
        assert_eq!((code, screen.text().trim()), (0, says), "{line}");
        // A script is told only where no one chose the project.
        let is_guessed = says.contains("another project");
        assert_eq!(env.line(line).ok().stderr.trim(), if is_guessed { says } else { "" }, "{line}");
        assert_eq!(
            env.line(&format!("{line} -o csv")).ok().stderr.trim(),
            if is_guessed { says } else { "" },
            "{line}"
        );
        for more in ["-q", "--page 1"] {
            assert!(env.line(&format!("{line} {more}")).ok().stderr.is_empty(), "{line} {more}");
        }
    }
}
