//! What the records of an output become, in each of its formats.

use jiff::tz::TimeZone;

use super::encoders::{Csv, Json};
use super::options::Options;
use super::record::{Record, Selection, text_of};
use super::table::Table;
use super::widths::Show;
use super::xlsx::Xlsx;
use super::{Columns, Error, Shape};
use crate::model::output_format::Format;

/// Records in waiting, in the form of one format.
pub(super) enum Body {
    Json(Json),
    Csv(Box<Csv>),
    Xlsx(Box<Xlsx>),
    Table { table: Table, selection: Selection },
}

impl Body {
    /// Begins the output that the options ask for; `named` are the fields of `--fields`.
    pub(super) fn new(
        columns: &Columns<'_>,
        (shape, named): (Shape, Option<Vec<String>>),
        options: &Options,
        show: Show,
    ) -> Result<Self, Error> {
        let select = |fields| Selection::new(fields, columns.names(), shape.is_text());
        Ok(match options.format {
            Format::Json => Body::Json(Json::new(shape, columns, named, true)),
            Format::Ndjson => Body::Json(Json::new(shape, columns, named, false)),
            Format::Csv => {
                let selection = select(named.unwrap_or_else(|| columns.every()));
                Body::Csv(Box::new(Csv::new(selection, options.header, options.excel)?))
            }
            Format::Xlsx if options.to.is_none() => return Err(Error::NeedsFile),
            Format::Xlsx => {
                let selection = select(named.unwrap_or_else(|| columns.every()));
                Body::Xlsx(Box::new(Xlsx::new(selection, columns, options.header)?))
            }
            Format::Table => {
                let fields = match named {
                    Some(fields) => fields,
                    None if shape.is_list() => columns.of_table(),
                    None => columns.every(),
                };
                let table = Table::new(&fields, columns, show.width.map(|_| TimeZone::system()));
                Body::Table { table, selection: select(fields) }
            }
        })
    }

    /// Takes one record.
    pub(super) fn push(&mut self, record: Record<'_>) -> Result<(), Error> {
        match self {
            Body::Json(json) => json.push(record),
            Body::Csv(csv) => csv.push(record),
            Body::Xlsx(xlsx) => xlsx.push(record),
            Body::Table { table, selection } => {
                table.push(selection.cells(record)?.iter().map(text_of)).map_err(Error::Spool)
            }
        }
    }
}
