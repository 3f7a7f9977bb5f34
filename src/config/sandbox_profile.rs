//! The profile `sandbox`: its address, key and project are its own, so that a rehearsal can't reach production.

use super::precedence::Resolver;
use super::setting_table as of;
use super::setting_table::Declaration;
use crate::model::failure::Failure;
use crate::model::projects::SANDBOX_PROJECT;

impl Resolver<'_> {
    /// Refuses options that name another address or key beside it.
    pub(super) fn nothing_beside_sandbox(&self) -> Result<(), Failure> {
        let beside = [
            (&of::BASE_URL.about, self.flags.base_url.is_some()),
            (&of::API_KEY_FILE.about, self.flags.api_key_file.is_some()),
        ];
        match beside.into_iter().find_map(|(about, given)| about.flag.filter(|_| given)) {
            Some(flag) => Err(Failure::usage(format!(
                "the profile sandbox has its own address and key: {flag} cannot be used with it"
            ))
            .hint(format!("leave out {flag}, or name another --profile"))),
            None => Ok(()),
        }
    }

    /// The settings whose variables it ignores.
    pub(super) fn ignored_beside_sandbox(&self) -> Vec<&'static Declaration> {
        let own = [&of::BASE_URL.about, &of::API_KEY.about, &of::API_KEY_FILE.about, &of::PROJECT.about];
        own.into_iter()
            .filter(|about| self.sandbox && self.environment.sets(about))
            .filter(|about| {
                // A variable that names the project which is taken anyway is not misleading.
                about.key != of::PROJECT.about.key
                    || self.environment.raw(about).is_none_or(|name| name != SANDBOX_PROJECT)
            })
            .collect()
    }
}
