//! What the program prints: records on standard output or in a file, talk on standard error.

mod columns;
pub mod console;
mod csv;
mod jq;
mod json;
mod options;
mod place;
mod print;
pub mod progress;
mod record;
mod table;
pub mod terminal;
mod visible;
mod xlsx;

pub use columns::{Columns, Shape};
pub use console::Console;
pub use options::{Output, OutputArgs};
pub use place::{Place, print_text};
pub use progress::Progress;
pub use record::{AsRecord, Cell};

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{AsRecord, Columns, Console, Output, OutputArgs, Shape};
    use crate::model::format::Format;
    use crate::model::talk::Talk;

    pub(super) const COLUMNS: Columns = Columns {
        all: "id email referenceId fullName result dateCompleted",
        table: "id email fullName result dateCompleted",
        quiet: Columns::PERSON,
        noun: ("test taker", "test takers"),
    };

    /// Checked output of a list, to no terminal.
    pub(super) fn output(format: Format, fields: &str) -> Output {
        let fields = (!fields.is_empty()).then(|| fields.split(',').map(str::to_owned).collect());
        let args = OutputArgs { fields, ..OutputArgs::default() };
        let checked = args.check(&Console::new(Talk::default()), None, &COLUMNS, Shape::Many).expect("good options");
        Output { format, width: None, colors: false, ..checked }
    }

    impl AsRecord for Box<RawValue> {
        fn sent(&self) -> Option<&RawValue> {
            Some(self)
        }
    }

    pub(super) fn printed<T: AsRecord>(output: &Output, records: &[T]) -> String {
        let mut out = Vec::new();
        output.write(records, &mut out).expect("printed");
        String::from_utf8(out).expect("text")
    }

    pub(super) fn sent(json: &[&str]) -> Vec<Box<RawValue>> {
        json.iter().map(|json| serde_json::from_str(json).expect("JSON")).collect()
    }
}
