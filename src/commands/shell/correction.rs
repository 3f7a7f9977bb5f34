//! A whole line in place of one with slips: each hint that names what is to be typed is taken, until the program takes the line.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::commands::shell::argv::{Part, parts, path};
use crate::commands::shell::expressions::typed_words;
use crate::commands::shell::foreign_words::{COMMANDS, entry};
use crate::commands::shell::line_to_type::{PERSON, line_to_type, or_by_entry_id, with_prefixes};
use crate::commands::shell::paging::with_page;
use crate::commands::shell::refused_values::with_value;
use crate::commands::shell::respelled::{in_two_words, with_plain_key};
use crate::commands::shell::translation::translated;
use crate::commands::shell::unknown_options::{
    has_format, in_json, with_assignments, with_names_apart, with_project, with_project_behind, with_verb,
    without_option,
};
use crate::commands::shell::value_hints::{is_amount, is_day, is_file};
use crate::commands::shell::whom::is_person;

/// More slips than these are no slips.
const MOST: usize = 8;
/// How a hint begins that takes an option away.
const LEFT_OUT: &str = "leave it out";

/// Finds the hint for a line that could not be read.
pub type Hint = fn(&Command, &[OsString], &Error) -> Option<String>;

/// The whole line to type in place of this one, with what else there is to say; `None` where a hint on the way to it does not
/// name what is to be typed.
pub fn whole_line(root: &Command, typed: &[OsString], projects: &[String], hint: Hint) -> Option<String> {
    let mut words = typed.to_vec();
    let mut said = Vec::new();
    while let Err(error) = root.clone().try_get_matches_from(&words) {
        // What nobody has typed is told where nothing else is wrong.
        if error.kind() == ErrorKind::MissingRequiredArgument && said.iter().any(|(_, is_left_out)| !is_left_out) {
            let (next, remark) = filled(&words, &error)?;
            words = next;
            said.push((remark, false));
            continue;
        }
        let hint = hint(root, &words, &error)?;
        let (next, remark) = taken(root, &words, &error, &hint)?;
        said.push((remark, hint.starts_with(LEFT_OUT)));
        words = with_prefixes(root, &normalized(root, &translated(root, next), projects));
        if said.len() > MOST {
            return None;
        }
    }
    // Why a single option is left out is said first.
    if said.is_empty() || matches!(said.as_slice(), [(_, true)]) {
        return None;
    }
    let line = line_to_type(root, &words)?;
    let said = said.into_iter().map(|(remark, _)| remark).filter(|remark| !remark.is_empty());
    let mut remarks: Vec<String> = said.chain(or_by_entry_id(typed, &words)).collect();
    remarks.dedup_by_key(|remark| remark.split_once(": ").map(|(_, why)| why.to_owned()));
    let space = if remarks.is_empty() { "" } else { " " };
    Some(format!("did you mean `{line}`?{space}{}", remarks.join(". ")))
}

/// The line as it is meant where that is plain without a hint: a command in two words, a field that is set by its option, a
/// project behind `-p`. `projects` are those that are known.
pub fn normalized(root: &Command, words: &[OsString], projects: &[String]) -> Vec<OsString> {
    let apart = in_two_words(root, words).map(|apart| translated(root, apart));
    let mut words = apart.unwrap_or_else(|| words.to_vec());
    // A day behind --to is meant for the end of a time.
    let days = words.windows(2).position(|pair| pair[0] == "--to" && is_day(&pair[1].to_string_lossy()));
    if let Some(place) = days {
        words[place] = "--until".into();
    }
    let words = with_plain_key(root, &words);
    let words = with_file_of_source(root, with_project_behind(&words, &parts(root, &words)));
    let words = with_page(root, &with_names_apart(root, &with_verb(root, &words, projects)));
    with_project(root, &with_assignments(root, &words), projects)
}

/// A file behind `--source` stands by itself where no other does: a source of `sync` has a name.
fn with_file_of_source(root: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let mut named = words.iter().zip(parts(root, &words));
    let has_file = named.any(|(word, part)| {
        let word = word.to_string_lossy();
        part == Part::Other && !word.starts_with('-') && is_file(&word)
    });
    if has_file || path(root, &words) != ["testtakers", "sync"] {
        return words;
    }
    let source = OptionInLine::find(&words, "--source");
    let alone = source.and_then(|source| {
        let file = source.value.clone().filter(|file| is_file(&file.to_string_lossy()))?;
        Some(source.with(&[file], true))
    });
    alone.unwrap_or(words)
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
        ErrorKind::TooManyValues => {
            let option = wrong(error, ContextKind::InvalidArg)?.split(' ').next()?;
            let is_left_out = hint.starts_with(LEFT_OUT);
            let mut words = words.to_vec();
            let place = words.iter().position(|word| word.to_string_lossy().starts_with(&format!("{option}=")))?;
            words.splice(place..=place, (!is_left_out).then(|| option.into()));
            let remark = if is_left_out { format!("Leave {option} out: it says yes") } else { String::new() };
            Some((words, remark))
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let argument = wrong(error, ContextKind::InvalidArg).filter(|argument| !argument.contains(PERSON))?;
            let option = argument.split(' ').next()?;
            let value = wrong(error, ContextKind::InvalidValue)?;
            if value.is_empty() {
                let (ours, _) = meant(hint)?;
                let place = words.iter().position(|word| word == option)?;
                return Some(([&words[..place], &[ours.into()], &words[place + 1..]].concat(), String::new()));
            }
            if let Some(why) = hint.strip_prefix(LEFT_OUT) {
                let why = why.split(" (`assessctl ").next().unwrap_or(why);
                return Some((with_value(words, option, value, "-")?, format!("Leave {option} out{why}")));
            }
            if let Some(ours) = in_place(hint) {
                return Some((in_json(root, &with_value(words, option, value, ours)?, ours), String::new()));
            }
            let (meant, _) = meant(hint)?;
            Some((with_value(words, option, value, meant)?, String::new()))
        }
        _ => None,
    }
}

/// The line with a placeholder for what it lacks, and what else would do.
fn filled(words: &[OsString], error: &Error) -> Option<(Vec<OsString>, String)> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    let (mut words, mut others) = (words.to_vec(), Vec::new());
    for argument in missing {
        let argument = argument.replace(['<', '>', '[', ']'], "");
        let mut ways = argument.split('|').map(|way| way.trim_end_matches('.'));
        match ways.next()?.split_once(' ') {
            Some((option, value)) => {
                // A plan is the one file that is written and is no CSV.
                let value = if option == "--plan" { "PLAN" } else { value };
                words.extend([option, stand_in(value)].map(OsString::from));
            }
            None => words.push(stand_in(argument.split('|').next()?.trim_end_matches('.')).into()),
        }
        others.extend(ways.map(str::to_owned));
    }
    let remark = if others.is_empty() { String::new() } else { format!("Or {} in its place", others.join(" or ")) };
    Some((words, remark))
}

/// The line with a placeholder for each argument that it lacks.
pub fn line_with_all(root: &Command, words: &[OsString], error: &Error) -> Option<String> {
    // The file of a run is often taken for a state.
    if words.iter().any(|word| word.to_string_lossy().starts_with("--status")) {
        return None;
    }
    line_to_type(root, &filled(words, error)?.0)
}

/// A value that stands for a placeholder until the line is shown.
fn stand_in(name: &str) -> &str {
    match name {
        PERSON => "ref:REFERENCE_ID",
        "ADDRESS" => "name@site.example",
        "FILE" => "FILE.csv",
        "PLAN" => "PLAN.ndjson",
        _ => name,
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
pub fn meant(hint: &str) -> Option<(&str, &str)> {
    let asked = hint.strip_prefix("did you mean ")?;
    let (meant, rest) = match asked.strip_prefix('`') {
        Some(asked) => asked.split_once('`')?,
        None => asked.split_at(asked.find('?')?),
    };
    Some((meant, rest.strip_prefix('?')?.trim_start()))
}

/// The options that a hint wants in place of another one and its value.
pub fn in_place(hint: &str) -> Option<&str> {
    hint.strip_prefix("write `").and_then(|ours| ours.split_once("` in place of ")).map(|(ours, _)| ours)
}

/// The line with this command in place of the one that there is not. What the command takes stands in the line already.
fn with_command(root: &Command, words: &[OsString], wrong: &str, command: &str) -> Option<Vec<OsString>> {
    let names = command.split(' ').take_while(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    let mut ours = vec![words.first()?.clone()];
    ours.extend(names.map(OsString::from));
    let (mut is_found, mut second) = (false, second_word(root, words, wrong));
    for (word, part) in words.iter().zip(parts(root, words)).skip(1) {
        let is_wrong = !is_found && part == Part::Other && word == wrong;
        let is_second = is_found && second.take_if(|second| word == second).is_some();
        is_found |= is_wrong;
        // A profile may be called like a command.
        let is_named = matches!(part, Part::Command(_)) && !(command == "config use" && word == "sandbox");
        if !is_wrong && !is_second && !is_named {
            ours.push(word.clone());
        }
    }
    // What stands behind these is no name of a profile.
    let is_asked =
        ["auth", "login", "setup", "configure", "init"].contains(&wrong) && command.starts_with("config init");
    if is_asked && has_operand(root, &ours) {
        return None;
    }
    // What is to be made is named so.
    let profile = ours.iter_mut().find(|word| *word == "--profile" && command.starts_with("config init"));
    if let Some(profile) = profile {
        *profile = "--name".into();
    }
    Some(ours)
}

/// Whether a line has a word that is neither a command nor an option, nor stands where one has its value.
fn has_operand(root: &Command, words: &[OsString]) -> bool {
    let parts = parts(root, words);
    let mut pairs = words.windows(2).zip(parts.iter().skip(1));
    pairs.any(|(pair, part)| *part == Part::Other && pair.iter().all(|word| !word.to_string_lossy().starts_with('-')))
}

/// The word that means something together with the wrong one before it.
fn second_word(root: &Command, words: &[OsString], wrong: &str) -> Option<OsString> {
    let place = words.iter().position(|word| word == wrong)?;
    let second = words.get(place + 1)?;
    let path = path(root, &words[..place]);
    let second = second.to_str().filter(|second| !second.starts_with('-'))?;
    entry(COMMANDS, &path, &format!("{wrong} {second}"), |_| true).map(|_| second.into())
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
        () if hint.starts_with("write --name NAME") => "--name",
        () if hint.starts_with("`--to FILE` writes") => "--to",
        () if hint.starts_with("use --email ADDRESS") => "--email",
        () if hint.starts_with("use --first-name NAME and") => {
            if is_person(wrong) && !words.iter().any(|word| word == "--reference-id") {
                "--reference-id"
            } else if has_first {
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
            let is_amount = self.value.as_ref().is_some_and(|value| is_amount(&value.to_string_lossy()));
            let is_flag = !is_amount && root.clone().try_get_matches_from(self.with(&[], false)).is_ok();
            return Some((self.with(&[], !is_flag), format!("Leave {} out{why}", self.name)));
        }
        if let Some(ours) = in_place(hint) {
            // The format of the line stays.
            let kept = ours.rsplit_once(" -o ").filter(|_| has_format(self.words)).map_or(ours, |(kept, _)| kept);
            return Some((in_json(root, &self.with(&typed_words(kept), true), kept), String::new()));
        }
        if let Some((ours, remark)) = meant(hint).filter(|(ours, _)| ours.starts_with('-')) {
            let mut ours: Vec<OsString> = ours.split(' ').map(OsString::from).collect();
            // A placeholder stands for the value that is there.
            let is_filled =
                ours.last().and_then(|last| last.to_str()).is_some_and(is_placeholder) && self.value.is_some();
            ours.truncate(ours.len() - usize::from(is_filled));
            ours.extend(self.joined.clone());
            // A rehearsal is nowhere else.
            let line = self.with(&ours, false);
            let line = match ours.as_slice() {
                [first, last] if first == "--profile" && last == "sandbox" => {
                    without_option(root, &line, ["--profile", "--profile"], "sandbox")
                }
                _ => in_json(root, &line, &ours[0].to_string_lossy()),
            };
            // What a placeholder stands for is plain where it is filled.
            return Some((line, if is_filled { String::new() } else { remark.to_owned() }));
        }
        self.moved(hint).map(|line| (line, String::new()))
    }

    /// The line where a hint says where the option's value belongs.
    fn moved(&self, hint: &str) -> Option<Vec<OsString>> {
        let Some(value) = self.value.clone() else {
            return hint.ends_with("--yes asks nothing").then(|| self.with(&["--yes".into()], false));
        };
        if let Some(named) = hint.strip_prefix("a test taker is named by ") {
            let kind = named.split(':').next()?;
            let people: Vec<OsString> =
                value.to_str()?.split(',').map(|one| named_by(kind, one.trim()).into()).collect();
            return Some(self.with(&people, true));
        }
        if hint.contains(" by itself: ") {
            return Some(self.with(&[value], true));
        }
        let is_people = value == "-" || is_file(&value.to_string_lossy());
        (is_people && hint.starts_with("`--file FILE` takes")).then(|| self.with(&["--file".into(), value], true))
    }
}

/// A person as one is named: by the address, by a number of this kind, or by reference id.
fn named_by(kind: &str, value: &str) -> String {
    match value {
        value if value.contains('@') => format!("email:{value}"),
        value if value.bytes().all(|byte| byte.is_ascii_digit()) => format!("{kind}:{value}"),
        value => format!("ref:{value}"),
    }
}

fn is_placeholder(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || "_.,|".contains(c))
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
