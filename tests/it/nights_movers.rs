//! Nights of a site with several projects in one file, between which people move: runs are killed at random moments, through a
//! service that loses answers, and once runs came to their end everyone stands in exactly the project that the file says.
//!
//! `cargo test` runs a few nights; `MOVES=250 cargo test --test it move_between_projects -- --nocapture` many, from `NIGHTS_SEED`
//! on. A violation names its site.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::campaign::{kill_after, looked_at, number, seeded};
use crate::harness::{Env, KEY, Said, Served};
use crate::nights_movers_oracle::{Expected, File, Lists, Remembered};
use crate::nights_site::{Card, cards, run_to_the_end};

/// Nights of one site; then some quiet ones end it, and another one begins.
const NIGHTS_PER_SITE: usize = 12;
/// Quiet nights after which nothing of an earlier one may be left.
const QUIET: usize = 4;
/// No late request takes effect later than this.
const LATE: Duration = Duration::from_millis(400);
/// The projects' names; a site has two or three.
const NAMES: [&str; 3] = ["Demo", "Nights", "Depot"];

/// What goes wrong with the service, each kind with its own dice.
fn faults(seed: usize) -> Vec<String> {
    let kinds = [
        "close-before@enrol:share=0.03",
        "close-after@enrol:share=0.03",
        "500-after@enrol:share=0.03",
        "late=300ms@enrol:share=0.03",
        "close-after@update:share=0.03",
        "close-before@remove:share=0.03",
        "close-after@remove:share=0.05",
        "500-after@remove:share=0.04",
        "late=300ms@remove:share=0.05",
        "lag=300ms@list-test-takers:share=0.03",
        "truncate@list-test-takers:share=0.01",
    ];
    seeded(&kinds, seed)
}

/// How a file comes otherwise than it should, and how each run of it must end.
#[derive(Clone, Copy, Debug)]
enum Bad {
    NoProjectColumn,
    UnknownProject,
    NoProject,
    HeaderAlone,
    /// A project that was followed has no rows.
    OneProjectMissing,
    /// The column shifted: everyone stands in the next project.
    Shifted,
}

const BAD: [Bad; 6] =
    [Bad::NoProjectColumn, Bad::UnknownProject, Bad::NoProject, Bad::HeaderAlone, Bad::OneProjectMissing, Bad::Shifted];

/// A site, its service, and a machine that follows its file.
struct Movers {
    /// The portal's side.
    there: Env,
    /// Lives as long as the site.
    _served: Served,
    here: Env,
    projects: &'static [&'static str],
    /// Who works in which project.
    staff: Vec<(Card, usize)>,
    gone: Vec<Card>,
    next: u32,
    replaces_renamed: bool,
    remembered: Remembered,
    random: fastrand::Rng,
    seed: usize,
    night: usize,
    kills: usize,
    /// Nights that a second whole run brought in step.
    second_runs: usize,
}

impl Movers {
    fn new(seed: usize) -> Self {
        let mut random = fastrand::Rng::with_seed(seed as u64);
        let there = Env::new();
        let options: Vec<String> = ["--key".to_owned(), KEY.to_owned()].into_iter().chain(faults(seed)).collect();
        let served = there.serve(&options.iter().map(String::as_str).collect::<Vec<_>>());
        let here = Env::at(&served.url);
        let projects = &NAMES[..random.usize(2..=3)];
        for name in &projects[1..] {
            let _ = there.line(&format!("--profile sandbox projects create {name}")).ok();
        }
        let _ = there.line("--profile sandbox testtakers enrol -p Demo --email stray@example.com -q").ok();
        let replaces_renamed = random.bool();
        let mut movers = Self {
            there,
            _served: served,
            here,
            projects,
            staff: Vec::new(),
            gone: Vec::new(),
            next: 1,
            replaces_renamed,
            remembered: Remembered::default(),
            random,
            seed,
            night: 0,
            kills: 0,
            second_runs: 0,
        };
        for project in 0..movers.projects.len() {
            let people = movers.random.usize(12..=18);
            movers.join(people, project);
        }
        movers
    }

    fn join(&mut self, people: usize, project: usize) {
        for _ in 0..people {
            self.staff.push((Card::of(self.next, true), project));
            self.next += 1;
        }
    }

    fn any(&mut self) -> usize {
        self.random.usize(..self.staff.len())
    }

    fn other_project(&mut self, project: usize) -> usize {
        (project + self.random.usize(1..self.projects.len())) % self.projects.len()
    }

    /// What changes from one night to the next.
    fn change(&mut self) {
        let (joiners, project) = (self.random.usize(..=2), self.random.usize(..self.projects.len()));
        self.join(joiners, project);
        // Mostly a few people move; now and then more of them than may without a person's approval.
        let movers = if self.random.u8(..10) == 0 { 14 } else { self.random.usize(..=3) };
        for _ in 0..movers {
            let at = self.any();
            self.staff[at].1 = self.other_project(self.staff[at].1);
            if self.replaces_renamed && self.random.u8(..6) == 0 {
                let (digit, card) = (self.random.u8(..10), &mut self.staff[at].0);
                card.email = format!("m{digit}{}", card.email);
            }
        }
        if self.random.u8(..3) == 0 {
            let at = self.any();
            self.gone.push(self.staff.swap_remove(at).0);
        } else if self.random.u8(..3) == 0 && !self.gone.is_empty() {
            let back = self.gone.swap_remove(self.random.usize(..self.gone.len()));
            self.staff.push((back, project));
        }
        let at = self.any();
        self.staff[at].0.last.push('e');
        if self.replaces_renamed && self.random.u8(..3) == 0 {
            let at = self.any();
            let (digit, card) = (self.random.u8(..10), &mut self.staff[at].0);
            card.email = format!("m{digit}{}", card.email);
        }
    }

    fn file(&self) -> File {
        self.staff.iter().map(|(card, project)| ((card.reference.clone(), *project), card.clone())).collect()
    }

    /// Who stands where, once nothing late is under way any more.
    fn settled(&self) -> Lists {
        let start = Instant::now();
        let mut lists = self.lists();
        while start.elapsed() < LATE {
            lists = self.lists();
        }
        lists
    }

    fn lists(&self) -> Lists {
        self.projects.iter().map(|project| cards(&self.there, project)).collect()
    }

    fn command(&self, counts: bool) -> String {
        let interval = if counts { "0s" } else { "12h" };
        let replaces = if self.replaces_renamed { "--replace-renamed" } else { "" };
        format!(
            "testtakers sync night.csv --project-column site --roster-interval {interval} {replaces} --settle 1s --deadline 20s -v"
        )
    }

    fn table(&self, file: &File) -> String {
        let mut text = "email,firstName,lastName,birthYear,referenceId,site\n".to_owned();
        for ((_, project), card) in file {
            let Card { reference, email, first, last, year } = card;
            writeln!(text, "{email},{first},{last},{year},{reference},{}", self.projects[*project]).expect("a text");
        }
        text
    }

    fn violation(&self, what: &str) -> String {
        format!("seed {}, night {}: {what}", self.seed, self.night)
    }

    /// One night: its file, runs that are killed, and mostly one that comes to its end.
    fn pass(&mut self) -> Result<(), String> {
        self.night += 1;
        self.change();
        let counts = self.random.u8(..4) > 0;
        let night = self.remembered.night(self.file(), self.settled(), counts);
        self.here.write("night.csv", self.table(&night.file));
        let line = self.command(counts);
        let kills = self.kill(&line, &night)?;
        if kills > 0 && self.remembered.is_certain() && self.random.u8(..3) == 0 {
            let lists = self.settled();
            self.remembered.give_up(&night);
            return night.may_stand(&lists, false).map_err(|broken| self.violation(&broken));
        }
        self.finish(&line, &night, false)
    }

    /// Runs that are killed; after each, the lists are held against what may be.
    fn kill(&mut self, line: &str, night: &Expected) -> Result<usize, String> {
        let mut kills = 0;
        for _ in 0..self.random.usize(..6) {
            let run = looked_at(&self.here, line);
            let counted = match self.random.u8(..6) {
                0 => ("POST ", self.random.usize(1..4)),
                1 | 2 => ("DELETE ", self.random.usize(1..4)),
                _ => (" after ", self.random.usize(..24)),
            };
            if kill_after(run, counted, &mut self.random) {
                kills += 1;
                self.kills += 1;
            }
            night.may_stand(&self.lists(), false).map_err(|broken| self.violation(&broken))?;
        }
        Ok(kills)
    }

    /// Runs until one comes to its end, and holds it against what was to come of the night.
    fn finish(&mut self, line: &str, night: &Expected, must_be_in_step: bool) -> Result<(), String> {
        let mut said = run_to_the_end(&self.here, line);
        let mut is_approved = false;
        if said.code == 11 {
            let lists = self.lists();
            night.is_held(&lists).map_err(|broken| self.violation(&broken))?;
            if !must_be_in_step && self.random.bool() {
                self.remembered.follow(night, &lists);
                return Ok(());
            }
            self.approve(&said)?;
            is_approved = true;
            said = run_to_the_end(&self.here, line);
        }
        let mut judged = self.judge(&said, night, (is_approved, must_be_in_step))?;
        if judged.is_err() && said.code == 0 {
            // This run settled what an earlier one had left in doubt: only the next one holds that against the file.
            self.second_runs += 1;
            let _ = self.settled();
            said = run_to_the_end(&self.here, line);
            judged = self.judge(&said, night, (is_approved, must_be_in_step))?;
        }
        judged.map_err(|broken| self.violation(&format!("{broken}:\n{}", told(&said))))?;
        self.remembered.follow(night, &self.lists());
        Ok(())
    }

    /// Whether the lists are as a run that came to its end must leave them; `Err` where they break a rule that each moment
    /// is held to.
    fn judge(
        &self,
        said: &Said,
        night: &Expected,
        (is_approved, must_be_in_step): (bool, bool),
    ) -> Result<Result<(), String>, String> {
        let lists = self.lists();
        night.may_stand(&lists, is_approved).map_err(|broken| self.violation(&broken))?;
        Ok(match said.code {
            0 if must_be_in_step => night.is_in_step(&lists, left_alone(said)),
            0 => night.is_followed(&lists, left_alone(said)),
            _ => Err("no run came to its end".to_owned()),
        })
    }

    /// A person looks at what is held, and approves it.
    fn approve(&self, said: &Said) -> Result<(), String> {
        let line = said.stderr.split("testtakers apply ").nth(1).and_then(|rest| rest.split('`').next());
        let Some(line) = line else { return Err(self.violation(&format!("nothing is held:\n{}", told(said)))) };
        let applied = run_to_the_end(&self.here, &format!("testtakers apply {line} --settle 1s --deadline 20s"));
        if applied.code == 0 { Ok(()) } else { Err(self.violation(&told(&applied))) }
    }

    /// A night whose file comes otherwise than it should: nothing at all may be done.
    fn pass_badly(&mut self, bad: Bad) -> Result<(), String> {
        self.night += 1;
        let before = self.settled();
        let mut file = self.file();
        // What is known of people who joined nowhere yet is nothing.
        file.retain(|(who, project), _| before[*project].iter().any(|card| card.reference == *who));
        let mut shifted = File::new();
        let (text, code) = match bad {
            Bad::NoProjectColumn => (self.table(&file).replacen("site", "depot", 1), 2),
            Bad::UnknownProject => (self.table(&file).replacen(",Demo\n", ",Nowhere\n", 1), 5),
            Bad::NoProject => (self.table(&file).replacen(",Demo\n", ",\n", 1), 5),
            Bad::HeaderAlone => (self.table(&File::new()), 5),
            Bad::OneProjectMissing | Bad::Shifted if !self.remembered.is_certain() => return Ok(()),
            Bad::OneProjectMissing => {
                file.retain(|(_, project), _| *project > 0);
                (self.table(&file), 5)
            }
            Bad::Shifted => {
                let next = |project: usize| (project + 1) % self.projects.len();
                shifted = file.into_iter().map(|((who, project), card)| ((who, next(project)), card)).collect();
                (self.table(&shifted), 11)
            }
        };
        self.here.write("night.csv", text);
        let said = run_to_the_end(&self.here, &self.command(true));
        let lists = self.lists();
        if said.code != code || lists != before {
            let changed = if lists == before { "" } else { ", and the lists changed" };
            return Err(self.violation(&format!("{bad:?}: expected exit {code}{changed}:\n{}", told(&said))));
        }
        if code == 11 {
            let night = self.remembered.night(shifted, before, true);
            self.remembered.follow(&night, &lists);
        }
        Ok(())
    }

    /// So many nights, and then rest.
    fn live(&mut self, nights: usize) -> Result<(), String> {
        for _ in 0..nights {
            // Every fifth file is bad, but not the first.
            if self.night > 0 && self.random.u8(..5) == 0 {
                let bad = BAD[self.random.usize(..BAD.len())];
                self.pass_badly(bad)?;
            } else {
                self.pass()?;
            }
        }
        self.come_to_rest()
    }

    /// Some nights without kills, after which everyone stands in one project, and that is the file's.
    fn come_to_rest(&mut self) -> Result<(), String> {
        for night in 1..=QUIET {
            self.night += 1;
            let at = self.any();
            self.staff[at].0.last.push('o');
            let expected = self.remembered.night(self.file(), self.settled(), true);
            self.here.write("night.csv", self.table(&expected.file));
            let line = self.command(true);
            self.finish(&line, &expected, night == QUIET)?;
        }
        Ok(())
    }
}

/// How many people of all projects a run left alone, as its summary has it.
fn left_alone(said: &Said) -> usize {
    let all = said.stderr.lines().find(|line| line.contains(" in the file: ") && line.contains(" projects ("));
    let counts = all.into_iter().flat_map(|line| line.split([',', ';', ':']));
    let alone = counts.filter_map(|count| count.trim().split_once(" left alone"));
    alone.filter_map(|(count, _)| count.parse::<usize>().ok()).sum()
}

/// What a run said of people, without its requests.
fn told(said: &Said) -> String {
    let lines = said.stderr.lines().filter(|line| !line.contains(" after ") && !line.starts_with("waiting"));
    format!("exit {}\n{}", said.code, lines.collect::<Vec<_>>().join("\n"))
}

#[test]
fn people_who_move_between_projects_stand_in_exactly_one_whatever_run_was_killed() {
    let (wanted, first) = (number("MOVES", 5), number("NIGHTS_SEED", 1));
    let (mut nights, mut kills, mut second_runs, mut site, mut violations) = (0, 0, 0, 0, Vec::new());
    while nights < wanted {
        let mut movers = Movers::new(first + site);
        let of_site = NIGHTS_PER_SITE.min(wanted - nights);
        if let Err(violation) = movers.live(of_site) {
            println!("{violation}");
            violations.push(violation);
        }
        nights += of_site;
        kills += movers.kills;
        second_runs += movers.second_runs;
        site += 1;
        let broken = violations.len();
        println!("{nights} nights of {site} sites, {kills} kills, {second_runs} second runs, {broken} violations");
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}
