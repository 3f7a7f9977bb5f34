//! A line that is a sentence (`show results for X in P`, `who is at risk`), in the order and with the options of ours.

use std::ffi::OsString;

use clap::Command;
use jiff::Zoned;

use crate::bulk::roster::prefixed;
use crate::commands::shared::commands_in_hints::may_be_a_project;
use crate::commands::shell::argv::{Part, TypedLine, is_one_of, is_option};
use crate::commands::suggest::people::is_person;
use crate::commands::suggest::respelled::our_noun;
use crate::commands::suggest::sentence_words::{
    ALL, ENROLS, FIELDS, FORMATS, MACHINE, MOVES, NAMES, OF_ONE, PLACES, Phrases, QUESTIONS, REMOVES, SENDS, SHOWS,
    SMALL, STATES,
};
use crate::commands::suggest::spoken_times::spoken;
use crate::commands::suggest::values::is_file;
use crate::model::test_status::TestStatus;

/// The line that a sentence means; `None` where it is none, or has a small word whose meaning is not known.
pub fn as_a_line(root: &Command, words: &[OsString], projects: &[String]) -> Option<Vec<OsString>> {
    let mut sentence = Sentence::of(root, words, projects)?;
    while sentence.next < sentence.words.len() {
        sentence.step()?;
    }
    sentence.is_one.then(|| sentence.line())
}

/// A sentence as far as it is read.
struct Sentence<'w> {
    root: &'w Command,
    projects: &'w [String],
    words: Vec<&'w str>,
    /// Whether each word is an option or its value.
    is_option_or_value: Vec<bool>,
    next: usize,
    /// Verbs, nouns and what they are about.
    said: Vec<OsString>,
    options: Vec<OsString>,
    /// The option that chooses people by what they are said to be.
    state: Option<&'static str>,
    /// Whether anything was said as in a sentence.
    is_one: bool,
    /// Whether the value of a field follows the person: `the last name of X to Y`.
    awaits_value: bool,
}

impl<'w> Sentence<'w> {
    fn of(root: &'w Command, words: &'w [OsString], projects: &'w [String]) -> Option<Self> {
        let line = TypedLine::of(root, words);
        // No sentences are typed about these, and their words are settings and shells.
        let is_of_this_machine = line.path.first().is_some_and(|noun| is_one_of(MACHINE, noun));
        if is_of_this_machine || line.has(&["--"]) {
            return None;
        }
        let texts = words.iter().map(|word| word.to_str()).collect::<Option<Vec<&str>>>()?;
        let mut is_option_or_value = vec![false];
        for (pair, part) in texts.windows(2).zip(&line.parts[1..]) {
            let [before, text] = pair else { continue };
            // What stands behind an option that there is not may be its value.
            let is_long = before.starts_with("--") && !before.contains('=');
            let may_be_value = (is_long || ["-p", "-o"].contains(before)) && !line.knows(before);
            is_option_or_value.push(*part == Part::Value || may_be_value || is_option(text));
        }
        Some(Self {
            root,
            projects,
            words: texts,
            is_option_or_value,
            next: 1,
            said: Vec::new(),
            options: Vec::new(),
            state: None,
            is_one: false,
            awaits_value: false,
        })
    }

    fn first(&self) -> &'w str {
        self.words.get(1).copied().unwrap_or_default()
    }

    /// Whether the first word is one of these.
    fn begins(&self, list: &str) -> bool {
        is_one_of(list, self.first())
    }

    fn shows(&self) -> bool {
        self.begins(SHOWS) || self.begins(QUESTIONS) || self.begins("how")
    }

    /// The word that stands so many behind the next one, if it is no option.
    fn at(&self, behind: usize) -> Option<&'w str> {
        let place = self.next + behind;
        self.words.get(place).copied().filter(|_| !self.is_option_or_value[place])
    }

    /// What the longest of these phrases that stands here means, and its number of words.
    fn phrase(&self, phrases: &[Phrases]) -> Option<(&'static str, usize)> {
        let all = phrases.iter().flat_map(|(theirs, ours)| theirs.split(", ").map(move |phrase| (phrase, *ours)));
        let stands = all.filter(|(phrase, _)| {
            let mut words = phrase.split(' ').enumerate();
            words.all(|(place, word)| self.at(place).is_some_and(|typed| typed.eq_ignore_ascii_case(word)))
        });
        stands.map(|(phrase, ours)| (ours, phrase.split(' ').count())).max_by_key(|(_, count)| *count)
    }

    /// Reads the next word, or the next few; `None` where a small word has no meaning that is known.
    fn step(&mut self) -> Option<()> {
        let Some(word) = self.at(0) else {
            self.options.push(self.words[self.next].into());
            return self.advance(1);
        };
        let asks = self.begins(QUESTIONS);
        match () {
            () if self.next == 1 && word == "how" && matches!(self.at(1), Some("many" | "much")) => {
                self.said.push("count".into());
                return self.skip(2);
            }
            () if self.next == 1 && asks => return self.advance(1),
            () if self.said.is_empty() && !asks => return self.keep(word),
            () => {}
        }
        if let Some((option, count)) = self.phrase(STATES).filter(|_| asks || self.is_about_people()) {
            self.state = Some(option);
            return self.skip(count);
        }
        if let Some(person) = self.person_behind(word) {
            self.said.push(person.into());
            return self.skip(2);
        }
        if let Some((option, count)) = self.phrase(FIELDS).filter(|(_, count)| self.sets(*count)) {
            return self.field(option, count);
        }
        self.small_word(word)
    }

    /// A word that says where, whose or when, or nothing of its own; any other is kept.
    fn small_word(&mut self, word: &'w str) -> Option<()> {
        match word {
            _ if is_one_of(SMALL, word) => self.skip(1),
            "all" if self.begins(REMOVES) => {
                // Some of them are not all.
                let is_all = self
                    .at(1)
                    .is_none_or(|next| is_one_of(SMALL, next) || is_noun(self.root, next) || is_one_of(PLACES, next));
                if is_all { self.all() } else { None }
            }
            "all" if self.at(1).is_some() => self.skip(1),
            "bulk" | "mass" if self.said.len() > 1 => self.skip(1),
            "everyone" | "everybody" | "anyone" | "anybody" | "all" if self.begins(ENROLS) => self.skip(1),
            "everyone" | "everybody" | "anyone" | "anybody" | "all" => self.all(),
            "test" | "tests" | "assessment" | "it" if self.state.is_some() => self.skip(1),
            "where" | "whose" => self.condition(),
            _ if self.says_when() => {
                self.next -= 1;
                self.time("--since")
            }
            _ if is_one_of(PLACES, word) => {
                self.skip(1)?;
                self.preposition(word)
            }
            "between" => {
                self.skip(1)?;
                let (from, count) = self.spoken()?;
                (self.at(count)? == "and").then_some(())?;
                self.skip(count + 1)?;
                self.options.extend(["--since".into(), from.into()]);
                self.next -= 1;
                self.time("--until")
            }
            "since" | "after" => self.time("--since"),
            "until" | "before" => self.time("--until"),
            "email" | "mail" if self.at(1)?.contains('@') => {
                let is_new = ["create", "add", "enrol", "enroll", "new"].contains(&self.first());
                self.skip(1)?;
                if is_new { self.option("--email", self.at(0)?) } else { Some(()) }
            }
            "project" if self.has_noun() && self.at(1).is_some() => {
                self.skip(1)?;
                self.project("-p")
            }
            "with" => {
                let status = self.at(1).and_then(TestStatus::listed)?;
                self.options.extend(["--result", status.word()].map(OsString::from));
                self.skip(2)
            }
            "sorted" | "ordered" | "sort" if self.at(1) == Some("by") => self.skip(1),
            "by" if self.shows() => {
                self.skip(1)?;
                self.option("--order-by", self.at(0)?)
            }
            "by" | "and" | "or" | "not" | "on" | "at" | "without" | "except" | "but" | "no" => None,
            _ => self.keep(word),
        }
    }

    /// Passes over words whose meaning is taken.
    fn skip(&mut self, count: usize) -> Option<()> {
        self.is_one = true;
        self.advance(count)
    }

    /// Goes on by so many words, if there are so many.
    fn advance(&mut self, count: usize) -> Option<()> {
        self.next += count;
        (self.next <= self.words.len()).then_some(())
    }

    fn is_about_people(&self) -> bool {
        self.shows() || self.begins(SENDS) || self.begins(REMOVES) || self.first() == "count"
    }

    /// The person of whom a field is named first: `ref A-1`, `id 42`.
    fn person_behind(&self, field: &str) -> Option<String> {
        let has_verb = self.said.iter().any(|word| is_one_of(OF_ONE, &word.to_string_lossy()));
        let kind = meaning(NAMES, field).filter(|_| has_verb)?;
        let is_named = self.said.iter().any(|word| is_person(&word.to_string_lossy()));
        let name = self.at(1).filter(|name| is_person(name) && !is_named)?;
        Some(if prefixed(name).is_some() { name.to_owned() } else { format!("{kind}:{name}") })
    }

    /// Whether a field may stand here, of so many words: behind the person or before.
    fn sets(&self, count: usize) -> bool {
        self.said.len() > 1 || matches!(self.at(count), Some("of" | "for"))
    }

    fn keep(&mut self, word: &str) -> Option<()> {
        self.said.push(word.into());
        self.advance(1)
    }

    /// Whether a noun is said already, or what stands for one.
    fn has_noun(&self) -> bool {
        self.said.iter().map(|word| word.to_string_lossy()).any(|word| is_person(&word) || is_noun(self.root, &word))
    }

    /// All people of a project.
    fn all(&mut self) -> Option<()> {
        if let Some(verb) = self.said.last_mut().filter(|verb| *verb == "get") {
            *verb = "list".into();
        } else if !self.shows() {
            self.options.push("--all".into());
        } else if !self.has_noun() {
            self.said.push("testtakers".into());
        }
        self.skip(1)
    }

    /// A field with its value behind it, or with `of` and the person.
    fn field(&mut self, option: &str, count: usize) -> Option<()> {
        let value = self.at(count)?;
        let is_of = ["of", "for"].contains(&value);
        let is_result = option == "--filter" && TestStatus::listed(value).is_some();
        self.options.push(if is_result { "--result" } else { option }.into());
        self.options.push(if is_of { "NAME" } else { value }.into());
        self.awaits_value = is_of;
        self.skip(count + usize::from(!is_of))
    }

    /// What stands behind a small word that says where or whose.
    fn preposition(&mut self, small: &str) -> Option<()> {
        while self.at(0).is_some_and(|word| ["the", "project", "file", "a"].contains(&word)) && self.at(1).is_some() {
            self.next += 1;
        }
        let word = self.at(0)?;
        let is_project = self.projects.iter().any(|project| project == word);
        let format = meaning(FORMATS, word);
        match small {
            "to" | "into" | "onto" | "as" if is_file(word) => self.option("--to", word),
            _ if is_file(word) || word == "-" => self.keep(word),
            "as" | "to" | "in" | "into" if format.is_some() => self.option("-o", format?),
            "as" => None,
            // The value of a field that was named before: it is a person's.
            "to" if self.awaits_value => {
                self.awaits_value = false;
                self.skip(1)
            }
            "from" | "to" if self.begins(MOVES) => self.project(&format!("--{small}")),
            _ if is_project || ["in", "into", "within", "inside", "onto"].contains(&small) => self.project("-p"),
            // Whose they are is read next.
            _ if is_one_of(ALL, word) || is_one_of(SMALL, word) || is_noun(self.root, word) => Some(()),
            "from" if self.spoken().is_some() => {
                self.next -= 1;
                self.time("--since")
            }
            "of" | "for" | "using" => self.keep(word),
            _ if is_person(word) => self.keep(word),
            _ => self.project("-p"),
        }
    }

    fn option(&mut self, option: &str, value: &str) -> Option<()> {
        self.options.extend([option, value].map(OsString::from));
        self.skip(1)
    }

    fn project(&mut self, option: &str) -> Option<()> {
        let name = self.at(0).filter(|name| may_be_a_project(name) && !is_noun(self.root, name))?;
        self.option(option, name)
    }

    /// What stands behind `where`: a field, a sign and a value, in one word or in three.
    fn condition(&mut self) -> Option<()> {
        const SIGNS: [&str; 5] = ["=", "==", "is", "eq", "equals"];
        let field = self.at(1)?;
        let is_apart = self.at(2).is_some_and(|sign| SIGNS.contains(&sign));
        let (condition, count) = if is_apart { (format!("{field}={}", self.at(3)?), 4) } else { (field.to_owned(), 2) };
        condition.split_once('=').filter(|(field, value)| !field.is_empty() && !value.is_empty())?;
        self.options.extend(["--where".into(), condition.replace("==", "=").into()]);
        self.skip(count)
    }

    /// Whether a time stands here without a word before it: `results today`, `results this week`.
    fn says_when(&self) -> bool {
        let is_of_results = self.said.iter().any(|word| word == "results" || word == "result");
        is_of_results
            && self.at(0).is_some_and(|word| is_one_of("today yesterday this last past", word))
            && self.spoken().is_some()
    }

    /// The time that is said next, of so many words.
    fn spoken(&self) -> Option<(String, usize)> {
        (1..=4).rev().find_map(|count| {
            let words = (0..count).map(|place| self.at(place)).collect::<Option<Vec<_>>>()?;
            Some((spoken(&words.join(" "), &Zoned::now())?, count))
        })
    }

    /// A time, which may be of several words.
    fn time(&mut self, option: &str) -> Option<()> {
        self.next += 1;
        let (time, count) = self.spoken().or_else(|| Some((self.at(0)?.to_owned(), 1)))?;
        self.options.extend([option.into(), time.into()]);
        self.skip(count)
    }

    /// The whole line.
    fn line(mut self) -> Vec<OsString> {
        let names_one = self.said.iter().any(|word| is_person(&word.to_string_lossy()));
        // What is not understood is not passed over.
        let verbs = usize::from(!self.begins(QUESTIONS));
        let strange: Vec<OsString> =
            self.said.iter().skip(verbs).filter(|word| !is_noun(self.root, &word.to_string_lossy())).cloned().collect();
        let starts_with_a_noun = self.said.first().is_some_and(|word| is_noun(self.root, &word.to_string_lossy()));
        match (self.first(), self.state) {
            ("how" | "count", Some(_)) => {
                self.said = ["results", "summary"].map(OsString::from).into_iter().chain(strange).collect();
            }
            (_, Some(_)) if self.shows() && names_one => {
                self.said.retain(|word| is_person(&word.to_string_lossy()));
                self.said.splice(0..0, ["results", "get"].map(OsString::from));
            }
            (_, Some(state)) if self.shows() => {
                self.said = ["results", "list"].map(OsString::from).into_iter().chain(strange).collect();
                self.options.push(state.into());
            }
            (_, Some(state)) => self.options.push(state.into()),
            // No person is named.
            (first, None)
                if is_one_of(SHOWS, first)
                    && first != "export"
                    && !names_one
                    && self.said.len() == 2
                    && matches!(
                        our_noun(self.root, &self.said[1].to_string_lossy()),
                        Some("testtakers" | "results")
                    ) =>
            {
                self.said[0] = "list".into();
            }
            ("who", None) => self.said.insert(0, "who".into()),
            (first, None) if is_one_of(QUESTIONS, first) && starts_with_a_noun => {
                self.said.insert(0, if names_one { "get" } else { "list" }.into());
            }
            _ => {}
        }
        std::iter::once(OsString::from(self.words[0])).chain(self.said).chain(self.options).collect()
    }
}

/// What a word means, in any case.
fn meaning(phrases: &[Phrases], word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    phrases.iter().find(|(theirs, _)| theirs.split(", ").any(|theirs| theirs == word)).map(|(_, ours)| *ours)
}

/// Whether a word is a noun of ours, or of another program's for it.
fn is_noun(root: &Command, word: &str) -> bool {
    root.find_subcommand(word).is_some() || our_noun(root, word).is_some()
}
