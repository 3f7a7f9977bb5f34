//! What a verb does and shows, declared beside its arguments: `schema` tells it to programs.

use clap::Command;
use clap::builder::CommandExt;
use serde::Serialize;

use crate::commands::shared::prints::Prints;

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
    /// A verb that prints no records.
    pub const fn of_effect(effect: CommandEffect) -> Self {
        Self { effect, people: false, secrets: false, json: None, other: None, status: false }
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
