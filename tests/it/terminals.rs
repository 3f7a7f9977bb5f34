//! What a person at a terminal reads where a command went well: what was done, where, and what was written into which file.

use crate::harness::Env;
use crate::pty::Terminal;
use crate::words;

/// The last screen of a command that succeeds.
#[track_caller]
fn screen(env: &Env, columns: u16, line: &str) -> String {
    let words = words::split(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, screen) = Terminal::start(env, columns, &words).ends();
    assert_eq!(code, 0, "{line}\n{}", screen.text());
    screen.text()
}

#[test]
fn a_file_that_was_written_is_named() {
    let env = Env::sandbox();
    for (line, expected) in [
        ("schema --to schema.json", "schema written to schema.json"),
        ("completions bash --to assessctl.bash", "completions for bash written to assessctl.bash"),
        ("man --to pages", "manual pages in pages"),
        ("results report --to report.html", "report written to report.html"),
        ("projects link --qr --to link.svg", "QR code written to link.svg"),
    ] {
        let said = screen(&env, 100, line);
        assert!(said.contains(expected), "{line}\n{said}");
        let _ = env.line(line).data();
    }
}

#[test]
fn links_that_were_issued_are_counted_with_their_place() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email ann@example.com --reference-id A-1 -q").ok();
    let said = screen(&env, 140, "links issue ref:A-1 --to links.csv");
    assert!(said.contains("1 link issued in Demo (sandbox), added to links.csv"), "{said}");
    let said = screen(&env, 140, "links issue ref:A-1");
    assert!(said.ends_with("1 link issued in Demo (sandbox)") && said.contains("/take/"), "{said}");
}

#[test]
fn what_was_done_to_the_service_itself_is_said_too() {
    let env = Env::sandbox();
    let add = "redirect-uris add https://hr.example.com/done";
    for expected in ["1 redirect URI added (sandbox)", "0 redirect URIs added (sandbox)"] {
        let said = screen(&env, 100, add);
        assert!(said.contains(expected), "{said}");
    }
    assert!(screen(&env, 200, "sandbox reset --yes").contains("is as a new sandbox's"));
}

#[test]
fn a_person_who_was_enrolled_before_is_not_told_as_new() {
    let env = Env::sandbox();
    let line = "testtakers enrol --email ann@example.com --reference-id A-1";
    let said = screen(&env, 100, line);
    assert!(said.contains("enrolled in Demo (sandbox)") && !said.contains("earlier"), "{said}");
    let said = screen(&env, 100, line);
    assert!(said.contains("enrolled (by an earlier run) in Demo (sandbox)"), "{said}");
    let record = env.line(&format!("{line} -o json")).json();
    assert_eq!((&record["outcome"], &record["message"]), (&"enrolled".into(), &"by an earlier run".into()));
}

#[test]
fn changes_without_a_memory_are_not_called_none() {
    let env = Env::sandbox();
    let said = screen(&env, 100, "results changes --as cron");
    assert!(said.contains("nothing was compared\n") && !said.contains("no changes"), "{said}");
    let said = screen(&env, 100, "results changes --as cron");
    assert!(said.contains("no changes") && !said.contains("nothing"), "{said}");
}

#[test]
fn help_fits_the_terminal_and_goes_on_below_what_it_explains() {
    let env = Env::sandbox();
    let said = screen(&env, 60, "config set --help");
    let key = "           api-key-file     File that holds the API key; `-`\n";
    assert!(said.contains(&format!("{key}                            as an option reads standard\n")), "{said}");
    for (columns, line) in [(60, "help output"), (100, "help output")] {
        let said = screen(&env, columns, line);
        let longest = said.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        assert!((usize::from(columns) - 10..=usize::from(columns)).contains(&longest), "{longest}\n{said}");
        assert!(said.contains("A list is the whole list, or an error.") && !said.contains("**"), "{said}");
    }
}
