//! The real program under strace, killed before one of its system calls or refused it, and its files put back afterwards.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::harness::{Env, PROGRAM, ended, owner_only};

/// One system call of a run.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Its name.
    pub(crate) name: String,
    /// The line of the trace, from the name on.
    pub(crate) line: String,
    /// Which call of this name it is for its thread, counted from 1 as strace counts.
    nth: usize,
    /// Whether the first thread makes it.
    is_main: bool,
}

impl Call {
    /// Whether it is between the program's own threads: that never fails.
    pub(crate) fn is_internal(&self) -> bool {
        self.line.contains(INTERNAL)
    }
}

/// What happens instead of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instead {
    /// The program is killed before the call has an effect.
    Kill,
    /// The call fails once with this error.
    Error(&'static str),
}

/// A call of a run, found again in the next one by name and count, and what happens there.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The call of the undisturbed run.
    pub(crate) call: Call,
    /// What happens there.
    pub(crate) instead: Instead,
}

impl Point {
    /// So that strace counts one thread's calls alone, it leaves the others alone where the call is the first thread's.
    fn options(&self) -> Vec<String> {
        let Call { name, nth, is_main, .. } = &self.call;
        let what = match self.instead {
            Instead::Kill => "signal=KILL".to_owned(),
            Instead::Error(error) => format!("error={error}"),
        };
        let follow = if *is_main { None } else { Some("-f".to_owned()) };
        follow.into_iter().chain(["-e".to_owned(), format!("inject={name}:{what}:when={nth}")]).collect()
    }
}

/// How a traced run ended.
pub(crate) struct Traced {
    /// Its exit code; `None` where it was killed.
    pub(crate) code: Option<i32>,
    /// Data.
    pub(crate) stdout: String,
    /// Talk.
    pub(crate) stderr: String,
    /// What it called.
    pub(crate) calls: Vec<Call>,
    /// What something happened instead of.
    pub(crate) hit: Hit,
}

/// What was killed or refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hit {
    /// A call.
    Call,
    /// One between the program's own threads, which never fails: threads take turns otherwise in each run.
    Internal,
    /// Nothing: the run had fewer such calls.
    Nothing,
}

impl Hit {
    fn of(trace: &str) -> Self {
        match trace.lines().find(|line| line.contains("(INJECTED)")) {
            Some(line) if line.contains(INTERNAL) => Self::Internal,
            Some(_) => Self::Call,
            None if trace.contains("+++ killed by SIGKILL +++") => Self::Call,
            None => Self::Nothing,
        }
    }
}

/// A run that takes longer hangs: it is killed with the strace around it, in seconds.
const HANGS_AFTER: &str = "40";
/// What strace shows of an event that one thread wakes another with.
const INTERNAL: &str = "<anon_inode:";

/// Runs the program under strace; `None` where that is not there or may not trace. Only `names` are traced, or all
/// calls where there are none.
pub(crate) fn traced<S: AsRef<str>>(env: &Env, args: &[S], names: &[&str], point: Option<&Point>) -> Option<Traced> {
    let trace = env.work().with_file_name("trace");
    let mut strace = Command::new("timeout");
    strace.args(["-s", "KILL", HANGS_AFTER, "strace"]);
    // With the file or socket behind each number.
    strace.arg("-y").arg("-o").arg(&trace);
    match point {
        None => _ = strace.arg("-f"),
        Some(point) => _ = strace.args(point.options()),
    }
    if !names.is_empty() {
        // Not every architecture has each of them.
        let names: Vec<String> = names.iter().map(|name| format!("?{name}")).collect();
        strace.arg("-e").arg(format!("trace={}", names.join(",")));
    }
    strace.arg(PROGRAM).args(args.iter().map(AsRef::as_ref));
    strace.env_clear().envs(env.vars().iter().map(|(name, value)| (name, value))).current_dir(env.work());
    let child = strace.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let (status, stdout, stderr) = ended(child, b"");
    let text = fs::read_to_string(&trace).ok()?;
    let has_begun = text.lines().any(|line| line.contains('('));
    // As `timeout` tells of a program that was killed.
    let code = status.code().filter(|code| *code != 137);
    has_begun.then(|| Traced { code, stdout, stderr, calls: calls(&text), hit: Hit::of(&text) })
}

/// The calls of a trace, in the order in which they began.
fn calls(text: &str) -> Vec<Call> {
    let first = text.split_whitespace().next().unwrap_or_default();
    let mut counts = HashMap::new();
    let call = |line: &str| {
        // Without -f no line begins with a thread.
        let (thread, rest) = match line.split_once(char::is_whitespace) {
            Some((thread, rest)) if thread.bytes().all(|byte| byte.is_ascii_digit()) => (thread, rest.trim_start()),
            _ => (first, line),
        };
        let name = rest.split_once('(')?.0;
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return None;
        }
        let nth = counts.entry((thread.to_owned(), name.to_owned())).or_insert(0);
        *nth += 1;
        Some(Call { name: name.to_owned(), line: rest.to_owned(), nth: *nth, is_main: thread == first })
    };
    text.lines().filter_map(call).collect()
}

/// The calls from the first one that touches this machine's files: before it the program is loaded.
pub(crate) fn after_loading(env: &Env, calls: Vec<Call>) -> Vec<Call> {
    let place = env.work().with_file_name("").display().to_string();
    calls.into_iter().skip_while(|call| !call.line.contains(&place)).collect()
}

/// The files of a machine, put back before each run.
pub(crate) struct Files {
    folders: [PathBuf; 2],
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Files {
    /// The files as they are now.
    pub(crate) fn of(env: &Env) -> Self {
        let folders = [env.work(), env.work().with_file_name("state")];
        let files = folders.iter().flat_map(|folder| listed(folder));
        let files = files.map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect();
        Self { folders, files }
    }

    /// Makes the files what they were.
    pub(crate) fn put_back(&self) {
        for path in self.folders.iter().flat_map(|folder| listed(folder)) {
            fs::remove_file(path).expect("removed");
        }
        for (path, bytes) in &self.files {
            fs::write(path, bytes).expect("written");
            owner_only(path);
        }
    }
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.filter(|path| path.is_file()).collect()
}
