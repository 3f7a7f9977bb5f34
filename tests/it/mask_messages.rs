//! `--mask` and messages: what stands in files, on the service and in this machine's memory is told by its places alone.

use std::fs;

use crate::harness::{Env, Said};
use crate::pty::Terminal;
use crate::socket::{Answer, Socket};
use crate::sync::{held, night};
use crate::wire::PROJECT;

/// What a person is told by, in any place.
const CANARY: &str = "canary";

/// Files in which the canary stands where something else should.
fn files(env: &Env) {
    for (name, text) in [
        // Headers that are not known, one of them nearly.
        ("headers.csv", "email,Canarylast of night,firstNam Canary\nann@example.com,a,b\n"),
        ("nearly.csv", "email,lastNamee,Canaryfirst\nann@example.com,a,b\n"),
        ("twice.csv", "email,E-Mail,Canary\nann@example.com,b@c.d,x\n"),
        ("first.csv", "Canaryfirst,Canarylast\nann,lee\n"),
        ("title.csv", "Staff of Canarylast\nemail\nann@example.com\n"),
        // Values where a rule quotes one.
        (
            "values.csv",
            "email,firstName,birthYear,referenceId\na@b.cd,#CANARY!,Canary1984,1.2E+16canary\nx,y,Canarylast,\n",
        ),
        ("shifted.csv", "email,firstName,lastName,birthYear\nCanaryfirst,Canarylast,c.canary@example.com,7canary\n"),
        ("extra.csv", "email\nann@example.com,Canarylast\n\"canary\"x,\n"),
        ("open.csv", "email,firstName\n\"canary@example.com,Canaryfirst\n"),
        ("dates.csv", "email,born\nann@example.com,Canary 3 March\n"),
        ("sites.csv", "email,site\nann@example.com,Canarylast\n"),
        ("names.txt", "ref:CANARY-1\nCanarylast\n"),
        ("wrong.txt", "Canarylast\nref:CANARY\n"),
        ("plan.ndjson", "{\"plan\":\"Canarylast\",\"made\":\"Canary\"}\nCanaryfirst\n"),
        ("since.csv", "referenceId,Canarylast\nCANARY-1,x\n"),
        ("since.json", "[{\"referenceId\":\"CANARY\",\"fullName\": Canarylast}]"),
        ("since.ndjson", "{\"referenceId\":\"CANARY\"}\nCanarylast\n"),
        ("bytes.csv", "email,firstName\nann@example.com,Canary\0last\n"),
    ] {
        env.write(name, text);
    }
}

#[cfg(feature = "xlsx")]
fn workbooks(env: &Env) {
    let book = |sheets: &[&str], rows: &[&[&str]]| {
        let mut book = rust_xlsxwriter::Workbook::new();
        for name in sheets {
            let sheet = book.add_worksheet().set_name(*name).expect("a name");
            for (row, cells) in (0..).zip(rows) {
                for (column, cell) in (0..).zip(*cells) {
                    sheet.write_string(row, column, *cell).expect("a cell");
                }
            }
        }
        book.save_to_buffer().expect("a workbook")
    };
    let rows: &[&[&str]] = &[&["email", "birthYear", "Canary of x"], &["ann@example.com", "Canary19", ""]];
    env.write("rows.xlsx", book(&["Canaryfirst Canarylast", "Canary 2"], rows));
    env.write("fine.xlsx", book(&["Staff", "Canary 2"], &[&["email"], &["ann@example.com"]]));
    env.write("named.xlsx", book(&["Canarylast"], &[&["email"], &["ann@example.com"]]));
    env.write("wrong.xlsx", book(&["Canarylast"], &[&["email"], &["ann"]]));
}

/// Lines that read those files; all with `-p Demo` where they need a project.
const LINES: [&str; 43] = [
    "testtakers check headers.csv",
    "testtakers check nearly.csv -o json",
    "testtakers check twice.csv",
    "testtakers check first.csv",
    "testtakers check title.csv",
    "testtakers check values.csv -o csv",
    "testtakers check shifted.csv -o csv",
    "testtakers check extra.csv",
    "testtakers check open.csv",
    "testtakers check bytes.csv",
    "testtakers check dates.csv --birth-date born",
    "testtakers check headers.csv --map Nothing=email",
    "testtakers check headers.csv --map email=Nothing",
    "testtakers check headers.csv --ignore-column Nothing",
    "testtakers check headers.csv --birth-date Nothing",
    "testtakers sync sites.csv --project-column Nothing",
    "testtakers sync sites.csv --project-column site",
    "testtakers import values.csv",
    "testtakers import values.csv --skip-invalid --dry-run -o csv",
    "testtakers import shifted.csv --skip-invalid --report report.csv",
    "testtakers import headers.csv",
    "testtakers sync values.csv",
    "testtakers sync headers.csv",
    "testtakers update --file headers.csv",
    "testtakers update --file shifted.csv -o csv",
    "testtakers remove --file headers.csv --yes",
    "testtakers remove --file first.csv --yes",
    "testtakers get --ids-from names.txt",
    "testtakers get --ids-from wrong.txt",
    "testtakers get --ids-from headers.csv",
    "testtakers get --ids-from extra.csv",
    "results get --ids-from names.txt",
    "testtakers sync fine.csv --keep names.txt",
    "testtakers sync fine.csv --keep wrong.txt",
    "testtakers sync --show plan.ndjson",
    "results changes --since since.csv",
    "results changes --since since.json",
    "results changes --since since.ndjson",
    "results list --jq .[0].fullName.x",
    "results list --jq .[0]|tonumber",
    "testtakers list --jq error(.[0].email)",
    "testtakers list --fields canary",
    "testtakers import fine.csv --status status.json",
];

#[cfg(feature = "xlsx")]
const WORKBOOKS: [&str; 7] = [
    "testtakers check rows.xlsx",
    "testtakers check fine.xlsx",
    "testtakers check named.xlsx",
    "testtakers check wrong.xlsx -o json",
    "testtakers check wrong.xlsx --sheet Nothing",
    "testtakers import rows.xlsx --ignore-column Nothing",
    "testtakers import named.xlsx --dry-run",
];

#[track_caller]
fn silent(said: &Said, line: &str) {
    // What was typed may come back: it is on the screen already.
    let typed = line.to_lowercase().contains(CANARY);
    let all = format!("{}{}", said.stdout, said.stderr).to_lowercase();
    assert!(typed || !all.contains(CANARY), "{line}: {said}");
    assert!(said.code != 101, "{line}: {said}");
}

#[test]
fn what_stands_in_a_file_is_told_by_its_places_alone() {
    let env = Env::sandbox();
    files(&env);
    env.write("fine.csv", "email,firstName,referenceId\ncanary.mail@example.com,Canaryfirst,CANARY-REF\n");
    let _ = env.line("testtakers import fine.csv -q").ok();
    #[cfg(feature = "xlsx")]
    workbooks(&env);
    let lines = LINES.to_vec();
    #[cfg(feature = "xlsx")]
    let lines = [lines.as_slice(), &WORKBOOKS].concat();
    for format in ["text", "json"] {
        for line in &lines {
            silent(&env.line(&format!("{line} --mask -v --errors {format}")), line);
        }
    }
    for name in ["report.csv", "status.json"] {
        assert!(!fs::read_to_string(env.work().join(name)).expect("a file").to_lowercase().contains(CANARY), "{name}");
    }
    // Without the switch the same messages help whoever has to correct the file.
    let _ = env.line("testtakers check headers.csv").exits(5).mentions("Canarylast of night");
}

#[test]
fn a_masked_message_still_says_where_to_look() {
    let env = Env::sandbox();
    files(&env);
    let said = env.line("testtakers check headers.csv --mask").exits(5);
    assert!(said.stdout.contains("unknown headers #2, #3"), "{said}");
    let _ = said.mentions("without --mask it is said what to add");
    let said = env.line("testtakers check values.csv --mask -o csv").exits(5);
    assert!(said.stdout.contains("values.csv,2,17,,birthYear,not a whole number"), "{said}");
    let _ = env.line("testtakers check headers.csv --map X=email --mask").fails(2).mentions("is left out with --mask");
    #[cfg(feature = "xlsx")]
    {
        workbooks(&env);
        let said = env.line("testtakers import rows.xlsx --ignore-column 'Canary of x' --mask").exits(5);
        let _ = said.mentions("rows.xlsx: not read: #2").mentions("rows.xlsx:'#1'!B2: birthYear: not a whole number");
        let said = env.line("testtakers check wrong.xlsx --sheet X --mask").fails(2);
        let _ = said.mentions("has no sheet \"X\"; what its sheets are called is left out with --mask");
    }
}

#[test]
fn who_is_held_or_planned_is_shown_by_pseudonyms() {
    let env = Env::sandbox();
    let row = |of: u32| format!("p{of}.canary@example.com,Canary{of},Canarylast,1980,CANARY-{of}\n");
    let people = |of: std::ops::RangeInclusive<u32>| {
        "email,firstName,lastName,birthYear,referenceId\n".to_owned() + &of.map(row).collect::<String>()
    };
    let _ = night(&env, &people(1..=40), "").ok();
    let fewer = people(9..=40);
    let _ = night(&env, &fewer, "").ok();
    let changed = fewer.replace("Canary9,", "Canarynine,");
    let _ = night(&env, &changed, "--plan plan.ndjson").ok();
    let id = held(&night(&env, &changed, "").exits(11));
    for line in [
        &format!("testtakers sync --show {id} -o json"),
        &format!("testtakers sync --show {id}"),
        "testtakers sync --show plan.ndjson -o csv",
        "testtakers sync night.csv -o json",
        "testtakers sync night.csv --roster-interval 0s",
        "journal list -o json",
        "journal show -p Demo -o json",
        "journal undo night.csv --dry-run -o csv",
        "results changes --as canaries -o json",
        "results changes --consumers -o json",
    ] {
        let said = env.line(&format!("{line} --mask -v"));
        let all = format!("{}{}", said.stdout, said.stderr).replace("canaries", "").to_lowercase();
        assert!(!all.contains(CANARY) && said.code != 101, "{line}: {said}");
    }
    let shown = env.line(&format!("testtakers sync --show {id} -o json --mask")).ok();
    assert!(shown.stdout.contains("@masked.invalid") || shown.stdout.contains("ref-"), "{shown}");
}

#[test]
fn a_question_and_what_is_typed_in_a_wrong_place_show_no_address() {
    let env = Env::sandbox();
    for line in ["testtakers list canary.mail@example.com --mask", "testtakers get canary.mail@example.com --mask"] {
        let said = env.line(line).exits(2);
        assert!(!said.stderr.contains(CANARY), "{said}");
    }
    let person = r#"[{"id":7,"email":"canary at example","fullName":"Canary","referenceId":"CANARY-REF"}]"#;
    let socket = Socket::answering(move |request, _| match (request.method.as_str(), request.parameter("page")) {
        ("POST", _) => Answer::Hang(Vec::new()),
        (_, Some("1")) => Answer::ok(person),
        _ => Answer::ok("[]"),
    });
    let env = Env::at(&socket.url).with("ASSESSCTL_PROJECT", PROJECT);
    let line = "testtakers enrol --email ann@example.com --reference-id A --timeout 1s --no-wait --settle 1s";
    let _ = env.line(line).exits(7);
    let row = env.line("journal show --in-doubt -o json").json()[0]["row"].to_string();
    let mut terminal = Terminal::start(&env, 120, &["journal", "resolve", &row, "--enrolled", "7", "--mask"]);
    let _ = terminal.shows("Take it all the same?").types("n\r");
    let screen = String::from_utf8_lossy(&terminal.ends().1.raw).to_lowercase();
    assert!(screen.contains("id:7") && !screen.contains(CANARY), "{screen}");
}
