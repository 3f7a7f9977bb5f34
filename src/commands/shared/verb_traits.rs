//! What a verb does and shows, declared beside its arguments: `schema` tells it to programs.

use clap::Command;
use clap::builder::CommandExt;
use serde::Serialize;

use crate::model::results::ResultsApi;
use crate::output::Columns;

/// What a verb changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandEffect {
    /// Nothing: it asks the service.
    Read,
    /// It adds to the service or changes something there.
    Write,
    /// It takes something away that cannot be brought back.
    Destroys,
    /// It is about this machine alone.
    Local,
}

/// What JSON output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonShape {
    /// One object.
    One,
    /// An array of objects.
    Many,
    /// One object where one is asked for, else an array.
    OneOrMany,
    /// One text.
    Text,
    /// An array of texts.
    Texts,
}

/// Whose words the records are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonSource {
    /// The service's: any field may be missing, and there may be further ones.
    Service,
    /// Ours: all fields are there, and no other.
    Own,
    /// Ours, with further ones that the user or a roster names.
    OwnAndNamed,
}

/// What a verb does and shows. Every verb has one, as an extension of its command.
#[derive(Clone, Copy, Debug)]
pub struct VerbTraits {
    /// What it changes.
    pub effect: CommandEffect,
    pub prints: Prints,
    /// Whether its output may hold people's names, addresses or reference ids.
    pub people: bool,
    /// Whether its output or a file that it writes may hold a key or a link.
    pub secrets: bool,
    /// What its JSON is, where it prints records.
    pub json: Option<(JsonShape, JsonSource)>,
    /// What the records are instead for some of its options.
    pub other: Option<Prints>,
    /// Whether `--status` means something: it does for what cron runs.
    pub status: bool,
}

impl CommandExt for VerbTraits {}

impl VerbTraits {
    /// A verb with this effect and this output.
    pub const fn new(effect: CommandEffect, prints: Prints) -> Self {
        Self { effect, prints, people: false, secrets: false, json: None, other: None, status: false }
    }

    /// What a verb declares; `None` for a noun.
    pub fn of(command: &Command) -> Option<Self> {
        command.get().copied()
    }

    /// Whether it changes what the service holds.
    pub fn writes(self) -> bool {
        matches!(self.effect, CommandEffect::Write | CommandEffect::Destroys)
    }

    /// Its output may hold people.
    #[must_use]
    pub const fn with_people(self) -> Self {
        Self { people: true, ..self }
    }

    /// Its output may hold secrets.
    #[must_use]
    pub const fn with_secrets(self) -> Self {
        Self { secrets: true, ..self }
    }

    /// For some of its options it prints these records instead.
    #[must_use]
    pub const fn or(self, prints: Prints) -> Self {
        Self { other: Some(prints), ..self }
    }

    /// It takes `--status`.
    #[must_use]
    pub const fn with_status(self) -> Self {
        Self { status: true, ..self }
    }

    /// Its JSON.
    #[must_use]
    pub const fn printing(self, shape: JsonShape, origin: JsonSource) -> Self {
        Self { json: Some((shape, origin)), ..self }
    }
}

/// What goes to standard output or to the file of `--to`.
#[derive(Clone, Copy, Debug)]
pub enum Prints {
    /// Records with these fields.
    Records(&'static Columns<'static>),
    /// Records whose fields depend on the shape of the results.
    Results(fn(ResultsApi) -> Vec<&'static str>),
    /// Records with the columns of the roster that is read.
    Rows,
    /// A text, on standard output alone.
    Text,
    /// A text that can also be written to `--to FILE`.
    File,
    /// Nothing; `--excel` tells of the roster that is read.
    Silent,
    /// Nothing; what is said of the output goes into the profile.
    Profile,
    /// Nothing at all.
    Nothing,
}

impl Prints {
    /// What a verb declares; `None` for a noun.
    pub fn of(command: &Command) -> Option<Self> {
        VerbTraits::of(command).map(|traits| traits.prints)
    }

    /// Whether `--output`, `--fields` and `--no-header` mean something.
    pub fn has_records(self) -> bool {
        matches!(self, Self::Records(_) | Self::Results(_) | Self::Rows)
    }

    /// Whether `--output` means something.
    pub fn has_format(self) -> bool {
        self.has_records() || matches!(self, Self::Profile)
    }

    /// Whether `--excel` means something.
    pub fn knows_spreadsheets(self) -> bool {
        self.has_records() || matches!(self, Self::Silent)
    }

    /// Whether `--to` means something.
    pub fn fills_a_file(self) -> bool {
        self.has_records() || matches!(self, Self::File)
    }

    /// What `--fields` may name, as far as it is known without a roster.
    pub fn fields(self, shape: ResultsApi) -> Vec<&'static str> {
        match self {
            Self::Records(columns) => columns.names().to_vec(),
            Self::Results(fields) => fields(shape),
            Self::Rows | Self::Text | Self::File | Self::Silent | Self::Profile | Self::Nothing => Vec::new(),
        }
    }
}
