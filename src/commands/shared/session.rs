//! What every command starts from: the settled settings, the client, the printer.

#[cfg(feature = "sandbox")]
use std::cell::OnceCell;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::time::Instant;
use url::Url;

use crate::api::{Client, Connection, Exchange, time_for};
#[cfg(feature = "sandbox")]
use crate::commands::sandbox::state_file::{STATE_FILE, failure};
use crate::commands::shared::commands_in_hints::CommandLine;
use crate::commands::shared::progress::PageCounter;
use crate::commands::shared::status_file::RunCounts;
use crate::config::{Settings, read_certificates};
use crate::journal::store::Store;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::model::secret::ApiKey;
use crate::model::service_address::origin_of;
use crate::output::{Columns, Console, Options, Printer, Shape, terminal};
#[cfg(feature = "sandbox")]
use crate::sandbox;

/// What a run does last.
type LastAct = Box<dyn FnOnce() -> Result<(), Failure>>;

/// One run of the program: what was settled before its command began.
pub struct Session {
    /// The settings, each with its origin.
    pub settings: Settings,
    /// How records are shown.
    pub show: Options,
    /// Console on standard error.
    pub console: Console,
    /// `--confirm`: the word that the profile may ask for.
    pub confirm: Option<String>,
    line: CommandLine,
    timeout: Option<Duration>,
    /// When the run has to be over.
    pub deadline: Option<Instant>,
    /// Counts the pages of a list.
    pub pages: Rc<PageCounter>,
    /// What the run has counted, for `--status`.
    pub counts: RunCounts,
    /// The project that the command works on, as a summary names it, once it was found.
    found: RefCell<Option<String>>,
    /// What is done when everything else has ended.
    last: RefCell<Option<LastAct>>,
    /// The embedded service, once a command needed it; it lives as long as the run.
    #[cfg(feature = "sandbox")]
    sandbox: OnceCell<sandbox::Embedded>,
}

impl Session {
    /// A run that began at this instant; nothing is opened or asked yet.
    pub fn new(
        settings: Settings,
        show: Options,
        console: Console,
        confirm: Option<String>,
        began: Instant,
        line: CommandLine,
    ) -> Self {
        let timeout = settings.timeout.as_ref().map(|time| time.value);
        let deadline = settings.deadline.as_ref().and_then(|time| began.checked_add(time.value));
        let show = Options { until: deadline.map(Instant::into_std), ..show };
        Self {
            settings,
            show,
            console,
            confirm,
            line,
            timeout,
            deadline,
            pages: Rc::new(PageCounter::new(console)),
            counts: RunCounts::default(),
            found: RefCell::default(),
            last: RefCell::default(),
            #[cfg(feature = "sandbox")]
            sandbox: OnceCell::new(),
        }
    }

    /// The client of the service that the settings name; starts the embedded one where that is meant.
    pub fn client(&self) -> anyhow::Result<Rc<Client>> {
        let (base_url, key) = self.service()?;
        let settings = &self.settings;
        let connection = Connection {
            base_url,
            key,
            ca_cert: settings.ca_cert.as_ref().map(|path| read_certificates(&path.value)).transpose()?,
            timeout: self.timeout,
            concurrency: settings.concurrency.value,
            max_rate: settings.max_rate.as_ref().map(|rate| rate.value),
            deadline: self.deadline,
            max_records: settings.max_records.value,
            hides_words: settings.mask.value,
        };
        let (console, on_terminal) = (self.console, terminal::stderr_is_terminal());
        let pages = Rc::clone(&self.pages);
        let client = Client::new(connection, move |exchange| {
            if matches!(exchange, Exchange::Ended { .. }) {
                pages.came();
            }
            tell(console, on_terminal, exchange);
        });
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
            // No other task runs in between and could have set it.
            let _ = self.sandbox.set(embedded.map_err(|error| failure(&error))?);
            self.say_what_is_ignored();
        }
        let embedded = self.sandbox.get().context("the sandbox has just been started")?;
        Ok((embedded.base_url().parse()?, embedded.key()))
    }

    /// Names the variables by which a rehearsal may be thought to go elsewhere than into the sandbox.
    #[cfg(feature = "sandbox")]
    fn say_what_is_ignored(&self) {
        let names: Vec<&str> = self.settings.ignored.iter().filter_map(|about| about.variable).collect();
        if !names.is_empty() {
            let cause = "the sandbox has its own address, key and project; ignored";
            self.console.warn(&format!("{cause}: {}", names.join(", ")));
        }
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
        Ok(origin_of(self.settings.base_url()?))
    }

    /// What this machine remembers. Another run that writes there is waited for until the deadline at most.
    pub fn journal(&self) -> Result<Store, Failure> {
        Store::open_until(&self.settings.state_dir()?, self.deadline.map(Instant::into_std))
    }

    /// Keeps the name of the project that the command works on, for [`place`](Self::place).
    pub fn works_on(&self, project: &str) {
        self.found.replace(Some(project.to_owned()));
    }

    /// The same of so many projects.
    pub fn works_on_several(&self, projects: usize) {
        self.works_on(&counted(projects, "project", "projects"));
    }

    /// Where a write went, as its summary ends: ` in Demo (sandbox)`, ` in Night shift (api.example.com, profile north)`.
    pub fn place(&self) -> String {
        self.place_behind("in")
    }

    /// The same as a removal from there is asked for: ` from Demo (sandbox)`.
    pub fn place_left(&self) -> String {
        self.place_behind("from")
    }

    fn place_behind(&self, preposition: &str) -> String {
        let found = self.found.borrow();
        let project = found.as_ref().map(|project| format!(" {preposition} {project}")).unwrap_or_default();
        format!("{project} ({})", self.service_in_words())
    }

    /// Where the records of a list would stand, as it is said of none, and how to look elsewhere.
    pub fn place_of_list(&self) -> String {
        format!("{}{}", self.place(), self.elsewhere())
    }

    /// How to look elsewhere, where the line does not name the project.
    pub fn elsewhere(&self) -> &'static str {
        if self.is_settled_elsewhere() { "; -p NAME_OR_ID names another project" } else { "" }
    }

    /// Whether the project that is worked on was not chosen: the sandbox's own, where a service would ask for one.
    pub fn guesses_the_project(&self) -> bool {
        self.settings.is_sandbox() && self.is_settled_elsewhere()
    }

    /// Whether the command works on a project that its line does not name.
    fn is_settled_elsewhere(&self) -> bool {
        self.found.borrow().is_some() && !self.line.names_a_project()
    }

    /// The service as a person knows it: its host, and the profile that leads there.
    fn service_in_words(&self) -> String {
        if self.settings.is_sandbox() {
            return "sandbox".to_owned();
        }
        let url = self.settings.base_url.as_ref().map(|url| &url.value);
        let port = url.and_then(Url::port).map_or_else(String::new, |port| format!(":{port}"));
        let host = url.and_then(Url::host_str).unwrap_or("no service");
        match &self.settings.profile {
            Some(profile) => format!("{host}{port}, profile {}", profile.value),
            None => format!("{host}{port}"),
        }
    }

    /// Puts something off until everything else has ended: nothing that could wait stands between it and the exit code.
    pub fn last(&self, act: impl FnOnce() -> Result<(), Failure> + 'static) {
        *self.last.borrow_mut() = Some(Box::new(act));
    }

    /// Ends the run: stops what it started, writes the file of `--status`, then does what was put off. That is left out
    /// where the run failed.
    pub fn end(
        self,
        ended: anyhow::Result<Verdict>,
        write_down: impl Fn(anyhow::Result<Verdict>, &RunCounts) -> anyhow::Result<Verdict>,
    ) -> anyhow::Result<Verdict> {
        let (last, counts) = (self.last.take(), self.counts.take());
        drop(self);
        let verdict = write_down(ended, &counts)?;
        match last.map_or(Ok(()), |act| act()) {
            Ok(()) => Ok(verdict),
            Err(failure) => write_down(Err(failure.into()), &counts),
        }
    }

    /// Says what to type next, with the profile and the project of this run.
    pub fn hint(&self, hint: &str) {
        self.console.hint(&self.line.complete(hint));
    }

    /// How long a write may take, from its beginning to its answer.
    pub fn write_timeout(&self) -> Duration {
        time_for(self.timeout, true)
    }

    /// Starts the printer of a command that reads a CSV: `--excel` is about that file then, and about what is printed
    /// only where that is CSV too.
    pub fn printer_beside_csv(&self, columns: &Columns<'_>, shape: Shape) -> anyhow::Result<Printer> {
        Ok(Printer::new(columns, shape, &self.options_beside_csv())?)
    }

    /// How such a printer shows its records.
    pub fn options_beside_csv(&self) -> Options {
        Options { excel: self.show.excel && self.show.format == Format::Csv, ..self.show.clone() }
    }

    /// What is left until the deadline; for ever where there is none.
    pub fn time_left(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Starts the printer of a list: with `-q` its table is one field alone, one a line, as scripts want it for `$(…)`. A
    /// file of `--to` has the whole table.
    pub fn list_printer(&self, columns: &Columns<'_>, alone: &str) -> anyhow::Result<Printer> {
        self.quiet_printer(columns, Shape::Many, alone)
    }

    /// The same of records in any shape, such as that of a project which is created.
    pub fn quiet_printer(&self, columns: &Columns<'_>, shape: Shape, alone: &str) -> anyhow::Result<Printer> {
        Ok(Printer::new(columns, shape, &self.quiet_options(shape, alone)?)?)
    }

    /// How such a printer shows its records.
    pub fn quiet_options(&self, shape: Shape, alone: &str) -> anyhow::Result<Options> {
        let is_chosen = self.show.fields.is_some() || self.show.to.is_some();
        if !self.console.quiet || is_chosen || self.show.format != Format::Table {
            return Ok(self.show.clone());
        }
        // Who asks for rows without a header may mean something else by being quiet.
        if shape == Shape::Many && !self.show.header {
            let cause = format!("--no-header does nothing with --quiet, which prints each {alone} alone");
            return Err(Failure::usage(cause)
                .hint("leave --quiet out for the rows, --no-header for this field")
                .into());
        }
        Ok(Options { fields: Some(vec![alone.to_owned()]), header: false, ..self.show.clone() })
    }

    /// Starts a printer; a mistyped `--fields` ends here, before any request.
    pub fn printer(&self, columns: &Columns<'_>, shape: Shape) -> anyhow::Result<Printer> {
        Ok(Printer::new(columns, shape, &self.show)?)
    }
}

/// A pause that is said on a terminal.
const PAUSE: Duration = Duration::from_secs(1);
/// A pause that is said where no terminal is watched, too.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// Says what happened on the wire.
fn tell(console: Console, on_terminal: bool, exchange: &Exchange<'_>) {
    match exchange {
        Exchange::Ended { method, path, status, took } => {
            let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            console.detail(&format!("{method} {path}: {status} after {} ms", took.as_millis()));
        }
        Exchange::Waiting { pause, why } => {
            let message = format!("waiting {:.1} s: {why}", pause.as_secs_f64());
            let is_worth_saying = if on_terminal { PAUSE } else { LONG_PAUSE };
            if *pause >= is_worth_saying { console.note(&message) } else { console.detail(&message) }
        }
        Exchange::Remark { text } => console.detail(text),
    }
}
