//! A text as a shell takes it for one word, for commands that hints name.

use std::borrow::Cow;

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "-_./:@%+,=".contains(c)
}

/// The text as it is, or between quotes where it has a character that a shell might read otherwise.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) && !text.is_empty() && !text.starts_with('=') {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn what_a_shell_might_read_otherwise_is_quoted() {
        for plain in ["EMP-1", "./a_b/c.csv", "Zoë@example.com:1,2", "--map=Mail=email", "100%"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (text, quoted) in [
            ("Night shift", "'Night shift'"),
            ("", "''"),
            ("it's", r"'it'\''s'"),
            ("=ls", "'=ls'"),
            ("$(id)", "'$(id)'"),
        ] {
            assert_eq!(shell_word(text), quoted);
        }
    }
}
