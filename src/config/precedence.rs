//! One setting at a time: the option's value, the variable's, the profile's, the first of them that is given.

use std::path::{Path, PathBuf};

use url::Url;

use super::environment::Environment;
use super::flags::Flags;
use super::folders::beside;
use super::profiles::{Profile, Profiles};
use super::setting_table::{AnySetting as _, BASE_URL, Declaration, Setting};
use super::sourced::{Origin, Sourced, first};
use crate::model::failure::Failure;
use crate::model::service_address::parse_address;

/// A value that a setting's option has.
pub(super) fn flag(about: &Declaration) -> Origin {
    about.flag.map_or(Origin::Default, Origin::Flag)
}

/// A value that a setting's variable has.
pub(super) fn variable_of(about: &Declaration) -> Origin {
    about.variable.map_or(Origin::Default, Origin::Environment)
}

/// What is at hand while values are resolved.
pub(super) struct Resolver<'a> {
    pub(super) flags: &'a Flags,
    pub(super) environment: &'a Environment,
    pub(super) profiles: &'a Profiles,
    pub(super) stored: &'a Profile,
    pub(super) file: &'a Path,
    pub(super) sandbox: bool,
}

impl Resolver<'_> {
    /// A setting's value: the option's, the variable's or the profile's, the first of them that is given.
    pub(super) fn value<T>(&self, setting: &Setting<T>, given: Option<T>) -> Result<Option<Sourced<T>>, Failure> {
        let variable = match self.environment.text(&setting.about)? {
            Some((name, text)) => {
                let read = setting.typed(text).and_then(|literal| setting.read(&literal));
                Some(read.map_err(|reason| Failure::usage(format!("{name} {reason}")))?)
            }
            None => None,
        };
        Ok(first([
            (given, flag(&setting.about)),
            (variable, variable_of(&setting.about)),
            (self.stored.get(setting), Origin::Profile),
        ]))
    }

    /// The same where something holds always.
    pub(super) fn required<T>(
        &self,
        setting: &Setting<T>,
        given: Option<T>,
        default: T,
    ) -> Result<Sourced<T>, Failure> {
        Ok(self.value(setting, given)?.unwrap_or(Sourced::new(default, Origin::Default)))
    }

    /// A path of the profile.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        beside(self.file, path, self.environment.home.as_deref())
    }

    /// The address that the profile itself has, and that its key belongs to.
    pub(super) fn own_address(&self) -> Option<Url> {
        self.stored.get(&BASE_URL).and_then(|url| parse_address(&url, true).ok())
    }
}
