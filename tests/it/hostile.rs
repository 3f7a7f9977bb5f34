//! Answers that mean harm: too large, too deep, too many headers, a drip, garbage. One clear error each, in bounded
//! memory and time.

use snapbox::str;

use std::time::{Duration, Instant};

use proptest::prelude::Rng as _;
use proptest::test_runner::TestRng;

use crate::harness::{Env, KEY, Said};
use crate::shell;
use crate::socket::{Answer, Socket};
use crate::tls;
use crate::wire::PROJECT;

/// Commands that read each kind of answer.
const READS: [&str; 6] = [
    "projects list -o json",
    "projects get {P} -o csv",
    "projects link {P}",
    "testtakers list -p {P}",
    "results get EMP-00017 -p {P} -o json",
    "redirect-uris list -o ndjson",
];

/// Seeded bytes of no meaning.
fn bytes(rng: &mut TestRng, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// One failed run: one error, no data, no panic, and soon.
#[track_caller]
fn refused(env: &Env, line: &str) -> Said {
    let start = Instant::now();
    let said = env.line(&line.replace("{P}", PROJECT));
    let code = said.code;
    assert!(code != 0, "{line}:\n{said}");
    assert!(start.elapsed() < Duration::from_secs(30), "{line} took {:?}", start.elapsed());
    said.fails(code)
}

/// The program with no more than this many MiB of address space.
fn within(env: &Env, mebibytes: u32, line: &str) -> Said {
    shell::run(env, &format!("ulimit -v {}; assessctl {}", mebibytes << 10, line.replace("{P}", PROJECT)))
}

#[cfg(target_os = "linux")]
#[test]
fn a_gigabyte_of_body_is_refused_within_a_bounded_memory() {
    for (length, start) in [("", "["), ("Content-Length: 1073741826\r\n", "[")] {
        let head = format!("HTTP/1.1 200 OK\r\n{length}\r\n{start}");
        let socket = Socket::always(Answer::Flood(head.into_bytes(), 1024));
        let _ = within(&Env::at(&socket.url), 200, "projects list").fails(1).mentions("larger than 16 MiB");
        let _ = within(&Env::at(&socket.url), 200, "projects get {P}").fails(1).mentions("larger than 1 MiB");
    }
    let socket = Socket::always(Answer::Flood(b"HTTP/1.1 500 Broken\r\n\r\n{\"title\":\"".to_vec(), 1024));
    let _ = within(&Env::at(&socket.url), 200, "projects list --timeout 20s").fails(6).mentions("500");
}

#[test]
fn a_hundred_thousand_levels_are_borne_or_refused_and_never_followed() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + &close.repeat(100_000);
    let values = [deep("[", "]"), deep("{\"a\":", "}").replace(":}", ":1}"), "[".repeat(100_000)];
    for value in values {
        for answer in [value.clone(), format!("[{value}]"), format!("[{{\"id\":7,\"fullName\":{value}}}]")] {
            let socket = Socket::always(Answer::ok(&answer));
            for line in READS {
                let said = Env::at(&socket.url).line(&line.replace("{P}", PROJECT));
                assert!(said.stdout.len() < 8 << 20 && !said.stderr.contains("panicked"), "{line}: {}", said.code);
                assert!((0..=7).contains(&said.code), "{line}: {}", said.code);
            }
        }
    }
}

#[test]
fn an_unknown_property_of_any_depth_is_printed_and_not_indented_for_ever() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let socket =
        Socket::always(Answer::ok(&format!("[{{\"id\":7,\"email\":\"a@b\",\"fullName\":\"\",\"x\":{deep}}}]")));
    for format in ["json", "ndjson", "csv", "table"] {
        let said = Env::at(&socket.url).line(&format!("testtakers list -p {PROJECT} -o {format}"));
        assert!(said.stdout.len() < 1 << 20, "{} bytes as {format}", said.stdout.len());
        let _ = said.data();
    }
}

#[test]
fn a_million_headers_are_no_answer() {
    let many = "X-Many: v\r\n".repeat(1_000_000);
    let long = format!("X-Long: {}\r\n", "v".repeat(64 << 20));
    for headers in [many, long] {
        let head = format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 2\r\n\r\n[]");
        let socket = Socket::always(Answer::Bytes(head.into_bytes()));
        let _ =
            refused(&Env::at(&socket.url), "projects list").exits(6).mentions("the head of the answer is too large");
    }
}

#[test]
fn a_slow_drip_ends_with_the_time_for_a_request() {
    for start in ["HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n[", "HTTP/1.1 200 OK\r\nX-Slow: "] {
        let socket = Socket::always(Answer::Drip(start.into()));
        let _ = refused(&Env::at(&socket.url), "projects list --timeout 200ms").exits(6).mentions("too long");
    }
}

#[test]
fn wrong_types_and_truncated_bodies_are_one_clear_error_and_never_half_a_list() {
    let good = "{\"id\":7,\"email\":\"canary@example.com\",\"fullName\":\"\"}";
    let bodies = [
        "",
        " ",
        "null",
        "true",
        "7",
        "\"x\"",
        "{}",
        "[null]",
        "[7]",
        "[[]]",
        "[\"x\"",
        "[{]",
        "{\"id\":}",
        "[{}] x",
        "[{\"id\":\"7\"}]",
        "[{\"id\":1e99}]",
        "[{\"id\":7,\"email\":7}]",
        "\u{feff}[]x",
        "<xml/>",
        "[\"\\ud800\"",
    ];
    for body in bodies {
        for line in READS.iter().filter(|line| !line.contains("link {P}") && !line.contains("redirect")) {
            let socket = Socket::always(Answer::ok(body));
            let said = refused(&Env::at(&socket.url), line);
            assert!(said.stderr.contains("the service answered"), "{line} {body:?}:\n{said}");
        }
    }
    let half = Socket::answering(move |request, _| match request.parameter("page") {
        Some("1") => Answer::ok(&format!("[{}]", vec![good; 100].join(","))),
        _ => Answer::ok(&format!("[{good},")),
    });
    let _ = refused(&Env::at(&half.url), "testtakers list -p {P} -o ndjson").hides("canary");
}

#[test]
fn garbage_is_no_answer_whatever_it_is() {
    let mut rng = TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha);
    for length in [1, 64, 5000] {
        let noise = bytes(&mut rng, length);
        let body = [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".as_slice(), &noise].concat();
        let chunked = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".as_slice(), &noise].concat();
        let status = [b"HTTP/1.1 ".as_slice(), &noise].concat();
        for answer in [noise, body, chunked, status] {
            let socket = Socket::always(Answer::Bytes(answer));
            // One attempt is as good as four, and the backoff between them is none of this test's concern.
            let _ = refused(&Env::at(&socket.url), "projects list --deadline 1s");
        }
    }
}

#[test]
fn a_page_for_browsers_is_named_by_its_title_without_its_tricks() {
    let page = "<!doctype html><title>Sign in\u{1b}[2J\u{202e} to Corp</title><p>canary@example.com";
    for status in [200, 403, 407, 511] {
        let socket = Socket::always(Answer::new(status, &["Content-Type: text/html"], page));
        let said = refused(&Env::at(&socket.url), "projects list --deadline 5s").mentions("Sign in").hides("canary");
        let _ = said.hides("\u{1b}").hides("\u{202e}");
    }
}

#[test]
fn a_certificate_error_says_what_is_wrong_and_what_helps_and_the_key_stays_here() {
    let trusted = "--ca-cert own.pem";
    let expired = ("its certificate expired at 2001-01-01T00:00:00Z", "the service needs a new certificate");
    let named = ("its certificate is for another name: elsewhere.example", "use a name that the certificate is for");
    for (server, option, (says, helps)) in [
        (tls::untrusted(), "", ("signed by an authority that this machine does not trust", "--ca-cert FILE trusts")),
        (tls::expired(), trusted, expired),
        (tls::of_another_name(), trusted, named),
        (tls::of_an_authority(), "", ("is that of a certificate authority, not of a server", "--ca-cert FILE trusts")),
        (tls::of_an_expired_authority(), trusted, expired),
        (tls::of_an_authority_for_another_name(), trusted, named),
    ] {
        let env = Env::at(&server.url);
        env.write("own.pem", &server.certificate);
        let said = env.line(&format!("projects list {option}")).fails(2).mentions(says);
        let _ = said.mentions(&format!("hint: {helps}"));
        assert_eq!(server.requests(), 0, "{says}");
        for switch in ["--insecure", "-k", "--no-verify"] {
            let _ = env.line(&format!("projects list {switch}")).fails(2);
        }
    }
}

#[test]
fn a_certificate_that_was_given_is_accepted_of_its_own_server_alone() {
    let (own, other) = (tls::of_an_authority(), tls::of_an_authority());
    let env = Env::at(&own.url);
    env.write("own.pem", &own.certificate);
    env.write("other.pem", &other.certificate);
    assert_eq!(env.line("projects list --ca-cert own.pem -o json").data(), "[]\n");
    let sent = own.requests();
    let _ = env.line("projects list --ca-cert other.pem").fails(2).mentions("certificate authority");
    assert_eq!((own.requests(), other.requests()), (sent, 0));
}

#[test]
#[cfg(target_os = "linux")]
fn without_a_certificate_store_it_is_said_what_to_install_or_give() {
    let server = tls::untrusted();
    let env = Env::at(&server.url);
    env.write("own.pem", &server.certificate);
    let none = env.write("none.pem", "").display().to_string();
    let empty = env.work().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let env = env.with("SSL_CERT_FILE", &none).with("SSL_CERT_DIR", &empty.display().to_string());
    let _ = env.line("projects list").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: cannot prepare the connection: this machine has no certificate store, so that no service can be trusted
hint: install the package ca-certificates, or give --ca-cert FILE with the service's authority

"#]]);
    assert_eq!(env.line("projects list --ca-cert own.pem -o json").data(), "[]\n");
    let shown = env.line("config show -o csv").data();
    assert!(shown.contains("ca-cert,,not set; SSL_CERT_FILE and SSL_CERT_DIR replace the platform's\n"), "{shown}");
    let said = env.line("doctor -o json --ca-cert own.pem").ok();
    assert!(said.stdout.contains("SSL_CERT_FILE and SSL_CERT_DIR replace the platform's"), "{said}");
}

#[test]
fn plain_http_goes_by_no_proxy_and_a_dead_proxy_is_named() {
    let proxy = Socket::always(Answer::ok("[]"));
    let env = Env::new().with("HTTP_PROXY", &proxy.url).with("http_proxy", &proxy.url).with("ASSESSCTL_API_KEY", KEY);
    env.configure("profile = \"m\"\n[profiles.m]\nbase-url = \"http://inside.invalid\"\nallow-http = true\n");
    let said = env.line("projects list --deadline 1s");
    assert!(said.code != 0 && said.stderr.contains("cannot reach inside.invalid: "), "{said}");
    assert_eq!(proxy.requests().len(), 0);
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let env = Env::at("https://assess.invalid").with("HTTPS_PROXY", &format!("http://me:canary@{free}"));
    let said = env.line("projects list --deadline 1s").hides("canary");
    assert!(said.stderr.contains(&format!("cannot reach assess.invalid by the proxy {free}: ")), "{said}");
}

#[test]
fn a_proxy_is_used_where_the_environment_names_it_and_sees_no_key() {
    let proxy = Socket::always(Answer::new(502, &[], ""));
    let env = Env::at("https://assess.invalid").with("HTTPS_PROXY", &proxy.url);
    let _ = refused(&env, "projects list --deadline 1s");
    let asked = proxy.requests();
    assert!(!asked.is_empty() && asked.iter().all(|request| request.method == "CONNECT"), "{asked:?}");
    assert!(
        asked.iter().all(|request| request.target == "assess.invalid:443" && request.header("x-api-key").is_none())
    );
    let _ = refused(&env.with("NO_PROXY", "assess.invalid"), "projects list --deadline 1s");
    assert_eq!(proxy.requests().len(), asked.len());
}

#[test]
fn a_base_url_that_would_leak_is_refused_before_anything_is_sent() {
    let socket = Socket::always(Answer::ok("[]"));
    let port = socket.url.rsplit(':').next().expect("a port").to_owned();
    for url in [
        format!("http://user@127.0.0.1:{port}"),
        format!("http://canary:canary@127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}/?canary=1"),
        format!("http://127.0.0.1:{port}/#canary"),
        format!("http://127.0.0.1.nip.example:{port}"),
        format!("http://127.0.0.1:{port}@assess.invalid"),
        format!("http://localhost.example:{port}"),
        "http://10.0.0.1".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let _ = Env::at(&url).line("projects list").fails(2).hides("canary").hides("etc/passwd");
    }
    for here in ["127.1", "0x7f.0.0.1", "LOCALHOST", "127.0.0.1."] {
        let _ = Env::at(&format!("http://{here}:{port}")).line("projects list -o json").data();
    }
    assert_eq!(socket.requests().len(), 4 * 3);
}
