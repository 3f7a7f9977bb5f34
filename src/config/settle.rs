//! Settling: what the flags, the environment, the profile and the defaults say together.

use std::path::{Path, PathBuf};

use url::Url;

use super::environment::text;
use super::folders::{beside, config_file, state_folder};
use super::key::{Source, StoredKey};
use super::settings::address;
use super::values::{first, parse_word};
use super::{Environment, Error, Given, Origin, Profile, Profiles, SANDBOX, Settings, Value, parse_address};
use crate::model::format::Format;
use crate::model::pace::Concurrency;
use crate::model::results::ResultsApi;

/// The project that the sandbox holds at first.
const DEMO: &str = "Demo";

/// Where the configuration is: `--config`, `ASSESSCTL_CONFIG`, or the platform's folder.
pub fn locate(given: &Given, environment: &Environment) -> Result<Value<PathBuf>, Error> {
    match &given.config {
        Some(path) => Ok(Value::new(path.clone(), Origin::Flag("--config"))),
        None => config_file(environment),
    }
}

/// The profile that `--profile`, `ASSESSCTL_PROFILE` or the file names, known or not.
pub fn profile_in_use(
    given: &Given,
    environment: &Environment,
    profiles: &Profiles,
) -> Result<Option<Value<String>>, Error> {
    let variable = text("ASSESSCTL_PROFILE", environment.profile.as_ref())?;
    Ok(first([
        (given.profile.clone(), Origin::Flag("--profile")),
        (variable, Origin::Environment("ASSESSCTL_PROFILE")),
        (profiles.default.clone(), Origin::File),
    ]))
}

/// Settles every value: flag > environment > profile > default. The sandbox's address, key and project are its own,
/// so that a rehearsal can't reach production.
pub fn settle(given: &Given, environment: &Environment) -> Result<Settings, Error> {
    let config_file = locate(given, environment)?;
    if given.config.is_some() && !config_file.value.exists() {
        let cause = format!("the configuration {} does not exist", config_file.value.display());
        return Err(Error::usage(cause).hint("`assessctl config init` writes one"));
    }
    let profiles = Profiles::read(&config_file.value)?;
    let profile = profile_in_use(given, environment, &profiles)?;
    let name = profile.as_ref().map(|profile| profile.value.as_str());
    let sandbox = name == Some(SANDBOX);
    if sandbox && !cfg!(feature = "sandbox") {
        return Err(Error::usage("this program was built without the sandbox").hint("name another --profile"));
    }
    let stored = match name {
        Some(name) if !sandbox => {
            profiles.named(name).cloned().ok_or_else(|| profiles.unknown(name, &config_file.value))?
        }
        _ => Profile::default(),
    };
    let settling = Settling { given, environment, stored: &stored, file: &config_file.value };
    let allow_http = Value::or_default(stored.allow_http, Origin::Profile, false);
    let base_url = if sandbox { settling.nothing_beside_sandbox()? } else { settling.base_url(allow_http.value)? };
    Ok(Settings {
        state_folder: state_folder(environment),
        project: settling.project(sandbox)?,
        output: settling.output()?,
        results_api: first([(given.results_api, Origin::Flag("--results-api")), (stored.results_api, Origin::Profile)])
            .unwrap_or(Value::new(ResultsApi::default(), Origin::Default)),
        ca_cert: first([
            (given.ca_cert.clone(), Origin::Flag("--ca-cert")),
            (stored.ca_cert.as_deref().map(|path| settling.path(path)), Origin::Profile),
        ]),
        concurrency: first([(given.concurrency, Origin::Flag("--concurrency")), (stored.concurrency, Origin::Profile)])
            .unwrap_or(Value::new(Concurrency::Auto, Origin::Default)),
        max_rate: first([(given.max_rate, Origin::Flag("--max-rate")), (stored.max_rate, Origin::Profile)]),
        read_only: Value::or_default(stored.read_only, Origin::Profile, false),
        confirm: first([(stored.confirm.clone(), Origin::Profile)]),
        ignored: if sandbox { settling.ignored() } else { Vec::new() },
        key: if sandbox { Value::new(Source::Nowhere(None), Origin::Sandbox) } else { settling.key(base_url.as_ref()) },
        allow_http,
        base_url,
        profile,
        config_file,
    })
}

impl<T> Value<T> {
    fn or_default(value: Option<T>, origin: Origin, default: T) -> Self {
        value.map_or(Self::new(default, Origin::Default), |value| Self::new(value, origin))
    }
}

/// What is at hand while values are settled.
struct Settling<'a> {
    given: &'a Given,
    environment: &'a Environment,
    stored: &'a Profile,
    file: &'a Path,
}

impl Settling<'_> {
    fn path(&self, path: &str) -> PathBuf {
        beside(self.file, path, self.environment.home.as_deref())
    }

    /// A program with a path starts beside the file and not in the current directory; a bare name is found as ever.
    fn argv(&self, argv: &[String]) -> Vec<String> {
        let mut argv = argv.to_vec();
        if let Some(program) = argv.first_mut().filter(|program| program.contains('/')) {
            *program = self.path(program).to_string_lossy().into_owned();
        }
        argv
    }

    fn base_url(&self, allow_http: bool) -> Result<Option<Value<Url>>, Error> {
        let variable = text("ASSESSCTL_BASE_URL", self.environment.base_url.as_ref())?;
        let Some(Value { value, origin }) = first([
            (self.given.base_url.clone(), Origin::Flag("--base-url")),
            (variable, Origin::Environment("ASSESSCTL_BASE_URL")),
            (self.stored.base_url.clone(), Origin::Profile),
        ]) else {
            return Ok(None);
        };
        // What a profile allows holds for its own address alone.
        let origin_of = |text: &str| parse_address(text, true).ok().map(|url| url.origin());
        let own = self.stored.base_url.as_deref().and_then(origin_of);
        let allow_http = allow_http && own.is_some_and(|own| Some(own) == origin_of(&value));
        match parse_address(&value, allow_http) {
            Ok(url) => Ok(Some(Value::new(url, origin))),
            Err(reason) => {
                let of = if origin == Origin::Profile {
                    format!("profile {}", self.stored.name)
                } else {
                    origin.to_string()
                };
                Err(Error::usage(format!("the base URL ({of}) {reason}")))
            }
        }
    }

    fn project(&self, sandbox: bool) -> Result<Option<Value<String>>, Error> {
        if sandbox {
            return Ok(Some(Value::new(DEMO.to_owned(), Origin::Sandbox)));
        }
        let variable = text("ASSESSCTL_PROJECT", self.environment.project.as_ref())?;
        let variable = (variable, Origin::Environment("ASSESSCTL_PROJECT"));
        Ok(first([variable, (self.stored.project.clone(), Origin::Profile)]))
    }

    fn output(&self) -> Result<Value<Format>, Error> {
        let variable = text("ASSESSCTL_OUTPUT", self.environment.output.as_ref())?
            .map(|word| parse_word(&word).map_err(|reason| Error::usage(format!("ASSESSCTL_OUTPUT {reason}"))))
            .transpose()?;
        let output = first([
            (self.given.output, Origin::Flag("--output")),
            (variable, Origin::Environment("ASSESSCTL_OUTPUT")),
            (self.stored.output, Origin::Profile),
        ]);
        Ok(output.unwrap_or(Value::new(Format::default(), Origin::Default)))
    }

    fn key(&self, base_url: Option<&Value<Url>>) -> Value<Source> {
        let profile = self.stored.key.as_ref().map(|key| match (self.foreign(base_url), key) {
            (Some(reason), _) => Source::Elsewhere(reason),
            (None, StoredKey::File(path)) => Source::File(self.path(path)),
            (None, StoredKey::Command(argv)) => Source::Command(self.argv(argv)),
            (None, StoredKey::Inline(key)) => Source::Inline(key.clone(), self.file.to_owned()),
        });
        let variable = self.environment.api_key.clone().map(Source::Variable);
        let source = |path: PathBuf| if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path) };
        first([
            (self.given.api_key_file.clone().map(source), Origin::Flag("--api-key-file")),
            (variable, Origin::Environment("ASSESSCTL_API_KEY")),
            (profile, Origin::Profile),
        ])
        .unwrap_or_else(|| {
            let profile = Some(self.stored.name.clone()).filter(|name| !name.is_empty());
            Value::new(Source::Nowhere(profile), Origin::Default)
        })
    }

    /// Why the profile's key must not go to this address: it belongs to the profile's own.
    fn foreign(&self, base_url: Option<&Value<Url>>) -> Option<String> {
        let used = base_url.filter(|url| url.origin != Origin::Profile)?;
        let name = &self.stored.name;
        let own = self.stored.base_url.as_deref().and_then(|url| parse_address(url, true).ok());
        match own {
            Some(own) if own.origin() == used.value.origin() => None,
            Some(own) => Some(format!("that of profile {name} belongs to {}", address(&own))),
            None => Some(format!("that of profile {name} belongs to no address, the profile has no base-url")),
        }
    }

    fn nothing_beside_sandbox(&self) -> Result<Option<Value<Url>>, Error> {
        let beside =
            [("--base-url", self.given.base_url.is_some()), ("--api-key-file", self.given.api_key_file.is_some())];
        match beside.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(Error::usage(format!(
                "the profile sandbox has its own address and key: {flag} cannot stand beside it"
            ))
            .hint(format!("leave out {flag}, or name another --profile"))),
            None => Ok(None),
        }
    }

    fn ignored(&self) -> Vec<&'static str> {
        let set = [
            ("ASSESSCTL_BASE_URL", self.environment.base_url.is_some()),
            ("ASSESSCTL_API_KEY", self.environment.api_key.is_some()),
            ("ASSESSCTL_PROJECT", self.environment.project.is_some()),
        ];
        set.into_iter().filter_map(|(name, set)| set.then_some(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::secret::Secret;
    use crate::model::verdict::Verdict;

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

    fn account() -> Account {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.toml");
        std::fs::write(&path, FILE).expect("written");
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
        Account { environment: Environment { config: Some(path.into()), ..Environment::default() }, folder }
    }

    fn profile(name: &str) -> Given {
        Given { profile: Some(name.to_owned()), ..Given::default() }
    }

    fn verdict<T: std::fmt::Debug>(result: Result<T, Error>) -> (Verdict, String) {
        let error = result.expect_err("a mistake");
        assert!(!error.to_string().contains("canary"), "{error}");
        (error.verdict, error.to_string())
    }

    #[test]
    fn flag_beats_environment_beats_profile_beats_default() {
        let mut account = account();
        let settled = settle(&Given::default(), &account.environment).expect("settled");
        assert_eq!(settled.output, Value::new(Format::Csv, Origin::Profile));
        assert_eq!(settled.profile, Some(Value::new("main".to_owned(), Origin::File)));
        assert_eq!(settled.ca_cert.expect("a path").value, account.folder.path().join("ca.pem"));
        assert_eq!(settled.results_api, Value::new(ResultsApi::Current, Origin::Default));
        account.environment.output = Some("ndjson".into());
        account.environment.project = Some("Day shift".into());
        let settled = settle(&Given::default(), &account.environment).expect("settled");
        assert_eq!(settled.output, Value::new(Format::Ndjson, Origin::Environment("ASSESSCTL_OUTPUT")));
        assert_eq!(settled.project.expect("a project").value, "Day shift");
        let given = Given { output: Some(Format::Json), ..Given::default() };
        let settled = settle(&given, &account.environment).expect("settled");
        assert_eq!(settled.output, Value::new(Format::Json, Origin::Flag("--output")));
        assert_eq!(settled.concurrency, Value::new(Concurrency::AtMost(8), Origin::Profile));
    }

    #[test]
    fn the_profile_is_that_of_the_flag_the_variable_or_the_file() {
        let mut account = account();
        account.environment.profile = Some("keyless".into());
        let settled = settle(&Given::default(), &account.environment).expect("settled");
        assert_eq!(settled.base_url().expect("a URL").as_str(), "https://b.example/");
        let settled = settle(&profile("plain"), &account.environment).expect("settled");
        assert_eq!(settled.base_url().expect("a URL").as_str(), "http://c.example/");
        let (verdict, cause) = verdict(settle(&profile("mian"), &account.environment));
        assert_eq!(verdict, Verdict::Usage);
        assert!(cause.ends_with("there are main, keyless, nowhere, plain, sandbox"), "{cause}");
    }

    #[test]
    fn a_stored_key_does_not_follow_to_another_address() {
        let mut account = account();
        let key = |given: &Given, environment: &Environment| settle(given, environment).expect("settled").api_key();
        assert_eq!(key(&Given::default(), &account.environment).expect("a key").expose(), "canary");
        let at = |url: &str| Given { base_url: Some(url.to_owned()), ..Given::default() };
        assert!(key(&at("https://a.example/elsewhere"), &account.environment).is_ok());
        for foreign in ["https://evil.example", "https://a.example:444", "http://127.0.0.1:1"] {
            let (verdict, cause) = verdict(key(&at(foreign), &account.environment));
            assert_eq!(verdict, Verdict::Key, "{foreign}");
            assert!(cause.contains("that of profile main belongs to https://a.example"), "{cause}");
        }
        let given = Given { base_url: Some("https://a.example".into()), ..profile("nowhere") };
        assert_eq!(verdict(key(&given, &account.environment)).0, Verdict::Key);
        account.environment.base_url = Some("https://evil.example".into());
        assert_eq!(verdict(key(&Given::default(), &account.environment)).0, Verdict::Key);
        account.environment.api_key = Some(Secret::new("other".into()));
        assert_eq!(key(&Given::default(), &account.environment).expect("a key").expose(), "other");
    }

    #[test]
    fn without_a_key_or_an_address_the_way_to_one_is_named() {
        let account = account();
        let settled = settle(&profile("keyless"), &account.environment).expect("settled");
        assert_eq!(verdict(settled.api_key()).1, "there is no API key for https://b.example");
        let settled = settle(&Given::default(), &Environment { config: Some("none".into()), ..Environment::default() });
        assert_eq!(verdict(settled.expect("settled").base_url().cloned()).0, Verdict::Usage);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_a_key_that_others_can_read_is_refused_when_the_key_is_needed() {
        use std::os::unix::fs::PermissionsExt as _;
        let account = account();
        let path = account.folder.path().join("config.toml");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).expect("set");
        let settled = settle(&Given::default(), &account.environment).expect("settled");
        assert_eq!(verdict(settled.api_key()).0, Verdict::Key);
    }

    #[test]
    fn the_sandbox_keeps_its_own_address_key_and_project() {
        let mut account = account();
        account.environment.base_url = Some("https://a.example".into());
        account.environment.project = Some("Night shift".into());
        let settled = settle(&profile(SANDBOX), &account.environment).expect("settled");
        assert!(settled.is_sandbox());
        assert_eq!(settled.base_url, None);
        assert_eq!(settled.project, Some(Value::new("Demo".to_owned(), Origin::Sandbox)));
        assert_eq!(settled.ignored, ["ASSESSCTL_BASE_URL", "ASSESSCTL_PROJECT"]);
        for given in [
            Given { base_url: Some("https://a.example".into()), ..profile(SANDBOX) },
            Given { api_key_file: Some("key".into()), ..profile(SANDBOX) },
        ] {
            assert_eq!(verdict(settle(&given, &account.environment)).0, Verdict::Usage);
        }
    }

    #[test]
    fn a_base_url_that_would_leak_is_refused_and_not_quoted() {
        let account = account();
        for url in ["http://a.example", "https://me:canary@a.example", "https://a.example/?canary"] {
            let given = Given { base_url: Some(url.to_owned()), ..Given::default() };
            let (verdict, cause) = verdict(settle(&given, &account.environment));
            assert_eq!(verdict, Verdict::Usage);
            assert!(cause.starts_with("the base URL (--base-url) "), "{cause}");
        }
    }

    #[test]
    fn a_configuration_named_by_flag_must_be_there() {
        let given = Given { config: Some(Path::new("no/config.toml").to_owned()), ..Given::default() };
        assert_eq!(verdict(settle(&given, &Environment::default())).0, Verdict::Usage);
        assert!(settle(&Given::default(), &Environment::default()).is_err());
    }
}
