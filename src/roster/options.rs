//! What a user says about a file of people: the options of commands that read one.

use clap::Args;
use encoding_rs::Encoding;

use super::text::encoding;
use super::{Field, Needs};

/// How a file is read.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// What the rows are for: each command knows.
    #[arg(skip)]
    pub needs: Needs,
    /// A header and a value: other rows are left out. Case and white space of the value don't count.
    #[arg(skip)]
    pub only: Option<(String, String)>,
    /// Sheet of a workbook [default: the first one]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// Encoding of the file [default: guessed]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    pub encoding: Option<&'static Encoding>,
    /// Read the column HEADER as FIELD
    #[arg(long, value_name = "HEADER=FIELD", value_parser = column)]
    pub map: Vec<(String, Field)>,
    /// Leave out a column ('*': all unknown ones)
    #[arg(long = "ignore-column", value_name = "HEADER")]
    pub ignore: Vec<String>,
    #[command(flatten)]
    pub suspicious: SuspiciousArgs,
    /// Rows with different ids may share an e-mail
    #[arg(long)]
    pub shared_mailboxes: bool,
}

/// `--allow-suspicious`: the fields in which suspicious values are right.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct SuspiciousArgs {
    /// Accept suspicious values (in FIELD, or all)
    #[arg(long = "allow-suspicious", value_name = "FIELD", value_delimiter = ',')]
    #[arg(num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "email,firstName,lastName,birthYear,referenceId,projectEntryId")]
    pub allowed: Vec<Field>,
}

fn column(text: &str) -> Result<(String, Field), &'static str> {
    let (header, field) = text.rsplit_once('=').ok_or("must be HEADER=FIELD, such as 'Work mail=email'")?;
    Ok((header.to_owned(), field.parse()?))
}
