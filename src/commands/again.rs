//! When a hint repeats the line that was typed, with more options, and which lines are never repeated.

use crate::config::environment::Environment;
use crate::model::show::shell_word;

/// A line with one of these is not repeated: their values are people, or files that would be written to again.
const NOT_REPEATED: [&str; 9] =
    ["--email", "--first-name", "--last-name", "--filter", "--search", "--redirect-uri", "--to", "--to-dir", "--out"];

/// A hint that ends in `add OPTIONS` with a whole line instead, where `line` makes one of these options.
pub fn completed(hint: &str, line: impl FnOnce(&str) -> Option<String>) -> String {
    let (why, options) = match hint.split_once(": add ") {
        Some((why, options)) => (format!("{why}: "), options),
        None => (String::new(), hint.strip_prefix("add ").unwrap_or_default()),
    };
    let line = if options.is_empty() { None } else { line(options) };
    line.map_or_else(|| hint.to_owned(), |line| why + &line)
}

/// Options that may be given several times.
const REPEATED: [&str; 2] = ["--map", "--ignore-column"];

/// Options that mean the same.
const SAME: [[&str; 3]; 2] = [["-o", "--output", "--format"], ["-p", "--project", "-p"]];

/// The line of this process with these options, which replace the same ones, and without a report of its own. An approved run
/// is no rehearsal. Whoever types a line that lets something through may have other variables than this process.
pub fn typed_with(options: &str) -> Option<String> {
    let mut options = options.to_owned();
    if options.contains("--approve") || options.contains("--yes") {
        for (option, value) in Environment::of_process().place() {
            if !typed().any(|word| word.split('=').next() == Some(option)) {
                options.extend([" ", option, " ", &shell_word(&value)]);
            }
        }
    }
    with(typed(), &options)
}

fn typed() -> impl Iterator<Item = String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().trim_end_matches('\r').to_owned())
}

/// Options that say where a line goes.
const WHERE: [&str; 4] = ["--config", "--profile", "--base-url", "--api-key-file"];

/// A hint whose own line goes to the same place as the line of this process.
pub fn there(hint: &str) -> String {
    let is_line = hint.contains(": assessctl ") || (hint.starts_with("assessctl ") && !hint.contains([':', '-']));
    let (mut line, mut words) = (hint.to_owned(), typed());
    while let Some(word) = words.next().filter(|_| is_line) {
        let name = word.split('=').next().unwrap_or_default();
        if WHERE.contains(&name) && !hint.contains(name) {
            let value = if word.contains('=') { None } else { words.next() };
            [Some(&word), value.as_ref()].into_iter().flatten().for_each(|word| line.extend([" ", &shell_word(word)]));
        }
    }
    line
}

fn with(mut words: impl Iterator<Item = String>, options: &str) -> Option<String> {
    let is_approval = options.starts_with("--approve");
    let added = options.split_once(' ').map(|(name, _)| name).filter(|name| !REPEATED.contains(name));
    let is_same = |name: &str, added: &str| SAME.iter().any(|same| same.contains(&name) && same.contains(&added));
    let is_added = |name: &str| added.is_some_and(|added| name == added || is_same(name, added));
    let mut line = "assessctl".to_owned();
    let mut end = None;
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        match name {
            _ if word.contains('@') || NOT_REPEATED.contains(&name) => return None,
            _ if is_approval && name.starts_with("--dry") => {}
            _ if name == "--failed-out" || is_added(name) => {
                drop((!word.contains('=')).then(|| words.next()));
            }
            _ => {
                // What follows `--` are no options.
                end = end.or((word == "--").then_some(line.len()));
                line.extend([" ", &shell_word(&word)]);
            }
        }
    }
    line.insert_str(end.unwrap_or(line.len()), &format!(" {options}"));
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_hint_that_adds_options_becomes_a_line() {
        let line = |options: &str| Some(format!("assessctl x {options}"));
        assert_eq!(completed("add --yes", line), "assessctl x --yes");
        assert_eq!(completed("if it is right: add --by email", line), "if it is right: assessctl x --by email");
        assert_eq!(completed("set the clock", line), "set the clock");
        assert_eq!(completed("add --yes", |_| None), "add --yes");
    }

    #[test]
    fn an_option_that_is_added_replaces_the_same_one() {
        let line = |typed: &str, options| with(typed.split(' ').map(str::to_owned), options);
        assert_eq!(line("x -o json --no-header", "-o csv").as_deref(), Some("assessctl x --no-header -o csv"));
        assert_eq!(line("x --project=Demo -q", "-p ID").as_deref(), Some("assessctl x -q -p ID"));
        assert_eq!(line("x --format json --failed-out f -y", "-o csv").as_deref(), Some("assessctl x -y -o csv"));
        assert_eq!(line("x --map a=email", "--map b=id").as_deref(), Some("assessctl x --map a=email --map b=id"));
        assert_eq!(line("x --approve 1 --dryrun", "--approve 2").as_deref(), Some("assessctl x --approve 2"));
        assert_eq!(line("x -q -- -f.csv", "--yes").as_deref(), Some("assessctl x -q --yes -- -f.csv"));
        assert_eq!(line("x -- a@b.example", "--yes"), None);
        assert_eq!(
            line("x --yes", "--allow-suspicious=email").as_deref(),
            Some("assessctl x --yes --allow-suspicious=email")
        );
    }
}
