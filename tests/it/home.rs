//! At home in a terminal: help and its topics, the map, manual pages, QR codes, colour, the version.

use snapbox::str;

use crate::harness::Env;
use crate::pty::Terminal;

#[test]
fn the_name_alone_shows_a_map_and_the_next_step_for_whoever_asks() {
    let stranger = Env::new().without("ASSESSCTL_PROFILE").line("").exits(2);
    let stranger = stranger.shows(str![[r#"
exit 2
--- stdout
--- stderr
assessctl administers an assessment service.

  projects list                what is there
  testtakers import FILE.csv   enrol everybody, nobody twice
  links issue ref:EMP-00017    a one-time link for one person
  results list                 who is fit for duty

  --help                       every command
  COMMAND --help               one command, with examples
  help                         topics, such as exit-codes

No service is set yet. To try things out without an account:
  assessctl --profile sandbox projects list
For a real service:
  assessctl config init

"#]]);
    let _ = Env::sandbox().line("").exits(2).mentions("Next: assessctl projects list").hides("config init");
    let env = Env::new();
    env.configure("profile = [");
    let broken = env.line("").exits(2);
    let (map, _) = stranger.stderr.split_once("No service").expect("a next step");
    let next = broken.stderr.strip_prefix(map).expect("the same map");
    assert!(
        next.ends_with("config.toml cannot be used.\nNext: assessctl config show\n") && broken.stdout.is_empty(),
        "{broken}"
    );
}

#[test]
fn every_topic_is_explained_and_a_slip_finds_its_topic() {
    let env = Env::new();
    let topics = ["exit-codes", "environment", "output", "rosters", "profiles", "scripting"];
    for line in ["help", "--help", "-h"] {
        let all = env.line(line).data();
        assert_eq!(all.lines().last(), Some(&*format!("Topics: assessctl help {}", topics.join(" | "))), "{line}");
    }
    for topic in topics {
        let text = env.line(&format!("help {topic}")).data();
        assert!(text.lines().count() > 5 && !text.contains("| ---"), "{text}");
    }
    for (words, slip, hint) in [
        ("exit-code", "exit-code", "did you mean `assessctl help exit-codes`?"),
        ("results lst", "lst", "did you mean `assessctl help results list`?"),
        (
            "weather",
            "weather",
            "the topics are exit-codes, environment, output, rosters, profiles, scripting; commands work, too",
        ),
    ] {
        let said = format!("error: there is no help on \"{slip}\"\nhint: {hint}\n");
        env.line(&format!("help {words}")).refuses(2, &said);
    }
    assert_eq!(env.line("help results list").data(), env.line("results list --help").data());
}

#[test]
fn the_short_help_is_shorter_and_neither_repeats_what_every_command_takes() {
    let env = Env::new();
    for command in ["testtakers import", "results list", "links issue", "sandbox serve"] {
        let (short, long) = (env.line(&format!("{command} -h")).data(), env.line(&format!("{command} --help")).data());
        assert!(short.lines().count() < long.lines().count(), "{command}");
        assert!(!short.contains("Examples:") && long.contains("Examples:"), "{command}");
        assert!(!long.contains("--api-key-file") && long.contains("`assessctl --help`"), "{long}");
        assert_eq!(long.contains("Every command takes"), command != "sandbox serve", "{long}");
    }
    assert!(env.line("--help").data().contains("--api-key-file"));
}

#[test]
fn a_slip_is_answered_with_what_was_probably_meant() {
    let env = Env::sandbox();
    for (line, hint) in [
        ("import x.csv", "did you mean `assessctl testtakers import x.csv`?"),
        ("list", "`assessctl NOUN list`, where NOUN is one of projects, testtakers, results, redirect-uris"),
        ("testtakers delete ref:x", "did you mean `assessctl testtakers remove ref:REFERENCE_ID`?"),
        ("testtakers lsit", "did you mean `assessctl testtakers list`?"),
        (
            "links list",
            "links cannot be read again, and a new one voids those before it: `assessctl links issue ref:REFERENCE_ID`",
        ),
        ("help import", "did you mean `assessctl help testtakers import`?"),
        ("help exit", "did you mean `assessctl help exit-codes`?"),
        ("projects list --json id,name", "did you mean `assessctl projects list --output json --fields id,name`?"),
        ("-p Demo testtakers list", "did you mean `assessctl testtakers list -p Demo`?"),
        ("testtakers list Demo", "did you mean `assessctl testtakers list -p Demo`?"),
        ("testtakers list Harbour", "name a project with -p"),
        (
            "sandbox set ref:x --result complete",
            "did you mean `assessctl sandbox set ref:REFERENCE_ID --result Completed`?",
        ),
        ("results get id:1", "a result is read by reference id; `assessctl testtakers get`"),
        ("testtakers check peopel.csv", "did you mean people.csv?"),
    ] {
        env.write("people.csv", "email\na@example.com\n");
        let said = env.line(line);
        assert!(said.code == 2 || said.code == 4, "{said}");
        let _ = said.mentions(&format!("hint: {hint}")).hides("tip:");
    }
    let _ = env
        .line("testtakers enrol canary@example.com")
        .fails(2)
        .shows(str![[r#"
exit 2
--- stdout
--- stderr
error: unexpected argument
hint: did you mean `assessctl testtakers enrol --email ADDRESS`?

"#]])
        .hides("canary");
    let alone = env.line("projects").exits(2);
    assert!(alone.stderr.contains("Usage: assessctl projects"), "{alone}");
}

#[test]
fn a_check_says_what_it_found_and_how_to_go_on() {
    let env = Env::sandbox();
    env.write("good.csv", "email\na@example.com\nb@example.com\n");
    let good = env.line("testtakers check good.csv").ok();
    assert_eq!((good.stdout.as_str(), good.stderr.as_str()), ("", "good.csv: 2 rows, no mistake\n"));
    env.write("bad.csv", "Mail;Vornahme;Abteilung\na@example.com;Zoe;North\n");
    let _ = env.line("testtakers check bad.csv").exits(5).shows(str![[r#"
exit 5
--- stdout
line  column  field   message
1     6       header  unknown headers "Vornahme" (did you mean firstName?), "Abteilung"
--- stderr
bad.csv: read as UTF-8, separated by ; (Mail = email)
error: bad.csv has 1 mistake
hint: add --map Vornahme=firstName --ignore-column Abteilung; --map HEADER=FIELD keeps a column instead

"#]]);
    env.write("titled.csv", "Crew of the north;;\n\nemail;firstName\na@example.com;Zoe\n");
    let _ = env.line("testtakers check titled.csv").fails(5).shows(str![[r#"
exit 5
--- stdout
--- stderr
error: titled.csv has no header: line 1 names none of the fields
hint: line 3 looks like the header: delete what stands above it

"#]]);
}

#[test]
fn one_person_is_held_to_the_same_suspicions_as_a_roster() {
    let env = Env::sandbox();
    for (value, why) in [
        ("--email a@b.con", "email ends with .con, which is probably .com"),
        ("--email a@b.c --birth-year 85", "birthYear \"85\" is an unlikely year of birth"),
    ] {
        let said = env.line(&format!("testtakers enrol {value}")).fails(5);
        assert_eq!(said.stderr, format!("error: nothing was sent: {why}; --allow-suspicious accepts it\n"));
    }
    let _ = env.line("testtakers enrol --email a@b.c --birth-year 85 --allow-suspicious").ok();
}

#[test]
fn a_second_import_says_whom_an_earlier_run_enrolled() {
    let env = Env::sandbox();
    env.write("people.csv", "email\na@example.com\nb@example.com\n");
    let _ = env.line("testtakers import people.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
2 rows: 2 enrolled in Demo (sandbox)

"#]]);
    env.write("people.csv", "email\na@example.com\nb@example.com\nc@example.com\n");
    let _ = env.line("testtakers import people.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
3 rows: 3 enrolled (2 of them by an earlier run) in Demo (sandbox)

"#]]);
    let _ = env.line("testtakers import people.csv").ok().shows(str![[r#"
exit 0
--- stdout
--- stderr
3 rows: 3 enrolled (by an earlier run) in Demo (sandbox)

"#]]);
    let _ = env.line("journal undo people.csv --yes -o json").fails(2).shows(str![[r#"
exit 2
--- stdout
--- stderr
error: --output does nothing for this command
hint: it prints no records; `assessctl journal show` prints the rows in any format

"#]]);
}

#[test]
fn an_address_of_something_else_is_no_absent_person() {
    for (status, page) in [(404, "<!doctype html><title>Error response</title>"), (404, "{\"title\":\"Not Found\"}")] {
        let socket = crate::socket::Socket::answering(move |request, _| match request.path() {
            path if path.ends_with("/projects") || page.starts_with('<') => {
                crate::socket::Answer::new(status, &["Content-Type: text/html"], page)
            }
            _ => crate::socket::Answer::new(status, &[], page),
        });
        let env = Env::at(&socket.url);
        let _ = env.line("results get EMP-1 -p Demo").fails(2).mentions("the base URL is probably wrong");
        let _ = env.line("projects list").fails(2).mentions("the base URL is probably wrong");
        if page.starts_with('<') {
            let id = crate::wire::PROJECT;
            let _ = env.line(&format!("results get EMP-1 -p {id}")).fails(2).mentions("the base URL");
            let _ = env.line(&format!("testtakers remove id:1 --yes -p {id}")).fails(2).mentions("the base URL");
        }
    }
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let env = Env::new();
    assert_eq!(env.line("man --to man1").data(), "");
    for page in ["assessctl", "assessctl-testtakers-import", "assessctl-projects-link", "assessctl-man"] {
        let text = env.read(&format!("man1/{page}.1"));
        assert!(text.contains(".TH") && text.contains("Examples"), "{page}: {text}");
    }
    assert!(env.line("man").data().contains(".TH"));
    env.write("file", "");
    let _ = env.line("man --to file").fails(1).mentions("cannot create the folder file");
}

/// Reads a code from its dark modules, row by row.
fn decoded(dark: &[Vec<bool>]) -> String {
    let side = dark.len() * 4;
    let shade = |x: usize, y: usize| if dark[y / 4].get(x / 4).copied().unwrap_or(false) { 0 } else { 255 };
    let mut image = rqrr::PreparedImage::prepare_from_greyscale(side, side, shade);
    image.detect_grids()[0].decode().expect("a code").1
}

/// The dark modules of half blocks, in which light is drawn.
fn modules(blocks: &str) -> Vec<Vec<bool>> {
    let dark = |c: char, upper: bool| !matches!((c, upper), ('█', _) | ('▀', true) | ('▄', false));
    let rows =
        blocks.lines().flat_map(|line| [true, false].map(|upper| line.chars().map(|c| dark(c, upper)).collect()));
    let mut rows: Vec<Vec<bool>> = rows.collect();
    rows.truncate(rows[0].len());
    rows
}

#[test]
fn a_project_link_is_drawn_so_that_a_decoder_reads_it() {
    let env = Env::sandbox();
    let link = env.line("projects link Demo --no-header").data();
    let said = env.line("projects link Demo --qr").ok().mentions("drawn as text: --to FILE.svg writes a picture");
    assert_eq!(decoded(&modules(&said.stdout)), link.trim());

    assert_eq!(env.line("projects link Demo --qr --to poster.svg").data(), "");
    for (more, option) in [
        ("-o json", "--output"),
        ("--to y.svg -o csv", "--output"),
        ("--no-header", "--no-header"),
        ("--excel", "--excel"),
    ] {
        let refused = format!("error: {option} does nothing for a QR code\nhint: leave it out\n");
        env.line(&format!("projects link Demo --qr {more}")).refuses(2, &refused);
    }
    let svg = env.read("poster.svg");
    let module = regex::Regex::new(r"M(\d+) (\d+)h(\d+)v").expect("a pattern");
    let side = regex::Regex::new(r#"viewBox="0 0 (\d+) "#).expect("a pattern").captures(&svg).expect("a size");
    let side: usize = side[1].parse().expect("a number");
    let mut dark = vec![vec![false; side]; side];
    for at in module.captures_iter(&svg) {
        let [left, top, length] = [1, 2, 3].map(|n: usize| at[n].parse::<usize>().expect("a number"));
        dark[top..top + length].iter_mut().for_each(|row| row[left..left + length].fill(true));
    }
    assert!(svg.contains("<title>QR code of the project link</title>"), "{svg}");
    assert_eq!(decoded(&dark), link.trim());
}

#[test]
fn a_code_that_the_terminal_is_too_narrow_for_is_refused_with_a_way_on() {
    let (code, screen) = Terminal::start(&Env::sandbox(), 40, &["projects", "link", "Demo", "--qr"]).ends();
    assert_eq!(code, 2, "{}", screen.text());
    assert!(screen.text().contains("--to FILE.svg"), "{}", screen.text());
    let (code, screen) = Terminal::start(&Env::sandbox(), 100, &["projects", "link", "Demo", "--qr"]).ends();
    assert!(code == 0 && !screen.wraps(), "{}", screen.text());
}

#[test]
fn a_flagged_result_is_red_on_a_terminal_and_a_word_everywhere() {
    let env = Env::sandbox();
    let _ = env.line("testtakers enrol --email a@example.com --reference-id A").ok();
    let _ = env.line("sandbox set ref:A --result HighRisk").ok();
    let (_, screen) = Terminal::start(&env, 100, &["results", "list"]).ends();
    assert!(String::from_utf8_lossy(&screen.raw).contains("\u{1b}[1;31mHighRisk\u{1b}[0m"), "{}", screen.text());
    let plain = env.with("NO_COLOR", "1");
    let (_, screen) = Terminal::start(&plain, 100, &["results", "list"]).ends();
    let raw = String::from_utf8_lossy(&screen.raw);
    assert!(raw.contains("HighRisk") && !raw.contains("\u{1b}[1"), "{raw}");
}

#[test]
fn the_version_names_the_target_and_the_short_one_does_not() {
    let long = Env::new().line("--version").data();
    assert!(long.starts_with("assessctl ") && long.contains(std::env::consts::ARCH), "{long}");
    assert_eq!(Env::new().line("version").data(), long);
    assert_eq!(Env::new().line("-V").data(), format!("assessctl {}\n", env!("CARGO_PKG_VERSION")));
}
