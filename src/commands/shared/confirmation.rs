//! Whether a command whose effect cannot be taken back may go on: `--yes`, or what a person types.

use clap::Args;

use crate::commands::shared::session::Session;
use crate::model::counted::counted;
use crate::model::failure::Failure;
use crate::output::Console;

/// What is said where no person can be asked.
pub const CANNOT_ASK: &str = "cannot ask for confirmation without a terminal";

/// `--yes`
#[derive(Clone, Copy, Debug, Args)]
pub struct YesArg {
    /// Do not ask; needed where there is no terminal to ask on
    #[arg(short, long)]
    yes: bool,
}

impl YesArg {
    /// Refuses where there is no terminal to ask on, before anything else is done.
    pub fn check(self, console: Console) -> Result<(), Failure> {
        if self.yes || console.can_ask() {
            return Ok(());
        }
        Err(Failure::usage(CANNOT_ASK).hint("add --yes to the command"))
    }

    /// Whether the answer is yes. `unchanged` is said where it is not.
    pub fn confirms(self, console: Console, question: &str, unchanged: &str) -> bool {
        self.yes || accepted(console.confirm(question).unwrap_or(false), console, unchanged)
    }

    /// The same with the number of people who are to be removed from where the session works for a yes.
    pub fn confirms_removal(self, session: &Session, count: usize, unchanged: &str) -> bool {
        if self.yes {
            return true;
        }
        say_results_go(session.console, count);
        accepted(types_removal(session, count), session.console, unchanged)
    }

    /// Whether nothing is asked.
    pub fn is_given(self) -> bool {
        self.yes
    }
}

/// What is said before people are removed: the service shows results of those who are enrolled (our assumption).
pub fn say_results_go(console: Console, count: usize) {
    let whose = if count == 1 { "the person who leaves" } else { "those who leave" };
    console.note(&format!("the results of {whose} can't be read here afterwards: export them before"));
}

/// Whether the number of people who are to be removed from where the session works is typed.
pub fn types_removal(session: &Session, count: usize) -> bool {
    let people = counted(count, "person", "people");
    types_number(session.console, count, &format!("remove {people}{}", session.place_left()))
}

/// Whether a person types the number that something is about: a yes is typed too easily.
pub fn types_number(console: Console, count: usize, what: &str) -> bool {
    console.ask(&format!("Type {count} to {what}:")).is_some_and(|answer| answer == count.to_string())
}

fn accepted(is_yes: bool, console: Console, unchanged: &str) -> bool {
    if !is_yes {
        console.note(unchanged);
    }
    is_yes
}
