//! Measures the program against the public tools that one would use instead: the table of docs/speed.md.
//!
//! `cargo bench --bench compare -- [--rounds N] [WORD…]` runs every line, or those with a word in their text. Ratios
//! are what counts: both sides of a line run in turn on the same machine, several rounds, and the medians are compared.

#![allow(clippy::disallowed_methods, reason = "a program of its own, which prepares what it measures")]

mod lines;
mod pages;
mod tools;

use std::io::Write as _;

use anyhow::Context as _;

use self::lines::{LINES, Line, Measured, Stage};

fn main() -> anyhow::Result<()> {
    let mut words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [flag, file] = words.as_slice()
        && flag == lines::PARSE_ONLY
    {
        return lines::parse_only(file);
    }
    let mut rounds = 5;
    if let Some(at) = words.iter().position(|word| word == "--rounds") {
        rounds = words.get(at + 1).and_then(|word| word.parse().ok()).context("--rounds takes a number")?;
        words.drain(at..at + 2);
    }
    let missing = tools::missing();
    if !missing.is_empty() {
        anyhow::bail!("missing: {}; install them, for they are what is measured against", missing.join(", "));
    }
    let stage = Stage::set(rounds)?;
    say(&format!("{}. {} rounds, medians.", tools::machine(), rounds))?;
    say("The sandbox of this build serves where nothing else is said; pages: a server of prepared pages.\n")?;
    say("| what | ours | theirs | ratio | budget |\n| --- | --- | --- | --- | --- |")?;
    let wanted = |line: &&Line| words.is_empty() || words.iter().any(|word| line.what.contains(word.as_str()));
    for line in LINES.iter().filter(wanted) {
        match (line.measure)(&stage) {
            Ok(measured) => say(&row(line, &measured))?,
            Err(error) => say(&format!("| {} | {error:#} | | | {} |", line.what, line.budget))?,
        }
    }
    Ok(())
}

fn row(line: &Line, measured: &Measured) -> String {
    let Measured { ours, theirs, figure } = measured;
    let mark = if *figure > line.budget { " MISSED" } else { "" };
    format!("| {} | {ours} | {theirs} | {figure:.2}{mark} | ≤ {}{} |", line.what, line.budget, line.unit)
}

#[expect(clippy::disallowed_methods, reason = "a program of its own, which prints a table as it grows")]
fn say(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}
