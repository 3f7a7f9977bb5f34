//! Changes, summaries, reports and look-ups of many: what results are asked for beside the list.

use snapbox::str;

use crate::exports::served;
use crate::harness::{Env, Said};
use crate::pty::Terminal;

fn changes(said: &Said) -> Vec<String> {
    said.stdout.lines().skip(1).map(|line| line.split(',').take(2).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn changes_are_told_once_against_what_was_remembered() {
    let (env, _served) = served(5, &[]);
    let said = env.line("results changes -o csv -q").ok();
    assert_eq!(
        said.stderr
            .matches("no memory of this project: nothing to compare with; at its end this run remembers 5 results as")
            .count(),
        1,
        "{said}"
    );
    assert!(changes(&said).is_empty(), "{said}");
    let _ = env.line("sandbox set ref:EMP-00002 --result HighRisk").ok();
    let _ = env.line("testtakers update ref:EMP-00003 --last-name Other -q").ok();
    let _ = env.line("testtakers remove ref:EMP-00004 --yes -q").ok();
    let _ = env.line("testtakers enrol --email new@example.com -q").ok();
    // A `--to` that cannot be written, or a reader that goes away, leaves what is remembered as it was.
    let _ = env.line("results changes --to /dev/full").exits(1);
    let looked = env.line("results changes -o csv --look").data();
    let said = env.line("results changes -o csv");
    assert_eq!(said.clone().data(), looked);
    let told = changes(&said);
    assert_eq!(told.len(), 4, "{said}");
    assert_eq!(told.iter().filter(|line| line.starts_with("changed")).count(), 2, "{said}");
    assert!(said.stdout.contains(",HighRisk,") && said.stdout.contains("\"lastName,fullName\""), "{said}");
    assert!(changes(&env.line("results changes -o csv").ok()).is_empty());
}

#[test]
fn flagged_changes_are_those_of_people_who_are_or_were_flagged() {
    let (env, _served) = served(4, &[]);
    let _ = env.line("sandbox set ref:EMP-00001 --result Emergency").ok();
    let _ = env.line("results changes").ok();
    let _ = env.line("sandbox set ref:EMP-00001 --result Completed").ok();
    let _ = env.line("sandbox set ref:EMP-00002 --result Completed").ok();
    let _ = env.line("sandbox set ref:EMP-00003 --unlisted-result Critical").ok();
    let flagged = |more: &str| changes(&env.line(&format!("results changes --look -o csv {more}")).ok());
    assert_eq!(flagged("--flagged"), ["changed 1", "changed 3"]);
    assert_eq!(flagged("--flagged=Completed"), ["changed 1", "changed 2"]);
    assert_eq!(flagged("").len(), 3);
}

#[test]
fn what_is_remembered_names_neither_people_nor_results() {
    let (env, _served) = served(2, &[]);
    let _ = env.line("sandbox set ref:EMP-00002 --result HighRisk").ok();
    let _ = env.line("results changes").ok();
    let state = env.work().parent().expect("a folder").join("state");
    let mut seen = false;
    for entry in std::fs::read_dir(&state).expect("the state") {
        let path = entry.expect("an entry").path();
        if !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("journal.db")) {
            continue;
        }
        seen = true;
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).into_owned();
        for word in ["EMP-0000", "example.com", "Last2", "First", "HighRisk"] {
            assert!(!text.contains(word), "{word} in {}", path.display());
        }
    }
    assert!(seen);
}

#[test]
fn an_earlier_export_in_any_format_is_the_other_side_and_nothing_is_remembered() {
    let (env, _served) = served(4, &[]);
    let _ = env.line("testtakers enrol --email minus@example.com --reference-id -5+x -q").ok();
    let _ = env.line("results export --to excel.csv --excel").data();
    assert!(env.read("excel.csv").contains("'-5+x"), "a spreadsheet would run this");
    assert!(changes(&env.line("results changes --since excel.csv -o csv").ok()).is_empty());
    for name in ["a.csv", "a.json", "a.ndjson"] {
        let _ = env.line(&format!("results export --to {name}")).data();
        assert!(changes(&env.line(&format!("results changes --since {name} -o csv")).ok()).is_empty(), "{name}");
    }
    let _ = env.line("results export --to few.csv --fields id,result").data();
    let _ = env.line("sandbox set ref:EMP-00002 --result HighRisk").ok();
    let _ = env.line("testtakers update ref:EMP-00003 --last-name Other -q").ok();
    for name in ["a.csv", "a.json", "a.ndjson"] {
        for _ in 0..2 {
            let said = env.line(&format!("results changes --since {name} -o csv")).ok();
            assert_eq!(changes(&said).len(), 2, "{name}\n{said}");
        }
    }
    // Only the fields that both have are compared.
    assert_eq!(changes(&env.line("results changes --since few.csv -o csv").ok()).len(), 1);
    env.write("none.csv", "email\na@example.com\n");
    let _ = env.line("results changes --since none.csv").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: none.csv has no field id, so nothing can be compared with it
hint: compare with an export that was made without --fields

"#]]);
    env.write("broken.json", "[{\"id\":1,\"result\":null},{\"id\":");
    let _ = env.line("results changes --since broken.json").fails(2);
    let _ = env.line("results changes --since missing.csv").fails(2);
    let _ = env.line("results changes").ok().shows(str![[r#"
exit 0
--- stdout
change  id  referenceId  fullName  oldResult  result  changedFields
--- stderr
warning: no memory of this project: nothing to compare with; at its end this run remembers 5 results as told to default, and the next one tells what changed since

"#]]);
}

#[test]
fn an_export_that_was_filtered_is_no_earlier_state_and_that_is_said() {
    let (env, _served) = served(6, &[]);
    let _ = env.line("sandbox set id:6 --result HighRisk").ok();
    let _ = env.line("results export --to some.csv --flagged").data();
    let _ = env.line("results changes --since some.csv -o csv").ok().mentions("5 people told as added have lower ids");
    let _ = env.line("results export --to all.csv").data();
    let _ = env.line("testtakers enrol --email new@example.com -q").ok();
    assert_eq!(env.line("results changes --since all.csv -o csv").data().lines().count(), 2);
}

#[test]
fn a_journal_that_cannot_be_understood_is_named() {
    let (env, _served) = served(1, &[]);
    let state = env.work().parent().expect("a folder").join("state");
    std::fs::write(state.join("journal.db"), "no database, although it has more than a few bytes\n".repeat(40))
        .expect("written");
    let _ = env.line("results changes").fails(1).shows(str![[r#"
exit 1
--- stdout
--- stderr
error: the journal [FOLDER]/state/journal.db is damaged
hint: restore a backup; deleting it loses the record of what was sent

"#]]);
}

#[test]
fn a_summary_is_one_record_and_a_line_for_each_of_several_projects() {
    let (env, _served) = served(5, &[]);
    let _ = env.line("sandbox set ref:EMP-00001 --result Completed").ok();
    let _ = env.line("sandbox set ref:EMP-00002 --result HighRisk").ok();
    let _ = env.line("sandbox set ref:EMP-00003 --sent 2026-03-01T06:00:00Z").ok();
    let summary = env.line("results summary -o json").json();
    assert_eq!(summary["enrolled"], 5);
    assert_eq!(summary["completionRate"], 0.4);
    assert_eq!(summary["safetyRate"], 0.5);
    assert_eq!((&summary["HighRisk"], &summary["noResult"]), (&1.into(), &3.into()));
    assert_eq!(summary["oldestOpenInvitation"], "2026-03-01T06:00:00Z");
    let strict = env.line("results summary -o json --flagged Completed,HighRisk").json();
    assert_eq!(strict["safetyRate"], 0.0);
    let said = env.line("results summary --all-projects -o csv --fields project,enrolled,flagged").data();
    assert_eq!(said, "project,enrolled,flagged\nDemo,5,1\n");
}

#[test]
fn what_the_specification_does_not_list_can_be_named_and_is_not_safe() {
    let (env, _served) = served(4, &[]);
    for (person, result) in [(1, "--unlisted-result Critical"), (2, "--result HighRisk"), (3, "--result Completed")] {
        let _ = env.line(&format!("sandbox set ref:EMP-0000{person} {result} --completed 2h")).ok();
    }
    let count = |filter: &str| env.line(&format!("results list -o ndjson {filter}")).data().lines().count();
    assert_eq!([count("--result critical"), count("--result unlisted"), count("--flagged")], [1, 1, 2]);
    for (words, word) in [("Critical", "Critical"), ("unlisted", "unlisted"), ("Emergency,CRITICAL", "CRITICAL")] {
        let said = env.line(&format!("results list --fail-on {words}")).exits(8);
        assert!(said.stderr.contains(&format!("warning: 1 result is {word}\n")), "{said}");
    }
    let options = ["list --fail-on", "list --result", "list --flagged", "changes --flagged", "changes --fail-on"];
    for line in options.iter().chain(&["export --to x.csv --result", "summary --flagged", "get EMP-00001 --fail-on"]) {
        let option = line.split(' ').next_back().expect("an option");
        for (typed, meant) in [("HighRiks", "HighRisk"), ("Fatigued,Emergancy", "Emergency"), ("pending", "NotStarted")]
        {
            let slip = typed.split(',').next_back().expect("a word");
            let said = env.line(&format!("results {line} {typed}")).fails(2);
            let said = said.mentions(&format!("error: {option}: the specification lists no result {slip}\n"));
            let _ = said.mentions("did you mean").mentions(&typed.replace(slip, meant));
        }
    }
    assert_eq!([count("--result failed"), count("--flagged=unfit"), count("--result passed")], [2, 2, 1]);
    let _ = env
        .line("results list --fail-on flagged")
        .exits(8)
        .mentions("warning: 2 results are alerts: 1 HighRisk, 1 unlisted");
    let said = env.line("results summary -o json").shows(str![[r#"
exit 0
--- stdout
{
  "project": "Demo",
  "projectId": "[UUID]",
  "enrolled": 4,
  "completed": 3,
  "completionRate": 0.75,
  "flagged": 2,
  "safetyRate": 0.3333,
  "flaggedResults": "HighRisk,Fatigued,Distressed,ReasonableCause,Escalated,Emergency,unlisted",
  "oldestOpenInvitation": null,
  "Started": 0,
  "Completed": 1,
  "CouldNotCompleteConnectionIssues": 0,
  "CouldNotCompleteNpServerIssues": 0,
  "CouldNotCompleteTimedOut": 0,
  "CouldNotCompleteUnsupportedDevice": 0,
  "Confirming": 0,
  "HighRisk": 1,
  "InProgress": 0,
  "NotStarted": 0,
  "Incomplete": 0,
  "Fatigued": 0,
  "Distressed": 0,
  "ReasonableCause": 0,
  "Escalated": 0,
  "Emergency": 0,
  "otherResults": 1,
  "noResult": 1
}
--- stderr
1 result is not listed by the specification and not counted as safe

"#]]);
    let summary = said.json();
    assert_eq!((&summary["otherResults"], &summary["flagged"]), (&1.into(), &2.into()));
    assert_eq!(summary["safetyRate"], 0.3333);
    // A list of one's own makes nobody safe whose result nobody knows.
    let own = env.line("results summary -o json --flagged HighRisk").json();
    assert_eq!((&own["flagged"], &own["safetyRate"]), (&1.into(), &0.3333.into()));
}

#[test]
fn a_terminal_shows_a_picture_and_a_pipe_a_plain_table() {
    let (env, _served) = served(3, &[]);
    let _ = env.line("sandbox set ref:EMP-00001 --result HighRisk").ok();
    let plain = env.line("results summary").data();
    assert!(plain.contains("completionRate") && !plain.contains('█') && !plain.contains('\u{1b}'), "{plain}");
    let terminal = Terminal::start(&env, 80, &["results", "summary"]);
    let (code, screen) = terminal.ends();
    let text = screen.text();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains('█') && text.contains("safety") && text.contains("3 enrolled"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_picture_tells_once_and_within_its_columns_how_many_results_are_not_listed() {
    let (env, _served) = served(3, &[]);
    let _ = env.line("sandbox set ref:EMP-00001 --unlisted-result Critical").ok();
    for columns in [40, 50] {
        let (code, screen) = Terminal::start(&env, columns, &["results", "summary"]).ends();
        let text = screen.text();
        assert_eq!((code, text.matches("not counted as safe").count()), (0, 1), "{text}");
        assert!(text.lines().any(|line| line.trim_end() == "unlisted, not counted as safe: 1"), "{text}");
    }
}

#[test]
fn a_report_loads_nothing_escapes_everything_and_names_nobody_unasked() {
    let env = Env::sandbox();
    let name = "<script>alert(1)</script>&\"'";
    let _ = env.run(&["projects", "create", name, "-q"]).ok();
    let enrol = ["testtakers", "enrol", "-p", name, "--email", "a@example.com", "--first-name", "<img src=x>", "-q"];
    let _ = env.run(&enrol).ok();
    let set = ["sandbox", "set", "email:a@example.com", "-p", name, "--unlisted-result", "<b onload=x>"];
    let _ = env.run(&set).ok();
    let _ = env.run(&["results", "report", "-p", name, "--to", "report.html"]).data();
    let page = env.read("report.html");
    assert!(!page.contains("a@example.com") && !page.contains("img src"), "{page}");
    let flagged = ["results", "report", "-p", name, "--names", "--to", "names.html"];
    let _ = env.run(&["sandbox", "set", "email:a@example.com", "-p", name, "--result", "Emergency"]).ok();
    let _ = env.run(&flagged).data();
    let named = env.read("names.html");
    assert!(named.contains("&lt;img src=x&gt;") && named.contains("Emergency"), "{named}");
    for page in [page, named] {
        for markup in
            ["<script", "<img", "<b onload", "<link", "<iframe", "@import", "url(", "://", " src=\"", " href="]
        {
            assert!(!page.contains(markup), "{markup} in\n{page}");
        }
        assert!(page.contains("default-src 'none'") && page.contains("prefers-color-scheme: dark"));
        assert_eq!((page.matches("<ul").count(), page.matches("</ul>").count()), (2, 2), "{page}");
    }
    let _ = env
        .run(&["results", "report", "-p", name, "-o", "csv", "--to", "a.html"])
        .fails(2)
        .mentions("--output does nothing");
}

#[test]
fn many_reference_ids_are_looked_up_in_the_files_order_and_each_is_accounted_for() {
    let (env, _served) = served(3, &[]);
    let _ = env.line("testtakers enrol --email twin@example.com --reference-id EMP-00002 --allow-duplicates -q");
    env.write("ids", "EMP-00003\nnobody\nEMP-00001\n");
    let said = env.line("results get --ids-from ids -o csv --fields asked,outcome,email").exits(10);
    assert_eq!(
        said.stdout,
        "asked,outcome,email\nEMP-00003,found,p3@example.com\nnobody,absent,\nEMP-00001,found,p1@example.com\n"
    );
    let _ = said.mentions("1 of 3 names");
    let said = env.line("results get --ids-from people.csv -o ndjson").exits(2);
    assert_eq!(said.stdout.lines().count(), 3, "{said}");
    env.write("escaped.csv", "referenceId\n'-EMP-1\n");
    let said = env.line("results get --ids-from escaped.csv --excel -o csv --fields asked").exits(4);
    assert_eq!(said.stdout, "\u{feff}asked\n'-EMP-1\n", "read as -EMP-1 and escaped again: {said}");
    let said = env.run_with(&["results", "get", "--ids-from", "-", "-o", "ndjson"], b"EMP-00001\n").ok();
    assert!(said.stdout.contains(r#""outcome":"found""#), "{said}");
    env.write("ids", "nobody\nnone\n");
    let said = env.line("results get --ids-from ids -o csv").exits(4);
    assert_eq!(said.stdout.lines().count(), 3, "{said}");
}

#[test]
fn a_table_of_flagged_people_fits_a_terminal_and_says_who_what_and_when() {
    let (env, _served) = served(30, &[]);
    let _ = env.line("sandbox set id:7 --result ReasonableCause --completed 2026-03-01T22:45:10Z").ok();
    let _ = env.line("sandbox set id:8 --unlisted-result Critical --completed 2h").ok();
    let _ = env.line("sandbox set id:9 --result Completed --completed 2h").ok();
    let env = env.with("TZ", "<+02>-2");
    let (code, screen) = Terminal::start(&env, 80, &["results", "list", "--flagged"]).ends();
    let text = screen.text();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("2026-03-02 00:45+02:00") && text.contains("ReasonableCause"), "{text}");
    assert!(text.contains("Critical") && !text.contains("Completed ") && !text.contains('…'), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let recent = env.line("results list --flagged --completed-since 24h -o csv --fields id,dateCompleted").data();
    assert_eq!(recent.lines().count(), 2, "{recent}");
    assert!(env.line("results list --flagged -o csv").data().contains("2026-03-01T22:45:10Z"));
    let said = env.line("results list --filter HighRisk -o csv").ok();
    let _ = said
        .mentions("nobody in Demo (127.0.0.1")
        .mentions("matches: --filter searches")
        .mentions("--flagged and --result");
    let span = "--last-test-sent-from 24h --last-test-sent-to 48h";
    for list in ["results list", "testtakers list", "results summary", "results export --to a.csv"] {
        let said = env.line(&format!("{list} {span}")).fails(2);
        assert!(said.stderr.contains("is later than --last-test-sent-to"), "{said}");
    }
}

#[test]
fn what_is_forgotten_of_a_project_is_what_was_told_of_it_too() {
    let (env, _served) = served(3, &[]);
    let _ = env.line("results changes --as cron").ok();
    let _ = env.line("journal forget --yes").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
0 rows forgotten, and 1 record of links, removals, exports and changes

"#]]);
    assert_eq!(env.line("results changes --consumers -o csv").data(), "consumer,toldUtc,results\n");
    let said = env.line("results changes --as cron").ok();
    let _ = said.mentions(
        "no memory of this project: nothing to compare with; at its end this run remembers 3 results as told to cron",
    );
}
