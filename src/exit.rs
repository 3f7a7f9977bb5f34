//! The exit codes: the only place with their numbers. Of several verdicts the greatest counts, in the order of
//! `model/verdict.rs`. Which verdict an end has is decided for errors of the service in `api/verdict.rs`, for rows in `bulk/outcome.rs`, for `--fail-on` in `commands/results/pick.rs`, else where the failure is.

use std::process::ExitCode;

use crate::model::verdict::Verdict;

/// The end of the program.
pub fn end(verdict: Verdict) -> ExitCode {
    // Shells leave a loop when the signal ended the program, and go on when it only ended with their number for that. Nothing
    // delivers it to process 1, which the program is in a container.
    #[cfg(unix)]
    if verdict == Verdict::Interrupted && std::process::id() != 1 {
        let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT);
    }
    ExitCode::from(code(verdict))
}

/// How a command ended, as scripts see it.
pub fn code(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Done => 0,
        Verdict::Unforeseen => 1,
        Verdict::Usage => 2,
        Verdict::Key => 3,
        Verdict::NotFound => 4,
        Verdict::Refused => 5,
        Verdict::NothingDone => 6,
        Verdict::Unfinished => 7,
        Verdict::Alert => 8,
        Verdict::RowsToFix => 10,
        Verdict::Held => 11,
        Verdict::Declined | Verdict::Interrupted => 130,
        Verdict::Terminated => 143,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_end_counts_in_the_order_of_the_design() {
        let mut ends = [
            Verdict::Refused,
            Verdict::Terminated,
            Verdict::Alert,
            Verdict::Key,
            Verdict::NotFound,
            Verdict::Held,
            Verdict::Usage,
            Verdict::RowsToFix,
            Verdict::Unforeseen,
            Verdict::Unfinished,
            Verdict::NothingDone,
            Verdict::Declined,
            Verdict::Interrupted,
            Verdict::Done,
        ];
        ends.sort();
        ends.reverse();
        assert_eq!(ends.map(code), [143, 130, 130, 3, 2, 1, 8, 7, 11, 10, 6, 5, 4, 0]);
    }
}
