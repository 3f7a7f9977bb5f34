//! What HR drops: the night's file, and what becomes of files on their way. Each kind says what it means to a reader.

use std::fmt::Write as _;

use crate::nights_site::{Card, Site, others, stand_once};
use crate::workbooks::workbook;

/// What a file says.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    /// These people, in this order.
    People(Vec<Card>),
    /// Nothing that may be followed: a mistake in a row, or no roster at all.
    Nothing,
    /// There is no such file: a mistake of the call.
    NoFile,
    /// It fails while it is being read.
    Fails,
}

/// A file as it was dropped.
pub(crate) struct Dropped {
    pub(crate) kind: &'static str,
    pub(crate) name: &'static str,
    /// `None` where nothing can be read by this name.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) says: Says,
}

/// What a file is made of.
pub(crate) struct Night<'a> {
    pub(crate) site: &'a Site,
    /// Files that were followed, the last one last.
    pub(crate) earlier: &'a [Vec<Card>],
    pub(crate) random: &'a mut fastrand::Rng,
}

/// How a table is written.
#[derive(Clone, Copy)]
struct Style {
    header: [&'static str; 5],
    /// Places of e-mail, first and last name, year of birth and reference id.
    columns: [usize; 5],
    between: &'static str,
    end: &'static str,
    quoted: bool,
    padded: bool,
}

const STYLE: Style = Style {
    header: ["email", "firstName", "lastName", "birthYear", "referenceId"],
    columns: [0, 1, 2, 3, 4],
    between: ",",
    end: "\n",
    quoted: false,
    padded: false,
};

fn cells(card: &Card) -> [&str; 5] {
    [&card.email, &card.first, &card.last, &card.year, &card.reference]
}

impl Style {
    fn line<'c>(&self, cells: [&'c str; 5]) -> String {
        let cell = |at: &usize| {
            let cell: &'c str = cells[*at];
            let pad = if self.padded { "  " } else { "" };
            let is_quoted = self.quoted || cell.contains(self.between) || cell.contains(['"', '\n', '\r']);
            if is_quoted { format!("\"{}\"", cell.replace('"', "\"\"")) } else { format!("{pad}{cell}{pad}") }
        };
        self.columns.iter().map(cell).collect::<Vec<_>>().join(self.between) + self.end
    }

    fn table(&self, people: &[Card]) -> String {
        let lines = people.iter().map(|card| self.line(cells(card)));
        std::iter::once(self.line(self.header)).chain(lines).collect()
    }
}

/// A file without anything odd.
pub(crate) fn plain(people: &[Card]) -> String {
    STYLE.table(people)
}

type Make = fn(&mut Night<'_>) -> Dropped;

fn dropped(kind: &'static str, bytes: impl Into<Vec<u8>>, says: Says) -> Dropped {
    Dropped { kind, name: "night.csv", bytes: Some(bytes.into()), says }
}

/// A readable file of these people.
fn people(kind: &'static str, people: Vec<Card>) -> Dropped {
    let text = plain(&people);
    dropped(kind, text, if stand_once(&people) { Says::People(people) } else { Says::Nothing })
}

fn styled(kind: &'static str, night: &Night<'_>, style: Style) -> Dropped {
    dropped(kind, style.table(&night.site.staff), Says::People(night.site.staff.clone()))
}

/// The staff, with something done to some of its people.
fn edited(kind: &'static str, night: &Night<'_>, edit: impl FnMut(&mut Card)) -> Dropped {
    let mut staff = night.site.staff.clone();
    staff.iter_mut().for_each(edit);
    people(kind, staff)
}

/// The staff, with a mistake in one row.
fn mistaken(kind: &'static str, night: &mut Night<'_>, spoil: impl FnOnce(&mut Card)) -> Dropped {
    let mut staff = night.site.staff.clone();
    let at = night.random.usize(..staff.len());
    spoil(&mut staff[at]);
    dropped(kind, plain(&staff), Says::Nothing)
}

/// The text of the night's file, otherwise than it should be.
fn spoilt(kind: &'static str, night: &Night<'_>, spoil: impl FnOnce(String) -> String) -> Dropped {
    dropped(kind, spoil(plain(&night.site.staff)), Says::Nothing)
}

/// Whatever the night's text becomes in other bytes, it says the same.
fn encoded(kind: &'static str, night: &Night<'_>, encode: impl FnOnce(String) -> Vec<u8>) -> Dropped {
    dropped(kind, encode(plain(&night.site.staff)), Says::People(night.site.staff.clone()))
}

/// A share of the staff from the start, and those who are left of the file.
fn without(night: &Night<'_>, fewer: usize) -> Vec<Card> {
    night.site.staff.iter().skip(fewer).cloned().collect()
}

/// How many people the last file had.
fn last_count(night: &Night<'_>) -> usize {
    night.earlier.last().map_or(night.site.staff.len(), Vec::len)
}

/// As many people as the limit allows the file to have fewer than the last one, and so many more.
fn shrunk(kind: &'static str, night: &Night<'_>, more: usize) -> Dropped {
    let least = last_count(night) - last_count(night) / 5;
    let fewer = (night.site.staff.len() + more).saturating_sub(least);
    people(kind, without(night, fewer.min(night.site.staff.len() - 1)))
}

/// New people, as many as a share of the last file, and so many more.
fn grown(kind: &'static str, night: &Night<'_>, more: usize) -> Dropped {
    let new = (last_count(night) * 3 / 10).max(9) + more;
    people(kind, night.site.staff.iter().cloned().chain(others(new)).collect())
}

/// People who are called otherwise, as many as a share of the last file, and so many more.
fn changed(kind: &'static str, night: &Night<'_>, more: usize) -> Dropped {
    let mut left = (last_count(night) * 3 / 10).max(9) + more;
    edited(kind, night, |card| {
        if left > 0 {
            left -= 1;
            card.first.push('x');
        }
    })
}

/// The file ends at a byte: what is left of its last line is read as it stands there, or is a mistake.
fn cut(kind: &'static str, night: &mut Night<'_>) -> Dropped {
    let text = plain(&night.site.staff);
    let start = text.find('\n').map_or(0, |end| end + 1);
    let mut at = night.random.usize(start + 1..text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    let cut = &text[..at];
    let whole = cut.lines().count() - 1;
    let mut people: Vec<Card> = night.site.staff.iter().take(whole).cloned().collect();
    if let Some(last) = people.last_mut()
        && !cut.ends_with('\n')
    {
        let line = cut.lines().next_back().unwrap_or_default();
        let Some((_, reference)) = line.rsplit_once(',').filter(|_| line.matches(',').count() == 4) else {
            return dropped(kind, cut, Says::Nothing);
        };
        reference.clone_into(&mut last.reference);
    }
    let says = if stand_once(&people) { Says::People(people) } else { Says::Nothing };
    dropped(kind, cut, says)
}

fn bom(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}").into_bytes()
}

fn windows_1252(text: &str) -> Vec<u8> {
    // All of its letters stand in the first 256.
    text.chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')).collect()
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
}

fn swapped(card: &mut Card) {
    std::mem::swap(&mut card.first, &mut card.last);
}

/// UTF-8 that was read as Windows-1252 and written as UTF-8 again.
fn misread(name: &str) -> String {
    name.bytes().map(char::from).collect()
}

/// What is done to the staff's file, kind by kind.
pub(crate) const KINDS: &[Make] = &[
    // No people.
    |_| dropped("empty", "", Says::Nothing),
    |_| dropped("blank lines alone", "\n\r\n\n", Says::Nothing),
    |_| dropped("header alone", plain(&[]), Says::Nothing),
    |_| dropped("a byte order mark alone", "\u{feff}", Says::Nothing),
    // Not the whole file, or too much of it.
    |night| cut("cut at a byte", night),
    |night| people("half of it", without(night, night.site.staff.len() / 2)),
    |night| people("one person", night.site.staff.iter().take(1).cloned().collect()),
    |night| people("another site's", others(night.site.staff.len())),
    |night| {
        let some = night.site.staff.iter().take(night.site.staff.len() / 3).cloned();
        people("a third of it and another site's", some.chain(others(night.site.staff.len() / 3)).collect())
    },
    |night| {
        let all = night.site.staff.iter().cloned().chain(others(night.site.staff.len() * 9));
        people("grown tenfold", all.collect())
    },
    |night| shrunk("as short as it may be", night, 0),
    |night| shrunk("one person too short", night, 1),
    |night| grown("as many new people as there may be", night, 0),
    |night| grown("one new person too many", night, 1),
    |night| changed("as many changes as there may be", night, 0),
    |night| changed("one change too many", night, 1),
    |night| people("one shift missing", without(night, night.site.staff.len() / 8)),
    |night| people("as many missing as may leave", without(night, (night.site.staff.len() / 20).max(5))),
    |night| people("one more missing than may leave", without(night, (night.site.staff.len() / 20).max(5) + 1)),
    // An old one.
    |night| people("the last one again", night.earlier.last().unwrap_or(&night.site.staff).clone()),
    |night| people("the one before the last", night.earlier.iter().rev().nth(1).unwrap_or(&night.site.staff).clone()),
    |night| people("last month's", night.earlier.first().unwrap_or(&night.site.staff).clone()),
    |night| {
        let mut last = night.earlier.last().unwrap_or(&night.site.staff).clone();
        last.reverse();
        people("the last one again, in another order", last)
    },
    // The same people, written otherwise.
    |night| encoded("with a byte order mark", night, |text| bom(&text)),
    |night| encoded("UTF-16", night, |text| utf_16(&text, u16::to_le_bytes)),
    |night| encoded("UTF-16, big end first", night, |text| utf_16(&text, u16::to_be_bytes)),
    |night| encoded("Windows-1252", night, |text| windows_1252(&text)),
    |night| styled("with semicolons and CRLF", night, Style { between: ";", end: "\r\n", ..STYLE }),
    |night| styled("with tabs", night, Style { between: "\t", ..STYLE }),
    |night| styled("with bars", night, Style { between: "|", ..STYLE }),
    |night| styled("with CR alone", night, Style { end: "\r", ..STYLE }),
    |night| styled("with each cell quoted", night, Style { quoted: true, ..STYLE }),
    |night| styled("with padded cells", night, Style { padded: true, ..STYLE }),
    |night| styled("with its columns in another order", night, Style { columns: [4, 2, 1, 0, 3], ..STYLE }),
    |night| {
        let header = ["E-mail", "Given name", "SURNAME", "Year of birth", "Employee number"];
        styled("with other words in its header", night, Style { header, ..STYLE })
    },
    |night| encoded("with a comma after each line", night, |text| text.replace('\n', ",\n").into_bytes()),
    |night| encoded("with blank lines", night, |text| (text.replace('\n', "\n\n") + "\n \n,,,,\n").into_bytes()),
    |night| encoded("without its last line end", night, |text| text.trim_end().into()),
    |night| Dropped { name: "-", ..people("on standard input", night.site.staff.clone()) },
    |night| {
        let rows: Vec<[&str; 5]> = std::iter::once(STYLE.header).chain(night.site.staff.iter().map(cells)).collect();
        let rows: Vec<&[&str]> = rows.iter().map(<[&str; 5]>::as_slice).collect();
        let says = Says::People(night.site.staff.clone());
        Dropped { name: "night.xlsx", ..dropped("a workbook", workbook(&rows), says) }
    },
    |night| {
        let mut staff = night.site.staff.clone();
        night.random.shuffle(&mut staff);
        people("in another order", staff)
    },
    // Columns that are not what they were.
    |night| {
        let staff = night.site.staff.iter().map(|card| Card { reference: String::new(), ..card.clone() });
        let text: String = plain(&night.site.staff)
            .lines()
            .fold(String::new(), |text, line| text + line.rsplit_once(',').map_or("", |cut| cut.0) + "\n");
        dropped("without the column of the reference id", text, Says::People(staff.collect()))
    },
    |night| edited("without reference ids", night, |card| card.reference.clear()),
    |night| edited("without names", night, |card| (card.first.clear(), card.last.clear()).0),
    |night| edited("without years of birth", night, |card| card.year.clear()),
    |night| edited("with names in capitals", night, |card| card.last = card.last.to_uppercase()),
    |night| edited("with e-mails in capitals", night, |card| card.email = card.email.to_uppercase()),
    |night| edited("with first and last names swapped", night, swapped),
    |night| edited("with misread letters", night, |card| card.first = misread(&card.first)),
    |night| edited("with reference ids in small letters", night, |card| card.reference = card.reference.to_lowercase()),
    |night| {
        edited("with e-mails of another domain", night, |card| {
            card.email = card.email.replace("example.com", "example.org");
        })
    },
    |night| edited("with other years of birth", night, |card| card.year = "1949".to_owned()),
    |night| {
        let mut ids: Vec<String> = night.site.staff.iter().map(|card| card.reference.clone()).collect();
        ids.rotate_left(1);
        let mut ids = ids.into_iter();
        edited("with each reference id one row off", night, |card| card.reference = ids.next().unwrap_or_default())
    },
    |night| {
        let mut staff = night.site.staff.clone();
        let (one, other) = (staff[0].email.clone(), staff[1].email.clone());
        (staff[0].email, staff[1].email) = (other, one);
        people("with the e-mails of two people swapped", staff)
    },
    |night| {
        let at = night.random.usize(..night.site.staff.len());
        let mut staff = night.site.staff.clone();
        staff[at].reference.clear();
        people("with one reference id missing", staff)
    },
    |night| {
        let at = night.random.usize(..night.site.staff.len());
        let mut staff = night.site.staff.clone();
        staff[at].first = "=HYPERLINK(\"http://x\";\"Ann\")".to_owned();
        people("with a formula as a name", staff)
    },
    |night| {
        let at = night.random.usize(..night.site.staff.len());
        let mut staff = night.site.staff.clone();
        staff[at].last = "O'Neil; junior,\nthe 2nd".to_owned();
        people("with separators and a line end in a name", staff)
    },
    // Mistakes in a row.
    |night| mistaken("with an e-mail without @", night, |card| card.email = card.email.replace('@', "")),
    |night| mistaken("with an e-mail that has a space", night, |card| card.email.insert(1, ' ')),
    |night| mistaken("with a row without an e-mail", night, |card| card.email.clear()),
    |night| mistaken("with a word as a year", night, |card| card.year = "19x4".to_owned()),
    |night| mistaken("with years of two digits", night, |card| card.year = "84".to_owned()),
    |night| mistaken("with a name that is too long", night, |card| card.first = "x".repeat(70_000)),
    |night| mistaken("with a cell that is longer than a record may be", night, |card| card.last = "x".repeat(2 << 20)),
    |night| {
        mistaken("with a reference id that a spreadsheet shortened", night, |card| {
            card.reference = "1.2E+16".to_owned();
        })
    },
    |night| mistaken("with an error of a spreadsheet", night, |card| card.reference = "#REF!".to_owned()),
    |night| mistaken("with a NUL", night, |card| card.last.push('\0')),
    |night| mistaken("with a letter that was lost", night, |card| card.first = "Zo\u{fffd}".to_owned()),
    |night| {
        let mut staff = night.site.staff.clone();
        staff.push(staff[night.random.usize(..staff.len())].clone());
        people("with a person twice", staff)
    },
    |night| {
        let mut staff = night.site.staff.clone();
        let email = staff[0].email.to_uppercase();
        staff.push(Card { email, reference: "OTHER-1".to_owned(), ..Card::of(8_000_000, true) });
        people("with an e-mail twice", staff)
    },
    // No roster.
    |night| spoilt("twice in one file", night, |text| text.repeat(2)),
    |night| {
        spoilt("with an unknown column", night, |text| {
            text.replacen("lastName", "lastName,Departmnt", 1).replace('\n', ",\n")
        })
    },
    |night| spoilt("without the column of the e-mail", night, |text| text.replacen("email", "", 1)),
    |night| spoilt("without its header", night, |text| text.split_once('\n').unwrap_or_default().1.to_owned()),
    |night| spoilt("with a cell too many in a row", night, |text| text.trim_end().to_owned() + ",7,8\n"),
    |night| spoilt("with a line of sums", night, |text| text + "Total,,,,42\n"),
    |night| spoilt("with a quote that is never closed", night, |text| text.replacen("Last", "\"Last", 1)),
    |night| spoilt("with text after a quote", night, |text| text.replacen("Last", "\"Last\"x", 1)),
    |_| dropped("a page of an error", "<!doctype html>\n<html><body><h1>503, busy</h1></body></html>\n", Says::Nothing),
    |night| {
        let mut text = "[".to_owned();
        for card in &night.site.staff {
            write!(text, "{{\"email\":\"{}\",\"referenceId\":\"{}\"}},", card.email, card.reference).expect("a text");
        }
        dropped("JSON", text + "{}]\n", Says::Nothing)
    },
    |night| {
        let mut bytes = bom(&plain(&night.site.staff));
        bytes.extend(*b"\xff\xfe,x\n");
        dropped("with bytes that are not UTF-8 after a mark that says so", bytes, Says::Nothing)
    },
    |_| dropped("an archive", [&b"PK\x03\x04"[..], &[0x5a; 600]].concat(), Says::Nothing),
    |_| dropped("what a compressor made", [&b"\x1f\x8b\x08\0"[..], &[0xd3; 600]].concat(), Says::Nothing),
    |_| Dropped { name: "gone.csv", bytes: None, ..dropped("no file", "", Says::NoFile) },
    #[cfg(unix)]
    |_| Dropped { name: "dead.csv", bytes: None, ..dropped("a link that leads to nothing", "", Says::NoFile) },
    #[cfg(target_os = "linux")]
    |_| Dropped {
        name: "/proc/self/mem",
        bytes: None,
        ..dropped("a file that fails while it is read", "", Says::Fails)
    },
    |_| Dropped { name: ".", bytes: None, ..dropped("a folder", "", Says::NoFile) },
];
