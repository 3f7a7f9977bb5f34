//! Which key goes where: a key belongs to one address and goes to no other.

use std::path::{Path, is_separator};

use url::Url;

use super::key_source::{KeySource, StoredKey};
use super::precedence::{Resolver, flag, variable_of};
use super::setting_table as of;
use super::setting_table::Declaration;
use super::sourced::{Origin, Sourced, first};
use crate::model::failure::Failure;
use crate::model::service_address::{origin_of, parse_address};

impl Resolver<'_> {
    /// Where the key for this address will be read.
    pub(super) fn key(&self, base_url: Option<&Sourced<Url>>) -> Sourced<KeySource> {
        if self.sandbox {
            return Sourced::new(KeySource::Missing(None), Origin::Sandbox);
        }
        let profile = self.stored.key().map(|key| match (self.foreign(base_url), key) {
            (Some(reason), _) => KeySource::WithheldFor(reason),
            (None, StoredKey::File(path)) => KeySource::File(self.path(&path)),
            (None, StoredKey::Command(argv)) => KeySource::Command(self.argv(argv)),
            (None, StoredKey::Inline(key)) => {
                KeySource::Inline(key, self.file.to_owned(), self.profiles.exposed.clone())
            }
        });
        let flagged = self.flags.api_key_file.clone().map(KeySource::named);
        let (about, key) = self.of_environment();
        let variable = key.map(|key| match self.misdirected(about, base_url) {
            Some(failure) => KeySource::Misdirected(failure),
            None => key,
        });
        first([(flagged, flag(&of::API_KEY_FILE.about)), (variable, variable_of(about)), (profile, Origin::Profile)])
            .unwrap_or_else(|| {
                let profile = Some(self.stored.name.clone()).filter(|name| !name.is_empty());
                Sourced::new(KeySource::Missing(profile), Origin::Default)
            })
    }

    /// The key of the environment and its variable: the key itself, else the file that holds it.
    fn of_environment(&self) -> (&'static Declaration, Option<KeySource>) {
        let file = self.environment.raw(&of::API_KEY_FILE.about);
        match self.environment.api_key.clone() {
            Some(key) => (&of::API_KEY.about, Some(KeySource::Variable(key))),
            None => (&of::API_KEY_FILE.about, file.map(|path| KeySource::File(path.into()))),
        }
    }

    /// Why the key of the environment must not go to this address. It belongs to the address of the environment; where
    /// that is unset, to `--base-url` if no profile has an address, or to a profile that has no key of its own.
    fn misdirected(&self, about: &Declaration, base_url: Option<&Sourced<Url>>) -> Option<Failure> {
        let used = base_url?;
        let name = about.variable?;
        let to = origin_of(&used.value);
        let of = self.environment.text(&of::BASE_URL.about).ok().flatten();
        let refused = match (of, used.origin) {
            (Some((_, own)), _) => match parse_address(own, true) {
                Ok(own) if own.origin() == used.value.origin() => return None,
                Ok(own) => {
                    format!("{name} belongs to ASSESSCTL_BASE_URL ({}), not to {to}", origin_of(&own))
                }
                Err(reason) => format!("ASSESSCTL_BASE_URL, to which {name} belongs, {reason}"),
            },
            (None, Origin::Profile) if self.stored.key().is_none() => return None,
            (None, Origin::Profile) => format!(
                "profile {} has an API key of its own, and {name} does not say to which address it belongs",
                self.stored.name
            ),
            (None, _) if self.profiles.all.iter().all(|profile| profile.get(&of::BASE_URL).is_none()) => return None,
            (None, _) if self.stored.key().is_none() && self.is_own(&used.value) => return None,
            (None, _) => format!("{name} does not say to which address it belongs, and --base-url is {to}"),
        };
        let hint = format!("set ASSESSCTL_BASE_URL={to} if the key is for it, else unset {name}");
        Some(Failure::usage(refused).hint(hint))
    }

    /// Whether an address is that of the profile itself.
    fn is_own(&self, url: &Url) -> bool {
        self.own_address().is_some_and(|own| own.origin() == url.origin())
    }

    /// Why the profile's key must not go to this address: it belongs to the profile's own.
    fn foreign(&self, base_url: Option<&Sourced<Url>>) -> Option<String> {
        let used = base_url.filter(|url| url.origin != Origin::Profile)?;
        let name = &self.stored.name;
        match self.own_address() {
            Some(own) if own.origin() == used.value.origin() => None,
            Some(own) => Some(format!("that of profile {name} belongs to {}", origin_of(&own))),
            None => Some(format!("that of profile {name} belongs to no address, the profile has no base-url")),
        }
    }

    /// A program with a path starts beside the file and not in the current directory; a bare name is found as ever.
    fn argv(&self, mut argv: Vec<String>) -> Vec<String> {
        if let Some(program) = argv.first_mut() {
            let is_path = program.contains(is_separator);
            let found = if is_path { Some(self.path(program)) } else { self.environment.program(program) };
            if let Some(found) = found.as_deref().and_then(Path::to_str) {
                found.clone_into(program);
            }
        }
        argv
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::environment::Environment;
    use super::super::flags::Flags;
    use super::super::profiles::Profiles;
    use super::*;
    use crate::model::exit_ranks::Verdict;
    use crate::model::output_format::ErrorFormat;

    const FILE: &str = "[profiles.main]\nbase-url = \"https://a.example\"\napi-key = \"canary\"\n\
                        [profiles.keyless]\nbase-url = \"https://b.example\"\n";

    /// The key of the environment for what the variable, the option and the profile say; it stands in the variable, and
    /// the one that stands in a file goes nowhere else.
    fn sent(file: &str, variable: Option<&str>, option: Option<&str>, name: Option<&str>) -> Result<String, Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        std::fs::write(&path, "other\n").expect("written");
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
        let in_file = Environment::default().with(&of::API_KEY_FILE.about, path.to_str().expect("Unicode"));
        let sent = |environment| sent_by(environment, file, (variable, option, name));
        let (by_file, by_variable) = (sent(in_file), sent(Environment::default().with(&of::API_KEY.about, "other")));
        let renamed = |failure: Failure| {
            let cause = failure.cause.replace("_KEY_FILE", "_KEY");
            Failure { cause, hint: failure.hint.map(|hint| hint.replace("_KEY_FILE", "_KEY")), ..failure }
        };
        assert_eq!(by_file.map_err(renamed), by_variable);
        by_variable
    }

    fn sent_by(
        environment: Environment,
        file: &str,
        (variable, option, name): (Option<&str>, Option<&str>, Option<&str>),
    ) -> Result<String, Failure> {
        let profiles = Profiles::parse(file).expect("a good file");
        let environment = match variable {
            Some(url) => environment.with(&of::BASE_URL.about, url),
            None => environment,
        };
        let flags = Flags { base_url: option.map(str::to_owned), ..Flags::default() };
        let stored = name.and_then(|name| profiles.named(name)).cloned().unwrap_or_default();
        let (file, sandbox) = (Path::new("config.toml"), false);
        let resolver =
            Resolver { flags: &flags, environment: &environment, profiles: &profiles, stored: &stored, file, sandbox };
        let url = resolver.value(&of::BASE_URL, flags.base_url.clone())?.expect("an address");
        let url = Sourced::new(Url::parse(&url.value).expect("a URL"), url.origin);
        let key = resolver.key(Some(&url));
        key.value.read(key.origin, "https://x.example", ErrorFormat::Text).map(|key| key.expose().to_owned())
    }

    #[test]
    fn the_key_of_the_environment_goes_to_its_own_address_alone() {
        let (own, other) = (Some("https://c.example"), Some("https://d.example"));
        // Variable, option, profile, and whether the key may go there: keyless has no key of its own.
        let cases = [
            (own, None, Some("main"), true),
            (own, None, None, true),
            (own, own, Some("keyless"), true),
            (own, other, None, false),
            (own, other, Some("keyless"), false),
            (None, None, Some("keyless"), true),
            (None, None, Some("main"), false),
            (None, other, Some("keyless"), false),
            (None, other, None, false),
            (None, Some("https://b.example"), Some("keyless"), true),
            (None, Some("https://a.example"), Some("main"), false),
        ];
        for (variable, option, name, goes) in cases {
            let case = format!("{variable:?} {option:?} {name:?}");
            match sent(FILE, variable, option, name) {
                Ok(key) => assert!(goes && key == "other", "{case}"),
                Err(failure) => {
                    assert!(!goes && failure.verdict == Verdict::Usage, "{case}: {failure:?}");
                    assert!(
                        failure.hint.is_some_and(|hint| hint.contains("set ASSESSCTL_BASE_URL=https://")),
                        "{case}"
                    );
                }
            }
        }
    }

    #[test]
    fn where_no_profile_has_an_address_the_key_of_the_environment_goes_to_that_of_the_option() {
        let option = Some("https://a.example");
        assert_eq!(sent("", None, option, None), Ok("other".to_owned()));
        assert_eq!(sent("[profiles.x]\nproject = \"Demo\"\n", None, option, Some("x")), Ok("other".to_owned()));
    }
}
