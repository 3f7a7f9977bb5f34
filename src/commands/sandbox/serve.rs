//! `sandbox serve`: the embedded service as a server on this machine.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use crate::commands::sandbox::state_file::{StateFile, failure};
use crate::commands::shared::signals::Interrupt;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::config::check_key_file;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::results::ResultsApi;
use crate::model::time::parse_duration;
use crate::output::{Console, print_now};
use crate::sandbox::{self, Fault, ServerOptions};

/// Serve the sandbox over HTTP on this machine
///
/// The first line on standard output is its address, the second one its API key, unless --key-file names one. It is a
/// model of the service, made after its interface specification; --readings lists what it does where the specification
/// leaves something open.
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Text).with_secrets())]
#[command(after_help = "\
Examples:
  assessctl sandbox serve
  assessctl sandbox serve --listen 127.0.0.1:8080 --key-file key.txt
  assessctl sandbox serve --provisioning 3s
  assessctl sandbox serve --fault close-after@enrol:share=0.1,seed=7 \\
      --fault 'delay=200ms@*'
  assessctl sandbox serve --fault 503@list-test-takers:nth=2,retry-after=1
  assessctl sandbox serve --fault move@list-results:share=0.15,seed=7
  assessctl sandbox serve --fault 404@list-results:page=3,times=2
  assessctl sandbox serve --fault lag=8s@list-* --fault spell=nfc,plus@enrol
  assessctl sandbox serve --fault 429:over=100/10s
  assessctl sandbox serve --readings
  assessctl sandbox serve --openapi")]
pub struct ServeSandbox {
    /// Address of this machine, and port; links point there, too
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = sandbox::DEFAULT_ADDRESS)]
    listen: SocketAddr,
    #[command(flatten)]
    file: StateFile,
    /// File with the API key that may do everything [default: a new key, printed once]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// File with a second API key, which may only read
    #[arg(long, value_name = "FILE")]
    read_only_key_file: Option<PathBuf>,
    /// How long after an enrolment links are refused
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = parse_duration)]
    provisioning: Duration,
    /// How long a link works
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = parse_duration)]
    link_lifetime: Duration,
    /// Which of the two documented shapes the results have
    #[arg(long, value_enum, ignore_case = true, default_value_t)]
    results_api: ResultsApi,
    /// Rehearse a failure: KIND@OPERATION,…:WHEN,… (may be repeated)
    #[arg(long = "fault", value_name = "FAULT", long_help = sandbox::fault_help())]
    faults: Vec<Fault>,
    /// Print what the sandbox does where the specification leaves something open, and leave
    #[arg(long)]
    readings: bool,
    /// Print the service as an OpenAPI 3.1 description (JSON), and leave
    #[arg(long, conflicts_with = "readings")]
    openapi: bool,
}

impl ServeSandbox {
    /// Serves until a signal, or prints the readings or the description. `state` is where the state is unless the options say otherwise.
    pub async fn run(&self, state: &Path, console: Console) -> anyhow::Result<Verdict> {
        if self.readings {
            return print_readings();
        }
        if self.openapi {
            let description = sandbox::openapi(&format!("http://{}", self.listen), self.results_api);
            print_now(&serde_json::to_string_pretty(&description)?)?;
            return Ok(Verdict::Done);
        }
        if !self.listen.ip().is_loopback() {
            let cause = format!("{} is not an address of this machine alone", self.listen);
            let hint = format!("give --listen 127.0.0.1:{}", self.listen.port());
            return Err(Failure::usage(cause).hint(hint).into());
        }
        let given = self.key_file.as_deref().map(check_key_file).transpose()?;
        let defaults = ServerOptions::new(self.file.or(state));
        let mut greeting = String::new();
        if given.is_none() {
            writeln!(greeting, "{}", defaults.key.expose())?;
        }
        let options = ServerOptions {
            key: given.unwrap_or_else(|| defaults.key.clone()),
            read_only_key: self.read_only_key_file.as_deref().map(check_key_file).transpose()?,
            provisioning: self.provisioning,
            link_lifetime: self.link_lifetime,
            results_api: self.results_api,
            faults: self.faults.clone(),
            ..defaults
        };
        let listener = TcpListener::bind(self.listen).map_err(|error| self.not_listening(&error))?;
        let server = sandbox::Server::new(listener, options).map_err(|error| failure(&error))?;
        let interrupt = Interrupt::watch().context("cannot watch for signals")?;
        print_now(&format!("{}\n{greeting}", server.base_url()))?;
        console.aside("a model of the service; `assessctl sandbox serve --readings` says where it had to choose");
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

fn print_readings() -> anyhow::Result<Verdict> {
    let mut text = String::new();
    for reading in sandbox::readings() {
        let sandbox::Reading { number, section, open, behaviour, test } = reading;
        writeln!(text, "{number:>2}. {section}: {open}\n    {behaviour}\n    shown by {test}")?;
    }
    print_now(&text)?;
    Ok(Verdict::Done)
}
