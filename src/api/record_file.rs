//! Records in the order in which a walk found them, one after the other in an unnamed file: memory stays flat.

use std::io::{self, Read as _, Seek as _, Write as _};
use std::ops::Range;

use tempfile::SpooledTempFile;

use super::record_key::RecordKey;

/// Bytes beyond this many lie on disk.
const IN_MEMORY: usize = 1 << 20;
/// Bytes written and read at a time.
const CHUNK: usize = 64 << 10;
/// How a record begins: whether its key is a number.
const NUMBER: u8 = 0;
const TEXT: u8 = 1;

/// Written to its end, then read from its start as often as one likes.
#[derive(Debug)]
pub(super) struct RecordFile {
    file: SpooledTempFile,
    /// What is to be written, or what was read and not given yet.
    buffer: Vec<u8>,
    /// Where in the buffer reading goes on.
    at: usize,
    is_written: bool,
}

/// A record that was kept, as long as no other one is read.
pub(super) struct KeptRecord<'f> {
    pub key: RecordKey,
    /// Its text; UTF-8, as it was written.
    pub json: &'f [u8],
}

impl KeptRecord<'_> {
    pub(super) fn text(&self) -> io::Result<&str> {
        std::str::from_utf8(self.json).map_err(io::Error::other)
    }
}

impl RecordFile {
    pub(super) fn new() -> Self {
        Self { file: SpooledTempFile::new(IN_MEMORY), buffer: Vec::with_capacity(CHUNK), at: 0, is_written: false }
    }

    /// Writes a record after the others; none is written once reading has begun.
    pub(super) fn append(&mut self, key: &RecordKey, json: &str) -> io::Result<()> {
        match key {
            RecordKey::Number(number) => {
                self.buffer.push(NUMBER);
                self.buffer.extend_from_slice(&number.to_le_bytes());
            }
            RecordKey::Text(text) => {
                self.buffer.push(TEXT);
                self.put(text)?;
            }
        }
        self.put(json)?;
        if self.buffer.len() >= CHUNK { self.write_out() } else { Ok(()) }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        let length = u32::try_from(text.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        self.buffer.extend_from_slice(&length.to_le_bytes());
        self.buffer.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn write_out(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// Goes to the first record; the writing is over.
    pub(super) fn rewind(&mut self) -> io::Result<()> {
        if !self.is_written {
            self.write_out()?;
            self.is_written = true;
        }
        self.buffer.clear();
        self.at = 0;
        self.file.rewind()
    }

    /// The next record; `None` after the last one.
    pub(super) fn next(&mut self) -> io::Result<Option<KeptRecord<'_>>> {
        if !self.has(1)? {
            return Ok(None);
        }
        let key = match self.take(1)?.start {
            at if self.buffer[at] == NUMBER => {
                let number = self.take(size_of::<i64>())?;
                RecordKey::Number(i64::from_le_bytes(array(&self.buffer[number])))
            }
            _ => {
                let text = self.take_text()?;
                RecordKey::Text(String::from_utf8(self.buffer[text].to_vec()).map_err(io::Error::other)?)
            }
        };
        let json = self.take_text()?;
        Ok(Some(KeptRecord { key, json: &self.buffer[json] }))
    }

    fn take_text(&mut self) -> io::Result<Range<usize>> {
        let length = self.take(size_of::<u32>())?;
        self.take(u32::from_le_bytes(array(&self.buffer[length])) as usize)
    }

    /// The next bytes, of which the file must have so many.
    fn take(&mut self, length: usize) -> io::Result<Range<usize>> {
        if !self.has(length)? {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.at += length;
        Ok(self.at - length..self.at)
    }

    /// Whether so many bytes follow; they are in the buffer then.
    fn has(&mut self, length: usize) -> io::Result<bool> {
        while self.buffer.len() - self.at < length {
            self.buffer.drain(..self.at);
            self.at = 0;
            let chunk = CHUNK.max(length) as u64;
            if (&mut self.file).take(chunk).read_to_end(&mut self.buffer)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Bytes of a number, of which there are as many as it has.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_went_in_as_often_as_they_are_read() {
        let long = "ë".repeat(IN_MEMORY);
        let records = [
            (RecordKey::Number(-7), "{}"),
            (RecordKey::Text("é\0 1".to_owned()), ""),
            (RecordKey::Number(i64::MAX), &long),
            (RecordKey::Text(String::new()), "\"x\""),
        ];
        let mut file = RecordFile::new();
        for (key, json) in &records {
            file.append(key, json).expect("room");
        }
        for _ in 0..2 {
            file.rewind().expect("written");
            for (key, json) in &records {
                let kept = file.next().expect("readable").expect("a record");
                assert_eq!((&kept.key, kept.text().expect("a text")), (key, *json));
            }
            assert!(file.next().expect("readable").is_none());
        }
    }
}
