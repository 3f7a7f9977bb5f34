//! The traps of HTTP: redirects, proxies, certificates, bodies without an end, secrets in talk.

use crate::doubts_of_writes::{at, service};
use crate::harness::{Env, KEY, owner_only};
use crate::socket::{Answer, Socket};
use crate::tls;
use crate::wire::{self, PROJECT, text};

#[test]
fn redirects_are_reported_and_never_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Socket::always(Answer::ok("[]"));
        let location = format!("Location: {}/projects?token=canary", elsewhere.url);
        let socket = Socket::always(Answer::new(status, &[&location], ""));
        let said = Env::at(&socket.url).line("projects list").fails(2);
        assert!(said.stderr.contains("redirect") && said.stderr.contains("127.0.0.1"), "{said}");
        let _ = said.hides("canary");
        assert_eq!((socket.requests().len(), elsewhere.requests().len()), (1, 0), "{status}");
    }
}

#[test]
fn a_redirect_of_a_creation_is_not_followed_either() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Socket::always(Answer::json(201, &text("project.json")));
        let location = format!("Location: {}/projects", elsewhere.url);
        let socket = Socket::always(Answer::new(status, &[&location], ""));
        let _ = Env::at(&socket.url).line("projects create Depot --allow-duplicates").fails(2);
        assert_eq!((socket.count("POST /projects"), elsewhere.requests().len()), (1, 0), "{status}");
    }
}

#[test]
fn loopback_is_not_proxied() {
    let proxy = Socket::always(Answer::ok("[]"));
    let socket = wire::workspace(false);
    let port = socket.url.rsplit(':').next().expect("a port");
    for url in [socket.url.clone(), format!("http://localhost:{port}")] {
        let mut env = Env::at(&url);
        for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            env = env.with(name, &proxy.url);
        }
        let _ = env.line("projects list").data();
    }
    assert!(proxy.requests().is_empty() && !socket.requests().is_empty());
}

#[test]
fn a_certificate_of_ones_own_is_trusted_where_it_is_named() {
    let server = tls::untrusted();
    let env = Env::at(&server.url);
    env.write("own.pem", &server.certificate);
    assert_eq!(env.line("projects list --ca-cert own.pem -o json").data(), "[]\n");
    assert_eq!(server.requests(), 3);
}

#[test]
fn bodies_are_read_however_they_arrive_and_whatever_their_label() {
    let body = format!("[{}]", text("project.json"));
    let plain = Answer::new(200, &["Content-Type: text/plain"], &body);
    let Answer::Bytes(bytes) = plain.clone() else { unreachable!("a whole answer is bytes") };
    let chunked =
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    for answer in
        [plain, Answer::Trickle(bytes), Answer::without_length(200, &body), Answer::Bytes(chunked.into_bytes())]
    {
        let socket = Socket::always(answer);
        let said = Env::at(&socket.url).line("projects list -o csv --fields name").data();
        assert_eq!(said, "name\nNight shift north\n");
    }
}

#[test]
fn a_body_without_an_end_is_cut_off() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[".to_vec();
    let socket = Socket::always(Answer::Flood(head, 64));
    let said = Env::at(&socket.url).line("projects list");
    assert!(said.code != 0 && said.stderr.contains("16 MiB") && said.stdout.is_empty(), "{said}");
}

#[test]
fn a_service_that_falls_silent_is_no_answer() {
    for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{\"id\":"] {
        let socket = Socket::always(Answer::Hang(start.as_bytes().to_vec()));
        let _ = Env::at(&socket.url).line("projects list --timeout 300ms").fails(6);
        assert_eq!(socket.requests().len(), 4);
    }
}

#[test]
fn compression_is_neither_asked_for_nor_undone() {
    let socket = Socket::always(Answer::new(200, &["Content-Encoding: gzip"], "\u{1f}\u{8b}"));
    let said = Env::at(&socket.url).line("projects list");
    assert!(said.code != 0 && said.stdout.is_empty(), "{said}");
    assert_eq!(socket.requests()[0].header("accept-encoding"), None);
}

#[test]
fn talk_shows_no_key_no_name_no_reference_id_no_query_and_no_link() {
    let socket = wire::workspace(false);
    let env = Env::at(&socket.url);
    let commands = [
        "projects list -v --filter canary-filter",
        "testtakers list -v -p {P} --reference-id EMP-00017",
        "results get EMP-00017 -v -p {P}",
        "links issue ref:EMP-00017 -v -p {P} --reference-id EMP-00017 --to link.csv",
        "testtakers update ref:EMP-00017 -v -p {P} --first-name Canary",
        "testtakers remove id:4711 -v -p {P} --yes",
        "redirect-uris add https://canary-uri.example.com -v",
    ];
    for command in commands {
        let said = env.line(&command.replace("{P}", PROJECT)).ok();
        for secret in
            [KEY, "EMP-00017", "canary-filter", "canary-link", "Canary", "zoe.mueller", "Zo\u{eb}", "canary-uri"]
        {
            assert!(!said.stderr.contains(secret), "{command}: {secret} in\n{}", said.stderr);
        }
        assert!(said.stderr.contains(" 20"), "{command}: -v shows the status:\n{said}");
        assert!(!said.stderr.contains('?'), "{command}: a query in\n{said}");
    }
}

#[test]
fn the_servers_words_are_kept_but_what_the_request_carried_is_masked() {
    let detail = "referenceId EMP-00017 of Zoë Müller (zoe.mueller@example.com) is taken";
    let socket = Socket::answering(move |request, _| match request.method.as_str() {
        "POST" => Answer::problem(422, "Unprocessable", detail),
        _ => Answer::ok("[]"),
    });
    let said = Env::at(&socket.url).line(&format!(
        "testtakers enrol -p {PROJECT} --email zoe.mueller@example.com --first-name Zoë --last-name Müller \
         --reference-id EMP-00017 -o json"
    ));
    assert_eq!(said.code, 5, "{said}");
    for secret in ["EMP-00017", "Zoë", "Müller", "zoe.mueller"] {
        assert!(!said.stderr.contains(secret), "{secret} in\n{}", said.stderr);
    }
}

#[test]
fn a_refusal_about_a_person_who_was_read_does_not_name_them() {
    let socket = service(|request, _| {
        (request.method != "GET").then(|| Answer::problem(401, "No key", "for Ann One (A, ann@x.com), who has begun"))
    });
    let env = at(&socket);
    for line in ["testtakers update ref:A --first-name Zoe", "testtakers remove ref:A --yes", "links issue ref:A"] {
        let said = env.line(line).exits(3).mentions("who has begun");
        assert!(!["Ann", "One", "(A", "ann@"].iter().any(|name| said.stderr.contains(name)), "{said}");
    }
}

#[test]
fn the_servers_words_reach_a_terminal_without_its_control_characters() {
    let socket = Socket::always(Answer::problem(422, "No\u{1b}[2J\u{202e}", "Bell\u{7}\nerror: fake\nhint: fake"));
    let said = Env::at(&socket.url).line("projects list").fails(5);
    for forbidden in ['\u{1b}', '\u{202e}', '\u{7}'] {
        assert!(!said.stderr.contains(forbidden), "{said:?}");
    }
}

#[test]
fn a_key_file_that_others_can_read_is_refused() {
    let socket = wire::workspace(false);
    let env = Env::at(&socket.url).without("ASSESSCTL_API_KEY");
    let file = env.write("key.txt", format!("{KEY}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("permissions");
        let _ = env.line("projects list --api-key-file key.txt").fails(3).mentions("chmod");
        assert!(socket.requests().is_empty());
    }
    owner_only(&file);
    let _ = env.line("projects list --api-key-file key.txt").data();
    let _ = env.run_with(&["projects", "list", "--api-key-file", "-"], KEY.as_bytes()).data();
    assert!(!socket.requests().is_empty());
}

#[test]
fn a_profiles_key_does_not_follow_another_address() {
    let (own, other) = (wire::workspace(false), wire::workspace(false));
    let env = Env::new();
    env.configure(&format!("profile = \"own\"\n[profiles.own]\nbase-url = \"{}\"\napi-key = \"{KEY}\"\n", own.url));
    let _ = env.line("--profile own projects list").data();
    let _ = env.run(&["--profile", "own", "--base-url", &other.url, "projects", "list"]).fails(3);
    let env = env.with("ASSESSCTL_BASE_URL", &other.url);
    let _ = env.line("--profile own projects list").fails(3);
    assert!(!own.requests().is_empty() && other.requests().is_empty());
}

#[test]
fn a_rehearsal_cannot_reach_production() {
    let socket = wire::workspace(false);
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
    let said = env.line("--profile sandbox projects list -o csv --fields name").ok().mentions("ASSESSCTL_BASE_URL");
    assert_eq!(said.stdout, "name\nDemo\n");
    let _ = env.run(&["--profile", "sandbox", "--base-url", &socket.url, "projects", "list"]).fails(2);
    env.write("key.txt", KEY);
    owner_only(&env.work().join("key.txt"));
    let _ = env.line("--profile sandbox --api-key-file key.txt projects list").fails(2);
    assert!(socket.requests().is_empty());
}
