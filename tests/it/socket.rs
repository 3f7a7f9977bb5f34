//! A dumb HTTP server: it records what was asked, byte for byte, and answers with bytes typed by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

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

    /// The query's pairs as sent, still encoded.
    pub(crate) fn query(&self) -> Vec<(&str, &str)> {
        let (_, query) = self.target.split_once('?').unwrap_or_default();
        query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect()
    }

    /// Value of one query parameter, still encoded.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query().into_iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The body read as JSON; null where there is none.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Method and path: what the request wants.
    pub(crate) fn line(&self) -> String {
        format!("{} {}", self.method, self.path())
    }
}

/// What the server does with one request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// Sends these bytes and closes the connection.
    Bytes(Vec<u8>),
    /// Sends these bytes one by one.
    Trickle(Vec<u8>),
    /// Sends these bytes, then as much white space as the client takes, up to this many MiB.
    Flood(Vec<u8>, usize),
    /// Sends these bytes, then a blank now and then for as long as the client listens.
    Drip(Vec<u8>),
    /// Sends these bytes, then nothing more until the client gives up.
    Hang(Vec<u8>),
}

impl Answer {
    /// A whole answer with a status line and more header lines (`"Retry-After: 1"`).
    pub(crate) fn new(status: u16, headers: &[&str], body: &str) -> Self {
        let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
        for header in headers {
            head = head + header + "\r\n";
        }
        let end = format!("Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
        Self::Bytes([head.as_bytes(), end.as_bytes()].concat())
    }

    /// 200 with a JSON body.
    pub(crate) fn ok(body: &str) -> Self {
        Self::json(200, body)
    }

    /// A JSON body.
    pub(crate) fn json(status: u16, body: &str) -> Self {
        Self::new(status, &["Content-Type: application/json; charset=utf-8"], body)
    }

    /// A problem body.
    pub(crate) fn problem(status: u16, title: &str, detail: &str) -> Self {
        let body = serde_json::json!({ "type": null, "title": title, "status": status, "detail": detail });
        Self::json(status, &body.to_string())
    }

    /// The connection is closed without a word after the request was read.
    pub(crate) fn nothing() -> Self {
        Self::Bytes(Vec::new())
    }

    /// A body that ends before its Content-Length.
    pub(crate) fn cut(status: u16, body: &str, missing: usize) -> Self {
        let length = body.len() + missing;
        let head = format!("HTTP/1.1 {status} {}\r\nContent-Length: {length}\r\n\r\n", reason(status));
        Self::Bytes([head.as_bytes(), body.as_bytes()].concat())
    }

    /// A body that ends with the connection, as HTTP/1.0 servers send it.
    pub(crate) fn without_length(status: u16, body: &str) -> Self {
        let head = format!("HTTP/1.1 {status} {}\r\nConnection: close\r\n\r\n", reason(status));
        Self::Bytes([head.as_bytes(), body.as_bytes()].concat())
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

/// A listening server; it runs as long as the test process.
pub(crate) struct Socket {
    /// Its base URL.
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Socket {
    /// Answers each request with what `answer` says of it and of how many came before it.
    pub(crate) fn answering(answer: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (log, answer) = (Arc::clone(&requests), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || serve(&stream, &log, &*answer));
            }
        });
        Self { url, requests }
    }

    /// Answers everything alike.
    pub(crate) fn always(answer: Answer) -> Self {
        Self::answering(move |_, _| answer.clone())
    }

    /// What was asked so far, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no server thread panics").clone()
    }

    /// Method and path of what was asked so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.requests().iter().map(Request::line).collect()
    }

    /// How many requests wanted this: method and path.
    pub(crate) fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|known| *known == line).count()
    }

    /// The requests that would change something.
    pub(crate) fn writes(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.method != "GET").collect()
    }
}

fn serve(stream: &TcpStream, log: &Mutex<Vec<Request>>, answer: &dyn Fn(&Request, usize) -> Answer) {
    // A client that goes away ends its connection: every error here is one of those.
    let Some(request) = read_request(stream) else { return };
    let before = {
        let mut log = log.lock().expect("no server thread panics");
        log.push(request.clone());
        log.len() - 1
    };
    let _ = send(stream, &answer(&request, before));
    let _ = stream.shutdown(std::net::Shutdown::Write);
}

fn send(mut stream: &TcpStream, answer: &Answer) -> std::io::Result<()> {
    match answer {
        Answer::Bytes(bytes) => stream.write_all(bytes),
        Answer::Trickle(bytes) => {
            stream.set_nodelay(true)?;
            bytes.iter().try_for_each(|byte| stream.write_all(&[*byte]))
        }
        Answer::Flood(bytes, mebibytes) => {
            stream.write_all(bytes)?;
            let white = vec![b' '; 1 << 20];
            (0..*mebibytes).try_for_each(|_| stream.write_all(&white))
        }
        Answer::Drip(bytes) => {
            stream.write_all(bytes)?;
            // Waiting for the client to go is the pause between two blanks.
            stream.set_read_timeout(Some(std::time::Duration::from_millis(20)))?;
            while !matches!(stream.read(&mut [0]), Ok(0)) {
                stream.write_all(b" ")?;
            }
            Ok(())
        }
        Answer::Hang(bytes) => {
            stream.write_all(bytes)?;
            stream.read_to_end(&mut Vec::new()).map(drop)
        }
    }
}

/// Reads one request from a connection; `None` where it ends before one is complete.
pub(crate) fn read_request(stream: impl Read) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { method, target, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    request.body.resize(length, 0);
    reader.read_exact(&mut request.body).ok()?;
    Some(request)
}
