//! Lines of a shell, run on a private machine with the program on the path.

use std::process::{Command, Stdio};

use super::env::{Env, Said, finish};

/// Runs a script with `sh`; the program is found as `assessctl`, and so are the tools of the system.
pub(crate) fn run(env: &Env, script: &str) -> Said {
    finish(&mut command(env, script), b"")
}

/// The same, not started yet.
pub(crate) fn command(env: &Env, script: &str) -> Command {
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", env.place("bin").display());
    let mut command = Command::new("sh");
    command.args(["-c", script]).env_clear().env("PATH", path).envs(env.vars()).current_dir(env.work());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
