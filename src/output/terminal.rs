//! What is known of the terminal, and the one way to the standard streams.

use std::io::{self, IsTerminal as _};

/// Standard output.
#[expect(
    clippy::disallowed_methods,
    reason = "each writer of this room ends with an explicit flush whose error counts"
)]
pub(super) fn stdout() -> io::Stdout {
    io::stdout()
}

/// Standard error.
#[expect(clippy::disallowed_methods, reason = "the console makes everything visible before it is written here")]
pub(super) fn stderr() -> io::Stderr {
    io::stderr()
}

/// Whether standard input is a terminal: somebody can answer.
pub fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Whether standard output is a terminal.
pub fn stdout_is_terminal() -> bool {
    stdout().is_terminal()
}

/// Whether standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    stderr().is_terminal()
}

/// Columns of the terminal behind standard output; `None` where there is no terminal.
pub fn width() -> Option<usize> {
    /// What a terminal has that does not say.
    const USUAL: usize = 80;
    stdout_is_terminal().then(|| columns().filter(|columns| *columns > 0).unwrap_or(USUAL))
}

#[cfg(unix)]
fn columns() -> Option<usize> {
    rustix::termios::tcgetwinsize(stdout()).ok().map(|size| size.ws_col.into())
}

/// The width of a new Windows console; asking for the true one needs another crate.
#[cfg(not(unix))]
fn columns() -> Option<usize> {
    Some(120)
}
