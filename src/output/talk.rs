//! Talk to the person at the terminal: notes, warnings, errors and questions, all on standard error through the door.

use std::io::{self, BufRead as _, Write as _};

use super::terminal::{stderr, stderr_is_terminal, stdin_is_terminal};
use crate::model::sanitize::escape_controls;

/// How much is said, and whether in colour. Each message is one line; a standard error that is closed or full stops
/// no command.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own, and none excludes another")]
pub struct Talk {
    /// `-q`: no notes.
    pub quiet: bool,
    /// `-v`: details too.
    pub verbose: bool,
    /// Whether standard error is coloured.
    pub color: bool,
    /// Whether progress is drawn: somebody looks, and the terminal can go back in its line.
    pub progress: bool,
}

impl Talk {
    /// Says what a person wants to know and a script does not; not with `-q`.
    pub fn note(self, message: &str) {
        if !self.quiet {
            say(&escape_controls(message));
        }
    }

    /// Says what a person at the terminal likes to read after a change; a script's run that went well is silent.
    pub fn aside(self, message: &str) {
        if stderr_is_terminal() {
            self.note(message);
        }
    }

    /// Says what only somebody who looks for a cause wants to know: with `-v` alone.
    pub fn detail(self, message: &str) {
        if self.verbose {
            say(&escape_controls(message));
        }
    }

    /// Says what may be wrong although the command goes on, also with `-q`.
    pub fn warn(self, message: &str) {
        say(&self.labelled("warning", YELLOW, message));
    }

    /// Says in one line why the command ends.
    pub fn error(self, message: &str) {
        say(&self.labelled("error", RED, message));
    }

    /// Says what to type next.
    pub fn hint(self, message: &str) {
        say(&self.labelled("hint", CYAN, message));
    }

    fn labelled(self, label: &str, color: &str, message: &str) -> String {
        let message = escape_controls(message);
        if self.color { format!("{color}{label}:\x1b[0m {message}") } else { format!("{label}: {message}") }
    }
}

const RED: &str = "\x1b[1;31m";
const YELLOW: &str = "\x1b[1;33m";
const CYAN: &str = "\x1b[1;36m";

/// Whether a question would be seen and could be answered.
pub fn can_ask() -> bool {
    stdin_is_terminal() && stderr_is_terminal()
}

/// Shows a line that a question or a mistake is about, also with `-q`.
pub fn show(line: &str) {
    say(&escape_controls(line));
}

/// Asks a question; `None` where nobody is there to answer or the input has ended. Also asked with `-q`.
pub fn ask(question: &str) -> Option<String> {
    if !can_ask() {
        return None;
    }
    let mut out = stderr().lock();
    write!(out, "{} ", escape_controls(question)).and_then(|()| out.flush()).ok()?;
    let mut answer = String::new();
    match io::stdin().lock().read_line(&mut answer) {
        Ok(0) | Err(_) => {
            // The question's line is still open.
            say("");
            None
        }
        Ok(_) => Some(answer.trim().to_owned()),
    }
}

/// Asks for a yes; anything else is a no. `None` where nobody is there to answer.
pub fn confirm(question: &str) -> Option<bool> {
    let answer = ask(&format!("{question} [y/N]"))?;
    Some(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// Asks for what must not be shown while it is typed; `None` where nobody is there to answer.
pub fn ask_secret(question: &str) -> Option<String> {
    if !can_ask() {
        return None;
    }
    rpassword::prompt_password(format!("{} ", escape_controls(question))).ok()
}

/// One write a line, so that lines of several processes do not mix.
fn say(line: &str) {
    let _ = stderr().lock().write_all(format!("{line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let talk = Talk::default();
        let line = talk.labelled("error", RED, "no project \"a\n\u{1b}[2Jerror: b\"");
        assert_eq!(line, "error: no project \"a\\n\\u{1b}[2Jerror: b\"");
    }

    #[test]
    fn only_the_label_is_coloured() {
        let talk = Talk { color: true, ..Talk::default() };
        assert_eq!(talk.labelled("hint", CYAN, "run it again"), "\x1b[1;36mhint:\x1b[0m run it again");
    }
}
