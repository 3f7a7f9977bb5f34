//! Readings: what the sandbox does where the specification says "not shown", says two things, or says nothing.

/// The table of all readings.
const TABLE: &str = include_str!("readings.md");

/// One place where the specification leaves something open, and how the sandbox reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Counted from 1, in the order of the specification; "not shown" first, then contradictions and silences.
    pub number: u16,
    /// The section of the specification.
    pub section: &'static str,
    pub open: &'static str,
    /// How the sandbox behaves.
    pub behaviour: &'static str,
    /// The test that shows it.
    pub test: &'static str,
}

/// All readings: the rows of the table that begin with a number.
pub fn readings() -> impl Iterator<Item = Reading> {
    TABLE.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ").collect();
        let [number, section, open, behaviour, test] = cells[..] else { return None };
        Some(Reading { number: number.parse().ok()?, section, open, behaviour, test: test.trim_matches('`') })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Every Rust source below a folder, one after the other.
    fn sources(folder: &Path) -> String {
        let mut text = String::new();
        for entry in fs::read_dir(folder).expect("a folder of the project") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                text.push_str(&sources(&path));
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                text.push_str(&fs::read_to_string(&path).expect("a source file"));
            }
        }
        text
    }

    #[test]
    fn each_reading_names_a_test_that_exists() {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sandbox"));
        for reading in readings() {
            let test = format!("#[test]\nfn {}() {{", reading.test);
            assert!(sources.contains(&test), "{}: {}", reading.number, reading.test);
        }
    }

    #[test]
    fn readings_are_numbered_from_1() {
        let rows = TABLE.lines().filter(|line| line.starts_with("| ")).count() - 2;
        assert_eq!(
            readings().map(|reading| usize::from(reading.number)).collect::<Vec<_>>(),
            (1..=rows).collect::<Vec<_>>()
        );
    }
}
