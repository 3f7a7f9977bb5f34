//! Rows that share their e-mail or reference id: one at a time, so that a look-up never finds two of them at once.

use std::collections::{HashMap, VecDeque};

/// Which rows must not be under way beside each other.
#[derive(Debug, Default)]
pub(super) struct Groups {
    of: HashMap<usize, usize>,
    /// Groups with a row under way or in doubt.
    busy: HashMap<usize, Busy>,
}

#[derive(Debug, Default)]
struct Busy {
    rows: Vec<usize>,
    waiting: VecDeque<usize>,
    /// A row of the group ended in doubt: in this run no other row of it is sent.
    unknown: bool,
}

impl Groups {
    /// Rows with the number of their group; rows alone have none.
    pub(super) fn new(of: HashMap<usize, usize>) -> Self {
        Self { of, busy: HashMap::new() }
    }

    /// A row is in doubt: the others of its group wait.
    pub(super) fn occupy(&mut self, row: usize) {
        let Some(group) = self.of.get(&row) else { return };
        let busy = self.busy.entry(*group).or_default();
        if !busy.rows.contains(&row) {
            busy.rows.push(row);
        }
    }

    /// Whether a row may go now. If not, it is kept and comes back from [`leave`](Self::leave).
    pub(super) fn enter(&mut self, row: usize) -> bool {
        let Some(group) = self.of.get(&row) else { return true };
        let busy = self.busy.entry(*group).or_default();
        if busy.rows.is_empty() || busy.rows == [row] {
            busy.rows = vec![row];
            return true;
        }
        // A row that was in doubt itself holds up no row any more, itself included.
        busy.rows.retain(|other| *other != row);
        busy.waiting.push_back(row);
        false
    }

    /// A row has ended: the row that may go now, and those that can't in this run because the row's end is not known.
    pub(super) fn leave(&mut self, row: usize, unknown: bool) -> (Option<usize>, Vec<usize>) {
        let Some(busy) = self.of.get(&row).and_then(|group| self.busy.get_mut(group)) else {
            return (None, Vec::new());
        };
        let Some(place) = busy.rows.iter().position(|other| *other == row) else { return (None, Vec::new()) };
        busy.unknown |= unknown;
        if busy.unknown {
            // The row stays where it is, so that no row of the group ever enters.
            return (None, busy.waiting.drain(..).collect());
        }
        busy.rows.swap_remove(place);
        if busy.rows.is_empty() { (busy.waiting.pop_front(), Vec::new()) } else { (None, Vec::new()) }
    }

    /// Whether a row can't be sent in this run, because another one of its group ended in doubt.
    pub(super) fn is_blocked(&self, row: usize) -> bool {
        let busy = self.of.get(&row).and_then(|group| self.busy.get(group));
        busy.is_some_and(|busy| busy.unknown && !busy.rows.contains(&row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_group_with_a_row_in_doubt_the_others_are_blocked_and_that_row_is_not() {
        let mut groups = Groups::new([(0, 9), (1, 9)].into());
        assert!(groups.enter(0) && !groups.is_blocked(1));
        groups.leave(0, true);
        assert_eq!([groups.is_blocked(0), groups.is_blocked(1), groups.is_blocked(2)], [false, true, false]);
    }
}
