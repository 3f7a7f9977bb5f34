//! Addresses: whether a URL points at this machine.

use url::{Host, Url};

/// Whether a URL's host is this machine, as parsed and not as written: `127.0.0.0/8`, `::1` or `localhost`.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
