//! The lines of the table: what is measured, against what, and within which budget.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, ensure};

use super::pages;
use super::tools::{Served, median, peak, race, time, time_ending};

const PROGRAM: &str = env!("CARGO_BIN_EXE_assessctl");
const KEY: &str = "x-api-key: sandbox";
const ROWS: u32 = 2_000;
const MANY_ROWS: u32 = 101_000;
const STARTS: u32 = 40;

/// The word that makes this program parse a CSV and nothing else.
pub const PARSE_ONLY: &str = "--parse-only";

/// One line of the table.
pub struct Line {
    pub what: &'static str,
    pub budget: f64,
    pub unit: &'static str,
    pub measure: fn(&Stage) -> anyhow::Result<Measured>,
}

/// What came of a line; `figure` is what the budget is about, a ratio unless the line says otherwise.
pub struct Measured {
    pub ours: String,
    pub theirs: String,
    pub figure: f64,
}

const fn line(what: &'static str, budget: f64, measure: fn(&Stage) -> anyhow::Result<Measured>) -> Line {
    Line { what, budget, unit: "", measure }
}

pub const LINES: [Line; 19] = [
    line("start: `--version` against `curl --version`", 0.3, start),
    line("one GET: `projects list -o json`, its count proven, against `curl`", 1.0, one_get),
    line("import of 2,000 rows, 20 ms away, 16 at a time, against `curl --parallel`", 1.25, import_fixed),
    line("import of 2,000 rows, 20 ms away, `--concurrency auto`, against `xargs -P16 curl`", 0.5, import_auto),
    line("import of 2,000 rows, no distance, against `curl --parallel`", 2.0, import_near),
    line("look-ups of 2,000 rows, 20 ms away, 16 at a time, against `curl --parallel`", 1.25, look_ups),
    line("pages: `results list --once` of 100,000 to CSV against `curl --parallel` to files", 1.25, once_against_curl),
    line("pages: `results list` of 100,000 to CSV, verified, against the same `curl`", 2.5, verified_against_curl),
    line("pages: `results list --once` of 100,000 to CSV against `curl` piped into `jq … @csv`", 0.33, list_against_jq),
    Line { unit: " MiB", ..line("pages: peak memory of `results list` of 1,000,000 to CSV", 64.0, list_memory) },
    line("pages: that memory against a list of 10,000", 2.0, list_memory_growth),
    Line { unit: " MiB", ..line("pages: peak memory of `results changes` of 1,000,000", 64.0, changes_memory) },
    line("pages: the same as a table", 2.0, table_memory_growth),
    Line { unit: " bytes", ..line("memory of an import a row, beyond 1,000 rows", 200.0, import_memory) },
    line("import of 4,000 rows, no distance: the journal on this disk against one on a tmpfs", 1.15, journal_price),
    line("`testtakers check` of 1,000,000 rows against parsing them", 2.5, check),
    Line { unit: " MiB", ..line("peak memory of that check", 64.0, check_memory) },
    line("pages: a sync of 1,000,000, nothing to do, against a verified list of them and that check", 1.25, sync),
    Line { unit: " bytes", ..line("pages: memory of that sync a person, beyond 1,000", 200.0, sync_memory) },
];

/// What the lines share: a folder that is deleted afterwards, a sandbox, a server of pages.
pub struct Stage {
    rounds: usize,
    folder: tempfile::TempDir,
    sandbox: Served,
    pages: String,
}

impl Stage {
    pub fn set(rounds: usize) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let sandbox = Served::sandbox(PROGRAM, &folder.path().join("sandbox.db"), &[])?;
        Ok(Self { rounds, folder, sandbox, pages: format!("http://{}", pages::serve()?) })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Our program, with a state and a configuration of its own.
    fn ours(&self, base_url: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).env_clear().env("HOME", self.folder.path());
        command.env("ASSESSCTL_STATE_DIR", self.path("state")).env("ASSESSCTL_CONFIG", self.path("none.toml"));
        command.env("ASSESSCTL_BASE_URL", base_url).env("ASSESSCTL_API_KEY", "sandbox");
        command
    }

    fn csv(&self, records: u32) -> Command {
        let mut command = self.ours(&self.pages, &["results", "list", "-o", "csv", "-p", &pages::project(records)]);
        command.arg("--to").arg(self.path("results.csv"));
        command
    }

    fn page_urls(&self, records: u32) -> String {
        let (project, last) = (pages::project(records), records.div_ceil(100));
        format!("{}/projects/{project}/results?order=Asc&orderBy=FullName&pageSize=100&page=[1-{last}]", self.pages)
    }

    /// A roster of so many people, whose addresses nobody else has.
    fn roster(&self, name: &str, rows: u32) -> anyhow::Result<PathBuf> {
        self.roster_of(name, 0..rows)
    }

    /// The roster of those who are in the project of so many.
    fn roster_of_pages(&self, records: u32) -> anyhow::Result<PathBuf> {
        self.roster_of(&format!("{records}.csv"), pages::FIRST_ID..pages::FIRST_ID + records)
    }

    fn roster_of(&self, name: &str, people: Range<u32>) -> anyhow::Result<PathBuf> {
        let mut text = String::from("email,firstName,lastName,birthYear,referenceId\n");
        for person in people {
            writeln!(text, "person.{person}@example.com,Zoë,Müller {person},1984,EMP-{person:06}")?;
        }
        let path = self.path(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

fn curl(arguments: &[&str]) -> Command {
    let mut command = Command::new("curl");
    // `-q`: whatever stands in somebody's .curlrc is not measured.
    command.args(["-q", "-sS", "--fail", "-H", KEY]).args(arguments);
    command
}

fn ratio(times: (Duration, Duration)) -> Measured {
    let shown = |time: Duration| match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        seconds => format!("{seconds:.2} s"),
    };
    let (ours, theirs) = times;
    Measured { ours: shown(ours), theirs: shown(theirs), figure: ours.as_secs_f64() / theirs.as_secs_f64() }
}

fn repeated(mut command: impl FnMut() -> Command) -> anyhow::Result<Duration> {
    let times = (0..STARTS).map(|_| time(&mut command())).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(median(times))
}

fn start(stage: &Stage) -> anyhow::Result<Measured> {
    let curl = || {
        let mut command = Command::new("curl");
        command.arg("--version");
        command
    };
    Ok(ratio(race(stage.rounds, |_| repeated(|| stage.ours(&stage.pages, &["--version"])), |_| repeated(curl))?))
}

fn one_get(stage: &Stage) -> anyhow::Result<Measured> {
    let base = &stage.sandbox.1;
    let url = format!("{base}/projects?orderBy=DateCreated&order=Asc&page=1&pageSize=100");
    let ours = |_| repeated(|| stage.ours(base, &["projects", "list", "-o", "json"]));
    Ok(ratio(race(stage.rounds, ours, |_| repeated(|| curl(&["-H", "accept: application/json", &url])))?))
}

fn once_against_curl(stage: &Stage) -> anyhow::Result<Measured> {
    list_against_curl(stage, &["--once"])
}

fn verified_against_curl(stage: &Stage) -> anyhow::Result<Measured> {
    list_against_curl(stage, &[])
}

/// Every page once to a file of its own, against the whole list.
fn list_against_curl(stage: &Stage, more: &[&str]) -> anyhow::Result<Measured> {
    let urls = stage.page_urls(100_000);
    let pages = stage.path("page_#1.json");
    Ok(ratio(race(
        stage.rounds,
        |_| time(stage.csv(100_000).args(more)),
        |_| time(curl(&["--parallel", &urls, "-o"]).arg(&pages)),
    )?))
}

fn list_against_jq(stage: &Stage) -> anyhow::Result<Measured> {
    const FIELDS: &str = ".[] | [.id, .email, .referenceId, .firstName, .lastName, .fullName, .yearOfBirth, .result, \
                          .dateCompleted, .lastTestSentUtc, .topPerformer] | @csv";
    let script = format!(
        "curl -q -sS --fail -H '{KEY}' '{}' | jq -r '{FIELDS}' > '{}'",
        stage.page_urls(100_000),
        stage.path("jq.csv").display()
    );
    let pipe = || {
        let mut command = Command::new("sh");
        command.args(["-c", &script]);
        command
    };
    Ok(ratio(race(stage.rounds, |_| time(stage.csv(100_000).arg("--once")), |_| time(&mut pipe()))?))
}

fn mebibytes(kib: u64) -> f64 {
    f64::from(u32::try_from(kib).unwrap_or(u32::MAX)) / 1024.0
}

fn list_memory(stage: &Stage) -> anyhow::Result<Measured> {
    let most = mebibytes(peak(&mut stage.csv(1_000_000))?);
    Ok(Measured { ours: format!("{most:.1} MiB"), theirs: "-".to_owned(), figure: most })
}

/// Of the second run, which compares as many with what the first one remembered.
fn changes_memory(stage: &Stage) -> anyhow::Result<Measured> {
    let project = pages::project(1_000_000);
    let changes = || stage.ours(&stage.pages, &["results", "changes", "-p", &project, "-o", "csv"]);
    time(&mut changes())?;
    let most = mebibytes(peak(&mut changes())?);
    Ok(Measured { ours: format!("{most:.1} MiB"), theirs: "-".to_owned(), figure: most })
}

fn growth(many: u64, few: u64) -> Measured {
    let (many, few) = (mebibytes(many), mebibytes(few));
    Measured { ours: format!("{many:.1} MiB"), theirs: format!("{few:.1} MiB"), figure: many / few }
}

fn list_memory_growth(stage: &Stage) -> anyhow::Result<Measured> {
    Ok(growth(peak(&mut stage.csv(1_000_000))?, peak(&mut stage.csv(10_000))?))
}

fn table_memory_growth(stage: &Stage) -> anyhow::Result<Measured> {
    let table = |records| peak(&mut stage.ours(&stage.pages, &["results", "list", "-p", &pages::project(records)]));
    Ok(growth(table(1_000_000)?, table(10_000)?))
}

/// A service at some distance, with a project for each run.
struct Away<'s> {
    stage: &'s Stage,
    served: Served,
}

impl<'s> Away<'s> {
    /// 20 ms away.
    fn begin(stage: &'s Stage, name: &str) -> anyhow::Result<Self> {
        Self::with(stage, name, &["--fault", "delay=20ms@*"])
    }

    fn with(stage: &'s Stage, name: &str, more: &[&str]) -> anyhow::Result<Self> {
        Ok(Self { stage, served: Served::sandbox(PROGRAM, &stage.path(name), more)? })
    }

    fn project(&self, name: &str) -> anyhow::Result<String> {
        project(self.stage, &self.served.1, name)
    }

    fn import(&self, roster: &Path, round: usize, concurrency: &str) -> anyhow::Result<Duration> {
        let project = self.project(&format!("ours {round}"))?;
        let more = ["testtakers", "import", "-q", "--concurrency", concurrency, "-p", &project];
        let took = time(self.stage.ours(&self.served.1, &more).arg(roster))?;
        self.expect_everybody(&project)?;
        Ok(took)
    }

    /// Speed that loses somebody is none, on either side.
    fn expect_everybody(&self, project: &str) -> anyhow::Result<()> {
        let list = ["testtakers", "list", "-p", project, "-o", "csv", "--no-header", "--fields", "id"];
        let people = self.stage.ours(&self.served.1, &list).output()?.stdout;
        let count = people.split(|byte| *byte == b'\n').count() - 1;
        ensure!(count == ROWS as usize, "{count} people instead of {ROWS}");
        Ok(())
    }
}

fn project(stage: &Stage, base: &str, name: &str) -> anyhow::Result<String> {
    let create = ["projects", "create", name, "-o", "csv", "--no-header", "--fields", "id"];
    let output = stage.ours(base, &create).output()?;
    ensure!(output.status.success(), "no project: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn body(row: u32) -> String {
    format!(
        "{{\"email\":\"person.{row}@example.com\",\"firstName\":\"Zoë\",\"lastName\":\"Müller {row}\",\
         \"birthYear\":1984,\"referenceId\":\"EMP-{row:06}\"}}"
    )
}

fn import_fixed(stage: &Stage) -> anyhow::Result<Measured> {
    import_against_curl(stage, &Away::begin(stage, "fixed.db")?)
}

fn import_near(stage: &Stage) -> anyhow::Result<Measured> {
    import_against_curl(stage, &Away::with(stage, "near.db", &[])?)
}

/// Sixteen at a time, against `curl --parallel` with bodies that are ready.
fn import_against_curl(stage: &Stage, away: &Away<'_>) -> anyhow::Result<Measured> {
    let roster = stage.roster("roster.csv", ROWS)?;
    let with_curl = |round| {
        let project = away.project(&format!("curl {round}"))?;
        let mut config = String::new();
        for row in 0..ROWS {
            let body = body(row).replace('"', "\\\"");
            let next = if row > 0 { "next\n" } else { "" };
            let url = format!("{}/projects/{project}/testtakers", away.served.1);
            write!(config, "{next}url = \"{url}\"\nheader = \"{KEY}\"\nheader = \"content-type: application/json\"\n")?;
            writeln!(config, "data = \"{body}\"\noutput = /dev/null\nsilent\nfail")?;
        }
        let file = stage.path("curl.conf");
        std::fs::write(&file, config)?;
        let mut command = Command::new("curl");
        command.args(["-q", "--parallel", "--parallel-max", "16", "--config"]).arg(&file);
        let took = time(&mut command)?;
        away.expect_everybody(&project)?;
        Ok(took)
    };
    Ok(ratio(race(stage.rounds, |round| away.import(&roster, round, "16"), with_curl)?))
}

fn import_auto(stage: &Stage) -> anyhow::Result<Measured> {
    let roster = stage.roster("roster.csv", ROWS)?;
    let away = Away::begin(stage, "auto.db")?;
    let bodies = stage.path("bodies");
    std::fs::create_dir_all(&bodies)?;
    let mut names = String::new();
    for row in 0..ROWS {
        let file = bodies.join(format!("{row}.json"));
        std::fs::write(&file, body(row))?;
        writeln!(names, "{}", file.display())?;
    }
    let list = stage.path("bodies.txt");
    std::fs::write(&list, names)?;
    let with_xargs = |round| {
        let project = away.project(&format!("xargs {round}"))?;
        let script = format!(
            "xargs -P16 -I{{}} curl -q -sS --fail -o /dev/null -H '{KEY}' -H 'content-type: application/json' -d @{{}} \
             {}/projects/{project}/testtakers < '{}'",
            away.served.1,
            list.display()
        );
        let took = time(Command::new("sh").args(["-c", &script]))?;
        away.expect_everybody(&project)?;
        Ok(took)
    };
    Ok(ratio(race(stage.rounds, |round| away.import(&roster, round, "auto"), with_xargs)?))
}

/// People whom the list of an empty project lacks are looked up one by one: nobody is found.
fn look_ups(stage: &Stage) -> anyhow::Result<Measured> {
    let mut names = String::from("referenceId\n");
    (0..ROWS).try_for_each(|row| writeln!(names, "EMP-{row:06}"))?;
    let file = stage.path("names.csv");
    std::fs::write(&file, names)?;
    let away = Away::begin(stage, "names.db")?;
    let project = away.project("nobody")?;
    let ours = |_| {
        let more = ["testtakers", "remove", "--dry-run", "-q", "--concurrency", "16", "-p", &project, "--file"];
        time_ending(stage.ours(&away.served.1, &more).arg(&file), 4)
    };
    let with_curl = |_| {
        let url = format!(
            "{}/projects/{project}/testtakers?referenceId=EMP-[000000-{:06}]&page=1&pageSize=100&order=Asc&orderBy=FullName",
            away.served.1,
            ROWS - 1
        );
        time(curl(&["--parallel", "--parallel-max", "16", &url, "-o"]).arg(stage.path("found_#1.json")))
    };
    Ok(ratio(race(stage.rounds, ours, with_curl)?))
}

fn import_memory(stage: &Stage) -> anyhow::Result<Measured> {
    let base = &stage.sandbox.1;
    let import = |name: &str, rows| -> anyhow::Result<u64> {
        let roster = stage.roster(name, rows)?;
        let project = project(stage, base, name)?;
        let more = ["testtakers", "import", "-q", "--concurrency", "16", "-p", &project];
        peak(stage.ours(base, &more).arg(roster))
    };
    let (few, many) = (import("few.csv", 1_000)?, import("many.csv", MANY_ROWS)?);
    let figure = mebibytes(many.saturating_sub(few)) * f64::from(1 << 20) / f64::from(MANY_ROWS - 1_000);
    Ok(Measured {
        ours: format!("{:.1} MiB for {MANY_ROWS}", mebibytes(many)),
        theirs: format!("{:.1} MiB for 1000", mebibytes(few)),
        figure,
    })
}

/// What it costs that intents are durable before anything is sent.
fn journal_price(stage: &Stage) -> anyhow::Result<Measured> {
    let (base, roster) = (&stage.sandbox.1, stage.roster("journal.csv", 4_000)?);
    let in_memory = tempfile::tempdir_in("/dev/shm").context("a tmpfs in /dev/shm")?;
    let import = |round: usize, state: &Path| {
        let project = project(stage, base, &format!("{} {round}", state.display()))?;
        let mut command = stage.ours(base, &["testtakers", "import", "-q", "-p", &project]);
        time(command.arg(&roster).env("ASSESSCTL_STATE_DIR", state))
    };
    let disk = stage.path("state on disk");
    Ok(ratio(race(stage.rounds, |round| import(round, &disk), |round| import(round, in_memory.path()))?))
}

fn check(stage: &Stage) -> anyhow::Result<Measured> {
    let roster = stage.roster("million.csv", 1_000_000)?;
    let parser = std::env::current_exe().context("this program's own path")?;
    let ours = |_| time(stage.ours(&stage.pages, &["testtakers", "check"]).arg(&roster));
    let parse = |_| time(Command::new(&parser).arg(PARSE_ONLY).arg(&roster));
    Ok(ratio(race(stage.rounds, ours, parse)?))
}

fn check_memory(stage: &Stage) -> anyhow::Result<Measured> {
    let roster = stage.roster("million.csv", 1_000_000)?;
    let most = mebibytes(peak(stage.ours(&stage.pages, &["testtakers", "check"]).arg(&roster))?);
    Ok(Measured { ours: format!("{most:.1} MiB"), theirs: "-".to_owned(), figure: most })
}

/// A sync of those who are in the project of so many, after one that remembered them.
fn second_sync(stage: &Stage, records: u32) -> anyhow::Result<Command> {
    let (project, roster) = (pages::project(records), stage.roster_of_pages(records)?);
    let sync = || {
        let mut command = stage.ours(&stage.pages, &["testtakers", "sync", "-q", "-p", &project]);
        command.arg(&roster);
        command
    };
    time(&mut sync())?;
    Ok(sync())
}

fn sync(stage: &Stage) -> anyhow::Result<Measured> {
    const PEOPLE: u32 = 1_000_000;
    let (mut ours, roster) = (second_sync(stage, PEOPLE)?, stage.roster_of_pages(PEOPLE)?);
    let parts = |_| {
        let mut list = stage.ours(&stage.pages, &["testtakers", "list", "-o", "csv", "-p", &pages::project(PEOPLE)]);
        let listed = time(list.arg("--to").arg(stage.path("people.csv")))?;
        Ok(listed + time(stage.ours(&stage.pages, &["testtakers", "check"]).arg(&roster))?)
    };
    Ok(ratio(race(stage.rounds, |_| time(&mut ours), parts)?))
}

fn sync_memory(stage: &Stage) -> anyhow::Result<Measured> {
    let (few, many) = (peak(&mut second_sync(stage, 1_000)?)?, peak(&mut second_sync(stage, 1_000_000)?)?);
    let figure = mebibytes(many.saturating_sub(few)) * f64::from(1 << 20) / 999_000.0;
    Ok(Measured { ours: format!("{:.1} MiB", mebibytes(many)), theirs: format!("{:.1} MiB", mebibytes(few)), figure })
}

/// Parses a CSV into text and nothing else.
pub fn parse_only(file: &str) -> anyhow::Result<()> {
    let mut reader = csv::Reader::from_path(file)?;
    let mut record = csv::StringRecord::new();
    let mut cells = 0;
    while reader.read_record(&mut record)? {
        cells += record.len();
    }
    ensure!(cells > 0, "no cells");
    Ok(())
}
