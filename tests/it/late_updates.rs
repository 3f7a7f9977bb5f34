//! Updates of a service whose reads lag behind: what an earlier one wrote is not taken back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::doubts::{array, listed, matching};
use crate::harness::{Env, Said};
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// One person; so many of the next reads show the record as it was at first.
struct Service {
    socket: Socket,
    person: Arc<Mutex<Value>>,
    late_reads: Arc<AtomicUsize>,
}

const FOR_EVER: usize = usize::MAX / 2;

fn service() -> (Env, Service) {
    let body = json!({"email": "zoe@example.com", "firstName": "Old", "lastName": "Older", "referenceId": "R-1"});
    let first = listed(&body, 7);
    let (person, late_reads) = (Arc::new(Mutex::new(first.clone())), Arc::new(AtomicUsize::new(0)));
    let (changing, late) = (Arc::clone(&person), Arc::clone(&late_reads));
    let socket = Socket::answering(move |request, _| {
        let mut person = changing.lock().expect("no server thread panics");
        if request.method == "PATCH" {
            if request.json()["firstName"] == "Refused" {
                return Answer::problem(400, "Bad Request", "");
            }
            for (field, value) in request.json().as_object().into_iter().flatten() {
                let stored = value.as_str().map(|text| text.replace("spelt", "Spelt"));
                person[field] = stored.map_or(Value::Null, Value::from);
            }
            return Answer::ok(&person.to_string());
        }
        if request.parameter("page").is_some_and(|page| page != "1") {
            return array(&[]);
        }
        let is_late = late.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        array(&matching(request, std::slice::from_ref(if is_late { &first } else { &person })))
    });
    (Env::at(&socket.url), Service { socket, person, late_reads })
}

impl Service {
    fn names(&self) -> [String; 2] {
        let person = self.person.lock().expect("no server thread panics");
        ["firstName", "lastName"].map(|field| person[field].as_str().unwrap_or_default().to_owned())
    }

    fn updates(&self) -> usize {
        self.socket.writes().len()
    }
}

fn update(env: &Env, more: &str) -> Said {
    env.line(&format!("testtakers update -p {PROJECT} {more}"))
}

/// The second of two updates, in the ways in which one is sent.
fn ways(env: &Env) -> [String; 3] {
    env.write("names.csv", "email,lastName\nzoe@example.com,Newer\n");
    env.write("people.csv", "email,lastName,referenceId\nzoe@example.com,Newer,R-1\n");
    [
        format!("testtakers update -p {PROJECT} email:zoe@example.com --last-name Newer"),
        format!("testtakers update -p {PROJECT} --file names.csv"),
        format!("testtakers import -p {PROJECT} people.csv --on-existing update"),
    ]
}

#[test]
fn an_update_right_after_another_takes_nothing_back_while_reads_lag() {
    for way in 0..3 {
        let (env, service) = service();
        let _ = update(&env, "email:zoe@example.com --first-name New").ok();
        let second = &ways(&env)[way];
        service.late_reads.store(FOR_EVER, Ordering::Relaxed);
        let said = env.line(&format!("{second} --deadline 4s")).exits(7);
        assert_eq!((service.updates(), service.names()), (1, ["New".to_owned(), "Older".to_owned()]), "{said}");
        let told = format!("{}{}", said.stdout, said.stderr);
        assert!(told.contains("still shows the record as it was before the last update"), "{said}");
        service.late_reads.store(0, Ordering::Relaxed);
        let said = env.line(second).ok();
        assert_eq!(service.names(), ["New", "Newer"].map(str::to_owned), "{said}");
    }
}

#[test]
fn a_read_that_lags_for_a_moment_is_waited_for() {
    for way in 0..3 {
        let (env, service) = service();
        let _ = update(&env, "email:zoe@example.com --first-name New").ok();
        let second = &ways(&env)[way];
        service.late_reads.store(3, Ordering::Relaxed);
        let said = env.line(second).ok();
        assert_eq!(service.names(), ["New", "Newer"].map(str::to_owned), "{said}");
    }
}

#[test]
fn the_same_update_again_and_one_that_the_service_refused_wait_for_nothing() {
    let (env, service) = service();
    let _ = update(&env, "email:zoe@example.com --first-name New").ok();
    service.late_reads.store(FOR_EVER, Ordering::Relaxed);
    let _ = update(&env, "email:zoe@example.com --first-name New").ok();
    let _ = update(&env, "email:zoe@example.com --first-name Newest --dry-run").ok();
    assert_eq!(service.updates(), 2);
    service.late_reads.store(0, Ordering::Relaxed);
    let _ = update(&env, "email:zoe@example.com --first-name Refused").exits(5);
    let _ = update(&env, "email:zoe@example.com --last-name Newer --deadline 4s").ok();
    assert_eq!(service.names(), ["New", "Newer"].map(str::to_owned));
}

#[test]
fn what_the_service_spells_otherwise_and_what_a_row_names_itself_is_not_waited_for() {
    let (env, service) = service();
    let _ = update(&env, "email:zoe@example.com --first-name spelt").ok();
    let _ = update(&env, "email:zoe@example.com --last-name Newer --deadline 4s").ok();
    assert_eq!(service.names(), ["Spelt", "Newer"].map(str::to_owned));
    env.write("first.csv", "email,firstName,lastName\nzoe@example.com,Newest,Newest\n");
    service.late_reads.store(FOR_EVER, Ordering::Relaxed);
    let _ = update(&env, "--file first.csv --deadline 4s").ok();
    assert_eq!(service.names(), ["Newest"; 2].map(str::to_owned));
}
