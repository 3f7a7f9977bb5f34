//! The running sandbox: what its operations work on.

use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::{Mutex, MutexGuard};
use url::Url;
use uuid::Uuid;

use super::faults::Fault;
use super::state;
use crate::model::secret::ApiKey;
use crate::model::verdict::Failure;

/// Where `sandbox serve` listens, and where the links of the embedded sandbox point: they outlive its port.
pub const DEFAULT_ADDRESS: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7878));

/// How a sandbox behaves.
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    /// The folder of `sandbox.db`, which is created on first use.
    pub folder: PathBuf,
    pub key: ApiKey,
    /// For how long after an enrolment the person gets 409 instead of a link.
    pub provisioning: Duration,
    pub faults: Vec<Fault>,
}

impl SandboxOptions {
    /// Without faults, with a random key: other accounts of the machine reach the port, too.
    pub fn new(folder: &Path) -> Self {
        let key = Uuid::new_v4().simple().to_string().parse().expect("a uuid is visible ASCII");
        Self { folder: folder.to_owned(), key, provisioning: Duration::ZERO, faults: Vec::new() }
    }
}

/// The sandbox as each request has it.
pub(super) type Shared = Arc<Sandbox>;

/// What the operations work on.
pub(super) struct Sandbox {
    connection: Mutex<Connection>,
    pub(super) key: ApiKey,
    pub(super) provisioning: Duration,
    pub(super) faults: Mutex<Vec<Fault>>,
    pub(super) last_list: Mutex<LastList>,
    /// Where links point.
    pub(super) address: SocketAddr,
}

/// The list of people that was asked for last, so that a late page of it costs no more than an early one.
#[derive(Default)]
pub(super) struct LastList {
    pub(super) asked: String,
    /// What changes with every commit: of other connections, and of this one.
    pub(super) version: (i64, i64),
    pub(super) entries: Vec<i64>,
}

impl Sandbox {
    pub(super) fn open(options: SandboxOptions, address: SocketAddr) -> Result<Shared, Failure> {
        let (connection, last_list) = (Mutex::new(state::open(&options.folder)?), Mutex::default());
        let (key, provisioning, faults) = (options.key, options.provisioning, Mutex::new(options.faults));
        Ok(Arc::new(Self { connection, key, provisioning, faults, last_list, address }))
    }

    /// The state, for one request at a time.
    pub(super) async fn state(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().await
    }

    /// An address of a page of this sandbox.
    pub(super) fn url_of(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).expect("a socket address and a path of ours are a URL")
    }
}
