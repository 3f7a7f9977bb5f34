//! What the commands about the configuration work with: the flags, the environment, and the file as a whole.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::config::{self, Environment, Given, Profiles, locate, profile_in_use, settle};
use crate::model::verdict::Failure;
use crate::output::file::Replacement;
use crate::output::{Options, Talk};

/// What the commands about the configuration work with. They settle nothing beforehand, so that they can mend a file
/// from which nothing can be settled.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// What the flags say.
    pub given: &'a Given,
    /// What the environment says.
    pub environment: &'a Environment,
    /// How to print; the format counts where none can be settled.
    pub options: &'a Options,
    /// Notes and questions.
    pub talk: Talk,
}

impl Around<'_> {
    /// Where the configuration is, or would be.
    pub fn file(self) -> Result<PathBuf, config::Error> {
        locate(self.given, self.environment).map(|file| file.value)
    }

    /// The file and its text, empty where there is none yet.
    pub fn read(self) -> anyhow::Result<(PathBuf, String)> {
        let file = self.file()?;
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok((file, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((file, String::new())),
            Err(error) => Err(error).with_context(|| format!("cannot read the configuration {}", file.display())),
        }
    }

    /// The profile that a change is for.
    pub fn profile(self, text: &str, file: &Path) -> Result<String, config::Error> {
        let profiles = Profiles::parse(text, file)?;
        let profile = profile_in_use(self.given, self.environment, &profiles)?;
        profile.map(|profile| profile.value).ok_or_else(|| {
            Failure::usage("no profile is in use")
                .hint("name one with --profile, or make one with `assessctl config init`")
        })
    }

    /// How to print: in the format that can be settled, else in the one of the flags.
    pub fn options(self) -> Options {
        let settled = settle(self.given, self.environment).map(|settings| settings.output.value);
        Options { format: settled.unwrap_or(self.options.format), ..self.options.clone() }
    }
}

/// Replaces the configuration file as a whole; it and a new folder are for their owner alone, since it may hold a key.
pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let written = || -> io::Result<()> {
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            config::create_private(folder)?;
        }
        let mut replacement = Replacement::begin(file)?;
        replacement.write_all(text.as_bytes())?;
        replacement.commit()
    };
    written().with_context(|| format!("cannot write the configuration {}", file.display()))
}

/// A path as it can be kept in the file: the user means it from where they are, or from home.
pub fn absolute(path: &str) -> anyhow::Result<String> {
    if path.is_empty() || path.starts_with("~/") {
        return Ok(path.to_owned());
    }
    let absolute = std::path::absolute(path).with_context(|| format!("cannot tell where {path} is"))?;
    let text = absolute.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
    Ok(text.to_owned())
}
