//! Redirect URIs: the workspace's allowlist that gates the browser redirect after an assessment.

/// Whether an allowlist entry lets a redirect URI pass: equal ignoring case, `*` for any run of characters; one in the
/// scheme or host of an entry stays within these. The specification does not show how they are compared; this is our
/// reading.
pub fn admits(entry: &str, uri: &str) -> bool {
    let (entry, uri) = (entry.to_lowercase(), uri.to_lowercase());
    let ((entry_site, entry_rest), (uri_site, uri_rest)) = (site_and_rest(&entry), site_and_rest(&uri));
    if entry_site.is_empty() {
        return matches(&entry, &uri);
    }
    // `https://*.example.com` means hosts, not names of users.
    let same_user = uri_site.contains('@') == entry_site.contains('@');
    same_user && matches(entry_site, uri_site) && matches(entry_rest, uri_rest)
}

/// Scheme and host of a URI, and what follows them, as browsers divide it; without `//` it is all rest.
fn site_and_rest(uri: &str) -> (&str, &str) {
    let Some(start) = uri.find("://").map(|at| at + 3) else { return ("", uri) };
    let end = uri[start..].find(['/', '\\', '?', '#']).map_or(uri.len(), |at| start + at);
    uri.split_at(end)
}

/// Whether a text is what a pattern says, `*` for any run of characters.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    // `split` yields at least one part, so a pattern without `*` is exactly this first one.
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
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

    #[test]
    fn a_star_in_a_host_stays_in_the_host() {
        assert!(admits("https://*.ok.example", "https://a.b.ok.example"));
        assert!(admits("https://*.ok.example/done", "https://a.ok.example/done"));
        for uri in [
            "https://evil.example/.ok.example",
            "https://evil.example?.ok.example",
            "https://evil.example#.ok.example",
            "https://evil.example\\.ok.example",
            "https://evil.example@a.ok.example",
            "https://a.ok.example@evil.example/.ok.example",
            "https://a.ok.example.evil.example",
            "https://a.ok.example:444",
            "javascript:alert(1)//.ok.example",
        ] {
            assert!(!admits("https://*.ok.example", uri), "{uri}");
        }
    }
}
