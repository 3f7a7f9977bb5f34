//! Redirect URIs: the workspace's allowlist that gates the browser redirect after an assessment.

/// Whether an allowlist entry lets a redirect URI pass: equal ignoring case, `*` for any run of characters. The
/// specification does not show how they are compared; this is our reading.
pub fn admits(entry: &str, uri: &str) -> bool {
    let (entry, uri) = (entry.to_lowercase(), uri.to_lowercase());
    let mut parts = entry.split('*');
    // `split` yields at least one part, so an entry without `*` is exactly this first one.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = uri.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_admits_itself_ignoring_case_and_nothing_longer() {
        assert!(admits("https://Portal.example.com/Done", "https://portal.example.com/done"));
        assert!(!admits("https://portal.example.com/done", "https://portal.example.com/done/x"));
        assert!(!admits("https://portal.example.com/done", "https://portal.example.com/"));
    }

    #[test]
    fn a_star_stands_for_any_run_of_characters() {
        assert!(admits("https://*.example.com/*", "https://a.example.com/done"));
        assert!(admits("*", "https://a.example.com/done"));
        assert!(admits("https://*/a*b", "https://h/a-a-b"));
        assert!(!admits("https://*.example.com/", "https://a.example.org/"));
        assert!(!admits("ab*ba", "aba"));
    }
}
