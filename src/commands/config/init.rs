//! `config init`: a new profile, asked for on a terminal, taken from flags elsewhere.

use clap::{Args, ValueEnum};

use crate::commands::config::context::{Around, absolute, write};
use crate::config::edit::{self, NewProfile};
use crate::config::{Profiles, check_key_file, check_name, key_from_stdin, parse_address};
use crate::model::secret::ApiKey;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Talk, ask, ask_secret, can_ask};

/// Make a profile: asks for what is not given on a terminal, takes everything from flags elsewhere.
///
/// A key that is typed, or read with --api-key-file -, is kept in the configuration file, which is for its owner alone;
/// of a key in a file of its own the path is kept. The first profile is the default. --output, --results-api and
/// --ca-cert are kept too where they are given.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config init --name main --base-url https://assess.example.com \\
      --api-key-file key.txt
  assessctl config init --name night --base-url https://assess.example.com \\
      --project \"Night shift\"
  assessctl config init --name cron --base-url https://assess.example.com \\
      --api-key-file - < key.txt")]
pub struct InitProfile {
    /// Name of the profile; `main` where nobody is asked
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Project where later commands don't name one: a name or an id
    #[arg(short, long, value_name = "NAME_OR_ID")]
    pub project: Option<String>,
    /// Let the key travel over plain http
    #[arg(long)]
    pub allow_http: bool,
}

const NAME: &str = "main";

pub fn run(args: &InitProfile, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    let profiles = Profiles::parse(&text, &file)?;
    let name = name(args, &profiles, around.talk)?;
    let base_url = base_url(args, around)?;
    let (key, key_file) = key(around)?;
    let mut settings = vec![("base-url", base_url)];
    settings.extend(key_file.map(|path| ("api-key-file", path)));
    settings.extend(project(args)?.map(|project| ("project", project)));
    settings.extend(given_settings(args, around)?);
    let keyless = key.is_none() && !settings.iter().any(|(key, _)| *key == "api-key-file");
    let new = NewProfile { name: name.clone(), key, settings };
    write(&file, &edit::add(&text, &file, &new)?)?;
    around.talk.aside(&format!("profile {name} stands in {}", file.display()));
    if profiles.default.is_some() {
        around.talk.aside(&format!("`assessctl config use {name}` makes it the default"));
    }
    if !keyless {
        around.talk.aside(&format!("`assessctl doctor --profile {name}` tries it out"));
    }
    if keyless {
        around.talk.aside("it has no key: set ASSESSCTL_API_KEY, or type `assessctl config set api-key-file FILE`");
    }
    Ok(())
}

fn name(args: &InitProfile, profiles: &Profiles, talk: Talk) -> Result<String, Failure> {
    let check = |name: String| match (check_name(&name), profiles.named(&name)) {
        (Err(reason), _) => Err(Failure::usage(reason)),
        (Ok(()), Some(_)) => {
            let error = Failure::usage(format!("the profile {name} is there already"));
            Err(error.hint(format!("`assessctl config set KEY VALUE --profile {name}` changes it")))
        }
        (Ok(()), None) => Ok(name),
    };
    match &args.name {
        Some(name) => check(name.clone()),
        None if can_ask() => asked(talk, &format!("Name of the profile [{NAME}]:"), |answer| {
            check(if answer.is_empty() { NAME.to_owned() } else { answer })
        }),
        None => check(NAME.to_owned()),
    }
}

fn base_url(args: &InitProfile, around: Around<'_>) -> Result<String, Failure> {
    let check = |url: String| match parse_address(&url, args.allow_http) {
        Ok(_) => Ok(url),
        Err(reason) => {
            let error = Failure::usage(format!("the base URL {reason}"));
            let plain = !args.allow_http && parse_address(&url, true).is_ok();
            Err(if plain { error.hint("--allow-http lets the key travel so") } else { error })
        }
    };
    match &around.given.base_url {
        Some(url) => check(url.clone()),
        None if can_ask() => asked(around.talk, "Base URL of the service:", check),
        None => Err(Failure::usage("without a terminal the base URL cannot be asked for")
            .hint("run `assessctl config init --name NAME --base-url URL --api-key-file FILE`")),
    }
}

/// The key to keep in the configuration, or the path of the file that has it.
fn key(around: Around<'_>) -> anyhow::Result<(Option<ApiKey>, Option<String>)> {
    match &around.given.api_key_file {
        Some(path) if path.as_os_str() == "-" => Ok((Some(key_from_stdin()?), None)),
        Some(path) => {
            check_key_file(path)?;
            let path = path.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
            Ok((None, Some(absolute(path)?)))
        }
        None if can_ask() => Ok((asked_key(around.talk)?, None)),
        None => Ok((None, None)),
    }
}

fn asked_key(talk: Talk) -> Result<Option<ApiKey>, Failure> {
    loop {
        let Some(text) = ask_secret("API key (not shown, empty for none):") else { return Err(left()) };
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
            let project = ask("Default project, a name or an id (empty for none):").ok_or_else(left)?;
            Ok((!project.is_empty()).then_some(project))
        }
        None => Ok(None),
    }
}

/// The other flags that a profile can keep.
fn given_settings(args: &InitProfile, around: Around<'_>) -> anyhow::Result<Vec<(&'static str, String)>> {
    let given = around.given;
    let mut settings = Vec::new();
    if args.allow_http {
        settings.push(("allow-http", "true".to_owned()));
    }
    settings.extend(given.output.map(|format| ("output", word(&format))));
    settings.extend(given.results_api.map(|api| ("results-api", word(&api))));
    if let Some(path) = &given.ca_cert {
        let path = path.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
        settings.push(("ca-cert", absolute(path)?));
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
        match check(ask(question).ok_or_else(left)?) {
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

fn left() -> Failure {
    Failure::new(Verdict::Interrupted, "the questions were left: nothing was written")
}
