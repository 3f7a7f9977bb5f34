//! `config` and `doctor`: a profile is asked for and tried before it is saved, and nothing shows the key.

use crate::support::env::{Env, KEY};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::terminal::Terminal;
use crate::support::wire::PROJECT;

#[test]
fn init_asks_again_after_each_slip_and_saves_what_it_tried() {
    for columns in [60, 80, 140] {
        let service = Service::start().with(|request, _| {
            let is_known = request.header("x-api-key") == Some(KEY);
            (!is_known).then(|| crate::support::wire::Answer::problem(401, "Unauthorized", ""))
        });
        let env = Env::new();
        let mut terminal = Terminal::start(&env, columns, &["config", "init"]);
        terminal.shows("[main]:").types("two words\r").shows("only\n").types("\r");
        terminal.shows("service:").types("http://service.example\r").shows("plain").types("127.0.0.1:1\r");
        terminal.echoes(false).types("\r").shows("empty").echoes(false).types("wrong-key\r");
        // A bare host means https, and nobody answers there.
        terminal.shows("[https://127.0.0.1:1/]:").types(&format!("{}\r", service.url));
        terminal.shows("401").echoes(false).types(&format!("{KEY}\r")).shows("[none]:").types("Nihgt shift north\r");
        terminal.shows("no project has this name").types("night SHIFT north\r");
        let (code, screen) = terminal.ends();
        let raw = String::from_utf8_lossy(&screen.raw).into_owned();
        assert_eq!(code, 0, "{raw}");
        assert!(!raw.contains(KEY) && !raw.contains("wrong-key"), "{raw}");
        assert!(raw.contains("next: assessctl doctor"), "{raw}");
        let file = std::fs::read_to_string(env.place("config/assessctl/config.toml")).expect("a file");
        assert!(file.contains(&format!("api-key = \"{KEY}\"")) && file.contains("\"Night shift north\""), "{file}");
        let _ = env.line("testtakers list").data();
        assert!(!env.line("config show -o json").data().contains(KEY));
    }
}

#[test]
fn init_that_is_left_saves_nothing() {
    let env = Env::new();
    let mut terminal = Terminal::start(&env, 80, &["config", "init"]);
    terminal.shows("[main]:").types("\u{4}");
    assert_eq!(terminal.ends().0, 130);
    let mut terminal = Terminal::start(&env, 80, &["config", "init"]);
    terminal.shows("[main]:").types("\r").shows("service:").types("\u{3}");
    assert_ne!(terminal.ends().0, 0);
    let service = Service::start();
    let mut terminal = Terminal::start(&env, 80, &["config", "init", "--base-url", &service.url]);
    terminal.shows("[main]:").types("\r").shows("key").echoes(false).types("\u{3}").echoes(true);
    assert_eq!(terminal.ends().0, 130);
    let mut terminal = Terminal::start(&env, 80, &["config", "init", "--base-url", &service.url]);
    terminal.shows("[main]:").types("\r").echoes(false).types(&format!("{KEY}\r")).shows("[none]:").types("\u{3}");
    assert_ne!(terminal.ends().0, 0);
    assert!(!env.place("config/assessctl/config.toml").exists());
}

#[test]
fn init_takes_options_in_place_of_answers() {
    let service = Service::start();
    let env = Env::new();
    let line = format!("config init --base-url {} --api-key-file", service.url);
    env.write("key.txt", format!("{KEY}\n"));
    let _ = env.line(&format!("{line} key.txt --profile file")).ok();
    let _ = env.run_with(&crate::support::env::words(&format!("{line} - --profile typed")), KEY.as_bytes()).ok();
    for profile in ["file", "typed"] {
        let _ = env.line(&format!("projects list --profile {profile}")).data();
        assert_eq!(service.log().last().and_then(|request| request.header("x-api-key")), Some(KEY));
    }
    // The same profile again gets another key, by another way to keep it.
    let _ = env.run_with(&crate::support::env::words(&format!("{line} - --profile file")), KEY.as_bytes()).ok();
    let _ = env.line("projects list --profile file").data();
    let _ = env.line(&format!("{line} missing.txt --profile other")).fails(3);
    let _ = env.line("config init --base-url http://127.0.0.1:1 --api-key-file key.txt --profile other").fails(6);
    let _ = env.line("config show --profile other").fails(2);
}

#[test]
fn a_project_is_looked_up_before_it_is_set() {
    let service = Service::start();
    let env = Env::at(&service.url);
    let project = |name: &str| env.run(&["config", "set", "project", name, "--profile", "main"]);
    env.configure("[profiles.main]\n");
    let _ = project("NIGHT shift north").ok();
    assert_eq!(env.line("config show project --profile main").data(), "Night shift north\n");
    let _ = project(PROJECT).ok();
    assert_eq!(env.line("config get project --profile main -q").data(), format!("{PROJECT}\n"));
    for wrong in ["Nowhere", "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b699", ""] {
        let _ = project(wrong).fails(2);
    }
    assert_eq!(env.line("config show project --profile main").data(), format!("{PROJECT}\n"));
}

#[test]
fn doctor_ends_with_the_gravest_of_what_it_found() {
    let service = Service::start().with_people(1);
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    let lines = |env: &Env, code: i32| env.line("doctor").exits(code).hides(KEY).stdout;
    let fine = lines(&env, 0);
    assert_eq!(fine.lines().filter(|line| line.starts_with("ok ")).count(), 6, "{fine}");
    assert!(env.line("doctor -q").data().is_empty());
    let seen = service.log().iter().filter(|request| Op::of(request) == Op::Projects).count();
    assert_eq!(seen, 2, "one read a run");
    // A place where no folder can be, and a project that is not there.
    let blocked = env.write("file", "");
    let env = env.with("ASSESSCTL_STATE_DIR", blocked.join("state"));
    let found = lines(&env, 1);
    assert!(found.lines().any(|line| line.starts_with("problem  state folder")), "{found}");
    let found = lines(&env.with("ASSESSCTL_PROJECT", "Nowhere"), 2);
    assert_eq!(found.lines().filter(|line| line.starts_with("problem ")).count(), 2, "{found}");
}

#[test]
fn doctor_sees_a_clock_that_is_off() {
    let answer = crate::support::wire::Answer::new(200, &["Date: Wed, 21 Oct 2026 07:28:00 GMT"], "[]");
    let service = Service::always(answer);
    let said = Env::at(&service.url).line("doctor").exits(2);
    assert!(said.stdout.lines().any(|line| line.starts_with("problem  service") && line.contains("clock")), "{said}");
}

#[test]
fn doctor_knows_of_people_in_doubt() {
    let service = Service::start().on(Op::Enrol, When::Always, Trouble::CloseBefore);
    let env = Env::at(&service.url).with("ASSESSCTL_PROJECT", PROJECT);
    let _ = env.line("doctor").ok();
    let _ = env.line("testtakers enrol --email ann@example.com --no-wait").exits(7);
    let said = env.line("doctor").exits(7);
    assert!(
        said.stdout.lines().any(|line| line.starts_with("problem  journal") && line.contains("1 row is in doubt")),
        "{said}"
    );
}
