//! How the user wants to see records: what the options of the command line say together.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use super::Error;
use super::console::Console;
use super::filter::{OutputFilter, RecordMask};
use super::target::check_target;
use crate::files::is_stream;
use crate::model::output_format::Format;

/// How the user wants to see records.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own, and none excludes another")]
pub struct Options {
    /// `--output`.
    pub format: Format,
    /// `--fields`, in its order; `None` shows the default fields of the format.
    pub fields: Option<Vec<String>>,
    /// Off with `--no-header`.
    pub header: bool,
    /// `--to`: a file that is replaced as a whole. `None` is standard output.
    pub to: Option<PathBuf>,
    /// Whether neither `-o` nor the ending of the file of `--to` says in which format records go there.
    pub is_format_unknown: bool,
    /// Whether what is printed is the account of a write: that goes on although standard output reaches no reader, and an
    /// account that was to be read by a program is missed at the end.
    pub is_account: bool,
    /// Whether what is printed tells of a write: a mistake in `--jq` has to be found before it.
    pub is_write: bool,
    /// Whether standard output is coloured.
    pub color: bool,
    /// `--excel`: CSV as a spreadsheet takes it, with a byte order mark and no cell that it would run.
    pub excel: bool,
    /// `--jq`: what is made of the JSON, which is the format where nothing else is asked for.
    pub jq: Option<Rc<dyn OutputFilter>>,
    /// `--mask`: what may be shown of people.
    pub mask: Option<Rc<dyn RecordMask>>,
    /// Where it is said what was written.
    pub console: Console,
    /// When a pipe without a reader is waited for no longer; `None` waits for ever, as a shell does.
    pub until: Option<Instant>,
}

impl Options {
    /// The same options for this target (`-` is standard output) where `-o` named that format or none: else the ending
    /// of the file's name does, and `format` holds for standard output, pipes and devices.
    #[must_use]
    pub fn to(self, to: Option<PathBuf>, named: Option<Format>) -> Self {
        let to = to.filter(|path| path.as_os_str() != "-");
        let file = to.as_deref().filter(|path| named.is_none() && !is_stream(path));
        let by_ending = file.map(|path| path.extension().and_then(OsStr::to_str).and_then(Format::of_ending));
        let format = named.or(by_ending.flatten()).unwrap_or(self.format);
        let is_format_unknown = by_ending == Some(None);
        if self.jq.is_none() {
            return Self { format, to, is_format_unknown, ..self };
        }
        // Results may be plain text: a file of any other ending than those of other formats will do.
        let foreign = named.or(by_ending.flatten().filter(|format| *format != Format::Table));
        Self { format: foreign.unwrap_or(Format::Json), to, is_format_unknown: false, ..self }
    }

    /// Refuses what `--to` cannot mean, and a file of records whose format nothing says.
    pub fn check_target(&self) -> Result<(), Error> {
        let Some(path) = &self.to else { return Ok(()) };
        check_target(path)?;
        // `-o` goes before the ending of a text, which any program opens: a workbook's name promises more.
        let is_workbook = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(Format::Xlsx.ending()));
        if is_workbook && self.format != Format::Xlsx && !is_stream(path) {
            return Err(Error::OtherFormat { path: path.clone(), ours: self.format.ending() });
        }
        if self.is_format_unknown { Err(Error::UnknownFormat(path.clone())) } else { Ok(()) }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            format: Format::Table,
            fields: None,
            header: true,
            to: None,
            is_format_unknown: false,
            is_account: false,
            is_write: false,
            color: false,
            excel: false,
            jq: None,
            mask: None,
            console: Console::default(),
            until: None,
        }
    }
}
