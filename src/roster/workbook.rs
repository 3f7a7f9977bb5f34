//! From a workbook to rows: one sheet of it, each cell with its true place.

use std::io::Cursor;

use calamine::{Data, Dimensions, Reader as _, SheetType, SheetVisible, Xlsx};

use super::csv_rows::Table;
use super::suspicious::{UNREADABLE, UNSAVED};
use super::{LARGEST, refused};
use crate::model::show::{shell_word, visible};
use crate::model::verdict::Failure;

/// The most columns of a sheet (our limit): a stray cell at the far right is no roster.
const COLUMNS: usize = 1_000;

/// An open workbook. Of an OpenDocument sheet calamine shows neither how a number looks, nor what is merged, nor that the value
/// of a formula is missing, so none is read.
type Book<'b> = Xlsx<Cursor<&'b [u8]>>;

pub(super) fn open<'b>(bytes: &'b [u8], file: &str) -> Result<Book<'b>, Failure> {
    let why = "is a ZIP file, but no Excel workbook (.xlsx) that can be read";
    Xlsx::new(Cursor::new(bytes)).map_err(|_| refused(file, why).hint(SAVE_AS_CSV))
}

/// The sheet that `--sheet` names, else the first visible one, and the other visible ones.
pub(super) fn choose(book: &Book<'_>, file: &str, named: Option<&str>) -> Result<(String, Vec<String>), Failure> {
    let sheets = || book.sheets_metadata().iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let mut chosen = sheets().filter(|sheet| match named {
        Some(name) => sheet.name.to_lowercase() == name.to_lowercase(),
        None => sheet.visible == SheetVisible::Visible,
    });
    let Some(first) = chosen.next() else {
        let all: Vec<String> = sheets().map(|sheet| shell_word(&sheet.name)).collect();
        return Err(Failure::usage(format!("{file} has no such sheet; its sheets: {}", all.join(", "))));
    };
    Ok((first.name.clone(), chosen.map(|sheet| sheet.name.clone()).collect()))
}

/// The rows of a sheet as CSV, in which places of cells are kept. A line break in a cell is white space: no other row can
/// be in it.
pub(super) fn read(book: &mut Book<'_>, file: &str, sheet: &str) -> Result<Table, Failure> {
    let refused = |why: &str| refused(file, &format!("has a sheet \"{}\" {why}", visible(sheet))).hint(SAVE_AS_CSV);
    let unreadable = || refused("that cannot be read");
    let (mut rows, mut size) = (Vec::<Vec<String>>::new(), 0);
    let styles = book.worksheet_style(sheet).map_err(|_| unreadable())?;
    let merges = book.merge_cells_by_sheet_name(sheet).map_err(|_| unreadable())?;
    let mut cells = book.worksheet_cells_reader(sheet).map_err(|_| unreadable())?;
    while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(|_| unreadable())? {
        let value = cell.value.into();
        // A formula that gave nothing has an empty text.
        let is_unsaved = value == Data::Empty && cell.formula.is_some();
        let format = styles.get(cell.pos).and_then(|style| style.number_format.as_ref());
        let formatted = || formatted(&value, &format?.format_code);
        let text = if is_unsaved { UNSAVED.to_owned() } else { formatted().unwrap_or_else(|| shown(&value)) };
        if text.is_empty() {
            // A program may give each cell of a row its colour.
            continue;
        }
        size += text.len() as u64;
        let (row, column) = (cell.pos.0 as usize, cell.pos.1 as usize);
        if row >= 1 << 20 || column >= COLUMNS || size > LARGEST {
            return Err(refused("that is too large: a million rows, 1,000 columns and 256 MiB of text are read"));
        }
        rows.resize(rows.len().max(row + 1), Vec::new());
        let texts = &mut rows[row];
        texts.resize(texts.len().max(column + 1), String::new());
        // Each cell is there once.
        if !std::mem::replace(&mut texts[column], text).is_empty() {
            return Err(unreadable());
        }
    }
    // A value stands beside all rows that its cell was merged over.
    for Dimensions { start, end } in merges {
        let column = start.1 as usize;
        let Some(text) = rows.get(start.0 as usize).and_then(|cells| cells.get(column)).cloned() else { continue };
        let below = rows.iter_mut().take(end.0 as usize + 1).skip(start.0 as usize + 1);
        for cells in below.filter(|cells| !cells.is_empty()) {
            cells.resize(cells.len().max(column + 1), String::new());
            cells[column].clone_from(&text);
        }
    }
    let mut csv = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    // A row without text is a line too, so that lines have the numbers of rows. Writing into a vector does not fail.
    let width = rows.iter().map(Vec::len).find(|width| *width > 0).unwrap_or_default();
    let _ = rows.iter_mut().try_for_each(|cells| {
        cells.resize(cells.len().max(if cells.is_empty() { 0 } else { width }), String::new());
        csv.write_record(cells)
    });
    let text = csv.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    Ok(Table { file: file.to_owned(), sheet: Some(sheet.to_owned()), is_guessed: false, delimiter: b',', text })
}

const SAVE_AS_CSV: &str = "save the sheet as \"CSV UTF-8\" and give that file";

/// A number with the zeros that its format puts in front, such as `00000`. What other formats add to it may belong to an id,
/// such as the letters of `"EMP-"000`, or may not: a value is written that is suspicious.
fn formatted(value: &Data, format: &str) -> Option<String> {
    let Data::Float(number) = value else { return None };
    // The form of positive numbers.
    let code = format.split(';').next().unwrap_or_default();
    let is_padded = code.len() > 1 && code.bytes().all(|sign| sign == b'0');
    if is_padded && number.fract() == 0.0 && (0.0..1e15).contains(number) {
        return Some(format!("{number:0width$}", width = code.len()));
    }
    let whole = code.split('.').next().unwrap_or_default();
    let adds = |c: char| c.is_alphabetic() || matches!(c, '1'..='9');
    let is_plain = code == "General" || !(code.contains(adds) || code.contains("\"0") || whole.contains("00"));
    (!is_plain).then(|| UNREADABLE.to_owned())
}

/// A cell as a spreadsheet shows it. A number of more than 15 digits has lost some: it is written as one that is suspicious.
fn shown(value: &Data) -> String {
    match value {
        Data::Float(number) if number.abs() >= 1e15 => format!("{number:E}").replace('E', "E+"),
        Data::DateTime(time) => {
            let (year, month, day, ..) = time.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02}")
        }
        other => other.to_string().replace(['\r', '\n'], " "),
    }
}
