//! The progress of what takes longer than a second: one line, on a terminal alone.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::bulk::plan::Progress;
use crate::model::counted::counted;
use crate::output::Console;

/// A bar on standard error, drawn only where that is a terminal and not with `-q`.
pub struct RunBar(ProgressBar);

impl RunBar {
    /// A bar for one run.
    pub fn new(console: Console) -> Self {
        if !console.progress {
            return Self::hidden();
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// A bar that is never drawn, because the terminal shows what is done.
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Shows how far the run is.
    pub fn show(&self, progress: Progress) {
        match progress {
            Progress::Reading(records) => self.0.set_message(format!("reading the project: {records} people")),
            Progress::Asking(rows, total) => self.count("comparing", rows, total),
            Progress::Sending(rows, total) => self.count("enrolling", rows, total),
            Progress::Settling(rows) => {
                let rows = counted(rows, "row that is", "rows that are");
                self.0.set_message(format!("looking up {rows} not known yet"));
            }
            Progress::Auditing => self.0.set_message("checking the project's list"),
        }
    }

    /// Rate and time left are those of this part of the run alone.
    pub fn count(&self, doing: &'static str, rows: usize, total: usize) {
        if self.0.message() != doing {
            let template = "{msg} {wide_bar} {pos}/{len}, {rate}, {eta} left";
            let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
            self.0.set_style(style.with_key("rate", rate));
            self.0.set_message(doing);
            self.0.set_length(total as u64);
            self.0.reset();
        }
        self.0.set_position(rows as u64);
    }
}

/// How many a second, with a decimal only where it says something.
fn rate(state: &ProgressState, out: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    let decimals = usize::from(rate < 10.0);
    // A text takes whatever is written.
    let _ = write!(out, "{rate:.decimals$}/s");
}

/// What takes shorter needs no line.
const SOON: Duration = Duration::from_secs(1);

/// The pages of a list while it is read. How many there will be is not known, so there is no time left to tell.
#[derive(Debug)]
pub struct PageCounter {
    drawn: bool,
    begun: Cell<Option<Instant>>,
    came: Cell<u64>,
    line: OnceCell<ProgressBar>,
}

impl PageCounter {
    /// Counts nothing yet.
    pub fn new(console: Console) -> Self {
        Self {
            drawn: console.progress && !console.verbose,
            begun: Cell::new(None),
            came: Cell::new(0),
            line: OnceCell::new(),
        }
    }

    /// From now on answers are pages of a list; nothing is drawn before a second is over.
    pub fn begin(&self) {
        self.begun.set(Some(Instant::now()));
    }

    /// Another answer came.
    pub fn came(&self) {
        let Some(begun) = self.begun.get().filter(|_| self.drawn) else { return };
        self.came.set(self.came.get() + 1);
        if begun.elapsed() < SOON {
            return;
        }
        let line = self.line.get_or_init(|| {
            let style = ProgressStyle::with_template("{spinner} reading: {pos} pages, {rate}, {elapsed} so far");
            let line = ProgressBar::new_spinner().with_elapsed(begun.elapsed());
            line.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()).with_key("rate", rate));
            line.enable_steady_tick(Duration::from_millis(200));
            line
        });
        line.set_position(self.came.get());
    }

    /// Takes the line away: what comes now is no page.
    pub fn end(&self) {
        self.begun.set(None);
        if let Some(line) = self.line.get() {
            line.finish_and_clear();
        }
    }
}

impl Drop for RunBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
