//! What a user is told about a command line that clap refuses: one cause, which quotes no value, and what to type instead.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::again::completed;
use super::people::FILE_IS_MISSING;
use super::{Ended, shown};
use crate::model::verdict::Failure;

const MAIL: &str = "the portal sends invitations; to get a link that you can send: assessctl links issue PERSON";
const CHANGES: &str = "to see what is new at each run: assessctl results changes --as NAME";
const VOIDS: &str = "a link is shown once; a new link ends it: assessctl links issue PERSON";
const KEYS: &str = "keep the key in a file that only you can read: add --api-key-file FILE";
const CERTIFICATES: &str = "certificates are always checked; to add your own: assessctl config set ca-cert FILE";

/// What people look for here and the service cannot do, or others call otherwise: under which command, which words, and the
/// hint. The first row that fits counts. After `add` come options for the command that was typed.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("projects", "update edit rename set delete remove rm archive", "projects are changed and deleted in the portal"),
    ("projects create", "--name", "assessctl projects create NAME"),
    ("redirect-uris", "remove rm delete set", "redirect URIs are removed in the portal"),
    ("links", "list ls get show export revoke delete remove rm void", VOIDS),
    ("", "invite send mail email remind resend", MAIL),
    ("testtakers", "--name", "add --first-name NAME --last-name NAME"),
    ("testtakers", "add create new", "assessctl testtakers enrol --email ADDRESS"),
    ("testtakers", "move mv transfer", "enrol them in the other project, then remove them here; results stay behind"),
    ("testtakers", "count", "assessctl results summary"),
    ("testtakers", "load upload bulk", "assessctl testtakers import FILE"),
    ("testtakers", "export dump", "assessctl testtakers list --to NEW_FILE.csv"),
    ("testtakers update", "--email --birth-year", "the service can't change them: remove and enrol the person again"),
    ("testtakers sync", "--force", "to approve what a sync held: add --approve ID"),
    ("testtakers import", "--update --upsert --overwrite", "add --on-existing update"),
    ("testtakers import", "--file", "assessctl testtakers import FILE"),
    ("", "--ignore-errors --skip-errors", "add --skip-invalid"),
    ("results", "set update delete remove rm clear", "results come from tests; in the sandbox: assessctl sandbox set"),
    ("results", "--from --after --start", "add --completed-since TIME"),
    ("results", "--today --yesterday", "add --completed-since 24h"),
    ("results", "--user --person --email", "assessctl results get PERSON"),
    ("", "webhook webhooks events listen watch tail follow subscribe diff", CHANGES),
    ("results", "download dump save", "assessctl results export --to NEW_FILE.csv"),
    ("journal", "remove rm delete clear", "assessctl journal forget -p NAME"),
    ("", "enroll register", "assessctl testtakers enrol --email ADDRESS"),
    ("", "import", "assessctl testtakers import FILE, or assessctl journal undo FILE"),
    ("", "use use-project switch", "assessctl config set project NAME"),
    ("", "logout", "assessctl config remove PROFILE"),
    ("", "login auth setup init", "assessctl config init"),
    ("", "status ping health whoami info", "assessctl doctor"),
    ("", "search find", "assessctl testtakers list --filter TEXT"),
    ("", "version", "assessctl --version"),
    ("", "rollback revert", "assessctl journal undo FILE"),
    ("", "resume retry continue", "run the same command again: it continues where it stopped"),
    ("", "--json", "add -o json"),
    ("", "--csv", "add -o csv"),
    ("", "--token --key --api-key --apikey --password", KEYS),
    ("", "--insecure -k --no-verify", CERTIFICATES),
    ("list", "--all", "lists are complete: leave --all out"),
    ("", "--all", "add --all-projects"),
    ("", "--force", "commands that ask a question take --yes"),
];

/// The end of a line that clap did not take: help and version were asked for; all else is a wrong call.
pub fn not_taken(error: &clap::Error, root: &Command, words: &[OsString]) -> Ended {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        return shown(&error.render().to_string());
    }
    let wrong = wrong_word(error);
    let is_wrong = |typed: &OsString| wrong.as_ref().is_some_and(|wrong| typed.to_string_lossy().starts_with(wrong));
    let read = words.iter().position(is_wrong).map_or(words, |at| &words[..at]);
    let (path, command) = (Path::of(root, words), Path::of(root, read).shown());
    // An option that is known here may still be wrong beside another one.
    let is_unknown = matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand);
    let wrong = wrong.filter(|_| is_unknown);
    if let Some((word, hint)) = wrong.as_ref().and_then(|word| Some((word, path.misplaced(word, words)?))) {
        return Err(Failure::usage(format!("{word} must come after the command")).hint(hint).into());
    }
    let hint = wrong
        .and_then(|word| path.instead(&word))
        .or_else(|| path.noun_behind_verb(root, words))
        .or_else(|| path.suggested(error, words))
        .unwrap_or_else(|| path.help());
    Err(Failure::usage(cause(error, &format!("assessctl {command}"))).hint(hint).into())
}

/// The commands that a line names, in their order.
struct Path<'c> {
    command: &'c Command,
    names: Vec<&'c str>,
}

impl<'c> Path<'c> {
    fn of(root: &'c Command, words: &[OsString]) -> Self {
        let mut path = Self { command: root, names: Vec::new() };
        let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
        while let Some(word) = words.next() {
            if let Some(next) = path.command.find_subcommand(word) {
                path.command = next;
                path.names.push(next.get_name());
            } else if path.option(word).is_some_and(|option| option.get_action().takes_values()) {
                // What follows is its value, whatever it is called.
                words.next();
            }
        }
        path
    }

    /// The option that a word names as a whole.
    fn option(&self, word: &str) -> Option<&clap::Arg> {
        self.command.get_arguments().find(|arg| match word.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long) || arg.get_all_aliases().unwrap_or_default().contains(&long),
            None => arg.get_short().is_some_and(|short| word == format!("-{short}")),
        })
    }

    fn shown(&self) -> String {
        self.names.iter().flat_map(|name| [*name, " "]).collect()
    }

    fn help(&self) -> String {
        format!("assessctl {}--help", self.shown())
    }

    /// A line of this command: what it requires, then these options.
    fn line(&self, options: &str) -> String {
        let required = self.command.get_arguments().filter(|arg| arg.is_required_set());
        let required = required.map(|arg| match arg.get_long() {
            Some(long) => format!("--{long} {} ", value_name(arg)),
            None => format!("{} ", value_name(arg)),
        });
        let command = if self.command.has_subcommands() { "COMMAND " } else { "" };
        let line = format!("assessctl {}{command}{}{options}", self.shown(), required.collect::<String>());
        line.trim_end().to_owned()
    }

    /// An option that its command has, typed before the command. Its value may be anything: only a known word is shown.
    fn misplaced(&self, word: &str, words: &[OsString]) -> Option<String> {
        let option = self.option(word).filter(|_| !self.names.is_empty())?;
        let typed = words.iter().skip_while(|typed| *typed != word).nth(1).and_then(|value| value.to_str());
        let is_known = |value: &&str| option.get_possible_values().iter().any(|known| known.matches(value, false));
        let value = typed.filter(is_known).map_or_else(|| value_name(option), str::to_owned);
        Some(self.line(&format!("{word} {value}")))
    }

    /// What clap thinks was meant: a command or an option. A value is named in the cause.
    fn suggested(&self, error: &clap::Error, words: &[OsString]) -> Option<String> {
        let word = |kind| texts(error, kind).pop();
        if let Some(name) = word(ContextKind::SuggestedSubcommand) {
            let command = self.command.find_subcommand(&name)?;
            // `projcts list` names its verb.
            let verb = words.iter().find_map(|word| command.find_subcommand(word));
            let names = self.names.iter().copied().chain([command.get_name()]).chain(verb.map(Command::get_name));
            let path = Self { command: verb.unwrap_or(command), names: names.collect() };
            return Some(if path.command.has_subcommands() { path.help() } else { path.line("") });
        }
        let option = self.option(&word(ContextKind::SuggestedArg)?)?;
        Some(self.line(&format!("--{} {}", option.get_long()?, value_name(option))))
    }

    fn instead(&self, word: &str) -> Option<String> {
        let is_below = |place: &str| place.is_empty() || format!(" {}", self.shown()).contains(&format!(" {place} "));
        let fits = |place: &str, words: &str| is_below(place) && words.split(' ').any(|known| known == word);
        let (.., hint) = INSTEAD.iter().find(|(place, words, _)| fits(place, words))?;
        // A verb that is still to be named may have any option.
        let may_have = |option: &str| self.command.has_subcommands() || self.option(option).is_some();
        Some(completed(hint, |options| {
            Some(if may_have(options.split(' ').next()?) { self.line(options) } else { self.help() })
        }))
    }

    /// `list projects`, or a verb without its noun.
    fn noun_behind_verb(&self, root: &Command, words: &[OsString]) -> Option<String> {
        let verb = words.iter().skip(1).filter_map(|word| word.to_str()).find(|word| !word.starts_with('-'))?;
        let found = root.get_subcommands().filter_map(|noun| Some((noun.get_name(), noun.find_subcommand(verb)?)));
        let named = self.names.first();
        let found = found.filter(|(noun, _)| named.is_none_or(|named| noun == named)).take(3);
        let line = |(noun, command): (_, &Command)| Path { command, names: vec![noun, command.get_name()] }.line("");
        let lines: Vec<_> = found.map(line).collect();
        (!lines.is_empty()).then(|| lines.join(", or "))
    }
}

/// What clap says about an error: texts of its own and of the command line, which may be anything.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(several)) => several.clone(),
        _ => Vec::new(),
    }
}

/// The command or option that was refused, without its value.
fn wrong_word(error: &clap::Error) -> Option<String> {
    let mut words =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].into_iter().flat_map(|kind| texts(error, kind));
    words.next()?.split('=').next().map(str::to_owned)
}

/// What is wrong with the line; `command` is as far as it could be read.
fn cause(error: &clap::Error, command: &str) -> String {
    let (names, command) = (names(error, ContextKind::InvalidArg), command.trim_end());
    let name = names.first().map_or("an argument", String::as_str);
    match error.kind() {
        ErrorKind::InvalidSubcommand => match wrong_word(error).filter(|word| is_plain(word)) {
            Some(word) => format!("{command} has no command `{word}`"),
            None => format!("{command} has no such command"),
        },
        ErrorKind::MissingSubcommand => "a command is missing".to_owned(),
        ErrorKind::UnknownArgument => match wrong_word(error).filter(|word| word.starts_with('-')) {
            Some(option) => format!("{command} has no option {option}"),
            None => format!("{command} does not take this argument"),
        },
        ErrorKind::InvalidValue if texts(error, ContextKind::InvalidValue).concat().is_empty() => {
            format!("{name} needs a value")
        }
        ErrorKind::InvalidValue => {
            let (near, known) = (ContextKind::SuggestedValue, texts(error, ContextKind::ValidValue).join(", "));
            match texts(error, near).pop() {
                Some(near) if name.starts_with('<') => format!("there is no such {name}; did you mean {near}?"),
                Some(near) => format!("{name} does not take this word; did you mean {near}?"),
                None if known.is_empty() => format!("{name} does not take this value"),
                None => format!("{name} does not take this word (known: {known})"),
            }
        }
        ErrorKind::ValueValidation => format!("{name} {}", reason(error)),
        ErrorKind::MissingRequiredArgument if name == "--page" => "--page-size needs --page".to_owned(),
        ErrorKind::MissingRequiredArgument if name == "--file" => FILE_IS_MISSING.to_owned(),
        ErrorKind::MissingRequiredArgument => format!("{command} needs {}", names.join(" and ")),
        ErrorKind::ArgumentConflict => match self::names(error, ContextKind::PriorArg).join(" and ") {
            other if other.is_empty() || other == name => format!("{name} is given twice"),
            others => format!("{name} and {others} do not go together"),
        },
        ErrorKind::TooManyValues => format!("{name} takes no value"),
        ErrorKind::InvalidUtf8 => "an argument is not valid Unicode".to_owned(),
        _ => "the command line is wrong".to_owned(),
    }
}

/// Why a value was refused, in our words where clap or a number has its own.
fn reason(error: &clap::Error) -> String {
    let Some(source) = std::error::Error::source(error) else { return "does not take this value".to_owned() };
    let why = source.to_string();
    match why.split_once(" is not in ").and_then(|(_, range)| range.split_once("..=")) {
        // The largest number that fits in memory says nothing.
        Some((least, most)) if most.len() > 9 => format!("must be at least {least}"),
        Some((least, most)) => format!("must be {least} to {most}"),
        None if source.is::<std::num::ParseIntError>() => "must be a whole number".to_owned(),
        None => why,
    }
}

/// Arguments as a person names them: `--limit`, `<PERSON>`.
fn names(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    let plain = |name: String| match name.strip_prefix(['<', '[']) {
        Some(operand) => format!("<{}>", operand.trim_end_matches(['>', ']', '.'])),
        None => name.split([' ', '[', '=']).next().unwrap_or(&name).to_owned(),
    };
    texts(error, kind).into_iter().map(plain).collect()
}

/// What a value is called: `FILE`, and of `NAME|ID` the first.
fn value_name(arg: &clap::Arg) -> String {
    let names = arg.get_value_names().filter(|_| arg.get_action().takes_values()).unwrap_or_default();
    names.first().and_then(|name| name.split(['|', ',']).next()).unwrap_or_default().to_owned()
}

/// A word that may be quoted: it was meant as a command, and is no name or key in the wrong place.
fn is_plain(word: &str) -> bool {
    word.len() <= 24 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
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
