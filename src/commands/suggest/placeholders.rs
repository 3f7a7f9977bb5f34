//! Placeholders and made-up names of files in a hint, filled from the line: its files, its projects and the name of a new one.

use std::ffi::OsString;
use std::path::Path;

use crate::commands::shared::commands_in_hints::may_be_a_project;
use crate::commands::shell::argv::is_one_of;
use crate::commands::suggest::dictionary::entry;
use crate::commands::suggest::foreign_words::COMMANDS;
use crate::commands::suggest::people::writes;
use crate::commands::suggest::values::is_file;
use crate::model::shell_word::shell_word;

/// How a hint names the project that people move to.
pub const OTHER: &str = "-p OTHER";
/// Options of other programs that name it; the first names the project that they leave.
pub const MOVES: &str = "--from --to --to-project --into --target --dest --destination --target-project --in \
    --new-project --into-project";
/// What hints call a file that they have written and the line does not name.
const SAMPLES: [&str; 5] = ["people.csv", "links.csv", "open.csv", "some.csv", "plan.ndjson"];
/// The one of them that has links.
const LINKS: &str = "links.csv";

/// The options of a line with their values, which may be the word behind each, and the words behind others.
fn pairs(words: &[OsString]) -> impl Iterator<Item = (&str, &str)> {
    words.windows(2).filter_map(|pair| {
        let (before, word) = (pair[0].to_str()?, pair[1].to_str()?);
        match word.split_once('=').filter(|(name, _)| name.starts_with('-')) {
            Some(joined) => Some(joined),
            None => Some((before, word)),
        }
    })
}

/// The hint with the name of the project that is to be created.
pub fn with_name(words: &[OsString], hint: &str) -> String {
    let mut names = words.iter().skip(1).filter_map(|word| word.to_str()).filter(|word| {
        let is_ours = word.starts_with('-') || ["projects", "create"].contains(word);
        !is_ours && entry(COMMANDS, &[], word).or(entry(COMMANDS, &["projects"], word)).is_none()
    });
    match names.next().filter(|_| names.next().is_none() && hint.contains("projects create NAME")).map(shell_word) {
        Some(name) => ["create", "get"].iter().fold(hint.to_owned(), |hint, verb| {
            hint.replace(&format!("projects {verb} NAME"), &format!("projects {verb} {name}"))
        }),
        None => hint.to_owned(),
    }
}

/// The hint with the projects that a line names between which people move.
pub fn with_projects(words: &[OsString], hint: &str) -> String {
    let mut hint = hint.to_owned();
    for (name, value) in pairs(words) {
        let is_project = is_one_of(MOVES, name) && may_be_a_project(value) && !is_file(value);
        if !is_project || !hint.contains(OTHER) {
            continue;
        }
        let value = shell_word(value);
        if name == "--from" {
            for verb in ["get ", "remove ", "list "] {
                hint = hint.replace(&format!("testtakers {verb}"), &format!("testtakers {verb}-p {value} "));
            }
        } else {
            hint = hint.replace(OTHER, &format!("-p {value}"));
        }
    }
    hint
}

/// A hint about commands that read or write a file, with the ones that the line names.
pub fn with_files(words: &[OsString], hint: &str) -> String {
    let (mut read, mut written, mut log) = (Vec::new(), Vec::new(), None);
    // What is exported into a file is written, whatever option the file stands behind.
    let exports = words.iter().any(|word| is_one_of("export download dump backup save", &word.to_string_lossy()));
    for (option, value) in pairs(words) {
        match () {
            () if option.starts_with("--log") && !value.starts_with('-') => log = Some(value),
            () if is_file(value) && (exports || writes(option)) => written.push(value),
            () if is_file(value) => read.push(value),
            () => {}
        }
    }
    let (mut filled, mut before) = (Vec::new(), "");
    for word in hint.split(' ') {
        let bare = word.trim_end_matches(['`', ',', '?']);
        let is_read = !before.starts_with("--") || matches!(before, "--file" | "--ids-from");
        let file = match (bare, read.as_slice(), written.as_slice()) {
            ("FILE" | "FILE.csv", [file], _) if is_read => Some(*file),
            ("FILE" | "FILE.csv", _, [file]) if before == "--to" => Some(*file),
            ("FILE.log", _, _) => log,
            _ => None,
        };
        filled.push(file.map_or_else(|| word.to_owned(), |file| word.replacen(bare, &shell_word(file), 1)));
        before = word.trim_start_matches('`');
    }
    filled.join(" ")
}

/// The hint with other names for the files that it would have written over one that is there, or that the line names.
pub fn with_free_names(words: &[OsString], hint: &str) -> String {
    let written: Vec<&str> =
        pairs(words).filter(|(option, file)| writes(option) && is_file(file)).map(|(_, file)| file).collect();
    let mut hint = match written.as_slice() {
        // Links go where the line has something written.
        [file] if *file != LINKS => hint.replace(&format!("--to {LINKS}"), &format!("--to {}", shell_word(file))),
        _ => hint.to_owned(),
    };
    for sample in SAMPLES {
        let is_written = ["--to", "--plan"].iter().any(|option| hint.contains(&format!("{option} {sample}")));
        if is_written && !written.contains(&sample) && is_taken(words, sample) {
            let (stem, ending) = sample.split_once('.').unwrap_or((sample, ""));
            let mut others = (2..1000).map(|number| format!("{stem}-{number}.{ending}"));
            if let Some(other) = others.find(|other| !is_taken(words, other)) {
                hint = hint.replace(&format!(" {sample}"), &format!(" {other}"));
            }
        }
    }
    hint
}

fn is_taken(words: &[OsString], name: &str) -> bool {
    Path::new(name).exists() || words.iter().any(|word| word.to_string_lossy().ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_the_line_has_is_not_made_up_again() {
        let words: Vec<OsString> = ["a", "links", "send", "open.csv", "--to=links.csv"].map(OsString::from).into();
        let hint = "`list --to open.csv` and `issue --file open.csv --to links.csv`";
        let other = "`list --to open-2.csv` and `issue --file open-2.csv --to links.csv`";
        assert_eq!(with_free_names(&words, hint), other);
        assert_eq!(with_free_names(&words[..3], hint), hint);
        for written in [["--out", "links.csv"], ["-o", "links.csv"], ["links", "--out=links.csv"]] {
            assert_eq!(
                with_free_names(&written.map(OsString::from), "`issue --to links.csv`"),
                "`issue --to links.csv`"
            );
        }
    }
}
