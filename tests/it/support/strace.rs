//! The real program under strace, killed before one of its system calls or refused it.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use super::env::{Env, PROGRAM, Said, cannot_run, ended};

/// One system call of a run.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Its name.
    name: String,
    /// The line of the trace, from the name on.
    pub(crate) line: String,
    /// Which call of this name it is for its thread, counted from 1 as strace counts.
    nth: usize,
    /// Whether the first thread makes it.
    is_main: bool,
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
    pub(crate) call: Call,
    pub(crate) instead: Instead,
}

impl Point {
    /// So that strace counts only one thread's calls, it leaves the others alone where the call is the first thread's.
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
    /// What it said; the code is -9 where it was killed.
    pub(crate) said: Said,
    /// What it called.
    pub(crate) calls: Vec<Call>,
    /// Whether the point was met, at a call that can fail. Calls between the program's own threads take turns otherwise in each
    /// run, so that it may also be one that cannot.
    pub(crate) is_hit: bool,
    /// Whether the point was met at a call that never fails.
    pub(crate) is_impossible: bool,
}

/// A run that takes longer hangs: it is killed with the strace around it, in seconds.
const HANGS_AFTER: &str = "40";
/// Calls that reach a file or the service; only these are traced. Without memory, say, no program goes on.
const CALLS: &str = "?open,openat,?creat,read,pread64,readv,write,pwrite64,writev,fsync,fdatasync,?rename,renameat,renameat2,\
    ?unlink,unlinkat,?link,linkat,ftruncate,?chmod,fchmod,fchmodat,?mkdir,mkdirat,fstat,newfstatat,statx,lseek,close,\
    socket,connect,sendto,sendmsg,recvfrom,recvmsg,flock,fcntl";
/// What strace shows of an event that one thread wakes another with.
const INTERNAL: &str = "<anon_inode:";
/// What strace shows of a lock that is given up, which does not fail.
const UNLOCK: &str = "F_SETLK, {l_type=F_UNLCK";

/// Runs the program under strace; `None` where that is not there or may not trace.
pub(crate) fn traced<S: AsRef<str>>(env: &Env, args: &[S], point: Option<&Point>) -> Option<Traced> {
    let trace = env.place("trace");
    let mut strace = Command::new("timeout");
    // With the file or socket behind each number.
    strace.args(["-s", "KILL", HANGS_AFTER, "strace", "-y", "-e", &format!("trace={CALLS}"), "-o"]).arg(&trace);
    match point {
        None => _ = strace.arg("-f"),
        Some(point) => _ = strace.args(point.options()),
    }
    strace.arg(&*PROGRAM).args(args.iter().map(AsRef::as_ref));
    strace.env_clear().envs(env.vars()).current_dir(env.work());
    let child = strace.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(child) = child else { return cannot_trace() };
    let (status, stdout, stderr) = ended(child, b"");
    let text = std::fs::read_to_string(&trace).unwrap_or_default();
    if !text.lines().any(|line| line.contains('(')) {
        return cannot_trace();
    }
    // As `timeout` tells of a program that was killed.
    let code = status.code().filter(|code| *code != 137).unwrap_or(-9);
    let injected = text.lines().find(|line| line.contains("(INJECTED)"));
    let is_hit = injected.map_or(text.contains("+++ killed by SIGKILL +++"), can_fail);
    let is_impossible = injected.is_some_and(|line| !can_fail(line));
    Some(Traced { said: Said { code, stdout, stderr }, calls: calls(&text), is_hit, is_impossible })
}

fn can_fail(line: &str) -> bool {
    ![INTERNAL, UNLOCK].iter().any(|never| line.contains(never))
}

fn cannot_trace() -> Option<Traced> {
    cannot_run("strace is not there, or may not trace");
    None
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

/// The points of a run from the first call that touches this machine's files (before it the program is loaded): a kill
/// before each call, and each error instead of it.
pub(crate) fn points(env: &Env, calls: &[Call], errors: &[&'static str]) -> Vec<Point> {
    let place = env.place("").display().to_string();
    let loaded: Vec<_> = calls.iter().skip_while(|call| !call.line.contains(&place)).collect();
    let ways = [Instead::Kill].into_iter().chain(errors.iter().map(|error| Instead::Error(error)));
    let of = |instead: Instead| loaded.iter().map(move |call| Point { call: (*call).clone(), instead });
    let fails = |call: &Call| can_fail(&call.line);
    ways.flat_map(of).filter(|point| point.instead == Instead::Kill || fails(&point.call)).collect()
}
