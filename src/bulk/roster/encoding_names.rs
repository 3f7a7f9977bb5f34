//! Text encodings by their names, as `--encoding` takes them and messages show them.

use std::fmt;
use std::str::FromStr;

use encoding_rs::{UTF_8, WINDOWS_1252};

/// A text encoding, named as on the web (`utf-8`, `utf-16le`, `windows-1252`, `windows-1250`, …).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(pub(super) &'static encoding_rs::Encoding);

impl Encoding {
    /// What we write.
    pub const UTF_8: Self = Self(UTF_8);
}

impl FromStr for Encoding {
    type Err = String;
    fn from_str(label: &str) -> Result<Self, String> {
        let found = encoding_rs::Encoding::for_label_no_replacement(label.trim().as_bytes());
        found.map(Self).ok_or_else(|| {
            format!(
                "{label:?} is not an encoding: give utf-8, utf-16le, utf-16be, windows-1252 or another label of the web"
            )
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // encoding_rs writes single-byte names in lower case; people know this one with a capital.
        f.write_str(if self.0 == WINDOWS_1252 { "Windows-1252" } else { self.0.name() })
    }
}
