//! That an export loses nothing: which file is replaced and which stays as it was, and how it ends where projects fail.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;

use crate::api::{Client, Error, Kind};
use crate::commands::results::export_file::{ExportFields, has_rows};
use crate::commands::results::fail_on::Alert;
use crate::commands::results::local_filters::PickArgs;
use crate::commands::results::verified_results;
use crate::commands::shared::project_args::{Member, ProjectContext};
use crate::commands::shared::run_failure::{NAME_THE_OTHERS, unless_absent, verdict_of};
use crate::commands::shared::session::Session;
use crate::journal::exported_projects::Exported;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::list_query::PeopleFilters;
use crate::model::output_format::Format;
use crate::model::projects::{ProjectId, ProjectState};
use crate::output::{self, Printer, Record};

/// So many projects in a row without an answer, and the service is away.
const AWAY: usize = 3;

/// What every file of an export needs.
pub struct Export<'a> {
    /// The run.
    pub session: &'a Session,
    /// The service.
    pub client: Rc<Client>,
    /// The fields of the records.
    pub fields: &'a ExportFields<'a>,
    /// The format of the files.
    pub format: Format,
    /// `--allow-empty`
    pub allow_empty: bool,
    /// `--allow-fewer`
    pub allow_fewer: bool,
    /// Each list is walked a single time.
    pub once: bool,
    /// The filters of this program.
    pub picks: &'a PickArgs,
    /// The filters of the service.
    pub filters: PeopleFilters,
}

impl Export<'_> {
    /// Writes a file for each project, and says what became of those that could not be written.
    pub async fn folder(
        &self,
        folder: &Path,
        members: &[Member],
        names: &[String],
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<()> {
        let mut troubles = Troubles { failed: Vec::new(), of: members.len() };
        let mut away = 0;
        for (place, (member, name)) in members.iter().zip(names).enumerate() {
            let written = self.one(member, &folder.join(name), alert).await;
            let Err(error) = written.with_context(|| format!("{name} stays as it was")) else {
                away = 0;
                continue;
            };
            away = if verdict_of(&error) == Verdict::NoAnswer { away + 1 } else { 0 };
            let ends = away == AWAY || ends_the_run(&error);
            troubles.failed.push(error);
            if ends {
                let left = members.len() - place - 1;
                if left > 0 {
                    let projects = counted(left, "further project was", "further projects were");
                    self.session.console.warn(&format!("{projects} not attempted"));
                }
                break;
            }
        }
        troubles.end(self.session)
    }

    async fn one(&self, member: &Member, path: &Path, alert: &mut Alert<'_>) -> anyhow::Result<()> {
        let mut printer = self.begin(path)?;
        let had = has_rows(path, self.format, self.session.show.header);
        if !self.project(member, had, &mut printer, alert).await? && had && !self.allow_empty {
            return Err(emptied(path).into());
        }
        Ok(printer.finish()?)
    }

    /// Writes one file of all projects: whole, or not at all. `known` is what the last export into it held. Gives what
    /// this one holds.
    pub async fn file(
        &self,
        path: &Path,
        members: &[Member],
        known: &[Exported],
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<Vec<Exported>> {
        if let [member] = members
            && !self.fields.several
        {
            self.one(member, path, alert).await?;
            return Ok(Vec::new());
        }
        let mut printer = self.begin(path)?;
        let had: BTreeMap<ProjectId, bool> = known.iter().map(|known| (known.project, known.had_results)).collect();
        let mut exported = Vec::new();
        let mut emptied_ones = Vec::new();
        for member in members {
            let had = had.get(&member.id).copied().unwrap_or(false);
            let read = self.project(member, had, &mut printer, alert).await;
            let has = match read {
                Err(error) if self.allow_fewer && verdict_of(&error) == Verdict::NotFound => {
                    self.session.console.warn(&format!("{} is left out: {error:#}", member.in_words()));
                    continue;
                }
                read => read
                    .with_context(|| format!("{} stays as it was, because of {}", path.display(), member.in_words())),
            };
            let has_results = has.map_err(|error| unless_absent(error, "--allow-fewer writes the file without it"))?;
            if had && !has_results {
                emptied_ones.push(member.in_words());
            }
            exported.push(Exported { project: member.id, had_results: has_results });
        }
        if !self.allow_empty {
            if !emptied_ones.is_empty() {
                let cause =
                    format!("{} stays as it was: no results any more of {}", path.display(), emptied_ones.join(", "));
                return Err(Failure::new(Verdict::Unfinished, cause)
                    .hint("--allow-empty writes it all the same")
                    .into());
            }
            let is_empty = !exported.iter().any(|exported| exported.had_results);
            if is_empty && has_rows(path, self.format, self.session.show.header) {
                return Err(emptied(path).into());
            }
        }
        printer.finish()?;
        Ok(exported)
    }

    fn begin(&self, path: &Path) -> Result<Printer, output::Error> {
        self.fields.printer(self.session, self.format, path)
    }

    /// Prints the results of one project, and says whether it has any, whatever is picked of them. An empty list is read
    /// again where there were some before.
    async fn project(
        &self,
        member: &Member,
        had: bool,
        printer: &mut Printer,
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<bool> {
        let context = ProjectContext { session: self.session, client: Rc::clone(&self.client), project: member.id };
        for _ in 0..=usize::from(had) {
            let results = verified_results::read(&context, self.filters.clone(), self.once).await?;
            let project = self.fields.project(member);
            let mut any = false;
            results.each(|finding, json| {
                any = true;
                if !self.picks.wants(finding) {
                    return Ok(());
                }
                alert.see(finding.status());
                self.session.counts.add("results", 1);
                Ok(printer.push(Record::CellsAndSent(&project, json))?)
            })?;
            if any {
                self.session.counts.add("projects", 1);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refuses to leave out a project that the last export into a file held. Deleted ones do not count.
    pub async fn none_is_missing(&self, path: &Path, members: &[Member], known: &[Exported]) -> anyhow::Result<()> {
        let mut missing = Vec::new();
        for Exported { project, .. } in known.iter().filter(|known| !members.iter().any(|m| m.id == known.project)) {
            match self.client.project(*project).await {
                Ok(read) if read.record.state == Some(ProjectState::Deleted) => {}
                Ok(read) => missing.push(Member::from(read.record).in_words()),
                Err(error) if error.is_not_found() => missing.push(project.to_string()),
                Err(error) => return Err(error).context("cannot look for a project that the list lacks"),
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let what =
            format!("{} of the last export: {}", counted(missing.len(), "project", "projects"), missing.join(", "));
        if self.allow_fewer {
            self.session.console.warn(&format!("left out {what}"));
            return Ok(());
        }
        Err(Failure::new(Verdict::Unfinished, format!("{} stays as it was: the list lacks {what}", path.display()))
            .hint("run the same command again; --allow-fewer writes the file without them")
            .into())
    }
}

fn emptied(path: &Path) -> Failure {
    let cause = format!("the new export is empty; {} was kept", path.display());
    Failure::new(Verdict::Unfinished, cause).hint("--allow-empty replaces it")
}

/// Whether no other project can fare better.
fn ends_the_run(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<Error>().map(Error::kind);
    matches!(kind, Some(Kind::UnknownKey | Kind::OutOfTime | Kind::Misconfigured))
}

/// The projects that could not be exported.
struct Troubles {
    failed: Vec<anyhow::Error>,
    of: usize,
}

impl Troubles {
    /// Names each, and ends with the gravest. Not found counts as that only where it is true of all.
    fn end(self, session: &Session) -> anyhow::Result<()> {
        let Self { failed, of } = self;
        let all_absent = failed.len() == of && failed.iter().all(|error| verdict_of(error) == Verdict::NotFound);
        let ranks = failed.iter().enumerate().map(|(place, error)| match verdict_of(error) {
            Verdict::NotFound if !all_absent => (Verdict::Unfinished, Reverse(place)),
            verdict => (verdict, Reverse(place)),
        });
        let Some((_, Reverse(gravest))) = ranks.max() else { return Ok(()) };
        let mut ends = None;
        for (place, error) in failed.into_iter().enumerate() {
            if place == gravest {
                ends = Some(if all_absent { error } else { unless_absent(error, NAME_THE_OTHERS) });
            } else {
                session.console.warn(&format!("{error:#}"));
            }
        }
        ends.map_or(Ok(()), Err)
    }
}

/// How an export ends: an alert is told, and hidden by nothing that is less grave.
pub fn end(session: &Session, written: anyhow::Result<()>, alert: &Alert<'_>) -> anyhow::Result<Verdict> {
    let alerted = alert.end(session);
    match written {
        Err(error) if verdict_of(&error) < alerted => {
            session.console.warn(&format!("{error:#}"));
            Ok(alerted)
        }
        written => written.map(|()| alerted),
    }
}
