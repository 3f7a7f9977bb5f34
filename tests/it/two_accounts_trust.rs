//! What another account put where the program trusts: programs, second names, and links to the folders of state and locks.

use std::os::unix::fs::{chown, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use crate::completions;
use crate::harness::{Env, KEY, PROGRAM, finish};
use crate::socket::{Answer, Socket};
use crate::two_accounts::{STRANGER, fifo, give_away, mode, with_a_shared_folder};

/// The account that is not root, and not the other one, in tests of what may be run and not read.
const PLAIN: Option<u32> = Some(4001);

/// A machine whose key a program prints that stands at this path.
fn with_a_program(url: &str, program: &Path) -> Env {
    let env = Env::new();
    env.configure(&format!(
        "profile = \"p\"\n[profiles.p]\nbase-url = \"{url}\"\napi-key-command = [\"{}\"]\n",
        program.display()
    ));
    env
}

#[test]
fn a_program_for_the_key_that_another_accounts_link_leads_to_is_not_run() {
    let Some(shared) = with_a_shared_folder("a program behind a link") else { return };
    let socket = Socket::always(Answer::ok("[]"));
    let ran = shared.work().join("ran");
    let program = shared.write("show-key", format!("#!/bin/sh\ntouch '{}'\necho {KEY}\n", ran.display()));
    mode(&program, 0o700);
    let link = shared.work().join("shared/show-key");
    symlink(&program, &link).expect("a link");
    lchown(&link, STRANGER, STRANGER).expect("given away");
    let _ = with_a_program(&socket.url, &link)
        .line("projects list")
        .fails(3)
        .mentions("cannot run")
        .mentions("a link on the way belongs to another account");
    assert!(!ran.exists() && socket.requests().is_empty());
    lchown(&link, Some(0), Some(0)).expect("taken back");
    let own = shared.work().join("link");
    symlink(&program, &own).expect("a link");
    let _ = with_a_program(&socket.url, &own).line("projects list").ok();
    assert!(ran.exists());
}

#[test]
fn a_program_for_the_key_that_may_be_run_and_not_read_is_judged_by_its_owner() {
    let Some(shared) = with_a_shared_folder("a program that may not be read") else { return };
    let socket = Socket::always(Answer::ok("[]"));
    let bin = tempfile::tempdir().expect("a folder");
    mode(bin.path(), 0o755);
    let copy = bin.path().join("assessctl");
    copied(Path::new(PROGRAM), &copy);
    mode(&copy, 0o755);
    for (owner, runs) in [(STRANGER, false), (PLAIN, true), (Some(0), true)] {
        let program = bin.path().join("show-key");
        let _ = std::fs::remove_file(&program);
        // A script has to be read by its interpreter: this one is a program of the machine.
        copied(Path::new("/bin/echo"), &program);
        mode(&program, 0o111);
        chown(&program, owner, owner).expect("given");
        let env = with_a_program(&socket.url, &program);
        give_all(env.work().parent().expect("a folder"));
        let mut command = env.command(&["projects", "list"]);
        let mut as_plain = std::process::Command::new(&copy);
        as_plain.env_clear().envs(env.vars().iter().map(|(name, value)| (name, value)));
        as_plain.args(command.get_args()).current_dir(env.work()).uid(4001).gid(4001);
        as_plain.stdin(std::process::Stdio::null());
        command = as_plain;
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let said = finish(command.spawn().expect("the program starts"), b"");
        // `echo` prints no key, so that a program which was run is told apart from one that was refused.
        let why = if runs { "printed by" } else { "belongs to another account" };
        assert!(said.code == 3 && said.stderr.contains(why), "{owner:?}: {said}");
    }
    assert!(socket.requests().is_empty() && shared.work().exists());
}

/// Copies a program that is to be run. In a process of its own: what other tests start would hold it open for writing.
fn copied(from: &Path, to: &Path) {
    let done = std::process::Command::new("cp").args([from, to]).status().expect("cp starts");
    assert!(done.success());
}

/// Gives a folder and all in it to the plain account.
fn give_all(path: &Path) {
    lchown(path, PLAIN, PLAIN).expect("given");
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            give_all(&entry.path());
        } else {
            lchown(entry.path(), PLAIN, PLAIN).expect("given");
        }
    }
}

#[test]
fn a_trusted_file_with_a_second_name_is_refused_where_others_write() {
    let Some(env) = with_a_shared_folder("trusted files with second names") else { return };
    let socket = Socket::always(Answer::ok("[]"));
    let sticky = env.work().join("sticky");
    std::fs::create_dir(&sticky).expect("a folder");
    mode(&sticky, 0o1777);
    let linked = |name: &str, text: &str| {
        let own = env.write(name, text);
        mode(&own, 0o600);
        let second = sticky.join(name);
        std::fs::hard_link(&own, &second).expect("a second name");
        second.display().to_string()
    };
    let config = linked("c.toml", &format!("profile = \"a\"\n[profiles.a]\nbase-url = \"{}\"\n", socket.url));
    let (key, pem) = (linked("key", KEY), linked("ca.pem", "-----BEGIN CERTIFICATE-----\n"));
    let why = "has a second name, and others may write in its folder";
    let there = Env::at(&socket.url);
    let _ = Env::new().run(&["projects", "list", "--config", &config]).fails(3).mentions(why);
    let _ = there.run(&["projects", "list", "--ca-cert", &pem]).fails(2).mentions(why);
    let there = there.without("ASSESSCTL_API_KEY");
    let _ = there.run(&["projects", "list", "--api-key-file", &key]).fails(3).mentions(why).mentions("copy it into");
    let program = linked("show-key", &format!("#!/bin/sh\necho {KEY}\n"));
    mode(Path::new(&program), 0o700);
    let _ = with_a_program(&socket.url, Path::new(&program)).line("projects list").fails(3).mentions(why);
    assert!(socket.requests().is_empty());
}

#[test]
fn state_locks_and_manual_pages_are_made_through_no_folder_link_of_another_account() {
    let Some(env) = with_a_shared_folder("folders behind a link") else { return };
    let (private, link) = (env.work().join("private"), env.work().join("shared/link"));
    std::fs::create_dir(&private).expect("a folder");
    symlink(&private, &link).expect("a link");
    lchown(&link, STRANGER, STRANGER).expect("given away");
    for state in ["shared/link", "shared/link/new"] {
        let there = Env::sandbox().with("ASSESSCTL_STATE_DIR", &env.work().join(state).display().to_string());
        there.write("people.csv", "email\nann@example.com\n");
        for line in ["journal list", "testtakers import people.csv", "results changes", "sandbox reset --yes"] {
            let said = there.line(line).fails(1);
            let _ = said.mentions("a link on the way belongs to another account").hides("ann@example.com");
        }
    }
    for folder in ["shared/link", "shared/link/new"] {
        let said = env.line(&format!("man --to {folder}")).fails(1);
        let _ = said.mentions("a link on the way belongs to another account");
    }
    assert_eq!(std::fs::read_dir(&private).expect("a folder").count(), 0);
    symlink(&private, env.work().join("own")).expect("a link");
    let _ = env.line("man --to own/man1").ok();
    assert!(private.join("man1/assessctl.1").exists());
}

#[test]
fn what_another_account_put_in_a_locks_place_keeps_nobody_from_exporting() {
    let Some(env) = with_a_shared_folder("a lock that is none") else { return };
    let lock = env.work().join("shared/.out.csv.lock");
    env.write("precious", "mine\n");
    for kind in ["file", "folder", "link", "dangling", "pipe"] {
        match kind {
            "file" => std::fs::write(&lock, "process 1, since never\n").expect("written"),
            "folder" => std::fs::create_dir(&lock).expect("a folder"),
            "link" => symlink(env.work().join("precious"), &lock).expect("a link"),
            "dangling" => symlink("not-there", &lock).expect("a link"),
            _ => fifo(&lock),
        }
        if kind == "folder" {
            give_away(&lock);
        } else {
            lchown(&lock, STRANGER, STRANGER).expect("given away");
        }
        let _ = env.line("results export --to shared/out.csv").ok();
        assert!(env.read("shared/out.csv").contains("ann@example.com"), "{kind}");
        std::fs::remove_file(env.work().join("shared/out.csv")).expect("there");
        assert!(std::fs::remove_file(&lock).or_else(|_| std::fs::remove_dir(&lock)).is_ok(), "{kind}");
    }
    assert_eq!(env.read("precious"), "mine\n");
}

#[test]
fn nothing_is_written_past_the_door_by_a_path_through_a_process() {
    let Some(env) = with_a_shared_folder("a path through a process") else { return };
    let fd = env.work().join("shared/fd");
    std::fs::create_dir(&fd).expect("a folder");
    env.write("precious", "mine\n");
    for (name, why) in [("1", "it is a pipe or device of another account"), ("2", "belongs to another account")] {
        let at = fd.join(name);
        if name == "1" {
            fifo(&at);
        } else {
            symlink(env.work().join("precious"), &at).expect("a link");
            lchown(&at, STRANGER, STRANGER).expect("given away");
        }
        let path = format!("/proc/self/root{}", at.display());
        for line in ["testtakers list -o csv --to", "results export --to", "testtakers import people.csv --report"] {
            let _ = env.line(&format!("{line} {path}")).fails(1).mentions(why).hides("ann@example.com");
        }
    }
    assert_eq!(env.read("precious"), "mine\n");
}

#[test]
fn names_of_projects_are_neither_kept_in_nor_taken_from_a_folder_that_another_account_prepared() {
    let Some(env) = with_a_shared_folder("names of projects in a prepared folder") else { return };
    let project = r#"[{"id":"5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b11","name":"Depot","state":"Active"}]"#;
    let socket = Socket::always(Answer::ok(project));
    let state = env.work().join("shared/state");
    let names = |folder: &Path| {
        std::fs::read_dir(folder.join("projects")).into_iter().flatten().flatten().map(|entry| entry.path()).next()
    };
    for (owner, permissions) in [(STRANGER, 0o777), (STRANGER, 0o755), (Some(0), 0o777), (Some(0), 0o1777)] {
        std::fs::create_dir(&state).expect("a folder");
        mode(&state, permissions);
        chown(&state, owner, owner).expect("given");
        let there = Env::at(&socket.url).with("ASSESSCTL_STATE_DIR", &state.display().to_string());
        let _ = there.line("projects list --once").exits(0);
        assert_eq!(std::fs::read_dir(&state).expect("a folder").count(), 0, "{owner:?} {permissions:o}");
        std::fs::remove_dir(&state).expect("empty");
    }
    let own = Env::at(&socket.url).with("ASSESSCTL_STATE_DIR", &state.display().to_string());
    let _ = own.line("projects list --once").exits(0);
    let kept = names(&state).expect("the names");
    assert_eq!(completions::offered(&own, "fish", &["results", "list", "-p", ""]), ["Depot"]);
    std::fs::write(&kept, r#"["Another"]"#).expect("written");
    give_away(&kept);
    assert_eq!(completions::offered(&own, "fish", &["results", "list", "-p", ""]), [""; 0]);
}
