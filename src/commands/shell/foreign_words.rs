//! Words of other programs, and what they mean here: commands, options and formats.

use self::Ours::{Is, Say};

/// What a foreign word means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ours {
    /// The same as these words of ours, where the command has them: it changes nothing, so it is done.
    Is(&'static [&'static str]),
    /// Something else is to be typed. An option that the sentence begins with has to be one of the command.
    Say(&'static str),
}

/// Where foreign words mean this (the words of a command, `*` for any, nothing for the program), the words with a comma in
/// between, and what they mean. One of two words counts more than its first.
pub type Entry = (&'static str, &'static str, Ours);

/// What stands for the name of a file behind a word.
pub const FILE: &str = "FILE";

/// What templates and queries of other programs are here.
pub const WITH_JQ: &str = "`--jq EXPR` computes from the output, such as --jq '.[].id'";
/// The same in a build without `--jq`.
pub const WITH_PIPE: &str = "`-o json` and a pipe into jq compute from the output";
const ENROL: Ours =
    Say("`assessctl testtakers enrol --email ADDRESS` enrols one person, `assessctl testtakers import FILE.csv` many");
const INIT: Ours = Say("`assessctl config init` asks for the address and the key, and writes a profile");
const DOCTOR: Ours = Say("`assessctl doctor` tries configuration, network and key");
const NO_MAIL: Ours = Say("nothing is mailed from here: `assessctl links issue --to FILE` writes links to be sent");
const SEARCH: Ours = Say("`assessctl testtakers list --filter TEXT` searches");
const UNDO: Ours =
    Say("did you mean `assessctl journal undo FILE.csv`? It removes the people that its import enrolled");
const IMPORT: Ours = Say("did you mean `assessctl testtakers import`?");
const REMOVE_FILE: Ours = Say("`assessctl testtakers remove --file FILE` removes the people of a file");
const SUMMARY: Ours = Say("`assessctl results summary` counts people and results");
const ISSUE: Ours = Say("did you mean `assessctl links issue`?");
const AGAIN: Ours = Say("type the command again that was interrupted: it continues where it stopped");
const FOLLOW: Ours = Say("`assessctl testtakers sync FILE.csv --plan PLAN.ndjson` compares a file with a project");
const AT_RISK: Ours = Say("`assessctl results list --flagged` shows who needs attention");
const BY_ITSELF: Ours = Say("leave it out: a list is the whole list, whatever the size of its pages");
const NO_PROJECTS: Ours =
    Say("`assessctl results export --all-projects --to FILE.csv` reads all projects; -p NAME_OR_ID names one");
const CONTINUES: Ours = Say("leave it out: the same command again continues where it stopped");
const EACH_ROW: Ours =
    Say("leave it out: each row is a request; `--concurrency N` says how many are under way at a time");
const TWO_NAMES: Ours = Say("`--first-name NAME` and --last-name NAME are apart");
const OWN_ID: Ours = Say("did you mean `--reference-id`?");
const SEARCHED: Ours = Say("`--filter TEXT` searches reference id, full name and e-mail");
const MATCHED: Ours = Say("leave it out: a row is matched by reference id and e-mail");
const HEADER: Ours = Say(
    "`assessctl help rosters` says what a file of people has: a line such as email,firstName,lastName,birthYear,referenceId on top",
);
const INPUT: Ours = Say("leave it out: - in place of the file reads standard input");

/// Commands.
#[rustfmt::skip]
pub const COMMANDS: &[Entry] = &[
    ("", "version", Is(&["--version"])),
    ("", "whoami, profile show, profile get, settings, settings list, settings ls, settings show",
        Is(&["config", "show"])),
    ("", "project", Is(&["projects"])),
    ("", "testtaker, test-takers, test-taker, people, tt, users, user, participants, employees, enrolments, enrollments, members, candidates, person, persons, staff",
        Is(&["testtakers"])),
    ("", "result", Is(&["results"])),
    ("", "link", Is(&["links"])),
    ("", "redirect-uri, redirects", Is(&["redirect-uris"])),
    ("", "completion", Is(&["completions"])),
    ("", "profiles, profiles list, profiles ls, profile list, profile ls, contexts", Is(&["config", "list"])),
    ("", "profile use, profiles use, profile switch, auth switch", Say("did you mean `assessctl config use`?")),
    ("", "profile create, profile add, login, auth, configure, setup, init", INIT),
    ("", "context, profile", Say("`assessctl config list` lists the profiles, `assessctl config use NAME` takes one")),
    ("", "assessments, assessment, scores, tests", Say("did you mean `assessctl results`?")),
    ("", "groups, group", Say("did you mean `assessctl projects`?")),
    ("", "auth status, auth test, status, health, ping, info, test, diagnose", DOCTOR),
    ("", "auth whoami", Say("`assessctl config show` tells profile, address and where the key comes from")),
    ("", "auth list", Say("`assessctl config list` lists the profiles")),
    ("", "auth logout, logout", Say("`assessctl config unset api-key` takes a key out of the profile")),
    ("", "enrol FILE, enroll FILE, add FILE, create FILE", IMPORT),
    ("", "remove FILE, delete FILE, rm FILE", REMOVE_FILE),
    ("", "demo, try", Say("`assessctl --profile sandbox projects list` tries things out without an account")),
    ("", "docs, doc, guide, tutorial, examples, manual", Say("`assessctl help` lists topics and commands")),
    ("", "commands", Say("`assessctl --help` lists the commands")),
    ("", "undo", UNDO),
    ("", "resume, continue, retry", AGAIN),
    ("", "search, find", SEARCH),
    ("", "send, mail, invite, notify", NO_MAIL),
    ("", "add", ENROL),
    ("", "apply",
        Say("`assessctl testtakers import FILE.csv` enrols a file, `assessctl testtakers sync FILE.csv` follows it")),
    ("", "diff, plan", FOLLOW),
    ("", "flagged", AT_RISK),
    ("", "audit, log, logs, history", Say("`assessctl journal list` shows what was sent from here")),
    ("", "proxies, proxy", Say("`assessctl help environment` lists the variables, those of a proxy too")),
    ("", "cron", Say("`assessctl help scripting` has lines for cron")),
    ("", "topics", Say("`assessctl help` lists topics and commands")),
    ("", "serve, start, run",
        Say("`assessctl sandbox serve` starts a service; `--profile sandbox` needs none to be started")),
    ("", "open, browse", Say("`assessctl projects link` prints a project's address")),
    ("", "env", Say("`assessctl help environment` lists the variables")),
    ("", "errors, codes", Say("`assessctl help exit-codes` says what each exit code means")),
    ("", "csv, excel",
        Say("`assessctl help rosters` is about files of people, `assessctl help output` about what is written")),
    ("", "json, formats", Say("`assessctl help output` lists the formats")),
    ("", "keys", Say("`assessctl help profiles` says where address and key are kept")),
    ("", "recipes", Say("`assessctl help scripting` has recipes")),
    ("", "api", Say("each operation of the service has a command of its own: `assessctl --help`")),
    ("", "upgrade, self-update", Say("`cargo install --locked --path .` in a newer clone replaces the program")),
    ("*", "ls", Is(&["list"])),
    ("*", "show, view, describe, info, read, cat", Is(&["get"])),
    ("projects", "new, add", Say("did you mean `assessctl projects create`?")),
    ("projects", "rm, delete, remove, archive, update, edit, rename",
        Say("projects are changed and deleted in the portal alone")),
    ("projects", "members, users, people", Say("`assessctl testtakers list -p NAME_OR_ID` lists a project's people")),
    ("projects", "summary, stats, status", SUMMARY),
    ("projects", "export", Say("`assessctl projects list --to FILE.csv` writes the list")),
    ("projects", "switch, select, set-default, use", Say("`assessctl config set project NAME_OR_ID` keeps a project")),
    ("projects", "current", Say("`assessctl config get project` prints the project that is kept")),
    ("projects", "search, find", Say("`assessctl projects list --filter TEXT` searches")),
    ("projects", "open", Say("`assessctl projects link` prints a project's address")),
    ("testtakers", "rm, delete, del, destroy, unenrol, unenroll", Say("did you mean `assessctl testtakers remove`?")),
    ("testtakers", "exists", Say("`assessctl testtakers get ref:REFERENCE_ID` ends with 4 where there is none")),
    ("testtakers", "restore", Say("`assessctl testtakers enrol --email ADDRESS --again` enrols a removed person anew")),
    ("testtakers", "bulk-create, upload, load, bulk-import, add FILE, new FILE, create FILE", IMPORT),
    ("testtakers", "add, new, create, register", ENROL),
    ("testtakers", "edit, change, set, patch, rename", Say("did you mean `assessctl testtakers update`?")),
    ("testtakers", "rm FILE, delete FILE", REMOVE_FILE),
    ("testtakers", "template, sample, example, columns, fields, headers", HEADER),
    ("testtakers", "stats, summary, count", SUMMARY),
    ("testtakers", "status", Say("`assessctl results get REFERENCE_ID` shows a person's result")),
    ("testtakers", "link, links, issue", ISSUE),
    ("testtakers", "resume, retry", AGAIN),
    ("testtakers", "validate, lint, verify", Say("did you mean `assessctl testtakers check`?")),
    ("testtakers", "export, download", Say("`assessctl testtakers list --to FILE.csv` writes the list")),
    ("testtakers", "search, find", SEARCH),
    ("testtakers", "undo, rollback, revert", UNDO),
    ("testtakers", "diff, plan", FOLLOW),
    ("testtakers", "mv, move, transfer",
        Say("enrol in the other project first, then take out of this one: `assessctl testtakers enrol`, `assessctl testtakers remove`")),
    ("testtakers", "invite, send", NO_MAIL),
    ("results", "download, dump", Say("did you mean `assessctl results export`?")),
    ("results", "count, stats, statistics", Say("did you mean `assessctl results summary`?")),
    ("results", "watch, tail, follow, monitor, poll, new, diff, wait",
        Say("did you mean `assessctl results changes`?")),
    ("results", "search, find", Say("`assessctl results list --filter TEXT` searches")),
    ("results", "flagged, at-risk, failed, unfit", AT_RISK),
    ("results", "history", Say("the service has the latest result alone: `assessctl results changes` tells a new one")),
    ("results", "set, update, delete, rm",
        Say("results come out of assessments; in the sandbox `assessctl sandbox set` sets them")),
    ("links", "ls, list, get, show, export, download, status",
        Say("links cannot be read again: `assessctl links issue` issues new ones, and --to FILE keeps them")),
    ("links", "create, new, add, generate, renew, regenerate, refresh", ISSUE),
    ("links", "invalidate, cancel, disable, revoke, expire, delete, rm",
        Say("a new link voids the old one: `assessctl links issue ref:REFERENCE_ID`")),
    ("links", "send, mail", NO_MAIL),
    ("links", "rotate",
        Say("`assessctl links issue --file FILE.csv --rotate` issues new links for everybody in a file")),
    ("redirect-uris", "get, show", Is(&["list"])),
    ("redirect-uris", "create, set", Say("did you mean `assessctl redirect-uris add`?")),
    ("redirect-uris", "rm, delete, remove", Say("redirect URIs are removed in the portal alone")),
    ("journal", "get, view, tail, log", Is(&["show"])),
    ("journal", "export", Say("`assessctl journal show --to FILE.csv` writes it")),
    ("journal", "rm, delete, clear", Say("did you mean `assessctl journal forget`?")),
    ("journal", "status, pending, doubts", Say("`assessctl journal show --in-doubt` lists what is not known yet")),
    ("journal", "retry, resume", AGAIN),
    ("journal", "rollback, revert", UNDO),
    ("config", "view, current, current-context, dump", Is(&["show"])),
    ("config", "get-contexts, profiles", Is(&["list"])),
    ("config", "edit", Say("`assessctl config path` prints the file to edit")),
    ("config", "add, create, new", INIT),
    ("config", "switch, use-context, use-profile", Say("did you mean `assessctl config use`?")),
    ("config", "set-context", Say("did you mean `assessctl config set`, or `assessctl config use`?")),
    ("config", "test, check, validate", DOCTOR),
    ("config", "rm, delete, remove",
        Say("`assessctl config path` prints the file: take the profile's section out of it")),
    ("sandbox", "start, run, up", Say("did you mean `assessctl sandbox serve`?")),
    ("sandbox", "init, seed, populate, import",
        Say("`assessctl testtakers import FILE.csv --profile sandbox` enrols people there")),
    ("sandbox", "stop", Say("nothing runs between commands: Ctrl-C ends `assessctl sandbox serve`")),
    ("sandbox", "status", Say("`assessctl doctor --profile sandbox` says how it stands")),
    ("sandbox", "list", Say("did you mean `assessctl testtakers list --profile sandbox`?")),
    ("sandbox", "clear, clean, wipe, delete", Say("did you mean `assessctl sandbox reset`?")),
];

/// Options. What means the same has to be an option of the command, and the foreign word none.
#[rustfmt::skip]
pub const OPTIONS: &[Entry] = &[
    ("*", "--json", Is(&["-o", "json"])),
    ("*", "--json", Say("`-o json` prints JSON; --fields A,B chooses what of it")),
    ("*", "--csv", Is(&["-o", "csv"])),
    ("*", "--csv", Say("did you mean `-o csv`?")),
    ("*", "--ndjson, --jsonl", Is(&["-o", "ndjson"])),
    ("*", "--format, --output-format", Is(&["--output"])),
    ("*", "--columns, --field, --select", Is(&["--fields"])),
    ("*", "--no-headers, --noheader, --no-heading", Is(&["--no-header"])),
    ("*", "-L, --first, --head, --top, --max-items, --max-results", Is(&["--limit"])),
    ("*", "--max", Say("`--limit N` takes the first N")),
    ("*", "--count", Say("`--limit N` takes the first N; `assessctl results summary` counts")),
    ("*", "-n", Say("`--limit N` takes the first N; -p NAME_OR_ID names a project")),
    ("*", "--per-page", Is(&["--page-size"])),
    ("*", "--paginate, --no-paginate, --all-pages", BY_ITSELF),
    ("projects list", "--all, -a", BY_ITSELF),
    ("testtakers list", "--all, -a", BY_ITSELF),
    ("results list", "--all, -a", BY_ITSELF),
    ("*", "--no-cache, --refresh", Is(&["--bypass-cache"])),
    ("*", "--ids-only, --id-only, --only-ids", Say("`--fields id --no-header -o csv` prints ids alone")),
    ("results export", "--all", Say("did you mean `--all-projects`?")),
    ("testtakers remove", "--all",
        Say("`--file FILE` names many: `assessctl testtakers list --to FILE.csv` writes one")),
    ("*", "--all-namespaces", NO_PROJECTS),
    ("testtakers list", "--all-projects, -A", NO_PROJECTS),
    ("results list", "--all-projects, -A", NO_PROJECTS),
    ("results list", "--status", Is(&["--result"])),
    ("testtakers list", "--status, --pending, --not-completed, --result, --results",
        Say("`assessctl results list --result RESULT` chooses by result, --not-completed who is not done")),
    ("results", "--pending, --incomplete", Say("did you mean `--not-completed`?")),
    ("results", "--completed", Say("did you mean `--completed-only`?")),
    ("projects list", "--status", Is(&["--state"])),
    ("projects list", "--active", Say("did you mean `--state Active`?")),
    ("projects list", "--inactive", Say("did you mean `--state Inactive`?")),
    ("*", "--selector, --field-selector, --where, -l", Say("`--filter TEXT` searches; --jq EXPR chooses by any field")),
    ("*", "--sent, --unsent",
        Say("`--has-last-test-sent false` shows people without an invitation, true those with one")),
    ("testtakers list", "--email, --id", SEARCHED),
    ("testtakers list", "--ref", Is(&["--reference-id"])),
    ("results list", "--email, --id, --ref, --reference-id", SEARCHED),
    ("*", "--search, -S, --grep, --find", Is(&["--filter"])),
    ("*", "--name", Say("`--filter TEXT` searches names")),
    ("projects get", "--id, --name", Say("the project stands by itself: `assessctl projects get NAME_OR_ID`")),
    ("projects link", "--id, --name", Say("the project stands by itself: `assessctl projects link NAME_OR_ID`")),
    ("projects create", "--name", Say("the name stands by itself: `assessctl projects create NAME`")),
    ("*", "--since", Is(&["--completed-since"])),
    ("testtakers list", "--since, --from, --after, --today, --last, --completed-since, --completed-after",
        Say("`assessctl results list --completed-since 24h` shows who completed since")),
    ("testtakers list", "--created, --created-after, --created-before, --created-since, --enrolled-after, --enrolled-since",
        Say("the service tells no time of enrolment: `assessctl journal show` lists what was sent from here, and when")),
    ("projects list", "--since, --created-after, --created-before, --created-since",
        Say("`--jq EXPR` chooses by time: --jq '[.[] | select(.dateCreated > \"2026-01-01\")]'")),
    ("testtakers list", "--flagged", Say("`assessctl results list --flagged` shows who needs attention")),
    ("*", "--offset, --skip", Say("leave it out: a list is the whole list; `--page N` shows one page")),
    ("*", "--wide, --no-truncate, --no-trunc",
        Say("leave it out: off a terminal nothing is cut; `-o csv` has every field")),
    ("*", "--pretty", Say("leave it out: `-o json` is indented, `-o ndjson` is not")),
    ("*", "--compact", Say("`-o ndjson` has one record a line")),
    ("*", "--raw", Say("leave it out: `--jq EXPR` prints texts as they are")),
    ("*", "--separator, --sep, --delim, -d", Is(&["--delimiter"])),
    ("*", "--charset", Is(&["--encoding"])),
    ("*", "--mapping", Is(&["--map"])),
    ("*", "--separator", Say("leave it out: CSV has commas; `--jq EXPR` with @tsv has tabs")),
    ("*", "--save, --out, --outfile, --output-file, -O", Say("did you mean `--to`?")),
    ("testtakers enrol", "--name", TWO_NAMES),
    ("testtakers update", "--name", TWO_NAMES),
    ("testtakers enrol", "--external-id, --employee-id, --ref, --id", OWN_ID),
    ("testtakers enrol", "--year, --yob, --dob, --birthday", Say("did you mean `--birth-year`?")),
    ("testtakers enrol", "--file, -f, --csv, --from-csv",
        Say("`assessctl testtakers import FILE.csv` enrols everybody in a file")),
    ("testtakers update", "--external-id, --employee-id", OWN_ID),
    ("*", "--reference-id, --ref", Say("a test taker is named by ref:REFERENCE_ID, without an option")),
    ("testtakers import", "--resume, --continue, --restart, --retry-failed, --start-at", CONTINUES),
    ("testtakers sync", "--resume, --continue", CONTINUES),
    ("links issue", "--resume, --continue", CONTINUES),
    ("testtakers import", "--batch-size, --batch, --chunk-size", EACH_ROW),
    ("testtakers sync", "--batch-size", EACH_ROW),
    ("testtakers import", "--skip-existing, --ignore-existing, --if-not-exists",
        Say("leave it out: people who are enrolled already are skipped unless --on-existing says otherwise")),
    ("testtakers import", "--limit", Say("leave it out: `--dry-run` shows what would be done with each row")),
    ("testtakers import", "--max-errors, --strict",
        Say("leave it out: a file with a mistake is refused as a whole unless `--skip-invalid`")),
    ("testtakers import", "--key, --match-by, --match-on", MATCHED),
    ("testtakers sync", "--key, --match-by, --match-on", MATCHED),
    ("*", "--id-column, --email-column, --column", Say("`--map HEADER=FIELD` takes a column as a field")),
    ("*", "--error-file, --errors-file, --reject-file, --rejects", Say("did you mean `--failed-out`?")),
    ("*", "--send, --send-links", NO_MAIL),
    ("*", "--links", Say("did you mean `--with-links FILE`?")),
    ("*", "--wait", Say("leave it out: what is in doubt is waited for unless `--no-wait`")),
    ("*", "--no-dry-run", Say("leave it out: `--dry-run` alone sends nothing")),
    ("testtakers import", "--update-existing, --update, --upsert, --overwrite",
        Say("did you mean `--on-existing update`?")),
    ("testtakers import", "--prune, --delete, --delete-missing, --sync",
        Say("`assessctl testtakers sync FILE.csv` removes people who left the file; an import removes none")),
    ("testtakers sync", "--prune, --delete, --delete-missing, --remove, --remove-missing, --purge, --mirror",
        Say("leave it out: people who are missing in two files in a row are removed, within --max-leavers; `--leavers keep` keeps them")),
    ("testtakers sync", "--no-prune, --no-delete, --no-remove, --keep-missing", Say("did you mean `--leavers keep`?")),
    ("testtakers sync", "--max-delete, --max-deletes, --max-removals, --threshold", Say("did you mean `--max-leavers`?")),
    ("testtakers sync", "--out", Say("`--plan FILE` writes what would change, --to FILE the report")),
    ("testtakers sync", "--apply, --auto-approve",
        Say("leave it out: without --plan it is done at once, within the limits")),
    ("testtakers sync", "-n, --check, --diff, --dry-run",
        Say("`--plan FILE` writes what would change, and sends nothing")),
    ("testtakers import", "--yes, -y", Say("leave it out: nothing is asked; --dry-run shows what would be done")),
    ("testtakers import", "--force",
        Say("`--skip-invalid` leaves rows with mistakes out; --allow-suspicious takes them")),
    ("*", "--ignore-errors, --continue-on-error, --skip-errors, --keep-going",
        Say("`--skip-invalid` leaves rows with mistakes out")),
    ("*", "--header", Say("leave it out: there is a header unless --no-header")),
    ("links issue", "--expires, --ttl, --expire, --expires-in, --expires-at, --expiry, --expiration, --lifetime, --valid-for, --valid-until, --duration",
        Say("how long a link works is the service's: 24 hours")),
    ("links issue", "--open", Say("leave it out: whoever opens a link begins the test")),
    ("links issue", "--force, --renew",
        Say("leave it out: people who are named get a new link; with --file and --all `--rotate` says so")),
    ("links issue", "--copy, --url-only, --only-url", Say("`--fields url --no-header -o csv` prints the link alone, for a pipe")),
    ("results", "--failed, --only-failed, --only-flagged, --unfit, --flagged, --at-risk, --risk", AT_RISK),
    ("results", "--passed, --fit, --cleared, --ok",
        Say("`--result Completed` shows who completed; --completed-only all who did an assessment")),
    ("results export", "--append", Say("leave it out: an export is the whole list, and replaces its file")),
    ("results report", "--pdf", Say("`--to FILE.html` writes a page, which a browser prints")),
    ("config", "--show-origin", Say("`assessctl config show` tells where each value comes from")),
    ("journal forget", "--all", Say("did you mean `--everything`?")),
    ("journal undo", "--last", Say("name the file that was imported: `assessctl journal undo FILE.csv`")),
    ("sandbox serve", "--port, -p, --host, --addr", Say("`--listen 127.0.0.1:8080` names address and port")),
    ("completions", "--shell", Say("the shell stands by itself: `assessctl completions bash`")),
    ("completions", "--install", Say("leave it out: `assessctl completions --help` says where the script belongs")),
    ("doctor", "--fix", Say("leave it out: each line says what to type")),
    ("*", "--proxy", Say("set HTTPS_PROXY: `assessctl help environment`")),
    ("*", "-P", Say("did you mean `--profile` or `-p PROJECT`?")),
    ("*", "--from, --after, --last, --date, --month, --start, --start-date, --completed-after, --completed-from",
        Say("`--completed-since TIME` shows who completed at this time or later, such as 24h")),
    ("*", "--until, --before, --end, --end-date, --completed-before, --completed-until",
        Say("`--completed-since TIME` is the one limit of time: `--jq EXPR` cuts the end off")),
    ("*", "--today", Say("`--completed-since 24h` shows whose assessment ended in the last day")),
    ("results", "--latest", Say("leave it out: a list has the latest result of each person")),
    ("*", "--high-risk", Say("`--flagged` shows who needs attention; --result HighRisk one result alone")),
    ("*", "--query, --jmespath, --template", Say(WITH_JQ)),
    ("*", "--query, --jq, --jmespath, --template", Say(WITH_PIPE)),
    ("*", "--sort, --sort-by", Is(&["--order-by"])),
    ("*", "--reverse, --desc", Say("`--order Desc` turns the order round")),
    ("testtakers import", "--file, -f, --csv, -i, --input, --from-file",
        Say("the file stands by itself: `assessctl testtakers import FILE.csv`")),
    ("testtakers import", "--stdin", INPUT),
    ("testtakers check", "--file, -f", Say("the file stands by itself: `assessctl testtakers check FILE.csv`")),
    ("testtakers check", "--stdin", INPUT),
    ("testtakers check", "-p, --project", Say("leave it out: a check sends nothing, and is about no project")),
    ("testtakers check", "--template, --sample, --example", HEADER),
    ("testtakers import", "--template, --sample, --example", HEADER),
    ("projects create", "--dry-run", Say("`--profile sandbox` rehearses: nothing leaves this machine")),
    ("testtakers sync", "--stdin", INPUT),
    ("*", "--stdin", Say("`--file -` reads standard input")),
    ("*", "--stdin", Say("`--ids-from -` reads standard input")),
    ("*", "--output-dir, --out-dir, --dir, -d", Say("did you mean `--to-dir`?")),
    ("*", "--from-file, --input", Say("did you mean `--file`?")),
    ("*", "--ids, --ids-file", Is(&["--ids-from"])),
    ("*", "--force, -y, -f, --assume-yes, --no-confirm", Say("did you mean `--yes`?")),
    ("*", "--no-input, --non-interactive", Say("leave it out: off a terminal nothing is asked")),
    ("*", "--progress, --no-progress", Say("leave it out: progress is drawn on a terminal alone, and not with -q")),
    ("*", "--debug, --trace, -vv, -vvv", Is(&["--verbose"])),
    ("*", "--silent, -s", Is(&["--quiet"])),
    ("*", "--project-id, --project-name", Is(&["--project"])),
    ("*", "--namespace", Say("`--project NAME_OR_ID` names a project")),
    ("testtakers update", "--email, --birth-year",
        Say("the service changes no e-mail and no year of birth: `assessctl testtakers remove`, then `assessctl testtakers enrol`; email:ADDRESS names a person")),
    ("testtakers sync", "--yes, -y, --force",
        Say("leave it out: nothing is asked, and more leavers than --max-leavers are held for `assessctl testtakers apply`")),
    ("testtakers sync", "--file, -f", Say("the file stands by itself: `assessctl testtakers sync FILE.csv`")),
    ("*", "--id", Say("a test taker is named by id:ENTRY_ID, ref:REFERENCE_ID or email:ADDRESS, without an option")),
    ("*", "--email", Say("a test taker is named by email:ADDRESS, without an option")),
    ("*", "--url, --host, --server, --endpoint, --endpoint-url", Is(&["--base-url"])),
    ("*", "--token, --key, --api-key, --password",
        Say("`--api-key-file FILE`: a key on the command line could be read by others; `-` is standard input")),
    ("*", "--context, --account, --env", Is(&["--profile"])),
    ("*", "--config-file", Is(&["--config"])),
    ("*", "--cacert", Is(&["--ca-cert"])),
    ("*", "--insecure, -k, --no-verify-ssl",
        Say("certificates are always checked; `--ca-cert FILE` trusts an authority of your own")),
    ("*", "--no-color, --no-colour", Is(&["--color", "never"])),
    ("*", "--colour", Is(&["--color"])),
    ("*", "--no-pager", Say("leave it out: nothing is paged")),
    ("*", "--jobs, -j, --parallel, --workers, --threads", Is(&["--concurrency"])),
    ("*", "--rate, --rate-limit", Is(&["--max-rate"])),
    ("*", "--retries, --retry, --max-retries, --max-attempts, --retry-delay, --backoff",
        Say("leave it out: what is safe to repeat is repeated; `--deadline TIME` ends a run")),
    ("*", "--log-level, --loglevel, --log", Say("`-v` tells each request on standard error")),
    ("*", "--log-file", Say("`-v` tells each request on standard error: 2> FILE keeps it")),
    ("*", "--max-time", Is(&["--deadline"])),
    ("*", "--watch, -w, --follow, --interval",
        Say("`assessctl results changes` tells what is new since its last run; cron or watch runs it again")),
    ("*", "--whatif, --what-if, --plan, --check, --preview, --simulate, --noop, -n", Say("did you mean `--dry-run`?")),
    ("*", "-?, --usage", Say("did you mean `--help`?")),
    ("*", "--version", Say("did you mean `assessctl --version`?")),
];

/// Formats of `-o`.
pub const FORMATS: &[(&str, &str)] = &[
    ("jsonl", "did you mean `-o ndjson`?"),
    ("jsonlines", "did you mean `-o ndjson`?"),
    ("yaml", "`-o json`: what reads YAML reads JSON, too"),
    ("yml", "`-o json`: what reads YAML reads JSON, too"),
    ("tsv", "`-o csv`, which quotes what has to be quoted"),
    ("text", "did you mean `-o table`?"),
    ("plain", "did you mean `-o table`?"),
    ("wide", "`-o csv` has every field; `--fields A,B` chooses a table's columns"),
    ("name", "`-o csv --no-header --fields id` prints ids alone"),
    ("id", "`-o csv --no-header --fields id` prints ids alone"),
    ("ids", "`-o csv --no-header --fields id` prints ids alone"),
    ("pretty", "did you mean `-o table`?"),
    ("url", "`-o csv --no-header --fields url` prints links alone"),
    ("html", "`assessctl results report --to FILE.html` writes a page"),
    ("-", "leave it out: standard output is where it goes"),
    ("excel", "`-o csv --excel` is for spreadsheets"),
];

/// The first of a table's entries for a word in a place that `fits`.
pub fn entry(table: &'static [Entry], path: &[&str], word: &str, fits: impl Fn(Ours) -> bool) -> Option<Ours> {
    let here = path.join(" ");
    let of = |place: &str| {
        place == here
            || (place == "*" && (word.starts_with('-') || !path.is_empty()))
            || here.starts_with(&format!("{place} "))
    };
    // What is said of one place counts more than what is said of all.
    let (mut own, mut any) = (None, None);
    for (place, theirs, ours) in table {
        if theirs.split(", ").any(|theirs| theirs == word) && of(place) && fits(*ours) {
            let slot = if *place == "*" { &mut any } else { &mut own };
            slot.get_or_insert(*ours);
        }
    }
    own.or(any)
}
