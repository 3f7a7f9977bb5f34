//! A server of prepared pages: it costs next to nothing, so that a client is measured and not a database.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;

use anyhow::Context as _;

/// Ids start here, so that all of them have as many digits and stand at the same places of every page.
pub const FIRST_ID: u32 = 1_000_000_000;
const PAGE_SIZE: u32 = 100;
const DIGITS: usize = 10;

/// A full page without its closing bracket, and where the digits of its ids stand.
#[derive(Clone)]
struct Page {
    body: Vec<u8>,
    ids: Vec<usize>,
    /// Where each record ends.
    ends: Vec<usize>,
}

impl Page {
    fn prepare() -> Self {
        let mut page = Self { body: vec![b'['], ids: Vec::new(), ends: Vec::new() };
        for place in 0..PAGE_SIZE {
            if place > 0 {
                page.body.push(b',');
            }
            let digits = "#".repeat(DIGITS);
            let record = format!(
                "{{\"id\":{digits},\"email\":\"person.{digits}@example.com\",\"referenceId\":\"EMP-{digits}\",\
                 \"firstName\":\"Zoë\",\"lastName\":\"Müller {digits}\",\"fullName\":\"Zoë Müller {digits}\",\
                 \"yearOfBirth\":1984,\"result\":\"Completed\",\"dateCompleted\":\"2026-01-15T06:30:00Z\",\
                 \"lastTestSentUtc\":\"2026-01-15T05:00:00Z\",\"topPerformer\":false}}"
            );
            let from = page.body.len();
            page.ids.extend(record.match_indices(&digits).map(|(at, _)| from + at));
            page.body.extend_from_slice(record.as_bytes());
            page.ends.push(page.body.len());
        }
        page
    }

    /// The body of a page of these records, counted from 0, but for the bracket that closes it.
    fn fill(&mut self, records: Range<u32>) -> &[u8] {
        let (per_record, len) = (self.ids.len() / self.ends.len(), records.len());
        for (record, places) in records.zip(self.ids.chunks(per_record)) {
            let id = (FIRST_ID + record).to_string();
            for &at in places {
                self.body[at..at + DIGITS].copy_from_slice(id.as_bytes());
            }
        }
        &self.body[..len.checked_sub(1).map_or(1, |last| self.ends[last])]
    }
}

/// Serves in the background until the process ends. Lists of any project are the same; how many records one has is
/// the number at the end of its id.
pub fn serve() -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no socket for the pages")?;
    let address = listener.local_addr()?;
    let page = Page::prepare();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let page = page.clone();
            // A client that goes away ends its own connection and nothing else.
            std::thread::spawn(move || drop(answer(&connection, &page)));
        }
    });
    Ok(address)
}

/// The id of the project with so many records.
pub fn project(records: u32) -> String {
    format!("00000000-0000-4000-8000-{records:012}")
}

fn answer(connection: &TcpStream, prepared: &Page) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    let mut writer = connection;
    let mut page = prepared.clone();
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let records = asked_for(&line);
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line == "\r\n" {
                break;
            }
        }
        let body = page.fill(records);
        let length = body.len() + 1;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
        let mut reply = format!("{head}{length}\r\n\r\n").into_bytes();
        reply.extend_from_slice(body);
        reply.push(b']');
        writer.write_all(&reply)?;
    }
}

/// The records of the page that a request line names; none beyond the end.
fn asked_for(line: &str) -> Range<u32> {
    let number = |after: &str| -> Option<u32> {
        let rest = line.split(after).nth(1)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let parameter = |name: &str| number(&format!("&{name}=")).or_else(|| number(&format!("?{name}=")));
    let all = number("-8000-").unwrap_or(0);
    let size = parameter("pageSize").unwrap_or(PAGE_SIZE).clamp(1, PAGE_SIZE);
    let from = (parameter("page").unwrap_or(1).saturating_sub(1)).saturating_mul(size).min(all);
    from..from.saturating_add(size).min(all)
}
