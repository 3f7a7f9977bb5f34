//! Redirect URIs: merging and listing.

use serde_json::{Value, json};

use super::client::Sandbox;

const PATH: &str = "/workspace/redirect-uris";

#[test]
fn adding_redirect_uris_answers_the_whole_set() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.get(PATH).json(), json!([]));
    assert_eq!(sandbox.post(PATH, json!(["https://b.example.com/"])).json(), json!(["https://b.example.com/"]));
    let more = json!(["https://a.example.com/", "HTTPS://B.example.com/", "https://a.example.com/"]);
    let all = json!(["https://b.example.com/", "https://a.example.com/"]);
    assert_eq!(sandbox.post(PATH, more).json(), all);
    assert_eq!(sandbox.post(PATH, json!([])).json(), all);
}

#[test]
fn redirect_uris_are_listed_by_their_text() {
    let sandbox = Sandbox::new();
    sandbox.post(PATH, json!(["https://c", "https://A", "https://b"]));
    assert_eq!(sandbox.get(PATH).json(), json!(["https://A", "https://b", "https://c"]));
    assert_eq!(sandbox.get(&format!("{PATH}?order=Desc&pageSize=2")).json(), json!(["https://c", "https://b"]));
    assert_eq!(sandbox.get(&format!("{PATH}?page=2&pageSize=2")).json(), json!(["https://c"]));
    assert_eq!(sandbox.get(&format!("{PATH}?order=Up")).status, 400);
}

#[test]
fn a_redirect_uri_is_any_text_that_is_not_blank() {
    let sandbox = Sandbox::new();
    let odd = json!(["*", "app://done?x=1", "no address", "é".repeat(5000)]);
    assert_eq!(sandbox.post(PATH, odd.clone()).json(), odd);
    for bad in [json!([""]), json!([" "]), json!([1]), json!([null]), json!({}), json!("https://a"), Value::Null] {
        assert_eq!(sandbox.post(PATH, bad.clone()).status, 400, "{bad}");
    }
    assert_eq!(sandbox.get(PATH).json().as_array().map(Vec::len), Some(4));
}
