//! The key by which a record of a list is kept apart from the others.

use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

/// The key by which a record is kept apart and sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordKey {
    /// Sorted as a number.
    Number(i64),
    /// Sorted byte for byte.
    Text(String),
}

impl FromSql for RecordKey {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        i64::column_result(value).map(Self::Number).or_else(|_| String::column_result(value).map(Self::Text))
    }
}

impl ToSql for RecordKey {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Number(number) => number.to_sql(),
            Self::Text(text) => text.to_sql(),
        }
    }
}
