//! `sandbox serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::commands::Ended;
use crate::commands::session::Session;
use crate::files;
use crate::model::secret::ApiKey;
use crate::model::time::duration;
use crate::model::verdict::{Failure, Verdict};
use crate::output::print_text;
use crate::sandbox::{DEFAULT_ADDRESS, Fault, PROJECT, SandboxOptions, Server, fault_help};

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
    /// File with the API key; made if missing [default: a new key each time]
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Rehearse a failure, as above (repeatable)
    #[arg(long = "fault", value_name = "FAULT")]
    faults: Vec<Fault>,
    /// How long after an enrolment links are refused
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    provisioning: Duration,
}

impl ServeSandbox {
    pub async fn run(self, session: &Session) -> Ended {
        let mut options = SandboxOptions::new(&session.sandbox_folder()?);
        let mut key = options.key.expose().to_owned();
        if let Some(file) = &self.key_file {
            options.key = key_of(file, &options.key)?;
            key = format!("\"$(cat '{}')\"", std::path::absolute(file)?.display());
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
    made.map(|()| new.clone()).map_err(|error| Failure::usage(format!("cannot write {}: {error}", file.display())))
}
