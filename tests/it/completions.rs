//! Completions: the scripts in the repository are those of the program, and key presses are answered from this machine.

use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use crate::harness::{Env, PROGRAM, Said, finish};
use crate::journal_secret::state;

/// Each shell with its script's file.
const SCRIPTS: [(&str, &str); 5] = [
    ("bash", "assessctl.bash"),
    ("zsh", "_assessctl"),
    ("fish", "assessctl.fish"),
    ("powershell", "_assessctl.ps1"),
    ("elvish", "assessctl.elv"),
];

#[test]
fn the_scripts_in_the_repository_are_those_of_the_program() {
    for (shell, file) in SCRIPTS {
        let script = Env::new().run(&["completions", shell]).data();
        let path = format!("{}/completions/{file}", env!("CARGO_MANIFEST_DIR"));
        snapbox::assert_data_eq!(script, snapbox::Data::read_from(path.as_ref(), None).raw());
    }
}

/// What a shell is offered in the place of the last word of a line.
#[track_caller]
pub(crate) fn offered(env: &Env, shell: &str, line: &[&str]) -> Vec<String> {
    let said = ask(env, shell, line);
    assert_eq!((said.code, said.stderr.as_str()), (0, ""), "{said}");
    said.stdout.lines().map(str::to_owned).collect()
}

fn ask(env: &Env, shell: &str, line: &[&str]) -> Said {
    let mut command = Command::new(PROGRAM);
    command.args(["--", "assessctl"]).args(line).env_clear().current_dir(env.work());
    command.envs(env.vars().iter().map(|(name, value)| (name, value)));
    command.env("_ASSESSCTL_COMPLETE", shell).env("_CLAP_IFS", "\n");
    command.env("_CLAP_COMPLETE_INDEX", line.len().to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    finish(command.spawn().expect("the program starts"), b"")
}

#[test]
fn projects_are_offered_once_a_list_was_read_and_never_asked_for() {
    let env = Env::sandbox();
    let project = ["results", "list", "-p", ""];
    assert_eq!(offered(&env, "fish", &project), [""; 0]);
    let _ = env.run(&["projects", "create", "Night shift"]).ok();
    let _ = env.line("projects list --limit 1").ok();
    assert_eq!(offered(&env, "fish", &project), [""; 0], "a part of a list is no list");
    let _ = env.line("projects list").ok();
    assert_eq!(offered(&env, "fish", &project), ["Demo", "Night shift"]);
    assert_eq!(offered(&env, "bash", &["projects", "get", "Ni"]), ["Night\\ shift"]);
    // Another service's names are no use here.
    assert_eq!(offered(&env, "fish", &["--profile", "north", "results", "list", "-p", ""]), [""; 0]);
}

#[test]
fn names_of_projects_are_offered_for_a_day_and_stay_until_the_next_list() {
    let env = Env::sandbox();
    let _ = env.line("projects list").ok();
    let kept = state(&env).join("projects/sandbox.json");
    let age = |hours: u64| {
        let file = std::fs::File::options().write(true).open(&kept).expect("the names");
        file.set_modified(SystemTime::now() - Duration::from_hours(hours)).expect("a time");
    };
    let project = ["results", "list", "-p", ""];
    for (hours, names) in [(23, &["Demo"][..]), (25, &[])] {
        age(hours);
        assert_eq!(offered(&env, "fish", &project), names, "{hours} hours old");
        assert!(std::fs::read_to_string(&kept).expect("the names").contains("Demo"));
    }
    let _ = env.run(&["projects", "create", "Night shift"]).ok();
    let _ = env.line("projects list").ok();
    assert_eq!(offered(&env, "fish", &project), ["Demo", "Night shift"]);
    // A clock that went back: of what is not written yet, no one knows the age.
    let file = std::fs::File::options().write(true).open(&kept).expect("the names");
    file.set_modified(SystemTime::now() + Duration::from_hours(48)).expect("a time");
    assert_eq!(offered(&env, "fish", &project), [""; 0]);
}

#[test]
fn a_key_press_starts_no_service_and_writes_nothing() {
    let env = Env::sandbox();
    let _ = offered(&env, "zsh", &["projects", "get", ""]);
    let state = env.vars().iter().find(|(name, _)| name == "ASSESSCTL_STATE_DIR").expect("a state").1.clone();
    assert_eq!(std::fs::read_dir(state).expect("the folder").count(), 0);
}

#[test]
fn profiles_fields_results_and_keys_are_offered() {
    let env = Env::new();
    env.configure("[profiles.north]\nbase-url = \"https://api.example.com\"\n");
    assert_eq!(offered(&env, "fish", &["--profile", ""])[..2], ["north", "sandbox"]);
    assert_eq!(offered(&env, "bash", &["config", "use", "no"]), ["north"]);
    assert_eq!(offered(&env, "bash", &["config", "unset", "base"]), ["base-url"]);
    assert_eq!(offered(&env, "bash", &["results", "list", "--fields", "id,ref"]), ["id,referenceId"]);
    assert_eq!(offered(&env, "bash", &["sandbox", "set", "ref:x", "--result", "High"]), ["HighRisk"]);
}

#[test]
fn each_setting_that_is_offered_behind_get_and_show_is_known_there() {
    let env = Env::sandbox();
    for verb in ["get", "show"] {
        let settings = offered(&env, "fish", &["config", verb, ""]);
        for setting in ["profile", "timeout", "state-dir", "api-key-file", "api-key-command", "base-url"] {
            assert!(settings.iter().any(|offered| offered == setting), "{verb}: {settings:?}");
        }
        for setting in settings.iter().filter(|offered| !offered.starts_with('-')) {
            let said = env.line(&format!("config {verb} {setting}"));
            assert!(matches!(said.code, 0 | 4), "{setting}: {said}");
        }
    }
    assert_eq!(offered(&env, "fish", &["config", "set", "time"]), [""; 0]);
}

#[test]
fn a_value_that_is_called_like_a_command_does_not_mislead() {
    let env = Env::sandbox();
    assert_eq!(offered(&env, "bash", &["--profile", "sandbox", "testtakers", "im"]), ["import"]);
    assert_eq!(offered(&env, "bash", &["--profile=sandbox", "testtakers", "im"]), ["import"]);
    // bash takes a word apart at its equals sign.
    assert_eq!(offered(&env, "bash", &["--profile", "=", "sand"]), ["sandbox"]);
    assert_eq!(offered(&env, "bash", &["--profile", "=", "sandbox", "testtakers", "im"]), ["import"]);
    assert_eq!(offered(&env, "bash", &["config", "set", "base"]), ["base-url"]);
    assert_eq!(offered(&env, "fish", &["help", "te"]), ["testtakers"]);
    assert_eq!(offered(&env, "fish", &["help", "testtakers", "im"]), ["import"]);
    assert_eq!(offered(&env, "fish", &["help", "exit"]), ["exit-codes"]);
    assert!(env.line("--profile sandbox --help").data().contains("Usage: assessctl [OPTIONS]"));
}

#[test]
fn a_broken_configuration_disturbs_no_key_press() {
    let env = Env::new();
    env.configure("profile = [");
    assert_eq!(offered(&env, "bash", &["projects", "li"]), ["list", "link"]);
    assert_eq!(ask(&env, "tcsh", &["projects", ""]).code, 2);
}

#[test]
fn the_fields_offered_are_those_that_a_command_knows() {
    let env = Env::sandbox();
    let commands = [
        "projects list",
        "projects get Demo",
        "projects create x",
        "projects link Demo",
        "testtakers list",
        "testtakers get ref:x",
        "testtakers update ref:x --first-name y",
        "testtakers remove ref:x --yes",
        "results list",
        "results list --results-api legacy",
        "results get x",
        "links issue ref:x",
        "results export --to x.csv",
        "results changes",
        "doctor",
        "redirect-uris list",
        "redirect-uris add https://a.example.com",
        "config list",
        "config show",
        "config path",
    ];
    for command in commands {
        let words: Vec<_> = command.split(' ').chain(["--fields", ""]).collect();
        let refusal = env.line(&format!("{command} --fields nonsense")).stderr;
        let known = refusal.split("the fields are ").nth(1).and_then(|rest| rest.lines().next());
        let known = known.unwrap_or_else(|| panic!("{command}: {refusal}"));
        assert_eq!(offered(&env, "fish", &words).join(", "), known, "{command}");
    }
}
