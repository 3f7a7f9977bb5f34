//! Running programs: how long they take, how much memory they need, and tools that must be there.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// How long a command took from its start to its end; a command that fails measures nothing.
pub fn time(command: &mut Command) -> anyhow::Result<Duration> {
    time_ending(command, 0)
}

/// The same of a command that ends with this code where it did its work.
pub fn time_ending(command: &mut Command, code: i32) -> anyhow::Result<Duration> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let start = Instant::now();
    let output = command.spawn().and_then(Child::wait_with_output).with_context(|| format!("{command:?}"))?;
    let took = start.elapsed();
    if output.status.code() != Some(code) {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(took)
}

/// The most memory that a command held, in KiB, as Linux counts it while the process lives.
pub fn peak(command: &mut Command) -> anyhow::Result<u64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        // The mark only rises, so the last one that is seen is right to within this pause.
        peak = high_water(&status).unwrap_or(0).max(peak);
        if let Some(ended) = child.try_wait()? {
            if ended.success() && peak > 0 {
                return Ok(peak);
            }
            bail!("{command:?} failed, or this system tells no peak of memory");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn high_water(status: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Two contestants in turn, several rounds: the median of each.
pub fn race(
    rounds: usize,
    mut ours: impl FnMut(usize) -> anyhow::Result<Duration>,
    mut theirs: impl FnMut(usize) -> anyhow::Result<Duration>,
) -> anyhow::Result<(Duration, Duration)> {
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        our_times.push(ours(round)?);
        their_times.push(theirs(round)?);
    }
    Ok((median(our_times), median(their_times)))
}

/// The middle one.
pub fn median<T: Ord + Copy + Default>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The tools that stand on the other side, and are not there.
pub fn missing() -> Vec<&'static str> {
    let works = |tool: &&str| {
        let mut command = Command::new(tool);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    ["curl", "xargs", "jq"].into_iter().filter(|tool| !works(tool)).collect()
}

/// What the machine is, by what decides about speed.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse().ok());
    let memory = kib.map_or_else(String::new, |kib: u64| format!(", {} GiB of memory", (kib + (1 << 19)) >> 20));
    format!("{cores} cores{memory}, {}", std::env::consts::OS)
}

/// A process that ends with its owner.
pub struct Served(Child, pub String);

impl Served {
    /// Starts the sandbox on a free port, with its state in this file and the key `sandbox`.
    pub fn sandbox(program: &str, state: &Path, more: &[&str]) -> anyhow::Result<Self> {
        use std::io::{BufRead as _, BufReader};
        let mut command = Command::new(program);
        let key = state.with_extension("key");
        std::fs::write(&key, "sandbox")?;
        #[cfg(unix)]
        std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        command.args(["sandbox", "serve", "--listen", "127.0.0.1:0", "--state"]).arg(state);
        command.arg("--key-file").arg(key).args(more);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let out = child.stdout.take().context("the sandbox's output")?;
        let mut address = String::new();
        BufReader::new(out).read_line(&mut address)?;
        Ok(Self(child, address.trim().to_owned()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing to do about it then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
