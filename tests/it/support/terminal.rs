//! The program in a real terminal of a given width: typing, and reading the screen.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::env::{Env, PATIENCE, PROGRAM};

const ROWS: u16 = 400;

/// What the reading thread has seen so far.
struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    ended: bool,
}

/// A program that runs in a terminal.
pub(crate) struct Terminal {
    seen: Arc<(Mutex<Seen>, Condvar)>,
    keyboard: Box<dyn Write + Send>,
    child: Box<dyn portable_pty::Child + Send + Sync>,
    // The terminal lives as long as this side of it.
    master: Box<dyn portable_pty::MasterPty + Send>,
}

impl Terminal {
    /// Starts the program in a terminal of this many columns.
    pub(crate) fn start<S: AsRef<str>>(env: &Env, columns: u16, args: &[S]) -> Self {
        let size = PtySize { rows: ROWS, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(&*PROGRAM);
        command.args(args.iter().map(AsRef::as_ref));
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for (name, value) in env.vars() {
            command.env(name, value);
        }
        command.cwd(env.work());
        let child = pair.slave.spawn_command(command).expect("the program starts");
        drop(pair.slave);
        let extent = |n: u16| NonZeroU16::new(n).expect("a terminal has a size");
        let parser = vt100::Parser::new(extent(ROWS), extent(columns), 0);
        let seen = Arc::new((Mutex::new(Seen { parser, raw: Vec::new(), ended: false }), Condvar::new()));
        let reader = pair.master.try_clone_reader().expect("the terminal's output");
        let writer = Arc::clone(&seen);
        std::thread::spawn(move || watch(reader, &writer));
        let keyboard = pair.master.take_writer().expect("the terminal's input");
        Self { seen, keyboard, child, master: pair.master }
    }

    /// Waits until the screen has this text on it.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        let seen = self.until(|seen| seen.ended || seen.parser.screen().contents().contains(text));
        assert!(seen.contains(text), "expected {text:?} on the screen:\n{seen}");
        self
    }

    /// Waits until what is typed is shown, or not.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn echoes(&mut self, wanted: bool) -> &mut Self {
        /// `ECHO` of the system's terminals.
        const ECHO: u64 = 8;
        let deadline = Instant::now() + PATIENCE;
        let is_echoing = || self.master.get_termios().is_none_or(|mode| u64::from(mode.local_flags.bits()) & ECHO != 0);
        while is_echoing() != wanted {
            assert!(Instant::now() < deadline, "echo is not {wanted}");
            std::thread::sleep(Duration::from_millis(1));
        }
        self
    }

    /// Types keys; a line ends with `\r`.
    pub(crate) fn types(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).expect("typing");
        self.keyboard.flush().expect("typing");
        self
    }

    /// Waits for the end of the program: its exit code and the last screen.
    pub(crate) fn ends(mut self) -> (u32, Screen) {
        self.until(|seen| seen.ended);
        let status = self.child.wait().expect("an exit status");
        // As a shell counts it.
        let code = if status.signal() == Some("Interrupt") { 130 } else { status.exit_code() };
        let seen = self.seen.0.lock().expect("the reader does not panic");
        (code, Screen { screen: seen.parser.screen().clone(), raw: seen.raw.clone() })
    }

    fn until(&self, done: impl Fn(&Seen) -> bool) -> String {
        let (seen, changed) = &*self.seen;
        let deadline = Instant::now() + PATIENCE;
        let mut now = seen.lock().expect("the reader does not panic");
        while !done(&now) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "the terminal is stuck:\n{}", now.parser.screen().contents());
            (now, _) = changed.wait_timeout(now, left).expect("the reader does not panic");
        }
        now.parser.screen().contents()
    }
}

/// What stood on the terminal at the end, and every byte that went to it.
pub(crate) struct Screen {
    screen: vt100::Screen,
    /// Bytes as the program wrote them.
    pub(crate) raw: Vec<u8>,
}

impl Screen {
    /// Lines as a person reads them.
    pub(crate) fn text(&self) -> String {
        self.screen.contents()
    }

    /// Whether a line was too long for the terminal.
    pub(crate) fn wraps(&self) -> bool {
        (0..self.screen.size().0.get()).any(|row| self.screen.row_wrapped(row))
    }
}

fn watch(mut reader: Box<dyn Read + Send>, seen: &(Mutex<Seen>, Condvar)) {
    let (seen, changed) = seen;
    let mut buffer = [0; 4096];
    loop {
        // Linux answers EIO when the program has ended: that is the end of the output too.
        let count = reader.read(&mut buffer).unwrap_or(0);
        let mut seen = seen.lock().expect("no test panics with the lock held");
        seen.parser.process(&buffer[..count]);
        seen.raw.extend_from_slice(&buffer[..count]);
        seen.ended = count == 0;
        changed.notify_all();
        if count == 0 {
            return;
        }
    }
}
