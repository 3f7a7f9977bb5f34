//! Pages of help: short, no wider than the terminal, with examples that the program takes.

use crate::support::env::{Env, words};
use crate::support::terminal::Terminal;

/// Every page: its command, and what the program prints at this width.
pub(crate) fn pages(columns: u16) -> Vec<(String, String)> {
    let env = Env::new().with("COLUMNS", columns.to_string());
    let (mut found, mut open) = (Vec::new(), vec![String::new()]);
    while let Some(command) = open.pop() {
        let page = env.line(&format!("{command} --help")).data();
        open.extend(listed(&page).map(|name| format!("{command} {name}").trim().to_owned()));
        found.push((command, page));
    }
    found
}

/// The commands that a page lists.
fn listed(page: &str) -> impl Iterator<Item = &str> {
    let block = page.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    block.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next())
}

/// The lines to type that a page shows.
fn examples(page: &str) -> Vec<&str> {
    let is_title = |line: &&str| *line == "Examples:" || line.starts_with("Try it");
    let block = page.lines().skip_while(|line| !is_title(line)).skip(1);
    block.take_while(|line| !line.is_empty()).collect()
}

#[test]
fn every_page_is_short_and_fits_its_terminal() {
    for columns in [80, 100] {
        let pages = pages(columns);
        assert!(pages.len() > 20, "{}", pages.len());
        for (command, page) in &pages {
            let most = if command.is_empty() { 45 } else { 40 };
            assert!(page.lines().count() <= most, "{command} at {columns}: {} lines\n{page}", page.lines().count());
            let long = page.lines().find(|line| line.chars().count() > usize::from(columns));
            assert_eq!(long, None, "{command} at {columns}");
        }
    }
    for columns in [60, 140] {
        for command in ["--help", "results list --help", "config set --help"] {
            let (code, screen) = Terminal::start(&Env::new(), columns, &words(command)).ends();
            assert!(code == 0 && !screen.wraps(), "{command} at {columns}:\n{}", screen.text());
        }
    }
}

/// The lines of a page that describe a command, an argument or an option.
fn described(page: &str) -> Vec<&str> {
    let titles = ["Commands:", "Arguments:", "Options:", "Output:", "Global options:"];
    let mut blocks = page.split("\n\n").map(|block| block.lines());
    let of_title = |block: &mut std::str::Lines| block.next().is_some_and(|title| titles.contains(&title));
    std::iter::from_fn(|| blocks.next())
        .filter_map(|mut block| of_title(&mut block).then_some(block))
        .flatten()
        .collect()
}

#[test]
fn an_option_and_a_command_have_one_line_of_help_each() {
    for (command, page) in pages(400) {
        let lines = described(&page);
        assert!(lines.iter().any(|line| line.contains("--help")), "{command}: {page}");
        for line in lines {
            let help = line.trim_start().split_once("  ").map(|(_, help)| help.trim());
            assert!(help.is_some_and(|help| help.chars().count() <= 80), "{command}: {line}");
        }
    }
}

#[test]
fn every_example_is_a_line_that_the_program_takes() {
    let env = Env::new();
    // What is taken gets as far as this mistake, or needs no configuration.
    env.configure("this is no TOML\n");
    for folder in ["man1", "sites"] {
        std::fs::create_dir(env.work().join(folder)).expect("a folder");
    }
    let narrow = pages(80);
    for (command, page) in pages(400) {
        let examples = examples(&page);
        assert!(!examples.is_empty() || listed(&page).next().is_some(), "{command} has no examples");
        for example in examples {
            let line = &example[example.find("assessctl ").expect("an example is a command of ours")..];
            let end = [" > ", " | ", " && ", ")"].iter().filter_map(|end| line.find(end)).min().unwrap_or(line.len());
            let said = env.run(&words(&line[..end])[1..]);
            let is_taken = said.code == 0
                || said.to_string().contains("config.toml:1: ")
                || said.to_string().contains("cannot read ");
            assert!(is_taken, "{line}: {said}");
            let is_whole = |page: &String| page.lines().any(|line| line == example);
            assert!(narrow.iter().any(|(_, page)| is_whole(page)), "{command} breaks {example}");
        }
    }
}
