//! The layers and rooms of `src`, by the table of the design: who may use whom, no circles, nothing long, few dependencies.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use regex::Regex;

/// What the rooms may use beside themselves.
const MAY_USE: [(&str, &str); 8] = [
    ("main", "cli exit config commands output"),
    ("cli", "commands config output exit"),
    ("commands", "bulk sandbox output config journal api roster files model"),
    ("bulk", "api journal roster files model"),
    ("sandbox", "model files"),
    ("output config journal", "files model"),
    ("api roster files exit", "model"),
    ("model", ""),
];

/// The modules by their paths (`api::list`), without what is compiled for tests only, comments and files of tests.
fn modules() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut found, mut tests, mut folders) = (BTreeMap::new(), Vec::new(), vec![root.clone()]);
    let of_tests = Regex::new(r"#\[cfg\(test\)\]\n(?:pub )?mod (\w+);").expect("a pattern");
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let Ok(text) = std::fs::read_to_string(&path) else {
                folders.push(path);
                continue;
            };
            if path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let name = path.strip_prefix(&root).expect("below").with_extension("").display().to_string();
            let name = name.replace('/', "::").trim_end_matches("::mod").to_owned();
            tests.extend(of_tests.captures_iter(&text).map(|hit| format!("{name}::{}", &hit[1])));
            assert!(text.starts_with("//! "), "{name} does not say what it is");
            let text = text.lines().take_while(|line| *line != "mod tests {");
            let lines = text.filter(|line| !line.trim_start().starts_with("//"));
            found.insert(name, lines.flat_map(|line| [line, "\n"]).collect());
        }
    }
    found.retain(|name, _| !tests.iter().any(|test| format!("{name}::").starts_with(&format!("{test}::"))));
    found
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
        for mut path in paths(module, text) {
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
fn rooms_use_only_what_the_design_allows_and_nothing_in_circles() {
    let (room, arrows) = (|module: &str| module.split("::").next().unwrap_or_default().to_owned(), uses());
    let has = |rooms: &str, room: &str| rooms.split(' ').any(|known| known == room);
    for (from, to) in arrows.iter().map(|(from, to)| (room(from), room(to))).filter(|(from, to)| from != to) {
        let allowed = MAY_USE.iter().find(|(rooms, _)| has(rooms, &from)).unwrap_or_else(|| panic!("no room {from}")).1;
        assert!(has(allowed, &to), "{from} may not use {to}");
    }
    let circle: Vec<_> = arrows.iter().filter(|(from, to)| reached(to, &arrows).contains(from.as_str())).collect();
    assert!(circle.is_empty(), "{circle:#?}");
}

/// The lengths of the functions of a source that rustfmt formatted, by their names.
fn functions(text: &str) -> Vec<(usize, String)> {
    let begins = Regex::new(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |async )*fn (\w+)").expect("a pattern");
    let length = |(at, line): (usize, &str)| {
        let hit = begins.captures(line)?;
        let ends = |line: &str| line == format!("{}}}", &hit[1]);
        let is_short = line.ends_with(';') || line.ends_with('}');
        let length = if is_short { 0 } else { text.lines().skip(at).position(ends)? };
        Some((length + 1, hit[2].to_owned()))
    };
    text.lines().enumerate().filter_map(length).collect()
}

#[test]
fn functions_and_files_are_short_and_each_file_says_what_it_is() {
    let mut lengths = Vec::new();
    for (module, text) in &modules() {
        assert!(text.lines().count() <= 450, "{module} has {} lines", text.lines().count());
        lengths.extend(functions(text).into_iter().map(|(length, name)| (length, format!("{module}::{name}"))));
    }
    lengths.sort();
    let (long, all) = (lengths.iter().filter(|(length, _)| *length > 30).count(), lengths.len());
    assert!(lengths[all - 1].0 <= 60, "{:?}", lengths[all - 1]);
    assert!(long * 20 <= all, "{long} of {all} functions have more than 30 lines: {:#?}", &lengths[all - long..]);
}

#[test]
fn a_public_type_has_a_name_of_its_own_and_few_dependencies_are_direct() {
    let mut seen = BTreeMap::new();
    let types = Regex::new(r"(?m)^pub (?:struct|enum|trait|type) (\w+)").expect("a pattern");
    for (module, text) in modules() {
        for hit in types.captures_iter(&text).filter(|hit| &hit[1] != "Error") {
            let other = seen.insert(hit[1].to_owned(), module.clone());
            assert_eq!(other, None, "{} stands in {module} too", &hit[1]);
        }
    }
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).expect("a manifest");
    let sections =
        manifest.split("\n[").filter(|section| !section.starts_with("dev-") && section.contains("dependencies]\n"));
    let count = sections.flat_map(str::lines).skip(1).filter(|line| line.contains(" = ")).count();
    assert!((20..=40).contains(&count), "{count} direct dependencies");
}

#[test]
fn arrows_circles_and_long_functions_are_seen() {
    let text = "use crate::model::{text::Email, people};\nfn f() {\n    super::pace::wait();\n}\n";
    let expected = ["api::pace::wait", "model::people", "model::text::Email"].map(str::to_owned);
    assert_eq!(paths("api::list", text), expected.into());
    assert_eq!(functions(text), [(3, "f".to_owned())]);
    let arrows = ["ab", "bc", "ca", "cd"].map(|way| (way[..1].to_owned(), way[1..].to_owned())).into();
    assert!(reached("a", &arrows).contains("a") && !reached("d", &arrows).contains("d"));
}
