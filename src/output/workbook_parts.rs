//! The parts of a workbook around its rows, as ECMA-376 has them: files beside this one, but for the sheet itself.

use crate::model::spreadsheet::column_letters;

/// The part that the rows stand in.
pub(super) const SHEET: &str = "xl/worksheets/sheet1.xml";
/// How a header looks: one of the cell formats (`cellXfs`) of `styles.xml`, counted from 0, of which all but the first say
/// that a cell is text (number format 49).
pub(super) const HEADER: usize = 1;
/// How a value looks.
pub(super) const PLAIN: usize = 2;
/// How a value looks that must catch the eye.
pub(super) const RED: usize = 3;

/// The names and texts of the parts but the sheet. No time stands in them: an export that changed nothing has the same
/// bytes.
pub(super) fn parts(sheet_name: &str) -> [(&'static str, String); 5] {
    [
        ("[Content_Types].xml", include_str!("workbook/content_types.xml")),
        ("_rels/.rels", include_str!("workbook/rels.xml")),
        ("xl/workbook.xml", include_str!("workbook/workbook.xml")),
        ("xl/_rels/workbook.xml.rels", include_str!("workbook/workbook_rels.xml")),
        ("xl/styles.xml", include_str!("workbook/styles.xml")),
    ]
    .map(|(name, text)| (name, text.trim_end().replace("{sheet}", sheet_name)))
}

/// The sheet before its rows: the area that they fill, which programs that read row by row believe, whether the first row
/// stands still, and how many characters wide each column is.
pub(super) fn before_rows(rows: u64, header: bool, widths: &[usize]) -> String {
    let area = format!("A1:{}{}", column_letters(widths.len().max(1)), rows.max(1));
    let pane = if header {
        "<pane ySplit=\"1\" topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/><selection pane=\"bottomLeft\"/>"
    } else {
        ""
    };
    let columns = (1..).zip(widths).map(|(number, width)| {
        format!("<col min=\"{number}\" max=\"{number}\" width=\"{}\" customWidth=\"1\"/>", width + 2)
    });
    let columns = columns.collect::<String>();
    let columns = if columns.is_empty() { columns } else { format!("<cols>{columns}</cols>") };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><dimension ref=\"{area}\"/>\
         <sheetViews><sheetView tabSelected=\"1\" workbookViewId=\"0\">{pane}</sheetView></sheetViews>\
         <sheetFormatPr defaultRowHeight=\"15\"/>{columns}<sheetData>"
    )
}

/// The sheet after its rows.
pub(super) const AFTER_ROWS: &str = "</sheetData></worksheet>";
