//! The settings of one run: option before variable before profile before default.

use std::path::{Path, PathBuf, is_separator};
use std::time::Duration;

use clap::ValueEnum as _;
use url::Url;

use super::environment::Environment;
use super::file::{Config, Profile};
use super::key::{self, KeySource};
use super::{GlobalArgs, Origin, SANDBOX};
use crate::model::address::{is_loopback, parse_base_url};
use crate::model::format::Format;
use crate::model::secret::Secret;
use crate::model::text::or_known;
use crate::model::verdict::Failure;

/// The most requests at a time by default.
const CONCURRENCY: u8 = 16;

/// What the options, the environment and the profile say together.
#[derive(Debug)]
pub struct Settings {
    /// The profile in use.
    pub profile: Option<String>,
    /// The project where the command line names none: a name or an id.
    pub project: Option<String>,
    pub output: Option<Format>,
    /// The longest time for one request; `None` leaves it to the client.
    pub timeout: Option<Duration>,
    /// The most requests at a time.
    pub concurrency: u8,
    /// A PEM file with further certificate authorities.
    pub ca_cert: Option<PathBuf>,
    /// Every write is refused.
    pub read_only: bool,
    /// The folder of what this machine remembers, which may not be there.
    pub state_dir: PathBuf,
    /// Every setting, as `config show` prints it.
    pub rows: Vec<SettingRow>,
    base_url: Result<Url, Failure>,
    key: Result<KeySource, Failure>,
}

/// A setting's value and where it comes from. A key is `(set)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow {
    pub name: &'static str,
    pub value: Option<String>,
    pub origin: Origin,
}

impl Settings {
    /// Resolves all settings.
    pub fn resolve(args: &GlobalArgs, environment: &Environment) -> Result<Self, Failure> {
        let (file, origin) = config_file(args, environment)?;
        let config = Config::read(&file)?;
        if config.is_none() && origin == Origin::Option {
            let cause = format!("the configuration file {} does not exist", file.display());
            return Err(Failure::usage(cause).hint("to write it: assessctl config init --config FILE"));
        }
        Self::of(args, environment, (file, origin), &config.unwrap_or_default())
    }

    /// Resolves all settings as if this were the configuration file at that place.
    pub fn of(
        args: &GlobalArgs,
        environment: &Environment,
        (file, origin): (PathBuf, Origin),
        config: &Config,
    ) -> Result<Self, Failure> {
        let profile = profile_in_use(args, environment, config);
        let stored = profile.as_ref().map_or(Ok(Profile::default()), |(name, _)| config.profile(name))?;
        let is_sandbox = profile.as_ref().is_some_and(|(name, _)| name == SANDBOX);
        let from = Sources { args, environment, file: &file, profile: &stored };
        let base_url = if is_sandbox { from.nothing_beside_sandbox()? } else { from.base_url()? };
        let base_url = base_url.ok_or_else(|| no_address(config, profile.is_some()));
        let key = base_url.as_ref().map_err(Clone::clone).and_then(|url| from.key(url));
        let project = pick(None, environment.get("ASSESSCTL_PROJECT"), stored.project.clone());
        let demo = is_sandbox.then(|| ("Demo".to_owned(), Origin::Default));
        let concurrency = pick(args.concurrency, None, stored.concurrency).unwrap_or((CONCURRENCY, Origin::Default));
        let ca_cert = stored.ca_cert.as_deref().map(|path| from.beside(path));
        let state_dir = environment.folder("XDG_STATE_HOME", ".local/state", dirs::data_local_dir);
        let state_dir = place(None, environment.get("ASSESSCTL_STATE_DIR"), state_dir)?;
        if !state_dir.0.is_absolute() {
            // Each folder that it is run from would have a memory of its own.
            let why = format!("the state folder {} is no absolute path", state_dir.0.display());
            return Err(Failure::usage(why).hint("set ASSESSCTL_STATE_DIR to a path that begins with /"));
        }

        let mut rows = Rows(Vec::new());
        let path = |path: &PathBuf| path.display().to_string();
        let word = |format: &Format| format!("{format:?}").to_lowercase();
        rows.add("config", Some((file.clone(), origin)), path);
        let profile = rows.add("profile", profile, String::clone);
        rows.add("base-url", base_url.as_ref().ok().cloned(), Url::to_string);
        rows.add("api-key", key.as_ref().ok().cloned(), KeySource::to_string);
        let project = rows.add("project", project.or(demo), String::clone);
        let output = rows.add("output", pick(None, from.output()?, stored.output), word);
        let timeout = rows.add("timeout", pick(args.timeout, None, stored.timeout), |time| format!("{time:?}"));
        rows.add("concurrency", Some(concurrency), u8::to_string);
        let ca_cert = rows.add("ca-cert", pick(None, None, ca_cert), path);
        rows.add("allow-http", pick(None, None, stored.allow_http), bool::to_string);
        let read_only = rows.add("read-only", pick(None, None, stored.read_only), bool::to_string) == Some(true);
        rows.add("state-dir", Some(state_dir.clone()), path);
        let (base_url, key) = (base_url.map(|(url, _)| url), key.map(|(key, _)| key));
        let (concurrency, state_dir, rows) = (concurrency.0, state_dir.0, rows.0);
        Ok(Self { profile, project, output, timeout, concurrency, ca_cert, read_only, state_dir, rows, base_url, key })
    }

    /// Whether the service is the one inside the program, which has its own address and key.
    pub fn is_sandbox(&self) -> bool {
        self.profile.as_deref() == Some(SANDBOX)
    }

    /// The address of the service.
    pub fn base_url(&self) -> Result<&Url, Failure> {
        self.base_url.as_ref().map_err(Clone::clone)
    }

    /// Where the key for that address is.
    pub fn key(&self) -> Result<&KeySource, Failure> {
        self.key.as_ref().map_err(Clone::clone)
    }

    /// Whether the key is on standard input, where nothing else can be then.
    pub fn key_is_stdin(&self) -> bool {
        self.key.as_ref().is_ok_and(|key| *key == KeySource::Stdin)
    }
}

/// Where the configuration file is: `--config`, `ASSESSCTL_CONFIG`, or the configuration folder.
pub fn config_file(args: &GlobalArgs, environment: &Environment) -> Result<(PathBuf, Origin), Failure> {
    let usual = environment.folder("XDG_CONFIG_HOME", ".config", dirs::config_dir);
    place(args.config.clone(), environment.get("ASSESSCTL_CONFIG"), usual.map(|folder| folder.join("config.toml")))
}

/// The profile in use, known or not: `--profile`, `ASSESSCTL_PROFILE`, or the file's default.
pub fn profile_in_use(args: &GlobalArgs, environment: &Environment, config: &Config) -> Option<(String, Origin)> {
    pick(args.profile.clone(), environment.get("ASSESSCTL_PROFILE"), config.profile.clone())
}

fn pick<T>(flag: Option<T>, variable: Option<T>, profile: Option<T>) -> Option<(T, Origin)> {
    let found = [(flag, Origin::Option), (variable, Origin::Environment), (profile, Origin::Profile)];
    found.into_iter().find_map(|(value, origin)| Some((value?, origin)))
}

fn place(
    flag: Option<PathBuf>,
    variable: Option<String>,
    usual: Option<PathBuf>,
) -> Result<(PathBuf, Origin), Failure> {
    let named = pick(flag, variable.map(PathBuf::from), None).or_else(|| Some((usual?, Origin::Default)));
    named.ok_or_else(|| Failure::usage("this account has no home folder").hint("set HOME"))
}

fn no_address(config: &Config, has_profile: bool) -> Failure {
    if has_profile || config.profiles.is_empty() {
        return Failure::usage("there is no base URL").hint("assessctl config init");
    }
    let known: Vec<_> = config.profiles.keys().map(String::as_str).collect();
    Failure::usage(format!("no profile was chosen{}", or_known("", &known))).hint("assessctl config use NAME")
}

/// The rows so far.
struct Rows(Vec<SettingRow>);

impl Rows {
    /// Adds a setting, and gives its value back.
    fn add<T>(&mut self, name: &'static str, found: Option<(T, Origin)>, show: impl Fn(&T) -> String) -> Option<T> {
        let (value, origin) = found.map_or((None, Origin::Default), |(value, origin)| (Some(value), origin));
        self.0.push(SettingRow { name, value: value.as_ref().map(show), origin });
        value
    }
}

/// What is resolved from, when the profile is known.
struct Sources<'a> {
    args: &'a GlobalArgs,
    environment: &'a Environment,
    file: &'a Path,
    profile: &'a Profile,
}

impl Sources<'_> {
    fn output(&self) -> Result<Option<Format>, Failure> {
        let word = self.environment.get("ASSESSCTL_OUTPUT");
        let format = word.map(|word| Format::from_str(&word, true)).transpose();
        format.map_err(|_| Failure::usage("ASSESSCTL_OUTPUT is not table, csv, json, ndjson or xlsx"))
    }

    /// Refuses options that name another service beside the sandbox, which has no address yet.
    fn nothing_beside_sandbox(&self) -> Result<Option<(Url, Origin)>, Failure> {
        let address = self.args.base_url.as_ref().map(|_| "--base-url");
        match address.or(self.args.api_key_file.as_ref().map(|_| "--api-key-file")) {
            Some(option) => Err(Failure::usage(format!("the sandbox has its own address and key: leave out {option}"))),
            None => Ok(None),
        }
    }

    fn base_url(&self) -> Result<Option<(Url, Origin)>, Failure> {
        let own = self.profile.base_url.as_ref();
        let variable = self.environment.get("ASSESSCTL_BASE_URL");
        let Some((url, origin)) = pick(self.args.base_url.clone(), variable, own.map(Url::to_string)) else {
            return Ok(None);
        };
        // What a profile allows holds for its own address.
        let is_own = own.is_some_and(|own| Url::parse(&url).is_ok_and(|url| url.origin() == own.origin()));
        let name = match origin {
            Origin::Option => "--base-url",
            Origin::Environment => "ASSESSCTL_BASE_URL",
            Origin::Profile | Origin::Default => "base-url of the profile",
        };
        let url = parse_base_url(&url, is_own && self.profile.allow_http == Some(true));
        let url = url.map_err(|reason| Failure::usage(format!("{name} {reason}")))?;
        check_proxy(&url, self.environment)?;
        Ok(Some((url, origin)))
    }

    fn key(&self, used: &(Url, Origin)) -> Result<(KeySource, Origin), Failure> {
        let get = |name| self.environment.get(name);
        let variable = (get("ASSESSCTL_API_KEY").map(Secret::new), get("ASSESSCTL_BASE_URL"));
        let own = (self.profile_key(), self.profile.base_url.as_ref());
        key::choose(self.args.api_key_file.clone(), variable, own, used)
    }

    fn profile_key(&self) -> Option<KeySource> {
        let Profile { api_key, api_key_file, api_key_command, .. } = self.profile;
        let key = api_key.clone().map(|key| KeySource::Text(key, "api-key of the profile"));
        let key = key.or_else(|| Some(KeySource::File(self.beside(api_key_file.as_ref()?))));
        key.or_else(|| {
            let mut command = api_key_command.clone()?;
            if let Some(program) = command.first_mut().filter(|program| program.contains(is_separator)) {
                *program = self.beside(Path::new(program)).to_string_lossy().into_owned();
            }
            Some(KeySource::Command(command))
        })
    }

    /// A path of the profile: `~/` is the user's home, and a relative one starts at the file's folder.
    fn beside(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.environment.home) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.file.parent().unwrap_or(Path::new("")).join(path),
        }
    }
}

/// Refuses a proxy that the HTTP client can't use: it would ignore the proxy, and the key would take another route than the
/// user believes.
fn check_proxy(url: &Url, environment: &Environment) -> Result<(), Failure> {
    let is_direct = url.scheme() != "https" || is_loopback(url);
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        let Some(value) = environment.get(name).filter(|_| !is_direct) else { continue };
        let address = if value.contains("://") { value } else { format!("http://{value}") };
        let is_proxy = |url: Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        // The HTTP library reads addresses more strictly.
        let is_odd = |c: char| c.is_whitespace() || "^|{}<>\"\\`".contains(c);
        if address.contains(is_odd) || !Url::parse(&address).is_ok_and(is_proxy) {
            return Err(Failure::usage(format!("{name} is not the address of a proxy such as http://HOST:PORT")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::files;
    use crate::model::verdict::Verdict;

    const FILE: &str = r#"
profile = "main"
[profiles.main]
base-url = "https://a.example/root"
api-key = "CANARY"
project = "Night shift"
output = "csv"
concurrency = 8
ca-cert = "ca.pem"
read-only = true
[profiles.keyless]
base-url = "https://b.example"
[profiles.plain]
base-url = "http://c.example"
api-key-command = ["./show-key", "./x"]
allow-http = true
[profiles.closed]
base-url = "http://c.example"
api-key-file = "~/key"
[profiles.nowhere]
"#;

    struct Account(tempfile::TempDir);

    impl Account {
        fn new() -> Self {
            let account = Self(tempfile::tempdir().expect("a folder"));
            let mut file = files::append(&account.path("config.toml")).expect("opened");
            file.write_all(FILE.as_bytes()).expect("written");
            account
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn resolve(&self, args: &GlobalArgs, variables: &[(&str, &str)]) -> Result<Settings, Failure> {
            let config = self.path("config.toml").display().to_string();
            let ours = [("HOME", "/home/ann"), ("ASSESSCTL_CONFIG", config.as_str())];
            Settings::resolve(args, &Environment::of(&[&ours, variables].concat()))
        }

        /// The verdict of what must not work, and that no message shows the key.
        fn refused(&self, args: &GlobalArgs, variables: &[(&str, &str)]) -> Failure {
            let failure = self.resolve(args, variables).expect_err("a mistake");
            assert!(!format!("{failure:?}").contains("CANARY"), "{failure:?}");
            assert_eq!(failure.verdict, Verdict::Usage);
            failure
        }
    }

    fn profile(name: &str) -> GlobalArgs {
        GlobalArgs { profile: Some(name.into()), ..GlobalArgs::default() }
    }

    fn at(url: &str) -> GlobalArgs {
        GlobalArgs { base_url: Some(url.into()), ..GlobalArgs::default() }
    }

    fn row(settings: &Settings, name: &str) -> (Option<String>, Origin) {
        let row = settings.rows.iter().find(|row| row.name == name).expect("a row");
        (row.value.clone(), row.origin)
    }

    #[cfg(unix)]
    #[test]
    fn an_option_comes_before_a_variable_before_the_profile_before_the_default() {
        let account = Account::new();
        let variables = [
            ("ASSESSCTL_BASE_URL", "https://v.example"),
            ("ASSESSCTL_PROJECT", "Day shift"),
            ("ASSESSCTL_OUTPUT", "JSON"),
            ("ASSESSCTL_STATE_DIR", "/state"),
        ];
        let args = GlobalArgs { concurrency: Some(2), base_url: Some("https://o.example".into()), ..profile("main") };
        let of = |settings: &Settings| {
            ["base-url", "project", "output", "concurrency", "state-dir"].map(|name| row(settings, name))
        };
        let rows = |values: [(&str, Origin); 5]| values.map(|(value, origin)| (Some(value.to_owned()), origin));
        let by_profile = account.resolve(&GlobalArgs::default(), &[]).expect("resolved");
        assert_eq!(
            of(&by_profile),
            rows([
                ("https://a.example/root", Origin::Profile),
                ("Night shift", Origin::Profile),
                ("csv", Origin::Profile),
                ("8", Origin::Profile),
                ("/home/ann/.local/state/assessctl", Origin::Default),
            ])
        );
        let relative = account.resolve(&GlobalArgs::default(), &[("ASSESSCTL_STATE_DIR", "~/state")]);
        assert!(relative.is_err_and(|failure| failure.verdict == Verdict::Usage), "no shell expands it under cron");
        let by_variable = account.resolve(&GlobalArgs::default(), &variables).expect("resolved");
        assert_eq!(
            of(&by_variable),
            rows([
                ("https://v.example/", Origin::Environment),
                ("Day shift", Origin::Environment),
                ("json", Origin::Environment),
                ("8", Origin::Profile),
                ("/state", Origin::Environment),
            ])
        );
        let by_option = account.resolve(&args, &variables).expect("resolved");
        assert_eq!(by_option.base_url().map(Url::as_str), Ok("https://o.example/"));
        assert_eq!((row(&by_option, "concurrency"), by_option.concurrency), ((Some("2".into()), Origin::Option), 2));
        let several = Config::parse(&FILE.replacen("profile = \"main\"", "", 1), None).expect("a good file");
        let place = (account.path("config.toml"), Origin::Default);
        let home = Environment::of(&[("HOME", "/home/ann")]);
        let unchosen = Settings::of(&GlobalArgs::default(), &home, place, &several).expect("resolved");
        let unchosen = unchosen.base_url().cloned().expect_err("no profile");
        assert!(unchosen.cause.ends_with("(known: closed, keyless, main, nowhere, plain)"), "{unchosen:?}");
        let bare = account.resolve(&profile("nowhere"), &[("ASSESSCTL_PROJECT", "")]).expect("resolved");
        assert_eq!(
            (row(&bare, "concurrency"), row(&bare, "project")),
            ((Some("16".into()), Origin::Default), (None, Origin::Default))
        );
        assert_eq!(bare.base_url().map_err(|failure| failure.verdict), Err(Verdict::Usage));
    }

    #[test]
    fn no_row_and_no_debug_output_shows_a_key() {
        let settings = Account::new().resolve(&GlobalArgs::default(), &[]).expect("resolved");
        assert_eq!(row(&settings, "api-key"), (Some("(set)".into()), Origin::Profile));
        assert!(!format!("{settings:?}").contains("CANARY"));
    }

    #[test]
    fn the_profile_is_that_of_the_option_the_variable_or_the_file() {
        let account = Account::new();
        let name = |args: &GlobalArgs, variables: &[_]| account.resolve(args, variables).expect("resolved").profile;
        assert_eq!(name(&GlobalArgs::default(), &[]).as_deref(), Some("main"));
        assert_eq!(name(&GlobalArgs::default(), &[("ASSESSCTL_PROFILE", "keyless")]).as_deref(), Some("keyless"));
        assert_eq!(name(&profile("plain"), &[("ASSESSCTL_PROFILE", "keyless")]).as_deref(), Some("plain"));
        assert!(account.refused(&profile("mian"), &[]).cause.ends_with("did you mean main?"));
    }

    #[test]
    fn plain_http_is_allowed_for_the_profiles_own_address_only() {
        let account = Account::new();
        let plain = account.resolve(&profile("plain"), &[]).expect("resolved");
        assert_eq!(plain.base_url().map(Url::as_str), Ok("http://c.example/"));
        let path = GlobalArgs { base_url: Some("http://c.example/v2".into()), ..profile("plain") };
        assert!(account.resolve(&path, &[]).is_ok());
        let elsewhere = GlobalArgs { base_url: Some("http://d.example".into()), ..profile("plain") };
        assert!(account.refused(&elsewhere, &[]).cause.starts_with("--base-url is plain http"));
        assert!(account.refused(&profile("closed"), &[]).cause.starts_with("base-url of the profile is plain http"));
        let variable = account.refused(&GlobalArgs::default(), &[("ASSESSCTL_BASE_URL", "https://u:CANARY@a.example")]);
        assert_eq!(variable.cause, "ASSESSCTL_BASE_URL has a user name or password");
    }

    #[cfg(unix)]
    #[test]
    fn the_paths_of_a_profile_start_at_the_file_or_at_home() {
        let account = Account::new();
        let main = account.resolve(&GlobalArgs::default(), &[]).expect("resolved");
        assert_eq!(main.ca_cert, Some(account.path("ca.pem")));
        let plain = account.resolve(&profile("plain"), &[]).expect("resolved");
        let program = account.path("./show-key").display().to_string();
        assert_eq!(plain.key(), Ok(&KeySource::Command(vec![program, "./x".into()])));
        let closed = GlobalArgs { base_url: Some("https://c.example".into()), ..profile("closed") };
        let closed = account.resolve(&closed, &[]).expect("resolved");
        assert_eq!(closed.key().map_err(|failure| failure.verdict), Err(Verdict::Key));
        let file = GlobalArgs { api_key_file: Some("key".into()), ..GlobalArgs::default() };
        assert_eq!(account.resolve(&file, &[]).expect("resolved").key(), Ok(&KeySource::File("key".into())));
    }

    #[test]
    fn the_key_of_the_environment_needs_no_file() {
        let variables =
            [("HOME", "/home/ann"), ("ASSESSCTL_BASE_URL", "https://a.example"), ("ASSESSCTL_API_KEY", "k")];
        let settings = Settings::resolve(&GlobalArgs::default(), &Environment::of(&variables)).expect("resolved");
        assert_eq!(settings.key(), Ok(&KeySource::Text(Secret::new("k".into()), "ASSESSCTL_API_KEY")));
        assert!(!settings.key_is_stdin());
        let stdin = GlobalArgs { api_key_file: Some("-".into()), ..GlobalArgs::default() };
        let settings = Settings::resolve(&stdin, &Environment::of(&variables)).expect("resolved");
        assert!(settings.key_is_stdin());
    }

    #[test]
    fn a_configuration_file_that_an_option_names_must_be_there() {
        let account = Account::new();
        let missing = GlobalArgs { config: Some(account.path("other.toml")), ..GlobalArgs::default() };
        assert!(account.refused(&missing, &[]).hint.is_some_and(|hint| hint.contains("config init")));
        let fresh = [("ASSESSCTL_CONFIG", "/no/such/file"), ("HOME", "/home/ann")];
        assert!(Settings::resolve(&profile(SANDBOX), &Environment::of(&fresh)).is_ok());
    }

    #[test]
    fn the_sandbox_has_its_own_address_key_and_project() {
        let account = Account::new();
        let variables = [("ASSESSCTL_BASE_URL", "https://a.example"), ("ASSESSCTL_API_KEY", "k")];
        let settings = account.resolve(&profile(SANDBOX), &variables).expect("resolved");
        assert!(settings.is_sandbox() && settings.base_url().is_err() && settings.key().is_err());
        assert_eq!(settings.project.as_deref(), Some("Demo"));
        let beside = [
            GlobalArgs { base_url: Some("https://a.example".into()), ..profile(SANDBOX) },
            GlobalArgs { api_key_file: Some("key".into()), ..profile(SANDBOX) },
        ];
        for args in beside {
            account.refused(&args, &[]);
        }
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_named_and_not_shown() {
        let account = Account::new();
        for good in ["proxy:3128", "http://u:p@proxy:3128", "https://proxy/"] {
            assert!(account.resolve(&GlobalArgs::default(), &[("HTTPS_PROXY", good)]).is_ok(), "{good}");
        }
        for bad in [
            "http://",
            "http://CANARY proxy:3128",
            "CANARY:port",
            "socks5h://CANARY:1080",
            "http://u:p^CANARY@proxy:3128",
            "u:p|CANARY@proxy",
        ] {
            let cause = account.refused(&GlobalArgs::default(), &[("all_proxy", bad)]).cause;
            assert_eq!(cause, "all_proxy is not the address of a proxy such as http://HOST:PORT", "{bad}");
            assert!(account.resolve(&at("http://127.0.0.1:1"), &[("HTTPS_PROXY", bad)]).is_ok(), "{bad}");
        }
    }
}
