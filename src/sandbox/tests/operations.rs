//! What each operation answers: shapes, limits, orders, filters, links.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::model::projects::ProjectState;
use crate::model::verdict::Verdict;

#[test]
fn projects_have_the_shape_of_the_specification() {
    let bench = Bench::new();
    let created = bench.send("POST", "/projects", r#"{"name":"Night shift","fitForDutyResponse":null,"unknown":1}"#);
    assert_eq!(created.status, 200);
    let project = created.json();
    assert_eq!(keys(&project), "id name dateCreated lastModified state fitForDutyResponse");
    assert_eq!((&project["state"], &project["fitForDutyResponse"]), (&json!("Active"), &json!("")));
    let path = format!("/projects/{}", project["id"].as_str().expect("an id"));
    assert_eq!(bench.get(&path).json(), project);
    assert!(bench.get(&format!("{path}/get-link")).json().is_string());
    assert_eq!(bench.column("/projects", "name"), ["Demo", "Night shift"]);
    assert_eq!(bench.column("/projects?order=Desc&orderBy=DateCreated&pageSize=1", "name"), ["Night shift"]);
    assert_eq!(bench.column("/projects?filter=NIGHT&state=Active", "name"), ["Night shift"]);
    set_project(&bench.state(), "night SHIFT", Some(ProjectState::Inactive), None).expect("set");
    assert_eq!(bench.column("/projects?state=Inactive", "name"), ["Night shift"]);
    let missing = set_project(&bench.state(), "Nowhere", None, None).expect_err("no such project");
    assert_eq!(missing.verdict, Verdict::Usage);
}

#[test]
fn a_person_is_enrolled_updated_and_removed() {
    let bench = Bench::new();
    let people = format!("{}/testtakers", bench.demo());
    let body = r#"{"email":" Ann@X.example ","firstName":"Ann","birthYear":1980,"referenceId":"E-1","extra":[]}"#;
    let created = bench.send("POST", &people, body);
    assert_eq!((created.status, created.header("content-type")), (201, Some("application/json")));
    let created = created.json();
    assert_eq!(keys(&created), "id projectEntryId email firstName lastName birthYear referenceId");
    assert_eq!((&created["email"], &created["lastName"]), (&json!(" Ann@X.example "), &Value::Null));
    let listed = bench.get(&people).json();
    assert_eq!(keys(&listed[0]), format!("{READ_RECORD} topPerformer"));
    assert_eq!((&listed[0]["id"], &listed[0]["fullName"]), (&created["projectEntryId"], &json!("Ann")));

    let path = format!("{people}/{}", created["projectEntryId"]);
    let updated = bench.send("PATCH", &path, r#"{"id":77,"lastName":"Lee","referenceId":null}"#).json();
    assert_eq!(keys(&updated), READ_RECORD);
    assert_eq!((&updated["fullName"], &updated["referenceId"]), (&json!("Ann Lee"), &Value::Null));
    assert_eq!(bench.column(&format!("{people}?filter=ann%20LEE"), "id").len(), 1);

    assert_eq!([(); 2].map(|()| bench.send("DELETE", &path, "").status), [204, 204]);
    assert_eq!((bench.count(), bench.send("PATCH", &path, "{}").status), (0, 404));
    assert!(bench.enrol(&json!({"email": "ann@x.example"})) > created["projectEntryId"].as_i64().expect("a number"));
}

#[test]
fn a_request_outside_the_limits_is_refused() {
    let bench = Bench::new();
    let (demo, people) = (bench.demo(), format!("{}/testtakers", bench.demo()));
    let check = |status: u16, method: &str, path: &str, body: &str| {
        let answer = bench.send(method, path, body);
        assert_eq!(answer.status, status, "{method} {path:.80} {body:.80}: {}", answer.body);
        let problem = answer.json();
        assert_eq!(keys(&problem), "type title status detail instance");
        assert_eq!((&problem["status"], &problem["instance"]), (&json!(status), &json!(path.split('?').next())));
    };
    let long = |length: usize| "x".repeat(length);
    for body in ["", "{}", r#"{"name":" "}"#, &format!(r#"{{"name":"{}"}}"#, long(51)), r#"{"name":"a"} x"#] {
        check(400, "POST", "/projects", body);
    }
    for field in [
        r#""email":" ""#,
        r#""firstName":"Ann""#,
        r#""email":"a@b.c","referenceId":"E 1""#,
        r#""email":"a@b.c","birthYear":"1980""#,
        &format!(r#""email":"a@b.c","lastName":"{}""#, long(101)),
        &format!(r#""email":"a@b.c","referenceId":"{}""#, long(501)),
    ] {
        check(400, "POST", &people, &format!("{{{field}}}"));
    }
    let filter = format!("filter={}", long(501));
    for query in ["page=0", "pageSize=101", "order=asc", "orderBy=Risk", "lastTestSentFromUtc=soon", &filter] {
        check(400, "GET", &format!("{people}?{query}"), "");
    }
    assert_eq!(bench.get(&format!("{people}?page=9&unknown=1&{}", &filter[..507])).status, 200);
    check(400, "GET", &format!("{demo}/results/{}", long(501)), "");
    check(400, "GET", "/projects/demo", "");
    check(400, "POST", "/workspace/redirect-uris", r#"[" "]"#);
    check(404, "GET", &format!("{demo}/results/nobody"), "");
    check(404, "GET", "/projects/00000000-0000-0000-0000-000000000000/testtakers", "");
    check(404, "DELETE", &format!("{people}/999"), "");
    check(404, "GET", "/nothing", "");
    check(405, "PUT", "/projects", "");
    check(413, "POST", "/projects", &long(3 << 20));
}

#[test]
fn a_request_needs_the_key_and_the_host() {
    let bench = Bench::new();
    let answers = ["", "x-api-key: wrong\r\n"].map(|key| send(&bench.sandbox, "GET", "/projects", key, ""));
    assert!(answers.iter().all(|answer| answer.status == 401 && answer.json()["title"] == "Unauthorized"));
    let foreign = format!("host: evil.example\r\n{}", bench.key());
    assert_eq!(send(&bench.sandbox, "GET", "/projects", &foreign, "").status, 421);
    let bind = |address: ([u8; 4], u16)| Server::bind(address.into(), SandboxOptions::new(&bench.state()));
    let server = bind(([127, 0, 0, 1], 0)).expect("bound");
    let port = server.base_url().port().expect("a port");
    for address in [([0, 0, 0, 0], 0), ([127, 0, 0, 1], port)] {
        assert_eq!(bind(address).map(|_| ()).expect_err("refused").verdict, Verdict::Usage);
    }
}

#[test]
fn lists_are_paged_sorted_and_filtered() {
    let bench = Bench::new();
    let (demo, folder) = (bench.demo(), bench.state());
    for (email, first, id) in
        [("c@x.example", "cem", Some("E-1")), ("a@x.example", "Ann", None), ("b@x.example", "Bo", Some("e-1"))]
    {
        bench.enrol(&json!({"email": email, "firstName": first, "referenceId": id}));
    }
    let set = |who: &str, changes: PersonChanges| {
        set_person(&folder, "Demo", &who.parse().expect("a person"), &changes).expect("set");
    };
    set("ref:e-1", PersonChanges { result: Some("HighRisk".into()), ..PersonChanges::default() });
    set("A@X.example", PersonChanges { result: Some("Started".into()), ..PersonChanges::default() });
    let last_test_sent = "2026-03-01T06:00:00Z".parse().ok();
    set("id:1", PersonChanges { last_test_sent, ..PersonChanges::default() });
    let shown = |list: &str, query: &str| -> String {
        let names = bench.column(&format!("{demo}/{list}?{query}"), "firstName");
        names.iter().map(|name| name.as_str().unwrap_or("-")).collect::<Vec<_>>().join(" ")
    };
    for (query, wanted) in [
        ("", "Bo Ann cem"),
        ("order=Asc", "cem Ann Bo"),
        ("orderBy=FullName&order=Asc", "Ann Bo cem"),
        ("orderBy=LastTestSent", "cem Ann Bo"),
        ("orderBy=Performance", "cem Ann Bo"),
        ("orderBy=FullName&order=Asc&pageSize=2", "Ann Bo"),
        ("orderBy=FullName&order=Asc&pageSize=2&page=2", "cem"),
        ("page=2", ""),
        ("filter=CEM", "cem"),
        ("filter=%40x.EXAMPLE&order=Asc", "cem Ann Bo"),
        ("filter=e-1", "Bo cem"),
        ("filter=%25", ""),
        ("completedOnly=true", "Bo"),
        ("completedOnly=false&hasReferenceId=false", "Ann"),
        ("hasReferenceId=true", "Bo cem"),
        ("hasLastTestSent=true", "cem"),
        ("lastTestSentFromUtc=2026-03-01T06:00:00Z&lastTestSentToUtc=2026-03-01T07:00:00%2B01:00", "cem"),
        ("lastTestSentFromUtc=2026-03-01T06:00:01Z", ""),
    ] {
        assert_eq!([shown("testtakers", query), shown("results", query)], [wanted; 2], "{query}");
    }
    assert_eq!([shown("testtakers", "referenceId=E-1"), shown("results", "referenceId=E-1")], ["cem", "Bo Ann cem"]);
}

#[test]
fn a_result_is_read_by_reference_id_with_the_identity() {
    let bench = Bench::new();
    let path = format!("{}/results/a%2Bb%40c", bench.demo());
    let entry = bench.enrol(&json!({"email": "a@x.example", "referenceId": "a+b@c"}));
    let result = bench.get(&path).json();
    assert_eq!(keys(&result), format!("{READ_RECORD} topPerformer identityVerified identityStatus"));
    assert_eq!((&result["identityVerified"], &result["identityStatus"]), (&Value::Null, &json!("")));
    let status = Some("Compromised".to_owned());
    let completed = "2026-03-01T06:00:00Z".parse().ok();
    let result = Some("Radioactive".to_owned());
    let changes = PersonChanges { result, completed, identity_status: status, ..PersonChanges::default() };
    set_person(&bench.state(), "Demo", &format!("id:{entry}").parse().expect("a person"), &changes).expect("set");
    let result = bench.get(&path).json();
    assert_eq!((&result["result"], &result["identityVerified"]), (&json!("Radioactive"), &json!(false)));
    assert_eq!(result["dateCompleted"], "2026-03-01T06:00:00Z");
    // Of two people the one who completed last counts.
    bench.enrol(&json!({"email": "b@x.example", "referenceId": "a+b@c"}));
    assert_eq!(bench.get(&path).json()["email"], "a@x.example");
}

#[test]
fn a_link_is_refused_right_after_the_enrolment() {
    let bench = Bench::with(|options| options.provisioning = Duration::from_hours(1));
    let entry = bench.enrol(&json!({"email": "a@x.example"}));
    let answer = bench.send("POST", &format!("{}/testtakers/{entry}/test-link", bench.demo()), "");
    assert_eq!((answer.status, keys(&answer.json())), (409, "code message".to_owned()));
    assert_eq!(answer.json()["code"], "test_taker_not_provisioned");
    let seconds: u8 = answer.header("retry-after").and_then(|seconds| seconds.parse().ok()).expect("seconds");
    assert!((1..=5).contains(&seconds));
}

#[test]
fn a_link_is_taken_once_and_only_the_newest_works() {
    let bench = Bench::new();
    let (demo, entry) = (bench.demo(), bench.enrol(&json!({"email": "a@x.example"})));
    let uris = |body: &str| bench.send("POST", "/workspace/redirect-uris", body).json();
    assert_eq!(
        uris(r#"["https://B.example/x","https://a.example"]"#),
        json!(["https://B.example/x", "https://a.example"])
    );
    assert_eq!(uris(r#"["https://b.EXAMPLE/x"]"#).as_array().map(Vec::len), Some(2));
    assert_eq!(bench.get("/workspace/redirect-uris?order=Desc&pageSize=1").json(), json!(["https://B.example/x"]));

    let issue = || {
        bench.send(
            "POST",
            &format!("{demo}/testtakers/{entry}/test-link"),
            r#"{"redirectUri":"https://b.example/X","referenceId":"a+b"}"#,
        )
    };
    let (earlier, link) = (issue(), issue());
    assert_eq!((link.status, keys(&link.json())), (200, "url expiresAtUtc".to_owned()));
    let url = link.json()["url"].as_str().expect("a link").to_owned();
    assert!(url.starts_with("http://127.0.0.1:7878/take/"));
    assert!(url.ends_with("?redirect_uri=https%3A%2F%2Fb.example%2FX&reference_id=a%2Bb"));
    let expires: jiff::Timestamp =
        link.json()["expiresAtUtc"].as_str().and_then(|time| time.parse().ok()).expect("a time");
    let seconds = expires.as_second() - jiff::Timestamp::now().as_second();
    assert!((86_000..=86_400).contains(&seconds));

    let page = |link: &Answer| link.json()["url"].as_str().expect("a link").replace("http://127.0.0.1:7878", "");
    let open = |path: &str| send(&bench.sandbox, "GET", path, "", "");
    assert!(open(&page(&earlier)).body.contains("A newer link was issued"));
    assert!(open(&page(&link)).body.contains("<option>HighRisk</option>"));
    assert_eq!(open("/take/nothing").status, 404);
    let post = |outcome: &str| send(&bench.sandbox, "POST", &page(&link), "", &format!("outcome={outcome}"));
    assert_eq!(post("Splendid").status, 400);
    let taken = post("HighRisk");
    assert_eq!((taken.status, taken.header("location")), (303, Some("https://b.example/X")));
    assert_eq!(post("Completed").status, 410);
    assert_eq!(bench.column(&format!("{demo}/results?completedOnly=true"), "result"), ["HighRisk"]);
}
