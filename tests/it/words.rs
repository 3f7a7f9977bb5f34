//! Command lines as examples and README blocks have them, split into words as a POSIX shell would.

/// Words of one simple command: quotes and backslashes are understood, expansions are not.
pub(crate) fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => word.get_or_insert_default().extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => {
                let word = word.get_or_insert_default();
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    word.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '#' if word.is_none() => break,
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_are_split_as_a_shell_does() {
    let cases: [(&str, &[&str]); 6] = [
        ("projects list", &["projects", "list"]),
        ("create 'Night shift'  \"a \\\" b\"", &["create", "Night shift", "a \" b"]),
        ("--last-name ''", &["--last-name", ""]),
        ("a'b'\"c\" d\\ e", &["abc", "d e"]),
        ("list # all of them", &["list"]),
        ("  ", &[]),
    ];
    for (line, words) in cases {
        assert_eq!(split(line), words, "{line}");
    }
}
