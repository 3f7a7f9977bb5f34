//! Which fields an expression of `--jq` asks for: one that no record has would be `null` without a word.

use super::columns::meant_fields;
use super::error::Error;
use crate::model::shell_word::shell_word;

/// Words of the language that make fields, or take values apart, in ways that cannot be told from the expression.
const MAKERS: [&str; 11] =
    ["{", "entries", "capture", "match", "fromjson", "scan", "getpath", "setpath", "paths", "INDEX", "stream"];

/// The names behind a dot, each once; none where the expression may have made them itself.
pub(super) fn asked_fields(code: &str) -> Vec<String> {
    let code = outside_texts(code);
    if MAKERS.iter().any(|maker| code.contains(maker)) || assigns(&code) {
        return Vec::new();
    }
    let mut fields: Vec<String> = Vec::new();
    for part in code.split('.').skip(1) {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        let name = &part[..end];
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && !fields.iter().any(|field| field == name) {
            fields.push(name.to_owned());
        }
    }
    fields
}

/// Whether an expression sets a field: there is a sign of equality in it that compares nothing.
fn assigns(code: &str) -> bool {
    let compares_nothing = code.replace("==", " ").replace("!=", " ").replace("<=", " ").replace(">=", " ");
    compares_nothing.contains('=')
}

/// Whether an expression says itself what is to be where a field is missing.
pub(super) fn bears_what_is_missing(code: &str) -> bool {
    let code = outside_texts(code);
    code.contains("//") || code.contains('?')
}

/// The error of a field that no record has, or, with `of_list`, of one that a list was asked for.
pub(super) fn no_such_field(code: &str, field: &str, fields: &[String], of_list: bool) -> Error {
    let known: Vec<&str> = fields.iter().map(String::as_str).collect();
    let mut meant = meant_fields(field, &known);
    let path = format!(".{field}");
    // An expression that is the field alone can be written whole.
    let whole = match meant.as_slice() {
        // The brackets of an empty list in place of a list's records.
        [near] if of_list && *near == field && code.trim().starts_with("[]") => {
            Some(format!("write `--jq {}`", shell_word(&format!(".{}", code.trim()))))
        }
        [near] if of_list && code.trim() == path => Some(format!("write `--jq '.[].{near}'`")),
        _ => None,
    };
    meant.truncate(2);
    let words = (!meant.is_empty()).then(|| format!("did you mean {}?", meant.join(" or ")));
    Error::JqField { field: field.to_owned(), known: fields.join(", "), of_list, meant: whole.or(words) }
}

/// An expression without what stands between quotes and in comments.
fn outside_texts(code: &str) -> String {
    let (mut out, mut is_text, mut is_escaped, mut is_comment) = (String::new(), false, false, false);
    for c in code.chars() {
        match c {
            _ if is_comment => is_comment = c != '\n',
            '#' if !is_text => is_comment = true,
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => {
                is_text = !is_text;
                // What is quoted parts what stands beside it.
                out.push(' ');
            }
            _ if is_text => {}
            c => out.push(c),
        }
    }
    out
}

/// The first of the fields that is none of those known, and no key of this JSON output, either; none where it has no record.
pub(super) fn unknown<'f>(asked: &'f [String], known: &[String], json: &str) -> Option<&'f String> {
    let mut asked = asked.iter().filter(|field| json.contains('{') && !known.contains(field));
    asked.find(|field| !json.contains(&format!("\"{field}\":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_behind_dots_are_asked_for() {
        for (code, fields) in [
            (".[0].completion_rate", vec!["completion_rate"]),
            (r#"map(select(.status == "a.b \" .c")) | length"#, vec!["status"]),
            (".[] | .name, .name, .testResults[0].result?", vec!["name", "testResults", "result"]),
            (".a # not .b\n| .c", vec!["a", "c"]),
            (".. | numbers", vec![]),
            (".[] | {a: .b} | .a", vec![]),
            ("to_entries | .[].key", vec![]),
            (".5 + .[1.5]", vec![]),
            (".[]", vec![]),
            (".[].new = .id | .[].new", vec![]),
            ("INDEX(.id) | .EMP", vec![]),
            (".[] | select(.id <= 4 and .a != .b and \"{\" == .c)", vec!["id", "a", "b", "c"]),
        ] {
            assert_eq!(asked_fields(code), fields, "{code}");
        }
    }

    #[test]
    fn a_field_is_unknown_that_neither_columns_nor_records_have() {
        let asked = ["id", "more", "rate", "text"].map(str::to_owned);
        let columns = ["id".to_owned()];
        let json = r#"[{"id": 1, "more": {"x": "\"rate\":"}}]"#;
        assert_eq!(unknown(&asked, &columns, json).map(String::as_str), Some("rate"));
        assert_eq!(unknown(&asked, &columns, "[]"), None);
    }

    #[test]
    fn what_was_meant_is_the_field_of_the_records() {
        let fields = ["id", "firstName", "lastName"].map(str::to_owned);
        let hint = |code: &str, field: &str| no_such_field(code, field, &fields, true).hint();
        assert_eq!(hint(".id", "id").as_deref(), Some("write `--jq '.[].id'`"));
        assert_eq!(hint(".first_name ", "first_name").as_deref(), Some("write `--jq '.[].firstName'`"));
        assert_eq!(hint("length, .id", "id").as_deref(), Some("did you mean id?"));
        assert_eq!(hint(".name", "name").as_deref(), Some("did you mean firstName or lastName?"));
        assert_eq!(hint(".created", "created"), None);
        let error = no_such_field(".x", "x", &fields, false).to_string();
        assert_eq!(error, "--jq: there is no field \"x\" here: the fields are id, firstName, lastName");
    }
}
