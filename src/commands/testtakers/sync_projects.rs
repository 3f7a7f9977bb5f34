//! `--project-column`: the projects that a file names, each looked up once, and the file taken apart by them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::api::{Client, Error};
use crate::bulk::roster::Roster;
use crate::commands::shared::project_args::{Member, NoProject, ProjectContext, ProjectNames};
use crate::commands::shared::roster_file::mistaken;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::sync_context::{SyncPart, sync_journal};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::{ProjectId, ProjectState};

/// The rows of each project, in the order of the projects' ids, and the rows that name none. Projects of the source's
/// last file that this one does not name are there without rows: their people are absent.
pub async fn projects_of<'a>(
    session: &'a Session,
    client: &Rc<Client>,
    mut roster: Roster,
    source: &str,
) -> anyhow::Result<(Vec<SyncPart<'a>>, Option<Roster>)> {
    let names: Vec<String> = roster.projects.names().map(str::to_owned).collect();
    let known = ProjectNames::read(session, client).await?;
    let mut found = Vec::new();
    for (number, name) in names.iter().enumerate() {
        match meant(client, &known, name).await? {
            Ok(meant) => found.push(meant),
            Err(words) => roster.refuse_project(number, &words),
        }
    }
    if roster.is_blocked() {
        return Err(refused(session, &roster).into());
    }
    named_once(&roster, &found)?;
    let mut projects: BTreeMap<ProjectId, String> = BTreeMap::new();
    projects.extend(found.iter().map(|meant| (meant.id, meant.name.clone())));
    for project in sync_journal(session)?.followed(source)? {
        if !projects.contains_key(&project) {
            projects.extend(still_there(session, client, project).await?.map(|name| (project, name)));
        }
    }
    session.works_on_several(projects.len());
    let order: Vec<ProjectId> = projects.keys().copied().collect();
    let places = found.iter().map(|meant| order.partition_point(|project| *project < meant.id));
    let mut rosters = roster.parted(&places.collect::<Vec<_>>());
    let unplaced = rosters.pop().filter(|rows| rows.row_count() > 0);
    // Projects behind the last one that the file names have no part of it.
    rosters.resize_with(projects.len(), || roster.of_rows(&[]));
    let parts = projects.into_iter().zip(rosters).map(|((project, name), roster)| {
        SyncPart::new(ProjectContext { session, client: Rc::clone(client), project }, name, roster)
    });
    Ok((parts.collect::<anyhow::Result<_>>()?, unplaced))
}

/// The project of a name or an id, as `-p` finds it; else what is wrong with the cell.
async fn meant(client: &Client, known: &ProjectNames, name: &str) -> anyhow::Result<Result<Member, String>> {
    if let Ok(id) = name.parse::<ProjectId>() {
        return Ok(match client.project(id).await {
            Ok(read) => Ok(Member { id, name: read.record.name.unwrap_or_else(|| name.to_owned()) }),
            Err(error) if error.is_not_found() => Err("there is no project with this id".to_owned()),
            Err(error) => return Err(unreadable(error)),
        });
    }
    Ok(match known.find(name) {
        Ok(read) => Ok(read.record.clone().into()),
        Err(NoProject::Several(several)) => {
            Err(format!("{} projects have this name: name one by its id", several.len()))
        }
        Err(NoProject::Unknown { was_deleted: true, .. }) => Err("the project of this name is deleted".to_owned()),
        Err(NoProject::Unknown { near: Some(near), .. }) => {
            Err(format!("there is no project with this name (did you mean {near:?}?)"))
        }
        Err(NoProject::Unknown { .. }) => Err("there is no project with this name".to_owned()),
    })
}

fn unreadable(error: Error) -> anyhow::Error {
    anyhow::Error::new(error).context("cannot read a project that the file names; nothing was sent")
}

/// Duplicates are looked for by what the cells say: one project under two names would hide them.
fn named_once(roster: &Roster, found: &[Member]) -> Result<(), Failure> {
    for (second, meant) in found.iter().enumerate() {
        if let Some(first) = found[..second].iter().position(|other| other.id == meant.id) {
            let lines = [first, second].map(|name| roster.project_line(name));
            let cause = format!(
                "{}: lines {} and {} name one project in two ways; nothing was sent",
                roster.name, lines[0], lines[1]
            );
            return Err(
                Failure::new(Verdict::Refused, cause).hint("write each project in one way, by its name or by its id")
            );
        }
    }
    Ok(())
}

/// The name of a project that the file no longer names; `None` for one that is gone: its people are with it.
async fn still_there(session: &Session, client: &Client, project: ProjectId) -> anyhow::Result<Option<String>> {
    let found = match client.project(project).await {
        Ok(read) => Some(read.record).filter(|record| record.state != Some(ProjectState::Deleted)),
        Err(error) if error.is_not_found() => None,
        Err(error) => return Err(unreadable(error)),
    };
    if found.is_none() {
        session.console.note(&format!("the project {project} of the last file is gone, and not followed any more"));
    }
    Ok(found.map(|record| record.name.unwrap_or_else(|| project.to_string())))
}

/// Shows the mistakes, each with its place.
fn refused(session: &Session, roster: &Roster) -> Failure {
    for mistake in &roster.mistakes {
        session.console.show(&format!("{}:{}", roster.name, roster.told(mistake)));
    }
    mistaken(roster, "; nothing was sent", "correct them")
        .hint("`assessctl projects list` shows the projects; the file names each by its name or its id")
}
