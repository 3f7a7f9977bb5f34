//! The commands of the sandbox: serve, seed, set, reset. They mean the sandbox of this machine, whatever the profile.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};

use super::Ended;
use super::project::ProjectArgs;
use super::session::Session;
use crate::files;
use crate::model::person::PersonRef;
use crate::model::projects::ProjectState;
use crate::model::secret::ApiKey;
use crate::model::show::shell_word;
use crate::model::text::{ProjectName, counted};
use crate::model::time::duration;
use crate::model::verdict::{Failure, Verdict};
use crate::output::print_text;
use crate::sandbox::{
    DEFAULT_ADDRESS, Fault, PROJECT, PersonChanges, SandboxOptions, Server, fault_help, reset, seed, set_person,
    set_project,
};

/// Try everything without an account: a service on this machine
#[derive(Subcommand)]
pub enum SandboxVerb {
    #[command(aliases = ["start", "run"])]
    Serve(ServeSandbox),
    Seed(SeedSandbox),
    Set(SetInSandbox),
    Reset(ResetSandbox),
}

/// The project to work in. The environment's or a profile's counts only if the profile is the sandbox.
fn project(args: &ProjectArgs, session: &Session) -> Result<String, Failure> {
    if args.project.is_some() || session.settings()?.is_sandbox() { args.name(session) } else { Ok(PROJECT.to_owned()) }
}

/// Enrol made-up people with results
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl sandbox seed\n  assessctl --profile sandbox results list")]
pub struct SeedSandbox {
    /// How many people
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    people: u32,
    #[command(flatten)]
    project: ProjectArgs,
}

impl SeedSandbox {
    pub fn run(self, session: &Session) -> Ended {
        let project = project(&self.project, session)?;
        seed(&session.sandbox_folder()?, &project, self.people)?;
        let people = counted(self.people as usize, "person", "people");
        session.console.note(&format!("{people} seeded in {project} (sandbox)"));
        session.console.note("next: assessctl --profile sandbox results list");
        Ok(Verdict::Done)
    }
}

/// Remove everything and begin again with one empty project
#[derive(Args)]
#[command(after_help = "Examples:\n  assessctl sandbox reset")]
pub struct ResetSandbox {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

impl ResetSandbox {
    pub fn run(self, session: &Session) -> Ended {
        let folder = session.sandbox_folder()?;
        session.confirm("Remove all projects, people, links and redirect URIs from the sandbox?", self.yes)?;
        reset(&folder)?;
        session.console.note(&format!("the sandbox has one empty project: {PROJECT}"));
        Ok(Verdict::Done)
    }
}

const EXAMPLES: &str = "\
Examples:
  assessctl sandbox serve
  assessctl sandbox serve --fault close-after@enrol,share=0.1
  assessctl sandbox serve --fault delay=200ms --fault refuse=503@results,nth=2";

/// Run the sandbox as a server until Ctrl-C
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", fault_help()))]
pub struct ServeSandbox {
    /// Address and port on this machine
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = DEFAULT_ADDRESS)]
    listen: SocketAddr,
    /// File with the API key; created if missing
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Rehearse a failure, as above (repeatable)
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<Fault>,
    /// Refuse links for this long after an enrolment
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    provisioning: Duration,
}

impl ServeSandbox {
    pub async fn run(self, session: &Session) -> Ended {
        let mut options = SandboxOptions::new(&session.sandbox_folder()?);
        let mut key = options.key.expose().to_owned();
        if let Some(file) = &self.key_file {
            options.key = key_of(file, &options.key)?;
            key = format!("\"$(cat {})\"", shell_word(&std::path::absolute(file)?.to_string_lossy()));
        }
        (options.faults, options.provisioning) = (self.faults, self.provisioning);
        let server = Server::bind(self.listen, options)?;
        let url = server.base_url().to_string();
        let url = url.trim_end_matches('/');
        // Scripts read the address from the first line; people copy the others.
        print_text(&format!(
            "{url}\nexport ASSESSCTL_BASE_URL={url}\nexport ASSESSCTL_API_KEY={key}\nexport ASSESSCTL_PROJECT={PROJECT}\n"
        ))?;
        session.console.note("type the exports in another terminal to use it; Ctrl-C ends it");
        tokio::select! {
            ended = server.run() => Ok(ended.map(|()| Verdict::Done)?),
            pressed = tokio::signal::ctrl_c() => Ok(pressed.map(|()| Verdict::Interrupted)?),
        }
    }
}

/// The key in a file; a file that is not there is made with the new one.
fn key_of(file: &Path, new: &ApiKey) -> Result<ApiKey, Failure> {
    if let Some(text) = files::read_private(file)? {
        return text.parse().map_err(|why| Failure::usage(format!("{}: {why}", file.display())));
    }
    let made = files::append(file).and_then(|mut made| writeln!(made, "{}", new.expose()));
    made.map(|()| new.clone()).map_err(|error| Failure::usage(format!("cannot create {}: {error}", file.display())))
}

/// Set a person's result or a project's state
#[derive(Args)]
#[command(after_help = "\
Examples:
  assessctl sandbox set EMP-00017 --result HighRisk
  assessctl sandbox set id:3 --result Completed --completed 2h
  assessctl sandbox set --state Inactive")]
pub struct SetInSandbox {
    /// Reference id or e-mail; or ref:ID, email:ADDRESS, id:ENTRY_ID
    #[arg(value_name = "PERSON", required_unless_present_any = ["state", "name"])]
    person: Option<PersonRef>,
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    changes: PersonChanges,
    /// State of the project: Draft, Active, Inactive, ActiveExpired or Deleted
    #[arg(long, ignore_case = true, conflicts_with = "person", hide_possible_values = true)]
    state: Option<ProjectState>,
    /// New name of the project
    #[arg(long, value_name = "NAME", conflicts_with = "person")]
    name: Option<ProjectName>,
}

impl SetInSandbox {
    pub fn run(self, session: &Session) -> Ended {
        let (project, folder) = (project(&self.project, session)?, session.sandbox_folder()?);
        match (&self.person, self.changes == PersonChanges::default()) {
            (Some(person), false) => set_person(&folder, &project, person, &self.changes)?,
            (None, true) => set_project(&folder, &project, self.state, self.name.as_ref())?,
            (Some(_), true) => return Err(Failure::usage("no change was given").hint("add --result HighRisk").into()),
            (None, false) => {
                let why = "no PERSON was given: without one, only --state and --name can be set";
                return Err(Failure::usage(why).into());
            }
        }
        session.console.note(&format!("changed in {project} (sandbox)"));
        Ok(Verdict::Done)
    }
}
