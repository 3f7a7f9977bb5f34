//! The address of a service: https, or http to this machine alone; and what of it a key belongs to.

use url::{Host, Url};

use super::browser_addresses::is_web;

/// Whether a URL's host is this machine, as parsed and not as written: `127.0.0.0/8`, `::1` or `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

/// Reads the address of a service. User info would be a second secret, a query or fragment has no meaning for a base:
/// all three are refused. Plain `http` is for this machine alone, unless `allow_http`. The reason never quotes the
/// address, which may hold a password.
pub fn parse_address(text: &str, allow_http: bool) -> Result<Url, &'static str> {
    let url = Url::parse(text.trim()).map_err(|_| "is not a valid URL (expected https://…)")?;
    if !is_web(url.scheme()) || url.host().is_none() {
        return Err("is not a valid URL (expected https://…)");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("has a user name or password, which would be sent in clear");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("has a query (?…) or a fragment (#…)");
    }
    if url.scheme() == "http" && !allow_http && !is_loopback(&url) {
        return Err("is plain http, on which others can read the key: use https");
    }
    Ok(url)
}

/// An address without its path: what a key belongs to, and by what the journal knows a service.
pub fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_https_or_this_machine() {
        for good in ["https://a.example", "https://a.example:8443/root/", "http://127.0.0.1:1", "http://[::1]/x"] {
            assert!(parse_address(good, false).is_ok(), "{good}");
        }
        assert!(parse_address("http://localhost:7878", false).is_ok());
        assert!(parse_address("http://a.example", true).is_ok());
        for bad in ["http://a.example", "http://127.0.0.1.a.example", "http://10.0.0.1"] {
            assert!(parse_address(bad, false).is_err_and(|reason| reason.contains("plain http")), "{bad}");
        }
    }

    #[test]
    fn what_does_not_belong_into_an_address_is_refused_and_not_quoted() {
        let bad = ["https://u@a.example", "https://u:p@a.example", "https://a.example?x=1", "https://a.example/#x"];
        for bad in bad.into_iter().chain(["", "a.example", "ftp://a.example", "file:///etc", "https://"]) {
            assert!(parse_address(bad, true).is_err(), "{bad}");
        }
    }

    #[test]
    fn loopback_is_what_the_parsed_host_says() {
        for here in ["http://127.0.0.1", "http://127.9.9.9:1/x", "http://[::1]", "http://LOCALHOST", "http://0x7f.1"] {
            assert!(is_loopback(&Url::parse(here).expect("a URL")), "{here}");
        }
        let elsewhere = [
            "http://127.0.0.1.example.com",
            "http://127.0.0.1@example.com",
            "http://localhost.example",
            "http://10.0.0.1",
        ];
        for there in elsewhere {
            assert!(!is_loopback(&Url::parse(there).expect("a URL")), "{there}");
        }
    }
}
