//! The progress of what takes longer than a second: one line on a terminal, which counts answers.

use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::model::text::grouped;

/// What takes shorter needs no line.
const SOON: Duration = Duration::from_secs(1);
/// After this long without an answer the line says so.
const SILENCE: Duration = Duration::from_secs(5);

/// A line on standard error that is taken away when this is dropped.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Begins a line such as `enrolling: 120 of 2,000`; nothing is drawn before a second is over.
    pub(super) fn new(lines: &MultiProgress, doing: &'static str, total: Option<u64>) -> Self {
        let bar = lines.add(ProgressBar::with_draw_target(total, indicatif::ProgressDrawTarget::hidden()));
        let began = Instant::now();
        let style = ProgressStyle::with_template("{line}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(style.with_key("line", move |state: &ProgressState, line: &mut dyn std::fmt::Write| {
            if began.elapsed() >= SOON {
                // The line is a text, which takes what is written. The time begins again with each answer.
                let _ = line.write_str(&words(doing, state.pos(), state.len(), state.elapsed()));
            }
        }));
        if !lines.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(250));
        }
        Self(bar)
    }

    /// Hears an answer, and counts it where nothing else is counted.
    pub fn hear(&self) {
        self.0.reset_elapsed();
        self.0.inc(u64::from(self.0.length().is_none()));
    }

    /// Counts one of the total.
    pub fn count(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn words(doing: &str, done: u64, total: Option<u64>, silence: Duration) -> String {
    let grouped = |count: u64| grouped(usize::try_from(count).unwrap_or(usize::MAX));
    let of = total.map(|total| format!(" of {}", grouped(total))).unwrap_or_default();
    let waits = if silence < SILENCE { String::new() } else { format!(", no answer for {} s", silence.as_secs()) };
    format!("{doing}: {}{of}{waits}", grouped(done))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is_and_when_no_answer_comes() {
        let second = Duration::from_secs(1);
        assert_eq!(words("enrolling", 120, Some(2000), second), "enrolling: 120 of 2,000");
        assert_eq!(words("reading", 0, None, 12 * second), "reading: 0, no answer for 12 s");
    }
}
