//! Notes, warnings, errors and questions for the person at the terminal: all on standard error, one write a line.

use std::io::{self, BufRead as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use indicatif::{MultiProgress, ProgressDrawTarget};
use signal_hook::{consts::SIGINT, flag::register_conditional_default};

use super::progress::Progress;
use super::terminal::{stderr, stderr_is_terminal, stdin_is_terminal};
use super::visible::escaped;
use crate::model::show::visible;
use crate::model::talk::{ColorChoice, Talk};
use crate::model::verdict::{Failure, Verdict};

pub(super) const BOLD: &str = "\x1b[1m";
pub(super) const BOLD_RED: &str = "\x1b[1;31m";
const BOLD_YELLOW: &str = "\x1b[1;33m";
const BOLD_CYAN: &str = "\x1b[1;36m";
const PLAIN: &str = "\x1b[0m";

/// Ctrl-C is raised as a signal while the terminal still hides what is typed. From then on it ends the program.
fn read_secret() -> io::Result<String> {
    static IS_READ: AtomicBool = AtomicBool::new(false);
    IS_READ.store(false, Relaxed);
    register_conditional_default(SIGINT, &IS_READ)?;
    let typed = rpassword::read_password();
    IS_READ.store(true, Relaxed);
    typed
}

/// The one way to standard error. Clones speak through the same terminal.
#[derive(Clone, Debug)]
pub struct Console {
    talk: Talk,
    lines: MultiProgress,
}

impl Console {
    pub fn new(talk: Talk) -> Self {
        let is_drawn = stderr_is_terminal() && !talk.quiet && !talk.verbose && !talk.is_dumb;
        let target = if is_drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self { talk, lines: MultiProgress::with_draw_target(target) }
    }

    /// Whether `-q` was given.
    pub fn is_quiet(&self) -> bool {
        self.talk.quiet
    }

    /// Prints what a person at the terminal wants to know and a script does not; not with `-q`.
    pub fn note(&self, message: &str) {
        if stderr_is_terminal() {
            self.say(message);
        }
    }

    /// Prints the outcome of a run, or what it waits for; not with `-q`.
    pub fn say(&self, message: &str) {
        if !self.talk.quiet {
            self.write(&visible(message));
        }
    }

    /// Says what needs attention although the command goes on, also with `-q`.
    pub fn warn(&self, message: &str) {
        self.write(&self.labelled(BOLD_YELLOW, "warning:", message));
    }

    /// Names a mistake at its place, as a compiler does, also with `-q`.
    pub fn problem(&self, message: &str) {
        self.write(&visible(message));
    }

    /// Says what helps to find a cause: with `-v`.
    pub fn detail(&self, message: &str) {
        if self.talk.verbose {
            self.write(&visible(message));
        }
    }

    /// Says why the command ends with this code: a line of cause and at most one of what to do, or one JSON object.
    pub fn error(&self, code: u8, failure: &Failure) {
        if self.talk.errors_json {
            let object = serde_json::json!({"code": code, "error": failure.cause, "hint": failure.hint});
            return self.write(&escaped(&object.to_string()));
        }
        if failure.verdict >= Verdict::Declined {
            // The person who stopped or declined the run knows that, so it is no error.
            self.problem(&failure.cause);
        } else {
            self.write(&self.labelled(BOLD_RED, "error:", &failure.cause));
        }
        if let Some(hint) = &failure.hint {
            self.write(&self.labelled(BOLD_CYAN, "hint:", hint));
        }
    }

    /// Whether a question would be seen by a person, and could be answered.
    pub fn can_ask(&self) -> bool {
        !self.talk.errors_json && stdin_is_terminal() && stderr_is_terminal()
    }

    /// Asks for a yes. Anything else is a no, and so is a missing terminal.
    pub fn ask(&self, question: &str) -> bool {
        let answer = self.ask_line(&format!("{question} [y/N]"));
        answer.is_some_and(|answer| matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks for a line; `None` without a terminal, and at the end of the input.
    pub fn ask_line(&self, question: &str) -> Option<String> {
        self.prompt(question, || {
            let mut answer = String::new();
            let read = io::stdin().lock().read_line(&mut answer)?;
            if read > 0 { Ok(answer) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        })
    }

    /// Asks for what must not be shown while it is typed; `None` without a terminal.
    pub fn ask_secret(&self, question: &str) -> Option<String> {
        self.prompt(question, read_secret)
    }

    fn prompt(&self, question: &str, read: impl FnOnce() -> io::Result<String>) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        let answer = self.lines.suspend(|| {
            let mut out = stderr().lock();
            write!(out, "{} ", visible(question)).and_then(|()| out.flush())?;
            read()
        });
        if answer.is_err() {
            // The line of the question is still open.
            self.write("");
        }
        answer.ok().map(|answer| answer.trim().to_owned())
    }

    /// Begins a line of progress, hidden where nobody watches. `doing` is a word such as "enrolling".
    pub fn progress(&self, doing: &'static str, total: Option<u64>) -> Progress {
        Progress::new(&self.lines, doing, total)
    }

    /// Whether a stream is coloured that is a terminal, or is none.
    pub(super) fn colors(&self, is_terminal: bool) -> bool {
        match self.talk.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal,
        }
    }

    fn labelled(&self, color: &str, label: &str, message: &str) -> String {
        let label = if self.colors(stderr_is_terminal()) { painted(color, label) } else { label.to_owned() };
        format!("{label} {}", visible(message))
    }

    /// One write a line, so that lines of several processes do not mix. A standard error that is full or closed stops
    /// no command.
    fn write(&self, line: &str) {
        self.lines.suspend(|| drop(stderr().lock().write_all(format!("{line}\n").as_bytes())));
    }
}

/// The text in a color.
pub(super) fn painted(color: &str, text: &str) -> String {
    format!("{color}{text}{PLAIN}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes_and_only_its_label_is_coloured() {
        let console = |color| Console::new(Talk { color, ..Talk::default() });
        let line = console(ColorChoice::Never).labelled(BOLD_RED, "error:", "a\n\u{1b}[2Jb");
        assert_eq!(line, "error: a\\n\\u{1b}[2Jb");
        let line = console(ColorChoice::Always).labelled(BOLD_CYAN, "hint:", "again");
        assert_eq!(line, "\x1b[1;36mhint:\x1b[0m again");
    }
}
