//! Words that are too many in a line, and options that the command has not: what was probably meant by them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::commands::shared::people_filters::by_result;
use crate::commands::shared::verb_traits::{CommandEffect, VerbTraits};
use crate::commands::shell::argv::{at, knows, path, takes_next};
use crate::commands::shell::conditions::with_search;
use crate::commands::shell::foreign_options::{OPTIONS, REHEARSALS};
use crate::commands::shell::foreign_words::{ALL_HAVE, NO_COMMAND, Ours, entry};
use crate::commands::shell::line_to_type::{lacks_hyphens, line_to_type, name_of_option, with_prefixes};
use crate::commands::shell::unknown_options::{by_value, takes_people, without_option};
use crate::commands::shell::value_hints::{choice, is_amount, is_file};
use crate::commands::shell::whom::{is_person, shown};
use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;

/// What is said of a second name behind `projects link`: most often the picture that was to be written.
pub const PICTURE: &str = "name the project once; with --qr `--to FILE.svg` writes the picture";

/// Options of other programs that begin in the middle of a list.
const CURSORS: [&str; 7] = [
    "--page-token",
    "--next-token",
    "--starting-token",
    "--cursor",
    "--start-cursor",
    "--starting-after",
    "--ending-before",
];
/// What is said of a rehearsal of what changes nothing.
const LOOKS_ALONE: &str = "leave it out: nothing is changed at the service";
const QUOTES: &str = "leave out what is too many, or quote the value with spaces that it belongs to";

/// A hint about a word that is too many, or an option that the command has not.
pub fn argument(root: &Command, path: &[&str], words: &[OsString], word: &str) -> Option<String> {
    let here = at(root, path);
    if !word.starts_with('-') {
        return Some(stray_word(root, path, words, word));
    }
    let name = word.split('=').next().unwrap_or(word);
    if knows(root, here, name) {
        return Some(format!("write `{word}` after `{}`", path.join(" ")));
    }
    match VerbTraits::of(here).map(|traits| traits.effect).filter(|_| REHEARSALS.contains(&name)) {
        Some(CommandEffect::Read) => return Some(without(root, words, &[name], LOOKS_ALONE.to_owned())),
        Some(effect) if effect == CommandEffect::Local || path[0] == "sandbox" => {
            return Some("nothing rehearses what is done on this machine alone".to_owned());
        }
        _ => {}
    }
    let value = value_behind(words, word);
    let result = value.as_ref().filter(|_| BY_RESULT.contains(&name) && path.last() != Some(&"remove"));
    if let Some(value) = result.filter(|_| matches!(path, ["results" | "testtakers", ..])) {
        return Some(by_result(value));
    }
    if let Some(hint) = value.and_then(|value| by_value(root, path, words, name, &value)) {
        return Some(with_search(root, words, name, &hint));
    }
    let said = entry(OPTIONS, path, name, |ours| matches!(ours, Ours::Say(_)) && can_be_typed(root, here, ours));
    match said.or_else(|| entry(OPTIONS, path, name, |ours| can_be_typed(root, here, ours))) {
        Some(Ours::Say(hint)) => Some(without(root, words, &[name], hint.to_owned())),
        Some(Ours::Is(ours)) => Some(format!("did you mean `{}`?", ours.join(" "))),
        None if here.has_subcommands() && !path.is_empty() => {
            let verb = here.find_subcommand("list").or_else(|| here.get_subcommands().next())?.get_name();
            Some(format!("{NO_COMMAND} `assessctl {} {verb}`", path.join(" ")))
        }
        None => without_affix(root, here, name)
            .or_else(|| near_option(root, here, name))
            .filter(|near| takes_value(root, words, word, near))
            .map(|near| format!("did you mean `{near}`?"))
            .or_else(|| what_there_is(here, path)),
    }
}

/// A hint about a word that is too many.
fn stray_word(root: &Command, path: &[&str], words: &[OsString], word: &str) -> String {
    let here = at(root, path);
    match () {
        () if is_file(word) && path == ["testtakers", "enrol"] => {
            "`assessctl testtakers import FILE` enrols everybody in a file".to_owned()
        }
        () if path == ["journal", "show"] => {
            "leave it out: rows are listed by number, without the names that their files have".to_owned()
        }
        () if path == ["config", "init"] => "write --name NAME for the name of the profile".to_owned(),
        () if path == ["projects", "create"] => "one project at a time; quote a name with spaces".to_owned(),
        // Behind -q, as gh has it.
        () if word.starts_with(['.', '[']) && knows(root, root, "--jq") && path.last() == Some(&"list") => {
            let others = words.iter().filter(|other| *other != word && *other != "-q").cloned();
            let line: Vec<OsString> = others.chain(["--jq".into(), word.into()]).collect();
            let line = line_to_type(root, &line).unwrap_or_else(|| format!("assessctl {} --jq EXPR", path.join(" ")));
            format!("did you mean `{line}`?")
        }
        () if is_behind_a_flag(root, here, words, word) => "a flag takes no value: it is given or left out".to_owned(),
        () if path == ["sandbox", "set"] => "a result stands after --result, such as --result HighRisk".to_owned(),
        () if path == ["projects", "link"] => PICTURE.to_owned(),
        // What stands where the file belongs is none: it was taken for one.
        () if is_file(word) && is_only_file(words) && takes_file(here) && knows(root, here, "--project") => {
            "name the project with -p: `-p NAME_OR_ID`".to_owned()
        }
        () if is_file(word) && here.get_positionals().next().is_some() => "name one file at a time".to_owned(),
        () if path == ["results", "report"] && word.contains('.') => "`--to FILE.html` writes the page".to_owned(),
        () if is_file(word) => "`--to FILE` writes into a file".to_owned(),
        () if word.contains('@') && knows(root, here, "--email") => "use --email ADDRESS".to_owned(),
        () if lacks_hyphens(root, here, word) => "two hyphens begin an option: --OPTION VALUE".to_owned(),
        () if path == ["testtakers", "enrol"] => "use --first-name NAME and --last-name NAME".to_owned(),
        () if path == ["results", "list"] && is_person(word) => {
            "did you mean `assessctl results get REFERENCE_ID`?".to_owned()
        }
        () if path == ["testtakers", "list"] && is_person(word) => {
            format!("did you mean `assessctl testtakers get {}`?", shown(word))
        }
        () if path == ["testtakers", "update"] && is_person(word) => {
            "one person at a time; `assessctl testtakers update --file FILE` changes many".to_owned()
        }
        () if knows(root, here, "--project") && !names_a_project(words) => in_a_project(root, words, word),
        () if path.last() == Some(&"list") && knows(root, here, "--filter") => {
            format!("`assessctl {} --filter TEXT` searches", path.join(" "))
        }
        () if here.get_positionals().next().is_none() => {
            "leave it out, or quote the value with spaces that it belongs to".to_owned()
        }
        () => QUOTES.to_owned(),
    }
}

/// The options that a command has of its own, without those for a file of people where they are many.
fn what_there_is(here: &Command, path: &[&str]) -> Option<String> {
    let own = here.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set() && !arg.is_positional());
    let own: Vec<&Arg> = own.filter(|arg| arg.get_long().is_some_and(|long| long != "help")).collect();
    let is_long = own.len() > 16;
    let shown = own.into_iter().filter(|arg| !is_long || arg.get_help_heading() != Some("Many at once"));
    let names: Vec<String> = shown.map(name_of_option).collect();
    let all = ALL_HAVE;
    match (path.join(" "), names.join(", ")) {
        (path, _) if path.is_empty() => None,
        (path, names) if names.is_empty() => Some(format!("{path} has no options of its own, and {all}")),
        (path, names) => Some(format!("the options of {path} are {names}, and {all}")),
    }
}

/// What stands behind an option, or behind its equals sign.
fn value_behind(words: &[OsString], typed: &str) -> Option<String> {
    let name = typed.split('=').next().unwrap_or(typed);
    let mut words = words.iter().map(|word| word.to_string_lossy());
    let word = words.find(|word| word.split('=').next() == Some(name))?;
    match word.split_once('=') {
        Some((_, value)) => Some(value.to_owned()),
        None => words.next().filter(|next| !next.starts_with('-')).map(Cow::into_owned),
    }
}

/// Options of other programs that choose people by their result.
const BY_RESULT: [&str; 7] = ["--status", "--result", "--results", "--state", "--risk", "--risk-level", "--level"];

/// Whether an option of ours takes the value that stands behind the foreign one: if not, something else was meant.
fn takes_value(root: &Command, words: &[OsString], typed: &str, ours: &str) -> bool {
    let value = typed.split_once('=').map(|(_, value)| value);
    let ours = value.map_or_else(|| ours.to_owned(), |value| format!("{ours}={value}"));
    let meant: Vec<OsString> =
        words.iter().map(|word| if word == typed { OsString::from(&ours) } else { word.clone() }).collect();
    let Err(error) = root.clone().try_get_matches_from(meant) else { return true };
    let refused =
        matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation | ErrorKind::TooManyValues);
    let about = error.get(ContextKind::InvalidArg).map(ToString::to_string).unwrap_or_default();
    // A value that is a slip of its own is told next.
    let has_hint =
        std::error::Error::source(&error).and_then(|own| own.downcast_ref::<Failure>()?.hint.as_ref()).is_some();
    let is_near = match (error.get(ContextKind::ValidValue), error.get(ContextKind::InvalidValue)) {
        (Some(ContextValue::Strings(known)), Some(ContextValue::String(value))) => {
            choice(root, ours.split('=').next().unwrap_or_default(), value, known).is_some()
        }
        _ => false,
    };
    has_hint || is_near || !refused || !about.split(' ').next().is_some_and(|option| ours.starts_with(option))
}

/// Whether the word before this one is an option without a value.
fn is_behind_a_flag(root: &Command, here: &Command, words: &[OsString], word: &str) -> bool {
    let before = words.iter().position(|typed| typed == word).and_then(|place| words.get(place.checked_sub(1)?));
    before.and_then(|before| before.to_str()).is_some_and(|before| {
        ["true", "false", "yes", "no", "on", "off", "0", "1"].contains(&word)
            && before.starts_with("--")
            && knows(root, here, before)
    })
}

fn names_a_project(words: &[OsString]) -> bool {
    let mut words = words.iter().filter_map(|word| word.to_str());
    words.any(|word| word.starts_with("-p") || word.starts_with("--project"))
}

/// How a project is named that stands by itself.
fn in_a_project(root: &Command, words: &[OsString], word: &str) -> String {
    let Some(place) = words.iter().position(|typed| typed == word) else { return QUOTES.to_owned() };
    let named = [&words[..place], &["-p".into(), "NAME_OR_ID".into()], &words[place + 1..]].concat();
    match line_to_type(root, &named) {
        Some(line) => format!("name a project with -p: `{line}`; quote values with spaces"),
        None => QUOTES.to_owned(),
    }
}

/// Whether what is said can be typed here: the option that it begins with is one of the command.
fn can_be_typed(root: &Command, here: &Command, ours: Ours) -> bool {
    let option = match ours {
        Ours::Is(words) => words.first().copied(),
        Ours::Say(hint) => hint.split('`').nth(1).filter(|typed| typed.starts_with('-') && typed.len() > 1),
    };
    option.and_then(|option| option.split(' ').next()).is_none_or(|option| knows(root, here, option))
}

/// Whether any command has this option.
fn is_elsewhere(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(long))
        || command.get_subcommands().any(|below| is_elsewhere(below, long))
}

/// An option with a word more than ours, such as `--report-file`.
fn without_affix(root: &Command, here: &Command, word: &str) -> Option<String> {
    const BEHIND: [&str; 5] = ["-file", "-only", "-path", "-to", "-out"];
    const BEFORE: [&str; 3] = ["--only-", "--with-", "--show-"];
    let shorter = BEHIND.iter().filter_map(|affix| word.strip_suffix(affix)).map(str::to_owned);
    let rest = BEFORE.iter().filter_map(|affix| word.strip_prefix(affix)).map(|rest| format!("--{rest}"));
    shorter.chain(rest).find(|option| option.len() > 2 && knows(root, here, option))
}

/// An option that is a slip of the hand away. A beginning alone is no slip where several options begin so.
fn near_option(root: &Command, here: &Command, word: &str) -> Option<String> {
    let known: Vec<&str> =
        [here, root].into_iter().flat_map(Command::get_arguments).filter_map(Arg::get_long).collect();
    let typed = word.trim_start_matches('-');
    // What another command of ours has is no slip of the hand, nor is a word of other programs.
    if is_elsewhere(root, typed) {
        return None;
    }
    let is_theirs = OPTIONS.iter().any(|(_, theirs, _)| theirs.split(", ").any(|it| it == word));
    let beginning = known.iter().filter(|long| long.starts_with(typed)).collect::<BTreeSet<_>>();
    let near = nearest(typed, known.iter().copied()).filter(|near| !is_theirs || near.starts_with(typed));
    let near = near.filter(|_| word.starts_with("--") && beginning.len() < 2)?;
    Some(format!("--{near}"))
}

/// Whether a file stands by itself in a command's line.
fn takes_file(here: &Command) -> bool {
    here.get_positionals().any(|arg| arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == "FILE")))
}

/// Whether a line names a single file.
fn is_only_file(words: &[OsString]) -> bool {
    words.iter().filter(|word| is_file(&word.to_string_lossy())).count() == 1
}

/// The same hint with the line that is left without an option, where the program takes that.
pub fn without(root: &Command, words: &[OsString], called: &[&str], hint: String) -> String {
    if !hint.starts_with("leave it out") {
        return hint;
    }
    let mut names = words.iter().map(|word| word.to_str().and_then(|word| word.split('=').next()));
    let Some(place) = names.position(|name| name.is_some_and(|name| called.contains(&name))) else { return hint };
    // The next word may be the option's value.
    let has_value = words.get(place + 1).is_some_and(|next| !next.to_string_lossy().starts_with('-'));
    let is_amount = words.get(place + 1).is_some_and(|next| is_amount(&next.to_string_lossy()));
    // An option that has a value in any of our commands has it here as well.
    let has_its_value = words.get(place).is_some_and(|option| takes_value_somewhere(root, option));
    // A word that is hardly a person is none because the option before it is left out.
    let here = at(root, &path(root, words));
    let next = words.get(place + 1).map(|next| next.to_string_lossy()).unwrap_or_default();
    let is_text = takes_people(here) && !is_person(&next);
    let counts = if is_amount || has_its_value || is_text { [2, 1] } else { [1, 2] };
    // A part of the list was wanted by its place: the first of all are another one.
    let limits = if CURSORS.contains(&words[place].to_string_lossy().split('=').next().unwrap_or_default()) {
        ["--limit", "--limit"]
    } else {
        ["", ""]
    };
    let left = counts.into_iter().filter(|count| *count == 1 || has_value).filter_map(|count| {
        let rest = words.get(place + count..)?;
        let line = without_option(root, &[&words[..place], rest].concat(), limits, "");
        line_to_type(root, &with_prefixes(root, &line))
    });
    match left.into_iter().next() {
        Some(line) => format!("{hint} (`{line}`)"),
        None => hint,
    }
}

/// Whether a word is an option with its value in the word after it, in the program or any of its commands.
fn takes_value_somewhere(command: &Command, word: &OsStr) -> bool {
    command.get_arguments().any(|arg| takes_next(arg, word))
        || command.get_subcommands().any(|command| takes_value_somewhere(command, word))
}
