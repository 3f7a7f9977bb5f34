//! Reads a file of people for a command, and decides which mistakes refuse it as a whole.

use std::path::Path;

use super::session::Session;
use crate::files;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::roster::{self, LARGEST, Needs, ReadOptions, Roster};

impl Session {
    /// Reads a file, or standard input for `-`, says how it was understood, and shows all its mistakes. With one, the file is
    /// refused as a whole, unless it is in rows that may be skipped; `None` where no option skips them. No file in `written` may
    /// be this one.
    pub fn read_roster(
        &self,
        file: &Path,
        options: &ReadOptions,
        skips_invalid: Option<bool>,
        written: &[Option<&Path>],
    ) -> Result<Roster, Failure> {
        keep_apart(&[&[Some(file)], written].concat())?;
        let bytes = bytes(self, file)?;
        let name = if file.as_os_str() == "-" { "stdin".as_ref() } else { file.file_name().unwrap_or_default() };
        let roster = roster::read(bytes, &name.to_string_lossy(), options)?;
        let read_as = format!("{}: {}", roster.table.file, roster.read_as);
        match roster.table.is_guessed {
            true => self.console.warn(&read_as),
            false if roster.leaves_out && roster.mistakes.is_empty() => self.console.say(&read_as),
            false => self.console.note(&read_as),
        }
        roster.mistakes.iter().for_each(|mistake| self.console.problem(&mistake.to_string()));
        let are_rows = roster.mistakes.iter().all(|mistake| mistake.row.is_some());
        let is_skipped = are_rows && skips_invalid == Some(true);
        if !roster.mistakes.is_empty() && !is_skipped {
            let count = counted(roster.mistakes.len(), "mistake", "mistakes");
            let failure = Failure::new(Verdict::Refused, format!("{count} in {}: nothing was sent", roster.table.file));
            let own = roster.mistakes.iter().find_map(|mistake| mistake.hint.clone());
            let leave_out =
                skips_invalid.filter(|_| are_rows).map(|_| "to leave these rows out: add --skip-invalid".into());
            return Err(Failure { hint: own.or(leave_out), ..failure });
        }
        if options.needs == Needs::Enrolment && roster.headers.is_empty() {
            return Err(Failure::new(Verdict::Refused, format!("{} is empty", roster.table.file)));
        }
        Ok(roster)
    }
}

fn bytes(session: &Session, file: &Path) -> Result<Vec<u8>, Failure> {
    if file.as_os_str() != "-" {
        return files::read(file, LARGEST);
    }
    if session.settings()?.key_is_stdin() {
        return Err(Failure::usage("the API key and the people cannot both come from standard input"));
    }
    files::read_stdin(LARGEST).map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))
}

/// Refuses one file in two roles: a report that would replace its own roster, or two reports in one file.
fn keep_apart(files: &[Option<&Path>]) -> Result<(), Failure> {
    let named: Vec<&Path> = files.iter().copied().flatten().filter(|file| file.as_os_str() != "-").collect();
    for (at, file) in named.iter().enumerate() {
        if named[..at].iter().any(|other| other == file || files::is_same(other, file)) {
            return Err(Failure::usage(format!("the same file is named twice: {}", file.display())));
        }
    }
    Ok(())
}
