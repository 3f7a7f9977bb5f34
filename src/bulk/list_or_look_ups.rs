//! Whether a project's list is read for the rows of a file or each row is looked up: what takes fewer requests.

/// Records whose list takes as many requests as looking up one row does: a verified list takes about two for a page of a
/// hundred, a look-up one.
const RECORDS_A_LOOK_UP: usize = 50;
/// The same where the list will be read once more at the end, to see what was enrolled.
const RECORDS_AN_ENROLMENT: usize = RECORDS_A_LOOK_UP / 2;

/// The longest list that is worth reading to find the people of so many rows.
pub fn longest_to_find(rows: usize) -> usize {
    rows.saturating_mul(RECORDS_A_LOOK_UP)
}

/// The longest list that is worth reading to enrol the people of so many rows.
pub fn longest_to_enrol(rows: usize) -> usize {
    rows.saturating_mul(RECORDS_AN_ENROLMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_for_more_rows_where_it_is_read_once_more_at_the_end() {
        assert_eq!([longest_to_find(3), longest_to_enrol(3)], [150, 75]);
        assert_eq!([longest_to_find(0), longest_to_find(usize::MAX)], [0, usize::MAX]);
    }
}
