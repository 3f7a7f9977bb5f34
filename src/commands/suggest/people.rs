//! Which people a line names that could not be read: a hint is never about more people than it was.

use clap::Command;

use crate::bulk::roster::{Field, prefixed};
use crate::commands::shell::argv::{Part, TypedLine, is_one_of, is_option, named};
use crate::commands::suggest::dictionary::entry;
use crate::commands::suggest::foreign_options::OPTIONS;
use crate::commands::suggest::foreign_words::COMMANDS;
use crate::commands::suggest::suggestion::Edit;
use crate::commands::suggest::values::is_file;

/// Options whose value names a person.
const WHO: &str = "--email --mail --e-mail --id --ref --reference-id --user --person --who --employee --testtaker \
    --test-taker --for --name --recipient";
/// Options that choose people who have no result yet.
const OPEN: &str = "--pending --not-completed --incomplete --not-tested --untested --only-pending --pending-only --open \
    --overdue --not-started";
/// Options that choose people in another way.
const CHOICES: &str = "--filter --search --grep --selector -l --where --only --query --status --result --flagged \
    --completed-only --completed --limit --since --completed-since --has-last-test-sent";
/// Options that mean a flag: the word behind one is no value.
const FLAGS: &str = "--force -f -y --yes --dry-run --all -a --pdf --verbose";
/// Options before a file that is written.
const WRITTEN: &str = "--to --out --outfile --output --output-file -o -O --save --report --report-file --failed-out \
    --plan --with-links --log-file --status --failed --errors-file";
/// What is waited for by an option `--for`.
const AWAITED: &str = "completed complete completion done finished result results ready exists delete create flagged";

/// The people that a line is about.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Whom {
    /// The people, each as a hint names them.
    pub people: Vec<String>,
    /// Whether they are surely people: a number, an address or a prefix is in their names.
    pub are_plain: bool,
    /// Whether a file names them.
    pub in_file: bool,
    /// Whether all people are asked for in so many words.
    pub all: bool,
    /// Which of all it is about.
    pub part: People,
}

/// Which people of a project a line is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum People {
    /// All of them, unless some are named.
    #[default]
    All,
    /// Those who have no result yet.
    Open,
    /// Those that another option chooses.
    Chosen,
}

impl Whom {
    /// Reads them out of a line; `wrong` is the word that names no command, or the option that is wrong.
    pub fn of(line: &TypedLine<'_, '_>, wrong: Option<&str>) -> Self {
        let mut whom = Self::default();
        let (mut plain, mut bare, mut addressed) = (Vec::new(), Vec::new(), None);
        let mut before = String::new();
        for (word, part) in line.words.iter().zip(&line.parts).skip(1) {
            let text = word.to_string_lossy();
            let (name, joined) = named(&text);
            let option = std::mem::replace(&mut before, name.to_owned());
            let is_value = is_option(&text);
            let (option, value) = if is_value {
                whom.choose(name);
                let Some(value) = joined.filter(|value| !value.is_empty() && is_one_of(WHO, name)) else { continue };
                (name, value)
            } else {
                (option.as_str(), text.as_ref())
            };
            whom.in_file |= !is_value && is_file(value) && !writes(option);
            // The value of the option that is wrong is what it says, and data are no name.
            let is_said =
                wrong == Some(option) && option.starts_with('-') || !is_value && value.starts_with(['{', '[']);
            let is_command = !is_value
                && (matches!(part, Part::Command(_))
                    || Some(value) == wrong
                    || line.path.is_empty() && names_a_command(line.root, value)
                    || is_file(value)
                    || value == "-");
            if is_said || is_command || is_awaited(option, value) {
                continue;
            }
            match () {
                () if is_one_of(WHO, option) || value.contains('@') => {
                    addressed = addressed.or((option == "--email").then_some(plain.len()));
                    plain.push(shown(value));
                }
                () if *part == Part::Value || takes_value(line, option) => {}
                () if is_person(value) => plain.push(shown(value)),
                () => bare.push(shown(value)),
            }
        }
        // Beside another person an address is what that one shall get.
        if let Some(place) = addressed.filter(|_| plain.len() + bare.len() > 1) {
            plain.remove(place);
        }
        whom.are_plain = !plain.is_empty();
        if line.path.first().is_none_or(|noun| ["testtakers", "results", "links", "sandbox"].contains(noun)) {
            whom.people = if plain.is_empty() { bare } else { plain };
        }
        whom
    }

    /// Notes what an option says of all people.
    fn choose(&mut self, option: &str) {
        self.all |= ["--all", "-a", "--everyone"].contains(&option);
        self.part = match self.part {
            _ if is_one_of(OPEN, option) => People::Open,
            People::All if is_one_of(CHOICES, option) => People::Chosen,
            part => part,
        };
    }
}

/// A person as a hint names them.
pub fn shown(text: &str) -> String {
    let apart = text.split_once('=').filter(|(kind, _)| ["id", "ref", "email"].contains(kind));
    let text = &apart.map_or_else(|| text.to_owned(), |(kind, name)| format!("{kind}:{name}"));
    match prefixed(text) {
        Some((Field::EntryId, _)) => text.to_owned(),
        Some((Field::Email, _)) => "email:ADDRESS".to_owned(),
        None if text.contains('@') => "email:ADDRESS".to_owned(),
        _ => "ref:REFERENCE_ID".to_owned(),
    }
}

/// Whether a word behind `--for` is what is waited for, and no person.
fn is_awaited(option: &str, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let is_condition = ["condition=", "jsonpath="].iter().any(|begins| text.starts_with(begins));
    option == "--for" && (is_condition || is_one_of(AWAITED, &text))
}

/// Whether a word is surely a person: a number, an address or a prefix is in it.
pub fn is_person(text: &str) -> bool {
    !text.contains(' ') && (prefixed(text).is_some() || text.contains(|c: char| c.is_ascii_digit() || c == '@'))
}

/// Whether a word stands for a noun or a verb of ours.
fn names_a_command(root: &Command, text: &str) -> bool {
    entry(COMMANDS, &[], text).is_some()
        || root
            .get_subcommands()
            .any(|noun| noun.find_subcommand(text).is_some() || entry(COMMANDS, &[noun.get_name()], text).is_some())
}

/// Whether a file behind this option is one that is written.
pub fn writes(option: &str) -> bool {
    is_one_of(WRITTEN, option) || option.ends_with("-to") || option.ends_with("-out")
}

/// Whether the word behind an option that the command has not is probably its value.
fn takes_value(line: &TypedLine<'_, '_>, option: &str) -> bool {
    let is_unknown = option.starts_with('-') && !line.knows(option);
    // What means a flag of ours takes none.
    let is_flag = entry(OPTIONS, &line.path, option).is_some_and(|ours| matches!(ours.edit, Edit::Same([_, _, ..])));
    is_unknown && !is_flag && !is_one_of(FLAGS, option) && !is_one_of(OPEN, option)
}
