//! `results changes`: each alert is told at least once to each name, whatever happens to a run.

use std::path::Path;

use serde_json::json;

use crate::support::env::{Env, Said, cannot_run, ended, finish, setting, words};
use crate::support::service::{Op, Service, Trouble, When, gate};
use crate::support::shell;
use crate::support::strace::{Call, Instead, Point, traced};
use crate::support::wire::{Answer, PROJECT};
use crate::support::workspace::person;

const WATCH: &str = "results changes --as cron -o csv --fail-on HighRisk";

/// A service of so many people who have just started, and a machine that works in its project.
fn place(people: i64) -> (Service, Env) {
    let service = Service::start().with_people(people);
    (1..=people).for_each(|id| set(&service, id, "Started"));
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    (service, env)
}

/// The person's assessment ends so.
fn set(service: &Service, id: i64, result: &str) {
    let mut held = service.held();
    let person = held.people.iter_mut().find(|person| person.record["id"] == id).expect("there");
    person.record["result"] = json!(result);
}

/// What a run told: kind and entry id of each line.
fn told(said: &Said) -> Vec<String> {
    said.stdout.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn each_change_is_told_once_and_the_first_look_tells_alerts_only() {
    let (service, env) = place(4);
    set(&service, 1, "HighRisk");
    set(&service, 2, "Fatigued");
    let said = env.line(WATCH).exits(8);
    assert_eq!(told(&said), ["alert 1", "alert 2"]);
    assert!(told(&env.line(WATCH).ok()).is_empty());
    set(&service, 1, "Completed");
    set(&service, 3, "Unheard");
    service.held().people.remove(3);
    service.held().add(person(9));
    let said = env.line(WATCH).exits(8);
    assert_eq!(told(&said), ["changed 1", "alert 3", "removed 4", "alert 9"]);
    assert!(said.stdout.contains("changed,1,EMP-00001,p1@example.com,"), "{said}");
    assert!(said.stdout.contains(",Completed,2026-02-27T05:58:12Z,HighRisk\n"), "{said}");
    assert!(said.stdout.contains("\nremoved,4,,,,,,Started\n"), "{said}");
    assert_eq!(told(&env.line(WATCH).ok()), [""; 0]);
    let json = env.line("results changes --as other -o json").json();
    assert_eq!(json.as_array().map(Vec::len), Some(3));
    assert_eq!(
        (&json[1]["change"], &json[1]["result"], &json[1]["oldResult"]),
        (&json!("alert"), &json!("Unheard"), &json!(null))
    );
}

#[test]
fn an_empty_list_tells_of_removals_and_whoever_comes_back_is_told_again() {
    let (service, env) = place(2);
    set(&service, 1, "HighRisk");
    let _ = env.line(WATCH).exits(8);
    let people = std::mem::take(&mut service.held().people);
    assert_eq!(told(&env.line(WATCH).ok()), ["removed 1", "removed 2"]);
    service.held().people = people;
    assert!(told(&env.line(WATCH).exits(8)).contains(&"alert 1".to_owned()));
}

#[test]
fn a_file_of_what_nobody_has_read_yet_stays_where_nothing_is_new() {
    let (service, env) = place(2);
    set(&service, 1, "HighRisk");
    let line = "results changes --as cron --to new.csv";
    let _ = env.line(line).ok();
    let told = env.read("new.csv");
    assert!(told.contains("alert,1,"), "{told}");
    let _ = env.line(line).ok();
    assert_eq!(env.read("new.csv"), told);
    set(&service, 2, "HighRisk");
    let _ = env.line(line).ok();
    assert!(env.read("new.csv").contains("alert,2,"));
}

#[test]
fn each_name_is_told_for_itself_and_a_dry_run_takes_nothing() {
    let (service, env) = place(2);
    let run = |more: &str| env.line(&format!("{WATCH} {more}"));
    let _ = (run("").ok(), env.line("results changes --as portal -o csv").ok());
    set(&service, 1, "HighRisk");
    for _ in 0..2 {
        assert_eq!(told(&run("--dry-run").exits(8)), ["alert 1"]);
        let fresh = env.line("results changes --as nobody-yet --fail-on flagged --dry-run -o csv").exits(8);
        assert_eq!(told(&fresh), ["alert 1"]);
    }
    assert_eq!(told(&run("").exits(8)), ["alert 1"]);
    // Only --fail-on makes an exit code of it.
    assert_eq!(told(&env.line("results changes --as portal -o csv").ok()), ["alert 1"]);
    assert!(told(&run("").ok()).is_empty());
    for name in ["''", "a/b", "..%2f", "'two words'"] {
        let _ = env.line(&format!("results changes --as {name}")).fails(2);
    }
    let _ = env.line("results changes").fails(2);
}

#[test]
fn what_is_watched_from_now_on_is_told_though_it_stood_there() {
    let (service, env) = place(2);
    set(&service, 1, "Incomplete");
    assert!(told(&env.line(WATCH).ok()).is_empty());
    assert_eq!(told(&env.line(&format!("{WATCH},Incomplete")).exits(8)), ["alert 1"]);
    assert!(told(&env.line(&format!("{WATCH},Incomplete")).ok()).is_empty());
}

#[test]
fn people_without_ids_cannot_be_told_apart_and_that_is_said() {
    let (service, env) = place(2);
    service.held().is_older = true;
    let _ = env.line(WATCH).fails(2).names("no ids");
}

#[test]
fn a_list_that_cannot_be_read_whole_moves_nothing() {
    let (service, env) = place(2);
    let _ = env.line(WATCH).ok();
    set(&service, 1, "HighRisk");
    let refused = Answer::problem(422, "No", "not now");
    let _service = service.on(Op::Results, When::First(1), Trouble::Answer(refused));
    let _ = env.line(WATCH).fails(5);
    assert_eq!(told(&env.line(WATCH).exits(8)), ["alert 1"]);
}

#[cfg(unix)]
#[test]
fn what_was_not_taken_whole_is_told_again() {
    let (service, env) = place(2);
    let _ = env.line(WATCH).ok();
    set(&service, 1, "HighRisk");
    let args: Vec<_> = WATCH.split(' ').collect();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let _ = finish(env.command(&args).stdout(writer), b"").exits(8);
    if Path::new("/dev/full").exists() {
        let _ = shell::run(&env, &format!("assessctl {WATCH} > /dev/full")).fails(1);
        let _ = env.line(&format!("{WATCH} --to /dev/full")).fails(1);
    }
    let _ = shell::run(&env, &format!("trap '' XFSZ; ulimit -f 0; exec assessctl {WATCH} --to a.csv")).fails(1);
    let said = shell::run(&env, &format!("assessctl {WATCH} > told.csv")).exits(8);
    assert!(env.read("told.csv").contains("alert,1,"), "{said}");
    assert!(told(&env.line(WATCH).ok()).is_empty());
    // Output that is thrown away is output.
    set(&service, 2, "HighRisk");
    let _ = shell::run(&env, &format!("assessctl {WATCH} > /dev/null")).exits(8);
    assert!(told(&env.line(WATCH).ok()).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_shell_put_into_a_file_is_on_disk_before_it_is_remembered() {
    let (service, env) = place(1);
    set(&service, 1, "HighRisk");
    let strace = "strace -f -y -e trace=fsync,fdatasync,pwrite64 -o trace";
    let said = shell::run(&env, &format!("{strace} assessctl {WATCH} > told.csv"));
    if said.code != 8 {
        return cannot_run("strace is not there, or may not trace");
    }
    let trace = env.read("trace");
    let last = |call: &str, file: &str| {
        let lines = trace.lines().enumerate().filter(|(_, line)| line.contains(call) && line.contains(file));
        lines.last().unwrap_or_else(|| panic!("no {call} of {file} in {trace}")).0
    };
    assert!(last("fsync(", "told.csv") < last("pwrite64(", "journal.db-wal"), "{trace}");
    assert!(last("pwrite64(", "journal.db-wal") < last("sync(", "journal.db-wal"), "{trace}");
}

#[test]
fn one_run_at_a_time_tells_a_name() {
    let (gate, waiting) = gate();
    let service = Service::start().with_people(1).on(Op::Results, When::First(1), Trouble::Gate(gate));
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    let first = env.command(&WATCH.split(' ').collect::<Vec<_>>()).spawn().expect("started");
    waiting.arrived.recv().expect("the request arrives");
    let asked = service.log().len();
    let _ = env.line(WATCH).fails(6).names("cron");
    assert_eq!(service.log().len(), asked, "the second run asks for nothing");
    assert_eq!(told(&env.line(&format!("{WATCH} --dry-run")).exits(8)), ["alert 1"]);
    assert_eq!(told(&env.line("results changes --as other -o csv").ok()), ["alert 1"]);
    drop(waiting);
    let (status, stdout, _) = ended(first, b"");
    assert!(status.code() == Some(8) && stdout.contains("alert,1,"), "{status} {stdout}");
    assert!(told(&env.line(WATCH).ok()).is_empty());
}

/// Where a run tells its alert.
#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    File,
    Pipe,
}

/// A run of a name of its own, so that each is a first look; in a file, or in a pipe that is read to its end.
fn args(name: &str, to: To) -> Vec<String> {
    let more = if to == To::File { " --to a.csv" } else { "" };
    words(&format!("results changes --as {name} --fail-on HighRisk -o csv{more}"))
}

/// Where a run is disturbed after its last answer, each with whether the memory is not written before it: a kill at each
/// call up to the one that commits, and at some of those after it; for some calls an error.
#[cfg(target_os = "linux")]
fn points(calls: &[Call]) -> Vec<(Point, bool)> {
    let begin = 1 + calls.iter().rposition(|call| call.line.starts_with("recvfrom(")).expect("an answer");
    let is_write = |line: &str| line.starts_with("pwrite64(") && line.contains("journal.db-wal");
    let commit = calls.iter().rposition(|call| is_write(&call.line)).expect("a commit");
    assert!(begin + 5 < commit, "{begin} {commit}");
    let ways = [Instead::Kill, Instead::Error("EIO"), Instead::Error("ENOSPC")];
    let of = |at: usize| ways.map(|instead| (Point { call: calls[at].clone(), instead }, at <= commit));
    let mut all: Vec<_> = (begin..calls.len()).flat_map(of).collect();
    if setting("CRASH_POINTS").as_deref() != Some("all") {
        let mut dice = fastrand::Rng::with_seed(11);
        all.retain(|(point, is_before)| (*is_before && point.instead == Instead::Kill) || dice.f64() < 0.15);
    }
    all
}

/// Disturbs runs at their ends. Whoever is killed up to the call that commits, or says that it failed, is followed by a run
/// that tells the alert again; no alert is lost at any other.
#[cfg(target_os = "linux")]
fn disturbed(to: To) {
    let (service, env) = place(2);
    set(&service, 1, "HighRisk");
    // The journal is there from the first run on.
    let _ = env.run(&args("first", To::Pipe)).exits(8);
    let Some(whole) = traced(&env, &args("whole", to), None) else { return };
    assert_eq!(whole.said.code, 8, "{}", whole.said);
    let (mut killed, mut failed) = (0, 0);
    for ((point, is_before), number) in points(&whole.calls).iter().zip(0..) {
        let name = format!("n{number}");
        let _ = std::fs::remove_file(env.work().join("a.csv"));
        let run = traced(&env, &args(&name, to), Some(point)).expect("traced before");
        let at = format!("{to:?}, {:?} instead of {}", point.instead, point.call.line);
        assert!(!run.said.stderr.contains("panicked"), "{at}: {}", run.said);
        if !run.is_hit {
            continue;
        }
        let next = env.run(&args(&name, To::Pipe));
        let is_told_again = told(&next) == ["alert 1"] && next.code == 8;
        let was_told = match to {
            To::Pipe => run.said.stdout.contains("alert,1,"),
            To::File => std::fs::read_to_string(env.work().join("a.csv")).is_ok_and(|text| text.contains("alert,1,")),
        };
        assert!(is_told_again || was_told, "{at}: the alert is lost");
        assert!(is_told_again || point.instead != Instead::Kill || !is_before, "{at}: {next}");
        assert!(was_told || run.said.code != 8, "{at}: it claims to have told");
        let is_said = run.said.stderr.contains("1 result matches --fail-on");
        assert!(is_said || !run.said.stderr.contains("error: the journal"), "{at}: it is said anyway: {}", run.said);
        killed += usize::from(run.said.code == -9);
        failed += usize::from(run.said.code == 1);
    }
    println!("{to:?}: {killed} runs were killed, {failed} failed");
    assert!(killed > 10 && failed > 0, "{to:?}: {killed} runs were killed, {failed} failed");
}

#[cfg(target_os = "linux")]
#[test]
fn an_alert_in_a_file_is_told_again_after_a_kill_at_each_call_up_to_the_one_that_commits() {
    disturbed(To::File);
}

#[cfg(target_os = "linux")]
#[test]
fn an_alert_in_a_pipe_is_told_again_after_a_kill_at_each_call_up_to_the_one_that_commits() {
    disturbed(To::Pipe);
}
