//! What stands between the cells of a CSV file: given, declared on its first line, or guessed from its header line.

use std::fmt;
use std::str::FromStr;

/// What stands between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`, as Excel writes it where the comma is the decimal sign.
    Semicolon,
    /// A tab.
    Tab,
    /// `|`
    Pipe,
}

impl Delimiter {
    /// All of them, the likeliest first.
    pub const ALL: [Self; 4] = [Self::Comma, Self::Semicolon, Self::Tab, Self::Pipe];

    /// The character itself, which is ASCII.
    pub fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
            Self::Pipe => b'|',
        }
    }

    /// The delimiter as a character.
    pub(super) fn char(self) -> char {
        self.byte().into()
    }

    /// The delimiter of a text: the one that was given, else the declared one, else the one that explains the header line
    /// best. `is_known` tells of a cell whether it is a header that we know.
    pub(super) fn of(text: &str, given: Option<Self>, is_known: impl Fn(&str) -> bool) -> Self {
        given.or(declared(text)).unwrap_or_else(|| guess(text, is_known))
    }
}

impl FromStr for Delimiter {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "," | "comma" => Ok(Self::Comma),
            ";" | "semicolon" => Ok(Self::Semicolon),
            "\t" | "\\t" | "tab" => Ok(Self::Tab),
            "|" | "pipe" => Ok(Self::Pipe),
            _ => Err("a delimiter is one of , ; | and tab (or comma, semicolon, pipe)".to_owned()),
        }
    }
}

impl fmt::Display for Delimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comma => ",",
            Self::Semicolon => ";",
            Self::Tab => "tab",
            Self::Pipe => "|",
        })
    }
}

/// The delimiter of the line `sep=;` that some files for Excel start with.
pub(super) fn declared(text: &str) -> Option<Delimiter> {
    let line = text.split(['\n', '\r']).next()?;
    let declared = line.get(..4).filter(|start| start.eq_ignore_ascii_case("sep="))?;
    line[declared.len()..].parse().ok()
}

/// The delimiter that explains the header line best; the comma where none stands in it.
fn guess(text: &str, is_known: impl Fn(&str) -> bool) -> Delimiter {
    let line = text.split(['\n', '\r']).find(|line| !line.trim().is_empty()).unwrap_or_default();
    // The last of equal ones is the answer, and the likeliest stands first.
    let fits = Delimiter::ALL.into_iter().rev().map(|delimiter| (fit(line, delimiter, &is_known), delimiter));
    fits.max_by_key(|(fit, _)| *fit).map_or(Delimiter::Comma, |(_, delimiter)| delimiter)
}

/// How well a delimiter explains a header line: known headers count first, then the number of columns.
fn fit(line: &str, delimiter: Delimiter, is_known: impl Fn(&str) -> bool) -> (usize, usize) {
    let cells: Vec<&str> = line.split(delimiter.char()).collect();
    (cells.iter().filter(|cell| is_known(cell)).count(), cells.len())
}
