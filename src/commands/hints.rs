//! What is said of a command line that clap refuses: one cause, which quotes no value, and at most one hint.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::model::verdict::Failure;

const MAIL: &str = "the portal sends invitations; to send links yourself: assessctl links issue PERSON";
const CHANGES: &str = "run this by cron to see each new result once: assessctl results changes --as NAME";
const VOIDS: &str = "a new link voids the old one, which can't be read again: assessctl links issue PERSON --rotate";
const KEYS: &str = "others could read a key on the command line: use --api-key-file FILE or ASSESSCTL_API_KEY";
const CERTIFICATES: &str = "certificates are always checked; to add your own: assessctl config set ca-cert FILE";

/// What people look for here and the service cannot do, or others call otherwise: under which command, which words, and the
/// hint. The first row that fits counts.
const INSTEAD: &[(&str, &str, &str)] = &[
    ("projects", "update edit rename set delete remove rm archive", "projects are changed and deleted in the portal"),
    ("redirect-uris", "remove rm delete set", "redirect URIs are removed in the portal"),
    ("links", "list ls get show export revoke delete remove void", VOIDS),
    ("links", "send mail email resend remind", MAIL),
    ("testtakers", "invite send remind mail email", MAIL),
    ("testtakers", "move mv transfer", "enrol them in the other project and remove them here; results stay behind"),
    ("testtakers", "count", "assessctl results summary"),
    ("testtakers", "search find", "assessctl testtakers list --filter TEXT"),
    ("testtakers", "load upload bulk", "assessctl testtakers import FILE"),
    ("testtakers", "export dump", "assessctl testtakers list --to NAME.csv"),
    (
        "testtakers update",
        "--email --birth-year",
        "the service can't change them: remove the person and enrol them again",
    ),
    ("testtakers sync", "--force", "look at what is held with --dry-run, then add --approve ID"),
    ("testtakers import", "--update --upsert --overwrite", "add --on-existing update"),
    ("testtakers import", "--ignore-errors --skip-errors", "add --skip-invalid"),
    (
        "results",
        "set update delete remove clear",
        "results come from assessments; of the sandbox: assessctl sandbox set",
    ),
    ("results", "watch tail follow subscribe diff new", CHANGES),
    ("journal", "resolve retry", "run the same import again: it finds out what became of rows in doubt"),
    ("config", "path edit", "the path of the file: assessctl config show config"),
    ("", "login logout auth setup init", "assessctl config init"),
    ("", "status ping health whoami info", "assessctl doctor"),
    ("", "version", "assessctl --version"),
    ("", "rollback revert", "assessctl journal undo FILE"),
    ("", "resume retry continue", "run the same command again: it continues where it stopped"),
    ("", "webhook webhooks events listen", CHANGES),
    ("", "--json", "add -o json after the command"),
    ("", "--csv", "add -o csv after the command"),
    ("", "--token --key --api-key --apikey --password", KEYS),
    ("", "--insecure -k --no-verify", CERTIFICATES),
    ("", "--project-id", "use -p NAME_OR_ID"),
    ("", "--sort --sort-by", "use --order-by FIELD"),
    ("", "--all", "leave it out: lists are complete"),
    ("", "--force", "--yes answers the question of commands that ask"),
];

/// Why a line was refused; `None` where it asked for help or the version.
pub fn explain(error: &clap::Error, root: &Command, words: &[OsString]) -> Option<Failure> {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        return None;
    }
    let path = Path::of(root, words);
    // An option that is known here may still be wrong beside another one.
    let is_unknown = matches!(error.kind(), ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand);
    let hint = wrong_word(error)
        .filter(|_| is_unknown)
        .and_then(|word| path.misplaced(&word).or_else(|| path.instead(&word)))
        .or_else(|| path.noun_behind_verb(root, words))
        .or_else(|| suggested(error))
        .unwrap_or_else(|| format!("assessctl {}--help", path.shown()));
    Some(Failure::usage(cause(error)).hint(hint))
}

/// The commands that a line names, in their order.
struct Path<'c> {
    command: &'c Command,
    names: Vec<&'c str>,
}

impl<'c> Path<'c> {
    fn of(root: &'c Command, words: &[OsString]) -> Self {
        let mut path = Self { command: root, names: Vec::new() };
        let mut words = words.iter().skip(1).filter_map(|word| word.to_str());
        while let Some(word) = words.next() {
            if let Some(next) = path.command.find_subcommand(word) {
                path.command = next;
                path.names.push(next.get_name());
            } else if path.option(word).is_some_and(|option| option.get_action().takes_values()) {
                // What follows is its value, whatever it is called.
                words.next();
            }
        }
        path
    }

    /// The option that a word names as a whole.
    fn option(&self, word: &str) -> Option<&clap::Arg> {
        self.command.get_arguments().find(|arg| match word.strip_prefix("--") {
            Some(long) => arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&long)),
            None => arg.get_short().is_some_and(|short| word == format!("-{short}")),
        })
    }

    fn shown(&self) -> String {
        self.names.iter().flat_map(|name| [*name, " "]).collect()
    }

    /// An option that its command has, typed before the command.
    fn misplaced(&self, word: &str) -> Option<String> {
        let is_known = !self.names.is_empty() && self.option(word).is_some();
        is_known.then(|| format!("put {word} after the command: assessctl {}{word} …", self.shown()))
    }

    fn instead(&self, word: &str) -> Option<String> {
        let is_below = |place: &str| place.is_empty() || self.shown().starts_with(&format!("{place} "));
        let fits = |place: &str, words: &str| is_below(place) && words.split(' ').any(|known| known == word);
        INSTEAD.iter().find(|(place, words, _)| fits(place, words)).map(|(.., hint)| (*hint).to_owned())
    }

    /// `list projects`, or a verb without its noun.
    fn noun_behind_verb(&self, root: &Command, words: &[OsString]) -> Option<String> {
        let verb = words.iter().skip(1).filter_map(|word| word.to_str()).find(|word| !word.starts_with('-'))?;
        let nouns = root.get_subcommands().filter(|noun| noun.find_subcommand(verb).is_some());
        let named = self.names.first();
        let nouns = nouns.map(Command::get_name).filter(|noun| named.is_none_or(|named| noun == named));
        let lines: Vec<_> = nouns.take(3).map(|noun| format!("assessctl {noun} {verb}")).collect();
        (!lines.is_empty()).then(|| lines.join(", or "))
    }
}

/// What clap says about an error: texts of its own and of the command line, which may be anything.
fn texts(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(several)) => several.clone(),
        _ => Vec::new(),
    }
}

/// The command or option that was refused, without its value.
fn wrong_word(error: &clap::Error) -> Option<String> {
    let mut words =
        [ContextKind::InvalidSubcommand, ContextKind::InvalidArg].into_iter().flat_map(|kind| texts(error, kind));
    words.next()?.split('=').next().map(str::to_owned)
}

/// What clap thinks was meant: the best of its suggestions.
fn suggested(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let word = kinds.into_iter().find_map(|kind| texts(error, kind).pop())?;
    Some(format!("did you mean {word}?"))
}

fn cause(error: &clap::Error) -> String {
    let names = names(error, ContextKind::InvalidArg);
    let name = names.first().map_or("an argument", String::as_str);
    match error.kind() {
        ErrorKind::InvalidSubcommand => match wrong_word(error).filter(|word| is_plain(word)) {
            Some(word) => format!("there is no command `{word}` here"),
            None => "there is no such command".to_owned(),
        },
        ErrorKind::MissingSubcommand => "a command is missing".to_owned(),
        ErrorKind::UnknownArgument => match wrong_word(error).filter(|word| word.starts_with('-')) {
            Some(option) => format!("there is no option {option} here"),
            None => "there is an argument too many".to_owned(),
        },
        ErrorKind::InvalidValue if texts(error, ContextKind::InvalidValue).concat().is_empty() => {
            format!("{name} needs a value")
        }
        ErrorKind::InvalidValue => match texts(error, ContextKind::ValidValue).join(", ") {
            known if known.is_empty() => format!("{name} does not take this value"),
            known => format!("{name} does not take this value (known: {known})"),
        },
        ErrorKind::ValueValidation => format!("{name} does not take this value{}", reason(error)),
        ErrorKind::MissingRequiredArgument if names.len() > 1 => format!("{} are missing", names.join(" and ")),
        ErrorKind::MissingRequiredArgument => format!("{name} is missing"),
        ErrorKind::ArgumentConflict => match self::names(error, ContextKind::PriorArg).join(" and ") {
            other if other.is_empty() || other == name => format!("{name} is given twice"),
            others => format!("{name} does not go with {others}"),
        },
        ErrorKind::TooManyValues => format!("{name} takes no value"),
        ErrorKind::InvalidUtf8 => "an argument is not valid Unicode".to_owned(),
        _ => "the command line is wrong".to_owned(),
    }
}

/// Why a value was refused, in our words where clap or a number has its own.
fn reason(error: &clap::Error) -> String {
    let Some(source) = std::error::Error::source(error) else { return String::new() };
    let why = source.to_string();
    match why.split_once(" is not in ") {
        Some((_, range)) => format!(": must be {}", range.replace("..=", " to ")),
        None if source.is::<std::num::ParseIntError>() => ": must be a whole number".to_owned(),
        None => format!(": {why}"),
    }
}

/// Arguments as a person names them: `--limit`, `PERSON`.
fn names(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    let plain = |name: String| match name.strip_prefix(['<', '[']) {
        Some(operand) => operand.trim_end_matches(['>', ']', '.']).to_owned(),
        None => name.split([' ', '[', '=']).next().unwrap_or(&name).to_owned(),
    };
    texts(error, kind).into_iter().map(plain).collect()
}

/// A word that may be quoted: it was meant as a command, and is no name or key in the wrong place.
fn is_plain(word: &str) -> bool {
    word.len() <= 24 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_stays_small_and_each_word_has_one_hint() {
        assert!(INSTEAD.len() <= 45, "{}", INSTEAD.len());
        let mut seen = std::collections::HashSet::new();
        for (place, words, _) in INSTEAD {
            assert!(words.split(' ').all(|word| seen.insert((place, word))), "{place}: {words}");
        }
    }
}
