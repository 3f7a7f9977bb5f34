//! The memory functions of the static program, which every text it copies or compares goes through.
#![cfg(all(unix, target_arch = "x86_64"))]

use std::path::Path;
use std::process::Command;

#[test]
fn the_static_program_copies_and_compares_each_byte_and_no_other() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let built = folder.path().join("check");
    let names = ["memcpy", "memmove", "memcmp", "bcmp"].map(|name| format!("-D{name}=our_{name}"));
    let (ours, object) = (top.join("packaging/musl/memory.c"), folder.path().join("memory.o"));
    let flags = ["-O2", "-Wall", "-Werror", "-ffreestanding", "-fno-tree-loop-distribute-patterns", "-c", "-o"];
    let compiled = Command::new("cc").args(flags).arg(&object).args(names).arg(ours).output().expect("cc runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let check = top.join("tests/fixtures/musl/memory_check.c");
    let linked = Command::new("cc").args(["-O1", "-o"]).arg(&built).arg(check).arg(object).output().expect("cc runs");
    assert!(linked.status.success(), "{}", String::from_utf8_lossy(&linked.stderr));
    let ran = Command::new(built).output().expect("the check runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "all alike\n");
}
