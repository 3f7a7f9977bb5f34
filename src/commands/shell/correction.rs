//! A whole line in place of one with slips: each hint that names what is to be typed is taken, until the program takes the line.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::commands::shell::argv::{Part, parts};
use crate::commands::shell::line_to_type::{PERSON, line_to_type, with_prefixes};
use crate::commands::shell::translation::translated;
use crate::commands::shell::value_hints::{is_file, time};

/// More slips than these are no slips.
const MOST: usize = 8;
/// How a hint begins that takes an option away.
const LEFT_OUT: &str = "leave it out";

/// Finds the hint for a line that could not be read.
pub type Hint = fn(&Command, &[OsString], &Error) -> Option<String>;

/// The whole line to type in place of this one, with what else there is to say; `None` where a hint on the way to it does not
/// name what is to be typed.
pub fn whole_line(root: &Command, words: &[OsString], hint: Hint) -> Option<String> {
    let mut words = words.to_vec();
    let mut said = Vec::new();
    while let Err(error) = root.clone().try_get_matches_from(&words) {
        let hint = hint(root, &words, &error)?;
        let (next, remark) = taken(root, &words, &error, &hint)?;
        said.push((remark, hint.starts_with(LEFT_OUT)));
        words = with_prefixes(root, &translated(root, next));
        if said.len() > MOST {
            return None;
        }
    }
    // Why a single option is left out is said first.
    if said.is_empty() || matches!(said.as_slice(), [(_, true)]) {
        return None;
    }
    // A day behind --to is meant for the end of a time.
    let is_day = words.windows(2).any(|pair| {
        pair[0] == "--to"
            && time("--completed-since", &pair[1].to_string_lossy()).is_some_and(|hint| hint.contains("T00:"))
    });
    let line = line_to_type(root, &words).filter(|_| !is_day)?;
    let mut remarks: Vec<String> =
        said.into_iter().map(|(remark, _)| remark).filter(|remark| !remark.is_empty()).collect();
    remarks.dedup_by_key(|remark| remark.split_once(": ").map(|(_, why)| why.to_owned()));
    let space = if remarks.is_empty() { "" } else { " " };
    Some(format!("did you mean `{line}`?{space}{}", remarks.join(". ")))
}

/// The line as a hint wants it, and what it says besides.
fn taken(root: &Command, words: &[OsString], error: &Error, hint: &str) -> Option<(Vec<OsString>, String)> {
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let (meant, remark) = meant(hint)?;
            let command = meant.strip_prefix("assessctl ")?;
            let wrong = wrong(error, ContextKind::InvalidSubcommand)?;
            Some((with_command(root, words, wrong, command)?, remark.to_owned()))
        }
        ErrorKind::UnknownArgument => {
            let wrong = wrong(error, ContextKind::InvalidArg)?;
            if !wrong.starts_with('-') {
                return Some((with_word(words, wrong, hint)?, String::new()));
            }
            OptionInLine::find(words, wrong)?.taken(root, hint)
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let argument = wrong(error, ContextKind::InvalidArg).filter(|argument| !argument.contains(PERSON))?;
            let (meant, _) = meant(hint)?;
            let value = wrong(error, ContextKind::InvalidValue).filter(|value| !value.is_empty())?;
            Some((with_value(words, argument.split(' ').next()?, value, meant)?, String::new()))
        }
        _ => None,
    }
}

/// What the parser says was wrong.
fn wrong(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    }
}

/// What a hint asks whether it was meant, and what it says besides.
fn meant(hint: &str) -> Option<(&str, &str)> {
    let asked = hint.strip_prefix("did you mean ")?;
    let (meant, rest) = match asked.strip_prefix('`') {
        Some(asked) => asked.split_once('`')?,
        None => asked.split_at(asked.find('?')?),
    };
    Some((meant, rest.strip_prefix('?')?.trim_start()))
}

/// The line with this command in place of the one that there is not. What the command takes stands in the line already.
fn with_command(root: &Command, words: &[OsString], wrong: &str, command: &str) -> Option<Vec<OsString>> {
    let names = command.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    let mut ours = vec![words.first()?.clone()];
    ours.extend(names.map(OsString::from));
    let mut is_found = false;
    for (word, part) in words.iter().zip(parts(root, words)).skip(1) {
        let is_wrong = !is_found && part == Part::Other && word == wrong;
        is_found |= is_wrong;
        if !is_wrong && !matches!(part, Part::Command(_)) {
            ours.push(word.clone());
        }
    }
    Some(ours)
}

/// The line with the option before a word that a hint says it belongs to.
fn with_word(words: &[OsString], wrong: &str, hint: &str) -> Option<Vec<OsString>> {
    let place = words.iter().rposition(|word| word == wrong)?;
    let has_first = words.iter().any(|word| word.to_string_lossy().starts_with("--first-name"));
    let option = match () {
        () if hint.starts_with("two hyphens") => {
            let mut all = words.to_vec();
            all[place] = format!("--{wrong}").into();
            return Some(all);
        }
        () if hint.starts_with("a result stands after --result") => "--result",
        () if hint.starts_with("`--to FILE` writes") => "--to",
        () if hint.starts_with("use --email ADDRESS") => "--email",
        () if hint.starts_with("use --first-name NAME and") => {
            if has_first {
                "--last-name"
            } else {
                "--first-name"
            }
        }
        () => return None,
    };
    let mut all = words.to_vec();
    all.insert(place, option.into());
    Some(all)
}

/// An option that there is not, in its line.
struct OptionInLine<'w> {
    words: &'w [OsString],
    name: &'w str,
    place: usize,
    /// What stands behind its equals sign.
    joined: Option<OsString>,
    /// The same, or the word behind it that may be its value.
    value: Option<OsString>,
}

impl<'w> OptionInLine<'w> {
    fn find(words: &'w [OsString], wrong: &'w str) -> Option<Self> {
        let name = wrong.split('=').next().filter(|name| name.starts_with('-'))?;
        let place =
            words.iter().position(|word| word.to_str().and_then(|word| word.split('=').next()) == Some(name))?;
        let joined = words[place].to_str()?.split_once('=').map(|(_, value)| OsString::from(value));
        let next = words.get(place + 1).filter(|next| *next == "-" || !next.to_string_lossy().starts_with('-'));
        let value = joined.clone().or_else(|| next.cloned());
        Some(Self { words, name, place, joined, value })
    }

    /// The line with other words in its place, and in that of its value.
    fn with(&self, ours: &[OsString], and_value: bool) -> Vec<OsString> {
        let has_word = and_value && self.joined.is_none() && self.value.is_some();
        let behind = self.place + 1 + usize::from(has_word);
        [&self.words[..self.place], ours, self.words.get(behind..).unwrap_or_default()].concat()
    }

    /// The line as a hint wants it, and what it says besides.
    fn taken(&self, root: &Command, hint: &str) -> Option<(Vec<OsString>, String)> {
        if let Some(why) = hint.strip_prefix(LEFT_OUT) {
            let why = why.split(" (`assessctl ").next().unwrap_or(why);
            let is_flag = root.clone().try_get_matches_from(self.with(&[], false)).is_ok();
            return Some((self.with(&[], !is_flag), format!("Leave {} out{why}", self.name)));
        }
        if let Some((ours, remark)) = meant(hint).filter(|(ours, _)| ours.starts_with('-')) {
            let mut ours: Vec<OsString> = ours.split(' ').map(OsString::from).collect();
            // A placeholder stands for the value that is there.
            if ours.last().and_then(|last| last.to_str()).is_some_and(is_placeholder) && self.value.is_some() {
                ours.pop();
            }
            ours.extend(self.joined.clone());
            return Some((self.with(&ours, false), remark.to_owned()));
        }
        self.moved(hint).map(|line| (line, String::new()))
    }

    /// The line where a hint says where the option's value belongs.
    fn moved(&self, hint: &str) -> Option<Vec<OsString>> {
        let Some(value) = self.value.clone() else {
            return hint.ends_with("--yes asks nothing").then(|| self.with(&["--yes".into()], false));
        };
        if let Some(named) = hint.strip_prefix("a test taker is named by ") {
            let person = format!("{}:{}", named.split(':').next()?, value.to_str()?);
            return Some(self.with(&[person.into()], true));
        }
        if hint.contains(" by itself: ") {
            return Some(self.with(&[value], true));
        }
        let is_people = value == "-" || is_file(&value.to_string_lossy());
        (is_people && hint.starts_with("`--file FILE` takes")).then(|| self.with(&["--file".into(), value], true))
    }
}

fn is_placeholder(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || "_.,|".contains(c))
}

/// The line with another value, or with other options, in place of an option with this value.
fn with_value(words: &[OsString], option: &str, wrong: &str, ours: &str) -> Option<Vec<OsString>> {
    let place = words.iter().position(|word| word.to_str().is_some_and(|word| holds(word, wrong)))?;
    let typed = words[place].to_str()?;
    let from = if typed.starts_with('-') { place } else { place.checked_sub(1)? };
    if ours.starts_with('-') {
        let ours: Vec<OsString> = ours.split(' ').map(OsString::from).collect();
        return Some([&words[..from], &ours, &words[place + 1..]].concat());
    }
    // What stands before it has to be an option: the same word may name a command.
    let before = words[from].to_string_lossy();
    if before != option && !before.starts_with('-') {
        return None;
    }
    let mut all = words.to_vec();
    all[place] = typed.replacen(wrong, ours, 1).into();
    Some(all)
}

/// Whether a word is this value, or has it behind its equals sign or between its commas.
fn holds(word: &str, value: &str) -> bool {
    let own = word.split_once('=').filter(|(name, _)| name.starts_with('-')).map_or(word, |(_, own)| own);
    own == value || own.split(',').any(|part| part.trim() == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_a_hint_asks_is_told_from_what_it_says_besides() {
        assert_eq!(meant("did you mean `--to`?"), Some(("--to", "")));
        assert_eq!(meant("did you mean HighRisk? unlisted is more"), Some(("HighRisk", "unlisted is more")));
        assert_eq!(meant("did you mean `a` or `b`?"), None);
        assert_eq!(meant("write `--to`"), None);
    }

    #[test]
    fn a_value_is_replaced_where_it_stands() {
        for (line, ours) in [
            ("a x --on HighRiks", "a x --on HighRisk"),
            ("a x --on=Fatigued,HighRiks -q", "a x --on=Fatigued,HighRisk -q"),
            ("a x -o HighRiks", "a x -o HighRisk"),
        ] {
            assert_eq!(with_value(&words(line), "--on", "HighRiks", "HighRisk"), Some(words(ours)));
        }
        assert_eq!(with_value(&words("a HighRiks x"), "--on", "HighRiks", "HighRisk"), None);
        let ours = with_value(&words("a x -o jsonl -q"), "--output", "jsonl", "-o ndjson");
        assert_eq!(ours, Some(words("a x -o ndjson -q")));
    }

    #[test]
    fn an_option_is_replaced_left_out_or_its_value_moved() {
        let root = Command::new("a").subcommand(Command::new("x"));
        for (line, wrong, hint, ours) in [
            ("a x --limt=3", "--limt", "did you mean `--limit`?", "a x --limit 3"),
            ("a x --links l.csv", "--links", "did you mean `--with-links FILE`?", "a x --with-links l.csv"),
            ("a x --active", "--active", "did you mean `--state Active`?", "a x --state Active"),
            ("a x --retries 3", "--retries", "leave it out: why", "a x"),
            ("a x --email e@x -q", "--email", "a test taker is named by email:ADDRESS, so", "a x email:e@x -q"),
            ("a x -f p.csv", "-f", "the file stands by itself: `a x FILE`", "a x p.csv"),
            ("a x -f p.csv", "-f", "`--file FILE` takes the people", "a x --file p.csv"),
            ("a x -f", "-f", "`--file FILE` takes the people of a file, --yes asks nothing", "a x --yes"),
        ] {
            let typed = words(line);
            let taken = OptionInLine::find(&typed, wrong).and_then(|option| option.taken(&root, hint));
            assert_eq!(taken.map(|(line, _)| line), Some(words(ours)), "{line}");
        }
    }
}
