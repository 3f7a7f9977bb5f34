//! Whom a line names that could not be read: a hint is never about more people than it was.

use std::ffi::OsString;

use clap::Command;

use crate::bulk::roster::{Field, prefixed};
use crate::commands::shell::argv::{Part, at, knows, parts, path};
use crate::commands::shell::foreign_options::OPTIONS;
use crate::commands::shell::foreign_words::{COMMANDS, Ours, entry};
use crate::commands::shell::value_hints::is_file;

/// Options whose value names a person.
const WHO: [&str; 15] = [
    "--email",
    "--mail",
    "--e-mail",
    "--id",
    "--ref",
    "--reference-id",
    "--user",
    "--person",
    "--who",
    "--employee",
    "--testtaker",
    "--test-taker",
    "--for",
    "--name",
    "--recipient",
];
/// Options that choose people who have no result yet.
const OPEN: [&str; 10] = [
    "--pending",
    "--not-completed",
    "--incomplete",
    "--not-tested",
    "--untested",
    "--only-pending",
    "--pending-only",
    "--open",
    "--overdue",
    "--not-started",
];
/// Options that choose people in another way.
const CHOICES: [&str; 17] = [
    "--filter",
    "--search",
    "--grep",
    "--selector",
    "-l",
    "--where",
    "--only",
    "--query",
    "--status",
    "--result",
    "--flagged",
    "--completed-only",
    "--completed",
    "--limit",
    "--since",
    "--completed-since",
    "--has-last-test-sent",
];

/// Options that mean a flag: the word behind one is no value.
const FLAGS: [&str; 9] = ["--force", "-f", "-y", "--yes", "--dry-run", "--all", "-a", "--pdf", "--verbose"];

/// Whom a line is about.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Whom {
    /// The people, each as a hint names them.
    pub people: Vec<String>,
    /// Whether they are surely people: a number, an address or a prefix is in their names.
    pub are_plain: bool,
    /// Whether a file names them.
    pub in_file: bool,
    /// Whether all people are asked for in so many words.
    pub all: bool,
    /// Which of all it is about.
    pub part: People,
}

/// Which people of a project a line is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum People {
    /// All of them, unless some are named.
    #[default]
    All,
    /// Those who have no result yet.
    Open,
    /// Those whom another option chooses.
    Chosen,
}

impl Whom {
    /// Reads it out of a line; `wrong` is the word that names no command.
    pub fn of(root: &Command, words: &[OsString], wrong: Option<&str>) -> Self {
        let (path, parts) = (path(root, words), parts(root, words));
        let here = at(root, &path);
        let mut whom = Self::default();
        let (mut plain, mut bare, mut addressed) = (Vec::new(), Vec::new(), None);
        let mut before = String::new();
        for (word, part) in words.iter().zip(parts).skip(1) {
            let text = word.to_string_lossy();
            let option = std::mem::replace(&mut before, text.split('=').next().unwrap_or_default().to_owned());
            if text.starts_with('-') && text.len() > 1 {
                whom.all |= ["--all", "-a", "--everyone"].contains(&before.as_str());
                whom.part = match () {
                    () if OPEN.contains(&before.as_str()) => People::Open,
                    () if CHOICES.contains(&before.as_str()) && whom.part == People::All => People::Chosen,
                    () => whom.part,
                };
                let value = text.split_once('=').map(|(_, value)| value).unwrap_or_default();
                let is_said = wrong == Some(before.as_str());
                if !is_said && WHO.contains(&before.as_str()) && !value.is_empty() && !is_awaited(&before, value) {
                    addressed = addressed.or((before == "--email").then_some(plain.len()));
                    plain.push(shown(value));
                }
                continue;
            }
            whom.in_file |= is_file(&text) && !writes(&option);
            // The value of the option that is wrong is what it says, and data are no name.
            let is_said = wrong == Some(option.as_str()) && option.starts_with('-') || text.starts_with(['{', '[']);
            let is_command = matches!(part, Part::Command(_)) || Some(text.as_ref()) == wrong || is_said;
            let is_command = is_command || path.is_empty() && names_a_command(root, &text);
            if is_command || is_file(&text) || text == "-" || is_awaited(&option, &text) {
                continue;
            }
            let is_value = part == Part::Value || takes_value(root, here, &path, &option);
            match () {
                () if WHO.contains(&option.as_str()) || text.contains('@') => {
                    addressed = addressed.or((option == "--email").then_some(plain.len()));
                    plain.push(shown(&text));
                }
                () if is_value => {}
                () if is_person(&text) => plain.push(shown(&text)),
                () => bare.push(shown(&text)),
            }
        }
        // Beside somebody else an address is what that one shall get.
        if let Some(place) = addressed.filter(|_| plain.len() + bare.len() > 1) {
            plain.remove(place);
        }
        let is_about_people =
            path.first().is_none_or(|noun| ["testtakers", "results", "links", "sandbox"].contains(noun));
        whom.are_plain = !plain.is_empty();
        if is_about_people {
            whom.people = if plain.is_empty() { bare } else { plain };
        }
        whom
    }
}

/// A person as a hint names them.
pub fn shown(text: &str) -> String {
    let apart = text.split_once('=').filter(|(kind, _)| ["id", "ref", "email"].contains(kind));
    let text = &apart.map_or_else(|| text.to_owned(), |(kind, name)| format!("{kind}:{name}"));
    match prefixed(text) {
        Some((Field::EntryId, _)) => text.to_owned(),
        Some((Field::ReferenceId, _)) => "ref:REFERENCE_ID".to_owned(),
        Some(_) => "email:ADDRESS".to_owned(),
        None if text.contains('@') => "email:ADDRESS".to_owned(),
        None => "ref:REFERENCE_ID".to_owned(),
    }
}

/// Whether a word behind `--for` is what is waited for, and no person.
fn is_awaited(option: &str, text: &str) -> bool {
    const STATES: [&str; 12] = [
        "completed",
        "complete",
        "completion",
        "done",
        "finished",
        "result",
        "results",
        "ready",
        "exists",
        "delete",
        "create",
        "flagged",
    ];
    let text = text.to_ascii_lowercase();
    let is_condition = ["condition=", "jsonpath="].iter().any(|begins| text.starts_with(begins));
    option == "--for" && (is_condition || STATES.contains(&text.as_str()))
}

/// Whether a word is surely a person: a number, an address or a prefix is in it.
pub fn is_person(text: &str) -> bool {
    !text.contains(' ') && (prefixed(text).is_some() || text.contains(|c: char| c.is_ascii_digit() || c == '@'))
}

/// Whether a word stands for a noun or a verb of ours.
fn names_a_command(root: &Command, text: &str) -> bool {
    entry(COMMANDS, &[], text, |_| true).is_some()
        || root.get_subcommands().any(|noun| {
            noun.find_subcommand(text).is_some() || entry(COMMANDS, &[noun.get_name()], text, |_| true).is_some()
        })
}

/// Whether a file behind this option is one that is written.
pub fn writes(option: &str) -> bool {
    const WRITTEN: [&str; 17] = [
        "--to",
        "--out",
        "--outfile",
        "--output",
        "--output-file",
        "-o",
        "-O",
        "--save",
        "--report",
        "--report-file",
        "--failed-out",
        "--plan",
        "--with-links",
        "--log-file",
        "--status",
        "--failed",
        "--errors-file",
    ];
    WRITTEN.contains(&option) || option.ends_with("-to") || option.ends_with("-out")
}

/// Whether the word behind an option that the command has not is probably its value.
fn takes_value(root: &Command, here: &Command, path: &[&str], option: &str) -> bool {
    if !option.starts_with('-') || option.contains('=') || knows(root, here, option) {
        return false;
    }
    // What means a flag of ours takes none.
    let is_flag = matches!(entry(OPTIONS, path, option, |_| true), Some(Ours::Is([_, _, ..])))
        || FLAGS.contains(&option)
        || OPEN.contains(&option);
    !is_flag
}
