//! Where a request may go: no redirects, no leaking addresses, and each key to its own address only.

use serde_json::json;

use std::io::Write as _;

use crate::support::env::{Env, KEY, mode};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::tls;
use crate::support::wire::{Answer, PROJECT};

#[test]
fn redirects_are_named_and_never_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Service::start();
        let location = format!("Location: {}/projects?token=canary", elsewhere.url);
        let service = Service::always(Answer::new(status, &[&location], ""));
        for command in ["projects list", "redirect-uris add https://a.example", "projects create Depot"] {
            let _ = Env::at(&service.url).line(command).fails(2).names("127.0.0.1").hides("canary");
        }
        assert!(elsewhere.log().is_empty(), "{status}");
    }
    // Whoever answers a creation so may have passed it on: it is looked for.
    let elsewhere = Service::start();
    let answer = Answer::new(307, &[&format!("Location: {}/projects", elsewhere.url)], "");
    let service = Service::start().on(Op::CreateProject, When::Always, Trouble::Answer(answer));
    let _ = Env::at(&service.url).line("projects create Depot").fails(7);
    assert_eq!((service.count(Op::CreateProject), elsewhere.log().len()), (1, 0));
}

#[test]
fn a_base_url_that_would_leak_is_refused_before_anything_is_sent() {
    let service = Service::start();
    let port = service.url.rsplit(':').next().expect("a port");
    for url in [
        format!("http://canary-user:canary-word@127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}/?canary=1"),
        format!("http://127.0.0.1:{port}/#canary"),
        "http://service.example.com".to_owned(),
        "http://127.0.0.1.example.com".to_owned(),
        format!("ftp://127.0.0.1:{port}"),
        "service.example.com".to_owned(),
        String::new(),
    ] {
        let _ = Env::at("").run(&["projects", "list", "--base-url", &url]).fails(2).hides("canary-word");
        let _ = Env::at(&url).line("projects list").fails(2).hides("canary-word");
    }
    assert!(service.log().is_empty());
}

#[test]
fn a_path_in_the_base_url_is_kept() {
    for end in ["/api/v1", "/api/v1/"] {
        let service = Service::always(Answer::ok(json!([])));
        let _ = Env::at(&format!("{}{end}", service.url)).line("projects list").data();
        assert!(service.log()[0].target.starts_with("/api/v1/projects?"), "{}", service.log()[0].target);
    }
}

#[test]
fn a_key_goes_to_its_own_address_only() {
    let (own, other) = (Service::start(), Service::start());
    let profile = |more: &str| format!("[profiles.own]\nbase-url = \"{}\"\n{more}", own.url);
    let with_key = profile(&format!("api-key = \"{KEY}\"\n"));
    let env = || Env::new();
    // A profile's key follows no other address.
    let own_key = env();
    own_key.configure(&with_key);
    let _ = own_key.line("--profile own projects list").ok();
    let _ = own_key.run(&["--profile", "own", "--base-url", &other.url, "projects", "list"]).fails(3);
    let own_key = own_key.with("ASSESSCTL_BASE_URL", &other.url);
    let _ = own_key.line("--profile own projects list").fails(3);
    // The key of the environment goes to the address of the environment.
    let both = Env::at(&other.url);
    both.configure(&with_key);
    let _ = both.run(&["--base-url", &own.url, "projects", "list"]);
    assert!(other.log().is_empty() && own.log().iter().all(|request| request.header("x-api-key") == Some(KEY)));
    let asked = own.log().len();
    let _ = both.line("projects list").ok();
    assert_eq!((own.log().len(), other.log().is_empty()), (asked, false));
}

#[test]
fn the_key_of_the_environment_goes_to_a_profile_without_a_key_of_its_own() {
    let service = Service::start();
    let of = |more: &str| {
        let env = Env::new().with("ASSESSCTL_API_KEY", KEY);
        env.configure(&format!("[profiles.own]\nbase-url = \"{}\"\n{more}", service.url));
        env.line("--profile own projects list")
    };
    let _ = of("").ok();
    assert_eq!(service.log()[0].header("x-api-key"), Some(KEY));
    let asked = service.log().len();
    let _ = of("api-key = \"own-key-9\"\n").fails(2).hides("own-key-9");
    assert_eq!(service.log().len(), asked);
    // Without a profile it goes to --base-url, and without any address it is an error.
    let env = Env::new().with("ASSESSCTL_API_KEY", KEY);
    let _ = env.run(&["--base-url", &service.url, "projects", "list"]).ok();
    let _ = env.line("projects list").fails(2);
}

#[test]
fn a_key_comes_from_a_file_or_standard_input_and_no_key_is_an_error_before_anything_is_sent() {
    let service = Service::start();
    let env = Env::at(&service.url).without("ASSESSCTL_API_KEY");
    let _ = env.line("projects list").fails(3);
    let file = env.write("key.txt", format!("{KEY}\n"));
    #[cfg(unix)]
    {
        mode(&file, 0o644);
        let said = env.line("projects list --api-key-file key.txt");
        assert!([2, 3].contains(&said.code), "{said}");
        let _ = said.clone().fails(said.code).names("chmod").hides(KEY);
    }
    assert!(service.log().is_empty());
    mode(&file, 0o600);
    let _ = env.line("projects list --api-key-file key.txt").data();
    let _ = env.run_with(&["projects", "list", "--api-key-file", "-"], format!("\u{feff}{KEY}\r\n").as_bytes()).data();
    assert!(service.log().iter().all(|request| request.header("x-api-key") == Some(KEY)));
}

/// A machine with a profile that trusts this certificate besides the system's.
fn trusting(server: &tls::Server, certificate: &str) -> Env {
    let env = Env::new().with("ASSESSCTL_PROFILE", "own");
    env.write("own.pem", certificate);
    let url = server.url();
    env.configure(&format!(
        "[profiles.own]\nbase-url = \"{url}\"\napi-key = \"{KEY}\"\nca-cert = \"../../work/own.pem\"\n"
    ));
    env
}

#[test]
fn a_certificate_that_is_not_accepted_is_named_and_the_key_stays_here() {
    let own = || tls::serve("localhost", 2000..2999);
    let other = own().certificate;
    for (server, trusted, why) in [
        (own(), None, "does not trust its issuer"),
        (own(), Some(other), "signed by another key"),
        (tls::serve("localhost", 2000..2001), Some(String::new()), "it has expired"),
        (tls::serve("localhost", 2998..2999), Some(String::new()), "it is not valid yet"),
        (tls::serve("elsewhere.example", 2000..2999), Some(String::new()), "it is for another name"),
    ] {
        let own = |other: String| if other.is_empty() { server.certificate.clone() } else { other };
        let env = trusted.map_or_else(|| Env::at(&server.url()), |other| trusting(&server, &own(other)));
        let _ = env.line("projects list").fails(2).names("certificate").names(why);
        assert_eq!(server.requests(), 0, "{why}");
    }
}

#[test]
fn a_certificate_of_ones_own_is_trusted_where_it_is_named() {
    let server = tls::serve("localhost", 2000..2999);
    let pem = &server.certificate;
    // With a byte order mark, with the line ends of Windows, and with a remark.
    for content in
        [pem.clone(), format!("\u{feff}{pem}"), pem.replace('\n', "\r\n"), format!("Our own authority\n{pem}")]
    {
        let said = trusting(&server, &content).line("projects list -o json");
        assert_eq!((said.code, said.stdout.as_str()), (0, "[]\n"), "{content:.20}: {said}");
    }
    assert_eq!(server.requests(), 4 * 5);
    for none in ["", "no certificate", "-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n"] {
        let _ = trusting(&server, none).line("projects list").fails(2).names("own.pem").hides("canary");
    }
    let gone = trusting(&server, "");
    std::fs::remove_file(gone.work().join("own.pem")).expect("removed");
    let _ = gone.line("projects list").fails(2).names("own.pem");
}

#[test]
fn an_address_that_answers_pages_or_nothing_is_named() {
    let page = Answer::new(200, &["Content-Type: text/html"], "<!doctype html><title>Sign in</title>");
    let _ = Env::at(&Service::always(page).url).line("projects list").fails(2).hides("Sign in");
    let page = Answer::new(404, &["Content-Type: text/html"], "<html><title>Not here</title>");
    let _ = Env::at(&Service::always(page).url).line("projects list").fails(2).names("a web page").hides("Not here");
    let missing = Answer::problem(404, "Not Found", "");
    let _ = Env::at(&Service::always(missing).url).line("projects list").fails(2);
    // TLS is asked of what has none; an answer that ends too early is something else.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let tls = format!("https://localhost:{}", listener.local_addr().expect("an address").port());
    std::thread::spawn(move || {
        listener.incoming().try_for_each(|client| client?.write_all(b"HTTP/1.1 400 No\r\n\r\n"))
    });
    let _ = Env::at(&tls).line("projects list").fails(2).names("it does not speak TLS");
    let plain = Service::start().on(Op::Projects, When::Always, Trouble::Truncate);
    let _ = Env::at(&plain.url).line("projects list").fails(6).hides("TLS");
    let _ = Env::at("https://nowhere.invalid").line("projects list").fails(6).names("its name cannot be looked up");
    // A port that nobody listens on.
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let _ = Env::at(&format!("http://{free}")).line("projects list").fails(6).names("127.0.0.1");
    let gone =
        Service::start().on(Op::TestTakers, When::Always, Trouble::Answer(Answer::problem(404, "Not Found", "")));
    let _ = Env::at(&gone.url).line(&format!("testtakers list -p {PROJECT}")).fails(2);
}
