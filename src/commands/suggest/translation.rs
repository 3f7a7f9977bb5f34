//! A command line with words of other programs, in ours: where they mean the same and change nothing.

use std::ffi::OsString;

use clap::Command;

use crate::commands::shell::argv::{at, is_option, knows, named, takes_next};
use crate::commands::suggest::dictionary::{entry, entry_that};
use crate::commands::suggest::foreign_options::OPTIONS;
use crate::commands::suggest::foreign_words::COMMANDS;
use crate::commands::suggest::respelled::{in_two_words, only_looks, with_hyphens};
use crate::commands::suggest::suggestion::{Edit, Suggestion};

/// The line with foreign words translated; `words` begins with the program's name. What is not known stays as it is.
pub fn translated(root: &Command, words: Vec<OsString>) -> Vec<OsString> {
    // Alone it asks for the version, as it does of many a program.
    if matches!(words.as_slice(), [_, only] if only == "-v") {
        return vec![words[0].clone(), "--version".into()];
    }
    let apart = in_two_words(root, &words).map(|apart| word_by_word(root, apart));
    let words = apart.filter(|apart| only_looks(root, apart)).unwrap_or_else(|| word_by_word(root, words));
    match with_hyphens(root, &words) {
        Some(long) => word_by_word(root, long),
        None => words,
    }
}

fn word_by_word(root: &Command, words: Vec<OsString>) -> Vec<OsString> {
    let is_command = words.iter().any(|word| word == "version");
    let mut words = words.into_iter().peekable();
    let mut line = Translation { root, path: Vec::new(), noun: 1, out: words.next().into_iter().collect() };
    let mut is_value = false;
    while let Some(word) = words.next() {
        if std::mem::take(&mut is_value) {
            line.out.push(word);
            continue;
        }
        match word.to_str() {
            Some("--") | None => {
                line.out.push(word);
                line.out.extend(words);
                break;
            }
            Some(text) if is_option(text) => {
                let next = words.peek().map(|next| next.to_string_lossy());
                // A command is no option's value.
                let is_followed = next.is_some_and(|next| {
                    !(next.starts_with('-') || line.path.is_empty() && root.find_subcommand(next.as_ref()).is_some())
                });
                let ours = line.option(text, is_followed);
                is_value = line.takes_next(&ours);
                line.out.extend(ours);
            }
            Some(text) => {
                let next = words.peek().map(|next| next.to_string_lossy().into_owned());
                if line.two_words(text, next.as_deref()) {
                    words.next();
                } else {
                    line.word(text, next.as_deref());
                }
            }
        }
    }
    // The parser passes over what stands behind it: a word that is none of ours would be borne.
    if let Some(place) = line.out.iter().position(|word| is_command && line.path.is_empty() && word == "--version") {
        let version = line.out.remove(place);
        line.out.push(version);
    }
    line.out
}

/// A line as far as it is read.
struct Translation<'c> {
    root: &'c Command,
    /// The commands that it names.
    path: Vec<&'c str>,
    /// Where the first of them stands.
    noun: usize,
    out: Vec<OsString>,
}

impl<'c> Translation<'c> {
    fn here(&self) -> &'c Command {
        at(self.root, &self.path)
    }

    /// An option in our words, with its value where it brings one.
    fn option(&self, text: &str, is_followed: bool) -> Vec<OsString> {
        let (name, value) = named(text);
        let here = self.here();
        let fits = |ours: &Suggestion| match ours.edit {
            // One that brings its value could have taken the word after it for its own.
            Edit::Same([option, rest @ ..]) => {
                knows(self.root, here, option) && (rest.is_empty() || (value.is_none() && !is_followed))
            }
            _ => false,
        };
        let ours = entry_that(OPTIONS, &self.path, name, fits).filter(|_| !knows(self.root, here, name));
        match (ours.map(|ours| &ours.edit), value) {
            (Some(Edit::Same([option])), Some(value)) => vec![format!("{option}={value}").into()],
            (Some(Edit::Same(words)), _) => words.iter().map(OsString::from).collect(),
            _ => vec![text.into()],
        }
    }

    fn takes_next(&self, ours: &[OsString]) -> bool {
        let [option] = ours else { return false };
        [self.here(), self.root].into_iter().flat_map(Command::get_arguments).any(|arg| takes_next(arg, option))
    }

    /// A word that means a command of ours together with the next one; whether it does.
    fn two_words(&mut self, text: &str, next: Option<&str>) -> bool {
        let words = next.and_then(|next| self.same(&format!("{text} {next}")));
        words.map(|words| self.names(words)).is_some()
    }

    /// The words of ours that mean the same here, where a command is to be named.
    fn same(&self, text: &str) -> Option<&'static [&'static str]> {
        let here = self.here();
        let ours = entry_that(
            COMMANDS,
            &self.path,
            text,
            |ours| matches!(ours.edit, Edit::Same(words) if leads_on(here, words)),
        );
        match ours.filter(|_| here.has_subcommands())?.edit {
            Edit::Same(words) => Some(words),
            _ => None,
        }
    }

    /// A word that may name a command.
    fn word(&mut self, text: &str, next: Option<&str>) {
        let here = self.here();
        if let Some(found) = here.find_subcommand(text) {
            return self.name(found.get_name(), text);
        }
        if text == "help" && self.asks_for_help(next.is_none()) {
            self.out.insert(self.noun, "help".into());
            self.path = vec!["help"];
            return;
        }
        // What it means together with the next one is no command of ours: it is said.
        let both = next.and_then(|next| entry(COMMANDS, &self.path, &format!("{text} {next}")));
        match self.same(text).filter(|_| both.is_none()) {
            Some(words) => self.names(words),
            None => self.out.push(text.into()),
        }
    }

    /// Words of ours that name a command, or are options of it.
    fn names(&mut self, words: &[&str]) {
        for word in words {
            match self.here().find_subcommand(word) {
                Some(found) => self.name(found.get_name(), word),
                None => self.out.push(word.into()),
            }
        }
    }

    fn name(&mut self, name: &'c str, typed: &str) {
        if self.path.is_empty() {
            self.noun = self.out.len();
        }
        self.path.push(name);
        self.out.push(typed.into());
    }

    /// Behind a noun, or as the last word behind a verb that takes none.
    fn asks_for_help(&self, is_last: bool) -> bool {
        let here = self.here();
        let is_noun = !self.path.is_empty() && here.has_subcommands();
        let takes_words = here.get_positionals().next().is_some();
        is_noun || (is_last && self.path.len() == 2 && self.out.len() == self.noun + 2 && !takes_words)
    }
}

/// Whether words name a command below this one, or an option of it.
fn leads_on(here: &Command, words: &[&str]) -> bool {
    words.first().is_some_and(|word| word.starts_with('-') || here.find_subcommand(word).is_some())
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn program() -> Command {
        let option = |name: &'static str, short: Option<char>| Arg::new(name).long(name).short(short);
        let verb = |name: &'static str| Command::new(name);
        Command::new("assessctl")
            .arg(option("profile", None).global(true))
            .arg(option("output", Some('o')).global(true))
            .subcommand(
                Command::new("results")
                    .subcommand(verb("list").arg(option("limit", None)).arg(option("result", None)))
                    .subcommand(verb("get").arg(Arg::new("id"))),
            )
            .subcommand(Command::new("config").subcommand(verb("show")).subcommand(verb("list")))
            .subcommand(verb("doctor"))
            .subcommand(verb("help").arg(Arg::new("words").num_args(0..)))
    }

    fn line(line: &str) -> String {
        let words = line.split(' ').map(OsString::from).collect();
        let words: Vec<_> = translated(&program(), words).iter().map(|w| w.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn words_that_mean_the_same_are_translated() {
        for (theirs, ours) in [
            ("a results ls", "a results list"),
            (
                "a --profile x result ls -L 5 --status=HighRisk",
                "a --profile x results list --limit 5 --result=HighRisk",
            ),
            ("a results show EMP-1 --json", "a results get EMP-1 -o json"),
            ("a results list --json --limit 3", "a results list -o json --limit 3"),
            ("a --format csv results list", "a --output csv results list"),
            ("a whoami", "a doctor"),
            ("a auth whoami", "a doctor"),
            ("a config view", "a config show"),
            ("a profiles", "a config list"),
            ("a profiles ls", "a config list"),
            ("a settings list -o csv", "a config show -o csv"),
            ("a version", "a --version"),
            ("a version --bogus -o json", "a --bogus -o json --version"),
            ("a results help", "a help results"),
            ("a --profile x results help ls", "a --profile x help results ls"),
            ("a results list help", "a help results list"),
        ] {
            assert_eq!(line(theirs), ours);
        }
    }

    #[test]
    fn values_and_what_is_ours_stay_as_they_are() {
        for same in [
            "a results list",
            "a --profile whoami results list",
            "a results list --limit -L",
            "a results get ls",
            "a results get help",
            "a results list --json id,name",
            "a results list -- -L --json",
            "a config show show",
            "a unknown ls",
            "a",
        ] {
            assert_eq!(line(same), same);
        }
    }
}
