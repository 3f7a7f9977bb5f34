//! A private place to run the program in, and everything that it said.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::{schemas, words};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_assessctl");

/// Key of every test that talks to a socket: it must show up in no output.
pub(crate) const KEY: &str = "canary-key-7f3a";

/// A run that takes longer hangs. Nothing waits for this long in a test that passes.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

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
        for folder in ["home", "state", "work"] {
            std::fs::create_dir(env.dir.path().join(folder)).expect("a folder");
        }
        for (name, place) in [
            ("HOME", "home"),
            ("XDG_CONFIG_HOME", "home/.config"),
            ("XDG_DATA_HOME", "home/.local/share"),
            ("XDG_STATE_HOME", "home/.local/state"),
            ("XDG_CACHE_HOME", "home/.cache"),
            ("XDG_RUNTIME_DIR", "home/.run"),
            ("ASSESSCTL_STATE_DIR", "state"),
            ("ASSESSCTL_CONFIG", "config.toml"),
        ] {
            let place = env.dir.path().join(place).display().to_string();
            env.vars.push((name.to_owned(), place));
        }
        env
    }

    /// A machine on which every command talks to the embedded service.
    pub(crate) fn sandbox() -> Self {
        Self::new().with("ASSESSCTL_PROFILE", "sandbox")
    }

    /// A machine on which every command talks to `url` with [`KEY`].
    pub(crate) fn at(url: &str) -> Self {
        Self::new().with("ASSESSCTL_BASE_URL", url).with("ASSESSCTL_API_KEY", KEY)
    }

    /// Sets a variable for all runs; the last setting of a name counts.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.vars.retain(|(known, _)| known != name);
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Takes a variable away.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.vars.retain(|(known, _)| known != name);
        self
    }

    /// The variables of every run.
    pub(crate) fn vars(&self) -> &[(String, String)] {
        &self.vars
    }

    /// Where the program runs and where the test's files are.
    pub(crate) fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    /// Writes a file into the working directory.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Writes the configuration file.
    pub(crate) fn configure(&self, toml: &str) {
        let path = self.dir.path().join("config.toml");
        std::fs::write(&path, toml).expect("a configuration");
        owner_only(&path);
    }

    /// Reads a text file of the working directory.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).expect("a text file")
    }

    /// The program with these arguments, not started yet.
    pub(crate) fn command<S: AsRef<str>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.env_clear().current_dir(self.work());
        command.envs(self.vars.iter().map(|(name, value)| (name, value)));
        command.args(args.iter().map(AsRef::as_ref));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program without input.
    pub(crate) fn run<S: AsRef<str>>(&self, args: &[S]) -> Said {
        let said = finish(self.command(args).spawn().expect("the program starts"), b"");
        schemas::check(&owned(args), &said.stdout);
        said
    }

    /// As [`line`](Self::line), of a run that may take longer than [`PATIENCE`].
    pub(crate) fn line_within(&self, args: &str, patience: Duration) -> Said {
        let args = words::split(args);
        let child = self.command(&args).spawn().expect("the program starts");
        let said = Said::of(ended_within(child, b"", patience));
        schemas::check(&owned(&args), &said.stdout);
        said
    }

    /// Runs the program with this on standard input.
    pub(crate) fn run_with<S: AsRef<str>>(&self, args: &[S], stdin: &[u8]) -> Said {
        let mut command = self.command(args);
        command.stdin(Stdio::piped());
        let said = finish(command.spawn().expect("the program starts"), stdin);
        schemas::check(&owned(args), &said.stdout);
        said
    }

    /// Runs the program with the arguments of one line, quoted as for a shell.
    pub(crate) fn line(&self, args: &str) -> Said {
        self.run(&words::split(args))
    }

    /// Starts `sandbox serve` on a free port; its state is that of the embedded service in this directory. `--key KEY`
    /// and `--read-only-key KEY` among the options become files, because the program takes no key as an argument.
    pub(crate) fn serve(&self, more: &[&str]) -> Served {
        let mut args = vec!["sandbox", "serve", "--listen", "127.0.0.1:0"];
        let mut given = String::new();
        let files = ["sandbox.key", "reader.key"].map(|name| self.dir.path().join(name).display().to_string());
        let mut more = more.iter().copied();
        while let Some(option) = more.next() {
            let (option, file) = match option {
                "--key" => ("--key-file", &files[0]),
                "--read-only-key" => ("--read-only-key-file", &files[1]),
                other => {
                    args.push(other);
                    continue;
                }
            };
            let key = more.next().unwrap_or_default();
            std::fs::write(file, key).expect("a key file");
            owner_only(Path::new(file));
            args.extend([option, file]);
            if option == "--key-file" {
                given = key.to_owned();
            }
        }
        let mut child = self.command(&args).spawn().expect("the sandbox starts");
        let stdout = child.stdout.take().expect("a pipe");
        let (send, receive) = mpsc::channel();
        let lines = if args.contains(&"--key-file") { 1 } else { 2 };
        std::thread::spawn(move || {
            let read: Result<Vec<_>, _> = BufReader::new(stdout).lines().take(lines).collect();
            // The receiver is gone only where the test has failed already.
            let _ = send.send(read);
        });
        let lines = receive.recv_timeout(PATIENCE).expect("the first lines in time").expect("the first lines");
        let url = lines.first().filter(|line| line.starts_with("http://")).cloned().unwrap_or_default();
        let served = Served { child, url, key: lines.get(1).cloned().unwrap_or(given) };
        assert!(!served.url.is_empty(), "no address in the first line: {lines:?}");
        served
    }
}

/// A setting of the tests, not of the program.
#[expect(clippy::disallowed_methods, reason = "no setting of the program: it chooses how much a test does")]
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn owned<S: AsRef<str>>(args: &[S]) -> Vec<String> {
    args.iter().map(|arg| arg.as_ref().to_owned()).collect()
}

/// Takes from everybody else the right to read a file, as the program demands of files with keys.
pub(crate) fn owner_only(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Asks a running program to end, as `kill` does: the shell's own one, because a bare system has no other.
#[cfg(unix)]
pub(crate) fn terminate(child: &Child) {
    signal(child, "TERM");
}

/// Sends a signal, by its name in `kill`.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let kill = ["-c", "kill -\"$1\" \"$2\"", "sh", name, &child.id().to_string()];
    let asked = Command::new("sh").args(kill).status();
    assert!(asked.is_ok_and(|status| status.success()), "the program runs");
}

/// A served sandbox, stopped when it goes out of scope.
pub(crate) struct Served {
    child: Child,
    /// Its base URL.
    pub(crate) url: String,
    /// The key that may do everything there.
    pub(crate) key: String,
}

impl Served {
    /// Host and port, for a socket of the test's own.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Both fail only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
    /// What a run that no signal ended said.
    fn of((status, stdout, stderr): (ExitStatus, String, String)) -> Self {
        let code = status.code().unwrap_or_else(|| panic!("ended by a signal: {status}"));
        Self { code, stdout, stderr }
    }

    /// The run succeeded and had nothing to say beside its data.
    #[track_caller]
    pub(crate) fn data(self) -> String {
        assert!(self.code == 0 && self.stderr.is_empty(), "expected data alone:\n{self}");
        self.stdout
    }

    /// The run succeeded; what it said on stderr is not of interest here.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "expected success:\n{self}");
        self
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

    /// The run failed, and this is all that it said.
    #[track_caller]
    pub(crate) fn refuses(self, code: i32, stderr: &str) {
        let said = self.fails(code);
        assert_eq!(said.stderr, stderr, "{said}");
    }

    /// Everything that the run said is this text, with what differs between runs named as [`redact`] does:
    /// `said.shows(str![[r#"…"#]])`. `SNAPSHOTS=overwrite` writes the text into the test.
    #[track_caller]
    pub(crate) fn shows(self, whole: impl snapbox::IntoData) -> Self {
        snapbox::assert_data_eq!(redact(&self.to_string()), whole);
        self
    }

    /// The run's stderr has this in it. Where the words are ours, [`Said::shows`] compares all of them.
    #[track_caller]
    pub(crate) fn mentions(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "expected {text:?} in stderr:\n{self}");
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

/// Replaces addresses with ports, uuids, tokens of links and times by their names.
pub(crate) fn redact(text: &str) -> String {
    let mut redactions = snapbox::Redactions::new();
    for (name, pattern) in [
        ("[TOKEN]", "/(?:take|join)/(?<redacted>[0-9A-Za-z_-]{8,})"),
        ("[UUID]", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
        ("[TIME]", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?"),
        ("[PORT]", r"127\.0\.0\.1:(?<redacted>\d+)"),
        ("[FOLDER]", r"(?<redacted>(?:/[^/ \n]+)*/\.tmp[0-9A-Za-z]{6})/"),
    ] {
        let pattern = regex::Regex::new(pattern).expect("a pattern");
        redactions.insert(name, pattern).expect("a name in brackets");
    }
    redactions.redact(text)
}

/// Feeds a started program, reads both its streams to their ends and waits for it.
pub(crate) fn finish(child: Child, stdin: &[u8]) -> Said {
    Said::of(ended(child, stdin))
}

/// As [`finish`], of a program that a signal may have ended: its status and both streams.
pub(crate) fn ended(child: Child, stdin: &[u8]) -> (ExitStatus, String, String) {
    ended_within(child, stdin, PATIENCE)
}

fn ended_within(mut child: Child, stdin: &[u8], patience: Duration) -> (ExitStatus, String, String) {
    if let Some(mut pipe) = child.stdin.take() {
        let bytes = stdin.to_vec();
        // A program that ends without reading everything closes the pipe: no concern of the test.
        std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    }
    let stdout = child.stdout.take().map(collect);
    let stderr = child.stderr.take().map(collect);
    let mut take = |stream: Option<mpsc::Receiver<Vec<u8>>>| match stream.map(|s| s.recv_timeout(patience)) {
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
        // What was read before an error still shows what the program said.
        let _ = stream.read_to_end(&mut bytes);
        let _ = send.send(bytes);
    });
    receive
}
