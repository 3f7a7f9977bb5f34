//! Words of other programs and what they mean here: one table for commands, one for options, one for formats.

/// What a foreign word means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ours {
    /// The same as these words of ours, where the command has them: it changes nothing, so it is done.
    Is(&'static [&'static str]),
    /// Something else is to be typed. An option that the sentence begins with has to be one of the command.
    Say(&'static str),
}
use Ours::{Is, Say};

/// A foreign word with the place where it means this: the words of a command, `*` for any, nothing for the program.
pub type Entry = (&'static str, &'static str, Ours);

const REMOVE: Ours = Say("did you mean `assessctl testtakers remove`?");
const ENROL: Ours =
    Say("`assessctl testtakers enrol --email ADDRESS` enrols one person, `assessctl testtakers import FILE.csv` many");
const UPDATE: Ours = Say("did you mean `assessctl testtakers update`?");
const IN_PORTAL: Ours = Say("projects are changed and deleted in the portal alone");
const INIT: Ours = Say("`assessctl config init` asks for the address and the key, and writes a profile");
const DOCTOR: Ours = Say("`assessctl doctor` tries configuration, network and key");
const NO_MAIL: Ours = Say("nothing is mailed from here: `assessctl links issue --to FILE` writes links to be sent");
const NO_LINKS: Ours =
    Say("links cannot be read again: `assessctl links issue` issues new ones, and --to FILE keeps them");
const VOID: Ours = Say("a new link voids the old one: `assessctl links issue ref:REFERENCE_ID`");
const SEARCH: Ours = Say("`assessctl testtakers list --filter TEXT` searches");
const NOT_HERE: Ours = Say("results come out of assessments; in the sandbox `assessctl sandbox set` sets them");

/// Commands.
pub const COMMANDS: &[Entry] = &[
    ("", "version", Is(&["--version"])),
    ("", "whoami", Is(&["config", "show"])),
    ("", "project", Is(&["projects"])),
    ("", "testtaker", Is(&["testtakers"])),
    ("", "test-takers", Is(&["testtakers"])),
    ("", "test-taker", Is(&["testtakers"])),
    ("", "people", Is(&["testtakers"])),
    ("", "result", Is(&["results"])),
    ("", "link", Is(&["links"])),
    ("", "redirect-uri", Is(&["redirect-uris"])),
    ("", "redirects", Is(&["redirect-uris"])),
    ("", "completion", Is(&["completions"])),
    ("", "profiles", Is(&["config", "list"])),
    ("", "settings", Is(&["config", "show"])),
    ("", "login", INIT),
    ("", "auth", INIT),
    ("", "configure", INIT),
    ("", "setup", INIT),
    ("", "init", INIT),
    ("", "logout", Say("`assessctl config unset api-key` takes a key out of the profile")),
    ("", "status", DOCTOR),
    ("", "health", DOCTOR),
    ("", "ping", DOCTOR),
    ("", "info", DOCTOR),
    ("", "test", DOCTOR),
    ("", "diagnose", DOCTOR),
    ("", "search", SEARCH),
    ("", "find", SEARCH),
    ("", "users", SEARCH),
    ("", "send", NO_MAIL),
    ("", "mail", NO_MAIL),
    ("", "invite", NO_MAIL),
    ("", "notify", NO_MAIL),
    ("", "add", ENROL),
    ("", "serve", Say("`assessctl sandbox serve` starts a service; `--profile sandbox` needs none to be started")),
    ("", "start", Say("`assessctl sandbox serve` starts a service; `--profile sandbox` needs none to be started")),
    ("", "run", Say("`assessctl sandbox serve` starts a service; `--profile sandbox` needs none to be started")),
    ("", "log", Say("`assessctl journal list` shows what was sent from here")),
    ("", "logs", Say("`assessctl journal list` shows what was sent from here")),
    ("", "history", Say("`assessctl journal list` shows what was sent from here")),
    ("", "open", Say("`assessctl projects link` prints a project's address")),
    ("", "browse", Say("`assessctl projects link` prints a project's address")),
    ("", "env", Say("`assessctl help environment` lists the variables")),
    ("", "api", Say("each operation of the service has a command of its own: `assessctl --help`")),
    ("", "upgrade", Say("`cargo install --locked --path .` in a newer clone replaces the program")),
    ("", "self-update", Say("`cargo install --locked --path .` in a newer clone replaces the program")),
    ("*", "ls", Is(&["list"])),
    ("*", "show", Is(&["get"])),
    ("*", "view", Is(&["get"])),
    ("*", "describe", Is(&["get"])),
    ("*", "info", Is(&["get"])),
    ("*", "read", Is(&["get"])),
    ("*", "cat", Is(&["get"])),
    ("projects", "new", Say("did you mean `assessctl projects create`?")),
    ("projects", "add", Say("did you mean `assessctl projects create`?")),
    ("projects", "rm", IN_PORTAL),
    ("projects", "delete", IN_PORTAL),
    ("projects", "remove", IN_PORTAL),
    ("projects", "archive", IN_PORTAL),
    ("projects", "update", IN_PORTAL),
    ("projects", "edit", IN_PORTAL),
    ("projects", "rename", IN_PORTAL),
    ("projects", "search", Say("`assessctl projects list --filter TEXT` searches")),
    ("projects", "find", Say("`assessctl projects list --filter TEXT` searches")),
    ("projects", "use", Say("`assessctl config set project NAME_OR_ID` keeps a project")),
    ("projects", "open", Say("`assessctl projects link` prints a project's address")),
    ("testtakers", "rm", REMOVE),
    ("testtakers", "delete", REMOVE),
    ("testtakers", "del", REMOVE),
    ("testtakers", "destroy", REMOVE),
    ("testtakers", "unenrol", REMOVE),
    ("testtakers", "add", ENROL),
    ("testtakers", "new", ENROL),
    ("testtakers", "create", ENROL),
    ("testtakers", "register", ENROL),
    ("testtakers", "edit", UPDATE),
    ("testtakers", "change", UPDATE),
    ("testtakers", "set", UPDATE),
    ("testtakers", "patch", UPDATE),
    ("testtakers", "rename", UPDATE),
    ("testtakers", "upload", Say("did you mean `assessctl testtakers import`?")),
    ("testtakers", "load", Say("did you mean `assessctl testtakers import`?")),
    ("testtakers", "validate", Say("did you mean `assessctl testtakers check`?")),
    ("testtakers", "lint", Say("did you mean `assessctl testtakers check`?")),
    ("testtakers", "verify", Say("did you mean `assessctl testtakers check`?")),
    ("testtakers", "export", Say("`assessctl testtakers list --to FILE.csv` writes the list")),
    ("testtakers", "download", Say("`assessctl testtakers list --to FILE.csv` writes the list")),
    ("testtakers", "search", SEARCH),
    ("testtakers", "find", SEARCH),
    ("testtakers", "count", Say("`assessctl results summary` counts people and results")),
    ("testtakers", "invite", NO_MAIL),
    ("testtakers", "send", NO_MAIL),
    ("results", "download", Say("did you mean `assessctl results export`?")),
    ("results", "dump", Say("did you mean `assessctl results export`?")),
    ("results", "count", Say("did you mean `assessctl results summary`?")),
    ("results", "stats", Say("did you mean `assessctl results summary`?")),
    ("results", "statistics", Say("did you mean `assessctl results summary`?")),
    ("results", "watch", Say("did you mean `assessctl results changes`?")),
    ("results", "tail", Say("did you mean `assessctl results changes`?")),
    ("results", "diff", Say("did you mean `assessctl results changes`?")),
    ("results", "search", Say("`assessctl results list --filter TEXT` searches")),
    ("results", "find", Say("`assessctl results list --filter TEXT` searches")),
    ("results", "flagged", Say("`assessctl results list --flagged` shows who needs attention")),
    ("results", "set", NOT_HERE),
    ("results", "update", NOT_HERE),
    ("results", "delete", NOT_HERE),
    ("results", "rm", NOT_HERE),
    ("links", "ls", NO_LINKS),
    ("links", "list", NO_LINKS),
    ("links", "get", NO_LINKS),
    ("links", "show", NO_LINKS),
    ("links", "create", Say("did you mean `assessctl links issue`?")),
    ("links", "new", Say("did you mean `assessctl links issue`?")),
    ("links", "add", Say("did you mean `assessctl links issue`?")),
    ("links", "generate", Say("did you mean `assessctl links issue`?")),
    ("links", "send", NO_MAIL),
    ("links", "mail", NO_MAIL),
    ("links", "revoke", VOID),
    ("links", "expire", VOID),
    ("links", "delete", VOID),
    ("links", "rm", VOID),
    (
        "links",
        "rotate",
        Say("`assessctl links issue --file FILE.csv --rotate` issues new links for everybody in a file"),
    ),
    ("redirect-uris", "get", Is(&["list"])),
    ("redirect-uris", "show", Is(&["list"])),
    ("redirect-uris", "create", Say("did you mean `assessctl redirect-uris add`?")),
    ("redirect-uris", "set", Say("did you mean `assessctl redirect-uris add`?")),
    ("redirect-uris", "rm", Say("redirect URIs are removed in the portal alone")),
    ("redirect-uris", "delete", Say("redirect URIs are removed in the portal alone")),
    ("redirect-uris", "remove", Say("redirect URIs are removed in the portal alone")),
    ("journal", "get", Is(&["show"])),
    ("journal", "view", Is(&["show"])),
    ("journal", "rm", Say("did you mean `assessctl journal forget`?")),
    ("journal", "delete", Say("did you mean `assessctl journal forget`?")),
    ("journal", "clear", Say("did you mean `assessctl journal forget`?")),
    ("journal", "rollback", Say("did you mean `assessctl journal undo`?")),
    ("journal", "revert", Say("did you mean `assessctl journal undo`?")),
    ("config", "view", Is(&["show"])),
    ("config", "current", Is(&["show"])),
    ("config", "current-context", Is(&["show"])),
    ("config", "get-contexts", Is(&["list"])),
    ("config", "profiles", Is(&["list"])),
    ("config", "edit", Say("`assessctl config path` prints the file to edit")),
    ("config", "add", INIT),
    ("config", "create", INIT),
    ("config", "new", INIT),
    ("config", "switch", Say("did you mean `assessctl config use`?")),
    ("config", "use-context", Say("did you mean `assessctl config use`?")),
    ("config", "rm", Say("`assessctl config path` prints the file: take the profile's section out of it")),
    ("config", "delete", Say("`assessctl config path` prints the file: take the profile's section out of it")),
    ("config", "remove", Say("`assessctl config path` prints the file: take the profile's section out of it")),
    ("sandbox", "start", Say("did you mean `assessctl sandbox serve`?")),
    ("sandbox", "run", Say("did you mean `assessctl sandbox serve`?")),
    ("sandbox", "up", Say("did you mean `assessctl sandbox serve`?")),
    ("sandbox", "clear", Say("did you mean `assessctl sandbox reset`?")),
    ("sandbox", "clean", Say("did you mean `assessctl sandbox reset`?")),
    ("sandbox", "wipe", Say("did you mean `assessctl sandbox reset`?")),
    ("sandbox", "delete", Say("did you mean `assessctl sandbox reset`?")),
];

const BY_ITSELF: Ours = Say("leave it out: a list is the whole list, whatever the size of its pages");
const PROGRAM: Ours = Say("`--jq EXPR` computes from the output");
const PIPE: Ours = Say("`-o json` and a pipe into jq compute from the output");
const KEY: Ours =
    Say("`--api-key-file FILE`: a key on the command line could be read by others; `-` is standard input");
const YES: Ours = Say("did you mean `--yes`?");
const CHECKED: Ours = Say("certificates are always checked; `--ca-cert FILE` trusts an authority of your own");
const AGAIN: Ours =
    Say("`assessctl results changes` tells what is new since its last run; cron or watch runs it again");

/// Options. What means the same has to be an option of the command, and the foreign word none.
pub const OPTIONS: &[Entry] = &[
    ("*", "--json", Is(&["-o", "json"])),
    ("*", "--json", Say("`-o json` prints JSON; --fields A,B chooses what of it")),
    ("*", "--csv", Is(&["-o", "csv"])),
    ("*", "--csv", Say("did you mean `-o csv`?")),
    ("*", "--ndjson", Is(&["-o", "ndjson"])),
    ("*", "--jsonl", Is(&["-o", "ndjson"])),
    ("*", "--format", Is(&["--output"])),
    ("*", "--output-format", Is(&["--output"])),
    ("*", "--columns", Is(&["--fields"])),
    ("*", "--field", Is(&["--fields"])),
    ("*", "--select", Is(&["--fields"])),
    ("*", "--no-headers", Is(&["--no-header"])),
    ("*", "--noheader", Is(&["--no-header"])),
    ("*", "--no-heading", Is(&["--no-header"])),
    ("*", "-L", Is(&["--limit"])),
    ("*", "--first", Is(&["--limit"])),
    ("*", "--head", Is(&["--limit"])),
    ("*", "--top", Is(&["--limit"])),
    ("*", "--max-items", Is(&["--limit"])),
    ("*", "--max-results", Is(&["--limit"])),
    ("*", "--max", Say("`--limit N` takes the first N")),
    ("*", "--count", Say("`--limit N` takes the first N; `assessctl results summary` counts")),
    ("*", "-n", Say("`--limit N` takes the first N; -p NAME_OR_ID names a project")),
    ("*", "--per-page", Is(&["--page-size"])),
    ("*", "--paginate", BY_ITSELF),
    ("*", "--no-paginate", BY_ITSELF),
    ("*", "--all-pages", BY_ITSELF),
    ("results list", "--status", Is(&["--result"])),
    ("projects list", "--status", Is(&["--state"])),
    ("*", "--search", Is(&["--filter"])),
    ("*", "-S", Is(&["--filter"])),
    ("*", "--grep", Is(&["--filter"])),
    ("*", "--find", Is(&["--filter"])),
    ("*", "--name", Say("`--filter TEXT` searches names")),
    ("projects create", "--name", Say("the name stands by itself: `assessctl projects create NAME`")),
    ("*", "--since", Is(&["--completed-since"])),
    ("*", "--today", Say("`--completed-since 24h` shows whose assessment ended in the last day")),
    ("*", "--risk", Say("`--flagged` shows who needs attention")),
    ("*", "--high-risk", Say("`--flagged` shows who needs attention; --result HighRisk one result alone")),
    ("*", "--query", PROGRAM),
    ("*", "--query", PIPE),
    ("*", "--jq", PIPE),
    ("*", "--jmespath", PROGRAM),
    ("*", "--jmespath", PIPE),
    ("*", "--template", PROGRAM),
    ("*", "--template", PIPE),
    ("*", "--sort", Is(&["--order-by"])),
    ("*", "--sort-by", Is(&["--order-by"])),
    ("*", "--reverse", Say("`--order Desc` turns the order round")),
    ("*", "--desc", Say("`--order Desc` turns the order round")),
    ("*", "--out", Say("did you mean `--to`?")),
    ("*", "--outfile", Say("did you mean `--to`?")),
    ("*", "--output-file", Say("did you mean `--to`?")),
    ("*", "-O", Say("did you mean `--to`?")),
    ("testtakers import", "--file", Say("the file stands by itself: `assessctl testtakers import FILE.csv`")),
    ("testtakers import", "-f", Say("the file stands by itself: `assessctl testtakers import FILE.csv`")),
    ("testtakers check", "--file", Say("the file stands by itself: `assessctl testtakers check FILE.csv`")),
    ("*", "--force", YES),
    ("*", "-y", YES),
    ("*", "-f", YES),
    ("*", "--assume-yes", YES),
    ("*", "--no-input", Say("leave it out: off a terminal nothing is asked")),
    ("*", "--debug", Is(&["--verbose"])),
    ("*", "--trace", Is(&["--verbose"])),
    ("*", "-vv", Is(&["--verbose"])),
    ("*", "-vvv", Is(&["--verbose"])),
    ("*", "--silent", Is(&["--quiet"])),
    ("*", "-s", Is(&["--quiet"])),
    ("*", "--project-id", Is(&["--project"])),
    ("*", "--project-name", Is(&["--project"])),
    ("*", "--namespace", Say("`--project NAME_OR_ID` names a project")),
    ("*", "--id", Say("a test taker is named by id:ENTRY_ID, ref:REFERENCE_ID or email:ADDRESS, without an option")),
    ("*", "--ref", Say("a test taker is named by ref:REFERENCE_ID, without an option")),
    ("*", "--email", Say("a test taker is named by email:ADDRESS, without an option")),
    ("*", "--url", Is(&["--base-url"])),
    ("*", "--host", Is(&["--base-url"])),
    ("*", "--server", Is(&["--base-url"])),
    ("*", "--endpoint", Is(&["--base-url"])),
    ("*", "--endpoint-url", Is(&["--base-url"])),
    ("*", "--token", KEY),
    ("*", "--key", KEY),
    ("*", "--api-key", KEY),
    ("*", "--password", KEY),
    ("*", "--context", Is(&["--profile"])),
    ("*", "--account", Is(&["--profile"])),
    ("*", "--env", Is(&["--profile"])),
    ("*", "--config-file", Is(&["--config"])),
    ("*", "--cacert", Is(&["--ca-cert"])),
    ("*", "--insecure", CHECKED),
    ("*", "-k", CHECKED),
    ("*", "--no-verify-ssl", CHECKED),
    ("*", "--no-color", Is(&["--color", "never"])),
    ("*", "--no-colour", Is(&["--color", "never"])),
    ("*", "--colour", Is(&["--color"])),
    ("*", "--no-pager", Say("leave it out: nothing is paged")),
    ("*", "--jobs", Is(&["--concurrency"])),
    ("*", "-j", Is(&["--concurrency"])),
    ("*", "--parallel", Is(&["--concurrency"])),
    ("*", "--workers", Is(&["--concurrency"])),
    ("*", "--threads", Is(&["--concurrency"])),
    ("*", "--rate", Is(&["--max-rate"])),
    ("*", "--rate-limit", Is(&["--max-rate"])),
    ("*", "--retries", Say("leave it out: what is safe to repeat is repeated; `--deadline TIME` ends a run")),
    ("*", "--retry", Say("leave it out: what is safe to repeat is repeated; `--deadline TIME` ends a run")),
    ("*", "--max-time", Is(&["--deadline"])),
    ("*", "--watch", AGAIN),
    ("*", "-w", AGAIN),
    ("*", "--follow", AGAIN),
    ("*", "--whatif", Say("did you mean `--dry-run`?")),
    ("*", "--plan", Say("did you mean `--dry-run`?")),
    ("*", "-?", Say("did you mean `--help`?")),
    ("*", "--usage", Say("did you mean `--help`?")),
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
        if *theirs == word && of(place) && fits(*ours) {
            let slot = if *place == "*" { &mut any } else { &mut own };
            slot.get_or_insert(*ours);
        }
    }
    own.or(any)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_word_has_one_meaning_of_a_kind_in_a_place() {
        let mut seen = HashSet::new();
        for (place, theirs, ours) in COMMANDS.iter().chain(OPTIONS) {
            let is = matches!(ours, Is(_));
            let needs = if let Say(hint) = ours { hint.split('`').nth(1) } else { None };
            assert!(seen.insert((place, theirs, is, needs)), "{place} {theirs} stands twice");
            assert!(!matches!(ours, Is(words) if words.is_empty()), "{theirs}");
        }
    }

    #[test]
    fn a_place_of_its_own_counts_more_than_all() {
        let say = |path: &[&str], word| entry(OPTIONS, path, word, |_| true);
        assert_eq!(say(&["results", "list"], "--status"), Some(Is(&["--result"])));
        assert_eq!(say(&["projects", "list"], "--status"), Some(Is(&["--state"])));
        assert_eq!(say(&["testtakers", "list"], "--status"), None);
        assert!(matches!(say(&["projects", "create"], "--name"), Some(Say(hint)) if hint.contains("NAME")));
        assert_eq!(entry(COMMANDS, &[], "ls", |_| true), None);
        assert_eq!(entry(COMMANDS, &["projects"], "ls", |_| true), Some(Is(&["list"])));
        assert_eq!(entry(COMMANDS, &["links"], "ls", |_| true), Some(NO_LINKS));
    }
}
