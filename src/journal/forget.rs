//! Forgetting what is remembered: of a project or of everything, all of it or what is older than a time.

use rusqlite::{Connection, Params, params};

use super::clock::Millis;
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;

/// What is to be forgotten.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// A project of a service; `None` for all of them.
    pub of: Option<(&'a str, ProjectId)>,
    /// Only what was written before this; `None` for all of it.
    pub before: Option<Millis>,
    /// Also what is not settled: rows in doubt, and removals of which it is not known whether they were done.
    pub unsettled: bool,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Rows that were forgotten.
    pub rows: usize,
    /// Everything else that was: links, removals, exports, consumers of changes, rosters, and what is held.
    pub others: usize,
    /// Rows in doubt that stay.
    pub in_doubt: usize,
    /// Removals that stay, because it is not known whether they were done.
    pub removing: usize,
    /// No byte of it is left in the files. Else another run holds them open, and a later one overwrites it.
    pub erased: bool,
}

/// Where a table's rows belong to what is to be forgotten: `?1` and `?2` name the project, or nothing.
const HERE: &str = "(?1 IS NULL OR (service = ?1 AND project = ?2))";
/// The same for tables that name a scope.
const IN_SCOPE: &str = "scope IN (SELECT scope FROM scopes WHERE ?1 IS NULL OR (service = ?1 AND project = ?2))";

/// Forgets, durably, and overwrites what was forgotten in all files.
pub fn forget(store: &mut Store, extent: Extent<'_>) -> Result<Forgotten, Failure> {
    let (service, project) = extent.of.map(|(service, project)| (service, project.to_string())).unzip();
    let before = extent.before.unwrap_or(Millis::MAX);
    let micros = before.saturating_mul(1000);
    let forgotten = store.transact(|tables| {
        let (milli, micro) = (params![service, project, before], params![service, project, micros]);
        let settled = if extent.unsettled { "" } else { "AND state <> 'open'" };
        let rows = format!("DELETE FROM rows WHERE {IN_SCOPE} AND coalesce(known, intended) < ?3 {settled}");
        let mut forgotten = Forgotten { rows: tables.execute(&rows, milli)?, ..Forgotten::default() };
        forgotten.others += tables.execute(&format!("DELETE FROM links WHERE {HERE} AND issued < ?3"), micro)?;
        forgotten.others += tables.execute(&format!("DELETE FROM removals WHERE {HERE} AND removed < ?3"), micro)?;
        tables.execute(&format!("DELETE FROM removed_entries WHERE {HERE} AND removed < ?3"), milli)?;
        tables.execute(&format!("DELETE FROM written_fields WHERE {HERE} AND sent < ?3"), milli)?;
        let told = format!(
            "DELETE FROM told_results WHERE consumer IN
                (SELECT consumer FROM consumers WHERE {HERE} AND coalesce(told, 0) < ?3)"
        );
        tables.execute(&told, milli)?;
        let consumers = format!("DELETE FROM consumers WHERE {HERE} AND coalesce(told, 0) < ?3");
        forgotten.others += tables.execute(&consumers, milli)?;
        forgotten.others += tables.execute(&format!("DELETE FROM exported WHERE {HERE} AND at < ?3"), milli)?;
        let held = "service = ?1 AND instr(projects, ?2) > 0";
        let ids = format!("SELECT service, id FROM holds WHERE (?1 IS NULL OR ({held})) AND held < ?3");
        tables.execute(&format!("DELETE FROM held WHERE (service, id) IN ({ids})"), milli)?;
        forgotten.others += tables.execute(&format!("DELETE FROM holds WHERE (service, id) IN ({ids})"), milli)?;
        let orphans = "DELETE FROM planned WHERE (service, id) NOT IN (SELECT service, id FROM holds)";
        tables.execute(orphans, [])?;
        let whose = params![service, project];
        if extent.before.is_none() {
            tables.execute(&format!("DELETE FROM link_intents WHERE {HERE}"), whose)?;
            // The last roster of a source is in use, however old it is.
            forgotten.others += tables.execute(&format!("DELETE FROM synced WHERE {HERE}"), whose)?;
            tables.execute(&format!("DELETE FROM followed WHERE {HERE}"), whose)?;
            // Who is joining is needed no longer than a row of the project is in doubt.
            let in_doubt = "SELECT service, project FROM scopes NATURAL JOIN rows WHERE state = 'open'";
            let settled = format!("DELETE FROM joining WHERE {HERE} AND (service, project) NOT IN ({in_doubt})");
            tables.execute(&settled, whose)?;
        }
        if extent.unsettled {
            tables.execute(&format!("DELETE FROM removing WHERE {HERE}"), whose)?;
            tables.execute(&format!("DELETE FROM moves WHERE {HERE}"), whose)?;
            tables.execute(&format!("DELETE FROM joining WHERE {HERE}"), whose)?;
        }
        let nothing_left = "DELETE FROM scopes WHERE scope NOT IN (SELECT scope FROM rows)";
        tables.execute(nothing_left, [])?;
        forgotten.in_doubt = count(tables, &format!("rows WHERE {IN_SCOPE} AND state = 'open'"), whose)?;
        let removing = ["removing", "moves"].map(|table| count(tables, &format!("{table} WHERE {HERE}"), whose));
        forgotten.removing = removing.into_iter().sum::<rusqlite::Result<usize>>()?;
        Ok(forgotten)
    })?;
    Ok(Forgotten { erased: store.erase()?, ..forgotten })
}

fn count(tables: &Connection, of: &str, values: impl Params) -> rusqlite::Result<usize> {
    let rows: i64 = tables.query_row(&format!("SELECT count(*) FROM {of}"), values, |row| row.get(0))?;
    Ok(usize::try_from(rows).unwrap_or_default())
}

/// The projects that anything is remembered of, each with its service.
pub fn places(store: &Store) -> Result<Vec<(String, ProjectId)>, Failure> {
    let named = [
        "scopes",
        "links",
        "link_intents",
        "removals",
        "removing",
        "consumers",
        "exported",
        "synced",
        "moves",
        "joining",
        "written_fields",
    ];
    let sql = named.map(|table| format!("SELECT service, project FROM {table}")).join(" UNION ");
    let known = store.rows(&sql, [], |row| {
        let (service, id) = (row.get(0)?, row.get::<_, String>(1)?);
        Ok(id.parse().ok().map(|id| (service, id)))
    })?;
    // What is no id was not written by us.
    Ok(known.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SERVICE: &str = "https://a.example";
    const HERE: ProjectId = ProjectId(Uuid::from_u128(1));
    const THERE: ProjectId = ProjectId(Uuid::from_u128(2));

    /// Remembers things of each kind of a project, the nth of each since second n: of each kind another number of them.
    fn remember(store: &mut Store, project: ProjectId) {
        let scope = project.0.as_u128();
        let place = format!("'{SERVICE}', '{project}'");
        let each = |count: u32, table: &str, columns: &str, values: &str| {
            let row =
                |n: u32| format!("INSERT INTO {table} ({columns}) VALUES ({});", values.replace('#', &n.to_string()));
            (1..=count).map(row).collect::<String>()
        };
        let at_place = |count, table: &str, columns: &str, values: &str| {
            each(count, table, &format!("service, project, {columns}"), &format!("{place}, {values}"))
        };
        let row = "scope, key, email, state, attempts, intended, until, locked, before, line, entry";
        let row_of = |count, state: &str, entry: &str| {
            each(count, "rows", row, &format!("{scope}, '{state} #', x'', '{state}', 1, #000, 0, 0, '', 2, {entry}"))
        };
        let hold = "service, id, source, kind, held, projects, roster, count";
        let plan = format!("'{SERVICE}', '{project} #', 'main', 'plan', #000, '{project}', x'', 1");
        let person = format!("'{SERVICE}', '{project} #', '{project}', #, x''");
        let sql = [
            format!("INSERT INTO scopes VALUES ({scope}, {place});"),
            row_of(3, "open", "NULL"),
            row_of(4, "refused", "NULL"),
            row_of(1, "enrolled", "7"),
            at_place(1, "links", "entry, issued, until", "#, #000000, 0"),
            at_place(2, "removals", "key, removed", "'#', #000000"),
            at_place(3, "consumers", "shape, name, told", "'current', '#', #000"),
            at_place(4, "exported", "target, had_results, at", "'#', 1, #000"),
            each(5, "holds", hold, &plan),
            each(5, "held", "service, id, project, entry, key", &person),
            at_place(6, "synced", "source, people, roster, synced, counted", "'#', x'', x'', #000, #000"),
            at_place(1, "removing", "entry, begun", "#, #000"),
            at_place(2, "moves", "entry, source, destination, key, begun", "#, 'main', '', x'', #000"),
        ];
        store.transact(|tables| tables.execute_batch(&sql.concat())).expect("remembered");
    }

    fn store_of_both(folder: &tempfile::TempDir) -> Store {
        let mut store = Store::open(folder.path()).expect("a journal");
        for project in [HERE, THERE] {
            remember(&mut store, project);
        }
        store
    }

    #[test]
    fn what_is_settled_of_a_project_is_forgotten_and_counted_and_what_is_not_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store_of_both(&folder);
        let settled = Extent { of: Some((SERVICE, HERE)), before: None, unsettled: false };
        let forgotten = Forgotten { rows: 5, others: 1 + 2 + 3 + 4 + 5 + 6, in_doubt: 3, removing: 3, erased: true };
        assert_eq!(forget(&mut store, settled), Ok(forgotten));
        let again = Forgotten { rows: 0, others: 0, ..forgotten };
        assert_eq!(forget(&mut store, settled), Ok(again));
        let nothing = Forgotten { in_doubt: 0, removing: 0, ..again };
        assert_eq!(forget(&mut store, Extent { unsettled: true, ..settled }), Ok(Forgotten { rows: 3, ..nothing }));
        assert_eq!(places(&store), Ok(vec![(SERVICE.to_owned(), THERE)]));
        let all = Extent { of: None, before: None, unsettled: true };
        assert_eq!(forget(&mut store, all), Ok(Forgotten { rows: 8, others: 21, ..nothing }));
        assert_eq!(places(&store), Ok(Vec::new()));
    }

    #[test]
    fn what_was_written_before_a_time_is_forgotten_and_a_roster_in_use_stays_however_old_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store_of_both(&folder);
        let place = |project| (SERVICE.to_owned(), project);
        assert_eq!(places(&store), Ok(vec![place(HERE), place(THERE)]));
        for (before, rows, others) in [(1000, 0, 0), (1001, 2, 1 + 1 + 1 + 1 + 1), (3000, 1, 1 + 1 + 1 + 1)] {
            let old = Extent { of: Some((SERVICE, HERE)), before: Some(before), unsettled: false };
            let forgotten = Forgotten { rows, others, in_doubt: 3, removing: 3, erased: true };
            assert_eq!(forget(&mut store, old), Ok(forgotten), "before {before}");
        }
        assert_eq!(store.read(|tables| count(tables, "synced", [])), Ok(12));
        assert_eq!(store.read(|tables| count(tables, "held", [])), Ok(5 + 3), "the people go with what held them");
    }

    #[test]
    fn who_is_joining_is_remembered_while_a_row_of_the_project_is_in_doubt_and_no_longer() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = store_of_both(&folder);
        let begin = |project| format!("INSERT INTO joining VALUES ('{SERVICE}', '{project}', 'main', x'01');");
        let joining = [HERE, THERE].map(begin).concat();
        let known = "DELETE FROM rows WHERE state = 'open' AND scope = 2";
        store.transact(|tables| tables.execute_batch(&(joining + known))).expect("written");
        let all = Extent { of: None, before: None, unsettled: false };
        assert_eq!(forget(&mut store, all).map(|forgotten| forgotten.in_doubt), Ok(3));
        let left = store.read(|tables| tables.query_row("SELECT project FROM joining", [], |row| row.get(0)));
        assert_eq!(left, Ok(HERE.to_string()));
        let _ = forget(&mut store, Extent { unsettled: true, ..all }).expect("forgotten");
        assert_eq!(store.read(|tables| count(tables, "joining", [])), Ok(0));
    }

    #[test]
    fn a_place_that_is_no_project_was_not_written_by_us() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(folder.path()).expect("a journal");
        let foreign = "INSERT INTO removals VALUES ('https://a.example', 'no id', x'', 0)";
        store.transact(|tables| tables.execute(foreign, [])).expect("written");
        assert_eq!(places(&store), Ok(Vec::new()));
    }
}
