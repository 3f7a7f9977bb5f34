//! `doctor`: what is checked, in which order, and what to do about each problem.

use std::time::Instant;

use clap::Args;

use super::again::there;
use super::project::ProjectArgs;
use super::session::Session;
use super::{Ended, failure};
use crate::files;
use crate::model::projects::ProjectQuery;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::output::print_text;

/// Check configuration, key, service, project and state folder
#[derive(Args)]
#[command(
    after_help = "Examples:\n  assessctl doctor\n  assessctl doctor --profile night -q\n\nEach problem comes with what to do about it. -q prints problems only."
)]
pub struct Doctor {}

impl Doctor {
    pub async fn run(self, session: &Session) -> Ended {
        let mut problems = Vec::new();
        let mut is_fine = |what: &str, found: anyhow::Result<String>| {
            let found = found.map_err(|error| failure(&error));
            problems.extend(found.as_ref().err().map(|problem| problem.verdict));
            told(session, what, &found).map(|()| found.is_ok())
        };
        // What needs an earlier check to be fine is not tried without it.
        if is_fine("configuration", configuration(session))? {
            if is_fine("API key", key(session).await)? && is_fine("service", service(session).await)? {
                is_fine("project", project(session).await)?;
            }
            if is_fine("state folder", state_folder(session))? {
                is_fine("journal", journal(session))?;
            }
        }
        let Some(worst) = problems.iter().max() else { return Ok(Verdict::Done) };
        let found = counted(problems.len(), "problem", "problems");
        Err(Failure::new(*worst, format!("doctor found {found}")).into())
    }
}

/// Prints what a check found.
fn told(session: &Session, what: &str, found: &Result<String, Failure>) -> anyhow::Result<()> {
    match found {
        Ok(_) if session.console.is_quiet() => Ok(()),
        Ok(text) => print_text(&format!("ok       {what:<13}  {text}\n")),
        Err(Failure { cause, hint, .. }) => {
            // Many hints of failures end here.
            let hint = hint.as_deref().and_then(|hint| hint.split(": assessctl doctor").next());
            let hint = hint.map_or(String::new(), |hint| format!("; hint: {hint}"));
            print_text(&format!("problem  {what:<13}  {cause}{hint}\n"))
        }
    }
}

fn configuration(session: &Session) -> anyhow::Result<String> {
    let (file, _) = session.config()?;
    let settings = session.settings()?;
    if !settings.is_sandbox() {
        settings.base_url()?;
    }
    let profile = settings.profile.as_ref().map_or("no profile".to_owned(), |name| format!("profile {name}"));
    let read_only = if settings.read_only { ", read-only" } else { "" };
    let missing = if file.exists() { "" } else { " (optional, not there yet)" };
    Ok(format!("{}{missing}, {profile}{read_only}", file.display()))
}

async fn key(session: &Session) -> anyhow::Result<String> {
    session.client().await?;
    let settings = session.settings()?;
    Ok(if settings.is_sandbox() { "the sandbox has its own".to_owned() } else { settings.key()?.to_string() })
}

async fn service(session: &Session) -> anyhow::Result<String> {
    let client = session.client().await?;
    let began = Instant::now();
    client.projects(&ProjectQuery::default()).page(1, 1).await?;
    let took = began.elapsed().as_millis();
    session.check_clock(60).await?;
    let url = session.settings()?.base_url().map_or("the sandbox".to_owned(), ToString::to_string);
    Ok(format!("{url} answered in {took} ms"))
}

async fn project(session: &Session) -> anyhow::Result<String> {
    match &session.settings()?.project {
        Some(_) => Ok(ProjectArgs::default().named(session).await?.name),
        None => Ok(there("none; to set one: assessctl config set project NAME")),
    }
}

/// Rows in doubt need attention: running the same import again settles them.
fn journal(session: &Session) -> anyhow::Result<String> {
    let projects = session.journal_to_read()?.projects()?;
    let count = projects.iter().map(|known| known.in_doubt).sum();
    let cause = format!("{} in doubt", counted(count, "row is", "rows are"));
    let problem = Failure::new(Verdict::Unfinished, cause).hint("run the interrupted import again: it looks for them");
    if count > 0 { Err(problem.into()) } else { Ok("no enrolment is in doubt".to_owned()) }
}

/// Makes the folder, which the first change would make, and begins a file in it: a disk may be full.
fn state_folder(session: &Session) -> anyhow::Result<String> {
    let folder = &session.settings()?.state_dir;
    files::private_folder(folder)?;
    files::Target::create(&folder.join("doctor"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, &[0; 1 << 13]))
        .map_err(|error| Failure::new(Verdict::Unforeseen, format!("cannot write to {}: {error}", folder.display())))?;
    Ok(folder.display().to_string())
}
