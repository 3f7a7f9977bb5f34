//! `config init`: asks for a profile, tries it, and only then writes it.

use std::path::PathBuf;

use clap::Args;

use super::{check_new_name, project};
use crate::commands::again::there;
use crate::commands::session::Session;
use crate::commands::{Ended, failure};
use crate::config::file::{Config, Profile};
use crate::config::key::KeySource;
use crate::config::{SANDBOX, edit};
use crate::files;
use crate::model::address::parse_base_url;
use crate::model::projects::ProjectQuery;
use crate::model::secret::ApiKey;
use crate::model::verdict::{Failure, Verdict};

/// The name of a first profile.
const USUAL: &str = "main";

/// Set up a profile by answering four questions
#[derive(Args)]
#[command(after_help = "\
Examples:
  assessctl config init
  assessctl config init --profile night --base-url https://assess.example.com

Each of --profile, --base-url and --api-key-file answers its question beforehand.
Nothing is saved before the service has answered.")]
pub struct InitProfile {}

/// A profile that is being set up.
struct Draft<'s> {
    session: &'s Session,
    file: PathBuf,
    name: String,
    /// The profile of this name until now.
    before: Profile,
    base_url: String,
    /// `api-key` or `api-key-file`, and its value.
    key: (&'static str, String),
    project: Option<String>,
}

impl InitProfile {
    pub async fn run(self, session: &Session) -> Ended {
        let (file, config) = session.config()?;
        let named = session.profile(&Config::default()).ok();
        // A terminal in which the sandbox was tried means another profile.
        let name = match named.filter(|name| name != SANDBOX || session.args.profile.is_some()) {
            Some(name) => check_new_name(&name)?,
            None if session.console.can_ask() => ask(session, "Profile name", Some(USUAL), check_new_name)?,
            None if config.profiles.contains_key(USUAL) => {
                return Err(Failure::usage("the profile \"main\" exists already").hint("add --profile NAME").into());
            }
            None => USUAL.to_owned(),
        };
        let before = config.profile(&name).unwrap_or_default();
        let (key, project) = (("api-key", String::new()), None);
        let mut draft = Draft { session, file, name, before, base_url: String::new(), key, project };
        draft.base_url = match &session.args.base_url {
            Some(url) => draft.address(url)?,
            None => draft.ask_address(draft.before.base_url.as_ref().map(ToString::to_string).as_deref())?,
        };
        draft.key = match &session.args.api_key_file {
            // What comes by standard input goes into the profile.
            Some(path) if path.as_os_str() == "-" => ("api-key", KeySource::Stdin.read().await?.expose().to_owned()),
            Some(path) => ("api-key-file", std::path::absolute(path)?.to_string_lossy().into_owned()),
            None => ask_key(session)?,
        };
        let trial = draft.tried().await?;
        if session.console.can_ask() {
            draft.project = draft.ask_project(&trial).await?;
        }
        edit::edit(&draft.file, |text| draft.written(text))?;
        let (name, file) = (&draft.name, draft.file.display());
        session.console.say(&format!("saved as profile {name} in {file}"));
        session.console.say(&there(&format!("next: assessctl doctor --profile {name}")));
        Ok(Verdict::Done)
    }
}

impl Draft<'_> {
    /// The configuration with this profile. It replaces any other setting for the key.
    fn written(&self, text: &str) -> Result<String, Failure> {
        let mut settings = vec![("base-url", self.base_url.as_str()), (self.key.0, &self.key.1)];
        settings.extend(self.project.iter().map(|project| ("project", project.as_str())));
        edit::add(text, &self.name, &settings)
    }

    /// Tries address and key with one read, and asks again for the one that is no good.
    async fn tried(&mut self) -> anyhow::Result<Session> {
        let (console, text) = (&self.session.console, files::read_private(&self.file)?.unwrap_or_default());
        loop {
            let config = Config::parse(&self.written(&text)?, None)?;
            let trial = self.session.trying(self.file.clone(), &config, self.name.clone())?;
            let read = async { Ok(trial.client().await?.projects(&ProjectQuery::default()).page(1, 1).await?) };
            let Err(error) = read.await else { return Ok(trial) };
            let found = failure(&error);
            if !console.can_ask() {
                return Err(Failure::new(found.verdict, format!("nothing is saved: {found}")).into());
            }
            console.warn(&found.cause);
            match found.verdict {
                Verdict::Key => self.key = ask_key(self.session)?,
                _ => self.base_url = self.ask_address(Some(&self.base_url))?,
            }
        }
    }

    fn ask_address(&self, usual: Option<&str>) -> Result<String, Failure> {
        ask(self.session, "Base URL of the service", usual, |text| self.address(text))
    }

    /// The address of a service; a bare host means `https`.
    fn address(&self, text: &str) -> Result<String, Failure> {
        let text = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
        let url = parse_base_url(&text, self.before.allow_http == Some(true));
        url.map(Into::into).map_err(|why| Failure::usage(format!("the base URL {why}")))
    }

    /// The default project, looked up; `None` leaves it as it is.
    async fn ask_project(&self, trial: &Session) -> anyhow::Result<Option<String>> {
        let usual = self.before.project.as_deref().unwrap_or("none");
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

/// Asks until the answer is good; an empty one means the usual.
fn ask(
    session: &Session,
    question: &str,
    usual: Option<&str>,
    check: impl Fn(&str) -> Result<String, Failure>,
) -> Result<String, Failure> {
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
        return Failure::new(Verdict::Declined, "nothing is saved");
    }
    Failure::usage("cannot ask questions without a terminal").hint("add --base-url URL --api-key-file FILE")
}
