//! The embedded service: a model of the assessment service over real HTTP on loopback.
//!
//! It follows the interface specification; where that says "not shown", it follows a numbered reading (`readings`).
//! State is one SQLite file, so that it survives between commands and serves several processes at once.

mod assessment_page;
mod connection;
mod fault_hits;
mod fault_kinds;
mod fault_move;
mod fault_spell;
mod fault_syntax;
mod openapi;
mod operation;
mod orderings;
mod own_address;
mod pages;
mod people_list;
mod portal;
mod project_list;
mod projects;
mod readings;
mod redirect_uris;
mod request;
mod response;
mod results;
mod server;
mod service;
mod state;
mod test_links;
#[cfg(test)]
mod tests;
mod testtakers;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::PathBuf;
use std::time::Duration;

pub use connection::Limits;
pub use fault_syntax::{Fault, fault_help};
pub use openapi::openapi;
pub use portal::{Changes, Who, set_project_state, set_test_taker};
pub use readings::{Reading, readings};
pub use server::{Embedded, Server};
pub use state::{reset, service_id};

use uuid::Uuid;

use crate::model::results::ResultsApi;
use crate::model::secret::ApiKey;

/// Where `sandbox serve` answers, and where the links of the embedded service point.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7878));

/// How the service behaves.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The file that holds the state; created on first use.
    pub state: PathBuf,
    /// The API key that may do everything.
    pub key: ApiKey,
    /// A second API key, which may only read.
    pub read_only_key: Option<ApiKey>,
    /// For how long after its enrolment a test taker gets 409 instead of a link.
    pub provisioning: Duration,
    /// For how long a link works.
    pub link_lifetime: Duration,
    /// For how long the project list may be out of date. The cache lives in the process: the embedded service, which
    /// starts with each command, always starts with an empty one.
    pub project_cache: Duration,
    /// Which of the two documented shapes the results endpoints have.
    pub results_api: ResultsApi,
    /// Rehearsed failures.
    pub faults: Vec<Fault>,
    /// Against slow clients.
    pub limits: Limits,
}

impl ServerOptions {
    /// The defaults on a state file, with a key that is new each time: other accounts of the machine reach the port, too.
    pub fn new(state: PathBuf) -> Self {
        Self {
            state,
            key: ApiKey::parse(&Uuid::new_v4().simple().to_string()).expect("a uuid is visible ASCII"),
            read_only_key: None,
            provisioning: Duration::ZERO,
            link_lifetime: Duration::from_hours(24),
            project_cache: Duration::from_secs(5),
            results_api: ResultsApi::Current,
            faults: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// Why the sandbox cannot start or cannot do what was asked of its state.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The state file, or its folder, cannot be created or opened.
    #[error("the sandbox cannot open its state {}: {source}", file.display())]
    File {
        /// The state file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not the state of a sandbox", file.display())]
    NotOurs { file: PathBuf },
    /// A later version of this program wrote the file.
    #[error("{} was written by a later version (its tables are version {version})", file.display())]
    Newer {
        file: PathBuf,
        /// The version of its tables.
        version: i32,
    },
    /// SQLite failed.
    #[error("the sandbox cannot use its state: {0}")]
    State(#[from] rusqlite::Error),
    /// No socket.
    #[error("the sandbox cannot listen: {0}")]
    Listen(io::Error),
    /// No project of that name or id.
    #[error("the sandbox has no such project")]
    NoProject,
    /// Several projects of that name.
    #[error("several projects of the sandbox have this name")]
    SeveralProjects,
    /// The project has no such person.
    #[error("the project has no such test taker")]
    NoTestTaker,
    /// Several test takers are meant.
    #[error("several test takers of the project are meant: {}", list(ids))]
    SeveralTestTakers {
        /// Their entry ids.
        ids: Vec<i64>,
    },
}

fn list(ids: &[i64]) -> String {
    ids.iter().map(|id| format!("id:{id}")).collect::<Vec<_>>().join(", ")
}
