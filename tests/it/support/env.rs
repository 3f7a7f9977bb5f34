//! A private machine to run the program on, and everything that it said.

use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{LazyLock, mpsc};
use std::time::Duration;

/// The program under test: the one that was built, or `ASSESSCTL_UNDER_TEST`.
pub(crate) static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let built = || env!("CARGO_BIN_EXE_assessctl").to_owned();
    std::fs::canonicalize(setting("ASSESSCTL_UNDER_TEST").unwrap_or_else(built)).expect("the program under test")
});

/// Key of every test that talks to a service: it must show up in no output.
pub(crate) const KEY: &str = "canary-key-7f3a";

/// A run that takes longer hangs. Nothing waits for this long in a test that passes.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A setting of the tests, not of the program.
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Says that a test cannot run here. In a run that decides over a merge (`CI=true`) it fails instead.
pub(crate) fn cannot_run(why: &str) {
    assert!(setting("CI").as_deref() != Some("true"), "this test has to run: {why}");
    println!("left out: {why}");
}

/// A private directory with a home, a configuration and a state of its own, and a cleared environment.
pub(crate) struct Env {
    dir: tempfile::TempDir,
    vars: Vec<(String, String)>,
}

impl Env {
    /// A machine on which the program was never run.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let mut env = Self { dir, vars: Vec::new() };
        for folder in ["home", "work", "bin", "config/assessctl"] {
            std::fs::create_dir_all(env.place(folder)).expect("a folder");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(&*PROGRAM, env.place("bin/assessctl")).expect("a link");
        let places = [("HOME", "home"), ("ASSESSCTL_STATE_DIR", "state"), ("XDG_CONFIG_HOME", "config")];
        for (name, place) in places {
            let place = env.place(place);
            env = env.with(name, place);
        }
        env.with("TZ", "UTC")
    }

    /// A machine on which every command talks to `url` with [`KEY`].
    pub(crate) fn at(url: &str) -> Self {
        Self::new().with("ASSESSCTL_BASE_URL", url).with("ASSESSCTL_API_KEY", KEY)
    }

    /// Sets a variable for all runs; the last setting of a name counts.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> Self {
        self = self.without(name);
        self.vars.push((name.to_owned(), value.as_ref().to_string_lossy().into_owned()));
        self
    }

    /// Runs one line with another variable.
    pub(crate) fn line_with(&self, name: &str, value: &str, args: &str) -> Said {
        finish(self.command(&words(args)).env(name, value), b"")
    }

    /// Takes a variable away.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.vars.retain(|(known, _)| known != name);
        self
    }

    /// The variables of every run.
    pub(crate) fn vars(&self) -> impl Iterator<Item = (&str, &str)> {
        self.vars.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A place in the private directory.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Where the program runs and where the test's files are.
    pub(crate) fn work(&self) -> PathBuf {
        self.place("work")
    }

    /// Writes a file into the working directory, for its owner only.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::write(&path, content).expect("a file");
        mode(&path, 0o600);
        path
    }

    /// Writes the configuration file.
    pub(crate) fn configure(&self, toml: &str) {
        self.write("../config/assessctl/config.toml", toml);
    }

    /// Reads a text file of the working directory.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).expect("a text file")
    }

    /// The program with these arguments, not started yet.
    pub(crate) fn command<S: AsRef<str>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(&*PROGRAM);
        command.env_clear().envs(self.vars()).current_dir(self.work());
        command.args(args.iter().map(AsRef::as_ref));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program without input.
    pub(crate) fn run<S: AsRef<str>>(&self, args: &[S]) -> Said {
        finish(&mut self.command(args), b"")
    }

    /// Runs the program with this on standard input.
    pub(crate) fn run_with<S: AsRef<str>>(&self, args: &[S], stdin: &[u8]) -> Said {
        finish(self.command(args).stdin(Stdio::piped()), stdin)
    }

    /// Runs the program with the arguments of one line, quoted as for a shell.
    pub(crate) fn line(&self, args: &str) -> Said {
        self.run(&words(args))
    }
}

/// Words of one line: quotes are understood, expansions and backslashes are not.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in line.chars() {
        match c {
            _ if quote == Some(c) => quote = None,
            '\'' | '"' if quote.is_none() => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            ' ' if quote.is_none() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Sets who may read a file, where files have such modes.
pub(crate) fn mode(path: &Path, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("permissions");
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
}

/// Sends a signal, by its name in `kill`: the shell's own one, because a bare system has no other.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let kill = ["-c", "kill -\"$1\" \"$2\"", "sh", name, &child.id().to_string()];
    let asked = Command::new("sh").args(kill).status();
    assert!(asked.is_ok_and(|status| status.success()), "the program runs");
}

/// Everything that a run said, compared as a whole: silence counts.
#[derive(Clone, PartialEq, Eq)]
#[must_use = "what the program said has to be looked at"]
pub(crate) struct Said {
    /// Exit code.
    pub(crate) code: i32,
    /// Data.
    pub(crate) stdout: String,
    /// Talk.
    pub(crate) stderr: String,
}

impl Said {
    /// The run succeeded and had nothing to say beside its data.
    #[track_caller]
    pub(crate) fn data(self) -> String {
        assert!(self.code == 0 && self.stderr.is_empty(), "expected only data:\n{self}");
        self.stdout
    }

    /// The run succeeded; what it said on stderr is not of interest here.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.exits(0)
    }

    /// The run ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "expected exit {code}:\n{self}");
        self
    }

    /// Data of a successful run, read as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        let said = self.ok();
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("no JSON ({error}):\n{said}"))
    }

    /// The run failed with one clear error, at most one hint, no data and no trace of a panic.
    #[track_caller]
    pub(crate) fn fails(self, code: i32) -> Self {
        let said = self.exits(code);
        let lines = |prefix: &str| said.stderr.lines().filter(|line| line.starts_with(prefix)).count();
        assert_eq!(lines("error: "), 1, "expected one error:\n{said}");
        assert!(lines("hint: ") <= 1, "expected at most one hint:\n{said}");
        assert!(!said.stderr.contains("panicked") && !said.stderr.contains("RUST_BACKTRACE"), "a panic:\n{said}");
        assert!(said.stdout.is_empty(), "expected no data:\n{said}");
        said
    }

    /// Stderr has this in it: a value that the message is about. Words stand in `tests/cases`.
    #[track_caller]
    pub(crate) fn names(self, value: &str) -> Self {
        assert!(self.stderr.contains(value), "expected {value:?} in stderr:\n{self}");
        self
    }

    /// Neither stream has this in it.
    #[track_caller]
    pub(crate) fn hides(self, text: &str) -> Self {
        assert!(!self.stderr.contains(text) && !self.stdout.contains(text), "expected no {text:?} in:\n{self}");
        self
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

impl fmt::Debug for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Starts a program, feeds it, reads both its streams to their ends and waits for it.
pub(crate) fn finish(command: &mut Command, stdin: &[u8]) -> Said {
    let (status, stdout, stderr) = ended(command.spawn().expect("the program starts"), stdin);
    Said { code: code(status), stdout, stderr }
}

/// The exit code as a shell counts it: Ctrl-C ends the program by the signal, and no other signal does.
#[track_caller]
pub(crate) fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(2) {
        return 130;
    }
    let code = status.code().unwrap_or_else(|| panic!("ended by a signal: {status}"));
    assert!(code != 130 || cfg!(windows), "a shell's loop would go on");
    code
}

/// As [`finish`], of a started program that a signal may have ended: its status and both streams.
pub(crate) fn ended(mut child: Child, stdin: &[u8]) -> (ExitStatus, String, String) {
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = stdin.to_vec();
        // A program that ends without reading everything closes the pipe: no concern of the test.
        std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    }
    let (stdout, stderr) = (child.stdout.take().map(collect), child.stderr.take().map(collect));
    let mut take = |stream: Option<mpsc::Receiver<Vec<u8>>>| match stream.map(|s| s.recv_timeout(PATIENCE)) {
        None => String::new(),
        Some(Ok(bytes)) => String::from_utf8(bytes).expect("UTF-8 on every stream"),
        Some(Err(_)) => {
            let _ = child.kill();
            panic!("the program hangs");
        }
    };
    let (stdout, stderr) = (take(stdout), take(stderr));
    (child.wait().expect("an exit status"), stdout, stderr)
}

fn collect(mut stream: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        // The receiver is gone only where the test has failed already.
        let _ = read.map(|_| send.send(bytes));
    });
    receive
}
