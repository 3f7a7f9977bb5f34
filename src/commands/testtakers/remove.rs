//! `assessctl testtakers remove`: people out of a project.

use std::cell::RefCell;
use std::collections::HashSet;

use clap::{ArgGroup, Args};

use crate::api::Read;
use crate::bulk::find_people::LookupKey;
use crate::bulk::outcome::{EARLIER, Finished, Outcome, RowOutcome, RowResult};
use crate::bulk::remove::remove;
use crate::bulk::roster::Purpose;
use crate::commands::shared::bulk_args::{BulkArgs, SheetPeople, rehearsed, watched};
use crate::commands::shared::confirmation::{YesArg, say_results_go};
use crate::commands::shared::named_people::{PersonArg, all_named};
use crate::commands::shared::person_argument::{Target, find_all_but};
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::project_journal::warn_unless_erased;
use crate::commands::shared::run_failure::{InDoubt, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::journal::removals::Removals;
use crate::model::counted::{counted, whole_number};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::TestTaker;
use crate::output::{self, Columns, Printer, Record, Shape};

const COLUMNS: Columns<'static> =
    Columns::of(&["projectEntryId", "referenceId", "outcome", "message"]).prose(&["message"]);

/// What is said where the removal was not confirmed.
const UNCHANGED: &str = "nobody was removed";

/// Remove people from a project; their results can't be read here afterwards
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Destroys, Prints::Records(&COLUMNS)).with_people().printing(JsonShape::Many, JsonSource::Own).or(Prints::Rows))]
#[command(after_help = "\
A command that did not finish is run again as it is: it knows whom it removed.

Examples:
  assessctl testtakers remove -p Demo --file enrolled.csv --max 50 --dry-run
  assessctl testtakers remove -p Demo ref:EMP-00017 --dry-run
  assessctl testtakers remove -p Demo ref:EMP-00017
  assessctl testtakers remove -p Demo ref:EMP-00018 email:anna@example.com --yes")]
#[command(group = ArgGroup::new("whom").args(["targets", "file"]).required(true))]
#[command(group = ArgGroup::new("many").args(["targets", "file"]))]
#[command(mut_arg("report", |arg| arg.requires("people_of_file")))]
pub struct RemoveTestTakers {
    #[command(flatten)]
    project: ProjectArg,
    /// Whom: `ref:REFERENCE_ID`, `email:ADDRESS` or `id:ENTRY_ID`, one or several; `-` reads them from standard input
    #[arg(value_name = "TEST_TAKER")]
    targets: Vec<PersonArg<Target>>,
    #[command(flatten)]
    yes: YesArg,
    #[command(flatten)]
    many: BulkArgs,
    /// Remove nobody if the file matches more people than this
    #[arg(long, value_name = "N", requires = "people_of_file", help_heading = "Many at once", value_parser = |text: &str| whole_number::<usize>(text, 0, u64::MAX))]
    max: Option<usize>,
}

impl RemoveTestTakers {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        self.many.check(false)?;
        if !self.many.dry_run {
            self.yes.check(session.console)?;
        }
        if self.targets.is_empty() {
            return self.in_bulk(session).await;
        }
        let printer = session.printer(&COLUMNS, Shape::Many)?;
        let targets = all_named(session, &self.targets, Purpose::Name)?;
        if targets.is_empty() {
            return Ok(Verdict::Done);
        }
        if !self.many.dry_run {
            session.may_write_many("remove", Some(targets.len()), &self.project)?;
        }
        let context = self.project.open(session).await?;
        let removals = context.removals()?;
        let found = find_all_but(&context, &targets, |target| {
            let (by, name) = target.key();
            removals.borrow().has((by.field().name(), &name))
        });
        let people = different(&targets, found.await?);
        if self.many.dry_run {
            return rehearse(session, printer, &people);
        }
        self.remove_named(&context, &people, &removals, printer).await
    }

    /// Removes the people who are named, once that was confirmed.
    async fn remove_named(
        &self,
        context: &ProjectContext<'_>,
        people: &[Named],
        removals: &RefCell<Removals>,
        mut printer: Printer,
    ) -> anyhow::Result<Verdict> {
        let session = context.session;
        let leaving: Vec<&TestTaker> = people.iter().filter_map(|named| named.person.as_ref()).collect();
        if !leaving.is_empty() && !self.confirmed(session, &leaving) {
            return Ok(Verdict::Interrupted);
        }
        let mut ends = Vec::new();
        for named in people {
            if named.person.is_none() {
                removals.borrow_mut().complete((named.by.field().name(), &named.name))?;
            }
            ends.push(named.end_of_earlier_run());
        }
        let why = RefCell::new(String::new());
        let bar = (RunBar::new(session.console), "removing");
        let finished = watched(context, ends, bar, async |row| {
            let named = &people[row];
            let did = remove_one(context, named.person.as_ref(), (named.by, &named.name), removals).await;
            why.borrow_mut().clone_from(&did.why);
            did
        })
        .await?;
        for (named, ended) in people.iter().zip(&finished.ends) {
            push(&mut printer, named, ended)?;
        }
        warn_unless_erased(session.console, removals.borrow_mut().erase()?);
        printer.finish()?;
        let removed = finished.counts.of(Outcome::Removed);
        let of = counted(people.len(), "person", "people");
        session.console.aside(&format!("{removed} of {of} removed{}", session.place()));
        match failure(&finished, true, InDoubt::Repeated) {
            Some(failure) if people.len() == 1 => Err(of_one(failure, &finished, &why.take()).into()),
            Some(failure) => Err(failure.into()),
            None => Ok(Verdict::Done),
        }
    }

    /// Removes the people of a file, once their number was confirmed.
    async fn in_bulk(&self, session: &Session) -> anyhow::Result<Verdict> {
        let sheet = self.many.read(session)?;
        let outputs = self.many.outputs(session, Some(session.options_beside_csv()), &sheet.roster)?;
        let dry_run = self.many.dry_run;
        if !dry_run {
            session.may_write_many("remove", Some(sheet.roster.row_count()), &self.project)?;
        }
        let context = self.project.open(session).await?;
        let _lock = if dry_run { None } else { Some(context.lock()?) };
        let removals = context.removals()?;
        let SheetPeople { mut ends, people } = sheet.find_undisputed(&context).await?;
        for (row, end) in ends.iter_mut().enumerate() {
            let is_absent = end.as_ref().is_some_and(|end| end.outcome == Outcome::Absent);
            // A person that an earlier run removed is no mistake of the file.
            let called = sheet.name(row);
            let called = (sheet.by.field().name(), called.as_str());
            if is_absent && removals.borrow().has(called)? {
                if !dry_run {
                    removals.borrow_mut().complete(called)?;
                }
                *end = Some(removed_earlier());
            }
        }
        let count = ends.iter().filter(|end| end.is_none()).count();
        self.check_count(count)?;
        let finished = if dry_run {
            for (end, person) in ends.iter_mut().zip(&people) {
                *end = end.take().or_else(|| {
                    person.as_ref().map(|person| RowResult::new(Outcome::WouldRemove).with_entry(person.entry_id()))
                });
            }
            rehearsed(ends)
        } else {
            if count > 0 && !self.yes.confirms_removal(session, count, UNCHANGED) {
                return Ok(Verdict::Interrupted);
            }
            let finished = watched(&context, ends, (RunBar::new(session.console), "removing"), async |row: usize| {
                remove_one(&context, people[row].as_deref(), (sheet.by, &sheet.name(row)), &removals).await
            })
            .await?;
            warn_unless_erased(session.console, removals.borrow_mut().erase()?);
            finished
        };
        let written = outputs.write(session, &finished, dry_run);
        self.many.end(&context, &finished, written)
    }

    /// Shows the people, and asks.
    fn confirmed(&self, session: &Session, people: &[&TestTaker]) -> bool {
        if self.yes.is_given() {
            return true;
        }
        for person in people {
            let name = person.full_name.as_deref().filter(|name| !name.is_empty());
            let shown = [person.reference_id.as_deref(), name, person.email.as_deref()];
            let shown: Vec<&str> = shown.into_iter().flatten().collect();
            let shown = if session.settings.mask.value { Vec::new() } else { shown };
            session.console.show(&format!("  id:{}  {}", person.entry_id(), shown.join("  ")));
        }
        let count = people.len();
        say_results_go(session.console, count);
        let whom = if count == 1 { "this person".to_owned() } else { format!("these {count} people") };
        self.yes.confirms(session.console, &format!("Remove {whom}{}?", session.place_left()), UNCHANGED)
    }

    /// The fuse of `--max`.
    fn check_count(&self, count: usize) -> Result<(), Failure> {
        match self.max {
            Some(max) if count > max => {
                let cause = format!("the file matches {count} people, and --max allows {max}; nobody was removed");
                Err(Failure::new(Verdict::Refused, cause).hint("--dry-run shows whom"))
            }
            _ => Ok(()),
        }
    }
}

/// Removes the person of a row, if it has one.
async fn remove_one(
    context: &ProjectContext<'_>,
    person: Option<&TestTaker>,
    name: (LookupKey, &str),
    removals: &RefCell<Removals>,
) -> RowOutcome {
    match person {
        Some(person) => remove(&context.client, context.project, person, name, removals).await,
        None => RowOutcome::ended(RowResult::new(Outcome::NotAttempted)),
    }
}

/// Someone who is named, and the person of that name.
struct Named {
    by: LookupKey,
    name: String,
    /// `None` where this machine removed the person before.
    person: Option<TestTaker>,
}

impl Named {
    fn end_of_earlier_run(&self) -> Option<RowResult> {
        self.person.is_none().then(removed_earlier)
    }
}

/// A removal of one person that is refused ends with the reason itself.
fn of_one(failure: Failure, finished: &Finished, why: &str) -> Failure {
    let verdict = match finished.ends[0].outcome {
        Outcome::Gone => Verdict::NotFound,
        Outcome::Refused => Verdict::Refused,
        _ => return failure,
    };
    Failure::new(verdict, format!("cannot remove the test taker: {why}"))
}

/// The end of a row whose person an earlier run removed.
fn removed_earlier() -> RowResult {
    RowResult { earlier: true, ..RowResult::new(Outcome::Removed) }.with_message(EARLIER)
}

/// Shows what a removal would do.
fn rehearse(session: &Session, mut printer: Printer, people: &[Named]) -> anyhow::Result<Verdict> {
    for named in people {
        let ended = named.end_of_earlier_run().unwrap_or(RowResult::new(Outcome::WouldRemove));
        push(&mut printer, named, &ended)?;
    }
    printer.finish()?;
    let leaving = people.iter().filter(|named| named.person.is_some()).count();
    let people = counted(leaving, "person", "people");
    session.console.aside(&format!("{people} would be removed{}", session.place()));
    Ok(Verdict::Done)
}

/// Prints what came of one person.
fn push(printer: &mut Printer, named: &Named, ended: &RowResult) -> Result<(), output::Error> {
    let (by, person) = (named.by, named.person.as_ref());
    let reference_id = match person {
        Some(person) => person.reference_id.as_deref(),
        None => Some(named.name.as_str()).filter(|_| by == LookupKey::ReferenceId),
    };
    let entry = match person {
        Some(person) => Some(person.entry_id()),
        None => named.name.parse().ok().filter(|_| by == LookupKey::Id),
    };
    let message = ended.message.as_deref().unwrap_or_default();
    printer.push(Record::Cells(&[entry.into(), reference_id.into(), ended.outcome.name().into(), message.into()]))
}

/// The people who were found; one who is named twice counts once.
fn different(targets: &[Target], found: Vec<Option<Read<TestTaker>>>) -> Vec<Named> {
    let (mut entries, mut absent) = (HashSet::new(), HashSet::new());
    let mut people = Vec::new();
    for (target, found) in targets.iter().zip(found) {
        let (by, name) = target.key();
        let person = found.map(|read| read.record);
        let is_new = match &person {
            Some(person) => entries.insert(person.entry_id()),
            None => absent.insert((by.field().name(), name.clone())),
        };
        if is_new {
            people.push(Named { by, name, person });
        }
    }
    people
}
