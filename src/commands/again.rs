//! Hints that repeat the line that was typed, with more options.

use crate::model::show::shell_word;

/// A line with one of these is not repeated: their values are people, or files that would be written to again.
const NOT_REPEATED: [&str; 8] =
    ["--email", "--first-name", "--last-name", "--filter", "--search", "--to", "--to-dir", "--out"];

/// A hint that ends in `add OPTIONS` with a whole line instead, where `line` makes one of these options.
pub fn completed(hint: &str, line: impl FnOnce(&str) -> Option<String>) -> String {
    let (why, options) = match hint.split_once(": add ") {
        Some((why, options)) => (format!("{why}: "), options),
        None => (String::new(), hint.strip_prefix("add ").unwrap_or_default()),
    };
    let line = if options.is_empty() { None } else { line(options) };
    line.map_or_else(|| hint.to_owned(), |line| why + &line)
}

/// The line of this process with these options, and without a report of its own. An approved run is no rehearsal.
pub fn typed_with(options: &str) -> Option<String> {
    let is_approval = options.starts_with("--approve");
    let mut words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut line = "assessctl".to_owned();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or_default();
        match name {
            _ if word.contains('@') || NOT_REPEATED.contains(&name) => return None,
            "--dry-run" if is_approval => {}
            "--failed-out" | "--approve" if is_approval || name == "--failed-out" => {
                drop((!word.contains('=')).then(|| words.next()));
            }
            _ => line.extend([" ", &shell_word(&word)]),
        }
    }
    Some(format!("{line} {options}"))
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
}
