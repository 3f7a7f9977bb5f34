//! Where output waits until it is whole: a few MiB of memory, then a nameless file that only we can read.

use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Seek as _, Write};

use tempfile::SpooledTempFile;

use crate::model::sanitize::escape_controls;

/// Output beyond this many bytes waits on disk, so that memory stays flat however long a list is.
const IN_MEMORY: usize = 4 << 20;
const CHUNK: usize = 64 << 10;

/// Written to its end, then read from its start.
pub(super) struct Spool(BufWriter<SpooledTempFile>);

impl Spool {
    pub(super) fn new() -> Self {
        Self(BufWriter::with_capacity(CHUNK, SpooledTempFile::new(IN_MEMORY)))
    }

    /// Ends the writing.
    pub(super) fn read_back(self) -> io::Result<SpoolReader> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(SpoolReader(BufReader::with_capacity(CHUNK, file)))
    }

    /// Writes a cell so that [`SpoolReader::next_cell`] gives it back.
    pub(super) fn write_cell(&mut self, cell: &str) -> io::Result<()> {
        let length = u32::try_from(cell.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        self.write_all(&length.to_le_bytes())?;
        self.write_all(cell.as_bytes())
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A spool as it is read.
pub(super) struct SpoolReader(BufReader<SpooledTempFile>);

impl SpoolReader {
    /// Everything at once, which must be UTF-8.
    pub(super) fn text(&mut self) -> io::Result<String> {
        let mut text = String::new();
        self.0.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Copies everything to where it belongs.
    pub(super) fn copy(&mut self, out: &mut dyn Write) -> io::Result<()> {
        io::copy(&mut self.0, out).map(drop)
    }

    /// Copies everything to a terminal, on which nothing hidden passes but line ends.
    pub(super) fn copy_escaped(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut line = Vec::new();
        while self.0.read_until(b'\n', &mut line)? > 0 {
            let (text, end) = line.strip_suffix(b"\n").map_or((line.as_slice(), ""), |text| (text, "\n"));
            out.write_all(escape_controls(&String::from_utf8_lossy(text)).as_bytes())?;
            out.write_all(end.as_bytes())?;
            line.clear();
        }
        Ok(())
    }

    /// The next cell, into a buffer that is used again.
    pub(super) fn next_cell(&mut self, cell: &mut String) -> io::Result<()> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length)?;
        cell.clear();
        let length = u32::from_le_bytes(length);
        let read = (&mut self.0).take(u64::from(length)).read_to_string(cell)?;
        if read == length as usize { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_back_as_they_went_in_also_beyond_memory() {
        let cells = ["", "é\n", &"x".repeat(IN_MEMORY)];
        let mut spool = Spool::new();
        for cell in cells {
            spool.write_cell(cell).expect("room");
        }
        let mut reading = spool.read_back().expect("a spool");
        let mut cell = String::new();
        for expected in cells {
            reading.next_cell(&mut cell).expect("a cell");
            assert_eq!(cell, expected);
        }
        assert!(reading.next_cell(&mut cell).is_err());
    }
}
