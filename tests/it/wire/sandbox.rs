//! What the sandbox answers to raw requests, compared with what was typed from the specification.

use serde_json::{Value, json};

use crate::support::env::Env;
use crate::support::served::Served;
use crate::support::wire::{self, Reply, fixture};

/// Differences in keys, types and forms between what was typed and what came, each with the way to it.
fn differences(typed: &Value, came: &Value, at: &str) -> Vec<String> {
    match (typed, came) {
        (Value::Object(typed), Value::Object(came)) => {
            let unknown = came.keys().filter(|key| !typed.contains_key(*key));
            let mut found: Vec<_> = unknown.map(|key| format!("{at}.{key} is not in the specification")).collect();
            for (key, typed) in typed {
                match came.get(key) {
                    Some(came) => found.extend(differences(typed, came, &format!("{at}.{key}"))),
                    None => found.push(format!("{at}.{key} is missing")),
                }
            }
            found
        }
        (Value::String(typed), Value::String(came)) => {
            let uuid = |text: &str| uuid::Uuid::parse_str(text).is_ok();
            let time = |text: &str| text.parse::<jiff::Timestamp>().is_ok();
            let alike = uuid(typed) == uuid(came) && time(typed) == time(came) && typed.is_empty() == came.is_empty();
            if alike { Vec::new() } else { vec![format!("{at}: {came:?} has another form than {typed:?}")] }
        }
        _ if std::mem::discriminant(typed) == std::mem::discriminant(came) => Vec::new(),
        _ => vec![format!("{at}: {came} has another type than {typed}")],
    }
}

#[track_caller]
fn same_shape(name: &str, reply: &Reply, status: u16, came: &Value) {
    assert_eq!(reply.status, status, "{name}: {reply:?}");
    assert_eq!(reply.header("content-type"), Some("application/json"), "{name}: {reply:?}");
    let found = differences(&fixture(name), came, name);
    assert!(found.is_empty(), "{found:#?}\n{reply:?}");
}

/// A served sandbox with the project and three people of the fixtures.
struct Stage {
    env: Env,
    served: Served,
    project: String,
    people: Vec<Reply>,
}

impl Stage {
    fn set(options: &str) -> Self {
        let env = Env::new();
        let served = Served::start(&env, options);
        let new = json!({ "name": "Night shift north", "fitForDutyResponse": "Call the shift manager" });
        let project = served.ask("POST /projects", new).json()["id"].as_str().expect("an id").to_owned();
        let zoe = json!({ "email": "zoe.mueller@example.com", "firstName": "Zoë", "lastName": "Müller",
            "birthYear": 1984, "referenceId": "EMP-00017" });
        let anna = json!({ "email": "anna@example.com" });
        let other = json!({ "email": "anna.b@example.com", "referenceId": "EMP-00022" });
        let people = [zoe, anna, other].map(|body| served.ask(&format!("POST /projects/{project}/testtakers"), body));
        Self { env, served, project, people: people.into() }
    }

    /// Zoë has taken a test.
    fn tested(self) -> Self {
        let result = "--result HighRisk --completed 2026-02-27T05:58:12Z --sent 2026-02-27T05:00:00Z";
        let rest = "--top-performer true --identity Verified";
        let line = format!("sandbox set EMP-00017 -p {} {result} {rest}", self.project);
        assert_eq!(self.env.line(&line).data(), "");
        self
    }

    /// Sends a request in which `{P}` is the project and `{0}` to `{2}` are the people.
    fn ask(&self, line: &str, body: impl Into<Option<Value>>) -> Reply {
        let mut line = line.replace("{P}", &format!("/projects/{}", self.project));
        for (number, person) in self.people.iter().enumerate() {
            line = line.replace(&format!("{{{number}}}"), &person.json()["projectEntryId"].to_string());
        }
        self.served.ask(&line, body)
    }
}

fn by_email<'a>(list: &'a Value, email: &str) -> &'a Value {
    list.as_array().and_then(|all| all.iter().find(|one| one["email"] == email)).unwrap_or(&Value::Null)
}

#[test]
fn projects_have_the_shape_of_the_specification() {
    let stage = Stage::set("");
    let created = stage.ask("POST /projects", json!({ "name": "Night shift south", "fitForDutyResponse": "x" }));
    same_shape("project", &created, 200, &created.json());
    let bare = stage.ask("POST /projects", json!({ "name": "Depot", "fitForDutyResponse": null }));
    same_shape("project-without-response", &bare, 200, &bare.json());
    let read = stage.ask("GET {P}", None);
    same_shape("project", &read, 200, &read.json());
    let list = stage.ask("GET /projects?filter=night&bypassCache=true", None);
    assert_eq!(list.json().as_array().map(Vec::len), Some(2), "{list:?}");
    same_shape("project", &list, 200, &list.json()[0]);
    let link = stage.ask("GET {P}/get-link", None);
    same_shape("project-link", &link, 200, &link.json());
}

#[test]
fn people_have_the_shape_of_the_specification() {
    let stage = Stage::set("").tested();
    same_shape("enrolment", &stage.people[0], 201, &stage.people[0].json());
    same_shape("enrolment-bare", &stage.people[1], 201, &stage.people[1].json());
    for list in ["GET {P}/testtakers", "GET {P}/results?orderBy=Priority&order=Desc"] {
        let list = stage.ask(list, None);
        same_shape("test-taker", &list, 200, by_email(&list.json(), "zoe.mueller@example.com"));
        same_shape("test-taker-bare", &list, 200, by_email(&list.json(), "anna@example.com"));
    }
    let changed = stage.ask("PATCH {P}/testtakers/{0}", json!({ "firstName": "Zoe" }));
    same_shape("test-taker-patched", &changed, 200, &changed.json());
}

#[test]
fn results_have_the_shape_of_the_specification() {
    let stage = Stage::set("").tested();
    let result = stage.ask("GET {P}/results/EMP-00017", None);
    same_shape("result", &result, 200, &result.json());
    let bare = stage.ask("GET {P}/results/EMP-00022", None);
    same_shape("result-bare", &bare, 200, &bare.json());
}

#[test]
fn links_and_redirect_uris_have_the_shape_of_the_specification() {
    let stage = Stage::set("");
    let body = json!({ "redirectUri": "https://portal.example.com/done?a=b&c", "referenceId": "EMP-00017" });
    let link = stage.ask("POST {P}/testtakers/{0}/test-link", body);
    same_shape("test-link", &link, 200, &link.json());
    let url = link.json()["url"].as_str().expect("a link").to_owned();
    assert!(url.contains("reference_id=EMP-00017"), "{url}");
    assert!(url.contains("redirect_uri=https%3A%2F%2Fportal.example.com%2Fdone%3Fa%3Db%26c"), "{url}");
    let again = stage.ask("POST {P}/testtakers/{0}/test-link", json!({}));
    assert_ne!(again.json()["url"], link.json()["url"], "each call rotates the token");
    let uris = fixture("redirect-uris");
    let added = stage.ask("POST /workspace/redirect-uris", uris.clone());
    assert_eq!((added.status, added.json().is_array()), (200, true), "{added:?}");
    let shouted = uris[0].as_str().expect("a text").to_uppercase();
    let merged = stage.ask("POST /workspace/redirect-uris", json!([shouted, "https://third.example.com"]));
    assert_eq!(merged.status, 200, "{merged:?}");
    let list = stage.ask("GET /workspace/redirect-uris?order=Asc", None).json();
    let mut list: Vec<_> = list.as_array().expect("an array").iter().filter_map(Value::as_str).collect();
    list.sort_unstable();
    assert_eq!(list, ["https://*.example.org/*", "https://portal.example.com/done", "https://third.example.com"]);
}

#[test]
fn removal_answers_204_and_again_204() {
    let stage = Stage::set("");
    for _ in 0..2 {
        let gone = stage.ask("DELETE {P}/testtakers/{0}", None);
        assert_eq!((gone.status, gone.body.as_str()), (204, ""));
    }
    let list = stage.ask("GET {P}/testtakers", None).json();
    assert_eq!(list.as_array().map(Vec::len), Some(2));
}

#[test]
fn refusals_have_the_problem_body_of_the_specification() {
    let stage = Stage::set("--fault refuse=403@remove");
    let project = |body: Value| stage.ask("POST /projects", body);
    let person = |body: Value| stage.ask("POST {P}/testtakers", body);
    let with_key = |key: Option<&str>| wire::ask(&stage.served.url, "GET /projects", key, None);
    let refusals = [
        (400, project(json!({ "name": "n".repeat(51) }))),
        (400, project(json!({}))),
        (400, project(json!({ "name": "Depot", "fitForDutyResponse": "x".repeat(1001) }))),
        (400, person(json!({ "firstName": "No", "lastName": "Address" }))),
        (400, person(json!({ "email": "a@example.com", "firstName": "x".repeat(101) }))),
        (400, person(json!({ "email": "a@example.com", "birthYear": 99_999_999_999_i64 }))),
        (400, person(json!({ "email": "a@example.com", "referenceId": "has space" }))),
        (400, stage.ask("GET /projects?pageSize=101", None)),
        (400, stage.ask("GET /projects?page=0", None)),
        (400, stage.ask("GET {P}/testtakers?orderBy=Shoe", None)),
        (401, with_key(None)),
        (401, with_key(Some("wrong"))),
        (403, stage.ask("DELETE {P}/testtakers/{0}", None)),
        (404, stage.ask("GET /projects/00000000-0000-4000-8000-000000000000", None)),
        (404, stage.ask("GET {P}/results/NOBODY", None)),
        (404, stage.ask("PATCH {P}/testtakers/999999", json!({ "firstName": "x" }))),
    ];
    let names = |body: &Value| -> Vec<String> { body.as_object().expect("an object").keys().cloned().collect() };
    for (status, reply) in refusals {
        assert_eq!((reply.status, &reply.json()["status"]), (status, &json!(status)), "{reply:?}");
        assert_eq!(names(&reply.json()), names(&fixture("problem")), "{reply:?}");
    }
}

#[test]
fn a_link_too_early_is_refused_with_the_second_error_body_and_a_time_to_wait() {
    let stage = Stage::set("--provisioning 1h");
    let early = stage.ask("POST {P}/testtakers/{0}/test-link", json!({}));
    same_shape("code-and-message", &early, 409, &early.json());
    assert_eq!(early.json()["code"], fixture("code-and-message")["code"]);
    let wait: u32 = early.header("retry-after").and_then(|wait| wait.parse().ok()).expect("Retry-After");
    assert!((1..=5).contains(&wait), "{early:?}");
}

#[test]
fn a_difference_in_key_type_or_form_is_seen() {
    let typed = json!({ "id": 1, "email": "a", "time": "2026-01-01T00:00:00Z", "none": null });
    assert!(differences(&typed, &typed, "x").is_empty());
    let came = json!({ "id": "1", "time": "yesterday", "none": 0, "more": true });
    assert_eq!(differences(&typed, &came, "x").len(), 5);
}
