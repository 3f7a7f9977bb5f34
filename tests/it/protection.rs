//! Profiles that protect: read-only ones, and those that want a word; and keys that a command prints.

use snapbox::str;

use crate::harness::{Env, KEY};
use crate::layers::sources;
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::{PROJECT, workspace};

/// A machine whose profile `north` has these settings too, and a roster of two.
fn profile(settings: &str) -> (Socket, Env) {
    let socket = workspace(false);
    let env = Env::new();
    env.configure(&format!(
        "profile = \"north\"\n[profiles.north]\nbase-url = \"{}\"\nproject = \"{PROJECT}\"\n{settings}\n",
        socket.url
    ));
    env.write("people.csv", "email,referenceId\nzoe.mueller@example.com,EMP-00017\nanna@example.com,\n");
    (socket, env)
}

fn with_key(settings: &str) -> (Socket, Env) {
    profile(&format!("api-key = \"{KEY}\"\n{settings}"))
}

const ONE: [&str; 4] = [
    "projects create Depot --allow-duplicates",
    "testtakers enrol --email zoe.mueller@example.com --reference-id EMP-00017",
    "testtakers update id:4711 --first-name Ann",
    "links issue id:4711",
];
/// What concerns many people, removes somebody, or cannot be taken back.
const MANY: [&str; 5] = [
    "testtakers import people.csv",
    "testtakers sync people.csv",
    "testtakers remove id:4711 --yes",
    "links issue id:4711 id:4712",
    "redirect-uris add https://hr.example.com/done",
];

#[test]
fn a_read_only_profile_refuses_every_write_and_no_read() {
    let (socket, env) = with_key("read-only = true");
    for command in ONE.iter().chain(&MANY) {
        let _ = env.line(command).fails(2).mentions("the profile north is read-only");
    }
    assert!(socket.requests().is_empty());
    for command in ["projects list", "testtakers get id:4711", "results list", "testtakers import people.csv --dry-run"]
    {
        let _ = env.line(command).ok();
    }
    assert!(socket.writes().is_empty());
}

#[test]
fn a_profile_with_a_word_wants_it_for_bulk_writes_and_for_removing() {
    let (socket, env) = with_key("confirm = \"production\"");
    for command in MANY {
        let _ = env.line(command).fails(2).mentions("hint: add --confirm production");
        let _ = env.line(&format!("{command} --confirm staging")).fails(2).mentions("is not the word");
    }
    assert!(socket.requests().is_empty());
    for command in ONE {
        let _ = env.line(command).ok();
    }
    let before = socket.writes().len();
    let _ = env.line("testtakers import people.csv --confirm production").ok();
    let _ = env.line("testtakers remove id:4711 --yes --confirm production").ok();
    assert_eq!(socket.writes().len(), before + 1);
}

#[test]
fn on_a_terminal_the_word_is_asked_for_with_profile_origin_project_and_count() {
    let (socket, env) = with_key("confirm = \"production\"");
    let ask = |answer: &str| {
        let mut terminal = Terminal::start(&env, 200, &["testtakers", "import", "people.csv"]);
        let question = format!("Profile north ({}), project {PROJECT}: enrol 2 people. Type production", socket.url);
        let _ = terminal.shows(&question).types(answer);
        terminal.ends()
    };
    let (code, screen) = ask("yes\r");
    assert_eq!((code, socket.requests().len()), (130, 0), "{}", screen.text());
    let (code, screen) = ask("production\r");
    assert_eq!(code, 0, "{}", screen.text());
    assert!(!socket.requests().is_empty());
}

#[test]
fn links_for_many_are_asked_for_with_their_count() {
    let (socket, env) = with_key("confirm = \"production\"");
    let args = ["links", "issue", "id:4711", "id:4712", "--to", "links.csv"];
    let mut terminal = Terminal::start(&env, 200, &args);
    let question =
        format!("Profile north ({}), project {PROJECT}: issue links for 2 people. Type production", socket.url);
    let _ = terminal.shows(&question).types("no\r");
    let (code, screen) = terminal.ends();
    assert_eq!((code, socket.writes().len()), (130, 0), "{}", screen.text());
}

#[test]
fn every_command_that_writes_asks_whether_it_may() {
    let writes = [
        "client.create_project(",
        "client.add_redirect_uris(",
        "client.update(",
        "client.remove(",
        "issue::link(",
        "enrol_run.run(",
    ];
    let mut seen = 0;
    for (file, source) in sources().iter().filter(|(file, _)| file.starts_with("src/commands/")) {
        if let Some(call) = writes.iter().find(|call| source.contains(**call)) {
            assert!(source.contains("session.may_write"), "{file}: {call} without may_write");
            seen += 1;
        }
    }
    assert!(seen >= 6, "{seen} files that write");
}

#[cfg(unix)]
#[test]
fn a_command_prints_the_key_and_talks_on_standard_error() {
    use std::os::unix::fs::PermissionsExt;
    let (socket, env) = profile("api-key-command = [\"./bin/key\", \"$HOME `id`\"]");
    // Relative to the configuration, which stands one folder above the working directory.
    let folder = env.work().join("../bin");
    std::fs::create_dir(&folder).expect("a folder");
    let script = format!("#!/bin/sh\necho \"unlocking for $1\" >&2\ncat >&2\necho {KEY}\n");
    let program = folder.join("key");
    std::fs::write(&program, script).expect("a script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).expect("permissions");
    let said = env.with("PATH", "/usr/bin:/bin");
    let said = said.run_with(&["projects", "list", "-o", "csv", "-v"], b"not for the command").ok().hides(KEY);
    assert!(said.stderr.starts_with("unlocking for $HOME `id`\n") && !said.stderr.contains("not for"), "{said}");
    assert_eq!(socket.requests()[0].header("x-api-key"), Some(KEY));
}

#[cfg(unix)]
#[test]
fn no_core_file_is_left_with_the_key_in_it() {
    let script = format!("ulimit -c >&2; ulimit -H -c >&2; echo {KEY}");
    let (_socket, env) = profile(&format!("api-key-command = [\"/bin/sh\", \"-c\", \"{script}\"]"));
    let said = env.with("PATH", "/usr/bin:/bin").run(&["projects", "list"]).ok();
    assert_eq!(said.stderr, "0\n0\n", "the limit of the program, which its command inherits");
}

/// A process of which no memory may be written out belongs to root below `/proc`, whoever runs it.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_collects_cores_gets_none_either() {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;
    let silent = Socket::always(Answer::Hang(Vec::new()));
    let env = Env::at(&silent.url);
    let mut command = env.command(&["projects", "list"]);
    if std::fs::metadata(env.work()).expect("a folder").uid() == 0 {
        command.uid(4002).current_dir("/");
    }
    let mut child = match command.spawn() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            return println!("cores for programs are left out: another account cannot run this program");
        }
        started => started.expect("the program starts"),
    };
    while silent.requests().is_empty() {
        std::thread::yield_now();
    }
    let owner = std::fs::metadata(format!("/proc/{}/environ", child.id())).expect("a process").uid();
    child.kill().and_then(|()| child.wait()).expect("an end");
    assert_eq!(owner, 0);
}

#[cfg(unix)]
#[test]
fn a_command_in_a_configuration_that_others_can_write_is_not_run() {
    use std::os::unix::fs::PermissionsExt;
    let (socket, env) = profile("api-key-command = [\"touch\", \"ran\"]");
    let path = env.work().join("../config.toml");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o622)).expect("permissions");
    let env = env.with("PATH", "/usr/bin:/bin");
    let _ = env.line("projects list").fails(3).shows(str![[r#"
exit 3
--- stdout
--- stderr
error: [FOLDER]/config.toml says where the API key goes and others can change it
hint: run `chmod 600 [FOLDER]/config.toml`

"#]]);
    assert!(!env.work().join("ran").exists());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("permissions");
    let _ = env.line("projects list").fails(3).shows(str![[r#"
exit 3
--- stdout
--- stderr
error: the API key is empty (printed by /usr/bin/touch)
hint: type the command yourself: it has to print the key and nothing else

"#]]);
    assert!(env.work().join("ran").exists() && socket.requests().is_empty());
}

#[test]
fn a_command_for_the_key_does_not_follow_another_address_either() {
    let (socket, env) = profile("api-key-command = [\"touch\", \"ran\"]");
    let other = workspace(false);
    let env = env.with("PATH", "/usr/bin:/bin");
    let _ = env.run(&["projects", "list", "--base-url", &other.url]).fails(3).shows(str![[r#"
exit 3
--- stdout
--- stderr
error: there is no API key for http://127.0.0.1:[PORT]: that of profile north belongs to http://127.0.0.1:[PORT]
hint: set ASSESSCTL_API_KEY or give --api-key-file

"#]]);
    assert!(!env.work().join("ran").exists());
    assert_eq!((socket.requests().len(), other.requests().len()), (0, 0));
}

#[test]
fn the_command_is_set_as_a_list_and_never_run_to_show_the_settings() {
    let (_, env) = profile("");
    let env = env.with("PATH", "/usr/bin:/bin");
    let _ =
        env.run(&["config", "set", "api-key-command", "touch ran"]).fails(2).mentions("is not a list of texts such as");
    let _ = env.run(&["config", "set", "api-key-command", "[\"touch\", \"ran\"]"]).ok();
    let _ = env.line("config show").ok();
    let listed = env.line("config list -o csv").data();
    assert!(listed.contains("printed by a command"), "{listed}");
    assert!(!env.work().join("ran").exists());
}

#[test]
fn read_only_covers_what_this_machine_remembers_and_confirm_covers_the_allowlist() {
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::new().with("ASSESSCTL_API_KEY", KEY);
    let profile = format!("profile = \"m\"\n[profiles.m]\nbase-url = \"{}\"\n", socket.url);
    env.configure(&format!("{profile}read-only = true\n"));
    for line in
        ["journal forget -p Demo --yes", "journal resolve 1 --absent -p Demo", "redirect-uris add https://a.example"]
    {
        let _ = env.line(line).fails(2).mentions("read-only");
    }
    env.configure(&format!("{profile}confirm = \"production\"\n"));
    let said = env.line("redirect-uris add https://a.example/done").fails(2);
    let _ = said.mentions("the profile m asks for a confirmation of this command\n").mentions("--confirm production");
    assert_eq!(socket.requests().len(), 0);
}

#[test]
fn a_redirect_leads_to_a_web_page_unless_another_scheme_is_named() {
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
    for uri in
        ["javascript:alert(1)", "file:///etc/passwd", "*", "hr.example.com/done", "https://u:p@x", "https://a\nb"]
    {
        let _ = env.run(&["redirect-uris", "add", uri]).fails(2).mentions("the redirect URI has ");
        let _ =
            env.run(&["links", "issue", "id:4711", "--redirect-uri", uri]).fails(2).mentions("the redirect URI has ");
    }
    let said = env.line("redirect-uris add myapp:done").fails(2);
    let _ = said.mentions("hint: --allow-scheme myapp allows it, if an app is meant");
    assert_eq!(socket.requests().len(), 0);
    let said = env.line("redirect-uris add myapp:done --allow-scheme myapp");
    assert_eq!(socket.writes().len(), 1);
    let _ = said.exits(10).mentions("error: the service did not keep 1 of 1 redirect URI");
}

#[test]
fn a_link_that_opens_no_web_page_is_not_handed_out() {
    for bad in ["javascript:alert(1)", "https://a.example/\\n-next-line", "data:text/html,x"] {
        let link = format!("\"{bad}\"");
        let socket = Socket::answering(move |request, _| match request.path() {
            path if path.ends_with("/test-link") => Answer::ok(&format!("{{\"url\":{link}}}")),
            path if path.ends_with("/get-link") => Answer::ok(&link),
            _ => Answer::ok("[]"),
        });
        let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
        for line in [format!("projects link {PROJECT}"), format!("projects link {PROJECT} --qr")] {
            let said = env.line(&line).fails(1).mentions("link is not handed out");
            assert!(said.stdout.is_empty(), "{said}");
        }
        let said = env.line("links issue id:4711 -o csv");
        assert!(said.code != 0 && !said.stdout.contains("alert") && !said.stdout.contains("next-line"), "{said}");
    }
}
