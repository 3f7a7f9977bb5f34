//! `testtakers sync`: a project follows HR's file, so that no file can hurt anybody.

mod nights;
mod rules;

use std::collections::BTreeSet;

use crate::import::machine;
use crate::support::env::{Env, Said};
use crate::support::service::{Op, Service};

/// A header, and a row for each of these numbers.
pub(super) fn staff(people: impl IntoIterator<Item = usize>) -> String {
    let row = |n| format!("s{n}@example.com,Ann,Lee,S-{n}\n");
    format!("email,firstName,lastName,referenceId\n{}", people.into_iter().map(row).collect::<String>())
}

/// A service, and a machine that follows its files.
pub(super) struct Site {
    pub(super) service: Service,
    pub(super) env: Env,
}

impl Site {
    pub(super) fn of(service: Service) -> Self {
        let env = machine(&service, "");
        Self { service, env }
    }

    /// A service that was made to follow a first file of these people.
    pub(super) fn with(people: impl IntoIterator<Item = usize>) -> Self {
        let site = Self::of(Service::start());
        let _ = site.night(staff(people), "").ok();
        site
    }

    /// Follows a file.
    pub(super) fn night(&self, file: impl AsRef<[u8]>, options: &str) -> Said {
        self.env.write("night.csv", file);
        self.follow("night.csv", options)
    }

    /// Follows the file of this name, by which people leave at once.
    pub(super) fn follow(&self, name: &str, options: &str) -> Said {
        let settle = if options.contains("--settle") { "" } else { "--settle 1s" };
        self.env.line(&format!("testtakers sync {name} {settle} --absent-for 0s {options}"))
    }

    /// Numbers of the people of [`staff`] in the project.
    pub(super) fn here(&self) -> BTreeSet<usize> {
        let held = self.service.held();
        let number = |id: &str| id.strip_prefix("S-")?.parse().ok();
        held.people.iter().filter_map(|one| number(one.record["referenceId"].as_str()?)).collect()
    }

    /// How many requests enrolled, changed and removed somebody.
    pub(super) fn writes(&self) -> [usize; 3] {
        [Op::Enrol, Op::Update, Op::Remove].map(|op| self.service.count(op))
    }
}

/// The id by which a held sync is approved.
#[track_caller]
pub(super) fn approval(said: &Said) -> String {
    let id =
        said.stderr.trim_end().rsplit_once("--approve ").and_then(|(_, id)| id.split(' ').next().map(str::to_owned));
    id.unwrap_or_else(|| panic!("nothing is held: {said}"))
}
