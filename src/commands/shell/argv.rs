//! A command line as it is typed: which of its words name commands, and which are options' values.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use clap::{Arg, ArgAction, Command};

/// A command line, and what is known of each of its words.
pub struct TypedLine<'c, 'w> {
    pub root: &'c Command,
    /// The program's name first.
    pub words: &'w [OsString],
    /// What each word is.
    pub parts: Vec<Part<'c>>,
    /// The commands that it names, by their own names.
    pub path: Vec<&'c str>,
    /// The last of them.
    pub here: &'c Command,
}

impl<'c, 'w> TypedLine<'c, 'w> {
    pub fn of(root: &'c Command, words: &'w [OsString]) -> Self {
        let parts = parts(root, words);
        let named = parts.iter().filter_map(|part| if let Part::Command(name) = part { Some(*name) } else { None });
        let path: Vec<_> = named.collect();
        let here = at(root, &path);
        Self { root, words, parts, path, here }
    }

    /// The words of its command, with spaces between them.
    pub fn command(&self) -> String {
        self.path.join(" ")
    }

    /// The command's own arguments, and those of the program for each command.
    pub fn arguments(&self) -> impl Iterator<Item = &'c Arg> + use<'c> {
        [self.here, self.root].into_iter().flat_map(Command::get_arguments)
    }

    /// Whether the command has this option, or the program for each command.
    pub fn knows(&self, option: &str) -> bool {
        self.arguments().any(|arg| is_called(arg, option))
    }

    /// Whether a word is an option that has its value in the word after it.
    pub fn takes_next(&self, word: &OsStr) -> bool {
        self.arguments().any(|arg| takes_next(arg, word))
    }

    /// How the first argument that stands by itself is called in the usage.
    pub fn operand(&self) -> Option<&'c str> {
        Some(self.here.get_positionals().next()?.get_value_names()?.first()?.as_str())
    }

    /// Where one of these options stands, joined to its value or not.
    pub fn place_of(&self, options: &[&str]) -> Option<usize> {
        self.words.iter().position(|word| options.contains(&named(&word.to_string_lossy()).0))
    }

    /// Whether one of these words stands in the line.
    pub fn has(&self, words: &[&str]) -> bool {
        self.words.iter().any(|word| words.iter().any(|known| word == known))
    }

    /// The words that are neither commands, nor options, nor as far as is known their values.
    pub fn others(&self) -> impl Iterator<Item = (usize, &'w OsString)> {
        let all = self.words.iter().enumerate().skip(1);
        all.filter(|(place, word)| self.parts[*place] == Part::Other && !is_option(&word.to_string_lossy()))
    }

    /// The value of an option that stands here, or the next word, which may be its value.
    pub fn value_at(&self, place: usize) -> Option<String> {
        let word = self.words.get(place)?.to_string_lossy();
        let next = self.words.get(place + 1).map(|next| next.to_string_lossy());
        let next = next.filter(|next| !is_option(next)).map(Cow::into_owned);
        named(&word).1.map(str::to_owned).or(next)
    }

    /// The line with other words in place of so many from here on.
    pub fn with(&self, place: usize, count: usize, ours: &[OsString]) -> Vec<OsString> {
        [&self.words[..place], ours, self.words.get(place + count..).unwrap_or_default()].concat()
    }
}

/// Whether a word is one of those in a list with spaces between them.
pub fn is_one_of(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// The name of an option and the value behind its equals sign.
pub fn named(word: &str) -> (&str, Option<&str>) {
    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)))
}

/// Whether a word is an option. A hyphen alone stands for a file.
pub fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// The commands that the line names so far, by their own names. `words` begins with the program's name.
pub fn path<'c>(command: &'c Command, words: &[OsString]) -> Vec<&'c str> {
    let named = words.iter().zip(parts(command, words));
    named.filter_map(|(_, part)| if let Part::Command(name) = part { Some(name) } else { None }).collect()
}

/// The command at the end of a path.
pub fn at<'c>(command: &'c Command, path: &[&str]) -> &'c Command {
    path.iter().fold(command, |command, name| command.find_subcommand(name).unwrap_or(command))
}

/// The same line for a reader that takes each word that is called like a command for one: an option's value is
/// replaced, but for the last word, which may be the one that is being typed.
pub fn without_values(command: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let parts = parts(command, &words);
    let last = words.len().saturating_sub(1);
    let words = words.into_iter().zip(parts).enumerate();
    words.map(|(at, (word, part))| if at != last && part == Part::Value { "_".into() } else { word }).collect()
}

/// A line that bash has taken apart at its equals signs, with the same number of words: the sign and what stands
/// around it become a flag that says nothing, the option, and its value.
pub fn rejoined(mut words: Vec<OsString>) -> Vec<OsString> {
    for place in 2..words.len() {
        if words[place - 1] == "=" && words[place - 2].to_string_lossy().starts_with("--") {
            words.swap(place - 2, place - 1);
            words[place - 2] = "--quiet".into();
        }
    }
    words
}

/// What a word of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'c> {
    /// A command, by its own name.
    Command(&'c str),
    /// The value of the option before it.
    Value,
    /// An option, an argument, or nothing that is known.
    Other,
}

/// What each word is, the program's name included.
pub fn parts<'c>(root: &'c Command, words: &[OsString]) -> Vec<Part<'c>> {
    let (mut named, mut is_value) = (root, false);
    let mut parts = vec![Part::Other];
    for word in words.iter().skip(1) {
        if std::mem::take(&mut is_value) {
            parts.push(Part::Value);
            continue;
        }
        // Options of the program itself are every command's.
        is_value = [named, root].into_iter().flat_map(Command::get_arguments).any(|arg| takes_next(arg, word));
        parts.push(match named.find_subcommand(word) {
            Some(found) => {
                named = found;
                Part::Command(found.get_name())
            }
            None => Part::Other,
        });
    }
    parts
}

/// Whether a word is this option, and its value the word after it.
pub fn takes_next(arg: &Arg, word: &OsStr) -> bool {
    // A value that may be left out stands behind an equals sign, or is a word as any other.
    let needs_value = arg.get_action().takes_values() && arg.get_num_args().is_none_or(|count| count.min_values() > 0);
    needs_value && is_called(arg, &word.to_string_lossy())
}

/// The option of the command itself that takes one value and has two that differ: one of them would be passed over. Of
/// the program's own options the last counts, as where a script repeats a line with another format.
pub fn given_two_values<'c>(root: &'c Command, words: &[OsString]) -> Option<&'c str> {
    let here = at(root, &path(root, words));
    let mut first: Vec<(&'c str, String)> = Vec::new();
    let line: Vec<_> = words.iter().zip(parts(root, words)).take_while(|(word, _)| *word != "--").collect();
    for (place, (word, part)) in line.iter().enumerate() {
        let text = word.to_string_lossy();
        if *part != Part::Other || !text.starts_with('-') {
            continue;
        }
        let next =
            line.get(place + 1).filter(|(_, part)| *part == Part::Value).map(|(value, _)| value.to_string_lossy());
        let given = here.get_arguments().filter(|arg| takes_one_value(arg)).find_map(|arg| {
            let value = if takes_next(arg, word) { next.as_deref() } else { joined_value(arg, &text) };
            Some((arg.get_long()?, value?.to_owned()))
        });
        let Some((long, value)) = given else { continue };
        if first.iter().any(|(known, former)| *known == long && *former != value) {
            return Some(long);
        }
        first.push((long, value));
    }
    None
}

fn takes_one_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set) && !arg.is_global_set()
}

/// The value of an option in the same word.
fn joined_value<'w>(arg: &Arg, word: &'w str) -> Option<&'w str> {
    let long = word.strip_prefix("--").and_then(|rest| rest.strip_prefix(arg.get_long()?)?.strip_prefix('='));
    long.or_else(|| {
        let rest = word.strip_prefix('-')?.strip_prefix(arg.get_short()?)?;
        Some(rest.strip_prefix('=').unwrap_or(rest)).filter(|rest| !rest.is_empty())
    })
}

/// Whether a command, or the program for each of its commands, has this option.
pub fn knows(root: &Command, command: &Command, option: &str) -> bool {
    [command, root].into_iter().flat_map(Command::get_arguments).any(|arg| is_called(arg, option))
}

/// Whether an option is called so, with its hyphens.
pub fn is_called(arg: &Arg, option: &str) -> bool {
    let is_long = option.strip_prefix("--").is_some_and(|long| arg.get_long() == Some(long));
    is_long
        || arg.get_short().is_some_and(|short| option.strip_prefix('-').is_some_and(|rest| rest == short.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        let option = |name: &'static str, short: Option<char>| Arg::new(name).long(name).short(short);
        let noun = |name: &'static str, verb: &'static str| Command::new(name).subcommand(Command::new(verb));
        Command::new("assessctl")
            .arg(option("profile", None))
            .arg(option("output", Some('o')))
            .subcommand(noun("sandbox", "set"))
            .subcommand(noun("testtakers", "list").arg(option("project", Some('p'))))
            .subcommand(Command::new("man"))
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn an_options_value_is_no_command() {
        let command = program();
        let path = |line| path(&command, &words(line)).join(" ");
        assert_eq!(path("assessctl --profile sandbox testtakers list"), "testtakers list");
        assert_eq!(path("assessctl --profile=sandbox testtakers list -p man"), "testtakers list");
        assert_eq!(path("assessctl -q sandbox set ref:x -o man"), "sandbox set");
        assert_eq!(path("assessctl --profile sandbox"), "");
    }

    #[test]
    fn an_option_of_a_command_has_one_value() {
        let command = program();
        let twice = |line| given_two_values(&command, &words(line));
        for line in ["a testtakers -p x --project y", "a testtakers -px --project=y", "a testtakers -p=x -p y"] {
            assert_eq!(twice(line), Some("project"), "{line}");
        }
        for line in ["a testtakers -p x --project=x", "a testtakers -p x", "a testtakers -p x -- -p y"] {
            assert_eq!(twice(line), None, "{line}");
        }
    }

    #[test]
    fn a_value_is_hidden_unless_it_is_being_typed() {
        let line = |line| without_values(&program(), words(line)).join(OsStr::new(" ")).into_string();
        assert_eq!(line("assessctl --profile sandbox -o csv man x").as_deref(), Ok("assessctl --profile _ -o _ man x"));
        assert_eq!(line("assessctl --profile sandbox").as_deref(), Ok("assessctl --profile sandbox"));
    }

    #[test]
    fn what_bash_takes_apart_keeps_its_place() {
        let line = |line| rejoined(words(line)).join(OsStr::new(" ")).into_string();
        assert_eq!(line("a --profile = sand").as_deref(), Ok("a --quiet --profile sand"));
        assert_eq!(line("a --profile = sandbox man").as_deref(), Ok("a --quiet --profile sandbox man"));
        assert_eq!(line("a =").as_deref(), Ok("a ="));
    }
}
