//! Configuration: profiles, precedence, the origin of each value, and files that keep their comments.

use snapbox::str;

use serde_json::Value;

use crate::harness::{Env, KEY, finish, owner_only};
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::{PROJECT, fixture};

const FILE: &str = "# our services\nprofile = \"north\" # by default\n\n[profiles.north]\n# where it is\nbase-url = \
                    \"https://north.example.com\"\napi-key = \"canary-key-7f3a\"\nproject = \"Night shift\"\n\n[profiles.south] # \
                    the other one\nbase-url = \"https://south.example.com\"\n";

fn configured() -> Env {
    let env = Env::new();
    env.configure(FILE);
    env
}

fn config(env: &Env) -> String {
    let path = env.line("config path").data();
    std::fs::read_to_string(path.trim_end()).expect("the configuration")
}

/// Value and origin of a setting, as `config show` tells it.
fn shown(env: &Env, more: &str, setting: &str) -> (String, String) {
    let all = env.line(&format!("config show -o json {more}")).json();
    let rows = all.as_array().expect("an array");
    let row = rows.iter().find(|row| row["setting"] == setting).expect("a setting");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&row["value"]), text(&row["origin"]))
}

#[cfg(unix)]
#[test]
fn no_file_at_all_serves_where_the_environment_has_all_settings() {
    let socket = crate::lists::crowd(1);
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT).with("ASSESSCTL_CONFIG", "/dev/null");
    let env = env.without("HOME").without("XDG_CONFIG_HOME").without("XDG_STATE_HOME").without("ASSESSCTL_STATE_DIR");
    assert_eq!(env.line("testtakers list -o csv --fields id").data(), "id\n1\n");
}

#[test]
fn comments_and_order_survive_every_edit() {
    let env = configured();
    let _ = env.run(&["config", "set", "project", "Day shift"]).ok();
    assert_eq!(config(&env), FILE.replace("Night shift", "Day shift"));
    let _ = env.run(&["config", "set", "project", "Night shift"]).ok();
    let _ = env.line("config use south").ok();
    assert_eq!(config(&env), FILE.replace("= \"north\"", "= \"south\""));
    let _ = env.line("config use north").ok();
    let _ = env.line("config unset project --profile north").ok();
    assert_eq!(config(&env), FILE.replace("project = \"Night shift\"\n", ""));
}

#[test]
fn edits_at_the_same_time_all_stand_in_the_configuration() {
    let env = configured();
    let line = |n| format!("config init --name site{n} --base-url https://site{n}.example.com --no-check");
    let runs: Vec<_> =
        (0..12).map(|n| env.command(&crate::words::split(&line(n))).spawn().expect("the program starts")).collect();
    for run in runs {
        let _ = finish(run, b"").ok();
    }
    assert_eq!(config(&env).matches("[profiles.site").count(), 12, "{}", config(&env));
}

#[test]
fn a_flag_goes_before_a_variable_before_the_profile_before_the_default() {
    let env = configured();
    assert_eq!(shown(&env, "", "base-url").0, "https://north.example.com/");
    assert_eq!(shown(&env, "--profile south", "base-url").0, "https://south.example.com/");
    let env = env.with("ASSESSCTL_BASE_URL", "https://env.example.com").with("ASSESSCTL_PROJECT", "Env");
    let (value, origin) = shown(&env, "", "base-url");
    assert!(value.contains("env.example.com") && origin.contains("ASSESSCTL_BASE_URL"), "{value} {origin}");
    assert_eq!(shown(&env, "", "project"), ("Env".to_owned(), "ASSESSCTL_PROJECT".to_owned()));
    let (value, origin) = shown(&env, "--base-url https://flag.example.com", "base-url");
    assert!(value.contains("flag.example.com") && origin.contains("--base-url"), "{value} {origin}");
    assert_eq!(shown(&env, "", "concurrency").1, "default");
}

#[test]
fn the_key_is_never_shown() {
    let env = configured();
    for command in ["config show", "config list", "config show -o json", "config list -o csv", "config show -v"] {
        let _ = env.line(command).ok().hides(KEY);
    }
    let said = env.run(&["config", "set", "api-key", "another-canary"]).fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: an API key on the command line is shown by `ps` and kept by the shell's history
hint: put it into a file of its own, then `assessctl config set api-key-file FILE`

"#]]);
    let _ = said.hides("another-canary");
    assert_eq!(config(&env), FILE);
}

#[test]
fn the_sandbox_ignores_variables_and_says_so() {
    let env = configured().with("ASSESSCTL_BASE_URL", "https://env.example.com").with("ASSESSCTL_API_KEY", KEY);
    let said = env.line("config show --profile sandbox").ok();
    let whole = format!("{}{}", said.stdout, said.stderr);
    assert!(whole.contains("ASSESSCTL_BASE_URL") && whole.contains("ignored"), "{said}");
    assert!(!whole.contains("env.example.com") && !whole.contains(KEY), "{said}");
}

#[test]
fn a_rehearsal_says_which_variables_it_does_not_heed() {
    let env = Env::sandbox().with("ASSESSCTL_PROJECT", "Night shift").with("ASSESSCTL_BASE_URL", "https://a.example");
    let said = env.line("testtakers list -p Demo -o csv --fields id").ok();
    let own = "warning: the sandbox has its own address, key and project; ignored:";
    let note = format!("{own} ASSESSCTL_BASE_URL, ASSESSCTL_PROJECT\n");
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("id\n", note.as_str()));
    assert_eq!(env.line("testtakers list -o csv --fields id -q").ok().stderr, note);
    let without = env.without("ASSESSCTL_BASE_URL").without("ASSESSCTL_PROJECT");
    assert_eq!(without.line("testtakers list -p Demo -o csv --fields id").data(), "id\n");
    let said =
        without.with("ASSESSCTL_API_KEY", KEY).line("testtakers list -p Demo -o csv --fields id").ok().hides(KEY);
    assert_eq!(said.stderr, format!("{own} ASSESSCTL_API_KEY\n"));
}

#[test]
fn the_key_of_the_environment_is_sent_to_the_address_of_the_environment_alone() {
    let (own, other) = (crate::wire::workspace(false), crate::wire::workspace(false));
    let env = Env::at(&own.url);
    let said = env.line(&format!("projects list --base-url {}", other.url)).fails(2).hides(KEY);
    let said = said.mentions("ASSESSCTL_API_KEY belongs to ASSESSCTL_BASE_URL");
    let _ = said.mentions(&format!("hint: set ASSESSCTL_BASE_URL={} if the key is for it", other.url));
    assert_eq!((own.requests().len(), other.requests().len()), (0, 0));
    let _ = env.line("projects list").ok();
    assert!(own.requests().iter().all(|request| request.header("x-api-key") == Some(KEY)));
    // A profile's own key is not replaced without a word, and one that has none is served.
    let key = "another-canary-51c2";
    let env = env.without("ASSESSCTL_BASE_URL");
    env.configure(&format!(
        "[profiles.keyed]\nbase-url = \"{url}\"\napi-key = \"{key}\"\n[profiles.bare]\nbase-url = \"{url}\"\n",
        url = other.url
    ));
    let said = env.line("projects list --profile keyed").fails(2).hides(KEY).hides(key);
    let _ = said.mentions("profile keyed has an API key of its own").mentions("else unset ASSESSCTL_API_KEY");
    assert_eq!(other.requests().len(), 0);
    let _ = env.line("projects list --profile bare").ok();
    assert_eq!(other.requests()[0].header("x-api-key"), Some(KEY));
    let sent = other.requests().len();
    let _ = env.line(&format!("projects list --base-url {}", own.url)).fails(2);
    let _ = env.without("ASSESSCTL_API_KEY").line("projects list --profile keyed").ok();
    assert_eq!(other.requests()[sent].header("x-api-key"), Some(key));
}

#[test]
fn a_hint_carries_the_profile_and_the_project_that_were_given() {
    let legacy = Socket::answering(|request, _| match request.path() {
        "/projects" => Answer::ok(&format!("[{}]", fixture("project"))),
        path if path.ends_with("/testtakers") => Answer::ok("[]"),
        _ => Answer::ok(&format!("[{}]", fixture("result-legacy"))),
    });
    let env = Env::new();
    env.configure(&format!("[profiles.old]\nbase-url = \"{}\"\napi-key = \"{KEY}\"\n", legacy.url));
    let list = format!("results list -p {PROJECT}");
    let hint = "`assessctl config set results-api legacy --profile old`\n";
    let _ = env.line(&format!("{list} --profile old")).fails(2).mentions(hint);
    let said = env.line("doctor --profile old -o json").exits(2);
    assert!(said.stdout.contains("\"assessctl config set results-api legacy --profile old\""), "{said}");
    let _ = env.line("results list --profile old").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: no project is named
hint: add -p NAME_OR_ID, or keep one: `assessctl config set project NAME_OR_ID --profile old`

"#]]);
    let said = env.line("testtakers get ref:none --profile old -p 'Night shift north'");
    let _ = said.mentions("`assessctl testtakers list --filter TEXT --profile old -p 'Night shift north'` searches");
    // A profile of the variable or of the file holds for the next command anyway.
    let said = env.with("ASSESSCTL_PROFILE", "old").line(&list).fails(2);
    let _ = said.mentions("`assessctl config set results-api legacy`\n");
}

#[test]
fn a_hint_carries_the_configuration_the_address_and_the_key_file_that_were_given() {
    let env = Env::new();
    env.write("w.toml", "[profiles.p1]\nbase-url = \"https://a.example\"\n");
    owner_only(&env.work().join("w.toml"));
    let _ = env.line("projects list --config w.toml --profile p1").fails(3).shows(str![[r#"
exit 3
--- stdout
--- stderr
error: there is no API key for https://a.example
hint: run `assessctl config set api-key-file FILE --profile p1 --config w.toml`, set ASSESSCTL_API_KEY or give --api-key-file

"#]]);
    owner_only(&env.write("my key", format!("{KEY}\n")));
    let _ = env.line("config set api-key-file 'my key' --profile p1 --config w.toml").ok();
    let init = "config init --name b --base-url https://b.example --no-check --config w.toml --api-key-file 'my key'";
    let said = env.line(init).ok();
    let next = "next: assessctl doctor --config w.toml\n      assessctl projects list --config w.toml\n      \
                assessctl testtakers check roster.csv\n";
    assert!(said.stderr.ends_with(next), "{said}");
    let served = Env::new().serve(&["--key", KEY]);
    let options = format!("--base-url {} --api-key-file 'my key'", served.url);
    let said = env.line(&format!("projects get none {options}")).fails(4);
    let _ = said.mentions(&format!("`assessctl projects list {options}`"));
    let said =
        env.run_with(&["projects", "get", "none", "--base-url", &served.url, "--api-key-file", "-"], KEY.as_bytes());
    let _ = said.fails(4).mentions(&format!("`assessctl projects list --base-url {}`", served.url));
}

#[test]
fn init_takes_everything_as_flags_off_a_terminal() {
    let env = Env::new();
    let _ = env.line("config init").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: without a terminal the base URL cannot be asked for
hint: run `assessctl config init --name NAME --base-url URL --api-key-file FILE`

"#]]);
    let args = [
        "config",
        "init",
        "--name",
        "north",
        "--base-url",
        "https://north.example.com",
        "--api-key-file",
        "-",
        "--no-check",
    ];
    let _ = env.run_with(&args, KEY.as_bytes()).ok().hides(KEY);
    assert!(config(&env).contains(KEY), "a key from standard input is kept in the file");
    assert_eq!(shown(&env, "", "profile").0, "north");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = env.line("config path").data();
        let mode = std::fs::metadata(path.trim_end()).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let _ = env.run(&args[..6]).fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: profile north already exists
hint: `assessctl config set KEY VALUE --profile north` changes it

"#]]);
}

#[test]
fn init_tries_the_address_and_the_key_before_it_writes_and_says_what_to_type_next() {
    let (good, bad) = (crate::wire::workspace(false), Socket::always(Answer::problem(401, "canary", "canary")));
    let env = Env::new();
    let key = env.write("north.key", format!("{KEY}\n"));
    owner_only(&key);
    let init = |url: &str| env.line(&format!("config init --base-url {url} --api-key-file north.key"));
    let said =
        init(&bad.url).fails(3).hides(KEY).hides("canary").mentions("nothing was written").mentions("--no-check");
    assert!(!env.line("config list").data().contains("main"), "{said}");
    let _ = init("http://127.0.0.1:9").fails(6).mentions("cannot reach 127.0.0.1:9");
    let said = init(&good.url).ok().hides(KEY);
    assert!(good.writes().is_empty() && good.requests().len() == 1, "{said}");
    let path = env.line("config path").data();
    let expected = format!(
        "saved profile main in {path}next: assessctl doctor\n      assessctl projects list\n      \
         assessctl testtakers check roster.csv\n"
    );
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", expected.as_str()));
    // A second one, which is not tried, and which variables overrule.
    let sent = bad.requests().len();
    let env = env.with("ASSESSCTL_PROFILE", "sandbox").with("ASSESSCTL_BASE_URL", "https://env.example.com");
    let second = format!("config init --name b --base-url {} --api-key-file north.key --no-check", bad.url);
    let said = env.line(&second).ok();
    let warned = "warning: ASSESSCTL_PROFILE is sandbox: until it is unset, commands without --profile use that\n\
                  warning: ASSESSCTL_BASE_URL is set and goes before the base-url of profile b\n\
                  next: assessctl doctor --profile b\n";
    assert!(said.stderr.contains(warned) && said.stderr.ends_with("      assessctl config use b\n"), "{said}");
    assert_eq!(bad.requests().len(), sent);
}

#[test]
fn one_setting_is_shown_or_printed_bare() {
    let env = configured();
    assert_eq!(env.line("config get base-url").data(), "https://north.example.com/\n");
    assert_eq!(env.line("config get project -o json").data(), "\"Night shift\"\n");
    assert_eq!(env.line("config get api-key").data(), "set\n");
    let said = env.line("config get ca-cert").fails(4);
    assert_eq!(said.stderr, "error: ca-cert is not set\nhint: `assessctl config show` shows all settings\n");
    let _ = env.line("config get projct").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: unknown setting "projct"
hint: did you mean project?

"#]]);
    assert_eq!(env.line("config show project -o csv --no-header").data(), "project,Night shift,profile north\n");
}

#[test]
fn the_way_a_key_is_kept_is_shown_with_its_file_and_never_the_key() {
    let env = configured();
    let key = env.write("north.key", format!("{KEY}\n"));
    owner_only(&key);
    let _ = env.line("config set api-key-file north.key --profile south").ok();
    let path = env.line("config get api-key-file --profile south").data();
    assert_eq!(std::fs::canonicalize(path.trim_end()).expect("a path"), key.canonicalize().expect("a path"));
    let kept = (path.trim_end().to_owned(), "profile south".to_owned());
    assert_eq!(shown(&env, "--profile south", "api-key-file"), kept);
    assert_eq!(shown(&env, "--profile south", "api-key"), ("set".to_owned(), "profile south".to_owned()));
    let none = (String::new(), "not used: see api-key".to_owned());
    assert_eq!(shown(&env, "--profile south", "api-key-command"), none);
    assert_eq!(shown(&env, "", "api-key-file"), none);
    let said = env.line("config get api-key-file").fails(4).hides(KEY);
    let expected = "error: api-key-file is not used: see api-key\nhint: `assessctl config show` shows all settings\n";
    assert_eq!(said.stderr, expected);
    let line = "config get api-key-file --api-key-file north.key";
    assert_eq!(env.line(line).data(), "north.key\n");
    let _ = env.line("config unset api-key").ok();
    assert_eq!(shown(&env, "", "api-key-file").1, "not set");
}

#[test]
fn a_key_file_that_is_set_has_to_be_there_and_a_second_way_to_keep_a_key_is_refused() {
    let env = configured();
    let _ = env.line("config set api-key-file none.key").fails(3).shows(str![[r#"
exit 3
--- stdout
--- stderr
error: cannot read none.key: No such file or directory (os error 2)
hint: name the file that holds the key, or write the key into it

"#]]);
    let key = env.write("north.key", format!("{KEY}\n"));
    owner_only(&key);
    let _ = env.line("config set api-key-file north.key").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: profile north keeps its key by api-key, and has one way alone
hint: type `assessctl config unset api-key --profile north` first

"#]]);
    let _ = env.line("config unset api-key").ok();
    let _ = env.line("config set api-key-file north.key").ok();
    assert!(config(&env).contains("north.key"));
}

#[cfg(unix)]
#[test]
fn init_asks_on_a_terminal_and_shows_no_key() {
    let env = Env::new();
    let mut terminal = Terminal::start(&env, 100, &["config", "init", "--no-check"]);
    let _ = terminal.shows("Name").types("north\r");
    let _ = terminal.shows("URL").types("https://north.example.com\r");
    let _ = terminal.shows("API key").falls_blind().types(&format!("{KEY}\r"));
    let _ = terminal.shows("roject").types("Night shift\r");
    let (code, screen) = terminal.ends();
    assert_eq!(code, 0, "{}", screen.text());
    assert!(!String::from_utf8_lossy(&screen.raw).contains(KEY), "{}", screen.text());
    assert!(config(&env).contains(KEY) && config(&env).contains("Night shift"), "{}", config(&env));
}

#[test]
fn a_broken_file_is_an_error_with_its_line_and_can_be_mended() {
    let cases = [
        ("[profiles.a\n", "1"),
        ("[profiles.a]\nbase-url = 5\n", "2"),
        ("[profiles.a]\nbase_url = \"https://x.example.com\"\n", "base-url"),
        ("profile = \"b\"\n[profiles.a]\n", "\"b\""),
        ("[profiles.a]\napi-key = \"k\"\napi-key-file = \"f\"\n", "api-key-file"),
    ];
    for (file, says) in cases {
        let env = Env::new();
        env.configure(file);
        let said = env.line("projects list").fails(2);
        assert!(said.stderr.contains(says), "{file}{said}");
    }
}

#[test]
fn a_profile_is_all_that_a_command_needs() {
    let socket = crate::wire::workspace(false);
    let env = Env::new();
    let key = env.write("north.key", format!("{KEY}\n"));
    owner_only(&key);
    let init =
        ["config", "init", "--base-url", &socket.url, "--api-key-file", "north.key", "--project", crate::wire::PROJECT];
    let _ = env.run(&init).ok();
    let _ = env.line("config set output csv").ok();
    let said = env.line("testtakers list --fields id").data();
    assert_eq!(said, "id\n4711\n4712\n");
    assert_eq!(socket.requests()[0].header("x-api-key"), Some(KEY));
}

#[test]
fn each_reading_names_a_test_that_is_there() {
    let said = Env::new().line("sandbox serve --readings").data();
    let tests = crate::layers::sources();
    let names: Vec<_> = said.lines().filter_map(|line| line.trim().strip_prefix("shown by ")).collect();
    let shown = said.matches("not shown").count();
    assert!(names.len() >= 20 && names.len() >= shown, "{} readings, {shown} times not shown", names.len());
    for name in names.iter().flat_map(|names| names.split(", ")) {
        let there = tests.iter().any(|(_, source)| source.contains(&format!("fn {name}(")));
        assert!(there, "no test is called {name}");
    }
}

#[test]
fn completions_are_written_for_each_shell() {
    for shell in ["bash", "zsh", "fish"] {
        let said = Env::new().run(&["completions", shell]).data();
        assert!(said.contains("assessctl"), "{shell}: {said}");
    }
    for shell in ["elvish", "powershell"] {
        let said = Env::new().run(&["completions", shell]).data();
        for word in ["assessctl", "testtakers", "redirect-uris", "import", "fit-for-duty-response"] {
            assert!(said.contains(word), "{shell}: {word}");
        }
    }
    let _ = Env::new().line("completions csh").fails(2);
}
