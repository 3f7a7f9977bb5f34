//! Every path in a source file: which layers it leads to, and which crates.

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::layers::LAYERS;

/// One layer uses another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// The layer of the file.
    pub(crate) from: String,
    /// The layer that a path leads to; `main` for the crate's root.
    pub(crate) to: String,
    /// File and line.
    pub(crate) place: String,
}

/// A path that leads somewhere in this crate, spelled from its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// Modules and, at the end, an item.
    pub(crate) segments: Vec<String>,
    /// Whether it is handed on under this module's name (`pub use`).
    pub(crate) is_reexport: bool,
    /// The line in its file.
    pub(crate) line: usize,
}

/// What a source file has in it.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Paths into other layers.
    pub(crate) arrows: Vec<Arrow>,
    /// Paths into this crate, but for those of tests.
    pub(crate) references: Vec<Reference>,
    /// Names that a `use` brings in, with the module where it stands and what each stands for.
    pub(crate) imports: Vec<(Vec<String>, String, Vec<String>)>,
    /// Modules in files of their own that are for tests alone.
    pub(crate) test_modules: Vec<Vec<String>>,
    /// Public structs, enums, traits and aliases, but for those of tests.
    pub(crate) types: Vec<String>,
    /// Closures that are bound to a name, but for those of tests, by their lines.
    pub(crate) bound_closures: Vec<usize>,
    /// Paths that start outside this crate, such as `std::io::stdout`.
    pub(crate) outer: Vec<String>,
    /// Functions and their lines, from the signature to the closing brace.
    pub(crate) functions: Vec<(String, usize)>,
    /// The lines of functions that are not for tests.
    pub(crate) shipped_functions: Vec<usize>,
}

/// The layer to which a file belongs.
pub(crate) fn layer(file: &str) -> String {
    module(file).into_iter().next().unwrap_or_else(|| "main".to_owned())
}

/// All that a file has in it.
pub(crate) fn of(file: &str, source: &str) -> Paths {
    let parsed = syn::parse_file(source).unwrap_or_else(|error| panic!("{file}: {error}"));
    let children = parsed.items.iter().filter_map(|item| match item {
        syn::Item::Mod(item) if item.content.is_none() => Some(item.ident.to_string()),
        _ => None,
    });
    let mut reader = Reader {
        file,
        module: module(file),
        children: children.collect(),
        is_test: false,
        is_reexport: false,
        found: Paths::default(),
    };
    reader.visit_file(&parsed);
    reader.found
}

/// The module that a file is.
pub(crate) fn module(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "main" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

struct Reader<'a> {
    file: &'a str,
    /// The module in which the reader stands, inline modules included.
    module: Vec<String>,
    /// The modules that the file declares and that have files of their own.
    children: Vec<String>,
    /// Whether the reader stands in a module for tests.
    is_test: bool,
    /// Whether the reader stands in a `pub use`.
    is_reexport: bool,
    found: Paths,
}

impl Reader<'_> {
    /// Notes a path, and says where it leads in this crate.
    fn path(&mut self, segments: &[String], line: usize) -> Option<Vec<String>> {
        let place = self.place(segments)?;
        self.arrow(place.first().filter(|name| is_layer(name)).map_or("main", String::as_str), line);
        if !self.is_test {
            let segments = place.clone();
            self.found.references.push(Reference { segments, is_reexport: self.is_reexport, line });
        }
        Some(place)
    }

    /// A path from the crate's root; `None` for one that leads out of the crate or stays in the file.
    fn place(&mut self, segments: &[String]) -> Option<Vec<String>> {
        let first = segments.first()?;
        let mut place = self.module.clone();
        let mut rest = segments;
        match first.as_str() {
            "crate" => {
                place.clear();
                rest = &rest[1..];
            }
            "self" | "super" => {
                while let Some(step) = rest.first().filter(|step| matches!(step.as_str(), "self" | "super")) {
                    if step == "super" {
                        place.pop();
                    }
                    rest = &rest[1..];
                }
            }
            // In the root a layer's bare name leads to it, and everywhere that of a module which the file declares;
            // otherwise a bare name is local or of another crate.
            _ if self.module.is_empty() && is_layer(first) => {}
            _ if self.children.contains(first) && self.module == module(self.file) => {}
            _ => {
                self.found.outer.push(segments.join("::"));
                return None;
            }
        }
        place.extend(rest.iter().cloned());
        Some(place)
    }

    fn arrow(&mut self, to: &str, line: usize) {
        let from = layer(self.file);
        if from != to {
            self.found.arrows.push(Arrow { from, to: to.to_owned(), place: format!("{}:{line}", self.file) });
        }
    }

    fn use_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.use_tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Name(name) => self.used(before, Some(&name.ident), Some(&name.ident)),
            syn::UseTree::Rename(rename) => self.used(before, Some(&rename.ident), Some(&rename.rename)),
            syn::UseTree::Glob(_) => self.used(before, None, None),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, before);
                }
            }
        }
    }

    fn used(&mut self, before: &[String], last: Option<&syn::Ident>, name: Option<&syn::Ident>) {
        let mut segments = before.to_vec();
        let line = last.map_or(0, |ident| ident.span().start().line);
        segments.extend(last.map(ToString::to_string).filter(|name| before.is_empty() || name != "self"));
        if let (Some(place), Some(name)) = (self.path(&segments, line), name) {
            self.found.imports.push((self.module.clone(), name.to_string(), place));
        }
    }

    fn item(&mut self, visibility: &syn::Visibility, name: &syn::Ident) {
        if !self.is_test && !matches!(visibility, syn::Visibility::Inherited) {
            self.found.types.push(name.to_string());
        }
    }

    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => self.literal(literal),
                TokenTree::Ident(ident) => {
                    let line = ident.span().start().line;
                    let (segments, end) = token_path(&tokens, at);
                    // A path in the middle of another one has been read already.
                    at = end;
                    if segments.len() > 1 {
                        self.path(&segments, line);
                    }
                    continue;
                }
                TokenTree::Punct(_) => {}
            }
            at += 1;
        }
    }

    /// Attributes such as serde's name functions in strings.
    fn literal(&mut self, literal: &proc_macro2::Literal) {
        let text = literal.to_string();
        let inner = text.trim_matches('"');
        if ["crate::", "super::", "self::"].iter().any(|start| inner.starts_with(start)) {
            let segments: Vec<_> = inner.split("::").map(|part| part.trim().to_owned()).collect();
            self.path(&segments, literal.span().start().line);
        }
    }

    fn function(&mut self, signature: &syn::Signature, end: proc_macro2::Span) {
        let lines = end.end().line + 1 - signature.span().start().line;
        self.found.functions.push((signature.ident.to_string(), lines));
        if !self.is_test {
            self.found.shipped_functions.push(lines);
        }
    }
}

/// Reads `a::b::c` out of tokens: its segments, and where it ends.
fn token_path(tokens: &[TokenTree], start: usize) -> (Vec<String>, usize) {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    let mut segments = Vec::new();
    let mut at = start;
    while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
        segments.push(ident.to_string());
        if !(colon(at + 1) && colon(at + 2) && matches!(tokens.get(at + 3), Some(TokenTree::Ident(_)))) {
            return (segments, at + 1);
        }
        at += 3;
    }
    (segments, at)
}

/// Whether something is compiled for tests alone.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        attribute.path().is_ident("cfg") && (list == "test" || list.starts_with("all (test"))
    })
}

/// The module that a file would be of which an attribute says that it holds this one: it stands beside the file.
fn file_of(attributes: &[syn::Attribute], file: &str) -> Option<Vec<String>> {
    let path = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    let syn::Expr::Lit(literal) = &path.meta.require_name_value().ok()?.value else { return None };
    let syn::Lit::Str(name) = &literal.lit else { return None };
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    Some(module(&format!("{folder}/{}", name.value())))
}

fn is_layer(name: &str) -> bool {
    name != "main" && LAYERS.iter().any(|(layer, _)| *layer == name)
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        let was_test = self.is_test;
        self.is_test |= is_for_tests(&item.attrs);
        if item.content.is_none() && self.is_test {
            self.found.test_modules.push(file_of(&item.attrs, self.file).unwrap_or_else(|| self.module.clone()));
        }
        visit::visit_item_mod(self, item);
        self.is_test = was_test;
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let was_test = self.is_test;
        self.is_test |= is_for_tests(&item.attrs);
        self.is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.use_tree(&item.tree, &mut Vec::new());
        self.is_reexport = false;
        self.is_test = was_test;
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.item(&item.vis, &item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.item(&item.vis, &item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.item(&item.vis, &item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.item(&item.vis, &item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let value = local.init.as_ref().map(|init| init.expr.as_ref());
        if matches!(value, Some(syn::Expr::Closure(_))) && !self.is_test {
            self.found.bound_closures.push(local.span().start().line);
        }
        visit::visit_local(self, local);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        if item.ident == "self" {
            self.path(&["crate".to_owned()], item.ident.span().start().line);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if segments.len() > 1 {
            self.path(&segments, path.span().start().line);
        }
        visit::visit_path(self, path);
    }

    /// `pub(crate)` and its like say who may look in, not where this file looks.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.tokens(tokens.clone());
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, item.block.span());
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, item.block.span());
        visit::visit_impl_item_fn(self, item);
    }
}
