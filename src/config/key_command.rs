//! `api-key-command`: a program that prints the key, run without a shell and for a limited time.

use std::path::{Path, is_separator};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::key_text::{key_error, parse_key, read_key};
use super::trusted_file::check_program;
use crate::model::failure::Failure;
use crate::model::output_format::ErrorFormat;
use crate::model::secret::ApiKey;

/// Time for the program: enough for a person to unlock a password store.
pub(super) const COMMAND_TIME: Duration = Duration::from_secs(30);

/// How often a program that has closed its output is asked whether it has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Runs a program and reads the key that it prints, less one line end. One that others can change is not run. Its
/// standard error is ours, so that it can say what is wrong, unless a program reads that; its standard input is empty,
/// because ours may be a roster.
pub(super) fn printed_by(argv: &[String], time: Duration, errors: ErrorFormat) -> Result<ApiKey, Failure> {
    let [program, arguments @ ..] = argv else { return Err(key_error("the command for the API key is empty".into())) };
    let name = format!("the command for the API key ({program})");
    if program.contains(is_separator) {
        check_program(Path::new(program))?;
    }
    let mut command = Command::new(program);
    let console = if errors == ErrorFormat::Json { Stdio::null() } else { Stdio::inherit() };
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(console);
    let spawned = command.spawn();
    let mut child = spawned.map_err(|error| key_error(format!("cannot run {name}: {error}")))?;
    let until = Instant::now() + time;
    let (sender, printed) = channel();
    if let Some(output) = child.stdout.take() {
        // Ends with the program's output; a program that keeps it open past its time is left behind.
        let of = format!("the output of {name}");
        thread::spawn(move || sender.send(read_key(output, &of)));
    }
    let text = match printed.recv_timeout(time) {
        Ok(text) => text,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            return Err(stopped(&mut child, &name, time));
        }
    };
    while Instant::now() < until {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return parse_key(&text?, &format!("printed by {program}")),
            Ok(Some(status)) => return Err(key_error(format!("{name} failed: {status}"))),
            Ok(None) if text.is_ok() => thread::sleep(LOOK_AGAIN),
            Ok(None) => break,
            Err(error) => return Err(key_error(format!("cannot wait for {name}: {error}"))),
        }
    }
    let stopped = stopped(&mut child, &name, time);
    text.and(Err(stopped))
}

/// Ends a program that goes on for too long.
fn stopped(child: &mut Child, name: &str, time: Duration) -> Failure {
    // Both fail only where it has ended by itself meanwhile.
    let _ = child.kill();
    let _ = child.wait();
    key_error(format!("{name} did not end within {} s", time.as_secs()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::model::exit_ranks::Verdict;

    fn run(argv: &[&str], time: Duration) -> Result<ApiKey, Failure> {
        let argv: Vec<String> = argv.iter().map(ToString::to_string).collect();
        printed_by(&argv, time, ErrorFormat::Text)
    }

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn the_output_is_the_key_less_one_line_end() {
        assert_eq!(run(&["echo", "canary"], LONG).expect("a key").expose(), "canary");
        assert_eq!(run(&["printf", "canary\\r\\n"], LONG).expect("a key").expose(), "canary");
        for bad in ["canary\\n\\n", "a canary", "", "canary\\033", "\\377canary"] {
            let error = run(&["printf", bad], LONG).expect_err("no key");
            assert_eq!(error.verdict, Verdict::Key);
            assert!(!error.cause.contains("canary"), "{}", error.cause);
        }
    }

    #[test]
    fn no_shell_reads_the_arguments() {
        assert_eq!(run(&["echo", "$HOME;`id`|x>y"], LONG).expect("a key").expose(), "$HOME;`id`|x>y");
    }

    #[test]
    fn a_program_that_fails_or_is_not_there_is_an_error_with_its_name_alone() {
        for argv in [&["false", "canary"][..], &["no-such-program-here", "canary"], &["yes"]] {
            let error = run(argv, LONG).expect_err("no key");
            assert_eq!(error.verdict, Verdict::Key);
            assert!(error.cause.contains(argv[0]) && !error.cause.contains("canary"), "{}", error.cause);
        }
    }

    #[test]
    fn a_program_that_others_can_change_is_not_run() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("show-key");
        std::fs::write(&program, "#!/bin/sh\necho canary\n").expect("written");
        let path = program.to_str().expect("Unicode").to_owned();
        for (mode, runs) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).expect("set");
            match run(&[&path], LONG) {
                Ok(key) => assert!(runs && key.expose() == "canary", "{mode:o}"),
                Err(error) => {
                    assert!(!runs && error.cause.ends_with("others can change it"), "{mode:o}: {error}");
                    assert!(error.hint.is_some_and(|hint| hint.starts_with("run `chmod go-w /")));
                }
            }
        }
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped() {
        let start = Instant::now();
        for argv in [&["sleep", "600"][..], &["sh", "-c", "exec >&-; exec sleep 600"]] {
            let error = run(argv, Duration::from_millis(200)).expect_err("no key");
            assert!(error.cause.contains("did not end"), "{}", error.cause);
        }
        assert!(start.elapsed() < LONG);
    }
}
