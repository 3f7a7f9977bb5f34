//! Folders that are shared with another account: what it puts there is neither written to nor followed.

use std::os::unix::fs::{chown, lchown, symlink};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::harness::Env;

const STRANGER: Option<u32> = Some(4002);

/// Each option that names a file to write, with a line that would write everything it has to `shared/out.csv`.
const LINES: [&str; 8] = [
    "results list -o csv --to shared/out.csv",
    "results export --to shared/out.csv",
    "results summary -o csv --to shared/out.csv",
    "results report --to shared/out.csv",
    "testtakers list -o csv --to shared/out.csv",
    "links issue --all --rotate -o csv --to shared/out.csv",
    "testtakers import people.csv --report shared/out.csv",
    "testtakers import people.csv --with-links shared/out.csv",
];

/// A sandbox with two people and a shared folder; `None`, and said, where this account can't act as two.
fn with_a_shared_folder(test: &str) -> Option<Env> {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\nbob@example.com,B\n");
    let _ = env.line("testtakers import people.csv").ok();
    let shared = env.work().join("shared");
    std::fs::create_dir(&shared).expect("a folder");
    let is_root = chown(&shared, STRANGER, STRANGER).is_ok();
    if !is_root {
        println!("{test} is left out: it needs root, to act as two accounts");
    }
    is_root.then_some(env)
}

fn fifo(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o666), 0).expect("a pipe");
    chown(path, STRANGER, STRANGER).expect("given away");
}

#[test]
fn no_option_writes_to_the_pipe_of_another_account() {
    let Some(env) = with_a_shared_folder("the pipe of another account") else { return };
    fifo(&env.work().join("shared/out.csv"));
    for line in LINES {
        let said = env.line(line);
        assert_ne!(said.code, 0, "{line}: {said}");
        let _ = said.mentions("it is a pipe or device of another account").hides("ann@example.com");
    }
}

#[test]
fn no_option_follows_the_link_of_another_account() {
    let Some(env) = with_a_shared_folder("the link of another account") else { return };
    env.write("precious", "mine\n");
    let link = env.work().join("shared/out.csv");
    for target in ["precious", "new"] {
        symlink(env.work().join(target), &link).expect("a link");
        lchown(&link, STRANGER, STRANGER).expect("given away");
        for line in LINES {
            let said = env.line(line);
            assert_ne!(said.code, 0, "{line}: {said}");
            let _ = said.mentions("a link on the way belongs to another account").hides("ann@example.com");
            assert_eq!(env.read("precious"), "mine\n", "{line}");
            assert!(!env.work().join("new").exists(), "{line}");
        }
        std::fs::remove_file(&link).expect("removed");
    }
}

#[test]
fn a_file_that_failed_rows_would_go_to_is_looked_at_before_anything_is_sent() {
    let Some(env) = with_a_shared_folder("failed rows and another account") else { return };
    fifo(&env.work().join("shared/out.csv"));
    env.write("more.csv", "email,referenceId\ncy@example.com,C\n");
    let said = env.line("testtakers import more.csv --failed-out shared/out.csv").fails(1);
    let _ = said.mentions("it is a pipe or device of another account");
    assert!(!env.line("testtakers list -o csv").data().contains("cy@example.com"));
}

#[test]
fn a_link_that_is_swapped_all_the_time_never_leads_astray() {
    let Some(env) = with_a_shared_folder("a link that is swapped") else { return };
    env.write("precious", "mine\n");
    let (shared, precious) = (env.work().join("shared"), env.work().join("precious"));
    let ended = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                // A file of ours and a link of the other account take turns at one name.
                let (file, link) = (shared.join("file"), shared.join("link"));
                std::fs::write(&file, "old").expect("written");
                let _ = std::fs::rename(&file, shared.join("out.csv"));
                symlink(&precious, &link).expect("a link");
                lchown(&link, STRANGER, STRANGER).expect("given away");
                let _ = std::fs::rename(&link, shared.join("out.csv"));
            }
        });
        for _ in 0..100 {
            let _ = env.line("projects list -o csv --to shared/out.csv");
        }
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(env.read("precious"), "mine\n");
}
