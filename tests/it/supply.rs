//! What is built in, and whether SECURITY.md names tests that are there.

use std::collections::BTreeSet;
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of tests, by its text.
fn tests() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let own = files.map(|path| std::fs::read_to_string(path).expect("a source file"));
    own.chain(crate::layers::sources().into_iter().map(|(_, source)| source)).collect()
}

#[test]
fn each_row_of_the_threat_model_names_tests_that_are_there() {
    let (security, tests) = (text("SECURITY.md"), tests());
    let rows: Vec<&str> = security.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let names: Vec<&str> = cells.last().expect("a cell").split('`').skip(1).step_by(2).collect();
        assert!(cells.len() == 4 && !names.is_empty(), "{row}");
        for name in names {
            assert!(tests.contains(&format!("fn {name}(")), "no test is called {name}");
        }
    }
    // Further sentences name some as well.
    let words = security.split('`').skip(1).step_by(2).filter(|word| word.matches('_').count() > 2);
    let names: Vec<&str> = words.filter(|word| !word.contains(|c: char| c.is_uppercase() || c == ' ')).collect();
    assert!(names.len() > 80, "{} names", names.len());
    for name in names {
        let at = tests.find(&format!("fn {name}(")).unwrap_or_else(|| panic!("no test is called {name}"));
        let before = tests[..at].trim_end().trim_end_matches("pub(crate)").lines().next_back().unwrap_or_default();
        assert!(before.trim().starts_with("#["), "{name} is no test: {before}");
    }
}

#[test]
fn every_dependency_is_of_the_registry_and_none_is_banned() {
    let (lock, deny) = (text("Cargo.lock"), text("deny.toml"));
    let sources: BTreeSet<&str> = lock.lines().filter(|line| line.starts_with("source = ")).collect();
    assert_eq!(sources, BTreeSet::from(["source = \"registry+https://github.com/rust-lang/crates.io-index\""]));
    let banned: Vec<&str> = deny.split("{ crate = \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(banned.len() >= 3, "{banned:?}");
    for name in banned {
        assert!(!lock.contains(&format!("name = \"{name}\"\n")), "{name} is built in");
    }
}

/// Whether a licence expression is met by what `deny.toml` allows. Reads AND before OR, which is stricter.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let any = |part: &str| part.split(" OR ").any(|one| allowed.contains(one.trim_matches(['(', ')', ' '])));
    expression.replace('/', " OR ").split(" AND ").all(any)
}

#[test]
fn every_licence_is_one_that_is_allowed() {
    let deny = text("deny.toml");
    let list = deny.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).expect("a list").0;
    let allowed: BTreeSet<String> = list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let run = std::process::Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--locked",
            "--offline",
            "--format-version",
            "1",
            "--filter-platform",
            "x86_64-unknown-linux-gnu",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let all: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    let packages = all["packages"].as_array().expect("packages");
    let bad: Vec<_> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(|license| is_allowed(license, &allowed)))
        .map(|package| format!("{} ({})", package["name"], package["license"]))
        .collect();
    assert!(packages.len() > 100 && bad.is_empty(), "{bad:#?}");
}
