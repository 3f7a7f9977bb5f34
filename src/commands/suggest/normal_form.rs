//! A line whose meaning is plain without a hint, as it is typed here: verb, project, page, names and settings in their places.

use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};

use crate::commands::shared::commands_in_hints::CommandLine;
use crate::commands::shell::argv::{Part, TypedLine, is_one_of, named};
use crate::commands::suggest::dictionary::entry;
use crate::commands::suggest::expressions::has_format;
use crate::commands::suggest::foreign_options::OPTIONS;
use crate::commands::suggest::foreign_words::{COMMANDS, IN_PORTAL};
use crate::commands::suggest::line_to_type::PERSON;
use crate::commands::suggest::respelled::{in_two_words, with_plain_key};
use crate::commands::suggest::suggestion::{Edit, Suggestion};
use crate::commands::suggest::translation::translated;
use crate::commands::suggest::values::{is_day, is_file};
use crate::model::did_you_mean::nearest;
use crate::model::list_query::PAGE_SIZE_MAX;

/// Options of other programs that set a field: `--set lastName=Lee`.
const SETTERS: &str = "--set --data -d --field -F --values --value --param --parameters";
/// Options before a first and a last name together.
const WHOLE_NAMES: [&str; 4] = ["--name", "--full-name", "--fullname", "--display-name"];
const OFFSETS: [&str; 2] = ["--offset", "--skip"];
const SIZES: [&str; 6] = ["--page-size", "--per-page", "-n", "-L", "--limit", "--max-results"];

/// The line as it is meant; `projects` are those that are known.
pub fn normalized(root: &Command, words: &[OsString], projects: &[String]) -> Vec<OsString> {
    let apart = in_two_words(root, words).map(|apart| translated(root, apart));
    let mut words = apart.unwrap_or_else(|| words.to_vec());
    // A day behind --to is meant for the end of a time.
    let day = words.windows(2).position(|pair| pair[0] == "--to" && is_day(&pair[1].to_string_lossy()));
    if let Some(place) = day {
        words[place] = "--until".into();
    }
    let words = with_plain_key(root, &words);
    let words = with_file_of_source(&TypedLine::of(root, &with_project_behind(&TypedLine::of(root, &words))));
    let words = with_names_apart(&TypedLine::of(root, &with_verb(&TypedLine::of(root, &words), projects)));
    let words = with_assignments(&TypedLine::of(root, &with_page(&TypedLine::of(root, &words))));
    with_project(&TypedLine::of(root, &words), projects)
}

/// A file behind `--source` stands by itself where no other does: a source of `sync` has a name.
fn with_file_of_source(line: &TypedLine<'_, '_>) -> Vec<OsString> {
    let source = line.place_of(&["--source"]).filter(|_| line.path == ["testtakers", "sync"]);
    let has_file = line.others().any(|(_, word)| is_file(&word.to_string_lossy()));
    match source.and_then(|place| Some((place, line.value_at(place).filter(|file| is_file(file) && !has_file)?))) {
        Some((place, file)) => {
            let is_joined = line.words[place].to_string_lossy().contains('=');
            line.with(place, if is_joined { 1 } else { 2 }, &[file.into()])
        }
        None => line.words.to_vec(),
    }
}

/// The line with the project behind the command that it was given before.
fn with_project_behind(line: &TypedLine<'_, '_>) -> Vec<OsString> {
    let verb = line.parts.iter().rposition(|part| matches!(part, Part::Command(_)));
    let place = line.words.iter().position(|word| word == "-p" || word == "--project");
    match (place, verb) {
        (Some(place), Some(verb)) if place + 1 < verb => {
            let mut words = line.words.to_vec();
            words[place..=verb].rotate_left(2);
            words
        }
        _ => line.words.to_vec(),
    }
}

/// The line with the noun's first verb where none stands behind it: before options, or before a word that names something.
fn with_verb(line: &TypedLine<'_, '_>, projects: &[String]) -> Vec<OsString> {
    let place = line.parts.iter().position(|part| matches!(part, Part::Command(_)));
    // A verb may stand before the noun.
    let place = place.filter(|place| line.others().all(|(other, _)| other > *place));
    let (&[noun], Some(place)) = (line.path.as_slice(), place) else { return line.words.to_vec() };
    let next = line.words.get(place + 1).map(|next| next.to_string_lossy()).unwrap_or_default();
    let is_option = next.starts_with('-') && !matches!(next.as_ref(), "-h" | "--help");
    let is_project = projects.iter().any(|project| *project == *next);
    let is_named = is_project || next.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '@');
    let is_name = is_named && entry(COMMANDS, &line.path, &next).is_none();
    let verb = match noun {
        _ if is_one_of("projects testtakers results redirect-uris journal config", noun)
            && (is_option || next.is_empty()) =>
        {
            "list"
        }
        "testtakers" | "results" | "links" if is_project => "list",
        "projects" | "testtakers" | "results" if is_name => "get",
        "links" if is_option || is_name => "issue",
        _ => return line.words.to_vec(),
    };
    line.with(place + 1, 0, &[verb.into()])
}

/// The line with first and last name apart.
fn with_names_apart(line: &TypedLine<'_, '_>) -> Vec<OsString> {
    let place = line.words.iter().position(|word| WHOLE_NAMES.iter().any(|whole| word == whole));
    let place = place.filter(|_| line.knows("--first-name"));
    let name = place.and_then(|place| Some((place, line.words.get(place + 1)?.to_str()?.split_once(' ')?)));
    match name {
        Some((place, (first, last))) if !last.contains(' ') => {
            line.with(place, 2, &["--first-name", first, "--last-name", last].map(OsString::from))
        }
        _ => line.words.to_vec(),
    }
}

/// The line with the page of a list that an offset and a size mean, or else with the expression that takes these records.
fn with_page(line: &TypedLine<'_, '_>) -> Vec<OsString> {
    let can_jq = line.knows("--jq") && !has_format(line.words);
    let [offset, size, page, page_size] =
        [&OFFSETS[..], &SIZES, &["--page"], &SIZES[..2]].map(|names| Some(find_number(line.words, names)?.2));
    // A limit beside a page is the size of the page, where that has no size of its own.
    let is_size = page.is_some() && page_size.is_none();
    let sizes = 1..=u64::from(PAGE_SIZE_MAX);
    let ours = match (offset, size) {
        _ if !line.knows("--page") => return line.words.to_vec(),
        (Some(from), Some(size)) if sizes.contains(&size) && from.is_multiple_of(size) => {
            vec!["--page".to_owned(), (from / size + 1).to_string(), "--page-size".to_owned(), size.to_string()]
        }
        (None, Some(size)) if is_size && sizes.contains(&size) => vec!["--page-size".to_owned(), size.to_string()],
        (Some(from), size) if can_jq => {
            let end = size.map(|size| from.saturating_add(size).to_string()).unwrap_or_default();
            vec!["--jq".to_owned(), format!(".[{from}:{end}]")]
        }
        _ => return line.words.to_vec(),
    };
    let mut all = line.words.to_vec();
    for names in [OFFSETS.as_slice(), &SIZES] {
        if let Some((place, count, _)) = find_number(&all, names) {
            all.drain(place..place + count);
        }
    }
    all.extend(ours.into_iter().map(OsString::from));
    all
}

/// Where an option with a number stands, of how many words, and the number.
fn find_number(words: &[OsString], names: &[&str]) -> Option<(usize, usize, u64)> {
    words.iter().enumerate().find_map(|(place, word)| match named(word.to_str()?) {
        (name, _) if !names.contains(&name) => None,
        (_, Some(value)) => Some((place, 1, value.parse().ok()?)),
        (_, None) => Some((place, 2, words.get(place + 1)?.to_str()?.parse().ok()?)),
    })
}

/// The line with the options that set fields in place of `--set FIELD=VALUE` and of `FIELD=VALUE` alone.
fn with_assignments(line: &TypedLine<'_, '_>) -> Vec<OsString> {
    let (mut all, mut is_set) = (Vec::new(), false);
    for (word, part) in line.words.iter().zip(&line.parts) {
        let text = word.to_string_lossy();
        let is_behind = std::mem::take(&mut is_set);
        is_set = *part == Part::Other && is_one_of(SETTERS, &text) && !line.knows(&text);
        let is_bare =
            *part == Part::Other && !text.starts_with('-') && ["enrol", "update"].contains(&line.here.get_name());
        match if !is_set && (is_behind || is_bare) { assigned(line, &text) } else { None } {
            Some(options) => {
                all.truncate(all.len() - usize::from(is_behind));
                all.extend(options);
            }
            None => all.push(word.clone()),
        }
    }
    all
}

/// The options of a command that set what a text of assignments does: with commas where a field stands behind each, else with
/// spaces between them.
fn assigned(line: &TypedLine<'_, '_>, text: &str) -> Option<Vec<OsString>> {
    let longs = line.here.get_arguments().filter(|arg| arg.get_action().takes_values()).filter_map(Arg::get_long);
    let longs: Vec<&str> = longs.collect();
    let has_commas = text.contains(',') && text.split(',').all(|part| part.contains('='));
    let mut options: Vec<(String, String)> = Vec::new();
    for part in text.split(if has_commas { ',' } else { ' ' }) {
        // A value without a sign belongs to the one before it.
        let Some((field, value)) = part.split_once('=') else {
            let (_, value) = options.last_mut()?;
            *value = format!("{value} {part}");
            continue;
        };
        let field = field.trim_start_matches('-');
        let is_said = entry(OPTIONS, &line.path, &format!("--{field}")).is_some();
        let long = nearest(field, longs.iter().copied()).or(is_said.then_some(field))?;
        options.push((format!("--{long}"), value.trim_matches('"').to_owned()));
    }
    Some(options.into_iter().flat_map(|(long, value)| [long.into(), value.into()]).collect())
}

/// The line with `-p` before a word that can be a project alone: one of those known, or the word behind the one file.
fn with_project(line: &TypedLine<'_, '_>, projects: &[String]) -> Vec<OsString> {
    let operands = operands(line);
    let has_project = CommandLine::of_words(line.words).names_a_project();
    let takes_none = line.here.get_positionals().next().is_none();
    let takes_a_file = takes(line.here, "FILE");
    // No person is called like a project that is known.
    let known =
        operands.iter().copied().find(|place| projects.iter().any(|known| line.words[*place] == known.as_str()));
    let place = match (operands.as_slice(), known) {
        ([verb, _], Some(place)) if place != *verb && is_of_projects(line, &line.words[*verb]) => {
            return line.with(*verb, 0, &["projects".into()]);
        }
        ([verb, ..], Some(place)) if place != *verb && !has_project && is_of_people(line, &line.words[*verb]) => {
            return line.with(place, 0, &["-p".into()]);
        }
        (_, Some(place)) if takes_none || takes(line.here, PERSON) && operands.len() > 1 => place,
        ([file, place] | [place, file], _)
            if takes_a_file && !names_a_file(line, *place) && names_a_file(line, *file) =>
        {
            *place
        }
        _ => return line.words.to_vec(),
    };
    if has_project || line.here.has_subcommands() || !line.knows("--project") {
        return line.words.to_vec();
    }
    // As rclone names a place.
    let project = line.words[place].to_string_lossy().trim_end_matches(':').to_owned();
    line.with(place, 1, &["-p".into(), project.into()])
}

/// Whether another program's verb leads to commands about the people of a project alone.
fn is_of_people(line: &TypedLine<'_, '_>, verb: &OsStr) -> bool {
    let Some(verb) = verb.to_str() else { return false };
    let ours = entry(COMMANDS, &line.path, verb).or_else(|| entry(COMMANDS, &["results"], verb));
    let commands =
        ours.filter(|ours| !matches!(ours.edit, Edit::Same(_))).map(Suggestion::commands).unwrap_or_default();
    let nouns: Vec<&str> = commands.iter().filter_map(|command| command.split(' ').next()).collect();
    nouns.iter().any(|noun| is_one_of("results links testtakers", noun)) && !nouns.contains(&"projects")
}

/// Whether a file is named here, or standard input.
fn names_a_file(line: &TypedLine<'_, '_>, place: usize) -> bool {
    line.words[place] == "-" || is_file(&line.words[place].to_string_lossy())
}

/// Whether a verb without its noun is about a project itself.
fn is_of_projects(line: &TypedLine<'_, '_>, verb: &OsStr) -> bool {
    let Some(verb) = verb.to_str().filter(|_| line.path.is_empty()) else { return false };
    match entry(COMMANDS, &["projects"], verb) {
        Some(ours) => *ours == IN_PORTAL || matches!(ours.edit, Edit::Same(["get" | "link"])),
        None => verb == "get",
    }
}

/// Whether an argument of a command that stands by itself is called so.
pub fn takes(here: &Command, kind: &str) -> bool {
    here.get_positionals().filter_map(Arg::get_value_names).flatten().any(|name| name == kind)
}

/// Where the words stand that are neither commands nor options nor, as far as is known, their values.
fn operands(line: &TypedLine<'_, '_>) -> Vec<usize> {
    let places = line.others().map(|(place, _)| place);
    places
        .filter(|place| {
            let before = line.words[place - 1].to_string_lossy();
            !(before.starts_with('-') && line.parts[place - 1] == Part::Other && !line.knows(&before))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn an_offset_is_a_page_or_an_expression() {
        let option = |name: &'static str| Arg::new(name).long(name);
        let list = Command::new("list").arg(option("page")).arg(option("limit"));
        let root = Command::new("a").arg(option("jq")).subcommand(list).subcommand(Command::new("get"));
        for (typed, ours) in [
            ("a list -n 5 --offset 5 -q", "a list -q --page 2 --page-size 5"),
            ("a list --skip=0 --limit=20", "a list --page 1 --page-size 20"),
            ("a list --limit 5 --offset 7", "a list --jq .[7:12]"),
            ("a list --offset 7", "a list --jq .[7:]"),
            ("a list --limit 5", "a list --limit 5"),
            ("a list --limit 5 --page 2", "a list --page 2 --page-size 5"),
            ("a list --page 2 --page-size 5 -L 9", "a list --page 2 --page-size 5 -L 9"),
            ("a list --page-size 5 --page 2 -q", "a list --page-size 5 --page 2 -q"),
            ("a list --page 2 --limit 5000000", "a list --page 2 --limit 5000000"),
            ("a list --offset x --limit 5", "a list --offset x --limit 5"),
            ("a list --offset 3 -o csv", "a list --offset 3 -o csv"),
            ("a get --offset 5 --limit 5", "a get --offset 5 --limit 5"),
        ] {
            let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            let ours: Vec<OsString> = ours.split(' ').map(OsString::from).collect();
            assert_eq!(with_page(&TypedLine::of(&root, &words)), ours, "{typed}");
        }
    }
}
