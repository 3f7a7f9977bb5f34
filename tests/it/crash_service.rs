//! A service of one project in memory, answered with typed bytes, that a test puts back to where it was before each run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use crate::doubts::{array, enrolment, listed, matching};
use crate::socket::{Answer, Request, Socket};
use crate::wire::PROJECT;

/// What the service holds.
#[derive(Clone, Default)]
pub(crate) struct Held {
    /// The records that lists show.
    pub(crate) people: Vec<Value>,
    /// The links of each entry: the last one works.
    pub(crate) links: BTreeMap<i64, Vec<String>>,
    /// Entries that were given out so far.
    entries: i64,
    tokens: usize,
}

impl Held {
    /// Enrols somebody, as the portal would.
    pub(crate) fn enrol(&mut self, body: &Value) -> Answer {
        let entry = 700 + self.entries;
        self.entries += 1;
        self.people.push(listed(body, entry));
        Answer::json(201, &enrolment(body, entry).to_string())
    }

    /// What everybody has in one field, in order.
    pub(crate) fn all(&self, field: &str) -> Vec<String> {
        let text = |person: &Value| person[field].as_str().unwrap_or_default().to_owned();
        let mut all: Vec<String> = self.people.iter().map(text).collect();
        all.sort();
        all
    }

    fn link(&mut self, entry: i64) -> Answer {
        self.tokens += 1;
        let url = format!("https://t.example/take/{entry}-{}", self.tokens);
        self.links.entry(entry).or_default().push(url.clone());
        Answer::ok(&json!({"url": url, "expiresAtUtc": "2999-01-01T00:00:00Z"}).to_string())
    }

    fn change(&mut self, entry: i64, body: &Value) -> Answer {
        let Some(person) = self.people.iter_mut().find(|person| person["id"] == entry) else {
            return Answer::problem(404, "Not Found", "no such entry");
        };
        for field in ["referenceId", "firstName", "lastName"] {
            person[field] = body[field].clone();
        }
        Answer::ok(&person.to_string())
    }

    fn answer(&mut self, request: &Request) -> Answer {
        let path: Vec<&str> = request.path().split('/').skip(3).collect();
        let entry = path.get(1).and_then(|entry| entry.parse::<i64>().ok()).unwrap_or_default();
        match (request.method.as_str(), path.len()) {
            ("GET", 0) => Answer::ok(&json!({"id": PROJECT, "name": "Night", "state": "Active"}).to_string()),
            ("GET", _) => self.page(request),
            ("POST", 1) => self.enrol(&request.json()),
            ("POST", _) => self.link(entry),
            ("PATCH", _) => self.change(entry, &request.json()),
            _ => {
                self.people.retain(|person| person["id"] != entry);
                Answer::new(204, &[], "")
            }
        }
    }

    fn page(&self, request: &Request) -> Answer {
        let number = |name, else_| request.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(else_);
        let (page, size): (usize, usize) = (number("page", 1), number("pageSize", 100));
        let all = matching(request, &self.people);
        array(&all.into_iter().skip((page - 1) * size).take(size).collect::<Vec<_>>())
    }
}

/// The service while it runs.
pub(crate) struct Service {
    held: Arc<Mutex<Held>>,
    /// Its base URL.
    pub(crate) url: String,
}

impl Service {
    /// A service that holds nobody.
    pub(crate) fn start() -> Self {
        let held = Arc::new(Mutex::new(Held::default()));
        let answering = Arc::clone(&held);
        let socket =
            Socket::answering(move |request, _| answering.lock().expect("no server thread panics").answer(request));
        Self { held, url: socket.url }
    }

    /// What it holds.
    pub(crate) fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("no server thread panics")
    }
}
