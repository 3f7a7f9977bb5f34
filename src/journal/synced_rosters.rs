//! The rosters that were synced, as keyed hashes of their people, and what a sync held back.

pub mod open_moves;

use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, params};

use super::clock::Moment;
use super::held_syncs::{self, Hold, HoldId, HoldKind};
use super::keyed_hash::{Hash, KeyHasher};
use super::moment_columns::{boot_columns, moment};
use super::person_key::{PERSON_KEY_BYTES, PersonKey};
use super::row_store::RowHasher;
use super::store::Store;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;

/// Bytes that are kept of a person: the hash and the absences.
const PERSON: usize = PERSON_KEY_BYTES + 1;

/// A source's rosters in one project, as they are remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncedRoster {
    /// Its people, and those who were in an earlier one and are still on the list: how many rosters in a row lacked each.
    pub people: Vec<(PersonKey, u8)>,
    /// The keyed hash of what the last one says.
    pub roster: PersonKey,
    /// When the last one was synced.
    pub synced: Moment,
    /// When the last one was synced whose gaps count as absences.
    pub counted: Moment,
    /// Its place in the order in which rosters are remembered and plans are made, which no clock tells; `None` until it is
    /// remembered.
    pub number: Option<i64>,
}

/// What changes when a sync has ended, all of it or nothing.
#[derive(Clone, Debug, Default)]
pub struct SyncEnd {
    /// The rosters of the source, by project.
    pub rosters: Vec<(ProjectId, SyncedRoster)>,
    /// What is held now.
    pub held: Option<Hold>,
    /// What is held no more.
    pub void: Vec<HoldId>,
    /// The projects of a file with a column for them; `None` of a file for one project.
    pub followed: Option<Vec<ProjectId>>,
}

/// What is remembered of syncs at one service.
#[derive(Debug)]
pub struct SyncJournal {
    store: Store,
    service: String,
}

impl SyncJournal {
    /// Opens what is remembered.
    pub fn open(store: Store, service: &str) -> Self {
        Self { store, service: service.to_owned() }
    }

    /// What makes the hashes of people.
    pub fn hasher(&self) -> RowHasher {
        RowHasher(self.store.hasher())
    }

    /// What makes keyed hashes, without the database.
    pub fn key_hasher(&self) -> KeyHasher {
        self.store.hasher()
    }

    /// A keyed hash of what a roster or a set of people says.
    pub fn hash(&self, purpose: &str, texts: &[&str]) -> Hash {
        self.store.keyed_hash(purpose, texts)
    }

    /// What is remembered of a source in a project; `None` where no roster of it was synced.
    pub fn recall(&self, project: ProjectId, source: &str) -> Result<Option<SyncedRoster>, Failure> {
        let sql = "SELECT * FROM synced WHERE service = ?1 AND project = ?2 AND source = ?3";
        self.store
            .read(|tables| tables.query_row(sql, params![self.service, project.to_string(), source], read).optional())
    }

    /// The number of what is remembered next: a roster or a plan.
    pub fn next_number(&self) -> Result<i64, Failure> {
        self.store.read(next_number)
    }

    /// The people of other sources' rosters in a project.
    pub fn others(&self, project: ProjectId, source: &str) -> Result<Vec<(PersonKey, u8)>, Failure> {
        let sql = "SELECT * FROM synced WHERE service = ?1 AND project = ?2 AND source <> ?3";
        let rosters = self.store.rows(sql, params![self.service, project.to_string(), source], read)?;
        Ok(rosters.into_iter().flat_map(|roster| roster.people).collect())
    }

    /// Everything that is held.
    pub fn holds(&self) -> Result<Vec<Hold>, Failure> {
        self.store.read(|tables| held_syncs::all(tables, &self.service))
    }

    /// Keeps something that waits for a person.
    pub fn hold(&mut self, hold: &Hold) -> Result<(), Failure> {
        self.store.transact(|tables| held_syncs::put(tables, &self.service, hold))
    }

    /// Remembers what a sync did. The moves out of its projects are settled: those that were not made are no more.
    pub fn end(&mut self, source: &str, end: SyncEnd) -> Result<(), Failure> {
        let service = &self.service;
        let rosters = encoded(end.rosters);
        self.store.transact(|tables| {
            for id in &end.void {
                held_syncs::remove(tables, service, *id)?;
            }
            let next = next_number(tables)?;
            for (project, roster) in rosters {
                let number = roster.roster.number.unwrap_or(next);
                put(tables, ("synced", "source"), (service, &project), &source, (roster, number))?;
                open_moves::settle(tables, (service, source), project)?;
            }
            if let Some(projects) = &end.followed {
                open_moves::follow(tables, (service, source), projects)?;
            }
            end.held.iter().try_for_each(|hold| held_syncs::put(tables, service, hold))
        })
    }

    /// Keeps a plan that was written, and the rosters that are remembered once it was applied.
    pub fn plan(&mut self, plan: &Hold, rosters: Vec<(ProjectId, SyncedRoster)>) -> Result<(), Failure> {
        let service = &self.service;
        let rosters = encoded(rosters);
        self.store.transact(|tables| {
            for (project, roster) in rosters {
                let number = plan.number.unwrap_or_default();
                put(tables, ("planned", "id"), (service, &project), &plan.id.0, (roster, number))?;
            }
            held_syncs::put(tables, service, plan)
        })
    }

    /// The rosters of a plan.
    pub fn planned(&self, id: HoldId) -> Result<Vec<(ProjectId, SyncedRoster)>, Failure> {
        let sql = "SELECT * FROM planned WHERE service = ?1 AND id = ?2";
        let rosters = self.store.rows(sql, params![self.service, id.0], |row| {
            Ok(row.get::<_, String>("project")?.parse().ok().zip(Some(read(row)?)))
        })?;
        Ok(rosters.into_iter().flatten().collect())
    }

    /// Whether a person let a file with this content through, which happens once.
    pub fn is_approved(&self, source: &str, projects: &[ProjectId], roster: &PersonKey) -> Result<bool, Failure> {
        let mut holds = self.holds()?.into_iter();
        Ok(holds.any(|hold| {
            let is_let_through = hold.kind == HoldKind::File && hold.settled.is_some() && hold.roster == *roster;
            is_let_through && hold.concerns(source, projects)
        }))
    }
}

/// A roster as it is kept: its people as bytes, taken out of `roster`.
struct EncodedRoster {
    people: Vec<u8>,
    roster: SyncedRoster,
}

/// Frees the people while it encodes them: the database makes copies of its own, and there may be a million.
fn encoded(rosters: Vec<(ProjectId, SyncedRoster)>) -> Vec<(ProjectId, EncodedRoster)> {
    let encoded = rosters.into_iter().map(|(project, mut roster)| {
        let people = std::mem::take(&mut roster.people);
        let mut bytes = Vec::with_capacity(people.len() * PERSON);
        for (key, absences) in people {
            bytes.extend_from_slice(&key);
            bytes.push(absences);
        }
        (project, EncodedRoster { people: bytes, roster })
    });
    encoded.collect()
}

/// Keeps a roster in a table, by what that knows it by.
fn put(
    tables: &Connection,
    (table, by): (&str, &str),
    (service, project): (&str, &ProjectId),
    of: &dyn ToSql,
    (EncodedRoster { people, roster }, number): (EncodedRoster, i64),
) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT OR REPLACE INTO {table} (service, project, {by}, people, roster, synced, counted, boot, ticks, number)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
    );
    let (boot, ticks) = boot_columns(&roster.counted);
    let mut insert = tables.prepare(&sql)?;
    let project = project.to_string();
    let (synced, counted) = (roster.synced.wall, roster.counted.wall);
    let values: [&dyn ToSql; 10] =
        [&service, &project, of, &people, &roster.roster, &synced, &counted, &boot, &ticks, &number];
    for (at, value) in (1..).zip(values) {
        insert.raw_bind_parameter(at, value)?;
    }
    // The statement has a copy, and makes another one.
    drop(people);
    insert.raw_execute()?;
    Ok(())
}

fn next_number(tables: &Connection) -> rusqlite::Result<i64> {
    let sql =
        "SELECT 1 + max(coalesce((SELECT max(number) FROM synced), 0), coalesce((SELECT max(number) FROM holds), 0))";
    tables.query_row(sql, [], |row| row.get(0))
}

fn read(row: &Row<'_>) -> rusqlite::Result<SyncedRoster> {
    // Borrowed from the database's own copy: a third copy of a million people would dominate a sync's memory.
    let people = row.get_ref("people")?.as_blob()?;
    let people =
        people.chunks_exact(PERSON).filter_map(|person| Some((*person.first_chunk()?, person[PERSON_KEY_BYTES])));
    Ok(SyncedRoster {
        people: people.collect(),
        roster: row.get("roster")?,
        synced: Moment { wall: row.get("synced")?, boot: None },
        counted: moment(row, row.get("counted")?, ("boot", "ticks"))?,
        number: row.get("number")?,
    })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::open_moves::OpenMove;
    use super::*;
    use crate::journal::clock::BootTime;
    use crate::journal::held_syncs::HeldPerson;
    use crate::model::testtakers::EntryId;

    fn journal(folder: &tempfile::TempDir) -> SyncJournal {
        SyncJournal::open(Store::open(folder.path()).expect("a journal"), "https://a.example")
    }

    fn at(wall: i64) -> Moment {
        Moment { wall, boot: Some(BootTime { boot: Uuid::from_u128(3), ticks: 9 + wall }) }
    }

    fn project(number: u128) -> ProjectId {
        ProjectId(Uuid::from_u128(number))
    }

    fn roster(people: &[(u8, u8)]) -> SyncedRoster {
        let counted = at(7);
        let people = people.iter().map(|(of, absences)| ([*of; PERSON_KEY_BYTES], *absences)).collect();
        SyncedRoster {
            people,
            roster: [5; PERSON_KEY_BYTES],
            synced: Moment { wall: 8, boot: None },
            counted,
            number: Some(1),
        }
    }

    fn hold(of: u8) -> Hold {
        Hold {
            id: HoldId([of; 4]),
            source: "main".into(),
            kind: HoldKind::Leavers,
            held: at(7),
            projects: vec![project(1), project(2)],
            roster: [1; PERSON_KEY_BYTES],
            count: 1,
            settled: None,
            number: None,
            people: vec![HeldPerson {
                project: project(2),
                entry: EntryId(7),
                key: [9; PERSON_KEY_BYTES],
                to: Some(project(1)),
            }],
        }
    }

    #[test]
    fn a_roster_is_recalled_as_it_was_and_in_its_own_project_and_source() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        let known = roster(&[(1, 0), (2, 3)]);
        let end = SyncEnd { rosters: vec![(project(1), known.clone())], ..SyncEnd::default() };
        journal.end("main", end).expect("written");
        assert_eq!(journal.recall(project(1), "main"), Ok(Some(known)));
        assert_eq!(journal.recall(project(2), "main"), Ok(None));
        assert_eq!(journal.recall(project(1), "agency"), Ok(None));
        assert_eq!(journal.others(project(1), "agency").expect("read").len(), 2);
        assert_eq!(journal.others(project(1), "main"), Ok(vec![]));
        let end = SyncEnd { rosters: vec![(project(1), roster(&[(4, 0)]))], ..SyncEnd::default() };
        journal.end("main", end).expect("written");
        assert_eq!(journal.recall(project(1), "main").expect("read").map(|known| known.people.len()), Some(1));
    }

    #[test]
    fn rosters_and_plans_have_an_order_whatever_the_clock_says() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        let plan = Hold { kind: HoldKind::Plan, number: Some(journal.next_number().expect("read")), ..hold(1) };
        journal.plan(&plan, vec![(project(1), roster(&[(1, 0)]))]).expect("written");
        let newer = SyncedRoster { number: None, synced: at(-1_000_000), ..roster(&[(2, 0)]) };
        journal.end("main", SyncEnd { rosters: vec![(project(1), newer)], ..SyncEnd::default() }).expect("written");
        let number = |known: Option<SyncedRoster>| known.and_then(|known| known.number);
        assert_eq!(number(journal.recall(project(1), "main").expect("read")), Some(2));
        assert_eq!(journal.planned(plan.id).expect("read")[0].1.number, Some(1));
        assert_eq!(journal.next_number(), Ok(3));
        assert_eq!(journal.holds().expect("read")[0], plan);
    }

    #[test]
    fn holds_stand_side_by_side_and_end_with_the_roster_that_voids_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        journal.hold(&hold(1)).expect("written");
        journal.hold(&Hold { kind: HoldKind::File, people: Vec::new(), ..hold(2) }).expect("written");
        assert_eq!(journal.holds().expect("read")[0], hold(1));
        assert_eq!(journal.holds().expect("read").len(), 2);
        let end = SyncEnd { held: Some(hold(3)), void: vec![HoldId([1; 4])], ..SyncEnd::default() };
        journal.end("main", end).expect("written");
        let ids: Vec<String> = journal.holds().expect("read").iter().map(|hold| hold.id.to_string()).collect();
        assert_eq!(ids, ["02020202", "03030303"]);
    }

    #[test]
    fn a_move_is_open_until_a_roster_of_its_project_and_source_is_remembered() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        let open = OpenMove { from: project(1), entry: EntryId(7), to: project(2), key: [9; PERSON_KEY_BYTES] };
        journal.begin_moves("main", &[open]).expect("written");
        journal.begin_moves("agency", &[OpenMove { entry: EntryId(8), ..open }]).expect("written");
        assert_eq!(journal.moves("main"), Ok(vec![open]));
        let end = |project| SyncEnd { rosters: vec![(project, roster(&[(1, 0)]))], ..SyncEnd::default() };
        journal.end("main", end(project(2))).expect("written");
        assert_eq!(journal.moves("main").map(|moves| moves.len()), Ok(1), "another project's roster");
        journal.end("main", end(project(1))).expect("written");
        assert_eq!((journal.moves("main"), journal.moves("agency").map(|moves| moves.len())), (Ok(vec![]), Ok(1)));
    }

    #[test]
    fn the_projects_of_a_file_take_the_place_of_those_of_the_last_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        let end = |projects: &[u128]| SyncEnd {
            followed: Some(projects.iter().map(|of| project(*of)).collect()),
            ..SyncEnd::default()
        };
        journal.end("main", end(&[1, 2])).expect("written");
        journal.end("main", end(&[2, 3])).expect("written");
        journal.end("main", SyncEnd::default()).expect("written");
        assert_eq!(journal.followed("main"), Ok(vec![project(2), project(3)]));
        assert_eq!(journal.followed("agency"), Ok(vec![]));
    }

    #[test]
    fn a_file_is_let_through_by_what_it_says_and_in_its_own_source() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        let approved = Hold { kind: HoldKind::File, people: Vec::new(), settled: Some(at(8)), ..hold(2) };
        journal.hold(&approved).expect("written");
        assert_eq!(journal.is_approved("main", &[project(1)], &[1; PERSON_KEY_BYTES]), Ok(true));
        assert_eq!(journal.is_approved("main", &[project(1)], &[2; PERSON_KEY_BYTES]), Ok(false));
        assert_eq!(journal.is_approved("agency", &[project(1)], &[1; PERSON_KEY_BYTES]), Ok(false));
        assert_eq!(journal.is_approved("main", &[project(3)], &[1; PERSON_KEY_BYTES]), Ok(false));
    }

    #[test]
    fn only_a_file_that_a_person_settled_is_let_through() {
        for (kind, settled, is_approved) in [
            (HoldKind::File, Some(at(8)), true),
            (HoldKind::File, None, false),
            (HoldKind::Leavers, Some(at(8)), false),
            (HoldKind::Plan, Some(at(8)), false),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let mut journal = journal(&folder);
            let hold = Hold { kind, settled, ..hold(2) };
            journal.hold(&hold).expect("written");
            assert_eq!(
                journal.is_approved("main", &[project(1)], &[1; PERSON_KEY_BYTES]),
                Ok(is_approved),
                "{kind:?} {settled:?}"
            );
            assert_eq!(hold.is_applied(), kind != HoldKind::File && settled.is_some(), "{kind:?} {settled:?}");
        }
    }

    #[test]
    fn the_rosters_of_a_plan_stay_until_it_is_applied() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut journal = journal(&folder);
        let plan = Hold { kind: HoldKind::Plan, number: Some(1), ..hold(1) };
        journal.plan(&plan, vec![(project(1), roster(&[(1, 0)]))]).expect("written");
        journal.hold(&Hold { kind: HoldKind::Leavers, settled: Some(at(8)), ..hold(1) }).expect("another kind");
        journal.hold(&plan).expect("not applied yet");
        assert_eq!(journal.planned(plan.id).expect("read").len(), 1);
        let applied = Hold { settled: Some(at(9)), ..plan.clone() };
        journal.hold(&applied).expect("applied");
        assert_eq!((journal.planned(plan.id), journal.holds()), (Ok(vec![]), Ok(vec![applied])));
    }

    #[test]
    fn hashes_of_rosters_and_of_what_is_held_keep_purposes_and_texts_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = journal(&folder);
        let hashes = [("roster", "a"), ("roster", "b"), ("hold", "a")].map(|(what, text)| journal.hash(what, &[text]));
        assert!(hashes[0] != hashes[1] && hashes[0] != hashes[2]);
        assert_eq!(hashes[0], journal.key_hasher().hash("roster", &["a"]));
    }
}
