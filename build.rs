//! Tells the program from which commit and for which target it is built; outside of a checkout from no commit.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = packaged().or_else(checked_out).unwrap_or_default();
    let target = variable("TARGET");
    let of = if commit.is_empty() { target } else { format!("{commit}, {target}") };
    compile_memory_functions();
    println!("cargo::rustc-env=BUILT_FROM={} ({of})", variable("CARGO_PKG_VERSION"));
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to a build script through the environment alone")]
fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// Those of the static program's C library are slow: an eighth of the time of a long list.
fn compile_memory_functions() {
    println!("cargo::rerun-if-changed=packaging/musl/memory.c");
    if (variable("CARGO_CFG_TARGET_ENV").as_str(), variable("CARGO_CFG_TARGET_ARCH").as_str()) != ("musl", "x86_64") {
        return;
    }
    // Otherwise the compiler makes calls of these functions out of what they do.
    let flags = ["-ffreestanding", "-fno-tree-loop-distribute-patterns"];
    cc::Build::new().file("packaging/musl/memory.c").opt_level(2).flags(flags).compile("memory");
}

/// The commit that `cargo package` wrote down.
#[expect(clippy::disallowed_methods, reason = "the build is no run of the program")]
fn packaged() -> Option<String> {
    let info = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let commit = info.split("\"sha1\": \"").nth(1)?.split('"').next()?;
    commit.get(..9).map(str::to_owned)
}

/// The commit of this folder's own checkout; that of a repository somewhere above says nothing.
fn checked_out() -> Option<String> {
    let top = std::fs::canonicalize(git(&["rev-parse", "--show-toplevel"])?).ok()?;
    if top != std::fs::canonicalize(variable("CARGO_MANIFEST_DIR")).ok()? {
        return None;
    }
    // Written by every commit, checkout and merge; where it is not kept, HEAD serves.
    for file in ["logs/HEAD", "HEAD"] {
        let path = git(&["rev-parse", "--git-path", file])?;
        if std::fs::exists(&path).is_ok_and(|exists| exists) {
            println!("cargo::rerun-if-changed={path}");
            break;
        }
    }
    git(&["rev-parse", "--short=9", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
