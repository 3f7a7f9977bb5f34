//! An option that the command has not, where its value or the rest of the line tells what was meant.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

use crate::commands::shared::commands_in_hints::CommandLine;
use crate::commands::shell::argv::{Part, at, knows, parts, path, takes_next};
use crate::commands::shell::conditions::{ENDS, QUERIES, in_another_command, meant_by_a_condition};
use crate::commands::shell::expressions::{completed_until, expression, named_fields};
use crate::commands::shell::foreign_options::OPTIONS;
use crate::commands::shell::foreign_words::{COMMANDS, Ours, entry};
use crate::commands::shell::journal_parts::journal_part;
use crate::commands::shell::line_to_type::{PERSON, line_to_type, with_prefixes};
use crate::commands::shell::value_hints::is_file;
use crate::model::did_you_mean::nearest;

/// Options of other programs that set a field: `--set lastName=Lee`.
const SETTERS: [&str; 9] = ["--set", "--data", "-d", "--field", "-F", "--values", "--value", "--param", "--parameters"];

/// What was meant by an option with this value.
pub fn by_value(root: &Command, path: &[&str], words: &[OsString], name: &str, value: &str) -> Option<String> {
    if let Some(hint) =
        meant_by_a_condition(root, path, (name, value)).or_else(|| in_another_command(root, path, (name, value)))
    {
        return Some(hint);
    }
    let ours = match name {
        _ if path.first() == Some(&"journal") => journal_part(root, path, (name, value)).filter(|_| !has_format(words)),
        _ if QUERIES.contains(&name) => expression(root, path, value),
        "--json" => named_fields(root, path, value).map(|fields| format!("-o json --fields {fields}")),
        _ if ENDS.contains(&name) && !has_format(words) => completed_until(root, path, name, value),
        "--ids" if is_file(value) || value == "-" => return Some("did you mean `--ids-from`?".to_owned()),
        // Force, where no file follows.
        "-f" if path == ["testtakers", "remove"] && !is_file(value) && value != "-" => {
            return Some("did you mean `--yes`?".to_owned());
        }
        // As kubectl names a namespace.
        "-n" if value.bytes().all(|byte| byte.is_ascii_digit()) => {
            let skips = words.iter().any(|word| word.to_string_lossy().starts_with("--offset") || word == "--skip");
            let takes = knows(root, at(root, path), "--limit") && !skips;
            return takes.then(|| "did you mean `--limit`?".to_owned());
        }
        "-n" if knows(root, at(root, path), "--project") => {
            return Some("did you mean `-p`?".to_owned());
        }
        // The newest; the list has an order of its own.
        "--birthdate" | "--birth-date" | "--date-of-birth" | "--dob" | "--birthday"
            if knows(root, at(root, path), "--birth-year") =>
        {
            let year = value.split(['-', '/', '.']).find(|part| part.len() == 4 && part.parse::<u16>().is_ok())?;
            Some(format!("--birth-year {year}"))
        }
        "--on-error" if ["continue", "skip", "ignore"].contains(&value) => Some("--skip-invalid".to_owned()),
        "--tail" | "--last" if path == ["results", "list"] && !has_format(words) && knows(root, root, "--jq") => {
            let count = value.parse::<u16>().ok()?;
            Some(format!("--jq 'sort_by(.dateCompleted) | .[-{count}:]'"))
        }
        "--tail" | "--last" if path.last() == Some(&"list") && !has_format(words) && knows(root, root, "--jq") => {
            value.parse::<u16>().ok().map(|count| format!("--jq '.[-{count}:]'"))
        }
        "--days" if knows(root, at(root, path), "--completed-since") => {
            Some(format!("--completed-since {}d", value.parse::<u16>().ok()?))
        }
        "--port" if path == ["sandbox", "serve"] && value.parse::<u16>().is_ok() => {
            Some(format!("--listen 127.0.0.1:{value}"))
        }
        _ => None,
    };
    Some(format!("write `{}` in place of {name}", ours?))
}

/// Whether a line says how or what to print, other than as JSON.
pub fn has_format(words: &[OsString]) -> bool {
    words.iter().enumerate().filter_map(|(place, word)| Some((place, word.to_str()?))).any(|(place, word)| {
        let (name, joined) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let value = joined.or_else(|| words.get(place + 1)?.to_str());
        name == "--jq"
            || ["-o", "--output"].contains(&name) && value != Some("json")
            || word.starts_with("-o") && word.len() > 2
    })
}

/// The line with the options that set fields in place of `--set FIELD=VALUE` and of `FIELD=VALUE` alone.
pub fn with_assignments(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let path = path(root, words);
    let here = at(root, &path);
    let (mut all, mut is_set) = (Vec::new(), false);
    for (word, part) in words.iter().zip(parts(root, words)) {
        let text = word.to_string_lossy();
        if part == Part::Other && SETTERS.contains(&text.as_ref()) && !knows(root, here, &text) {
            is_set = true;
            all.push(word.clone());
            continue;
        }
        let is_behind = std::mem::take(&mut is_set);
        let is_bare = part == Part::Other && !text.starts_with('-') && ["enrol", "update"].contains(&here.get_name());
        match if is_behind || is_bare { assigned(here, &path, &text) } else { None } {
            Some(options) => {
                all.truncate(all.len() - usize::from(is_behind));
                all.extend(options);
            }
            None => all.push(word.clone()),
        }
    }
    all
}

/// The line with the noun's first verb where none stands behind it: before options, or before a word that names something.
pub fn with_verb(root: &Command, words: &[OsString], projects: &[String]) -> Vec<OsString> {
    let (path, parts) = (path(root, words), parts(root, words));
    let place = parts.iter().position(|part| matches!(part, Part::Command(_)));
    let (&[noun], Some(place)) = (path.as_slice(), place) else { return words.to_vec() };
    // A verb may stand before it.
    let mut before = words[1..place].iter().zip(&parts[1..]);
    if before.any(|(word, part)| *part == Part::Other && !word.to_string_lossy().starts_with('-')) {
        return words.to_vec();
    }
    let next = words.get(place + 1).map(|next| next.to_string_lossy()).unwrap_or_default();
    let is_option = next.starts_with('-') && !matches!(next.as_ref(), "-h" | "--help");
    let is_project = projects.iter().any(|project| *project == *next);
    let is_named = is_project || next.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '@');
    let is_verb = entry(COMMANDS, &path, &next, |_| true).is_some();
    let verb = match noun {
        "projects" | "testtakers" | "results" | "redirect-uris" | "journal" | "config"
            if is_option || next.is_empty() =>
        {
            "list"
        }
        "testtakers" | "results" | "links" if is_project => "list",
        "projects" | "testtakers" | "results" if is_named && !is_verb => "get",
        "links" if is_option || is_named && !is_verb => "issue",
        _ => return words.to_vec(),
    };
    [&words[..=place], &[verb.into()], &words[place + 1..]].concat()
}

/// The line with first and last name apart.
pub fn with_names_apart(root: &Command, words: &[OsString]) -> Vec<OsString> {
    const WHOLE: [&str; 4] = ["--name", "--full-name", "--fullname", "--display-name"];
    let takes_them = knows(root, at(root, &path(root, words)), "--first-name");
    let place = words.iter().position(|word| WHOLE.iter().any(|whole| word == whole)).filter(|_| takes_them);
    let named = place.and_then(|place| Some((place, words.get(place + 1)?.to_str()?.split_once(' ')?)));
    let Some((place, (first, last))) = named.filter(|(_, (_, last))| !last.contains(' ')) else {
        return words.to_vec();
    };
    let apart = ["--first-name", first, "--last-name", last].map(OsString::from);
    [&words[..place], &apart, &words[place + 2..]].concat()
}

/// Assignments apart: with spaces between them, or with commas where a field stands behind each.
fn apart(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 1 && parts.iter().all(|part| part.contains('=')) { parts } else { text.split(' ').collect() }
}

/// The options of a command that set what a text of assignments does.
fn assigned(here: &Command, path: &[&str], text: &str) -> Option<Vec<OsString>> {
    let longs = here.get_arguments().filter(|arg| arg.get_action().takes_values()).filter_map(Arg::get_long);
    let longs: Vec<&str> = longs.collect();
    let mut options = Vec::new();
    // Several stand with spaces between them; a value without a sign belongs to the one before it.
    for part in apart(text) {
        let Some((field, value)) = part.split_once('=') else {
            let (_, value) = options.last_mut()?;
            *value = format!("{value} {part}");
            continue;
        };
        let field = field.trim_start_matches('-');
        let near = nearest(field, longs.iter().copied()).map(str::to_owned);
        let is_said = entry(OPTIONS, path, &format!("--{field}"), |_| true).is_some();
        options.push((near.or_else(|| is_said.then(|| field.to_owned()))?, value.trim_matches('"').to_owned()));
    }
    Some(options.into_iter().flat_map(|(long, value)| [format!("--{long}").into(), value.into()]).collect())
}

/// The line with `-p` before a word that can be a project alone: one of those known, or the word behind the one file.
pub fn with_project(root: &Command, words: &[OsString], projects: &[String]) -> Vec<OsString> {
    let here = at(root, &path(root, words));
    let operands = operands(root, words);
    let takes_none = here.get_positionals().next().is_none();
    let takes_a_file = here
        .get_positionals()
        .any(|arg| arg.get_value_names().is_some_and(|names| names.first().is_some_and(|name| name == "FILE")));
    // Nobody is called like a project that is known.
    let known = operands.iter().copied().find(|place| projects.iter().any(|known| words[*place] == known.as_str()));
    let place = match (operands.as_slice(), known) {
        ([verb, _], Some(place)) if place != *verb && is_of_projects(root, &words[*verb], words) => {
            return [&words[..*verb], &["projects".into()], &words[*verb..]].concat();
        }
        ([verb, ..], Some(place))
            if place != *verb
                && !CommandLine::of_words(words).names_a_project()
                && is_done_in_a_project(&path(root, words), &words[*verb]) =>
        {
            return [&words[..place], &["-p".into()], &words[place..]].concat();
        }
        (_, Some(place)) if takes_none || takes_people(here) && operands.len() > 1 => place,
        ([file, place] | [place, file], _) if takes_a_file && is_stray(&words[*place]) && !is_stray(&words[*file]) => {
            *place
        }
        _ => return words.to_vec(),
    };
    if CommandLine::of_words(words).names_a_project() || here.has_subcommands() || !knows(root, here, "--project") {
        return words.to_vec();
    }
    // As rclone names a place.
    let project = words[place].to_string_lossy().trim_end_matches(':').to_owned();
    [&words[..place], &["-p".into(), project.into()], &words[place + 1..]].concat()
}

/// Whether another program's verb is told in lines about the people of a project.
fn is_done_in_a_project(path: &[&str], verb: &OsStr) -> bool {
    const OF_PEOPLE: [&str; 3] = ["`assessctl results ", "`assessctl links ", "`assessctl testtakers "];
    let of = |place: &[&str]| entry(COMMANDS, place, verb.to_str()?, |_| true);
    match of(path).or_else(|| of(&["results"])) {
        Some(Ours::Say(hint)) => OF_PEOPLE.iter().any(|command| hint.contains(command)) && !hint.contains("projects "),
        _ => false,
    }
}

/// Whether a verb without its noun is about a project itself.
fn is_of_projects(root: &Command, verb: &OsStr, words: &[OsString]) -> bool {
    let Some(verb) = verb.to_str().filter(|_| path(root, words).is_empty()) else { return false };
    match entry(COMMANDS, &["projects"], verb, |_| true) {
        Some(Ours::Is(ours)) => ours == ["get"] || ours == ["link"],
        Some(Ours::Say(hint)) => hint.starts_with("projects are changed"),
        None => verb == "get",
    }
}

/// Whether people stand by themselves in a command's line.
pub fn takes_people(here: &Command) -> bool {
    let mut names = here.get_positionals().filter_map(Arg::get_value_names).flatten();
    names.any(|name| name == PERSON)
}

/// The line with the project behind the command that it was given before.
pub fn with_project_behind(words: &[OsString], parts: &[Part<'_>]) -> Vec<OsString> {
    let verb = parts.iter().rposition(|part| matches!(part, Part::Command(_)));
    let place = words.iter().position(|word| word == "-p" || word == "--project");
    match (place, verb) {
        (Some(place), Some(verb)) if place + 1 < verb => {
            let given = &words[place..place + 2];
            [&words[..place], &words[place + 2..=verb], given, &words[verb + 1..]].concat()
        }
        _ => words.to_vec(),
    }
}

/// Whether a word is no file.
fn is_stray(word: &OsString) -> bool {
    let word = word.to_string_lossy();
    !is_file(&word) && word != "-"
}

/// Where the words stand that are neither commands nor options nor, as far as is known, their values.
fn operands(root: &Command, words: &[OsString]) -> Vec<usize> {
    let here = at(root, &path(root, words));
    let parts = parts(root, words);
    let all = words.iter().enumerate().skip(1);
    all.filter(|(place, word)| {
        let before = words[place - 1].to_string_lossy();
        let may_be_value = before.starts_with('-') && parts[place - 1] == Part::Other && !knows(root, here, &before);
        parts[*place] == Part::Other && (*word == "-" || !word.to_string_lossy().starts_with('-')) && !may_be_value
    })
    .map(|(place, _)| place)
    .collect()
}

/// How the link of one person is rehearsed, as --dry-run goes with many.
pub fn rehearsed_alone(root: &Command, words: &[OsString]) -> String {
    let others = words.iter().filter(|word| *word != "--dry-run").cloned();
    let line: Vec<OsString> = others.chain(["--profile".into(), "sandbox".into()]).collect();
    let line = line_to_type(root, &with_prefixes(root, &without_option(root, &line, ["--profile"; 2], "sandbox")));
    let line = line.unwrap_or_else(|| "--profile sandbox".to_owned());
    let mut names = words.iter().filter_map(|word| word.to_str()?.strip_prefix("ref:"));
    let by_entry =
        if names.any(|name| name.parse::<u32>().is_ok()) { ", or with id:NUMBER for an entry id," } else { "" };
    format!("`{line}`{by_entry} rehearses: --dry-run goes with --file FILE or --all, for many people")
}

/// The line without what an expression does not go with: another format, and an order beside one of its own.
pub fn in_json(root: &Command, words: &[OsString], ours: &str) -> Vec<OsString> {
    if !ours.starts_with("--jq") {
        return words.to_vec();
    }
    let words = without_option(root, words, ["-o", "--output"], "json");
    if !ours.contains("sort_by") {
        return words;
    }
    // So many of those that are sorted.
    let mut words = without_option(root, &words, ["--order", "--order"], "");
    let next = words.iter().skip_while(|word| *word != "--limit").nth(1).and_then(|limit| limit.to_str());
    let joined = words.iter().find_map(|word| word.to_str()?.strip_prefix("--limit="));
    let limits = next.or(joined).map(str::to_owned);
    if let Some(limit) = limits.filter(|limit| limit.parse::<u32>().is_ok()) {
        words = without_option(root, &words, ["--limit", "--limit"], "");
        if let Some(sorted) = words.iter_mut().find(|word| word.to_string_lossy().starts_with("sort_by(")) {
            sorted.push(format!(" | .[:{limit}]"));
        }
    }
    words
}

/// The line without an option of one of these names and its value, unless the value is `kept`.
pub fn without_option(root: &Command, words: &[OsString], names: [&str; 2], kept: &str) -> Vec<OsString> {
    let here = at(root, &path(root, words));
    let (mut all, mut words) = (Vec::new(), words.iter().peekable());
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (name, joined) = text.split_once('=').map_or((text.as_ref(), None), |(name, value)| (name, Some(value)));
        let takes =
            joined.is_none() && [here, root].iter().any(|it| it.get_arguments().any(|arg| takes_next(arg, word)));
        let is_kept = match joined {
            Some(value) => value == kept,
            None => words.peek().is_some_and(|next| *next == kept),
        };
        if !names.contains(&name) || is_kept {
            all.push(word.clone());
            all.extend(if takes { words.next().cloned() } else { None });
        } else if takes {
            words.next();
        }
    }
    all
}
