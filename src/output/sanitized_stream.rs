//! A stream to a terminal on which nothing hidden passes.

use std::io::{self, Write};

use crate::model::sanitize::escape_controls;

/// A stream to a terminal, its lines sanitized. What follows the last line end comes out with `flush`.
pub(super) struct Sanitized<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> Sanitized<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, line: Vec::new() }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out.write_all(escape_controls(&String::from_utf8_lossy(&line)).as_bytes())
    }
}

impl<W: Write> Write for Sanitized<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(end) => {
                    self.line.extend_from_slice(end);
                    self.write_line()?;
                    self.out.write_all(b"\n")?;
                }
                None => self.line.extend_from_slice(part),
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.out.flush()
    }
}
