//! What is told, once and again, with steps of a result as a service shows them.

use super::super::consumers::{self, all, begin_telling, told_by_a_killed_run};
use super::super::forget::{self, Extent};
use super::*;

/// Places of the fields of these tests.
const NAME_AND_DATE: Option<usize> = Some(1);

fn consumer(name: &str) -> Consumer<'_> {
    let project = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690".parse().expect("an id");
    Consumer { service: "https://a.example", project, shape: "current", name }
}

fn time(text: &str) -> Timestamp {
    text.parse().expect("a time")
}

/// A person of a list: id, result, name, date of completion.
type Person = (i64, &'static str, &'static str, &'static str);

struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn store(&self) -> Store {
        Store::open(self.0.path()).expect("a journal")
    }

    /// A look at a list at a time.
    fn look(&self, name: &str, at: &str, people: &[Person], watched: &[&str]) -> (bool, Comparing) {
        let mut comparing = Comparing::begin(self.store(), time(at), NAME_AND_DATE).expect("tables");
        let known = comparing.recall(consumer(name)).expect("a memory").is_some();
        for (id, result, name, date) in people {
            let fields = [*name, *date];
            let completed = date.parse().ok();
            let shown = format!("{id} {result}");
            let watched = watched.contains(result);
            let line = ComparedResult { key: Key::Id(*id), result, fields: &fields, completed, watched, shown: &shown };
            comparing.now(line).expect("taken");
        }
        (known, comparing)
    }

    /// Tells a consumer, and says what: alerts with an exclamation mark.
    fn tell(&self, name: &str, at: &str, people: &[Person], watched: &[&str]) -> Vec<String> {
        let (known, comparing) = self.look(name, at, people, watched);
        let said = said(&comparing, known);
        comparing.remember(consumer(name)).expect("remembered");
        said
    }
}

fn said(comparing: &Comparing, all: bool) -> Vec<String> {
    let mut said = Vec::new();
    let each: Result<(), Failure> = comparing.each(all, |change| {
        let what = match &change.event {
            ResultEvent::Added => "added".to_owned(),
            ResultEvent::Removed => format!("removed {:?}", change.id),
            ResultEvent::Standing => "standing".to_owned(),
            ResultEvent::Changed { result, fields } => {
                format!("changed {result} {fields:?} from {}", change.before.as_deref().unwrap_or("nothing"))
            }
        };
        let shown = change.shown.unwrap_or_default();
        said.push(format!("{shown} {what}{}", if change.alert { "!" } else { "" }));
        Ok(())
    });
    each.expect("changes");
    said
}

const NOON: &str = "2026-03-01T12:00:00Z";
const ONE: &str = "2026-03-01T13:00:00Z";
const TWO: &str = "2026-03-01T14:00:00Z";
const THREE: &str = "2026-03-01T15:00:00Z";

#[test]
fn what_is_new_changed_and_gone_is_told_once_with_the_result_before() {
    let machine = Machine::new();
    let first =
        [(1, "Started", "Zoe", ""), (2, "Completed", "Kim", ""), (3, "", "Ann", ""), (10, "Critical", "Bo", "")];
    assert!(machine.tell("default", NOON, &first, &[]).is_empty());
    let second = [(1, "Completed", "Zoe", ""), (2, "Completed", "Kím", ""), (3, "", "Ann", ""), (4, "", "New", "")];
    assert_eq!(
        machine.tell("default", ONE, &second, &[]),
        [
            "1 Completed changed true [] from Started",
            "2 Completed changed false [0] from Completed",
            "4  added",
            " removed Some(10)"
        ]
    );
    assert!(machine.tell("default", TWO, &second, &[]).is_empty());
    let (_, comparing) = machine.look("default", THREE, &[(1, "Completed", "Zoe", "")], &[]);
    let mut before = Vec::new();
    comparing
        .each(true, |change| {
            before.push(change.before);
            Ok::<(), Failure>(())
        })
        .expect("changes");
    assert_eq!(before[0].as_deref(), Some("Completed"));
}

#[test]
fn an_earlier_result_that_no_word_explains_is_unlisted() {
    let machine = Machine::new();
    machine.tell("default", NOON, &[(1, "Critical", "Zoe", "")], &[]);
    let said = machine.tell("default", ONE, &[(1, "Completed", "Zoe", "")], &[]);
    assert_eq!(said, ["1 Completed changed true [] from unlisted"]);
}

#[test]
fn the_first_look_tells_alerts_alone_and_a_longer_list_of_alerts_tells_the_rest() {
    let machine = Machine::new();
    let people = [(1, "HighRisk", "Zoe", NOON), (2, "Fatigued", "Kim", NOON), (3, "Completed", "Ann", NOON)];
    assert_eq!(machine.tell("default", ONE, &people, &["HighRisk"]), ["1 HighRisk added!"]);
    assert!(machine.tell("default", TWO, &people, &["HighRisk"]).is_empty());
    assert_eq!(machine.tell("default", TWO, &people, &["HighRisk", "Fatigued"]), ["2 Fatigued standing!"]);
    assert!(machine.tell("default", THREE, &people, &["HighRisk", "Fatigued"]).is_empty());
}

#[test]
fn a_change_told_without_an_alert_is_an_alert_for_whoever_asks_for_it_later() {
    let machine = Machine::new();
    machine.tell("default", NOON, &[(1, "Started", "Zoe", "")], &[]);
    let risky = [(1, "HighRisk", "Zoe", "")];
    assert_eq!(machine.tell("default", ONE, &risky, &[]), ["1 HighRisk changed true [] from Started"]);
    assert_eq!(machine.tell("default", TWO, &risky, &["HighRisk"]), ["1 HighRisk standing!"]);
}

#[test]
fn consumers_know_nothing_of_each_other() {
    let machine = Machine::new();
    let people = [(1, "HighRisk", "Zoe", NOON)];
    for name in ["a", "b"] {
        assert_eq!(machine.tell(name, ONE, &people, &["HighRisk"]).len(), 1, "{name}");
        assert_eq!(machine.tell(name, TWO, &people, &["HighRisk"]).len(), 0, "{name}");
    }
    let mut store = machine.store();
    let Consumer { service, project, .. } = consumer("a");
    let names = |store: &Store| -> Vec<_> {
        all(store, service, project, "current").expect("a list").into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(&store), ["a", "b"]);
    assert_eq!(consumers::forget(&mut store, consumer("a")), Ok(true));
    assert_eq!(consumers::forget(&mut store, consumer("a")), Ok(false));
    assert_eq!(names(&store), ["b"]);
    assert_eq!(machine.tell("a", THREE, &people, &["HighRisk"]).len(), 1);
    let extent = Extent { of: Some((service, project)), before: None, unsettled: false };
    assert_eq!(forget::forget(&mut store, extent).map(|forgotten| forgotten.others), Ok(2));
    assert!(names(&store).is_empty());
}

#[test]
fn a_result_and_its_date_in_two_steps_are_one_alert_whichever_comes_first() {
    let alerts = |steps: &[Person]| -> usize {
        let machine = Machine::new();
        let times = [NOON, ONE, TWO, THREE];
        let tell = |(at, step): (&&str, &Person)| machine.tell("default", at, &[*step], &["HighRisk"]);
        times.iter().zip(steps).flat_map(tell).filter(|said| said.ends_with('!')).count()
    };
    let (early, late) = ("2026-03-01T11:30:00Z", "2026-03-01T12:30:00Z");
    // The date comes after the result, which had none or that of the result before.
    assert_eq!(alerts(&[(1, "Started", "Zoe", ""), (1, "HighRisk", "Zoe", ""), (1, "HighRisk", "Zoe", late)]), 1);
    assert_eq!(
        alerts(&[(1, "Completed", "Zoe", early), (1, "HighRisk", "Zoe", early), (1, "HighRisk", "Zoe", late)]),
        1
    );
    assert_eq!(alerts(&[(1, "HighRisk", "Zoe", ""), (1, "HighRisk", "Zoe", late)]), 1);
    // The date comes first.
    assert_eq!(
        alerts(&[(1, "Completed", "Zoe", early), (1, "Completed", "Zoe", late), (1, "HighRisk", "Zoe", late)]),
        1
    );
    // A later completion with the same result is another alert, also after the date came late.
    assert_eq!(alerts(&[(1, "HighRisk", "Zoe", early), (1, "HighRisk", "Zoe", late)]), 2);
    let again = "2026-03-01T14:30:00Z";
    assert_eq!(
        alerts(&[
            (1, "Completed", "Zoe", early),
            (1, "HighRisk", "Zoe", early),
            (1, "HighRisk", "Zoe", late),
            (1, "HighRisk", "Zoe", again)
        ]),
        2
    );
    // A result that changed without a date, and a completion after it was told: another test.
    assert_eq!(
        alerts(&[(1, "Completed", "Zoe", early), (1, "HighRisk", "Zoe", early), (1, "HighRisk", "Zoe", again)]),
        2
    );
    // A date that goes and comes is none.
    assert_eq!(alerts(&[(1, "HighRisk", "Zoe", early), (1, "HighRisk", "Zoe", ""), (1, "HighRisk", "Zoe", early)]), 1);
    // A person who was better in between is told again.
    assert_eq!(
        alerts(&[(1, "HighRisk", "Zoe", early), (1, "Completed", "Zoe", early), (1, "HighRisk", "Zoe", early)]),
        2
    );
}

#[test]
fn what_is_not_remembered_is_told_again() {
    let machine = Machine::new();
    let people = [(1, "HighRisk", "Zoe", NOON)];
    for _ in 0..2 {
        let (known, comparing) = machine.look("default", ONE, &people, &["HighRisk"]);
        assert_eq!((known, said(&comparing, known)), (false, vec!["1 HighRisk added!".to_owned()]));
    }
}

#[test]
fn those_who_share_a_key_are_told_apart_in_any_order() {
    let machine = Machine::new();
    let family = [("Ann", "HighRisk"), ("Bo", "Completed"), ("Cy", "Started")];
    let look = |people: &[(&str, &str)]| {
        let mut comparing = Comparing::begin(machine.store(), time(NOON), None).expect("tables");
        let known = comparing.recall(consumer("default")).expect("a memory").is_some();
        for (name, result) in people {
            let key = Key::Texts(&["", "family@example.com"], name);
            let watched = *result == "HighRisk";
            let line = ComparedResult { key, result, fields: &[name], completed: None, watched, shown: name };
            comparing.now(line).expect("taken");
        }
        assert!(comparing.number_namesakes().expect("numbered"));
        let said = said(&comparing, known);
        comparing.remember(consumer("default")).expect("remembered");
        said
    };
    assert_eq!(look(&family), ["Ann added!"]);
    let [ann, bo, cy] = family;
    for order in [[cy, ann, bo], [bo, cy, ann], [ann, cy, bo]] {
        assert!(look(&order).is_empty());
    }
    assert_eq!(look(&[("Bo", "HighRisk"), cy, ann]), ["Bo changed true [] from Completed!"]);
}

#[test]
fn a_run_that_follows_a_killed_one_knows_what_its_file_tells() {
    let machine = Machine::new();
    let people = [(1, "HighRisk", "Zoe", NOON)];
    let (known, mut comparing) = machine.look("default", ONE, &people, &["HighRisk"]);
    assert_eq!(said(&comparing, known).len(), 1);
    let alerts = comparing.alerts().expect("alerts");
    begin_telling(&mut comparing.store, consumer("default"), "/a.csv", &alerts).expect("noted");
    drop(comparing);
    let left = |target| told_by_a_killed_run(&machine.store(), consumer("default"), target).expect("what is left");
    assert_eq!((left("/a.csv"), left("/b.csv")), (alerts, Vec::new()));
    // It was not told, and telling it clears the note.
    assert_eq!(machine.tell("default", TWO, &people, &["HighRisk"]).len(), 1);
    assert!(left("/a.csv").is_empty());
}

#[test]
fn neither_a_person_nor_a_result_is_in_the_file() {
    let machine = Machine::new();
    let mut comparing = Comparing::begin(machine.store(), time(NOON), None).expect("tables");
    for (at, email) in ["canary@example.com", "other@example.com"].iter().enumerate() {
        let texts = ["EMP-00017", email];
        let key = if at == 0 { Key::Texts(&texts, "Canary") } else { Key::Id(7) };
        let line = ComparedResult {
            key,
            result: "HighRisk",
            fields: &["Canary"],
            completed: None,
            watched: true,
            shown: "{\"canary\":1}",
        };
        comparing.now(line).expect("taken");
    }
    assert_eq!(said(&comparing, false).len(), 2);
    comparing.remember(consumer("default")).expect("remembered");
    let results: Vec<Vec<u8>> = machine
        .store()
        .read(|tables| {
            let mut select = tables.prepare("SELECT result FROM told_results")?;
            select.query_map([], |row| row.get(0))?.collect()
        })
        .expect("hashes");
    assert_ne!(results[0], results[1], "who has the same result cannot be counted");
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(machine.0.path()).expect("the folder") {
        bytes.extend(std::fs::read(entry.expect("an entry").path()).expect("a file"));
    }
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    for word in ["highrisk", "canary", "emp-00017"] {
        assert!(!text.contains(word), "{word}");
    }
}

/// One step after another of one person, by a list of alerts with one word: how many of them were told as alerts.
fn alerts_at(steps: &[(&str, Person)]) -> usize {
    let machine = Machine::new();
    let told = steps.iter().flat_map(|(at, step)| machine.tell("default", at, &[*step], &["HighRisk"]));
    told.filter(|said| said.ends_with('!')).count()
}

#[test]
fn a_completion_that_was_told_with_its_result_is_not_taken_for_a_later_one() {
    let [before, early, late] = ["2026-03-01T11:00:00Z", "2026-03-01T11:30:00Z", "2026-03-01T11:45:00Z"];
    let (better, [first, second]) =
        ((1, "Completed", "Zoe", before), [early, late].map(|date| (1, "HighRisk", "Zoe", date)));
    assert_eq!(alerts_at(&[(NOON, first), (ONE, second)]), 2, "new with its date");
    assert_eq!(alerts_at(&[(NOON, better), (ONE, first), (TWO, second)]), 2, "changed with its date");
    let late_date = (1, "HighRisk", "Zoe", before);
    assert_eq!(alerts_at(&[(NOON, better), (ONE, late_date), (TWO, first)]), 1, "the date came late");
    assert_eq!(
        alerts_at(&[(NOON, better), (ONE, late_date), (TWO, first), (THREE, second)]),
        2,
        "and then another one"
    );
}

#[test]
fn what_another_file_tells_was_told_and_a_completion_that_it_lacks_is_news() {
    type Said = (&'static str, &'static str, &'static str);
    fn line<'a>((result, ..): Said, fields: &'a [&'a str; 2]) -> ComparedResult<'a> {
        let (completed, watched) = (fields[1].parse().ok(), result == "HighRisk");
        ComparedResult { key: Key::Id(1), result, fields, completed, watched, shown: result }
    }
    let look = |before: Said, now: Said| {
        let machine = Machine::new();
        let mut comparing = Comparing::begin(machine.store(), time(TWO), NAME_AND_DATE).expect("tables");
        comparing.before(line(before, &[before.1, before.2])).expect("taken");
        comparing.now(line(now, &[now.1, now.2])).expect("taken");
        assert_eq!(comparing.number_namesakes(), Ok(false), "nobody shares an id");
        said(&comparing, true)
    };
    let risky = |name, date| ("HighRisk", name, date);
    assert!(look(risky("Zoe", NOON), risky("Zoe", NOON)).is_empty());
    assert_eq!(look(risky("Zoe", NOON), risky("Zoë", NOON)), ["HighRisk changed false [0] from HighRisk"]);
    assert_eq!(look(("Completed", "Zoe", NOON), risky("Zoe", NOON)), ["HighRisk changed true [] from Completed!"]);
    assert_eq!(look(risky("Zoe", NOON), risky("Zoe", ONE)), ["HighRisk changed false [1] from HighRisk!"]);
    assert_eq!(look(risky("Zoe", ""), risky("Zoe", ONE)), ["HighRisk changed false [1] from HighRisk!"]);
    assert_eq!(look(risky("Zoe", NOON), risky("Zoe", "")), ["HighRisk changed false [1] from HighRisk"]);
}

#[test]
fn alerts_and_results_are_known_by_hashes_of_their_person_alone() {
    let machine = Machine::new();
    let mut comparing = Comparing::begin(machine.store(), time(NOON), None).expect("tables");
    let texts = [["R-1", "zoe@example.com"], ["R-2", "kim@example.com"]];
    let keys = [Key::Id(7), Key::Id(8), Key::Texts(&texts[0], "Zoe"), Key::Texts(&texts[1], "Kim")];
    for (place, key) in keys.into_iter().enumerate() {
        let line =
            ComparedResult { key, result: "HighRisk", fields: &[], completed: None, watched: place != 1, shown: "" };
        comparing.now(line).expect("taken");
    }
    assert_eq!(comparing.number_namesakes(), Ok(false), "nobody shares a key");
    assert_eq!(said(&comparing, false).len(), 3);
    let all_differ = |hashes: &[ShortHash]| hashes.iter().enumerate().all(|(at, hash)| !hashes[..at].contains(hash));
    let alerts = comparing.alerts().expect("alerts");
    assert!(alerts.len() == 3 && all_differ(&alerts), "{alerts:?}");
    let results = comparing.store.read(|tables| {
        tables.prepare("SELECT result FROM temp.now")?.query_map([], |row| row.get(0))?.collect::<Result<Vec<_>, _>>()
    });
    let results: Vec<ShortHash> = results.expect("hashes");
    assert!(results.len() == 4 && all_differ(&results), "{results:?}");
}

#[test]
fn another_person_with_the_same_entry_result_and_date_is_an_alert() {
    let machine = Machine::new();
    let look = |email: &str, reference: &str| {
        let begun = Comparing::begin(machine.store(), time(NOON), Some(2)).expect("tables");
        let mut comparing = begun.with_people(vec![0, 1]);
        let known = comparing.recall(consumer("cron")).expect("a memory").is_some();
        let fields = [email, reference, NOON];
        let completed = Some(time(NOON));
        let line = ComparedResult {
            key: Key::Id(7),
            result: "HighRisk",
            fields: &fields,
            completed,
            watched: true,
            shown: "7",
        };
        comparing.now(line).expect("taken");
        let said = said(&comparing, known);
        comparing.remember(consumer("cron")).expect("remembered");
        said
    };
    assert_eq!(look("a@b", "R-1"), ["7 added!"]);
    assert_eq!(look("c@d", "R-1"), ["7 changed false [0] from HighRisk"], "the same person under another address");
    assert_eq!(look("e@f", "R-2"), ["7 changed false [0, 1] from HighRisk!"]);
    assert_eq!(look("e@f", "R-2"), Vec::<String>::new());
}
