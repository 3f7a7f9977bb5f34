//! assessctl: parse, settle the settings, dispatch.

mod api;
mod bulk;
mod cli;
mod commands;
mod config;
mod exit;
mod journal;
mod model;
mod output;
#[cfg(feature = "sandbox")]
mod sandbox;

fn main() {}
