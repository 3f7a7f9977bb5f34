//! What commands that read a CSV or workbook of people share: which file, and how it is to be understood.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::bulk::roster::{
    ColumnMaps, Delimiter, Encoding, Keep, Purpose, Quoting, ReadOptions, Roster, RosterError, get_again, read,
    read_file,
};
use crate::commands::shared::session::Session;
use crate::files::open_to_read;
use crate::model::counted::counted;
use crate::model::did_you_mean::nearest;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::terminal;

/// A roster and how to read it.
#[derive(Debug, Args)]
pub struct RosterArgs {
    /// CSV or workbook (.xlsx) with a header line; `-` reads standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How a CSV or workbook of people is to be read.
#[derive(Debug, Default, Args)]
pub struct ReadingArgs {
    /// Sheet of a workbook, by its name [default: the first that is shown]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Text encoding of a CSV, such as utf-8, utf-16le or windows-1252 [default: guessed]
    #[arg(long, value_name = "NAME")]
    encoding: Option<Encoding>,
    /// Separator of the cells of a CSV: , ; | or tab [default: guessed]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<Delimiter>,
    /// Take a column as this field: email, firstName, lastName, birthYear or referenceId
    #[arg(long, value_name = "HEADER=FIELD,…")]
    map: Vec<ColumnMaps>,
    /// Take the year of birth from this column of whole dates
    #[arg(long, value_name = "HEADER")]
    birth_date: Option<String>,
    /// Leave these columns out, by their headers
    #[arg(long, value_name = "HEADER,…", value_delimiter = ',')]
    ignore_column: Vec<String>,
    /// The same reference id or e-mail on several rows is meant
    #[arg(long)]
    pub allow_duplicates: bool,
    /// Suspicious values, such as 1.2E+16 or the year 85, are meant
    #[arg(long)]
    allow_suspicious: bool,
}

impl RosterArgs {
    /// A file that is understood by itself. Duplicates are no mistakes here: nothing is sent.
    pub fn of_file(file: &Path) -> Self {
        let reading = ReadingArgs { allow_duplicates: true, allow_suspicious: true, ..ReadingArgs::default() };
        Self { file: file.to_owned(), reading }
    }

    /// Reads and checks the file. Its mistakes are in the roster; a file that is none at all is an error.
    pub fn read(&self, session: &Session) -> Result<Roster, Failure> {
        self.reading.read(session, &self.file, Purpose::Enrol)
    }

    /// As [`read`](Self::read), for its mistakes alone: of a CSV no cells are kept.
    pub fn check(&self, session: &Session) -> Result<Roster, Failure> {
        let options = ReadOptions { keep: Keep::Mistakes, ..self.reading.options(session, Purpose::Enrol) };
        ReadingArgs::read_by(session, &self.file, &options)
    }
}

impl ReadingArgs {
    /// Whether any of them is given that has no meaning without a file.
    pub fn is_about_a_file(&self) -> bool {
        let named = self.sheet.is_some() || self.encoding.is_some() || self.delimiter.is_some();
        let listed = !self.map.is_empty() || !self.ignore_column.is_empty() || self.birth_date.is_some();
        named || listed || self.allow_suspicious
    }

    /// Reads and checks a file. Its mistakes are in the roster; a file that is none at all is an error.
    pub fn read(&self, session: &Session, file: &Path, purpose: Purpose) -> Result<Roster, Failure> {
        Self::read_by(session, file, &self.options(session, purpose))
    }

    /// The same of a file in which a column, where one is named, says to which project each row belongs.
    pub fn read_parted(
        &self,
        session: &Session,
        file: &Path,
        purpose: Purpose,
        project_column: Option<&str>,
    ) -> Result<Roster, Failure> {
        let project_column = project_column.map(str::to_owned);
        Self::read_by(session, file, &ReadOptions { project_column, ..self.options(session, purpose) })
    }

    fn options(&self, session: &Session, purpose: Purpose) -> ReadOptions {
        ReadOptions {
            purpose,
            sheet: self.sheet.clone(),
            encoding: self.encoding,
            delimiter: self.delimiter,
            map: self.map.iter().flat_map(|maps| maps.0.clone()).collect(),
            birth_date: self.birth_date.clone(),
            project_column: None,
            ignore: self.ignore_column.clone(),
            allow_doubles: self.allow_duplicates,
            allow_suspicious: self.allow_suspicious,
            keep: Keep::Rows,
            excel: session.show.excel,
            quoting: quoting(session),
        }
    }

    fn read_by(session: &Session, file: &Path, options: &ReadOptions) -> Result<Roster, Failure> {
        let name = name(file);
        let roster = if is_stdin(file) {
            read(stdin(session)?, &name, options)
        } else {
            open_to_read(file).map_err(RosterError::from).and_then(|file| read_file(file, &name, options))
        };
        roster.map_err(|error| match (near_file(file), error) {
            (Some(near), RosterError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
                RosterError::Io(error).failure(&name).hint(format!("did you mean {}?", near.display()))
            }
            (_, error @ RosterError::Io(_)) if file.to_string_lossy().contains("://") => error
                .failure(&name)
                .hint("a file is read, or - for standard input: `curl URL | assessctl testtakers import -`"),
            (_, error) => error.failure(&name),
        })
    }
}

/// What messages may repeat of a file.
pub fn quoting(session: &Session) -> Quoting {
    if session.settings.mask.value { Quoting::Nothing } else { Quoting::Usual }
}

/// Standard input as a file of people; the key cannot come from there too.
pub fn stdin(session: &Session) -> Result<io::StdinLock<'static>, Failure> {
    if session.settings.key_is_on_stdin() {
        return Err(Failure::usage("the API key and the file cannot both come from standard input")
            .hint("give a file, or the key in ASSESSCTL_API_KEY"));
    }
    if terminal::stdin_is_terminal() {
        session.console.aside("reading from the terminal; Ctrl-D on a line of its own ends it");
    }
    Ok(io::stdin().lock())
}

pub fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// A file of the same folder that is called almost so.
fn near_file(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let names = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let own = file.file_name()?.to_str()?;
    // A link that leads to nothing stands in the folder itself.
    let near = nearest(own, names.iter().map(String::as_str).filter(|name| *name != own))?;
    Some(folder.map_or_else(|| near.into(), |folder| folder.join(near)))
}

pub fn name(file: &Path) -> String {
    if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() }
}

/// Says how the file was understood, where there was something to guess, or on a terminal.
pub fn say_understanding(session: &Session, roster: &Roster) {
    if !roster.is_plain() || terminal::stderr_is_terminal() {
        session.console.note(&format!("{}: {}", roster.name, roster.understanding()));
    }
    for remark in roster.remarks() {
        session.console.note(&format!("{}: {remark}", roster.name));
    }
}

/// Goes on with a roster without mistakes, or without the rows that have some. Else shows all mistakes, each with its place
/// as a compiler does, and ends the command.
pub fn accept(session: &Session, roster: &Roster, skip_invalid: bool) -> Result<(), Failure> {
    if !roster.is_blocked() && (roster.mistakes.is_empty() || skip_invalid) {
        if let Some(cut) = roster.cut_row() {
            let (name, line) = (&roster.name, cut.line);
            session.console.warn(&format!("{name} ends in the middle of line {line}: people may be missing from it"));
        }
        return Ok(());
    }
    for mistake in &roster.mistakes {
        session.console.show(&format!("{}:{}", roster.name, roster.told(mistake)));
    }
    Err(mistaken(roster, "; nothing was sent", "correct them, or leave these rows out with --skip-invalid"))
}

/// The end of a command that found mistakes in a roster, and how to go on.
pub fn mistaken(roster: &Roster, and: &str, way_on: &str) -> Failure {
    let mistakes = counted(roster.mistakes.len(), "mistake", "mistakes");
    let failure = Failure::new(Verdict::Refused, format!("{} has {mistakes}{and}", roster.name));
    match (roster.hint(), roster.cut_row(), roster.first_block()) {
        (Some(hint), ..) => failure.hint(hint),
        (None, Some(cut), _) => failure.hint(get_again(cut.line)),
        (None, None, Some(open)) => failure.hint(format!(
            "correct line {} first: what follows it cannot be read, so that --skip-invalid leaves nothing out",
            open.line
        )),
        (None, None, None) => failure.hint(way_on),
    }
}
