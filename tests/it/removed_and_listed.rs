//! People whom this machine removed, and whom a list that lags behind shows still.

use crate::doubts::enrolment;
use crate::doubts_of_writes::{at, service};
use crate::harness::{Env, Said};
use crate::imports::records;
use crate::socket::{Answer, Socket};

/// A service that removes whom it is told to, and goes on to show them. It has Ann (1, A) and Bob (2, B) at first.
fn lagging() -> (Socket, Env) {
    let socket = service(|request, _| (request.method == "DELETE").then(|| Answer::new(204, &[], "")));
    let env = at(&socket);
    (socket, env)
}

fn outcomes(said: &Said) -> Vec<String> {
    records(&said.stdout).iter().map(|row| row["outcome"].as_str().unwrap_or_default().to_owned()).collect()
}

fn enrolments(socket: &Socket) -> usize {
    socket.writes().iter().filter(|request| request.method == "POST").count()
}

#[test]
fn whoever_was_removed_a_short_time_ago_is_enrolled_anew_whatever_the_list_shows() {
    let (socket, env) = lagging();
    let import = "testtakers import people.csv --no-wait -o csv";
    assert_eq!(outcomes(&env.line(import).ok()), ["existing", "existing"]);
    let _ = env.line("testtakers remove ref:A --yes").ok();
    let planned = env.line(&format!("{import} --dry-run")).ok();
    assert_eq!(outcomes(&planned), ["would-enrol", "existing"], "{planned}");
    let said = env.line(import).ok();
    assert_eq!(
        (outcomes(&said), enrolments(&socket)),
        (vec!["enrolled".to_owned(), "existing".to_owned()], 1),
        "{said}"
    );
    assert_eq!(outcomes(&env.line(import).ok()), ["enrolled", "existing"]);
    assert_eq!(enrolments(&socket), 1, "who stands in the list since is not enrolled again");
}

#[test]
fn an_import_that_was_taken_back_enrols_anew_whatever_the_list_shows() {
    let (socket, env) = lagging();
    env.write("new.csv", "email,referenceId\ncy@x.com,C\ndee@x.com,D\n");
    let import = "testtakers import new.csv --no-wait -o csv";
    let _ = env.line(import).ok();
    let _ = env.line("journal undo new.csv --yes").ok().mentions("2 of 2 people removed");
    let said = env.line(import).ok();
    assert_eq!(outcomes(&said), ["enrolled", "enrolled"], "{said}");
    assert_eq!(enrolments(&socket), 4);
    let _ = env.line("testtakers remove id:5 --yes").ok();
    let said = env.line("testtakers enrol --email cy@x.com --reference-id C --no-wait -o json").ok();
    assert_eq!(said.json()["outcome"], "enrolled");
}

#[test]
fn a_service_that_gives_whoever_comes_back_the_old_entry_is_believed() {
    let socket = service(|request, people| match request.method.as_str() {
        "DELETE" => Some(Answer::new(204, &[], "")),
        "POST" => Some(Answer::json(201, &enrolment(&request.json(), 1).to_string())),
        _ => people.is_empty().then(Answer::nothing),
    });
    let env = at(&socket);
    let _ = env.line("testtakers remove ref:A --yes").ok();
    for sent in [1, 1] {
        let said = env.line("testtakers import people.csv -o csv").ok();
        assert_eq!(
            (outcomes(&said), enrolments(&socket)),
            (vec!["enrolled".into(), "existing".into()], sent),
            "{said}"
        );
    }
}

#[test]
fn an_entry_that_was_removed_longer_ago_than_lists_lag_is_there_again() {
    let (socket, env) = lagging();
    let _ = env.line("testtakers remove ref:A --yes").ok();
    let said = env.line("testtakers import people.csv --settle 0s -o csv").ok();
    assert_eq!((outcomes(&said), enrolments(&socket)), (vec!["existing".to_owned(); 2], 0), "{said}");
}
