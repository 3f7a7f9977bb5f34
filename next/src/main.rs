//! `assessctl`: the command-line administration of an assessment service.

mod files;
mod model;

fn main() {}
