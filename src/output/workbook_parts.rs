//! The parts of a workbook around its rows, as ECMA-376 has them, and the styles that its cells name.

use std::fmt::Write as _;

/// The part that the rows stand in.
pub(super) const SHEET: &str = "xl/worksheets/sheet1.xml";
/// How a header looks: one of the styles of [`STYLES`], counted from 0, all of which say that a cell is text.
pub(super) const HEADER: usize = 1;
/// How a value looks.
pub(super) const PLAIN: usize = 2;
/// How a value looks that must catch the eye.
pub(super) const RED: usize = 3;

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const DOCUMENT: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const CONTENT: &str = "application/vnd.openxmlformats";
/// Format 49 of numbers is text; the second fill has to be there.
const STYLES: &str = "\
<fonts count=\"3\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font>\
<font><b/><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font>\
<font><b/><sz val=\"11\"/><color rgb=\"FFC00000\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts>\
<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
<fill><patternFill patternType=\"gray125\"/></fill></fills>\
<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
<cellXfs count=\"4\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
<xf numFmtId=\"49\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyFont=\"1\"/>\
<xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>\
<xf numFmtId=\"49\" fontId=\"2\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyFont=\"1\"/></cellXfs>\
<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles>";

/// The names and texts of the parts but the sheet. No time stands in them: an export that changed nothing has the same
/// bytes.
pub(super) fn parts(sheet_name: &str) -> [(&'static str, String); 5] {
    let types =
        [("/xl/workbook.xml", "sheet.main"), ("/xl/worksheets/sheet1.xml", "worksheet"), ("/xl/styles.xml", "styles")]
            .map(|(part, kind)| {
                format!(
                    "<Override PartName=\"{part}\" ContentType=\"{CONTENT}-officedocument.spreadsheetml.{kind}+xml\"/>"
                )
            });
    [
        (
            "[Content_Types].xml",
            format!(
                "{DECLARATION}<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
                 ContentType=\"{CONTENT}-package.relationships+xml\"/><Default Extension=\"xml\" \
                 ContentType=\"application/xml\"/>{}</Types>",
                types.concat()
            ),
        ),
        ("_rels/.rels", relationships(&[("officeDocument", "xl/workbook.xml")])),
        (
            "xl/workbook.xml",
            format!(
                "{DECLARATION}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{DOCUMENT}\"><sheets>\
                 <sheet name=\"{sheet_name}\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relationships(&[("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")]),
        ),
        ("xl/styles.xml", format!("{DECLARATION}<styleSheet xmlns=\"{MAIN}\">{STYLES}</styleSheet>")),
    ]
}

fn relationships(targets: &[(&str, &str)]) -> String {
    let each = (1..).zip(targets).map(|(number, (kind, target))| {
        format!("<Relationship Id=\"rId{number}\" Type=\"{DOCUMENT}/{kind}\" Target=\"{target}\"/>")
    });
    format!(
        "{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">{}</Relationships>",
        each.collect::<String>()
    )
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
    let mut text = format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\"><dimension ref=\"{area}\"/><sheetViews>\
         <sheetView tabSelected=\"1\" workbookViewId=\"0\">{pane}</sheetView></sheetViews>\
         <sheetFormatPr defaultRowHeight=\"15\"/>"
    );
    let columns = (1..).zip(widths).map(|(number, width)| {
        format!("<col min=\"{number}\" max=\"{number}\" width=\"{}\" customWidth=\"1\"/>", width + 2)
    });
    let columns: String = columns.collect();
    if !columns.is_empty() {
        write!(text, "<cols>{columns}</cols>").expect("a String takes everything");
    }
    text + "<sheetData>"
}

/// The sheet after its rows.
pub(super) const AFTER_ROWS: &str = "</sheetData></worksheet>";

/// The letters of a column, counted from 1.
pub(super) fn column_letters(column: usize) -> String {
    if column == 0 {
        return String::new();
    }
    let digit = u8::try_from((column - 1) % 26).unwrap_or_default();
    column_letters((column - 1) / 26) + char::from(b'A' + digit).encode_utf8(&mut [0; 4])
}
