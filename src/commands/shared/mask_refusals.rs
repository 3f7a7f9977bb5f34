//! All that does not go with `--mask`, because it would act on pseudonyms or show links.

use crate::commands::shared::session::Session;
use crate::model::failure::Failure;

/// What is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmaskable {
    /// `links issue`
    Links,
    /// `projects link`
    ProjectLink,
    /// `--failed-out` and `--with-links`
    FileToWorkWith,
    /// `testtakers sync --plan`
    Plan,
    /// `testtakers apply`
    Applying,
}

impl Unmaskable {
    fn words(self) -> &'static str {
        match self {
            Self::Links => "a list of links",
            Self::ProjectLink => "the link of a project",
            Self::FileToWorkWith => "a file to work with",
            Self::Plan => "a plan",
            Self::Applying => "applying a plan",
        }
    }
}

impl Session {
    /// Refuses this where people are masked, before anything is sent.
    pub fn refuse_masked(&self, what: Unmaskable) -> Result<(), Failure> {
        if !self.settings.mask.value {
            return Ok(());
        }
        let failure = Failure::usage(format!("{} does not go with --mask: nothing was sent", what.words()));
        Err(failure.hint("leave --mask out, or unset `mask` of the profile"))
    }
}
