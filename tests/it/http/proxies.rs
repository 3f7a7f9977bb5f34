//! Proxies of the environment: where they are used, and what they refuse.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::support::env::{Env, KEY};
use crate::support::service::Service;
use crate::support::tls;

/// A proxy that writes down what it is told, and either opens each tunnel or answers these bytes.
fn proxy(answer: Option<&'static str>) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let told = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&told);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                if stream.read(&mut byte).unwrap_or(0) == 0 {
                    break;
                }
                head.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            log.lock().expect("no test panics here").push_str(&head);
            match answer {
                Some(bytes) => drop(stream.write_all(bytes.as_bytes())),
                None => tunnel(stream, head.split_whitespace().nth(1).unwrap_or_default()),
            }
        }
    });
    (url, told)
}

/// Whatever name was asked for is this machine.
fn tunnel(mut client: TcpStream, target: &str) {
    let port = target.rsplit(':').next().unwrap_or_default();
    let Ok(mut server) = TcpStream::connect(format!("127.0.0.1:{port}")) else { return };
    let _ = client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
    let (mut from, mut to) = (client.try_clone().expect("a stream"), server.try_clone().expect("a stream"));
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut server, &mut client);
        let _ = client.shutdown(std::net::Shutdown::Both);
    });
}

/// A machine whose service is beyond loopback, with a certificate that it trusts.
fn beyond(proxy: &str, name: &str) -> Env {
    let server = tls::serve("service.example", 2000..2999);
    let env = Env::new().with(name, proxy);
    env.write("own.pem", &server.certificate);
    env.configure(&format!(
        "[profiles.own]\nbase-url = \"https://service.example:{}\"\napi-key = \"{KEY}\"\nca-cert = \"../../work/own.pem\"\n",
        server.port
    ));
    env.with("ASSESSCTL_PROFILE", "own")
}

#[test]
fn a_proxy_is_used_where_the_environment_names_it_and_sees_no_key() {
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let (url, told) = proxy(None);
        assert_eq!(beyond(&url, name).line("projects list -o json").data(), "[]\n", "{name}");
        let told = told.lock().expect("no test panics here");
        assert!(told.starts_with("CONNECT service.example:") && !told.contains(KEY), "{told}");
    }
}

#[test]
fn a_user_and_a_password_of_the_proxy_are_sent_to_it_and_shown_to_nobody() {
    let (url, told) = proxy(None);
    let with_user = url.replace("http://", "http://canary-user:canary-word@");
    let _ = beyond(&with_user, "HTTPS_PROXY").line("projects list -v").ok().hides("canary-");
    assert!(told.lock().expect("no test panics here").to_lowercase().contains("proxy-authorization: basic "));
}

#[test]
fn a_proxy_that_asks_for_a_password_or_refuses_is_named_and_not_asked_again() {
    let of = |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    for basic in [
        "407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"corp\"",
        "407 No\r\nProxy-Authenticate: NTLM",
    ] {
        let (url, told) = proxy(Some(of(basic).leak()));
        let _ = beyond(&url, "HTTPS_PROXY").line("projects list").fails(2).names("asks for a user");
        assert_eq!(told.lock().expect("no test panics here").matches("CONNECT").count(), 1);
    }
    for status in ["403 Forbidden", "302 Found\r\nLocation: http://portal.corp.test/login", "503 Busy"] {
        let (url, _) = proxy(Some(of(status).leak()));
        let said = beyond(&url, "HTTPS_PROXY").line("projects list");
        assert!([2, 6].contains(&said.code) && said.stdout.is_empty(), "{status}: {said}");
    }
}

#[test]
fn a_variable_that_names_no_proxy_is_an_error_and_is_not_shown() {
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        for value in
            ["http://canary-word:80:80", "ht tp://canary-word", "proxy canary-word:8080", "http://user:canary-word@"]
        {
            let _ = beyond(value, name).line("projects list").fails(2).names(name).hides("canary-word");
        }
    }
}

#[test]
fn an_empty_variable_is_none_and_a_dead_proxy_is_no_answer() {
    let (url, told) = proxy(None);
    let dead = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let _ = beyond(&format!("http://{dead}"), "HTTPS_PROXY").line("projects list").fails(6);
    let env = beyond(&url, "HTTPS_PROXY").with("HTTPS_PROXY", "").with("https_proxy", "");
    // The name leads nowhere without the proxy.
    let _ = env.line("projects list").fails(6);
    assert!(told.lock().expect("no test panics here").is_empty());
}

#[test]
fn loopback_and_plain_http_go_by_no_proxy() {
    let (url, told) = proxy(None);
    let service = Service::start();
    let port = service.url.rsplit(':').next().expect("a port");
    for address in [service.url.clone(), format!("http://localhost:{port}")] {
        let mut env = Env::at(&address);
        for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            env = env.with(name, &url);
        }
        let _ = env.line("projects list").data();
    }
    assert!(told.lock().expect("no test panics here").is_empty() && !service.log().is_empty());
}
