//! Which requests go by a proxy, and by which: https by the one that the environment names, all else straight.

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

use crate::model::service_address::is_loopback;

/// Whether no proxy is asked, whatever the environment says: to this machine itself, and on plain http, where a proxy would
/// read the key.
pub(super) fn goes_straight(url: &Url) -> bool {
    is_loopback(url) || url.scheme() == "http"
}

/// How requests get to a service, by the HTTP client's own rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// To this machine itself: never by a proxy.
    Loopback,
    /// Plain http to another machine: never by a proxy either, which would read the key.
    Plain,
    /// The environment names no proxy that could be used.
    Direct,
    /// The environment names a proxy, and exempts this host from it (`NO_PROXY`).
    Exempt,
    /// By a proxy that the environment names.
    Proxy {
        /// How the proxy is spoken to; the client speaks `http` and `https`.
        scheme: String,
        /// The proxy's host; its user and password are left out.
        host: String,
        /// The proxy's port.
        port: u16,
    },
}

impl Route {
    /// The way to an address.
    pub fn of(url: &Url) -> Self {
        if goes_straight(url) {
            return if is_loopback(url) { Self::Loopback } else { Self::Plain };
        }
        // A name and an address: no list of exempted hosts has both, not even `*`.
        let other = |host| Url::parse(&format!("{}://{host}", url.scheme())).is_ok_and(|url| proxy(&url).is_some());
        match proxy(url) {
            Some(proxy) => proxy,
            None if other("exempted-by-nobody.invalid") || other("192.0.2.1") => Self::Exempt,
            None => Self::Direct,
        }
    }
}

fn proxy(url: &Url) -> Option<Route> {
    let found = Matcher::from_env().intercept(&url.as_str().parse().ok()?)?;
    let uri = found.uri();
    let scheme = uri.scheme_str().unwrap_or("http").to_owned();
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some(Route::Proxy { scheme, host: uri.host()?.to_owned(), port })
}
