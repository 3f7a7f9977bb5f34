//! Projects: create, get, link, the list with its orders, filters and cache.

use std::time::Duration;

use serde_json::{Value, json};

use super::client::Sandbox;
use crate::model::projects::ProjectState;
use crate::sandbox::set_project_state;

fn names(sandbox: &Sandbox, query: &str) -> Vec<Value> {
    sandbox.column(&format!("/projects?bypassCache=true&{query}"), "name")
}

#[test]
fn the_first_project_is_demo_and_nobody_is_in_it() {
    let sandbox = Sandbox::new();
    let projects = sandbox.get("/projects").json();
    let project = &projects[0];
    let mut fields: Vec<&str> = project.as_object().expect("an object").keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["dateCreated", "fitForDutyResponse", "id", "lastModified", "name", "state"]);
    assert_eq!((&project["name"], &project["state"]), (&json!("Demo"), &json!("Active")));
    assert!(project["dateCreated"].as_str().is_some_and(|time| time.ends_with('Z')));
    assert_eq!(sandbox.get(&format!("{}/testtakers", sandbox.demo())).json(), json!([]));
}

#[test]
fn creating_a_project_answers_200() {
    let sandbox = Sandbox::new();
    let body = json!({ "name": "North", "fitForDutyResponse": "Call the supervisor" });
    let answer = sandbox.post("/projects", body);
    assert_eq!(answer.status, 200);
    let project = answer.json();
    assert_eq!(project["fitForDutyResponse"], "Call the supervisor");
    let path = format!("/projects/{}", project["id"].as_str().expect("an id"));
    assert_eq!(sandbox.get(&path).json(), project);
    let upper = path.to_uppercase().replace("/PROJECTS/", "/projects/");
    assert_eq!(sandbox.get(&upper).json(), project);
}

#[test]
fn an_absent_response_is_an_empty_string() {
    let sandbox = Sandbox::new();
    for body in [json!({ "name": "a" }), json!({ "name": "b", "fitForDutyResponse": null })] {
        assert_eq!(sandbox.post("/projects", body).json()["fitForDutyResponse"], "");
    }
}

#[test]
fn a_new_project_is_active() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.post("/projects", json!({ "name": "North" })).json()["state"], "Active");
}

#[test]
fn a_project_has_the_limits_of_the_specification() {
    let sandbox = Sandbox::new();
    let status = |body: Value| sandbox.post("/projects", body).status;
    assert_eq!(status(json!({ "name": "é".repeat(50), "fitForDutyResponse": "é".repeat(1000) })), 200);
    for body in [
        json!({ "name": "é".repeat(51) }),
        json!({ "name": "" }),
        json!({ "name": " " }),
        json!({ "name": null }),
        json!({ "name": 1 }),
        json!({ "fitForDutyResponse": "x" }),
        json!({ "name": "North", "fitForDutyResponse": "é".repeat(1001) }),
        json!({ "name": "North", "fitForDutyResponse": 1 }),
    ] {
        assert_eq!(status(body.clone()), 400, "{body}");
    }
    let detail = sandbox.post("/projects", json!({ "name": "n".repeat(51) })).json()["detail"].clone();
    assert_eq!(detail, "name: 51 characters, 50 are allowed.");
}

#[test]
fn two_projects_may_share_a_name() {
    let sandbox = Sandbox::new();
    let id = || sandbox.post("/projects", json!({ "name": "North" })).json()["id"].clone();
    assert_ne!(id(), id());
}

#[test]
fn a_project_link_is_the_same_each_time() {
    let sandbox = Sandbox::new();
    let path = format!("{}/get-link", sandbox.demo());
    let link = sandbox.get(&path).json();
    assert!(link.as_str().is_some_and(|link| link.starts_with("http://127.0.0.1:7878/join/")), "{link}");
    assert_eq!(sandbox.get(&path).json(), link);
    let page = sandbox.get(link.as_str().expect("a string").trim_start_matches("http://127.0.0.1:7878"));
    assert_eq!(page.status, 200);
}

#[test]
fn projects_are_sorted_in_every_order_and_direction() {
    let sandbox = Sandbox::new();
    for name in ["beta", "Alpha", "gamma"] {
        sandbox.post("/projects", json!({ "name": name }));
    }
    assert_eq!(names(&sandbox, ""), ["Alpha", "beta", "Demo", "gamma"]);
    assert_eq!(names(&sandbox, "orderBy=Name&order=Desc"), ["gamma", "Demo", "beta", "Alpha"]);
    assert_eq!(names(&sandbox, "orderBy=DateCreated"), ["Demo", "beta", "Alpha", "gamma"]);
    assert_eq!(names(&sandbox, "orderBy=DateCreated&order=Desc"), ["gamma", "Alpha", "beta", "Demo"]);
    for (name, to) in
        [("beta", ProjectState::Draft), ("gamma", ProjectState::ActiveExpired), ("Alpha", ProjectState::Inactive)]
    {
        set_project_state(&sandbox.state(), name, &to).expect("the project is there");
    }
    assert_eq!(names(&sandbox, "orderBy=State"), ["beta", "Demo", "Alpha", "gamma"]);
    assert_eq!(names(&sandbox, "orderBy=LastModified"), ["Demo", "beta", "gamma", "Alpha"]);
}

#[test]
fn projects_are_filtered_by_name_and_state() {
    let sandbox = Sandbox::new();
    for name in ["North Élan", "South"] {
        sandbox.post("/projects", json!({ "name": name }));
    }
    set_project_state(&sandbox.state(), "south", &ProjectState::Inactive).expect("a name in any case");
    assert_eq!(names(&sandbox, "filter=%C3%A9LAN"), ["North Élan"]);
    assert_eq!(names(&sandbox, "filter=%25"), [] as [&str; 0]);
    assert_eq!(names(&sandbox, "state=Inactive"), ["South"]);
    assert_eq!(names(&sandbox, "state=Active&filter=o"), ["Demo", "North Élan"]);
    assert_eq!(names(&sandbox, "state=Draft"), [] as [&str; 0]);
    for bad in ["state=active", "state=", "orderBy=Priority", "bypassCache=yes", "bypassCache="] {
        assert_eq!(sandbox.get(&format!("/projects?{bad}")).status, 400, "{bad}");
    }
}

#[test]
fn a_deleted_project_stays_in_the_list() {
    let sandbox = Sandbox::new();
    set_project_state(&sandbox.state(), "Demo", &ProjectState::Deleted).expect("the project is there");
    assert_eq!(sandbox.column("/projects", "state"), ["Deleted"]);
    assert_eq!(sandbox.get(&sandbox.demo()).json()["state"], "Deleted");
}

#[test]
fn the_project_list_may_be_seconds_old_unless_the_cache_is_bypassed() {
    let sandbox = Sandbox::with(|options| options.project_cache = Duration::from_hours(1));
    let shown = |query: &str| sandbox.column(&format!("/projects{query}"), "name");
    assert_eq!(shown(""), ["Demo"]);
    sandbox.post("/projects", json!({ "name": "North" }));
    assert_eq!(shown(""), ["Demo"]);
    assert_eq!(shown("?bypassCache=false"), ["Demo"]);
    assert_eq!(shown("?order=Desc"), ["North", "Demo"]);
    assert_eq!(shown("?bypassCache=true"), ["Demo", "North"]);
    let fresh = Sandbox::with(|options| options.project_cache = Duration::ZERO);
    fresh.get("/projects");
    fresh.post("/projects", json!({ "name": "North" }));
    assert_eq!(fresh.column("/projects", "name"), ["Demo", "North"]);
}
