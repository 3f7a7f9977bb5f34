//! Slips: words of other programs and words in the wrong place, and what was probably meant by them.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::commands::shell::argv::{at, path};
use crate::model::near::nearest;

/// What others call our commands.
const COMMANDS: [(&str, &str); 16] = [
    ("add", "enrol"),
    ("delete", "remove"),
    ("del", "remove"),
    ("rm", "remove"),
    ("show", "get"),
    ("view", "get"),
    ("ls", "list"),
    ("edit", "update"),
    ("change", "update"),
    ("new", "create"),
    ("add", "create"),
    ("invite", "issue"),
    ("send", "issue"),
    ("upload", "import"),
    ("validate", "check"),
    ("download", "export"),
];

/// What others call our options.
const OPTIONS: [(&str, &str); 14] = [
    ("--json", "-o json"),
    ("--csv", "-o csv"),
    ("--format", "-o"),
    ("--sort", "--order-by"),
    ("--sort-by", "--order-by"),
    ("--reverse", "--order"),
    ("--columns", "--fields"),
    ("--out", "--to"),
    ("--output-file", "--to"),
    ("--force", "--yes"),
    ("-y", "--yes"),
    ("-f", "--yes"),
    ("--api-key", "--api-key-file"),
    ("--token", "--api-key-file"),
];

/// A hint for a line that could not be read; `root` is the whole program, and `words` begins with its name. `None`
/// where the parser has a better idea, or there is none.
pub fn meant(mut root: Command, words: &[OsString], error: &clap::Error) -> Option<String> {
    root.build();
    let path = path(&root, words);
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let is_known = error.get(ContextKind::SuggestedSubcommand).is_some();
            elsewhere(&root, &path, context(error, ContextKind::InvalidSubcommand)?, is_known)
        }
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue)? {
            ContextValue::Strings(known) => {
                let near = nearest(context(error, ContextKind::InvalidValue)?, known.iter().map(String::as_str))?;
                Some(format!("did you mean `{near}`?"))
            }
            _ => None,
        },
        ErrorKind::UnknownArgument => argument(&root, &path, context(error, ContextKind::InvalidArg)?),
        _ => None,
    }
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// What a word that is no command of this path may mean. `is_known` tells that the parser has an idea, too.
pub fn elsewhere(root: &Command, path: &[&str], word: &str, is_known: bool) -> Option<String> {
    match word {
        "help" => return Some(format!("did you mean {}?", line(&[&["help"], path].concat()))),
        "version" => return Some("did you mean `assessctl --version`?".to_owned()),
        _ => {}
    }
    let ours = COMMANDS.iter().filter(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours);
    let names: Vec<&str> = [word].into_iter().chain(ours).collect();
    let here = at(root, path);
    if let Some(name) = names.iter().find(|name| has(here, name)) {
        return Some(format!("did you mean {}?", line(&[path, &[name]].concat())));
    }
    if path.is_empty() {
        return below_a_noun(root, word, &names);
    }
    let there: Vec<&str> = here.get_subcommands().map(Command::get_name).collect();
    (!is_known).then(|| format!("{} has {}", line(path), there.join(", ")))
}

/// The nouns that have a verb of one of these names, where the noun was left out.
fn below_a_noun(root: &Command, word: &str, names: &[&str]) -> Option<String> {
    let nouns = root.get_subcommands();
    let found = nouns.flat_map(|noun| names.iter().filter(|name| has(noun, name)).map(|name| (noun.get_name(), *name)));
    let found: Vec<(&str, &str)> = found.collect();
    match found.len() {
        0 => None,
        1..=3 => {
            let lines: Vec<String> = found.iter().map(|(noun, name)| line(&[noun, name])).collect();
            Some(format!("did you mean {}?", lines.join(" or ")))
        }
        _ => {
            let nouns: Vec<&str> = found.iter().map(|(noun, _)| *noun).collect();
            Some(format!("`assessctl NOUN {word}`, where NOUN is one of {}", nouns.join(", ")))
        }
    }
}

fn has(command: &Command, name: &str) -> bool {
    command.get_subcommands().any(|found| found.get_name() == name)
}

fn line(words: &[&str]) -> String {
    format!("`assessctl {}`", words.join(" "))
}

fn argument(root: &Command, path: &[&str], word: &str) -> Option<String> {
    let here = at(root, path);
    if !word.starts_with('-') {
        return Some(match () {
            () if word.contains('@') && knows(here, "--email") => "use --email ADDRESS".to_owned(),
            () if knows(here, "--project") => "name a project with -p; quote values with spaces".to_owned(),
            () => "quote values with spaces".to_owned(),
        });
    }
    if knows(here, word) {
        return Some(format!("write `{word}` after `{}`", path.join(" ")));
    }
    let mut ours = OPTIONS.iter().filter(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours);
    let known = ours.find(|ours| ours.split(' ').next().is_some_and(|option| knows(here, option)));
    known.map(|ours| format!("did you mean `{ours}`?"))
}

fn knows(command: &Command, option: &str) -> bool {
    command.get_arguments().any(|arg| is_called(arg, option))
}

fn is_called(arg: &Arg, option: &str) -> bool {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    long.as_deref() == Some(option) || short.as_deref() == Some(option)
}
