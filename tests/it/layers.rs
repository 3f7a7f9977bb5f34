//! The fences of the house: who may use whom, and how long things may be.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::paths::{self, Arrow};

/// Which layer may use which. A permission that nobody uses is taken out until somebody needs it.
pub(crate) const LAYERS: [(&str, &[&str]); 12] = [
    ("main", &["cli", "config", "exit"]),
    // The flags are of the model's types, such as the output format.
    ("cli", &["commands", "config", "model", "output"]),
    ("commands", &["api", "bulk", "config", "files", "journal", "model", "output", "sandbox"]),
    ("exit", &["api", "model", "output"]),
    ("bulk", &["api", "files", "journal", "model"]),
    ("journal", &["files", "model"]),
    ("sandbox", &["files", "model"]),
    ("api", &["model"]),
    ("config", &["files", "model"]),
    ("output", &["files", "model"]),
    ("files", &["model"]),
    ("model", &[]),
];

/// Which layers alone may know a crate or a part of the standard library.
const ROOMS: [(&str, &[&str]); 6] = [
    ("reqwest", &["api"]),
    ("axum", &["sandbox"]),
    // The client collects verified walks in a temporary table.
    ("rusqlite", &["api", "journal", "sandbox"]),
    ("std::process::ExitCode", &["main", "exit"]),
    ("std::io::stdout", &["output"]),
    ("std::io::stderr", &["output"]),
];

const FILE_LINES: usize = 450;
const FUNCTION_LINES: usize = 60;

/// What is wrong with these arrows between layers, in words.
fn complaints(arrows: &[Arrow]) -> Vec<String> {
    let table: BTreeMap<_, _> = LAYERS.into_iter().collect();
    let mut complaints = Vec::new();
    for Arrow { from, to, place } in arrows {
        match table.get(from.as_str()) {
            None => complaints.push(format!("{place}: `{from}` is no layer of the table")),
            Some(allowed) if !allowed.contains(&to.as_str()) => {
                complaints.push(format!("{place}: `{from}` may not use `{to}`"));
            }
            Some(_) => {}
        }
    }
    complaints
}

/// A way from a layer, or a file, back to itself, if there is one.
pub(crate) fn circle(arrows: &[Arrow]) -> Option<Vec<String>> {
    type Next<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;
    /// Goes on from the end of the way. What was left without a circle is not gone through again.
    fn walk<'a>(way: &mut Vec<&'a str>, left: &mut BTreeSet<&'a str>, next: &Next<'a>) -> Option<Vec<String>> {
        let here = *way.last()?;
        for step in next.get(here).into_iter().flatten() {
            if let Some(start) = way.iter().position(|seen| seen == step) {
                return Some(way[start..].iter().chain([step]).map(ToString::to_string).collect());
            }
            way.push(step);
            let found = if left.contains(step) { None } else { walk(way, left, next) };
            if found.is_some() {
                return found;
            }
            way.pop();
        }
        left.insert(here);
        None
    }
    let mut next = Next::new();
    for arrow in arrows {
        next.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let mut left = BTreeSet::new();
    next.keys().find_map(|start| walk(&mut vec![start], &mut left, &next))
}

/// Permissions of layers that exist, towards layers that exist, which no file uses.
fn idle(arrows: &[Arrow], existing: &BTreeSet<String>) -> Vec<String> {
    let used: BTreeSet<_> = arrows.iter().map(|arrow| (arrow.from.as_str(), arrow.to.as_str())).collect();
    let given = LAYERS.into_iter().flat_map(|(from, to)| to.iter().map(move |to| (from, *to)));
    given
        .filter(|(from, to)| existing.contains(*from) && existing.contains(*to))
        .filter(|pair| !used.contains(pair))
        .map(|(from, to)| format!("`{from}` may use `{to}` and does not: take the permission out of the table"))
        .collect()
}

/// Uses of crates and of the standard library outside their rooms.
fn trespasses(file: &str, source: &str) -> Vec<String> {
    let from = paths::layer(file);
    let outside = |path: &str| {
        ROOMS.into_iter().any(|(what, rooms)| {
            let inside = path == what || path.strip_prefix(what).is_some_and(|rest| rest.starts_with("::"));
            inside && !rooms.contains(&from.as_str())
        })
    };
    let paths = paths::of(file, source);
    paths
        .outer
        .into_iter()
        .filter(|path| outside(path))
        .map(|path| format!("{file}: `{from}` may not use `{path}`"))
        .collect()
}

/// Every source file, by its path from the project's root.
pub(crate) fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join("src"), &mut found);
    found.sort();
    let named = |path: &PathBuf| {
        let name = path.strip_prefix(root).expect("below the root").display().to_string().replace('\\', "/");
        (name, std::fs::read_to_string(path).expect("a source file"))
    };
    found.iter().map(named).collect()
}

fn all_arrows(sources: &[(String, String)]) -> Vec<Arrow> {
    sources.iter().flat_map(|(file, source)| paths::of(file, source).arrows).collect()
}

#[test]
fn the_layers_use_each_other_as_the_table_says_and_use_all_of_it() {
    let sources = sources();
    let arrows = all_arrows(&sources);
    let existing = sources.iter().map(|(file, _)| paths::layer(file)).collect();
    let mut found = complaints(&arrows);
    found.extend(circle(&arrows).map(|way| format!("a circle: {}", way.join(" → "))));
    found.extend(idle(&arrows, &existing));
    found.extend(sources.iter().flat_map(|(file, source)| trespasses(file, source)));
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_nothing_is_long() {
    let mut found = Vec::new();
    for (file, source) in sources() {
        if !source.starts_with("//! ") {
            found.push(format!("{file}: does not open with `//!` and a sentence"));
        }
        let lines = source.lines().count();
        if lines > FILE_LINES {
            found.push(format!("{file}: {lines} lines, {FILE_LINES} are enough"));
        }
        if file.matches('/').count() > 3 {
            found.push(format!("{file}: two folder levels below src are enough"));
        }
        for (name, lines) in paths::of(&file, &source).functions {
            if lines > FUNCTION_LINES {
                found.push(format!("{file}: `{name}` has {lines} lines, {FUNCTION_LINES} are enough"));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_kind_of_planted_arrow_is_seen() {
    let planted = [
        ("a use", "use crate::sandbox::state;"),
        ("a group", "use crate::{model::text, sandbox};"),
        ("a nested group", "use {crate::{sandbox::{self, state}}};"),
        ("a renamed use", "use crate::sandbox as harmless;"),
        ("super", "use super::super::sandbox;"),
        ("super in a module", "mod tests { use super::super::super::sandbox::x; }"),
        ("self and super", "use self::super::super::sandbox::x;"),
        ("an expression", "fn f() { crate::sandbox::start(); }"),
        ("a type", "fn f(x: &crate::sandbox::State) {}"),
        ("a pattern", "fn f() { if let crate::sandbox::Fault::None = x() {} }"),
        ("a bound", "fn f<T: super::super::sandbox::Shape>() {}"),
        ("a macro's tokens", "fn f() { tokio::select! { x = crate::sandbox::start() => {} } }"),
        ("nested macro tokens", "fn f() { vec![(1, super::super::sandbox::x())]; }"),
        ("a macro of its own", "macro_rules! m { () => { $crate::sandbox::x() } }"),
        ("a macro path", "fn f() { crate::sandbox::start!(); }"),
        ("an attribute", "#[serde(with = \"crate::sandbox::shape\")] struct S;"),
        ("a derive", "#[derive(crate::sandbox::Shape)] struct S;"),
        ("a re-export", "pub use crate::sandbox::*;"),
        ("an impl", "impl crate::sandbox::Shape for S {}"),
    ];
    for (kind, source) in planted {
        let arrows = paths::of("src/api/planted.rs", source).arrows;
        let found = complaints(&arrows);
        assert!(found.iter().any(|c| c.ends_with("`api` may not use `sandbox`")), "{kind}: {found:?}");
    }
}

#[test]
fn the_root_is_no_way_round() {
    let rounds = [
        "use crate as root;",
        "use super::super::*;",
        "use crate::*;",
        "use crate::{self as root};",
        "extern crate self as root;",
        "use crate::settle;",
    ];
    for source in rounds {
        let arrows = paths::of("src/api/planted.rs", source).arrows;
        assert_eq!(complaints(&arrows).len(), 1, "{source}: {arrows:?}");
    }
    let arrows = paths::of("src/main.rs", "mod api; use api::Client; fn main() { sandbox::start() }").arrows;
    assert_eq!(complaints(&arrows).len(), 2, "{arrows:?}");
}

#[test]
fn what_is_allowed_raises_no_complaint() {
    let source = "use crate::model::text; use super::send; pub(crate) fn f() { self::g(); super::pace(); text::x() }
        mod tests { use super::*; use super::super::send; } use std::sync::Arc;";
    let paths = paths::of("src/api/projects.rs", source);
    assert_eq!(complaints(&paths.arrows), Vec::<String>::new());
    assert_eq!(paths.arrows.len(), 1);
}

#[test]
fn a_circle_an_idle_permission_and_a_trespass_are_seen() {
    let arrow = |from: &str, to: &str| Arrow { from: from.to_owned(), to: to.to_owned(), place: String::new() };
    let round = [arrow("api", "model"), arrow("bulk", "api"), arrow("model", "bulk")];
    assert!(circle(&round).is_some());
    assert_eq!(circle(&round[..2]), None);
    let existing = ["bulk", "api", "model"].map(str::to_owned).into();
    let idle = idle(&round[..2], &existing);
    assert_eq!(idle.len(), 1, "{idle:?}");
    assert!(idle[0].contains("`bulk` may use `model`"), "{idle:?}");
    assert_eq!(trespasses("src/bulk/run.rs", "use reqwest::Client;").len(), 1);
    assert_eq!(trespasses("src/bulk/run.rs", "fn f() { std::io::stdout().flush(); }").len(), 1);
    assert!(trespasses("src/api/send.rs", "use reqwest::Client;").is_empty());
}

#[test]
fn the_table_itself_has_no_circle() {
    let arrow = |from: &str, to: &str| Arrow { from: from.to_owned(), to: to.to_owned(), place: String::new() };
    let arrows: Vec<_> = LAYERS.into_iter().flat_map(|(from, to)| to.iter().map(move |to| arrow(from, to))).collect();
    assert_eq!(circle(&arrows), None);
}

#[test]
fn a_long_function_is_measured_without_its_comment() {
    let source = format!("/// One\n/// two.\nfn f() {{\n{}}}\n", "g();\n".repeat(79));
    assert_eq!(paths::of("src/api/x.rs", &source).functions, [("f".to_owned(), 81)]);
}
