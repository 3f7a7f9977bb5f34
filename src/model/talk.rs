//! How much a run says on standard error, and how.

pub use clap::ColorChoice;

/// How the program talks: known before any setting is, because each may be wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// `-q`: no notes and no progress.
    pub quiet: bool,
    /// `-v`: each request is shown.
    pub verbose: bool,
    /// What `--color`, `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say together.
    pub color: ColorChoice,
    /// The terminal can't move its cursor: no progress.
    pub is_dumb: bool,
    /// Errors are JSON, one object a line.
    pub errors_json: bool,
}
