//! What an odd answer means, with bytes typed by hand: no HTTP at all, less than an answer, or somebody else's record.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::harness::Env;
use crate::socket::{Answer, Request, Socket};
use crate::wire::{self, PROJECT, fixture, text};

fn bytes(text: &str) -> Answer {
    Answer::Bytes(text.as_bytes().to_vec())
}

/// The `https` address of a server that answers a handshake as one of plain HTTP does.
fn plain_text() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("https://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // A client that goes away ends its connection.
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    url
}

#[test]
fn a_port_that_speaks_no_http_is_a_fault_of_set_up_and_not_asked_again() {
    let ssh = Socket::always(bytes("SSH-2.0-OpenSSH_9.6\r\n"));
    let _ = Env::at(&ssh.url).line("projects list").fails(2).mentions("nothing speaks HTTP at this port");
    assert_eq!(ssh.requests().len(), 1);
    let _ = Env::at(&plain_text()).line("projects list").fails(2).mentions("nothing speaks TLS at this port");
    let nobody = Env::at("http://127.0.0.1:9");
    let _ = nobody.line("projects list --deadline 1s").fails(6);
}

#[test]
fn once_the_service_has_answered_no_http_is_a_lost_answer() {
    let socket = Socket::answering(|_, before| match before {
        0 => Answer::problem(503, "Busy", ""),
        _ => bytes("SSH-2.0-OpenSSH_9.6\r\n"),
    });
    let _ = Env::at(&socket.url).line("projects list").fails(6);
    assert_eq!(socket.requests().len(), 4);
}

#[test]
fn accepted_and_partial_are_no_answers_and_never_a_page() {
    for status in [202, 206] {
        let socket = Socket::always(Answer::json(status, &format!("[{}]", text("project.json"))));
        let said = Env::at(&socket.url).line("projects list").fails(1);
        let _ = said.mentions(&format!("the service answered {status}, but this service has no such answer"));
    }
}

#[test]
fn a_read_whose_body_is_cut_off_or_no_json_is_asked_again() {
    let whole = format!("[{}]", text("project.json"));
    let cut = &whole[..whole.len() / 2];
    for odd in [Answer::ok(cut), Answer::ok(""), Answer::ok("\u{1f}\u{8b}\u{8}"), Answer::cut(200, cut, 10)] {
        let page = whole.clone();
        let socket = Socket::answering(move |request, before| match (before, request.parameter("page")) {
            (0, _) => odd.clone(),
            (_, Some("1")) => Answer::ok(&page),
            _ => Answer::ok("[]"),
        });
        let said = Env::at(&socket.url).line("projects list -o csv --fields name");
        assert_eq!(said.ok().stdout, "name\nNight shift north\n");
    }
    let never = Socket::always(Answer::ok(cut));
    let _ = Env::at(&never.url).line("projects list").fails(6).mentions("its body is cut off");
    assert_eq!(never.requests().len(), 4);
}

#[test]
fn a_create_whose_answer_is_no_json_is_never_sent_again() {
    let socket = Socket::answering(|request, _| match request.method.as_str() {
        "POST" => Answer::json(201, "{\"id\":"),
        _ => Answer::ok("[]"),
    });
    let said = Env::at(&socket.url).line("projects create Depot");
    assert!(said.code != 0, "{said}");
    assert_eq!(socket.count("POST /projects"), 1);
}

#[test]
fn a_byte_order_mark_is_borne() {
    let socket = Socket::answering(|request, _| match request.parameter("page") {
        Some("1") => Answer::ok(&format!("\u{feff}[{}]", text("project.json"))),
        _ => Answer::ok("[]"),
    });
    let said = Env::at(&socket.url).line("projects list -o csv --fields name");
    assert_eq!(said.ok().stdout, "name\nNight shift north\n");
}

/// The workspace, but for requests whose path ends so: those get this record.
fn but_for(end: &'static str, record: Value) -> Socket {
    let usual = wire::workspace_answers(false);
    Socket::answering(
        move |request: &Request, _| {
            if request.path().ends_with(end) { Answer::ok(&record.to_string()) } else { usual(request) }
        },
    )
}

#[test]
fn a_result_of_another_reference_id_is_an_error_and_not_printed() {
    for (shape, name) in [("current", "result"), ("legacy", "result-legacy")] {
        let mut other = fixture(name);
        other["referenceId"] = json!("EMP-00018");
        let socket = but_for("/results/EMP-00017", other);
        let said = Env::at(&socket.url).line(&format!("results get EMP-00017 -p {PROJECT} --results-api {shape}"));
        let _ = said.fails(1).mentions("another record").hides("EMP-00018");
    }
}

#[test]
fn an_update_that_answers_with_another_person_is_not_said_to_be_done() {
    let mut other = fixture("test-taker-patched");
    other["id"] = json!(1);
    let socket = but_for("/testtakers/4711", other);
    let said = Env::at(&socket.url).line(&format!("testtakers update id:4711 -p {PROJECT} --first-name Zoey -o json"));
    assert!(said.code != 0 && said.stdout.is_empty(), "{said}");
    let _ = said.mentions("another record");
}

#[test]
fn a_result_that_two_people_share_is_not_shown() {
    let one = fixture("test-taker");
    let mut other = one.clone();
    other["id"] = json!(4712);
    let usual = wire::workspace_answers(false);
    let socket = Socket::answering(move |request: &Request, _| {
        let look_up = request.parameter("referenceId").is_some() && request.parameter("page") == Some("1");
        if look_up { Answer::ok(&json!([one, other]).to_string()) } else { usual(request) }
    });
    let said = Env::at(&socket.url).line(&format!("results get EMP-00017 -p {PROJECT}")).fails(2);
    let _ = said.mentions("2 test takers have this reference id (id:4711, id:4712)");
    let env = Env::at(&socket.url);
    env.write("ids", "EMP-00017\n");
    let said = env.line(&format!("results get --ids-from ids -p {PROJECT} -o csv --fields asked,outcome,result"));
    assert_eq!(said.exits(2).stdout, "asked,outcome,result\nEMP-00017,shared,\n");
}
