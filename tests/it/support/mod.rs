//! What the tests stand on: a private machine, a service that does what a test tells it to, terminals, and case files.

pub(crate) mod cases;
pub(crate) mod env;
mod self_test;
pub(crate) mod served;
pub(crate) mod service;
pub(crate) mod shell;
pub(crate) mod strace;
pub(crate) mod terminal;
pub(crate) mod tls;
pub(crate) mod wire;
pub(crate) mod workspace;
