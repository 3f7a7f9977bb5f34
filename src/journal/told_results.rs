//! What `results changes` told each consumer last, and what is new since: ids in clear, results and all else hashed.

use clap::ValueEnum as _;
use jiff::Timestamp;
use rusqlite::types::{ToSql, Value};
use rusqlite::{Row, params};

use super::consumers::{Consumer, Memory, SHORT_HASH_BYTES, ShortHash, enter, find, person_hash, short};
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::flagged::UNLISTED;
use crate::model::test_status::TestStatus;

/// What field hashes are for.
const FIELD: &str = "field";

/// What tells one result from another.
#[derive(Clone, Copy, Debug)]
pub enum Key<'a> {
    /// An entry id; kept in clear.
    Id(i64),
    /// Texts that people are told apart by, and the names that distinguish people who share these; kept as a keyed hash and
    /// an ordinal.
    Texts(&'a [&'a str], &'a str),
}

/// One result as a comparison needs it.
#[derive(Clone, Copy, Debug)]
pub struct ComparedResult<'a> {
    /// What tells it from others.
    pub key: Key<'a>,
    /// The result's word, empty where there is none.
    pub result: &'a str,
    /// The other fields that are compared, in an order that both sides share.
    pub fields: &'a [&'a str],
    /// When the assessment was completed, where that can be read.
    pub completed: Option<Timestamp>,
    /// Whether its result is one to alert about.
    pub watched: bool,
    /// What a change of it shows. Never kept: it lives in a temporary table of this run.
    pub shown: &'a str,
}

/// What happened to a result since it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultEvent {
    /// It is new.
    Added,
    /// It has changed.
    Changed {
        /// Whether the result is another one now.
        result: bool,
        /// Places of the fields that have changed.
        fields: Vec<usize>,
    },
    /// It is there no more.
    Removed,
    /// Nothing happened to it, but it was not told as an alert yet.
    Standing,
}

/// A result that is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultChange {
    /// What happened.
    pub event: ResultEvent,
    /// Whether it stands at a watched result that was not told as an alert.
    pub alert: bool,
    /// The entry id, where it has one.
    pub id: Option<i64>,
    /// The result that it had; empty for none, [`UNLISTED`] where that cannot be known any more.
    pub before: Option<String>,
    /// What the line shows: the present one, else the earlier one; `None` where only hashes of it are known.
    pub shown: Option<String>,
}

/// Two states of a list side by side, in temporary tables: memory stays flat.
#[derive(Debug)]
pub struct Comparing {
    /// The database, for what else is remembered of a consumer.
    pub store: Store,
    /// The look at the present state began then, in milliseconds.
    look: i64,
    /// Place of the completion's date among the fields, where it is compared.
    date: Option<usize>,
    /// Places of the fields that say who a person is: where all of them have changed, the entry is another person's now.
    people: Vec<usize>,
    /// Some people share every key by which they could be told apart.
    shared: bool,
}

/// An alert that was told, as it is remembered.
struct Told {
    /// The completion that it was told with.
    completed: Vec<u8>,
    /// Where the result had changed without its date: when it was told, in milliseconds. A completion up to then that
    /// shows up later belongs to it.
    until: Option<i64>,
}

impl Comparing {
    /// Begins with two empty states. `date` is the place of the completion's date among the fields.
    pub fn begin(store: Store, look: Timestamp, date: Option<usize>) -> Result<Self, Failure> {
        let columns = "key, ordinal, names, word, result, fields, completed, watched, shown, told, until";
        store.tidy();
        let alerts = "key, ordinal, told, until, alert";
        for (name, columns) in [("before", columns), ("now", columns), ("alerts", alerts)] {
            let table = format!("CREATE TEMP TABLE {name} ({columns}, PRIMARY KEY (key, ordinal)) WITHOUT ROWID;");
            store.read(|tables| tables.execute_batch(&table))?;
        }
        Ok(Self { store, look: look.as_millisecond(), date, people: Vec::new(), shared: false })
    }

    /// Tells people of one entry apart by these fields.
    #[must_use]
    pub fn with_people(self, places: Vec<usize>) -> Self {
        Self { people: places, ..self }
    }

    /// Takes what a consumer was told last as the earlier state; `None` where nothing is remembered.
    pub fn recall(&mut self, consumer: Consumer<'_>) -> Result<Option<Memory>, Failure> {
        self.store.read(|tables| {
            let Some((seq, Some(told))) = find(tables, consumer)? else { return Ok(None) };
            let copy = "INSERT INTO temp.before (key, ordinal, result, fields, told, until)
                SELECT key, ordinal, result, fields, told, until FROM told_results WHERE consumer = ?1";
            let results = tables.execute(copy, [seq])? as u64;
            Ok(Some(Memory { told: Timestamp::from_millisecond(told).unwrap_or_default(), results }))
        })
    }

    /// Takes a line of the earlier state, of which no alert needs to be told again.
    pub fn before(&mut self, line: ComparedResult<'_>) -> Result<(), Failure> {
        self.put("before", line)
    }

    /// Takes a line of the present state.
    pub fn now(&mut self, line: ComparedResult<'_>) -> Result<(), Failure> {
        self.put("now", line)
    }

    fn put(&mut self, table: &str, line: ComparedResult<'_>) -> Result<(), Failure> {
        let mut fields = Vec::with_capacity(line.fields.len() * SHORT_HASH_BYTES);
        for (place, text) in line.fields.iter().enumerate() {
            // With its place: a text that moves to another field has changed both.
            fields.extend(self.short(FIELD, &[&place.to_string(), text]));
        }
        let (key, names) = match line.key {
            Key::Id(id) => (Value::Integer(id), ""),
            Key::Texts(texts, names) => (Value::Blob(person_hash(&self.store, texts).to_vec()), names),
        };
        let result = self.result(&key, line.result);
        // What another file says was told, as far as this comparison goes. No completion is one that comes later then:
        // an empty hash equals none.
        let told = (table == "before").then(|| {
            let completed = self.completion(&fields);
            if completed == self.no_completion() { Vec::new() } else { completed }
        });
        let ordinal = match line.key {
            Key::Id(_) => 0,
            Key::Texts(..) => self.namesakes(table, &key)?,
        };
        self.shared |= ordinal > 0;
        let sql = format!(
            "INSERT OR REPLACE INTO temp.{table} (key, ordinal, names, word, result, fields, completed, watched, shown,
             told) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        );
        let (completed, word, shown) = (line.completed.map(Timestamp::as_millisecond), line.result, line.shown);
        let values: [&dyn ToSql; 10] =
            [&key, &ordinal, &names, &word, &result, &fields, &completed, &line.watched, &shown, &told];
        self.store.read(|tables| tables.prepare_cached(&sql)?.execute(values).map(|_| ()))
    }

    /// How many with this key were taken before.
    fn namesakes(&self, table: &str, key: &Value) -> Result<i64, Failure> {
        self.store.value(&format!("SELECT count(*) FROM temp.{table} WHERE key = ?1"), [key])
    }

    /// Numbers the people who share a key by what else is known of them, so that the list's order does not matter. Returns
    /// whether there are any: which of them changed is a guess.
    pub fn number_namesakes(&self) -> Result<bool, Failure> {
        for table in ["before", "now"].iter().filter(|_| self.shared) {
            let renumber = format!(
                "UPDATE temp.{table} SET ordinal = -place FROM (
                    SELECT key AS k, ordinal AS o, row_number() OVER (PARTITION BY key ORDER BY names, fields) AS place
                    FROM temp.{table} WHERE names IS NOT NULL
                        AND key IN (SELECT key FROM temp.{table} WHERE ordinal > 0))
                 WHERE key = k AND ordinal = o;
                 UPDATE temp.{table} SET ordinal = -1 - ordinal WHERE ordinal < 0;"
            );
            self.store.read(|tables| tables.execute_batch(&renumber))?;
        }
        Ok(self.shared)
    }

    fn short(&self, purpose: &str, texts: &[&str]) -> ShortHash {
        short(&self.store, purpose, texts)
    }

    /// A result's hash, of this person alone: who has the same one cannot be counted.
    fn result(&self, key: &Value, word: &str) -> ShortHash {
        self.short("told result", &[&salt(key), word])
    }

    /// The hash of the completion's date among those of the fields.
    fn completion(&self, fields: &[u8]) -> Vec<u8> {
        let date = self.date.and_then(|place| fields.chunks(SHORT_HASH_BYTES).nth(place));
        date.map_or_else(|| self.no_completion(), <[u8]>::to_vec)
    }

    fn no_completion(&self) -> Vec<u8> {
        self.short(FIELD, &[&self.date.unwrap_or_default().to_string(), ""]).to_vec()
    }

    /// The word behind a result's hash; empty where it was forgotten with its person.
    fn word(&self, key: &Value, result: &[u8]) -> String {
        if result.is_empty() {
            return String::new();
        }
        let listed = TestStatus::value_variants().iter().map(TestStatus::word);
        let known = std::iter::once("").chain(listed).find(|word| self.result(key, word) == result);
        known.unwrap_or(UNLISTED).to_owned()
    }

    /// Gives each change, by key, and notes the alerts among them. `all`: without it only alerts, as there is nothing to
    /// compare with.
    pub fn each<E: From<Failure>>(
        &self,
        all: bool,
        mut take: impl FnMut(ResultChange) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT n.key IS NOT NULL, b.key IS NOT NULL, coalesce(n.key, b.key), coalesce(n.ordinal, b.ordinal),
                    n.result, b.result, n.fields, b.fields, n.shown, b.shown, b.word, n.watched, n.completed, b.told,
                    b.until
                 FROM temp.now n FULL JOIN temp.before b ON n.key = b.key AND n.ordinal = b.ordinal
                 WHERE n.key IS NULL OR b.key IS NULL OR n.result IS NOT b.result OR n.fields IS NOT b.fields
                    OR (n.watched AND b.told IS NULL)
                 ORDER BY 3, 4";
        let mut ended = Ok(());
        self.store.read(|tables| {
            let mut select = tables.prepare(sql)?;
            let mut note = tables.prepare("INSERT INTO temp.alerts VALUES (?1, ?2, ?3, ?4, ?5)")?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                let (change, told) = self.change(row)?;
                if let Some(told) = told {
                    let (key, ordinal): (Value, i64) = (row.get(2)?, row.get(3)?);
                    note.execute(params![key, ordinal, told.completed, told.until, change.alert])?;
                }
                if all || change.alert {
                    ended = take(change);
                }
                if ended.is_err() {
                    break;
                }
            }
            Ok(())
        })?;
        ended
    }

    /// What there is to tell of one result, and what is to be remembered of its alert where that is new.
    fn change(&self, row: &Row<'_>) -> rusqlite::Result<(ResultChange, Option<Told>)> {
        let (is_now, was_before): (bool, bool) = (row.get(0)?, row.get(1)?);
        let key: Value = row.get(2)?;
        let id = if let Value::Integer(id) = key { Some(id) } else { None };
        let shown = if is_now { row.get(8)? } else { row.get(9)? };
        let before = match (was_before, row.get::<_, Option<String>>(10)?) {
            (false, _) => None,
            (true, Some(word)) => Some(word),
            (true, None) => Some(self.word(&key, &row.get::<_, Vec<u8>>(5)?)),
        };
        let event = match (is_now, was_before) {
            (true, false) => ResultEvent::Added,
            (false, _) => ResultEvent::Removed,
            (true, true) => {
                let (now, earlier): (Vec<u8>, Vec<u8>) = (row.get(6)?, row.get(7)?);
                let places = now.chunks(SHORT_HASH_BYTES).zip(earlier.chunks(SHORT_HASH_BYTES)).enumerate();
                let fields: Vec<usize> =
                    places.filter(|(_, (now, earlier))| now != earlier).map(|(place, _)| place).collect();
                let result = row.get::<_, Vec<u8>>(4)? != row.get::<_, Vec<u8>>(5)?;
                if result || !fields.is_empty() {
                    ResultEvent::Changed { result, fields }
                } else {
                    ResultEvent::Standing
                }
            }
        };
        let (alert, told) = self.judge(row, &event)?;
        Ok((ResultChange { event, alert, id, before, shown }, told))
    }

    /// Whether a result is an alert that was not told, and what is to be remembered of one that changed: a result and
    /// its date that arrive in two steps are one alert.
    fn judge(&self, row: &Row<'_>, event: &ResultEvent) -> rusqlite::Result<(bool, Option<Told>)> {
        if !row.get::<_, Option<bool>>(11)?.unwrap_or(false) {
            return Ok((false, None));
        }
        let completed = self.completion(&row.get::<_, Vec<u8>>(6)?);
        let has_date = completed != self.no_completion();
        let (another, date_changed) = match event {
            ResultEvent::Changed { result, fields } => {
                let is_other = !self.people.is_empty() && self.people.iter().all(|place| fields.contains(place));
                (*result || is_other, self.date.is_some_and(|date| fields.contains(&date)))
            }
            _ => (false, false),
        };
        let earlier: Option<Vec<u8>> = row.get(13)?;
        let Some(earlier) = earlier.filter(|_| !another) else {
            // The date of the result before may still stand beside a new result.
            let until = (another && has_date && !date_changed).then_some(self.look);
            return Ok((true, Some(Told { completed, until })));
        };
        if completed == earlier || !has_date {
            return Ok((false, None));
        }
        let (at, until): (Option<i64>, Option<i64>) = (row.get(12)?, row.get(14)?);
        let came_late = at.zip(until).is_some_and(|(at, until)| at <= until);
        let is_same = came_late || earlier == self.no_completion();
        Ok((!is_same, Some(Told { completed, until: None })))
    }

    /// What the alerts of this run are known by to a later one.
    pub fn alerts(&self) -> Result<Vec<ShortHash>, Failure> {
        self.store.rows("SELECT key, ordinal FROM temp.alerts WHERE alert ORDER BY 1, 2", [], |row| {
            let (key, ordinal): (Value, i64) = (row.get(0)?, row.get(1)?);
            Ok(self.short("told alert", &[&salt(&key), &ordinal.to_string()]))
        })
    }

    /// Remembers the present state as told. The last thing that a run does: nothing after it may wait.
    pub fn remember(self, consumer: Consumer<'_>) -> Result<(), Failure> {
        let look = self.look;
        self.store.commit_last(|tables| {
            let seq = enter(tables, consumer)?;
            tables.execute("UPDATE consumers SET told = ?2, telling = NULL WHERE consumer = ?1", [seq, look])?;
            tables.execute(
                "DELETE FROM told_results WHERE consumer = ?1 AND NOT EXISTS (
                    SELECT 1 FROM temp.now n WHERE n.key = told_results.key AND n.ordinal = told_results.ordinal)",
                [seq],
            )?;
            // What was told of another result counts for this one no more.
            let new = "INSERT OR REPLACE INTO told_results
                SELECT ?1, n.key, n.ordinal, n.result, n.fields,
                    CASE WHEN a.key IS NOT NULL THEN a.told WHEN b.result IS n.result THEN b.told END,
                    CASE WHEN a.key IS NOT NULL THEN a.until WHEN b.result IS n.result THEN b.until END
                FROM temp.now n LEFT JOIN temp.before b ON n.key = b.key AND n.ordinal = b.ordinal
                    LEFT JOIN temp.alerts a ON n.key = a.key AND n.ordinal = a.ordinal
                WHERE b.key IS NULL OR a.key IS NOT NULL OR n.result IS NOT b.result OR n.fields IS NOT b.fields";
            tables.execute(new, [seq]).map(|_| ())
        })
    }
}

/// What keeps the hashes of two people apart.
fn salt(key: &Value) -> String {
    match key {
        Value::Integer(id) => id.to_string(),
        Value::Blob(hash) => format!("{hash:?}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
