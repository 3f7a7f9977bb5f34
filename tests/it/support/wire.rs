//! Typed bytes: requests as they came, answers as they leave, raw requests, and fixtures typed by hand from the specification.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

/// The project of the fixtures.
pub(crate) const PROJECT: &str = "3f8a1c52-6d0e-4b7f-9a35-2c1d84e7b690";

/// Text of a fixture, by its file's name.
pub(crate) fn text(name: &str) -> String {
    let path = format!("{}/tests/fixtures/wire/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A fixture read as JSON.
pub(crate) fn fixture(name: &str) -> Value {
    serde_json::from_str(&text(&format!("{name}.json"))).expect("a fixture is JSON")
}

/// A part of a path without its encoding.
pub(crate) fn decoded(part: &str) -> String {
    percent_encoding::percent_decode_str(part).decode_utf8().expect("UTF-8 in a URL").into_owned()
}

/// One request as it came over the wire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// GET, POST …
    pub(crate) method: String,
    /// Path and query as sent.
    pub(crate) target: String,
    /// Names in lower case, values as sent.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as sent.
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The target without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The query's pairs without their encoding: in a query, and only there, a plus sign is a blank.
    pub(crate) fn query(&self) -> Vec<(String, String)> {
        let (_, query) = self.target.split_once('?').unwrap_or_default();
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let value = |text: &str| decoded(&text.replace('+', "%20"));
        pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(|(n, v)| (n.to_owned(), value(v))).collect()
    }

    /// Value of one query parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        self.query().into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The number of a query parameter.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.parameter(name)?.parse().ok()
    }

    /// The body read as JSON; null where there is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Method and path: what the request wants.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path())
    }
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    /// The connection stays open for the next request.
    Open,
    /// The connection is closed.
    Close,
    /// The bytes leave one by one, then the connection is closed.
    Trickle,
    /// As much white space follows as the client takes, up to this many MiB.
    Flood(usize),
    /// A blank follows now and then for as long as the client listens.
    Drip,
    /// Nothing more follows until the client gives up.
    Hang,
}

/// Bytes that a service answers with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    bytes: Vec<u8>,
    end: End,
}

impl Answer {
    /// A whole answer with more header lines (`"Retry-After: 1"`).
    pub(crate) fn new(status: u16, headers: &[&str], body: &str) -> Self {
        let length = format!("Content-Length: {}", body.len());
        let first = format!("HTTP/1.1 {status} {}", reason(status));
        let head = [&[first.as_str()], headers, &[&length]].concat();
        Self { bytes: format!("{}\r\n\r\n{body}", head.join("\r\n")).into_bytes(), end: End::Open }
    }

    /// A JSON body.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, &["Content-Type: application/json; charset=utf-8"], &body.to_string())
    }

    /// 200 with a JSON body.
    pub(crate) fn ok(body: impl Into<Value>) -> Self {
        Self::json(200, &body.into())
    }

    /// A problem body.
    pub(crate) fn problem(status: u16, title: &str, detail: &str) -> Self {
        let body = serde_json::json!({ "type": null, "title": title, "status": status, "detail": detail });
        Self::json(status, &body)
    }

    /// These bytes, and the connection is closed; without any, it is closed without a word.
    pub(crate) fn bytes(bytes: impl AsRef<[u8]>) -> Self {
        Self { bytes: bytes.as_ref().to_vec(), end: End::Close }
    }

    /// A body that ends long before its Content-Length says so.
    pub(crate) fn cut(status: u16, body: &str) -> Self {
        let length = body.len() + 100;
        Self::bytes(format!("HTTP/1.1 {status} {}\r\nContent-Length: {length}\r\n\r\n{body}", reason(status)))
    }

    /// These bytes, then nothing more until the client gives up.
    pub(crate) fn hang(bytes: &str) -> Self {
        Self { bytes: bytes.into(), end: End::Hang }
    }

    /// Its body.
    pub(crate) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes).into_owned();
        text.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_owned())
    }

    /// The same answer without the end of its bytes.
    pub(crate) fn shortened(mut self) -> Self {
        self.bytes.truncate(self.bytes.len() - 5);
        self.closing()
    }

    /// The same answer, after which the connection is closed though nothing announced it.
    pub(crate) fn closing(self) -> Self {
        Self { end: End::Close, ..self }
    }

    /// The same answer byte by byte.
    pub(crate) fn trickling(self) -> Self {
        Self { end: End::Trickle, ..self }
    }

    /// A body of 200 that begins like this and goes on with white space for so many MiB.
    pub(crate) fn flood(start: &str, mib: usize) -> Self {
        Self { bytes: format!("HTTP/1.1 200 OK\r\n\r\n{start}").into(), end: End::Flood(mib) }
    }

    /// A body of 200 that begins like this and goes on with a blank now and then.
    pub(crate) fn drip(start: &str) -> Self {
        Self { bytes: format!("HTTP/1.1 200 OK\r\n\r\n{start}").into(), end: End::Drip }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301..=308 => "Moved",
        400..=499 => "Refused",
        _ => "Broken",
    }
}

/// Listens for as long as the test process runs, and answers each request with what `answer` says of it; the base URL.
pub(crate) fn listen(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || serve(stream, &*answer));
        }
    });
    url
}

/// A client that goes away ends its connection: every error here is one of those.
fn serve(mut stream: TcpStream, answer: &dyn Fn(&Request) -> Answer) {
    let _ = stream.set_nodelay(true);
    let Ok(mut reader) = stream.try_clone().map(BufReader::new) else { return };
    while let Some(request) = read_request(&mut reader) {
        let answer = answer(&request);
        let is_over = answer.end != End::Open || request.header("connection") == Some("close");
        if send(&mut stream, &answer).is_err() || is_over {
            break;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}

fn send(stream: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    match answer.end {
        End::Trickle => answer.bytes.iter().try_for_each(|byte| stream.write_all(&[*byte]))?,
        _ => stream.write_all(&answer.bytes)?,
    }
    match answer.end {
        End::Open | End::Close | End::Trickle => Ok(()),
        End::Flood(mib) => (0..mib).try_for_each(|_| stream.write_all(&vec![b' '; 1 << 20])),
        End::Hang => stream.read_to_end(&mut Vec::new()).map(drop),
        End::Drip => {
            // Waiting for the client to go is the pause between two blanks.
            stream.set_read_timeout(Some(Duration::from_millis(20)))?;
            while !matches!(stream.read(&mut [0]), Ok(0)) {
                stream.write_all(b" ")?;
            }
            Ok(())
        }
    }
}

/// The first line of a message and its headers, with their names in lower case; `None` where it ends too early.
fn read_head(reader: &mut impl BufRead) -> Option<(String, Vec<(String, String)>)> {
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|count| *count > 0)?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { return Some((first, headers)) };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<Request> {
    let (line, headers) = read_head(reader)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request = Request { method, target, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    request.body.resize(length, 0);
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}

/// An answer to a raw request; status 0 where the connection was closed without one.
#[derive(Debug)]
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body as sent.
    pub(crate) body: String,
}

impl Reply {
    /// The body read as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// Value of a header, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Sends one request (`"GET /projects"`) over a connection of its own, with a key and a JSON body where given.
pub(crate) fn ask(url: &str, line: &str, key: Option<&str>, body: Option<&Value>) -> Reply {
    let mut headers: String = key.map(|key| format!("x-api-key: {key}\r\n")).into_iter().collect();
    if body.is_some() {
        headers += "Content-Type: application/json\r\n";
    }
    ask_raw(url, line, &headers, &body.map(Value::to_string).unwrap_or_default())
}

/// The same with headers, each with its line end, and a body as they are.
pub(crate) fn ask_raw(url: &str, line: &str, headers: &str, body: &str) -> Reply {
    let address = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(address).expect("a connection");
    let mut head = format!("{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAccept: application/json\r\n");
    head += &["Content-Length: ", &body.len().to_string(), "\r\n", headers].concat();
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("a request");
    let mut reader = BufReader::new(stream);
    let (first, headers) = read_head(&mut reader).unwrap_or_default();
    let status = first.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let mut reply = Reply { status, headers, body: String::new() };
    assert_ne!(reply.header("transfer-encoding"), Some("chunked"), "bodies are sent whole");
    let length = reply.header("content-length").and_then(|length| length.parse().ok());
    let mut body = Vec::new();
    // A connection that is reset in the middle of a body ends it.
    let _ = reader.take(length.unwrap_or(u64::MAX)).read_to_end(&mut body);
    reply.body = String::from_utf8(body).expect("a UTF-8 body");
    reply
}
