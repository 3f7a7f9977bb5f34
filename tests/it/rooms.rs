//! The fences inside a room: no circle between its files, no name that means two things, and nothing that grows.

use std::collections::{BTreeMap, BTreeSet};

use crate::layers::{circle, sources};
use crate::paths::{self, Arrow, Paths};

/// Of functions that are shipped, at most one in twenty is longer.
const FUNCTION_LINES_P95: usize = 30;
/// Closures that are bound to a name are functions in hiding.
const BOUND_CLOSURES: usize = 60;
/// Names that still stand twice. `Judged`, `Place` and `Temporary` have a twin for platforms without folders that can be opened,
/// `Xlsx` for builds without workbooks.
const STILL_DOUBLED: [&str; 4] = ["FileStatus", "Place", "Temporary", "Xlsx"];

/// The files of the crate, each with what it has in it.
struct House {
    files: BTreeMap<Vec<String>, (String, Paths)>,
    tests: BTreeSet<Vec<String>>,
    /// What a name stands for that a module brings in.
    imports: BTreeMap<(Vec<String>, String), Vec<String>>,
}

impl House {
    fn of(sources: &[(String, String)]) -> Self {
        let read = |(file, source): &(String, String)| (paths::module(file), (file.clone(), paths::of(file, source)));
        let files: BTreeMap<_, _> = sources.iter().map(read).collect();
        let found = || files.values().map(|(_, paths)| paths);
        let imports = found().flat_map(|paths| paths.imports.iter().cloned());
        let imports = imports.map(|(module, name, place)| ((module, name), place)).collect();
        let tests = found().flat_map(|paths| paths.test_modules.iter().cloned()).collect();
        Self { files, tests, imports }
    }

    /// The files that are shipped: each with its module and what it has in it.
    fn shipped(&self) -> impl Iterator<Item = (&Vec<String>, &String, &Paths)> {
        let is_test = |module: &[String]| (0..=module.len()).any(|end| self.tests.contains(&module[..end]));
        let files = self.files.iter().filter(move |(module, _)| !is_test(module));
        files.map(|(module, (file, paths))| (module, file, paths))
    }

    /// The module in whose file the thing stands that a path names, through all names that modules hand on.
    fn home(&self, path: &[String]) -> Option<&Vec<String>> {
        let mut path = path.to_vec();
        // Names can be handed on in a ring by mistake only; the compiler refuses that.
        for _ in 0..20 {
            let end = (0..=path.len()).rev().find(|end| self.files.contains_key(&path[..*end]))?;
            let key = path.get(end).map(|name| (path[..end].to_vec(), name.clone()));
            match key.and_then(|key| self.imports.get(&key)) {
                Some(place) => path = [place, &path[end + 1..]].concat(),
                None => return self.files.get_key_value(&path[..end]).map(|(module, _)| module),
            }
        }
        None
    }

    /// Who uses whom of the same room. That a file uses what its own parents declare is no arrow, nor that a parent
    /// hands on a name of its children.
    fn arrows(&self, room: &str) -> Vec<Arrow> {
        let mut arrows = Vec::new();
        for (module, file, paths) in self.shipped().filter(|(module, ..)| module.first().is_some_and(|m| m == room)) {
            for reference in &paths.references {
                let Some(home) = self.home(&reference.segments) else { continue };
                let hands_on = reference.is_reexport && home.starts_with(module);
                if home.first() == module.first() && !module.starts_with(home) && !hands_on {
                    let place = format!("{file}:{}", reference.line);
                    arrows.push(Arrow { from: module.join("::"), to: home.join("::"), place });
                }
            }
        }
        arrows
    }

    /// A circle in each room that has one, in words.
    fn circles(&self) -> Vec<String> {
        let rooms: BTreeSet<_> = self.files.keys().filter_map(|module| module.first()).collect();
        rooms.into_iter().filter_map(|room| circle(&self.arrows(room))).map(|way| way.join(" → ")).collect()
    }

    /// Public names of types that stand for several things.
    fn doubled(&self) -> Vec<String> {
        let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (_, file, paths) in self.shipped() {
            for name in &paths.types {
                named.entry(name).or_default().push(file);
            }
        }
        // Each layer has one, by a custom of the language.
        named.remove("Error");
        named.retain(|name, files| files.len() > 1 && !STILL_DOUBLED.contains(name));
        named.into_iter().map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
    }
}

fn house(files: &[(&str, &str)]) -> House {
    let owned = |(file, source): &(&str, &str)| ((*file).to_owned(), (*source).to_owned());
    House::of(&files.iter().map(owned).collect::<Vec<_>>())
}

#[test]
fn no_room_has_a_circle_between_its_files() {
    let circles = House::of(&sources()).circles();
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}

#[test]
fn a_public_type_has_a_name_of_its_own() {
    let doubled = House::of(&sources()).doubled();
    assert!(doubled.is_empty(), "{} names\n{}", doubled.len(), doubled.join("\n"));
}

#[test]
fn most_functions_are_short_and_few_hide_in_closures() {
    let house = House::of(&sources());
    let mut lines: Vec<usize> = house.shipped().flat_map(|(_, _, paths)| paths.shipped_functions.clone()).collect();
    lines.sort_unstable();
    let p95 = lines[lines.len() * 95 / 100];
    assert!(p95 <= FUNCTION_LINES_P95, "one function in twenty is longer than {p95} lines");
    let closures = house.shipped().map(|(_, file, paths)| (paths.bound_closures.len(), file));
    let mut closures: Vec<_> = closures.filter(|(count, _)| *count > 0).collect();
    closures.sort_unstable_by(|one, other| other.cmp(one));
    let count: usize = closures.iter().map(|(count, _)| count).sum();
    assert!(count <= BOUND_CLOSURES, "{count} closures are bound to a name, {BOUND_CLOSURES} are enough: {closures:?}");
}

#[test]
fn every_kind_of_planted_circle_is_seen() {
    let planted: [(&str, &[(&str, &str)]); 7] = [
        ("two files", &[("src/api/a.rs", "use super::b::B;"), ("src/api/b.rs", "fn f() { crate::api::a::f() }")]),
        (
            "three in two folders",
            &[
                ("src/commands/x/a.rs", "use crate::commands::y::b;"),
                ("src/commands/y/b.rs", "use crate::commands::z;"),
                ("src/commands/z.rs", "fn f() { super::x::a::f() }"),
            ],
        ),
        (
            "a name that the parent hands on",
            &[
                ("src/api/mod.rs", "mod a; mod b; pub use a::A; pub use self::b::B;"),
                ("src/api/a.rs", "use crate::api::B;"),
                ("src/api/b.rs", "use super::A;"),
            ],
        ),
        (
            "a name that is handed on twice",
            &[
                ("src/api/mod.rs", "mod a; mod b; mod c; pub use b::Renamed;"),
                ("src/api/a.rs", "use crate::api::Renamed;"),
                ("src/api/b.rs", "pub use super::c::C as Renamed;"),
                ("src/api/c.rs", "use super::a::f;"),
            ],
        ),
        (
            "through a folder's own file",
            &[
                ("src/api/x/mod.rs", "mod a; use a::A; pub struct X;"),
                ("src/api/x/a.rs", "use crate::api::y::Y;"),
                ("src/api/y.rs", "use crate::api::x::X;"),
            ],
        ),
        ("a type", &[("src/api/a.rs", "fn f(b: &super::b::B) {}"), ("src/api/b.rs", "fn f(a: &super::a::A) {}")]),
        ("a macro", &[("src/api/a.rs", "fn f() { vec![super::b::g()]; }"), ("src/api/b.rs", "use super::a::f;")]),
    ];
    for (kind, files) in planted {
        let circles = house(files).circles();
        assert_eq!(circles.len(), 1, "{kind}: {circles:?}");
    }
}

#[test]
fn what_a_parent_and_its_children_are_to_each_other_is_no_circle() {
    let files = [
        ("src/api/mod.rs", "mod a; mod b; pub use a::A; pub struct Root; pub fn f() -> b::B { a::f() }"),
        ("src/api/a.rs", "use super::Root; use crate::api::b::B; pub struct A;"),
        ("src/api/b.rs", "pub struct B; fn f(_: crate::api::Root) {} #[cfg(test)] mod tests { use crate::api::a::A; }"),
        ("src/bulk/mod.rs", "#[cfg(test)] mod world; mod run;"),
        ("src/bulk/world.rs", "use super::run::Run;"),
        ("src/bulk/run.rs", "pub struct Run; #[cfg(test)] use super::world::World;"),
    ];
    assert_eq!(house(&files).circles(), Vec::<String>::new());
}

#[test]
fn a_name_that_stands_twice_is_seen() {
    let files = [
        ("src/api/a.rs", "pub struct Line; pub struct Error; struct Own; mod tests { pub(super) enum Kind {} }"),
        (
            "src/bulk/a.rs",
            "pub(crate) type Line = u8; pub enum Error {} pub trait Own {} #[cfg(test)] mod t { pub enum Kind {} }",
        ),
    ];
    assert_eq!(house(&files).doubled(), ["Line: src/api/a.rs, src/bulk/a.rs"]);
}
