//! The settings of one run: option before variable before profile before default.

use std::path::{Path, PathBuf, is_separator};
use std::time::Duration;

use clap::ValueEnum as _;
use url::Url;

use super::environment::Environment;
use super::file::{Config, Profile};
use super::key::{KeySource, Offered};
use super::{GlobalArgs, Origin, SANDBOX, Sourced};
use crate::model::format::Format;
use crate::model::secret::{Secret, is_loopback, parse_base_url};
use crate::model::verdict::Failure;

/// What the options, the environment and the profile say together.
#[derive(Debug)]
pub struct Settings {
    /// The configuration file, which may not be there.
    pub config: Sourced<PathBuf>,
    /// The profile in use.
    pub profile: Option<Sourced<String>>,
    /// The project where a command names none: a name or an id.
    pub project: Option<Sourced<String>>,
    pub output: Option<Sourced<Format>>,
    /// The longest time for one request; `None` leaves it to the client.
    pub timeout: Option<Sourced<Duration>>,
    /// The most requests at a time.
    pub concurrency: Sourced<u8>,
    /// A PEM file with further certificate authorities.
    pub ca_cert: Option<Sourced<PathBuf>>,
    pub allow_http: Sourced<bool>,
    /// Every write is refused.
    pub read_only: Sourced<bool>,
    state_dir: Option<Sourced<PathBuf>>,
    base_url: Option<Sourced<Url>>,
    key: Result<Sourced<KeySource>, Failure>,
    proxy: Result<Option<&'static str>, Failure>,
}

/// One line of `config show`. A key is never in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingRow {
    pub name: &'static str,
    /// `None` where it is not set.
    pub value: Option<String>,
    pub origin: Origin,
}

impl Settings {
    /// Resolves all settings; `project` is what `--project` says.
    pub fn resolve(args: &GlobalArgs, project: Option<&str>, environment: &Environment) -> Result<Self, Failure> {
        let config = config_file(args, environment)?;
        let read = Config::read(&config.value)?;
        if read.is_none() && config.origin != Origin::Default {
            let cause = format!("there is no configuration file {}", config.value.display());
            return Err(Failure::usage(cause).hint("`assessctl config init` writes one"));
        }
        let read = read.unwrap_or_default();
        let name = profile_in_use(args, environment, &read)?;
        let profile = match &name {
            Some(name) => read.profile(&name.value).cloned().or_else(|| is_sandbox(name).then(Profile::default)),
            None => Some(Profile::default()),
        };
        let profile = profile.ok_or_else(|| read.unknown(name.as_ref().map_or("", |name| &name.value)))?;
        let resolver = Resolver { args, environment, file: &config.value, name: name.as_ref(), profile: &profile };
        let base_url = resolver.base_url()?;
        let default = |project: &str| Sourced::new(project.to_owned(), Origin::Default);
        Ok(Self {
            project: pick(project.map(str::to_owned), resolver.variable("ASSESSCTL_PROJECT")?, profile.project.clone())
                .or_else(|| name.as_ref().is_some_and(is_sandbox).then(|| default("Demo"))),
            output: pick(None, resolver.output()?, profile.output),
            timeout: pick(args.timeout, None, profile.timeout),
            concurrency: pick(args.concurrency, None, profile.concurrency).unwrap_or(Sourced::new(16, Origin::Default)),
            ca_cert: pick(None, None, profile.ca_cert.as_deref().map(|path| resolver.beside(path))),
            allow_http: switch(profile.allow_http),
            read_only: switch(profile.read_only),
            state_dir: resolver.state_dir(),
            key: resolver.key(base_url.as_ref()),
            proxy: base_url.as_ref().map_or(Ok(None), |url| proxy_variable(&url.value, environment)),
            base_url,
            profile: name,
            config,
        })
    }

    /// Whether the service is the one inside the program, which has its own address and key.
    pub fn is_sandbox(&self) -> bool {
        self.profile.as_ref().is_some_and(is_sandbox)
    }

    /// The address of the service. To ask for it is to need it, and a proxy that can be used.
    pub fn base_url(&self) -> Result<&Url, Failure> {
        self.proxy()?;
        self.base_url.as_ref().map(|url| &url.value).ok_or_else(no_address)
    }

    /// The variable that names the proxy which requests go by, if they do.
    pub fn proxy(&self) -> Result<Option<&'static str>, Failure> {
        self.proxy.clone()
    }

    /// Where the key for this address is.
    pub fn key(&self) -> Result<&Sourced<KeySource>, Failure> {
        self.key.as_ref().map_err(Clone::clone)
    }

    /// Whether the key is on standard input, where nothing else can be then.
    pub fn key_is_stdin(&self) -> bool {
        self.key.as_ref().is_ok_and(|key| key.value == KeySource::Stdin)
    }

    /// The folder of what this machine remembers, which may not be there.
    pub fn state_dir(&self) -> Result<&Path, Failure> {
        self.state_dir.as_ref().map(|folder| folder.value.as_path()).ok_or_else(|| {
            Failure::usage("this account has no home folder")
                .hint("set ASSESSCTL_STATE_DIR to a folder for the journal")
        })
    }

    /// Every setting, as `config show` prints it.
    pub fn rows(&self) -> Vec<SettingRow> {
        let built_in = self.is_sandbox().then(|| Sourced::new("(built in)".to_owned(), Origin::Default));
        let address = self.base_url.as_ref().map(|url| url.map(Url::to_string));
        let key = self.key.as_ref().ok().map(|key| key.map(KeySource::shown));
        let path = |path: &PathBuf| path.display().to_string();
        let output = |format: &Format| format.to_possible_value().map(|word| word.get_name().to_owned());
        let rows = [
            ("config", Some(self.config.map(path))),
            ("profile", self.profile.clone()),
            ("base-url", built_in.clone().or(address)),
            ("api-key", built_in.or(key)),
            ("project", self.project.clone()),
            ("output", self.output.as_ref().map(|format| format.map(|format| output(format).unwrap_or_default()))),
            ("timeout", self.timeout.as_ref().map(|time| time.map(|time| format!("{time:?}")))),
            ("concurrency", Some(self.concurrency.map(u8::to_string))),
            ("ca-cert", self.ca_cert.as_ref().map(|file| file.map(path))),
            ("allow-http", Some(self.allow_http.map(bool::to_string))),
            ("read-only", Some(self.read_only.map(bool::to_string))),
            ("state-dir", self.state_dir.as_ref().map(|folder| folder.map(path))),
        ];
        let row = |(name, value): (_, Option<Sourced<String>>)| {
            let origin = value.as_ref().map_or(Origin::Default, |value| value.origin);
            SettingRow { name, value: value.map(|value| value.value), origin }
        };
        rows.into_iter().map(row).collect()
    }
}

/// Where the configuration file is: `--config`, `ASSESSCTL_CONFIG`, or the configuration folder.
pub fn config_file(args: &GlobalArgs, environment: &Environment) -> Result<Sourced<PathBuf>, Failure> {
    let variable = environment.raw("ASSESSCTL_CONFIG").map(PathBuf::from);
    let variable = variable.map(|path| Sourced::new(path, Origin::Variable("ASSESSCTL_CONFIG")));
    let default = || Some(Sourced::new(environment.config_folder()?.join("config.toml"), Origin::Default));
    pick(args.config.clone(), variable, None)
        .or_else(default)
        .ok_or_else(|| Failure::usage("this account has no home folder").hint("give --config FILE"))
}

/// The name of the profile in use, known or not: `--profile`, `ASSESSCTL_PROFILE`, or the file's default.
pub fn profile_in_use(
    args: &GlobalArgs,
    environment: &Environment,
    config: &Config,
) -> Result<Option<Sourced<String>>, Failure> {
    Ok(pick(args.profile.clone(), variable(environment, "ASSESSCTL_PROFILE")?, config.profile.clone()))
}

fn is_sandbox(profile: &Sourced<String>) -> bool {
    profile.value == SANDBOX
}

fn pick<T>(flag: Option<T>, variable: Option<Sourced<T>>, profile: Option<T>) -> Option<Sourced<T>> {
    let flag = flag.map(|value| Sourced::new(value, Origin::Flag));
    flag.or(variable).or_else(|| profile.map(|value| Sourced::new(value, Origin::Profile)))
}

fn switch(in_profile: bool) -> Sourced<bool> {
    Sourced::new(in_profile, if in_profile { Origin::Profile } else { Origin::Default })
}

fn variable(environment: &Environment, name: &'static str) -> Result<Option<Sourced<String>>, Failure> {
    Ok(environment.text(name)?.map(|text| Sourced::new(text, Origin::Variable(name))))
}

fn no_address() -> Failure {
    Failure::usage("there is no base URL").hint("`assessctl config init` asks for one; `--profile sandbox` needs none")
}

/// What is resolved from, when the profile is known.
struct Resolver<'a> {
    args: &'a GlobalArgs,
    environment: &'a Environment,
    file: &'a Path,
    name: Option<&'a Sourced<String>>,
    profile: &'a Profile,
}

impl Resolver<'_> {
    fn variable(&self, name: &'static str) -> Result<Option<Sourced<String>>, Failure> {
        variable(self.environment, name)
    }

    fn output(&self) -> Result<Option<Sourced<Format>>, Failure> {
        let Some(word) = self.variable("ASSESSCTL_OUTPUT")? else { return Ok(None) };
        let format = Format::from_str(&word.value, true);
        let format = format.map_err(|_| Failure::usage("ASSESSCTL_OUTPUT is not table, csv, json, ndjson or xlsx"))?;
        Ok(Some(Sourced::new(format, word.origin)))
    }

    fn base_url(&self) -> Result<Option<Sourced<Url>>, Failure> {
        let own = self.profile.base_url.as_ref();
        if self.name.is_some_and(is_sandbox) {
            let given =
                [("--base-url", self.args.base_url.is_some()), ("--api-key-file", self.args.api_key_file.is_some())];
            return match given.iter().find(|(_, is_given)| *is_given) {
                Some((option, _)) => Err(Failure::usage(format!("{option} does not go with the profile sandbox"))
                    .hint("the sandbox has its own address and key: leave the option out, or name another --profile")),
                None => Ok(None),
            };
        }
        let given = pick(self.args.base_url.clone(), self.variable("ASSESSCTL_BASE_URL")?, own.map(Url::to_string));
        let Some(Sourced { value, origin }) = given else { return Ok(None) };
        // What a profile allows holds for its own address.
        let is_own = own.is_some_and(|own| Url::parse(&value).is_ok_and(|url| url.origin() == own.origin()));
        let url = parse_base_url(&value, self.profile.allow_http && is_own).map_err(|reason| {
            Failure::usage(match origin {
                Origin::Flag => format!("--base-url {reason}"),
                Origin::Variable(name) => format!("{name} {reason}"),
                _ => format!("base-url of profile {} {reason}", self.name.map_or("", |name| &name.value)),
            })
        })?;
        Ok(Some(Sourced::new(url, origin)))
    }

    fn key(&self, base_url: Option<&Sourced<Url>>) -> Result<Sourced<KeySource>, Failure> {
        let used = base_url.ok_or_else(no_address)?;
        let variable_url = self.variable("ASSESSCTL_BASE_URL")?.map(|url| parse_base_url(&url.value, true));
        let offered = Offered {
            flag: self.args.api_key_file.clone(),
            variable: self.variable("ASSESSCTL_API_KEY")?.map(|key| Secret::new(key.value)),
            variable_url: variable_url
                .transpose()
                .map_err(|reason| Failure::usage(format!("ASSESSCTL_BASE_URL {reason}")))?,
            name: self.name.map(|name| name.value.as_str()),
            profile: self.profile_key(),
            profile_url: self.profile.base_url.as_ref(),
        };
        offered.choose(used)
    }

    fn profile_key(&self) -> Option<KeySource> {
        let Profile { api_key, api_key_file, api_key_command, .. } = self.profile;
        let file = || api_key_file.as_ref().map(|path| KeySource::File(self.beside(path)));
        let command = || {
            let mut command = api_key_command.clone()?;
            if let Some(program) = command.first_mut().filter(|program| program.contains(is_separator)) {
                *program = self.beside(Path::new(program)).to_string_lossy().into_owned();
            }
            Some(KeySource::Command(command))
        };
        api_key.clone().map(KeySource::Profile).or_else(file).or_else(command)
    }

    /// A path of the profile: `~/` is the user's home, and a relative one starts at the file's folder.
    fn beside(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), self.environment.home()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.file.parent().unwrap_or(Path::new("")).join(path),
        }
    }

    fn state_dir(&self) -> Option<Sourced<PathBuf>> {
        let named = self.environment.raw("ASSESSCTL_STATE_DIR").map(PathBuf::from);
        let named = named.map(|folder| Sourced::new(folder, Origin::Variable("ASSESSCTL_STATE_DIR")));
        named.or_else(|| Some(Sourced::new(self.environment.state_folder()?, Origin::Default)))
    }
}

/// The variable whose proxy the HTTP client uses for an address. It ignores a proxy that it can't read, and the key would
/// leave by another way than the user believes; so that is an error.
fn proxy_variable(url: &Url, environment: &Environment) -> Result<Option<&'static str>, Failure> {
    if url.scheme() != "https" || is_loopback(url) || is_exempt(url, environment)? {
        return Ok(None);
    }
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
        let Some(text) = environment.text(name)? else { continue };
        let proxy = if text.contains("://") { text } else { format!("http://{text}") };
        let is_usable = |proxy: Url| matches!(proxy.scheme(), "http" | "https") && proxy.has_host();
        return match Url::parse(&proxy).is_ok_and(is_usable) && !proxy.contains(char::is_whitespace) {
            true => Ok(Some(name)),
            false => Err(Failure::usage(format!("{name} is not a proxy such as http://HOST:PORT"))),
        };
    }
    Ok(None)
}

/// Whether `NO_PROXY` names the host, or a domain around it.
fn is_exempt(url: &Url, environment: &Environment) -> Result<bool, Failure> {
    let host = url.host_str().unwrap_or_default();
    let listed = environment.text("NO_PROXY")?.or(environment.text("no_proxy")?).unwrap_or_default();
    let mut names = listed.split(',').map(|name| name.trim().trim_start_matches('.').to_lowercase());
    Ok(names.any(|name| name == "*" || name == host || (!name.is_empty() && host.ends_with(&format!(".{name}")))))
}
