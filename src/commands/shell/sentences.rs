//! A line that is a sentence (`show results for X in P`, `who is at risk`), in the order and with the options of ours.

use std::ffi::OsString;

use clap::Command;
use jiff::Zoned;

use crate::bulk::roster::prefixed;
use crate::commands::shared::commands_in_hints::may_be_a_project;
use crate::commands::shell::argv::{Part, at, knows, parts, path};
use crate::commands::shell::foreign_words::{COMMANDS, Ours, entry};
use crate::commands::shell::spoken_times::spoken;
use crate::commands::shell::value_hints::is_file;
use crate::commands::shell::whom::is_person;
use crate::model::test_status::TestStatus;

/// Words that say nothing of their own.
const SMALL: [&str; 29] = [
    "the", "a", "an", "my", "our", "me", "us", "please", "every", "each", "any", "who", "which", "that", "is", "are",
    "was", "were", "has", "have", "had", "whose", "their", "called", "named", "titled", "there", "do", "does",
];
/// Words that ask, where they begin a line.
const QUESTIONS: [&str; 4] = ["who", "which", "what", "is"];
/// Verbs that show people.
const SHOWS: [&str; 13] =
    ["list", "show", "get", "print", "find", "display", "view", "give", "export", "see", "search", "lookup", "ls"];
/// Verbs that take people from one project to another.
const MOVES: [&str; 6] = ["move", "mv", "transfer", "copy", "cp", "clone"];
/// Verbs that take people out of a project.
const REMOVES: [&str; 6] = ["remove", "delete", "rm", "unenrol", "unenroll", "drop"];
/// Commands of this machine.
const MACHINE: [&str; 7] = ["config", "sandbox", "doctor", "completions", "man", "schema", "help"];
/// Words for all people of a project.
const ALL: [&str; 6] = ["everyone", "everybody", "anyone", "anybody", "people", "all"];
/// What people are said to be, and the option that chooses them; the longest first.
const STATES: [(&str, &str); 27] = [
    ("at high risk", "--flagged"),
    ("at risk", "--flagged"),
    ("at-risk", "--flagged"),
    ("risky", "--flagged"),
    ("flagged", "--flagged"),
    ("not fit", "--flagged"),
    ("unfit", "--flagged"),
    ("impaired", "--flagged"),
    ("not completed", "--not-completed"),
    ("not complete", "--not-completed"),
    ("not been completed", "--not-completed"),
    ("not yet completed", "--not-completed"),
    ("not done", "--not-completed"),
    ("not finished", "--not-completed"),
    ("not tested", "--not-completed"),
    ("not been tested", "--not-completed"),
    ("not taken", "--not-completed"),
    ("incomplete", "--not-completed"),
    ("pending", "--not-completed"),
    ("overdue", "--not-completed"),
    ("outstanding", "--not-completed"),
    ("missing", "--not-completed"),
    ("completed", "--completed-only"),
    ("complete", "--completed-only"),
    ("finished", "--completed-only"),
    ("done", "--completed-only"),
    ("tested", "--completed-only"),
];
/// Fields of a person by themselves, as directories name them, and the option that sets or names each.
const FIELDS: [(&str, &str); 20] = [
    ("firstname", "--first-name"),
    ("first-name", "--first-name"),
    ("first name", "--first-name"),
    ("first_name", "--first-name"),
    ("givenname", "--first-name"),
    ("forename", "--first-name"),
    ("lastname", "--last-name"),
    ("last-name", "--last-name"),
    ("last name", "--last-name"),
    ("last_name", "--last-name"),
    ("familyname", "--last-name"),
    ("surname", "--last-name"),
    ("referenceid", "--reference-id"),
    ("reference id", "--reference-id"),
    ("employeeid", "--reference-id"),
    ("birthyear", "--birth-year"),
    ("birth year", "--birth-year"),
    ("fields", "--fields"),
    ("query", "--filter"),
    ("limit", "--limit"),
];
/// Formats that a sentence names.
const FORMATS: [(&str, &str); 6] =
    [("csv", "csv"), ("json", "json"), ("ndjson", "ndjson"), ("excel", "xlsx"), ("xlsx", "xlsx"), ("table", "table")];

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
    is_option: Vec<bool>,
    next: usize,
    /// Verbs, nouns and what they are about.
    said: Vec<OsString>,
    options: Vec<OsString>,
    /// The option that chooses people by what they are said to be.
    state: Option<&'static str>,
    /// Whether anything was said as in a sentence.
    is_one: bool,
    /// Whether the value of a field follows whom it is of: `the last name of X to Y`.
    awaits_value: bool,
}

impl<'w> Sentence<'w> {
    fn of(root: &'w Command, words: &'w [OsString], projects: &'w [String]) -> Option<Self> {
        let path = path(root, words);
        // Of these nobody speaks so, and their words are settings and shells.
        let is_of_this_machine = path.first().is_some_and(|noun| MACHINE.contains(noun));
        if is_of_this_machine || words.iter().any(|word| word == "--") {
            return None;
        }
        let here = at(root, &path);
        let texts = words.iter().map(|word| word.to_str()).collect::<Option<Vec<&str>>>()?;
        let mut is_option: Vec<bool> = Vec::new();
        for (place, part) in parts(root, words).into_iter().enumerate() {
            let before = place.checked_sub(1).map(|before| texts[before]).unwrap_or_default();
            // What stands behind an option that there is not may be its value.
            let may_be_value = before.starts_with("--") && !before.contains('=') && !knows(root, here, before);
            is_option.push(part == Part::Value || may_be_value || texts[place].starts_with('-') && texts[place] != "-");
        }
        Some(Self {
            root,
            projects,
            words: texts,
            is_option,
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

    fn shows(&self) -> bool {
        SHOWS.contains(&self.first()) || QUESTIONS.contains(&self.first()) || self.first() == "how"
    }

    /// The word that stands so many behind the next one, if it is no option.
    fn at(&self, behind: usize) -> Option<&'w str> {
        let place = self.next + behind;
        self.words.get(place).copied().filter(|_| !self.is_option[place])
    }

    /// The longest of these phrases that stands here, so many words behind the next one; with its number of words.
    fn phrase<V: Copy>(&self, phrases: &[(&str, V)], behind: usize) -> Option<(V, usize)> {
        phrases.iter().find_map(|(phrase, value)| {
            let mut words = phrase.split(' ').enumerate();
            let stands = words
                .all(|(place, word)| self.at(behind + place).is_some_and(|typed| typed.eq_ignore_ascii_case(word)));
            stands.then(|| (*value, phrase.split(' ').count()))
        })
    }

    /// Reads the next word, or the next few; `None` where a small word has no meaning that is known.
    fn step(&mut self) -> Option<()> {
        let Some(word) = self.at(0) else {
            self.options.push(self.words[self.next].into());
            return self.advance(1);
        };
        let asks = QUESTIONS.contains(&self.first());
        match () {
            () if self.next == 1 && word == "how" && matches!(self.at(1), Some("many" | "much")) => {
                self.said.push("count".into());
                return self.skip(2);
            }
            () if self.next == 1 && asks => return self.advance(1),
            () if self.said.is_empty() && !asks => return self.keep(word),
            () => {}
        }
        if let Some((option, count)) = self.phrase(&STATES, 0).filter(|_| asks || self.is_about_people()) {
            self.state = Some(option);
            return self.skip(count);
        }
        if let Some(person) = self.person_behind(word) {
            self.said.push(person.into());
            return self.skip(2);
        }
        if let Some((option, count)) = self.phrase(&FIELDS, 0).filter(|(_, count)| self.sets(*count)) {
            return self.field(option, count);
        }
        self.small_word(word)
    }

    /// A word that says where, whose or when, or nothing of its own; any other is kept.
    fn small_word(&mut self, word: &'w str) -> Option<()> {
        match word {
            _ if SMALL.contains(&word) => self.skip(1),
            "all" if REMOVES.contains(&self.first()) => self.all(),
            "all" if self.at(1).is_some() => self.skip(1),
            "bulk" | "mass" if self.said.len() > 1 => self.skip(1),
            "everyone" | "everybody" | "anyone" | "anybody" => self.all(),
            "in" | "into" | "within" | "inside" | "of" | "for" | "from" | "to" | "onto" | "as" | "using" => {
                self.skip(1)?;
                self.preposition(word)
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
            "by" | "where" | "and" | "or" | "not" | "on" | "at" | "without" | "except" | "but" | "no" => None,
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
        const SENDS: [&str; 8] = ["send", "mail", "remind", "notify", "invite", "issue", "create", "resend"];
        self.shows() || SENDS.contains(&self.first()) || REMOVES.contains(&self.first()) || self.first() == "count"
    }

    /// The person of whom a field is named first: `ref A-1`, `id 42`.
    fn person_behind(&self, field: &str) -> Option<String> {
        const KINDS: [(&str, &str); 12] = [
            ("ref", "ref"),
            ("reference", "ref"),
            ("reference-id", "ref"),
            ("referenceid", "ref"),
            ("employee-id", "ref"),
            ("employeeid", "ref"),
            ("employee-number", "ref"),
            ("employee", "ref"),
            ("external-id", "ref"),
            ("badge", "ref"),
            ("entry-id", "id"),
            ("id", "id"),
        ];
        const OF_ONE: [&str; 8] = ["get", "show", "issue", "update", "remove", "delete", "view", "describe"];
        let has_verb = self.said.iter().any(|word| OF_ONE.iter().any(|verb| word == verb));
        let (_, kind) = KINDS.into_iter().find(|(name, _)| field.eq_ignore_ascii_case(name)).filter(|_| has_verb)?;
        let is_named = self.said.iter().any(|word| is_person(&word.to_string_lossy()));
        let name = self.at(1).filter(|name| is_person(name) && !is_named)?;
        Some(if prefixed(name).is_some() { name.to_owned() } else { format!("{kind}:{name}") })
    }

    /// Whether a field may stand here, of so many words: behind whom it is of, or before.
    fn sets(&self, count: usize) -> bool {
        self.said.len() > 1 || matches!(self.at(count), Some("of" | "for"))
    }

    fn keep(&mut self, word: &str) -> Option<()> {
        self.said.push(word.into());
        self.advance(1)
    }

    /// Whether a noun is said already, or what stands for one.
    fn has_noun(&self) -> bool {
        let means_people = |word: &OsString| {
            let word = word.to_string_lossy();
            is_person(&word) || is_noun(self.root, &word)
        };
        self.said.iter().any(means_people)
    }

    /// All people of a project.
    fn all(&mut self) -> Option<()> {
        if !self.shows() {
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
        let format = FORMATS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, ours)| *ours);
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
            "from" | "to" if MOVES.contains(&self.first()) => self.project(&format!("--{small}")),
            _ if is_project || ["in", "into", "within", "inside", "onto"].contains(&small) => self.project("-p"),
            // Whose they are is read next.
            _ if ALL.contains(&word) || SMALL.contains(&word) || is_noun(self.root, word) => Some(()),
            "from" if spoken(word, &Zoned::now()).is_some() => {
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

    /// A time, which may be of several words.
    fn time(&mut self, option: &str) -> Option<()> {
        self.next += 1;
        let joined = |count: usize| (0..count).map(|place| self.at(place)).collect::<Option<Vec<_>>>();
        let said = (1..=4).rev().find_map(|count| Some((spoken(&joined(count)?.join(" "), &Zoned::now())?, count)));
        let (time, count) = said.or_else(|| Some((self.at(0)?.to_owned(), 1)))?;
        self.options.extend([option.into(), time.into()]);
        self.skip(count)
    }

    /// The whole line.
    fn line(mut self) -> Vec<OsString> {
        let said_person = |word: &OsString| is_person(&word.to_string_lossy());
        let names_one = self.said.iter().any(said_person);
        let starts_with_a_noun = self.said.first().is_some_and(|word| is_noun(self.root, &word.to_string_lossy()));
        match (self.first(), self.state) {
            ("how" | "count", Some(_)) => self.said = ["results", "summary"].map(OsString::from).into(),
            (_, Some(_)) if self.shows() && names_one => {
                self.said.retain(said_person);
                self.said.splice(0..0, ["results", "get"].map(OsString::from));
            }
            (_, Some(state)) if self.shows() => {
                self.said = ["results", "list"].map(OsString::from).into();
                self.options.push(state.into());
            }
            (_, Some(state)) => self.options.push(state.into()),
            ("who", None) => self.said.insert(0, "who".into()),
            (first, None) if QUESTIONS.contains(&first) && starts_with_a_noun => {
                self.said.insert(0, if names_one { "get" } else { "list" }.into());
            }
            _ => {}
        }
        std::iter::once(OsString::from(self.words[0])).chain(self.said).chain(self.options).collect()
    }
}

/// Whether a word is a noun of ours, or of another program's for it.
fn is_noun(root: &Command, word: &str) -> bool {
    root.find_subcommand(word).is_some()
        || matches!(entry(COMMANDS, &[], word, |_| true), Some(Ours::Is([noun])) if root.find_subcommand(noun).is_some())
}
