//! The test taker's page in a real browser: Chromium by way of ChromeDriver. Both are looked for where CI installs them:
//! `cargo test --test it browser -- --ignored`.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Env, Served};
use crate::socket::{Answer, Socket};
use crate::wire::ask;

/// The property under which WebDriver names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Longer than any page takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A browser without a window; it ends with the test.
struct Browser {
    driver: Child,
    address: String,
    session: String,
    profile: tempfile::TempDir,
}

impl Browser {
    fn start() -> Self {
        let mut command = Command::new("chromedriver");
        let mut driver =
            command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("chromedriver");
        let lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let mut ports = lines.filter_map(|line| Some(line.split_once("successfully on port ")?.1.to_owned()));
        let port = ports.next().expect("a port");
        let profile = tempfile::tempdir().expect("a folder");
        let mut browser = Self {
            driver,
            address: format!("127.0.0.1:{}", port.trim_end_matches('.')),
            session: String::new(),
            profile,
        };
        let folder = format!("--user-data-dir={}", browser.profile.path().display());
        let args = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            &folder,
        ];
        let options = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": args}}}});
        let session = browser.call("POST /session", Some(&options))["sessionId"].clone();
        browser.session = format!("/session/{}", session.as_str().expect("a session"));
        browser
    }

    fn call(&self, line: &str, body: Option<&Value>) -> Value {
        let reply = ask(&self.address, line, None, body);
        assert_eq!(reply.status, 200, "{line}: {}", reply.body);
        reply.json()["value"].clone()
    }

    fn post(&self, what: &str, body: &Value) -> Value {
        self.call(&format!("POST {}/{what}", self.session), Some(body))
    }

    fn get(&self, what: &str) -> String {
        self.call(&format!("GET {}/{what}", self.session), None).as_str().unwrap_or_default().to_owned()
    }

    fn open(&self, url: &str) {
        let _ = self.post("url", &json!({ "url": url }));
    }

    fn element(&self, path: &str) -> String {
        let found = self.post("element", &json!({"using": "xpath", "value": path}));
        found[ELEMENT].as_str().expect("an element").to_owned()
    }

    fn click(&self, path: &str) {
        let _ = self.post(&format!("element/{}/click", self.element(path)), &json!({}));
    }

    /// Waits until a page of this title is there: a click does not wait for the page to which it leads.
    #[track_caller]
    fn shows(&self, title: &str) {
        let begun = Instant::now();
        while self.get("title") != title {
            assert!(begun.elapsed() < PATIENCE, "{title:?} does not come: {}\n{}", self.get("url"), self.text());
        }
    }

    fn text(&self) -> String {
        self.get(&format!("element/{}/text", self.element("//body")))
    }

    /// Takes the test as a person would: by the buttons' words, and by the label of the choice.
    fn take(&self, link: &str, outcome: &str) {
        self.open(link);
        self.click("//button[.='Start the assessment']");
        self.shows("Assessment under way");
        self.click(&format!("//select[@id=//label[.='How it ends']/@for]/option[.='{outcome}']"));
        self.click("//button[.='Finish the assessment']");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Both fail only where the browser or its driver is gone already.
        let _ = ask(&self.address, &format!("DELETE {}", self.session), None, None);
        let _ = self.driver.kill().and_then(|()| self.driver.wait());
    }
}

/// A served sandbox with two people, and a machine that uses it.
fn served(more: &[&str]) -> (Env, Served) {
    let here = Env::sandbox();
    let served = here.serve(more);
    let env = here.with("ASSESSCTL_PROFILE", "").with("ASSESSCTL_BASE_URL", &served.url);
    let env = env.with("ASSESSCTL_API_KEY", "sandbox").with("ASSESSCTL_PROJECT", "Demo");
    for id in ["EMP-1", "EMP-2"] {
        let _ = env.line(&format!("testtakers enrol --email {id}@example.com --reference-id {id}")).ok();
    }
    (env, served)
}

fn link(env: &Env, more: &str) -> String {
    let said = env.line(&format!("links issue {more} --show -o csv --no-header --fields url"));
    said.ok().stdout.trim().to_owned()
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn a_person_takes_the_test_and_goes_where_the_allowlist_lets_them() {
    let browser = Browser::start();
    let (env, _served) = served(&[]);
    let goal = Socket::always(Answer::new(200, &["Content-Type: text/html"], "<title>Back at work</title>"));
    let _ = env.line(&format!("redirect-uris add {}/done", goal.url)).ok();

    let allowed = link(&env, &format!("ref:EMP-1 --redirect-uri {}/done", goal.url));
    browser.take(&allowed, "HighRisk");
    browser.shows("Back at work");
    assert_eq!(browser.get("url"), format!("{}/done", goal.url), "no result data is appended");
    assert_eq!(env.line("results get EMP-1 -o json").json()["result"], "HighRisk");
    browser.open(&allowed);
    assert!(browser.text().contains("This link has been used"), "{}", browser.text());

    let before = goal.requests().len();
    browser.take(&link(&env, &format!("ref:EMP-2 --redirect-uri {}/elsewhere", goal.url)), "Completed");
    browser.shows("Thank you");
    assert_eq!(goal.requests().len(), before, "a redirect URI that is not on the allowlist leads nowhere");
    assert_eq!(env.line("results get EMP-2 -o json").json()["result"], "Completed");
}

#[test]
#[ignore = "needs Chromium and ChromeDriver"]
fn a_dead_link_says_why() {
    let browser = Browser::start();
    let (env, served) = served(&[]);
    let first = link(&env, "ref:EMP-1");
    let second = link(&env, "ref:EMP-1");
    browser.open(&first);
    assert!(browser.text().contains("Only the newest link works"), "{}", browser.text());
    browser.open(&second);
    assert!(browser.text().contains("Start the assessment"), "{}", browser.text());
    browser.open(&format!("{}/take/nonsense", served.url));
    assert!(browser.text().contains("There is no such link"), "{}", browser.text());

    let (env, _served) = self::served(&["--link-lifetime", "1ms"]);
    browser.open(&link(&env, "ref:EMP-1"));
    assert!(browser.text().contains("This link has expired"), "{}", browser.text());
}
