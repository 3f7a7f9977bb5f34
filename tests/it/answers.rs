//! What an odd answer means, with bytes typed by hand: no HTTP at all, less than an answer, or somebody else's record.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

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
fn an_answer_that_contradicts_itself_is_no_sign_of_a_wrong_port_once_the_service_has_answered() {
    let usual = wire::workspace_answers(false);
    let socket = Socket::answering(move |request: &Request, _| match request.path().rsplit('/').next() {
        Some("results") => bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n[] "),
        _ => usual(request),
    });
    let host = socket.url.trim_start_matches("http://");
    Env::at(&socket.url).line("results list -p 'Night shift north'").refuses(
        6,
        &format!(
            "error: cannot list the results: no answer from {host}: the head of the answer breaks the rules of HTTP\n\
             hint: try again later\n"
        ),
    );
}

#[test]
fn a_property_that_stands_twice_is_named_as_that() {
    for (record, why) in [
        (r#"{"id":17,"result":"HighRisk","result":"Completed"}"#, "the record with id 17 has result twice"),
        (r#"{"id":17,"id":18}"#, "a record has id twice"),
    ] {
        let socket = Socket::always(Answer::ok(&format!("[{record}]")));
        let text = format!("error: cannot list the results: the service answered 200, but {why}\n");
        Env::at(&socket.url).line(&format!("results list -p {PROJECT}")).refuses(1, &text);
    }
}

#[cfg(unix)]
#[test]
fn a_temporary_folder_that_is_not_there_is_told_once_with_what_helps() {
    // More than is kept in memory.
    let long = |id: i64| json!({"id": id, "fullName": "x".repeat(9_000)});
    let people: Vec<Value> = (1..=600).map(long).collect();
    let socket = Socket::answering(move |request, _| crate::lists::page(request, &people));
    let env = Env::at(&socket.url).with("TMPDIR", "/nonexistent");
    let said = env.line(&format!("results list -p {PROJECT} -o csv")).fails(1);
    assert_eq!(said.stderr.matches("No such file or directory").count(), 1, "{said}");
    let _ = said.mentions("\nhint: set TMPDIR to a folder that you can write to, on a disk with room\n");
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
fn a_project_whose_creation_was_answered_with_a_page_is_looked_up_and_anothers_record_is_not_printed() {
    let created = AtomicBool::new(false);
    let looked_up = Socket::answering(move |request, _| match request.method.as_str() {
        "POST" => {
            created.store(true, Ordering::SeqCst);
            Answer::new(201, &["Content-Type: text/html"], "<html>")
        }
        _ if request.parameter("page").is_some_and(|page| page != "1") => Answer::ok("[]"),
        _ if created.load(Ordering::SeqCst) => {
            let mut project = fixture("project");
            (project["name"], project["dateCreated"]) = (json!("Depot"), json!("2999-01-01T00:00:00Z"));
            Answer::ok(&json!([project]).to_string())
        }
        _ => Answer::ok("[]"),
    });
    assert_eq!(Env::at(&looked_up.url).line("projects create Depot -q").data().trim(), PROJECT);
    assert_eq!(looked_up.count("POST /projects"), 1);
    for (name, code) in [("Another", 1), ("Night  Shift ", 0)] {
        let another = Socket::answering(move |request, _| match request.method.as_str() {
            "POST" => {
                let mut project = fixture("project");
                project["name"] = json!(name);
                Answer::json(201, &project.to_string())
            }
            _ => Answer::ok("[]"),
        });
        let said = Env::at(&another.url).run(&["projects", "create", "night shift", "-q"]).exits(code);
        assert_eq!(said.stdout.is_empty(), code != 0, "{said}");
    }
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
