//! Imports, and what else writes about many people: through lost answers, kills and signals, each person exactly once.

mod campaign;
mod crash_points;
mod crashes;
mod doubts;
mod links;
mod people;
mod rehearsals;
mod rosters;

use std::collections::BTreeMap;

use crate::support::env::{self, Env, Said};
use crate::support::service::Service;
use crate::support::wire::PROJECT;

/// Records of a CSV, each by its header.
pub(crate) type Records = Vec<BTreeMap<String, String>>;

/// The records of a CSV.
#[track_caller]
pub(crate) fn records(csv: &str) -> Records {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    reader.deserialize().map(|record| record.unwrap_or_else(|error| panic!("no CSV ({error}):\n{csv}"))).collect()
}

/// How each row of a CSV ended, in its order.
#[track_caller]
pub(crate) fn outcomes(csv: &str) -> Vec<String> {
    records(csv).into_iter().map(|mut row| row.remove("outcome").expect("an outcome")).collect()
}

/// How many rows of a CSV ended so.
#[track_caller]
pub(crate) fn ended(csv: &str, outcome: &str) -> usize {
    outcomes(csv).iter().filter(|end| *end == outcome).count()
}

/// Rows number 1 to `rows`.
pub(crate) fn roster(rows: usize) -> String {
    let row = |n| format!("n{n}@example.com,First{n},Last{n},1980,NEW-{n}\n");
    format!("email,firstName,lastName,birthYear,referenceId\n{}", (1..=rows).map(row).collect::<String>())
}

/// A machine that works on the fixtures' project of this service, with a roster `people.csv`.
pub(crate) fn machine(service: &Service, roster: impl AsRef<[u8]>) -> Env {
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    env.write("people.csv", roster);
    env
}

/// Imports `people.csv` and prints each row; lost answers settle in two seconds.
pub(crate) fn import(env: &Env, options: &str) -> Said {
    env.line(&format!("testtakers import people.csv -o csv --settle 2s {options}"))
}

/// The values of a field of everybody whom a service holds, sorted; an empty text where there is none.
pub(crate) fn held(service: &Service, field: &str) -> Vec<String> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> = service.held().people.iter().map(|one| text(&one.record[field])).collect();
    all.sort();
    all
}

/// The service holds rows number 1 to `rows` of a [`roster`], each once, and nobody else.
#[track_caller]
pub(crate) fn each_once(service: &Service, rows: usize, what: &str) {
    let mut wanted: Vec<_> = (1..=rows).map(|n| format!("NEW-{n}")).collect();
    wanted.sort();
    assert_eq!(held(service, "referenceId"), wanted, "{what}");
}

/// What a started run says until it ends by itself.
#[track_caller]
pub(crate) fn end_of(child: std::process::Child) -> Said {
    let (status, stdout, stderr) = env::ended(child, b"");
    Said { code: env::code(status), stdout, stderr }
}

/// A workbook with the cells of a CSV, as texts.
pub(crate) fn workbook(csv: &str) -> Vec<u8> {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    let rows = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes()).into_records();
    for (row, record) in (0..).zip(rows) {
        for (column, cell) in (0..).zip(&record.expect("a record")) {
            sheet.write_string(row, column, cell).expect("a cell");
        }
    }
    book.save_to_buffer().expect("a workbook")
}
