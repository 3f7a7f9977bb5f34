//! Names of files that a hint makes up: none that is there already, as the line of the hint would replace it.

use std::ffi::OsString;
use std::path::Path;

use crate::commands::shell::value_hints::is_file;
use crate::commands::shell::whom::writes;
use crate::model::shell_word::shell_word;

/// What hints call a file that they have written and nobody has named.
const SAMPLES: [&str; 5] = ["people.csv", "links.csv", "open.csv", "some.csv", "plan.ndjson"];
/// The one of them that has links.
const LINKS: &str = "links.csv";
/// Options of hints before a file that is written.
const WRITTEN: [&str; 2] = ["--to", "--plan"];

/// The hint with other names for the files that it would have written over one that is there, or that the line names.
pub fn with_free_names(words: &[OsString], hint: &str) -> String {
    // Links go where the line has something written.
    let mut hint = match written(words) {
        Some(file) if !names(words, LINKS) => {
            hint.replace(&format!("--to {LINKS}"), &format!("--to {}", shell_word(file)))
        }
        _ => hint.to_owned(),
    };
    for sample in SAMPLES {
        let is_written =
            WRITTEN.iter().any(|option| hint.contains(&format!("{option} {sample}")) && !names(words, sample));
        if is_written && is_taken(words, sample) {
            let (stem, ending) = sample.split_once('.').unwrap_or((sample, ""));
            let mut others = (2..1000).map(|number| format!("{stem}-{number}.{ending}"));
            if let Some(other) = others.find(|other| !is_taken(words, other)) {
                hint = hint.replace(&format!(" {sample}"), &format!(" {other}"));
            }
        }
    }
    hint
}

/// The file that a line has written, of which it names a single one.
fn written(words: &[OsString]) -> Option<&str> {
    let joined = words.iter().filter_map(|word| word.to_str()?.split_once('='));
    let apart = words.windows(2).filter_map(|pair| Some((pair[0].to_str()?, pair[1].to_str()?)));
    let mut all = joined.chain(apart).filter(|(option, value)| writes(option) && is_file(value)).map(|(_, file)| file);
    all.next().filter(|_| all.next().is_none())
}

/// Whether a line itself has this file written.
fn names(words: &[OsString], file: &str) -> bool {
    let mut joined = words.iter().filter_map(|word| word.to_str()?.split_once('='));
    joined.any(|(option, value)| writes(option) && value == file)
        || words.windows(2).any(|pair| pair[1] == file && pair[0].to_str().is_some_and(writes))
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
