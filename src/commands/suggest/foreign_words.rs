//! Words of other programs, and what they mean here: commands.

use crate::commands::suggest::dictionary::Entry;
use crate::commands::suggest::suggestion::{Suggestion, command, is, say};

pub const ENROL: Suggestion = say("`assessctl testtakers enrol --email ADDRESS --reference-id ID --first-name NAME --last-name NAME` enrols one person, `assessctl testtakers import FILE.csv` many");
pub const INIT: Suggestion = command("config init", "It asks for the address and the key, and writes a profile");
const DOCTOR: Suggestion = say("`assessctl doctor` tries configuration, network and key");
pub const NO_MAIL: Suggestion = say("nothing is mailed from here: `assessctl links issue --all --to links.csv` writes links to be sent");
const SEARCH: Suggestion = say("`assessctl testtakers list --filter TEXT` searches");
const UNDO: Suggestion = command("journal undo FILE.csv", "It removes the people that its import enrolled");
const IMPORT: Suggestion = command("testtakers import", "");
pub const REMOVE_FILE: Suggestion = say("`assessctl testtakers remove --file FILE --dry-run` shows who of a file would be removed, and without --dry-run they are");
pub const PENDING: Suggestion = say("`assessctl results list --not-completed` shows who has no result yet");
const GATE: Suggestion = say("`assessctl results get REFERENCE_ID --fail-on HighRisk` ends with 8 for that result");
pub const COPY: Suggestion = say("`assessctl testtakers list --to FILE.csv` writes a project's people, `assessctl testtakers import FILE.csv -p OTHER` enrols them in another");
pub const SUMMARY: Suggestion = say("`assessctl results summary` counts people and results");
pub const STATUS: Suggestion = say("`assessctl results summary` counts people and results, `assessctl doctor` tries configuration, network and key");
pub const EXPORT_RESULTS: Suggestion = command("results export", "");
pub const EXPORT_PEOPLE: Suggestion = say("`assessctl testtakers list --to FILE` writes the list, as .csv or .xlsx");
pub const PURGE: Suggestion = say("`assessctl testtakers list --to people.csv` writes who is there, `assessctl testtakers remove --file people.csv --dry-run` shows that they would be removed, and without --dry-run they are");
pub const ROTATE: Suggestion = say("`assessctl links issue --file FILE.csv --rotate` issues new links for everybody in a file");
pub const NO_LINKS: Suggestion = say("links cannot be read again, and a new one voids those before it: `assessctl links issue ref:REFERENCE_ID` issues one, `assessctl links issue --all --to links.csv` one for each person, with --dry-run none");
const MOVE: Suggestion = say("enrol in the other project first, then take out of this one; the result stays behind, and a name or year that is not given: `assessctl testtakers get ref:REFERENCE_ID` shows them, `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME --birth-year YEAR -p OTHER` enrols there, `assessctl testtakers remove ref:REFERENCE_ID` takes out here");
/// What is said of another e-mail or year of birth.
pub const FIXED: Suggestion = say("the API cannot change e-mail or year of birth, and removing and enrolling again loses the results and each value that is not given: `assessctl testtakers get ref:REFERENCE_ID` shows them, `assessctl testtakers remove ref:REFERENCE_ID` takes out, `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID --first-name NAME --last-name NAME --birth-year YEAR` enrols anew");
const ISSUE: Suggestion = command("links issue", "");
const AGAIN: Suggestion = say("type the command again that was interrupted: it continues where it stopped");
const REPORTS: Suggestion = say("there is no PDF: `assessctl results get REFERENCE_ID` shows a person's result, `assessctl results report --to FILE.html` writes a page of a project's");
const DATA: Suggestion = say("`assessctl results export --all-projects --to FILE.csv` writes results, `assessctl testtakers list --to FILE.csv` people");
pub const REPORT: Suggestion = say("`assessctl results summary` counts, `assessctl results report --to FILE.html` writes a page");
pub const RESEND: Suggestion = say("nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID` prints a new link to be sent");
/// What is said of a picture of a link.
pub const QR: Suggestion = command("projects link --qr", "");
const NOT_SET: Suggestion = say("results come out of assessments, and nobody is cleared by hand: `assessctl results get REFERENCE_ID` shows a person's result, `assessctl results list --flagged` who needs attention");
const ERASE: Suggestion = say("`assessctl testtakers remove ref:REFERENCE_ID` takes a person out of a project, `assessctl journal forget` forgets what this machine sent");
const NO_WEBHOOKS: Suggestion = say("there are no webhooks: `assessctl results changes -o ndjson`, run by cron, tells each new result once");
pub const TO_REMIND: Suggestion = say("nothing is mailed from here: `assessctl results list --not-completed --to open.csv` writes who has no result yet, `assessctl links issue --file open.csv --to links.csv` links to be sent to them");
pub const INVITE: Suggestion = say("nothing is mailed from here: `assessctl testtakers enrol --email ADDRESS` enrols a person, `assessctl links issue email:ADDRESS` prints a link to be sent");
const QUERY: Suggestion = say("`assessctl results list --jq EXPR` and `assessctl testtakers list --jq EXPR` choose and compute; --flagged and --result choose by result");
const KEEP_PROJECT: Suggestion = command("config set project NAME_OR_ID", "In the sandbox -p names one in each command");
const SCHEMA: Suggestion = say("`assessctl schema COMMAND` describes a command, its options and its output as JSON");
const FOLLOW: Suggestion = say("`assessctl testtakers sync FILE.csv --plan PLAN.ndjson` compares a file with a project");
pub const AT_RISK: Suggestion = say("`assessctl results list --flagged` shows who needs attention");
pub const HEADER: Suggestion = say("`assessctl help rosters` says what a file of people has: a line such as email,firstName,lastName,birthYear,referenceId on top");
pub const HELD: Suggestion = say("`assessctl testtakers sync --show` tells what is held, and with the name of a plan's file what is in it");
pub const IN_PORTAL: Suggestion = say("projects are changed and deleted in the portal alone");
pub const WAITS: Suggestion = say("nothing waits here: `assessctl results get REFERENCE_ID --fail-on flagged` ends with 4 until the test is over, and with 8 where its result is flagged");
pub const JOURNAL: Suggestion = say("`assessctl journal list` shows what was sent from here, `assessctl journal show -p NAME_OR_ID` lists the rows of a project");
pub const USE_PROFILE: Suggestion = command("config use", "");

/// Commands.
pub static COMMANDS: &[Entry] = &[
    ("", "version", is(&["--version"])),
    ("", "whoami, auth whoami, cluster-info, account, account show, account get, auth show, sts get-caller-identity, target", is(&["doctor"])),
    ("", "profile show, profile get, settings, settings list, settings ls, settings show", is(&["config", "show"])),
    ("", "project", is(&["projects"])),
    ("", "testtaker, test-takers, test-taker, test takers, test taker, test-subjects, people, tt, users, participants, employees, enrolments, enrollments, enrolees, enrollees, members, candidates, persons, staff, takers, workers, drivers, pilots, operators, subjects, respondents, examinees, testees, trainees, applicants, students, learners, attendees, individuals, personnel, crew, associates, patients, clients, customers, contacts, assessees", is(&["testtakers"])),
    ("", "outcomes, scores, test results, test-results, test result, test-result", is(&["results"])),
    ("", "result", is(&["results"])),
    ("", "link, test links, test-links, testlinks, test link, test-link, testlink", is(&["links"])),
    ("", "configuration, configs, conf, cfg", is(&["config"])),
    ("", "journals, ledger", is(&["journal"])),
    ("", "redirect-uri, redirects, urls, uris, redirect uris, redirect uri, redirect urls, redirect url, redirect-urls", is(&["redirect-uris"])),
    ("", "completion, autocomplete", is(&["completions"])),
    ("", "profiles, profiles list, profiles ls, profile list, profile ls, contexts, contexts list, org list, orgs, orgs list, org, account list, accounts, accounts list, environments, environments list, env list, workspace list, workspaces, workspaces list, remotes, remote list, targets, servers, servers list", is(&["config", "list"])),
    ("", "profile use, profiles use, profile switch, profile select, auth switch, workspace select, workspace use, context use, contexts use, env use, env select, environment use, account use, account set, org use, org set, target set", USE_PROFILE),
    ("", "use, use-context, use-profile, switch, switch-profile, activate", USE_PROFILE),
    ("", "profile create, profile add, profile new, profiles create, profiles add, profiles new, profile init, context create, org login, org create, auth login, account add, account login, login, auth, configure, setup, init", INIT),
    ("", "runs, imports, jobs, operations", is(&["journal"])),
    ("", "apps, app, groups, group", is(&["projects"])),
    ("", "teams, team, sites, site, departments, department, campaigns, campaign, cohorts, cohort, surveys, survey, studies, study, programs, programmes", is(&["projects"])),
    ("", "data import, data load, data upload, data bulk, bulk upload, bulk load, bulk add, bulk create, bulk enroll, bulk import, bulk enrol, upload FILE, load FILE, push FILE, deploy FILE, i FILE, install FILE, put FILE, post FILE, ingest FILE, copy FILE, cp FILE, mass import, bulk, bulk FILE, import csv, import-csv, csv import, import excel, onboard FILE", IMPORT),
    ("", "export all, export everything, dump all, backup all, data backup", DATA),
    ("", "export csv, export-csv, csv export, export excel, out-file", EXPORT_RESULTS),
    ("", "data export, data dump, backup, dump", DATA),
    ("", "data create, data insert, record create", ENROL),
    ("", "data query, query, sql, select", QUERY),
    ("", "data, database, db", say("`assessctl testtakers list` has the people, `assessctl results list` their results")),
    ("", "invitations list, invitation list, invites list, reminders list, invitations status", PENDING),
    ("", "invitations send, invitation send, invites send, invitations create, invitation create", NO_MAIL),
    ("", "invitations, invitation, invites", INVITE),
    ("", "reminders, reminder, reminders send, reminder send, remind, nudge", TO_REMIND),
    ("", "pdf, reports download, report download", REPORTS),
    ("", "reports, report, dashboard, overview", REPORT),
    ("", "qr, qrcode, qr-code", QR),
    ("", "approve, reject, pass, fail, grade, override, sign-off, certify, clear", NOT_SET),
    ("", "erase, gdpr, anonymize, anonymise, forget", ERASE),
    ("", "synchronize, synchronise, synch", command("testtakers sync", "")),
    ("", "sync status", HELD),
    ("", "reissue, re-issue, reinvite", ISSUE),
    ("", "unregister, deregister, withdraw, offboard, expel", command("testtakers remove", "")),
    ("", "unregister FILE, deregister FILE, withdraw FILE, offboard FILE", REMOVE_FILE),
    ("", "onboard", ENROL),
    ("", "reports run, reports list, reports create, report run, report create, report list", say("`assessctl results list --flagged` shows who needs attention, `assessctl results summary` counts, `assessctl results report --to FILE.html` writes a page")),
    ("", "listen, webhook, webhooks, events, event, subscribe, subscriptions, trigger, hooks, hook, callbacks", NO_WEBHOOKS),
    ("", "rollout, rollout undo, rollback, revert", UNDO),
    ("", "explain", SCHEMA),
    ("", "configure set, settings set, profile set", command("config set KEY VALUE", "")),
    ("", "configure list, configure get", is(&["config", "show"])),
    ("", "configure list-profiles, configure profiles", is(&["config", "list"])),
    ("", "context, profile", say("`assessctl config list` lists the profiles, `assessctl config use NAME` takes one")),
    ("", "assessments, assessment, tests", command("results", "")),
    ("", "auth status, auth test, health, ping, info, test, diagnose, test-connection, test connection, check connection", DOCTOR),
    ("", "status", STATUS),
    ("", "auth list", say("`assessctl config list` lists the profiles")),
    ("", "auth logout, logout", say("`assessctl config unset api-key` takes a key out of the profile")),
    ("", "enrol FILE, enroll FILE, add FILE, create FILE", IMPORT),
    ("", "remove FILE, delete FILE, rm FILE", REMOVE_FILE),
    ("", "demo, try", say("`assessctl --profile sandbox projects list` tries things out without an account")),
    ("", "docs, doc, guide, tutorial, examples, manual", say("`assessctl help` lists topics and commands")),
    ("", "commands, get-command, get command, get-help, get help, list commands", say("`assessctl --help` lists the commands")),
    ("", "undo", UNDO),
    ("", "resume, continue, retry", AGAIN),
    ("", "import resume, import continue, import retry", AGAIN),
    ("", "search, find, who", SEARCH),
    ("", "send invitation, send invitations, send invite, send invites, send link, send links, send mail", NO_MAIL),
    ("", "connect, connect-service, sign-in, signin", INIT),
    ("", "disconnect, sign-out, signout", say("`assessctl config unset api-key` takes a key out of the profile")),
    ("", "send, mail, invite, notify", NO_MAIL),
    ("", "add", ENROL),
    ("", "apply", say("`assessctl testtakers import FILE.csv` enrols a file, `assessctl testtakers sync FILE.csv` follows it, `assessctl testtakers apply PLAN.ndjson` does what a plan says")),
    ("", "diff, plan", FOLLOW),
    ("", "hr, hris", FOLLOW),
    ("", "hr sync, hris sync, hr-sync, roster sync", command("testtakers sync", "")),
    ("", "hr import, hris import, hr-import, roster import, roster upload, roster load, roster enrol", IMPORT),
    ("", "roster check, roster validate, roster lint, roster FILE", command("testtakers check", "")),
    ("", "roster export, roster download, rosters export", EXPORT_PEOPLE),
    ("", "start test, take test, begin test, repeat test, redo test, reset test, new test, retake test, retake, retest, restart test", ISSUE),
    ("", "test status, assessment status, tests status", STATUS),
    ("", "change name, set name, edit name, update name, change lastname, set lastname", say("`assessctl testtakers update ref:REFERENCE_ID --first-name NAME --last-name NAME` changes a name")),
    ("", "leavers FILE, leaver FILE", REMOVE_FILE),
    ("", "roster, rosters", say("`assessctl help rosters` says what a file of people has, `assessctl testtakers list` shows who is enrolled")),
    ("", "print users, print people, print employees, print members, print testtakers, print participants", is(&["testtakers", "list"])),
    ("", "print groups, print projects", is(&["projects", "list"])),
    ("", "plan show, plan list, plan get, plans, held, holds", HELD),
    ("", "flagged, unfit, fit", AT_RISK),
    ("", "pending, overdue", PENDING),
    ("", "copy, clone, cp, push, pull", COPY),
    ("", "audit, audit-log, audit-logs, log, logs, history, activity", JOURNAL),
    ("", "proxies, proxy", say("`assessctl help environment` lists the variables, those of a proxy too")),
    ("", "cron", say("`assessctl help scripting` has lines for cron")),
    ("", "topics", say("`assessctl help` lists topics and commands")),
    ("", "serve, start, run", say("`assessctl sandbox serve` starts a service; `--profile sandbox` needs none to be started")),
    ("", "open, browse", say("`assessctl projects link` prints a project's address")),
    ("", "env", say("`assessctl help environment` lists the variables")),
    ("", "errors, codes", say("`assessctl help exit-codes` says what each exit code means")),
    ("", "csv, excel", say("`assessctl help rosters` is about files of people, `assessctl help output` about what is written")),
    ("", "json, formats", say("`assessctl help output` lists the formats")),
    ("", "auth print-access-token, auth show-token, auth print-token, print-access-token, show-key, print-key", say("no key is printed: `assessctl config show` says whether one is set, and where it comes from")),
    ("", "keys, secret, secrets, token, tokens, api-key, api-keys, auth token, auth tokens", say("`assessctl help profiles` says where address and key are kept")),
    ("", "recipes", say("`assessctl help scripting` has recipes")),
    ("", "api, curl, raw, request, rest, http, call, invoke", say("each operation of the service has a command of its own: `assessctl --help`")),
    ("", "upgrade, self-update", say("`cargo install --locked --path .` in a newer clone replaces the program")),
    ("*", "ls, index, all, enumerate", is(&["list"])),
    ("*", "show, view, describe, info, read, cat, inspect, retrieve, fetch, lookup, display, details, detail, print", is(&["get"])),
    ("projects", "new, add, make, start, register, set-up, setup", command("projects create", "")),
    ("projects", "rm, delete, remove, archive, unarchive, restore, undelete, update, edit, rename, set, patch, modify, change, activate, deactivate, enable, disable, close, reopen, lock, unlock, purge, destroy, clone, copy, duplicate", IN_PORTAL),
    ("projects", "add-member, add-members, add-user, add-users, add-person, add-people, enrol, enroll", say("to enrol a person in a project: `assessctl testtakers enrol --email ADDRESS -p NAME_OR_ID`")),
    ("projects", "users add, user add, users assign, user assign, member add, members add, member create, people add", say("to enrol a person in a project: `assessctl testtakers enrol --email ADDRESS -p NAME_OR_ID`")),
    ("projects", "users remove, user remove, member remove, members remove, member delete, users delete", command("testtakers remove", "")),
    ("projects", "member, members, users, user, people", say("`assessctl testtakers list -p NAME_OR_ID` lists a project's people")),
    ("projects", "url, address, invite-link, join-link, share", is(&["link"])),
    ("projects", "summary, stats, status", SUMMARY),
    ("projects", "export", say("`assessctl projects list --to FILE.csv` writes the list")),
    ("projects", "switch, select, set-default, use, default, target", KEEP_PROJECT),
    ("projects", "count, number", say("`assessctl projects list -q | wc -l` counts them")),
    ("projects", "exists", say("`assessctl projects get NAME_OR_ID -q` ends with 4 where there is none")),
    ("projects", "current", say("`assessctl config get project` prints the project that is kept")),
    ("projects", "search, find", say("`assessctl projects list --filter TEXT` searches")),
    ("projects", "open", say("`assessctl projects link` prints a project's address")),
    ("testtakers", "dismiss, terminate, fire, leaver, rm, delete, del, destroy, unenrol, unenroll, drop, offboard, unregister, deregister, withdraw, expel, kill", command("testtakers remove", "")),
    ("testtakers", "deactivate, disable, suspend, archive, block, ban", command("testtakers remove", "A person is enrolled or not: there is no state in between")),
    ("testtakers", "exists", say("`assessctl testtakers get ref:REFERENCE_ID` ends with 4 where there is none")),
    ("testtakers", "erase, forget, anonymize, anonymise, gdpr", ERASE),
    ("testtakers", "approve, pass, fail, grade, override, certify", NOT_SET),
    ("testtakers", "reset, retest, retake, reassess", say("`assessctl links issue ref:REFERENCE_ID` issues a new link, with which the test is taken again")),
    ("testtakers", "history", say("the service has the latest result alone: `assessctl results get REFERENCE_ID` shows it")),
    ("testtakers", "result, results, score, outcome", say("`assessctl results get REFERENCE_ID` shows a person's result, `assessctl results list` those of all")),
    ("testtakers", "report, reports", REPORT),
    ("testtakers", "upsert, merge", say("`assessctl testtakers import FILE.csv --on-existing update` enrols or updates the people of a file, `assessctl testtakers enrol --email ADDRESS` enrols one, or says that the person is there")),
    ("testtakers", "replace, mirror, synchronize, synchronise, synch", command("testtakers sync", "")),
    ("testtakers", "restore, reinstate, reactivate, activate, enable", say("`assessctl testtakers enrol --email ADDRESS --again` enrols a removed person anew")),
    ("testtakers", "bulk, bulk-create, upload, load, bulk-import, add FILE, new FILE, create FILE, onboard FILE, make FILE", IMPORT),
    ("testtakers", "add, new, create, register, onboard, make", ENROL),
    ("testtakers", "edit, change, set, patch, rename, correct, amend", command("testtakers update", "")),
    ("testtakers", "explain, attributes, schema", say("`assessctl schema testtakers list` describes its options and its fields")),
    ("results", "explain, attributes, schema, fields, columns", say("`assessctl schema results list` describes its options and its fields")),
    ("projects", "explain, attributes, schema, fields, columns", say("`assessctl schema projects list` describes its options and its fields")),
    ("testtakers", "find --email, search --email, query --email, list --email", command("testtakers get", "")),
    ("testtakers", "rm FILE, delete FILE", REMOVE_FILE),
    ("testtakers", "template, sample, example, columns, fields, headers", HEADER),
    ("testtakers", "prune, purge, clear, empty, wipe, clean, truncate, remove-all, delete-all", PURGE),
    ("testtakers", "stats, summary, count", SUMMARY),
    ("testtakers", "status", say("`assessctl results get REFERENCE_ID` shows a person's result")),
    ("testtakers", "link, links, issue", ISSUE),
    ("testtakers", "resume, retry", AGAIN),
    ("testtakers", "validate, lint, verify", command("testtakers check", "")),
    ("testtakers", "export, download", EXPORT_PEOPLE),
    ("testtakers", "search, find", SEARCH),
    ("testtakers", "undo, rollback, revert", UNDO),
    ("testtakers", "diff, plan", FOLLOW),
    ("testtakers", "plan show, plan get, show-plan, plans, held, holds", HELD),
    ("testtakers", "mv, move, transfer", MOVE),
    ("testtakers", "copy, clone, cp", COPY),
    ("testtakers", "pending, overdue, incomplete, missing", PENDING),
    ("testtakers", "flagged, unfit, at-risk, risky, fit", AT_RISK),
    ("testtakers", "invite, send", NO_MAIL),
    ("testtakers", "remind, nudge, chase", TO_REMIND),
    ("links", "remind, reminder, nudge, chase", TO_REMIND),
    ("results", "remind, nudge, chase", TO_REMIND),
    ("results", "download, dump", EXPORT_RESULTS),
    ("results", "count, stats, statistics, totals, total, counts, overview, aggregate, group", command("results summary", "")),
    ("results", "watch, tail, follow, monitor, poll, new, diff, stream, subscribe, listen", command("results changes", "")),
    ("results", "graph, chart, charts, plot, trend, dashboard, html", REPORT),
    ("results", "pdf", REPORTS),
    ("results", "email, mail, send", say("nothing is mailed from here: `assessctl results list --to FILE.csv` writes what is to be sent")),
    ("results", "archive, backup, save", EXPORT_RESULTS),
    ("results", "compare", command("results changes", "")),
    ("results", "search, find", say("`assessctl results list --filter TEXT` searches")),
    ("results", "flagged, at-risk, failed, unfit", AT_RISK),
    ("results", "pending, overdue, missing, open", PENDING),
    ("results", "latest, last, recent, newest", say("`assessctl results list --completed-since 24h` shows who completed in the last day")),
    ("results", "wait, await", WAITS),
    ("results", "status", is(&["get"])),
    ("results", "check, test, assert", GATE),
    ("results", "history", say("the service has the latest result alone: `assessctl results changes` tells a new one")),
    ("results", "set, update, delete, rm, edit, change, remove", say("results come out of assessments; in the sandbox `assessctl sandbox set` sets them")),
    ("results", "approve, reject, clear, pass, fail, override, sign-off, certify", NOT_SET),
    ("links", "ls, list, get, show, export, download, status", NO_LINKS),
    ("links", "create, new, add, generate, renew, regenerate, refresh, reissue, re-issue, make, print, open, copy, qr, url, show-url, href", ISSUE),
    ("links", "invalidate, void, cancel, disable, revoke, expire, delete, rm", say("a new link voids the old one: `assessctl links issue ref:REFERENCE_ID`")),
    ("links", "send, mail", NO_MAIL),
    ("links", "resend, email", RESEND),
    ("links", "rotate", ROTATE),
    ("redirect-uris", "get, show", is(&["list"])),
    ("redirect-uris", "create, set", command("redirect-uris add", "")),
    ("redirect-uris", "rm, delete, remove", say("redirect URIs are removed in the portal alone")),
    ("journal", "get, view, tail, log", is(&["show"])),
    ("journal", "export", say("`assessctl journal show --to FILE.csv` writes it")),
    ("journal", "rm, delete, clear", command("journal forget", "")),
    ("journal", "status, pending, doubts", say("`assessctl journal show --in-doubt` lists what is not known yet")),
    ("journal", "retry, resume", AGAIN),
    ("journal", "rollback, revert", UNDO),
    ("config", "get-value, read-value", is(&["get"])),
    ("config", "set-value", command("config set", "")),
    ("config", "view, current, current-context, dump", is(&["show"])),
    ("config", "list-profiles, get-contexts, get-profiles, profiles, configurations list, profiles list, profile list", is(&["list"])),
    ("config", "edit", say("`assessctl config path` prints the file to edit")),
    ("config", "env, environment, variables", say("`assessctl help environment` lists the variables")),
    ("config", "add, create, new, configurations create, profiles create, profile create, profiles add, profile add, add-profile, create-profile, new-profile", INIT),
    ("config", "switch, use-context, use-profile, configurations activate, profiles use, profile use, activate, select", USE_PROFILE),
    ("config", "set-context, set-cluster, set-credentials, set-profile, create-context", INIT),
    ("config", "use-project, set-project", KEEP_PROJECT),
    ("config", "test, check, validate", DOCTOR),
    ("config", "rm, delete, remove", say("`assessctl config path` prints the file: take the profile's section out of it")),
    ("sandbox", "start, run, up", command("sandbox serve", "")),
    ("sandbox", "init, seed, populate, import", say("`assessctl testtakers import FILE.csv --profile sandbox` enrols people there")),
    ("sandbox", "stop", say("nothing runs between commands: Ctrl-C ends `assessctl sandbox serve`")),
    ("sandbox", "fail, fault, faults, break, error", say("`assessctl sandbox serve --fault KIND@OPERATION:WHEN` rehearses failures")),
    ("sandbox", "status", say("`assessctl doctor --profile sandbox` says how it stands")),
    ("sandbox", "complete, finish, result", command("sandbox set ref:REFERENCE_ID --result HighRisk", "")),
    ("sandbox", "list", command("testtakers list --profile sandbox", "")),
    ("sandbox", "clear, clean, wipe, delete", command("sandbox reset", "")),
];
