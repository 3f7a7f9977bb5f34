//! Tables as a terminal and a pipe show them.

use proptest::prelude::*;

use super::super::widths::WIDEST;
use super::*;

const PIPE: Show = Show { width: None, header: true, color: false, blocks: false };

#[test]
fn times_are_local_to_the_minute_where_somebody_reads_them() {
    let shown = |zone| {
        let columns = Columns::of(&[]).times(&["at"]);
        let mut table = Table::new(&["at".to_owned(), "name".to_owned()], &columns, zone);
        for (at, name) in [("2026-03-01T23:30:15.1234567Z", "2026-03-01T23:30:15Z"), ("soon", ""), ("", "")] {
            table.push([Cow::from(at), Cow::from(name)]).expect("room");
        }
        let mut out = Vec::new();
        table.write(Show { header: false, ..PIPE }, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    };
    let two = TimeZone::fixed(jiff::tz::offset(2));
    assert_eq!(shown(Some(two)), "2026-03-02 01:30+02:00  2026-03-01T23:30:15Z\nsoon\n\n");
    assert!(shown(None).starts_with("2026-03-01T23:30:15.1234567Z"));
}

fn shown(fields: &[&str], rows: &[&[&str]], show: Show) -> String {
    let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
    let columns = Columns::of(&[]).highlight("result", |word| word == "HighRisk");
    let mut table = Table::new(&fields, &columns, None);
    for row in rows {
        table.push(row.iter().map(|cell| Cow::Borrowed(*cell))).expect("room");
    }
    let mut out = Vec::new();
    table.write(show, &mut out).expect("written");
    String::from_utf8(out).expect("text")
}

#[test]
fn off_a_terminal_nothing_is_cut_and_no_line_ends_in_spaces() {
    let text = shown(&["id", "name"], &[&["7", &"x".repeat(200)], &["1234", ""]], PIPE);
    assert_eq!(text, format!("id    name\n7     {}\n1234\n", "x".repeat(200)));
}

#[test]
fn wide_characters_combining_marks_and_emoji_keep_columns_straight() {
    let rows: &[&[&str]] = &[&["漢字", "|"], &["e\u{301}", "|"], &["👨\u{200d}👩\u{200d}👧", "|"], &["abcd", "|"]];
    let text = shown(&["n", "end"], rows, PIPE);
    let ends: Vec<usize> = text.lines().skip(1).map(|line| line.split('|').next().expect("a cell").width()).collect();
    assert_eq!(ends, [6, 6, 6, 6], "{text}");
}

#[test]
fn a_terminal_gets_long_cells_shortened_and_ids_whole() {
    let rows: &[&[&str]] = &[&["0123456789", "a long name of a person", "Completed"]];
    let show = Show { width: Some(34), ..PIPE };
    assert_eq!(
        shown(&["id", "fullName", "result"], rows, show),
        "id          fullName     result\n0123456789  a long nam…  Completed\n"
    );
}

#[test]
fn a_terminal_too_narrow_for_a_line_gets_blocks() {
    let rows: &[&[&str]] = &[&[&"7".repeat(36), "Night shift", "Active"], &["8", "", "Draft"]];
    let show = Show { width: Some(40), ..PIPE };
    let expected =
        format!("id     {}\nname   Night shift\nstate  Active\n\nid     8\nname\nstate  Draft\n", "7".repeat(36));
    assert_eq!(shown(&["id", "name", "state"], rows, show), expected);
}

#[test]
fn sentences_are_broken_between_words_in_their_column_and_in_blocks() {
    let fields = ["line", "message"].map(str::to_owned);
    let columns = Columns::of(&[]).no_truncate(&["line"]).prose(&["message"]);
    let shown = |text: &str, width| {
        let mut table = Table::new(&fields, &columns, None);
        for (line, text) in [("1", text), ("2", "short")] {
            table.push([Cow::from(line), Cow::from(text)]).expect("room");
        }
        let mut out = Vec::new();
        table.write(Show { width, ..PIPE }, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    };
    let text = "a sentence of quite some words";
    assert_eq!(shown(text, Some(30)), "line  message\n1     a sentence of quite some\n      words\n2     short\n");
    assert_eq!(
        shown(text, Some(20)),
        "line     1\nmessage  a sentence\n         of quite\n         some words\n\nline     2\nmessage  short\n"
    );
    let long = "x".repeat(30);
    assert_eq!(
        shown(&long, Some(30)),
        format!("line  message\n1     {}\n      {}\n2     short\n", &long[..24], &long[24..])
    );
    assert!(shown(text, None).contains(text));
}

#[test]
fn a_time_is_whole_or_the_record_is_a_block() {
    let fields = ["name", "at"].map(str::to_owned);
    let columns = Columns::of(&[]).times(&["at"]);
    let shown = |width, hours| {
        let zone = TimeZone::fixed(jiff::tz::offset(hours));
        let mut table = Table::new(&fields, &columns, Some(zone));
        table.push([Cow::from("Maximiliana"), Cow::from("2026-03-01T06:00:00Z")]).expect("room");
        let mut out = Vec::new();
        table.write(Show { width: Some(width), ..PIPE }, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    };
    assert_eq!(shown(32, 2), "name      at\nMaximil…  2026-03-01 08:00+02:00\n");
    assert_eq!(shown(30, 2), "name  Maximiliana\nat    2026-03-01 08:00+02:00\n");
    assert_eq!(shown(32, 0), "name         at\nMaximiliana  2026-03-01 06:00Z\n");
}

#[test]
fn one_over_wide_id_breaks_its_own_row_alone() {
    let huge = "9".repeat(500);
    let rows: &[&[&str]] = &[&["1", "Ann"], &[&huge, "Bob"], &["333", "Cy"]];
    let show = Show { width: Some(80), ..PIPE };
    let expected = format!("id   name\n1    Ann\n{huge}  Bob\n333  Cy\n");
    assert_eq!(shown(&["id", "name"], rows, show), expected);
}

#[test]
fn control_characters_of_a_cell_are_shown() {
    let text = shown(&["a\tb"], &[&["x\u{1b}[2J\ny"]], PIPE);
    assert_eq!(text, "a\\tb\nx\\u{1b}[2J\\ny\n");
}

#[test]
fn a_record_alone_is_a_list_of_its_fields_and_without_header_its_values() {
    let show = Show { blocks: true, ..PIPE };
    let rows: &[&[&str]] = &[&["7", "Ann"]];
    assert_eq!(shown(&["id", "name"], rows, show), "id    7\nname  Ann\n");
    assert_eq!(shown(&["id", "name"], rows, Show { header: false, ..show }), "7\nAnn\n");
}

#[test]
fn names_are_bold_in_colour_and_an_empty_table_is_its_header() {
    let show = Show { color: true, width: Some(80), ..PIPE };
    assert_eq!(shown(&["id", "name"], &[], show), "\u{1b}[1mid  name\u{1b}[0m\n");
    assert_eq!(shown(&["id"], &[], Show { header: false, ..show }), "");
    let block = Show { blocks: true, ..show };
    assert_eq!(shown(&["id"], &[&["7"]], block), "\u{1b}[1mid\u{1b}[0m  7\n");
}

#[test]
fn many_rows_have_the_same_columns_in_every_block() {
    let rows: Vec<Vec<String>> = (0..2 * BLOCK + 7).map(|row| vec![row.to_string(), "x".to_owned()]).collect();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    let text = shown(&["id", "end"], &rows, PIPE);
    assert_eq!(text.lines().count(), rows.len() + 1);
    assert!(text.starts_with("id    end\n0     x\n1     x\n"));
    assert!(text.lines().skip(1).all(|line| line.len() == 7 && line.ends_with("  x")));
}

#[test]
fn a_cell_beyond_all_bounds_is_whole_off_a_terminal_and_short_on_one() {
    let huge = "é".repeat(100_000);
    let rows: &[&[&str]] = &[&["1", &huge, "end"], &["2", "b", "end"]];
    let text = shown(&["n", "name", "last"], rows, PIPE);
    assert!(text.contains(&format!("\n1  {huge}  end\n")), "whole");
    assert!(text.lines().last().expect("a line").len() < 2 * WIDEST);
    let text = shown(&["n", "name", "last"], rows, Show { width: Some(40), ..PIPE });
    assert!(text.lines().all(|line| line.width() <= 40) && text.contains("é…  end\n"), "{text}");
}

#[test]
fn columns_of_nothing_keep_their_gap_alone() {
    let show = Show { header: false, ..PIPE };
    assert_eq!(shown(&["a", "b", "c"], &[&["7", "", "x"], &["88", "", "y"]], show), "7     x\n88    y\n");
}

#[test]
fn a_highlighted_value_that_is_cut_stays_red() {
    let rows: &[&[&str]] = &[&["a name that is long", "Emergency room", "HighRisk"]];
    let fields = ["name", "other", "result"];
    let show = Show { color: true, header: false, width: Some(28), ..PIPE };
    let columns = Columns::of(&[]).highlight("other", |word| word == "Emergency room");
    let mut table = Table::new(&fields.map(str::to_owned), &columns, None);
    table.push(rows[0].iter().map(|cell| Cow::Borrowed(*cell))).expect("room");
    let mut out = Vec::new();
    table.write(show, &mut out).expect("written");
    let text = String::from_utf8(out).expect("text");
    assert_eq!(text, "a name …  \u{1b}[1;31mEmergen…\u{1b}[0m  HighRisk\n");
}

#[test]
fn a_highlighted_value_is_red_where_colour_is_wanted_and_keeps_its_columns_straight() {
    let rows: &[&[&str]] = &[&["7", "HighRisk", "x"], &["8", "Completed", "y"]];
    let show = Show { color: true, header: false, ..PIPE };
    let fields = ["id", "result", "end"];
    assert_eq!(shown(&fields, rows, show), "7  \u{1b}[1;31mHighRisk\u{1b}[0m   x\n8  Completed  y\n");
    assert_eq!(shown(&fields, rows, Show { color: false, ..show }), "7  HighRisk   x\n8  Completed  y\n");
    let block = Show { blocks: true, ..show };
    assert_eq!(shown(&fields, &rows[..1], block), "7\n\u{1b}[1;31mHighRisk\u{1b}[0m\nx\n");
}

proptest! {
    #[test]
    fn no_line_is_wider_than_its_terminal(
        rows in prop::collection::vec(prop::collection::vec(r"\PC{0,30}", 4), 1..6),
        wide in 38_usize..120,
    ) {
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        let text = shown(&["a", "b", "c", "d"], &rows, Show { width: Some(wide), ..PIPE });
        prop_assert_eq!(text.lines().count(), rows.len() + 1);
        for line in text.lines() {
            // Cells may join across the gap into one grapheme only to become narrower.
            prop_assert!(line.width() <= wide, "{} > {}: {:?}", line.width(), wide, line);
        }
    }

    #[test]
    fn a_shortened_text_has_room_and_says_that_it_is_short(text in r"\PC{0,40}", to in 1_usize..20) {
        let mut clipped = text.clone();
        if text.width() > to {
            clip(&mut clipped, to);
        }
        let lines: Vec<String> = layout(vec![vec![clipped]], &[to]).collect();
        prop_assert_eq!(lines.len(), 1);
        let short = lines[0].trim_end_matches(' ');
        // A wide character alone does not fit into a column of one.
        prop_assert!(short == text.trim_end_matches(' ') || (short.width() <= to.max(2) && short.ends_with('…')), "{:?}", short);
    }
}
