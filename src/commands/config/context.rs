//! What the commands about the configuration work with: the file, the profile that a change is for, how to print.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::commands::shared::commands_in_hints::CommandLine;
use crate::config::configuration_text;
use crate::config::{Environment, Flags, Profiles, locate, locate_own, profile_in_use, resolve};
use crate::files::{Replacement, create_folder, open_lock};
use crate::model::failure::Failure;
use crate::output::{Console, Options};

/// What whoever edits the configuration holds locked, beside it.
const LOCK: &str = ".config.lock";

/// What a command about the configuration has at hand. It resolves nothing beforehand, so that such a command can mend
/// a file from which nothing can be resolved.
#[derive(Clone, Copy)]
pub struct ConfigContext<'a> {
    /// What the options say.
    pub flags: &'a Flags,
    /// What the environment says.
    pub environment: &'a Environment,
    /// How to print; the format counts where none can be resolved.
    pub options: &'a Options,
    /// Notes and questions.
    pub console: Console,
    /// What hints have to repeat.
    pub line: &'a CommandLine,
}

impl ConfigContext<'_> {
    /// Where the configuration file is, or would be.
    pub fn file(self) -> Result<PathBuf, Failure> {
        locate(self.flags, self.environment).map(|file| file.value)
    }

    /// The file that will be written and its text, empty where there is none yet.
    pub fn read(self) -> anyhow::Result<(PathBuf, String)> {
        let file = locate_own(self.flags, self.environment)?;
        let text = configuration_text(&file)?;
        Ok((file, text))
    }

    /// Edits the file as one run at a time does: two that read the same text would each write it without the other's change.
    /// `edit` makes the new text of the old one, or none where nothing changes.
    pub fn edit(self, mut edit: impl FnMut(&str, &Path) -> anyhow::Result<Option<String>>) -> anyhow::Result<()> {
        let (file, text) = self.read()?;
        // What is refused, or changes nothing, leaves no lock behind.
        if edit(&text, &file)?.is_none() {
            return Ok(());
        }
        let lock = file.with_file_name(LOCK);
        let lock = open_lock(&lock).with_context(|| format!("cannot write the configuration {}", file.display()))?;
        // An edit takes no longer than it takes to write a file. Where there are no locks, there are none.
        let _ = lock.lock();
        let text = configuration_text(&file)?;
        edit(&text, &file)?.map_or(Ok(()), |edited| write(&file, &edited))
    }

    /// The profile that a change is for.
    pub fn profile(self, text: &str, file: &Path) -> Result<String, Failure> {
        let profiles = Profiles::parse(text).map_err(|mistake| mistake.in_file(file))?;
        let profile = profile_in_use(self.flags, self.environment, &profiles)?;
        profile.map(|profile| profile.value).ok_or_else(|| {
            Failure::usage("no profile is in use")
                .hint("name one with --profile, or make one with `assessctl config init`")
        })
    }

    /// How to print: in the format that can be resolved, else in the one of the options.
    pub fn options(self) -> Options {
        let resolved = resolve(self.flags, self.environment).map(|settings| settings.output.value);
        let format = resolved.unwrap_or(self.options.format);
        Options { format, ..self.options.clone() }.to(self.options.to.clone(), self.flags.output)
    }
}

/// Replaces the configuration file as a whole; it and a new folder are for their owner alone, since it may hold a key.
pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    replace(file, text).with_context(|| format!("cannot write the configuration {}", file.display()))
}

fn replace(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_folder(folder)?;
    }
    let mut replacement = Replacement::begin(file)?;
    replacement.write_all(text.as_bytes())?;
    replacement.commit()
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
