//! Resolving: what the options, the environment, the profile and the defaults say together.

use std::path::PathBuf;

use url::Url;

use super::environment::Environment;
use super::flags::Flags;
use super::folders::{at_home, config_file, state_folder};
use super::precedence::{Resolver, flag, variable_of};
use super::profiles::{Profile, Profiles, SANDBOX};
use super::run_settings::Settings;
use super::setting_table as of;
use super::sourced::{Origin, Sourced, first, parse_word};
use crate::model::concurrency::Concurrency;
use crate::model::failure::Failure;
use crate::model::max_records::RECORDS_MAX;
use crate::model::output_format::{ErrorFormat, Format};
use crate::model::projects::SANDBOX_PROJECT;
use crate::model::results::ResultsApi;
use crate::model::service_address::parse_address;

/// Where the configuration is: `--config`, `ASSESSCTL_CONFIG`, or the platform's folder.
pub fn locate(flags: &Flags, environment: &Environment) -> Result<Sourced<PathBuf>, Failure> {
    match &flags.config {
        Some(path) => Ok(Sourced::new(path.clone(), flag(&of::CONFIG.about))),
        None => config_file(environment),
    }
}

/// The same of a file that may be about to be made: not in another account's home, unless the user names it.
pub fn locate_own(flags: &Flags, environment: &Environment) -> Result<PathBuf, Failure> {
    let file = locate(flags, environment)?;
    at_home(&file).map_err(|failure| failure.hint("set HOME, or give --config FILE"))?;
    Ok(file.value)
}

/// The profile that `--profile`, `ASSESSCTL_PROFILE` or the file names, known or not.
pub fn profile_in_use(
    flags: &Flags,
    environment: &Environment,
    profiles: &Profiles,
) -> Result<Option<Sourced<String>>, Failure> {
    let variable = environment.text(&of::PROFILE.about)?.map(|(_, name)| name.to_owned());
    Ok(first([
        (flags.profile.clone(), flag(&of::PROFILE.about)),
        (variable, variable_of(&of::PROFILE.about)),
        (profiles.default.clone(), Origin::File),
    ]))
}

/// How messages are written: what `--errors` says, else its variable. Read before anything else, because everything else
/// may have a message.
pub fn error_format(flag: Option<ErrorFormat>, environment: &Environment) -> Result<ErrorFormat, Failure> {
    if let Some(format) = flag {
        return Ok(format);
    }
    let Some((name, text)) = environment.text(&of::ERRORS.about)? else { return Ok(ErrorFormat::default()) };
    parse_word(text).map_err(|reason| Failure::usage(format!("{name} {reason}")))
}

/// Resolves every value: flag > environment > profile > default.
pub fn resolve(flags: &Flags, environment: &Environment) -> Result<Settings, Failure> {
    let config_file = locate(flags, environment)?;
    if flags.config.is_some() && !config_file.value.exists() {
        let cause = format!("the configuration {} does not exist", config_file.value.display());
        return Err(Failure::usage(cause).hint("`assessctl config init` writes one"));
    }
    let profiles = Profiles::read(&config_file.value)?;
    let profile = profile_in_use(flags, environment, &profiles)?;
    let name = profile.as_ref().map(|profile| profile.value.as_str());
    let sandbox = name == Some(SANDBOX);
    if sandbox && !cfg!(feature = "sandbox") {
        return Err(Failure::usage("this program was built without the sandbox").hint("name another --profile"));
    }
    let stored = match name {
        Some(name) if !sandbox => {
            profiles.named(name).cloned().ok_or_else(|| profiles.unknown(name, &config_file.value))?
        }
        _ => Profile::default(),
    };
    let resolver =
        Resolver { flags, environment, profiles: &profiles, stored: &stored, file: &config_file.value, sandbox };
    let allow_http = resolver.required(&of::ALLOW_HTTP, None, false)?;
    let base_url = resolver.base_url(allow_http.value)?;
    Ok(Settings {
        state_folder: state_folder(environment),
        project: resolver.project()?,
        output: resolver.required(&of::OUTPUT, flags.output, Format::default())?,
        errors: resolver.required(&of::ERRORS, flags.errors, ErrorFormat::default())?,
        results_api: resolver.required(&of::RESULTS_API, flags.results_api, ResultsApi::default())?,
        ca_cert: resolver.ca_cert()?,
        concurrency: resolver.required(&of::CONCURRENCY, flags.concurrency, Concurrency::Auto)?,
        max_rate: resolver.value(&of::MAX_RATE, flags.max_rate)?,
        timeout: resolver.value(&of::TIMEOUT, flags.timeout)?,
        deadline: resolver.value(&of::DEADLINE, flags.deadline)?,
        max_records: resolver.required(&of::MAX_RECORDS, flags.max_records, RECORDS_MAX)?,
        read_only: resolver.required(&of::READ_ONLY, None, false)?,
        confirm: resolver.value(&of::CONFIRM, None)?,
        mask: resolver.required(&of::MASK, flags.mask.then_some(true), false)?,
        ignored: resolver.ignored_beside_sandbox(),
        trust: environment.trust.clone(),
        key: resolver.key(base_url.as_ref()),
        allow_http,
        base_url,
        profile,
        config_file,
    })
}

impl Resolver<'_> {
    /// A path of the profile starts beside the file, one of the option or the variable where the user is.
    fn ca_cert(&self) -> Result<Option<Sourced<PathBuf>>, Failure> {
        let found = self.value(&of::CA_CERT, self.flags.ca_cert.clone())?;
        Ok(found.map(|Sourced { value, origin }| match (origin, value.to_str()) {
            (Origin::Profile, Some(path)) => Sourced::new(self.path(path), origin),
            _ => Sourced::new(value, origin),
        }))
    }

    fn base_url(&self, allow_http: bool) -> Result<Option<Sourced<Url>>, Failure> {
        if self.sandbox {
            return self.nothing_beside_sandbox().map(|()| None);
        }
        let Some(Sourced { value, origin }) = self.value(&of::BASE_URL, self.flags.base_url.clone())? else {
            return Ok(None);
        };
        // What a profile allows holds for its own address alone.
        let own = self.own_address().map(|own| own.origin());
        let allow_http = allow_http && own.is_some() && own == parse_address(&value, true).ok().map(|url| url.origin());
        match parse_address(&value, allow_http) {
            Ok(url) => Ok(Some(Sourced::new(url, origin))),
            Err(reason) => {
                let of = match origin {
                    Origin::Profile => format!("profile {}", self.stored.name),
                    origin => origin.to_string(),
                };
                Err(Failure::usage(format!("the base URL ({of}) {reason}")))
            }
        }
    }

    fn project(&self) -> Result<Option<Sourced<String>>, Failure> {
        if self.sandbox {
            return Ok(Some(Sourced::new(SANDBOX_PROJECT.to_owned(), Origin::Sandbox)));
        }
        self.value(&of::PROJECT, None)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::model::exit_ranks::Verdict;

    const FILE: &str = r#"
profile = "main"
[profiles.main]
base-url = "https://a.example/root"
api-key = "canary"
project = "Night shift"
output = "csv"
concurrency = 8
ca-cert = "ca.pem"
[profiles.keyless]
base-url = "https://b.example"
[profiles.nowhere]
api-key = "canary"
[profiles.plain]
base-url = "http://c.example"
allow-http = true
"#;

    struct Account {
        folder: tempfile::TempDir,
        environment: Environment,
    }

    impl Account {
        fn set(&mut self, about: &'static of::Declaration, value: &str) {
            self.environment = std::mem::take(&mut self.environment).with(about, value);
        }
    }

    fn account() -> Account {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        std::fs::write(&path, FILE).expect("written");
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
        Account { environment: Environment::default().with(&of::CONFIG.about, path.to_str().expect("Unicode")), folder }
    }

    fn profile(name: &str) -> Flags {
        Flags { profile: Some(name.to_owned()), ..Flags::default() }
    }

    fn verdict<T: std::fmt::Debug>(result: Result<T, Failure>) -> (Verdict, String) {
        let error = result.expect_err("a mistake");
        assert!(!error.to_string().contains("canary"), "{error}");
        (error.verdict, error.to_string())
    }

    #[test]
    fn flag_beats_environment_beats_profile_beats_default() {
        let mut account = account();
        let resolved = resolve(&Flags::default(), &account.environment).expect("resolved");
        assert_eq!(resolved.output, Sourced::new(Format::Csv, Origin::Profile));
        assert_eq!(resolved.profile, Some(Sourced::new("main".to_owned(), Origin::File)));
        assert_eq!(resolved.ca_cert.expect("a path").value, account.folder.path().join("ca.pem"));
        assert_eq!(resolved.results_api, Sourced::new(ResultsApi::Current, Origin::Default));
        account.set(&of::OUTPUT.about, "ndjson");
        account.set(&of::PROJECT.about, "Day shift");
        let resolved = resolve(&Flags::default(), &account.environment).expect("resolved");
        assert_eq!(resolved.output, Sourced::new(Format::Ndjson, Origin::Environment("ASSESSCTL_OUTPUT")));
        assert_eq!(resolved.project.expect("a project").value, "Day shift");
        let given = Flags { output: Some(Format::Json), ..Flags::default() };
        let resolved = resolve(&given, &account.environment).expect("resolved");
        assert_eq!(resolved.output, Sourced::new(Format::Json, Origin::Flag("--output")));
        assert_eq!(resolved.concurrency, Sourced::new(Concurrency::AtMost(8), Origin::Profile));
    }

    #[test]
    fn the_profile_is_that_of_the_flag_the_variable_or_the_file() {
        let mut account = account();
        account.set(&of::PROFILE.about, "keyless");
        let resolved = resolve(&Flags::default(), &account.environment).expect("resolved");
        assert_eq!(resolved.base_url().expect("a URL").as_str(), "https://b.example/");
        let resolved = resolve(&profile("plain"), &account.environment).expect("resolved");
        assert_eq!(resolved.base_url().expect("a URL").as_str(), "http://c.example/");
        let (verdict, cause) = verdict(resolve(&profile("mian"), &account.environment));
        assert_eq!(verdict, Verdict::Usage);
        assert!(cause.ends_with("known: main, keyless, nowhere, plain, sandbox"), "{cause}");
    }

    #[test]
    fn a_stored_key_does_not_follow_to_another_address() {
        let mut account = account();
        let key = |given: &Flags, environment: &Environment| resolve(given, environment).expect("resolved").api_key();
        assert_eq!(key(&Flags::default(), &account.environment).expect("a key").expose(), "canary");
        let at = |url: &str| Flags { base_url: Some(url.to_owned()), ..Flags::default() };
        assert!(key(&at("https://a.example/elsewhere"), &account.environment).is_ok());
        for foreign in ["https://evil.example", "https://a.example:444", "http://127.0.0.1:1"] {
            let (verdict, cause) = verdict(key(&at(foreign), &account.environment));
            assert_eq!(verdict, Verdict::Key, "{foreign}");
            assert!(cause.contains("that of profile main belongs to https://a.example"), "{cause}");
        }
        let given = Flags { base_url: Some("https://a.example".into()), ..profile("nowhere") };
        assert_eq!(verdict(key(&given, &account.environment)).0, Verdict::Key);
        account.set(&of::BASE_URL.about, "https://evil.example");
        assert_eq!(verdict(key(&Flags::default(), &account.environment)).0, Verdict::Key);
    }

    #[test]
    fn without_a_key_or_an_address_the_way_to_one_is_named() {
        let account = account();
        let resolved = resolve(&profile("keyless"), &account.environment).expect("resolved");
        assert_eq!(verdict(resolved.api_key()).1, "there is no API key for https://b.example");
        let resolved = resolve(&Flags::default(), &Environment::default().with(&of::CONFIG.about, "none"));
        assert_eq!(verdict(resolved.expect("resolved").base_url().cloned()).0, Verdict::Usage);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_a_key_that_others_can_read_is_refused_when_the_key_is_needed() {
        use std::os::unix::fs::PermissionsExt as _;
        let account = account();
        let path = account.folder.path().join("config.toml");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).expect("set");
        let resolved = resolve(&Flags::default(), &account.environment).expect("resolved");
        assert_eq!(verdict(resolved.api_key()).0, Verdict::Key);
    }

    #[test]
    fn the_sandbox_keeps_its_own_address_key_and_project() {
        let mut account = account();
        account.set(&of::BASE_URL.about, "https://a.example");
        account.set(&of::PROJECT.about, "Night shift");
        let resolved = resolve(&profile(SANDBOX), &account.environment).expect("resolved");
        assert!(resolved.is_sandbox());
        assert_eq!(resolved.base_url, None);
        assert_eq!(resolved.project, Some(Sourced::new("Demo".to_owned(), Origin::Sandbox)));
        let ignored: Vec<_> = resolved.ignored.iter().filter_map(|about| about.variable).collect();
        assert_eq!(ignored, ["ASSESSCTL_BASE_URL", "ASSESSCTL_PROJECT"]);
        for given in [
            Flags { base_url: Some("https://a.example".into()), ..profile(SANDBOX) },
            Flags { api_key_file: Some("key".into()), ..profile(SANDBOX) },
        ] {
            assert_eq!(verdict(resolve(&given, &account.environment)).0, Verdict::Usage);
        }
    }

    #[test]
    fn a_base_url_that_would_leak_is_refused_and_not_quoted() {
        let account = account();
        for url in ["http://a.example", "https://me:canary@a.example", "https://a.example/?canary"] {
            let given = Flags { base_url: Some(url.to_owned()), ..Flags::default() };
            let (verdict, cause) = verdict(resolve(&given, &account.environment));
            assert_eq!(verdict, Verdict::Usage);
            assert!(cause.starts_with("the base URL (--base-url) "), "{cause}");
        }
    }

    #[test]
    fn a_configuration_named_by_flag_must_be_there() {
        let given = Flags { config: Some(Path::new("no/config.toml").to_owned()), ..Flags::default() };
        assert_eq!(verdict(resolve(&given, &Environment::default())).0, Verdict::Usage);
        assert!(resolve(&Flags::default(), &Environment::default()).is_err());
    }
}
