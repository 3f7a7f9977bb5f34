//! What a sync held back for a person to look at: leavers beyond their limit, and files beyond theirs.

use rusqlite::{Connection, Row, params};

use super::clock::{Millis, Moment};
use super::moment_columns::{boot_columns, moment};
use super::person_key::PersonKey;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// Bytes of a hold's id.
const ID: usize = 4;
/// The tables that have rows of a hold; the last one has the rosters of plans.
const HOLD_TABLES: [&str; 3] = ["held", "holds", "planned"];

/// What a hold is called: the beginning of a keyed hash of what is held, so that the same set has the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HoldId(pub [u8; ID]);

impl HoldId {
    /// The id that a keyed hash gives.
    pub fn of(hash: &[u8]) -> Self {
        let mut id = [0; ID];
        id.iter_mut().zip(hash).for_each(|(to, from)| *to = *from);
        Self(id)
    }
}

impl std::fmt::Display for HoldId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// What is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldKind {
    /// All people who would leave.
    Leavers,
    /// A file as a whole.
    File,
    /// What `--plan` wrote: who would leave by it.
    Plan,
}

impl HoldKind {
    /// The word of the database, and of what is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leavers => "leavers",
            Self::File => "file",
            Self::Plan => "plan",
        }
    }
}

/// A person who would leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldPerson {
    /// The project that would be left.
    pub project: ProjectId,
    /// The entry there.
    pub entry: EntryId,
    /// By what the rosters know the person.
    pub key: PersonKey,
    /// The project that is joined first, of a person who moves or has another e-mail; `None` of a leaver.
    pub to: Option<ProjectId>,
}

/// Something that waits for a person's approval, or had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// What it is called.
    pub id: HoldId,
    /// The source whose roster led to it (`--source`).
    pub source: String,
    /// What is held.
    pub kind: HoldKind,
    /// When it was held last.
    pub held: Moment,
    /// The projects that the roster is about.
    pub projects: Vec<ProjectId>,
    /// The keyed hash of what the roster says.
    pub roster: PersonKey,
    /// How many people would leave, or how many rows the file has.
    pub count: u32,
    /// When a person settled it: when leavers were removed, or when a file was let through, which happens once.
    pub settled: Option<Moment>,
    /// Of a plan, where it stands in the order of what was remembered: rosters since then have this number or a larger one.
    pub number: Option<i64>,
    /// The people who would leave.
    pub people: Vec<HeldPerson>,
}

impl Hold {
    /// Whether it was carried out. It is kept so that a second `apply` is told.
    pub fn is_applied(&self) -> bool {
        self.kind != HoldKind::File && self.settled.is_some()
    }

    /// Whether a roster about these projects takes its place: the same source, and a project in common.
    pub fn concerns(&self, source: &str, projects: &[ProjectId]) -> bool {
        self.source == source && self.projects.iter().any(|project| projects.contains(project))
    }
}

/// Everything that is held at a service, in the order of the ids.
pub(super) fn all(tables: &Connection, service: &str) -> rusqlite::Result<Vec<Hold>> {
    let sql = "SELECT * FROM holds WHERE service = ?1 ORDER BY id";
    let mut holds: Vec<Hold> = tables.prepare(sql)?.query_map([service], read)?.collect::<rusqlite::Result<_>>()?;
    let people =
        "SELECT project, entry, key, destination FROM held WHERE service = ?1 AND id = ?2 ORDER BY project, entry";
    let mut people = tables.prepare(people)?;
    for hold in &mut holds {
        let held = people.query_map(params![service, hold.id.0], |row| {
            let project: String = row.get(0)?;
            let (entry, key, to) = (EntryId(row.get(1)?), row.get(2)?, row.get::<_, Option<String>>(3)?);
            let to = to.and_then(|to| to.parse().ok());
            Ok(project.parse().ok().map(|project| HeldPerson { project, entry, key, to }))
        })?;
        hold.people = held.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?;
    }
    Ok(holds)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Hold> {
    let projects: String = row.get("projects")?;
    let kind: String = row.get("kind")?;
    let settled: Option<Millis> = row.get("settled")?;
    Ok(Hold {
        id: HoldId(row.get("id")?),
        source: row.get("source")?,
        kind: match kind.as_str() {
            "file" => HoldKind::File,
            "plan" => HoldKind::Plan,
            _ => HoldKind::Leavers,
        },
        held: moment(row, row.get("held")?, ("boot", "ticks"))?,
        projects: projects.split(' ').filter_map(|project| project.parse().ok()).collect(),
        roster: row.get("roster")?,
        count: row.get("count")?,
        settled: settled.map(|settled| moment(row, settled, ("settled_boot", "settled_ticks"))).transpose()?,
        number: row.get("number")?,
        people: Vec::new(),
    })
}

/// Keeps something, in the place of what has its id. Of a plan that was applied no roster is needed any more.
pub(super) fn put(tables: &Connection, service: &str, hold: &Hold) -> rusqlite::Result<()> {
    let is_applied_plan = hold.kind == HoldKind::Plan && hold.is_applied();
    delete(tables, if is_applied_plan { &HOLD_TABLES } else { &HOLD_TABLES[..2] }, (service, hold.id))?;
    let sql =
        "INSERT INTO holds (service, id, source, kind, held, projects, roster, count, settled, number, boot, ticks,
                                  settled_boot, settled_ticks)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    let projects: Vec<String> = hold.projects.iter().map(ToString::to_string).collect();
    let Hold { id, source, kind, held, roster, count, settled, number, .. } = hold;
    let (boot, ticks) = boot_columns(held);
    let (settled, clock) = settled.map(|settled| (settled.wall, boot_columns(&settled))).unzip();
    let (settled_boot, settled_ticks) = clock.unwrap_or_default();
    let (kind, projects) = (kind.name(), projects.join(" "));
    let what = params![service, id.0, source, kind, held.wall, projects, roster, count, settled, number];
    let clocks = params![boot, ticks, settled_boot, settled_ticks];
    tables.execute(sql, [what, clocks].concat().as_slice())?;
    let mut insert = tables.prepare(
        "INSERT OR REPLACE INTO held (service, id, project, entry, key, destination) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for HeldPerson { project, entry, key, to } in &hold.people {
        let to = to.map(|to| to.to_string());
        insert.execute(params![service, id.0, project.to_string(), entry.0, key, to])?;
    }
    Ok(())
}

/// Forgets what is held by this id, and the roster of a plan.
pub(super) fn remove(tables: &Connection, service: &str, id: HoldId) -> rusqlite::Result<()> {
    delete(tables, &HOLD_TABLES, (service, id))
}

fn delete(tables: &Connection, from: &[&str], (service, id): (&str, HoldId)) -> rusqlite::Result<()> {
    for table in from {
        tables.execute(&format!("DELETE FROM {table} WHERE service = ?1 AND id = ?2"), params![service, id.0])?;
    }
    Ok(())
}
