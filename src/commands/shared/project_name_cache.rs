//! The names of a service's projects, remembered for a day so that a shell can complete them without a request.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::config::Settings;
use crate::files::{Replacement, create_own_folder, read_secret};
use crate::model::field_rules::percent_encode;
use crate::model::projects::{Project, ProjectState};

/// For how long names are offered after they were read.
const LIFETIME: Duration = Duration::from_hours(24);
/// Younger than this, a file that says the same is left alone.
const FRESH: Duration = Duration::from_hours(1);
/// More than this is read of no file: it is ours, and shorter.
const LONGEST: u64 = 16 << 20;
/// Beyond this many a list of candidates is no help.
const MOST: usize = 10_000;

/// The names of projects as they come by in a list, kept for the completion of a shell.
#[derive(Debug, Default)]
pub struct ProjectNameCache(Vec<String>);

impl ProjectNameCache {
    /// Notes a project; deleted ones are named by id only.
    pub fn note(&mut self, project: &Project) {
        if project.state != Some(ProjectState::Deleted) && self.0.len() < MOST {
            self.0.extend(project.name.clone());
        }
    }

    /// Remembers the names of a list that was read whole. What can't be written is forgotten: it was a convenience.
    pub fn remember(mut self, settings: &Settings) {
        self.0.sort_unstable();
        self.0.dedup();
        if let Some(file) = file(settings) {
            let _ = write(&file, &self.0);
        }
    }
}

/// The names that were read within the last day; none where none were read.
pub fn recall(settings: &Settings) -> Vec<String> {
    let known = file(settings).filter(|file| age(file).is_some_and(|age| age < LIFETIME));
    known.and_then(|file| read(&file)).unwrap_or_default()
}

/// One file a service: its address, or `sandbox`. Projects have the same names whatever profile one comes by.
fn file(settings: &Settings) -> Option<PathBuf> {
    let service = match &settings.base_url {
        _ if settings.is_sandbox() => "sandbox".to_owned(),
        Some(url) => url.value.to_string(),
        None => return None,
    };
    let name = format!("{}.json", percent_encode(&service));
    Some(settings.state_folder.as_ref()?.value.join("projects").join(name))
}

fn age(file: &Path) -> Option<Duration> {
    let written = fs::metadata(file).and_then(|meta| meta.modified()).ok()?;
    SystemTime::now().duration_since(written).ok()
}

fn read(file: &Path) -> Option<Vec<String>> {
    serde_json::from_slice(&read_secret(file, LONGEST).ok()??).ok()
}

/// Replaced as a whole: a shell may read at the same time.
fn write(file: &Path, names: &[String]) -> std::io::Result<()> {
    if age(file).is_some_and(|age| age < FRESH) && read(file).is_some_and(|known| known == names) {
        return Ok(());
    }
    // The folder of the names, and that of all state above it: who may write in either could put other names there.
    let folders: Vec<&Path> = file.ancestors().skip(1).take(2).collect();
    folders.into_iter().rev().try_for_each(create_own_folder)?;
    let mut replacement = Replacement::begin(file)?;
    replacement.write_all(serde_json::Value::from(names).to_string().as_bytes())?;
    replacement.commit()
}
