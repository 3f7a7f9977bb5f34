//! The picture of the README: what a terminal shows, drawn from the real program's output.
//!
//! `SNAPSHOTS=overwrite cargo test --test it picture` draws it anew.

use std::fmt::Write as _;
use std::path::Path;

use crate::harness::Env;
use crate::pty::{Piece, Terminal};
use crate::words;

const COLUMNS: u16 = 92;
/// Pixels of a character and of a line.
const CELL: (f64, f64) = (8.4, 20.0);
const MARGIN: f64 = 20.0;

/// What is typed in the picture.
const STORY: [&str; 4] = [
    "assessctl testtakers import demo/site-roster.csv",
    "assessctl testtakers import demo/site-roster.csv",
    "assessctl results list --flagged",
    "assessctl testtakers delete ref:EMP-00018",
];

fn color(color: vt100::Color) -> &'static str {
    match color {
        vt100::Color::Idx(1 | 9) => "#ff7b72",
        vt100::Color::Idx(2 | 10) => "#7ee787",
        vt100::Color::Idx(3 | 11) => "#f2cc60",
        vt100::Color::Idx(4 | 12) => "#79c0ff",
        vt100::Color::Idx(5 | 13) => "#d2a8ff",
        vt100::Color::Idx(6 | 14) => "#a5d6ff",
        vt100::Color::Idx(8) => "#8b949e",
        _ => "#e6edf3",
    }
}

fn plain(text: &str, color: vt100::Color, bold: bool) -> Piece {
    Piece { text: text.to_owned(), color, bold }
}

/// Every line of the story, prompts included.
fn lines() -> Vec<Vec<Piece>> {
    let env = Env::sandbox().with("TZ", "UTC");
    std::fs::create_dir(env.work().join("demo")).expect("a folder");
    let roster = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/site-roster.csv");
    env.write("demo/site-roster.csv", std::fs::read(roster).expect("a roster"));
    let mut lines = Vec::new();
    for (place, typed) in STORY.into_iter().enumerate() {
        if place == 2 {
            let set = "sandbox set ref:EMP-00018 --result HighRisk --completed 2026-03-01T06:40:00Z";
            let _ = env.line(set).ok();
            let _ = env.line("sandbox set ref:EMP-00021 --result Fatigued --completed 2026-03-01T06:55:00Z").ok();
            let _ = env.line("sandbox set ref:EMP-00017 --result Completed --completed 2026-03-01T07:05:00Z").ok();
        }
        if place > 0 {
            lines.push(Vec::new());
        }
        lines.push(vec![plain("$ ", vt100::Color::Idx(2), true), plain(typed, vt100::Color::Default, true)]);
        let args = words::split(typed);
        let args: Vec<&str> = args.iter().skip(1).map(String::as_str).collect();
        let (_, screen) = Terminal::start(&env, COLUMNS, &args).ends();
        lines.extend(screen.pieces());
    }
    lines
}

fn number(count: usize) -> f64 {
    f64::from(u16::try_from(count).expect("a picture of a screen"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn drawn(lines: &[Vec<Piece>]) -> String {
    let (width, height) = (f64::from(COLUMNS) * CELL.0 + 2.0 * MARGIN, number(lines.len()) * CELL.1 + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">\n\
         <title>assessctl in a terminal</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"#0d1117\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n"
    );
    for (row, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let y = MARGIN + (number(row) + 0.75) * CELL.1;
        let mut column = 0;
        for piece in line {
            let count = piece.text.chars().count();
            let lead = count - piece.text.trim_start().chars().count();
            let x = MARGIN + number(column + lead) * CELL.0;
            column += count;
            let text = piece.text.trim();
            if text.is_empty() {
                continue;
            }
            let length = number(text.chars().count()) * CELL.0;
            let weight = if piece.bold { " font-weight=\"bold\"" } else { "" };
            let (fill, text) = (color(piece.color), escaped(text));
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{fill}\"{weight} textLength=\"{length:.1}\" xml:space=\"preserve\">{text}</text>"
            );
        }
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn the_picture_of_the_readme_shows_what_the_program_says() {
    let lines = lines();
    let said: Vec<String> = lines.iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect()).collect();
    for shown in ["6 enrolled in Demo (sandbox)", "HighRisk", "hint: did you mean"] {
        assert!(said.iter().any(|line| line.contains(shown)), "{shown} in {said:#?}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/terminal.svg");
    snapbox::assert_data_eq!(drawn(&lines), snapbox::Data::read_from(&file, None).raw());
}
