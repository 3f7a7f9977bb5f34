//! A journal that another program writes to all the time: a run waits for it no longer than it may, and not at all once
//! it is to leave.

use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::doubts_of_writes::{at, done, service};
use crate::harness::{Env, PATIENCE, finish, terminate};
use crate::socket::Socket;

/// How many people the service enrols before the journal becomes busy.
const BEFORE: usize = 5;

/// A file of many, a service that enrols them, and what tells that the journal is to become busy.
fn prepared() -> (Socket, Env, std::sync::mpsc::Receiver<()>) {
    let (enrolled, is_enrolled) = std::sync::mpsc::channel();
    let (enrolled, count) = (Mutex::new(enrolled), AtomicUsize::new(0));
    let socket = service(move |request, people| {
        if request.method == "POST" {
            std::thread::sleep(Duration::from_millis(20));
            if count.fetch_add(1, Ordering::SeqCst) == BEFORE {
                enrolled.lock().expect("no server thread panics").send(()).expect("the test waits");
            }
            return Some(done(request, people));
        }
        None
    });
    let env = at(&socket);
    let row = |n| format!("p{n}@example.com,EMP-{n}\n");
    env.write("many.csv", format!("email,referenceId\n{}", (0..200).map(row).collect::<String>()));
    (socket, env, is_enrolled)
}

fn start(env: &Env, more: &str) -> Child {
    let line = format!("testtakers import many.csv --settle 1s --concurrency 2 {more}");
    env.command(&crate::words::split(&line)).spawn().expect("the program starts")
}

/// Writes to the journal until it is dropped.
fn busy(env: &Env) -> Connection {
    let journal = Connection::open(env.work().join("../state/journal.db")).expect("the journal");
    journal.busy_timeout(PATIENCE).expect("it waits for its turn");
    journal.execute_batch("BEGIN IMMEDIATE").expect("it writes");
    journal
}

#[test]
fn a_deadline_ends_the_wait_for_a_busy_journal_and_the_next_run_finds_what_was_sent() {
    let (socket, env, is_enrolled) = prepared();
    let began = Instant::now();
    let child = start(&env, "--deadline 4s");
    is_enrolled.recv_timeout(PATIENCE).expect("some are enrolled");
    let journal = busy(&env);
    let said = finish(child, b"").exits(7);
    assert!(began.elapsed() < Duration::from_secs(13), "{:?}: {said}", began.elapsed());
    // Nothing was sent: what only waits is no doubt.
    let said = env.line("testtakers import many.csv --settle 1s --deadline 1s").exits(9);
    drop((journal, said.mentions("is in use by another run")));
    let _ = env.line("testtakers import many.csv --settle 1s").ok().mentions("200 enrolled");
    assert_eq!(socket.writes().len(), 200, "nobody twice");
}

#[test]
#[cfg(unix)]
fn a_second_signal_ends_the_wait_for_a_busy_journal() {
    let (_socket, env, is_enrolled) = prepared();
    let child = start(&env, "");
    is_enrolled.recv_timeout(PATIENCE).expect("some are enrolled");
    let _journal = busy(&env);
    std::thread::sleep(Duration::from_millis(500));
    terminate(&child);
    std::thread::sleep(Duration::from_millis(1200));
    let began = Instant::now();
    terminate(&child);
    let said = finish(child, b"").exits(143);
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}: {said}", began.elapsed());
}

#[test]
fn who_looks_into_the_journal_takes_nothing_from_the_run_that_writes_it() {
    let (sent, is_sent) = std::sync::mpsc::channel();
    let sent = Mutex::new(sent);
    let socket = service(move |request, _| {
        if request.method == "POST" {
            std::thread::sleep(Duration::from_millis(20));
            // The test stops listening once it has seen enough.
            let _ = sent.lock().expect("no server thread panics").send(());
        }
        None
    });
    let env = at(&socket);
    let row = |n| format!("p{n}@example.com,EMP-{n}\n");
    env.write("many.csv", format!("email,referenceId\n{}", (0..500).map(row).collect::<String>()));
    let mut child = start(&env, "");
    for _ in 0..3 {
        for _ in 0..BEFORE {
            is_sent.recv_timeout(PATIENCE).expect("people are enrolled");
        }
        let _ = env.line("journal list").ok();
    }
    for _ in 0..4 * BEFORE {
        is_sent.recv_timeout(PATIENCE).expect("people are enrolled");
    }
    child.kill().expect("it runs");
    let _ = child.wait();
    let known = env.line("journal show -o ndjson").ok().stdout.lines().count();
    let sent = socket.writes().len();
    assert!(known >= sent, "{sent} were sent, and the journal knows {known}");
}
