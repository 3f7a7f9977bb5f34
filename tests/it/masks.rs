//! `--mask`: no name and no address in any output, stable pseudonyms, and nothing that acts on them.

use std::fs;

use serde_json::json;

use crate::canary::{self, with_faults};
use crate::harness::{Env, KEY};
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// What tells the person: e-mail, names, a reference id that holds a name, what the service adds.
const PERSON: [&str; 5] = ["canary.mail", "canaryfirst", "canarylast", "canary-ref", "canarynote"];

fn prepared() -> Env {
    let env = Env::sandbox();
    let row = "canary.mail@example.com,Canaryfirst,Canarylast,1984,CANARY-REF,canarynote\n";
    let plain = "b.canary.mail@example.com,Canaryfirst,Canarylast,1984,EMP-00017,canarynote\n";
    env.write("people.csv", format!("email,firstName,lastName,birthYear,referenceId,Notes\n{row}{plain}"));
    let _ = env.line("testtakers import people.csv -q --ignore-column Notes").ok();
    let _ = env.line("sandbox set ref:CANARY-REF --result HighRisk").ok();
    env
}

#[test]
fn no_output_names_anybody() {
    let env = prepared();
    for line in [
        "testtakers list",
        "testtakers list -o csv",
        "testtakers list -o json",
        "testtakers list -o ndjson --fields email,fullName",
        "testtakers list --jq .[].email,.[].fullName,.[].firstName",
        "testtakers get ref:CANARY-REF -o json",
        "testtakers get ref:CANARY-REF email:canary.mail@example.com ref:EMP-00017 -o csv",
        "testtakers get email:nobody.canary.mail@example.com",
        "testtakers import people.csv --ignore-column Notes -o json --report report.csv",
        "testtakers enrol --email canary.mail@example.com --reference-id CANARY-REF -o json",
        "testtakers update ref:CANARY-REF --last-name Canarylasts -o json",
        "testtakers update --file people.csv --dry-run --ignore-column Notes -o csv",
        "testtakers remove --file people.csv --dry-run --ignore-column Notes -o csv",
        "results list -o json",
        "results list --flagged",
        "results get CANARY-REF -o json",
        "results export --to results.csv",
        "results changes --as a -o json",
        "results changes --as b --fail-on HighRisk -v",
    ] {
        let said = env.line(&format!("{line} --mask"));
        let files = ["report.csv", "results.csv"]
            .map(|name| std::fs::read_to_string(env.work().join(name)).unwrap_or_default());
        let all = format!("{}{}{}", said.stdout, said.stderr, files.concat()).to_lowercase();
        for canary in PERSON {
            assert!(!all.contains(canary), "{canary} after {line}: {said}");
        }
        assert!(matches!(said.code, 0 | 4 | 8), "{line}: {said}");
    }
    let shown = env.line("testtakers list --mask -o csv --fields referenceId,email --no-header").data();
    assert!(shown.contains("EMP-00017,p-") && shown.contains("@masked.invalid"), "{shown}");
    assert_eq!(shown, env.line("testtakers list --mask -o csv --fields referenceId,email --no-header").data());
}

#[test]
fn what_the_service_adds_does_not_appear() {
    let record = json!([{ "id": 1, "email": "canary.mail@example.com", "fullName": "Canaryfirst", "nickname": { "of": "canarynote" },
                          "referenceId": "EMP-1" }]);
    let socket = Socket::always(Answer::ok(&record.to_string()));
    let env = Env::at(&socket.url);
    let said = env.line(&format!("testtakers list -p {PROJECT} -o json --mask")).data().to_lowercase();
    assert!(PERSON.iter().all(|canary| !said.contains(canary)) && said.contains("emp-1"), "{said}");
}

#[test]
fn what_would_act_on_pseudonyms_or_show_links_is_refused_before_anything_is_sent() {
    let socket = Socket::always(Answer::ok("[]"));
    let env = Env::at(&socket.url);
    env.write("people.csv", "email\nann@example.com\n");
    env.write("masked.csv", "email\np-0123456789@MASKED.invalid\n");
    for line in [
        "links issue ref:A --mask",
        "links issue --all --mask --to links.csv",
        "projects link X --mask",
        "testtakers import people.csv --mask --failed-out fix.csv",
        "testtakers import people.csv --mask --with-links links.csv",
        "testtakers update --file people.csv --mask --failed-out fix.csv",
        "testtakers remove --file people.csv --yes --mask --failed-out fix.csv",
        "testtakers sync people.csv --mask --plan plan.ndjson",
        "testtakers apply plan.ndjson --mask --expect 1",
        "config path --mask",
    ] {
        let has_project = line.starts_with("links") || (line.starts_with("testtakers") && !line.contains("apply"));
        let more = if has_project { "-p X" } else { "" };
        let _ = env.line(&format!("{line} {more}")).fails(2).mentions("--mask");
    }
    let _ = env.line("testtakers import masked.csv -p X").exits(5).mentions("pseudonym");
    let _ = env.line("testtakers enrol --email p-1@masked.invalid -p X").fails(2).mentions("pseudonym");
    assert!(socket.requests().is_empty());
    env.configure(&format!("[profiles.m]\nbase-url = \"{}\"\napi-key-file = \"k\"\nmask = true\n", socket.url));
    let _ = env.without("ASSESSCTL_BASE_URL").line("links issue ref:A -p X --profile m").fails(2).mentions("--mask");
}

#[test]
fn a_file_of_pseudonyms_is_refused_wherever_it_would_act_and_nothing_is_sent() {
    let env = prepared();
    for file in ["masked.csv", "masked.json", "masked.ndjson"] {
        let _ = env.line(&format!("results list --mask --to {file}")).ok();
    }
    let _ = env.line("results list --mask --excel -o csv --to excel.csv").ok();
    env.write("names.csv", "referenceId,firstName,lastName\nEMP-00017,First-0123456789,Last-0123456789\n");
    env.write("ids.txt", "email:p-0123456789@masked.invalid\n");
    for name in ["keep.txt", "kept.txt"] {
        env.write(
            name,
            if name == "keep.txt" { "ref:EMP-1\nref:ref-0123456789\n" } else { "email:p-1@Masked.Invalid" },
        );
    }
    let socket = Socket::always(Answer::ok("[]"));
    let here = env.without("ASSESSCTL_PROFILE").with("ASSESSCTL_BASE_URL", &socket.url);
    let here = here.with("ASSESSCTL_API_KEY", KEY).with("ASSESSCTL_PROJECT", PROJECT);
    for (line, code) in [
        ("results changes --since masked.csv", 2),
        ("results changes --since masked.json", 2),
        ("results changes --since masked.ndjson --mask", 2),
        ("results changes --since excel.csv", 2),
        ("testtakers sync people.csv --ignore-column Notes --keep keep.txt", 2),
        ("testtakers sync people.csv --ignore-column Notes --keep kept.txt", 2),
        ("links issue email:p-0123456789@masked.invalid", 2),
        ("testtakers remove email:p-0123456789@masked.invalid --yes", 2),
        ("testtakers update email:p-0123456789@masked.invalid --last-name X", 2),
        ("testtakers update ref:EMP-1 --last-name Last-0123456789", 2),
        ("testtakers get --ids-from ids.txt", 5),
        ("testtakers import masked.csv", 5),
        ("testtakers sync masked.csv --allow-suspicious", 5),
        ("testtakers remove --file masked.csv --yes --map email=email --ignore-column id", 5),
        ("testtakers update --file names.csv --allow-suspicious", 5),
    ] {
        let said = here.line(line).exits(code);
        let is_told = ["--mask", "pseudonym"].iter().any(|word| said.stderr.contains(word));
        assert!(is_told && !said.stderr.contains("panicked"), "{line}: {said}");
    }
    assert!(socket.requests().is_empty(), "{:?}", socket.requests());
    let real = here.without("ASSESSCTL_BASE_URL").without("ASSESSCTL_API_KEY").without("ASSESSCTL_PROJECT");
    let real = real.with("ASSESSCTL_PROFILE", "sandbox");
    let _ = real.line("results list --to real.csv").ok();
    let _ = real.line("results changes --since real.csv").ok();
}

#[test]
fn a_reference_id_that_tells_a_name_is_masked_however_it_is_spelt_and_whatever_the_record_lacks() {
    let env = Env::sandbox();
    let rows =
        "u1@example.com,Zoë,Müller,MUELLER-17\nu2@example.com,Bob,Schneider,SCHN01\nu3@example.com,Eve,Li,EMP-3\n";
    env.write("people.csv", format!("email,firstName,lastName,referenceId\n{rows}"));
    env.write("bare.csv", "email,referenceId\nu4@example.com,zimmermann.karl\nu5@example.com,EMP-5\n");
    for file in ["people.csv", "bare.csv"] {
        let said = env.line(&format!("testtakers import {file} --mask -o csv")).ok();
        let said = said.hides("MUELLER").hides("SCHN").hides("zimmermann");
        assert!(said.stdout.contains("EMP-"), "{said}");
    }
    let said = env.line("results list --mask -o csv").ok().hides("MUELLER").hides("SCHN").hides("zimmermann");
    assert!(said.stdout.contains("EMP-3") && said.stdout.contains("EMP-5"), "{said}");
}

#[test]
fn whom_a_project_names_addresses_in_redirects_and_the_own_account_do_not_appear() {
    let env = prepared();
    let _ = env
        .run(&["projects", "create", "Depot", "--fit-for-duty-response", "call Canaryfirst, canary.mail@x.org"])
        .ok();
    let _ = env.line("redirect-uris add https://hr.example.com/canary.mail@x.org").ok();
    for line in ["projects list -o json", "projects get Depot -o csv", "projects list --fields fitForDutyResponse"] {
        let said = env.line(&format!("{line} --mask")).ok().hides("anary");
        assert!(said.stdout.contains("Depot") || line.contains("fields"), "{said}");
    }
    let _ = env.line("redirect-uris list --mask -o json").ok().hides("anary");
    let _ = env.line("redirect-uris add https://hr.example.com/canary.mail@x.org --mask -o json").ok().hides("anary");
    let account = env.line("journal show -o json").json()[0]["account"].clone();
    for line in ["journal show -p Demo -o json", "journal list -o json"] {
        let shown = env.line(&format!("{line} --mask")).json();
        assert!(account != "" && !shown.to_string().contains(&format!("{account}")), "{shown}");
    }
}

#[test]
fn of_a_redirect_scheme_and_host_are_shown_and_no_path() {
    let env = prepared();
    let _ = env
        .line("redirect-uris add https://hr.example.com/canaryfirst/done?of=canarylast 'https://*.example.com/*'")
        .ok();
    let said = env.line("redirect-uris list --mask -o csv").ok().hides("anary");
    assert_eq!(said.stdout, "redirectUri\nhttps://*.example.com/…\nhttps://hr.example.com/…\n");
    let said = env.line("redirect-uris add https://hr.example.com/canaryfirst/done?of=canarylast --mask -o csv").ok();
    assert_eq!(said.hides("anary").stdout, "redirectUri,outcome\nhttps://hr.example.com/…,existing\n");
}

#[test]
fn a_sentence_of_the_service_in_a_field_of_a_word_or_a_time_does_not_appear() {
    let words = "ask Canaryfirst Canarylast, she is ill";
    let record = json!([{ "id": 7, "email": "u1@example.com", "fullName": "Canaryfirst Canarylast", "referenceId": "EMP-1",
        "firstName": "Canaryfirst", "lastName": "Canarylast", "result": words, "status": words, "topPerformer": true,
        "dateCompleted": words, "lastTestSentUtc": words, "identityStatus": words, "identityVerified": true }]);
    let project =
        json!({ "id": PROJECT, "name": "Depot", "state": words, "dateCreated": words, "lastModified": words });
    let socket = Socket::answering(move |request, _| match request.path() {
        path if path.ends_with("/projects") => Answer::ok(&json!([project]).to_string()),
        path if path.contains("/testtakers") || path.ends_with("/results") => Answer::ok(&record.to_string()),
        path if path.contains("/results/") => Answer::ok(&record[0].to_string()),
        _ => Answer::ok(&project.to_string()),
    });
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
    let mut shown = 0;
    for line in [
        "projects list --once",
        "projects get Depot",
        "testtakers list --once",
        "results list --once",
        "results list --once --results-api legacy",
        "results get EMP-1",
        "results export --once --to export.csv",
        "results summary",
        "results changes --as a",
        "results report --names --flagged unlisted --to report.html",
    ] {
        for format in ["table", "csv", "json"] {
            let format = if line.contains("--to") { String::new() } else { format!("-o {format}") };
            let said = env.line(&format!("{line} {format} --mask")).hides("Canary").hides("she is ill");
            shown += usize::from(said.code == 0 || said.stdout.contains('…'));
        }
    }
    for file in ["export.csv", "report.html"] {
        let text = std::fs::read_to_string(env.work().join(file)).unwrap_or_default();
        assert!(!text.contains("Canary") && !text.contains("she is ill"), "{file}: {text}");
    }
    assert!(shown > 15, "{shown}");
}

#[test]
fn no_command_that_prints_names_anybody_in_an_output_or_in_a_file() {
    let person = canary::PERSON.map(str::to_lowercase);
    let local = ["completions", "config", "doctor", "sandbox", "help", "schema", "man"];
    let faults: [&[&str]; 2] = [&[], &["400@enrol:share=0.5,seed=3", "503:share=0.1,seed=5"]];
    for faults in faults {
        let (here, _there, _served) = with_faults(faults);
        let given: Vec<_> = canary::files(&here.work());
        let mut refused = Vec::new();
        for (line, _) in canary::COMMANDS {
            let masked = if local.iter().any(|noun| line.starts_with(noun)) { "" } else { "--mask" };
            let said = here.line(&format!("{line} -v {masked}"));
            let all = format!("{}{}", said.stdout, said.stderr).to_lowercase();
            for canary in &person {
                assert!(!all.contains(canary), "{canary} after {line}:\n{said}");
            }
            if said.code == 2 && said.stderr.contains("does not go with --mask") {
                refused.push(line.split(' ').take(2).collect::<Vec<_>>().join(" "));
            }
        }
        refused.dedup();
        let acting = ["testtakers import", "links issue", "projects link", "links issue", "testtakers apply"];
        assert_eq!(refused, acting);
        for file in canary::files(&here.work()).into_iter().filter(|file| !given.contains(file)) {
            let text = String::from_utf8_lossy(&fs::read(&file).expect("a file")).to_lowercase();
            for canary in &person {
                assert!(!text.contains(canary), "{canary} in {}", file.display());
            }
        }
    }
}

#[cfg(feature = "xlsx")]
#[test]
fn workbooks_pages_and_terminals_are_masked_too() {
    let env = prepared();
    let _ = env.line("testtakers list --mask --to people.xlsx").ok();
    let _ = env.line("testtakers import people.csv --ignore-column Notes --mask --report report.xlsx -q").ok();
    // What a workbook of pseudonyms holds is refused as a roster, and its reference ids stay.
    let said = env.line("testtakers check people.xlsx --ignore-column fullName -o csv");
    assert!(said.code == 5 && said.stdout.contains("pseudonym"), "{said}");
    let said = env.line("testtakers check report.xlsx --ignore-column Notes -o csv");
    assert!(said.code == 5 && said.stdout.contains("pseudonym"), "{said}");
    let _ = env.line("results report --mask --names --to names.html").ok();
    let page = env.read("names.html");
    assert!(page.contains("Person-") && PERSON.iter().all(|word| !page.to_lowercase().contains(word)), "{page}");
    let mut terminal = Terminal::start(&env, 120, &["testtakers", "remove", "ref:CANARY-REF", "--mask"]);
    let _ = terminal.shows("Remove this person").types("n\r");
    let list = Terminal::start(&env, 120, &["testtakers", "list", "--mask"]).ends().1;
    let screen = String::from_utf8_lossy(&[list.raw, terminal.ends().1.raw].concat()).to_lowercase();
    assert!(screen.contains("person-") && PERSON.iter().all(|word| !screen.contains(word)), "{screen}");
}

#[test]
fn columns_of_a_roster_that_are_called_like_ours_do_not_appear() {
    let env = Env::sandbox();
    let row = "anna@example.com,Anna,Canarynote,Canarynote,canarynote,EMP-7\n";
    env.write("people.csv", format!("E-mail,First name,status,project,Result of talk,Personnel no\n{row}"));
    let line =
        "testtakers import people.csv --ignore-column status --ignore-column project --map 'Personnel no=referenceId'";
    let said = env.line(&format!("{line} --ignore-column 'Result of talk' --mask -o csv")).stdout;
    assert!(said.contains("EMP-7") && said.contains("@masked.invalid") && said.contains("First-"), "{said}");
    assert!(!said.contains("anary") && !said.contains("Anna"), "{said}");
}

#[test]
fn what_the_service_says_in_its_own_words_is_left_out() {
    let problem = Answer::problem(400, "Canarylast", "Canaryfirst is enrolled already");
    let socket = Socket::always(problem);
    let env = Env::at(&socket.url);
    for line in ["testtakers list", "results get EMP-1", "projects list", "testtakers enrol --email ann@example.com"] {
        let more = if line.starts_with("projects") { "" } else { &*format!("-p {PROJECT}") };
        let said = env.line(&format!("{line} {more} --mask -v"));
        assert!(said.code != 0 && said.stderr.contains("400 Bad Request"), "{said}");
        assert!(!said.stderr.contains("Canary"), "{said}");
    }
}

#[test]
fn names_that_are_pseudonyms_are_told_before_they_are_written_anywhere() {
    let env = prepared();
    let _ = env.line("testtakers list --mask --fields referenceId,firstName,lastName --to masked.csv").ok();
    let said = env.line("testtakers update --file masked.csv").fails(5);
    assert!(said.stderr.contains("pseudonym"), "{said}");
}
