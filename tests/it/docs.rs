//! The documents: what they show runs, where they lead is there, and they are short. `BLESS=1` writes shown output and the picture.
#![cfg(unix)]

use std::fmt::Write as _;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::support::cases::redacted;
use crate::support::env::{Env, PROGRAM, setting, words};
use crate::support::served::Served;
use crate::support::shell;
use crate::support::terminal::Terminal;

/// Every document, and how many bytes it may have.
const DOCUMENTS: [(&str, usize); 8] = [
    ("README.md", 8_000),
    ("SECURITY.md", 4_000),
    ("CONTRIBUTING.md", 4_000),
    ("CHANGELOG.md", 4_000),
    ("docs/reference.md", 12_000),
    ("docs/recipes.md", 12_000),
    ("docs/how-it-stays-right.md", 12_000),
    ("docs/sandbox.md", 12_000),
];

/// What blocks show and this test does not run: what builds and tests the program itself. The demos have a test of their own.
const NOT_HERE: [&str; 4] = ["cargo ", "./demo/run", ".ci/run", ".ci/long"];

const COLUMNS: u16 = 100;

const TASKS: &str = "tests/tasks.md";

fn repository(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(repository(name)).expect("a document")
}

/// A fenced block of a document: its language, a file's name behind it, and its lines.
struct Block<'t> {
    kind: &'t str,
    name: &'t str,
    text: &'t str,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut parts = document.split("```");
    let mut found = Vec::new();
    while let (Some(_), Some(block)) = (parts.next(), parts.next()) {
        let (info, text) = block.split_once('\n').expect("a block has lines");
        let (kind, name) = info.split_once(' ').unwrap_or((info, ""));
        found.push(Block { kind, name, text });
    }
    found
}

/// A machine on which a document is followed from its first block to its last.
struct Reader {
    env: Env,
    /// The service of `config init` on a machine of its own, and the one that the document started.
    served: Vec<(Served, Option<Env>)>,
}

impl Reader {
    fn new(document: &str) -> Self {
        let mut env = Env::new();
        if ["docs/recipes.md", TASKS].contains(&document) {
            env = env.with("ASSESSCTL_PROFILE", "sandbox");
            let _ = env.line("sandbox seed").ok();
        }
        std::fs::create_dir_all(env.place("home/.cargo/bin")).expect("a folder");
        std::os::unix::fs::symlink(&*PROGRAM, env.place("home/.cargo/bin/assessctl")).expect("a link");
        std::os::unix::fs::symlink(repository("demo"), env.work().join("demo")).expect("a link");
        let mail = env.write("../bin/mail", "#!/bin/sh\n{ echo \"To: $3 ($2)\"; cat; } >>\"$HOME/mails\"\n");
        crate::support::env::mode(&mail, 0o700);
        Self { env, served: Vec::new() }
    }

    fn mails(&self) -> String {
        std::fs::read_to_string(self.env.place("home/mails")).expect("mails were sent")
    }

    /// Follows a block. Gives its lines as they would be written now.
    fn follow(mut self, block: &Block<'_>) -> (Self, String) {
        let mut now = block.text.to_owned();
        match block.kind {
            "sh" => self = self.script(block.text),
            "console" => now = self.session(block.text),
            "cron" => block.text.lines().for_each(|line| self.scheduled(line)),
            "ini" => block.text.lines().for_each(|line| self.unit(line)),
            "csv" => ["", "../home/"].iter().for_each(|folder| {
                self.env.write(&format!("{folder}{}", block.name), block.text);
            }),
            "toml" => self.configure(block.text),
            kind => panic!("a block of the kind {kind:?} cannot be followed: {}", block.text),
        }
        (self, now)
    }

    fn script(mut self, text: &str) -> Self {
        let mut script = String::new();
        for line in text.lines() {
            if line.starts_with("assessctl config init") {
                self.init();
            } else if let Some(options) = line.strip_prefix("assessctl sandbox serve") {
                self = self.serve(options);
            } else if !NOT_HERE.iter().any(|start| line.starts_with(start)) {
                script.extend([line, "\n"]);
            }
        }
        let said = shell::run(&self.env, &format!("set -eu\n{script}"));
        assert_eq!(said.code, 0, "{script}{said}");
        self
    }

    /// Answers the questions with the address and the key of a service.
    fn init(&mut self) {
        let machine = Env::new();
        let served = Served::start(&machine, "");
        let mut terminal = Terminal::start(&self.env, COLUMNS, &["config", "init"]);
        terminal.shows("[main]:").types("\r").shows("service:").types(&format!("{}\r", served.url));
        terminal.echoes(false).types(&format!("{}\r", served.key)).shows("[none]:").types("Demo\r");
        let (code, screen) = terminal.ends();
        assert_eq!(code, 0, "{}", screen.text());
        self.served.push((served, Some(machine)));
    }

    /// Uses a served sandbox from here on.
    fn serve(mut self, options: &str) -> Self {
        let served = Served::start(&self.env, options);
        let env = self.env.with("ASSESSCTL_BASE_URL", &served.url).with("ASSESSCTL_API_KEY", &served.key);
        self.env = env.with("ASSESSCTL_PROJECT", "Demo");
        self.served.push((served, None));
        self
    }

    /// Types each line behind `$ ` at a terminal. Gives the block with what is said now.
    fn session(&self, text: &str) -> String {
        let mut now = String::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("$ assessctl ")) {
            let (code, screen) = Terminal::start(&self.env, COLUMNS, &words(line)).ends();
            assert_eq!(code, 0, "{line}:\n{}", screen.text());
            let _ = writeln!(now, "$ assessctl {line}");
            screen.text().lines().for_each(|line| now.extend([line.trim_end(), "\n"]));
        }
        if redacted(&now, &self.env) == redacted(text, &self.env) { text.to_owned() } else { now }
    }

    /// Runs a line of a crontab as cron does, which mails what is printed: nothing, where all is well.
    fn scheduled(&self, line: &str) {
        let command = Regex::new(r"^([-*/0-9,]+ +){5}").expect("a pattern").replace(line, "");
        if command == line {
            assert!(line.starts_with("MAILTO="), "{line} is no line of a crontab");
        } else {
            let said = shell::run(&self.env, &format!("cd \"$HOME\"\n{command}"));
            assert!(said.code == 0 && said.stdout.is_empty() && said.stderr.is_empty(), "{command}: {said}");
        }
    }

    /// Runs what a unit of systemd starts.
    fn unit(&self, line: &str) {
        if let Some(command) = line.strip_prefix("ExecStart=") {
            let said = shell::run(&self.env, &command.replace("%h", "\"$HOME\""));
            assert!(said.code == 0 && said.stdout.is_empty() && said.stderr.is_empty(), "{command}: {said}");
        }
    }

    /// Reads each profile of a configuration.
    fn configure(&self, text: &str) {
        self.env.configure(text);
        let profiles: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("[profiles.")).collect();
        assert!(!profiles.is_empty(), "{text}");
        for profile in profiles {
            let _ = self.env.line(&format!("config show --profile {}", profile.trim_end_matches(']'))).ok();
        }
    }
}

/// Follows a document, each block so many times in a row, and compares what it shows.
fn follow(document: &str, times: usize) -> Reader {
    let (text, mut reader) = (text(document), Reader::new(document));
    let mut now = text.clone();
    for block in blocks(&text) {
        for _ in 0..times {
            let (again, shown) = reader.follow(&block);
            now = now.replacen(block.text, &shown, 1);
            reader = again;
        }
    }
    if now != text && setting("BLESS").is_some() {
        std::fs::write(repository(document), &now).expect("written");
    } else {
        assert!(now == text, "{document} shows something else than the program (BLESS=1 writes it):\n{now}");
    }
    reader
}

#[test]
fn every_block_of_a_document_runs_and_shows_what_the_program_says() {
    for (document, _) in DOCUMENTS.iter().filter(|(document, _)| !document.ends_with("recipes.md")) {
        let _ = follow(document, 1);
    }
    for start in NOT_HERE {
        let is_shown = |(document, _): &(&str, usize)| text(document).lines().any(|line| line.starts_with(start));
        assert!(DOCUMENTS.iter().any(is_shown), "{start:?} is shown nowhere");
        assert!(start.ends_with(' ') || repository(start).is_file(), "there is no {start}");
    }
}

#[test]
fn every_recipe_runs_twice_and_nobody_gets_a_mail_twice() {
    let reader = follow("docs/recipes.md", 2);
    let mails = reader.mails();
    let count = |text: &str| mails.matches(text).count();
    assert_eq!((count("To: "), count("control-room@"), count("/take/")), (3, 1, 2), "{mails}");
    assert!(count("HighRisk") > 0 && count("\"Completed\"") == 0, "{mails}");
}

#[test]
fn each_of_the_fifty_tasks_is_done_by_at_most_two_commands() {
    let text = text(TASKS);
    let tasks: Vec<&str> = Regex::new(r"(?m)^\d+\. ").expect("a pattern").split(&text).skip(1).collect();
    assert_eq!(tasks.len(), 50);
    for task in tasks {
        let commands = task.lines().filter(|line| line.contains("assessctl ")).count();
        assert!((1..=2).contains(&commands), "{task}");
    }
    let _ = follow(TASKS, 1);
}

#[test]
fn documents_are_short() {
    for (document, most) in DOCUMENTS {
        let size = text(document).len();
        assert!(size <= most, "{document} has {size} bytes of {most}");
    }
    assert!(text("README.md").lines().count() <= 150);
}

#[test]
fn every_link_of_a_document_leads_to_a_file() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").expect("a pattern");
    for (document, _) in DOCUMENTS {
        let (folder, text) = (repository(document), text(document));
        for target in link.captures_iter(&text).filter(|link| !link[1].starts_with("https://")) {
            let file = folder.parent().expect("a folder").join(&target[1]);
            assert!(file.exists(), "{document} leads to {}, which is not there", &target[1]);
        }
    }
}

#[test]
fn every_command_in_a_sentence_is_a_line_that_the_program_takes() {
    let env = Env::new();
    // What is taken gets as far as this mistake, or needs no configuration.
    env.configure("this is no TOML\n");
    let command = Regex::new(r"`assessctl ([^`]+)`").expect("a pattern");
    for (document, _) in DOCUMENTS {
        for command in command.captures_iter(&text(document)) {
            let said = env.run(&words(&command[1]));
            let is_taken = ["config.toml:1: ", "cannot read "].iter().any(|start| said.stderr.contains(start));
            assert!(said.code == 0 || is_taken, "{document}: {}: {said}", &command[1]);
        }
    }
}

#[test]
fn the_reference_names_every_setting_of_a_profile() {
    let (page, reference) = (Env::new().line("config set --help").data(), text("docs/reference.md"));
    let keys = page.split("Settings: ").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("the keys");
    let keys: Vec<&str> = keys.split([',', ' ', '\n']).filter(|key| !key.is_empty()).collect();
    assert!(keys.len() > 8, "{keys:?}");
    for key in keys {
        assert!(reference.contains(&format!("| `{key}` |")), "{key}");
    }
}

#[test]
fn the_sandbox_takes_every_option_that_its_page_shows() {
    let (env, option) = (Env::new(), Regex::new(r"`(--(?:fault|provisioning) [^`]+)`").expect("a pattern"));
    let page = text("docs/sandbox.md");
    let options: Vec<&str> =
        option.captures_iter(&page).filter_map(|found| found.get(1)).map(|found| found.as_str()).collect();
    assert!(options.len() > 5, "{options:?}");
    // It prints its address only if it takes all of them.
    let _ = Served::start(&env, &options.join(" "));
}

#[test]
fn the_demos_do_their_job() {
    let env = Env::new();
    let demo = |name: &str| {
        let line = format!("'{}' '{}'", repository(name).display(), PROGRAM.display());
        shell::run(&env, &line).ok()
    };
    let said = demo("demo/run");
    for shown in ["EMP-00202,José García Peña,jose.garcia@example.com,1979", "\"result\": \"HighRisk\""] {
        assert!(said.stdout.contains(shown), "{said}");
    }
    let said = demo("demo/nights");
    assert_eq!(said.stdout.matches(",held,").count(), 6, "{said}");
    let last = said.stdout.lines().rev().nth(1).unwrap_or_default();
    assert!(last.starts_with("55 in the file: 55 "), "{said}");
}

/// What the picture shows: lines as typed.
const PICTURE: [&str; 4] =
    ["sandbox seed", "testtakers import people.csv", "testtakers import people.csv", "results list --flagged"];

#[test]
fn the_picture_is_what_a_terminal_shows() {
    let env = Env::new().with("ASSESSCTL_PROFILE", "sandbox");
    let people =
        "email,firstName,lastName,referenceId\nann@example.com,Ann,Berg,EMP-00101\nbo@example.com,Bo,Lund,EMP-00102\n";
    env.write("people.csv", people);
    let mut bytes = Vec::new();
    for line in PICTURE {
        let (code, screen) = Terminal::start(&env, COLUMNS, &words(line)).ends();
        assert_eq!(code, 0, "{}", screen.text());
        bytes.extend(format!("\x1b[32m$\x1b[m assessctl {line}\r\n").into_bytes());
        bytes.extend(&screen.raw);
    }
    let (now, path) = (picture(&bytes), repository("docs/terminal.svg"));
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let is_same = redacted(&now, &env) == redacted(&kept, &env);
    if !is_same && setting("BLESS").is_some() {
        std::fs::write(path, &now).expect("written");
    } else {
        assert!(is_same, "docs/terminal.svg shows something else (BLESS=1 writes it):\n{now}");
    }
}

/// Draws what a terminal shows of these bytes.
fn picture(bytes: &[u8]) -> String {
    let extent = |count: u16| NonZeroU16::new(count).expect("a terminal has a size");
    let mut parser = vt100::Parser::new(extent(60), extent(COLUMNS), 0);
    parser.process(bytes);
    let screen = parser.screen();
    let rows = u16::try_from(screen.contents().lines().count()).expect("few rows");
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 {0}\" font-family=\"ui-monospace, Menlo, Consolas, \
         monospace\" font-size=\"14\">\n<rect width=\"900\" height=\"{0}\" rx=\"8\" fill=\"#1e1e2e\"/>\n",
        rows * 20 + 24
    );
    for row in 0..rows {
        let _ = write!(svg, "<text x=\"16\" y=\"{}\" xml:space=\"preserve\" fill=\"#dddddd\">", row * 20 + 28);
        let cells = (0..COLUMNS).filter_map(|column| screen.cell(row, column)).collect::<Vec<_>>();
        let style = |cell: &vt100::Cell| (cell.bold(), cell.fgcolor());
        let mut line = String::new();
        for run in cells.chunk_by(|one, next| style(one) == style(next)) {
            let text: String =
                run.iter().map(|cell| if cell.contents().is_empty() { " " } else { cell.contents() }).collect();
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            let color = match run[0].fgcolor() {
                vt100::Color::Idx(1) => " fill=\"#f38ba8\"",
                vt100::Color::Idx(2) => " fill=\"#a6e3a1\"",
                _ => "",
            };
            let weight = if run[0].bold() { " font-weight=\"bold\"" } else { "" };
            let is_plain = color.is_empty() && weight.is_empty();
            let (begin, end) =
                if is_plain { (String::new(), "") } else { (format!("<tspan{color}{weight}>"), "</tspan>") };
            line.extend([&begin, text.as_str(), end]);
        }
        let _ = writeln!(svg, "{}</text>", line.trim_end());
    }
    svg + "</svg>\n"
}
