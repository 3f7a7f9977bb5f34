//! Keeps the program's memory, where the key is, from being written out when it crashes.

/// A core file would hold the key and what was read. A system that has no such limit makes none or keeps it to itself.
pub fn leave_no_core() {
    #[cfg(target_os = "linux")]
    leave_nothing_to_collectors();
    #[cfg(unix)]
    {
        let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
        let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    }
}

/// A program that collects cores gets one whatever the limit says, but of no process whose memory may not be written out.
/// A tracer has its memory anyway, and could not read the names of files any more.
#[cfg(target_os = "linux")]
fn leave_nothing_to_collectors() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if !is_traced() {
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// What a process tells of itself is shorter.
#[cfg(target_os = "linux")]
const LONGEST_STATUS: u64 = 64 << 10;

#[cfg(target_os = "linux")]
fn is_traced() -> bool {
    let status = crate::files::read_text("/proc/self/status".as_ref(), LONGEST_STATUS).unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:"));
    tracer.is_some_and(|tracer| tracer.trim() != "0")
}
