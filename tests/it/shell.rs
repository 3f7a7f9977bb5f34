//! Lines of a shell, run in a private directory with the program on the path.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::harness::{Env, PROGRAM, Said, finish};

/// Runs a script with `sh`; the program is found by its name, and so are the tools of the system.
pub(crate) fn run(env: &Env, script: &str) -> Said {
    let folder = Path::new(PROGRAM).parent().expect("the program stands in a folder");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
    let mut command = Command::new("sh");
    command.args(["-c", script]).env_clear().env("PATH", path).current_dir(env.work());
    command.envs(env.vars().iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().expect("a shell"), b"")
}
