//! What is said of a command line that clap refuses: one cause, which quotes no value, and at most one hint.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::model::verdict::Failure;

const MAIL: &str = "the service mails invitations by itself; `assessctl links issue` gives links to send yourself";
const PORTAL: &str = "projects are changed and deleted in the portal";
const CHANGES: &str = "`assessctl results changes --as NAME`, run by cron, shows each new result once";

/// What people look for here and the service cannot do, or others call otherwise: under which command, which words, and the
/// hint. The first row that fits counts.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("projects", "update edit rename set delete remove rm archive close activate", PORTAL),
    ("redirect-uris", "remove rm delete set", "redirect URIs are removed in the portal"),
    (
        "links",
        "list ls get show export",
        "links can't be read again: `assessctl links issue` issues new ones and voids the old",
    ),
    ("links", "send mail email resend remind", MAIL),
    ("links", "revoke delete remove void", "`assessctl links issue ref:ID --rotate` voids the old link"),
    ("testtakers", "invite send remind mail email", MAIL),
    (
        "testtakers",
        "move mv transfer",
        "enrol the person in the other project, then remove them here; results stay behind",
    ),
    ("testtakers", "count", "assessctl results summary"),
    ("testtakers", "search find", "assessctl testtakers list --filter TEXT"),
    ("testtakers", "validate lint", "assessctl testtakers check FILE"),
    ("testtakers", "load upload bulk", "assessctl testtakers import FILE"),
    ("testtakers", "export dump", "assessctl testtakers list --to people.csv"),
    (
        "testtakers update",
        "--email --birth-year",
        "the service can't change an e-mail or a birth year: remove the person and enrol them again",
    ),
    ("testtakers sync", "--force", "look at the held changes with --dry-run, then add --approve ID"),
    ("testtakers import", "--update --upsert --overwrite", "--on-existing update"),
    ("testtakers import", "--ignore-errors --skip-errors", "--skip-invalid"),
    (
        "results",
        "set update delete remove approve clear",
        "results come from assessments; `assessctl sandbox set` sets them in the sandbox",
    ),
    ("results", "watch tail follow subscribe", CHANGES),
    ("results", "diff new", CHANGES),
    ("results get", "--project-id", "-p NAME|ID"),
    ("results export", "--output-dir --dir", "--to-dir DIR"),
    ("journal", "resolve retry", "the same import again looks for rows in doubt and ends them"),
    ("config", "list ls get path edit", "assessctl config show"),
    ("config", "login new", "assessctl config init"),
    ("sandbox", "start run up", "assessctl sandbox serve, or any command with --profile sandbox"),
    ("sandbox", "delete clear", "assessctl sandbox reset"),
    ("", "login logout auth setup configure init", "assessctl config init"),
    ("", "status ping health whoami version info", "assessctl doctor"),
    ("", "undo rollback revert", "assessctl journal undo FILE"),
    ("", "resume retry continue", "type the same command again: it continues where it stopped"),
    ("", "webhook webhooks events listen", CHANGES),
    ("", "enroll enrol import sync", "assessctl testtakers import FILE"),
    ("", "completion", "assessctl completions SHELL"),
    ("", "help", "assessctl COMMAND --help"),
    ("", "--json", "-o json after the command"),
    ("", "--csv", "-o csv after the command"),
    (
        "",
        "--token --key --api-key --apikey --password",
        "others could read a key on a command line: use --api-key-file FILE, or ASSESSCTL_API_KEY",
    ),
    ("", "--insecure -k --no-verify", "certificates are always checked: `ca-cert` of a profile adds your own"),
    ("", "--url --host --endpoint", "--base-url URL"),
    ("", "--all", "lists are complete without an option"),
    ("", "--debug --trace", "-v"),
    ("", "--force", "--yes answers the question of commands that ask"),
];

/// Why a line was refused; `None` where it asked for help or the version.
pub fn explain(error: &clap::Error, root: &Command, words: &[OsString]) -> Option<Failure> {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        return None;
    }
    let path = Path::of(root, words);
    // An option that is known here may still be wrong beside another one.
    let is_unknown = matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand);
    let hint = wrong_word(error)
        .filter(|_| is_unknown)
        .and_then(|word| path.misplaced(&word).or_else(|| instead(&path.names, &word)))
        .or_else(|| suggested(error))
        .or_else(|| path.noun_behind_verb(root, words))
        .unwrap_or_else(|| format!("assessctl {}--help", path.shown()));
    Some(Failure::usage(cause(error)).hint(hint))
}

/// The commands that a line names, in their order.
struct Path<'c> {
    command: &'c Command,
    names: Vec<&'c str>,
}

impl<'c> Path<'c> {
    fn of(root: &'c Command, words: &[OsString]) -> Self {
        let mut path = Self { command: root, names: Vec::new() };
        for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
            if let Some(next) = path.command.find_subcommand(word) {
                path.command = next;
                path.names.push(next.get_name());
            }
        }
        path
    }

    fn shown(&self) -> String {
        self.names.iter().map(|name| format!("{name} ")).collect()
    }

    /// An option that its command has, typed before the command.
    fn misplaced(&self, word: &str) -> Option<String> {
        let is_named = |arg: &clap::Arg| match word.strip_prefix("--") {
            Some(long) => arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&long)),
            None => arg.get_short().is_some_and(|short| word == format!("-{short}")),
        };
        let is_known = !self.names.is_empty() && self.command.get_arguments().any(is_named);
        is_known.then(|| format!("put {word} after the command: assessctl {}{word} …", self.shown()))
    }

    /// `list projects`, or a verb without its noun.
    fn noun_behind_verb(&self, root: &Command, words: &[OsString]) -> Option<String> {
        let verb = words.iter().skip(1).filter_map(|word| word.to_str()).find(|word| !word.starts_with('-'))?;
        let nouns: Vec<&Command> = root.get_subcommands().filter(|noun| noun.find_subcommand(verb).is_some()).collect();
        let lines = |noun: &&Command| format!("assessctl {} {verb}", noun.get_name());
        match self.names.first() {
            _ if nouns.is_empty() => None,
            Some(named) => nouns.iter().find(|noun| noun.get_name() == *named).map(lines),
            None => Some(nouns.iter().take(3).map(lines).collect::<Vec<_>>().join(", or ")),
        }
    }
}

fn instead(path: &[&str], word: &str) -> Option<String> {
    let path = path.join(" ");
    let is_below = |place: &str| place.is_empty() || path == place || path.starts_with(&format!("{place} "));
    let row =
        INSTEAD.iter().find(|(place, words, _)| is_below(place) && words.split(' ').any(|known| known == word))?;
    Some(row.2.to_owned())
}

/// The command or option that was refused, without its value.
fn wrong_word(error: &clap::Error) -> Option<String> {
    let word = text(error, ContextKind::InvalidSubcommand).or_else(|| text(error, ContextKind::InvalidArg))?;
    word.split('=').next().map(str::to_owned)
}

fn cause(error: &clap::Error) -> String {
    let argument = text(error, ContextKind::InvalidArg).unwrap_or_else(|| "an argument".to_owned());
    match error.kind() {
        ErrorKind::InvalidSubcommand => match wrong_word(error).filter(|word| is_plain(word)) {
            Some(word) => format!("there is no command `{word}` here"),
            None => "there is no such command".to_owned(),
        },
        ErrorKind::UnknownArgument => match wrong_word(error).filter(|word| word.starts_with('-')) {
            Some(option) => format!("there is no option {option} here"),
            None => "there is an argument too many".to_owned(),
        },
        ErrorKind::InvalidValue if text(error, ContextKind::InvalidValue).is_none_or(|value| value.is_empty()) => {
            format!("{argument} needs a value")
        }
        ErrorKind::InvalidValue => format!("{argument} does not take this value{}", known_values(error)),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|why| format!(": {why}")).unwrap_or_default();
            format!("{argument} does not take this value{why}")
        }
        ErrorKind::MissingRequiredArgument => format!("{argument} is missing"),
        ErrorKind::ArgumentConflict => match text(error, ContextKind::PriorArg) {
            Some(other) if other != argument => format!("{argument} does not go with {other}"),
            _ => format!("{argument} is given twice"),
        },
        ErrorKind::TooManyValues => format!("{argument} takes one value"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => format!("{argument} needs more values"),
        ErrorKind::InvalidUtf8 => "an argument is not valid Unicode".to_owned(),
        _ => "the command line is wrong".to_owned(),
    }
}

/// A word that may be quoted: it was meant as a command, and is no name or key in the wrong place.
fn is_plain(word: &str) -> bool {
    word.len() <= 24 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(" and ")),
        _ => None,
    }
}

fn known_values(error: &clap::Error) -> String {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(known)) if !known.is_empty() => format!(" (known: {})", known.join(", ")),
        _ => String::new(),
    }
}

/// What clap thinks was meant: the best of its suggestions.
fn suggested(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let word = kinds.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(word) => Some(word.clone()),
        ContextValue::Strings(words) => words.last().cloned(),
        _ => None,
    })?;
    Some(format!("did you mean {word}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_stays_small_and_each_word_has_one_hint() {
        assert!(INSTEAD.len() <= 45, "{}", INSTEAD.len());
        let mut seen = std::collections::HashSet::new();
        for (place, words, _) in INSTEAD {
            assert!(words.split(' ').all(|word| seen.insert((place, word))), "{place}: {words}");
        }
    }
}
