//! `--project-column`: which project each row names, and the file taken apart by them.

use std::collections::HashMap;

use super::cell_places::CellPlace;
use super::compact_rows::Rows;
use super::{About, Mistake, Roster};

/// A row that names no project.
const NONE: u32 = u32::MAX;

/// The projects that the rows of a file name, 4 bytes a row; empty where no column names any.
#[derive(Clone, Debug, Default)]
pub struct ProjectCells {
    /// Each spelling once, as it stands in the file, with the place of its first cell.
    names: Vec<(Box<str>, CellPlace)>,
    numbers: HashMap<Box<str>, u32>,
    of_row: Vec<u32>,
}

impl ProjectCells {
    /// Notes what the next row names; the name's number is the answer, `None` for an empty cell.
    pub(super) fn push(&mut self, name: &str, place: CellPlace) -> Option<u32> {
        if name.is_empty() {
            self.push_none();
            return None;
        }
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = u32::try_from(self.names.len()).unwrap_or(NONE);
            self.names.push((name.into(), place));
            self.numbers.insert(name.into(), number);
            number
        });
        self.of_row.push(number);
        Some(number)
    }

    /// Notes that the next row names none.
    pub(super) fn push_none(&mut self) {
        self.of_row.push(NONE);
    }

    /// The number of the name that a row has.
    pub(super) fn of_row(&self, row: usize) -> Option<u32> {
        self.of_row.get(row).copied().filter(|number| *number != NONE)
    }

    /// Each spelling once, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| &**name)
    }
}

impl Roster {
    /// Adds what is wrong with a project's name, at its first cell. The file as a whole cannot be sent: its people would
    /// belong to no project. The name is not quoted, because a column that moved has other things in it.
    pub fn refuse_project(&mut self, name: usize, message: &str) {
        let Some((_, place)) = self.projects.names.get(name).map(|(name, place)| (name, *place)) else { return };
        self.mistakes.push(Mistake::new(place, None, About::Project, message));
        self.mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
    }

    /// The line on which a project is named first.
    pub fn project_line(&self, name: usize) -> u32 {
        self.projects.names.get(name).map_or(0, |(_, place)| place.line)
    }

    /// Takes the file apart. `parts` says for each name to which part its rows belong; the last of the answer has the rows
    /// that name no project. Rows keep their lines, their cells and their mistakes.
    pub fn parted(&self, parts: &[usize]) -> Vec<Self> {
        let count = parts.iter().max().map_or(0, |last| last + 1);
        let mut rows = vec![Rows::default(); count + 1];
        let mut mistakes: HashMap<usize, Vec<&Mistake>> = HashMap::new();
        for mistake in &self.mistakes {
            mistakes.entry(mistake.row.unwrap_or(usize::MAX)).or_default().push(mistake);
        }
        let mut of_parts = vec![Vec::new(); count + 1];
        for row in 0..self.row_count() {
            let name = self.projects.of_row(row);
            let part = name.and_then(|name| parts.get(name as usize)).copied().unwrap_or(count);
            let place = rows[part].len();
            rows[part].push_from(&self.rows, row);
            let theirs = mistakes.get(&row).into_iter().flatten();
            of_parts[part].extend(theirs.map(|mistake| Mistake { row: Some(place), ..(*mistake).clone() }));
        }
        let parts = rows.into_iter().zip(of_parts).map(|(mut rows, mistakes)| {
            rows.shrink();
            Self { mistakes, ..self.with_rows(rows) }
        });
        parts.collect()
    }

    /// A roster of some of the rows, in their order, without their mistakes.
    pub fn of_rows(&self, of: &[usize]) -> Self {
        let mut rows = Rows::default();
        for row in of {
            rows.push_from(&self.rows, *row);
        }
        self.with_rows(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ReadOptions, read};
    use super::*;
    use crate::bulk::roster::Field;

    fn roster(csv: &str) -> Roster {
        let options = ReadOptions { project_column: Some("Site".into()), ..ReadOptions::default() };
        read(csv.as_bytes(), "r.csv", &options).expect("a roster")
    }

    #[test]
    fn a_file_is_taken_apart_by_its_projects_and_rows_keep_lines_and_mistakes() {
        let text = "email,site,birthYear\na@b,North,1980\nc@d,South,19x4\ne@f,,1980\ng@h, North ,1980\n";
        let roster = roster(text);
        assert_eq!(roster.projects.names().collect::<Vec<_>>(), ["North", "South"]);
        let told: Vec<String> = roster.mistakes.iter().map(|mistake| roster.told(mistake)).collect();
        assert_eq!(
            told,
            ["3:11: birthYear: \"19x4\" is not a whole number", "4:5: project: is empty: the row names no project"]
        );
        let parts = roster.parted(&[0, 1]);
        let emails = |part: &Roster| -> Vec<(u32, String)> {
            let each = (0..part.row_count()).map(|row| (part.line(row), part.value(row, Field::Email)));
            each.map(|(line, email)| (line, email.unwrap_or_default().to_owned())).collect()
        };
        assert_eq!(emails(&parts[0]), [(2, "a@b".to_owned()), (5, "g@h".to_owned())]);
        assert_eq!(emails(&parts[1]), [(3, "c@d".to_owned())]);
        assert_eq!(parts[1].mistakes[0].row, Some(0));
        assert_eq!((emails(&parts[2]).len(), parts[2].mistakes[0].row), (1, Some(0)));
    }

    #[test]
    fn a_person_may_stand_in_two_projects_and_not_twice_in_one() {
        let text = "email,referenceId,site\na@b,R-1,North\na@b,R-1,South\n";
        assert_eq!(roster(text).mistakes, []);
        let twice = roster(&format!("{text}a@b,R-1,North\n"));
        assert_eq!(twice.mistakes.iter().map(|mistake| mistake.line).collect::<Vec<_>>(), [4, 4]);
    }

    #[test]
    fn a_project_that_is_refused_blocks_the_file_at_its_first_cell() {
        let mut roster = roster("email,site\na@b,North\nc@d,South\ne@f,South\n");
        roster.refuse_project(1, "no project has this name");
        assert!(roster.is_blocked());
        assert_eq!(roster.told(&roster.mistakes[0]), "3:5: project: no project has this name");
    }
    #[test]
    fn a_project_has_the_line_on_which_it_is_named_first() {
        let roster = roster("email,site\na@b,North\nc@d,South\ne@f,North\n");
        assert_eq!([0, 1, 2].map(|name| roster.project_line(name)), [2, 3, 0]);
    }
}
