//! Suggestions about all people, and what is said in their place where a line names one person, a file, or a part of a project.

use crate::commands::shell::argv::TypedLine;
use crate::commands::suggest::foreign_options::{IN_SANDBOX, OWN_ID};
use crate::commands::suggest::foreign_words::{
    AT_RISK, COPY, EXPORT_PEOPLE, EXPORT_RESULTS, FIXED, INIT, JOURNAL, NO_LINKS, NO_MAIL, PENDING, PURGE, QR,
    REMOVE_FILE, REPORT, RESEND, ROTATE, STATUS, SUMMARY, TO_REMIND,
};
use crate::commands::suggest::people::{People, Whom};
use crate::commands::suggest::suggestion::{Suggestion, command, leave_out, person, say};

const LINK_OF_ONE: Suggestion = say(
    "nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID --to links.csv` writes a link to be sent",
);
const LINKS_OF_FILE: Suggestion =
    say("nothing is mailed from here: `assessctl links issue --file FILE.csv --to links.csv` writes links to be sent");
/// Who is named by an address may be new.
const LINK_OF_ADDRESS: Suggestion = say(
    "nothing is mailed from here: `assessctl links issue email:ADDRESS --to links.csv` writes a link to be sent, `assessctl testtakers enrol --email ADDRESS` enrols who is not in the project yet",
);
const LINKS_OF_SOME: Suggestion = say(
    "nothing is mailed from here: `assessctl results list --to some.csv` writes whom its options choose, `assessctl links issue --file some.csv --to links.csv` links to be sent to them",
);
const NEW_LINK: Suggestion =
    say("`assessctl links issue ref:REFERENCE_ID` issues a new link, which voids the one before");
const LINK_AGAIN: Suggestion = say(
    "links cannot be read again: `assessctl links issue ref:REFERENCE_ID` issues a new one, which voids those before it",
);
const NO_PICTURE: Suggestion = say(
    "a test link is one person's for a day, and has no picture: `assessctl links issue ref:REFERENCE_ID` prints it, `assessctl projects link --qr` draws a project's",
);
const REMOVE_ONE: Suggestion = command("testtakers remove", "");
const REMOVE_SOME: Suggestion = say(
    "`assessctl testtakers list --to people.csv` writes whom its options choose, `assessctl testtakers remove --file people.csv --dry-run` shows who would be removed, and without --dry-run they are",
);
const RESULT_OF_ONE: Suggestion =
    command("results get", "`assessctl results report --to FILE.html` writes a page of a project's results");
/// Where no other person is named, a reference id names the person, and is none to be set.
const BY_REFERENCE: Suggestion =
    say("name the person by `ref:REFERENCE_ID`, without an option; --reference-id sets another");
const BY_ADDRESS: Suggestion = person("email", "a test taker is named by email:ADDRESS, without an option");
const ONE: Suggestion = command("testtakers get", "");
/// How a person is enrolled in another project as well.
const COPY_ONE: Suggestion = say(
    "enrol in the other project as well: `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME -p OTHER`",
);

/// What is said where nothing is to be rehearsed or logged in to.
const REHEARSED: Suggestion = leave_out("there is no dry run of it, and in the sandbox nothing leaves this machine");
const NO_LOGIN: Suggestion =
    say("the sandbox needs no login: `assessctl projects list --profile sandbox` lists its projects");
const JOURNAL_ONCE: Suggestion = say(
    "`assessctl journal list` shows what was sent from here, `assessctl journal show -p NAME_OR_ID` lists the rows of a project; nothing follows here: each run lists what there is",
);

/// What is suggested in place of what would be about more people than the line is.
pub fn narrowed(hint: Suggestion, whom: &Whom) -> Suggestion {
    let is = |all: &[Suggestion]| all.contains(&hint);
    let names_one = !whom.people.is_empty();
    let is_plain = names_one && whom.are_plain;
    match () {
        () if is(&[NO_MAIL, TO_REMIND]) && whom.people == ["email:ADDRESS"] => LINK_OF_ADDRESS,
        () if is(&[NO_MAIL, TO_REMIND]) && names_one => LINK_OF_ONE,
        () if is(&[NO_MAIL, TO_REMIND]) && whom.in_file => LINKS_OF_FILE,
        () if is(&[NO_MAIL]) && whom.part == People::Open => TO_REMIND,
        () if is(&[NO_MAIL]) && whom.part == People::Chosen => LINKS_OF_SOME,
        () if is(&[RESEND]) && whom.all => NO_MAIL,
        () if is(&[RESEND]) && whom.in_file => LINKS_OF_FILE,
        () if is(&[QR]) && is_plain => NO_PICTURE,
        () if is(&[ROTATE]) && names_one => NEW_LINK,
        () if is(&[NO_LINKS]) && names_one => LINK_AGAIN,
        () if is(&[PURGE]) && names_one => REMOVE_ONE,
        () if is(&[PURGE]) && whom.in_file => REMOVE_FILE,
        () if is(&[PURGE]) && whom.part != People::All => REMOVE_SOME,
        () if is(&[OWN_ID]) && !names_one => BY_REFERENCE,
        () if is(&[FIXED]) && !names_one => BY_ADDRESS,
        () if is(&[COPY]) && is_plain => COPY_ONE,
        () if is(&[PENDING, REPORT, AT_RISK, SUMMARY, STATUS, EXPORT_RESULTS]) && is_plain => RESULT_OF_ONE,
        () if is(&[EXPORT_PEOPLE]) && is_plain => ONE,
        () => hint,
    }
}

/// What is suggested in place of what there is not: a login or a dry run in the sandbox, a log that goes on.
pub fn of_this_place(hint: Suggestion, line: &TypedLine<'_, '_>, is_sandbox: bool) -> Suggestion {
    let names_sandbox = line.has(&["--profile=sandbox"])
        || line.words.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == "sandbox");
    match () {
        () if is_sandbox && hint == IN_SANDBOX => REHEARSED,
        () if names_sandbox && hint == INIT => NO_LOGIN,
        () if hint == JOURNAL && line.has(&["-f", "--follow", "-w", "--watch"]) => JOURNAL_ONCE,
        () => hint,
    }
}
