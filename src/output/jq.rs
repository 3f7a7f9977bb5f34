//! `--jq`: an expression of the jq language, checked before anything is asked and run over the whole output.

use std::fmt;
use std::io::Write;

use jaq_core::data::JustLut;
use jaq_core::load::lex::Expect as LexExpect;
use jaq_core::load::{Arena, Error as LoadError, File, Loader, import, span};
use jaq_core::native::{bome, run, v};
use jaq_core::{Compiler, Ctx, Cv, Error as JaqError, Exn, Filter, ValXs, Vars};
use jaq_json::{Val, read};
use serde_json::Value;

use super::error::Error;
use super::filter::OutputFilter;
use super::jq_fields::{asked_fields, bears_what_is_missing, no_such_field, unknown};
use super::json;

/// Filters of the language that this program has not: they would show the environment, end the program or write beside
/// the output.
const LEFT_OUT: [&str; 7] = ["env", "halt", "halt_error", "debug", "debug_empty", "stderr", "stderr_empty"];

/// What people know of the language and its library here has not.
const OWN: &str = r#"
def @csv: map(
  if type == "string" then "\"" + (split("\"") | join("\"\"")) + "\""
  elif . == null then ""
  elif type == "array" or type == "object" then error("a row has cells")
  else tostring end) | join(",");
def @tsv: map(
  if type == "string" then
    split("\\") | join("\\\\") | split("\t") | join("\\t") | split("\n") | join("\\n") | split("\r") | join("\\r")
  elif . == null then ""
  elif type == "array" or type == "object" then error("a row has cells")
  else tostring end) | join("\t");
"#;

/// Deeper than this a value is not read: each level takes some of the stack, and records of the service may be hostile.
const DEEPEST: usize = 1_000;

/// The filter that reads a text as JSON; `tonumber` is made of it. The language's own one follows any nesting.
const FROM_JSON: &str = "fromjson";
/// Its error where a text is nested more deeply than [`DEEPEST`].
const TOO_DEEP: &str = "nested too deeply";

/// Filters that might never end over a value that is not the one they are meant for.
const LOOPS: [&str; 5] = ["until", "while", "repeat", "recurse", "def "];

/// As many results show what it asks for.
const ENOUGH: usize = 1_000;

/// A compiled expression.
pub struct JqFilter {
    code: String,
    filter: Filter<JustLut<Val>>,
    asked: Vec<String>,
}

impl fmt::Debug for JqFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JqFilter")
    }
}

impl JqFilter {
    /// Compiles an expression; an error points at its place.
    pub fn compile(code: &str) -> Result<Self, Error> {
        let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
        let own = jaq_core::load::parse(OWN, |parser| parser.defs()).unwrap_or_default();
        let defs = defs.filter(|def| !LEFT_OUT.contains(&def.name)).chain(own);
        let funs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
        let funs = funs.filter(|(name, ..)| !LEFT_OUT.contains(name) && *name != FROM_JSON);
        let funs = funs.chain([run::<JustLut<Val>>((FROM_JSON, v(0), from_json))]);
        let arena = Arena::default();
        let modules = Loader::new(defs).load(&arena, File { code, path: () });
        let modules = modules.map_err(|errors| mistake(code, errors.iter().find_map(|(_, error)| unread(error))))?;
        // A module's text is refused where it is loaded; one of data would be missed where its variable is first used.
        import(&modules, |_| Err(String::new()))
            .map_err(|errors| mistake(code, errors.iter().find_map(|(_, error)| unread(error))))?;
        let filter = Compiler::default().with_funs(funs).compile(modules);
        filter.map(|filter| Self { code: code.to_owned(), filter, asked: asked_fields(code) }).map_err(|errors| {
            let first = errors.iter().flat_map(|(_, errors)| errors).next();
            mistake(code, first.map(|(part, kind)| (format!("there is no {} `{part}` here", kind.as_str()), *part)))
        })
    }
}

impl OutputFilter for JqFilter {
    /// A line for each result, texts as they are, all else as JSON.
    fn run(&self, input: &str, out: &mut dyn Write) -> Result<(), Error> {
        if depth(input.as_bytes()) > DEEPEST {
            return Err(Error::JqFailed { after: 0, why: "the output is nested too deeply" });
        }
        let input = read::parse_single(input.as_bytes())
            .map_err(|_| Error::JqFailed { after: 0, why: "the output cannot be read" })?;
        let context = Ctx::<JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        let mut line = String::new();
        for (after, result) in self.filter.id.run((context, input)).enumerate() {
            let value = result.map_err(|exception| {
                let error = exception.get_err().map(|error| error.to_string()).unwrap_or_default();
                Error::JqFailed { after, why: kind(&error) }
            })?;
            line.clear();
            match &value {
                Val::TStr(text) => line.push_str(&String::from_utf8_lossy(text)),
                other => json::append(&mut line, &other.to_string(), None),
            }
            line.push('\n');
            out.write_all(line.as_bytes()).map_err(Error::Spool)?;
        }
        Ok(())
    }

    fn check(&self, fields: &[String], is_list: bool, is_write: bool) -> Result<(), Error> {
        if let Some(field) = self.asked_of_list(fields).filter(|_| is_list) {
            return Err(no_such_field(&self.code, &field, fields, true));
        }
        match self.asked.iter().find(|field| is_write && !fields.contains(field)) {
            Some(field) => Err(no_such_field(&self.code, field, fields, false)),
            None => Ok(()),
        }
    }

    fn check_output(&self, fields: &[String], output: &str) -> Result<(), Error> {
        match unknown(&self.asked, fields, output).filter(|_| !bears_what_is_missing(&self.code)) {
            Some(field) => Err(no_such_field(&self.code, field, fields, false)),
            None => Ok(()),
        }
    }
}

impl JqFilter {
    /// The field that it asks the list itself for, seen on a list of one record without values.
    fn asked_of_list(&self, fields: &[String]) -> Option<String> {
        if LOOPS.iter().any(|filter| self.code.contains(filter)) {
            return None;
        }
        let record: Vec<String> = fields.iter().map(|field| format!("{}:null", Value::from(field.as_str()))).collect();
        let list = read::parse_single(format!("[{{{}}}]", record.join(",")).as_bytes()).ok()?;
        let context = Ctx::<JustLut<Val>>::new(&self.filter.lut, Vars::new([]));
        let error = self.filter.id.run((context, list)).take(ENOUGH).find_map(Result::err)?;
        let error = error.get_err().ok()?.to_string();
        let (_, field) = error.strip_prefix("cannot index [")?.rsplit_once(" with \"")?;
        Some(field.trim_end_matches('"').to_owned())
    }
}

/// [`FROM_JSON`], for texts that are not nested without end: they may be the service's.
fn from_json((_, value): Cv<'_, JustLut<Val>>) -> ValXs<'_, Val> {
    let text = match value.try_as_utf8_bytes_owned() {
        Ok(text) if depth(&text) <= DEEPEST => text,
        Ok(_) => return bome(Err(JaqError::str(TOO_DEEP))),
        Err(error) => return bome(Err(error)),
    };
    let mut values = Vec::new();
    for value in read::parse_many(&text) {
        let is_last = value.is_err();
        values.push(value.map_err(|error| Exn::from(JaqError::str(error))));
        // The reader stays where its first error is.
        if is_last {
            break;
        }
    }
    Box::new(values.into_iter())
}

/// What could not be read, and where that stands.
fn unread<'c>(error: &LoadError<&'c str>) -> Option<(String, &'c str)> {
    match error {
        LoadError::Lex(errors) => errors.first().map(|(expected, rest)| match expected {
            LexExpect::Delim(open) => (format!("`{open}` is not closed"), *open),
            other => (format!("{} is expected", other.as_str()), *rest),
        }),
        LoadError::Parse(errors) => {
            errors.first().map(|(expected, found)| (format!("{} is expected", expected.as_str()), *found))
        }
        LoadError::Io(errors) => errors.first().map(|(part, _)| ("modules cannot be loaded".to_owned(), *part)),
    }
}

/// A mistake with its place: a character of the expression, counted from one, and the line where there are several.
fn mistake(code: &str, found: Option<(String, &str)>) -> Error {
    let Some((what, part)) = found else {
        return Error::Jq { what: "it cannot be read".to_owned(), line: 1, column: 1 };
    };
    // A part that is none of the code (the end of it, or a word of the language's own library) stands at its end.
    let range = code.as_bytes().as_ptr_range();
    let at = if range.contains(&part.as_ptr()) { span(code, part).start } else { code.len() };
    let before = &code[..at];
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    Error::Jq { what, line, column: before[begin..].chars().count() + 1 }
}

/// What kind of error it is, without the values that the language's own message quotes: they are of people.
fn kind(message: &str) -> &'static str {
    const KINDS: [(&str, &str); 5] = [
        ("cannot index", "a value has no such index; `?` after it goes on"),
        ("cannot use", "a value is of another type than the filter takes"),
        ("cannot calculate", "values of these types cannot be calculated with"),
        ("invalid path expression", "what is to be changed is no path"),
        (TOO_DEEP, "a text is JSON that is nested too deeply"),
    ];
    // A message of our own is a text of the language, in its quotes.
    let known = KINDS.into_iter().find(|(begin, _)| message.trim_start_matches('"').starts_with(begin));
    known.map_or("the expression ends with an error", |(_, words)| words)
}

/// How deep JSON is nested as far as jaq's reader would follow it, which takes what stands behind a `#` for a comment.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped, mut remark) = (0_usize, 0, false, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\n' => remark = false,
            _ if remark => {}
            b'#' if !quoted => remark = true,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(code: &str, input: &str) -> Result<String, String> {
        let mut out = Vec::new();
        let ran = JqFilter::compile(code).and_then(|filter| filter.run(input, &mut out));
        ran.map(|()| String::from_utf8(out).expect("text")).map_err(|error| error.to_string())
    }

    #[test]
    fn texts_come_out_as_they_are_and_all_else_as_json_of_the_same_value() {
        let input = r#"[{"id":12345678901234567890123,"a":1.50,"b":"x\n\u001b","c":null}]"#;
        assert_eq!(results(".[].id, .[].a", input).as_deref(), Ok("12345678901234567890123\n1.50\n"));
        assert_eq!(results(".[].b", input).as_deref(), Ok("x\n\u{1b}\n"));
        assert_eq!(results(".[] | {b, c}", input).as_deref(), Ok("{\"b\":\"x\\n\\u001b\",\"c\":null}\n"));
        assert_eq!(results(".[] | select(.id == 0)", input).as_deref(), Ok(""));
    }

    #[test]
    fn rows_are_written_as_csv_and_as_tabular_text() {
        let input = r#"["a\"b,", 1.5, null, true, "t\tn\n\\"]"#;
        assert_eq!(results("@csv", input).as_deref(), Ok("\"a\"\"b,\",1.5,,true,\"t\tn\n\\\"\n"));
        assert_eq!(results("@tsv", input).as_deref(), Ok("a\"b,\t1.5\t\ttrue\tt\\tn\\n\\\\\n"));
        assert!(results("@csv", "[[1]]").is_err());
    }

    #[test]
    fn a_mistake_names_its_place() {
        let mistake = |code| results(code, "[]").expect_err("a mistake");
        assert_eq!(mistake(".[] | maap(.x)"), "--jq: there is no filter `maap` here (line 1, character 7)");
        assert_eq!(mistake(".[] |\n é | $who"), "--jq: token is expected (line 2, character 2)");
        assert_eq!(mistake("[.[],\n  .a, (.b)"), "--jq: `[` is not closed (line 1, character 1)");
        assert_eq!(mistake(".[] | $who"), "--jq: there is no variable `$who` here (line 1, character 7)");
        assert_eq!(mistake("map("), "--jq: `(` is not closed (line 1, character 4)");
        assert_eq!(mistake(".a |"), "--jq: term is expected (line 1, character 5)");
        assert_eq!(mistake(""), "--jq: term is expected (line 1, character 1)");
    }

    #[test]
    fn a_module_is_refused_whether_it_has_filters_or_data_and_whether_it_is_used_or_not() {
        for (code, column) in [
            ("import \"x\" as y; .", 9),
            ("include \"x\"; .", 10),
            ("import \"x\" as $y; .", 9),
            ("import \"x\" as $y; $y", 9),
        ] {
            let said = results(code, "[]").expect_err("no modules");
            assert_eq!(said, format!("--jq: modules cannot be loaded (line 1, character {column})"), "{code}");
        }
    }

    #[test]
    fn nothing_shows_the_environment_ends_the_program_or_reads_files() {
        for code in ["env", "$ENV", "halt", "halt_error", "halt(3)", "debug", "stderr", "input", "import \"a\" as a; ."]
        {
            assert!(JqFilter::compile(code).is_err(), "{code}");
        }
    }

    #[test]
    fn an_error_says_of_what_kind_it_is_and_quotes_no_value() {
        let input = r#"[{"email":"canary@example.com"}]"#;
        for (code, why) in [
            (".[].email.first", "a value has no such index"),
            (".[].email | .[]", "another type"),
            (".[0] - 1", "cannot be calculated with"),
            (".[].email | error", "ends with an error"),
            ("1, (.[].email | tonumber)", "(after 1 results)"),
        ] {
            let error = results(code, input).expect_err("an error");
            assert!(error.contains(why) && !error.contains("canary"), "{code}: {error}");
        }
    }

    #[test]
    fn nesting_without_end_is_refused() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert_eq!(
            results(".", &deep).expect_err("too deep"),
            "--jq: the output is nested too deeply (after 0 results)"
        );
        let quoted = format!("[{}]", serde_json::Value::from("[\"".repeat(2_000)));
        assert_eq!(results("length", &quoted).as_deref(), Ok("1\n"));
    }

    #[test]
    fn a_text_that_is_nested_without_end_is_not_followed() {
        let brackets = "[".repeat(200_000);
        for text in [brackets.clone(), format!("#\"\n{brackets}"), "{\"a\":".repeat(200_000)] {
            let input = serde_json::Value::from(vec![text]).to_string();
            for code in [".[] | fromjson", ".[] | tonumber"] {
                let error = results(code, &input).expect_err("too deep");
                assert_eq!(error, "--jq: a text is JSON that is nested too deeply (after 0 results)", "{code}");
            }
            assert_eq!(results(".[] | tonumber? // \"none\"", &input).as_deref(), Ok("none\n"));
        }
        let texts = serde_json::json!(["[1,{\"a\":2}] 3 # [[[", "1.50", "x", "[\"[[\"]"]).to_string();
        assert_eq!(results(".[0] | fromjson", &texts).as_deref(), Ok("[1,{\"a\":2}]\n3\n"));
        assert_eq!(results("[.[1] | tonumber], (.[3] | fromjson)", &texts).as_deref(), Ok("[1.50]\n[\"[[\"]\n"));
        assert!(results(".[2] | fromjson", &texts).is_err());
    }
}
