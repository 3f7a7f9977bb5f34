//! Canaries: a key, a link and a person that must turn up nowhere but where the user asked for them, in every command,
//! told at length, with faults; and files that are their owner's alone whatever the umask.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Env, KEY, Said, Served, owner_only};
use crate::shell;
use crate::socket::{Answer, Socket};
use crate::wire::PROJECT;

/// What tells the person: e-mail, names, reference id.
pub const PERSON: [&str; 4] = ["canary.mail", "Canaryfirst", "Canarylast", "CANARY-REF"];

/// Every command, and whether its data is about the person.
pub const COMMANDS: [(&str, bool); 68] = [
    ("testtakers check people.csv", false),
    ("testtakers check broken.csv -o csv", false),
    ("testtakers import broken.csv", false),
    ("testtakers import people.csv --dry-run --settle 1s -o csv", true),
    ("testtakers import people.csv --settle 1s --report report.csv --failed-out fix.csv", false),
    ("testtakers enrol --email canary.mail@example.com --reference-id CANARY-REF --settle 1s", true),
    ("testtakers list", true),
    ("testtakers list --filter canary.mail -o json", true),
    ("testtakers list --reference-id CANARY-REF -o csv", true),
    ("testtakers list --to list.csv", false),
    ("testtakers get ref:CANARY-REF", true),
    ("testtakers get email:nobody.canary.mail@example.com", false),
    ("testtakers get CANARY-REF", false),
    ("testtakers update ref:CANARY-REF --last-name Canarylast", true),
    ("results list", true),
    ("results get CANARY-REF", true),
    ("results get CANARY-REF-2", false),
    ("results export --to results.csv", false),
    ("links issue ref:CANARY-REF --own-reference-id --redirect-uri https://hr.example.com/x --to link.csv", false),
    ("links issue email:canary.mail@example.com -o json", true),
    ("projects list", false),
    ("projects get Demo", false),
    ("projects link Demo", false),
    ("projects create Depot", false),
    ("redirect-uris list", false),
    ("redirect-uris add https://hr.example.com/y", false),
    ("config show", false),
    ("config list", false),
    ("config path", false),
    ("doctor", false),
    ("completions bash", false),
    ("results changes", false),
    ("results changes --since results.csv -o csv", false),
    ("results summary", false),
    ("results summary --all-projects -o json", false),
    ("results report --to report.html", false),
    ("results report --to names.html --names", false),
    ("testtakers update --file people.csv --dry-run", true),
    ("testtakers update --file people.csv --report updated.csv", true),
    ("links issue --file people.csv --to links.csv", false),
    ("links issue --all --rotate --to links.csv", false),
    ("testtakers sync broken.csv", false),
    ("testtakers sync people.csv --settle 1s -o csv", true),
    ("testtakers sync --show 00000000", false),
    ("testtakers apply 00000000 --expect 1", false),
    ("journal list", false),
    ("journal show", false),
    ("journal show --in-doubt -o json", false),
    ("journal resolve people.csv:2 --absent", false),
    ("journal resolve 1 --enrolled 1", false),
    ("testtakers remove --file people.csv --max 0 --yes", false),
    ("journal undo people.csv --yes", false),
    ("journal forget --yes --force", false),
    ("testtakers remove ref:CANARY-REF --yes --to removed.csv", false),
    ("testtakers remove --file people.csv --yes --to removed.csv", true),
    ("sandbox set ref:CANARY-REF --result HighRisk", false),
    ("sandbox reset --yes", false),
    ("sandbox serve --readings", false),
    ("help rosters", false),
    ("help testtakers", false),
    ("schema testtakers list", false),
    ("man --to ../tmp/pages", false),
    ("config init --name other --base-url http://127.0.0.1:9 --api-key-file key.txt --no-check", false),
    ("config set output csv --profile other", false),
    ("config use other", false),
    ("config unset output --profile other", false),
    ("config show --profile other", false),
    ("config get base-url --profile other", false),
];

/// Files that were asked for.
const ASKED: [&str; 12] = [
    "people.csv",
    "broken.csv",
    "key.txt",
    "report.csv",
    "fix.csv",
    "list.csv",
    "results.csv",
    "link.csv",
    "links.csv",
    "updated.csv",
    "removed.csv",
    "names.html",
];

/// A client with the canaries' roster and a temporary folder of its own, and a service that fails so.
pub fn with_faults(faults: &[&str]) -> (Env, Env, Served) {
    let there = Env::new();
    let mut args = vec!["--key", KEY];
    for fault in faults {
        args.extend(["--fault", fault]);
    }
    let served = there.serve(&args);
    let here = Env::at(&served.url).with("ASSESSCTL_PROJECT", "Demo");
    let temporary = here.work().join("../tmp");
    fs::create_dir(&temporary).expect("a folder");
    let here = here.with("TMPDIR", &temporary.display().to_string());
    let row = "canary.mail@example.com,Canaryfirst,Canarylast,1980,CANARY-REF\n";
    here.write("people.csv", format!("email,firstName,lastName,birthYear,referenceId\n{row}"));
    let broken = format!("email,firstName,lastName,birthYear,referenceId\n{row}{row}")
        .replace(",1980,", ",Canarylast,")
        .replace("CANARY-REF", "CANARY-REF/")
        .replace("mail@", "mail@@");
    here.write("broken.csv", broken);
    owner_only(&here.write("key.txt", KEY));
    (here, there, served)
}

/// Every file below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(below).collect()
}

/// Fails where one of `canaries` stands in a file of the folder.
fn search(folder: &Path, canaries: &[String], after: &str) {
    for file in files(folder) {
        let bytes = fs::read(&file).expect("a file");
        for canary in canaries {
            let found = bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
            assert!(!found, "{canary} in {} after {after}", file.display());
        }
    }
}

/// The tokens of the links in a text.
fn links(text: &str) -> Vec<String> {
    let after = text.split("/take/").skip(1);
    after.map(|rest| rest.chars().take_while(char::is_ascii_alphanumeric).collect()).collect()
}

#[track_caller]
fn silent(said: &str, canaries: &[String], what: &str) {
    for canary in canaries {
        assert!(!said.contains(canary.as_str()), "{canary} in what {what} said:\n{said}");
    }
}

#[test]
fn no_canary_turns_up_where_nobody_asked_for_it() {
    let faults: [&[&str]; 3] = [
        &[],
        &["close-after@enrol:nth=1", "truncate@update:nth=1", "500-after@test-link:nth=1", "503:share=0.1,seed=3"],
        &["truncate@enrol:nth=1", "close-before:share=0.1,seed=5", "429:share=0.1,seed=7,retry-after=0"],
    ];
    for faults in faults {
        let (here, there, _served) = with_faults(faults);
        let person: Vec<String> = PERSON.map(str::to_owned).to_vec();
        let mut secrets = vec![KEY.to_owned()];
        for (command, about) in COMMANDS {
            let said = here.line(&format!("{command} -v"));
            let about = about || command.starts_with("config path");
            secrets.extend(links(&said.stdout));
            for file in ["link.csv", "links.csv"] {
                let text = fs::read_to_string(here.work().join(file));
                secrets.extend(text.map(|text| links(&text)).unwrap_or_default());
            }
            let what = format!("{command} with {faults:?} (exit {})", said.code);
            silent(&said.stderr, &secrets, &what);
            silent(&said.stderr, &person, &what);
            silent(&said.stdout, &secrets[..1], &what);
            if !about {
                silent(&said.stdout, &person, &what);
            }
            let everything = [secrets.as_slice(), person.as_slice()].concat();
            search(&here.work().join("../state"), &everything, &what);
            search(&here.work().join("../tmp"), &everything, &what);
            search(&there.work().join("../state"), &secrets[..1], &what);
        }
        assert!(secrets.len() > 1, "no link was issued");
        for file in files(&here.work()) {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let lock = file.extension().is_some_and(|extension| extension == "lock");
            if name == "report.html" {
                silent(&here.read(&name), &[secrets.as_slice(), person.as_slice()].concat(), "the report");
                continue;
            }
            assert!(ASKED.contains(&name.as_str()) || lock, "an unexpected file: {name}");
        }
    }
}

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let block = help.lines().skip_while(|line| line.trim_end() != "Commands:").skip(1);
    let names = block.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn every_command_is_searched_for_canaries() {
    let env = Env::new();
    let nouns = listed(&env.line("--help").data());
    assert!(nouns.len() > 10, "{nouns:?}");
    for noun in nouns {
        let verbs = listed(&env.line(&format!("{noun} --help")).data());
        let commands = verbs.iter().map(|verb| format!("{noun} {verb}")).filter(|_| noun != "help");
        for command in commands.chain(verbs.is_empty().then(|| noun.clone())) {
            let known = COMMANDS.iter().any(|(known, _)| known.starts_with(&command));
            assert!(known, "{command} is not searched for canaries");
        }
    }
}

#[test]
fn a_service_that_repeats_the_key_does_not_make_us_repeat_it() {
    let page = format!("<html><title>{KEY}</title>");
    for answer in [
        Answer::problem(401, KEY, &format!("the key {KEY} is unknown")),
        Answer::json(422, &json!({ "code": KEY, "message": KEY }).to_string()),
        Answer::new(403, &["Content-Type: text/html"], &page),
        Answer::new(200, &["Content-Type: text/html"], &page),
        Answer::new(302, &[&format!("Location: https://{KEY}.example/{KEY}")], ""),
        Answer::ok(&format!("[\"{KEY}\"")),
    ] {
        let socket = Socket::always(answer);
        for command in
            ["projects list -v", "projects create Depot -v", "doctor", "testtakers import r.csv -p {P} -o csv"]
        {
            let env = Env::at(&socket.url);
            env.write("r.csv", "email\nann@example.com\n");
            let said = env.line(&command.replace("{P}", PROJECT)).hides(KEY);
            assert!(said.code != 0, "{command}:\n{said}");
        }
    }
}

/// Files and folders below a folder that somebody else may open.
#[cfg(unix)]
fn open_to_others(folder: &Path) -> Vec<String> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mode = fs::symlink_metadata(&path).expect("an entry").permissions().mode();
        if mode & 0o077 != 0 {
            found.push(format!("{} {:o}", path.display(), mode & 0o777));
        }
        if path.is_dir() {
            found.extend(open_to_others(&path));
        }
    }
    found
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_their_owners_alone_whatever_the_umask() {
    let env = Env::new().with("ASSESSCTL_PROJECT", "Demo");
    let run = |script: &str| -> Said { shell::run(&env, &format!("umask 000; {script}")) };
    let place = env.work().join("../fresh");
    fs::create_dir(&place).expect("a folder");
    let at = place.canonicalize().expect("a folder").display().to_string();
    let script = format!(
        "export ASSESSCTL_STATE_DIR={at}/state/deep ASSESSCTL_CONFIG={at}/config/deep/config.toml TMPDIR={at} &&
         echo {KEY} | assessctl config init --base-url http://127.0.0.1:9 --api-key-file - --no-check &&
         printf 'email\\nann@example.com\\nnobody\\n' > people.csv &&
         export ASSESSCTL_PROFILE=sandbox &&
         assessctl testtakers import people.csv --skip-invalid --report {at}/r.csv --failed-out {at}/f.csv;
         assessctl testtakers list -o csv --to {at}/list.csv &&
         assessctl results export --to {at}/export.csv --allow-empty &&
         assessctl links issue email:ann@example.com --to {at}/links.csv &&
         assessctl sandbox set email:ann@example.com --result Completed &&
         assessctl config set output csv --profile main && assessctl doctor > /dev/null"
    );
    let said = run(&script);
    assert_eq!(said.code, 0, "{said}");
    assert!(files(&place).len() >= 7, "{:?}", files(&place));
    assert_eq!(open_to_others(&place), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn files_that_are_still_being_written_are_their_owners_alone_too() {
    let silent = Socket::always(Answer::Hang(Vec::new()));
    let env = Env::at(&silent.url).with("ASSESSCTL_PROJECT", PROJECT);
    let place = env.work().join("../fresh");
    fs::create_dir(&place).expect("a folder");
    let at = place.canonicalize().expect("a folder").display().to_string();
    env.write("people.csv", "email\nann@example.com\n");
    let script = format!(
        "umask 000; TMPDIR={at} ASSESSCTL_STATE_DIR={at}/state exec assessctl testtakers import people.csv \
         --report {at}/r.csv --failed-out {at}/f.csv -o csv --to {at}/out.csv"
    );
    let mut command = env.command::<&str>(&[]);
    command = {
        let mut shell = std::process::Command::new("sh");
        shell.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let folder = Path::new(crate::harness::PROGRAM).parent().expect("a folder");
        shell.env("PATH", format!("{}:/usr/bin:/bin", folder.display())).current_dir(env.work());
        shell.args(["-c", &script]).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        shell
    };
    let mut child = command.spawn().expect("a shell");
    while silent.requests().is_empty() {
        std::thread::yield_now();
    }
    let found = open_to_others(&place);
    child.kill().and_then(|()| child.wait()).expect("an end");
    assert_eq!(found, Vec::<String>::new());
    assert!(!files(&place).is_empty());
}
