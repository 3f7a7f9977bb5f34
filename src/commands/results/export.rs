//! `assessctl results export`: whole lists of results into files that are replaced as a whole, for cron.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgGroup, Args};

use crate::commands::results::columns::columns;
use crate::commands::results::export_file::ExportFields;
use crate::commands::results::export_loses_nothing::Export;
use crate::commands::results::fail_on::{Alert, AlertArgs};
use crate::commands::results::local_filters::PickArgs;
use crate::commands::results::{export_file, export_loses_nothing, lock_wait, verified_results};
use crate::commands::shared::list_args::READ_ONCE;
use crate::commands::shared::people_filters::PeopleArgs;
use crate::commands::shared::project_args::{Member, ProjectsArg};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::config::Origin;
use crate::files::{is_stream, whole_name};
use crate::journal::exported_projects::{recall, remember};
use crate::journal::lock::Lock;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::model::time::parse_duration;

/// Write the results of whole projects into files, for cron
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Results(|shape| columns(shape).names().to_vec())).with_status().with_people().printing(JsonShape::Many, JsonSource::Service))]
#[command(after_help = "\
The list is read again until nothing is found that was missed before, sorted by id, and put in the file's place as a \
whole; on any failure the previous file stays. Nothing changed: the same bytes. Of several projects into a folder each \
that can be written is written; a file of several is whole or stays, and loses no project unseen.

Examples:
  assessctl results export -p Demo --to results.csv
  assessctl results export --all-projects --to everybody.ndjson --deadline 10m
  assessctl results export -p Demo --to-dir . -o json --wait-lock 30s
  assessctl results export -p Demo --to flagged.csv \\
      --result HighRisk,Emergency --completed-since 24h")]
#[command(group = ArgGroup::new("every_project").args(["all_projects"]))]
pub struct ExportResults {
    #[command(flatten)]
    projects: ProjectsArg,
    /// Write one file for each project into this folder, named after the project
    #[arg(long, value_name = "FOLDER", conflicts_with = "to")]
    to_dir: Option<PathBuf>,
    /// Read each list a single time: quicker, and its count must agree, but what moves meanwhile may be missing
    #[arg(long)]
    once: bool,
    /// Let an export without results take the place of one that had some
    #[arg(long)]
    allow_empty: bool,
    /// Let a file of --all-projects lose a project that the last export into it held
    #[arg(long, requires = "every_project", conflicts_with = "to_dir")]
    allow_fewer: bool,
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
        if session.show.jq.is_some() {
            let cause = "--jq does not go with an export, whose file the next one reads";
            return Err(Failure::usage(cause).hint("`assessctl results list --jq EXPR --to FILE`").into());
        }
        let (place, format) = self.place(session)?;
        let filters = self.people.filters()?;
        let shape = session.settings.results_api.value;
        if let Place::Folder(folder) = &place
            && !folder.is_dir()
        {
            return Err(Failure::usage(format!("the folder {} of --to-dir does not exist", folder.display()))
                .hint("create the folder first: where a disk is not mounted, its files would go elsewhere")
                .into());
        }
        let fields = ExportFields::new(&columns(shape), self.projects.is_several());
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
        verified_results::say_how_people_are_told_apart(session);
        let mut alert = self.alert.watch();
        if self.once {
            session.console.note(READ_ONCE);
        }
        let (allow_empty, allow_fewer, once, picks) = (self.allow_empty, self.allow_fewer, self.once, &self.picks);
        let export =
            Export { session, client, fields: &fields, format, allow_empty, allow_fewer, once, picks, filters };
        let written = match &place {
            Place::File(path) => self.file(&export, path, &members, &mut alert).await,
            Place::Folder(folder) => self.folder(&export, folder, &members, &mut alert).await,
        };
        export_loses_nothing::end(session, written, &alert)
    }

    async fn folder(
        &self,
        export: &Export<'_>,
        folder: &Path,
        members: &[Member],
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<()> {
        let names = export_file::names(members, export.format);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let all: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        for old in export_file::of_old_names(members, &names, &all) {
            export
                .session
                .console
                .warn(&format!("{old} is the file of a project under an earlier name, and grows old"));
        }
        export.folder(folder, members, &names, alert).await
    }

    /// Writes one file. Of several projects it is remembered which they were.
    async fn file(
        &self,
        export: &Export<'_>,
        path: &Path,
        members: &[Member],
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<()> {
        let session = export.session;
        if !export.fields.several || is_stream(path) {
            return export.file(path, members, &[], alert).await.map(drop);
        }
        let target = whole_name(path).to_string_lossy().into_owned();
        let (mut store, service) = (session.journal()?, session.service_name()?);
        // A file that is gone can lose nothing.
        let known = if path.exists() { recall(&store, &service, &target)? } else { Vec::new() };
        if self.projects.is_all() {
            export.none_is_missing(path, members, &known).await?;
        }
        let exported = export.file(path, members, &known, alert).await?;
        Ok(remember(&mut store, &service, &target, &exported)?)
    }

    /// Where to, and in which format: `-o` counts most, then the file's ending, then the settings.
    fn place(&self, session: &Session) -> anyhow::Result<(Place, Format)> {
        let settled = &session.settings.output;
        if let Some(folder) = &self.to_dir {
            let format = if settled.origin == Origin::Default { Format::Csv } else { settled.value };
            return Ok((Place::Folder(folder.clone()), format));
        }
        let Some(path) = &session.show.to else {
            // A list is of one project.
            let (all, listed) = if self.projects.is_all() {
                (" --all-projects", "; --to /dev/stdout prints it")
            } else {
                ("", "; list in place of export prints it, with -o csv")
            };
            let hint = format!(
                "add --to FILE: `assessctl results export{all} --to FILE.csv`, or --to-dir FOLDER for one file a project{listed}"
            );
            return Err(Failure::usage("an export needs a place").hint(hint).into());
        };
        session.show.check_target()?;
        Ok((Place::File(path.clone()), session.show.format))
    }

    /// One export into a place at a time, also where several machines mount it.
    async fn lock(&self, session: &Session, place: &Place) -> Result<Option<Lock>, Failure> {
        let beside = match place {
            Place::File(path) if is_stream(path) => return Ok(None),
            Place::File(path) => path.clone(),
            Place::Folder(folder) => folder.join("export"),
        };
        let state = session.settings.state_dir()?;
        lock_wait::take(session, self.wait_lock, || Lock::beside(&beside, &state)).await.map(Some)
    }
}
