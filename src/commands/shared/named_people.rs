//! People who are named: on the command line, by `-` on standard input, or in a file of `--ids-from`.

use std::path::Path;
use std::str::FromStr;

use crate::bulk::find_people::LookupKey;
use crate::bulk::outcome::Outcome;
use crate::bulk::roster::{About, PREFIXES, Purpose, ReadOptions, Roster, RosterError, get_again, read};
use crate::commands::shared::roster_file::{is_stdin, name, quoting, stdin};
use crate::commands::shared::session::Session;
use crate::files::open_to_read;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// Look-ups of people under way at a time.
pub const AT_ONCE: usize = 8;

/// A person on the command line, or `-` for those that standard input names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonArg<T> {
    /// One person.
    Given(T),
    /// `-`
    Stdin,
}

impl<T: FromStr> FromStr for PersonArg<T> {
    type Err = T::Err;
    fn from_str(text: &str) -> Result<Self, T::Err> {
        if text == "-" { Ok(Self::Stdin) } else { text.parse().map(Self::Given) }
    }
}

/// All people that are named, in order, those of standard input in the place of `-`.
pub fn all_named<T>(session: &Session, named: &[PersonArg<T>], purpose: Purpose) -> Result<Vec<T>, Failure>
where
    T: Clone + FromStr<Err = Failure>,
{
    if named.iter().filter(|named| matches!(named, PersonArg::Stdin)).count() > 1 {
        return Err(Failure::usage("standard input is named twice"));
    }
    let mut all = Vec::new();
    for named in named {
        match named {
            PersonArg::Given(one) => all.push(one.clone()),
            PersonArg::Stdin => all.extend(listed(session, Path::new("-"), purpose)?),
        }
    }
    Ok(all)
}

/// The people of a list or a roster, in its order. Of a roster the column that identifies the person of a row counts,
/// and rows without a value there are none.
pub fn listed<T: FromStr<Err = Failure>>(session: &Session, file: &Path, purpose: Purpose) -> Result<Vec<T>, Failure> {
    let (called, options) = (name(file), options(session, purpose));
    let roster = if is_stdin(file) {
        read(stdin(session)?, &called, &options)
    } else {
        open_to_read(file).map_err(RosterError::from).and_then(|file| read(file, &called, &options))
    };
    let all = match roster {
        // What another command printed may be a header alone: no people is an answer.
        Err(RosterError::NoRows) => Vec::new(),
        other => names(&other.map_err(|error| error.failure(&called))?, purpose)?,
    };
    if all.is_empty() {
        session.console.note(&format!("{called} names nobody"));
    }
    Ok(all)
}

fn options(session: &Session, purpose: Purpose) -> ReadOptions {
    let (excel, quoting) = (session.show.excel, quoting(session));
    ReadOptions { purpose, excel, quoting, allow_doubles: true, allow_suspicious: true, ..ReadOptions::default() }
}

/// What the rows call their people. Mistakes in columns that do not name them are of no concern here.
fn names<T: FromStr<Err = Failure>>(roster: &Roster, purpose: Purpose) -> Result<Vec<T>, Failure> {
    if let Some(torn) = roster.mistakes.iter().find(|mistake| matches!(mistake.about, About::Row | About::CutRow)) {
        let failure = Failure::new(Verdict::Refused, format!("{}:{}", roster.name, roster.told(torn)));
        return Err(if torn.about == About::CutRow { failure.hint(get_again(torn.line)) } else { failure });
    }
    let by = match purpose {
        Purpose::NameByReference => Some(LookupKey::ReferenceId).filter(|by| by.stands_in(roster)),
        Purpose::Name | Purpose::Enrol => LookupKey::of(roster),
    };
    let Some(by) = by else {
        let missing =
            if purpose == Purpose::NameByReference { "reference id" } else { "entry id, reference id or e-mail" };
        let cause = format!("{} has no column of the {missing}", roster.name);
        return Err(Failure::new(Verdict::Refused, cause)
            .hint("--ids-from and - take one name a line, or a CSV with such a column"));
    };
    let prefix = PREFIXES.iter().find(|(_, field)| *field == by.field()).map_or("", |(prefix, _)| *prefix);
    let mut all = Vec::new();
    for row in 0..roster.row_count() {
        let Some(value) = roster.value(row, by.field()) else { continue };
        let named = format!("{prefix}{value}").parse();
        let at = |why: Failure| {
            let cause = format!("{}:{}: {}: {why}", roster.name, roster.line(row), by.field());
            Failure::new(Verdict::Refused, cause)
        };
        all.push(named.map_err(at)?);
    }
    Ok(all)
}

/// What came of several look-ups, as the column `outcome` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookUp {
    /// One person.
    Found,
    /// Several people have the name: none is shown.
    Shared,
    /// No person has it.
    Absent,
    /// It could not be read.
    Failed,
}

impl LookUp {
    /// The word of the column.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Shared => "shared",
            Self::Absent => Outcome::Absent.name(),
            Self::Failed => "failed",
        }
    }
}

/// How many look-ups ended how.
#[derive(Clone, Copy, Debug, Default)]
pub struct LookUps {
    asked: usize,
    absent: usize,
    /// Found, and without what was asked for.
    empty: usize,
    shared: usize,
}

impl LookUps {
    /// Counts one; the answer is whether it is the first that found no one.
    pub fn count(&mut self, look_up: LookUp) -> bool {
        self.asked += 1;
        self.shared += usize::from(look_up == LookUp::Shared);
        self.absent += usize::from(look_up == LookUp::Absent);
        look_up == LookUp::Absent && self.absent == 1
    }

    /// Counts one that was found where it has not what was asked for: it counts as absent, and is shown.
    pub fn count_empty(&mut self, is_empty: bool) {
        self.empty += usize::from(is_empty);
    }

    /// Says who was not shown, and how the command ends. `absent` is what those who are not there have not.
    pub fn end(self, session: &Session, absent: &str) -> Verdict {
        let names = counted(self.asked, "name", "names");
        if self.shared > 0 {
            session
                .console
                .warn(&format!("{} of {names} belong to several test takers, so none of them is shown", self.shared));
        }
        let missing = self.absent + self.empty;
        if missing > 0 {
            session.console.note(&format!("{missing} of {names} {absent} in this project"));
        }
        match () {
            () if missing > 0 && missing == self.asked => Verdict::NotFound,
            () if missing > 0 => Verdict::RowsToFix,
            () if self.shared > 0 => Verdict::Usage,
            () => Verdict::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::shared::person_argument::Target;

    fn of(content: &str, purpose: Purpose) -> Result<Vec<Target>, Failure> {
        let options = ReadOptions { purpose, allow_doubles: true, allow_suspicious: true, ..ReadOptions::default() };
        let roster = read(content.as_bytes(), "list", &options).map_err(|error| error.failure("list"))?;
        names(&roster, purpose)
    }

    fn targets(words: &[&str]) -> Vec<Target> {
        words.iter().map(|word| word.parse().expect("a name")).collect()
    }

    #[test]
    fn reference_ids_stand_one_a_line_or_in_a_column() {
        let expected = targets(&["ref:EMP-2", "ref:00017", "ref:EMP-2"]);
        for content in [
            "EMP-2\n00017\n\nEMP-2",
            "\u{feff}EMP-2\r\n 00017 \r\nEMP-2\r\n",
            "ref:EMP-2\n00017\nref:EMP-2\n",
            "referenceId\nEMP-2\n00017\nEMP-2\n",
            "id,referenceId,result\n1,EMP-2,\n2,00017,\n3,EMP-2,\n",
            "E-mail;Reference ID\na@b;EMP-2\nc@d;00017\ne@f;\ng@h;EMP-2\n",
        ] {
            assert_eq!(of(content, Purpose::NameByReference), Ok(expected.clone()), "{content:?}");
        }
        assert_eq!(of("one", Purpose::NameByReference), Ok(targets(&["ref:one"])));
    }

    #[test]
    fn people_stand_one_a_line_with_a_prefix_or_in_the_first_column_that_names_them() {
        for (content, expected) in [
            ("ref:EMP-2\n\nref:00017\n", ["ref:EMP-2", "ref:00017"]),
            ("email:a@b\r\nemail:c@d", ["email:a@b", "email:c@d"]),
            ("id:7\nid:8\n", ["id:7", "id:8"]),
            ("referenceId\nEMP-2\n00017\n", ["ref:EMP-2", "ref:00017"]),
            ("email,firstName\na@b,Zoe\nc@d,\n", ["email:a@b", "email:c@d"]),
            ("id,email,fullName\n7,a@b,Zoe\n8,c@d,\n", ["id:7", "id:8"]),
        ] {
            assert_eq!(of(content, Purpose::Name), Ok(targets(&expected)), "{content:?}");
        }
    }

    #[test]
    fn a_list_that_is_not_clear_is_refused_with_the_way_on() {
        for content in [
            "",
            "\n \n",
            "EMP-2\n00017\n",
            "a@b\nc@d\n",
            "ref:EMP-2\nemail:c@d\n",
            "ref:EMP-2\n00017\n",
            "ref:EMP-2\nref:A,ref:B\n",
            "firstName\nZoe\n",
            "referenceId\n\"EMP-2\n",
        ] {
            let failure = of(content, Purpose::Name).expect_err("no list");
            assert!(failure.verdict == Verdict::Refused, "{content:?}: {failure}");
        }
        for content in ["email,firstName\na@b,Zoe\n", "email\na@b\n", "PK\u{3}\u{4}\0\0", "id:7\nid:8\n"] {
            let failure = of(content, Purpose::NameByReference).expect_err("no list");
            assert_eq!(failure.verdict, Verdict::Refused, "{content:?}");
        }
        let long = of(&"x".repeat(501), Purpose::NameByReference).expect_err("too long");
        assert!(long.cause.contains(":1: ") && !long.cause.contains("xx"), "{long}");
    }
}
