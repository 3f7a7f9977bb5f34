//! A look through a workbook before it is read: counts what its parts inflate to, refuses what would harm the reader, and
//! notes what is hidden or merged.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Seek};

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use super::RosterError;
use super::workbook_limits::{Counted, Limit, WorkbookLimits};
use super::workbook_place::{columns, is_area};

/// What was found out about a workbook.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// The names of its parts, in lower case.
    pub(super) parts: Vec<String>,
    /// The sheets by their names, and by which relationship each is found.
    sheets: HashMap<String, String>,
    /// The parts that the relationships of the workbook lead to.
    targets: HashMap<String, String>,
    notes: HashMap<String, SheetNotes>,
}

impl Survey {
    /// What was noted of a sheet.
    pub(super) fn notes(&self, sheet: &str) -> Option<&SheetNotes> {
        let target = self.targets.get(self.sheets.get(sheet)?)?.to_ascii_lowercase();
        match target.strip_prefix('/') {
            Some(absolute) => self.notes.get(absolute),
            None => self.notes.get(&format!("xl/{target}")),
        }
    }
}

/// What of a sheet is not as it seems on the screen.
#[derive(Debug, Default)]
pub(super) struct SheetNotes {
    pub(super) hidden_rows: Few,
    pub(super) hidden_columns: Few,
    pub(super) merged: Few,
}

/// How many there are, and the first of them.
#[derive(Debug, Default)]
pub(super) struct Few {
    count: usize,
    first: Vec<String>,
}

impl Few {
    /// How many are named.
    const NAMED: usize = 3;

    fn add(&mut self, name: String) {
        self.count += 1;
        if self.count <= Self::NAMED {
            self.first.push(name);
        }
    }

    /// The first of them, and how many more there are; `None` where there are none.
    pub(super) fn named(&self) -> Option<String> {
        let more = self.count.saturating_sub(Self::NAMED);
        let first = self.first.join(", ");
        match more {
            _ if self.count == 0 => None,
            0 => Some(first),
            more => Some(format!("{first} and {more} more")),
        }
    }
}

/// Inflates all parts once, and keeps none of them.
pub(super) fn survey(
    archive: &mut ZipArchive<impl Read + Seek>,
    limits: &WorkbookLimits,
) -> Result<Survey, RosterError> {
    let mut survey = Survey::default();
    let mut inflated = 0;
    for index in 0..archive.len() {
        let part = archive.by_index(index).map_err(|_| RosterError::Broken("a part of it cannot be unpacked"))?;
        let name = String::from_utf8_lossy(part.name_raw()).replace('\\', "/").to_ascii_lowercase();
        let most = Limit { most: limits.inflated.most.saturating_sub(inflated), ..limits.inflated };
        let mut scan = Scan { name: &name, limits, survey: &mut survey, counts: PartCounts::default() };
        inflated += scan.part(BufReader::with_capacity(64 << 10, part), most)?;
        survey.parts.push(name);
    }
    Ok(survey)
}

/// What a part turned out to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Other,
    Sheet,
    Texts,
}

/// The look through one part.
struct Scan<'a> {
    name: &'a str,
    limits: &'a WorkbookLimits,
    survey: &'a mut Survey,
    counts: PartCounts,
}

/// What a part has so far.
#[derive(Default)]
struct PartCounts {
    kind: Kind,
    depth: u64,
    texts: u64,
    formats: u64,
    /// The last element that began belongs to a row or to the table of texts.
    is_of_rows: bool,
    /// What does not: elements and bytes.
    elements: u64,
    others: u64,
    /// Bytes that were looked at.
    bytes: u64,
}

impl Scan<'_> {
    /// Reads a part to its end; how many bytes it has is the answer.
    fn part(&mut self, reader: impl BufRead, most: Limit) -> Result<u64, RosterError> {
        let mut reader = Counted::new(reader, most, self.limits.item);
        let head = reader.peek().map_err(|_| DAMAGED)?;
        let text: &[u8] = head.trim_ascii_start();
        let is_xml =
            [b"<".as_slice(), b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF", b"\0<"].iter().any(|m| text.starts_with(m));
        if is_xml { self.xml(reader) } else { self.bytes(reader) }
    }

    /// A picture or another part that is no XML.
    fn bytes(&self, mut reader: Counted<impl BufRead>) -> Result<u64, RosterError> {
        loop {
            reader.begin_item();
            match reader.fill_buf() {
                Ok([]) => return Ok(reader.count()),
                Ok(bytes) => {
                    let length = bytes.len();
                    reader.consume(length);
                }
                Err(_) => return Err(ended(reader.exceeded())),
            }
            self.limits.check_part(reader.count(), 0, 0)?;
        }
    }

    /// The same tokens as the reader of the workbook will see. Where they end with a mistake of the XML, they will end for
    /// that reader too: it says so, if it needs this part at all.
    fn xml(&mut self, reader: Counted<impl BufRead>) -> Result<u64, RosterError> {
        let mut xml = Reader::from_reader(reader);
        let config = xml.config_mut();
        (config.check_end_names, config.check_comments, config.expand_empty_elements) = (false, false, true);
        let (mut buffer, mut within_item) = (Vec::new(), 0_u64);
        loop {
            buffer.clear();
            match xml.read_event_into(&mut buffer) {
                Ok(Event::Start(element)) => {
                    let is_item = matches!(element.local_name().as_ref(), "c" | "si" | "is");
                    self.start(&element)?;
                    if within_item == 0 {
                        xml.get_mut().begin_item();
                    }
                    within_item += u64::from(is_item);
                }
                Ok(Event::End(element)) => {
                    self.counts.depth = self.counts.depth.saturating_sub(1);
                    let is_item = matches!(element.local_name().as_ref(), "c" | "si" | "is");
                    within_item = within_item.saturating_sub(u64::from(is_item));
                    if within_item == 0 {
                        xml.get_mut().begin_item();
                    }
                }
                Ok(Event::Eof) => return Ok(xml.get_ref().count()),
                Ok(_) => {}
                Err(quick_xml::Error::Io(_)) => return Err(ended(xml.get_ref().exceeded())),
                Err(_) => return self.bytes(xml.into_inner()),
            }
            self.within(xml.get_ref().count())?;
        }
    }

    /// Holds a part to the limits of its kind. Any part may say that it is a sheet: what is not of its rows counts as ever.
    fn within(&mut self, bytes: u64) -> Result<(), RosterError> {
        if !self.counts.is_of_rows {
            self.counts.others += bytes - self.counts.bytes;
        }
        self.counts.bytes = bytes;
        if self.counts.kind == Kind::Texts {
            self.limits.texts_size.check(bytes)?;
        }
        self.limits.check_part(self.counts.others, self.counts.elements, self.counts.formats)
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), RosterError> {
        self.counts.depth += 1;
        self.limits.depth.check(self.counts.depth)?;
        self.count(element);
        match element.local_name().as_ref() {
            "row" | "c" | "dimension" | "f" => return self.place(element),
            "numFmt" | "name" => self.check_format_texts(element)?,
            "col" if is_hidden(element) => self.hidden_columns(element),
            "mergeCell" => self.merged(element),
            "sheet" if self.name == "xl/workbook.xml" => {
                self.survey.sheets.extend(value(element, "name").zip(value(element, "id")));
            }
            "Relationship" if self.name == "xl/_rels/workbook.xml.rels" => {
                self.survey.targets.extend(value(element, "Id").zip(value(element, "Target")));
            }
            _ => {}
        }
        // The reader makes room for as many texts as the table says it has.
        let promised = if self.counts.kind == Kind::Texts { value(element, "uniqueCount") } else { None };
        let promised = promised.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or_default();
        self.limits.texts.check(self.counts.texts.max(promised))
    }

    /// Counts an element as what it is.
    fn count(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        match name.as_ref() {
            "sheetData" if self.counts.kind == Kind::Other => self.counts.kind = Kind::Sheet,
            "sst" => self.counts.kind = Kind::Texts,
            "si" => (self.counts.kind, self.counts.texts) = (Kind::Texts, self.counts.texts + 1),
            "xf" => self.counts.formats += 1,
            _ => {}
        }
        self.counts.is_of_rows = self.counts.kind != Kind::Other && is_of_rows(name.as_ref());
        self.counts.elements += u64::from(!self.counts.is_of_rows);
    }

    fn check_format_texts(&self, element: &BytesStart<'_>) -> Result<(), RosterError> {
        let mut attributes = element.attributes();
        let mut texts = attributes.with_checks(false).flatten();
        texts.try_for_each(|attribute| self.limits.format_text.check(attribute.value.chars().count() as u64))
    }

    /// Refuses places that no sheet has: the reader of the workbook counts with them.
    fn place(&mut self, element: &BytesStart<'_>) -> Result<(), RosterError> {
        let is_row = element.local_name().as_ref() == "row";
        for attribute in element.attributes().with_checks(false).flatten() {
            match (attribute.key.local_name().as_ref(), is_row) {
                ("r", true) => {
                    let row: u32 = attribute.value.parse().map_err(|_| PLACE)?;
                    self.limits.check_row(row)?;
                }
                ("r" | "ref", false) if !is_area(&attribute.value) => return Err(PLACE),
                _ => {}
            }
        }
        if is_row && is_hidden(element) {
            let row = value(element, "r").unwrap_or_else(|| "?".to_owned());
            self.notes().hidden_rows.add(row);
        }
        Ok(())
    }

    fn notes(&mut self) -> &mut SheetNotes {
        self.survey.notes.entry(self.name.to_owned()).or_default()
    }

    fn hidden_columns(&mut self, element: &BytesStart<'_>) {
        let [first, last] = ["min", "max"].map(|name| value(element, name).and_then(|number| number.parse().ok()));
        let Some(area) = first.zip(last).and_then(|(first, last)| columns(first, last)) else { return };
        self.notes().hidden_columns.add(area);
    }

    fn merged(&mut self, element: &BytesStart<'_>) {
        let Some(area) = value(element, "ref").filter(|area| is_area(area)) else { return };
        self.notes().merged.add(area);
    }
}

/// Whether rows of a sheet and tables of texts are made of such elements; of all others no part has many.
fn is_of_rows(name: &str) -> bool {
    let is_cell = matches!(name, "row" | "c" | "v" | "f" | "is" | "si" | "t" | "extLst" | "ext");
    let is_run = matches!(name, "r" | "rPr" | "rPh" | "phoneticPr" | "rFont" | "b" | "i" | "u" | "sz" | "color");
    is_cell || is_run || matches!(name, "family" | "charset" | "scheme" | "strike" | "vertAlign")
}

const DAMAGED: RosterError = RosterError::Broken("a part of it is cut off or damaged");
const PLACE: RosterError = RosterError::Broken("a cell stands at a place that no sheet has");

/// Why a part ended before its end.
fn ended(exceeded: Option<Limit>) -> RosterError {
    exceeded.map_or(DAMAGED, Limit::error)
}

/// The value of an attribute, whatever its prefix.
fn value(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes();
    let found =
        attributes.with_checks(false).flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    unescape(&found.value).ok().map(Cow::into_owned)
}

fn is_hidden(element: &BytesStart<'_>) -> bool {
    value(element, "hidden").is_some_and(|value| value == "1" || value == "true")
}
