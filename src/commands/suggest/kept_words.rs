//! What a hint keeps of a line that could not be read: its people, files and options, and that it was a rehearsal.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::commands::shared::verb_traits::VerbTraits;
use crate::commands::shell::argv::{Part, TypedLine, is_called, is_one_of, is_option, named};
use crate::commands::suggest::edits::is_placeholder;
use crate::commands::suggest::expressions::typed_words;
use crate::commands::suggest::first_hint::is_no;
use crate::commands::suggest::foreign_options::{IN_SANDBOX, REHEARSALS};
use crate::commands::suggest::foreign_words::{FIXED, INVITE, NO_MAIL, RESEND, TO_REMIND, WAITS};
use crate::commands::suggest::line_to_type::{PERSON, shown_line, with_ending};
use crate::commands::suggest::people::{Whom, shown};
use crate::commands::suggest::placeholders::{MOVES, OTHER, with_files, with_projects};
use crate::commands::suggest::suggestion::{Edit, Suggestion, option_of, said, say};
use crate::commands::suggest::translation::translated;
use crate::commands::suggest::unknown_arguments::unknown_option;
use crate::commands::suggest::values::{choice, time};

/// Options that are repeated elsewhere, or say how a run talks, or what was said to be wrong with a file.
const NEVER: &str = "-p --project --profile --errors --color --colour --no-color --help -h --file -f --ids-from --all -a \
    --email --status --max-rate";

/// An option as it was typed.
struct Typed {
    name: String,
    joined: Option<String>,
    /// The word behind it, which may be its value.
    next: Option<OsString>,
}

impl Typed {
    fn is_rehearsal(&self) -> bool {
        is_one_of(REHEARSALS, &self.name) && !self.joined.as_deref().is_some_and(is_no)
    }
}

/// What became of an option in another command.
enum Became {
    Kept(Vec<OsString>),
    /// It says nothing there.
    Idle,
    /// It cannot be kept, and why.
    Lost(Loss),
}

/// Why an option is lost.
enum Loss {
    /// What it is, or does.
    Is(String),
    /// Something else is suggested in its place.
    Hint(String),
    /// Something else is suggested in place of its value.
    Value(String),
}

impl Loss {
    fn told(self, name: &str, hint: &str) -> String {
        match self {
            Self::Is(what) => format!("{name} {what}"),
            // What the hint says anyway is not said again.
            Self::Hint(other) if hint.contains(&other) => format!("{name} is left out"),
            Self::Hint(other) => format!("{name}: {other}"),
            Self::Value(other) => other,
        }
    }
}

/// What a suggestion says, with what its commands have to keep of the line; `wrong` is the word or the option that it is about.
pub fn with_kept(line: &TypedLine<'_, '_>, wrong: Option<&str>, hint: &Suggestion) -> String {
    let text = with_files(line.words, &hint.to_string());
    if matches!(hint.edit, Edit::LeaveOut(_)) {
        return text;
    }
    let wrong = wrong.map(|wrong| wrong.split(['=', ' ']).next().unwrap_or(wrong));
    let whom = Whom::of(line, wrong);
    // An option is not wrong where the command is missing.
    let wrong = wrong.filter(|_| !matches!(hint.edit, Edit::AddCommand(_)));
    let mut typed = typed(line);
    // What names the other project is no option of what is done in this one, and how long to wait is no time of a request.
    typed.retain(|typed| {
        Some(typed.name.as_str()) != wrong
            && !(text.contains(OTHER) && is_one_of(MOVES, &typed.name))
            && !(*hint == WAITS && typed.name == "--timeout")
    });
    let rehearses = typed.iter().any(Typed::is_rehearsal);
    let (mut lost, mut unrehearsed, mut parts) = (None::<Vec<(String, Loss)>>, None, Vec::new());
    for (place, part) in text.split('`').enumerate() {
        if place % 2 == 0 || !part.starts_with("assessctl ") {
            parts.push(part.to_owned());
            continue;
        }
        let (first, rest) = part.split_at(part.find(" |").unwrap_or(part.len()));
        let kept = Kept::of(line.root, first, &typed, &whom);
        unrehearsed = unrehearsed.or(kept.unrehearsed.filter(|_| rehearses));
        // What one of several commands keeps is not lost.
        lost = Some(match lost {
            None => kept.lost,
            Some(lost) => lost.into_iter().filter(|(name, _)| kept.lost.iter().any(|(it, _)| it == name)).collect(),
        });
        parts.push(with_ending(&kept.command) + rest);
    }
    let text = with_projects(line.words, &parts.join("`"));
    let mut remarks: Vec<String> = Vec::new();
    if let Some(path) = &unrehearsed {
        remarks.push(format!("{path} has no --dry-run: `--profile sandbox` rehearses"));
    }
    let leads_on = matches!(hint.edit, Edit::Command(_) | Edit::AddCommand(_))
        || hint.remark.starts_with("`assessctl ")
        || [NO_MAIL, TO_REMIND, RESEND, INVITE, WAITS].contains(hint);
    let lost = lost.filter(|_| leads_on).unwrap_or_default().into_iter();
    let lost = lost.filter(|(name, _)| unrehearsed.is_none() || !is_one_of(REHEARSALS, name));
    remarks.extend(lost.take(2).map(|(name, loss)| loss.told(&name, &text)));
    if remarks.is_empty() { text } else { format!("{text}; {}", remarks.join("; ")) }
}

/// The options of a line that a hint may lose.
fn typed(line: &TypedLine<'_, '_>) -> Vec<Typed> {
    let mut all = Vec::new();
    for (place, (word, part)) in line.words.iter().zip(&line.parts).enumerate().skip(1) {
        if word == "--" {
            break;
        }
        let text = word.to_string_lossy();
        let (name, joined) = named(&text);
        let next = line.words.get(place + 1).filter(|next| *next != "--");
        // A project of another program's word for a move.
        let is_place = name == "--to" && next.is_some_and(|next| !next.to_string_lossy().contains(['.', '/', '-']));
        let is_kept_elsewhere = is_one_of(NEVER, name) || name.starts_with("-p");
        if *part == Part::Other && is_option(name) && !is_place && !is_kept_elsewhere {
            let next = next.filter(|next| !is_option(&next.to_string_lossy())).cloned();
            all.push(Typed { name: name.to_owned(), joined: joined.map(str::to_owned), next });
        }
    }
    all
}

/// A command of a hint with what it keeps.
struct Kept {
    command: String,
    lost: Vec<(String, Loss)>,
    /// Its words, where it changes what the service holds and does not take that it is a rehearsal.
    unrehearsed: Option<String>,
}

impl Kept {
    fn of(root: &Command, command: &str, typed: &[Typed], whom: &Whom) -> Self {
        let as_it_is = Self { command: command.to_owned(), lost: Vec::new(), unrehearsed: None };
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        let line = TypedLine::of(root, &words);
        let is_help = line.path == ["help"] || line.has(&["--help"]);
        if line.here.has_subcommands() || command.contains(['\'', '"']) || is_help {
            return as_it_is;
        }
        let named = with_people(&line, whom);
        let Some((mut line_words, mut before)) = [named, words.clone()]
            .into_iter()
            .find_map(|words| Some((words.clone(), shown_line(&TypedLine::of(root, &words))?)))
        else {
            return as_it_is;
        };
        let (mut shown, mut lost) = (line_words.clone(), Vec::new());
        for typed in typed {
            match became(&TypedLine::of(root, &line_words), typed) {
                Became::Kept(ours) => {
                    line_words.extend(ours);
                    let after = shown_line(&TypedLine::of(root, &line_words)).unwrap_or_default();
                    let added = after.strip_prefix(&before).unwrap_or_default().split(' ');
                    shown.extend(added.filter(|word| !word.is_empty()).map(OsString::from));
                    before = after;
                }
                Became::Idle => {}
                Became::Lost(why) => lost.push((typed.name.clone(), why)),
            }
        }
        let takes_it = shown.iter().any(|word| word == "--dry-run" || word == "--plan") || is_in_sandbox(&shown);
        let writes = VerbTraits::of(line.here).is_some_and(VerbTraits::writes);
        let shown: Vec<_> = shown.iter().map(|word| word.to_string_lossy()).collect();
        Self { command: shown.join(" "), lost, unrehearsed: (writes && !takes_it).then(|| line.command()) }
    }
}

fn is_in_sandbox(words: &[OsString]) -> bool {
    words.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == "sandbox")
}

/// What becomes of an option in the command of this line.
fn became(line: &TypedLine<'_, '_>, typed: &Typed) -> Became {
    if typed.is_rehearsal() && is_in_sandbox(line.words) {
        return Became::Idle;
    }
    let mut ours = match in_our_words(line, typed) {
        Ok(ours) => ours,
        Err(became) => return became,
    };
    let first = ours.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let (name, joined) = named(&first);
    if has(line, name) {
        return Became::Idle;
    }
    let needs_value = line.takes_next(name.as_ref());
    match (needs_value && ours.len() == 1 && joined.is_none(), &typed.joined, &typed.next) {
        (true, Some(value), _) => ours.push(value.into()),
        (true, None, Some(value)) => ours.push(value.clone()),
        (false, Some(value), _) if is_no(value) => return Became::Idle,
        (false, Some(_), _) if !needs_value => ours = vec![name.into()],
        _ => {}
    }
    let longer = [line.words, &ours].concat();
    let Err(error) = line.root.clone().try_get_matches_from(&longer) else { return Became::Kept(ours) };
    let before = line.root.clone().try_get_matches_from(line.words).err();
    let is_refused = matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation);
    match other_value(line, &error).filter(|_| is_refused) {
        // What is missing or a placeholder was so before.
        _ if before.is_some_and(|before| before.kind() == error.kind() && is_about_the_same(&before, &error)) => {
            Became::Kept(ours)
        }
        Some(Suggestion { edit: Edit::Value(value), .. }) => match typed_words(&value) {
            // Other options in place of this one, which the line may have.
            others if others.len() > 1 && has(line, &others[0].to_string_lossy()) => Became::Idle,
            others if others.len() > 1 => Became::Kept(others),
            value => Became::Kept([&ours[..1], &value].concat()),
        },
        Some(hint) => Became::Lost(Loss::Value(hint.to_string())),
        None if is_refused => Became::Lost(Loss::Is("takes no such value".to_owned())),
        None => Became::Lost(no_option(line)),
    }
}

/// An option as the command of this line has it, without its value; or what becomes of one that it has not.
fn in_our_words(line: &TypedLine<'_, '_>, typed: &Typed) -> Result<Vec<OsString>, Became> {
    let option = typed.joined.as_ref().map_or_else(|| typed.name.clone(), |value| format!("{}={value}", typed.name));
    let command: Vec<OsString> =
        std::iter::once("assessctl").chain(line.path.iter().copied()).map(OsString::from).collect();
    let typed_line = [command.as_slice(), &[option.into()], typed.next.as_slice()].concat();
    let alone = translated(line.root, typed_line);
    let mut ours = alone[command.len()..alone.len() - typed.next.iter().len()].to_vec();
    let first = ours.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    let name = named(&first).0;
    if line.knows(name) {
        return Ok(ours);
    }
    let alone = [&command, &ours[..], typed.next.as_slice()].concat();
    match unknown_option(&TypedLine::of(line.root, &alone), name) {
        Some(Suggestion { edit: Edit::Replace { ours, .. }, .. }) => return Ok(typed_words(&ours)),
        Some(Suggestion { edit: Edit::LeaveOut(_), .. }) => return Err(Became::Idle),
        // Where it can be rehearsed is said of all that it does.
        Some(hint) if hint == IN_SANDBOX => return Err(Became::Lost(no_option(line))),
        Some(Suggestion { edit: Edit::Option(words), .. }) => ours = words.split(' ').map(OsString::from).collect(),
        Some(Suggestion { edit: Edit::Same(words), .. }) => ours = words.iter().map(OsString::from).collect(),
        Some(hint) => return Err(Became::Lost(Loss::Hint(hint.to_string()))),
        None => return Err(Became::Lost(no_option(line))),
    }
    if ours.len() > 1 && ours.last().and_then(|last| last.to_str()).is_some_and(is_placeholder) {
        ours.pop();
    }
    Ok(ours)
}

fn no_option(line: &TypedLine<'_, '_>) -> Loss {
    Loss::Is(format!("is no option of {}", line.command()))
}

/// Whether a line has this option, by either of its names.
fn has(line: &TypedLine<'_, '_>, option: &str) -> bool {
    let arg = line.arguments().find(|arg| is_called(arg, option));
    arg.is_some_and(|arg| line.words.iter().any(|word| is_called(arg, named(&word.to_string_lossy()).0)))
}

fn is_about_the_same(one: &clap::Error, other: &clap::Error) -> bool {
    let [one, other] = [one, other].map(|error| error.get(ContextKind::InvalidArg).map(ToString::to_string));
    one == other
}

/// What is said of a value that an option refuses.
fn other_value(line: &TypedLine<'_, '_>, error: &clap::Error) -> Option<Suggestion> {
    let (option, value) = (option_of(error)?, said(error, ContextKind::InvalidValue)?);
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(known)) => choice(line.root, option, value, known),
        _ => time(option, value),
    }
}

/// The command with the people of the line in place of the one that it names, or of none.
fn with_people(line: &TypedLine<'_, '_>, whom: &Whom) -> Vec<OsString> {
    let words = line.words;
    let people: Vec<OsString> = match line.operand() {
        Some(PERSON) => whom.people.iter().map(OsString::from).collect(),
        Some("REFERENCE_ID") => whom.people.iter().map(|_| "REFERENCE_ID".into()).collect(),
        _ => Vec::new(),
    };
    let named = words.iter().enumerate().skip(1).filter(|(place, word)| {
        let is_person = is_any_person(word) || shown(&word.to_string_lossy()).starts_with("id:");
        is_person && words[place - 1] != "--reference-id"
    });
    let named: Vec<usize> = named.map(|(place, _)| place).collect();
    let has_others = line.has(&["--file", "--all", "--ids-from", "--email"]);
    // A single person in a hint is any of those that the line names; several are the line's already.
    let are_named = named.len() > 1 || named.first().is_some_and(|place| !is_any_person(&words[*place]));
    if people.is_empty() || has_others || are_named {
        return words.to_vec();
    }
    let Some(place) = named.first() else { return [words, &people].concat() };
    let ours = line.with(*place, 1, &people);
    let [is_taken, was_taken] = [&ours[..], words].map(|words| line.root.clone().try_get_matches_from(words).is_ok());
    if is_taken || !was_taken { ours } else { words.to_vec() }
}

/// Whether a word of a hint stands for any one person.
fn is_any_person(word: &OsString) -> bool {
    is_one_of("ref:REFERENCE_ID email:ADDRESS id:ENTRY_ID id:NUMBER REFERENCE_ID", &word.to_string_lossy())
}

/// What is said of a line that changes a person by a piece of JSON, as other programs do.
pub fn patched(words: &[OsString]) -> Option<Suggestion> {
    const SETS: &str = "-p --patch -d --data --json --set";
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy().to_lowercase()).collect();
    let changes = words.iter().any(|word| is_one_of("patch edit update modify change", word));
    let is_about_people = words.iter().any(|word| word == "testtakers");
    let mut pairs = words.windows(2);
    let json = &pairs.find(|pair| is_one_of(SETS, &pair[0]) && pair[1].starts_with('{'))?[1];
    let ours = if json.contains("mail") || json.contains("birth") {
        FIXED
    } else {
        say(
            "`assessctl testtakers update ref:REFERENCE_ID --first-name NAME` sets a name; --last-name and --reference-id set the others",
        )
    };
    (changes && is_about_people).then_some(ours)
}
