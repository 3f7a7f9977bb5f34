//! Connections that are kept: closed by the service between two requests, or in the middle of an answer.

use crate::support::env::Env;
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::wire::PROJECT;

#[test]
fn a_connection_that_the_service_closes_between_two_requests_costs_a_list_nobody() {
    for share in [1.0, 0.3] {
        let service = Service::start().with_people(450);
        let service = service.on(Op::TestTakers, When::Share(share, 11), Trouble::CloseIdle);
        let said = Env::at(&service.url).line(&format!("testtakers list -p {PROJECT} -o ndjson")).data();
        assert_eq!(said.lines().count(), 450);
    }
}

#[test]
fn a_write_on_a_connection_that_was_just_closed_is_done_once() {
    for _ in 0..10 {
        let service = Service::start().on(Op::Uris, When::Always, Trouble::CloseIdle);
        let _ = Env::at(&service.url).line("redirect-uris add https://a.example").ok();
        assert_eq!(service.held().uris.len(), 1);
    }
    let service = Service::start().on(Op::Projects, When::Always, Trouble::CloseIdle);
    let said = Env::at(&service.url).line("projects create Depot");
    let (sent, held) = (service.count(Op::CreateProject), service.held().projects.len());
    // Whether the closing was noticed before the request left is a matter of microseconds.
    assert!(
        said.code == 0 && (sent, held) == (1, 2) || said.code == 7 && (sent, held) == (0, 1),
        "{sent} {held} {said}"
    );
}

#[test]
fn any_page_whose_answer_is_lost_cut_or_late_is_asked_for_again() {
    type Make = fn() -> Trouble;
    let troubles: [Make; 4] = [
        || Trouble::CloseBefore,
        || Trouble::Truncate,
        || Trouble::Hang,
        || Trouble::Delay(std::time::Duration::from_millis(500)),
    ];
    for trouble in troubles {
        for nth in [1, 2, 5] {
            let service = Service::start().with_people(230).on(Op::Results, When::Nth(nth), trouble());
            let line = format!("results list -p {PROJECT} -o ndjson --timeout 400ms");
            let said = Env::at(&service.url).line(&line).ok();
            assert_eq!(said.stdout.lines().count(), 230, "{nth}: {said}");
        }
    }
}
