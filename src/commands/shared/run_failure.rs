//! How a write, a run over many rows or one over several projects failed: one line of cause and what to type next.

use std::cmp::Reverse;

use crate::api::{Error, Kind};
use crate::bulk::early_stop::{Stop, stop};
use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::{Counts, Finished, Outcome, Unsettled};
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::{FORBIDDEN_KEY, Failure, WRONG_BASE_URL};
use crate::output::{self, Console};

/// What is said where a project's list cannot be read before anything is sent.
pub const UNREAD: &str = "cannot read who is enrolled; nothing was sent";

/// What becomes of rows whose answer was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InDoubt {
    /// The run looks them up and waits for that: it takes `--settle` and `--no-wait`.
    Awaited,
    /// The next run does what was asked again: that is safe.
    Repeated,
}

/// Ends a command of several parts with the gravest of what failed, the first of those that are alike, and says the rest.
/// `changes` tells whether any part changed a person, or may have.
pub fn end_of_parts(console: Console, mut failures: Vec<Failure>, changes: bool) -> anyhow::Result<Verdict> {
    for failure in failures.iter_mut().filter(|_| changes) {
        let verdict = failure.verdict.beside_changes();
        if verdict != failure.verdict {
            *failure = Failure::new(verdict, std::mem::take(&mut failure.cause)).hint(AGAIN);
        }
    }
    failures.sort_by_key(|failure| Reverse(failure.verdict));
    let mut failures = failures.into_iter();
    let Some(gravest) = failures.next() else { return Ok(Verdict::Done) };
    for failure in failures {
        console.warn(&failure.cause);
    }
    Err(gravest.into())
}

/// Why a run ended otherwise than it should, in one line, and what to type next.
/// `failed_out` tells that the rows to fix are written somewhere.
pub fn failure(finished: &Finished, failed_out: bool, in_doubt: InDoubt) -> Option<Failure> {
    let Finished { counts, verdict, stop, open, .. } = finished;
    let cause = cause(counts, stop.as_ref(), *open);
    let failure = Failure::new(*verdict, cause);
    let are_in_doubt = counts.of(Outcome::InDoubt) > 0;
    let is_waiting = in_doubt == InDoubt::Awaited && (are_in_doubt || open.unseen > 0);
    Some(match verdict {
        Verdict::Done => return None,
        Verdict::Interrupted | Verdict::Terminated if is_waiting => failure.hint(AGAIN_WAITING),
        Verdict::Unfinished if stop.is_none() && are_in_doubt => match in_doubt {
            InDoubt::Awaited => failure.hint(LOOK),
            InDoubt::Repeated => failure.hint(AGAIN),
        },
        Verdict::Unfinished if stop.is_none() && open.waiting > 0 => failure.hint(WAITING),
        Verdict::Unfinished if stop.is_none() && open.still_shown > 0 => failure.hint(STILL_SHOWN),
        Verdict::Unfinished if stop.is_none() && open.unseen > 0 => failure.hint(UNSEEN),
        Verdict::Unfinished if matches!(stop, Some(Stop::Alike(_))) => failure.hint(
            "`assessctl projects get` shows the project's state; correct what is wrong there, then run the same command again",
        ),
        Verdict::Interrupted | Verdict::Terminated | Verdict::Unfinished => failure.hint(AGAIN),
        Verdict::Unforeseen if matches!(stop, Some(Stop::Journal(_))) => {
            failure.hint(format!("once it can be written, {AGAIN}"))
        }
        Verdict::Key if matches!(stop, Some(Stop::Forbidden(_))) => failure.hint(FORBIDDEN_KEY),
        Verdict::Key => failure.hint(CHECK_KEY),
        Verdict::Usage => failure.hint(WRONG_BASE_URL),
        Verdict::Refused => failure.hint(OnExisting::HINT),
        Verdict::NotFound => failure.hint(if stop.is_some() { PROJECTS } else { ELSEWHERE }),
        Verdict::NoAnswer => failure.hint("try again later"),
        Verdict::Locked => failure.hint("run the same command again when the other run has ended"),
        Verdict::RowsToFix if only(counts, Outcome::Duplicate) => failure.hint(DUPLICATES),
        // An import alone enrols anew.
        Verdict::RowsToFix if !failed_out && in_doubt == InDoubt::Awaited && only(counts, Outcome::Conflict) => {
            failure.hint(CONFLICTS)
        }
        Verdict::RowsToFix if !failed_out => {
            failure.hint("--failed-out FILE writes these rows into a file of their own")
        }
        _ => failure,
    })
}

/// What to look at where a project is gone.
const PROJECTS: &str = "`assessctl projects list` shows the projects";
/// What to do about a key that was refused.
const CHECK_KEY: &str = "check the API key, then run the same command again";
/// What to type after a run that did not finish.
pub const AGAIN: &str = "run the same command again: it continues where this run stopped";
/// The same, where people were looked up when the run was interrupted.
const AGAIN_WAITING: &str = "run the same command again: it continues where this run stopped; --no-wait leaves what is \
     not known yet to a later run, --settle TIME says how long it is looked up";
/// The same, where rows of an import are in doubt.
const LOOK: &str = "run the same command again later; for rows that stay in doubt, look in the portal: `assessctl journal show \
     --in-doubt` lists them, and `assessctl journal resolve` records whether each is enrolled";

/// What to do about a file whose people are all unknown: it may be another project's.
const ELSEWHERE: &str = "`assessctl testtakers list --filter TEXT` searches; -p NAME_OR_ID names another project";

/// What to do about rows that wait for others in doubt: running again does not help.
const WAITING: &str =
    "`assessctl journal show --in-doubt` lists what they wait for; `assessctl journal resolve` settles each";
/// What to do about rows that are not sent while an entry which was removed is shown.
const STILL_SHOWN: &str = "lists may lag behind a removal: the messages say when to run the same command again; entries that are \
     shown then were not removed";
/// What to do about enrolled rows that the list does not show.
const UNSEEN: &str = "lists may lag behind: run the same command again later, and it says whether they stand there";

/// What to do about people that another machine or the portal enrolled as well: no row of the file is to be mended.
const DUPLICATES: &str = "compare the entries that the messages name with `assessctl testtakers get id:ENTRY_ID id:ENTRY_ID`: \
                          another machine or the portal may have enrolled the same person; if so, `assessctl testtakers \
                          remove id:ENTRY_ID` removes one entry with its result";

/// What to do about people who stand in the project with another e-mail or year of birth.
const CONFLICTS: &str = "the messages say what differs: correct the row, or look at the entry with `assessctl testtakers get \
                         id:ENTRY_ID`; if it is an old entry of the same person, `assessctl testtakers remove id:ENTRY_ID` \
                         removes it with its result, and the same command again enrols anew; for a changed e-mail \
                         `assessctl testtakers sync FILE --replace-renamed` does both";

/// Whether the rows that need attention have all come to this.
fn only(counts: &Counts, one: Outcome) -> bool {
    counts.of(one) > 0 && !counts.any(|outcome| outcome.is_to_fix() && outcome != one)
}

fn cause(counts: &Counts, stop: Option<&Stop>, open: Unsettled) -> String {
    match stop {
        Some(Stop::Key(words) | Stop::Forbidden(words)) => format!("the service refused the key: {words}"),
        Some(Stop::Gone(words)) => format!("the project is gone: {words}"),
        Some(Stop::Redirect(words) | Stop::NoAnswer(words) | Stop::OutOfTime(words)) => match unfinished(counts) {
            left if left.is_empty() => format!("stopped: {words}"),
            left => format!("stopped with {left}: {words}"),
        },
        Some(Stop::Alike(words)) => format!("stopped with {}: {words}", unfinished(counts)),
        Some(Stop::Journal(words) | Stop::JournalBusy(words)) => format!("nothing more was sent, because {words}"),
        Some(Stop::Unaudited(words)) => format!("the list could not be read once more at the end: {words}"),
        Some(Stop::WrongIds) => "the ids of the list differ from projectEntryId; stopped to avoid mix-ups".to_owned(),
        Some(Stop::Existing) => OnExisting::refusal(counts.of(Outcome::Existing)),
        Some(Stop::Interrupted { .. }) => match unfinished(counts) {
            left if left.is_empty() && open.unseen > 0 => format!("interrupted: {}", unseen(open)),
            left if left.is_empty() => "interrupted".to_owned(),
            left => format!("interrupted: {left}"),
        },
        None if open.unseen > 0 && !counts.any(Outcome::is_unfinished) => unseen(open),
        None if counts.any(Outcome::is_unfinished) => format!("not finished: {}", unfinished(counts)),
        None if counts.are_all(Outcome::Absent) => "no one of the file is in the project".to_owned(),
        None => attention(counts),
    }
}

fn unseen(open: Unsettled) -> String {
    format!("{} not in the project's list yet", counted(open.unseen, "enrolled row is", "enrolled rows are"))
}

/// What is left, such as `2 in doubt, 5 not attempted`.
fn unfinished(counts: &Counts) -> String {
    let parts = [(Outcome::InDoubt, "in doubt"), (Outcome::NotAttempted, "not attempted")];
    let parts = parts.into_iter().map(|(outcome, what)| (counts.of(outcome), what)).filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// How many rows wait for a person.
fn attention(counts: &Counts) -> String {
    let to_fix: usize = Outcome::ALL.into_iter().filter(|outcome| outcome.is_to_fix()).map(|o| counts.of(o)).sum();
    let need = if to_fix == 1 { "needs" } else { "need" };
    format!("{to_fix} of {} {need} attention", counted(counts.total(), "row", "rows"))
}

/// Why nothing was done for the people of a project: they could not be read. `cause` says so, and of what.
pub fn not_read(error: &Error, cause: &str) -> Failure {
    let (verdict, hint) = match stop(error) {
        Some(Stop::Key(_)) => (Verdict::Key, CHECK_KEY),
        Some(Stop::Forbidden(_)) => (Verdict::Key, FORBIDDEN_KEY),
        Some(Stop::Redirect(_)) => (Verdict::Usage, WRONG_BASE_URL),
        Some(Stop::Gone(_)) => (Verdict::NotFound, PROJECTS),
        _ => (Verdict::Unfinished, AGAIN),
    };
    Failure::new(verdict, format!("{cause}: {error}")).hint(hint)
}

/// What to type after a write of one thing that may not have been done.
pub const AGAIN_ALONE: &str = "run the same command again";

/// The error of a write that repeats safely. Where its outcome is unknown, `again` finds out.
pub fn failed_write(error: Error, what: &'static str, again: &str) -> anyhow::Error {
    if error.outcome_unknown() && error.kind() != Kind::Misconfigured {
        let again = if error.kind() == Kind::NotTheService { WRONG_BASE_URL } else { again };
        let cause = format!("{what}, and it may have happened all the same: {error}");
        return Failure::new(Verdict::Unfinished, cause).hint(again).into();
    }
    anyhow::Error::new(error).context(what)
}

/// What helps where one project of several is gone.
pub const NAME_THE_OTHERS: &str = "where the project is gone, name the others with -p";

/// A project that is not found is a part that is missing: "not found" would say that all of them are. `way_out`: where it
/// stays away.
pub fn unless_absent(error: anyhow::Error, way_out: &str) -> anyhow::Error {
    if verdict_of(&error) != Verdict::NotFound {
        return error;
    }
    let own = error.downcast_ref::<Failure>().and_then(|failure| failure.hint.clone());
    Failure::new(Verdict::Unfinished, format!("{error:#}"))
        .hint(own.unwrap_or_else(|| format!("run the same command again; {way_out}")))
        .into()
}

/// How an error ends a command.
pub fn verdict_of(error: &anyhow::Error) -> Verdict {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.verdict;
    }
    if let Some(error) = error.downcast_ref::<Error>() {
        return error.verdict();
    }
    error.downcast_ref::<output::Error>().map_or(Verdict::Unforeseen, output::Error::verdict)
}
