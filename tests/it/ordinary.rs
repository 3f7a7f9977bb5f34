//! Ordinary use: output that a caller throws away, closes, pipes or shares; files as editors and containers leave them.

use std::fs::{File, OpenOptions};
use std::process::Stdio;

use crate::support::env::{Env, KEY, finish, mode};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::shell;
use crate::support::terminal::Terminal;
use crate::support::wire::PROJECT;

/// Commands that read, and one that writes.
const COMMANDS: [&str; 6] = [
    "projects list",
    "projects create Depot --allow-duplicate",
    "testtakers list -p {P}",
    "results list -p {P} -o json",
    "results get EMP-00001 -p {P}",
    "redirect-uris list",
];

fn place() -> (Service, Env) {
    let service = Service::start().with_people(3);
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    (service, env)
}

#[cfg(unix)]
#[test]
fn output_that_a_caller_throws_away_is_no_error() {
    let (_service, env) = place();
    // Python's DEVNULL and Node's 'ignore' open it for reading and writing, a shell's `>` and `>>` for writing.
    let ways: [fn(&mut OpenOptions) -> &mut OpenOptions; 3] =
        [|open| open.read(true).write(true), |open| open.write(true), |open| open.append(true)];
    for command in COMMANDS {
        let args = crate::support::env::words(&command.replace("{P}", PROJECT));
        for way in ways {
            let null = || way(&mut File::options()).open("/dev/null").expect("the null device");
            let said = finish(env.command(&args).stdout(null()), b"").ok();
            assert!(said.stderr.is_empty(), "{command}: {said}");
            let _ = finish(env.command(&args).stdout(null()).stderr(null()).stdin(null()), b"").ok();
        }
    }
}

#[cfg(unix)]
#[test]
fn closed_standard_streams_are_no_error() {
    let (_service, env) = place();
    for command in COMMANDS {
        for closed in [">&-", "<&- >&- 2>&-", "> /dev/null", "2> /dev/null > /dev/null < /dev/null"] {
            let line = format!("assessctl {} {closed}", command.replace("{P}", PROJECT));
            let _ = shell::run(&env, &line).ok();
        }
    }
}

#[test]
fn a_reader_that_goes_ends_a_read_with_0_and_stops_no_write() {
    let service = Service::start().with_people(1200);
    let env = Env::at(&service.url);
    for format in ["csv", "json", "ndjson"] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let args = ["testtakers", "list", "-p", PROJECT, "-o", format];
        let said = finish(env.command(&args).stdout(writer), b"").ok();
        assert!(said.stderr.is_empty(), "{said}");
    }
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let _ = finish(env.command(&["projects", "create", "Depot"]).stdout(writer), b"").ok();
    assert_eq!(service.held().projects.len(), 2);
}

#[cfg(unix)]
#[test]
fn standard_output_by_name_is_standard_output_itself() {
    let (_service, env) = place();
    let list = format!("assessctl testtakers list -p {PROJECT} -o csv");
    let plain = shell::run(&env, &list).data();
    // `|` where the shell can't write to a pipe by name.
    for to in ["--to -", "--to /dev/stdout", "--to /dev/fd/1", "--to /proc/self/fd/1"] {
        if to.contains("/proc") && !cfg!(target_os = "linux") {
            continue;
        }
        assert_eq!(shell::run(&env, &format!("{list} {to} | cat")).data(), plain, "{to}");
        // A file that a shell shares with others keeps what they wrote before and after.
        let line = format!("{{ echo before; {list} {to}; echo after; }} > shared.txt; cat shared.txt");
        assert_eq!(shell::run(&env, &line).data(), format!("before\n{plain}after\n"), "{to}");
        let line = format!("echo before > log.txt; {list} {to} >> log.txt; echo after >> log.txt; cat log.txt");
        assert_eq!(shell::run(&env, &line).data(), format!("before\n{plain}after\n"), "{to}");
    }
}

#[cfg(unix)]
#[test]
fn devices_and_pipes_are_written_into_and_never_replaced() {
    let (_service, env) = place();
    let list = format!("testtakers list -p {PROJECT} -o csv");
    let plain = env.line(&list).data();
    let _ = env.line(&format!("{list} --to /dev/null")).ok();
    let device = std::fs::metadata("/dev/null").expect("there");
    assert!(!device.is_file(), "/dev/null was replaced by a file");
    let line = format!(
        "mkfifo pipe && (cat pipe > got.csv & assessctl {list} --to pipe; wait) && test -p pipe && cat got.csv"
    );
    assert_eq!(shell::run(&env, &line).ok().stdout, plain);
    env.write("target.csv", "old");
    let line =
        format!("ln -s target.csv link.csv && assessctl {list} --to link.csv && test -L link.csv && cat target.csv");
    assert_eq!(shell::run(&env, &line).ok().stdout, plain);
}

#[cfg(unix)]
#[test]
fn a_written_file_is_its_owners_and_keeps_the_rights_that_it_had() {
    use std::os::unix::fs::PermissionsExt;
    let (_service, env) = place();
    let list = format!("umask 000; assessctl testtakers list -p {PROJECT}");
    env.write("shared.csv", "old");
    mode(&env.work().join("shared.csv"), 0o640);
    let _ = shell::run(&env, &format!("{list} --to new.csv; {list} --to shared.csv")).ok();
    let mode = |name: &str| std::fs::metadata(env.work().join(name)).expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode("new.csv"), mode("shared.csv")), (0o600, 0o640));
}

#[test]
fn a_target_that_cannot_be_written_is_an_error_before_anything_is_sent() {
    let (service, env) = place();
    for line in [
        "testtakers list --to missing/people.csv",
        "testtakers list --to .",
        "testtakers list --to ''",
        "testtakers list --fields shoeSize",
        "testtakers list -o yaml",
        "testtakers list --excel -o json",
        "testtakers list --jq '.[' -o json",
    ] {
        let _ = env.line(line).fails(2);
        assert!(service.log().is_empty(), "{line}");
    }
}

#[test]
fn key_files_are_read_as_editors_and_containers_leave_them() {
    let (service, env) = place();
    let env = env.without("ASSESSCTL_API_KEY");
    for content in [KEY.to_owned(), format!("{KEY}\n"), format!("\u{feff}{KEY}\r\n"), format!("  {KEY} \n\n")] {
        env.write("key.txt", &content);
        let _ = env.line("projects list --api-key-file key.txt").data();
        assert_eq!(service.log().last().and_then(|request| request.header("x-api-key")), Some(KEY), "{content:?}");
    }
    for content in [String::new(), "\n".to_owned(), format!("{KEY}\n{KEY}\n"), format!("{KEY} x"), "kéy".to_owned()] {
        env.write("key.txt", &content);
        let _ = env.line("projects list --api-key-file key.txt").fails(3).hides(KEY).hides("kéy");
    }
}

/// As a container mounts a secret: through links, a file of root's that all may read and nobody may write.
#[cfg(unix)]
#[test]
fn a_key_file_that_a_container_mounts_is_read() {
    let (service, env) = place();
    let env = env.without("ASSESSCTL_API_KEY");
    let script = format!(
        "mkdir -p mnt/..data && printf %s {KEY} > mnt/..data/key && chmod 444 mnt/..data/key && ln -s ..data/key mnt/key && \
         assessctl projects list --api-key-file mnt/key"
    );
    let said = shell::run(&env, &script);
    if shell::run(&env, "id -u").data() != "0\n" {
        // A file of one's own that others may read is refused.
        assert!(said.code != 0, "{said}");
        return crate::support::env::cannot_run("a file of root's needs root");
    }
    let _ = said.ok();
    assert_eq!(service.log()[0].header("x-api-key"), Some(KEY));
    // Root's own files may be open to nobody's writing.
    let _ = shell::run(&env, "chmod 666 mnt/..data/key; assessctl projects list --api-key-file mnt/key").hides(KEY);
    assert_eq!(service.log().len(), 3, "the open file was not used");
}

#[test]
fn a_configuration_with_a_byte_order_mark_or_of_windows_is_read() {
    let (service, env) = place();
    let env = env.without("ASSESSCTL_API_KEY").without("ASSESSCTL_BASE_URL");
    let text = format!("[profiles.own]\nbase-url = \"{}\"\napi-key-file = \"key.txt\"\n", service.url);
    env.write("../config/assessctl/key.txt", KEY);
    for text in [text.clone(), format!("\u{feff}{text}"), text.replace('\n', "\r\n")] {
        env.configure(&text);
        // A path of a profile begins at its file.
        let _ = env.line("--profile own projects list").data();
    }
}

#[test]
fn empty_variables_are_unset() {
    let (service, mut env) = place();
    for name in
        ["ASSESSCTL_PROFILE", "ASSESSCTL_OUTPUT", "ASSESSCTL_ERRORS", "ASSESSCTL_STATE_DIR", "NO_COLOR", "HTTPS_PROXY"]
    {
        env = env.with(name, "");
    }
    let _ = env.line("testtakers list").data();
    let _ = env.with("ASSESSCTL_PROJECT", "").line("testtakers list").fails(2);
    assert!(!service.log().is_empty());
}

#[test]
fn progress_counts_answers_and_is_for_terminals_only() {
    let slow = || Trouble::Delay(std::time::Duration::from_millis(700));
    let service = || Service::start().with_people(700).on(Op::TestTakers, When::Always, slow());
    let args = ["testtakers", "list", "-p", PROJECT, "-o", "csv", "--to", "people.csv"];
    let of_terminal = service();
    let env = Env::at(&of_terminal.url);
    let mut terminal = Terminal::start(&env, 100, &args);
    // The second answer came, and the third is under way.
    let _ = terminal.shows(": 2");
    let (code, screen) = terminal.ends();
    assert!(code == 0 && screen.text().contains("people.csv"), "{}", screen.text());
    assert!(
        !screen.wraps() && screen.text().lines().filter(|line| !line.trim().is_empty()).count() <= 1,
        "{}",
        screen.text()
    );
    let elsewhere = service();
    let said = Env::at(&elsewhere.url).run(&args).ok();
    assert!(said.stdout.is_empty() && said.stderr.is_empty(), "{said}");
    let hung = Service::start().on(Op::TestTakers, When::Always, Trouble::Hang);
    let env = Env::at(&hung.url);
    let mut terminal = Terminal::start(&env, 100, &[&args[..], &["--timeout", "9s"]].concat());
    // When no answer comes, that is said.
    let _ = terminal.shows("no answer").types("\u{3}");
    assert_eq!(terminal.ends().0, 130);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_whose_output_nobody_reads() {
    use std::io::Read as _;

    use crate::support::env::{ended, signal};
    let service = Service::start();
    let env = crate::import::machine(&service, crate::import::roster(700));
    let line = ["testtakers", "import", "people.csv", "-o", "json"];
    for name in ["TERM", "INT"] {
        let mut child = env.command(&line).stdin(Stdio::null()).spawn().expect("started");
        // What was done is being told, of which a pipe holds less.
        child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("a byte");
        signal(&child, name);
        let stdout = child.stdout.take();
        let (status, ..) = ended(child, b"");
        assert!(std::os::unix::process::ExitStatusExt::signal(&status).is_some(), "{name}: {status}");
        drop(stdout);
    }
    assert_eq!(service.count(Op::Enrol), 700);
}

#[cfg(unix)]
#[test]
fn signals_end_a_read_with_their_own_codes() {
    use crate::support::env::{ended, signal};
    use crate::support::service::gate;
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let (gate, waiting) = gate();
        let service = Service::start().with_people(3).on(Op::TestTakers, When::First(1), Trouble::Gate(gate));
        let env = Env::at(&service.url);
        let child = env.command(&["testtakers", "list", "-p", PROJECT]).stdin(Stdio::null()).spawn().expect("started");
        waiting.arrived.recv().expect("the request arrives");
        signal(&child, name);
        let (status, stdout, stderr) = ended(child, b"");
        // A shell tells the same of a program that the signal itself ended.
        let ended = status.code().or(std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal));
        assert_eq!((ended, stdout.as_str()), (Some(code), ""), "{name}: {status} {stderr}");
    }
}
