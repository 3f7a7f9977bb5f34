//! The summary of a project as a picture on a terminal: a bar for each result, then the rates.

use std::fmt::Write as _;

use crate::commands::results::result_words::FlaggedArg;
use crate::commands::results::statistics::Tally;
use crate::model::counted::thousands;
use crate::model::sanitize::escape_controls;
use crate::model::time::utc_minute;
use crate::output::ansi_codes::{BOLD, DIM, GREEN, PLAIN, RED};

/// Widest bar, however wide the terminal.
const WIDEST: usize = 40;
/// Parts of a character by eighths, the empty one first.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// Draws a project's results for a terminal of this many columns. Flagged results are red where there is colour.
pub fn of(project: &str, tally: &Tally, flagged: &FlaggedArg, columns: usize, color: bool) -> String {
    let title = painted(if color { BOLD } else { "" }, &escape_controls(project));
    let mut drawn = format!("{title}  {} enrolled\n\n", thousands(tally.enrolled));
    let mut rows: Vec<(String, u64, &str)> = Vec::new();
    for (word, count) in tally.shares() {
        let code = match word {
            _ if flagged.has(Some(word)) => RED,
            "Completed" => GREEN,
            _ => "",
        };
        rows.push((escape_controls(word).into_owned(), count, code));
    }
    if tally.without > 0 {
        rows.push(("no result".to_owned(), tally.without, DIM));
    }
    let name = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let most = rows.iter().map(|(_, count, _)| *count).max().unwrap_or(0);
    let number = thousands(most).len();
    let room = columns.saturating_sub(name + number + 13).clamp(4, WIDEST);
    for (word, count, code) in &rows {
        let (bar, length) = bar(*count, most, room);
        let (pad_name, pad_bar) = (name - word.chars().count(), room - length);
        let share = percent(ratio(*count, tally.enrolled));
        let bar = painted(if color { code } else { "" }, &bar);
        // Writing into a String does not fail.
        let _ =
            writeln!(drawn, "{word}{:pad_name$}  {bar}{:pad_bar$}  {:>number$}  {share:>6}", "", "", thousands(*count));
    }
    if !rows.is_empty() {
        drawn.push('\n');
    }
    drawn + &rates(tally, flagged, columns)
}

/// A text in a colour; as it is without one.
fn painted(code: &str, text: &str) -> String {
    if code.is_empty() { text.to_owned() } else { format!("{code}{text}{PLAIN}") }
}

fn rate_or_none(rate: Option<f64>) -> String {
    rate.map_or_else(|| "none".to_owned(), percent)
}

fn rates(tally: &Tally, flagged: &FlaggedArg, columns: usize) -> String {
    let mut said = format!(
        "completion  {:>7}  of {} enrolled\nsafety      {:>7}  of {} completed\n{}",
        rate_or_none(tally.completion_rate()),
        thousands(tally.enrolled),
        rate_or_none(tally.safety_rate()),
        thousands(tally.completed),
        list("flagged: ", &flagged.words(), columns),
    );
    if tally.unlisted() > 0 {
        // The rates are read beside it: a line that no terminal breaks.
        let _ = writeln!(said, "unlisted, not counted as safe: {}", thousands(tally.unlisted()));
    }
    if tally.completed_without > 0 {
        let _ =
            writeln!(said, "completed without a result, not counted as safe: {}", thousands(tally.completed_without));
    }
    if let Some(oldest) = tally.oldest_open {
        let _ = writeln!(said, "oldest open invitation  {}", utc_minute(oldest));
    }
    said
}

/// Words after a title, over as many lines as they need.
fn list(title: &str, words: &[&str], columns: usize) -> String {
    let (mut lines, mut line) = (String::new(), title.to_owned());
    for (place, word) in words.iter().enumerate() {
        let word = format!("{}{}", escape_controls(word), if place + 1 < words.len() { ", " } else { "" });
        if line.chars().count() + word.trim_end().chars().count() > columns && line.trim() != title.trim() {
            lines = lines + line.trim_end() + "\n";
            line = " ".repeat(title.len());
        }
        line += &word;
    }
    lines + line.trim_end() + "\n"
}

/// A share, 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "nobody enrols 2^52 people")]
pub fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn percent(rate: f64) -> String {
    format!("{:.1} %", rate * 100.0)
}

/// A bar and its length in characters: a count above zero has at least an eighth of one.
fn bar(count: u64, most: u64, room: usize) -> (String, usize) {
    let eighths = u128::from(count) * 8 * room as u128 / u128::from(most.max(1));
    let eighths = usize::try_from(eighths).unwrap_or(0).max(usize::from(count > 0));
    let part = EIGHTHS[eighths % 8];
    ("█".repeat(eighths / 8) + part, eighths / 8 + usize::from(!part.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_its_room_and_shows_the_fewest() {
        assert_eq!(bar(10, 10, 4), ("████".to_owned(), 4));
        assert_eq!(bar(1, 1_000_000, 4), ("▏".to_owned(), 1));
        assert_eq!(bar(5, 8, 2), ("█▎".to_owned(), 2));
        assert_eq!(bar(0, 8, 2), (String::new(), 0));
    }

    #[test]
    fn a_list_of_words_stays_within_its_columns() {
        assert_eq!(list("flagged: ", &["HighRisk", "Fatigued", "x"], 20), "flagged: HighRisk,\n         Fatigued, x\n");
        assert_eq!(list("flagged: ", &["HighRisk"], 10), "flagged: HighRisk\n");
    }
}
