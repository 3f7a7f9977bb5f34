//! `config init`: a new profile, asked for on a terminal, taken from flags elsewhere.

use std::path::Path;

use clap::Args;

use crate::api::{Client, Connection, Error, ProjectQuery, word};
use crate::commands::config::context::{ConfigContext, absolute};
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::config::edit_profiles::{self, NewProfile};
use crate::config::{
    ALLOW_HTTP, API_KEY, API_KEY_FILE, BASE_URL, CA_CERT, OUTPUT, PROFILE, PROJECT, Profiles, RESULTS_API,
    check_key_file, check_name, key_from_stdin, read_certificates,
};
use crate::model::concurrency::Concurrency;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::secret::ApiKey;
use crate::model::service_address::parse_address;
use crate::model::shell_word::shell_word;
use crate::output::Console;

/// Make a profile: asks for what is not given on a terminal, takes everything from flags elsewhere.
///
/// A key that is typed, or read with --api-key-file -, is kept in the configuration file, which is for its owner alone;
/// of a key in a file of its own the path is kept. The first profile is the default. --output, --results-api and
/// --ca-cert are kept too where they are given. The address and the key are tried with one request that reads, before
/// anything is written.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Profile))]
#[command(after_help = "\
Examples:
  assessctl config init --name main --base-url https://assess.example.com \\
      --api-key-file key.txt --no-check
  assessctl config init --name night --base-url https://assess.example.com \\
      --project \"Night shift\"
  assessctl config init --name cron --base-url https://assess.example.com \\
      --api-key-file - --no-check < key.txt")]
pub struct InitProfile {
    /// Name of the profile; where it is not asked for `main`, or the next that is free on a terminal
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Project where later commands don't name one: a name or an id
    #[arg(short, long, value_name = "NAME_OR_ID")]
    pub project: Option<String>,
    /// Send the key over plain http
    #[arg(long)]
    pub allow_http: bool,
    /// Do not try the address and the key
    #[arg(long)]
    pub no_check: bool,
}

const NAME: &str = "main";

pub async fn run(args: &InitProfile, context: ConfigContext<'_>) -> anyhow::Result<()> {
    let (file, text) = context.read()?;
    let profiles = Profiles::parse(&text).map_err(|mistake| mistake.in_file(&file))?;
    let given = args.name.as_ref().or(context.flags.profile.as_ref());
    let name = name(given, &profiles, context.console)?;
    let base_url = base_url(args, context)?;
    let (key, key_file) = key(context)?;
    let tried = match &key_file {
        Some(path) => Some(check_key_file(Path::new(path))?),
        None => key.clone(),
    };
    let mut settings = vec![(BASE_URL.about.key, base_url.clone())];
    settings.extend(key_file.map(|path| (API_KEY_FILE.about.key, path)));
    settings.extend(project(args, context.console)?.map(|project| (PROJECT.about.key, project)));
    settings.extend(settings_of_flags(args, context)?);
    let keys: Vec<&str> = settings.iter().map(|(key, _)| *key).collect();
    let new = NewProfile { name: name.clone(), key, settings };
    edit_profiles::add(&text, &file, &new)?;
    let has_key = tried.is_some();
    if let Some(key) = tried.filter(|_| !args.no_check) {
        try_out(&base_url, key, context).await?;
    }
    context.edit(|text, file| Ok(Some(edit_profiles::add(text, file, &new)?)))?;
    context.console.note(&format!("saved profile {name} in {}", file.display()));
    warn_of_variables(context, &name, &keys, has_key)?;
    let line = context.line.of_configuration();
    let commands = next_commands(&name, profiles.default.as_deref().unwrap_or(&name), has_key);
    for (place, command) in commands.iter().enumerate() {
        let start = if place == 0 { "next:" } else { "     " };
        context.console.note(&format!("{start} {}", line.complete(command)));
    }
    Ok(())
}

/// Asks the service for one project, as `--profile` will.
async fn try_out(base_url: &str, key: ApiKey, context: ConfigContext<'_>) -> anyhow::Result<()> {
    let connection = Connection {
        base_url: parse_address(base_url, true).map_err(Failure::usage)?,
        key,
        ca_cert: context.flags.ca_cert.as_deref().map(read_certificates).transpose()?,
        timeout: context.flags.timeout,
        concurrency: Concurrency::default(),
        max_rate: None,
        deadline: None,
        max_records: 1,
        hides_words: false,
    };
    let client = Client::new(connection, |_| {}).map_err(|error| untried(&error))?;
    let asked = client.projects(&ProjectQuery::default()).page_size(1).page(1).await;
    asked.map(drop).map_err(|error| untried(&error).into())
}

fn untried(error: &Error) -> Failure {
    let cause = format!("the profile was tried and nothing was written: {}", error.redacted());
    Failure::new(error.verdict(), cause).hint("correct what is wrong, or add --no-check to save it all the same")
}

/// Names the variables that go before what was just saved.
fn warn_of_variables(context: ConfigContext<'_>, name: &str, keys: &[&str], has_key: bool) -> Result<(), Failure> {
    if let Some((variable, used)) = context.environment.text(&PROFILE.about)?.filter(|(_, used)| *used != name) {
        context.console.warn(&format!("{variable} is {used}: until it is unset, commands without --profile use that"));
    }
    let saved = [&BASE_URL.about, &PROJECT.about, &OUTPUT.about, &RESULTS_API.about, &CA_CERT.about];
    let saved = saved.into_iter().filter(|about| keys.contains(&about.key));
    for about in saved.chain([&API_KEY.about, &API_KEY_FILE.about].into_iter().filter(|_| has_key)) {
        if let Some(variable) = about.variable.filter(|_| context.environment.sets(about)) {
            context.console.warn(&format!("{variable} is set and goes before the {} of profile {name}", about.key));
        }
    }
    Ok(())
}

/// What to type next, up to the first look at the service.
fn next_commands(name: &str, default: &str, has_key: bool) -> [String; 3] {
    let profile = if name == default { String::new() } else { format!(" --profile {name}") };
    let first = if has_key { "doctor" } else { "config set api-key-file FILE" };
    let last = if name == default { "testtakers check roster.csv".to_owned() } else { format!("config use {name}") };
    [format!("assessctl {first}{profile}"), format!("assessctl projects list{profile}"), format!("assessctl {last}")]
}

/// A name that is free: as it was given (`--profile` names it, too), asked for, or [`NAME`].
fn name(given: Option<&String>, profiles: &Profiles, console: Console) -> Result<String, Failure> {
    match given {
        Some(name) => new_name(name.clone(), profiles),
        None if console.can_ask() => {
            let free = free_name(profiles);
            asked(console, &format!("Name of the profile [{free}]:"), |answer| {
                new_name(if answer.is_empty() { free.clone() } else { answer }, profiles)
            })
        }
        None => new_name(NAME.to_owned(), profiles),
    }
}

fn new_name(name: String, profiles: &Profiles) -> Result<String, Failure> {
    check_name(&name).map_err(Failure::usage)?;
    if profiles.named(&name).is_some() { Err(edit_profiles::exists(&name)) } else { Ok(name) }
}

/// `main`, else `main-2` and so on.
fn free_name(profiles: &Profiles) -> String {
    let names = std::iter::once(NAME.to_owned()).chain((2..).map(|number| format!("{NAME}-{number}")));
    let mut free = names.filter(|name| profiles.named(name).is_none());
    free.next().unwrap_or_else(|| NAME.to_owned())
}

fn base_url(args: &InitProfile, context: ConfigContext<'_>) -> Result<String, Failure> {
    match &context.flags.base_url {
        Some(url) => usable(url.clone(), args.allow_http),
        None if context.console.can_ask() => {
            asked(context.console, "Base URL of the service:", |url| usable(url, args.allow_http))
        }
        None => {
            let name = args.name.as_deref().or(context.flags.profile.as_deref()).map_or("NAME".into(), shell_word);
            let file = context
                .flags
                .api_key_file
                .as_deref()
                .map_or_else(|| "FILE".to_owned(), |file| shell_word(&file.to_string_lossy()).into_owned());
            Err(Failure::usage("without a terminal the base URL cannot be asked for")
                .hint(format!("run `assessctl config init --name {name} --base-url URL --api-key-file {file}`")))
        }
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
            let path = path.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
            Ok((None, Some(absolute(path)?)))
        }
        None if context.console.can_ask() => Ok((asked_key(context.console)?, None)),
        None => Ok((None, None)),
    }
}

fn asked_key(console: Console) -> Result<Option<ApiKey>, Failure> {
    loop {
        let Some(text) = console.ask_secret("API key (not shown, empty for none):") else { return Err(cancelled()) };
        if text.is_empty() {
            return Ok(None);
        }
        match ApiKey::parse(&text) {
            Ok(key) => return Ok(Some(key)),
            Err(error) => console.warn(&error.to_string()),
        }
    }
}

fn project(args: &InitProfile, console: Console) -> Result<Option<String>, Failure> {
    match &args.project {
        Some(project) => Ok(Some(project.clone())),
        None if console.can_ask() => {
            let project = console.ask("Default project, a name or an id (empty for none):").ok_or_else(cancelled)?;
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

/// Asks until the answer will do.
fn asked<T>(console: Console, question: &str, check: impl Fn(String) -> Result<T, Failure>) -> Result<T, Failure> {
    loop {
        match check(console.ask(question).ok_or_else(cancelled)?) {
            Ok(value) => return Ok(value),
            Err(error) => {
                console.warn(&error.cause);
                if let Some(hint) = &error.hint {
                    console.hint(hint);
                }
            }
        }
    }
}

fn cancelled() -> Failure {
    Failure::new(Verdict::Interrupted, "cancelled: nothing was written")
}
