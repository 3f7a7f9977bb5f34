//! A server of HTTP/2 whose frames are typed by hand (RFC 9113): what it says about an error reaches nobody, and what it
//! did not look at was never sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::harness::{Env, KEY, Said};
use crate::tls;
use crate::wire::PROJECT;

/// What a peer may repeat of a request.
const CANARY: &str = "zoe@example.com";

/// What a look-up of this person answers.
const PERSON: &str = r#"[{"id":4711,"email":"ann@x.com","referenceId":"A","firstName":"Ann"}]"#;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

const NO_ERROR: u32 = 0;
const PROTOCOL_ERROR: u32 = 1;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const ENHANCE_YOUR_CALM: u32 = 11;

/// `:status 200` out of the static table of HPACK.
const STATUS_200: &[u8] = &[0x88];
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short frame").to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A GOAWAY that says which stream was the last it took, and more than it should.
fn go_away(last: u32, code: u32) -> Vec<u8> {
    let debug = format!("{CANARY} with {KEY} came too often");
    frame(GOAWAY, 0, 0, &[&last.to_be_bytes(), &code.to_be_bytes(), debug.as_bytes()].concat())
}

fn reset(stream: u32, code: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &code.to_be_bytes())
}

fn answer(stream: u32, body: &str) -> Vec<u8> {
    let head = frame(HEADERS, END_HEADERS, stream, STATUS_200);
    [head, frame(DATA, END_STREAM, stream, body.as_bytes())].concat()
}

/// A running server, and how many requests reached it.
struct Server {
    env: Env,
    requests: Arc<AtomicUsize>,
}

impl Server {
    /// Answers each request, by its stream and by how many came before it, with these bytes. A connection that was sent
    /// a GOAWAY is closed.
    fn answering(answer: impl Fn(u32, usize) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let (config, certificate) = tls::http2();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let env = Env::at(&format!("https://localhost:{}", listener.local_addr().expect("an address").port()));
        env.write("own.pem", certificate);
        let requests = Arc::new(AtomicUsize::new(0));
        let (counter, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (config, counter, answer) = (Arc::clone(&config), Arc::clone(&counter), Arc::clone(&answer));
                // A client that goes away ends its connection: every error there is one of those.
                std::thread::spawn(move || serve(config, stream, &counter, &*answer));
            }
        });
        Self { env, requests }
    }

    /// Runs a command; nothing of what the server may have repeated is said.
    fn run(&self, line: &str) -> Said {
        let said = self.env.line(&format!("{line} --ca-cert own.pem -v"));
        said.hides(CANARY).hides(KEY).hides("came too often")
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn serve(
    config: Arc<ServerConfig>,
    stream: TcpStream,
    requests: &AtomicUsize,
    answer: &dyn Fn(u32, usize) -> Vec<u8>,
) -> std::io::Result<()> {
    let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(connection, stream);
    stream.read_exact(&mut [0; 24])?;
    stream.write_all(&frame(SETTINGS, 0, 0, &[]))?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        stream.read_exact(&mut payload)?;
        match (head[3], head[4]) {
            (SETTINGS, 0) => stream.write_all(&frame(SETTINGS, 1, 0, &[]))?,
            (PING, 0) => stream.write_all(&frame(PING, 1, 0, &payload))?,
            (HEADERS, _) => {
                let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
                let said = answer(id, requests.fetch_add(1, Ordering::SeqCst));
                stream.write_all(&said)?;
                if said.get(3) == Some(&GOAWAY) {
                    stream.conn.send_close_notify();
                    return stream.flush();
                }
            }
            _ => {}
        }
    }
}

#[test]
fn a_list_comes_over_http2_as_well() {
    let server = Server::answering(|stream, _| answer(stream, "[]"));
    assert_eq!(server.run("projects list -o json").ok().stdout, "[]\n");
}

#[test]
fn what_a_peer_says_about_an_error_of_http2_is_told_in_our_words() {
    let odd: [fn(u32) -> Vec<u8>; 8] = [
        |_| go_away(0, ENHANCE_YOUR_CALM),
        |stream| go_away(stream, PROTOCOL_ERROR),
        |stream| reset(stream, INTERNAL_ERROR),
        |stream| reset(stream, 0xbad),
        // Data of no stream, a promise that was not asked for, a header out of a table that has none, a frame of no kind.
        |_| frame(DATA, 0, 0, CANARY.as_bytes()),
        |stream| frame(PUSH_PROMISE, END_HEADERS, stream, &[&[0, 0, 0, 2], STATUS_200].concat()),
        |stream| frame(HEADERS, END_HEADERS | END_STREAM, stream, &[&[0xfe], CANARY.as_bytes()].concat()),
        |stream| [frame(0xcc, 0xff, stream, CANARY.as_bytes()), reset(stream, INTERNAL_ERROR)].concat(),
    ];
    for answer in odd {
        let server = Server::answering(move |stream, _| answer(stream));
        let _ = server.run("projects list").fails(6);
        let _ = server.run("doctor").exits(6);
    }
}

#[test]
fn what_the_service_did_not_look_at_was_never_sent_and_each_attempt_is_ours() {
    for odd in [|_| go_away(0, NO_ERROR), |_| go_away(0, ENHANCE_YOUR_CALM), |stream| reset(stream, REFUSED_STREAM)] {
        let server = Server::answering(move |stream, _| odd(stream));
        let said = server.run("projects create Depot").fails(6).mentions("cannot reach");
        assert_eq!(server.requests(), 4, "four attempts of ours, and none of the library's: {said}");
        // A link gets its attempts from whoever calls: four as well.
        let server = Server::answering(move |stream, _| odd(stream));
        let _ = server.run(&format!("links issue id:4711 -p {PROJECT}"));
        assert_eq!(server.requests(), 4);
    }
}

#[test]
fn an_update_and_a_removal_that_the_service_did_not_look_at_are_asked_for_four_times_and_not_in_doubt() {
    for odd in [|_| go_away(0, NO_ERROR), |stream| reset(stream, REFUSED_STREAM)] {
        for line in ["update ref:A --first-name Anna", "remove ref:A --yes -o csv"] {
            let server = Server::answering(move |stream, before| match before {
                0 => answer(stream, PERSON),
                _ => odd(stream),
            });
            let said = server.run(&format!("testtakers {line} -p {PROJECT}")).exits(6);
            assert_eq!(server.requests(), 1 + 4, "{said}");
        }
    }
}

#[test]
fn a_removal_that_the_service_may_have_looked_at_is_asked_for_again() {
    let server = Server::answering(|stream, before| match before {
        0 => answer(stream, PERSON),
        1 => reset(stream, INTERNAL_ERROR),
        _ => answer(stream, ""),
    });
    let said = server.run(&format!("testtakers remove ref:A --yes -p {PROJECT} -o csv")).ok();
    assert!(server.requests() == 3 && said.stdout.contains("4711,A,removed,"), "{said}");
}

#[test]
fn a_create_that_the_service_may_have_looked_at_is_sent_once() {
    let server = Server::answering(|stream, before| match before {
        0 => reset(stream, INTERNAL_ERROR),
        _ => answer(stream, "[]"),
    });
    let _ = server.run("projects create Depot").exits(1).mentions("HTTP/2");
    // The look-up by name is what comes after it.
    let reads = server.requests() - 1;
    assert!(reads > 0 && server.env.line("--version").code == 0, "{reads}");
}
