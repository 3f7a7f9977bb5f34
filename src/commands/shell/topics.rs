//! Topics of `help`: sections of the README, laid out for a terminal, so that both say the same.

use crate::output::wrapped;

const README: &str = include_str!("../../../README.md");
/// Each topic with the README's headings that make it up.
pub const TOPICS: [(&str, &[&str]); 6] = [
    ("exit-codes", &["Exit codes"]),
    ("environment", &["Variables"]),
    ("output", &["Output"]),
    ("rosters", &["Rosters", "Excel workbooks"]),
    ("profiles", &["Configure", "Profile keys"]),
    ("scripting", &["Recipes"]),
];

/// What is to be said on a topic in lines of this width; `None` where there is no such topic.
pub fn text(topic: &str, width: usize) -> Option<String> {
    let (_, headings) = TOPICS.into_iter().find(|(name, _)| *name == topic)?;
    Some(headings.iter().map(|heading| lay_out(section(heading), width)).collect::<Vec<_>>().join("\n"))
}

/// The exit codes and what each means, in the order of the README's table.
pub fn exit_codes() -> impl Iterator<Item = (u8, String)> {
    let rows = section("Exit codes").filter_map(cells);
    rows.flat_map(|row| {
        let [codes, meaning, ..] = row.as_slice() else { return Vec::new() };
        codes.split(", ").filter_map(|code| Some((code.parse().ok()?, meaning.clone()))).collect()
    })
}

/// The cells of a table's row without their marks; `None` for another line.
fn cells(line: &str) -> Option<Vec<String>> {
    let row = line.strip_prefix('|')?.trim_end_matches('|');
    Some(row.split('|').map(|cell| cell.trim().replace('`', "")).collect())
}

/// The README below a heading, up to the next one.
fn section(heading: &str) -> impl Iterator<Item = &'static str> {
    let mut fenced = false;
    let below = README.lines().skip_while(move |line| {
        line.strip_prefix('#').is_none_or(|line| line.trim_start_matches('#').trim() != heading)
    });
    below.skip(1).take_while(move |line| {
        fenced ^= line.starts_with("```");
        fenced || !line.starts_with('#')
    })
}

/// Markdown as plain text: paragraphs filled, code indented, tables as terms and what they mean.
fn lay_out<'a>(lines: impl Iterator<Item = &'a str>, width: usize) -> String {
    let mut out = String::new();
    let (mut paragraph, mut table, mut fenced) = (String::new(), Vec::new(), false);
    for line in lines.chain([""]) {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if fenced {
            out.push_str(format!("  {line}").trim_end());
            out.push('\n');
        } else if let Some(row) = cells(line) {
            table.push(row);
        } else if line.is_empty() {
            end_table(&mut out, &std::mem::take(&mut table), width);
            fill(&mut out, ("", ""), &plain(&std::mem::take(&mut paragraph)), width);
            if !out.is_empty() && !out.ends_with("\n\n") {
                out.push('\n');
            }
        } else {
            paragraph.push(' ');
            paragraph.push_str(line);
        }
    }
    out.trim_end().to_owned() + "\n"
}

/// A table's rows: the first cell, then the others below each other beside it. Its header names nothing new.
fn end_table(out: &mut String, rows: &[Vec<String>], width: usize) {
    let rows = rows.get(2..).unwrap_or_default();
    let widest = rows.iter().filter_map(|row| row.first()).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let indent = " ".repeat(widest + 2);
    for row in rows {
        let Some((term, meanings)) = row.split_first() else { continue };
        let mut first = format!("{term:widest$}  ");
        for meaning in meanings.iter().filter(|meaning| !meaning.is_empty()) {
            fill(out, (&first, &indent), meaning, width);
            first.clone_from(&indent);
        }
    }
}

/// Words in lines of a width, what is to be typed in one piece.
fn fill(out: &mut String, (first, indent): (&str, &str), text: &str, width: usize) {
    if text.is_empty() {
        return;
    }
    let room = width.saturating_sub(indent.len());
    let lines = wrapped(text, room, room);
    out.push_str(first);
    out.push_str(&lines.join(&format!("\n{indent}")));
    out.push('\n');
}

/// A paragraph without the marks of what is bold, and without the targets of its links.
fn plain(paragraph: &str) -> String {
    let text = paragraph.trim().replace("**", "");
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some((before, label, after)) = rest.split_once("](").and_then(|(before, target)| {
        let (before, label) = before.rsplit_once('[')?;
        Some((before, label, target.split_once(')')?.1))
    }) {
        out.push_str(before);
        out.push_str(label);
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_something_to_say_within_the_width_and_without_marks() {
        for ((topic, _), width) in TOPICS.into_iter().flat_map(|topic| [(topic, 80), (topic, 100)]) {
            let text = text(topic, width).expect("a topic");
            assert!(text.lines().count() > 4, "{topic}: {text}");
            let lines = || text.lines().filter(|line| !line.starts_with("  "));
            let wide: Vec<_> = lines().filter(|line| line.chars().count() > width).collect();
            assert!(wide.is_empty(), "{topic}: {wide:?}");
            assert!(lines().all(|line| !line.contains("**") && !line.contains("](")), "{topic}: {text}");
        }
        assert_eq!(text("weather", 80), None);
    }

    #[test]
    fn each_exit_code_has_a_meaning_of_the_table() {
        let codes: Vec<(u8, String)> = exit_codes().collect();
        assert_eq!(codes.iter().map(|(code, _)| *code).collect::<Vec<_>>()[..4], [0, 1, 2, 3]);
        assert!(codes.iter().any(|(code, meaning)| *code == 143 && meaning.starts_with("interrupted")), "{codes:?}");
        assert!(codes.iter().all(|(_, meaning)| meaning.len() > 10 && !meaning.contains('`')), "{codes:?}");
    }

    #[test]
    fn markdown_becomes_plain_text() {
        let text = "**One** `two`\n[three](four).\n\n```sh\nls\n\n# no heading\n```\n\n| a | b |\n| --- | --- |\n| `x` | why |\n| long | | how |\n";
        let expected = "One `two` three.\n\n  ls\n\n  # no heading\n\nx     why\nlong  how\n";
        assert_eq!(lay_out(text.lines(), 80), expected);
    }
}
