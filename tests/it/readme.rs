//! The README: every block runs, and shows what the program really says.

use std::collections::BTreeSet;

use crate::harness::{Env, KEY, PROGRAM, redact};
use crate::shell;
use crate::socket::{Answer, Socket};

/// A fenced block, with the heading above it and its language.
struct Block {
    heading: String,
    language: String,
    text: String,
}

fn readme() -> String {
    let path = format!("{}/README.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a README")
}

fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    let mut heading = String::new();
    let mut open: Option<Block> = None;
    for line in readme().lines() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(block), None) => block.text.extend([line, "\n"]),
            (None, Some(language)) => {
                let language = language.to_owned();
                open = Some(Block { heading: heading.clone(), language, text: String::new() });
            }
            (None, None) if line.starts_with('#') => heading = line.trim_start_matches('#').trim().to_owned(),
            (None, None) => {}
        }
    }
    found
}

/// A machine with the files of which the README speaks.
fn prepared() -> Env {
    let env = Env::sandbox();
    let demo = format!("{}/demo", env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir(env.work().join("demo")).expect("a folder");
    let copied = std::fs::copy(format!("{demo}/site-roster.csv"), env.work().join("demo/site-roster.csv"));
    assert!(copied.is_ok(), "{copied:?}");
    env.write("staff.xlsx", crate::workbooks::with_a_number_as_id());
    env.write("sites.csv", "email,referenceId,site\nann@example.com,EMP-1,Demo\n");
    env.write("roster.csv", std::fs::read(format!("{demo}/site-roster.csv")).expect("a roster"));
    env
}

/// Commands of a session, each with what it printed.
fn session(text: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command.to_owned(), String::new())),
            (None, Some((_, output))) => output.extend([line, "\n"]),
            (None, None) => panic!("a session starts with a command: {line:?}"),
        }
    }
    steps
}

#[test]
fn every_session_shows_what_the_program_says() {
    let env = prepared();
    for block in blocks().into_iter().filter(|block| block.language == "console") {
        for (command, output) in session(&block.text) {
            let said = shell::run(&env, &format!("{{ {command}\n}} 2>&1"));
            snapbox::assert_data_eq!(redact(&said.stdout), redact(&output));
        }
    }
}

#[test]
fn every_recipe_runs() {
    // What sets the program up is run elsewhere: by hand, and against a served sandbox.
    let elsewhere = ["assessctl", "Install", "First hour"];
    let recipes = blocks().into_iter().filter(|block| block.language == "sh");
    let mut seen = 0;
    for block in recipes.filter(|block| !elsewhere.contains(&block.heading.as_str())) {
        let env = prepared();
        let _ = env.line("testtakers import roster.csv -q").ok();
        let _ = env.line("sandbox set ref:EMP-00018 --result ReasonableCause --completed 1h").ok();
        for run in ["first", "second"] {
            let said = shell::run(&env, &format!("set -u\n{}", block.text));
            assert_eq!(said.code, 0, "{}, {run} run\n{}\n{said}", block.heading, block.text);
        }
        seen += 1;
    }
    assert!(seen > 10, "{seen} recipes");
}

#[test]
fn the_rehearsal_of_failures_loses_answers_and_touches_neither_a_profile_nor_demo() {
    let env = prepared().without("ASSESSCTL_PROFILE");
    let _ = env.line("config use sandbox").ok();
    let rehearsal = blocks().into_iter().find(|block| block.text.contains("--fault")).expect("a rehearsal").text;
    let said = shell::run(&env, &rehearsal.replace("testtakers import", "testtakers import -v"));
    assert!(said.stderr.contains("6 rows: 6 enrolled in Demo (127.0.0.1:"), "{said}");
    let lost = said.stderr.lines().filter(|line| line.contains("POST ") && !line.contains(" 20")).count();
    assert_eq!(lost, 2, "{said}");
    assert_eq!(env.line("testtakers list -p Demo -o csv --fields id").data(), "id\n");
}

#[test]
fn the_first_hour_goes_through_against_a_service() {
    let service = Env::new();
    let served = service.serve(&["--key", KEY]);
    let _ = Env::at(&served.url).line("projects create 'Night shift' -q").ok();
    let env = Env::new();
    env.write("sites.csv", "email,referenceId,site\nann@example.com,EMP-1,Demo\n");
    env.write("roster.csv", std::fs::read(format!("{}/demo/site-roster.csv", env!("CARGO_MANIFEST_DIR"))).expect("it"));
    crate::harness::owner_only(&env.write("north.key", KEY));
    let mut said_all = String::new();
    for block in blocks().into_iter().filter(|block| block.language == "sh" && block.heading == "First hour") {
        let script = block.text.replace("https://api.example.com", &served.url);
        let said = shell::run(&env, &format!("set -eu\n{script}"));
        assert_eq!(said.code, 0, "{script}\n{said}");
        said_all += &said.to_string();
    }
    assert!(said_all.contains("6 enrolled in Night shift (127.0.0.1:"), "{said_all}");
    assert_eq!(said_all.matches("would mail ").count(), 6, "{said_all}");
    assert!(said_all.contains("would mail zoe.mueller@example.com: Dear Zoë, your test is at http"), "{said_all}");
    assert!(env.read("results.csv").lines().count() > 6);
}

/// The command of a crontab's line, of which cron has nothing to mail, the first time and the second.
fn silent_command(env: &Env, line: &str) -> String {
    assert!(!line.contains('%') && line.lines().count() == 1, "cron takes a line, and % for its end: {line}");
    let command: String = line.splitn(6, ' ').nth(5).expect("a command after five fields").to_owned();
    for _ in 0..2 {
        let said = shell::run(env, &command).ok();
        assert!(said.stdout.is_empty(), "cron would mail this:\n{said}");
    }
    command
}

#[test]
fn the_line_of_the_crontab_runs() {
    let env = prepared();
    let block = blocks().into_iter().find(|block| block.language == "crontab").expect("a crontab");
    let command = silent_command(&env, block.text.trim());
    assert!(env.read("results.csv").starts_with("project,"));
    // A project that is gone is not for the next run to mend: it is mailed.
    let said = shell::run(&env, &command.replace("--all-projects", "-p Nobody"));
    assert!(said.stdout.contains("error: "), "{said}");
    let lock = std::fs::File::create(env.work().join(".results.csv.lock")).expect("a file");
    lock.lock().expect("a lock");
    assert!(shell::run(&env, &command).stdout.is_empty());
    // A port that speaks something else is a fault of set-up.
    let other = Socket::always(Answer::Bytes(b"220 mail.example.com ESMTP\r\n".to_vec()));
    let elsewhere = format!("ASSESSCTL_PROFILE= ASSESSCTL_BASE_URL={} ASSESSCTL_API_KEY=k {command}", other.url);
    let said = shell::run(&env, &elsewhere.replace("results.csv", "other.csv"));
    assert!(said.stdout.contains("error: "), "{said}");
}

#[test]
fn the_line_of_the_crontab_that_follows_hr_mails_what_needs_a_person_and_nothing_else() {
    let env = prepared();
    let of_hr = |block: &Block| block.language == "crontab" && block.heading.starts_with("Follow HR");
    let block = blocks().into_iter().find(of_hr).expect("a crontab");
    let command = silent_command(&env, block.text.trim());
    env.write("roster.csv", "");
    let said = shell::run(&env, &command);
    assert!(said.stdout.contains("error: roster.csv is empty; nothing was done"), "{said}");
    let elsewhere = format!("ASSESSCTL_PROFILE= ASSESSCTL_BASE_URL=http://127.0.0.1:9 ASSESSCTL_API_KEY=k {command}");
    env.write("roster.csv", "email\nann@example.com\n");
    assert!(shell::run(&env, &format!("{elsewhere} -p Demo")).stdout.is_empty(), "no answer is tried again");
}

#[test]
fn a_file_that_grows_old_is_noticed() {
    let env = prepared();
    let block = blocks().into_iter().filter(|block| block.language == "crontab").nth(1).expect("a second crontab");
    let line = block.text.trim();
    assert!(!line.contains('%') && line.lines().count() == 1, "{line}");
    let command: String = line.splitn(6, ' ').nth(5).expect("a command after five fields").to_owned();
    env.write("export.log", "error: no answer\n");
    env.write("results.csv", "id\n");
    assert!(shell::run(&env, &command).ok().stdout.is_empty());
    let old = std::time::SystemTime::now() - std::time::Duration::from_hours(4);
    let file = std::fs::File::options().write(true).open(env.work().join("results.csv")).expect("the file");
    file.set_modified(old).expect("an older time");
    let said = shell::run(&env, &command).ok();
    assert_eq!(said.stdout, "results.csv is older than three hours\nerror: no answer\n");
}

#[test]
fn the_units_of_systemd_are_understood_and_their_command_runs() {
    let env = prepared();
    let unit = |name: &str| {
        let file = format!("{}/packaging/systemd/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(file).expect("a unit")
    };
    let units = ["results.service", "results.timer", "sync.service", "sync.timer"].map(|name| (name, unit(name)));
    assert!(readme().contains("](packaging/systemd)"));
    let work = env.work().display().to_string();
    let known = table("Exit codes");
    for (name, text) in units.iter().filter(|(name, _)| name.ends_with("service")) {
        let start = text.lines().find_map(|line| line.strip_prefix("ExecStart=")).expect("a command");
        let command = start.replace("%h/.cargo/bin/assessctl", PROGRAM).replace("%h", &work);
        let _ = shell::run(&env, &command).ok();
        let codes = text.lines().find_map(|line| line.strip_prefix("SuccessExitStatus=")).expect("codes");
        assert!(codes.split(' ').all(|code| known.contains(code)), "{name}: {codes}");
    }
    assert!(env.read("results.csv").starts_with("project,"));
    // Where systemd is at hand it reads the units itself.
    for (name, text) in &units {
        env.write(name, text.replace("%h/.cargo/bin/assessctl", PROGRAM));
    }
    let said = shell::run(
        &env,
        "command -v systemd-analyze > /dev/null || exit 0; systemd-analyze verify --man=no ./*.service ./*.timer",
    );
    assert!(said.code == 0 && !said.stderr.contains("results.") && !said.stderr.contains("sync."), "{said}");
}

#[test]
fn the_demonstration_runs() {
    let env = Env::new();
    let script = format!("{}/demo/run {PROGRAM}", env!("CARGO_MANIFEST_DIR"));
    let said = shell::run(&env, &script).ok();
    for shown in ["Zoë Müller", "EMP-00018", "HighRisk", "reference_id=EMP-00017"] {
        assert!(said.stdout.contains(shown), "{shown} in\n{said}");
    }
    assert!(readme().contains("./demo/run"));
}

#[test]
fn the_configuration_of_the_readme_is_understood() {
    let mut seen = 0;
    for block in blocks().into_iter().filter(|block| block.language == "toml") {
        let env = Env::new();
        env.configure(&block.text);
        let said = env.line("config show").ok();
        assert!(said.stdout.contains("base-url"), "{said}");
        seen += 1;
    }
    assert!(seen > 0, "the README shows a configuration");
}

#[test]
fn the_first_screen_has_the_two_commands_and_every_link_leads_somewhere() {
    let readme = readme();
    let first: String = readme.lines().take(30).collect::<Vec<_>>().join("\n");
    for needed in ["./demo/run ", "cargo test --locked ", "minute", "docs/terminal.svg"] {
        assert!(first.contains(needed), "{needed} in\n{first}");
    }
    // As the places that show the README make addresses of headings.
    let slug = |heading: &str| {
        let words = heading.trim_start_matches('#').trim().to_lowercase();
        words.chars().filter(|c| c.is_alphanumeric() || " -".contains(*c)).collect::<String>().replace(' ', "-")
    };
    let headings: BTreeSet<String> = readme.lines().filter(|line| line.starts_with('#')).map(slug).collect();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for target in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let is_there = match target.strip_prefix('#') {
            Some(heading) => headings.contains(heading),
            None => target.starts_with("https://") || root.join(target).exists(),
        };
        assert!(is_there, "{target} is not there");
    }
    for heading in readme.lines().filter_map(|line| line.strip_prefix("## ")).filter(|heading| *heading != "Licence") {
        assert!(readme.contains(&format!("(#{})", slug(heading))), "the contents lack {heading}");
    }
}

/// First cells of the table below a heading, without backticks.
fn table(heading: &str) -> BTreeSet<String> {
    let readme = readme();
    let below = readme.split(&format!("# {heading}\n")).nth(1).unwrap_or_else(|| panic!("no heading {heading}"));
    let rows = below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|')).skip(2);
    rows.filter_map(|row| row.split('|').nth(1)).flat_map(|cell| cell.split(',')).map(clean).collect()
}

fn clean(cell: &str) -> String {
    cell.trim().trim_matches('`').to_owned()
}

/// Everything in the sources that a pattern's first group finds.
fn in_sources(files: &str, pattern: &str) -> BTreeSet<String> {
    let pattern = regex::Regex::new(pattern).expect("a pattern");
    let sources = crate::layers::sources();
    let wanted = sources.iter().filter(|(file, _)| file.starts_with(files));
    let found = wanted.flat_map(|(_, source)| pattern.captures_iter(source).map(|hit| hit[1].to_owned()));
    found.collect()
}

#[test]
fn the_table_of_exit_codes_says_what_the_code_says() {
    let codes = in_sources("src/exit", r"Verdict::\w+ => (\d+)");
    assert!(codes.len() > 8, "{codes:?}");
    assert_eq!(table("Exit codes"), codes);
}
