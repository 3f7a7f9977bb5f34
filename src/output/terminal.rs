//! What is known of the terminal: whether there is one, how wide it is, whether it shows colour; and the two streams.

use std::io::{self, IsTerminal as _};

use clap::ValueEnum;
use terminal_size::{Height, Width, terminal_size_of};

/// What `--color` asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set or the terminal is `dumb`.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl Color {
    /// Whether a stream is coloured. `no_color`: the variable is set and not empty; `dumb`: `TERM` is `dumb`.
    pub fn decide(self, no_color: bool, dumb: bool, is_terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => is_terminal && !no_color && !dumb,
        }
    }
}

/// The one way to standard output.
#[expect(clippy::disallowed_methods, reason = "the writers of output/ end with an explicit flush that decides")]
pub(super) fn stdout() -> io::Stdout {
    io::stdout()
}

/// The one way to standard error.
#[expect(clippy::disallowed_methods, reason = "what is written here was sanitized")]
pub(super) fn stderr() -> io::Stderr {
    io::stderr()
}

/// Whether standard output was closed (`>&-`) when the program began. The runtime then puts the null device in its place,
/// for reading and writing, so that no file of ours gets its number; a shell's `> /dev/null` is for writing alone.
#[cfg(unix)]
pub(super) fn stdout_is_closed() -> bool {
    let is_both = rustix::fs::fcntl_getfl(stdout()).is_ok_and(|flags| flags.contains(rustix::fs::OFlags::RDWR));
    is_both && identity("/dev/stdout").is_some_and(|out| identity("/dev/null") == Some(out))
}

/// Which file a name stands for: its device and number there.
#[cfg(unix)]
fn identity(name: &str) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(name).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
pub(super) fn stdout_is_closed() -> bool {
    false
}

/// Makes durable what standard output took, where it is a file: what is remembered as told has to be somewhere.
#[cfg(unix)]
pub fn sync_stdout() -> io::Result<()> {
    use rustix::io::Errno;
    match rustix::fs::fsync(stdout()) {
        // Pipes, terminals and devices keep nothing.
        Err(Errno::INVAL | Errno::ROFS | Errno::NOTSUP | Errno::NOSYS) => Ok(()),
        synced => Ok(synced?),
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "its twin asks the disk")]
pub fn sync_stdout() -> io::Result<()> {
    Ok(())
}

/// Whether standard output is a terminal.
pub fn stdout_is_terminal() -> bool {
    stdout().is_terminal()
}

/// Whether standard error is a terminal: progress is drawn then only.
pub fn stderr_is_terminal() -> bool {
    stderr().is_terminal()
}

/// Whether questions can be answered: standard input is a terminal.
pub fn stdin_is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Columns of the terminal behind standard output; `None` where there is none, or it does not say.
pub fn terminal_width() -> Option<usize> {
    columns(terminal_size_of(stdout()))
}

/// Columns of the terminal behind standard error; `None` where there is none, or it does not say.
pub(super) fn stderr_width() -> Option<usize> {
    columns(terminal_size_of(stderr()))
}

fn columns(size: Option<(Width, Height)>) -> Option<usize> {
    size.map(|(Width(width), _)| usize::from(width)).filter(|width| *width > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_for_terminals_that_want_it() {
        assert!(Color::Auto.decide(false, false, true));
        assert!(!Color::Auto.decide(true, false, true));
        assert!(!Color::Auto.decide(false, true, true));
        assert!(!Color::Auto.decide(false, false, false));
    }

    #[test]
    fn a_wish_counts_more_than_the_circumstances() {
        assert!(Color::Always.decide(true, true, false));
        assert!(!Color::Never.decide(false, false, true));
    }
}
