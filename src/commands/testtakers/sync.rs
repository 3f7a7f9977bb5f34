//! `assessctl testtakers sync`: the project follows the file that HR drops each night.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use clap::{ArgGroup, Args};

use crate::api::Client;
use crate::bulk::roster::{GIVE_ROWS, Purpose, Roster};
use crate::bulk::sync::absent::{DEFAULT_ABSENT_FOR, Leavers};
use crate::bulk::sync::counted_rosters::DEFAULT_INTERVAL;
use crate::bulk::sync::limits::{FileLimits, FileRefusal, LeaverLimit, Percent};
use crate::commands::shared::project_args::{Found, ProjectArg, ProjectContext};
use crate::commands::shared::roster_file::{ReadingArgs, accept, is_stdin, say_understanding};
use crate::commands::shared::run_account::keep_apart;
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::commands::testtakers::enrol_run::DoubtArgs;
use crate::commands::testtakers::sync_context::{SyncContext, SyncPart, SyncRules, sync_journal};
use crate::commands::testtakers::sync_keep_file::KeepFile;
use crate::commands::testtakers::sync_plan::PlanTo;
use crate::commands::testtakers::sync_projects::projects_of;
use crate::commands::testtakers::sync_report::COLUMNS;
use crate::commands::testtakers::sync_show::{HELD, print_held, show};
use crate::model::counted::whole_number;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::Format;
use crate::model::stored_name::stored_name;
use crate::model::time::parse_duration;
use crate::output::{check_ending, check_target};

/// Follow HR's file: enrol who joined, change who changed, remove who left
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Destroys, Prints::Records(&COLUMNS)).with_status().with_people().printing(JsonShape::Many, JsonSource::Own).or(Prints::Records(&HELD)))]
#[command(after_help = "\
For cron. A person is removed who was in an earlier roster of this source and is missing in two in a row, and nobody \
else is: people who were never in such a file are counted and left alone. Nothing is removed on a source's first \
roster, on a file with a mistake, or because the same file was tried again.

More leavers than --max-leavers are held together and the command ends with 11: look with --show, then approve with \
`testtakers apply`. A file that is empty, shrank, or has other people is refused as a whole (5).

With --project-column one file is about several projects. Whoever moves joins the new project first, is looked for in its \
list, and only then leaves the old one; so does a changed e-mail with --replace-renamed. Results of the old entry can't be \
read here afterwards. Moves count for --max-leavers of the project that is left.

Examples:
  assessctl testtakers sync -p Demo people.csv
  assessctl testtakers sync -p Demo people.csv --source agency --max-leavers 10
  assessctl testtakers sync -p Demo people.csv --leavers keep -o csv
  assessctl testtakers sync -p Demo people.csv --replace-renamed
  assessctl testtakers sync sites.csv --project-column site
  assessctl testtakers sync -p Demo people.csv --plan plan.ndjson")]
#[command(group = ArgGroup::new("planned").args(["plan"]))]
pub struct SyncTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    /// Column that names the project of each row: one file for several projects
    #[arg(long, value_name = "HEADER", conflicts_with_all = ["project", "show"])]
    project_column: Option<String>,
    /// HR's CSV with a header line; `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "show")]
    file: Option<PathBuf>,
    /// Write what would change to this file, for a reviewer, and send nothing
    #[arg(long, value_name = "FILE", conflicts_with = "show")]
    plan: Option<PathBuf>,
    /// End with 8 where the plan has a change
    #[arg(long, requires = "planned")]
    fail_on_change: bool,
    /// Show what is held, by its id, or what a plan would change, and send nothing; without a value, list what is held
    #[arg(long, value_name = "ID|PLAN", conflicts_with = "file", num_args = 0..=1, default_missing_value = "")]
    show: Option<String>,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Leave rows with mistakes out instead of refusing the file; then nobody is removed and no roster is remembered
    #[arg(long)]
    skip_invalid: bool,
    /// Enrol people anew who have the same reference id and another e-mail, then remove their old entries
    #[arg(long)]
    replace_renamed: bool,
    // Before what has a heading of its own, which counts for all that follows.
    #[command(flatten)]
    doubt: DoubtArgs,
    #[command(flatten)]
    leaving: LeavingArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Who leaves, and when.
#[derive(Debug, Args)]
#[command(next_help_heading = "Leavers")]
struct LeavingArgs {
    /// Who is removed for not being in the file
    #[arg(long, value_enum, ignore_case = true, default_value = "known", value_name = "WHO")]
    leavers: Leavers,
    /// The project's name, which --leavers all asks for where there is no terminal
    #[arg(long, value_name = "NAME")]
    confirm_project: Option<String>,
    /// The name of the HR source; each has a memory of its own, and who is in another's last roster is no leaver
    #[arg(long, value_name = "NAME", default_value = "main", value_parser = stored_name)]
    source: String,
    /// A leaver is missing in this many rosters in a row
    #[arg(long, value_name = "N", default_value = DEFAULT_ABSENT_FOR, value_parser = |text: &str| whole_number::<u8>(text, 1, 255))]
    absent_for: u8,
    /// A roster counts this long after the last one that counted: retries never do
    #[arg(long, value_name = "TIME", default_value = DEFAULT_INTERVAL, value_parser = parse_duration)]
    roster_interval: Duration,
    /// People who are never removed: one `ref:REFERENCE_ID` or `email:ADDRESS` a line
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
}

/// How much may change without a person looking at it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
#[expect(clippy::struct_field_names, reason = "they are the options, which all begin so")]
struct LimitArgs {
    /// Hold the leavers if they are more: a number, or a share of the known [default: the larger of 5 and 5%]
    #[arg(long, value_name = "N|P%")]
    max_leavers: Option<LeaverLimit>,
    /// Refuse a file that is this much shorter than the last one [default: 20%]
    #[arg(long, value_name = "P%")]
    max_shrink: Option<Percent>,
    /// Refuse a file with more new people than this share of the known [default: 30%]
    #[arg(long, value_name = "P%")]
    max_joiners: Option<Percent>,
    /// Refuse a file with more changed people than this share of the known [default: 30%]
    #[arg(long, value_name = "P%")]
    max_changes: Option<Percent>,
}

impl LimitArgs {
    fn of_file(&self) -> FileLimits {
        let default = FileLimits::default();
        FileLimits {
            shrink: self.max_shrink.unwrap_or(default.shrink),
            joiners: self.max_joiners.unwrap_or(default.joiners),
            changes: self.max_changes.unwrap_or(default.changes),
        }
    }
}

/// A file without people is refused as any other beyond its limits: the whole project would leave.
fn without_people(failure: Failure) -> Failure {
    if failure.hint.as_deref() != Some(GIVE_ROWS) {
        return failure;
    }
    Failure::new(failure.verdict, format!("{}; nothing was done", failure.cause)).hint(FileRefusal::Empty.likely())
}

impl SyncTestTakers {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if let Some(plan) = &self.plan {
            session.refuse_masked("a plan")?;
            check_target(plan)?;
            check_ending(plan, Format::Ndjson.ending())?;
        }
        match (&self.show, &self.file) {
            (Some(none), _) if none.is_empty() => print_held(session),
            (Some(id), _) => show(session, &self.project, id).await,
            (None, Some(file)) => self.sync(session, file).await,
            (None, None) => Err(Failure::usage("no file is named").into()),
        }
    }

    async fn sync(&self, session: &Session, file: &Path) -> anyhow::Result<Verdict> {
        if self.project_column.is_some() && self.leaving.leavers == Leavers::All {
            return Err(
                Failure::usage("--leavers all is for one project: it goes with -p, not with --project-column").into()
            );
        }
        keep_apart([
            ("the roster", Some(&file.to_owned()).filter(|file| !is_stdin(file))),
            ("--keep", self.leaving.keep.as_ref()),
            ("--plan", self.plan.as_ref()),
            ("--to", session.show.to.as_ref()),
        ])?;
        let column = self.project_column.as_deref();
        let roster = self.reading.read_parted(session, file, Purpose::Enrol, column).map_err(without_people)?;
        say_understanding(session, &roster);
        accept(session, &roster, self.skip_invalid)?;
        let keep = match &self.leaving.keep {
            Some(file) => KeepFile::read(file)?,
            None => KeepFile::default(),
        };
        let rules = self.rules(&roster, keep);
        if self.plan.is_none() {
            session.may_write_many("sync", Some(roster.row_count()), &self.project)?;
        }
        let client = session.client()?;
        let (parts, unplaced) = self.parts(session, &client, roster).await?;
        let plan = self.plan.as_deref().map(|file| PlanTo { file, fail_on_change: self.fail_on_change });
        let mut locks = Vec::new();
        if plan.is_none() {
            // Always in the order of the ids: two syncs of the same projects never hold each other up.
            for part in &parts {
                locks.push(part.context.lock()?);
            }
        }
        let journal = sync_journal(session)?;
        SyncContext { session, client, parts, unplaced, rules: &rules, journal }.run(plan).await
    }

    /// The rows of each project, and those that were left out because they name none.
    async fn parts<'a>(
        &self,
        session: &'a Session,
        client: &Rc<Client>,
        roster: Roster,
    ) -> anyhow::Result<(Vec<SyncPart<'a>>, Option<Roster>)> {
        if self.project_column.is_some() {
            return projects_of(session, client, roster, &self.leaving.source).await;
        }
        let found = self.project.find(session, client).await?;
        let context = ProjectContext { session, client: Rc::clone(client), project: found.id() };
        let name = found.name();
        if self.leaving.leavers == Leavers::All {
            self.confirm(session, client, found).await?;
        }
        Ok((vec![SyncPart::new(context, name, roster)?], None))
    }

    fn rules(&self, roster: &Roster, keep: KeepFile) -> SyncRules {
        // A row that could not be read must not look like a person who left.
        let skips_rows = !roster.mistakes.is_empty();
        let leavers = if skips_rows { Leavers::Keep } else { self.leaving.leavers };
        SyncRules {
            source: self.leaving.source.clone(),
            leavers,
            absent_for: self.leaving.absent_for,
            roster_interval: self.leaving.roster_interval,
            max_leavers: self.limits.max_leavers.unwrap_or(LeaverLimit::Default),
            file: self.limits.of_file(),
            keep,
            skips_rows,
            replaces_renamed: self.replace_renamed,
            has_project_column: self.project_column.is_some(),
            doubt: self.doubt,
        }
    }

    /// Has the project's name typed, or takes it from the command line: everyone who is not in the file would leave.
    async fn confirm(&self, session: &Session, client: &Client, found: Found) -> anyhow::Result<()> {
        let name = found.read(client).await?.record.name.unwrap_or_default();
        let given = match &self.leaving.confirm_project {
            Some(given) => Some(given.clone()),
            None if session.console.can_ask() => session
                .console
                .ask(&format!("--leavers all removes everyone who is not in the file. Type {name} to go on:")),
            None => {
                return Err(Failure::usage("--leavers all asks for the project's name")
                    .hint("add --confirm-project NAME to the command")
                    .into());
            }
        };
        if given.as_deref() == Some(name.as_str()) {
            return Ok(());
        }
        let verdict = if self.leaving.confirm_project.is_some() { Verdict::Usage } else { Verdict::Interrupted };
        Err(Failure::new(verdict, "that is not the project's name: nothing was done").into())
    }
}
