//! Files as they really arrive, through a sync: each roster of the samples, a workbook, and plans with pairs.

use crate::harness::Env;
use crate::imports::{place, records};
use crate::pty::Terminal;
use crate::sync::{enrolled, file, night};
use crate::sync_movers::{people_of, sites, sites_night, two_sites, usual};

/// A plan in which 3 moves to `Nights`, 4 has another e-mail, and 12 is absent for the first time.
fn planned() -> Env {
    let env = two_sites();
    let text = sites(usual(&[(3, "Nights"), (12, "")])).replace("p4@", "new4@");
    let said = sites_night(&env, &text, "--replace-renamed --plan plan.ndjson").ok();
    let said = said.mentions("plan ").mentions("of 2 changes in plan.ndjson");
    let said = said.mentions("1 would move away");
    assert!(people_of(&env, "Demo").contains(&"EMP-3".to_owned()), "{said}");
    env
}

#[test]
fn a_pair_is_one_line_of_a_plan_and_is_applied_once() {
    let env = planned();
    let text = env.read("plan.ndjson");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("\"change\":\"move\"") && text.contains("\"change\":\"replace\""), "{text}");
    let shown = env.line("testtakers sync --show plan.ndjson -o csv").ok();
    assert_eq!(records(&shown.stdout).len(), 4, "both halves of each are shown:\n{shown}");
    let said = env.line("testtakers apply plan.ndjson --expect 2 -o csv").ok();
    let _ = said.mentions("applied: 4 rows: 2 enrolled, 2 removed in 2 projects");
    let (demo, nights) = (people_of(&env, "Demo"), people_of(&env, "Nights"));
    assert_eq!(demo, ["EMP-1", "EMP-2", "EMP-4", "EMP-5", "EMP-6"]);
    assert!(nights.contains(&"EMP-3".to_owned()) && nights.contains(&"EMP-12".to_owned()), "{nights:?}");
    let _ = env.line("testtakers apply plan.ndjson --expect 2").ok().mentions("nothing was sent");
    assert_eq!((people_of(&env, "Demo"), people_of(&env, "Nights")), (demo, nights));
    // Its roster is remembered: 12 was absent once.
    let text = sites(usual(&[(3, "Nights"), (12, ""), (11, "")])).replace("p4@", "new4@");
    let _ = sites_night(&env, &text, "").ok().mentions("1 left").mentions("1 missing");
}

#[test]
fn a_pair_whose_line_a_reviewer_deleted_or_edited_is_not_half_done() {
    let env = planned();
    let text = env.read("plan.ndjson");
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("\"change\":\"move\"")).collect();
    env.write("plan.ndjson", text.replace("EMP-3", "EMP-9"));
    let _ = env.line("testtakers apply plan.ndjson --expect 2").fails(5).mentions("was added or changed");
    env.write("plan.ndjson", format!("{}\n", kept.join("\n")));
    let _ = env.line("testtakers apply plan.ndjson --expect 1").ok().mentions("lines were deleted");
    assert_eq!(people_of(&env, "Demo"), ["EMP-1", "EMP-2", "EMP-3", "EMP-4", "EMP-5", "EMP-6"]);
    assert!(!people_of(&env, "Nights").contains(&"EMP-3".to_owned()));
}

#[test]
fn a_pair_whose_person_was_changed_since_the_plan_is_left_undone_as_a_whole() {
    let env = planned();
    let _ = env.line("testtakers update -p Demo ref:EMP-3 --last-name Else").ok();
    let _ = env.line("testtakers remove -p Demo ref:EMP-4 --yes").ok();
    let said = env.line("testtakers apply plan.ndjson --expect 2 -o csv").exits(10);
    assert_eq!(said.stdout.matches("changed-since-plan").count(), 4, "{said}");
    let _ = said.mentions("lines were not done: the roster is not remembered");
    assert!(people_of(&env, "Demo").contains(&"EMP-3".to_owned()));
    assert!(!people_of(&env, "Nights").contains(&"EMP-3".to_owned()));
}

#[test]
fn on_a_terminal_the_number_of_people_is_typed() {
    let env = planned();
    let mut terminal = Terminal::start(&env, 120, &["testtakers", "apply", "plan.ndjson"]);
    let _ = terminal.shows("the results of those who leave can't be read here afterwards: export them before");
    let _ = terminal.shows("Type 2 to remove 2 people from 2 projects (sandbox)").types("1\n");
    assert_eq!(terminal.ends().0, 130);
    assert!(people_of(&env, "Demo").contains(&"EMP-3".to_owned()));
    let mut terminal = Terminal::start(&env, 120, &["testtakers", "apply", "plan.ndjson"]);
    let _ = terminal.shows("Type 2 to remove 2 people from 2 projects (sandbox)").types("2\n");
    assert_eq!(terminal.ends().0, 0);
    assert!(!people_of(&env, "Demo").contains(&"EMP-3".to_owned()));
}

#[test]
fn a_workbook_is_followed_as_a_csv_is() {
    let env = Env::sandbox();
    env.write("night.xlsx", crate::workbooks::with_a_number_as_id());
    let said = env.line("testtakers sync night.xlsx --allow-suspicious");
    assert!(said.code == 0 && said.stderr.contains("this is the first roster"), "{said}");
    let said = env.line("testtakers sync night.xlsx --allow-suspicious").ok();
    let _ = said.mentions("as they were");
}

#[test]
fn a_file_of_another_encoding_says_the_same_and_makes_no_one_leave() {
    let env = Env::sandbox();
    let text = file(1..=4).replace("First2", "Zoë");
    let _ = night(&env, &text, "").ok();
    let wide: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    env.write("night.csv", wide);
    let _ = env.line("testtakers sync night.csv --roster-interval 0s").ok().mentions("4 as they were");
    let excel = format!("\u{feff}{}", text.replace(',', ";").replace('\n', "\r\n"));
    let _ = night(&env, &excel, "").ok().mentions("4 as they were");
}

#[test]
fn every_roster_as_it_arrives_is_followed_twice_and_a_broken_one_is_refused() {
    let rosters = [
        ("excel-semicolon-windows-1252.csv", "", 6),
        ("excel-unicode-text-utf16.txt", "", 9),
        ("excel-utf8-bom.csv", "", 6),
        ("hostile-but-valid.csv", "", 12),
        ("hr-export.csv", "--ignore-column Department,Manager", 4),
    ];
    for (name, more, people) in rosters {
        let env = Env::sandbox();
        place(&env, name);
        let line = format!("testtakers sync {name} --roster-interval 0s {more}");
        let said = env.line(&line).ok().mentions(&format!("{people} in the file"));
        let _ = said.mentions(&format!("{people} joined"));
        let said = env.line(&line).ok().mentions(&format!("{people} as they were"));
        assert_eq!(enrolled(&env).len(), people, "{said}");
        // The same person twice, and a line that is cut: nobody leaves by either.
        place(&env, "broken.csv");
        let _ = env.line("testtakers sync broken.csv --roster-interval 0s").fails(5);
        assert_eq!(enrolled(&env).len(), people);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_fails_while_it_is_read_and_a_link_that_leads_to_nothing_change_nothing() {
    let env = Env::sandbox();
    let _ = night(&env, &file(1..=3), "").ok();
    std::os::unix::fs::symlink("nowhere.csv", env.work().join("dead.csv")).expect("a link");
    let said =
        env.line("testtakers sync dead.csv").fails(2).mentions("dead.csv cannot be read: the link leads to nothing");
    let _ = said.hides("did you mean dead.csv");
    #[cfg(target_os = "linux")]
    let _ = env.line("testtakers sync /proc/self/mem").fails(1).mentions("/proc/self/mem cannot be read");
    let _ = night(&env, &file(1..=3), "").ok().mentions("3 as they were");
}
