//! Keys and links, which no message shows, and the address that a key belongs to.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use url::{Host, Url};

/// A text without `Display`, and with a `Debug` that shows nothing of it.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself, for the one place that must have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The key of a workspace: visible ASCII (our assumption: its format is not shown, and a header carries nothing else).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ApiKey(Secret);

impl ApiKey {
    /// The key itself, for the request's header.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

impl FromStr for ApiKey {
    type Err = &'static str;

    /// Reads a key without the byte order mark, blanks and line ends that files and commands add.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim_start_matches('\u{feff}').trim();
        match text {
            "" => Err("the API key is empty"),
            _ if text.lines().count() > 1 => Err("the API key has more than one line"),
            _ if !text.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Err("the API key has a character that a header cannot carry")
            }
            _ => Ok(Self(Secret::new(text.to_owned()))),
        }
    }
}

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
        _ if url.host().is_none() => Err(NO_URL),
        "http" if !allow_http && !is_loopback(&url) => {
            Err("is plain http, where others can read the key: use https, or set allow-http in the profile")
        }
        "http" | "https" if !url.username().is_empty() || url.password().is_some() => {
            Err("has a user name or password")
        }
        "http" | "https" if url.query().is_some() || url.fragment().is_some() => Err("has a query or a fragment"),
        "http" | "https" => Ok(url),
        _ => Err(NO_URL),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_files_and_commands_give_it() {
        for text in ["k-1", "k-1\n", "\u{feff}k-1\r\n", " k-1 "] {
            assert_eq!(text.parse::<ApiKey>().map(|key| key.expose().to_owned()).as_deref(), Ok("k-1"));
        }
        for bad in ["", "\n", "a b", "ключ", "a\nb"] {
            assert!(bad.parse::<ApiKey>().is_err(), "{bad:?}");
        }
        assert_eq!(format!("{:?}", Secret::new("hush".into())), "Secret(…)");
    }

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
