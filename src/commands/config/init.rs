//! `config init`: a new profile, asked for on a terminal, taken from flags elsewhere.

use clap::{Args, ValueEnum};

use crate::commands::config::context::{ConfigContext, absolute, write};
use crate::commands::shared::prints::Prints;
use crate::config::edit::{self, NewProfile};
use crate::config::{
    ALLOW_HTTP, API_KEY_FILE, BASE_URL, CA_CERT, OUTPUT, PROJECT, Profiles, RESULTS_API, check_key_file, check_name,
    key_from_stdin, parse_address,
};
use crate::model::secret::ApiKey;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Talk, ask, ask_secret, can_ask};

/// Make a profile: asks for what is not given on a terminal, takes everything from flags elsewhere.
///
/// A key that is typed, or read with --api-key-file -, is kept in the configuration file, which is for its owner alone;
/// of a key in a file of its own the path is kept. The first profile is the default. --output, --results-api and
/// --ca-cert are kept too where they are given.
#[derive(Args, Debug)]
#[command(add = Prints::Profile)]
#[command(after_help = "\
Examples:
  assessctl config init --name main --base-url https://assess.example.com \\
      --api-key-file key.txt
  assessctl config init --name night --base-url https://assess.example.com \\
      --project \"Night shift\"
  assessctl config init --name cron --base-url https://assess.example.com \\
      --api-key-file - < key.txt")]
pub struct InitProfile {
    /// Name of the profile; `main` where it is not asked for
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Project where later commands don't name one: a name or an id
    #[arg(short, long, value_name = "NAME_OR_ID")]
    pub project: Option<String>,
    /// Send the key over plain http
    #[arg(long)]
    pub allow_http: bool,
}

const NAME: &str = "main";

pub fn run(args: &InitProfile, context: ConfigContext<'_>) -> anyhow::Result<()> {
    let (file, text) = context.read()?;
    let profiles = Profiles::parse(&text).map_err(|mistake| mistake.in_file(&file))?;
    let name = name(args, &profiles, context.talk)?;
    let base_url = base_url(args, context)?;
    let (key, key_file) = key(context)?;
    let mut settings = vec![(BASE_URL.about.key, base_url)];
    settings.extend(key_file.map(|path| (API_KEY_FILE.about.key, path)));
    settings.extend(project(args)?.map(|project| (PROJECT.about.key, project)));
    settings.extend(settings_of_flags(args, context)?);
    let keyless = key.is_none() && !settings.iter().any(|(key, _)| *key == API_KEY_FILE.about.key);
    let new = NewProfile { name: name.clone(), key, settings };
    write(&file, &edit::add(&text, &file, &new)?)?;
    context.talk.aside(&format!("saved profile {name} in {}", file.display()));
    if profiles.default.is_some() {
        context.talk.aside(&format!("`assessctl config use {name}` makes it the default"));
    }
    if keyless {
        context.talk.aside("it has no key: set ASSESSCTL_API_KEY, or type `assessctl config set api-key-file FILE`");
    } else {
        context.talk.aside(&format!("`assessctl doctor --profile {name}` tries it out"));
    }
    Ok(())
}

fn name(args: &InitProfile, profiles: &Profiles, talk: Talk) -> Result<String, Failure> {
    match &args.name {
        Some(name) => free_name(profiles, name.clone()),
        None if can_ask() => asked(talk, &format!("Name of the profile [{NAME}]:"), |answer| {
            free_name(profiles, if answer.is_empty() { NAME.to_owned() } else { answer })
        }),
        None => free_name(profiles, NAME.to_owned()),
    }
}

fn free_name(profiles: &Profiles, name: String) -> Result<String, Failure> {
    check_name(&name).map_err(Failure::usage)?;
    if profiles.named(&name).is_some() { Err(edit::exists(&name)) } else { Ok(name) }
}

fn base_url(args: &InitProfile, context: ConfigContext<'_>) -> Result<String, Failure> {
    match &context.flags.base_url {
        Some(url) => usable(url.clone(), args.allow_http),
        None if can_ask() => asked(context.talk, "Base URL of the service:", |url| usable(url, args.allow_http)),
        None => Err(Failure::usage("without a terminal the base URL cannot be asked for")
            .hint("run `assessctl config init --name NAME --base-url URL --api-key-file FILE`")),
    }
}

fn usable(url: String, allow_http: bool) -> Result<String, Failure> {
    let Err(reason) = parse_address(&url, allow_http) else { return Ok(url) };
    let error = Failure::usage(format!("the base URL {reason}"));
    let is_plain = !allow_http && parse_address(&url, true).is_ok();
    Err(if is_plain { error.hint("to send the key over plain http add --allow-http") } else { error })
}

/// The key to keep in the configuration, or the path of the file that has it.
fn key(context: ConfigContext<'_>) -> anyhow::Result<(Option<ApiKey>, Option<String>)> {
    match &context.flags.api_key_file {
        Some(path) if path.as_os_str() == "-" => Ok((Some(key_from_stdin()?), None)),
        Some(path) => {
            check_key_file(path)?;
            let path = path.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
            Ok((None, Some(absolute(path)?)))
        }
        None if can_ask() => Ok((asked_key(context.talk)?, None)),
        None => Ok((None, None)),
    }
}

fn asked_key(talk: Talk) -> Result<Option<ApiKey>, Failure> {
    loop {
        let Some(text) = ask_secret("API key (not shown, empty for none):") else { return Err(cancelled()) };
        if text.is_empty() {
            return Ok(None);
        }
        match ApiKey::parse(&text) {
            Ok(key) => return Ok(Some(key)),
            Err(error) => talk.warn(&error.to_string()),
        }
    }
}

fn project(args: &InitProfile) -> Result<Option<String>, Failure> {
    match &args.project {
        Some(project) => Ok(Some(project.clone())),
        None if can_ask() => {
            let project = ask("Default project, a name or an id (empty for none):").ok_or_else(cancelled)?;
            Ok((!project.is_empty()).then_some(project))
        }
        None => Ok(None),
    }
}

/// The other flags that a profile can keep.
fn settings_of_flags(args: &InitProfile, context: ConfigContext<'_>) -> anyhow::Result<Vec<(&'static str, String)>> {
    let flags = context.flags;
    let mut settings = Vec::new();
    if args.allow_http {
        settings.push((ALLOW_HTTP.about.key, "true".to_owned()));
    }
    settings.extend(flags.output.map(|format| (OUTPUT.about.key, word(&format))));
    settings.extend(flags.results_api.map(|api| (RESULTS_API.about.key, word(&api))));
    if let Some(path) = &flags.ca_cert {
        let path = path.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
        settings.push((CA_CERT.about.key, absolute(path)?));
    }
    Ok(settings)
}

/// A word as flags and files spell it.
fn word<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map(|word| word.get_name().to_owned()).unwrap_or_default()
}

/// Asks until the answer will do.
fn asked<T>(talk: Talk, question: &str, check: impl Fn(String) -> Result<T, Failure>) -> Result<T, Failure> {
    loop {
        match check(ask(question).ok_or_else(cancelled)?) {
            Ok(value) => return Ok(value),
            Err(error) => {
                talk.warn(&error.cause);
                if let Some(hint) = &error.hint {
                    talk.hint(hint);
                }
            }
        }
    }
}

fn cancelled() -> Failure {
    Failure::new(Verdict::Interrupted, "cancelled: nothing was written")
}
