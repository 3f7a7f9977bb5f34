//! A workbook as a source of records: one sheet of it, row by row, by the library that reads the format.

use std::io::{BufReader, Seek as _};

use calamine::{DataRef, ExcelDateTime, Reader as _, Sheet, SheetType, SheetVisible, Xlsx, XlsxCellReader};
use tempfile::SpooledTempFile;
use zip::ZipArchive;

use super::cell_kind::CellKind;
use super::cell_places::{CellPlace, SheetSource, Unit};
use super::compact_rows::BETWEEN;
use super::csv_record::{CsvRecord, RecordSource};
use super::workbook_limits::WorkbookLimits;
use super::workbook_scan::{SheetNotes, Survey, survey};
use super::{Quoting, ReadOptions, RosterError};
use crate::files::directory_fits;

type Archive = BufReader<SpooledTempFile>;

/// A workbook that was found harmless, and the sheet of it that is read.
pub(super) struct Workbook {
    xlsx: Xlsx<Archive>,
    /// The name of the sheet that is read.
    sheet: String,
    pub(super) source: SheetSource,
    limits: &'static WorkbookLimits,
}

impl Workbook {
    /// Looks through the whole archive in bounded memory, and only then gives it to the library.
    pub(super) fn open(
        mut spool: SpooledTempFile,
        options: &ReadOptions,
        limits: &'static WorkbookLimits,
    ) -> Result<Self, RosterError> {
        spool.rewind()?;
        if !directory_fits(&mut spool, limits.parts.most)? {
            return Err(limits.parts.error());
        }
        spool.rewind()?;
        let mut archive = ZipArchive::new(BufReader::new(spool)).map_err(|_| CUT_OFF)?;
        let survey = survey(&mut archive, limits)?;
        refuse_others(&survey)?;
        let xlsx = Xlsx::new(archive.into_inner()).map_err(|_| RosterError::Broken("its parts do not fit together"))?;
        let (sheet, source) = choose(xlsx.sheets_metadata(), options, &survey)?;
        Ok(Self { xlsx, sheet, source, limits })
    }

    pub(super) fn rows(&mut self, options: &ReadOptions) -> Result<SheetRows<'_>, RosterError> {
        let cells = self.xlsx.worksheet_cells_reader(&self.sheet).map_err(|_| UNREADABLE)?;
        Ok(SheetRows {
            cells,
            next: None,
            last: None,
            ended: false,
            bytes: 0,
            escaped: options.excel,
            limits: self.limits,
        })
    }
}

const CUT_OFF: RosterError = RosterError::Broken("the archive is cut off or damaged");
const UNREADABLE: RosterError = RosterError::Broken("its sheet cannot be read");

/// Archives that are no workbook of this kind.
fn refuse_others(survey: &Survey) -> Result<(), RosterError> {
    let other = survey.parts.iter().find_map(|part| match part.as_str() {
        "xl/workbook.bin" => Some("a binary Excel workbook (.xlsb)"),
        "content.xml" => Some("an OpenDocument file"),
        _ => None,
    });
    let is_workbook = survey.parts.iter().any(|part| part.starts_with("xl/"));
    match other.or((!is_workbook).then_some("a zip archive without an Excel workbook")) {
        Some(other) => Err(RosterError::Container(other)),
        None => Ok(()),
    }
}

/// The sheet that is named, or the first that is shown; how messages call it, and what else there is to say about it.
fn choose(sheets: &[Sheet], options: &ReadOptions, survey: &Survey) -> Result<(String, SheetSource), RosterError> {
    let wanted = options.sheet.as_deref();
    let sheets: Vec<&Sheet> = sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet).collect();
    let chosen = match wanted {
        Some(name) => {
            let exact = sheets.iter().find(|sheet| sheet.name == name);
            exact.or_else(|| sheets.iter().find(|sheet| sheet.name.to_lowercase() == name.to_lowercase()))
        }
        None => sheets.iter().find(|sheet| sheet.visible == SheetVisible::Visible),
    };
    let Some(chosen) = chosen else {
        let names = || sheets.iter().map(|sheet| sheet.name.clone()).collect();
        let sheets = (options.quoting == Quoting::Usual).then(names);
        return Err(RosterError::NoSheet { name: wanted.map(str::to_owned), sheets });
    };
    let mut remarks = Vec::new();
    let (mut name, mut others) = (String::new(), Vec::new());
    for (number, sheet) in (1..).zip(&sheets) {
        let called = match options.quoting {
            Quoting::Usual => sheet.name.clone(),
            Quoting::Nothing => format!("#{number}"),
        };
        if sheet.name == chosen.name { name = called } else { others.push(called) }
    }
    if wanted.is_none() && !others.is_empty() {
        remarks.push(format!("not read: {} (--sheet NAME reads another sheet)", others.join(", ")));
    }
    if chosen.visible != SheetVisible::Visible {
        remarks.push("the sheet is hidden".to_owned());
    }
    remarks.extend(survey.notes(&chosen.name).into_iter().flat_map(of_notes));
    Ok((chosen.name.clone(), SheetSource { name, remarks }))
}

/// What is not as it seems on the screen.
fn of_notes(notes: &SheetNotes) -> Vec<String> {
    let rows = notes.hidden_rows.named().map(|rows| format!("hidden rows are read too: {rows}"));
    let columns = notes.hidden_columns.named().map(|columns| format!("hidden columns are read too: {columns}"));
    let merged = notes.merged.named().map(|merged| format!("of merged cells only the first has a value: {merged}"));
    [rows, columns, merged].into_iter().flatten().collect()
}

/// A cell that holds something.
struct SheetCell {
    /// Row and column, counted from 1.
    row: u32,
    column: u32,
    text: String,
    kind: CellKind,
}

/// The rows of a sheet, one after the other.
pub(super) struct SheetRows<'a> {
    cells: XlsxCellReader<'a, Archive>,
    /// The first cell of the next row.
    next: Option<SheetCell>,
    /// Where the last cell stood.
    last: Option<(u32, u32)>,
    ended: bool,
    /// How much the rows hold so far.
    bytes: u64,
    /// `--excel`: the cells came from a file of ours whose cells are escaped.
    escaped: bool,
    limits: &'static WorkbookLimits,
}

impl RecordSource for SheetRows<'_> {
    fn is_escaped(&self) -> bool {
        self.escaped
    }

    fn read_any(&mut self, record: &mut CsvRecord) -> Result<bool, RosterError> {
        let Some(first) = self.next.take().map_or_else(|| self.cell(), |cell| Ok(Some(cell)))? else {
            return Ok(false);
        };
        let row = first.row;
        record.start_row(CellPlace { line: row, column: 1 });
        record.push_cell(first.column, &first.text, first.kind);
        while let Some(cell) = self.cell()? {
            if cell.row != row {
                self.next = Some(cell);
                break;
            }
            record.push_cell(cell.column, &cell.text, cell.kind);
        }
        self.bytes += record.size() as u64;
        self.limits.text.check(self.bytes)?;
        Ok(true)
    }
}

impl SheetRows<'_> {
    /// The next cell that holds something. Cells come row by row and from left to right, or the places would be wrong.
    fn cell(&mut self) -> Result<Option<SheetCell>, RosterError> {
        while !self.ended {
            let Some(found) = self.cells.next_cell_with_formula_metadata().map_err(|_| UNREADABLE)? else {
                self.ended = true;
                break;
            };
            let (row, column) = (found.pos.0.saturating_add(1), found.pos.1.saturating_add(1));
            if self.last.is_some_and(|last| last >= (row, column)) {
                return Err(RosterError::Broken("its rows or cells are not in order"));
            }
            self.last = Some((row, column));
            let (text, kind) = said(&found.value);
            let kind = if text.is_empty() && found.formula.is_some() { CellKind::Unsaved } else { kind };
            if text.is_empty() && kind != CellKind::Unsaved {
                continue;
            }
            self.limits.columns.check(column.into())?;
            self.limits.check_row(row)?;
            if text.contains(BETWEEN) {
                return Err(RosterError::Nul { unit: Unit::Row, line: row, column });
            }
            return Ok(Some(SheetCell { row, column, text, kind }));
        }
        Ok(None)
    }
}

/// What a cell says as text, and what it is.
fn said(value: &DataRef<'_>) -> (String, CellKind) {
    match value {
        DataRef::Empty => (String::new(), CellKind::Text),
        DataRef::String(text) => (text.clone(), CellKind::Text),
        DataRef::SharedString(text) => ((*text).to_owned(), CellKind::Text),
        DataRef::Int(number) => (number.to_string(), CellKind::Number),
        DataRef::Float(number) => (of_number(*number), CellKind::Number),
        DataRef::Bool(flag) => (if *flag { "TRUE" } else { "FALSE" }.to_owned(), CellKind::Flag),
        DataRef::DateTime(time) => (of_time(*time), CellKind::Date),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => (text.clone(), CellKind::Date),
        DataRef::Error(error) => (error.to_string(), CellKind::Text),
    }
}

/// A number as a spreadsheet shows it: one of more than 15 digits has lost some.
fn of_number(number: f64) -> String {
    if number.abs() < 1e15 { number.to_string() } else { format!("{number:E}").replace('E', "E+") }
}

/// `1984-03-01`, with the time where there is one.
fn of_time(time: ExcelDateTime) -> String {
    if time.is_duration() {
        return of_number(time.as_f64());
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) { date } else { format!("{date}T{hour:02}:{minute:02}:{second:02}") }
}
