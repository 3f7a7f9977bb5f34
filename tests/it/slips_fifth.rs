//! First guesses of a fifth list that got nothing or something else once, written down before any of them was tried.

use crate::slips::Comes::{self, Line, Thing};

pub(crate) const FIFTH_GUESSES: &[(&str, Comes)] = &[
    ("projects create --project 'Night shift'", Line("did you mean `assessctl projects create 'Night shift'`?")),
    ("projects count", Line("`assessctl projects list -q | wc -l` counts them")),
    ("projects link Demo --png qr.png", Line("`--qr --to FILE.svg` writes the picture")),
    ("get testtakers -p Demo", Line("`assessctl testtakers list -p Demo` lists them; testtakers get shows one")),
    (
        "testtakers list -p Demo --page 1 --limit 10",
        Line("did you mean `assessctl testtakers list -p Demo --page 1 --page-size 10`?"),
    ),
    (
        "testtakers list -p Demo --without-reference-id",
        Line("did you mean `assessctl testtakers list -p Demo --has-reference-id false`?"),
    ),
    ("testtakers show id=1", Line("write `assessctl testtakers get id:1`")),
    (
        "testtakers enrol dan@example.com Dan Day",
        Line("did you mean `assessctl testtakers enrol --email ADDRESS --first-name NAME --last-name NAME`?"),
    ),
    (
        "testtakers create --email=dan@example.com --first-name=Dan --dry-run",
        Line("did you mean `assessctl testtakers enrol --email ADDRESS --first-name NAME --dry-run`?"),
    ),
    (
        "testtakers import people.csv --validate-only",
        Line("did you mean `assessctl testtakers import people.csv --dry-run`?"),
    ),
    (
        "testtakers import people.csv --report-file report.csv",
        Line("did you mean `assessctl testtakers import people.csv --report report.csv`?"),
    ),
    (
        "testtakers import people.csv -p Demo --skip-errors --failed bad.csv",
        Line("did you mean `assessctl testtakers import people.csv -p Demo --skip-invalid --failed-out bad.csv`?"),
    ),
    (
        "testtakers import people.csv --links-to links.csv",
        Line("did you mean `assessctl testtakers import people.csv --with-links links.csv`?"),
    ),
    (
        "testtakers update ann@example.com --new-email ann@new.example",
        Line("the service changes no e-mail and no year of birth, and who is enrolled anew has no result"),
    ),
    (
        "testtakers set ref:A-1 first-name=Anna",
        Line("did you mean `assessctl testtakers update ref:REFERENCE_ID --first-name NAME`?"),
    ),
    (
        "testtakers patch ref:A-1 --reference A-9",
        Line("did you mean `assessctl testtakers update ref:REFERENCE_ID --reference-id REFERENCE_ID`?"),
    ),
    (
        "testtakers delete --all -p Demo --yes",
        Line("did you mean assessctl testtakers remove? `--file FILE` names many"),
    ),
    ("testtakers purge -p Demo", Line("`assessctl testtakers list --to people-2.csv -p Demo` writes who is there")),
    (
        "apply",
        Line(
            "`assessctl testtakers import FILE.csv` enrols a file, `assessctl testtakers sync FILE.csv` follows it, `",
        ),
    ),
    ("results list -p Demo --last 24h", Line("did you mean `assessctl results list -p Demo --completed-since 24h`?")),
    ("results list --user ann@example.com", Line("`--filter TEXT` searches reference id, full name and e-mail")),
    ("results get A-1 --jq .status", Line("did you mean result?")),
    ("results get --all", Line("`assessctl results list` shows everybody's")),
    ("results status A-1", Thing),
    ("results export results.json -p Demo", Line("did you mean `assessctl results export --to results.json -p Demo`?")),
    ("results summary --flagged-only", Line("`assessctl results list --flagged` shows who needs attention")),
    ("results report -p Demo --open", Line("`--to report.html` writes the page")),
    ("results changes --reset", Line("`assessctl results changes --forget --as default` forgets what was told")),
    ("config set profile prod", Line("`assessctl config use prod` makes a profile the default")),
    ("sandbox set A-1 HighRisk", Line("did you mean `assessctl sandbox set ref:REFERENCE_ID --result HighRisk`?")),
    ("projects get Demo id", Line("leave out what is too many")),
    ("projects create Depot --state Active", Line("leave it out: a project has a name and a response")),
    ("projects inspect Demo", Thing),
    ("testtakers list -p Demo --include-results", Line("leave it out: a list has each person's result")),
    (
        "testtakers get 'Ann Lee'",
        Line("a name names nobody for sure: `assessctl testtakers list --filter TEXT` searches"),
    ),
    ("testtakers enrol --mail zoe@example.com --dry-run", Thing),
    (
        "testtakers import people.csv --ignore-duplicates",
        Line("did you mean `assessctl testtakers import people.csv --skip-invalid`?"),
    ),
    (
        "testtakers import people.csv --on-existing overwrite",
        Line("did you mean `assessctl testtakers import people.csv --on-existing update`?"),
    ),
    ("bulk import people.csv", Line("did you mean `assessctl testtakers import people.csv`?")),
    (
        "testtakers rename ref:A-1 'Anna Lee'",
        Line("`assessctl testtakers update --help` shows what stands in its place here"),
    ),
    (
        "testtakers remove ref:A-1 --confirm",
        Line("did you mean `--yes`? --confirm takes the word that a profile asks for"),
    ),
    (
        "testtakers remove ref:A-1 --no-prompt",
        Line("did you mean `assessctl testtakers remove ref:REFERENCE_ID --yes`?"),
    ),
    ("results list --exit-code", Line("did you mean `assessctl results list --fail-on flagged`?")),
    ("links resend ref:A-1", Line("nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID` prints")),
];
