//! Each consumer of `results changes` is told of an alert at least once: output, memory, exit code, in this order, so that a
//! run that is killed in between tells again.

use crate::commands::results::consumers::{Named, no_memory};
use crate::commands::results::fail_on::Alert;
use crate::commands::shared::session::Session;
use crate::files::{is_stream, whole_name};
use crate::journal::consumers::{begin_telling, end_telling, told_by_a_killed_run};
use crate::journal::lock::Lock;
use crate::journal::store::Store;
use crate::journal::told_results::Comparing;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::{self, Printer, terminal};

/// A consumer who is told.
pub struct Telling<'a> {
    pub session: &'a Session,
    pub named: Named,
    /// Until what was told is remembered.
    pub held: Option<Lock>,
    /// Nothing is remembered.
    pub only_look: bool,
    /// How many results there are, where nothing was remembered before.
    pub unknown: Option<u64>,
}

impl Telling<'_> {
    /// Ends the run: what was not written whole, or whose exit code no one got, is told again by the next one.
    pub fn end(self, mut comparing: Comparing, printer: Printer, alert: &Alert<'_>) -> anyhow::Result<Verdict> {
        let target = self.target();
        let alerts = comparing.alerts()?;
        if let Some(target) = &target {
            let left = told_by_a_killed_run(&comparing.store, self.named.key(), target)?;
            if left.iter().any(|told| !alerts.contains(told)) {
                return self.keep(comparing, target, left.len());
            }
            if !alerts.is_empty() && !self.only_look {
                begin_telling(&mut comparing.store, self.named.key(), target, &alerts)?;
            }
        }
        let whole = match printer.finish_whole() {
            Ok(whole) => whole,
            Err(error) => {
                // The file was not written. What cannot be noted now is said once too often later.
                let _ = comparing.store.transact(|tables| end_telling(tables, self.named.key()));
                return Err(error.into());
            }
        };
        if self.session.show.to.is_none() {
            terminal::sync_stdout().map_err(output::Error::Stdout)?;
        }
        self.say_what_is_unknown(&comparing.store, whole && !self.only_look)?;
        let verdict = alert.end(self.session);
        // What a reader of a pipe did not wait for is told again next time.
        if whole && !self.only_look {
            let (named, held) = (self.named, self.held);
            self.session.last(move || {
                let _held = held;
                comparing.remember(named.key())
            });
        }
        Ok(verdict)
    }

    /// Says that there was nothing to compare with. Not before everything is written, as a run that fails remembers nothing;
    /// and not after it is remembered, as nothing may stand between that and the exit code.
    fn say_what_is_unknown(&self, store: &Store, remembers: bool) -> Result<(), Failure> {
        self.unknown.map_or(Ok(()), |count| no_memory(self.session, store, &self.named, remembers.then_some(count)))
    }

    /// The file that is replaced, by its whole name.
    fn target(&self) -> Option<String> {
        let file = self.session.show.to.as_deref().filter(|path| !is_stream(path));
        file.map(|path| whole_name(path).to_string_lossy().into_owned())
    }

    /// Leaves a file that tells of alerts which no exit code told, and at which no person stands any more.
    fn keep(self, comparing: Comparing, target: &str, count: usize) -> anyhow::Result<Verdict> {
        self.say_what_is_unknown(&comparing.store, false)?;
        let alerts = counted(count, "alert", "alerts");
        self.session.console.warn(&format!(
            "{target} stays as it is: it tells of {alerts} of a run that was killed before it ended; take them from \
             there, then run the same command again for what changed since"
        ));
        if !self.only_look {
            let (named, held) = (self.named, self.held);
            self.session.last(move || {
                let _held = held;
                comparing.store.commit_last(|tables| end_telling(tables, named.key()))
            });
        }
        Ok(Verdict::Matched)
    }
}
