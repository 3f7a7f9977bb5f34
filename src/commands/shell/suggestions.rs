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
/// where the parser has a better idea, or nobody has one.
pub fn meant(mut root: Command, words: &[OsString], error: &clap::Error) -> Option<String> {
    root.build();
    let path = path(&root, words);
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let is_known = error.get(ContextKind::SuggestedSubcommand).is_some();
            elsewhere(&root, &path, context(ContextKind::InvalidSubcommand)?, is_known)
        }
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue)? {
            ContextValue::Strings(known) => {
                let near = nearest(context(ContextKind::InvalidValue)?, known.iter().map(String::as_str))?;
                Some(format!("did you mean `{near}`?"))
            }
            _ => None,
        },
        ErrorKind::UnknownArgument => argument(&root, &path, context(ContextKind::InvalidArg)?),
        _ => None,
    }
}

/// What a word that is no command of this path may mean. `is_known` tells that the parser has an idea, too.
pub fn elsewhere(root: &Command, path: &[&str], word: &str, is_known: bool) -> Option<String> {
    let here = at(root, path);
    let names: Vec<&str> = [word]
        .into_iter()
        .chain(COMMANDS.iter().filter(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours))
        .collect();
    let has = |command: &Command, name: &str| command.get_subcommands().any(|found| found.get_name() == name);
    let line = |words: &[&str]| [&["assessctl"], words].concat().join(" ");
    match word {
        "help" => return Some(format!("did you mean `{}`?", line(&[&["help"], path].concat()))),
        "version" => return Some("did you mean `assessctl --version`?".to_owned()),
        _ => {}
    }
    if let Some(name) = names.iter().find(|name| has(here, name)) {
        return Some(format!("did you mean `{}`?", line(&[path, &[name]].concat())));
    }
    if path.is_empty() {
        let elsewhere: Vec<(&str, &str)> = root
            .get_subcommands()
            .flat_map(|noun| names.iter().filter(|name| has(noun, name)).map(|name| (noun.get_name(), *name)))
            .collect();
        return match elsewhere.as_slice() {
            [] => None,
            few @ ([_] | [_, _] | [_, _, _]) => {
                let lines: Vec<String> = few.iter().map(|(noun, name)| format!("`{}`", line(&[noun, name]))).collect();
                Some(format!("did you mean {}?", lines.join(" or ")))
            }
            many => {
                let nouns: Vec<&str> = many.iter().map(|(noun, _)| *noun).collect();
                Some(format!("`assessctl NOUN {word}`, where NOUN is one of {}", nouns.join(", ")))
            }
        };
    }
    let there: Vec<&str> = here.get_subcommands().map(Command::get_name).collect();
    (!is_known).then(|| format!("`{}` has {}", line(path), there.join(", ")))
}

fn argument(root: &Command, path: &[&str], word: &str) -> Option<String> {
    let here = at(root, path);
    if !word.starts_with('-') {
        let has = |name: &str| here.get_arguments().any(|arg| arg.get_long() == Some(name));
        return Some(match () {
            () if word.contains('@') && has("email") => "use --email ADDRESS".to_owned(),
            () if has("project") => "name a project with -p; quote values with spaces".to_owned(),
            () => "quote values with spaces".to_owned(),
        });
    }
    let knows = |option: &str| here.get_arguments().any(|arg| is_called(arg, option));
    if knows(word) {
        return Some(format!("write `{word}` after `{}`", path.join(" ")));
    }
    let ours = OPTIONS.iter().filter(|(theirs, _)| *theirs == word).map(|(_, ours)| *ours);
    let mut ours = ours.filter(|ours| ours.split(' ').next().is_some_and(knows));
    ours.next().map(|ours| format!("did you mean `{ours}`?"))
}

fn is_called(arg: &Arg, option: &str) -> bool {
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    long.as_deref() == Some(option) || short.as_deref() == Some(option)
}
