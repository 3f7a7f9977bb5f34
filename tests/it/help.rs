//! Help: every command says what it is for, and every example in it runs.

use crate::harness::Env;
use crate::pty::Terminal;
use crate::words;

/// People whom the examples name, enrolled before any of them runs.
const PEOPLE: &str = "email,firstName,lastName,birthYear,referenceId
zoe.mueller@example.com,Zoë,Müller,1984,EMP-00017
jose.garcia@example.com,José,García Peña,1979,EMP-00018
anna@example.com,Anna,,,EMP-00022
";

/// A roster of people who are not enrolled yet.
const NEWCOMERS: &str = "email,firstName,lastName,birthYear,referenceId
new.one@example.com,New,One,1990,EMP-01001
new.two@example.com,New,Two,1991,EMP-01002
";

/// A command, or a noun, and its help.
struct Leaf {
    words: Vec<String>,
    help: String,
}

/// Names of the commands in a help text.
fn commands(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| line.trim_end() != "Commands:").skip(1);
    let block = after.take_while(|line| line.starts_with("  ") || line.is_empty());
    let names = block.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Every command and every noun, found through the help texts themselves.
fn leaves(env: &Env, words: Vec<String>, found: &mut Vec<Leaf>) {
    let help = env.run(&[words.as_slice(), &["--help".to_owned()]].concat()).data();
    let below = commands(&help);
    if below.is_empty() {
        found.push(Leaf { words, help });
        return;
    }
    if !words.is_empty() {
        found.push(Leaf { words: words.clone(), help });
    }
    for name in below {
        leaves(env, [words.as_slice(), &[name]].concat(), found);
    }
}

/// The example lines of a help text, continued lines joined.
fn examples(help: &str) -> Vec<String> {
    let after = help.lines().skip_while(|line| line.trim_end() != "Examples:").skip(1);
    let block = after.take_while(|line| line.starts_with("  ") || line.trim().is_empty());
    let joined = block.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    joined.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn all() -> Vec<Leaf> {
    let mut found = Vec::new();
    leaves(&Env::new(), Vec::new(), &mut found);
    found
}

/// A machine on which what the examples speak of is there.
fn prepared() -> Env {
    let env = Env::sandbox();
    env.write("enrolled.csv", PEOPLE);
    let _ = env.line("testtakers import enrolled.csv").ok();
    let _ = env.line("sandbox set ref:EMP-00017 --result Completed").ok();
    env.write("people.csv", NEWCOMERS);
    env.write("sites.csv", "email,referenceId,site\nann@example.com,EMP-1,Demo\n");
    env.write("key.txt", "canary-key\n");
    crate::harness::owner_only(&env.work().join("key.txt"));
    env
}

#[test]
fn an_option_that_would_do_nothing_is_refused() {
    let env = Env::sandbox();
    for line in [
        "completions bash --fields id",
        "completions bash --deadline 1s",
        "help output -o json",
        "help output --to help.txt",
        "man --excel",
        "config list --timeout 3s",
        "sandbox reset --yes --no-header",
    ] {
        let _ = env.line(line).fails(2).mentions("does nothing for this command");
    }
    for line in
        ["journal undo r.csv -o csv", "journal forget --yes --fields row", "journal resolve 1 --absent --to r.csv"]
    {
        let said = env.line(line).fails(2).mentions("does nothing for this command\nhint: it prints no records; ");
        let _ = said.mentions("`assessctl journal show` prints the rows in any format");
    }
    let _ = env.line("completions bash --to assessctl.bash").data();
    assert_eq!(env.read("assessctl.bash"), env.line("completions bash").data());
    let _ = env.line("config list --fields name -o json").data();
}

#[test]
fn every_command_ends_its_help_with_examples() {
    let without: Vec<_> = all().into_iter().filter(|leaf| examples(&leaf.help).is_empty()).collect();
    let names: Vec<_> = without.iter().map(|leaf| leaf.words.join(" ")).collect();
    assert!(names.is_empty(), "no examples: {names:?}");
}

#[test]
fn an_option_stands_under_a_heading_that_is_about_it() {
    let help = Env::new().line("testtakers sync --help").data();
    let limits = help.split("Limits:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("limits");
    let options = limits.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
    let others: Vec<_> = options.filter(|option| !option.starts_with("max-")).collect();
    assert!(others.is_empty(), "{others:?}");
}

#[test]
fn every_manual_page_names_the_program_and_its_version() {
    let env = Env::new();
    let _ = env.line("man --to pages").data();
    let version = format!("\"assessctl {}\"", env!("CARGO_PKG_VERSION"));
    for page in ["assessctl", "assessctl-testtakers", "assessctl-config-set"] {
        let text = env.read(&format!("pages/{page}.1"));
        let title = text.lines().find(|line| line.starts_with(".TH ")).unwrap_or_default();
        assert!(title.contains(&version), "{page}: {title}");
    }
}

#[test]
fn no_example_is_broken_by_a_terminal_of_eighty_columns() {
    let mut broken = Vec::new();
    for leaf in all() {
        let block =
            leaf.help.split("Examples:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
        let bad = block.lines().filter(|line| line.chars().count() > 80 || !line.starts_with("  "));
        broken.extend(bad.map(str::to_owned));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// An option that goes with another one is refused without it, also where that one cannot stand there.
#[test]
fn no_option_is_taken_and_left_out_of_account() {
    let env = prepared();
    for (line, lacks) in [
        ("testtakers update ref:A-1 --last-name X --report r.csv", "--file"),
        ("testtakers update ref:A-1 --last-name X --failed-out f.csv", "--file"),
        ("testtakers update ref:A-1 --last-name X --by id", "--file"),
        ("testtakers update ref:A-1 --last-name X --skip-invalid", "--file"),
        ("testtakers update ref:A-1 --last-name X --clear-empty", "--file"),
        ("testtakers remove ref:A-1 --yes --report r.csv", "--file"),
        ("testtakers remove ref:A-1 --yes --failed-out f.csv", "--file"),
        ("testtakers remove ref:A-1 --yes --max 5", "--file"),
        ("links issue ref:A-1 --by id", "--file"),
        ("links issue ref:A-1 --rotate", "--file"),
        ("links issue --all --failed-out f.csv", "--file"),
        ("testtakers import people.csv --dry-run --rotate", "--with-links"),
        ("testtakers sync --show 0a0b0c0d --fail-on-change", "--plan"),
        ("results export -p Demo --to r.csv --allow-fewer", "--all-projects"),
        ("journal resolve 1 --absent --force", "--enrolled"),
    ] {
        let said = env.line(line);
        assert!(said.code == 2 && said.stderr.contains(lacks), "{line}\n{said}");
    }
}

#[test]
fn every_example_runs() {
    let mut failed = Vec::new();
    for leaf in all() {
        let env = prepared();
        for example in examples(&leaf.help) {
            let said = run(&env, &example);
            if let Err(said) = said {
                failed.push(format!("{example}\n{said}"));
            }
        }
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// Runs one example as a shell would; a server is started and stopped.
fn run(env: &Env, example: &str) -> Result<(), String> {
    match example.split_once(' ') {
        Some(("assessctl", _)) => {}
        // Another program's output goes into ours.
        Some(_) if example.contains("| assessctl ") => return shell(env, example),
        _ => return Err("does not start with the program's name".to_owned()),
    }
    let words = words::split(example);
    if words[1..].starts_with(&["sandbox".to_owned(), "serve".to_owned()])
        && !["--readings", "--openapi"].iter().any(|option| example.contains(option))
    {
        let more: Vec<_> = words[3..].iter().map(String::as_str).collect();
        // The test's own `--listen` counts instead of the example's: the port may be in use.
        let own = more.windows(2).find(|pair| pair[0] == "--listen").map(|pair| pair[1]);
        let more: Vec<_> = more.into_iter().filter(|word| *word != "--listen" && Some(*word) != own).collect();
        drop(env.serve(&more));
        return Ok(());
    }
    if example.contains("journal resolve") {
        // Nothing is in doubt here, and that is what it says.
        let said = env.run(&words[1..]);
        return if said.code == 4 { Ok(()) } else { Err(said.to_string()) };
    }
    if example.contains("testtakers apply") {
        // Nothing is held here either.
        let said = env.run(&words[1..]);
        return if said.code == 4 { Ok(()) } else { Err(said.to_string()) };
    }
    if example.contains("journal undo") {
        let _ = env.line("testtakers import people.csv").ok();
    }
    if words.iter().any(|word| word == "remove" || word == "undo") && !words.iter().any(|word| word == "--yes") {
        return agree(env, &words[1..]);
    }
    if let Some(simple) = simple(example) {
        let said = env.run(&simple);
        return if said.code == 0 { Ok(()) } else { Err(said.to_string()) };
    }
    shell(env, example)
}

/// Runs an example that asks, in a terminal where somebody agrees.
fn agree(env: &Env, words: &[String]) -> Result<(), String> {
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let mut terminal = Terminal::start(env, 100, &words);
    let _ = terminal.types("y\r");
    let (code, screen) = terminal.ends();
    if code == 0 { Ok(()) } else { Err(screen.text()) }
}

/// The arguments of an example that needs no shell.
fn simple(example: &str) -> Option<Vec<String>> {
    let plain = !example.contains(['|', '>', '<', '$', ';', '&', '*']);
    plain.then(|| words::split(example)[1..].to_vec())
}

/// Runs a line with pipes or redirections in the shell, where the program is found by its name.
fn shell(env: &Env, line: &str) -> Result<(), String> {
    let said = crate::shell::run(env, line);
    if said.code == 0 { Ok(()) } else { Err(said.to_string()) }
}

#[test]
fn help_names_every_command_of_the_design() {
    let names: Vec<_> = all().into_iter().map(|leaf| leaf.words.join(" ")).collect();
    let expected = [
        "projects list",
        "projects get",
        "projects create",
        "projects link",
        "testtakers list",
        "testtakers get",
        "testtakers enrol",
        "testtakers import",
        "testtakers check",
        "testtakers update",
        "testtakers remove",
        "testtakers sync",
        "testtakers apply",
        "results list",
        "results get",
        "results changes",
        "results export",
        "results summary",
        "results report",
        "links issue",
        "redirect-uris list",
        "redirect-uris add",
        "journal list",
        "journal show",
        "journal resolve",
        "journal undo",
        "journal forget",
        "config init",
        "config list",
        "config show",
        "config get",
        "config set",
        "config unset",
        "config use",
        "config path",
        "sandbox serve",
        "sandbox set",
        "sandbox reset",
        "doctor",
        "completions",
        "man",
    ];
    for name in expected {
        assert!(names.iter().any(|known| known == name), "{name} is missing in {names:?}");
    }
}

#[test]
fn enroll_is_an_alias_of_enrol() {
    let said = Env::sandbox().line("testtakers enroll --email a@example.com -o json").ok();
    assert!(said.stdout.contains("enrolled"), "{said}");
}
