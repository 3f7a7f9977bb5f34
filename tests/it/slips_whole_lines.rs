//! Whole hints: each keeps what the line says, its people, its rehearsal and its times, and repeats no person.

use crate::harness::Env;
use crate::slips::LISTS;

/// The whole hint: nothing of the line is lost or added.
#[rustfmt::skip]
const WHOLE: &[(&str, &str)] = &[
    ("testtakers remove EMP-7 EMP-8 --force", "did you mean `assessctl testtakers remove ref:REFERENCE_ID ref:REFERENCE_ID --yes`?"),
    ("people rm EMP-7 EMP-8 -f", "did you mean `assessctl testtakers remove ref:REFERENCE_ID ref:REFERENCE_ID --yes`?"),
    ("delete people EMP-7 zoe@example.com", "did you mean `assessctl testtakers remove ref:REFERENCE_ID email:ADDRESS`?"),
    ("testtakers purge EMP-7", "did you mean `assessctl testtakers remove ref:REFERENCE_ID`?"),
    ("testtakers purge people.csv", "`assessctl testtakers remove --file people.csv --dry-run` shows who of a file would be removed, and without --dry-run they are"),
    ("testtakers clear --filter smith", "`assessctl testtakers list --to people-2.csv --filter TEXT` writes whom its options choose, `assessctl testtakers remove --file people-2.csv --dry-run` shows who would be removed, and without --dry-run they are"),
    ("invite EMP-7", "nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID --to links.csv` writes a link to be sent"),
    ("links send EMP-7 EMP-8 -p Demo", "nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID ref:REFERENCE_ID --to links.csv -p Demo` writes a link to be sent"),
    ("links send --pending -p Demo", "nothing is mailed from here: `assessctl results list --not-completed --to open.csv -p Demo` writes who has no result yet, `assessctl links issue --file open.csv --to links.csv -p Demo` links to be sent to them"),
    ("links send --flagged --since 24h", "nothing is mailed from here: `assessctl results list --to some.csv --flagged --completed-since 24h` writes whom its options choose, `assessctl links issue --file some.csv --to links.csv` links to be sent to them"),
    ("mail --file people.csv", "nothing is mailed from here: `assessctl links issue --file people.csv --to links.csv` writes links to be sent"),
    ("send", "nothing is mailed from here: `assessctl links issue --all --to links.csv` writes links to be sent"),
    ("testtakers enrol --email zoe@example.com --send-invitation", "nothing is mailed from here: `assessctl links issue email:ADDRESS --to links.csv` writes a link to be sent, `assessctl testtakers enrol --email ADDRESS` enrols who is not in the project yet"),
    ("links rotate EMP-7", "`assessctl links issue ref:REFERENCE_ID` issues a new link, which voids the one before"),
    ("links show EMP-7", "links cannot be read again: `assessctl links issue ref:REFERENCE_ID` issues a new one, which voids those before it"),
    ("links resend EMP-7 EMP-8", "nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID ref:REFERENCE_ID` prints a new link to be sent"),
    ("fit EMP-7", "did you mean `assessctl results get REFERENCE_ID`? `assessctl results report --to FILE.html` writes a page of a project's results"),
    ("results download EMP-7", "did you mean `assessctl results get REFERENCE_ID`? `assessctl results report --to FILE.html` writes a page of a project's results"),
    ("testtakers export EMP-7", "did you mean `assessctl testtakers get ref:REFERENCE_ID`?"),
    ("testtakers copy EMP-7 --to Other", "enrol in the other project as well: `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME -p Other`"),
    ("testtakers move EMP-7 --to-project Other", "enrol in the other project first, then take out of this one; the result stays behind, and a name or year that is not given: `assessctl testtakers get ref:REFERENCE_ID` shows them, `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME --birth-year YEAR -p Other` enrols there, `assessctl testtakers remove ref:REFERENCE_ID` takes out here"),
    ("get people EMP-7", "did you mean `assessctl testtakers get ref:REFERENCE_ID`?"),
    ("get results EMP-7 EMP-8", "did you mean `assessctl results get REFERENCE_ID REFERENCE_ID`?"),
    ("apply -f people.csv -p Demo --dry-run=client", "`assessctl testtakers import people.csv --dry-run -p Demo` enrols a file, `assessctl testtakers sync people.csv --plan plan.ndjson -p Demo` follows it, `assessctl testtakers apply PLAN.ndjson` does what a plan says; testtakers apply has no --dry-run: `--profile sandbox` rehearses"),
    ("apply -f people.csv --dry-run=none", "`assessctl testtakers import people.csv` enrols a file, `assessctl testtakers sync people.csv` follows it, `assessctl testtakers apply PLAN.ndjson` does what a plan says"),
    ("testtakers import people.csv --dry-run=server", "did you mean `assessctl testtakers import people.csv --dry-run`?"),
    ("testtakers import people.csv --dry-run=false", "leave it out: a flag that is not given says no (`assessctl testtakers import people.csv`)"),
    ("journal undo --last --dry-run", "name the file that was imported: `assessctl journal undo FILE.csv --dry-run`"),
    ("undo --dry-run", "did you mean `assessctl journal undo --dry-run FILE.csv`? It removes the people that its import enrolled"),
    ("sync -p Demo --dry-run", "did you mean `assessctl testtakers sync -p Demo --plan plan.ndjson FILE.csv`? It writes what would change, and sends nothing"),
    ("testtakers restore zoe@example.com --dry-run", "`assessctl testtakers enrol --email ADDRESS --again --dry-run` enrols a removed person anew"),
    ("projects new X --dry-run", "did you mean `assessctl projects create X`? Leave --dry-run out: there is no dry run of it, and in the sandbox nothing leaves this machine"),
    ("links issue ref:EMP-7 --dry-run", "`assessctl links issue ref:REFERENCE_ID --profile sandbox` rehearses: --dry-run goes with --file FILE or --all, for many people"),
    ("links create EMP-7 --dry-run", "did you mean assessctl links issue? `assessctl links issue ref:REFERENCE_ID --profile sandbox` rehearses: --dry-run goes with --file FILE or --all, for many people"),
    ("plan people.csv --dry-run", "`assessctl testtakers sync people.csv --plan PLAN.ndjson` compares a file with a project"),
    ("rm people.csv --preview", "`assessctl testtakers remove --file people.csv --dry-run` shows who of a file would be removed, and without --dry-run they are"),
    ("testtakers import people.csv --log-file run.log", "`-v` tells each request on standard error: 2> run.log keeps it"),
    ("testtakers export --filter smith --out s.csv", "`assessctl testtakers list --to s.csv --filter TEXT` writes the list, as .csv or .xlsx"),
    ("results download --out r.xlsx", "did you mean `assessctl results export --to r.xlsx`?"),
    ("results dump --flagged --since 24h", "did you mean `assessctl results export --flagged --completed-since 24h --to FILE.csv`?"),
    ("results export --since yesterdayish", "write a time such as 2026-03-01T06:00:00Z, or an age: 24h is a day ago, 7d a week"),
    ("results export --since '2 days ago' --csv", "did you mean `assessctl results export --completed-since 2d --output csv --to FILE.csv`?"),
    ("testtakers list --status completed --limit 3", "`assessctl testtakers list --completed-only --limit 3` shows who completed, `assessctl results list --completed-only --limit 3` with their results; --result Completed leaves out who is flagged"),
    ("testtakers list --status pending -p Demo", "`assessctl results list --not-completed -p Demo` shows who has no result yet"),
    ("testtakers list --filter status=completed -p Demo --limit 3", "`assessctl testtakers list --completed-only --limit 3 -p Demo` shows who completed, `assessctl results list --completed-only --limit 3 -p Demo` with their results; --result Completed leaves out who is flagged"),
    ("results list --filter status!=completed", "`assessctl results list --not-completed` shows who has no result yet"),
    ("results list --status completed", "`--completed-only` shows all who completed, --result Completed those with this result alone"),
    ("results list --risk high --limit 2", "`assessctl results list --result HighRisk --limit 2` chooses by result"),
    ("results list --risk low", "`assessctl results list --result RESULT` chooses by result, --not-completed who is not done"),
    ("testtakers list --risk high", "`assessctl results list --result HighRisk` chooses by result"),
    ("testtakers update EMP-7 --email zoe@example.com", "the API cannot change e-mail or year of birth, and removing and enrolling again loses the results and each value that is not given: `assessctl testtakers get ref:REFERENCE_ID` shows them, `assessctl testtakers remove ref:REFERENCE_ID` takes out, `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME --birth-year YEAR` enrols anew"),
    ("edit person EMP-7", "did you mean `assessctl testtakers update ref:REFERENCE_ID --first-name NAME`? Or --last-name NAME or --reference-id REFERENCE_ID in its place"),
    ("patch person EMP-7 -p '{\"email\":\"zoe@example.com\"}'", "the API cannot change e-mail or year of birth, and removing and enrolling again loses the results and each value that is not given: `assessctl testtakers get ref:REFERENCE_ID` shows them, `assessctl testtakers remove ref:REFERENCE_ID` takes out, `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME --birth-year YEAR` enrols anew"),
    ("flagged --since '2 days ago' --limit 3", "`assessctl results list --flagged --completed-since 2d --limit 3` shows who needs attention"),
    ("pending --limit 5 -o jsonl", "`assessctl results list --not-completed --limit 5 --output ndjson` shows who has no result yet"),
    ("get people -p Demo -o wide", "`assessctl testtakers list -p Demo` lists them; testtakers get shows one that is named; `-o csv` has every field; `--fields A,B` chooses a table's columns"),
    ("get results --watch", "`assessctl results list` lists them; results get shows one that is named; --watch: `assessctl results changes` tells what is new since its last run; cron or watch runs it again"),
    ("logs -n 20", "`assessctl journal list --jq 'sort_by(.last) | .[-20:]'` shows what was sent from here, `assessctl journal show -p NAME_OR_ID --jq '.[-20:]'` lists the rows of a project"),
    ("search smith --completed-only --limit 3", "`assessctl testtakers list --filter TEXT --completed-only --limit 3` searches"),
    ("testtakers list --all-projects --completed-only", "`assessctl results export --all-projects --to FILE.csv --completed-only` reads all projects into a file; -p NAME_OR_ID names one"),
    ("journal --in-doubt", "`assessctl journal show --in-doubt -p NAME_OR_ID` lists the rows in doubt of a project"),
    ("sandbox --port 8080", "name a command first, such as `assessctl sandbox serve --listen 127.0.0.1:8080`"),
    ("results list --since '3 weeks ago'", "did you mean `assessctl results list --completed-since 21d`?"),
    ("results list --since 48hours", "did you mean `assessctl results list --completed-since 48h`?"),
    ("testtakers list --last-test-sent-from 20260102", "did you mean `assessctl testtakers list --last-test-sent-from 2026-01-02T00:00:00Z`?"),
    ("results list --completed-only=false", "leave it out: a flag that is not given says no (`assessctl results list`)"),
    ("testtakers list --filter email=*@example.com", "leave the name of the field and each * out: `assessctl testtakers list --filter TEXT` finds a part of reference id, full name or e-mail"),
    ("testtakers move EMP-7 --from Demo --to Other", "enrol in the other project first, then take out of this one; the result stays behind, and a name or year that is not given: `assessctl testtakers get -p Demo ref:REFERENCE_ID` shows them, `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME --birth-year YEAR -p Other` enrols there, `assessctl testtakers remove -p Demo ref:REFERENCE_ID` takes out here"),
    ("testtakers import people.csv -p Demo --links-to l.csv --dry-run", "did you mean `--with-links FILE`?"),
];

#[test]
fn a_hint_keeps_what_the_line_says() {
    let env = Env::sandbox();
    env.write("people.csv", "email\nann@example.com\n");
    let faults: Vec<_> = WHOLE
        .iter()
        .filter_map(|(line, hint)| {
            let said = env.line(line);
            let is_right = said.code == 2 && said.stderr.ends_with(&format!("hint: {hint}\n"));
            (!is_right).then(|| format!("{line}\n{said}"))
        })
        .collect();
    assert!(faults.is_empty(), "{} of {}\n{}", faults.len(), WHOLE.len(), faults.join("\n"));
}

#[test]
fn a_hint_repeats_no_person() {
    let env = Env::sandbox();
    let people = ["EMP-7", "EMP-8", "zoe@", "smith"];
    let guesses = LISTS.into_iter().flatten().map(|(line, _)| line);
    for line in WHOLE.iter().map(|(line, _)| line).chain(guesses) {
        if !people.iter().any(|person| line.contains(person)) {
            continue;
        }
        let said = env.line(line);
        for person in people {
            assert!(!said.stderr.contains(person), "{line}\n{said}");
        }
    }
}
