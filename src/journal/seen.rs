//! Results last seen, for `results changes`: ids and results in clear, everything else as keyed hashes.

use rusqlite::types::{ToSql, ToSqlOutput, Value};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use jiff::Timestamp;

use super::store::Store;
use crate::model::projects::ProjectId;
use crate::model::verdict::Failure;

/// Bytes of a field's hash that are kept: enough to tell a change, and little for a million people.
const KEPT: usize = 8;

/// What field hashes are for.
const FIELD: &str = "field";

/// Which list of results is meant.
#[derive(Clone, Copy, Debug)]
pub struct ListName<'a> {
    /// The service's name.
    pub service: &'a str,
    /// The project.
    pub project: ProjectId,
    /// The word of the documented shape: the two have nothing in common.
    pub shape: &'a str,
}

/// What tells one result from another.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// An entry id; kept in clear.
    Id(i64),
    /// Texts that name a person; kept as a keyed hash.
    Texts(&'a [&'a str]),
}

/// One result as a comparison needs it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// What tells it from others.
    pub key: Key<'a>,
    /// The result, empty where there is none; kept in clear.
    pub result: &'a str,
    /// The other fields that are compared, in an order that both sides share; kept as keyed hashes.
    pub fields: &'a [&'a str],
    /// What a change of it shows. Never kept: it lives in a temporary table of this run.
    pub shown: &'a str,
}

/// What happened to a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added {
        /// What the line shows.
        now: String,
    },
    /// It has changed.
    Changed {
        /// What the line shows.
        now: String,
        /// The result that it had.
        before: String,
        /// Whether that is another one now.
        result: bool,
        /// Places of the fields that have changed.
        fields: Vec<usize>,
    },
    /// It is there no more.
    Removed {
        /// The entry id, where it has one.
        id: Option<i64>,
        /// The result that it had.
        before: String,
        /// What the line showed; `None` where only hashes of it are known.
        shown: Option<String>,
    },
}

/// Two states of a list side by side, in temporary tables: memory stays flat.
#[derive(Debug)]
pub struct Comparing {
    store: Store,
}

impl ToSql for Key<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Id(id) => id.to_sql(),
            Self::Texts(_) => Err(rusqlite::Error::ToSqlConversionFailure("texts are hashed first".into())),
        }
    }
}

impl Comparing {
    /// Begins with two empty states.
    pub fn begin(store: Store) -> Result<Self, Failure> {
        store.read(|tables| {
            tables.execute_batch(
                "CREATE TEMP TABLE before (key PRIMARY KEY, result, fields, shown) WITHOUT ROWID;
                 CREATE TEMP TABLE now (key PRIMARY KEY, result, fields, shown) WITHOUT ROWID;",
            )
        })?;
        Ok(Self { store })
    }

    /// Takes what is remembered as the earlier state, and says when that was; `None` on the first run.
    pub fn recall(&mut self, list: ListName<'_>) -> Result<Option<Timestamp>, Failure> {
        let found = self.store.read(|tables| {
            let found = find(tables, list)?;
            if let Some((seq, _)) = found {
                let copy = "INSERT INTO temp.before SELECT key, result, fields, NULL FROM seen_results WHERE list = ?1";
                tables.execute(copy, [seq])?;
            }
            Ok(found)
        })?;
        Ok(found.and_then(|(_, taken)| Timestamp::from_second(taken).ok()))
    }

    /// Takes a line of the earlier state; of two with one key the later counts.
    pub fn before(&mut self, line: Line<'_>) -> Result<(), Failure> {
        self.put("INSERT OR REPLACE INTO temp.before VALUES (?1, ?2, ?3, ?4)", line)
    }

    /// Takes a line of the present state.
    pub fn now(&mut self, line: Line<'_>) -> Result<(), Failure> {
        self.put("INSERT OR REPLACE INTO temp.now VALUES (?1, ?2, ?3, ?4)", line)
    }

    fn put(&self, sql: &str, line: Line<'_>) -> Result<(), Failure> {
        let mut fields = Vec::with_capacity(line.fields.len() * KEPT);
        for (place, text) in line.fields.iter().enumerate() {
            // With its place: a text that moves to another field has changed both.
            fields.extend_from_slice(&self.store.keyed_hash(FIELD, &[&place.to_string(), text])[..KEPT]);
        }
        let hash;
        let key: &dyn ToSql = match &line.key {
            Key::Texts(texts) => {
                hash = self.store.keyed_hash("result", texts);
                &hash
            }
            id @ Key::Id(_) => id,
        };
        self.store.read(|tables| {
            tables.prepare_cached(sql)?.execute(params![key, line.result, fields, line.shown]).map(|_| ())
        })
    }

    /// Gives each change, by key.
    pub fn each<E: From<Failure>>(&self, mut take: impl FnMut(Change) -> Result<(), E>) -> Result<(), E> {
        let sql = "SELECT n.key IS NOT NULL, b.key IS NOT NULL, coalesce(n.key, b.key), n.result, b.result, n.fields,
                    b.fields, n.shown, b.shown
                 FROM temp.now n FULL JOIN temp.before b ON n.key = b.key
                 WHERE n.key IS NULL OR b.key IS NULL OR n.result IS NOT b.result OR n.fields IS NOT b.fields
                 ORDER BY 3";
        let mut ended = Ok(());
        self.store.read(|tables| {
            let mut select = tables.prepare(sql)?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                ended = take(change(row)?);
                if ended.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        ended
    }

    /// Remembers the present state in place of what was remembered before.
    pub fn remember(mut self, list: ListName<'_>, taken: Timestamp) -> Result<(), Failure> {
        let project = list.project.to_string();
        self.store.transact(|tables| {
            if let Some((seq, _)) = find(tables, list)? {
                tables.execute("DELETE FROM seen_results WHERE list = ?1", [seq])?;
                tables.execute("DELETE FROM seen_lists WHERE seq = ?1", [seq])?;
            }
            tables.execute(
                "INSERT INTO seen_lists (service, project, shape, taken) VALUES (?1, ?2, ?3, ?4)",
                params![list.service, project, list.shape, taken.as_second()],
            )?;
            let seq = tables.last_insert_rowid();
            tables.execute("INSERT INTO seen_results SELECT ?1, key, result, fields FROM temp.now", [seq])?;
            Ok(())
        })
    }
}

/// The list's number, and when it was remembered.
fn find(tables: &Connection, list: ListName<'_>) -> rusqlite::Result<Option<(i64, i64)>> {
    let sql = "SELECT seq, taken FROM seen_lists WHERE service = ?1 AND project = ?2 AND shape = ?3";
    let values = params![list.service, list.project.to_string(), list.shape];
    tables.query_row(sql, values, |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

fn change(row: &Row<'_>) -> rusqlite::Result<Change> {
    let (is_now, was_before): (bool, bool) = (row.get(0)?, row.get(1)?);
    Ok(match (is_now, was_before) {
        (true, false) => Change::Added { now: row.get(7)? },
        (true, true) => {
            let (now, before): (Vec<u8>, Vec<u8>) = (row.get(5)?, row.get(6)?);
            let places = now.chunks(KEPT).zip(before.chunks(KEPT)).enumerate();
            let fields = places.filter(|(_, (now, before))| now != before).map(|(place, _)| place).collect();
            let (result, before): (String, String) = (row.get(3)?, row.get(4)?);
            Change::Changed { now: row.get(7)?, result: result != before, before, fields }
        }
        (false, _) => {
            let id = match row.get(2)? {
                Value::Integer(id) => Some(id),
                _ => None,
            };
            Change::Removed { id, before: row.get(4)?, shown: row.get(8)? }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(shape: &str) -> ListName<'_> {
        let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("an id");
        ListName { service: "https://a.example", project, shape }
    }

    fn comparing(folder: &tempfile::TempDir) -> Comparing {
        Comparing::begin(Store::open(folder.path()).expect("a journal")).expect("tables")
    }

    fn changes(comparing: &Comparing) -> Vec<Change> {
        let mut all = Vec::new();
        let each: Result<(), Failure> = comparing.each(|change| {
            all.push(change);
            Ok(())
        });
        each.expect("changes");
        all
    }

    fn line<'a>(id: i64, result: &'a str, fields: &'a [&'a str], shown: &'a str) -> Line<'a> {
        Line { key: Key::Id(id), result, fields, shown }
    }

    #[test]
    fn what_is_new_changed_and_gone_is_told_by_id() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut first = comparing(&folder);
        assert_eq!(first.recall(list("current")), Ok(None));
        for (id, result) in [(1, "Started"), (2, "Completed"), (3, ""), (10, "HighRisk")] {
            first.now(line(id, result, &["zoe@example.com", "Zoe"], "x")).expect("taken");
        }
        first.remember(list("current"), Timestamp::UNIX_EPOCH).expect("remembered");
        let mut second = comparing(&folder);
        assert_eq!(second.recall(list("legacy")), Ok(None));
        assert_eq!(second.recall(list("current")), Ok(Some(Timestamp::UNIX_EPOCH)));
        for (id, result, name) in [(1, "Completed", "Zoe"), (2, "Completed", "Zoé"), (3, "", "Zoe"), (4, "", "Kim")] {
            second.now(line(id, result, &["zoe@example.com", name], "now")).expect("taken");
        }
        let now = || "now".to_owned();
        let changed = |before: &str, result, fields: &[usize]| Change::Changed {
            now: now(),
            before: before.to_owned(),
            result,
            fields: fields.to_vec(),
        };
        assert_eq!(
            changes(&second),
            [
                changed("Started", true, &[]),
                changed("Completed", false, &[1]),
                Change::Added { now: now() },
                Change::Removed { id: Some(10), before: "HighRisk".to_owned(), shown: None },
            ]
        );
    }

    #[test]
    fn a_state_that_is_not_remembered_is_told_again() {
        let folder = tempfile::tempdir().expect("a folder");
        for _ in 0..2 {
            let mut comparing = comparing(&folder);
            assert_eq!(comparing.recall(list("current")), Ok(None));
            comparing.now(line(1, "", &[], "x")).expect("taken");
            assert_eq!(changes(&comparing).len(), 1);
        }
    }

    #[test]
    fn nothing_that_names_a_person_is_in_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut comparing = comparing(&folder);
        let texts = ["EMP-00017", "canary@example.com"];
        let line = Line { key: Key::Texts(&texts), result: "HighRisk", fields: &["Canary"], shown: "{\"canary\":1}" };
        comparing.now(line).expect("taken");
        comparing.remember(list("legacy"), Timestamp::UNIX_EPOCH).expect("remembered");
        let mut bytes = Vec::new();
        for entry in std::fs::read_dir(folder.path()).expect("the folder") {
            bytes.extend(std::fs::read(entry.expect("an entry").path()).expect("a file"));
        }
        let text = String::from_utf8_lossy(&bytes).to_lowercase();
        assert!(text.contains("highrisk"));
        assert!(!text.contains("canary") && !text.contains("emp-00017"));
    }
}
