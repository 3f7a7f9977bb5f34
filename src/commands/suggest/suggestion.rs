//! What is suggested for a line that could not be read: the edit that mends it, and how both are told.

use std::borrow::Cow;
use std::fmt;

use clap::error::{ContextKind, ContextValue};

/// A text of a table, or one that was made for a line.
pub type Wording = Cow<'static, str>;

/// How a line is mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// These words of ours mean the same: in a line that changes nothing they are taken silently.
    Same(&'static [&'static str]),
    /// This command, without the program's name, in place of the unknown one.
    Command(Wording),
    /// These options in place of the unknown one, whose value stays. A placeholder stands for that value.
    Option(Wording),
    /// These options in place of an option and its value.
    Replace { ours: Wording, option: Wording },
    /// This value in place of the refused one, or these options in place of both it and its option.
    Value(Wording),
    /// This value in place of the refused one, as the remark says already.
    OwnValue(Wording),
    /// The option is left out. With the line that remains, where the program takes that.
    LeaveOut(Option<String>),
    /// The value of the option stands by itself.
    Bare,
    /// The value of the option names people; a bare number is one of this kind.
    Person(&'static str),
    /// The value of the option is a file of people. Where it has no value, this option stands in its place.
    File(&'static str),
    /// A word that is too many is the value of this option.
    Before(&'static str),
    /// A word that is too many is an option without its hyphens.
    Hyphens,
    /// A word that is too many may be a project.
    Project(Option<String>),
    /// A word that is too many may belong to the value before it.
    Quotes,
    /// A command is missing; this is one.
    AddCommand(String),
    /// Nothing that a program could do: the remark says what to type.
    Nothing,
}

/// An edit and what is said with it. Commands and options of ours stand between backticks in the remark, with placeholders in
/// capitals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    pub edit: Edit,
    pub remark: Wording,
}

/// Something else is to be typed, as these words say.
pub const fn say(remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Nothing, remark: Cow::Borrowed(remark) }
}

/// The same as these words of ours.
pub const fn is(words: &'static [&'static str]) -> Suggestion {
    Suggestion { edit: Edit::Same(words), remark: Cow::Borrowed("") }
}

/// Another command, and what else there is to say.
pub const fn command(words: &'static str, remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Command(Cow::Borrowed(words)), remark: Cow::Borrowed(remark) }
}

/// Another option, and what else there is to say.
pub const fn option(words: &'static str, remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Option(Cow::Borrowed(words)), remark: Cow::Borrowed(remark) }
}

/// The option is left out, and why.
pub const fn leave_out(why: &'static str) -> Suggestion {
    Suggestion { edit: Edit::LeaveOut(None), remark: Cow::Borrowed(why) }
}

/// The value stands by itself.
pub const fn bare(remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Bare, remark: Cow::Borrowed(remark) }
}

/// The value names people.
pub const fn person(kind: &'static str, remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::Person(kind), remark: Cow::Borrowed(remark) }
}

/// The value is a file of people.
pub const fn file(without_value: &'static str, remark: &'static str) -> Suggestion {
    Suggestion { edit: Edit::File(without_value), remark: Cow::Borrowed(remark) }
}

/// These options in place of one and its value.
pub const fn replace(ours: &'static str, option: &'static str) -> Suggestion {
    let edit = Edit::Replace { ours: Cow::Borrowed(ours), option: Cow::Borrowed(option) };
    Suggestion { edit, remark: Cow::Borrowed("") }
}

/// The same of options that were made for a line.
pub fn in_place(ours: impl Into<Wording>, option: &str) -> Suggestion {
    Edit::Replace { ours: ours.into(), option: option.to_owned().into() }.into()
}

impl From<Edit> for Suggestion {
    fn from(edit: Edit) -> Self {
        Self { edit, remark: Cow::Borrowed("") }
    }
}

impl From<String> for Suggestion {
    fn from(remark: String) -> Self {
        Self { edit: Edit::Nothing, remark: remark.into() }
    }
}

impl Suggestion {
    /// The commands of ours that are named, each without the program's name.
    pub fn commands(&self) -> Vec<String> {
        let text = self.to_string();
        text.split('`')
            .skip(1)
            .step_by(2)
            .filter_map(|code| Some(code.strip_prefix("assessctl ")?.to_owned()))
            .collect()
    }

    /// The option that has to be one of the command for this to be typed: the first thing that is named, if it is an option.
    pub fn needs(&self) -> Option<String> {
        let text = self.to_string();
        let code = text.split('`').nth(1).filter(|code| code.starts_with('-') && code.len() > 1)?;
        Some(code.split(' ').next()?.to_owned())
    }

    /// Whether it is another command, and nothing else is said.
    pub fn command_alone(&self) -> Option<&str> {
        match &self.edit {
            Edit::Command(words) if self.remark.is_empty() => Some(words),
            _ => None,
        }
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remark = &self.remark;
        let space = if remark.is_empty() { "" } else { " " };
        match &self.edit {
            Edit::Same(words) => write!(to, "did you mean `{}`?", words.join(" ")),
            Edit::Command(words) => write!(to, "did you mean `assessctl {words}`?{space}{remark}"),
            Edit::Option(words) | Edit::Value(words) => write!(to, "did you mean `{words}`?{space}{remark}"),
            Edit::Replace { ours, option } => write!(to, "write `{ours}` in place of {option}"),
            Edit::LeaveOut(None) => write!(to, "leave it out: {remark}"),
            Edit::LeaveOut(Some(line)) => write!(to, "leave it out: {remark} (`{line}`)"),
            Edit::Hyphens => write!(to, "two hyphens begin an option: --OPTION VALUE"),
            Edit::Project(Some(line)) => write!(to, "name a project with -p: `{line}`; quote values with spaces"),
            Edit::Project(None) | Edit::Quotes => {
                write!(to, "leave out what is too many, or quote the value with spaces that it belongs to")
            }
            Edit::AddCommand(command) => write!(to, "name a command first, such as `assessctl {command}`"),
            _ => write!(to, "{remark}"),
        }
    }
}

/// What the parser says was wrong.
pub fn said(error: &clap::Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        _ => None,
    }
}

/// The option that an error is about, without its value.
pub fn option_of(error: &clap::Error) -> Option<&str> {
    said(error, ContextKind::InvalidArg)?.split(' ').next()
}
