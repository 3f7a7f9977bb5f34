//! How large the directory of an archive is: the library that unpacks one loads its directory whole, before anything of
//! it can be counted.

use std::io::{self, Read};

/// As many parts as an archive may have that is looked into; a workbook has some twenty.
pub const MOST_PARTS: u64 = 2_000;
/// As many bytes as the names, comments and other texts of its parts may take together.
const MOST_TEXT: u64 = 8 << 20;

/// What stands before each entry of a directory, and how much of one there is up to the lengths of its texts.
const ENTRY: [u8; 4] = *b"PK\x01\x02";
const HEAD: usize = 34;
/// Where those lengths begin: name, extra field, comment, 16 bits each.
const LENGTHS: usize = 28;

/// Whether no more than so many parts stand in an archive's directory, and their texts are no longer than any workbook
/// has them. Reads all of the archive, in a small memory: whatever looks like an entry counts, wherever it stands.
pub fn directory_fits(mut archive: impl Read, parts: u64) -> io::Result<bool> {
    let (mut piece, mut kept) = (vec![0; 64 << 10], 0);
    let (mut entries, mut text) = (0_u64, 0_u64);
    loop {
        let read = archive.read(&mut piece[kept..])?;
        if read == 0 {
            return Ok(true);
        }
        let filled = kept + read;
        for head in piece[..filled].windows(HEAD).filter(|head| head.starts_with(&ENTRY)) {
            let lengths = head[LENGTHS..].chunks_exact(2);
            entries += 1;
            text += lengths.map(|length| u64::from(u16::from_le_bytes([length[0], length[1]]))).sum::<u64>();
        }
        if entries > parts || text > MOST_TEXT {
            return Ok(false);
        }
        kept = filled.min(HEAD - 1);
        piece.copy_within(filled - kept..filled, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry whose texts are said to be so long.
    fn entry(lengths: [u16; 3]) -> Vec<u8> {
        let mut entry = ENTRY.to_vec();
        entry.resize(LENGTHS, 0);
        entry.extend(lengths.into_iter().flat_map(u16::to_le_bytes));
        entry
    }

    /// Gives its bytes in pieces of this size.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn entries_and_their_texts_are_counted_wherever_the_pieces_end() {
        let (few, long) = (entry([5, 0, 0]).repeat(10), entry([0, u16::MAX, u16::MAX]).repeat(80));
        for size in [1, 3, HEAD - 1, HEAD, 1 << 20] {
            let fits = |bytes: &[u8], parts| directory_fits(Pieces(bytes, size), parts).expect("read");
            assert!(fits(&few, 10) && !fits(&few, 9), "{size}");
            assert!(!fits(&long, 100) && fits(&long[..long.len() / 2], 100), "{size}");
        }
        assert!(directory_fits(io::empty(), 0).expect("read"));
    }
}
