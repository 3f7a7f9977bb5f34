//! Expressions of other programs over an output (templates, paths, queries, an end of time), as options of ours.

use std::ffi::OsString;

use jiff::{Timestamp, ToSpan as _, civil};

use crate::commands::shared::verb_traits::{JsonShape, Prints, VerbTraits};
use crate::commands::shell::argv::{TypedLine, is_one_of, knows, named};
use crate::model::results::ResultsApi;
use crate::model::shell_word::shell_word;
use crate::model::time::parse_time;
use crate::output::our_fields;

/// What a template is called where other programs name it before it; the longest first.
const KINDS: [&str; 9] = [
    "jsonpath-as-json",
    "jsonpath-file",
    "jsonpath",
    "go-template-file",
    "go-template",
    "custom-columns-file",
    "custom-columns",
    "template",
    "table ",
];
/// What stands around the records in the output of other programs.
const AROUND: &str = "items data results value records range end json table";

/// The options that show what an expression of another program asks for; `None` where that is not plain.
pub fn expression(line: &TypedLine<'_, '_>, value: &str) -> Option<String> {
    let asked = asked(value)?;
    let fields = our_fields(asked.names.iter().map(String::as_str), &fields(line))?;
    let joined = fields.join(",");
    Some(match (asked.form, fields.as_slice()) {
        (Form::Texts, [field]) if has_jq(line) => {
            format!("--jq {}", shell_word(&format!("{}.{field}", if is_list(line) { ".[]" } else { "" })))
        }
        (Form::Texts, _) => format!("--fields {joined} --no-header -o csv"),
        (Form::Table, _) => format!("--fields {joined}"),
        (Form::Csv, _) => format!("--fields {joined} -o csv"),
        (Form::Json, _) => format!("--fields {joined} -o json"),
    })
}

/// The expression that sorts the output by a field.
pub fn sorted_by(line: &TypedLine<'_, '_>, field: &str, is_descending: bool) -> Option<String> {
    let fields = our_fields([field.trim_start_matches(['.', '-', '+'])], &fields(line))?;
    let turned = if is_descending { " | reverse" } else { "" };
    Some(format!("--jq 'sort_by(.{}){turned}'", fields.first().filter(|_| is_list(line) && has_jq(line))?))
}

/// The expression that leaves results out that were completed after an end of time.
pub fn completed_until(option: &str, value: &str) -> Option<String> {
    let is_exclusive = option.contains("before") || option.contains("lt");
    let end = match value.parse::<civil::Date>() {
        Ok(day) if value.len() == 10 => day.checked_add(i64::from(!is_exclusive).days()).ok()?.to_string(),
        _ => [value, &format!("{value}Z")].iter().find_map(|time| parse_time(time, Timestamp::now()).ok())?.to_string(),
    };
    Some(format!("--jq '[.[] | select(.dateCompleted != null and .dateCompleted < \"{end}\")]'"))
}

/// Whether the program has `--jq`.
pub fn has_jq(line: &TypedLine<'_, '_>) -> bool {
    knows(line.root, line.root, "--jq")
}

/// Whether a line says how or what to print, other than as JSON.
pub fn has_format(words: &[OsString]) -> bool {
    words.iter().enumerate().filter_map(|(place, word)| Some((place, word.to_str()?))).any(|(place, word)| {
        let (name, joined) = named(word);
        let value = joined.or_else(|| words.get(place + 1)?.to_str());
        name == "--jq"
            || ["-o", "--output"].contains(&name) && value != Some("json")
            || word.starts_with("-o") && word.len() > 2
    })
}

/// The fields of what a command prints.
fn fields(line: &TypedLine<'_, '_>) -> Vec<&'static str> {
    let prints = Prints::of(line.here).filter(|prints| prints.has_records());
    prints.map(|prints| prints.fields(ResultsApi::Current)).unwrap_or_default()
}

/// The fields of what a command prints that these words name, with commas in between.
pub fn named_fields(line: &TypedLine<'_, '_>, words: &str) -> Option<String> {
    Some(our_fields(words.split(','), &fields(line))?.join(","))
}

fn is_list(line: &TypedLine<'_, '_>) -> bool {
    let shape = VerbTraits::of(line.here).and_then(|traits| traits.json);
    shape.is_some_and(|(shape, _)| shape == JsonShape::Many)
}

/// How what is asked for is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Texts,
    Table,
    Csv,
    Json,
}

/// What an expression asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    form: Form,
    names: Vec<String>,
}

fn asked(value: &str) -> Option<Asked> {
    // A condition, a function or a range of records is more than a choice of fields.
    if value.contains(['?', '|', '`', '&']) || value.contains("==") {
        return None;
    }
    if let Some((form, names)) = projection(value) {
        return some(form, names.split(',').map(|name| name.split([':', '.']).find(|part| !part.is_empty())));
    }
    let kind = KINDS.iter().find(|kind| value.starts_with(**kind));
    let code = value.strip_prefix(kind.copied().unwrap_or_default())?.trim_start_matches('=');
    match kind {
        Some(kind) if kind.starts_with("custom-columns") => {
            some(Form::Table, code.split(',').map(|column| column.rsplit(['.', ':']).next()))
        }
        // Names of a list or of an object behind the records.
        _ if code.contains("].[") || code.contains("].{") => {
            let inner = code.split_once("].")?.1.trim_matches(['[', ']', '{', '}', ' ']);
            some(Form::Json, inner.split(',').map(|name| name.rsplit([':', '.']).next()))
        }
        _ => {
            let form = if *kind.unwrap_or(&"") == "table " { Form::Table } else { Form::Texts };
            some(
                form,
                code.split(|c: char| !c.is_alphanumeric() && !"._[]*".contains(c)).filter_map(last_of_path).map(Some),
            )
        }
    }
}

/// The form and the names of `csv(a,b)`.
fn projection(value: &str) -> Option<(Form, &str)> {
    let (kind, names) = value.strip_suffix(')')?.split_once('(')?;
    let form = match kind.split('[').next()? {
        "value" | "get" => Form::Texts,
        "csv" => Form::Csv,
        "table" => Form::Table,
        "json" | "yaml" | "list" => Form::Json,
        _ => return None,
    };
    Some((form, names))
}

fn some<'n>(form: Form, names: impl Iterator<Item = Option<&'n str>>) -> Option<Asked> {
    let names: Vec<String> = names.map(|name| name.map(|name| name.trim().to_owned())).collect::<Option<_>>()?;
    (!names.is_empty()).then_some(Asked { form, names })
}

/// The field at the end of a path, such as `.items[*].email`.
fn last_of_path(path: &str) -> Option<&str> {
    let is_path = path.starts_with(['.', '[']) || path.contains('.');
    let last = path.rsplit(['.', ']', '[', '*']).find(|part| !part.is_empty())?;
    (is_path && !is_one_of(AROUND, &last.to_ascii_lowercase())).then_some(last)
}

/// The words of a line as hints write it.
pub fn typed_words(line: &str) -> Vec<OsString> {
    let (mut words, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match (c, words.last_mut()) {
            ('\'', _) => is_quoted = !is_quoted,
            (' ', _) if !is_quoted => words.push(String::new()),
            (c, Some(word)) => word.push(c),
            (_, None) => {}
        }
    }
    words.into_iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_an_expression_are_found() {
        for (value, form, names) in [
            ("{{.Email}}", Form::Texts, "Email"),
            ("{{ .id }} {{.email}}", Form::Texts, "id email"),
            ("table {{.ID}}\\t{{.Name}}", Form::Table, "ID Name"),
            ("{{range .items}}{{.name}}{{end}}", Form::Texts, "name"),
            ("go-template={{.name}}", Form::Texts, "name"),
            ("jsonpath={.items[*].metadata.name}", Form::Texts, "name"),
            ("custom-columns=ID:.id,NAME:.spec.name", Form::Table, "id name"),
            ("[].email", Form::Texts, "email"),
            ("Items[*].Email", Form::Texts, "Email"),
            ("[].[id, email]", Form::Json, "id email"),
            ("[].{mail: email, id: id}", Form::Json, "email id"),
            ("value(name)", Form::Texts, "name"),
            ("csv[no-heading](reference,email)", Form::Csv, "reference email"),
            ("table(name:label=N, id)", Form::Table, "name id"),
        ] {
            let names = names.split(' ').map(str::to_owned).collect();
            assert_eq!(asked(value), Some(Asked { form, names }), "{value}");
        }
        for other in ["[?status=='x'].email", "length(@)", "email", "yaml", "{{len .}}", "", "sort_by(@, &id)"] {
            assert_eq!(asked(other), None, "{other}");
        }
    }

    #[test]
    fn a_line_is_taken_apart_at_its_spaces() {
        let words: Vec<OsString> = ["--jq", "sort_by(.a) | reverse", "-q"].map(OsString::from).into();
        assert_eq!(typed_words("--jq 'sort_by(.a) | reverse' -q"), words);
    }
}
