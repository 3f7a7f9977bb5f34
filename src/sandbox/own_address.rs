//! Where requests may be meant for, and where they may come from: the service's own address.

use std::net::SocketAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Request, StatusCode};

use super::response::Refusal;

/// The address that the service listens on, by all its names on this machine. A page of another site that reaches the
/// port by a name of its own (DNS rebinding), or sends a form to it, is refused.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnAddress(pub(super) SocketAddr);

impl OwnAddress {
    /// Refuses a request that is meant for another host, and one that comes from a page of another origin. What a form
    /// of the test taker's page sends has to name its origin, as browsers do. Of several hosts or origins each has to be
    /// ours: which one counts is not ours to choose.
    pub(super) fn admit<B>(self, request: &Request<B>) -> Result<(), Refusal> {
        let headers = request.headers();
        let named = request.uri().authority().map(Authority::as_str);
        let mut hosts = headers.get_all(HOST).iter();
        let is_ours = match named {
            Some(named) => self.is_host(named),
            None => headers.contains_key(HOST) && hosts.all(|host| host.to_str().is_ok_and(|host| self.is_host(host))),
        };
        if !is_ours {
            let detail = format!("Host is not this sandbox, which is {}.", self.0);
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, detail));
        }
        let form = !request.method().is_safe() && request.uri().path().starts_with("/take/");
        let mut origins = headers.get_all(ORIGIN).iter();
        let are_named = headers.contains_key(ORIGIN) || !form;
        if are_named && origins.all(|origin| self.is_origin(origin)) {
            return Ok(());
        }
        Err(Refusal::new(StatusCode::FORBIDDEN, "Origin is not this sandbox."))
    }

    fn is_host(self, host: &str) -> bool {
        let (ip, port) = (self.0.ip(), self.0.port());
        let ip = if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() };
        ["127.0.0.1", "localhost", "[::1]", &ip].iter().any(|name| {
            host.eq_ignore_ascii_case(&format!("{name}:{port}")) || (port == 80 && host.eq_ignore_ascii_case(name))
        })
    }

    fn is_origin(self, origin: &HeaderValue) -> bool {
        let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
        host.is_some_and(|host| self.is_host(host))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_ours_by_its_names_and_its_port_alone() {
        let own = OwnAddress(SocketAddr::from(([127, 0, 0, 1], 7878)));
        for host in ["127.0.0.1:7878", "localhost:7878", "LocalHost:7878", "[::1]:7878"] {
            assert!(own.is_host(host), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:78",
            "127.0.0.1:",
            "evil.example:7878",
            "localhost.evil.example:7878",
            "",
            "[::1]",
            "127.0.0.1:7878.evil.example",
            "user@127.0.0.1:7878",
            "127.0.0.2:7878",
        ] {
            assert!(!own.is_host(host), "{host}");
        }
        assert!(OwnAddress(SocketAddr::from(([127, 0, 0, 1], 80))).is_host("localhost"));
    }
}
