//! Hints about everybody, and what is said in their place where a line names one person, a file, or a part of a project.

use crate::commands::shell::foreign_options::OWN_ID;
use crate::commands::shell::foreign_words::Ours::{self, Say};
use crate::commands::shell::foreign_words::{
    AT_RISK, COPY, EXPORT_PEOPLE, EXPORT_RESULTS, FIXED, NO_LINKS, NO_MAIL, PENDING, PURGE, QR, REMOVE_FILE, REPORT,
    RESEND, ROTATE, STATUS, SUMMARY, TO_REMIND,
};
use crate::commands::shell::whom::{People, Whom};

const LINK_OF_ONE: Ours = Say(
    "nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID --to links.csv` writes a link to be sent",
);
const LINKS_OF_FILE: Ours =
    Say("nothing is mailed from here: `assessctl links issue --file FILE.csv --to links.csv` writes links to be sent");
/// Who is named by an address may be new.
const LINK_OF_ADDRESS: Ours = Say(
    "nothing is mailed from here: `assessctl links issue email:ADDRESS --to links.csv` writes a link to be sent, `assessctl testtakers enrol --email ADDRESS` enrols who is not in the project yet",
);
const LINKS_OF_SOME: Ours = Say(
    "nothing is mailed from here: `assessctl results list --to some.csv` writes whom its options choose, `assessctl links issue --file some.csv --to links.csv` links to be sent to them",
);
const NEW_LINK: Ours = Say("`assessctl links issue ref:REFERENCE_ID` issues a new link, which voids the one before");
const LINK_AGAIN: Ours = Say(
    "links cannot be read again: `assessctl links issue ref:REFERENCE_ID` issues a new one, which voids those before it",
);
const NO_PICTURE: Ours = Say(
    "a test link is one person's for a day, and has no picture: `assessctl links issue ref:REFERENCE_ID` prints it, `assessctl projects link --qr` draws a project's",
);
const REMOVE_ONE: Ours = Say("did you mean `assessctl testtakers remove`?");
const REMOVE_SOME: Ours = Say(
    "`assessctl testtakers list --to people.csv` writes whom its options choose, `assessctl testtakers remove --file people.csv --dry-run` shows who would be removed, and without --dry-run they are",
);
const RESULT_OF_ONE: Ours = Say(
    "did you mean `assessctl results get`? `assessctl results report --to FILE.html` writes a page of a project's results",
);
/// Where nobody else is named, a reference id names the person, and is none to be set.
const BY_REFERENCE: Ours = Say("name the person by `ref:REFERENCE_ID`, without an option; --reference-id sets another");
const BY_ADDRESS: Ours = Say("a test taker is named by email:ADDRESS, without an option");
const ONE: Ours = Say("did you mean `assessctl testtakers get`?");
/// How a person is enrolled in another project as well.
const COPY_ONE: Ours = Say(
    "enrol in the other project as well: `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME -p OTHER`",
);

/// What is said in place of a hint that would be about more people than the line is.
pub fn narrowed(hint: String, whom: &Whom) -> String {
    let is = |ours: Ours| matches!(ours, Say(said) if said == hint);
    let (names_one, is_plain) = (!whom.people.is_empty(), !whom.people.is_empty() && whom.are_plain);
    let mails = is(NO_MAIL) || is(TO_REMIND);
    let ours = match () {
        () if mails && whom.people == ["email:ADDRESS"] => LINK_OF_ADDRESS,
        () if mails && names_one => LINK_OF_ONE,
        () if mails && whom.in_file => LINKS_OF_FILE,
        () if is(NO_MAIL) && whom.part == People::Open => TO_REMIND,
        () if is(NO_MAIL) && whom.part == People::Chosen => LINKS_OF_SOME,
        () if is(RESEND) && whom.all => NO_MAIL,
        () if is(RESEND) && whom.in_file => LINKS_OF_FILE,
        () if is(QR) && is_plain => NO_PICTURE,
        () if is(ROTATE) && names_one => NEW_LINK,
        () if is(NO_LINKS) && names_one => LINK_AGAIN,
        () if is(PURGE) && names_one => REMOVE_ONE,
        () if is(PURGE) && whom.in_file => REMOVE_FILE,
        () if is(PURGE) && whom.part != People::All => REMOVE_SOME,
        () if is(OWN_ID) && !names_one => BY_REFERENCE,
        () if is(FIXED) && !names_one => BY_ADDRESS,
        () if is(COPY) && is_plain => COPY_ONE,
        () if [PENDING, REPORT, AT_RISK, SUMMARY, STATUS, EXPORT_RESULTS].into_iter().any(is) && is_plain => {
            RESULT_OF_ONE
        }
        () if is(EXPORT_PEOPLE) && is_plain => ONE,
        () => return hint,
    };
    match ours {
        Say(said) => said.to_owned(),
        Ours::Is(_) => hint,
    }
}
