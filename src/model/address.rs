//! The address of a service: which ones are taken, and which are this machine.

use url::{Host, Url};

/// Whether a URL's host is this machine, as parsed and not as written.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

/// Reads the address of a service. The reason never quotes it: it may hold a password.
pub fn parse_base_url(text: &str, allow_http: bool) -> Result<Url, &'static str> {
    const NO_URL: &str = "is not a URL (expected https://HOST)";
    let url = Url::parse(text.trim()).map_err(|_| NO_URL)?;
    match url.scheme() {
        scheme if url.host().is_none() || !matches!(scheme, "http" | "https") => Err(NO_URL),
        "http" if !allow_http && !is_loopback(&url) => {
            Err("is plain http, where others can read the key: use https, or set allow-http in the profile")
        }
        _ if !url.username().is_empty() || url.password().is_some() => Err("has a user name or password"),
        _ if url.query().is_some() || url.fragment().is_some() => Err("has a query or a fragment"),
        _ => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_https_or_this_machine() {
        for good in [
            "https://api.example",
            "https://api.example/v1/",
            "http://127.0.0.1:8080",
            "http://[::1]:1",
            "http://localhost",
        ] {
            assert!(parse_base_url(good, false).is_ok(), "{good}");
        }
        for bad in [
            "",
            "api.example",
            "http://api.example",
            "https://u:p@api.example",
            "https://a.example?x=1",
            "ftp://a.example",
            "http://127.0.0.1.example",
        ] {
            assert!(parse_base_url(bad, false).is_err(), "{bad}");
        }
        assert!(parse_base_url("http://api.example", true).is_ok());
    }
}
