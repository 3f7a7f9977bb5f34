//! `results export`: which file each project gets, when a file stays as it was, and how an export of many projects ends.

use std::path::{Path, PathBuf};

use clap::Args;

use super::pick::PickArgs;
use super::{COLUMNS, COLUMNS_OF_ALL, ResultRow, all, ended};
use crate::api::Read;
use crate::commands::project::every_project;
use crate::commands::session::Session;
use crate::model::format::Format;
use crate::model::people::{EntryId, PeopleFilters, TestTaker};
use crate::model::projects::ProjectRef;
use crate::model::show::shell_word;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{Output, OutputArgs, Shape};

/// Write everybody's latest result to a file, or to a file per project
#[derive(Args)]
#[command(after_help = "\
A file is replaced completely, or stays as it was. The same results always give
the same bytes. With --to-dir, a project that fails does not stop the others.

Examples:
  assessctl results export -p Demo --to results.csv
  assessctl results export --all-projects --to-dir sites --fail-on flagged")]
pub struct ExportResults {
    #[command(flatten)]
    pick: PickArgs,
    #[command(flatten)]
    filters: PeopleFilters,
    /// Write one NAME.csv per project to DIR
    #[arg(long, value_name = "DIR", conflicts_with = "to")]
    to_dir: Option<PathBuf>,
    /// Write the file even without results
    #[arg(long)]
    allow_empty: bool,
    #[command(flatten)]
    show: OutputArgs,
}

impl ExportResults {
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let output = self.checked_output(session)?;
        self.filters.check()?;
        // A file is named among those of all projects, whichever of them one call is about.
        let every = if self.to_dir.is_some() { every_project(session).await? } else { Vec::new() };
        let projects = match self.to_dir {
            Some(_) if self.pick.projects.all_projects => every.clone(),
            Some(_) => vec![self.pick.projects.one.named(session).await?],
            None => self.pick.projects.find(session).await?,
        };
        let (mut rows, mut failures) = (Vec::new(), Vec::new());
        for project in &projects {
            let name = file_name(project, &every);
            failures.extend(self.left_behind(session, project, &name)?);
            let read = self.read(session, project).await;
            let done = read.and_then(|read| {
                let begin = rows.len();
                rows.extend(read);
                if self.to_dir.is_none() { Ok(()) } else { self.write(&self.output(session, &name)?, &rows[begin..]) }
            });
            failures.extend(done.err().map(|error| self.pick.projects.failure(project, &error)));
        }
        if self.to_dir.is_none() && failures.is_empty() {
            self.write(&output, &rows)?;
        }
        ended(session, failures, self.pick.alert.verdict(session, rows.iter().map(|row| &row.read.record)))
    }

    /// The file of a project's name, where another project has a name like it since: nobody writes it any more.
    fn left_behind(&self, session: &Session, project: &ProjectRef, name: &str) -> anyhow::Result<Option<Failure>> {
        let Some(plain) = name.strip_suffix(&format!("-{}", project.id)) else { return Ok(None) };
        let before = self.output(session, plain)?;
        let failure = |file: &Path| {
            let cause = format!("{} is not written any more: two projects have this name now", file.display());
            let hint = format!("rm {}", shell_word(&file.display().to_string()));
            Failure::new(Verdict::Refused, cause).hint(hint)
        };
        Ok(before.full_file()?.map(failure))
    }

    /// How the file is written, checked before anything is sent; of a folder, how each of its files is.
    fn checked_output(&self, session: &Session) -> Result<Output, Failure> {
        match &self.to_dir {
            Some(folder) if !folder.is_dir() => Err(Failure::usage(format!("there is no folder {}", folder.display()))
                .hint(format!("mkdir {}", shell_word(&folder.display().to_string())))),
            None if self.show.to.is_none() => {
                Err(Failure::usage("`results export` needs --to FILE or --to-dir DIR").hint("add --to NEW_FILE.csv"))
            }
            _ => self.output(session, "results"),
        }
    }

    /// How a file is written: the one of `--to`, or the one of this name in the folder.
    fn output(&self, session: &Session, name: &str) -> Result<Output, Failure> {
        let mut show = self.show.clone();
        if let Some(folder) = &self.to_dir {
            let usual = if show.jq.is_some() { Format::Json } else { Format::Csv };
            let ending = format!("{:?}", show.output.unwrap_or(usual)).to_lowercase();
            show.to = Some(folder.join(format!("{name}.{ending}")));
        }
        session.output(&show, if self.is_of_all() { &COLUMNS_OF_ALL } else { &COLUMNS }, Shape::Many)
    }

    /// Whether results of several projects are in one file.
    fn is_of_all(&self) -> bool {
        self.pick.projects.all_projects && self.to_dir.is_none()
    }

    /// The results of a project that are asked for, sorted.
    async fn read<'p>(&self, session: &Session, project: &'p ProjectRef) -> anyhow::Result<Vec<ResultRow<'p>>> {
        let mut list = all(session, project.id, self.filters.clone()).await?;
        self.pick.check_clock(session).await?;
        list.retain(|read| self.pick.keeps(&read.record));
        list.sort_by(|one, other| place(one).cmp(&place(other)));
        let project = self.is_of_all().then_some(project);
        Ok(list.into_iter().map(|read| ResultRow { project, read }).collect())
    }

    fn write(&self, output: &Output, rows: &[ResultRow<'_>]) -> anyhow::Result<()> {
        let full = if rows.is_empty() && !self.allow_empty { output.full_file()? } else { None };
        if let Some(file) = full {
            let cause = format!("no result matches, so {} stays as it was", file.display());
            return Err(Failure::new(Verdict::Refused, cause).hint("to replace it: add --allow-empty").into());
        }
        output.print(rows).map(drop)
    }
}

/// What results are sorted by: the id, in the older shape what there is.
fn place(read: &Read<TestTaker>) -> (Option<EntryId>, Option<&str>, &str) {
    (read.record.entry_id(), read.record.reference_id.as_deref(), read.sent.get())
}

/// A name for the file of a project: the project's name, with its id where another of these projects would have the same.
/// Case does not tell files apart everywhere.
fn file_name(project: &ProjectRef, projects: &[ProjectRef]) -> String {
    let known = |c: char| if c.is_alphanumeric() || c == '-' { c } else { '_' };
    let plain = |project: &ProjectRef| project.name.chars().map(known).collect::<String>();
    let name = plain(project);
    let is_alike = |other: &ProjectRef| other.id != project.id && plain(other).to_lowercase() == name.to_lowercase();
    if projects.iter().any(is_alike) { format!("{name}-{}", project.id) } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_projects_have_names_of_their_own() {
        let project = |name: &str, id: &str| ProjectRef { id: id.parse().expect("an id"), name: name.to_owned() };
        let projects = [
            project("Nord/Süd (2)", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690"),
            project("Depot", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b691"),
            project("depot", "4f8a1c52-6d0e-4b7f-9a35-2c1d84e7b692"),
            project("../x", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b693"),
        ];
        let names =
            projects.each_ref().map(|one| file_name(one, &projects).replace("-6d0e-4b7f-9a35-2c1d84e7b69", "-"));
        assert_eq!(names, ["Nord_Süd__2_", "Depot-3f8a1c52-1", "depot-4f8a1c52-2", "___x"]);
    }
}
