//! Notes, warnings, errors and questions for the person at the terminal: all on standard error, sanitized.

use std::borrow::Cow;
use std::io::{self, BufRead as _, Write as _};

use super::ansi_codes::{BOLD_CYAN, BOLD_RED, BOLD_YELLOW, PLAIN};
use super::json::append_object;
use super::terminal::{stderr, stderr_is_terminal, stderr_width, stdin_is_terminal};
use super::wrap::wrapped;
use crate::model::cell::Cell;
use crate::model::output_format::ErrorFormat;
use crate::model::sanitize::escape_controls;

/// How much is said, and whether in colour or as JSON. Each message is one line; a standard error that is closed or full
/// stops no command.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own, and none excludes another")]
pub struct Console {
    /// `-q`: no notes.
    pub quiet: bool,
    /// `-v`: details too.
    pub verbose: bool,
    /// Whether standard error is coloured.
    pub color: bool,
    /// Whether progress is drawn: standard error is a terminal, and it can go back in its line.
    pub progress: bool,
    /// Whether addresses are left out.
    pub mask: bool,
    /// Whether each message is a line for people or a JSON object.
    pub format: ErrorFormat,
}

/// Why a command ends, for people and for programs.
#[derive(Clone, Copy, Debug)]
pub struct CommandError<'a> {
    /// The exit code.
    pub code: u8,
    /// What happened, in one line.
    pub error: &'a str,
    /// What to type next.
    pub hint: Option<&'a str>,
    /// Whether the same command may succeed later, nothing else being changed.
    pub retryable: bool,
}

impl Console {
    /// Says what a person wants to know and a script does not; not with `-q`.
    pub fn note(self, message: &str) {
        if !self.quiet {
            self.say("note", message);
        }
    }

    /// Says what came of a write as a whole; not with `-q`.
    pub fn summary(self, message: &str) {
        if !self.quiet {
            self.say("summary", message);
        }
    }

    /// Says what a person at the terminal likes to read after a change; a script's run that went well is silent.
    pub fn aside(self, message: &str) {
        if stderr_is_terminal() {
            self.note(message);
        }
    }

    /// Says what helps to find a cause: with `-v` alone.
    pub fn detail(self, message: &str) {
        if self.verbose {
            self.say("detail", message);
        }
    }

    /// Shows one of several lines that a question or an error is about, also with `-q`: a row, a person.
    pub fn show(self, line: &str) {
        self.say("row", line);
    }

    /// Says what may be wrong although the command goes on, also with `-q`.
    pub fn warn(self, message: &str) {
        self.say("warning", message);
    }

    /// Says what to type next.
    pub fn hint(self, message: &str) {
        self.say("hint", message);
    }

    /// Says in one line why the command ends, and in at most one more what to type next.
    pub fn end(self, ending: &CommandError<'_>) {
        if self.format == ErrorFormat::Json {
            let (error, hint) = (self.masked(ending.error), ending.hint.map(|hint| self.masked(hint)));
            return write_line(&failed(&CommandError { error: &error, hint: hint.as_deref(), ..*ending }));
        }
        self.say("error", ending.error);
        if let Some(hint) = ending.hint {
            self.hint(hint);
        }
    }

    /// Ends a command whose messages have said why its exit code is not 0: a program reads the code from the last object.
    pub fn end_said(self, ending: &CommandError<'_>) {
        if self.format == ErrorFormat::Json {
            self.end(ending);
        }
    }

    fn say(self, level: &str, message: &str) {
        let message = &*self.masked(message);
        write_line(&match self.format {
            ErrorFormat::Text => self.labelled(level, message, stderr_width()),
            ErrorFormat::Json => object([("level", level.into()), ("message", message.into())]),
        });
    }

    /// A message without addresses, where people are masked.
    fn masked(self, message: &str) -> Cow<'_, str> {
        if !self.mask || !message.contains('@') {
            return Cow::Borrowed(message);
        }
        let mut out = String::new();
        let mut rest = message;
        while let Some(at) = rest.find('@') {
            let begin = rest[..at]
                .rfind(ends_address)
                .map_or(0, |end| end + rest[end..].chars().next().map_or(1, char::len_utf8));
            let end = rest[at..].find(ends_address).map_or(rest.len(), |end| at + end);
            out.push_str(&rest[..begin]);
            out.push('…');
            rest = &rest[end..];
        }
        out.push_str(rest);
        Cow::Owned(out)
    }

    /// A message as a person reads it, in lines of this width.
    fn labelled(self, level: &str, message: &str, width: Option<usize>) -> String {
        let message = escape_controls(message);
        let (color, label) = match level {
            "error" => (BOLD_RED, "error: "),
            "warning" => (BOLD_YELLOW, "warning: "),
            "hint" => (BOLD_CYAN, "hint: "),
            _ => ("", ""),
        };
        let message = match width {
            None => message.into_owned(),
            Some(width) => {
                let room = width.saturating_sub(INDENT.len());
                wrapped(&message, width.saturating_sub(label.len()), room).join(&format!("\n{INDENT}"))
            }
        };
        let label = label.trim_end();
        match (label, self.color) {
            ("", _) => message,
            (_, true) => format!("{color}{label}{PLAIN} {message}"),
            (_, false) => format!("{label} {message}"),
        }
    }

    /// Whether a question would be seen and could be answered.
    pub fn can_ask(self) -> bool {
        self.format == ErrorFormat::Text && stdin_is_terminal() && stderr_is_terminal()
    }

    /// Asks a question; `None` without a terminal to answer on, or the input has ended. Also asked with `-q`.
    pub fn ask(self, question: &str) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        let mut out = stderr().lock();
        write!(out, "{} ", escape_controls(&self.masked(question))).and_then(|()| out.flush()).ok()?;
        let mut answer = String::new();
        match io::stdin().lock().read_line(&mut answer) {
            Ok(0) | Err(_) => {
                // The question's line is still open.
                write_line("");
                None
            }
            Ok(_) => Some(answer.trim().to_owned()),
        }
    }

    /// Asks for a yes; anything else is a no. `None` without a terminal to answer on.
    pub fn confirm(self, question: &str) -> Option<bool> {
        let answer = self.ask(&format!("{question} [y/N]"))?;
        Some(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks for what must not be shown while it is typed; `None` without a terminal to answer on.
    pub fn ask_secret(self, question: &str) -> Option<String> {
        if !self.can_ask() {
            return None;
        }
        rpassword::prompt_password(format!("{} ", escape_controls(question))).ok()
    }
}

/// What stands before the second line of a message and those after it.
const INDENT: &str = "  ";

/// What no address in a message goes on with.
fn ends_address(c: char) -> bool {
    c.is_whitespace() || "`\"'<>(),;:".contains(c)
}

/// An error for programs.
fn failed(ending: &CommandError<'_>) -> String {
    let hint = ending.hint.map_or(Cell::Null, Cell::from);
    let code = ("code", i64::from(ending.code).into());
    let members = [("level", "error".into()), code, ("error", ending.error.into()), ("hint", hint)];
    object(members.into_iter().chain([("retryable", ending.retryable.into())]))
}

fn object<'n>(members: impl IntoIterator<Item = (&'n str, Cell<'n>)>) -> String {
    let mut line = String::new();
    append_object(&mut line, members.into_iter(), None);
    line
}

/// One write a line, so that lines of several processes do not mix.
fn write_line(line: &str) {
    let _ = stderr().lock().write_all(format!("{line}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let console = Console::default();
        let line = console.labelled("error", "no project \"a\n\u{1b}[2Jerror: b\"", None);
        assert_eq!(line, "error: no project \"a\\n\\u{1b}[2Jerror: b\"");
    }

    #[test]
    fn only_the_label_is_coloured() {
        let console = Console { color: true, ..Console::default() };
        assert_eq!(console.labelled("hint", "run it again", None), "\x1b[1;36mhint:\x1b[0m run it again");
    }

    #[test]
    fn a_terminal_gets_lines_that_end_between_words() {
        let shown = |level, message| Console::default().labelled(level, message, Some(20));
        assert_eq!(shown("error", "nothing was sent to anyone"), "error: nothing was\n  sent to anyone");
        assert_eq!(shown("note", "`a command to be typed` does it"), "`a command to be typed`\n  does it");
    }

    #[test]
    fn a_message_for_programs_is_one_object_of_the_same_text() {
        let line = object([("level", "note".into()), ("message", "a\n\u{1b}\"b\"\u{202e}".into())]);
        assert_eq!(line, r#"{"level":"note","message":"a\n\u001b\"b\"\u202e"}"#);
        let line = failed(&CommandError { code: 6, error: "no answer", hint: None, retryable: true });
        assert_eq!(line, r#"{"level":"error","code":6,"error":"no answer","hint":null,"retryable":true}"#);
    }
}
