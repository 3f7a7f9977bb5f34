//! `assessctl`: the command-line administration of an assessment service.

mod api;
mod files;
mod model;

fn main() {}
