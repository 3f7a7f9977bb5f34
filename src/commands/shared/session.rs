//! What every command starts from: the settled settings, the client, the project, the printer.

#[cfg(feature = "sandbox")]
use std::cell::OnceCell;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::time::Instant;
use url::Url;

use crate::api::{Client, Connection, Error, Exchange, ProjectQuery, Read, WRITE_TIMEOUT};
#[cfg(feature = "sandbox")]
use crate::commands::sandbox::{STATE_FILE, failure};
use crate::commands::shared::progress::Pages;
use crate::commands::shared::project_name_cache::Names;
use crate::config::Settings;
use crate::model::format::Format;
use crate::model::near::nearest;
use crate::model::projects::{Project, ProjectId, ProjectState};
use crate::model::secret::ApiKey;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Columns, Options, Printer, Shape, Talk, terminal};
#[cfg(feature = "sandbox")]
use crate::sandbox;

/// One run of the program: what was settled before its command began.
pub struct Session {
    /// The settings, each with its origin.
    pub settings: Settings,
    /// How records are shown.
    pub show: Options,
    /// Talk on standard error.
    pub talk: Talk,
    /// `--confirm`: the word that the profile may ask for.
    pub confirm: Option<String>,
    timeout: Option<Duration>,
    /// When the run has to be over.
    pub deadline: Option<Instant>,
    /// Counts the pages of a list.
    pub pages: Rc<Pages>,
    /// The embedded service, once a command needed it; it lives as long as the run.
    #[cfg(feature = "sandbox")]
    sandbox: OnceCell<sandbox::Embedded>,
}

impl Session {
    /// Begins a run; nothing is opened or asked yet. `timeout` is the time for a whole request.
    pub fn new(
        settings: Settings,
        show: Options,
        talk: Talk,
        confirm: Option<String>,
        timeout: Option<Duration>,
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            settings,
            show,
            talk,
            confirm,
            timeout,
            deadline,
            pages: Rc::new(Pages::new(talk)),
            #[cfg(feature = "sandbox")]
            sandbox: OnceCell::new(),
        }
    }

    /// The client of the service that the settings name; starts the embedded one where that is meant.
    pub fn client(&self) -> anyhow::Result<Rc<Client>> {
        let (base_url, key) = self.service()?;
        let ca_cert = match &self.settings.ca_cert {
            Some(path) => Some(certificates(&path.value)?),
            None => None,
        };
        let (talk, on_terminal) = (self.talk, terminal::stderr_is_terminal());
        let pages = Rc::clone(&self.pages);
        let watch = move |exchange: &Exchange<'_>| {
            if matches!(exchange, Exchange::Ended { .. }) {
                pages.came();
            }
            tell(talk, on_terminal, exchange);
        };
        let (concurrency, max_rate) = (self.settings.concurrency.value, self.settings.max_rate.as_ref());
        let max_rate = max_rate.map(|rate| rate.value);
        let (timeout, deadline) = (self.timeout, self.deadline);
        let connection = Connection { base_url, key, ca_cert, timeout, concurrency, max_rate, deadline };
        let client = Client::new(connection, watch);
        Ok(Rc::new(client.context("cannot prepare the connection")?))
    }

    #[cfg(feature = "sandbox")]
    fn service(&self) -> anyhow::Result<(Url, ApiKey)> {
        if !self.settings.is_sandbox() {
            return Ok((self.settings.base_url()?.clone(), self.settings.api_key()?));
        }
        if self.sandbox.get().is_none() {
            let state = self.settings.state_dir()?.join(STATE_FILE);
            let embedded = sandbox::Embedded::start(state, self.settings.results_api.value);
            // Nobody else can have set it: there is no other task in between.
            let _ = self.sandbox.set(embedded.map_err(|error| failure(&error))?);
        }
        let embedded = self.sandbox.get().context("the sandbox has just been started")?;
        Ok((embedded.base_url().parse()?, embedded.key()))
    }

    #[cfg(not(feature = "sandbox"))]
    fn service(&self) -> anyhow::Result<(Url, ApiKey)> {
        if self.settings.is_sandbox() {
            return Err(Failure::usage("this build of assessctl carries no sandbox").into());
        }
        Ok((self.settings.base_url()?.clone(), self.settings.api_key()?))
    }

    /// What tells this service from others: the origin of its address, or the sandbox's own id, new after a reset.
    pub fn service_name(&self) -> anyhow::Result<String> {
        #[cfg(feature = "sandbox")]
        if self.settings.is_sandbox() {
            return Ok(format!("sandbox-{}", sandbox::service_id(&self.settings.state_dir()?.join(STATE_FILE))?));
        }
        Ok(self.settings.base_url()?.origin().ascii_serialization())
    }

    /// How long a write may take, from its beginning to its answer.
    pub fn write_timeout(&self) -> Duration {
        self.timeout.unwrap_or(WRITE_TIMEOUT)
    }

    /// Starts the printer of a command that reads a CSV: `--excel` is about that file then, and about what is printed
    /// only where that is CSV too.
    pub fn printer_beside_csv(&self, columns: &Columns<'_>, shape: Shape) -> anyhow::Result<Printer> {
        let excel = self.show.excel && self.show.format == Format::Csv;
        Ok(Printer::new(columns, shape, &Options { excel, ..self.show.clone() })?)
    }

    /// What is left until the deadline; for ever where there is none.
    pub fn time_left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Starts a printer; a mistyped `--fields` ends here, before any request.
    pub fn printer(&self, columns: &Columns<'_>, shape: Shape) -> anyhow::Result<Printer> {
        Ok(Printer::new(columns, shape, &self.show)?)
    }
}

/// The certificate authorities in a PEM file.
fn certificates(file: &Path) -> Result<Vec<u8>, Failure> {
    let refuse = |why: String| {
        Failure::usage(format!("cannot take the certificate authorities in {}: {why}", file.display()))
            .hint("--ca-cert wants a PEM file, which has a line -----BEGIN CERTIFICATE-----")
    };
    let pem = std::fs::read(file).map_err(|error| refuse(error.to_string()))?;
    let begin = b"-----BEGIN CERTIFICATE-----";
    if pem.windows(begin.len()).any(|part| part == begin) { Ok(pem) } else { Err(refuse("it holds none".to_owned())) }
}

/// Tells what happened on the wire: requests to those who asked, a pause to those who watch.
fn tell(talk: Talk, on_terminal: bool, exchange: &Exchange<'_>) {
    match exchange {
        Exchange::Ended { method, path, status, took } => {
            let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            talk.detail(&format!("{method} {path}: {status} after {} ms", took.as_millis()));
        }
        Exchange::Waiting { pause, why } => {
            let message = format!("waiting {:.1} s: {why}", pause.as_secs_f64());
            if on_terminal && *pause >= Duration::from_secs(1) { talk.note(&message) } else { talk.detail(&message) }
        }
    }
}

/// The error of a write that repeats safely. Where its outcome is unknown, running the command again finds out.
pub fn failed_write(error: Error, what: &'static str) -> anyhow::Error {
    if error.outcome_unknown() && !error.is_redirect() {
        let cause = format!("{what}, and it may have happened all the same: {error}");
        return Failure::new(Verdict::Unfinished, cause).hint("run the same command again").into();
    }
    anyhow::Error::new(error).context(what)
}

/// Which project a command works on.
#[derive(Debug, Default, clap::Args)]
pub struct ProjectArg {
    /// Name or id of the project [default: the profile's]
    #[arg(short, long, value_name = "NAME_OR_ID")]
    pub project: Option<String>,
}

/// A project that was named: an id is taken as it is, a name was looked up.
pub enum Found {
    /// Named by its id, and not asked for yet.
    Id(ProjectId),
    /// Found by its name.
    Named(Box<Read<Project>>),
}

impl Found {
    /// The project's id.
    pub fn id(&self) -> ProjectId {
        match self {
            Self::Id(id) => *id,
            Self::Named(read) => read.record.id,
        }
    }

    /// Asks whether it is there, where that is not known yet.
    pub async fn check(&self, client: &Client) -> anyhow::Result<()> {
        match self {
            Self::Id(id) => client.project(*id).await.map(|_| ()).context("cannot read the project"),
            Self::Named(_) => Ok(()),
        }
    }

    /// The project's record.
    pub async fn read(self, client: &Client) -> anyhow::Result<Read<Project>> {
        match self {
            Self::Id(id) => client.project(id).await.context("cannot read the project"),
            Self::Named(read) => Ok(*read),
        }
    }
}

impl ProjectArg {
    /// The project as the user names it: by the flag, the environment or the profile.
    pub fn named<'a>(&'a self, session: &'a Session) -> Option<&'a str> {
        let settled = || session.settings.project.as_ref().map(|project| project.value.as_str());
        self.project.as_deref().or_else(settled)
    }

    /// Finds the project: flag, environment, profile, or `Demo` in the sandbox; none at all is a usage error.
    pub async fn find(&self, session: &Session, client: &Client) -> anyhow::Result<Found> {
        let name = self.named(session).ok_or_else(|| {
            Failure::usage("no project is named")
                .hint("add -p NAME_OR_ID, or keep one: `assessctl config set project NAME_OR_ID`")
        })?;
        match name.parse() {
            Ok(id) => Ok(Found::Id(id)),
            Err(_) => by_name(session, client, name).await.map(|read| Found::Named(Box::new(read))),
        }
    }
}

/// Looks a name up past the service's cache: exact first, else ignoring case. Deleted projects match by id only.
async fn by_name(session: &Session, client: &Client, name: &str) -> anyhow::Result<Read<Project>> {
    let query = ProjectQuery { bypass_cache: true, ..ProjectQuery::default() };
    let all = client.projects(&query).all().await.context("cannot look the project up by its name")?;
    let mut known = Names::default();
    for read in &all {
        known.note(&read.record);
    }
    known.remember(&session.settings);
    let (living, deleted): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|read| read.record.state != Some(ProjectState::Deleted));
    let title = |read: &Read<Project>| read.record.name.clone().unwrap_or_default();
    let exact = living.iter().filter(|read| title(read) == name).count();
    let lower = name.to_lowercase();
    let matches = |read: &Read<Project>| match exact {
        0 => title(read).to_lowercase() == lower,
        _ => title(read) == name,
    };
    let names: Vec<String> = living.iter().map(title).collect();
    let mut found: Vec<Read<Project>> = living.into_iter().filter(matches).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(no_such_project(name, &names, deleted.iter().any(|read| title(read) == name)).into()),
        _ => {
            let ids: Vec<String> = found.iter().map(|read| read.record.id.to_string()).collect();
            let cause = format!("{} projects are named {name:?}: {}", ids.len(), ids.join(", "));
            Err(Failure::usage(cause).hint(format!("name one by its id: -p {}", ids[0])).into())
        }
    }
}

/// Nobody has this name: says which names come near.
fn no_such_project(name: &str, names: &[String], deleted: bool) -> Failure {
    let failure = Failure::new(Verdict::NotFound, format!("there is no project named {name:?}"));
    if deleted {
        return failure.hint("a deleted project has this name; name it by its id");
    }
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean {near:?}?")),
        None => failure.hint("`assessctl projects list` shows the projects"),
    }
}
