//! Words of sentences: small ones, verbs by what they do, what people are said to be, fields and formats.

/// Words that say nothing of their own.
pub const SMALL: &str = "the a an my our me us please every each any who which that is are was were has have had whose \
    their called named titled there do does did yet still already now";
/// Words that ask, where they begin a line.
pub const QUESTIONS: &str = "who which what is";
/// Verbs that show people.
pub const SHOWS: &str = "list show get print find display view give export see search lookup ls";
/// Verbs that take people from one project to another.
pub const MOVES: &str = "move mv transfer copy cp clone";
/// Verbs that take people out of a project.
pub const REMOVES: &str = "remove delete rm unenrol unenroll drop";
/// Verbs that enrol, and those of a file.
pub const ENROLS: &str = "enrol enroll import add create upload register load onboard";
/// Verbs that send.
pub const SENDS: &str = "send mail remind notify invite issue create resend";
/// Verbs about one person.
pub const OF_ONE: &str = "get show issue update remove delete view describe";
/// Commands of this machine.
pub const MACHINE: &str = "config sandbox doctor completions man schema help";
/// Words before what says where, whose, or from when.
pub const PLACES: &str = "in into within inside of for from to onto as using";
/// Words for all people of a project.
pub const ALL: &str = "everyone everybody anyone anybody people all";

/// Phrases with a comma in between, and what they stand for.
pub type Phrases = (&'static str, &'static str);

/// What people are said to be, and the option that chooses them.
pub const STATES: &[Phrases] = &[
    ("at high risk, at risk, at-risk, risky, flagged, not fit, unfit, impaired", "--flagged"),
    (
        "not completed, not complete, not been completed, not yet completed, not done, not do, not take, not finish, not \
         finished, not tested, not been tested, not taken, incomplete, pending, overdue, outstanding, missing",
        "--not-completed",
    ),
    ("completed, complete, finished, done, tested", "--completed-only"),
];
/// Fields of a person by themselves, as directories name them, and the option that sets or names each.
pub const FIELDS: &[Phrases] = &[
    ("firstname, first-name, first name, first_name, givenname, forename", "--first-name"),
    ("lastname, last-name, last name, last_name, familyname, surname", "--last-name"),
    ("referenceid, reference id, employeeid", "--reference-id"),
    ("birthyear, birth year", "--birth-year"),
    ("fields", "--fields"),
    ("query", "--filter"),
    ("limit", "--limit"),
];
/// Fields that name a person, and the prefix of each.
pub const NAMES: &[Phrases] = &[
    (
        "ref, reference, reference-id, referenceid, employee-id, employeeid, employee-number, employee, external-id, badge",
        "ref",
    ),
    ("entry-id, id", "id"),
];
/// Formats that a sentence names.
pub const FORMATS: &[Phrases] =
    &[("csv", "csv"), ("json", "json"), ("ndjson", "ndjson"), ("excel, xlsx", "xlsx"), ("table", "table")];
