//! `sandbox serve` as a process of its own, which is killed when the test is over.

use std::io::{BufRead, BufReader};
use std::process::Child;

use serde_json::Value;

use super::env::{Env, words};
use super::wire::{Reply, ask};

/// A served sandbox.
pub(crate) struct Served {
    pub(crate) child: Child,
    /// Its base URL.
    pub(crate) url: String,
    /// What a shell makes of the key's line.
    pub(crate) key: String,
}

impl Served {
    /// Serves the sandbox of a machine on a free port.
    pub(crate) fn start(env: &Env, options: &str) -> Self {
        let line = format!("sandbox serve --listen 127.0.0.1:0 {options}");
        let mut child = env.command(&words(&line)).spawn().expect("the program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut next = || lines.next().expect("it prints how it is used").expect("text");
        let (url, _, key) = (next(), next(), next());
        let key = key.strip_prefix("export ASSESSCTL_API_KEY=").expect("the key").to_owned();
        Self { child, url, key }
    }

    /// Sends a request with the key.
    pub(crate) fn ask(&self, line: &str, body: impl Into<Option<Value>>) -> Reply {
        ask(&self.url, line, Some(&self.key), body.into().as_ref())
    }

    /// The path of its first project.
    pub(crate) fn demo(&self) -> String {
        let projects = self.ask("GET /projects", None).json();
        format!("/projects/{}", projects[0]["id"].as_str().expect("an id"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
