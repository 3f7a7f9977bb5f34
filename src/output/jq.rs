//! `--jq`: an expression of the jq language, compiled before the first request and run over the whole JSON document.

use std::io::Write;

use jaq_core::data::JustLut;
use jaq_core::load::{Arena, File, Loader, parse, span};
use jaq_core::{Compiler, Ctx, Filter, Vars};
use jaq_json::{Val, read};

use super::visible::{escaped, visible_lines};
use crate::model::verdict::{Failure, Verdict};

/// Filters that would end the program, write elsewhere than to the output, or read the environment or more input.
const LEFT_OUT: [&str; 9] =
    ["halt", "halt_error", "debug", "debug_empty", "stderr", "stderr_empty", "env", "input", "inputs"];

/// What the library has not, or does otherwise than jq: a missing value is an empty word.
const ADDED: &str = r#"
def join($s): map(if . == null then "" else tostring end) | .[:-1][] += $s | add // "";
def @csv: map(if type == "string" then "\"" + gsub("\""; "\"\"") + "\"" else . end) | join(",");
def @tsv: map(if type == "string" then gsub("\\\\"; "\\\\") | gsub("\t"; "\\t") | gsub("\r"; "\\r") | gsub("\n"; "\\n") else . end) | join("\t");
"#;

/// A compiled expression.
pub(super) struct Jq(Filter<JustLut<Val>>);

impl Jq {
    pub(super) fn compile(code: &str) -> Result<Self, Failure> {
        let added = parse(ADDED, |parser| parser.defs()).into_iter().flatten();
        let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(added);
        let defs = defs.filter(|def| !LEFT_OUT.contains(&def.name));
        let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let funs = funs.filter(|(name, ..)| !LEFT_OUT.contains(name));
        let arena = Arena::default();
        let modules = Loader::new(defs).load(&arena, File { code, path: () });
        let modules = modules.map_err(|errors| {
            let part = errors.iter().find_map(|(_, error)| place(error));
            mistake(code, "the expression has a mistake at", part)
        })?;
        let filter = Compiler::default().with_funs(funs).compile(modules);
        filter.map(Self).map_err(|errors| {
            let part = errors.iter().flat_map(|(_, errors)| errors).map(|(part, _)| *part).next();
            mistake(code, "there is no such filter or variable at", part)
        })
    }

    /// A line for each result: texts as they are, all else as JSON.
    pub(super) fn run(&self, document: &[u8], is_terminal: bool, out: &mut dyn Write) -> anyhow::Result<()> {
        let why = "the command was done, but its output does not fit the --jq expression";
        let unfit = || Failure::new(Verdict::Unforeseen, why);
        let input = read::parse_single(document).map_err(|_| unfit())?;
        let context = Ctx::<JustLut<Val>>::new(&self.0.lut, Vars::new([]));
        for result in self.0.id.run((context, input)) {
            // The language's own message quotes values.
            let line = match result.map_err(|_| unfit().hint("to skip what does not fit, write `.[]?` or `.field?`"))? {
                Val::TStr(text) if is_terminal => visible_lines(&String::from_utf8_lossy(&text)),
                Val::TStr(text) => String::from_utf8_lossy(&text).into_owned(),
                other => escaped(&other.to_string()).into_owned(),
            };
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

/// The part of the expression that could not be read.
fn place<'c>(error: &jaq_core::load::Error<&'c str>) -> Option<&'c str> {
    use jaq_core::load::Error;
    match error {
        Error::Io(errors) => errors.first().map(|(part, _)| *part),
        Error::Lex(errors) => errors.first().map(|(_, part)| *part),
        Error::Parse(errors) => errors.first().map(|(_, part)| *part),
    }
}

fn mistake(code: &str, what: &str, part: Option<&str>) -> Failure {
    // A part that is not in the code is its end.
    let found = part.filter(|part| code.as_bytes().as_ptr_range().contains(&part.as_ptr()));
    let before = found.map_or(code.len(), |part| span(code, part).start);
    if before == code.len() {
        return Failure::usage("--jq: the expression ends too early");
    }
    Failure::usage(format!("--jq: {what} character {}", code[..before].chars().count() + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(code: &str, document: &str, is_terminal: bool) -> Result<String, Failure> {
        let mut out = Vec::new();
        let ran = Jq::compile(code)?.run(document.as_bytes(), is_terminal, &mut out);
        ran.map_err(|error| error.downcast::<Failure>().expect("a failure"))?;
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn rows_are_made_as_by_jq() {
        let made = |code: &str| run(code, r#"[{"a":"x \"y\"\t\\","b":null,"c":7,"d":true}]"#, false).expect("a row");
        assert_eq!(made(r#".[] | [.a, .b, .c] | join(";")"#), "x \"y\"\t\\;;7\n");
        assert_eq!(made(".[] | [.a, .b, .c, .d] | @csv"), "\"x \"\"y\"\"\t\\\",,7,true\n");
        assert_eq!(made(".[] | [.a, .b, .c] | @tsv"), "x \"y\"\\t\\\\\t\t7\n");
        assert_eq!(made("[] | join(\",\")"), "\n");
    }

    #[test]
    fn texts_come_out_raw_and_all_else_as_json() {
        let people = r#"[{"id":7,"n":"Zoë \"Z\""},{"id":8,"n":null}]"#;
        assert_eq!(run(".[].n", people, false).as_deref(), Ok("Zoë \"Z\"\nnull\n"));
        assert_eq!(run("map(select(.id > 7) | {id})", people, false).as_deref(), Ok("[{\"id\":8}]\n"));
        assert_eq!(run("length", people, false).as_deref(), Ok("2\n"));
    }

    #[test]
    fn a_terminal_gets_lines_without_what_steers_it() {
        let hostile = r#"["a\u001b[2J\nb"]"#;
        assert_eq!(run(".[]", hostile, false).as_deref(), Ok("a\u{1b}[2J\nb\n"));
        assert_eq!(run(".[]", hostile, true).as_deref(), Ok("a\\u{1b}[2J\nb\n"));
        assert_eq!(run(".", hostile, true).as_deref(), Ok("[\"a\\u001b[2J\\nb\"]\n"));
    }

    #[test]
    fn a_mistake_has_its_place_and_no_message_quotes_data() {
        let cause = |code: &str| Jq::compile(code).map(|_| ()).expect_err(code).cause;
        for (code, at) in [(".a | nope", 6), ("env", 1), ("$x", 1), (".a ) b", 4)] {
            assert!(cause(code).ends_with(&format!(" character {at}")), "{code}: {}", cause(code));
        }
        for code in [".[", "map(.id", "", ".a |"] {
            assert!(cause(code).ends_with(" ends too early"), "{code}: {}", cause(code));
        }
        let error = run(".[].a", r#"["hush"]"#, false).expect_err("no such index");
        assert_eq!(error.verdict, Verdict::Unforeseen);
        assert!(!format!("{error:?}").contains("hush"));
    }
}
