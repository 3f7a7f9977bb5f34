//! Words of sentences: small ones, verbs by what they do, what people are said to be, fields and formats.

/// Words that say nothing of their own.
pub const SMALL: [&str; 34] = [
    "the", "a", "an", "my", "our", "me", "us", "please", "every", "each", "any", "who", "which", "that", "is", "are",
    "was", "were", "has", "have", "had", "whose", "their", "called", "named", "titled", "there", "do", "does", "did",
    "yet", "still", "already", "now",
];
/// Words that ask, where they begin a line.
pub const QUESTIONS: [&str; 4] = ["who", "which", "what", "is"];
/// Verbs that show people.
pub const SHOWS: [&str; 13] =
    ["list", "show", "get", "print", "find", "display", "view", "give", "export", "see", "search", "lookup", "ls"];
/// Verbs that take people from one project to another.
pub const MOVES: [&str; 6] = ["move", "mv", "transfer", "copy", "cp", "clone"];
/// Verbs that take people out of a project.
pub const REMOVES: [&str; 6] = ["remove", "delete", "rm", "unenrol", "unenroll", "drop"];
/// Commands of this machine.
pub const MACHINE: [&str; 7] = ["config", "sandbox", "doctor", "completions", "man", "schema", "help"];
/// Verbs that enrol, and those of a file.
pub const ENROLS: [&str; 9] = ["enrol", "enroll", "import", "add", "create", "upload", "register", "load", "onboard"];
/// Words before what says where, whose, or from when.
pub const PLACES: [&str; 11] = ["in", "into", "within", "inside", "of", "for", "from", "to", "onto", "as", "using"];
/// Words for all people of a project.
pub const ALL: [&str; 6] = ["everyone", "everybody", "anyone", "anybody", "people", "all"];
/// What people are said to be, and the option that chooses them; the longest first.
pub const STATES: [(&str, &str); 30] = [
    ("at high risk", "--flagged"),
    ("at risk", "--flagged"),
    ("at-risk", "--flagged"),
    ("risky", "--flagged"),
    ("flagged", "--flagged"),
    ("not fit", "--flagged"),
    ("unfit", "--flagged"),
    ("impaired", "--flagged"),
    ("not completed", "--not-completed"),
    ("not complete", "--not-completed"),
    ("not been completed", "--not-completed"),
    ("not yet completed", "--not-completed"),
    ("not done", "--not-completed"),
    ("not do", "--not-completed"),
    ("not take", "--not-completed"),
    ("not finish", "--not-completed"),
    ("not finished", "--not-completed"),
    ("not tested", "--not-completed"),
    ("not been tested", "--not-completed"),
    ("not taken", "--not-completed"),
    ("incomplete", "--not-completed"),
    ("pending", "--not-completed"),
    ("overdue", "--not-completed"),
    ("outstanding", "--not-completed"),
    ("missing", "--not-completed"),
    ("completed", "--completed-only"),
    ("complete", "--completed-only"),
    ("finished", "--completed-only"),
    ("done", "--completed-only"),
    ("tested", "--completed-only"),
];
/// Fields of a person by themselves, as directories name them, and the option that sets or names each.
pub const FIELDS: [(&str, &str); 20] = [
    ("firstname", "--first-name"),
    ("first-name", "--first-name"),
    ("first name", "--first-name"),
    ("first_name", "--first-name"),
    ("givenname", "--first-name"),
    ("forename", "--first-name"),
    ("lastname", "--last-name"),
    ("last-name", "--last-name"),
    ("last name", "--last-name"),
    ("last_name", "--last-name"),
    ("familyname", "--last-name"),
    ("surname", "--last-name"),
    ("referenceid", "--reference-id"),
    ("reference id", "--reference-id"),
    ("employeeid", "--reference-id"),
    ("birthyear", "--birth-year"),
    ("birth year", "--birth-year"),
    ("fields", "--fields"),
    ("query", "--filter"),
    ("limit", "--limit"),
];
/// Formats that a sentence names.
pub const FORMATS: [(&str, &str); 6] =
    [("csv", "csv"), ("json", "json"), ("ndjson", "ndjson"), ("excel", "xlsx"), ("xlsx", "xlsx"), ("table", "table")];
