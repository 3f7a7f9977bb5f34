//! Folders that are shared with another account: what it puts there is neither written to, nor followed, nor obeyed.

use std::collections::VecDeque;
use std::io::Read as _;
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

use crate::harness::{Env, KEY};
use crate::shell;
use crate::socket::{Answer, Socket};

pub(crate) const STRANGER: Option<u32> = Some(4002);

/// Each option that names a file to write, with a line that would write everything it has to `shared/out.csv`.
const LINES: [&str; 11] = [
    "results list -o csv --to shared/out.csv",
    "results export --to shared/out.csv",
    "results summary -o csv --to shared/out.csv",
    "results report --to shared/out.csv",
    "testtakers list -o csv --to shared/out.csv",
    "links issue --all --rotate -o csv --to shared/out.csv",
    "testtakers import people.csv --report shared/out.csv",
    "testtakers import people.csv --with-links shared/out.csv",
    "testtakers import people.csv --failed-out shared/out.csv",
    "results changes --as x -o csv --to shared/out.csv",
    "testtakers sync people.csv --plan shared/out.csv",
];

/// Each option that names a file to read.
const READING: [&str; 8] = [
    "testtakers check shared/in.csv",
    "testtakers sync people.csv --keep shared/in.csv",
    "testtakers get --ids-from shared/in.csv",
    "results changes --since shared/in.csv",
    "testtakers apply shared/in.csv --expect 1",
    "testtakers sync --show shared/in.csv",
    "sandbox serve --listen 127.0.0.1:0 --key-file shared/in.csv",
    "projects list --config shared/in.csv",
];

/// A sandbox with two people and a shared folder; `None`, and said, where this account can't act as two.
pub(crate) fn with_a_shared_folder(test: &str) -> Option<Env> {
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

pub(crate) fn fifo(path: &Path) {
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
fn no_option_reads_the_pipe_or_follows_the_link_of_another_account() {
    let Some(env) = with_a_shared_folder("what is read in a shared folder") else { return };
    env.write("real.csv", "email,referenceId\nann@example.com,A\n");
    let at = env.work().join("shared/in.csv");
    for why in ["it is a pipe or device of another account", "a link on the way belongs to another account"] {
        if why.contains("pipe") {
            fifo(&at);
        } else {
            symlink(env.work().join("real.csv"), &at).expect("a link");
            lchown(&at, STRANGER, STRANGER).expect("given away");
        }
        for line in READING {
            let said = env.line(line);
            assert_ne!(said.code, 0, "{line}: {said}");
            let _ = said.mentions(why).hides("ann@example.com");
        }
        std::fs::remove_file(&at).expect("removed");
    }
}

#[test]
fn how_a_run_ended_is_told_to_no_pipe_and_through_no_link_of_another_account() {
    let Some(env) = with_a_shared_folder("--status in a shared folder") else { return };
    env.write("precious", "mine\n");
    for name in ["out.json", "out.prom"] {
        let at = env.work().join("shared").join(name);
        fifo(&at);
        let line = format!("testtakers import people.csv --status shared/{name}");
        let _ = env.line(&line).fails(1).mentions("it is a pipe or device of another account");
        std::fs::remove_file(&at).expect("removed");
        symlink(env.work().join("precious"), &at).expect("a link");
        lchown(&at, STRANGER, STRANGER).expect("given away");
        let _ = env.line(&line).fails(1).mentions("a link on the way belongs to another account");
    }
    assert_eq!(env.read("precious"), "mine\n");
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

/// How often what is swapped all the time is met.
const TRIES: usize = 100;

/// What came out of a pipe that is kept open for it.
fn bytes_of(mut pipe: &std::fs::File) -> usize {
    let mut bytes = [0; 4096];
    pipe.read(&mut bytes).unwrap_or_default()
}

#[test]
fn a_link_or_pipe_that_is_swapped_all_the_time_never_leads_astray() {
    let Some(env) = with_a_shared_folder("what is swapped") else { return };
    env.write("precious", "mine\n");
    let (shared, precious) = (env.work().join("shared"), env.work().join("precious"));
    let ended = AtomicBool::new(false);
    let mut codes = Vec::new();
    let stolen = std::thread::scope(|threads| {
        let other = threads.spawn(|| {
            let (mut stolen, mut kept) = (0, VecDeque::new());
            while !ended.load(Ordering::Relaxed) {
                // A link and a pipe of the other account and a file of ours take turns at one name. While the others are
                // made, ours stands there.
                let [file, link, pipe] = ["file", "link", "pipe"].map(|name| shared.join(name));
                std::fs::write(&file, "old").expect("written");
                symlink(&precious, &link).expect("a link");
                lchown(&link, STRANGER, STRANGER).expect("given away");
                fifo(&pipe);
                let open = rustix::fs::open(&pipe, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).expect("a pipe");
                // Ours stays longer: a run looks more than once, and has to meet it each time to write.
                for (next, looks) in [(link, 100), (pipe, 3_000), (file, 5_000)] {
                    let _ = std::fs::rename(next, shared.join("out.csv"));
                    (0..looks).for_each(|_| drop(std::fs::symlink_metadata(shared.join("out.csv"))));
                }
                kept.push_back(std::fs::File::from(open));
                // Whoever writes may take a while.
                stolen += if kept.len() > 50 { kept.pop_front().as_ref().map_or(0, bytes_of) } else { 0 };
            }
            stolen + kept.iter().map(bytes_of).sum::<usize>()
        });
        for _ in 0..TRIES {
            codes.push(env.line("projects list -o csv --to shared/out.csv").code);
        }
        ended.store(true, Ordering::Relaxed);
        other.join().expect("an end")
    });
    let [written, refused] = [0, 1].map(|code| codes.iter().filter(|other| **other == code).count());
    println!("{TRIES} tries: {written} written, {refused} refused, {stolen} bytes went to the other account");
    assert_eq!((env.read("precious").as_str(), stolen, written + refused), ("mine\n", 0, TRIES));
    assert!(written > 0 && refused > 0, "nothing was swapped in time: {codes:?}");
}

pub(crate) fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
}

pub(crate) fn give_away(path: &Path) {
    chown(path, STRANGER, STRANGER).expect("given away");
}

#[test]
fn a_configuration_that_is_swapped_all_the_time_is_obeyed_where_it_is_ours_alone() {
    let Some(env) = with_a_shared_folder("a configuration that is swapped") else { return };
    let (shared, work) = (env.work().join("shared"), env.work());
    let evil = format!(
        "[profiles.e]\nbase-url = \"https://a.example\"\napi-key-command = [\"/usr/bin/touch\", \"{}\"]\n",
        work.join("ran").display()
    );
    let evil_file = env.write("evil.toml", format!("profile = \"e\"\n{evil}"));
    give_away(&evil_file);
    let own = env.write("own.toml", "");
    let ended = AtomicBool::new(false);
    let outside = Env::new().with("ASSESSCTL_CONFIG", &shared.join("config.toml").display().to_string());
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                for target in [&own, &evil_file] {
                    let link = shared.join("link");
                    symlink(target, &link).expect("a link");
                    lchown(&link, STRANGER, STRANGER).expect("given away");
                    let _ = std::fs::rename(&link, shared.join("config.toml"));
                }
                let copy = shared.join("copy");
                std::fs::copy(&evil_file, &copy).expect("a copy");
                give_away(&copy);
                let _ = std::fs::rename(&copy, shared.join("config.toml"));
            }
        });
        for _ in 0..TRIES {
            let said = outside.line("projects list");
            assert_ne!(said.code, 0, "{said}");
        }
        ended.store(true, Ordering::Relaxed);
    });
    println!("{TRIES} tries: no program of the other account ran");
    assert!(!work.join("ran").exists(), "the other account's program ran");
}

#[test]
fn what_is_trusted_is_refused_where_another_account_could_have_put_it() {
    let Some(env) = with_a_shared_folder("trusted files in a shared folder") else { return };
    let shared = env.work().join("shared");
    let socket = Socket::always(Answer::ok("[]"));
    let there = Env::at(&socket.url).without("ASSESSCTL_API_KEY");
    let put = |name: &str, text: &str, is_theirs: bool| {
        let path = shared.join(name);
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, text).expect("written");
        mode(&path, 0o600);
        if is_theirs {
            give_away(&path);
        }
        path.display().to_string()
    };
    for is_theirs in [true, false] {
        let why = if is_theirs { "belongs to another account" } else { "may write in its folder" };
        let config = put("config.toml", "profile = \"a\"\n[profiles.a]\nbase-url = \"https://a.example\"\n", is_theirs);
        let _ = there.run(&["projects", "list", "--config", &config]).fails(3).mentions(why);
        let _ = there
            .run(&["config", "set", "base-url", "https://b.example", "--profile", "a", "--config", &config])
            .fails(3)
            .mentions(why);
        let key = put("key", KEY, is_theirs);
        let _ = there.run(&["projects", "list", "--api-key-file", &key]).fails(3).mentions(why);
        let pem = put("ca.pem", "-----BEGIN CERTIFICATE-----\n", is_theirs);
        let with_key = Env::at("https://localhost:1");
        let _ = with_key.run(&["projects", "list", "--ca-cert", &pem]).fails(2).mentions(why);
    }
    assert_eq!(socket.requests().len(), 0);
}

#[test]
fn a_state_folder_that_another_account_prepared_is_not_used() {
    let Some(env) = with_a_shared_folder("a prepared state folder") else { return };
    let shared = env.work().join("shared");
    let in_folder = |folder: &Path, line: &str| {
        Env::sandbox().with("ASSESSCTL_STATE_DIR", &folder.display().to_string()).line(line)
    };
    let own = env.work().join("own");
    let prepared: [(PathBuf, u32, Option<&str>); 5] = [
        (shared.clone(), 0o777, None),
        (shared.clone(), 0o755, Some("journal.db")),
        (own.clone(), 0o777, None),
        (own.clone(), 0o1777, None),
        (own.clone(), 0o700, Some("journal.db-wal")),
    ];
    std::fs::create_dir(&own).expect("a folder");
    for (folder, permissions, file) in prepared {
        mode(&folder, permissions);
        if let Some(file) = file {
            std::fs::write(folder.join(file), "").expect("written");
            give_away(&folder.join(file));
        }
        for line in ["journal list", "results changes", "testtakers list"] {
            if line == "testtakers list" && file.is_some() && folder == own {
                continue;
            }
            let said = in_folder(&folder, line);
            assert!(said.code == 1, "{permissions:o} {file:?} {line}: {said}");
        }
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_written = path.is_file() && std::fs::metadata(&path).expect("a file").len() > 0;
            assert!(!is_written, "{} was written to", path.display());
            let _ = std::fs::remove_file(path);
        }
    }
    for name in ["sandbox.db", "journal.db"] {
        let own = env.work().join(format!("own-{name}"));
        std::fs::create_dir(&own).expect("a folder");
        let precious = env.write("precious", "");
        std::fs::hard_link(&precious, own.join(name)).expect("a second name");
        let said = in_folder(&own, "results changes");
        assert!(said.code == 1 && said.stderr.contains("second name"), "{said}");
    }
}

#[test]
fn a_state_folder_is_never_made_in_another_accounts_home() {
    let Some(env) = with_a_shared_folder("another account's home") else { return };
    let home = env.work().join("shared");
    let there = Env::sandbox()
        .without("ASSESSCTL_STATE_DIR")
        .without("XDG_STATE_HOME")
        .with("HOME", &home.display().to_string());
    let _ = there.line("journal list").fails(1).mentions("would be made in another account's home");
    assert_eq!(std::fs::read_dir(&home).expect("a folder").count(), 0);
    let _ = there.with("ASSESSCTL_STATE_DIR", &home.join("mine").display().to_string()).line("journal list").ok();
}

#[test]
fn a_configuration_is_never_made_in_another_accounts_home_unless_it_is_named() {
    let Some(env) = with_a_shared_folder("another account's home") else { return };
    let home = env.work().join("shared");
    let there =
        Env::new().without("ASSESSCTL_CONFIG").without("XDG_CONFIG_HOME").with("HOME", &home.display().to_string());
    let key = there.write("key", KEY);
    mode(&key, 0o600);
    let line = "config init --name p --base-url https://a.example --api-key-file key --no-check";
    let _ =
        there.line(line).fails(1).mentions("would be made in another account's home").mentions("give --config FILE");
    assert_eq!(std::fs::read_dir(&home).expect("a folder").count(), 0);
    let named = there.work().join("named.toml");
    let _ = there.line(&format!("{line} --config {}", named.display())).exits(0);
    assert!(named.exists());
}

#[test]
fn an_export_of_several_projects_writes_to_no_pipe_or_link_of_another_account() {
    let Some(env) = with_a_shared_folder("--to-dir in a shared folder") else { return };
    std::fs::create_dir(env.work().join("own")).expect("a folder");
    let _ = env.line("results export --all-projects --to-dir own").ok();
    let name =
        std::fs::read_dir(env.work().join("own")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let name =
        name.map(|name| name.to_string_lossy().into_owned()).find(|name| name.starts_with("Demo")).expect("an export");
    let target = env.work().join("shared").join(name);
    fifo(&target);
    let said = env.line("results export --all-projects --to-dir shared");
    assert!(said.code == 1 && said.stderr.contains("it is a pipe or device of another account"), "{said}");
    std::fs::remove_file(&target).expect("removed");
    env.write("precious", "mine\n");
    symlink(env.work().join("precious"), &target).expect("a link");
    lchown(&target, STRANGER, STRANGER).expect("given away");
    let said = env.line("results export --all-projects --to-dir shared");
    assert!(said.code == 1 && said.stderr.contains("a link on the way belongs to another account"), "{said}");
    assert_eq!(env.read("precious"), "mine\n");
}

#[test]
fn a_links_file_with_a_second_name_is_not_continued() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    let _ = env.line("testtakers import people.csv").ok();
    let _ = env.line("links issue --all --to links.csv").ok();
    std::fs::hard_link(env.work().join("links.csv"), env.work().join("second")).expect("a second name");
    let _ = env.line("links issue ref:A --to links.csv").fails(1).mentions("it has a second name");
}

#[test]
fn a_roster_may_be_a_colleagues_file_and_is_no_pipe_or_link_of_one() {
    let Some(env) = with_a_shared_folder("a colleague's roster") else { return };
    let roster = env.work().join("shared/roster.csv");
    std::fs::write(&roster, "email,referenceId\ncy@example.com,C\n").expect("written");
    give_away(&roster);
    let _ = env.line("testtakers import shared/roster.csv").ok().mentions("1 enrolled");
    let link = env.work().join("shared/link.csv");
    symlink(&roster, &link).expect("a link");
    let _ = env.line("testtakers check shared/link.csv").ok();
    lchown(&link, STRANGER, STRANGER).expect("given away");
    let said = env.line("testtakers check shared/link.csv");
    assert!(said.code != 0 && said.stderr.contains("a link on the way belongs to another account"), "{said}");
    fifo(&env.work().join("shared/pipe.csv"));
    let said = env.line("testtakers check shared/pipe.csv");
    assert!(said.code != 0 && said.stderr.contains("it is a pipe or device of another account"), "{said}");
}

#[test]
fn a_colleagues_export_and_lock_keep_nobody_from_exporting() {
    let Some(env) = with_a_shared_folder("a colleague's export") else { return };
    let shared = env.work().join("shared");
    mode(&shared, 0o2777);
    for name in ["out.csv", ".out.csv.lock"] {
        std::fs::write(shared.join(name), "").expect("written");
        mode(&shared.join(name), 0o600);
        give_away(&shared.join(name));
    }
    let held = std::fs::File::open(shared.join(".out.csv.lock")).expect("a file");
    held.lock().expect("a lock");
    let _ = env.line("results export --to shared/out.csv").ok();
    assert!(env.read("shared/out.csv").contains("ann@example.com"));
}

#[test]
fn what_people_pipe_and_link_themselves_is_read() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A\n");
    symlink("people.csv", env.work().join("link.csv")).expect("a link");
    for line in [
        "cat people.csv | assessctl testtakers check /dev/stdin",
        "assessctl testtakers check link.csv",
        "mkfifo own.csv; cat people.csv > own.csv & assessctl testtakers check own.csv",
    ] {
        let _ = shell::run(&env, line).ok();
    }
    env.write("real.toml", "profile = \"linked\"\n[profiles.linked]\nbase-url = \"https://a.example\"\n");
    symlink("real.toml", env.work().join("link.toml")).expect("a link");
    let outside = env.without("ASSESSCTL_PROFILE");
    let said = shell::run(&outside, "assessctl config show -o csv --config link.toml").ok();
    assert!(said.stdout.contains("linked"), "{said}");
}
