//! `results report`: one page, for its owner only, that names flagged people.

use serde_json::json;

use crate::support::env::Env;
use crate::support::service::Service;
use crate::support::wire::PROJECT;
use crate::support::workspace::person;

#[test]
fn a_report_is_one_page_with_the_projects_name_and_its_flagged_people() {
    let service = Service::start().with_people(3);
    let mut hostile = person(4);
    hostile["fullName"] = json!("<img src=x onerror=alert(1)>\u{202e}");
    let mut fine = person(5);
    fine["result"] = json!("Completed");
    fine["fullName"] = json!("Somebody Fine");
    let service = service.of([hostile, fine]);
    let env = Env::at(&service.url);
    for project in [PROJECT, "'night shift north'"] {
        let _ = env.line(&format!("results report -p {project} --to page.html")).data();
        let page = env.read("page.html");
        for shown in ["<h1>Night shift north</h1>", "EMP-00002", "<b>5</b>enrolled", "<b>4</b>flagged", "@media print"]
        {
            assert!(page.contains(shown), "{shown} in {page}");
        }
        assert!(page.contains("&lt;img src=x") && !page.contains("<img") && !page.contains('\u{202e}'), "{page}");
        assert!(!page.contains("Somebody Fine") && !page.contains("src=\"") && !page.contains("http:"), "{page}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(env.work().join("page.html")).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(env.line(&format!("results report -p {PROJECT} --to -")).data().starts_with("<!doctype html>"));
}

#[test]
fn a_page_that_cannot_be_written_is_an_error_before_anything_is_sent() {
    let service = Service::start();
    let env = Env::at(&service.url);
    for line in ["results report -p Demo --to missing/page.html", "results report -p Demo"] {
        let _ = env.line(line).fails(2);
    }
    assert_eq!(service.log().len(), 0);
}
