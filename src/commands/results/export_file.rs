//! A file of an export: its name, its format, its fields, and whether there is anything in it.

use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead as _};
use std::path::Path;

use crate::commands::shared::project_args::Member;
use crate::commands::shared::session::Session;
use crate::files::{is_stream, open_to_read};
use crate::model::cell::Cell;
use crate::model::file_name::safe_name;
use crate::model::output_format::Format;
use crate::output::{self, Columns, Printer, Shape, xlsx};

/// The fields of an export: those of the list, after the project where it can be one of several.
pub struct ExportFields<'a> {
    names: Vec<&'a str>,
    /// Whether each record says whose it is.
    pub several: bool,
}

impl<'a> ExportFields<'a> {
    /// `several`: whether records of several projects may stand in one file.
    pub fn new(columns: &Columns<'a>, several: bool) -> Self {
        let project: &[&str] = if several { &["project", "projectId"] } else { &[] };
        Self { names: [project, columns.names()].concat(), several }
    }

    /// Starts a file; a mistyped `--fields` ends here.
    pub fn printer(&self, session: &Session, format: Format, path: &Path) -> Result<Printer, output::Error> {
        let columns = Columns::of(&self.names).called("result", "results");
        let options = output::Options { format, to: Some(path.to_owned()), ..session.show.clone() };
        Printer::new(&columns, Shape::Many, &options)
    }

    /// What stands before a project's records: its name and id where there can be several.
    pub fn project<'m>(&self, member: &'m Member) -> Vec<Cell<'m>> {
        if self.several { vec![(&member.name).into(), member.id.to_string().into()] } else { Vec::new() }
    }
}

/// Digits of a project's id that tell its file from that of a namesake, as a rule.
const DIGITS: usize = 8;

/// A file for each project: its name as far as a file can have it, and the beginning of its id, so that neither two
/// projects of one name nor a later namesake ever share a file.
pub fn names(members: &[Member], format: Format) -> Vec<String> {
    let short: Vec<String> = members.iter().map(|member| name(member, DIGITS, format)).collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for name in &short {
        *counts.entry(name.to_lowercase()).or_default() += 1;
    }
    let names = members.iter().zip(short).map(|(member, short)| {
        if counts[&short.to_lowercase()] > 1 { name(member, usize::MAX, format) } else { short }
    });
    names.collect()
}

fn name(member: &Member, digits: usize, format: Format) -> String {
    let ending = format.ending();
    let id = member.id.to_string();
    format!("{}-{}.{ending}", safe_name(&member.name, "project"), &id[..digits.min(id.len())])
}

/// Files of these projects under names that they had before: they grow old unseen. `all` is what stands in the folder.
pub fn of_old_names(members: &[Member], names: &[String], all: &[String]) -> Vec<String> {
    let mut old = Vec::new();
    let ids: HashMap<String, &String> =
        members.iter().zip(names).map(|(member, name)| (member.id.to_string()[..DIGITS].to_owned(), name)).collect();
    let current: HashSet<&String> = names.iter().collect();
    for found in all.iter().filter(|found| !current.contains(found)) {
        let Some((stem, ending)) = found.rsplit_once('.') else { continue };
        let id = stem.rsplit_once('-').map_or("", |(_, id)| id);
        let Some(name) = ids.get(id) else { continue };
        if name.rsplit_once('.').is_some_and(|(_, own)| own == ending) {
            old.push(found.clone());
        }
    }
    old.sort();
    old
}

/// Whether a file has results in it. One that cannot be read may have some.
pub fn has_rows(path: &Path, format: Format, header: bool) -> bool {
    // Opening a pipe would wait for its other end.
    if is_stream(path) {
        return false;
    }
    let file = match open_to_read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return false,
        Err(_) => return true,
        Ok(file) => file,
    };
    if format == Format::Xlsx {
        return xlsx::has_rows(file, header);
    }
    let Ok(lines) = first_lines(file, 2) else { return true };
    match format {
        Format::Xlsx => true,
        Format::Csv | Format::Table => lines.len() > usize::from(header),
        Format::Json => lines.first().is_some_and(|line| line.trim() != "[]"),
        Format::Ndjson => !lines.is_empty(),
    }
}

/// As much of a file as its first lines are looked for in.
const FIRST_LINES: u64 = 1 << 20;

/// The first `count` lines of a text, whatever their encoding and however long they are.
fn first_lines(text: impl io::Read, count: usize) -> io::Result<Vec<String>> {
    let mut text = io::BufReader::new(text.take(FIRST_LINES));
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while lines.len() < count && text.read_until(b'\n', &mut line)? > 0 {
        lines.push(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, id: &str) -> Member {
        Member { name: name.to_owned(), id: id.parse().expect("an id") }
    }

    #[test]
    fn a_files_name_is_the_projects_as_far_as_it_can_be_and_never_shared() {
        let members = [
            member("Night shift/north", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690"),
            member("NIGHT shift:north", "3f8a1c52-0000-4b7f-9a35-2c1d84e7b690"),
            member("", "aaaaaaaa-0000-4b7f-9a35-2c1d84e7b690"),
        ];
        assert_eq!(
            names(&members, Format::Csv),
            [
                "Night-shift-north-3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690.csv",
                "NIGHT-shift-north-3f8a1c52-0000-4b7f-9a35-2c1d84e7b690.csv",
                "project-aaaaaaaa.csv"
            ]
        );
    }

    #[test]
    fn a_file_under_a_projects_former_name_is_found() {
        let members = [member("Night", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690")];
        let now = names(&members, Format::Csv);
        let all = ["Night-3f8a1c52.csv", "Day-3f8a1c52.csv", "Day-3f8a1c52.json", "Day-aaaaaaaa.csv", "notes.csv"];
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        assert_eq!(of_old_names(&members, &now, &all), ["Day-3f8a1c52.csv"]);
    }

    #[test]
    fn the_file_of_a_project_whose_id_begins_alike_is_no_former_one() {
        let alike = ["3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690", "3f8a1c52-0000-4b7f-9a35-2c1d84e7b690"];
        let members = [member("Night", alike[0]), member("Day", alike[1])];
        let now = names(&members, Format::Csv);
        assert_eq!(of_old_names(&members, &now, &now), [""; 0]);
    }

    #[test]
    fn whether_a_file_had_rows_is_seen_in_each_format() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        assert!(!has_rows(&path, Format::Csv, true));
        for (text, format, header, expected) in [
            ("id\n", Format::Csv, true, false),
            ("id\n1\n", Format::Csv, true, true),
            ("1\n", Format::Csv, false, true),
            ("", Format::Csv, false, false),
            ("[]\n", Format::Json, true, false),
            ("[\n  {\n", Format::Json, true, true),
            ("", Format::Ndjson, true, false),
            ("{}\n", Format::Ndjson, true, true),
        ] {
            std::fs::write(&path, text).expect("written");
            assert_eq!(has_rows(&path, format, header), expected, "{text:?}");
        }
    }
}
