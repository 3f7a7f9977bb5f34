//! The layers and rooms of `src`, by the table of the design: who may use whom, no circles, nothing long, few dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;

/// What each room may use beside itself.
const MAY_USE: [(&str, &str); 13] = [
    ("main", "cli exit config commands output"),
    ("cli", "commands config output exit"),
    ("exit", "model"),
    ("commands", "bulk sandbox output config journal api roster files model"),
    ("bulk", "api journal roster files model"),
    ("sandbox", "model files"),
    ("output", "files model"),
    ("config", "files model"),
    ("journal", "files model"),
    ("api", "model"),
    ("roster", "model"),
    ("files", "model"),
    ("model", ""),
];

/// Each module by its path (`api::list`), with its text up to its tests.
fn modules() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let name = path.strip_prefix(&root).expect("below").with_extension("").display().to_string();
                let name = name.replace('/', "::").trim_end_matches("::mod").to_owned();
                found.insert(name, text);
            }
        }
    }
    found
}

/// A source without its tests, comments and texts.
fn production(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let plain =
        Regex::new(r##"(?s)//[^\n]*|b?r#".*?"#|b?"(?:\\.|[^"\\])*"|'(?:\\.[^']*|[^'\\])'"##).expect("a pattern");
    plain.replace_all(text, |hit: &regex::Captures| "\n".repeat(hit[0].matches('\n').count())).into_owned()
}

/// Paths of modules that a source names by `crate::` or `super::`, from the top: `crate::a::{b, c}` names two.
fn paths(module: &str, text: &str) -> BTreeSet<String> {
    let pattern = Regex::new(r"\b(crate|super(?:::super)*)((?:::\w+)*)(?:::\{([^}]*))?").expect("a pattern");
    let mut found = BTreeSet::new();
    for hit in pattern.captures_iter(text) {
        let mut start: Vec<&str> = module.split("::").collect();
        match &hit[1] {
            "crate" => start.clear(),
            supers => start.truncate(start.len().saturating_sub(supers.matches("super").count())),
        }
        let names = hit.get(3).map_or("", |names| names.as_str()).split(',').map(|name| name.replace('{', ""));
        found.extend(names.map(|name| format!("{}{}::{}", start.join("::"), &hit[2], name.trim())));
    }
    found.iter().map(|path| path.trim_matches(':').to_owned()).collect()
}

/// Who uses whom among the modules. A use of an item of one's own parents is none.
fn uses() -> BTreeSet<(String, String)> {
    let modules = modules();
    let mut found = BTreeSet::new();
    for (module, text) in &modules {
        for mut path in paths(module, &production(text)) {
            while !modules.contains_key(&path) && path.contains("::") {
                path.truncate(path.rfind("::").unwrap_or(0));
            }
            let is_parent = *module == path || module.starts_with(&format!("{path}::"));
            if modules.contains_key(&path) && !is_parent {
                found.insert((module.clone(), path));
            }
        }
    }
    found
}

/// Whoever is reached from `start` by at least one step.
fn reached<'a>(start: &'a str, arrows: &'a BTreeSet<(String, String)>) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(at) = open.pop() {
        let next = arrows.iter().filter(|(from, _)| from == at).map(|(_, to)| to.as_str());
        open.extend(next.filter(|to| found.insert(*to)).collect::<Vec<_>>());
    }
    found
}

#[test]
fn each_room_uses_only_what_the_design_allows() {
    let room = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    for (from, to) in uses().iter().map(|(from, to)| (room(from), room(to))).filter(|(from, to)| from != to) {
        let allowed = MAY_USE.iter().find(|(known, _)| *known == from).unwrap_or_else(|| panic!("no room {from}")).1;
        assert!(allowed.split(' ').any(|room| room == to), "{from} may not use {to}");
    }
}

#[test]
fn no_circle_runs_through_rooms_or_files() {
    let arrows = uses();
    let circle: Vec<_> = arrows.iter().filter(|(from, to)| reached(to, &arrows).contains(from.as_str())).collect();
    assert!(circle.is_empty(), "{circle:#?}");
}

/// The lengths of the functions of a source that rustfmt formatted, by their names.
fn functions(text: &str) -> Vec<(usize, String)> {
    let begins = Regex::new(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |async )*fn (\w+)").expect("a pattern");
    let lines: Vec<&str> = text.lines().collect();
    let length = |(at, line): (usize, &&str)| {
        let hit = begins.captures(line)?;
        let ends = |line: &&str| **line == format!("{}}}", &hit[1]);
        let is_short = line.ends_with(';') || line.ends_with('}');
        let length = if is_short { 0 } else { lines[at..].iter().position(ends)? };
        Some((length + 1, hit[2].to_owned()))
    };
    lines.iter().enumerate().filter_map(length).collect()
}

#[test]
fn functions_and_files_are_short_and_each_file_says_what_it_is() {
    let modules = modules();
    let mut lengths = Vec::new();
    for (module, text) in &modules {
        assert!(text.starts_with("//! "), "{module} does not say what it is");
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        assert!(text.lines().count() <= 450, "{module} has {} lines", text.lines().count());
        lengths.extend(functions(text).into_iter().map(|(length, name)| (length, format!("{module}::{name}"))));
    }
    lengths.sort();
    let (long, all) = (lengths.iter().filter(|(length, _)| *length > 30).count(), lengths.len());
    assert!(lengths.last().is_some_and(|(length, _)| *length <= 60), "{:?}", lengths.last());
    assert!(long * 20 <= all, "{long} of {all} functions have more than 30 lines: {:#?}", &lengths[all - long..]);
}

#[test]
fn a_public_type_has_a_name_of_its_own_and_few_dependencies_are_direct() {
    let mut seen = BTreeMap::new();
    let types = Regex::new(r"(?m)^pub (?:struct|enum|trait|type) (\w+)").expect("a pattern");
    for (module, text) in modules() {
        for hit in types.captures_iter(&production(&text)).filter(|hit| &hit[1] != "Error") {
            let other = seen.insert(hit[1].to_owned(), module.clone());
            assert_eq!(other, None, "{} stands in {module} too", &hit[1]);
        }
    }
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = manifest.parse().expect("TOML");
    let direct =
        |table: &toml::Table| table.get("dependencies").and_then(toml::Value::as_table).map_or(0, toml::Table::len);
    let targets = manifest["target"].as_table().into_iter().flat_map(|targets| targets.values());
    let count = direct(&manifest) + targets.filter_map(toml::Value::as_table).map(direct).sum::<usize>();
    assert!((20..=40).contains(&count), "{count} direct dependencies");
}

#[test]
fn arrows_circles_and_long_functions_are_seen() {
    let text = production(
        "use crate::model::{text::Email, people};\nfn f() {\n    super::pace::wait(\"crate::bulk\"); // crate::cli\n}\n",
    );
    let expected = ["api::pace::wait", "model::people", "model::text::Email"];
    assert_eq!(paths("api::list", &text).iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(functions(&text), [(3, "f".to_owned())]);
    let arrows = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
    assert!(reached("a", &arrows).contains("a") && !reached("d", &arrows).contains("d"));
}
