//! What a verb prints, declared beside its arguments: options that do nothing, the end of its help and the completion of
//! `--fields` follow from it.

use clap::Command;
use clap::builder::CommandExt;

use crate::model::results::ResultsApi;
use crate::output::Columns;

/// What goes to standard output or to the file of `--to`. Every verb has one, as an extension of its command.
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
    /// A text that `--to` takes as well.
    File,
    /// Nothing; `--excel` tells of the roster that is read.
    Silent,
    /// Nothing; what is said of the output goes into the profile.
    Profile,
    /// Nothing at all.
    Nothing,
}

impl CommandExt for Prints {}

impl Prints {
    /// What a verb declares; `None` for a noun.
    pub fn of(command: &Command) -> Option<Self> {
        command.get().copied()
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
