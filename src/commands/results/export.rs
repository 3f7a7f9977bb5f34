//! `assessctl results export`: whole lists of results into files that are replaced as a whole, for cron.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;

use crate::api::{Client, Error};
use crate::commands::results::columns::columns;
use crate::commands::results::local_filters::{Alert, AlertArgs, PickArgs};
use crate::commands::results::{lock_wait, verified};
use crate::commands::shared::filters::PeopleArgs;
use crate::commands::shared::prints::Prints;
use crate::commands::shared::project_args::{Member, ProjectsArg};
use crate::commands::shared::session::Session;
use crate::config::Origin;
use crate::journal::lock::Lock;
use crate::model::cell::Cell;
use crate::model::format::Format;
use crate::model::time::parse_duration;
use crate::model::verdict::{Failure, Verdict};
use crate::output::{self, Columns, Printer, Record, Shape, file};

/// Write the results of whole projects into files, for cron
#[derive(Debug, Args)]
#[command(add = Prints::Results(|shape| columns(shape).names().to_vec()))]
#[command(after_help = "\
The list is read again until nothing is found that was missed before, sorted by id, and put in the file's place as a \
whole; on any failure the previous file stays. Nothing changed: the same bytes.

Examples:
  assessctl results export -p Demo --to results.csv
  assessctl results export --all-projects --to everybody.ndjson --deadline 10m
  assessctl results export -p Demo --to-dir . -o json --wait-lock 30s
  assessctl results export -p Demo --to flagged.csv \\
      --result HighRisk,Emergency --completed-since 24h")]
pub struct ExportResults {
    #[command(flatten)]
    projects: ProjectsArg,
    /// Write one file for each project into this folder, named after the project
    #[arg(long, value_name = "FOLDER", conflicts_with = "to")]
    to_dir: Option<PathBuf>,
    /// Let an export without results take the place of one that had some
    #[arg(long)]
    allow_empty: bool,
    /// Wait this long for another export into the same place to end [default: do not wait]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    wait_lock: Option<Duration>,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    people: PeopleArgs,
    #[command(flatten)]
    picks: PickArgs,
}

/// Where an export goes.
enum Place {
    File(PathBuf),
    Folder(PathBuf),
}

impl ExportResults {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        let (place, format) = self.place(session)?;
        let shape = session.settings.results_api.value;
        if let Place::Folder(folder) = &place
            && !folder.is_dir()
        {
            return Err(Failure::usage(format!("the folder {} of --to-dir is not there", folder.display()))
                .hint("make it first: where a disk is not mounted, its files would go elsewhere")
                .into());
        }
        let fields = Fields::new(&columns(shape), self.projects.is_several());
        // A mistyped `--fields` or target ends here, before any request.
        let probe = match &place {
            Place::File(path) => fields.printer(session, format, path)?,
            Place::Folder(folder) => fields.printer(session, format, &folder.join("any"))?,
        };
        drop(probe);
        let names = fields.several || matches!(place, Place::Folder(_));
        let client = session.client()?;
        let _lock = self.lock(session, &place).await?;
        let members = self.projects.find(session, &client, names).await?;
        verified::say_how_people_are_told_apart(session);
        self.picks.check(session);
        let mut alert = self.alert.watch(session);
        match place {
            Place::File(path) => {
                self.write(session, &client, &members, &fields, (&path, format), &mut alert).await?;
            }
            Place::Folder(folder) => {
                let mut failed: Option<anyhow::Error> = None;
                for (member, name) in members.iter().zip(file_names(&members, format)) {
                    let one = std::slice::from_ref(member);
                    let target = folder.join(&name);
                    let written = self.write(session, &client, one, &fields, (&target, format), &mut alert).await;
                    let Err(error) = written.with_context(|| format!("{name} stays as it was")) else { continue };
                    // The other projects are not to wait for this one. The last failure ends the command.
                    let ends = !is_about_one_project(&error);
                    if let Some(earlier) = failed.replace(error) {
                        session.talk.warn(&format!("{earlier:#}"));
                    }
                    if ends {
                        break;
                    }
                }
                if let Some(error) = failed {
                    let _ = alert.end(session);
                    return Err(error);
                }
            }
        }
        Ok(alert.end(session))
    }

    /// Where to, and in which format: `-o` counts most, then the file's ending, then the settings.
    fn place(&self, session: &Session) -> Result<(Place, Format), Failure> {
        let settled = &session.settings.output;
        let named = matches!(settled.origin, Origin::Flag(_)).then_some(settled.value);
        if let Some(folder) = &self.to_dir {
            let settled = (settled.origin != Origin::Default).then_some(settled.value);
            return Ok((Place::Folder(folder.clone()), named.or(settled).unwrap_or(Format::Csv)));
        }
        let Some(path) = &session.show.to else {
            return Err(Failure::usage("an export needs a place")
                .hint("add --to FILE, or --to-dir FOLDER for one file a project"));
        };
        let Some(format) = named.or_else(|| by_ending(path)) else {
            let cause = format!("the ending of {} names no format", path.display());
            return Err(Failure::usage(cause).hint("end the file's name in .csv, .json or .ndjson, or add -o FORMAT"));
        };
        Ok((Place::File(path.clone()), format))
    }

    /// One export into a place at a time, also where several machines mount it.
    async fn lock(&self, session: &Session, place: &Place) -> Result<Option<Lock>, Failure> {
        let beside = match place {
            Place::File(path) if file::is_straight(path) => return Ok(None),
            Place::File(path) => path.clone(),
            Place::Folder(folder) => folder.join("export"),
        };
        lock_wait::take(session, self.wait_lock, || Lock::beside(&beside)).await.map(Some)
    }

    /// Writes the results of some projects into one file.
    async fn write(
        &self,
        session: &Session,
        client: &Client,
        members: &[Member],
        fields: &Fields<'_>,
        (path, format): (&Path, Format),
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<()> {
        file::sweep(path);
        let mut printer = fields.printer(session, format, path)?;
        let mut count = 0_u64;
        for member in members {
            let results = verified::read(session, client, member.id, self.people.filters()).await?;
            let project = fields.project(member);
            results.each(|finding, json| {
                if !self.picks.wants(finding) {
                    return Ok(());
                }
                count += 1;
                alert.see(finding.status());
                Ok(printer.push(Record::CellsAndSent(&project, json))?)
            })?;
        }
        if count == 0 && !self.allow_empty && has_rows(path, format, session.show.header) {
            let cause = format!("the export has no results, and {} has some; it stays as it was", path.display());
            return Err(Failure::new(Verdict::Unfinished, cause).hint("--allow-empty replaces it all the same").into());
        }
        Ok(printer.finish()?)
    }
}

/// The fields of an export: those of the list, after the project where it can be one of several.
struct Fields<'a> {
    names: Vec<&'a str>,
    several: bool,
}

impl<'a> Fields<'a> {
    fn new(columns: &Columns<'a>, several: bool) -> Self {
        let project: &[&str] = if several { &["project", "projectId"] } else { &[] };
        Self { names: [project, columns.names()].concat(), several }
    }

    fn printer(&self, session: &Session, format: Format, path: &Path) -> Result<Printer, output::Error> {
        let columns = Columns::of(&self.names).no_truncate(&self.names);
        let options = output::Options { format, to: Some(path.to_owned()), ..session.show.clone() };
        Printer::new(&columns, Shape::Many, &options)
    }

    /// What stands before a project's records: its name and id where there can be several.
    fn project<'m>(&self, member: &'m Member) -> Vec<Cell<'m>> {
        if self.several { vec![(&member.name).into(), member.id.to_string().into()] } else { Vec::new() }
    }
}

/// The format that a file's ending names.
fn by_ending(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "csv" => Some(Format::Csv),
        "json" => Some(Format::Json),
        "ndjson" | "jsonl" => Some(Format::Ndjson),
        _ => None,
    }
}

/// A file for each project: its name as far as a file can have it, and the beginning of its id, so that neither two
/// projects of one name nor a later namesake ever share a file.
fn file_names(members: &[Member], format: Format) -> Vec<String> {
    let ending = match format {
        Format::Csv => "csv",
        Format::Json => "json",
        Format::Ndjson => "ndjson",
        Format::Table => "txt",
    };
    let name = |member: &Member, digits: usize| {
        let id = member.id.to_string();
        format!("{}-{}.{ending}", file::safe_name(&member.name, "project"), &id[..digits.min(id.len())])
    };
    let short = |member: &Member| name(member, 8).to_lowercase();
    let is_shared = |member: &Member| members.iter().filter(|other| short(other) == short(member)).count() > 1;
    members.iter().map(|member| name(member, if is_shared(member) { usize::MAX } else { 8 })).collect()
}

/// Whether a file has results in it. One that cannot be read has some, as far as anybody knows.
fn has_rows(path: &Path, format: Format, header: bool) -> bool {
    let text = match std::fs::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
        Err(_) => return true,
        Ok(file) => file,
    };
    if file::is_straight(path) {
        return false;
    }
    let Ok(lines) = file::first_lines(text, 2) else { return true };
    match format {
        Format::Csv | Format::Table => lines.len() > usize::from(header),
        Format::Json => lines.first().is_some_and(|line| line.trim() != "[]"),
        Format::Ndjson => !lines.is_empty(),
    }
}

/// Whether the next project may fare better: this one is empty, moves too much, or is not there.
fn is_about_one_project(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<Error>() {
        Some(error) => error.is_not_found() || matches!(error, Error::Unverified),
        None => error.downcast_ref::<Failure>().is_some_and(|failure| failure.verdict == Verdict::Unfinished),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, id: &str) -> Member {
        Member { name: name.to_owned(), id: id.parse().expect("an id") }
    }

    #[test]
    fn a_files_name_is_the_projects_as_far_as_it_can_be_and_never_shared() {
        let members = [
            member("Night shift/north", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690"),
            member("NIGHT shift:north", "3f8a1c52-0000-4b7f-9a35-2c1d84e7b690"),
            member("", "aaaaaaaa-0000-4b7f-9a35-2c1d84e7b690"),
        ];
        assert_eq!(
            file_names(&members, Format::Csv),
            [
                "Night-shift-north-3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690.csv",
                "NIGHT-shift-north-3f8a1c52-0000-4b7f-9a35-2c1d84e7b690.csv",
                "project-aaaaaaaa.csv"
            ]
        );
    }

    #[test]
    fn the_ending_names_the_format() {
        let format = |name: &str| by_ending(Path::new(name));
        assert_eq!(format("a.CSV"), Some(Format::Csv));
        assert_eq!(format("a.jsonl"), Some(Format::Ndjson));
        assert_eq!((format("a.txt"), format("csv")), (None, None));
    }

    #[test]
    fn whether_a_file_had_rows_is_seen_in_each_format() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        assert!(!has_rows(&path, Format::Csv, true));
        for (text, format, header, expected) in [
            ("id\n", Format::Csv, true, false),
            ("id\n1\n", Format::Csv, true, true),
            ("1\n", Format::Csv, false, true),
            ("", Format::Csv, false, false),
            ("[]\n", Format::Json, true, false),
            ("[\n  {\n", Format::Json, true, true),
            ("", Format::Ndjson, true, false),
            ("{}\n", Format::Ndjson, true, true),
        ] {
            std::fs::write(&path, text).expect("written");
            assert_eq!(has_rows(&path, format, header), expected, "{text:?}");
        }
    }
}
