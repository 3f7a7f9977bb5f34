//! `sandbox serve`, `set` and `reset`: the embedded service as a server, and what the portal and people do to it.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{ArgGroup, Args, Subcommand};
use jiff::Timestamp;

use crate::commands::shared::person::Target;
use crate::commands::shared::signals::Interrupt;
use crate::model::projects::ProjectState;
use crate::model::results::ResultsApi;
use crate::model::secret::ApiKey;
use crate::model::status::{IdentityStatus, TestStatus};
use crate::model::time::{TimeError, parse_duration, parse_time};
use crate::model::verdict::{Failure, Verdict};
use crate::output::talk::confirm;
use crate::output::{Talk, print_now};
use crate::sandbox::{self, Changes, DEFAULT_KEY, Error, FIRST_PROJECT, Fault, Options, Who};

/// Rehearse without an account: the service itself, embedded
#[derive(Debug, Subcommand)]
pub enum SandboxCommand {
    Serve(Serve),
    Set(Set),
    Reset(Reset),
}

/// Serve the sandbox over HTTP on this machine
///
/// The first line on standard output is its address. It is a model of the service, made after its interface
/// specification; --readings lists what it does where the specification leaves something open.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assessctl sandbox serve
  assessctl sandbox serve --listen 127.0.0.1:8080 --provisioning 3s
  assessctl sandbox serve --fault close-after@enrol:share=0.1,seed=7 \\
      --fault 'delay=200ms@*'
  assessctl sandbox serve --fault 503@list-test-takers:nth=2,retry-after=1
  assessctl sandbox serve --fault move@list-results:share=0.15,seed=7
  assessctl sandbox serve --readings")]
pub struct Serve {
    /// Address of this machine, and port; links point there, too
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = sandbox::DEFAULT_ADDRESS)]
    listen: SocketAddr,
    #[command(flatten)]
    file: StateFile,
    /// The API key that may do everything
    #[arg(long, default_value = DEFAULT_KEY, value_parser = ApiKey::parse)]
    key: ApiKey,
    /// A second API key, which may only read
    #[arg(long, value_name = "KEY", value_parser = ApiKey::parse)]
    read_only_key: Option<ApiKey>,
    /// How long after an enrolment links are refused
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_duration)]
    provisioning: Duration,
    /// How long a link works
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = parse_duration)]
    link_lifetime: Duration,
    /// Which of the two documented shapes the results have
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    results_api: ResultsApi,
    /// Rehearse a failure: KIND@OPERATION,…:WHEN, may be repeated
    ///
    /// KIND is close-before, close-after, 500-after, 503, 429, truncate, delay=TIME, late=TIME (the connection ends, and the
    /// work is done later), move (somebody comes, goes or is renamed meanwhile) or stale=TIME (lists lack whoever was
    /// enrolled since). OPERATION is * or a name such as enrol, list-test-takers, test-link. WHEN is share=0..1,seed=N or
    /// nth=N; 503 and 429 take retry-after=SECONDS, too.
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<Fault>,
    /// Print what the sandbox does where the specification leaves something open, and leave
    #[arg(long)]
    readings: bool,
}

/// The options of `set` of which at least one says what to change.
const CHANGES: [&str; 7] =
    ["result", "unlisted_result", "completed", "sent", "top_performer", "identity_status", "state"];

/// Do what the portal and people do: set a result, an invitation, a project's state
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assessctl sandbox set ref:EMP-00017 --result HighRisk
  assessctl sandbox set email:anna@example.com --completed 2h \\
      --identity-status Verified
  assessctl sandbox set id:1 --sent 2026-03-01T06:00:00Z --top-performer true
  assessctl sandbox set -p Demo --state Inactive")]
#[command(group(ArgGroup::new("change").multiple(true).required(true).args(CHANGES)))]
pub struct Set {
    /// Whom: `id:ENTRY_ID`, `ref:REFERENCE_ID` or `email:ADDRESS`
    #[arg(value_name = "TEST_TAKER", required_unless_present = "state")]
    test_taker: Option<Target>,
    /// The project's name or id
    #[arg(short, long, value_name = "NAME_OR_ID", default_value = FIRST_PROJECT)]
    project: String,
    /// The latest result; one that ends an assessment completes it now, unless --completed says when
    #[arg(long, value_enum, ignore_case = true)]
    result: Option<TestStatus>,
    /// A result that the specification does not list, to see how a reader bears it
    #[arg(long, value_name = "TEXT", conflicts_with = "result")]
    unlisted_result: Option<String>,
    /// When the latest assessment was completed: a time with its zone, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    completed: Option<Timestamp>,
    /// When the latest invitation was sent: a time with its zone, or an age such as 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    sent: Option<Timestamp>,
    /// Whether the test taker is a top performer
    #[arg(long, value_name = "BOOL")]
    top_performer: Option<bool>,
    /// Status of the latest identity verification
    #[arg(long, value_name = "STATUS", value_enum, ignore_case = true)]
    identity_status: Option<IdentityStatus>,
    /// The project's state
    #[arg(long, value_enum, ignore_case = true, conflicts_with = "test_taker")]
    state: Option<ProjectState>,
    /// File that holds the sandbox's state
    #[arg(long, value_name = "FILE")]
    state_file: Option<PathBuf>,
}

/// Forget everything: a new service, with one empty project
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  assessctl sandbox reset --yes")]
pub struct Reset {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    file: StateFile,
}

/// Where the state is. `set` has the option without the short form, which names the project's state there.
#[derive(Debug, Args)]
struct StateFile {
    /// File that holds the sandbox's state
    #[arg(long, value_name = "FILE", visible_alias = "state")]
    state_file: Option<PathBuf>,
}

/// The embedded service's state, in the folder for state.
pub const STATE_FILE: &str = "sandbox.db";

/// Does what was asked; `folder` is the folder for state.
pub async fn run(command: &SandboxCommand, folder: &Path, talk: Talk) -> anyhow::Result<Verdict> {
    let state = &folder.join(STATE_FILE);
    match command {
        SandboxCommand::Serve(serve) if serve.readings => print_readings(),
        SandboxCommand::Serve(serve) => serve.run(state, talk).await,
        SandboxCommand::Set(set) => set.run(state),
        SandboxCommand::Reset(reset) => reset.run(state, talk),
    }
}

impl Serve {
    async fn run(&self, state: &Path, talk: Talk) -> anyhow::Result<Verdict> {
        if !self.listen.ip().is_loopback() {
            let cause = format!("{} is not an address of this machine alone", self.listen);
            let hint = format!("give --listen 127.0.0.1:{}", self.listen.port());
            return Err(Failure::usage(cause).hint(hint).into());
        }
        let options = Options {
            key: self.key.clone(),
            read_only_key: self.read_only_key.clone(),
            provisioning: self.provisioning,
            link_lifetime: self.link_lifetime,
            results_api: self.results_api,
            faults: self.faults.clone(),
            ..Options::new(self.file.or(state))
        };
        let listener = TcpListener::bind(self.listen).map_err(|error| self.not_listening(&error))?;
        let server = sandbox::Server::new(listener, options).map_err(|error| failure(&error))?;
        let interrupt = Interrupt::watch().context("cannot watch for signals")?;
        print_now(server.base_url())?;
        talk.aside("a model of the service; `assessctl sandbox serve --readings` says where it had to choose");
        tokio::select! {
            ended = server.run() => ended.map(|()| Verdict::Done).map_err(|error| failure(&error).into()),
            verdict = interrupt.requested() => Ok(verdict),
        }
    }

    fn not_listening(&self, error: &std::io::Error) -> Failure {
        let failure = Failure::usage(format!("cannot listen on {}: {error}", self.listen));
        match error.kind() {
            ErrorKind::AddrInUse => failure.hint("is it serving already? give --listen 127.0.0.1:0 for a free port"),
            _ => failure,
        }
    }
}

impl Set {
    fn run(&self, state: &Path) -> anyhow::Result<Verdict> {
        let file = self.state_file.as_deref().unwrap_or(state);
        let done = match (&self.test_taker, &self.state) {
            (Some(target), _) => sandbox::set_test_taker(file, &self.project, &who(target), &self.changes()),
            (None, Some(to)) => sandbox::set_project_state(file, &self.project, to),
            (None, None) => return Err(Failure::usage("there is nobody and no state to set").into()),
        };
        done.map_err(|error| failure(&error))?;
        Ok(Verdict::Done)
    }

    fn changes(&self) -> Changes {
        let unlisted = self.unlisted_result.clone().map(TestStatus::Unlisted);
        Changes {
            result: self.result.clone().or(unlisted),
            completed: self.completed,
            sent: self.sent,
            top_performer: self.top_performer,
            identity_status: self.identity_status.clone(),
        }
    }
}

impl Reset {
    fn run(&self, state: &Path, talk: Talk) -> anyhow::Result<Verdict> {
        let file = self.file.or(state);
        if !self.yes {
            match confirm(&format!("Forget everything that the sandbox holds in {}?", file.display())) {
                Some(true) => {}
                Some(false) => {
                    talk.note("nothing was forgotten");
                    return Ok(Verdict::Interrupted);
                }
                None => {
                    let failure = Failure::usage("a reset forgets everything, and nobody is there to be asked");
                    return Err(failure.hint("run `assessctl sandbox reset --yes`").into());
                }
            }
        }
        sandbox::reset(&file).map_err(|error| failure(&error))?;
        Ok(Verdict::Done)
    }
}

impl StateFile {
    fn or(&self, default: &Path) -> PathBuf {
        self.state_file.clone().unwrap_or_else(|| default.to_owned())
    }
}

fn print_readings() -> anyhow::Result<Verdict> {
    let mut text = String::new();
    for reading in sandbox::readings() {
        let sandbox::Reading { number, section, open, behaviour, test } = reading;
        writeln!(text, "{number:>2}. {section}: {open}\n    {behaviour}\n    shown by {test}")?;
    }
    print_now(&text)?;
    Ok(Verdict::Done)
}

/// An error of the sandbox with how the command ends and what to do about it.
pub fn failure(error: &Error) -> Failure {
    let (verdict, hint) = match error {
        Error::File { .. } | Error::State(_) | Error::Listen(_) => (Verdict::Unforeseen, None),
        Error::NotOurs { .. } => (Verdict::Usage, Some("give another file with --state-file FILE")),
        Error::Newer { .. } => (Verdict::Usage, Some("use that version, or give another file with --state-file FILE")),
        Error::NoProject => (Verdict::NotFound, Some("run `assessctl --profile sandbox projects list`")),
        Error::SeveralProjects => (Verdict::Usage, Some("give its id: `assessctl --profile sandbox projects list`")),
        Error::NoTestTaker => (Verdict::NotFound, Some("run `assessctl --profile sandbox testtakers list`")),
        Error::SeveralTestTakers { .. } => (Verdict::Usage, Some("name one of them by its id")),
    };
    Failure { verdict, cause: error.to_string(), hint: hint.map(str::to_owned) }
}

fn time(text: &str) -> Result<Timestamp, TimeError> {
    parse_time(text, Timestamp::now())
}

fn who(target: &Target) -> Who {
    match target {
        Target::Id(entry) => Who::Id(entry.0),
        Target::Reference(id) => Who::Reference(id.as_str().to_owned()),
        Target::Email(address) => Who::Email(address.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(subcommand)]
        command: SandboxCommand,
    }

    fn parse(line: &str) -> Result<SandboxCommand, clap::Error> {
        let words = std::iter::once("sandbox").chain(line.split(' '));
        Program::try_parse_from(words).map(|program| program.command)
    }

    #[test]
    fn the_declarations_are_consistent() {
        use clap::CommandFactory;
        Program::command().debug_assert();
    }

    #[test]
    fn a_change_names_a_person_or_a_state_and_something_to_change() {
        for good in
            ["set id:1 --result highrisk", "set -p X --state inactive", "set ref:id:1 --sent 24h --state-file f"]
        {
            assert!(parse(good).is_ok(), "{good}");
        }
        for bad in [
            "set id:1",
            "set",
            "set --result HighRisk",
            "set 1 --result HighRisk",
            "set id:x --result HighRisk",
            "set id:1 --result HihgRisk",
            "set id:1 --state Active",
            "set id:1 --sent 2026-03-01T06:00:00",
            "set id:1 --result HighRisk --unlisted-result x",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_file_of_the_state_has_one_name_on_all_three_and_a_shorter_one_where_it_is_free() {
        for line in ["serve --state-file f", "serve --state f", "reset --state f --yes", "reset --state-file f"] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_mistaken_fault_lists_the_words_that_are_known() {
        let error = parse("serve --fault 503@enroll").expect_err("no operation");
        assert!(error.to_string().contains("list-test-takers"), "{error}");
    }
}
