//! Slips in options and their values: what was given and is not personal stands in the hint's line, and nothing else does.

use crate::slips::{hints_have, prepared};

/// Lines with slips, and what their hint has.
const HINTS: &[(&str, &str)] = &[
    // A condition is no text to search for.
    ("results list -p Demo --filter \"risk eq 'High'\"", "`assessctl results list --result HighRisk -p Demo`"),
    ("results list --filter 'status ne completed'", "`assessctl results list --not-completed`"),
    ("results list --filter 'completed eq false'", "`assessctl results list --not-completed`"),
    ("testtakers list --filter \"email eq 'ann@example.com'\"", "`assessctl testtakers list --filter TEXT` searches"),
    (
        "testtakers list --filter=\"contains(email, 'ann')\" -p Demo",
        "`assessctl testtakers list --filter TEXT -p Demo`",
    ),
    ("projects list --filter \"state eq 'active'\"", "`assessctl projects list --state Active`"),
    (
        "users list --query result=HighRisk -p Demo -o table",
        "`assessctl results list --result HighRisk --output table -p Demo`",
    ),
    ("results list --query result=HighRisk", "`assessctl results list --result HighRisk`"),
    (
        "results list --query \"[?result=='HighRisk'].email\"",
        "`assessctl results list --result HighRisk --jq '.[].email'`",
    ),
    (
        "testtakers list --query \"[?result=='HighRisk'].email\" -p Demo",
        "`assessctl results list --result HighRisk --jq '.[].email' -p Demo`",
    ),
    ("results list --where \"email eq 'x@example.com'\"", "`assessctl results list --filter TEXT`"),
    // Several people with commas between them.
    ("results get A-1,B-2 -p Demo", "`assessctl results get REFERENCE_ID REFERENCE_ID -p Demo`"),
    ("testtakers get A-1,B-2,C-3", "`assessctl testtakers get ref:REFERENCE_ID ref:REFERENCE_ID ref:REFERENCE_ID`"),
    ("testtakers get ref:A-1,B-2", "put a space between people, each with its prefix"),
    ("testtakers remove id:1,2 --yes", "`assessctl testtakers remove id:1 id:2 --yes`"),
    ("links issue ann@example.com,bob@example.com", "`assessctl links issue email:ADDRESS email:ADDRESS`"),
    // A rehearsal is one of the whole line, or nothing is to be rehearsed.
    ("create project 'Day shift' --dry-run", "in the sandbox nothing leaves this machine"),
    ("--profile old projects create Day --what-if", "`assessctl projects create Day --profile sandbox`? It rehearses"),
    (
        "links issue A-1 --dry-run -p Demo",
        "`assessctl links issue ref:REFERENCE_ID -p Demo --profile sandbox` rehearses",
    ),
    ("results list --dry-run", "leave it out: nothing is changed"),
    ("config set project Demo --dry-run", "nothing rehearses"),
    // What is given and not personal stays.
    (
        "links generate -f people.csv -p Demo --redirect-uri https://a.example/done",
        "`assessctl links issue --file people.csv -p Demo --redirect-uri https://a.example/done`",
    ),
    (
        "links issue ref:A-1 --callback https://a.example/x",
        "`assessctl links issue ref:REFERENCE_ID --redirect-uri https://a.example/x`",
    ),
    (
        "links issue ref:A-1 --callback 'https://u:k@a.example/x'",
        "`assessctl links issue ref:REFERENCE_ID --redirect-uri URI`",
    ),
    ("export testtakers -p Demo -f out.csv", "`assessctl testtakers list --to out.csv -p Demo`"),
    ("testtakers export out.csv", "`assessctl testtakers list --to out.csv`"),
    ("testtakers export --csv out.csv", "`assessctl testtakers list --to out.csv --output csv`"),
    ("profile use sandbox", "`assessctl config use sandbox`"),
    ("account set --name sandbox", "`assessctl config use sandbox`"),
    ("profile use", "`assessctl config use NAME`"),
    ("config set-value core/project Demo", "`assessctl config set project Demo`"),
    ("testtakers list --last 7d -p Demo", "`assessctl results list --completed-since 7d -p Demo`"),
    ("testtakers list --until 2026-01-01", "`assessctl results list --jq '[.[] | select("),
    ("results export -p Demo -p Other", "`assessctl results export --to FILE.csv -p Demo -p Other`"),
    ("enroll Z-9 -p Demo", "`assessctl testtakers enrol --reference-id REFERENCE_ID -p Demo --email ADDRESS`"),
    ("testtakers sync -p Demo", "(`assessctl testtakers sync -p Demo FILE.csv`)"),
    // Nothing is mailed from here, and to whom is kept.
    ("remind -p Demo --incomplete", "`assessctl results list --not-completed --to open.csv -p Demo`"),
    ("remind A-1", "`assessctl links issue ref:REFERENCE_ID --to links.csv`"),
    ("invitations send --all -p Demo", "`assessctl links issue --all --to links.csv -p Demo`"),
    ("invite new@example.com -p Demo", "`assessctl testtakers enrol --email ADDRESS -p Demo`"),
    // A file of a list is written, or read where it is there.
    ("testtakers list --file out.csv", "`assessctl testtakers list --to out.csv`"),
    ("results report --file out.html", "`assessctl results report --to out.html`"),
    ("testtakers list --file people.csv", "`assessctl testtakers get --ids-from people.csv`"),
    // Words of other programs are no slips of the hand.
    ("results export --to r.csv --from-file people.csv", "`assessctl results get --ids-from people.csv --to r.csv`"),
    ("links issue --all --max-errors 5", "the options of links issue"),
    ("testtakers import people.csv --to-date 2026-01-01", "the options of testtakers import"),
    ("testtakers import people.csv --no-header-row", "`assessctl help rosters`"),
    ("testtakers remove ref:A-1 --comment left --yes", "(`assessctl testtakers remove ref:REFERENCE_ID --yes`)"),
    ("testtakers remove ref:A-1 --no-input", "`assessctl testtakers remove ref:REFERENCE_ID --yes`"),
    ("testtakers list -c -o table", "`assessctl testtakers list --jq length`"),
    ("testtakers list --department Pit", "`assessctl testtakers list -p Pit`? A project is the group of people here"),
    ("results watch --interval 5 -p Demo", "`assessctl results changes -p Demo`? Leave --interval out"),
    ("results export --to r.csv --sort-by email", "`assessctl results list --to r.csv` sorts"),
    ("results list --summary -p Demo", "`assessctl results summary -p Demo`"),
    ("results list --only-new", "`assessctl results changes`"),
    ("results list --min-risk high -p Demo", "`assessctl results list --flagged -p Demo`"),
    ("results list --redact", "`assessctl results list --mask`"),
    ("results export --to r.csv --gzip", "(`assessctl results export --to r.csv`)"),
    ("results list --tz Europe/Berlin", "(`assessctl results list`)"),
    ("testtakers update ref:A-1 --surname X", "`assessctl testtakers update ref:REFERENCE_ID --last-name NAME`"),
    ("testtakers remove ref:A-1 --cascade --yes", "(`assessctl testtakers remove ref:REFERENCE_ID --yes`)"),
    // What would do nothing is refused.
    ("config list --profile old", "`assessctl config show --profile old`"),
    ("testtakers list -q --no-header", "leave --quiet out for the rows"),
];

#[test]
fn what_an_option_was_given_stands_in_the_line_of_the_hint() {
    hints_have(&prepared(), HINTS);
}

#[test]
fn a_changed_email_and_names_without_prefixes_are_told_with_the_next_step() {
    let env = prepared();
    env.write("changed.csv", "email,referenceId\nann.new@example.com,A-1\n");
    let said = env.line("testtakers import changed.csv -p Demo").exits(10);
    assert!(said.stderr.contains("`assessctl testtakers remove id:ENTRY_ID -p Demo`"), "{said}");
    env.write("names.txt", "A-1\nB-2\n");
    let said = env.line("testtakers remove --file names.txt -p Demo --yes").fails(5);
    assert!(said.stderr.contains("`sed s/^/ref:/ names.txt`, piped into the command with `--file -`"), "{said}");
}
