//! What this machine alone can tell: configuration, permissions, the folder for state.

use std::path::Path;

use super::Chart;
#[cfg(feature = "sandbox")]
use crate::commands::sandbox::state_file::STATE_FILE;
use crate::config::{Environment, Origin, Settings};
use crate::journal::holders::holders;
use crate::model::verdict::Verdict;

/// Where each value is from. Of values that may name somebody the origin alone is shown.
pub fn configuration(chart: &mut Chart, settings: &Settings) {
    let file = &settings.config_file.value;
    let there = if file.exists() { "" } else { ", which is not there" };
    chart.ok("configuration", format!("{}{there}", file.display()));
    let from = |origin: Origin| match (origin, &settings.profile) {
        (Origin::Profile, Some(profile)) => format!("profile {}", profile.value),
        _ => origin.to_string(),
    };
    match &settings.profile {
        Some(profile) => chart.ok("profile", format!("{} ({})", profile.value, profile.origin)),
        None => chart.skip("profile", "none is named"),
    }
    match &settings.base_url {
        Some(url) => {
            let address = url.value.origin().ascii_serialization();
            chart.ok("base-url", format!("{address} ({})", from(url.origin)));
        }
        None if settings.is_sandbox() => chart.ok("base-url", "the sandbox's own"),
        None => chart.fail(
            "base-url",
            Verdict::Usage,
            "no service is set",
            Some("assessctl config init, or --profile sandbox".to_owned()),
        ),
    }
    match &settings.project {
        Some(project) => chart.ok("project", format!("set ({})", from(project.origin))),
        None => chart.skip("project", "not set"),
    }
    if !settings.ignored.is_empty() {
        chart.warn(
            "variables",
            format!("ignored by the sandbox: {}", settings.ignored.join(", ")),
            "nothing, if meant",
        );
    }
    protection(chart, settings);
    key(chart, settings, from);
}

fn protection(chart: &mut Chart, settings: &Settings) {
    match (settings.read_only.value, &settings.confirm) {
        (true, _) => chart.ok("writing", "refused: the profile is read-only"),
        (false, Some(_)) => chart.ok("writing", "many people at once only with the profile's word"),
        (false, None) => chart.ok("writing", "allowed"),
    }
    if settings.allow_http.value {
        let todo = "set allow-http to false and use https";
        chart.warn("allow-http", "the key may travel over plain http, where everybody can read it", todo);
    }
}

fn key(chart: &mut Chart, settings: &Settings, from: impl Fn(Origin) -> String) {
    if settings.is_sandbox() {
        return chart.ok("api-key", "the sandbox's own");
    }
    match settings.api_key() {
        Ok(_) => {
            let kept = settings.key_kept().map(|(kept, origin)| format!("{kept} ({})", from(origin)));
            chart.ok("api-key", kept.unwrap_or_default());
        }
        Err(failure) => chart.fail("api-key", failure.verdict, failure.cause, failure.hint),
    }
}

/// What can be told where nothing could be settled.
pub fn without_settings(chart: &mut Chart, environment: &Environment) {
    let folder = crate::config::state_folder(environment);
    state(chart, folder.as_ref().map(|folder| folder.value.as_path()));
    for check in ["dns", "tcp", "tls", "service"] {
        chart.skip(check, "the configuration says no address");
    }
}

/// The folder for state, who is at work in it, and the sandbox's file.
pub fn state(chart: &mut Chart, folder: Option<&Path>) {
    let Some(folder) = folder else {
        let todo = Some("set ASSESSCTL_STATE_DIR to a folder".to_owned());
        return chart.fail("state", Verdict::Usage, "this account has no folder for state", todo);
    };
    if !folder.exists() {
        return chart.ok("state", format!("{}, which is not there yet", folder.display()));
    }
    match open_to_others(folder) {
        Ok(false) => chart.ok("state", format!("{}, for its owner alone", folder.display())),
        Ok(true) => {
            let todo = format!("chmod 700 {}", folder.display());
            chart.warn("state", format!("{} can be read by others", folder.display()), todo);
        }
        Err(error) => {
            let found = format!("{} cannot be used: {error}", folder.display());
            chart.fail("state", Verdict::Unforeseen, found, Some("set ASSESSCTL_STATE_DIR to another folder".into()));
        }
    }
    match holders(folder) {
        Ok(found) if found.is_empty() => chart.ok("locks", "nobody is at work"),
        Ok(found) => chart.warn("locks", found.join("; "), "wait until it has ended"),
        Err(error) => chart.warn("locks", format!("cannot be read: {error}"), "look at who owns the folder for state"),
    }
    #[cfg(feature = "sandbox")]
    sandbox(chart, &folder.join(STATE_FILE));
}

#[cfg(feature = "sandbox")]
fn sandbox(chart: &mut Chart, file: &Path) {
    match (std::fs::metadata(file), open_to_others(file)) {
        (Err(error), _) if error.kind() == std::io::ErrorKind::NotFound => chart.ok("sandbox", "never used"),
        (Ok(meta), Ok(false)) => chart.ok("sandbox", format!("{} KiB, for its owner alone", meta.len().div_ceil(1024))),
        (Ok(_), Ok(true)) => {
            chart.warn("sandbox", "its state can be read by others", format!("chmod 600 {}", file.display()));
        }
        (Err(error), _) | (_, Err(error)) => {
            chart.warn("sandbox", format!("its state cannot be read: {error}"), "assessctl sandbox reset");
        }
    }
}

#[cfg(unix)]
fn open_to_others(path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn open_to_others(path: &Path) -> std::io::Result<bool> {
    std::fs::metadata(path).map(|_| false)
}
