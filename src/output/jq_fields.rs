//! Which fields an expression of `--jq` asks for: one that no record has would be `null` without a word.

/// Words of the language that make fields, or take values apart, in ways that cannot be told from the expression.
const MAKERS: [&str; 8] = ["{", "entries", "capture", "match", "fromjson", "scan", "getpath", "paths"];

/// The names behind a dot, each once; none where the expression may have made them itself.
pub(super) fn asked_fields(code: &str) -> Vec<String> {
    if MAKERS.iter().any(|maker| code.contains(maker)) {
        return Vec::new();
    }
    let mut fields: Vec<String> = Vec::new();
    for part in outside_texts(code).split('.').skip(1) {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        let name = &part[..end];
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if is_name && !fields.iter().any(|field| field == name) {
            fields.push(name.to_owned());
        }
    }
    fields
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

/// Those of the fields that are no column, and no key of this JSON output, either; none where it has no record.
pub(super) fn unknown<'f>(asked: &'f [String], columns: &[String], json: &str) -> Vec<&'f str> {
    if !json.contains('{') {
        return Vec::new();
    }
    let asked = asked.iter().filter(|field| !columns.contains(field));
    asked.filter(|field| !json.contains(&format!("\"{field}\":"))).map(String::as_str).collect()
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
        ] {
            assert_eq!(asked_fields(code), fields, "{code}");
        }
    }

    #[test]
    fn a_field_is_unknown_that_neither_columns_nor_records_have() {
        let asked = ["id", "more", "rate", "text"].map(str::to_owned);
        let columns = ["id".to_owned()];
        let json = r#"[{"id": 1, "more": {"x": "\"rate\":"}}]"#;
        assert_eq!(unknown(&asked, &columns, json), ["rate", "text"]);
        assert!(unknown(&asked, &columns, "[]").is_empty());
    }
}
