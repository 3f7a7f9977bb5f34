//! How a file of people is read, and how its mistakes are shown.

use std::path::Path;

use clap::Args;
use encoding_rs::Encoding;

use super::session::Session;
use crate::files;
use crate::model::text::counted;
use crate::model::verdict::{Failure, Verdict};
use crate::roster::{self, Field, LARGEST, Needs, ReadOptions, Roster};

/// `--allow-suspicious`: the fields in which suspicious values are right.
#[derive(Args, Clone, Debug, Default)]
pub struct SuspiciousArgs {
    /// Accept suspicious values, or only in FIELD
    #[arg(long = "allow-suspicious", value_name = "FIELD", value_parser = field_of, value_delimiter = ',')]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = ALL_FIELDS)]
    pub allowed: Vec<Field>,
}

const ALL_FIELDS: &str = "email,firstName,lastName,birthYear,referenceId,projectEntryId";

/// Options of commands that read a roster.
#[derive(Args, Clone, Debug, Default)]
pub struct RosterArgs {
    /// Sheet of a workbook [default: the first one]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Encoding of the file [default: guessed]
    #[arg(long, value_name = "NAME", value_parser = roster::encoding)]
    encoding: Option<&'static Encoding>,
    /// Read the column HEADER as FIELD
    #[arg(long, value_name = "HEADER=FIELD", value_parser = column)]
    map: Vec<(String, Field)>,
    /// Leave out a column; '*' means all unknown
    #[arg(long, value_name = "HEADER")]
    ignore_column: Vec<String>,
    #[command(flatten)]
    pub suspicious: SuspiciousArgs,
    /// Rows with a reference id may share an e-mail
    #[arg(long)]
    pub shared_mailboxes: bool,
}

fn column(text: &str) -> Result<(String, Field), &'static str> {
    let (header, field) = text.rsplit_once('=').ok_or("must be HEADER=FIELD, such as 'Work mail=email'")?;
    Ok((header.to_owned(), field_of(field)?))
}

fn field_of(text: &str) -> Result<Field, &'static str> {
    roster::field_of(text).ok_or("must name email, firstName, lastName, birthYear or referenceId")
}

impl RosterArgs {
    /// Reads a file, or standard input for `-`, says how it was understood, and shows all its mistakes. With one, the file is
    /// refused as a whole, unless rows with mistakes may be skipped. `only`: a column, and the value that its rows have.
    pub fn read(
        &self,
        session: &Session,
        file: &Path,
        needs: Needs,
        skips_invalid: bool,
        only: Option<(String, String)>,
    ) -> Result<Roster, Failure> {
        let options = ReadOptions {
            needs,
            sheet: self.sheet.clone(),
            encoding: self.encoding,
            map: self.map.clone(),
            ignore: self.ignore_column.clone(),
            allow_suspicious: self.suspicious.allowed.clone(),
            shared_mailboxes: self.shared_mailboxes,
            only,
        };
        let bytes = bytes(session, file)?;
        let name = if file.as_os_str() == "-" { "stdin".as_ref() } else { file.file_name().unwrap_or_default() };
        let roster = roster::read(&bytes, &name.to_string_lossy(), &options)?;
        let read_as = format!("{}: {}", roster.name, roster.read_as);
        if roster.is_guessed {
            session.console.warn(&read_as);
        } else {
            session.console.note(&read_as);
        }
        check(session, &roster, skips_invalid)?;
        if needs == Needs::Enrolment && file.as_os_str() != "-" && roster.headers.is_empty() {
            return Err(Failure::new(Verdict::Refused, format!("{} is empty", roster.name)));
        }
        Ok(roster)
    }
}

fn bytes(session: &Session, file: &Path) -> Result<Vec<u8>, Failure> {
    if file.as_os_str() != "-" {
        return files::read(file, LARGEST)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())));
    }
    if session.settings()?.key_is_stdin() {
        return Err(Failure::usage("the API key and the people cannot both come from standard input"));
    }
    files::read_stdin(LARGEST).map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))
}

fn check(session: &Session, roster: &Roster, skips_invalid: bool) -> Result<(), Failure> {
    for mistake in &roster.mistakes {
        session.console.problem(&mistake.to_string());
    }
    if roster.mistakes.is_empty() || (skips_invalid && !roster.is_blocked()) {
        return Ok(());
    }
    let count = counted(roster.mistakes.len(), "mistake", "mistakes");
    let failure = Failure::new(Verdict::Refused, format!("{count} in {}: nothing was sent", roster.name));
    Err(match roster.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

/// Refuses one file in two roles: a report that would replace its own roster, or two reports in one file.
pub fn keep_apart(files: &[Option<&Path>]) -> Result<(), Failure> {
    let named: Vec<&Path> = files.iter().copied().flatten().filter(|file| file.as_os_str() != "-").collect();
    for (at, file) in named.iter().enumerate() {
        if named[..at].iter().any(|other| other == file || files::is_same(other, file)) {
            return Err(Failure::usage(format!("{} is given twice; use two different files", file.display())));
        }
    }
    Ok(())
}
