//! What this machine alone can tell: configuration, permissions, the folder for state.

use std::path::Path;

use super::Diagnosis;
#[cfg(feature = "sandbox")]
use crate::commands::sandbox::state_file::STATE_FILE;
use crate::config::{Environment, Settings, state_folder};
use crate::files::is_open_to_others;
use crate::journal::lock_holders::holders;
use crate::journal::store;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::service_address::origin_of;

/// Where each value is from. Of values that may name a person the origin alone is shown.
pub fn configuration(diagnosis: &mut Diagnosis, settings: &Settings) {
    let file = &settings.config_file.value;
    let there = if file.exists() { "" } else { ", which is not there" };
    diagnosis.ok("configuration", format!("{}{there}", file.display()));
    match &settings.profile {
        Some(profile) => diagnosis.ok("profile", format!("{} ({})", profile.value, profile.origin)),
        None => diagnosis.skip("profile", "none"),
    }
    match &settings.base_url {
        Some(url) => {
            let address = origin_of(&url.value);
            diagnosis.ok("base-url", format!("{address} ({})", settings.origin(url.origin)));
        }
        None if settings.is_sandbox() => diagnosis.ok("base-url", "the sandbox's own"),
        None => {
            let failure = Failure::usage("no service is set");
            diagnosis.fail("base-url", failure.hint("`assessctl config init`, or --profile sandbox"));
        }
    }
    match &settings.project {
        Some(project) => diagnosis.ok("project", format!("set ({})", settings.origin(project.origin))),
        None => diagnosis.skip("project", "not set"),
    }
    let ignored: Vec<&str> = settings.ignored.iter().filter_map(|about| about.variable).collect();
    if !ignored.is_empty() {
        diagnosis.warn(
            "variables",
            format!("ignored by the sandbox: {}", ignored.join(", ")),
            "unset them if not meant",
        );
    }
    if let Some(replaced) = settings.replaced_trust() {
        diagnosis.warn("certificates", replaced, "unset what is not meant");
    }
    protection(diagnosis, settings);
    key(diagnosis, settings);
}

/// What is said of a key that was not tried: nothing is written to find out.
const KEY_ALONE: &str = "whether the key may write was not tried";

fn protection(diagnosis: &mut Diagnosis, settings: &Settings) {
    match (settings.read_only.value, &settings.confirm) {
        (true, _) => diagnosis.ok("writing", "refused: the profile is read-only"),
        (false, Some(_)) => diagnosis.ok("writing", format!("bulk writes ask for the profile's word; {KEY_ALONE}")),
        (false, None) => diagnosis.ok("writing", format!("no profile refuses it; {KEY_ALONE}")),
    }
    if settings.allow_http.value {
        let todo = "set allow-http to false and use https";
        diagnosis.warn("allow-http", "the key may be sent over plain http, where others can read it", todo);
    }
}

fn key(diagnosis: &mut Diagnosis, settings: &Settings) {
    if settings.is_sandbox() {
        return diagnosis.ok("api-key", "the sandbox's own");
    }
    match settings.api_key() {
        Ok(_) => {
            let kept = settings.key_kept().map(|(kept, origin)| format!("{kept} ({})", settings.origin(origin)));
            diagnosis.ok("api-key", kept.unwrap_or_default());
        }
        Err(failure) => diagnosis.fail("api-key", failure),
    }
}

/// What can be told where nothing could be resolved.
pub fn without_settings(diagnosis: &mut Diagnosis, environment: &Environment) {
    let folder = state_folder(environment);
    state(diagnosis, folder.as_ref().map(|folder| folder.value.as_path()));
    for check in ["dns", "tcp", "tls", "service"] {
        diagnosis.skip(check, "no address is configured");
    }
}

/// The folder for state, its locks, and the sandbox's file.
pub fn state(diagnosis: &mut Diagnosis, folder: Option<&Path>) {
    let Some(folder) = folder else {
        let failure = Failure::usage("this account has no folder for state");
        return diagnosis.fail("state", failure.hint("set ASSESSCTL_STATE_DIR to a folder"));
    };
    if !folder.exists() {
        return diagnosis.ok("state", format!("{}, which is not there yet", folder.display()));
    }
    match is_open_to_others(folder) {
        Ok(Some(false)) => diagnosis.ok("state", format!("{}, for its owner alone", folder.display())),
        Ok(None) => diagnosis.ok("state", format!("{}; {UNKNOWN}", folder.display())),
        Ok(Some(true)) => {
            let todo = format!("chmod 700 {}", folder.display());
            diagnosis.warn("state", format!("{} can be read by others", folder.display()), todo);
        }
        Err(error) => {
            let cause = format!("{} cannot be used: {error}", folder.display());
            let failure = Failure::new(Verdict::Unforeseen, cause);
            diagnosis.fail("state", failure.hint("set ASSESSCTL_STATE_DIR to another folder"));
        }
    }
    match store::is_there(folder) {
        Ok(true) => diagnosis.ok("journal", "there, with its secret"),
        Ok(false) => diagnosis.ok("journal", "nothing was sent yet"),
        Err(failure) => diagnosis.fail("journal", failure),
    }
    match holders(folder) {
        Ok(found) if found.is_empty() => diagnosis.ok("locks", "no locks held"),
        Ok(found) => diagnosis.warn("locks", found.join("; "), "wait until it has ended"),
        Err(error) => {
            diagnosis.warn("locks", format!("cannot be read: {error}"), "look at who owns the folder for state");
        }
    }
    #[cfg(feature = "sandbox")]
    sandbox(diagnosis, &folder.join(STATE_FILE));
}

#[cfg(feature = "sandbox")]
fn sandbox(diagnosis: &mut Diagnosis, file: &Path) {
    match (std::fs::metadata(file), is_open_to_others(file)) {
        (Err(error), _) if error.kind() == std::io::ErrorKind::NotFound => diagnosis.ok("sandbox", "never used"),
        (Ok(meta), Ok(Some(false))) => diagnosis.ok("sandbox", format!("{}, for its owner alone", size(&meta))),
        (Ok(meta), Ok(None)) => diagnosis.ok("sandbox", format!("{}; {UNKNOWN}", size(&meta))),
        (Ok(_), Ok(Some(true))) => {
            diagnosis.warn("sandbox", "its state can be read by others", format!("chmod 600 {}", file.display()));
        }
        (Err(error), _) | (_, Err(error)) => {
            diagnosis.warn("sandbox", format!("its state cannot be read: {error}"), "assessctl sandbox reset");
        }
    }
}

#[cfg(feature = "sandbox")]
fn size(meta: &std::fs::Metadata) -> String {
    format!("{} KiB", meta.len().div_ceil(1024))
}

/// What is said where permissions do not tell.
const UNKNOWN: &str = "who else can read it was not looked at";
