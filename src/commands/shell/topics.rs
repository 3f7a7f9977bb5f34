//! Topics of `help`: sections of the README, laid out for a terminal, so that both say the same.

const README: &str = include_str!("../../../README.md");
/// Columns that fit any terminal.
const WIDTH: usize = 80;

/// Each topic with the README's headings that make it up.
pub const TOPICS: [(&str, &[&str]); 6] = [
    ("exit-codes", &["Exit codes"]),
    ("environment", &["Variables"]),
    ("output", &["Output"]),
    ("rosters", &["Rosters", "Excel workbooks"]),
    ("profiles", &["Configure", "Profile keys"]),
    ("scripting", &["Recipes"]),
];

/// What is to be said on a topic; `None` where there is no such topic.
pub fn text(topic: &str) -> Option<String> {
    let (_, headings) = TOPICS.into_iter().find(|(name, _)| *name == topic)?;
    Some(headings.iter().map(|heading| lay_out(section(heading))).collect::<Vec<_>>().join("\n"))
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
fn lay_out<'a>(lines: impl Iterator<Item = &'a str>) -> String {
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
            end_table(&mut out, &std::mem::take(&mut table));
            fill(&mut out, "", "", &std::mem::take(&mut paragraph));
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
fn end_table(out: &mut String, rows: &[Vec<String>]) {
    let rows = rows.get(2..).unwrap_or_default();
    let widest = rows.iter().filter_map(|row| row.first()).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let indent = " ".repeat(widest + 2);
    for row in rows {
        let Some((term, meanings)) = row.split_first() else { continue };
        let mut first = format!("{term:widest$}  ");
        for meaning in meanings.iter().filter(|meaning| !meaning.is_empty()) {
            fill(out, &first, &indent, meaning);
            first.clone_from(&indent);
        }
    }
}

/// Words in lines of at most [`WIDTH`] characters.
fn fill(out: &mut String, first: &str, indent: &str, text: &str) {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out.push_str(line.trim_end());
            out.push('\n');
            indent.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    if !empty {
        out.push_str(&line);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_has_something_to_say_within_eighty_columns() {
        for (topic, _) in TOPICS {
            let text = text(topic).expect("a topic");
            assert!(text.lines().count() > 4, "{topic}: {text}");
            let wide: Vec<_> =
                text.lines().filter(|line| !line.starts_with("  ") && line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{topic}: {wide:?}");
        }
        assert_eq!(text("weather"), None);
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
        let text = "One `two`\nthree.\n\n```sh\nls\n\n# no heading\n```\n\n| a | b |\n| --- | --- |\n| `x` | why |\n| long | | how |\n";
        let expected = "One `two` three.\n\n  ls\n\n  # no heading\n\nx     why\nlong  how\n";
        assert_eq!(lay_out(text.lines()), expected);
    }
}
