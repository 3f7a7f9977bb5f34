//! A line to type in place of one that could not be read, with what may be repeated of its words: nothing personal.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};

use crate::bulk::roster::{Field, prefixed};
use crate::commands::shared::commands_in_hints::may_be_a_project;
use crate::commands::shared::person_argument::{Target, joined_people};
use crate::commands::shell::argv::{Part, TypedLine, is_one_of, is_option, takes_next};
use crate::commands::suggest::expressions::named_fields;
use crate::commands::suggest::values::is_file;
use crate::model::shell_word::shell_word;

/// Options whose values are repeated: they name no person. Of all others a value is shown if the option lists what it takes.
/// `name` is that of a profile.
const OPEN: &str = "project profile output to to-dir file ids-from fields delimiter map report failed-out plan limit page \
    page-size max-records concurrency max-rate timeout deadline wait-lock result flagged fail-on completed-since \
    last-test-sent-from last-test-sent-to since as with-links status max-leavers max-shrink max-joiners max-changes \
    project-column absent-for keep source listen state-file key-file api-key-file ca-cert name";
/// Options that say how this run talks, and nothing about what is to be done.
const TALK: &str = "errors color";
/// Settings of `config set` whose values are no keys.
const PLAIN: &str = "project output results-api concurrency max-rate read-only mask allow-http";
/// The kind of a person's name in an argument, as usage shows it.
pub const PERSON: &str = "TEST_TAKER";

/// The line as it is to be typed, with placeholders for what may be personal; `None` where the program would not take
/// it. `words` begins with the program's name.
pub fn line_to_type(root: &Command, words: &[OsString]) -> Option<String> {
    root.clone().try_get_matches_from(words).ok()?;
    shown_line(&TypedLine::of(root, words))
}

/// The same of a line that may lack something.
pub fn shown_line(line: &TypedLine<'_, '_>) -> Option<String> {
    let here = line.here;
    let mut shown = vec!["assessctl".to_owned()];
    let (mut option, mut setting): (Option<&Arg>, Option<&str>) = (None, None);
    for (word, part) in line.words.iter().zip(&line.parts).skip(1) {
        let text = word.to_str()?;
        match part {
            Part::Command(name) => shown.push((*name).to_owned()),
            Part::Value if is_talk(option?) => {}
            Part::Value => shown.push(value(line, option?, text)),
            Part::Other if is_option(text) => {
                option = line.arguments().find(|arg| takes_next(arg, word));
                shown.extend(match option {
                    Some(arg) if is_talk(arg) => Vec::new(),
                    Some(arg) => vec![name_of_option(arg)],
                    None => joined(line, text)?,
                });
            }
            Part::Other if setting.is_some_and(|setting| !is_one_of(PLAIN, setting)) => shown.push("VALUE".to_owned()),
            Part::Other => {
                setting = (line.operand() == Some("KEY")).then_some(text);
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
    let line = TypedLine::of(root, words);
    if line.operand() != Some(PERSON) {
        return words.to_vec();
    }
    let file = ["--file", "--ids-from"].into_iter().find(|option| line.knows(option));
    let (mut all, mut is_behind_unknown) = (Vec::new(), false);
    for (word, part) in words.iter().zip(&line.parts) {
        let text = word.to_string_lossy();
        // What stands behind an option that there is not may be its value.
        let may_take_value = text.starts_with("--") || text.len() == 2;
        let is_unknown = text.starts_with('-') && !text.contains('=') && !line.knows(&text) && may_take_value;
        let may_be_value = std::mem::replace(&mut is_behind_unknown, is_unknown);
        let is_other = !all.is_empty() && *part == Part::Other && !text.starts_with('-');
        if !is_other || may_be_value || lacks_hyphens(&line, &text) {
            all.push(word.clone());
            continue;
        }
        let kind = text.split_once('=').filter(|(kind, _)| ["id", "ref", "email"].contains(kind));
        match (kind, file) {
            // The prefix of the first of several is that of all.
            _ if text.starts_with("id:") && joined_people(&text).is_some() => {
                all.extend(text[3..].split(',').map(|id| format!("id:{}", id.trim().trim_start_matches("id:")).into()));
            }
            _ if text.parse::<Target>().is_ok() || prefixed(&text).is_some() => all.push(word.clone()),
            // The prefix with another sign.
            (Some((kind, name)), _) => all.push(format!("{kind}:{name}").into()),
            (None, Some(option)) if is_file(&text) => all.extend([option.into(), word.clone()]),
            _ if joined_people(&text).is_some() => {
                all.extend(text.split(',').map(|one| named_by("ref", one.trim()).into()));
            }
            _ => all.push(named_by("ref", &text).into()),
        }
    }
    all
}

/// The words with a placeholder for each argument that the line lacks, and what else would do.
pub fn filled(words: &[OsString], error: &clap::Error) -> Option<(Vec<OsString>, String)> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    let (mut words, mut others) = (words.to_vec(), Vec::new());
    for argument in missing {
        let argument = argument.replace(['<', '>', '[', ']'], "");
        let mut ways = argument.split('|').map(|way| way.trim_end_matches('.'));
        let first = ways.next()?;
        match first.split_once(' ') {
            // A plan is the one file that is written and is no CSV.
            Some(("--plan", _)) => words.extend(["--plan", "PLAN.ndjson"].map(OsString::from)),
            Some((option, value)) => words.extend([option, stand_in(value)].map(OsString::from)),
            None => words.push(stand_in(first).into()),
        }
        others.extend(ways.map(str::to_owned));
    }
    let remark = if others.is_empty() { String::new() } else { format!("Or {} in its place", others.join(" or ")) };
    Some((words, remark))
}

/// The line to type with a placeholder for each argument that it lacks.
pub fn line_with_all(line: &TypedLine<'_, '_>, error: &clap::Error) -> Option<String> {
    // The file of a run is often taken for a state.
    let has_status = line.words.iter().any(|word| word.to_string_lossy().starts_with("--status"));
    line_to_type(line.root, &filled(line.words, error).filter(|_| !has_status)?.0)
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

/// A person as one is named: by the prefix that is there, by the address, by a number of this kind, or by reference id.
pub fn named_by(kind: &str, name: &str) -> String {
    match name {
        _ if prefixed(name).is_some() => name.to_owned(),
        _ if name.contains('@') => format!("email:{name}"),
        _ if name.bytes().all(|byte| byte.is_ascii_digit()) => format!("{kind}:{name}"),
        _ => format!("ref:{name}"),
    }
}

/// Whether a word is an option of the command with its value, and lacks the hyphens.
pub fn lacks_hyphens(line: &TypedLine<'_, '_>, word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| line.knows(&format!("--{name}")))
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
fn joined(line: &TypedLine<'_, '_>, text: &str) -> Option<Vec<String>> {
    if line.knows(text) {
        return Some(vec![text.to_owned()]);
    }
    let (typed, given) = match text.split_once('=') {
        Some((typed, given)) => (typed, given),
        None => text.split_at_checked(2)?,
    };
    let arg = line.arguments().find(|arg| takes_next(arg, typed.as_ref()))?;
    Some(if is_talk(arg) { Vec::new() } else { vec![name_of_option(arg), value(line, arg, given)] })
}

fn is_talk(arg: &Arg) -> bool {
    arg.get_long().is_some_and(|long| is_one_of(TALK, long))
}

fn value(line: &TypedLine<'_, '_>, arg: &Arg, text: &str) -> String {
    let is_open = match arg.get_long().unwrap_or_default() {
        "project" if !may_be_a_project(text) => return "NAME_OR_ID".to_owned(),
        // Fields as the command has them.
        "fields" => return shell_word(named_fields(line, text).as_deref().unwrap_or(text)).into_owned(),
        // An expression names people in quotes alone.
        "jq" => names_no_person(text),
        "base-url" | "redirect-uri" => is_plain_address(text),
        long => is_one_of(OPEN, long) || !arg.get_possible_values().is_empty(),
    };
    if is_open || is_number(text) { shell_word(text).into_owned() } else { placeholder(arg) }
}

/// Whether an address holds no password and no key.
fn is_plain_address(text: &str) -> bool {
    !text.contains(['@', '?', '#'])
}

/// Whether nothing but times stands between the quotes of an expression.
fn names_no_person(expression: &str) -> bool {
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
