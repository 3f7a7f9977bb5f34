//! Lines as other habits write them: sentences, cmdlets, words and values in turns, other nouns, and times of the journal.

use crate::slips::{hints_have, prepared};

/// What is said of the file of a run where none is written.
const WRITES_NO_STATUS: &str = "leave it out: imports, syncs, exports and changes alone write down how they ended";

/// Lines with slips, and what their hint has.
const HINTS: &[(&str, &str)] = &[
    // Small words are nobody, and a place is a project.
    ("show results for A-1 in Demo", "`assessctl results get REFERENCE_ID -p Demo`"),
    ("testtakers remove A-1 from Demo", "`assessctl testtakers remove ref:REFERENCE_ID -p Demo`"),
    ("list users in project Demo", "`assessctl testtakers list -p Demo`"),
    ("import people from people.csv into Demo", "`assessctl testtakers import people.csv -p Demo`"),
    ("data import bulk people.csv", "`assessctl testtakers import people.csv`"),
    ("projects create named Depot", "`assessctl projects create Depot`"),
    ("export results to out.csv", "`assessctl results export --to out.csv`"),
    ("create link for A-1 in Demo", "`assessctl links issue ref:REFERENCE_ID -p Demo`"),
    ("who is at risk", "`assessctl results list --flagged`"),
    ("how many results", "`assessctl results summary`"),
    // Words and values in turns.
    (
        "create user a@site.example firstname Ann lastname Lee",
        "`assessctl testtakers enrol --email ADDRESS --first-name NAME --last-name NAME`",
    ),
    ("update user A-1 lastname Lee", "`assessctl testtakers update ref:REFERENCE_ID --last-name NAME`"),
    ("print users fields email,fullName", "`assessctl testtakers list --fields email,fullName`"),
    // Cmdlets.
    ("get-testtaker -Identity A-1 -Project Demo", "`assessctl testtakers get ref:REFERENCE_ID -p Demo`"),
    ("Remove-TestTaker -Identity A-1 -WhatIf", "`assessctl testtakers remove ref:REFERENCE_ID --dry-run`"),
    ("remove-testtaker A-1 -Confirm:", "`assessctl testtakers remove ref:REFERENCE_ID --yes`"),
    ("new-project -Name Depot", "`assessctl projects create Depot`"),
    ("get-project -Name Demo", "`assessctl projects get Demo`"),
    ("import people.csv -WhatIf", "`assessctl testtakers import people.csv --dry-run`"),
    ("import-csv people.csv", "`assessctl testtakers import people.csv`"),
    // Rows of the journal by their time, and the last of them.
    ("journal list --limit 5", "`assessctl journal list --jq 'sort_by(.last) | .[-5:]'`"),
    ("logs --tail 20 -p Demo", "`assessctl journal show -p Demo --jq '.[-20:]'`"),
    (
        "journal show --since 2026-11-01 -p Demo",
        r#"`assessctl journal show --jq '[.[] | select(.sent > "2026-11-01T00:00:00Z")]' -p Demo`"#,
    ),
    ("history --since 1d", "`assessctl journal show -p NAME_OR_ID --jq '[.[] | select(.sent > \""),
    ("show 'Ann Lee'", "`assessctl testtakers list --filter TEXT` searches names"),
    ("show a@site.example", "`assessctl testtakers get email:ADDRESS`"),
    ("testtakers get employee-id A-1", "`assessctl testtakers get ref:REFERENCE_ID`"),
    ("describe project Demo", "`assessctl projects get Demo`"),
    ("testtakers list --sort-by=lastname --limit=5", "`assessctl testtakers list --jq 'sort_by(.lastName) | .[:5]'`"),
    ("links create --all -p Demo --out links.csv", "`assessctl links issue --all -p Demo --to links.csv`"),
    ("testtakers import people.csv --file x.csv --delimiter ';'", "--delimiter ';'"),
    ("links issue all -p Demo", "`assessctl links issue --all -p Demo`"),
    ("testtakers get all -p Demo", "`assessctl testtakers list -p Demo`"),
    ("testtakers remove all -p Demo", "`--file FILE` names many"),
    ("results export --all-projects", "; --to /dev/stdout prints it"),
    ("config set output csv", "in the sandbox `--output csv` says so for one command"),
    ("config set mask true", "in the sandbox `--mask` says so for one command"),
    ("config set read-only true", "name another profile with --profile"),
    ("config set base-url https://assess.example.com", "name another profile with --profile"),
    ("config set project Demo", "in the sandbox `-p Demo` says so for one command"),
    (
        "results list --columns name,result,date --delimiter ';'",
        "`assessctl results list --fields fullName,result,dateCompleted`",
    ),
    ("testtakers remove --file people.csv --confirm:no", "`assessctl testtakers remove --file people.csv --yes`"),
    ("journal list --in-doubt", "`assessctl journal show --in-doubt -p NAME_OR_ID`"),
    ("links issue ref:A-1 ref:B-1 --url https://a.example/x extra=1", "--redirect-uri https://a.example/x"),
    ("improt people.csv", "`assessctl testtakers import people.csv`"),
    ("list drivers where result = HighRisk", "`assessctl results list --result HighRisk`"),
    ("show results where status=Completed", "`assessctl results list --completed-only`"),
    ("show results since monday", "`assessctl results list --completed-since 20"),
    ("results this week", "`assessctl results list --completed-since 20"),
    ("list results from last week", "`assessctl results list --completed-since 7d`"),
    ("who did not do the test in Demo", "`assessctl results list -p Demo --not-completed`"),
    ("enrol everyone in people.csv", "`assessctl testtakers import people.csv`"),
    ("export all results to all.csv", "`assessctl results export --to all.csv`"),
    ("roster import people.csv", "`assessctl testtakers import people.csv`"),
    ("roster check people.csv", "`assessctl testtakers check people.csv`"),
    ("hr sync --source people.csv --preview", "`assessctl testtakers sync people.csv --plan plan.ndjson`"),
    ("testtakers list --fit-for-duty no", "`assessctl results list --flagged`"),
    ("unfit drivers", "`assessctl results list --flagged`"),
    ("results since 7d -p Demo", "`assessctl results list --completed-since 7d -p Demo`"),
    ("send links --out x.csv", "`assessctl links issue --all --to x.csv`"),
    ("testtakers create -f - -p Demo", "`assessctl testtakers import - -p Demo`"),
    ("testtakers import --stdin --dry-run", "`assessctl testtakers import - --dry-run`"),
    ("testtakers get --ids A-1,B-2", "`assessctl testtakers get ref:REFERENCE_ID ref:REFERENCE_ID`"),
    ("testtakers update ref:A-1 --set lastName=X,firstName=Y", "--last-name NAME --first-name NAME`"),
    (
        "testtakers create --email x@site.example --ref X-1 --if-not-exists",
        "--email ADDRESS --reference-id REFERENCE_ID`?",
    ),
    (
        "testtakers update ref:A-1 ref:B-1 --first-name Ann",
        "one person at a time; `assessctl testtakers update --file FILE` changes many",
    ),
    ("testtakers apply 7f3c21d0 --dry-run", "`assessctl testtakers sync --show ID` shows whom it is about"),
    ("testtakers upsert people.csv", "`assessctl testtakers import people.csv --on-existing update`"),
    ("testtakers list --tail 5", "`assessctl testtakers list --jq '.[-5:]'`"),
    (
        "config set-context prod --base-url https://x.example",
        "`assessctl config init --name prod --base-url https://x.example`",
    ),
    ("testtakers enrol --email x@site.example --firstname A --dob 1980-01-01", "--first-name NAME --birth-year YEAR`?"),
    (
        "testtakers update --email ann@site.example --lastname Two",
        "`assessctl testtakers update email:ADDRESS --last-name NAME`",
    ),
    ("testtakers import people.csv --mode upsert", "`assessctl testtakers import people.csv --on-existing update`"),
    ("testtakers import people.csv --on-error continue", "`assessctl testtakers import people.csv --skip-invalid`"),
    (
        "testtakers import people.csv --create-links l.csv",
        "`assessctl testtakers import people.csv --with-links l.csv`",
    ),
    ("testtakers list -p Demo -q .[].email", "`assessctl testtakers list -p Demo --jq '.[].email'`"),
    (
        "config init --name prod --api-key-file key.txt",
        "`assessctl config init --name prod --base-url URL --api-key-file key.txt`",
    ),
    (
        "results export --projects Demo,Depot --to all.csv",
        "`assessctl results export -p NAME_OR_ID -p NAME_OR_ID --to all.csv`",
    ),
    ("Send-Invitation -Identity A-1", "`assessctl links issue ref:REFERENCE_ID --to links.csv`"),
    ("Get-Command", "`assessctl --help` lists the commands"),
    ("user create --display-name 'X Y' --upn x@site.example", "--first-name NAME --last-name NAME --email ADDRESS`"),
    ("groups users assign Demo x@site.example", "`assessctl testtakers enrol --email ADDRESS -p Demo`"),
    ("group create --display-name Depot", "`assessctl projects create Depot`"),
    ("account set --subscription prod", "`assessctl config use prod`"),
    ("config set core/project Demo", "`-p Demo` says so for one command"),
    ("testtakers edit A-1 --email new@site.example", "`assessctl testtakers remove ref:REFERENCE_ID` takes out"),
    ("testtakers list --starting-after A-1 --limit 2", "(`assessctl testtakers list`)"),
    ("results list --created-after 2024-01-01", "`assessctl results list --completed-since 2024-01-01T00:00:00Z`"),
    ("results export --out-file r.json", "`assessctl results export --to r.json`"),
    (
        "testtakers list --fields email,status --sort-by=email",
        "`assessctl testtakers list --fields email,result --jq 'sort_by(.email)'`",
    ),
    ("testtakers list --sort -lastName", "`assessctl testtakers list --jq 'sort_by(.lastName) | reverse'`"),
    (
        "create project Depot --dry-run=client",
        "did you mean `assessctl projects create Depot`? Leave --dry-run out: there is no dry run of it",
    ),
    ("testtakers rm ann@site.example --confirm", "`assessctl testtakers remove email:ADDRESS --yes`"),
    ("auth print-access-token", "no key is printed"),
    (
        "projects create 'Night shift' --if-not-exists",
        "`assessctl projects get 'Night shift' || assessctl projects create 'Night shift'`",
    ),
    // As those who look after people say it.
    ("employee list --site Demo", "`assessctl testtakers list -p Demo`"),
    ("roster export roster.csv", "`assessctl testtakers list --to roster.csv`"),
    ("repeat test A-1", "`assessctl links issue ref:REFERENCE_ID`"),
    ("test status A-1", "`assessctl results get REFERENCE_ID`"),
    ("results list --status fit", "`assessctl results list --result Completed`"),
    ("results list --status 'at risk'", "`assessctl results list --flagged`"),
    ("results list --status x.json", WRITES_NO_STATUS),
    ("results get A-1 --status=out/x.PROM", WRITES_NO_STATUS),
    ("testtakers list -p Demo --status x.json", WRITES_NO_STATUS),
    ("projects list --status x.prom", WRITES_NO_STATUS),
    ("results list A-1", "`assessctl results get REFERENCE_ID`"),
    ("results between 2026-11-01 and 2026-11-15", "--completed-since 2026-11-01T00:00:00Z --jq"),
    ("results get", "; `assessctl results list` lists all"),
    ("results report november.pdf", "`--to FILE.html` writes the page"),
    ("change email A-1 new@site.example", "`assessctl testtakers get ref:REFERENCE_ID` shows them"),
    ("dismiss A-1", "`assessctl testtakers remove ref:REFERENCE_ID`"),
    ("leavers leavers.csv", "`assessctl testtakers remove --file leavers.csv --dry-run`"),
    ("copy people from Demo to Depot", "`assessctl testtakers import FILE.csv -p Depot` enrols them in another"),
    ("list sites", "`assessctl projects list`"),
    // What is too many is not passed over.
    ("list drivers North", "`assessctl testtakers list --filter TEXT` searches, -p NAME_OR_ID names a project"),
    ("list projects North", "`assessctl projects list --filter TEXT` searches\n"),
    ("export results to r.csv North", "`assessctl results export --filter TEXT --to r.csv` searches"),
    ("who is at risk north", "`assessctl results list -p NAME_OR_ID --flagged`"),
    ("show project Demo zzz", "did you mean assessctl projects get? Leave out what is too many"),
    // Nobody is called like a project that is known.
    ("stats Demo", "`assessctl results summary -p Demo`"),
    ("remind Demo", "`assessctl results list --not-completed --to open.csv -p Demo`"),
    ("show Demo", "`assessctl projects get Demo`"),
    ("delete Demo", "projects are changed and deleted in the portal alone"),
    ("users Demo", "`assessctl testtakers list -p Demo`"),
    ("links Demo", "`assessctl links issue --all --to links.csv -p Demo`"),
    ("add-user Demo a@site.example", "`assessctl testtakers enrol -p Demo --email ADDRESS`"),
    ("testtakers list -p Demo anna", "`assessctl testtakers list --filter TEXT -p Demo` searches"),
    ("completion install bash", "`assessctl completions bash`"),
    ("results list --since monday", "did you mean `assessctl results list --completed-since 20"),
    // What needs no login, and what there is not.
    ("auth login --profile sandbox", "the sandbox needs no login"),
    ("curl /projects", "`assessctl projects list`"),
    ("csv people.csv", "`assessctl testtakers import people.csv`"),
    ("qr Demo", "`assessctl projects link --qr Demo`"),
    ("group add-member Demo a@site.example", "`assessctl testtakers enrol --email ADDRESS -p Demo`"),
    ("reissue A-1", "`assessctl links issue ref:REFERENCE_ID`"),
    ("dashboard", "`assessctl results summary` counts"),
    // A bare number may be either; a key that comes by a pipe goes with all that cannot be asked for.
    ("links create 7 -p Demo", "`assessctl links issue ref:REFERENCE_ID -p Demo`? Or id:NUMBER for an entry id"),
    ("links create 7 --dry-run -p Demo", ", or with id:NUMBER for an entry id, rehearses"),
    ("login --token-stdin", "`assessctl config init --api-key-file - --name NAME --base-url URL`"),
    (
        "testtakers list --all-projects -o json",
        "`assessctl results export --all-projects --to FILE.json --output json`",
    ),
    // Two words that are near to each other and mean nothing here.
    ("links details A-1", "`assessctl links` has issue"),
    ("redirect-uris detail", "`assessctl redirect-uris` has list, add"),
    ("links list -p Demo", "a new one voids those before it: `assessctl links issue ref:REFERENCE_ID -p Demo`"),
    ("testtakers move A-1 --from Demo --to Depot", "--birth-year YEAR -p Depot`"),
];

/// Lines that are done as they are meant, and what they print.
const DONE: &[(&str, &str)] = &[
    ("get-results -Project Demo", "A-1"),
    ("Get-Project", "Demo"),
    ("listResults -p Demo", "A-1"),
    ("candidate list", "A-1"),
    ("drivers ls", "A-1"),
    ("--json projects list", "\"name\": \"Demo\""),
];

#[test]
fn sentences_cmdlets_and_words_in_turns_lead_to_the_line_that_is_meant() {
    let env = prepared();
    hints_have(&env, HINTS);
    let mut faults = Vec::new();
    for (line, expected) in DONE {
        let said = env.line(line).ok();
        if !said.stdout.contains(expected) {
            faults.push(format!("{line}\n  expected {expected}\n{}", said.stdout));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_lines_of_hints_about_the_journal_run_as_they_stand() {
    let env = prepared();
    let last = env.line("journal show -p Demo --jq '.[-1:] | length'").ok();
    assert_eq!(last.stdout, "1\n");
    let since = env.line(r#"journal show -p Demo --jq '[.[] | select(.sent >= "2026-11-01")] | length > 0'"#).ok();
    assert_eq!(since.stdout, "true\n");
}
