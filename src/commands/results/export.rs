//! `results export`: each file is whole and new, or as it was.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum as _};

use super::pick::{AlertArgs, PickArgs, verdict_of};
use super::rows::{COLUMNS, COLUMNS_OF_ALL, ResultRow};
use crate::api::Read;
use crate::commands::failure;
use crate::commands::project::ProjectsArgs;
use crate::commands::session::Session;
use crate::model::format::Format;
use crate::model::people::{EntryId, PeopleFilters, PeopleQuery, ResultQuery, TestTaker};
use crate::model::projects::ProjectRef;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Output, OutputArgs, Shape};

/// Write the latest results into a file, or into a file for each project
#[derive(Args)]
#[command(after_help = "\
A file is replaced as a whole or stays as it was. Where nothing changed, it has
the same bytes. With --to-dir, a project that fails does not stop the others.

Examples:
  assessctl results export -p Demo --to results.csv
  assessctl results export --all-projects --to-dir sites --fail-on flagged")]
pub struct ExportResults {
    #[command(flatten)]
    projects: ProjectsArgs,
    #[command(flatten)]
    pick: PickArgs,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    filters: PeopleFilters,
    /// One NAME.csv a project, in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "to")]
    to_dir: Option<PathBuf>,
    /// Let an empty file replace a fuller one
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    show: OutputArgs,
}

impl ExportResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = self.checked_output(session)?;
        self.filters.check()?;
        let projects = match self.to_dir {
            Some(_) if !self.projects.all_projects => vec![self.projects.one.named(session).await?],
            _ => self.projects.find(session).await?,
        };
        let (mut all, mut alerts, mut failures) = (Vec::new(), 0, Vec::new());
        for (project, name) in projects.iter().zip(file_names(&projects)) {
            let written = match self.read(session, project).await {
                Err(error) => Err(error),
                Ok(rows) => {
                    alerts += rows.iter().filter(|row| self.alert.matches(&row.read.record)).count();
                    self.take(session, &name, rows, &mut all)
                }
            };
            failures.extend(written.err().map(|error| self.projects.failure(project, &error)));
        }
        if self.to_dir.is_none() && failures.is_empty() {
            failures.extend(self.write(&output, &all).err().map(|error| failure(&error)));
        }
        ended(session, failures, verdict_of(session, alerts))
    }

    /// Writes the file of one project, or keeps its results for the file of all.
    fn take<'p>(
        &self,
        session: &Session,
        name: &str,
        rows: Vec<ResultRow<'p>>,
        all: &mut Vec<ResultRow<'p>>,
    ) -> anyhow::Result<()> {
        match &self.to_dir {
            Some(folder) => self.write(&self.file_output(session, folder, name)?, &rows)?,
            None => all.extend(rows),
        }
        Ok(())
    }

    /// How the file is written, checked before anything is sent; of a folder, how each of its files is.
    fn checked_output(&self, session: &Session) -> anyhow::Result<Output> {
        match &self.to_dir {
            Some(folder) if !folder.is_dir() => {
                let cause = format!("there is no folder {}", folder.display());
                Err(Failure::usage(cause).hint("create it, or mount its disk").into())
            }
            Some(folder) => self.file_output(session, folder, "results"),
            None if self.show.to.is_none() => {
                Err(Failure::usage("`results export` needs --to FILE or --to-dir DIR").into())
            }
            None => self.output(session, &self.show),
        }
    }

    fn file_output(&self, session: &Session, folder: &Path, name: &str) -> anyhow::Result<Output> {
        let usual = if self.show.jq.is_some() { Format::Json } else { Format::Csv };
        let ending = self.show.output.unwrap_or(usual).to_possible_value();
        let ending = ending.map(|value| value.get_name().to_owned()).unwrap_or_default();
        self.output(session, &OutputArgs { to: Some(folder.join(format!("{name}.{ending}"))), ..self.show.clone() })
    }

    fn output(&self, session: &Session, show: &OutputArgs) -> anyhow::Result<Output> {
        // Each file of a folder is of one project.
        let is_of_all = self.projects.all_projects && self.to_dir.is_none();
        Ok(session.output(show, if is_of_all { &COLUMNS_OF_ALL } else { &COLUMNS }, Shape::Many)?)
    }

    /// The results of a project that are asked for, sorted.
    async fn read<'p>(&self, session: &Session, project: &'p ProjectRef) -> anyhow::Result<Vec<ResultRow<'p>>> {
        let query = ResultQuery { people: PeopleQuery::of(self.filters.clone()), ..ResultQuery::default() };
        let progress = session.count_answers("reading, answers");
        let mut list = session.client().await?.results(project.id, &query).whole().await?;
        drop(progress);
        list.retain(|read| self.pick.keeps(&read.record));
        list.sort_by(|one, other| place(one).cmp(&place(other)));
        let is_of_all = self.projects.all_projects && self.to_dir.is_none();
        Ok(list.into_iter().map(|read| ResultRow { project: is_of_all.then_some(project), read }).collect())
    }

    fn write(&self, output: &Output, rows: &[ResultRow<'_>]) -> anyhow::Result<()> {
        if rows.is_empty() && !self.allow_empty && output.would_empty_file()? {
            let name = output.to().map(|path| path.display().to_string()).unwrap_or_default();
            let cause = format!("there are no results, so {name} stays as it was");
            return Err(Failure::new(Verdict::Refused, cause).hint("add --allow-empty to replace it").into());
        }
        output.print(&rows).map(drop)
    }
}

/// What results are sorted by: the id, in the older shape what there is.
fn place(read: &Read<TestTaker>) -> (Option<EntryId>, Option<&str>, &str) {
    (read.record.entry_id(), read.record.reference_id.as_deref(), read.sent.get())
}

/// The gravest failure is the error, the others are warnings. An alert outranks what a later run can mend.
fn ended(session: &Session, mut failures: Vec<Failure>, alert: Verdict) -> anyhow::Result<Verdict> {
    failures.sort_by_key(|failure| failure.verdict);
    let Some(gravest) = failures.pop() else { return Ok(alert) };
    for failure in &failures {
        session.console.warn(&failure.cause);
    }
    Err(Failure { verdict: gravest.verdict.max(alert), ..gravest }.into())
}

/// A name for the file of each project: the project's name, with the beginning of its id where two would be one, or all of
/// it. Case does not tell files apart everywhere.
fn file_names(projects: &[ProjectRef]) -> Vec<String> {
    let plain = |project: &ProjectRef| {
        let known = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
        project.name.chars().map(known).collect::<String>()
    };
    let ways: [&dyn Fn(&ProjectRef) -> String; 3] =
        [&plain, &|project| format!("{}-{:.8}", plain(project), project.id.to_string()), &|project| {
            format!("{}-{}", plain(project), project.id)
        }];
    let name = |project: &ProjectRef| {
        let names = ways.iter().find_map(|way| {
            let (name, same) =
                (way(project), |other: &&ProjectRef| way(other).to_lowercase() == way(project).to_lowercase());
            (projects.iter().filter(same).count() == 1).then_some(name)
        });
        names.unwrap_or_else(|| project.id.to_string())
    };
    projects.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_projects_have_names_of_their_own() {
        let project = |name: &str, id: &str| ProjectRef { id: id.parse().expect("an id"), name: name.to_owned() };
        let names = file_names(&[
            project("Nord/Süd (2)", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690"),
            project("Depot", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691"),
            project("depot", "4f8a1c52-6d0e-4b7f-9a35-2c1d84e7b692"),
            project("../x", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b693"),
            project(".. x", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b694"),
        ]);
        let whole = |last: u8| format!("___x-3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b69{last}");
        assert_eq!(names, ["Nord_Süd__2_", "Depot-3f8a1c52", "depot-4f8a1c52", &whole(3), &whole(4)]);
    }
}
