//! What others do to a roster and its people: the operator edits, clocks jump, other machines and processes enrol.

use crate::bulk::roster::{Field, Roster};
use crate::bulk::row_key::key_of;
use crate::journal::row_store::{KeyState, KnownRow};
use crate::model::field_rules::fold_email;
use crate::model::testtakers::NewTestTaker;

use super::Off;
use super::world::{World, seconds};

/// People of no roster begin here.
const NAMESAKES: usize = 1000;
/// In milliseconds.
const DAY: i64 = 86_400_000;

impl World {
    /// Some people were enrolled before and removed just now: reads may still show them. Of some twins one is there.
    pub(super) fn remove_some(&mut self) {
        let roster = self.roster();
        for row in (0..self.lines.len()).filter(|row| row % 9 == 8 && self.twins) {
            // A person that another machine enrolled and the service spells otherwise cannot be known.
            let spells = self.spelling.is_of_identity();
            if self.random.bool() && !spells {
                let person = roster.person(row).expect("a person");
                let then = self.now.saturating_sub(seconds(500.0));
                self.service.enrol(self.lines[row].person, &person, then, true);
            }
        }
        for row in (0..self.lines.len()).filter(|row| row % 9 == 3) {
            let person = roster.person(row).expect("a person");
            let then = self.now.saturating_sub(seconds(500.0));
            self.service.enrol(self.lines[row].person, &person, then, true);
            if let Some(entry) = self.service.entries.last_mut() {
                entry.removed = Some(self.now.saturating_sub(seconds(0.5)));
            }
        }
    }

    /// Where the same reference id on two people is meant, others had it before.
    pub(super) fn enrol_namesakes(&mut self) {
        let roster = self.roster();
        for row in (0..self.lines.len()).filter(|row| row % 9 == 5 && self.twins) {
            let mut person = roster.person(row).expect("a person");
            if person.reference_id.is_none() || self.random.bool() {
                continue;
            }
            person.email = format!("namesake-{row}@x.example").parse().expect("an address");
            let then = self.now.saturating_sub(seconds(500.0));
            self.service.enrol(NAMESAKES + row, &person, then, true);
        }
    }

    /// The operator edits a row, the clock jumps, another machine is at work.
    pub(super) fn between_runs(&mut self) {
        if self.edits && self.chance(50) {
            let row = self.random.usize(..self.lines.len());
            self.edit(row);
        }
        if self.jumps && self.chance(30) {
            self.jump = [-DAY, 0, 30_000, DAY][self.random.usize(..4)];
            self.tell(&format!("the clock is {} ms off", self.jump));
        }
        if self.chance(10) {
            let row = self.random.usize(..self.lines.len());
            self.foreign_machine(row);
        }
    }

    /// Corrects what does not change who it is: the address beside a reference id, the name beside an address, or gives a
    /// row a reference id.
    fn edit(&mut self, row: usize) {
        // What a service spells cannot be found by what was sent: an answer that was lost, and the row edited, stay outside.
        let spells = self.spelling.is_of_identity();
        if (spells && !self.is_settled(row)) || !self.edited.insert(row) {
            return;
        }
        self.tell(&format!("row {row} is edited"));
        let (assign, line) = (self.random.bool(), &mut self.lines[row]);
        match &line.reference {
            Some(_) => line.email = format!("corrected-{}", line.email),
            None if assign => line.reference = Some(format!("late-{}", line.person)),
            None => line.first_name = format!("{} B", line.first_name),
        }
    }

    /// Whether the row was never sent, or its answer came.
    fn is_settled(&self, row: usize) -> bool {
        let person = self.roster().person(row).expect("a person");
        let email = self.hasher.email(&fold_email(person.email.as_str()));
        let known = self.store.all().into_iter().filter(|known| known.email == email);
        known.into_iter().all(|known| match known.state {
            KeyState::Open { answered, .. } => answered,
            KeyState::Enrolled { enrolment, .. } => enrolment.is_some(),
            KeyState::Free | KeyState::Refused => known.attempts < 2,
        })
    }

    /// Another state directory enrols a person that it does not see, and that was never sent from here.
    fn foreign_machine(&mut self, row: usize) {
        let roster = self.roster();
        let (Some(person), whose) = (roster.person(row), self.lines[row].person) else { return };
        let is_known = self.service.entries.iter().any(|entry| entry.person == whose);
        let is_sent = self.sent(&person);
        if !is_known && !is_sent {
            self.tell(&format!("row {row} is enrolled by another machine"));
            self.service.enrol(whose, &person, self.now, true);
            self.by_others.insert(whose);
        }
    }

    /// Whether reads that stand still can be told from a project that does not change: by a person who is known to be enrolled.
    pub(super) fn can_be_told(&self) -> bool {
        let is_enrolled = |known: KnownRow| matches!(known.state, KeyState::Enrolled { .. });
        !self.frozen || self.store.all().into_iter().any(is_enrolled)
    }

    /// Whether a row with this e-mail or reference id was sent from here: it would hold the person up.
    fn sent(&self, person: &NewTestTaker) -> bool {
        let email = self.hasher.email(&fold_email(person.email.as_str()));
        let reference = person.reference_id.as_ref().map(|id| self.hasher.reference(id.as_str()));
        self.store.all().iter().any(|row| row.email == email || (reference.is_some() && row.reference == reference))
    }

    /// A colleague enrols one person of the roster by hand at the same time, with the same journal.
    pub(super) fn another_process(&mut self, roster: &Roster) {
        let row = self.random.usize(..self.lines.len());
        let whose = self.lines[row].person;
        let person = roster.person(row).expect("a person");
        let is_alone = self.lines.iter().filter(|line| line.person == whose).count() == 1;
        let records = self.service.look_up(self.now, &mut self.random, (&person, true), &[]);
        let is_there = self.service.entries.iter().any(|entry| entry.person == whose && entry.removed.is_none());
        let free = !self.sent(&person) && !is_there;
        if is_alone && records.is_empty() && (free || self.off == Off::Claims) {
            self.tell(&format!("row {row} is enrolled by another process"));
            let enrolment = self.service.enrol(whose, &person, self.now, false);
            let (noted, reference) = (self.beginning().moment, roster.value(row, Field::ReferenceId));
            let (entry, enrolment) = (enrolment.project_entry_id, Some(enrolment.id));
            self.store.claimed_elsewhere(KnownRow {
                number: -1,
                key: key_of(&self.hasher, roster, row, 0),
                email: self.hasher.email(&fold_email(person.email.as_str())),
                reference: reference.map(|id| self.hasher.reference(id)),
                state: KeyState::Enrolled { entry, enrolment, known: noted.wall },
                before: Vec::new(),
                attempts: 1,
                intended: noted.wall,
                line: 0,
                noted,
                respelt: self.spelling.is_of_identity(),
            });
            self.beside.insert(whose);
        }
    }
}
