//! What a sync finds before anything is sent: who is known, how the file stands, and what it means for its projects.

use std::collections::{BTreeMap, HashSet};
use std::mem;

use crate::api::{Error, VerifiedList};
use crate::bulk::outcome::RowResult;
use crate::bulk::roster::Field;
use crate::bulk::sync::absent::AbsenceRules;
use crate::bulk::sync::classes::{Classes, Classifier, Known, RowClass};
use crate::bulk::sync::counted_rosters::RosterCount;
use crate::bulk::sync::file_people::FilePeople;
use crate::bulk::sync::known_people::KnownPeople;
use crate::bulk::sync::limits::FileFigures;
use crate::bulk::sync::moves_and_replacements::{FilePart, Pair, find_pairs};
use crate::bulk::sync::person_keys::PersonKeys;
use crate::commands::testtakers::sync_context::{SyncContext, SyncPart};
use crate::commands::testtakers::sync_journaled::Journaled;
use crate::journal::clock::Moment;
use crate::journal::person_key::PersonKey;
use crate::journal::row_store::RowHasher;
use crate::journal::synced_rosters::SyncedRoster;
use crate::journal::synced_rosters::open_moves::OpenMove;
use crate::model::counted::counted;
use crate::model::field_rules::fold_email;
use crate::model::projects::ProjectId;
use crate::model::testtakers::EntryId;

/// How the rows of a project stand before anything is sent.
pub struct Standing {
    /// The project's list.
    pub list: VerifiedList,
    /// How each row stands, by a rehearsal of the import.
    pub ends: Vec<RowResult>,
    /// Entries whose removal may still take effect.
    pub removing: HashSet<EntryId>,
}

/// What was found.
pub struct SyncLook {
    /// Who is what, by the parts of the file.
    pub classes: Vec<Classes>,
    /// What else was found of each part.
    pub parts: Vec<PartLook>,
    /// Who goes from one entry to another.
    pub pairs: Vec<Pair>,
    /// The keyed hash of what the file says.
    pub roster: PersonKey,
    pub now: Moment,
    /// The number that a plan of this has: rosters that are remembered from now on are newer.
    pub number: i64,
    /// What is to be said.
    pub notes: Vec<String>,
}

/// What was found of one project, beside who is what.
pub struct PartLook {
    /// What the limits of the file are judged by; joiners and changes are the classes' to count.
    pub figures: FileFigures,
    /// Who is known once this roster is remembered.
    known: KnownPeople,
    /// When the last roster was synced whose gaps count as absences: this one, or an earlier one.
    counted: Moment,
    /// Whether the gaps of this roster do.
    count: RosterCount,
}

/// Holds the file against the lists and against what is remembered.
pub fn look(run: &SyncContext<'_>, standings: &[Standing]) -> anyhow::Result<SyncLook> {
    let (hasher, now, number) = (run.journal.hasher(), Moment::now(), run.journal.next_number()?);
    let roster = run.roster_key();
    let parts = run.parts.iter().zip(standings);
    let files: Vec<FilePeople<'_>> =
        parts.map(|(part, standing)| FilePeople::new(&hasher, &part.roster, &standing.ends)).collect();
    let open = run.journal.moves(&run.rules.source)?;
    let joins = run.journal.joins(&run.rules.source)?;
    let looking = Looking { run, hasher: &hasher, now, roster, files: &files, open: &open, joins: &joins };
    let mut kept = HashSet::new();
    let looks = standings.iter().enumerate().map(|(at, standing)| looking.part(at, standing, &mut kept));
    let (mut classes, parts): (Vec<Classes>, Vec<PartLook>) = looks.collect::<anyhow::Result<_>>()?;
    let of_file: Vec<FilePart<'_>> = run
        .parts
        .iter()
        .zip(standings)
        .map(|(part, standing)| FilePart { project: part.context.project, roster: &part.roster, ends: &standing.ends })
        .collect();
    let pairs = find_pairs(&of_file, &mut classes, &hasher, (&open, run.rules.replaces_renamed));
    let missing = run.rules.keep.missing(&hasher, |key| kept.contains(key));
    let mut look = SyncLook { classes, parts, pairs, roster, now, number, notes: Vec::new() };
    look.notes = notes(run, &look, missing);
    Ok(look)
}

impl SyncLook {
    /// What to type about people who are put aside because their e-mail is another one. `replaces` says that they are to be
    /// replaced (`--replace-renamed`); a plan is no roster that is remembered.
    pub fn renamed_hint(&self, replaces: bool, is_plan: bool) -> Option<&'static str> {
        let mut parts = self.parts.iter().zip(&self.classes);
        let is_first = parts.any(|(part, of)| part.count == RosterCount::First && of.count(RowClass::Renamed) > 0);
        match (is_first && !is_plan, replaces) {
            (true, true) => Some("no e-mail is replaced on a source's first roster: run the same command again"),
            (true, false) => Some(
                "no e-mail is replaced on a source's first roster: run the same command again with --replace-renamed",
            ),
            (false, false) if self.classes.iter().any(|of| of.renamed.values().any(|old| !old.is_empty())) => {
                Some("--replace-renamed enrols people under their new e-mail and removes the old entries")
            }
            (false, _) => None,
        }
    }

    /// What is remembered of the rosters, where `left` are the entries that are gone; nothing where rows were left out. It
    /// is taken out of here.
    pub fn remembered(
        &mut self,
        run: &SyncContext<'_>,
        left: &HashSet<(usize, EntryId)>,
    ) -> Vec<(ProjectId, SyncedRoster)> {
        if run.rules.skips_rows {
            return Vec::new();
        }
        let each = run.parts.iter().zip(&mut self.parts).zip(&self.classes).enumerate();
        let rosters = each.map(|(at, ((part, look), classes))| {
            let mut still = classes.staying();
            let pairs = self.pairs.iter().filter(|pair| pair.from == at);
            let going = classes.leavers.iter().chain(pairs.map(|pair| &pair.old));
            let stayed = going.filter(|leaver| !left.contains(&(at, leaver.person.entry_id())));
            still.extend(stayed.flat_map(|leaver| leaver.keys.each()));
            let people = mem::take(&mut look.known).still(|key| still.contains(key)).into_people();
            let (roster, synced, counted) = (self.roster, self.now, look.counted);
            (part.context.project, SyncedRoster { people, roster, synced, counted, number: None })
        });
        rosters.collect()
    }
}

/// What the looks at the parts have in common.
struct Looking<'a> {
    run: &'a SyncContext<'a>,
    hasher: &'a RowHasher,
    now: Moment,
    roster: PersonKey,
    /// The people of each part.
    files: &'a [FilePeople<'a>],
    open: &'a [OpenMove],
    /// People that earlier runs began to enrol, and no roster has yet.
    joins: &'a [(ProjectId, PersonKey)],
}

impl Looking<'_> {
    fn part(
        &self,
        at: usize,
        standing: &Standing,
        kept: &mut HashSet<PersonKey>,
    ) -> anyhow::Result<(Classes, PartLook)> {
        let (run, part, file) = (self.run, &self.run.parts[at], &self.files[at]);
        let project = part.context.project;
        let mut remembered = run.journal.recall(project, &run.rules.source)?;
        let people = remembered.as_mut().map(|known| mem::take(&mut known.people));
        let last = KnownPeople::new(people.unwrap_or_default());
        let count = RosterCount::of(remembered.as_ref(), &self.roster, &self.now, run.rules.roster_interval);
        let figures = self.figures(at, &last, count);
        let before = self.with_brought(project, last);
        let lacking = before.lacking(|key| file.has(key));
        let known = before.after(file.primary(), |key| !lacking.contains(key), count.counts());
        let elsewhere = KnownPeople::new(run.journal.others(project, &run.rules.source)?);
        let keep = run.rules.keep.people(self.hasher);
        let journaled = Journaled::read(&part.context, run.rules.doubt.settle)?;
        let mut unseen: HashSet<EntryId> = journaled.fresh.iter().filter_map(|(entry, _)| *entry).collect();
        let replacing = self.replacing(project);
        let mut classifier = Classifier::new(Known {
            roster: &part.roster,
            ends: &standing.ends,
            file,
            hasher: self.hasher,
            rules: AbsenceRules {
                leavers: run.rules.leavers,
                is_first: remembered.is_none(),
                absent_for: run.rules.absent_for,
                known: &known,
                elsewhere: &elsewhere,
                keep: &keep,
            },
            before: &before,
            replacing: &replacing,
            doubtful: &journaled.doubtful,
            sent: &journaled.sent,
            removing: &standing.removing,
            replaces_renamed: run.rules.replaces_renamed,
        });
        standing.list.each_entry(|entry, person| {
            unseen.remove(&entry);
            if keep.len() > 0 {
                let keys = PersonKeys::of_record(self.hasher, &person.read()?);
                kept.extend(keys.each().filter(|key| keep.absences(key).is_some()));
            }
            if classifier.needs(entry) {
                classifier.add_record(person.read()?);
            }
            Ok::<_, Error>(())
        })?;
        let mut classes = classifier.finish(|row| was_removed(part, row))?;
        classes.pending = pending((journaled.fresh, &unseen), &before, file);
        let counted = if count.counts() { self.now } else { remembered.map_or(self.now, |known| known.counted) };
        Ok((classes, PartLook { figures, known, counted, count }))
    }

    /// Entries that another e-mail of the same person is to take the place of, by a run that did not end.
    fn replacing(&self, project: ProjectId) -> HashSet<EntryId> {
        let replacing = self.open.iter().filter(|open| open.from == project && open.to == project);
        replacing.map(|open| open.entry).collect()
    }

    /// Who was known before. People that a run which did not end enrolled or moved here are known as well, for a later roster
    /// may lack them; but no roster had them, and the limits of the file go by rosters.
    fn with_brought(&self, project: ProjectId, last: KnownPeople) -> KnownPeople {
        let moved = self.open.iter().filter(|open| open.to == project && open.from != project);
        let joined = self.joins.iter().filter(|(to, _)| *to == project);
        let mut brought = moved.map(|open| open.key).chain(joined.map(|(_, key)| *key)).map(|key| (key, 0)).peekable();
        if brought.peek().is_none() {
            return last;
        }
        KnownPeople::new(last.into_people().into_iter().chain(brought).collect())
    }

    /// The figures of a part, by the last roster. People who stand in the file under another project are not lost to it.
    fn figures(&self, at: usize, before: &KnownPeople, count: RosterCount) -> FileFigures {
        let lacking = before.lacking(|key| self.files[at].has(key));
        let moved: HashSet<PersonKey> =
            lacking.iter().filter(|key| self.files.iter().any(|file| file.has(key))).copied().collect();
        let in_file = self.run.parts[at].roster.row_count() + before.count_in_last(|key| moved.contains(key));
        let in_last = before.in_last_roster();
        FileFigures {
            in_file,
            // Who was missing in a roster that counted no absence is remembered as before, and makes this one no shorter.
            in_last: if count == RosterCount::SaysTheSame { in_last.min(in_file) } else { in_last },
            known: before.len(),
            known_in_file: before.len() - lacking.len() + moved.len(),
            joiners: 0,
            changes: 0,
        }
    }
}

/// Of the people whose enrolment is not certain yet, or who were enrolled and not seen, those who are known and not in the
/// file.
fn pending(
    (fresh, unseen): (Vec<(Option<EntryId>, PersonKeys)>, &HashSet<EntryId>),
    before: &KnownPeople,
    file: &FilePeople<'_>,
) -> Vec<PersonKeys> {
    let fresh = fresh.into_iter().filter(|(entry, keys)| {
        let is_known = keys.each().any(|key| before.absences(&key).is_some());
        is_known && entry.is_none_or(|entry| unseen.contains(&entry)) && !keys.each().any(|key| file.has(&key))
    });
    fresh.map(|(_, keys)| keys).collect()
}

/// Whether a row's person was removed from here.
fn was_removed(part: &SyncPart<'_>, row: usize) -> anyhow::Result<bool> {
    let removals = part.removals.borrow();
    let reference = part.roster.value(row, Field::ReferenceId);
    let email = part.roster.value(row, Field::Email).map(fold_email);
    let by_reference = reference.map(|id| removals.has((Field::ReferenceId.name(), id))).transpose()?;
    if by_reference == Some(true) {
        return Ok(true);
    }
    Ok(email.map(|email| removals.has((Field::Email.name(), &email))).transpose()? == Some(true))
}

/// What a person should know beside the counts; `missing` are the people of `--keep` who are on no list.
fn notes(run: &SyncContext<'_>, look: &SyncLook, missing: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if run.rules.skips_rows {
        notes.push("rows were left out: nobody is removed, and the roster is not remembered".to_owned());
    } else {
        notes.extend(remarks(run, look));
    }
    if missing > 0 {
        let verb = if missing == 1 { "is" } else { "are" };
        notes.push(format!("{} of --keep {verb} not on the list", counted(missing, "person", "people")));
    }
    notes
}

/// What concerns the counting of absences, each once, with the projects unless it is all of them.
fn remarks(run: &SyncContext<'_>, look: &SyncLook) -> Vec<String> {
    let mut by_words: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for ((part, found), classes) in run.parts.iter().zip(&look.parts).zip(&look.classes) {
        if let Some(words) = found.count.remark(&run.rules.source, !classes.waiting.is_empty()) {
            by_words.entry(words).or_default().push(&part.name);
        }
    }
    let told = by_words.into_iter().map(|(words, projects)| match projects.len() {
        all if all == run.parts.len() => words,
        _ => format!("{}: {words}", projects.join(", ")),
    });
    told.collect()
}
