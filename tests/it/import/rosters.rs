//! Rosters as they arrive: read right or refused as a whole, and each row accounted for.

use std::collections::BTreeSet;

use super::{ended, held, import, machine, outcomes, records, roster, workbook};
use crate::support::env::{Env, finish};
use crate::support::service::{Op, Service, Trouble, When};
use crate::support::shell;
use crate::support::terminal::Terminal;
use crate::support::wire::Answer;

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/rosters/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a roster")
}

/// An empty project, and a machine with these files.
fn place(files: &[(&str, Vec<u8>)]) -> (Service, Env) {
    let service = Service::start();
    let env = machine(&service, "");
    for (name, bytes) in files {
        env.write(name, bytes);
    }
    (service, env)
}

#[test]
fn rosters_of_spreadsheets_are_enrolled_with_their_accents() {
    for (name, rows, is_guessed) in [
        ("excel-semicolon-windows-1252.csv", 6, true),
        ("excel-utf8-bom.csv", 6, false),
        ("excel-unicode-text-utf16.txt", 9, false),
    ] {
        let (service, env) = place(&[(name, fixture(name))]);
        let said = env.line(&format!("testtakers import {name} -q")).ok();
        // What was guessed is said, also where nothing else is.
        assert_eq!(!said.stderr.is_empty(), is_guessed, "{name}: {said}");
        let names = held(&service, "fullName");
        assert_eq!(names.len(), rows, "{name}");
        for wanted in ["Zoë Müller", "José García Peña", "Søren Kjær"] {
            assert!(names.iter().any(|name| name == wanted), "{name}: {wanted} in {names:?}");
        }
    }
    let name = "excel-semicolon-windows-1252.csv";
    let (service, env) = place(&[(name, fixture(name))]);
    let _ = env.line(&format!("testtakers import {name} --encoding utf-8")).fails(5);
    assert_eq!(service.log().len(), 0);
    let _ = env.line(&format!("testtakers import {name} --encoding windows-1252 -q")).data();
    assert_eq!(service.held().people.len(), 6);
}

#[test]
fn columns_that_are_not_ours_are_left_out_and_near_misses_are_decided() {
    let (service, env) = place(&[("hr.csv", fixture("hr-export.csv"))]);
    let (code, screen) = Terminal::start(&env, 200, &["testtakers", "import", "hr.csv"]).ends();
    assert!(
        code == 0 && ["Department", "Manager"].iter().all(|name| screen.text().contains(name)),
        "{}",
        screen.text()
    );
    assert_eq!(service.held().people.len(), 4);
    env.write("people.csv", "E-mial,referenceId\nn1@example.com,NEW-1\n");
    for (options, code) in [("", 5), ("--ignore-column E-mial", 5), ("--map E-mial=email", 0)] {
        let said = import(&env, options);
        assert_eq!(
            (said.code, service.held().people.len()),
            (code, if code == 0 { 5 } else { 4 }),
            "{options}: {said}"
        );
    }
}

#[test]
fn a_list_is_imported_as_it_was_byte_for_byte_from_each_format() {
    let odd = fixture("hostile-but-valid.csv");
    let values = |rows: super::Records, year: &str| -> BTreeSet<Vec<String>> {
        let fields = ["email", "firstName", "lastName", year, "referenceId"];
        rows.into_iter().map(|row| fields.iter().map(|field| row[*field].clone()).collect()).collect()
    };
    let (service, env) = place(&[("odd.csv", odd.clone())]);
    let _ = env.line("testtakers import odd.csv").fails(5);
    let _ = env.line("testtakers import odd.csv --allow-suspicious").ok();
    let sent = values(records(std::str::from_utf8(&odd).expect("UTF-8")), "birthYear");
    assert_eq!(sent.len(), 11);
    for (to, options) in [("list.csv", ""), ("list.xlsx", ""), ("list.csv", "--excel")] {
        let _ = env.line(&format!("testtakers list --to {to} {options}")).ok();
        if options.is_empty() && to == "list.csv" {
            assert_eq!(values(records(&env.read(to)), "yearOfBirth"), sent);
        }
        let (other, again) = place(&[(to, std::fs::read(env.work().join(to)).expect("a list"))]);
        for end in ["enrolled", "existing"] {
            let said = again.line(&format!("testtakers import {to} -o csv --allow-suspicious")).ok();
            assert_eq!(ended(&said.stdout, end), sent.len(), "{to}: {said}");
        }
        let _ = again.line("testtakers list --to again.csv").ok();
        assert_eq!(values(records(&again.read("again.csv")), "yearOfBirth"), sent, "{to} {options}");
        assert_eq!(other.writes().len(), sent.len());
    }
    for id in [".", "..", "-minus-first", "+plus-first", "@at-first"] {
        assert_eq!(env.line(&format!("testtakers get ref:{id} -o json")).json()["referenceId"], id);
    }
    assert_eq!(service.writes().len(), sent.len());
}

#[test]
fn a_file_that_is_no_roster_is_refused_before_anything_is_sent() {
    let (service, env) = place(&[("broken.csv", fixture("broken.csv"))]);
    std::fs::create_dir(env.work().join("folder")).expect("a folder");
    let huge = std::fs::File::create(env.work().join("huge.csv")).expect("a file");
    // One line of a gigabyte, most of which is on no disk.
    huge.set_len(1 << 30).expect("a long file");
    let cut = format!("{}n9@example.com,\"Fir", roster(3));
    env.write("cut.csv", cut);
    env.write("none.csv", "");
    for (name, code) in
        [("broken.csv", 5), ("cut.csv", 5), ("none.csv", 5), ("folder", 2), ("huge.csv", 2), ("missing", 2)]
    {
        for line in [format!("testtakers import {name}"), format!("testtakers import {name} --dry-run")] {
            let said = env.line(&line);
            assert_eq!(said.code, code, "{line}: {said}");
            let _ = said.hides("not an address").hides("double@example.com");
        }
    }
    let said = env.line("testtakers check broken.csv").fails(5);
    let places = said.stderr.lines().filter(|line| line.starts_with("broken.csv:")).count();
    assert!(places >= 14, "all mistakes at once: {said}");
    let _ = env.line("testtakers import cut.csv --skip-invalid").fails(5);
    let limited = shell::run(&env, "ulimit -v 1000000; exec assessctl testtakers check huge.csv");
    let _ = limited.fails(2);
    assert_eq!(service.writes().len(), 0);
}

#[test]
fn no_output_takes_the_place_of_the_roster_or_of_another_output() {
    let (service, env) = place(&[("people.csv", roster(1).into())]);
    for outputs in ["--failed-out ./people.csv", "--to ./people.csv", "--to new.csv --failed-out ./new.csv"] {
        let _ = env.line(&format!("testtakers import people.csv {outputs}")).fails(2);
        let _ = env.line(&format!("testtakers sync people.csv {outputs}")).fails(2);
        assert_eq!(env.read("people.csv"), roster(1), "{outputs}");
    }
    for outputs in ["--failed-out missing/failed.csv", "--to missing/report.csv", "--failed-out ."] {
        for verb in ["import", "sync"] {
            let said = env.line(&format!("testtakers {verb} people.csv {outputs}")).fails(2);
            assert_eq!(service.log().len(), 0, "{outputs}: {said}");
        }
    }
    let _ = env.line("testtakers import people.csv --to /dev/null --failed-out failed.csv").ok();
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_after_the_import_and_a_reader_who_left_is_none() {
    let (service, env) = place(&[("people.csv", roster(2).into())]);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let said = finish(env.command(&["testtakers", "import", "people.csv", "-o", "csv"]).stdout(writer), b"").ok();
    assert_eq!(service.held().people.len(), 2, "{said}");
    if std::path::Path::new("/dev/full").exists() {
        env.write("people.csv", roster(4));
        let _ =
            shell::run(&env, "assessctl testtakers import people.csv -o csv > /dev/full").fails(1).names("2 enrolled");
        assert_eq!(service.held().people.len(), 4);
    }
}

#[test]
fn a_roster_comes_from_standard_input_and_a_run_says_one_line() {
    let (service, env) = place(&[]);
    let args = ["testtakers", "import", "-"];
    let said = env.run_with(&args, roster(2).as_bytes()).ok();
    assert_eq!((said.stdout.as_str(), service.held().people.len()), ("", 2), "no row needs anybody: {said}");
    assert_eq!(said.stderr.lines().filter(|line| line.contains("2 enrolled")).count(), 1, "{said}");
    assert!(!said.stderr.contains(['\r', '\u{1b}']), "{said}");
    let said = env.run_with(&[&args[..], &["-q"]].concat(), roster(3).as_bytes());
    assert_eq!((said.data().as_str(), service.held().people.len()), ("", 3));
    // Standard input is one thing.
    let env = env.without("ASSESSCTL_API_KEY");
    let _ = env.run_with(&[&args[..], &["--api-key-file", "-"]].concat(), b"k\n").fails(2);
}

#[test]
fn a_workbook_is_a_roster_wherever_one_is_read() {
    let rows = roster(4);
    // Known by its content, and not by its name.
    let (service, env) = place(&[("people.xlsx", workbook(&rows)), ("people.dat", workbook(&rows))]);
    let said = env.line("testtakers import people.dat -o csv --to report.xlsx --failed-out failed.csv").ok();
    assert!(said.stdout.is_empty() && env.read("failed.csv").lines().count() == 1, "{said}");
    let book = std::fs::read(env.work().join("report.xlsx")).expect("a workbook");
    assert!(!book.starts_with(b"PK"), "-o goes before the ending");
    let said = env.line("testtakers import people.xlsx -o csv").ok();
    assert_eq!(outcomes(&said.stdout), ["existing"; 4], "{said}");
    env.write("new.xlsx", workbook("referenceId,lastName\nNEW-1,Day\nNEW-2,Day\n"));
    let _ = env.line("testtakers update --file new.xlsx").ok();
    assert_eq!(held(&service, "lastName"), ["Day", "Day", "Last3", "Last4"]);
    let _ = env.line("links issue --file new.xlsx --to links.csv").ok();
    let _ = env.line("testtakers remove --file new.xlsx --yes").ok();
    assert_eq!(held(&service, "referenceId"), ["NEW-3", "NEW-4"]);
    // Mistakes are named by their cells, and rows to fix are a CSV of the workbook's columns.
    env.write("bad.xlsx", workbook("email,Dept\nn5@example.com,x\nnobody,y\n"));
    let said =
        env.line("testtakers import bad.xlsx --skip-invalid --failed-out failed.csv").exits(10).names("Sheet1!A3");
    let failed = records(&env.read("failed.csv"));
    assert_eq!((failed.len(), failed[0]["Dept"].as_str()), (1, "y"), "{said}");
    // Ids that a spreadsheet took for numbers stop an import until they are accepted.
    env.write("ids.xlsx", workbook("email,referenceId\nn6@example.com,10023.0\n"));
    let _ = env.line("testtakers import ids.xlsx").fails(5);
    let _ = env.line("testtakers import ids.xlsx --allow-suspicious=referenceId").ok();
    assert_eq!(held(&service, "referenceId").last().map(String::as_str), Some("NEW-4"));
    assert_eq!(service.held().people.len(), 4);
}

#[test]
fn reports_and_lists_of_each_kind_name_the_same_people_to_every_command() {
    let (service, env) = place(&[("people.csv", roster(3).into())]);
    let _ = env.line("testtakers import people.csv --to report.csv").ok();
    let _ = env.line("testtakers list --to list.csv").ok();
    let _ = env.line("results export --to export.csv").ok();
    let _ = env.line("links issue --all --to links.csv").ok();
    env.write("copy.csv", env.read("links.csv"));
    env.write("refs.txt", "NEW-1\r\nNEW-2\r\n\r\nNEW-3\r\n");
    env.write("mails.txt", "\u{feff}n1@example.com\nN2@Example.com\nn3@example.com");
    env.write("ids.txt", env.line("testtakers list -q").data());
    for file in ["people.csv", "report.csv", "list.csv", "export.csv", "copy.csv", "refs.txt", "mails.txt", "ids.txt"] {
        let asked = service.writes().len();
        for line in ["testtakers get -q --file".to_owned(), "results get -q --file".to_owned()] {
            let said = env.line(&format!("{line} {file}")).data();
            let ids: BTreeSet<_> = said.lines().collect();
            assert_eq!(ids, ["id:5001", "id:5002", "id:5003"].into(), "{line} {file}");
        }
        let said = env.line(&format!("testtakers remove --dry-run -o csv --file {file}")).ok();
        assert_eq!(outcomes(&said.stdout), ["would-remove"; 3], "{file}: {said}");
        let _ = env.line(&format!("links issue --to links.csv --file {file}")).ok();
        assert_eq!(service.writes().len(), asked, "valid links are kept");
    }
    env.write("refs.txt", "NEW-3\nNEW-1\nNEW-2\n");
    let said = env.line("results get --file refs.txt -o csv --fields referenceId --no-header").data();
    assert_eq!(said, "NEW-3\nNEW-1\nNEW-2\n", "in the order of the file");
    // A line that names nobody is a mistake of the list, and nobody at all is nothing to do.
    env.write("refs.txt", "NEW-1\nnot an id\n");
    let _ = env.line("testtakers remove --file refs.txt --yes").fails(5);
    env.write("refs.txt", "\n");
    let _ = env.line("testtakers remove --file refs.txt --yes").ok();
    assert_eq!(service.count(Op::Remove), 0);
}

#[test]
fn an_import_updates_whom_it_is_told_to_and_tells_who_went_meanwhile() {
    let refused = Answer::problem(404, "Not Found", "no such test taker");
    let service = Service::start().on(Op::Update, When::Nth(2), Trouble::Answer(refused));
    let env = machine(&service, roster(4));
    let _ = import(&env, "").ok();
    env.write("people.csv", roster(4).replace("First1", "Una").replace("First2", "Uma").replace("First3", "Ulf"));
    let said = import(&env, "--on-existing update --dry-run").ok();
    assert_eq!(outcomes(&said.stdout), ["would-update", "would-update", "would-update", "existing"], "{said}");
    let said = import(&env, "--on-existing update --concurrency 1").exits(10);
    assert_eq!(outcomes(&said.stdout), ["updated", "gone", "updated", "existing"], "{said}");
    assert_eq!(held(&service, "firstName"), ["First2", "First4", "Ulf", "Una"]);
}
