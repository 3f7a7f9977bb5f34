//! The progress of a bulk run: one bar, hidden when nobody looks.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::session::Session;
use crate::bulk::plan::Progress;
use crate::output::terminal;

/// A bar on standard error, drawn only where that is a terminal and not with `-q`.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar for one run.
    pub fn new(session: &Session) -> Self {
        if session.talk.quiet || !terminal::stderr_is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// Shows how far the run is.
    pub fn show(&self, progress: Progress) {
        match progress {
            Progress::Reading(records) => self.0.set_message(format!("reading the project: {records} people")),
            Progress::Asking(rows, total) => self.count("comparing", rows, total),
            Progress::Sending(rows, total) => self.count("enrolling", rows, total),
        }
    }

    /// Rate and time left are those of this part of the run alone.
    pub(super) fn count(&self, doing: &'static str, rows: usize, total: usize) {
        if self.0.message() != doing {
            let template = "{msg} {wide_bar} {pos} of {len} rows, {per_sec}, {eta} left";
            self.0.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
            self.0.set_message(doing);
            self.0.set_length(total as u64);
            self.0.reset();
        }
        self.0.set_position(rows as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
