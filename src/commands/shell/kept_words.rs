//! What a hint keeps of a line that could not be read: its people, files and options, and that it was a rehearsal.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::commands::shared::commands_in_hints::may_be_a_project;
use crate::commands::shared::verb_traits::VerbTraits;
use crate::commands::shell::argv::{Part, at, is_called, knows, parts, path, takes_next};
use crate::commands::shell::correction::{in_place, meant};
use crate::commands::shell::expressions::typed_words;
use crate::commands::shell::foreign_options::REHEARSALS;
use crate::commands::shell::foreign_words::{ALL_HAVE, FIXED, NO_COMMAND, Ours};
use crate::commands::shell::line_to_type::{shown_line, with_ending};
use crate::commands::shell::translation::translated;
use crate::commands::shell::unknown_arguments::argument;
use crate::commands::shell::unknown_options::by_value;
use crate::commands::shell::value_hints::{choice, is_file, time};
use crate::commands::shell::whom::{Whom, shown, writes};
use crate::model::shell_word::shell_word;

/// Options that are repeated elsewhere, or say how a run talks, or what was said to be wrong with a file.
const NEVER: [&str; 17] = [
    "-p",
    "--project",
    "--profile",
    "--errors",
    "--color",
    "--colour",
    "--no-color",
    "--help",
    "-h",
    "--file",
    "-f",
    "--ids-from",
    "--all",
    "-a",
    "--email",
    "--status",
    "--max-rate",
];
/// An option as it was typed.
struct Typed {
    name: String,
    joined: Option<String>,
    /// The word behind it, which may be its value.
    next: Option<OsString>,
}

/// What became of an option in another command.
enum Became {
    Kept(Vec<OsString>),
    /// It says nothing there.
    Idle,
    /// It cannot be kept: why.
    Lost(String),
}

/// The hint with what its commands have to keep of the line; `wrong` is the word or the option that it is about.
pub fn with_kept(root: &Command, words: &[OsString], wrong: Option<&str>, hint: &str) -> String {
    if hint.starts_with("leave it out") {
        return hint.to_owned();
    }
    let wrong = wrong.map(|wrong| wrong.split(['=', ' ']).next().unwrap_or(wrong));
    let whom = Whom::of(root, words, wrong);
    // An option is not wrong where the command is missing.
    let wrong = wrong.filter(|_| !hint.starts_with(NO_COMMAND));
    let mut typed = typed(root, words);
    // What names the other project is no option of what is done in this one, and how long to wait is no time of a request.
    typed.retain(|typed| {
        Some(typed.name.as_str()) != wrong
            && !(hint.contains(OTHER) && MOVES.contains(&typed.name.as_str()))
            && !(hint.starts_with(NO_WAITING) && typed.name == "--timeout")
    });
    let rehearses = typed.iter().any(is_rehearsal);
    let (mut lost, mut unrehearsed, mut said) = (None::<Vec<Loss>>, None, Vec::new());
    for (place, part) in hint.split('`').enumerate() {
        let Some(command) = Some(part).filter(|part| place % 2 == 1 && part.starts_with("assessctl ")) else {
            said.push(part.to_owned());
            continue;
        };
        let (first, rest) = command.split_at(command.find(" |").unwrap_or(command.len()));
        let kept = Kept::of(root, first, &typed, &whom);
        unrehearsed = unrehearsed.or(kept.unrehearsed.filter(|_| rehearses));
        lost = Some(match lost {
            None => kept.lost,
            Some(lost) => lost.into_iter().filter(|(name, _)| kept.lost.iter().any(|(it, _)| it == name)).collect(),
        });
        said.push(with_ending(&kept.command) + rest);
    }
    let hint = with_projects(words, &said.join("`"));
    let is_whole = ["`assessctl ", "did you mean `assessctl ", "nothing is mailed", NO_WAITING, NO_COMMAND];
    let is_whole = is_whole.iter().any(|begins| hint.starts_with(begins));
    let lost = lost.filter(|_| is_whole).unwrap_or_default();
    let is_unrehearsed = unrehearsed.is_some();
    let lost = lost.into_iter().filter(|(name, _)| !(is_unrehearsed && REHEARSALS.contains(&name.as_str())));
    let unrehearsed = unrehearsed.map(|path| format!("{path} has no --dry-run: `--profile sandbox` rehearses"));
    // What the hint says anyway is not said again.
    let lost = lost.map(|(name, why)| match why.split_once(": ") {
        Some((_, said)) if hint.contains(said) => (name.clone(), format!("{name} is left out")),
        _ => (name, why),
    });
    let remarks: Vec<String> = unrehearsed.into_iter().chain(lost.map(|(_, why)| why).take(2)).collect();
    if remarks.is_empty() { hint } else { format!("{hint}; {}", remarks.join("; ")) }
}

fn is_rehearsal(typed: &Typed) -> bool {
    REHEARSALS.contains(&typed.name.as_str()) && !typed.joined.as_deref().is_some_and(is_no)
}

/// Whether the value of a flag says that it is not given.
pub fn is_no(value: &str) -> bool {
    ["false", "no", "none", "off", "0", "never"].iter().any(|no| value.eq_ignore_ascii_case(no))
}

/// The options of a line that a hint may lose.
fn typed(root: &Command, words: &[OsString]) -> Vec<Typed> {
    let line: Vec<_> = words.iter().zip(parts(root, words)).take_while(|(word, _)| *word != "--").collect();
    let mut all = Vec::new();
    for (place, (word, part)) in line.iter().enumerate().skip(1) {
        let text = word.to_string_lossy();
        let (name, joined) = text.split_once('=').map_or((text.as_ref(), None), |(name, value)| (name, Some(value)));
        // A project of another program's word for a move.
        let is_place = name == "--to"
            && line.get(place + 1).is_some_and(|(next, _)| !next.to_string_lossy().contains(['.', '/', '-']));
        if is_place
            || *part != Part::Other
            || !name.starts_with('-')
            || name.len() < 2
            || NEVER.contains(&name)
            || name.starts_with("-p")
        {
            continue;
        }
        let next = line.get(place + 1).map(|(next, _)| (*next).clone());
        let next = next.filter(|next| next == "-" || !next.to_string_lossy().starts_with('-'));
        all.push(Typed { name: name.to_owned(), joined: joined.map(str::to_owned), next });
    }
    all
}

/// An option that is lost, and why.
type Loss = (String, String);

/// A command of a hint with what it keeps.
struct Kept {
    command: String,
    lost: Vec<Loss>,
    /// Its words, where it changes what the service holds and does not take that it is a rehearsal.
    unrehearsed: Option<String>,
}

impl Kept {
    fn of(root: &Command, command: &str, typed: &[Typed], whom: &Whom) -> Self {
        let as_it_is = Self { command: command.to_owned(), lost: Vec::new(), unrehearsed: None };
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        let path = path(root, &words);
        let here = at(root, &path);
        if here.has_subcommands() || command.contains(['\'', '"']) || command.contains(" --help") {
            return as_it_is;
        }
        let named = with_people(root, here, &words, whom);
        let mut line = if shown_line(root, &named).is_some() { named } else { words };
        let (mut shown, mut lost) = (line.clone(), Vec::new());
        let is_known = shown_line(root, &line).is_some();
        for typed in typed.iter().filter(|_| is_known) {
            match became(root, &path, &line, typed) {
                Became::Kept(ours) => {
                    let longer = [line.as_slice(), &ours].concat();
                    let [before, after] = [&line, &longer].map(|line| shown_line(root, line).unwrap_or_default());
                    shown.extend(
                        after
                            .strip_prefix(&before)
                            .into_iter()
                            .flat_map(|rest| rest.split(' '))
                            .filter(|rest| !rest.is_empty())
                            .map(OsString::from),
                    );
                    line = longer;
                }
                Became::Idle => {}
                Became::Lost(why) => lost.push((typed.name.clone(), why)),
            }
        }
        let takes_it = shown.iter().any(|word| word == "--dry-run" || word == "--plan") || is_in_sandbox(&shown);
        let writes = VerbTraits::of(here).is_some_and(VerbTraits::writes);
        let unrehearsed = (writes && !takes_it).then(|| path.join(" "));
        let shown: Vec<_> = shown.iter().map(|word| word.to_string_lossy()).collect();
        Self { command: shown.join(" "), lost, unrehearsed }
    }
}

/// The options of a rehearsal where a command has none of its own.
const SANDBOX: &str = "--profile sandbox";

fn is_in_sandbox(line: &[OsString]) -> bool {
    line.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == "sandbox")
}

/// What becomes of an option in the command of this path.
fn became(root: &Command, path: &[&str], line: &[OsString], typed: &Typed) -> Became {
    let here = at(root, path);
    if is_rehearsal(typed) && is_in_sandbox(line) {
        return Became::Idle;
    }
    let mut ours = match in_our_words(root, path, typed) {
        Ok(ours) => ours,
        Err(became) => return became,
    };
    let name = name_of(&ours);
    if has(root, here, line, &name) {
        return Became::Idle;
    }
    let needs_value =
        [here, root].into_iter().flat_map(Command::get_arguments).any(|arg| takes_next(arg, name.as_ref()));
    match (needs_value && ours.len() == 1 && !ours[0].to_string_lossy().contains('='), &typed.joined, &typed.next) {
        (true, Some(value), _) => ours.push(value.into()),
        (true, None, Some(value)) => ours.push(value.clone()),
        (false, Some(value), _) if is_no(value) => return Became::Idle,
        (false, Some(_), _) if !needs_value => ours = vec![name.into()],
        _ => {}
    }
    let longer = [line, &ours].concat();
    let before = root.clone().try_get_matches_from(line).err();
    let Err(error) = root.clone().try_get_matches_from(&longer) else { return Became::Kept(ours) };
    let is_refused = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    match other_value(root, &error).filter(|_| is_refused) {
        // What is missing or a placeholder was so before.
        _ if before.is_some_and(|before| before.kind() == error.kind() && is_about_the_same(&before, &error)) => {
            Became::Kept(ours)
        }
        Some(hint) => match meant(&hint).map(|(ours, _)| ours.split(' ').map(OsString::from).collect::<Vec<_>>()) {
            Some(ours) if ours.len() > 1 => once(root, here, line, ours),
            Some(value) => Became::Kept([&ours[..1], &value].concat()),
            None => Became::Lost(hint),
        },
        None if is_refused => Became::Lost(format!("{} takes no such value", typed.name)),
        None => no_option(path, typed),
    }
}

/// An option as the command of this path has it, without its value; or what becomes of one that it has not.
fn in_our_words(root: &Command, path: &[&str], typed: &Typed) -> Result<Vec<OsString>, Became> {
    let (here, lost) = (at(root, path), no_option(path, typed));
    let option = typed.joined.as_ref().map_or_else(|| typed.name.clone(), |value| format!("{}={value}", typed.name));
    let alone: Vec<OsString> =
        std::iter::once("assessctl").chain(path.iter().copied()).chain([option.as_str()]).map(OsString::from).collect();
    let with_next = alone.iter().cloned().chain(typed.next.clone()).collect();
    let ours = translated(root, with_next);
    let mut ours: Vec<OsString> = ours.into_iter().skip(path.len() + 1).collect();
    if typed.next.is_some() {
        ours.pop();
    }
    let name = name_of(&ours);
    let value = typed.joined.clone().or_else(|| typed.next.as_ref()?.to_str().map(str::to_owned));
    let by_value =
        value.filter(|_| !knows(root, here, &name)).and_then(|value| by_value(root, path, &alone, &name, &value));
    if let Some(ours) = by_value.as_deref().and_then(in_place) {
        return Ok(typed_words(ours));
    }
    if !knows(root, here, &name) {
        match argument(root, path, &[&alone[..=path.len()], &ours].concat(), &name) {
            Some(hint) if hint.starts_with("leave it out") => return Err(Became::Idle),
            Some(hint) if hint.ends_with(ALL_HAVE) => return Err(lost),
            Some(hint) => match meant(&hint).filter(|(ours, _)| ours.starts_with('-')) {
                // Where it can be rehearsed is said of all that it does.
                Some((SANDBOX, _)) => return Err(lost),
                Some((words, _)) => ours = words.split(' ').map(OsString::from).collect(),
                None => return Err(Became::Lost(format!("{}: {hint}", typed.name))),
            },
            None => return Err(lost),
        }
        if ours.len() > 1
            && ours.last().is_some_and(|last| last.to_string_lossy().chars().all(|c| c.is_ascii_uppercase()))
        {
            ours.pop();
        }
    }
    Ok(ours)
}

fn no_option(path: &[&str], typed: &Typed) -> Became {
    Became::Lost(format!("{} is no option of {}", typed.name, path.join(" ")))
}

/// What becomes of an option that another one stands for, which the line may have.
fn once(root: &Command, here: &Command, line: &[OsString], ours: Vec<OsString>) -> Became {
    if has(root, here, line, &name_of(&ours)) { Became::Idle } else { Became::Kept(ours) }
}

/// Whether a line has this option, by either of its names.
fn has(root: &Command, here: &Command, line: &[OsString], option: &str) -> bool {
    let mut arguments = [here, root].into_iter().flat_map(Command::get_arguments);
    let Some(arg) = arguments.find(|arg| is_called(arg, option)) else { return false };
    line.iter().any(|word| word.to_string_lossy().split('=').next().is_some_and(|name| is_called(arg, name)))
}

fn is_about_the_same(one: &clap::Error, other: &clap::Error) -> bool {
    let [one, other] = [one, other].map(|error| error.get(ContextKind::InvalidArg).map(ToString::to_string));
    one == other
}

/// What is said of a value that an option refuses.
fn other_value(root: &Command, error: &clap::Error) -> Option<String> {
    let [option, value] = [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    });
    let (option, value) = (option?.split(' ').next()?, value?);
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(known)) => choice(root, option, value, known),
        _ => time(option, value),
    }
}

fn name_of(ours: &[OsString]) -> String {
    let first = ours.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    first.split('=').next().unwrap_or_default().to_owned()
}

/// Whether a word of a hint stands for any one person.
fn is_one(word: &OsString) -> bool {
    const ONE: [&str; 5] = ["ref:REFERENCE_ID", "email:ADDRESS", "id:ENTRY_ID", "id:NUMBER", "REFERENCE_ID"];
    ONE.iter().any(|one| word == one)
}

/// The command with the people of the line in place of the one that it names, or of none.
fn with_people(root: &Command, here: &Command, words: &[OsString], whom: &Whom) -> Vec<OsString> {
    let takes = here.get_positionals().next().and_then(|arg| Some(arg.get_value_names()?.first()?.to_string()));
    let people: Vec<OsString> = match takes.as_deref() {
        Some("TEST_TAKER") => whom.people.iter().map(OsString::from).collect(),
        Some("REFERENCE_ID") => whom.people.iter().map(|_| "REFERENCE_ID".into()).collect(),
        _ => Vec::new(),
    };
    let is_named = |place: &usize| {
        let is_person = is_one(&words[*place]) || shown(&words[*place].to_string_lossy()).starts_with("id:");
        is_person && words[*place - 1] != "--reference-id"
    };
    let named: Vec<usize> = (1..words.len()).filter(is_named).collect();
    let is_other =
        ["--file", "--all", "--ids-from", "--email"].iter().any(|option| words.iter().any(|word| word == option));
    // One who stands in a hint by itself is any of those whom the line names; several are the line's already.
    let are_named = named.len() > 1 || named.first().is_some_and(|place| !is_one(&words[*place]));
    if people.is_empty() || is_other || are_named {
        return words.to_vec();
    }
    let place = named.first().copied();
    let named = match place {
        Some(place) => [&words[..place], &people, &words[place + 1..]].concat(),
        None => [words, &people].concat(),
    };
    let is_taken = root.clone().try_get_matches_from(&named).is_ok() || place.is_none();
    if is_taken || root.clone().try_get_matches_from(words).is_err() { named } else { words.to_vec() }
}

/// How a hint names the project that people move to.
const OTHER: &str = "-p OTHER";
/// How a hint begins about a command that would wait.
const NO_WAITING: &str = "nothing waits here";
/// Options that name it; the first names the one that they leave.
const MOVES: [&str; 11] = [
    "--from",
    "--to",
    "--to-project",
    "--into",
    "--target",
    "--dest",
    "--destination",
    "--target-project",
    "--in",
    "--new-project",
    "--into-project",
];

/// The hint with the projects that a line names between which people move.
fn with_projects(words: &[OsString], hint: &str) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let mut hint = hint.to_owned();
    for (place, word) in words.iter().enumerate().filter(|_| hint.contains(OTHER)).collect::<Vec<_>>() {
        let (name, joined) = word.split_once('=').map_or((word.as_ref(), None), |(name, value)| (name, Some(value)));
        let value = joined.or_else(|| words.get(place + 1).map(AsRef::as_ref)).map(shell_word);
        let Some(value) = value.filter(|value| MOVES.contains(&name) && may_be_a_project(value) && !is_file(value))
        else {
            continue;
        };
        if name == "--from" {
            for verb in ["get ", "remove ", "list "] {
                hint = hint.replace(&format!("testtakers {verb}"), &format!("testtakers {verb}-p {value} "));
            }
        } else {
            hint = hint.replace(OTHER, &format!("-p {value}"));
        }
    }
    hint
}

/// What is said of a line that changes a person by a piece of JSON, as other programs do.
pub fn patched(words: &[OsString]) -> Option<&'static str> {
    const SETS: [&str; 6] = ["-p", "--patch", "-d", "--data", "--json", "--set"];
    const NAMES: &str = "`assessctl testtakers update ref:REFERENCE_ID --first-name NAME` sets a name; --last-name and --reference-id set the others";
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy().to_lowercase()).collect();
    let changes = words.iter().any(|word| ["patch", "edit", "update", "modify", "change"].contains(&word.as_str()));
    let is_about_people = words.iter().any(|word| word == "testtakers");
    let json = words.windows(2).find(|pair| SETS.contains(&pair[0].as_str()) && pair[1].starts_with('{'))?[1].as_str();
    match FIXED {
        Ours::Say(fixed) if json.contains("mail") || json.contains("birth") => Some(fixed),
        _ => Some(NAMES),
    }
    .filter(|_| changes && is_about_people)
}

/// A hint about commands that read or write a file, with the ones that the line names.
pub fn with_files(words: &[OsString], hint: &str) -> String {
    let words: Vec<_> = words.iter().filter_map(|word| word.to_str()).collect();
    let (mut read, mut written, mut log) = (Vec::new(), Vec::new(), None);
    // What is exported into a file is written, whatever option the file stands behind.
    let exports = words.iter().any(|word| ["export", "download", "dump", "backup", "save"].contains(word));
    for (place, word) in words.iter().enumerate().skip(1) {
        let (option, value) = match word.split_once('=').filter(|(name, _)| name.starts_with("--")) {
            Some((option, value)) => (option, value),
            None => (words[place - 1], *word),
        };
        match () {
            () if option.starts_with("--log") && !value.starts_with('-') => log = Some(value),
            () if is_file(value) && (exports || writes(option)) => written.push(value),
            () if is_file(value) => read.push(value),
            () => {}
        }
    }
    let (mut said, mut before) = (Vec::new(), "");
    for word in hint.split(' ') {
        let bare = word.trim_end_matches(['`', ',', '?']);
        let is_read = !before.starts_with("--") || matches!(before, "--file" | "--ids-from");
        let file = match (bare, read.as_slice(), written.as_slice()) {
            ("FILE" | "FILE.csv", [file], _) if is_read => Some(*file),
            ("FILE" | "FILE.csv", _, [file]) if before == "--to" => Some(*file),
            ("FILE.log", _, _) => log,
            _ => None,
        };
        said.push(file.map_or_else(|| word.to_owned(), |file| word.replacen(bare, &shell_word(file), 1)));
        before = word.trim_start_matches('`');
    }
    said.join(" ")
}
