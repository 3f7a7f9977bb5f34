//! The test taker's page as a browser meets it: links of the program, opened on the wire, and the forms that they show.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use snapbox::str;

use crate::harness::{Env, Served, redact};

/// A served sandbox with two people, and a machine that uses it.
fn served(more: &[&str]) -> (Env, Served) {
    let here = Env::sandbox();
    let served = here.serve(more);
    let env = here.with("ASSESSCTL_PROFILE", "").with("ASSESSCTL_BASE_URL", &served.url);
    let env = env.with("ASSESSCTL_API_KEY", &served.key).with("ASSESSCTL_PROJECT", "Demo");
    for id in ["EMP-1", "EMP-2"] {
        let _ = env.line(&format!("testtakers enrol --email {id}@example.com --reference-id {id}")).ok();
    }
    (env, served)
}

fn issue(env: &Env, more: &str) -> String {
    let said = env.line(&format!("links issue {more} --show -o csv --no-header --fields url"));
    said.ok().stdout.trim().to_owned()
}

/// A page, and how its address answered.
struct Page {
    status: u16,
    location: Option<String>,
    html: String,
}

impl Page {
    /// Asks for an address of the sandbox as a browser does: with its own host, and with its origin where a form is sent.
    fn ask(served: &Served, method: &str, path: &str, form: &str) -> Self {
        let address = served.address();
        let mut stream = TcpStream::connect(address).expect("a connection");
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
        let label = match method {
            "POST" => format!("Origin: http://{address}\r\nContent-Type: application/x-www-form-urlencoded\r\n"),
            _ => String::new(),
        };
        let request = format!("{head}{label}Content-Length: {}\r\n\r\n{form}", form.len());
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer of text");
        let (head, html) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let location = head.lines().find_map(|line| line.strip_prefix("location: ")).map(str::to_owned);
        Self { status, location, html: html.to_owned() }
    }

    fn open(served: &Served, link: &str) -> Self {
        Self::ask(served, "GET", link.strip_prefix(&served.url).expect("a link of this sandbox"), "")
    }

    /// Sends the one form of this page, filled in.
    fn submit(&self, served: &Served, form: &str) -> Self {
        let action = self.html.split_once("<form method=\"post\" action=\"").expect("a form").1;
        Self::ask(served, "POST", action.split('"').next().expect("an address"), form)
    }

    /// Title and paragraphs, as a reader takes them in.
    fn text(&self) -> String {
        let main = self.html.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>")).expect("a page").0;
        let tags = regex::Regex::new("<[^>]*>").expect("a pattern");
        let lines = main.lines().map(|line| tags.replace_all(&line.replace("<option>", " "), "").trim().to_owned());
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n") + "\n"
    }

    /// It is the page on which the assessment can be started.
    #[track_caller]
    fn invites(&self) {
        self.shows(
            200,
            str![[r#"
Assessment
You are invited to an assessment of Demo.
Starting it uses this link up.
Start the assessment

"#]],
        );
    }

    #[track_caller]
    fn shows(&self, status: u16, text: impl snapbox::IntoData) {
        assert_eq!(self.status, status, "{}", self.html);
        snapbox::assert_data_eq!(redact(&self.text()), text);
    }
}

#[test]
fn a_person_takes_the_test_by_the_forms_of_its_pages_and_goes_where_the_allowlist_lets_them() {
    let (env, served) = served(&[]);
    let _ = env.line("redirect-uris add https://portal.example.com/done").ok();
    let allowed = issue(&env, "ref:EMP-1 --redirect-uri https://portal.example.com/done");
    let first = Page::open(&served, &allowed);
    first.invites();
    let under_way = first.submit(&served, "");
    under_way.shows(200, str![[r#"
Assessment under way
The assessment of Demo is under way.
How it ends  Completed Started CouldNotCompleteConnectionIssues CouldNotCompleteNpServerIssues CouldNotCompleteTimedOut CouldNotCompleteUnsupportedDevice Confirming HighRisk InProgress NotStarted Incomplete Fatigued Distressed ReasonableCause Escalated Emergency
Finish the assessment

"#]]);
    let done = under_way.submit(&served, "outcome=HighRisk");
    assert_eq!(done.status, 303);
    assert_eq!(done.location.as_deref(), Some("https://portal.example.com/done"), "no result data is appended");
    assert_eq!(env.line("results get EMP-1 --fields result -o csv --no-header").data(), "HighRisk\n");
    Page::open(&served, &allowed).shows(
        410,
        str![[r#"
This link does not work
This link has been used: an assessment was started with it.

"#]],
    );

    let elsewhere = issue(&env, "ref:EMP-2 --redirect-uri https://elsewhere.example.com/");
    let done = Page::open(&served, &elsewhere).submit(&served, "").submit(&served, "outcome=Completed");
    assert_eq!(done.location, None, "a redirect URI that is not on the allowlist leads nowhere");
    done.shows(
        200,
        str![[r#"
Thank you
The assessment is finished. You can close this page.

"#]],
    );
    assert_eq!(env.line("results get EMP-2 --fields result -o csv --no-header").data(), "Completed\n");
}

#[test]
fn a_dead_link_says_why() {
    let (env, served) = served(&[]);
    let first = issue(&env, "ref:EMP-1");
    let second = issue(&env, "ref:EMP-1");
    Page::open(&served, &first).shows(
        410,
        str![[r#"
This link does not work
A newer link was issued. Only the newest link works.

"#]],
    );
    Page::open(&served, &second).invites();
    Page::open(&served, &format!("{}/take/nonsense", served.url)).shows(
        404,
        str![[r#"
This link does not work
There is no such link. It may have been copied in part.

"#]],
    );
    let _ = env.line("testtakers remove ref:EMP-1 --yes").ok();
    Page::open(&served, &second).shows(
        410,
        str![[r#"
This link does not work
The test taker of this link has been removed from the project.

"#]],
    );

    let (env, served) = self::served(&["--link-lifetime", "1ms"]);
    Page::open(&served, &issue(&env, "ref:EMP-1")).shows(
        410,
        str![[r#"
This link does not work
This link has expired.

"#]],
    );
}

#[test]
fn a_served_sandbox_prints_a_new_key_once_and_takes_one_from_a_private_file_alone() {
    let env = Env::new();
    let keys: Vec<String> = [env.serve(&[]), env.serve(&[])].into_iter().map(|served| served.key.clone()).collect();
    assert!(keys.iter().all(|key| key.len() == 32) && keys[0] != keys[1], "{keys:?}");
    let file = env.write("key.txt", "a-key-of-my-own");
    let serve = ["sandbox", "serve", "--listen", "127.0.0.1:0", "--key-file", "key.txt"];
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("permissions");
        let _ = env.run(&serve).fails(3).mentions("others can read it");
    }
    let _ = env.run(&[&serve[..4], &["--key", "x"]].concat()).fails(2);
    let reader = env.write("reader.txt", "a-key-that-reads");
    crate::harness::owner_only(&file);
    crate::harness::owner_only(&reader);
    let served = env.serve(&["--key", "a-key-of-my-own", "--read-only-key-file", "reader.txt"]);
    let env = Env::new().with("ASSESSCTL_BASE_URL", &served.url).with("ASSESSCTL_PROJECT", "Demo");
    let env = env.with("ASSESSCTL_API_KEY", "a-key-of-my-own");
    let _ = env.line("testtakers enrol --email a@example.com").ok();
    let env = env.with("ASSESSCTL_API_KEY", "a-key-that-reads");
    assert_eq!(env.line("testtakers list --fields email -o csv --no-header").data(), "a@example.com\n");
    let _ = env.line("testtakers enrol --email b@example.com").exits(3);
    let _ = env.with("ASSESSCTL_API_KEY", "another").line("projects list").fails(3);
}
