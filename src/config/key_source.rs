//! The API key: where it comes from, read when it is needed, and kept from other eyes.

use std::path::{Path, PathBuf};

use super::key_command::{COMMAND_TIME, printed_by};
use super::key_text::{key_error, key_from_stdin, parse_key};
use super::sourced::Origin;
use super::trusted_file::check_key_file;
use crate::model::failure::Failure;
use crate::model::output_format::ErrorFormat;
use crate::model::secret::{ApiKey, Secret};

/// How a profile keeps its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredKey {
    /// `api-key`: in the configuration file itself.
    Inline(Secret),
    /// `api-key-file`: in a file of its own.
    File(String),
    /// `api-key-command`: a program and its arguments, run without a shell.
    Command(Vec<String>),
}

/// Where the key will be read.
#[derive(Clone, Debug)]
pub(super) enum KeySource {
    /// `--api-key-file -`.
    Stdin,
    /// A file.
    File(PathBuf),
    /// `ASSESSCTL_API_KEY`.
    Variable(Secret),
    /// The configuration file at this path holds it, which others may be able to read.
    Inline(Secret, PathBuf, Option<Failure>),
    /// A program prints it: its path and its arguments.
    Command(Vec<String>),
    /// The profile has one, but not for the address in use.
    WithheldFor(String),
    /// The environment has one, and not for the address in use: what to do about it.
    Misdirected(Failure),
    /// None was given; with the name of the profile in use, if there is one.
    Missing(Option<String>),
}

impl KeySource {
    /// What `--api-key-file` names.
    pub(super) fn named(path: PathBuf) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path) }
    }

    /// How the key is kept, for people; `None` where there is none.
    pub(super) fn kept(&self) -> Option<&'static str> {
        match self {
            Self::Stdin | Self::Variable(_) => Some("given"),
            Self::File(_) | Self::Inline(..) if cfg!(unix) => Some("readable by its owner alone"),
            Self::File(_) | Self::Inline(..) => Some("in a file; who can read it was not looked at"),
            Self::Command(_) => Some("printed by a program"),
            Self::WithheldFor(_) | Self::Misdirected(_) | Self::Missing(_) => None,
        }
    }

    /// The file that holds the key; `-` for standard input.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::Stdin => Some(Path::new("-")),
            Self::File(path) => Some(path),
            _ => None,
        }
    }

    /// Reads the key for the service at `address`. A program that prints it may talk to a person, and to no other program.
    pub(super) fn read(&self, origin: Origin, address: &str, errors: ErrorFormat) -> Result<ApiKey, Failure> {
        match self {
            Self::Stdin => key_from_stdin(),
            Self::File(path) => check_key_file(path),
            Self::Variable(key) => parse_key(key, &origin.to_string()),
            Self::Inline(_, _, Some(exposed)) => Err(exposed.clone()),
            Self::Inline(key, file, None) => parse_key(key, &file.display().to_string()),
            Self::Command(argv) => printed_by(argv, COMMAND_TIME, errors)
                .map_err(|error| error.hint("type the command yourself: it has to print the key and nothing else")),
            Self::Misdirected(failure) => Err(failure.clone()),
            Self::WithheldFor(reason) => {
                let cause = format!("there is no API key for {address}: {reason}");
                Err(key_error(cause).hint("set ASSESSCTL_API_KEY or give --api-key-file"))
            }
            Self::Missing(profile) => {
                let stored = profile.as_ref().map_or("run `assessctl config init`".to_owned(), |profile| {
                    format!("run `assessctl config set api-key-file FILE --profile {profile}`")
                });
                let hint = format!("{stored}, set ASSESSCTL_API_KEY or give --api-key-file");
                Err(key_error(format!("there is no API key for {address}")).hint(hint))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::exit_ranks::Verdict;

    #[test]
    fn without_a_key_the_way_to_one_is_named() {
        let error =
            KeySource::Missing(None).read(Origin::Default, "https://a.example", ErrorFormat::Text).expect_err("no key");
        assert_eq!((error.verdict, error.cause.as_str()), (Verdict::Key, "there is no API key for https://a.example"));
        assert!(error.hint.is_some_and(|hint| hint.contains("config init")));
    }
}
