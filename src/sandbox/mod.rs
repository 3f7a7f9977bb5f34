//! The sandbox: a model of the assessment service over real HTTP on loopback, with its state in one SQLite file.
//!
//! It follows the interface specification. Where that says "not shown" it takes the reading that `docs/sandbox.md` names.

mod enrolments;
mod faults;
mod http;
mod links;
mod people;
mod portal;
mod projects;
mod redirect_uris;
mod server;
mod service;
mod state;
mod take;
#[cfg(test)]
mod tests;

pub use faults::{Fault, fault_help};
pub use portal::{PersonChanges, seed, set_person, set_project};
pub use server::{Embedded, Server};
pub use service::{DEFAULT_ADDRESS, SandboxOptions};
pub use state::{PROJECT, reset};
