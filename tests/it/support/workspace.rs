//! What the service of the tests holds, and how it answers where nothing is wrong: by the specification.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::service::{Op, Page};
use super::wire::{Answer, PROJECT, Request, decoded, fixture};

/// A person as the service has them.
#[derive(Clone)]
pub(crate) struct Person {
    project: String,
    /// The read record.
    pub(crate) record: Value,
    /// Reads show the person from then on.
    shown: Instant,
}

impl Person {
    fn is_entry(&self, entry: &str) -> bool {
        self.record["id"].as_i64() == entry.parse().ok()
    }
}

/// What the service holds; a clone of it can be put back later.
#[derive(Clone, Default)]
pub(crate) struct Held {
    pub(crate) projects: Vec<Value>,
    pub(crate) people: Vec<Person>,
    pub(crate) uris: Vec<Value>,
    /// Links of each entry; only the last one works.
    pub(crate) links: BTreeMap<i64, Vec<String>>,
    /// Whether results are of the older shape.
    pub(crate) is_older: bool,
    /// The highest entry id that was ever given: none is given twice.
    last_entry: i64,
}

/// The read record of person number `id`, made from the fixture.
pub(crate) fn person(id: i64) -> Value {
    let mut record = fixture("test-taker");
    record["id"] = json!(id);
    record["email"] = json!(format!("p{id}@example.com"));
    record["referenceId"] = json!(format!("EMP-{id:05}"));
    record
}

impl Held {
    /// Adds a person to the fixtures' project, by their read record.
    pub(crate) fn add(&mut self, record: Value) {
        self.add_to(PROJECT, record);
    }

    /// Adds a person to a project.
    pub(crate) fn add_to(&mut self, project: &str, record: Value) {
        self.people.push(Person { project: project.to_owned(), record, shown: Instant::now() });
    }

    /// Lists lag no longer.
    pub(crate) fn show_all(&mut self) {
        self.people.iter_mut().for_each(|one| one.shown = Instant::now());
    }

    /// The effect of a request and its answer, with the pages of a list made so, and a new person shown so much later.
    pub(crate) fn act(&mut self, request: &Request, paging: &dyn Fn(Page) -> Answer, lag: Duration) -> Answer {
        let path: Vec<_> = request.path().split('/').skip(1).map(decoded).collect();
        let (body, project) = (request.json(), path.get(1).cloned().unwrap_or_default());
        let found = self.projects.iter().find(|known| known["id"] == project.as_str()).cloned();
        match (Op::of(request), found) {
            (Op::Projects, _) => list(request, &refs(&self.projects(request)), paging),
            (Op::CreateProject, _) => self.create_project(&body),
            (Op::Uris, _) => list(request, &refs(&self.uris), paging),
            (Op::AddUris, _) => self.add_uris(&body),
            (Op::Other, _) | (_, None) => not_found("no such project"),
            (Op::Project, Some(found)) => Answer::ok(found),
            (Op::ProjectLink, _) => Answer::ok(fixture("project-link")),
            (Op::Results, _) if self.is_older => list(request, &refs(&self.older(request, &project)), paging),
            (Op::TestTakers | Op::LookUp | Op::Results, _) => list(request, &self.people(request, &project), paging),
            (Op::Enrol, _) => self.enrol(&body, project, lag),
            (Op::Update, _) => self.update(&project, &path[3], &body),
            (Op::Remove, _) => {
                self.people.retain(|one| one.project != project || !one.is_entry(&path[3]));
                Answer::new(204, &[], "")
            }
            (Op::Link, _) => self.link(&project, &path[3], &body),
            (Op::Result, _) => self.result(&project, &path[3]),
        }
    }

    fn projects(&self, request: &Request) -> Vec<Value> {
        let (filter, state) =
            (request.parameter("filter").unwrap_or_default().to_lowercase(), request.parameter("state"));
        let fits = |project: &&Value| {
            let name = project["name"].as_str().unwrap_or_default().to_lowercase();
            name.contains(&filter) && state.as_deref().is_none_or(|state| project["state"] == state)
        };
        self.projects.iter().filter(fits).cloned().collect()
    }

    fn create_project(&mut self, body: &Value) -> Answer {
        let now = json!(jiff::Timestamp::now());
        let response = body["fitForDutyResponse"].as_str().unwrap_or_default();
        let project = json!({ "id": uuid::Uuid::new_v4(), "name": body["name"], "dateCreated": now, "lastModified": now,
            "state": "Draft", "fitForDutyResponse": response });
        self.projects.push(project.clone());
        Answer::ok(project)
    }

    fn add_uris(&mut self, body: &Value) -> Answer {
        for uri in body.as_array().into_iter().flatten() {
            let same = |known: &Value| known.to_string().to_lowercase() == uri.to_string().to_lowercase();
            if !self.uris.iter().any(same) {
                self.uris.push(uri.clone());
            }
        }
        Answer::ok(self.uris.clone())
    }

    /// The read records of a project as a list shows them.
    fn people(&self, request: &Request, project: &str) -> Vec<&Value> {
        let now = Instant::now();
        let shown = |one: &&Person| one.project == project && one.shown <= now && fits(&one.record, request);
        self.people.iter().filter(shown).map(|one| &one.record).collect()
    }

    fn older(&self, request: &Request, project: &str) -> Vec<Value> {
        self.people(request, project).into_iter().map(older).collect()
    }

    fn enrol(&mut self, body: &Value, project: String, lag: Duration) -> Answer {
        let highest = self.people.iter().filter_map(|one| one.record["id"].as_i64()).max().unwrap_or(5000);
        self.last_entry = self.last_entry.max(highest) + 1;
        let entry = self.last_entry;
        let mut record = fixture("test-taker-bare");
        for (field, sent) in [("yearOfBirth", "birthYear"), ("email", "email"), ("referenceId", "referenceId")] {
            record[field] = body[sent].clone();
        }
        record["id"] = json!(entry);
        name(&mut record, body);
        self.people.push(Person { project, record, shown: Instant::now() + lag });
        let mut enrolment = fixture("enrolment-bare");
        for (field, value) in body.as_object().into_iter().flatten() {
            enrolment[field] = value.clone();
        }
        enrolment["id"] = json!(uuid::Uuid::new_v4());
        enrolment["projectEntryId"] = json!(entry);
        Answer::json(201, &enrolment)
    }

    fn find(&mut self, project: &str, entry: &str) -> Option<&mut Person> {
        self.people.iter_mut().find(|one| one.project == project && one.is_entry(entry))
    }

    fn update(&mut self, project: &str, entry: &str, body: &Value) -> Answer {
        let Some(Person { record, .. }) = self.find(project, entry) else { return not_found("no such test taker") };
        if let Some(id) = body.get("referenceId") {
            record["referenceId"] = id.clone();
        }
        name(record, body);
        let mut answer = record.clone();
        answer.as_object_mut().expect("a record").shift_remove("topPerformer");
        Answer::ok(answer)
    }

    fn link(&mut self, project: &str, entry: &str, body: &Value) -> Answer {
        if self.find(project, entry).is_none() {
            return not_found("no such test taker");
        }
        let links = self.links.entry(entry.parse().expect("a number")).or_default();
        let url = format!("https://tests.example.com/t/canary-link-{entry}-{}", links.len() + 1);
        let mut url = url::Url::parse(&url).expect("an address");
        for (field, name) in [("redirectUri", "redirect_uri"), ("referenceId", "reference_id")] {
            body[field].as_str().map(|value| url.query_pairs_mut().append_pair(name, value).finish());
        }
        links.push(url.to_string());
        let expires = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24);
        Answer::ok(json!({ "url": url.as_str(), "expiresAtUtc": expires }))
    }

    fn result(&mut self, project: &str, reference: &str) -> Answer {
        let is_older = self.is_older;
        let is_asked = |one: &&Person| one.project == project && one.record["referenceId"] == reference;
        let Some(person) = self.people.iter().find(is_asked) else { return not_found("no such test taker") };
        let mut record = if is_older { older(&person.record) } else { person.record.clone() };
        if !is_older {
            record["identityVerified"] = Value::Null;
            record["identityStatus"] = json!("");
        }
        Answer::ok(record)
    }
}

impl Page<'_> {
    /// The page as it should be.
    pub(crate) fn plain(&self) -> Answer {
        Answer::ok(self.records(self.number, self.size))
    }
}

fn refs(all: &[Value]) -> Vec<&Value> {
    all.iter().collect()
}

fn list(request: &Request, all: &[&Value], paging: &dyn Fn(Page) -> Answer) -> Answer {
    let number = |name: &str, default: usize| request.number(name).unwrap_or(default);
    let page = Page { number: number("page", 1), size: number("pageSize", 100), all, asked: 0 };
    if page.number == 0 || !(1..=100).contains(&page.size) {
        return Answer::problem(400, "Bad Request", "there is no such page");
    }
    paging(page)
}

fn not_found(detail: &str) -> Answer {
    Answer::problem(404, "Not Found", detail)
}

/// Whether a record is in a list with the query of this request.
fn fits(record: &Value, request: &Request) -> bool {
    let text = |field: &str| record[field].as_str().unwrap_or_default().to_lowercase();
    let filter = request.parameter("filter").unwrap_or_default().to_lowercase();
    if request.query().iter().all(|(name, _)| ["page", "pageSize", "order", "orderBy"].contains(&name.as_str())) {
        return true;
    }
    let is_there = |name: &str, field: &str| {
        request.parameter(name).is_none_or(|wanted| wanted == (!record[field].is_null()).to_string())
    };
    ["referenceId", "fullName", "email"].iter().any(|field| text(field).contains(&filter))
        && request.parameter("referenceId").is_none_or(|id| record["referenceId"] == id.as_str())
        && is_there("hasReferenceId", "referenceId")
        && is_there("hasLastTestSent", "lastTestSentUtc")
        && (request.parameter("completedOnly").as_deref() != Some("true") || !record["dateCompleted"].is_null())
}

/// Sets the names that a body has.
fn name(record: &mut Value, body: &Value) {
    for field in ["firstName", "lastName"] {
        if let Some(value) = body.get(field) {
            record[field] = value.clone();
        }
    }
    let names = ["firstName", "lastName"].iter().filter_map(|field| record[*field].as_str());
    record["fullName"] = json!(names.collect::<Vec<_>>().join(" "));
}

/// A record in the older shape.
fn older(record: &Value) -> Value {
    let mut older = fixture("result-older");
    for (field, from) in
        [("email", "email"), ("firstName", "firstName"), ("lastName", "lastName"), ("fullName", "fullName")]
    {
        older[field] = json!(record[from].as_str().unwrap_or_default());
    }
    for (field, from) in [("referenceId", "referenceId"), ("status", "result"), ("dateCompleted", "dateCompleted")] {
        older[field] = record[from].clone();
    }
    older
}
