//! A line to type in place of one that could not be read, with what may be repeated of its words: nothing personal.

use std::ffi::OsString;

use clap::{Arg, Command};

use crate::bulk::roster::{Field, prefixed};
use crate::commands::shared::commands_in_hints::may_be_a_project;
use crate::commands::shared::person_argument::{Target, joined_people};
use crate::commands::shell::argv::{Part, at, knows, parts, path, takes_next};
use crate::commands::shell::expressions::named_fields;
use crate::commands::shell::value_hints::is_file;
use crate::model::shell_word::shell_word;

/// Options whose values are repeated: they name no person. Of all others a value is shown if the option lists what it takes.
const OPEN: &[&str] = &[
    "project",
    "profile",
    "output",
    "to",
    "to-dir",
    "file",
    "ids-from",
    "fields",
    "delimiter",
    "map",
    "report",
    "failed-out",
    "plan",
    "limit",
    "page",
    "page-size",
    "max-records",
    "concurrency",
    "max-rate",
    "timeout",
    "deadline",
    "wait-lock",
    "result",
    "flagged",
    "fail-on",
    "completed-since",
    "last-test-sent-from",
    "last-test-sent-to",
    "since",
    "as",
    "with-links",
    "status",
    "max-leavers",
    "max-shrink",
    "max-joiners",
    "max-changes",
    "absent-for",
    "keep",
    "source",
    "listen",
    "state-file",
    "key-file",
    "api-key-file",
    "ca-cert",
    // Of a profile: it is an option of `config init` alone.
    "name",
];
/// Options that say how this run talks, and nothing about what is to be done.
const TALK: [&str; 2] = ["errors", "color"];
/// The kind of a person's name in an argument, as usage shows it.
pub const PERSON: &str = "TEST_TAKER";

/// The line as it is to be typed, with placeholders for what may be personal; `None` where the program would not take
/// it. `words` begins with the program's name.
pub fn line_to_type(root: &Command, words: &[OsString]) -> Option<String> {
    root.clone().try_get_matches_from(words).ok()?;
    shown_line(root, words)
}

/// The same of a line that may lack something.
pub fn shown_line(root: &Command, words: &[OsString]) -> Option<String> {
    let path = path(root, words);
    let here = at(root, &path);
    // Fields as the command has them.
    let value = |arg: &Arg, text: &str| {
        let fields = named_fields(root, &path, text).filter(|_| arg.get_long() == Some("fields"));
        value(arg, fields.as_deref().unwrap_or(text))
    };
    let mut shown = vec!["assessctl".to_owned()];
    let (mut option, mut setting): (Option<&Arg>, Option<&str>) = (None, None);
    for (word, part) in words.iter().zip(parts(root, words)).skip(1) {
        let text = word.to_str()?;
        match part {
            Part::Command(name) => shown.push(name.to_owned()),
            Part::Value if is_talk(option?) => {}
            Part::Value => shown.push(value(option?, text)),
            Part::Other if text.starts_with('-') && text.len() > 1 => {
                option = arguments(root, here).find(|arg| takes_next(arg, word));
                shown.extend(match option {
                    Some(arg) if is_talk(arg) => Vec::new(),
                    Some(arg) => vec![name_of_option(arg)],
                    None => joined(root, here, text, &value)?,
                });
            }
            Part::Other if setting.is_some_and(may_be_a_key) => shown.push("VALUE".to_owned()),
            Part::Other => {
                setting = here.get_positionals().next().filter(|arg| placeholder(arg) == "KEY").map(|_| text);
                shown.push(operand(here, text));
            }
        }
    }
    // A flag that is given again says nothing more; each person has a placeholder of its own.
    shown.dedup_by(|next, before| next == before && next.starts_with('-'));
    // As it stands it would be refused.
    if here.get_name() == "export" && !shown.iter().any(|word| ["--to", "--to-dir"].contains(&word.as_str())) {
        shown.extend(["--to".to_owned(), "FILE.csv".to_owned()]);
    }
    if here.get_name() == "init" && shown.windows(2).any(|words| words == ["--api-key-file", "-"]) {
        // Where the key comes by standard input, nothing can be asked for.
        for (option, value) in [("--name", "NAME"), ("--base-url", "URL")] {
            if !shown.iter().any(|word| word == option) {
                shown.extend([option.to_owned(), value.to_owned()]);
            }
        }
    }
    Some(shown.join(" "))
}

/// The words with prefixes before people who have none, and options before files that stand in their place.
pub fn with_prefixes(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let here = at(root, &path(root, words));
    let takes_people = here
        .get_positionals()
        .any(|arg| arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == PERSON)));
    let file = ["--file", "--ids-from"].into_iter().find(|option| knows(root, here, option));
    let (mut all, mut is_behind_unknown) = (Vec::new(), false);
    for (word, part) in words.iter().zip(parts(root, words)) {
        let text = word.to_string_lossy();
        // What stands behind an option that there is not may be its value.
        let is_unknown = text.starts_with('-') && !text.contains('=') && !knows(root, here, &text);
        let may_be_value = std::mem::replace(&mut is_behind_unknown, is_unknown && is_option(&text));
        let is_bare = takes_people && !all.is_empty() && part == Part::Other && !text.starts_with('-');
        let is_bare = is_bare && !may_be_value && !lacks_hyphens(root, here, &text);
        match file {
            // The prefix of the first of several is that of all.
            _ if is_bare && text.starts_with("id:") && joined_people(&text).is_some() => {
                all.extend(text[3..].split(',').map(|id| format!("id:{}", id.trim().trim_start_matches("id:")).into()));
            }
            _ if !is_bare || text.parse::<Target>().is_ok() || prefixed(&text).is_some() => all.push(word.clone()),
            // The prefix with another sign.
            _ if let Some((kind, name)) =
                text.split_once('=').filter(|(kind, _)| ["id", "ref", "email"].contains(kind)) =>
            {
                all.push(format!("{kind}:{name}").into());
            }
            Some(option) if is_file(&text) => all.extend([option.into(), word.clone()]),
            _ if joined_people(&text).is_some() => {
                all.extend(text.split(',').map(|one| with_prefix(one.trim()).into()));
            }
            _ => all.push(with_prefix(&text).into()),
        }
    }
    all
}

/// A command that writes a file in the format that it names, with the ending of that.
pub fn with_ending(command: &str) -> String {
    let format = command.split_once("--output ").and_then(|(_, rest)| rest.split(' ').next());
    let ending = format.filter(|format| ["json", "ndjson", "xlsx"].contains(format)).unwrap_or("csv");
    command.replace("--to FILE.csv", &format!("--to FILE.{ending}"))
}

/// What else a bare number may be that was taken for a reference id.
pub fn or_by_entry_id(typed: &[OsString], ours: &[OsString]) -> Option<String> {
    let ids: Vec<&str> = ours.iter().filter_map(|word| word.to_str()?.strip_prefix("ref:")).collect();
    let mut numbers = typed.iter().filter_map(|word| word.to_str()).filter(|word| word.parse::<u32>().is_ok());
    numbers.any(|number| ids.contains(&number)).then(|| "Or id:NUMBER for an entry id".to_owned())
}

/// A person as one is named, with the prefix that the name needs.
fn with_prefix(name: &str) -> String {
    match name {
        _ if prefixed(name).is_some() => name.to_owned(),
        _ if name.contains('@') => format!("email:{name}"),
        _ => format!("ref:{name}"),
    }
}

/// Whether a word is an option of the command with its value, and lacks the hyphens.
pub fn lacks_hyphens(root: &Command, here: &Command, word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| knows(root, here, &format!("--{name}")))
}

fn arguments<'c>(root: &'c Command, here: &'c Command) -> impl Iterator<Item = &'c Arg> {
    [here, root].into_iter().flat_map(Command::get_arguments)
}

/// An option as hints write it.
pub fn name_of_option(arg: &Arg) -> String {
    match (arg.get_id().as_str(), arg.get_long(), arg.get_short()) {
        ("project", _, _) => "-p".to_owned(),
        (_, Some(long), _) => format!("--{long}"),
        (_, None, short) => format!("-{}", short.unwrap_or_default()),
    }
}

/// A flag, or an option with its value in the same word.
fn joined(root: &Command, here: &Command, text: &str, value: &impl Fn(&Arg, &str) -> String) -> Option<Vec<String>> {
    if knows(root, here, text) {
        return Some(vec![text.to_owned()]);
    }
    let (typed, given) = match text.split_once('=') {
        Some((typed, given)) => (typed, given),
        None => text.split_at_checked(2)?,
    };
    let arg = arguments(root, here).find(|arg| takes_next(arg, typed.as_ref()))?;
    Some(if is_talk(arg) { Vec::new() } else { vec![name_of_option(arg), value(arg, given)] })
}

fn is_talk(arg: &Arg) -> bool {
    arg.get_long().is_some_and(|long| TALK.contains(&long))
}

fn value(arg: &Arg, text: &str) -> String {
    if arg.get_long() == Some("project") && !may_be_a_project(text) {
        return "NAME_OR_ID".to_owned();
    }
    let is_open = arg.get_long().is_some_and(|long| OPEN.contains(&long)) || !arg.get_possible_values().is_empty();
    // An expression names people in quotes alone.
    let is_open = is_open || arg.get_long() == Some("jq") && names_nobody(text);
    let is_address = arg.get_long().is_some_and(|long| ["base-url", "redirect-uri"].contains(&long));
    let is_open = is_open || is_address && is_plain_address(text);
    if is_open || is_number(text) { shell_word(text).into_owned() } else { placeholder(arg) }
}

/// Whether an address holds no password and no key.
fn is_plain_address(text: &str) -> bool {
    !text.contains(['@', '?', '#'])
}

/// Whether a word is an option without its value in the same word.
fn is_option(word: &str) -> bool {
    word.starts_with("--") || word.len() == 2
}

/// Whether nothing but times stands between the quotes of an expression.
fn names_nobody(expression: &str) -> bool {
    !expression.contains('\'')
        && expression
            .split('"')
            .skip(1)
            .step_by(2)
            .all(|text| text.chars().all(|c| c.is_ascii_digit() || "-:.TZ".contains(c)))
}

fn operand(here: &Command, text: &str) -> String {
    let Some(arg) = here.get_positionals().next() else { return shell_word(text).into_owned() };
    match prefixed(text) {
        Some((Field::EntryId, _)) => text.to_owned(),
        Some((Field::ReferenceId, _)) => "ref:REFERENCE_ID".to_owned(),
        Some(_) => "email:ADDRESS".to_owned(),
        None if text == "-" || is_file(text) || is_open_operand(here, arg, text) => shell_word(text).into_owned(),
        None => placeholder(arg),
    }
}

/// Whether the value of a setting may be a key: it is none of the plain ones.
fn may_be_a_key(setting: &str) -> bool {
    const PLAIN: [&str; 8] =
        ["project", "output", "results-api", "concurrency", "max-rate", "read-only", "mask", "allow-http"];
    !PLAIN.contains(&setting)
}

/// Whether an operand is repeated: it names no person.
fn is_open_operand(here: &Command, arg: &Arg, text: &str) -> bool {
    if placeholder(arg) == "URI" {
        return text.contains("://") && is_plain_address(text);
    }
    if arg.get_possible_values().iter().any(|known| known.matches(text, true)) {
        return true;
    }
    // The one verb of this name makes projects.
    ["create", "use"].contains(&here.get_name()) || ["PROJECT", "ROW", "KEY"].contains(&placeholder(arg).as_str())
}

fn placeholder(arg: &Arg) -> String {
    let names = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    names.unwrap_or_else(|| arg.get_id().as_str().to_uppercase())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() < 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        let option = |name: &'static str| Arg::new(name).long(name).value_name("VALUE");
        let person = Arg::new("targets").value_name(PERSON).num_args(0..).value_parser(|text: &str| {
            text.parse::<Target>().map(|_| text.to_owned()).map_err(|failure| failure.cause)
        });
        let mut root = Command::new("assessctl").arg(option("profile").global(true)).subcommand(
            Command::new("testtakers").subcommand(
                Command::new("update")
                    .arg(person)
                    .arg(option("project").short('p'))
                    .arg(option("file"))
                    .arg(option("first-name")),
            ),
        );
        root.build();
        root
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_is_personal_is_a_placeholder_and_the_rest_is_repeated() {
        let root = program();
        for (typed, shown) in [
            (
                "assessctl --profile=old testtakers update EMP-1 EMP-2 -pNorth --first-name Zoe",
                Some(
                    "assessctl --profile old testtakers update ref:REFERENCE_ID ref:REFERENCE_ID -p North --first-name VALUE",
                ),
            ),
            (
                "assessctl testtakers update a@example.com --project North",
                Some("assessctl testtakers update email:ADDRESS -p North"),
            ),
            (
                "assessctl testtakers update people.csv -p North",
                Some("assessctl testtakers update --file people.csv -p North"),
            ),
            ("assessctl testtakers update id:7", Some("assessctl testtakers update id:7")),
            ("assessctl testtakers update EMP-1 --frob", None),
            ("assessctl testtakers update id:x", None),
        ] {
            assert_eq!(line_to_type(&root, &with_prefixes(&root, &words(typed))).as_deref(), shown, "{typed}");
        }
    }
}
