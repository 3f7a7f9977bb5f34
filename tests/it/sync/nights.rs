//! Nights of a site whose file comes good, or bad in many ways, through a service that loses answers, with runs that are killed
//! at random moments. An oracle that knows the rules alone says what each night may do, and what it must have done in the end:
//! nobody is lost, nobody is enrolled twice, nobody is removed outside the rules.
//! `.ci/long nights` makes the claim of many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{Site, approval};
use crate::import::{end_of, workbook};
use crate::support::env::{Said, setting, words};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::Answer;

/// Nights of one site; then another one begins.
const NIGHTS: usize = 20;
/// So many runs leave nobody in doubt.
const RUNS: usize = 40;
/// How long late work waits.
const LATE: Duration = Duration::from_millis(300);

type Numbers = BTreeSet<u32>;

/// Hits some of each night's requests, each kind with dice of its own.
fn faulty(seed: u64) -> Service {
    let busy = || Answer::new(503, &["Retry-After: 0"], "");
    let broken = || Answer::problem(500, "Broken", "");
    let troubles = [
        (Op::Enrol, 0.03, Trouble::CloseBefore),
        (Op::Enrol, 0.03, Trouble::CloseAfter),
        (Op::Enrol, 0.02, Trouble::AnswerAfter(broken())),
        (Op::Enrol, 0.02, Trouble::Truncate),
        (Op::Enrol, 0.03, Trouble::Late(LATE)),
        (Op::Enrol, 0.02, Trouble::Lag(LATE)),
        (Op::Update, 0.05, Trouble::CloseAfter),
        (Op::Update, 0.05, Trouble::CloseBefore),
        (Op::Remove, 0.05, Trouble::CloseAfter),
        (Op::Remove, 0.05, Trouble::AnswerAfter(broken())),
        (Op::Remove, 0.05, Trouble::Late(LATE)),
        (Op::TestTakers, 0.02, Trouble::Answer(busy())),
        (Op::TestTakers, 0.02, Trouble::Truncate),
        (Op::LookUp, 0.03, Trouble::CloseAfter),
    ];
    let service = Service::start();
    (seed * 100..)
        .zip(troubles)
        .fold(service, |service, (dice, (op, share, trouble))| service.on(op, When::Share(share, dice), trouble))
}

/// What comes of a night's file.
enum Says {
    /// Nothing may happen, and the run ends so.
    Nothing(i32),
    /// These people; where rows are left out nobody leaves, and nothing is remembered.
    People { rows: Numbers, skips: bool },
}

struct File {
    source: &'static str,
    kind: &'static str,
    name: &'static str,
    bytes: Vec<u8>,
    options: &'static str,
    says: Says,
}

/// What one source's rosters said.
#[derive(Default)]
struct Memory {
    last: Option<Numbers>,
    ever: Numbers,
}

/// What a night may do, and what it must have done in the end.
#[derive(Default)]
struct Expected {
    joined: Numbers,
    left: Numbers,
    code: i32,
}

struct World {
    site: Site,
    random: fastrand::Rng,
    staff: BTreeMap<&'static str, Numbers>,
    memory: BTreeMap<&'static str, Memory>,
    /// How often each person's name changed.
    names: BTreeMap<u32, usize>,
    /// People whom somebody removed in the portal: they are not enrolled again.
    gone: Numbers,
    /// People who left, by source until a file of it has them again: whoever comes back otherwise may stay.
    unremembered: BTreeSet<(&'static str, u32)>,
    next: u32,
    kills: usize,
    under_way: usize,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let main: Numbers = (0..random.u32(12..50)).collect();
        // Some people are in both files.
        let agency = main.iter().copied().take(3).chain(500..506).collect();
        Self {
            site: Site::of(faulty(seed)),
            random,
            staff: BTreeMap::from([("main", main), ("agency", agency)]),
            memory: BTreeMap::from([("main", Memory::default()), ("agency", Memory::default())]),
            names: BTreeMap::new(),
            gone: Numbers::new(),
            unremembered: BTreeSet::new(),
            next: 1000,
            kills: 0,
            under_way: 0,
        }
    }

    /// Who is in the project, and how often.
    fn truth(&self) -> BTreeMap<u32, usize> {
        let mut truth = BTreeMap::new();
        for person in &self.site.service.held().people {
            let email = person.record["email"].as_str().expect("an address");
            let number = email.trim_start_matches('n').trim_end_matches("@example.com").parse().expect("a number");
            *truth.entry(number).or_default() += 1;
        }
        truth
    }

    /// People come, go, come back and get other names.
    fn live(&mut self, source: &'static str) {
        let come = self.random.u32(0..4);
        let go = [0, 1, 2, 4, 8][self.random.usize(0..5)];
        let back = self.random.choice(self.memory[source].ever.iter()).copied().filter(|_| self.random.u8(0..4) == 0);
        let staff = self.staff.get_mut(source).expect("a source");
        staff.extend(self.next..self.next + come);
        self.next += come;
        for _ in 0..go.min(staff.len().saturating_sub(6)) {
            let leaver = self.random.choice(staff.iter()).copied().expect("somebody");
            staff.remove(&leaver);
        }
        staff.extend(back);
        for _ in 0..self.random.usize(0..3) {
            let person = self.random.choice(staff.iter()).copied().expect("somebody");
            *self.names.entry(person).or_default() += 1;
        }
    }

    fn text(&self, rows: &Numbers) -> String {
        let mut text = String::from("email,firstName,lastName,referenceId\n");
        for person in rows {
            let name = ["Zoë", "Ann", "José"][self.names.get(person).copied().unwrap_or(0) % 3];
            let id = if person % 4 == 0 { String::new() } else { format!("N-{person}") };
            writeln!(text, "n{person}@example.com,{name},Müller,{id}").expect("a string");
        }
        text
    }

    /// Tonight's file: one in three is bad.
    fn file(&mut self, source: &'static str) -> File {
        let staff = self.staff[source].clone();
        let good = self.text(&staff);
        let first = *staff.first().expect("somebody");
        let people = |rows: &Numbers| Says::People { rows: rows.clone(), skips: false };
        let csv = |kind, bytes: Vec<u8>, says| File { source, kind, name: "night.csv", bytes, options: "", says };
        let strangers: Numbers = (9000..9030).collect();
        let short: Numbers = staff.iter().copied().take(staff.len() * self.random.usize(2..10) / 10).collect();
        let bad = self.random.u8(0..3) == 0 && self.memory[source].last.is_some();
        match (bad, self.random.u8(0..10)) {
            (false, 0) => {
                csv("Latin", encoding_rs::WINDOWS_1252.encode(&good.replace(',', ";")).0.into(), people(&staff))
            }
            (false, 1) => csv("with a mark", format!("\u{feff}{}", good.replace('\n', "\r\n")).into(), people(&staff)),
            (false, 2) => {
                let text = format!("\u{feff}{}", good.replace(',', "\t"));
                csv("UTF-16", text.encode_utf16().flat_map(u16::to_le_bytes).collect(), people(&staff))
            }
            (false, 3) => File { name: "night.xlsx", ..csv("a workbook", workbook(&good), people(&staff)) },
            (false, 4) => File { options: "--skip-invalid", ..csv("a whole file", good.into(), people(&staff)) },
            (false, _) => csv("good", good.into(), people(&staff)),
            (true, 0) => csv("empty", Vec::new(), Says::Nothing(5)),
            (true, 1) => csv("a header", good.lines().next().unwrap_or_default().into(), Says::Nothing(5)),
            (true, 2) => csv("a mistake", good.replacen('@', " ", 1).into(), Says::Nothing(5)),
            (true, 3) => csv("swallowed", good.replacen("Müller", "\"Müller", 1).into(), Says::Nothing(5)),
            (true, 4) => csv("a page", "<html><body>Sign in</body></html>".into(), Says::Nothing(5)),
            (true, 5) => File { name: ".", ..csv("a folder", Vec::new(), Says::Nothing(2)) },
            (true, 6) => csv("of another site", self.text(&strangers).into(), people(&strangers)),
            (true, 7) => {
                let all = staff.union(&strangers).copied().collect();
                csv("of several sites", self.text(&all).into(), people(&all))
            }
            (true, 8) if !short.is_empty() => csv("short", self.text(&short).into(), people(&short)),
            (true, _) => {
                let rows = staff.iter().copied().filter(|person| *person != first).collect();
                let bytes = good.replacen('@', " ", 1).into();
                File { options: "--skip-invalid", ..csv("a row left out", bytes, Says::People { rows, skips: true }) }
            }
        }
    }

    /// Whether a file is believed, by rule 4.
    fn is_believed(&self, source: &str, rows: &Numbers, truth: &BTreeMap<u32, usize>) -> bool {
        let Some(last) = &self.memory[source].last else { return true };
        let new = rows.iter().filter(|person| !last.contains(person) && !truth.contains_key(person)).count();
        let other = new + rows.iter().filter(|person| truth.contains_key(person) && self.differs(**person)).count();
        last.intersection(rows).count() * 2 >= last.len() && !(other >= 20 && other * 10 > last.len() * 3)
    }

    /// Whether the project has another name of somebody.
    fn differs(&self, person: u32) -> bool {
        let name = ["Zoë", "Ann", "José"][self.names.get(&person).copied().unwrap_or(0) % 3];
        let email = format!("n{person}@example.com");
        self.site
            .service
            .held()
            .people
            .iter()
            .any(|one| one.record["email"] == email && one.record["firstName"] != name)
    }

    /// What a file that is believed must come to, by rules 2, 3 and 5.
    fn expected(&self, source: &str, rows: &Numbers, skips: bool, truth: &BTreeMap<u32, usize>) -> Expected {
        let is_new = |person: &&u32| !truth.contains_key(person) && !self.gone.contains(person);
        let joined = rows.iter().filter(is_new).copied().collect();
        let elsewhere = |person: &u32| {
            let others = self.memory.iter().filter(|(name, _)| **name != source);
            others.filter_map(|(_, memory)| memory.last.as_ref()).any(|last| last.contains(person))
        };
        let ever = self.memory[source].ever.iter();
        let missing = ever.filter(|person| truth.contains_key(person) && !rows.contains(person) && !elsewhere(person));
        let left = missing.filter(|_| !skips).copied().collect();
        Expected { joined, left, code: if skips { 10 } else { 0 } }
    }

    /// How many of these leave whatever happened before; whether they are too many, nobody can say where only more than these
    /// would be.
    fn surely(&self, source: &'static str, left: &Numbers) -> usize {
        left.iter().filter(|person| !self.unremembered.contains(&(source, **person))).count()
    }

    /// One night: its file, runs that are killed, and one that comes to its end.
    fn pass(&mut self) {
        let source = if self.random.u8(0..4) == 0 { "agency" } else { "main" };
        self.live(source);
        let file = self.file(source);
        if file.name != "." {
            self.site.env.write(file.name, &file.bytes);
        }
        let truth = self.truth();
        let line =
            format!("testtakers sync {} --source {source} --absent-for 0s --settle 1s {}", file.name, file.options);
        let (mut may, mut rows, mut skips, mut approve) = (Expected::default(), Numbers::new(), true, String::new());
        match &file.says {
            Says::Nothing(code) => may.code = *code,
            Says::People { rows: people, skips: leaves_out } => {
                (rows, skips) = (people.clone(), *leaves_out);
                may = self.expected(source, &rows, skips, &truth);
                if may.left.len() > 5 && self.surely(source, &may.left) <= 5 {
                    return;
                }
                let is_believed = self.is_believed(source, &rows, &truth);
                if !is_believed || may.left.len() > 5 {
                    let held = self.end(&line, 11, &file);
                    let none = if is_believed {
                        Expected { left: Numbers::new(), code: 11, ..may }
                    } else {
                        Expected::default()
                    };
                    self.holds(&file, &truth, &none, is_believed);
                    if is_believed {
                        self.remember(source, &rows, skips);
                    }
                    if is_believed || self.random.bool() || file.kind != "short" {
                        // Nobody looks at it, or it is wrong.
                        return;
                    }
                    approve = format!(" --approve {}", approval(&held));
                    may = self.expected(source, &rows, skips, &truth);
                    if may.left.len() > 5 {
                        may.left.clear();
                        may.code = 11;
                    }
                }
            }
        }
        let line = line + &approve;
        for _ in 0..self.random.usize(0..4) {
            self.kill(&line);
            self.holds(&file, &truth, &may, false);
        }
        let _ = self.end(&line, may.code, &file);
        self.holds(&file, &truth, &may, true);
        if !rows.is_empty() {
            self.remember(source, &rows, skips);
        }
        for source in ["main", "agency"] {
            self.unremembered.extend(may.left.iter().map(|person| (source, *person)));
        }
        self.meddle();
    }

    fn remember(&mut self, source: &'static str, rows: &Numbers, skips: bool) {
        let memory = self.memory.get_mut(source).expect("a source");
        // Where rows are left out nobody is missing.
        let before = memory.last.take().filter(|_| skips).unwrap_or_default();
        memory.last = Some(&before | rows);
        memory.ever.extend(rows);
        self.unremembered.retain(|(of, person)| *of != source || !rows.contains(person));
    }

    /// Somebody removes somebody in the portal, after all is settled.
    fn meddle(&mut self) {
        if self.random.u8(0..8) > 0 {
            return;
        }
        let mut held = self.site.service.held();
        let at = self.random.usize(0..held.people.len());
        let email = held.people.remove(at).record["email"].as_str().expect("an address").to_owned();
        drop(held);
        self.gone.insert(email.trim_start_matches('n').trim_end_matches("@example.com").parse().expect("a number"));
    }

    /// Starts a run and kills it a moment after some request.
    fn kill(&mut self, line: &str) {
        let goal = self.site.service.log().len() + self.random.usize(1..24);
        let writes: usize = self.site.writes().iter().sum();
        let mut child = self.site.env.command(&words(line)).spawn().expect("started");
        while self.site.service.log().len() < goal && child.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        // Not always right after an answer.
        let until = Instant::now() + Duration::from_micros(self.random.u64(0..4000));
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        if child.try_wait().expect("a child").is_none() {
            // It may have ended by itself in this very moment.
            let _ = child.kill();
            self.kills += 1;
            self.under_way += usize::from(self.site.writes().iter().sum::<usize>() > writes);
        }
        let _ = child.wait();
    }

    /// Runs until nothing is in doubt; the run ends with this code.
    fn end(&self, line: &str, code: i32, file: &File) -> Said {
        let run = |_| end_of(self.site.env.command(&words(line)).spawn().expect("started"));
        // Whoever was removed a moment ago is not sent yet, and 10 for somebody else comes before 6.
        let is_over = |said: &Said| ![6, 7].contains(&said.code) && !said.stdout.contains(",not-attempted,");
        let said = (0..RUNS).map(run).find(is_over).expect("a run without a doubt");
        // Whoever is gone needs a person, unless a list may still lag.
        let is_gone = said.code == 10 && code == 0 && !self.gone.is_empty();
        assert!(said.code == code || is_gone, "{}: expected {code}: {said}", file.kind);
        said
    }

    /// Nobody joined or left but who may; where the night is over, all of them did.
    fn holds(&self, file: &File, before: &BTreeMap<u32, usize>, may: &Expected, is_over: bool) {
        if is_over {
            std::thread::sleep(LATE);
        }
        let now = self.truth();
        let twice: Vec<_> = now.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "{}: enrolled twice: {twice:?}", file.kind);
        let joined: Numbers = now.keys().filter(|person| !before.contains_key(person)).copied().collect();
        let left: Numbers = before.keys().filter(|person| !now.contains_key(person)).copied().collect();
        let wrong: Vec<_> = left.difference(&may.left).chain(joined.difference(&may.joined)).collect();
        assert!(wrong.is_empty(), "{}: removed or enrolled outside the rules: {wrong:?}", file.kind);
        assert!(!is_over || joined == may.joined, "{}: lost: {:?}", file.kind, may.joined.difference(&joined));
        let stayed: Vec<_> = may.left.iter().filter(|person| !left.contains(person)).collect();
        let is_allowed = stayed.iter().all(|person| self.unremembered.contains(&(file.source, **person)));
        assert!(!is_over || is_allowed, "{}: not removed: {stayed:?}", file.kind);
    }
}

#[test]
fn a_sync_that_is_killed_in_any_night_loses_and_doubles_no_one_and_removes_by_the_rules() {
    let wanted = setting("NIGHT_KILLS").map_or(8, |kills| kills.parse().expect("a number"));
    let first = setting("NIGHT_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    let (mut kills, mut under_way, mut nights) = (0, 0, 0);
    for seed in first.. {
        println!("site {seed}");
        let mut world = World::new(seed);
        for _ in 0..NIGHTS {
            world.pass();
            nights += 1;
            if kills + world.kills >= wanted {
                break;
            }
        }
        (kills, under_way) = (kills + world.kills, under_way + world.under_way);
        if kills >= wanted {
            break;
        }
    }
    println!(
        "{nights} nights, {kills} kills, {under_way} of them among writes: 0 lost, 0 twice, 0 removed outside the rules"
    );
}
