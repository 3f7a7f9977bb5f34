//! Completion scripts and manual pages: those in the repository are those of the program, and they work.

use std::path::Path;

use crate::help::pages;
use crate::support::env::{Env, cannot_run, setting};
use crate::support::shell;

const SCRIPTS: [(&str, &str); 5] = [
    ("bash", "assessctl.bash"),
    ("zsh", "_assessctl"),
    ("fish", "assessctl.fish"),
    ("powershell", "_assessctl.ps1"),
    ("elvish", "assessctl.elv"),
];

#[test]
fn the_completion_scripts_in_the_repository_are_those_of_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
    for (shell, name) in SCRIPTS {
        let script = Env::new().line(&format!("completions {shell}")).data();
        let path = folder.join(name);
        if setting("BLESS").is_some() {
            std::fs::write(&path, &script).expect("written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == script, "{name} is not what the program prints (BLESS=1 writes it)");
        for word in ["redirect-uris", "completed-only", "api-key-file"] {
            assert!(script.contains(word), "{name} has no {word}");
        }
    }
}

#[test]
fn a_shell_completes_commands_options_and_values() {
    let env = Env::new();
    if shell::run(&env, "bash -c true").code != 0 {
        return cannot_run("there is no bash");
    }
    env.write("assessctl.bash", env.line("completions bash").data());
    let offered = |typed: &str| {
        let script = format!(
            ". ./assessctl.bash; COMP_WORDS=(assessctl {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _assessctl assessctl \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        env.write("offer.sh", script);
        shell::run(&env, "bash offer.sh").data().trim().to_owned()
    };
    assert_eq!(offered("res"), "results");
    assert_eq!(offered("projects cr"), "create");
    assert_eq!(offered("results list --last-test-sent-f"), "--last-test-sent-from");
    assert_eq!(offered("results list --prof"), "--profile");
    assert_eq!(offered("results list --output nd"), "ndjson");
    assert_eq!(offered("config set read"), "read-only");
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let env = Env::new();
    std::fs::create_dir(env.work().join("man1")).expect("a folder");
    let _ = env.line("man man1").data();
    for (command, _) in pages(80) {
        let name = format!("assessctl {command}").trim().replace(' ', "-");
        let page = env.read(&format!("man1/{name}.1"));
        let title = format!(".TH {name} 1 \"\" \"assessctl {}\" assessctl\n.SH NAME", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title) && page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
    assert_eq!(env.line("man").data(), env.read("man1/assessctl.1"));
    let _ = env.line("man missing").fails(1);
}
