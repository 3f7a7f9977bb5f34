//! `config init`: asks for a profile, tries it, and only then writes it.

use std::path::Path;

use clap::Args;

use super::{check_new_name, edit::project};
use crate::commands::session::Session;
use crate::commands::{Ended, failure};
use crate::config::edit;
use crate::config::file::{Config, Profile};
use crate::config::key::KeySource;
use crate::files;
use crate::model::projects::ProjectQuery;
use crate::model::secret::{ApiKey, parse_base_url};
use crate::model::verdict::{Failure, Verdict};

/// The name of a first profile.
const USUAL: &str = "main";

/// Set up a profile by answering four questions
#[derive(Args)]
#[command(after_help = "\
Examples:
  assessctl config init
  assessctl config init --profile night --base-url https://assess.example.com

Questions that an option answers are not asked. Nothing is saved before the
service has answered.")]
pub struct InitProfile {}

/// What was answered, as the file keeps it.
struct Answers {
    name: String,
    base_url: String,
    /// `api-key` or `api-key-file`, and its value.
    key: (&'static str, String),
    project: Option<String>,
}

impl InitProfile {
    pub async fn run(self, session: &Session) -> Ended {
        let (file, config) = session.config()?;
        let name = ask_name(session)?;
        let before = config.profile(&name).unwrap_or_default();
        let base_url = match &session.args().base_url {
            Some(url) => address(url, &before)?,
            None => ask_address(session, &before, before.base_url.as_ref().map(ToString::to_string).as_deref())?,
        };
        let key = match session.args().api_key_file.as_deref() {
            Some(path) => kept(path).await?,
            None => ask_key(session)?,
        };
        let mut answers = Answers { name, base_url, key, project: None };
        let trial = answers.tried(session, &file, &before).await?;
        if session.console.can_ask() {
            answers.project = ask_project(&trial, &before).await?;
        }
        edit::edit(&file, |text| answers.written(text))?;
        answers.say_next(session, &file)?;
        Ok(Verdict::Done)
    }
}

impl Answers {
    /// The configuration with this profile. Another way to keep the key gives way.
    fn written(&self, text: &str) -> Result<String, Failure> {
        let text = edit::add(text, &self.name, &[("base-url", &self.base_url)])?;
        let ways = ["api-key", "api-key-file", "api-key-command"];
        let text = ways.iter().try_fold(text, |text, way| edit::unset(&text, &self.name, way))?;
        let project = self.project.iter().map(|project| ("project", project.as_str()));
        let settings: Vec<_> = std::iter::once((self.key.0, self.key.1.as_str())).chain(project).collect();
        edit::add(&text, &self.name, &settings)
    }

    /// Tries address and key with one read, and asks again for the one that is no good.
    async fn tried(&mut self, session: &Session, file: &Path, before: &Profile) -> anyhow::Result<Session> {
        let text = files::read_private(file)?.unwrap_or_default();
        loop {
            let config = Config::parse(&self.written(&text)?, None)?;
            let trial = session.trying(file.to_owned(), &config, self.name.clone())?;
            let Err(error) = read_one(&trial).await else { return Ok(trial) };
            let found = failure(&error);
            if !session.console.can_ask() {
                return Err(Failure::new(found.verdict, format!("nothing is saved: {found}")).into());
            }
            session.console.warn(&found.cause);
            match found.verdict {
                Verdict::Key => self.key = ask_key(session)?,
                _ => self.base_url = ask_address(session, before, Some(&self.base_url.clone()))?,
            }
        }
    }

    fn say_next(&self, session: &Session, file: &Path) -> Result<(), Failure> {
        let is_default = session.config()?.1.profile.as_ref() == Some(&self.name);
        let profile = if is_default { String::new() } else { format!(" --profile {}", self.name) };
        session.console.say(&format!("saved as profile {} in {}", self.name, file.display()));
        session.console.say(&format!("next: assessctl doctor{profile}"));
        session.console.say(&format!("      assessctl projects list{profile}"));
        Ok(())
    }
}

async fn read_one(trial: &Session) -> anyhow::Result<()> {
    trial.client().await?.projects(&ProjectQuery::default()).page(1, 1).await?;
    Ok(())
}

fn ask_name(session: &Session) -> Result<String, Failure> {
    let checked = |name: &str| check_new_name(name).map(|()| name.to_owned());
    match &session.args().profile {
        Some(name) => checked(name),
        None if session.console.can_ask() => ask(session, "Profile name", Some(USUAL), checked),
        None => Ok(USUAL.to_owned()),
    }
}

fn ask_address(session: &Session, before: &Profile, usual: Option<&str>) -> Result<String, Failure> {
    ask(session, "Base URL of the service", usual, |text| address(text, before))
}

/// The address of a service; a bare host means `https`.
fn address(text: &str, before: &Profile) -> Result<String, Failure> {
    let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = parse_base_url(&text, before.allow_http == Some(true));
    url.map(Into::into).map_err(|why| Failure::usage(format!("the base URL {why}")))
}

/// A key that an option gives: a file stays where it is, and standard input goes into the profile.
async fn kept(path: &Path) -> anyhow::Result<(&'static str, String)> {
    if path.as_os_str() == "-" {
        return Ok(("api-key", KeySource::Stdin.read().await?.expose().to_owned()));
    }
    Ok(("api-key-file", std::path::absolute(path)?.to_string_lossy().into_owned()))
}

fn ask_key(session: &Session) -> Result<(&'static str, String), Failure> {
    loop {
        let typed = session.console.ask_secret("API key (not shown):").ok_or_else(|| no_answer(session))?;
        match typed.parse::<ApiKey>() {
            Ok(key) => return Ok(("api-key", key.expose().to_owned())),
            Err(why) => session.console.warn(why),
        }
    }
}

/// The default project, looked up; `None` leaves it as it is.
async fn ask_project(trial: &Session, before: &Profile) -> anyhow::Result<Option<String>> {
    let usual = before.project.as_deref().unwrap_or("none");
    loop {
        let name = ask(trial, "Default project, name or id", Some(usual), |name| Ok(name.to_owned()))?;
        if name == usual {
            return Ok(None);
        }
        match project(trial, &name).await {
            Ok(project) => return Ok(Some(project)),
            Err(error) => trial.console.warn(&failure(&error).to_string()),
        }
    }
}

/// Asks until the answer is good; an empty one means the usual.
fn ask<T>(
    session: &Session,
    question: &str,
    usual: Option<&str>,
    check: impl Fn(&str) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let shown = usual.map(|usual| format!(" [{usual}]")).unwrap_or_default();
    loop {
        let answer = session.console.ask_line(&format!("{question}{shown}:")).ok_or_else(|| no_answer(session))?;
        match check(usual.filter(|_| answer.is_empty()).unwrap_or(&answer)) {
            Ok(value) => return Ok(value),
            Err(failure) => session.console.warn(&failure.cause),
        }
    }
}

fn no_answer(session: &Session) -> Failure {
    if session.console.can_ask() {
        Failure::new(Verdict::Interrupted, "nothing is saved")
    } else {
        Failure::usage("there is no terminal to ask on").hint("add --base-url URL and --api-key-file FILE")
    }
}
