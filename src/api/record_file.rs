//! Records in the order in which a walk found them, one after the other in an unnamed file: memory stays flat.

use std::io::{self, BufReader, Read as _, Seek as _, Write as _};

use tempfile::SpooledTempFile;

use super::record_key::RecordKey;

/// Bytes beyond this many lie on disk.
const IN_MEMORY: usize = 1 << 20;
/// Bytes written and read at a time.
const CHUNK: usize = 64 << 10;
/// How a record begins: whether its key is a number. The key and the JSON text follow, each after its length.
const NUMBER: u8 = 0;
const TEXT: u8 = 1;

/// Written to its end, then read from its start as often as one likes.
#[derive(Debug)]
pub(super) struct RecordFile {
    file: BufReader<SpooledTempFile>,
    unwritten: Vec<u8>,
    /// What was read last: a key, or a record's text.
    part: Vec<u8>,
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
        let file = BufReader::with_capacity(CHUNK, SpooledTempFile::new(IN_MEMORY));
        Self { file, unwritten: Vec::with_capacity(CHUNK), part: Vec::new() }
    }

    /// Writes a record after the others; none is written once reading has begun.
    pub(super) fn append(&mut self, key: &RecordKey, json: &str) -> io::Result<()> {
        match key {
            RecordKey::Number(number) => {
                self.unwritten.push(NUMBER);
                self.append_part(&number.to_le_bytes())?;
            }
            RecordKey::Text(text) => {
                self.unwritten.push(TEXT);
                self.append_part(text.as_bytes())?;
            }
        }
        self.append_part(json.as_bytes())?;
        if self.unwritten.len() >= CHUNK { self.write_out() } else { Ok(()) }
    }

    fn append_part(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        self.unwritten.extend_from_slice(&length.to_le_bytes());
        self.unwritten.extend_from_slice(bytes);
        Ok(())
    }

    fn write_out(&mut self) -> io::Result<()> {
        self.file.get_mut().write_all(&self.unwritten)?;
        self.unwritten.clear();
        Ok(())
    }

    /// Goes to the first record; the writing is over.
    pub(super) fn rewind(&mut self) -> io::Result<()> {
        self.write_out()?;
        self.file.rewind()
    }

    /// The next record; `None` after the last one.
    pub(super) fn next(&mut self) -> io::Result<Option<KeptRecord<'_>>> {
        let mut kind = [0];
        if self.file.read(&mut kind)? == 0 {
            return Ok(None);
        }
        self.read_part()?;
        let key = if kind == [NUMBER] {
            RecordKey::Number(i64::from_le_bytes(self.part.as_slice().try_into().map_err(io::Error::other)?))
        } else {
            RecordKey::Text(String::from_utf8(self.part.clone()).map_err(io::Error::other)?)
        };
        self.read_part()?;
        Ok(Some(KeptRecord { key, json: &self.part }))
    }

    fn read_part(&mut self) -> io::Result<()> {
        let mut length = [0; size_of::<u32>()];
        self.file.read_exact(&mut length)?;
        self.part.resize(u32::from_le_bytes(length) as usize, 0);
        self.file.read_exact(&mut self.part)
    }
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
