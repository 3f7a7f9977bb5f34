//! The options of commands that print records, checked in full before the first request.

use std::path::PathBuf;
use std::rc::Rc;

use clap::{Args, ValueEnum as _};

use super::columns::{Columns, Field, Shape};
use super::console::Console;
use super::jq::Jq;
use super::place::Place;
use super::terminal;
use crate::model::format::Format;
use crate::model::verdict::Failure;

/// How records are printed, as typed.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// table, csv, json, ndjson or xlsx [default: table on a terminal, else csv]
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        alias = "format",
        overrides_with = "output",
        hide_possible_values = true
    )]
    pub output: Option<Format>,
    /// Write to this file; its ending decides the format
    #[arg(long, value_name = "FILE", alias = "out")]
    pub to: Option<PathBuf>,
    /// Only these fields, in this order
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',', alias = "columns")]
    pub fields: Option<Vec<String>>,
    /// Print no header
    #[arg(long, alias = "no-headers")]
    pub no_header: bool,
    /// Write CSV that Excel opens safely
    #[arg(long)]
    pub excel: bool,
    /// Filter JSON output with a jq expression
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["excel", "no_header"], allow_hyphen_values = true)]
    pub jq: Option<String>,
}

/// What of the records is printed.
#[derive(Clone)]
pub(super) enum View {
    All,
    /// What names each record, for the next command: `-q` without an option of this group.
    Names,
    /// What `--jq` makes of them.
    Jq(Rc<Jq>),
}

/// How and where records are printed: checked, nothing left that could be wrong.
#[derive(Clone)]
pub struct Output {
    pub(super) format: Format,
    pub(super) place: Place,
    pub(super) columns: Columns,
    pub(super) shape: Shape,
    pub(super) chosen: Option<Vec<Field>>,
    pub(super) has_header: bool,
    pub(super) excel: bool,
    pub(super) view: View,
    /// Columns of the terminal that the records go to; `None` where they go elsewhere.
    pub(super) width: Option<usize>,
    pub(super) colors: bool,
    pub(super) console: Console,
}

impl OutputArgs {
    /// Whether output was asked for (`-o`, `--to`, `--jq`): bulk commands print every row only then.
    pub fn is_given(&self) -> bool {
        self.output.is_some() || self.to.is_some() || self.jq.is_some()
    }

    /// Checks everything that can be wrong, so that no slip is found after a change. `preferred` is the format of the
    /// profile or the environment.
    pub fn check(
        &self,
        console: &Console,
        preferred: Option<Format>,
        columns: &Columns,
        shape: Shape,
    ) -> Result<Output, Failure> {
        let place = Place::of(self.to.as_deref());
        let format = self.format(&place, preferred)?;
        let chosen = self.fields.as_deref().map(|names| columns.choose(names)).transpose()?;
        let view = match &self.jq {
            Some(expression) => View::Jq(Rc::new(Jq::compile(expression)?)),
            None if console.is_quiet() && *self == Self::default() && !columns.quiet.is_empty() => View::Names,
            None => View::All,
        };
        place.check()?;
        Ok(Output {
            format,
            columns: *columns,
            shape,
            has_header: !self.no_header,
            excel: self.excel,
            view,
            chosen,
            width: if place == Place::Stdout { terminal::width() } else { None },
            colors: place == Place::Stdout && console.colors(terminal::stdout_is_terminal()),
            place,
            console: console.clone(),
        })
    }

    fn format(&self, place: &Place, preferred: Option<Format>) -> Result<Format, Failure> {
        if self.output.is_none() && ending(place).is_some_and(|ending| OTHERS.contains(&ending.to_lowercase().as_str()))
        {
            // Excel warns of CSV in an .xls, and opens it without the safety of a workbook.
            return Err(Failure::usage("--to writes .csv, .json, .ndjson and .xlsx files"));
        }
        let usual = if place.is_terminal() { Format::Table } else { Format::Csv };
        let format = match self.output.or_else(|| of_ending(place)) {
            _ if self.jq.is_some() => self.output.unwrap_or(Format::Json),
            Some(format) => format,
            None if self.excel => Format::Csv,
            None => preferred.unwrap_or(usual),
        };
        if self.jq.is_some() && format != Format::Json {
            return Err(Failure::usage("--jq filters JSON and goes with no other format"));
        }
        if self.excel && format != Format::Csv {
            return Err(Failure::usage("--excel goes with CSV only"));
        }
        if self.no_header && matches!(format, Format::Json | Format::Ndjson) {
            return Err(Failure::usage("--no-header cannot be used together with JSON").hint("add -o csv"));
        }
        if format == Format::Xlsx && place.is_terminal() {
            return Err(Failure::usage("a workbook cannot go to a terminal").hint("add --to NAME.xlsx"));
        }
        Ok(format)
    }
}

/// The format that the name of a file says: `.csv`, `.json`, `.ndjson`, `.jsonl`, `.xlsx`.
fn of_ending(place: &Place) -> Option<Format> {
    Format::from_str(ending(place)?, true).ok()
}

/// Endings of other formats, of which nothing is written.
const OTHERS: [&str; 5] = ["xls", "xlsm", "ods", "tsv", "pdf"];

fn ending(place: &Place) -> Option<&str> {
    let Place::File(path) = place else { return None };
    path.extension()?.to_str()
}

impl Output {
    pub fn is_csv(&self) -> bool {
        self.format == Format::Csv
    }

    /// Makes the printed output durable before it is remembered as reported.
    pub fn sync(&self) -> Result<(), Failure> {
        self.place.sync()
    }

    /// The fields of a file: the chosen ones, else all.
    pub(super) fn fields(&self) -> Vec<Field> {
        self.chosen.clone().unwrap_or_else(|| self.columns.fields(self.columns.all))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::tests::COLUMNS;
    use super::*;
    use crate::model::talk::Talk;
    use crate::model::verdict::Verdict;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        output: OutputArgs,
    }

    fn check(words: &str, preferred: Option<Format>) -> Result<Format, (Verdict, String)> {
        let line = Line::try_parse_from(std::iter::once("x").chain(words.split_whitespace())).expect("parsed");
        let console = Console::new(Talk::default());
        let checked = line.output.check(&console, preferred, &COLUMNS, Shape::Many);
        checked.map(|output| output.format).map_err(|failure| (failure.verdict, failure.cause))
    }

    #[test]
    fn the_format_is_typed_or_the_ending_or_the_setting_or_that_of_the_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = |name: &str| format!("--to {}", folder.path().join(name).display());
        assert_eq!(check(&to("a.CSV"), Some(Format::Json)), Ok(Format::Csv));
        assert_eq!(check(&to("a.jsonl"), None), Ok(Format::Ndjson));
        assert_eq!(check(&to("a.xlsx"), None), Ok(Format::Xlsx));
        assert_eq!(check(&format!("-o json {}", to("a.csv")), None), Ok(Format::Json));
        assert_eq!(check(&to("a.dat"), None), Ok(Format::Csv));
        assert_eq!(check(&to("a.XLS"), None).map_err(|(verdict, _)| verdict), Err(Verdict::Usage));
        assert_eq!(check(&format!("-o csv {}", to("a.xls")), None), Ok(Format::Csv));
        assert_eq!(check(&to("a.dat"), Some(Format::Ndjson)), Ok(Format::Ndjson));
        assert_eq!(check(&format!("--jq . {}", to("a.csv")), Some(Format::Xlsx)), Ok(Format::Json));
        assert_eq!(check(&format!("--excel {}", to("a")), Some(Format::Json)), Ok(Format::Csv));
        assert_eq!(check("-o csv -o json --format ndjson", None), Ok(Format::Ndjson));
    }

    #[test]
    fn what_does_not_go_together_is_refused_before_the_first_request() {
        for words in [
            "--jq . -o csv",
            "--jq .[",
            "--excel -o json",
            "--no-header -o ndjson",
            "--fields id,nothing",
            "--to no/such/folder/a.csv",
        ] {
            assert_eq!(check(words, None).map_err(|(verdict, _)| verdict), Err(Verdict::Usage), "{words}");
        }
        assert!(Line::try_parse_from(["x", "--jq", ".", "--excel"]).is_err());
    }

    #[test]
    fn an_option_has_one_short_line_of_help() {
        let command = <Line as clap::CommandFactory>::command();
        let helps: Vec<String> =
            command.get_arguments().filter_map(clap::Arg::get_help).map(ToString::to_string).collect();
        assert!(helps.len() == 6 && helps.iter().all(|help| help.len() <= 80), "{helps:?}");
    }
}
