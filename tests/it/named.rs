//! People who are named: one, several, by `-` and in files, read alike by every command.

use snapbox::str;

use crate::harness::{Env, finish};
use crate::socket::{Answer, Socket};

const PEOPLE: &str = "email,firstName,referenceId
ann@example.com,Ann,A-1
bob@example.com,Bob,B-2
cy@example.com,Cy,00017
";

fn prepared() -> Env {
    let env = Env::sandbox();
    env.write("people.csv", PEOPLE);
    let _ = env.line("testtakers import people.csv -q").ok();
    env
}

#[test]
fn several_people_are_shown_in_the_order_in_which_they_are_named() {
    let env = prepared();
    let data = env.line("testtakers get ref:00017 email:ann@example.com id:2 -o csv --fields asked,outcome,id").data();
    assert_eq!(data, "asked,outcome,id\nref:00017,found,3\nemail:ann@example.com,found,1\nid:2,found,2\n");
    let data = env.line("results get B-2 ref:A-1 -o csv --fields asked,outcome,email").data();
    assert_eq!(data, "asked,outcome,email\nB-2,found,bob@example.com\nA-1,found,ann@example.com\n");
    let one = env.line("testtakers get id:2 -o json --fields id").json();
    assert_eq!(one, serde_json::json!({"id": 2}), "one person is an object, as before");
    let several = env.line("testtakers get id:2 id:9 -o json --fields asked,outcome,id");
    assert_eq!(several.code, 10, "{several}");
    let several: serde_json::Value = serde_json::from_str(&several.stdout).expect("JSON");
    assert_eq!(several[0]["outcome"], "found");
    assert_eq!(several[1]["outcome"], "absent");
}

#[test]
fn every_command_reads_the_same_lists() {
    let lists: [&[u8]; 5] = [
        b"ref:B-2\nref:00017\n",
        b"\xef\xbb\xbfref:B-2\r\n\r\n ref:00017 ",
        b"referenceId\nB-2\n00017\n",
        b"Vorname;Matricule\nBob;B-2\nCy;00017\n",
        b"id,email,fullName\n2,bob@example.com,Bob\n3,cy@example.com,Cy\n",
    ];
    for list in lists {
        let env = prepared();
        let shown = String::from_utf8_lossy(list);
        let words = ["testtakers", "get", "-", "-o", "csv", "--fields", "id", "--no-header"];
        assert_eq!(env.run_with(&words, list).ok().stdout, "2\n3\n", "{shown}");
        env.write("list", list);
        assert_eq!(env.line("testtakers get --ids-from list -o csv --fields id --no-header").ok().stdout, "2\n3\n");
        let links = env.run_with(&["links", "issue", "-", "-o", "csv", "--fields", "projectEntryId"], list).ok();
        assert_eq!(links.stdout, "projectEntryId\n2\n3\n", "{shown}");
        let links = env.run_with(&["links", "issue", "--file", "-", "--report", "r.csv", "--to", "l.csv"], list).ok();
        let _ = links.mentions("2 kept");
        let removed = env.run_with(&["testtakers", "remove", "-", "--yes", "-o", "csv"], list).ok();
        assert_eq!(removed.stdout.matches(",removed,").count(), 2, "{shown}");
        assert_eq!(env.line("testtakers list -o csv --fields referenceId").data(), "referenceId\nA-1\n", "{shown}");
    }
}

#[test]
fn a_bare_reference_id_is_enough_where_nothing_else_is_taken() {
    let env = prepared();
    let words = ["results", "get", "-", "-o", "csv", "--fields", "asked,outcome"];
    let said = env.run_with(&words, b"B-2\nref:00017\n").ok();
    assert_eq!(said.stdout, "asked,outcome\nB-2,found\n00017,found\n");
    for words in [&["testtakers", "get", "-"][..], &["links", "issue", "-"], &["testtakers", "remove", "-", "--yes"]] {
        let said = env.run_with(words, b"B-2\n00017\n").fails(5);
        let _ = said.mentions("standard input").mentions("ref:, email: or id: before each").hides("B-2").hides("00017");
    }
    assert_eq!(env.line("testtakers list -o ndjson").data().lines().count(), 3, "nobody was removed");
}

#[test]
fn who_is_absent_is_told_and_all_absent_is_not_found() {
    let env = prepared();
    let _ = env.line("results get A-1 nobody -o csv").exits(10).shows(str![[r#"
exit 10
--- stdout
asked,outcome,id,email,referenceId,firstName,lastName,fullName,yearOfBirth,result,dateCompleted,lastTestSentUtc,topPerformer,identityVerified,identityStatus
A-1,found,1,ann@example.com,A-1,Ann,,Ann,,,,,false,,
nobody,absent,,,,,,,,,,,,,
--- stderr
1 of 2 names have no result in this project

"#]]);
    let _ = env.line("results get nobody none -o csv").exits(4);
    let _ = env.line("testtakers get ref:nobody id:77 -o csv").exits(4).shows(str![[r#"
exit 4
--- stdout
asked,outcome,id,email,referenceId,firstName,lastName,fullName,yearOfBirth,result,dateCompleted,lastTestSentUtc,topPerformer
ref:nobody,absent,,,,,,,,,,,
id:77,absent,,,,,,,,,,,
--- stderr
2 of 2 names not found in this project

"#]]);
    let _ = env.line("testtakers enrol --email twin@example.com --reference-id A-1 --allow-duplicates -q").ok();
    let said = env.line("testtakers get ref:A-1 ref:B-2 -o csv --fields asked,outcome,email").exits(2);
    assert_eq!(said.stdout, "asked,outcome,email\nref:A-1,shared,\nref:B-2,found,bob@example.com\n", "{said}");
    let said = env.line("links issue ref:B-2 ref:nobody id:2 -o csv").fails(5);
    let _ = said.mentions("number 2 of 3: nobody in this project has this reference id; nothing was sent");
    let _ = env.line("testtakers remove ref:B-2 ref:nobody --yes").fails(5).mentions("nothing was sent");
    let _ = env.line("testtakers remove ref:none ref:nobody --yes").fails(4);
    let _ = env.line("testtakers get -p Nowhere ref:A-1 ref:B-2").fails(4).shows(str![[r#"
exit 4
--- stdout
--- stderr
error: there is no project named "Nowhere"
hint: `assessctl projects list` shows the projects

"#]]);
}

#[test]
fn standard_input_is_one_thing_and_named_once() {
    let env = prepared();
    let _ = env.run_with(&["testtakers", "get", "-", "-"], b"id:1\n").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: standard input is named twice

"#]]);
    let said = env.run_with(&["testtakers", "get", "id:3", "-", "-o", "csv", "--fields", "id"], b"id:1\n").ok();
    assert_eq!(said.stdout, "id\n3\n1\n");
    for (list, why) in
        [("", "is empty"), ("ref:A-1\nemail:ann@example.com\n", "in another way"), ("email\n\"a", "quote")]
    {
        let _ = env.run_with(&["testtakers", "get", "-"], list.as_bytes()).fails(5).mentions(why);
    }
    let env = Env::new().with("ASSESSCTL_BASE_URL", "http://127.0.0.1:9").with("ASSESSCTL_PROJECT", "P");
    let said = env.run_with(&["results", "get", "-", "--api-key-file", "-"], b"key\n");
    let _ = said.fails(2).mentions("cannot both come from standard input");
}

#[test]
fn a_bare_list_to_work_on_is_checked_as_a_table_is_and_no_mistake_is_called_gone() {
    let env = prepared();
    for line in ["testtakers remove --file bare.txt --yes", "links issue --file bare.txt --to links.csv"] {
        for (list, mistake) in [
            ("email:re\nemail:ann@example.com\n", "bare.txt:1:1: email: not an e-mail address"),
            ("ref:00017\nref:00017\n", "bare.txt:2:1: referenceId: the same as in line 1"),
            ("id:1\nid:x\n", "bare.txt:2:1: projectEntryId: not a whole number"),
        ] {
            env.write("bare.txt", list);
            let said = env.line(line).fails(5).mentions(mistake).mentions("bare.txt has 1 mistake; nothing was sent");
            let _ = said.mentions("hint: correct them, or leave these rows out with --skip-invalid").hides("--map");
        }
    }
    env.write("bare.txt", "email:re\nemail:ann@example.com\n");
    let _ =
        env.line("testtakers remove --file bare.txt --yes --skip-invalid").exits(10).mentions("1 removed, 1 invalid");
}

#[test]
fn entry_ids_are_found_by_one_list_and_everybody_else_by_exact_look_ups() {
    let person = |id: u32| {
        format!(
            r#"{{"id":{id},"email":"p{id}@example.com","referenceId":"R-{id}","fullName":"","topPerformer":false,"new":{id}}}"#
        )
    };
    let socket = Socket::answering(move |request, _| {
        if !request.path().ends_with("/testtakers") {
            return Answer::json(200, r#"{"id":"5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b11","name":"P","state":"Active"}"#);
        }
        let number = |name, default| request.parameter(name).and_then(|text| text.parse().ok()).unwrap_or(default);
        let one = request.parameter("referenceId").and_then(|id| id.strip_prefix("R-")?.parse().ok());
        let all: Vec<String> = one.map_or_else(|| (1..=5).map(person).collect(), |id| vec![person(id)]);
        let (size, page) = (number("pageSize", 100), number("page", 1));
        let page: Vec<String> = all.into_iter().skip((page - 1) * size).take(size).collect();
        Answer::json(200, &format!("[{}]", page.join(",")))
    });
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", "5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b11");
    let said = env.line("testtakers get id:4 ref:R-2 id:1 id:9 -o ndjson").exits(10);
    let outcomes: Vec<_> = said.stdout.lines().map(|line| line.split("\"new\":").nth(1).unwrap_or("-}")).collect();
    assert_eq!(outcomes, ["4}", "2}", "1}", "-}"], "{said}");
    let lists = socket
        .requests()
        .iter()
        .filter(|request| request.path().ends_with("/testtakers") && request.parameter("referenceId").is_none())
        .count();
    assert!(lists <= 4, "{lists} requests for a list that is read once");
}

#[test]
fn a_list_of_nobody_is_an_answer_and_nothing_at_all_is_none() {
    let env = prepared();
    for words in [&["testtakers", "get", "-"][..], &["links", "issue", "-"], &["testtakers", "remove", "-", "--yes"]] {
        let said = env.run_with(words, b"referenceId\n").ok();
        assert!(!said.stdout.contains("http") && said.stderr.contains("standard input names nobody"), "{said}");
        let _ = env.run_with(words, b"").fails(5).mentions("is empty");
    }
    assert_eq!(env.run_with(&["results", "get", "-", "-o", "json"], b"id,referenceId\n1,\n").ok().stdout, "[]\n");
    assert_eq!(env.line("testtakers list -o ndjson").data().lines().count(), 3, "nobody was removed");
}

#[test]
fn xargs_and_pipes_lead_from_one_command_to_the_next() {
    let env = prepared();
    let script = "set -eu
assessctl results list -o csv --fields referenceId | assessctl testtakers get - -o csv --fields email --no-header
assessctl testtakers list -o csv --fields referenceId --no-header | xargs assessctl results get -o csv --fields asked --no-header";
    let said = crate::shell::run(&env, script).ok();
    assert_eq!(said.stdout, "ann@example.com\nbob@example.com\ncy@example.com\nA-1\nB-2\n00017\n", "{said}");
    let mut command = env.command(&["testtakers", "get", "-"]);
    command.stdin(std::process::Stdio::null());
    let _ = finish(command.spawn().expect("the program starts"), b"").fails(5).mentions("is empty");
}

/// A script that opens a gate by the exit code alone.
#[test]
fn a_missing_result_never_ends_as_a_good_one() {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\na@example.com,A\nb@example.com,B\n");
    let _ = env.line("testtakers import people.csv -q").ok();
    let said = env.line("results get A -q").exits(4);
    assert_eq!(
        (said.stdout.as_str(), said.stderr.as_str()),
        ("\n", "warning: no result so far: no test was begun (exit code 4)\n")
    );
    let _ = env.line("results get A B --fail-on HighRisk").exits(4).mentions("2 of 2 names have no result");
    let _ = env.line("sandbox set ref:A --result InProgress").ok();
    assert_eq!(env.line("results get A -q").data(), "InProgress\n");
    let _ = env.line("results get A --fail-on HighRisk").exits(4).mentions("the test is not over");
    let _ = env.line("sandbox set ref:A --result Completed").ok();
    let _ = env.line("results get A --fail-on HighRisk").ok();
    let _ = env.line("results get A B --fail-on HighRisk").exits(10);
    let _ = env.line("results get A B").ok();
    let _ = env.line("sandbox set ref:A --result HighRisk").ok();
    for word in ["HighRisk", "flagged", "unfit"] {
        let _ = env.line(&format!("results get A --fail-on {word}")).exits(8);
    }
    assert_eq!(env.line("testtakers get ref:A -q").data(), "1\n");
}
