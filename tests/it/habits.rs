//! Habits of people who write scripts: what they rely on without thinking.

use crate::harness::Env;
use crate::pty::Terminal;
use crate::shell;

fn prepared() -> Env {
    let env = Env::sandbox();
    env.write("people.csv", "email,referenceId\nann@example.com,A-1\nbob@example.com,B-2\n");
    let _ = env.line("testtakers import people.csv -q").ok();
    let _ = env.line("sandbox set ref:A-1 --result HighRisk").ok();
    env
}

#[test]
fn strict_shells_substitutions_and_closed_pipes_go_through() {
    let env = prepared();
    let script = r#"set -eu
id=$(assessctl projects get Demo --fields id -o csv --no-header)
test ${#id} -eq 36
result=$(assessctl results get A-1 -p "$id" --fields result -o csv --no-header)
test "$result" = HighRisk
assessctl testtakers list -p "$id" -o csv | head -n 1
if assessctl results get nobody > found 2> why; then exit 1; else test $? -eq 4; fi
test ! -s found
for id in $(assessctl testtakers list --fields referenceId --no-header -o csv); do
  assessctl results get "$id" --fields referenceId -o csv --no-header
done | sort"#;
    let said = shell::run(&env, script).ok();
    assert!(said.stdout.starts_with("id,email,") && said.stdout.ends_with("\nA-1\nB-2\n"), "{said}");
    let bash = "command -v bash > /dev/null || exit 0; bash -c 'set -euo pipefail; assessctl results list -o ndjson | head -n 1 > /dev/null'";
    let _ = shell::run(&env, bash).ok();
    // What a shell hands over as a file may be a pipe to another program, for data and for accounts beside it.
    let bash = r#"command -v bash > /dev/null || exit 0; bash -euo pipefail -c '
        assessctl testtakers list -o csv --to >(cat > list.csv); wait $!
        assessctl testtakers import people.csv -q --report >(sort > report.csv); wait $!
        test "$(cat list.csv)" = "$(assessctl testtakers list -o csv)" && grep -c A-1 report.csv'"#;
    assert_eq!(shell::run(&env, bash).ok().stdout, "1\n");
    // A program that is not interested in the account hands over the null device for both directions.
    let _ = shell::run(&env, "assessctl testtakers import people.csv -q 1<>/dev/null").ok();
}

#[test]
fn the_last_of_two_counts_and_a_dash_is_standard_output() {
    let env = prepared();
    let json = env.line("projects list -o csv -o json --fields name").data();
    assert_eq!(json, "[\n  {\n    \"name\": \"Demo\"\n  }\n]\n");
    assert_eq!(env.line("projects list --to - -o csv --fields name").data(), "name\nDemo\n");
    let spaced = env.line("testtakers list -o csv --fields 'id, email , referenceId' --limit=1 -q").data();
    assert!(spaced.starts_with("id,email,referenceId\n"), "{spaced}");
    assert!(!env.work().join("-").exists());
}

#[test]
fn a_quiet_list_is_its_ids_alone_unless_more_is_asked_for() {
    let env = prepared();
    let ids = env.line("testtakers list --fields id --no-header").data();
    assert!(ids.lines().count() > 1 && ids.lines().all(|line| line.parse::<u32>().is_ok()), "{ids}");
    assert_eq!(env.line("testtakers list -q").data(), ids);
    let results = env.line("results list -q").data();
    assert!(!results.is_empty() && results.lines().all(|line| line.parse::<u32>().is_ok()), "{results}");
    assert_eq!(env.line("projects list -q").data().trim().len(), 36);
    for asked in ["-o csv", "--fields name", "-o json"] {
        assert!(env.line(&format!("projects list -q {asked}")).data().contains("Demo"), "{asked}");
    }
    assert!(env.line("projects list -q --to projects.txt").data().is_empty());
    assert!(env.read("projects.txt").contains("Demo"), "a file has the whole table");
    let link = env.line("links issue email:ann@example.com -q").data();
    assert!(link.starts_with("http") && link.lines().count() == 1, "a link alone");
    let named =
        shell::run(&env, "for id in $(assessctl projects list -q); do assessctl projects get $id --jq .name; done");
    assert_eq!(named.data(), "Demo\n");
    assert_eq!(env.line("projects create Harbour -q").data().trim().len(), 36, "the id alone");
}

#[test]
fn what_a_program_asks_first_is_answered_as_it_asks() {
    let env = prepared();
    for line in ["version --json", "--version -o json", "-o ndjson version"] {
        let told = env.line(line).json();
        assert_eq!(
            (&told["program"], &told["version"]),
            (&"assessctl".into(), &env!("CARGO_PKG_VERSION").into()),
            "{line}"
        );
    }
    assert!(env.line("version").data().starts_with("assessctl "));
    // The key is tried, and a gate hears of what does not work.
    assert!(env.line("whoami").ok().stdout.contains("accepts the key"));
    assert!(Env::new().line("whoami -q").exits(2).stdout.contains("assessctl config init"));
}

#[test]
fn a_quiet_doctor_says_what_needs_attention_and_nothing_else() {
    let env = prepared();
    let quiet = shell::run(&env, "chmod 700 \"$ASSESSCTL_STATE_DIR\" && assessctl doctor -q");
    assert_eq!(quiet.data(), "");
    assert!(env.line("doctor -q -o json").json().as_array().expect("an array").len() > 5);
    env.configure("[profiles.sandbx]\nbase-urll = \"x\"\n");
    let said = env.line("doctor -q").exits(2);
    assert!(said.stdout.lines().skip(1).all(|line| line.starts_with(['✗', '!'])), "{said}");
    assert!(said.stdout.contains("base-url"), "{said}");
}

#[test]
fn rows_of_the_journal_say_whose_they_are_where_nobody_chose_the_project() {
    let env = prepared();
    let said = env.line("journal show").ok();
    let _ = said.mentions("2 rows in Demo (sandbox); -p NAME_OR_ID names another project\n");
    assert_eq!(env.line("journal show -p Demo").ok().stderr, "");
    let said = env.line("journal show --in-doubt").ok();
    let _ = said.mentions("no rows in Demo (sandbox); -p NAME_OR_ID names another project\n");
}

#[test]
fn colours_and_pagers_are_the_users_to_choose() {
    let env = prepared();
    let line = ["results", "list", "--flagged"];
    let colored = |env: &Env, more: &[&str]| {
        let (code, screen) = Terminal::start(env, 100, &[&line, more].concat()).ends();
        assert_eq!(code, 0, "{}", screen.text());
        String::from_utf8_lossy(&screen.raw).contains("\u{1b}[")
    };
    assert!(colored(&env, &[]));
    assert!(!colored(&env, &["--color", "never"]) && !colored(&env, &["--no-color"]));
    let env = env.with("PAGER", "false").with("LESS", "-X");
    assert!(colored(&env, &[]), "nothing is paged");
    let env = env.with("NO_COLOR", "1");
    assert!(!colored(&env, &[]));
    let env = env.without("NO_COLOR").with("TERM", "dumb");
    assert!(!colored(&env, &[]));
    assert!(!env.line("results list --flagged").data().contains('\u{1b}'), "a pipe is never coloured");
}
