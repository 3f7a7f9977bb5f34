//! `assessctl journal undo`: removes the people that this machine enrolled for the rows of a file, and no others.

use std::cell::RefCell;
use std::collections::HashMap;

use clap::Args;
use jiff::Timestamp;

use crate::bulk::compare::match_rule::{another_person, is_another_person};
use crate::bulk::outcome::{Outcome, RowOutcome, RowResult};
use crate::bulk::roster::{Field, Roster};
use crate::commands::shared::bulk_args::watched;
use crate::commands::shared::confirmation::{YesArg, say_results_go};
use crate::commands::shared::people_filters::time;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::project_journal::{known_rows, warn_unless_erased};
use crate::commands::shared::roster_file::RosterArgs;
use crate::commands::shared::run_failure::{InDoubt, failure};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::journal::clock::{Millis, Moment, utc};
use crate::journal::row_store::{KeyState, KnownRow};
use crate::journal::rows::JournalRows;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::testtakers::{EntryId, TestTaker};
use crate::output::Console;

/// Remove the people whom this machine enrolled for the rows of a file, and nobody else
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Destroys, Prints::Silent))]
#[command(after_help = "\
Examples:
  assessctl journal undo people.csv -p Demo --dry-run
  assessctl journal undo people.csv -p Demo --since 2h --dry-run
  assessctl journal undo people.csv -p Demo --yes")]
pub struct UndoRoster {
    #[command(flatten)]
    project: ProjectArg,
    #[command(flatten)]
    roster: RosterArgs,
    /// Remove those too who were found by looking them up: another machine may have enrolled them
    #[arg(long)]
    include_found: bool,
    /// Only those who were enrolled at this time or later, such as 2h ago: the same rows may be of an earlier import
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Timestamp>,
    /// Show what would be done, and send nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    yes: YesArg,
}

impl UndoRoster {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if !self.dry_run {
            self.yes.check(session.console)?;
            session.may_write()?;
        }
        let roster = self.roster.read(session)?;
        let client = session.client()?;
        let named = self.project.find(session, &client).await?;
        named.check(&client).await?;
        let context = ProjectContext { session, client, project: named.id() };
        let _lock = context.lock()?;
        let rows = context.rows()?;
        let since = self.since.map_or(Millis::MIN, Timestamp::as_millisecond);
        let known = known_rows(&roster, context.project, &rows)?.into_iter();
        let known = known.map(|known| known.filter(|row| row.noted.wall >= since)).enumerate();
        let people = People::of(known);
        let leaving = people.to_remove(self.include_found, &session.place())?;
        let mut assigned = roster.clone();
        assigned.assign_reference_ids();
        assigned.assign(context.project);
        let listed = Listed::read(&context, &leaving).await?;
        let settled = listed.others(&assigned, &leaving);
        say_others(session.console, &settled);
        if let Some(when) = several_times(&leaving) {
            session.console.note(&when);
        }
        let total = settled.iter().filter(|end| end.is_none()).count();
        if !self.dry_run {
            session.may_write_many("remove", Some(total), &self.project)?;
        }
        self.say_before(session, &people, total);
        if self.dry_run {
            let total = counted(total, "person", "people");
            let own = leaving.iter().zip(&settled).filter(|(_, end)| end.is_none()).map(|(leaving, _)| leaving.entry);
            let words = format!("{total} would be removed{}: {}", session.place(), some_of(&own.collect::<Vec<_>>()));
            session.console.summary(&words);
            return people.in_doubt().map_or(Ok(Verdict::Done), |failure| Err(failure.into()));
        }
        let question = format!("{}{}?", people.question(self.include_found), session.place_left());
        if !self.yes.confirms(session.console, &question, "nobody was removed") {
            return Ok(Verdict::Interrupted);
        }
        let rows = RefCell::new(rows);
        let bar = (RunBar::new(session.console), "removing");
        let finished = watched(&context, settled, bar, |index: usize| {
            let called = [&roster, &assigned].map(|roster| called(roster, leaving[index].row));
            remove(&context, listed.person(&assigned, leaving[index]), called, &rows)
        })
        .await?;
        warn_unless_erased(session.console, rows.borrow_mut().erase()?);
        let removed = finished.counts.of(Outcome::Removed);
        let total = counted(total, "person", "people");
        session.console.summary(&format!("{removed} of {total} removed{}", session.place()));
        match failure(&finished, true, InDoubt::Repeated) {
            Some(failure) => Err(failure.into()),
            None => people.in_doubt().map_or(Ok(Verdict::Done), |failure| Err(failure.into())),
        }
    }
}

impl UndoRoster {
    /// Says what stays, and who is left alone.
    fn say_before(&self, session: &Session, people: &People, total: usize) {
        session.console.note("invitations already sent are not recalled");
        say_results_go(session.console, total);
        if !self.include_found && !people.found.is_empty() {
            let words = counted(people.found.len(), "person is", "people are");
            let words = format!("{words} left alone: found by looking up, perhaps another machine's (--include-found)");
            session.console.note(&words);
        }
    }
}

/// A row of the file, and the entry that is removed for it.
#[derive(Clone, Copy)]
struct Leaving {
    row: usize,
    entry: EntryId,
    /// When it was enrolled.
    since: Millis,
}

/// What the journal knows of the people of a file.
#[derive(Default)]
struct People {
    /// People that the service answered as enrolled.
    ours: Vec<Leaving>,
    /// Those who were found by looking them up: another machine may have enrolled them.
    found: Vec<Leaving>,
    /// How many may be enrolled.
    doubtful: usize,
}

impl People {
    fn of(rows: impl Iterator<Item = (usize, Option<KnownRow>)>) -> Self {
        let mut people = Self::default();
        for (row, known) in rows.filter_map(|(row, known)| Some((row, known?))) {
            let since = known.noted.wall;
            match known.state {
                KeyState::Enrolled { entry, enrolment: Some(_), .. } => people.ours.push(Leaving { row, entry, since }),
                KeyState::Enrolled { entry, enrolment: None, .. } => people.found.push(Leaving { row, entry, since }),
                KeyState::Open { .. } => people.doubtful += 1,
                KeyState::Free | KeyState::Refused => {}
            }
        }
        people
    }

    fn to_remove(&self, include_found: bool, place: &str) -> Result<Vec<Leaving>, Failure> {
        let found = if include_found { self.found.as_slice() } else { &[] };
        let leaving = [self.ours.as_slice(), found].concat();
        if !leaving.is_empty() {
            return Ok(leaving);
        }
        if let Some(failure) = self.in_doubt() {
            return Err(failure);
        }
        if self.found.is_empty() {
            let cause = format!("the journal knows no one that this machine enrolled{place} for a row of this file");
            let hint = "`assessctl journal show` lists what it knows; -p names another project";
            return Err(Failure::new(Verdict::NotFound, cause).hint(hint));
        }
        let cause = format!(
            "{} found by looking up, and another machine may have enrolled them; nobody was removed",
            counted(self.found.len(), "person was", "people were")
        );
        Err(Failure::new(Verdict::NotFound, cause).hint("--include-found removes them too"))
    }

    /// Why an undo is not at its end although it removed those it may: others may be enrolled.
    fn in_doubt(&self) -> Option<Failure> {
        let rows = counted(self.doubtful, "row of this file is", "rows of this file are");
        (self.doubtful > 0).then(|| {
            Failure::new(Verdict::Unfinished, format!("{rows} in doubt, and may be enrolled"))
                .hint("`assessctl journal show --in-doubt` lists them, `assessctl journal resolve` settles each")
        })
    }

    fn question(&self, include_found: bool) -> String {
        let ours = counted(self.ours.len(), "person", "people");
        let found = self.found.len();
        let more =
            if include_found && found > 0 { format!(", and {found} found by looking up") } else { String::new() };
        format!("Remove {ours} whom this machine enrolled for rows of this file{more}")
    }
}

/// What the project's list shows of those who are to be removed.
struct Listed(HashMap<EntryId, Box<TestTaker>>);

impl Listed {
    async fn read(context: &ProjectContext<'_>, leaving: &[Leaving]) -> anyhow::Result<Self> {
        let wanted = leaving.iter().map(|leaving| leaving.entry).collect();
        Ok(Self(context.client.with_entries(context.project, &wanted).await?))
    }

    /// Those whose entry is another person's by now: nothing is sent for them.
    fn others(&self, roster: &Roster, leaving: &[Leaving]) -> Vec<Option<RowResult>> {
        let ends = leaving.iter().map(|Leaving { row, entry, .. }| {
            let is_another = is_another_person(roster, *row, &(&**self.0.get(entry)?).into());
            is_another.then(|| another_person(*entry))
        });
        ends.collect()
    }

    /// A person as the service spells them; where it does not show them or their e-mail, as the row does.
    fn person(&self, roster: &Roster, Leaving { row, entry, .. }: Leaving) -> TestTaker {
        let [email, first_name, last_name, _, reference_id] = roster.values(row).map(|text| text.map(str::to_owned));
        let said = TestTaker { id: entry.0, email, first_name, last_name, reference_id, ..TestTaker::default() };
        let Some(shown) = self.0.get(&entry) else { return said };
        TestTaker { email: shown.email.clone().or(said.email), ..TestTaker::clone(shown) }
    }
}

/// Says whose entries are left alone.
fn say_others(console: Console, settled: &[Option<RowResult>]) {
    let others: Vec<EntryId> = settled.iter().flatten().filter_map(|end| end.entry).collect();
    if !others.is_empty() {
        let words = counted(others.len(), "entry is another person", "entries are other people");
        console.warn(&format!("{words} now, and left alone: e-mail and reference id differ ({})", some_of(&others)));
    }
}

/// What is said where the people were not all enrolled within a minute: the rows of one file may be of several imports.
fn several_times(leaving: &[Leaving]) -> Option<String> {
    let first = leaving.iter().map(|leaving| leaving.since).min()?;
    let last = leaving.iter().map(|leaving| leaving.since).max()?;
    (last - first > 60_000).then(|| {
        let (first, last) = (utc(first), utc(last));
        format!("they were enrolled from {first} to {last}; --since TIME takes back the later ones alone")
    })
}

/// The first of these entries as they are typed, and how many more there are.
fn some_of(entries: &[EntryId]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = entries.iter().take(SHOWN).map(|entry| format!("id:{entry}")).collect();
    match entries.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The reference id and the e-mail of a row.
fn called(roster: &Roster, row: usize) -> [&str; 2] {
    [Field::ReferenceId, Field::Email].map(|field| roster.value(row, field).unwrap_or_default())
}

/// Removes an entry, and forgets that it was enrolled and what was told of the person.
async fn remove(
    context: &ProjectContext<'_>,
    person: TestTaker,
    called: [[&str; 2]; 2],
    rows: &RefCell<JournalRows>,
) -> RowOutcome {
    let entry = person.entry_id();
    let begun = rows.borrow_mut().about_to_remove(entry, Moment::now());
    let is_first = match begun {
        Ok(is_first) => is_first,
        Err(failure) => {
            let ended = RowResult::new(Outcome::NotAttempted).with_entry(entry);
            return RowOutcome::unremembered(ended, &failure);
        }
    };
    let (did, noted) = match context.client.remove(context.project, &person).await {
        Ok(()) => {
            let removed = RowResult::new(Outcome::Removed).with_entry(entry);
            (RowOutcome::ended(removed), rows.borrow_mut().forget_entry(entry, &called))
        }
        Err(error) if is_first && error.had_no_effect() => {
            (RowOutcome::failed(entry, &error), rows.borrow_mut().did_not_remove(entry))
        }
        Err(error) => (RowOutcome::failed(entry, &error), Ok(())),
    };
    match noted {
        Ok(()) => did,
        Err(failure) => RowOutcome::unremembered(did.ended, &failure),
    }
}
