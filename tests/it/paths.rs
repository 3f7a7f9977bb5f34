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

/// What a source file has in it.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// Paths into other layers.
    pub(crate) arrows: Vec<Arrow>,
    /// Paths that start outside this crate, such as `std::io::stdout`.
    pub(crate) outer: Vec<String>,
    /// Functions and their lines, from the signature to the closing brace.
    pub(crate) functions: Vec<(String, usize)>,
}

/// The layer to which a file belongs.
pub(crate) fn layer(file: &str) -> String {
    module(file).into_iter().next().unwrap_or_else(|| "main".to_owned())
}

/// All that a file has in it.
pub(crate) fn of(file: &str, source: &str) -> Paths {
    let parsed = syn::parse_file(source).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut reader = Reader { file, module: module(file), found: Paths::default() };
    reader.visit_file(&parsed);
    reader.found
}

fn module(file: &str) -> Vec<String> {
    let path = file.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
    if path == "main" { Vec::new() } else { path.split('/').map(str::to_owned).collect() }
}

struct Reader<'a> {
    file: &'a str,
    /// The module in which the reader stands, inline modules included.
    module: Vec<String>,
    found: Paths,
}

impl Reader<'_> {
    fn path(&mut self, segments: &[String], line: usize) {
        let Some(first) = segments.first() else { return };
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
            // In the root a layer's bare name leads to it; elsewhere a bare name is local or of another crate.
            _ if !self.module.is_empty() || !is_layer(first) => {
                self.found.outer.push(segments.join("::"));
                return;
            }
            _ => {}
        }
        place.extend(rest.iter().cloned());
        self.arrow(place.first().filter(|name| is_layer(name)).map_or("main", String::as_str), line);
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
            syn::UseTree::Name(name) => self.used(before, Some(&name.ident)),
            syn::UseTree::Rename(rename) => self.used(before, Some(&rename.ident)),
            syn::UseTree::Glob(_) => self.used(before, None),
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, before);
                }
            }
        }
    }

    fn used(&mut self, before: &[String], last: Option<&syn::Ident>) {
        let mut segments = before.to_vec();
        let line = last.map_or(0, |ident| ident.span().start().line);
        segments.extend(last.map(ToString::to_string).filter(|name| before.is_empty() || name != "self"));
        self.path(&segments, line);
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

fn is_layer(name: &str) -> bool {
    name != "main" && LAYERS.iter().any(|(layer, _)| *layer == name)
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, &mut Vec::new());
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
