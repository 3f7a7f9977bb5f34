//! Drives the real program from outside, against services that answer what a test tells them to.

#![cfg(test)]
#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare the files that the program finds, and read their own settings"
)]

mod config;
mod docs;
mod help;
mod house;
mod http;
mod import;
mod journal;
mod lists;
mod ordinary;
mod results;
mod sandbox;
mod secrets;
mod shell;
mod support;
mod sync;
mod terminals;
mod wire;
