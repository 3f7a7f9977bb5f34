//! Where a browser may be led: links and redirect URIs open web pages alone, unless `--allow-scheme` names another scheme.

/// Whether a scheme opens a web page, and not a program or a script.
pub fn is_web(scheme: &str) -> bool {
    ["https", "http"].iter().any(|web| scheme.eq_ignore_ascii_case(web))
}

/// Why a link of the service is not handed out: a person will open it (our rule).
pub fn check_link(link: &str) -> Result<(), &'static str> {
    let is_web = link.split_once("://").is_some_and(|(scheme, _)| is_web(scheme));
    match link {
        _ if link.chars().any(|c| c.is_control() || c.is_whitespace()) => Err("it has a control character or a space"),
        _ if !is_web => Err("it starts with neither https:// nor http://"),
        _ => Ok(()),
    }
}

/// Why a redirect URI, or an entry of the allowlist, is not sent: the browser would be led somewhere that is no web page,
/// and the API cannot take an entry back. `allowed` are further schemes that the user names (our rule).
pub fn check_redirect_uri(uri: &str, allowed: &[String]) -> Result<(), &'static str> {
    if uri.chars().any(char::is_control) {
        return Err("has a control character");
    }
    let Some((scheme, rest)) = uri.split_once(':') else {
        return Err("has no scheme such as https://");
    };
    let is_web = is_web(scheme);
    if !is_web && !allowed.iter().any(|other| scheme.eq_ignore_ascii_case(other)) {
        return Err("has a scheme other than https and http");
    }
    let authority = rest.strip_prefix("//").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    match authority {
        None | Some("") if is_web => Err("has no host"),
        Some(authority) if authority.contains('@') => Err("has a user name"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_a_web_page_and_nothing_else() {
        assert_eq!(check_link("https://a.example/take/1?reference_id=EMP-1"), Ok(()));
        assert_eq!(check_link("HTTP://127.0.0.1:7878/take/1"), Ok(()));
        for bad in ["javascript:alert(1)", "https://a.example/\n", "https://a b", "", "httpsx", "data:text/html,x", "é"]
        {
            assert!(check_link(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_redirect_goes_to_a_web_page_unless_another_scheme_is_named() {
        let schemes = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        for good in ["https://a.example/done", "http://localhost:3000", "HTTPS://*.example.com/*", "https://*"] {
            assert_eq!(check_redirect_uri(good, &[]), Ok(()), "{good}");
        }
        let bad = ["*", "a.example/done", "javascript:alert(1)", "file:///etc/passwd", "https://u:p@x", "https:x", ""];
        for bad in bad.into_iter().chain(["https://a.example/\nx", "https://"]) {
            assert!(check_redirect_uri(bad, &[]).is_err(), "{bad:?}");
        }
        assert_eq!(check_redirect_uri("MyApp:done", &schemes(&["myapp"])), Ok(()));
        assert!(check_redirect_uri("myapp:\u{7f}", &schemes(&["myapp"])).is_err());
    }
}
