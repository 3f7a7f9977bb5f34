//! From bytes to text: spools the input, guesses its encoding over the whole of it, says which, and decodes it piece by piece.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use encoding_rs::{DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};
use tempfile::SpooledTempFile;

use super::RosterError;
use super::delimiter::Delimiter;
use super::encoding_names::Encoding;

/// Bytes of input that stay in memory; beyond that they lie in an unnamed temporary file.
const IN_MEMORY: usize = 1 << 20;
/// Bytes read at a time.
const PIECE: usize = 64 << 10;
/// The largest workbook that is taken (our limit; what it may hold is limited too).
const LARGEST_WORKBOOK: u64 = 256 << 20;
/// So many bytes without a line end are a record over 1 MiB in any encoding: nothing behind them is read.
const ENDLESS: usize = 2 << 20;

/// Why an encoding was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The user named it.
    Named,
    /// A byte order mark.
    Mark,
    /// The bytes are that encoding, or plain ASCII.
    Content,
    /// The bytes are not UTF-8 and nothing in them speaks for it.
    Fallback,
}

/// How a text was understood, to be shown and overridden.
#[derive(Clone, Copy, Debug)]
pub struct Guess {
    /// The encoding it was read in.
    pub encoding: Encoding,
    /// Why that one.
    pub evidence: Evidence,
    /// What stands between cells.
    pub delimiter: Delimiter,
}

impl Guess {
    /// Whether it is what we write ourselves: UTF-8 with commas.
    pub fn is_plain(&self) -> bool {
        let is_utf8 = self.evidence != Evidence::Fallback && self.encoding == Encoding::UTF_8;
        is_utf8 && self.delimiter == Delimiter::Comma
    }
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let because = if self.evidence == Evidence::Fallback { " (it is not UTF-8)" } else { "" };
        write!(f, "{}{because}, separated by {}", self.encoding, self.delimiter)
    }
}

/// The input, read whole, with what its bytes say about their encoding.
#[derive(Debug)]
pub(super) struct Input {
    /// The bytes themselves.
    pub(super) spool: SpooledTempFile,
    head: Vec<u8>,
    scan: Utf8Scan,
    undefined: bool,
    size: u64,
}

impl Input {
    /// Reads a source to its end, or until a line is longer than any record may be.
    pub(super) fn spool(mut source: impl Read) -> Result<Self, RosterError> {
        let spool = SpooledTempFile::new(IN_MEMORY);
        let mut input = Self { spool, head: Vec::new(), scan: Utf8Scan::default(), undefined: false, size: 0 };
        let mut piece = vec![0; PIECE];
        let mut without_end = 0;
        loop {
            let length = match source.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            input.take(&piece[..length])?;
            let end = piece[..length].iter().rposition(|b| matches!(b, b'\n' | b'\r'));
            without_end = end.map_or(without_end + length, |at| length - at - 1);
            if input.is_zip() {
                if input.size > LARGEST_WORKBOOK {
                    return Err(RosterError::TooBig("it is larger than 256 MiB"));
                }
            } else if without_end > ENDLESS {
                break;
            }
        }
        input.scan.finish();
        if input.size == 0 { Err(RosterError::Empty) } else { Ok(input) }
    }

    /// How many bytes it has.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    fn take(&mut self, piece: &[u8]) -> io::Result<()> {
        self.size += piece.len() as u64;
        if self.head.len() < 64 {
            self.head.extend_from_slice(&piece[..piece.len().min(64)]);
        }
        self.scan.feed(piece);
        self.undefined |= self.scan.invalid && piece.iter().any(|b| matches!(b, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D));
        self.spool.write_all(piece)
    }

    /// Chooses the encoding. A file whose bytes speak against each other is read as UTF-8, so that decoding names the
    /// first byte which is not.
    pub(super) fn encoding(&self, named: Option<Encoding>) -> (Encoding, Evidence) {
        let mark = encoding_rs::Encoding::for_bom(&self.head).map(|(encoding, _)| encoding);
        let utf16 = [UTF_16LE, UTF_16BE];
        match (named, mark) {
            (Some(Encoding(named)), Some(mark)) if utf16.contains(&named) && utf16.contains(&mark) => {
                (Encoding(mark), Evidence::Named)
            }
            (Some(named), _) => (named, Evidence::Named),
            (None, Some(mark)) => (Encoding(mark), Evidence::Mark),
            (None, None) => self.guess(),
        }
    }

    fn guess(&self) -> (Encoding, Evidence) {
        if let Some(utf16) = utf16_by_zeros(&self.head) {
            return (Encoding(utf16), Evidence::Content);
        }
        if self.scan.invalid && !self.scan.multibyte && !self.undefined {
            return (Encoding(WINDOWS_1252), Evidence::Fallback);
        }
        (Encoding::UTF_8, Evidence::Content)
    }

    /// Whether the bytes are a zip archive, as workbooks are.
    pub(super) fn is_zip(&self) -> bool {
        is_zip(&self.head)
    }

    /// Whether the bytes are a workbook of another kind or another container rather than text.
    pub(super) fn container(&self) -> Option<&'static str> {
        container(&self.head)
    }

    /// Starts to decode from the beginning.
    pub(super) fn text(mut self, encoding: Encoding) -> Result<Text, RosterError> {
        self.spool.seek(SeekFrom::Start(0))?;
        Ok(Text::new(Box::new(self.spool), encoding))
    }
}

fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
}

fn container(head: &[u8]) -> Option<&'static str> {
    match head {
        [b'P', b'K', 5, 6, ..] => Some("an empty zip archive"),
        [0xD0, 0xCF, 0x11, 0xE0, ..] => Some("an old Excel workbook, or one with a password"),
        [0x1F, 0x8B, ..] => Some("compressed with gzip"),
        _ => None,
    }
}

/// Why a text that begins so is read as UTF-8, as long as no byte of it speaks against that.
pub(super) fn begins_as_utf8(head: &[u8]) -> Option<Evidence> {
    let is_text = !is_zip(head) && container(head).is_none() && utf16_by_zeros(head).is_none();
    match encoding_rs::Encoding::for_bom(head) {
        Some((encoding, _)) => (encoding == encoding_rs::UTF_8).then_some(Evidence::Mark),
        None => (is_text && !head.is_empty()).then_some(Evidence::Content),
    }
}

/// UTF-16 without a mark, where it is plain: a header is made of ASCII, so every other byte of its start is zero.
fn utf16_by_zeros(head: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let zeros: Vec<[bool; 2]> = head.chunks_exact(2).take(8).map(|pair| [pair[0] == 0, pair[1] == 0]).collect();
    let [is_little, is_big] =
        [[false, true], [true, false]].map(|wanted| zeros.len() >= 2 && zeros.iter().all(|pair| *pair == wanted));
    if is_little { Some(UTF_16LE) } else { is_big.then_some(UTF_16BE) }
}

/// Whether bytes that arrive in pieces are UTF-8.
#[derive(Debug, Default)]
struct Utf8Scan {
    /// The start of a character whose rest comes with the next piece.
    carry: Vec<u8>,
    /// A valid character of several bytes was seen.
    multibyte: bool,
    /// A byte was seen that is not UTF-8.
    invalid: bool,
}

impl Utf8Scan {
    fn feed(&mut self, piece: &[u8]) {
        if self.carry.is_empty() {
            return self.scan(piece);
        }
        let joined = [self.carry.as_slice(), piece].concat();
        self.carry.clear();
        self.scan(&joined);
    }

    fn scan(&mut self, mut bytes: &[u8]) {
        while let Err(error) = std::str::from_utf8(bytes) {
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            self.multibyte |= !valid.is_ascii();
            let Some(bad) = error.error_len() else {
                self.carry.extend_from_slice(rest);
                return;
            };
            self.invalid = true;
            bytes = &rest[bad..];
        }
        self.multibyte |= !bytes.is_ascii();
    }

    fn finish(&mut self) {
        self.invalid |= !self.carry.is_empty();
    }
}

/// A byte that is no character of the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// Position in the file, counted from 1.
    pub(super) position: u64,
    pub(super) byte: u8,
    /// It begins a character of which the end is missing: the input ends there.
    pub(super) is_cut: bool,
}

/// Where the bytes of a text are: a file, or what was spooled.
trait Bytes: Read + Seek {}
impl<T: Read + Seek> Bytes for T {}

/// The decoded input, piece by piece.
pub(super) struct Text {
    source: Box<dyn Bytes>,
    encoding: Encoding,
    decoder: encoding_rs::Decoder,
    bytes: Vec<u8>,
    from: usize,
    to: usize,
    consumed: u64,
    ended: bool,
}

impl Text {
    /// Decodes a file where it lies, from where it stands.
    pub(super) fn of_file(file: File, encoding: Encoding) -> Self {
        Self::new(Box::new(file), encoding)
    }

    fn new(source: Box<dyn Bytes>, encoding: Encoding) -> Self {
        let decoder = encoding.0.new_decoder_with_bom_removal();
        Self { source, encoding, decoder, bytes: vec![0; PIECE], from: 0, to: 0, consumed: 0, ended: false }
    }

    /// The encoding it is read in.
    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Puts the next piece of text into `piece`; none at the end. What stands before a malformed byte is in `piece`
    /// when that byte is told.
    pub(super) fn next(&mut self, piece: &mut String) -> io::Result<Option<Malformed>> {
        piece.clear();
        piece.reserve(PIECE * 3);
        while piece.is_empty() && !self.ended {
            let last = self.fill()?;
            let source = &self.bytes[self.from..self.to];
            let (result, read) = self.decoder.decode_to_string_without_replacement(source, piece, last);
            self.from += read;
            self.consumed += read as u64;
            match result {
                DecoderResult::InputEmpty => self.ended = last,
                DecoderResult::OutputFull => break,
                // Nothing was left to decode but the beginning of a character.
                DecoderResult::Malformed(bad, after) => {
                    let (position, byte) = self.malformed(bad, after)?;
                    return Ok(Some(Malformed { position, byte, is_cut: last }));
                }
            }
        }
        Ok(None)
    }

    /// Reads on where everything was decoded; tells whether this is the last of it.
    fn fill(&mut self) -> io::Result<bool> {
        if self.from < self.to {
            return Ok(false);
        }
        self.from = 0;
        loop {
            match self.source.read(&mut self.bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                length => {
                    self.to = length?;
                    return Ok(self.to == 0);
                }
            }
        }
    }

    /// The position of what was found to be malformed, counted from 1, and its first byte.
    fn malformed(&mut self, bad: u8, after: u8) -> io::Result<(u64, u8)> {
        let position = self.consumed.saturating_sub(u64::from(bad) + u64::from(after));
        self.ended = true;
        self.source.seek(SeekFrom::Start(position))?;
        let mut byte = [0];
        self.source.read_exact(&mut byte)?;
        Ok((position + 1, byte[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(bytes: &[u8]) -> (String, Evidence) {
        let (encoding, evidence) = Input::spool(bytes).expect("bytes").encoding(None);
        (encoding.to_string(), evidence)
    }

    #[test]
    fn the_encoding_is_guessed_over_the_whole_input() {
        assert_eq!(guess(b"email\na@b\n"), ("UTF-8".to_owned(), Evidence::Content));
        assert_eq!(guess("email\nZoë\n".as_bytes()), ("UTF-8".to_owned(), Evidence::Content));
        assert_eq!(guess(b"\xEF\xBB\xBFemail\n"), ("UTF-8".to_owned(), Evidence::Mark));
        assert_eq!(guess(b"\xFF\xFEe\0m\0"), ("UTF-16LE".to_owned(), Evidence::Mark));
        assert_eq!(guess(b"\xFE\xFF\0e\0m"), ("UTF-16BE".to_owned(), Evidence::Mark));
        assert_eq!(guess(b"e\0m\0a\0i\0l\0"), ("UTF-16LE".to_owned(), Evidence::Content));
        assert_eq!(guess(b"\0e\0m\0a\0i\0l"), ("UTF-16BE".to_owned(), Evidence::Content));
        assert_eq!(guess(b"email\nZo\xEB\n"), ("Windows-1252".to_owned(), Evidence::Fallback));
        let late = [b"email\n".repeat(50_000), b"Zo\xEB".to_vec()].concat();
        assert_eq!(guess(&late), ("Windows-1252".to_owned(), Evidence::Fallback));
    }

    #[test]
    fn bytes_that_speak_against_each_other_are_read_as_utf8_to_name_the_wrong_one() {
        let mixed = [b"Zo\xEB\n".as_slice(), "Zoë\n".as_bytes()].concat();
        assert_eq!(guess(&mixed).0, "UTF-8");
        assert_eq!(guess(b"\x81\xEB\n").0, "UTF-8");
    }

    #[test]
    fn a_character_cut_by_the_end_of_a_piece_is_whole() {
        let mut scan = Utf8Scan::default();
        for byte in "aé👩b".as_bytes() {
            scan.feed(&[*byte]);
        }
        scan.finish();
        assert!(scan.multibyte && !scan.invalid);
        let mut cut = Utf8Scan::default();
        cut.feed(&"é".as_bytes()[..1]);
        cut.finish();
        assert!(cut.invalid);
    }

    #[test]
    fn a_named_encoding_is_any_label_of_the_web() {
        assert_eq!("latin1".parse::<Encoding>().map(|e| e.to_string()), Ok("Windows-1252".to_owned()));
        assert_eq!("windows-1250".parse::<Encoding>().map(|e| e.to_string()), Ok("windows-1250".to_owned()));
        assert!("klingon".parse::<Encoding>().is_err());
    }
}
