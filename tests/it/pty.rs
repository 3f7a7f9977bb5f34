//! The program in a real terminal of a given width: typing, and reading the screen.

use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::harness::{Env, PROGRAM};

const ROWS: u16 = 400;
const PATIENCE: Duration = Duration::from_mins(1);

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
    pub(crate) fn start(env: &Env, columns: u16, args: &[&str]) -> Self {
        let size = PtySize { rows: ROWS, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(args);
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

    /// Waits until the terminal shows no more what is typed. The prompt is printed a moment before that.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn falls_blind(&mut self) -> &mut Self {
        // `ECHO`, on Linux and macOS alike.
        const ECHO: u64 = 8;
        let deadline = Instant::now() + PATIENCE;
        let echoes = || self.master.get_termios().is_some_and(|modes| u64::from(modes.local_flags.bits()) & ECHO != 0);
        while echoes() {
            assert!(Instant::now() < deadline, "what is typed is shown");
            std::thread::yield_now();
        }
        self
    }

    /// Types keys; a line ends with `\r`.
    pub(crate) fn types(&mut self, keys: &str) -> &mut Self {
        self.keyboard.write_all(keys.as_bytes()).expect("typing");
        self.keyboard.flush().expect("typing");
        self
    }

    /// Waits for the end of the program: its exit code and the last screen, without the empty lines below.
    pub(crate) fn ends(mut self) -> (u32, Screen) {
        self.until(|seen| seen.ended);
        let code = self.child.wait().expect("an exit status").exit_code();
        let (seen, _) = &*self.seen;
        let seen = seen.lock().expect("the reader does not panic");
        let screen = Screen { screen: seen.parser.screen().clone(), raw: seen.raw.clone() };
        (code, screen)
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

/// A part of a line that looks alike.
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) color: vt100::Color,
    pub(crate) bold: bool,
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

    /// The lines with the colour and weight of each piece, without what is blank below.
    pub(crate) fn pieces(&self) -> Vec<Vec<Piece>> {
        let (rows, columns) = self.screen.size();
        let mut lines: Vec<Vec<Piece>> = (0..rows.get()).map(|row| self.row(row, columns.get())).collect();
        while lines.pop_if(|line| line.is_empty()).is_some() {}
        lines
    }

    fn row(&self, row: u16, columns: u16) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for cell in (0..columns).filter_map(|column| self.screen.cell(row, column)) {
            let text = if cell.has_contents() { cell.contents() } else { " " };
            let (color, bold) = (cell.fgcolor(), cell.bold());
            match pieces.last_mut().filter(|last| last.color == color && last.bold == bold) {
                Some(last) => last.text.push_str(text),
                None => pieces.push(Piece { text: text.to_owned(), color, bold }),
            }
        }
        if let Some(last) = pieces.last_mut() {
            last.text.truncate(last.text.trim_end().len());
        }
        pieces.retain(|piece| !piece.text.is_empty());
        pieces
    }

    /// The column in which a text begins, by what the terminal put where.
    pub(crate) fn column_of(&self, text: &str) -> Option<u16> {
        let (rows, columns) = self.screen.size();
        let length = u16::try_from(text.len()).ok()?;
        let places = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
        let reads = |row, column| self.screen.contents_between(row, column, row, column + length) == text;
        places.into_iter().find(|(row, column)| reads(*row, *column)).map(|(_, column)| column)
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
