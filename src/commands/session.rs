//! What all commands share: settings, the connection, which waits and answers are shown, and the name of the place.

use std::cell::{OnceCell, RefCell};
use std::path::PathBuf;
use std::rc::{Rc, Weak};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::OnceCell as AsyncOnceCell;

use crate::api::{Client, Connection, Exchange};
use crate::config::environment::Environment;
use crate::config::file::Config;
use crate::config::settings::{Settings, config_file, profile_in_use};
use crate::config::{GlobalArgs, Origin};
use crate::files;
use crate::journal::Journal;
use crate::model::projects::ProjectRef;
use crate::model::show::shell_word;
use crate::model::time::local_second;
use crate::model::verdict::Failure;
use crate::output::{Columns, Console, Output, OutputArgs, Progress, Shape};
use crate::sandbox::{Embedded, SandboxOptions};

/// Waits that are shorter need no announcement.
const SHORT: Duration = Duration::from_secs(3);
/// The most that a file of certificates may hold, in bytes.
const CERTIFICATES: u64 = 1 << 20;

/// What all commands share. Nothing is read or sent before it is asked for.
pub struct Session {
    pub console: Console,
    /// The options that every command has, as typed.
    pub args: GlobalArgs,
    environment: Environment,
    settings: OnceCell<Result<Settings, Failure>>,
    /// With the service inside this command, for the profile `sandbox`. It is dropped after the client.
    client: AsyncOnceCell<(Client, Option<Embedded>)>,
    progress: Counter,
}

/// The line of progress, while there is one.
type Counter = Rc<RefCell<Weak<Progress>>>;

impl Session {
    pub fn new(args: GlobalArgs, environment: Environment, console: Console) -> Self {
        let (settings, client, progress) = Default::default();
        Self { console, args, environment, settings, client, progress }
    }

    /// The settings of this run.
    pub fn settings(&self) -> Result<&Settings, Failure> {
        let settings = self.settings.get_or_init(|| Settings::resolve(&self.args, &self.environment));
        settings.as_ref().map_err(Clone::clone)
    }

    /// The configuration file, there or not, and what is in it.
    pub fn config(&self) -> Result<(PathBuf, Config), Failure> {
        let (file, _) = config_file(&self.args, &self.environment)?;
        let config = Config::read(&file)?.unwrap_or_default();
        Ok((file, config))
    }

    /// The profile that `--profile`, the environment or the file names, known or not.
    pub fn profile(&self, config: &Config) -> Result<String, Failure> {
        let named = profile_in_use(&self.args, &self.environment, config);
        named.map(|(name, _)| name).ok_or_else(|| Failure::usage("no profile was given").hint("add --profile NAME"))
    }

    /// A session as it would be with only this configuration file and profile.
    pub fn trying(&self, file: PathBuf, config: &Config, profile: String) -> Result<Self, Failure> {
        let args = GlobalArgs { profile: Some(profile), base_url: None, api_key_file: None, ..self.args.clone() };
        let trial = Self::new(args, self.environment.without_service(), self.console.clone());
        let settings = Settings::of(&trial.args, &trial.environment, (file, Origin::Default), config)?;
        trial.settings.get_or_init(|| Ok(settings));
        Ok(trial)
    }

    /// How records are printed: checked before anything is sent.
    pub fn output(&self, args: &OutputArgs, columns: &Columns, shape: Shape) -> Result<Output, Failure> {
        args.check(&self.console, self.settings()?.output, columns, shape)
    }

    /// The connection to the service.
    pub async fn client(&self) -> anyhow::Result<&Client> {
        Ok(&self.client.get_or_try_init(|| self.connect()).await?.0)
    }

    /// Fails where the clock of this machine and that of the service's latest answer are more seconds apart: times such as `24h`
    /// are wrong then.
    pub async fn check_clock(&self, most: i64) -> anyhow::Result<()> {
        let ahead = self.client().await?.clock().map_or(0, |clock| clock.as_secs());
        if ahead.abs() <= most {
            return Ok(());
        }
        let way = if ahead > 0 { "behind" } else { "ahead of" };
        let cause = format!("the clock of this computer is {} s {way} the service's", ahead.abs());
        Err(Failure::usage(cause).hint("set the clock").into())
    }

    async fn connect(&self) -> anyhow::Result<(Client, Option<Embedded>)> {
        let settings = self.settings()?;
        let options = SandboxOptions::new(&self.sandbox_folder()?);
        let sandbox = if settings.is_sandbox() { Some(Embedded::start(options)?) } else { None };
        let (base_url, key) = match &sandbox {
            Some(sandbox) => (sandbox.base_url.clone(), sandbox.key.clone()),
            None => (settings.base_url()?.clone(), settings.key()?.read().await?),
        };
        let read = |path: &PathBuf| files::read(path, CERTIFICATES).map(|pem| (path.display().to_string(), pem));
        let (ca_cert, concurrency) = (settings.ca_cert.as_ref().map(read).transpose()?, settings.concurrency.into());
        let connection = Connection { base_url, key, ca_cert, timeout: settings.timeout, concurrency };
        let (console, progress) = (self.console.clone(), Rc::clone(&self.progress));
        let client = Client::new(connection, move |exchange| watch(exchange, &console, &progress))?;
        Ok((client, sandbox))
    }

    /// What this machine remembers; made where there is nothing yet.
    pub fn journal(&self) -> Result<Journal, Failure> {
        Journal::open(&self.settings()?.state_dir)
    }

    /// What this machine remembers, for a command that changes nothing of it.
    pub fn journal_to_read(&self) -> Result<Journal, Failure> {
        Journal::open_to_read(&self.settings()?.state_dir)
    }

    /// Where the state of the sandbox is.
    pub fn sandbox_folder(&self) -> Result<PathBuf, Failure> {
        Ok(self.settings()?.state_dir.join("sandbox"))
    }

    /// Shows a line of progress that counts answers, until what is returned is dropped.
    pub fn count_answers(&self) -> Rc<Progress> {
        self.progress("reading, answers", None)
    }

    /// Shows a line of progress that hears each answer, until what is returned is dropped.
    pub fn progress(&self, doing: &'static str, total: Option<u64>) -> Rc<Progress> {
        let progress = Rc::new(self.console.progress(doing, total));
        *self.progress.borrow_mut() = Rc::downgrade(&progress);
        progress
    }

    /// Where a command worked, for its last line: `Demo (sandbox)`, `'Night shift' at assess.example.com`.
    pub fn place(&self, project: &ProjectRef) -> String {
        let word = if project.name == project.id.to_string() { "project " } else { "" };
        format!("{word}{}{}", shell_word(&project.name), self.service())
    }

    /// Which service: the profile's name, else the host.
    pub fn service(&self) -> String {
        let Ok(settings) = self.settings() else { return String::new() };
        let profile = settings.profile.as_ref().map(|name| format!(" ({name})"));
        let host = || Some(format!(" at {}", settings.base_url().ok()?.host_str()?));
        profile.or_else(host).unwrap_or_default()
    }
}

fn watch(exchange: &Exchange<'_>, console: &Console, progress: &Counter) {
    match exchange {
        Exchange::Ended { method, path, status, took } => {
            let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            console.detail(&format!("{method} {path}: {status}, {} ms", took.as_millis()));
            if let Some(progress) = progress.borrow().upgrade() {
                progress.hear();
            }
        }
        Exchange::Waiting { pause, why } if *pause > SHORT => {
            let until = Timestamp::now().checked_add(*pause).map(local_second).unwrap_or_default();
            console.say(&format!("waiting until {until}: {why}"));
        }
        Exchange::Waiting { .. } => {}
    }
}
