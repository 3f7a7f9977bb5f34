//! What a hint has to repeat: the configuration, the profile, the service and the projects that the command line named.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use crate::model::service_address::parse_address;
use crate::model::shell_word::shell_word;

const CONFIG: &str = "--config";
const PROFILE: &str = "--profile";
const BASE_URL: &str = "--base-url";
const API_KEY_FILE: &str = "--api-key-file";

/// The options beside which no project is added to a command: one is named, or all are meant, or a file names them.
const NAMES_PROJECTS: [&str; 4] = ["-p", "--all-projects", "--everything", "--project-column"];

/// The options of this run without which a command that a hint names would be about something else.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    config: Option<String>,
    profile: Option<String>,
    base_url: Option<String>,
    api_key_file: Option<String>,
    projects: Vec<String>,
}

impl CommandLine {
    /// What was given on the line; a variable or a profile holds for the next command anyway.
    pub fn of(matches: &ArgMatches) -> Self {
        let mut line = Self::default();
        let mut here = Some(matches);
        while let Some(matches) = here {
            for (name, value) in [
                (CONFIG, path_of(matches, "config")),
                (PROFILE, text_of(matches, "profile")),
                (BASE_URL, text_of(matches, "base_url")),
                (API_KEY_FILE, path_of(matches, "api_key_file")),
            ] {
                line.keep(name, value);
            }
            if let Ok(Some(projects)) = matches.try_get_many::<String>("project") {
                line.projects = projects.cloned().collect();
            }
            here = matches.subcommand().map(|(_, below)| below);
        }
        line
    }

    /// The same of a line that could not be parsed; `words` begins with the program's name.
    pub fn of_words(words: &[OsString]) -> Self {
        let mut line = Self::default();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let words = words.iter().map(AsRef::as_ref).take_while(|word| *word != "--").collect::<Vec<&str>>();
        for (place, word) in words.iter().enumerate().skip(1) {
            let next = words.get(place + 1).copied().filter(|next| !next.starts_with('-'));
            for name in [CONFIG, PROFILE, BASE_URL, API_KEY_FILE] {
                line.keep(name, value_of(&[name], word, next));
            }
            if let Some(project) = value_of(&["--project", "-p"], word, next).filter(|name| may_be_a_project(name)) {
                line.projects.push(project.to_owned());
            }
        }
        line
    }

    /// Keeps the value of an option, if it has one that another command can take and that is no secret.
    fn keep(&mut self, name: &str, value: Option<&str>) {
        let Some(value) = value else { return };
        let value = Some(value.to_owned());
        match name {
            CONFIG => self.config = value,
            PROFILE => self.profile = value,
            // An address that is refused may hold a password.
            BASE_URL => self.base_url = value.filter(|url| parse_address(url, true).is_ok()),
            // What is no file may be the key itself, or a pipe that is read once.
            _ => self.api_key_file = value.filter(|file| Path::new(file).is_file()),
        }
    }

    /// The line as it counts for the commands after a profile was written: that has the rest of it.
    pub fn of_configuration(&self) -> Self {
        Self { config: self.config.clone(), ..Self::default() }
    }

    /// Whether a project was given.
    pub fn names_a_project(&self) -> bool {
        !self.projects.is_empty()
    }

    /// A hint whose commands carry what was given. A command stands between backticks, or is the whole hint.
    pub fn complete(&self, hint: &str) -> String {
        if !hint.contains('`') {
            return self.repeated(hint);
        }
        let parts: Vec<String> = hint
            .split('`')
            .enumerate()
            .map(|(place, part)| if place % 2 == 1 { self.repeated(part) } else { part.to_owned() })
            .collect();
        parts.join("`")
    }

    fn repeated(&self, command: &str) -> String {
        if let Some((first, second)) = command.split_once(" || ") {
            return format!("{} || {}", self.repeated(first), self.repeated(second));
        }
        let words: Vec<&str> = command.split(' ').collect();
        let ["assessctl", path @ ..] = words.as_slice() else { return command.to_owned() };
        let mut typed = command.to_owned();
        if let [project] = self.projects.as_slice() {
            typed = typed.replacen("-p NAME_OR_ID", &format!("-p {}", shell_word(project)), 1);
        }
        if let Some(config) = &self.config {
            typed = typed.replacen("--config FILE", &format!("--config {}", shell_word(config)), 1);
        }
        if path.contains(&"--help") {
            return typed;
        }
        let is_about_settings = matches!(path, ["config", ..]);
        for (name, value, counts) in [
            (CONFIG, &self.config, is_about_settings || takes_profile(path)),
            (PROFILE, &self.profile, takes_profile(path)),
            (BASE_URL, &self.base_url, asks_service(path)),
            (API_KEY_FILE, &self.api_key_file, asks_service(path)),
        ] {
            if counts && !path.iter().any(|word| word.split('=').next() == Some(name)) {
                typed.extend(value.iter().map(|value| format!(" {name} {}", shell_word(value))));
            }
        }
        if takes_project(path) && !path.iter().any(|word| NAMES_PROJECTS.contains(word)) {
            typed.extend(self.projects.iter().map(|project| format!(" -p {}", shell_word(project))));
        }
        typed
    }
}

/// A text that an option was given; `None` also where the command has no such option.
fn text_of<'m>(matches: &'m ArgMatches, id: &str) -> Option<&'m str> {
    matches.try_get_one::<String>(id).ok().flatten().map(String::as_str)
}

/// The same of a path.
fn path_of<'m>(matches: &'m ArgMatches, id: &str) -> Option<&'m str> {
    matches.try_get_one::<PathBuf>(id).ok().flatten().and_then(|path| path.to_str())
}

/// Whether a text may name a project. Data and addresses that stand in its place are personal.
pub fn may_be_a_project(text: &str) -> bool {
    !text.contains(['{', '[', '"', '@'])
}

/// The value of an option of one of these names: joined to the word, or the next one.
fn value_of<'w>(names: &[&str], word: &'w str, next: Option<&'w str>) -> Option<&'w str> {
    names.iter().find_map(|name| match (word.strip_prefix(name)?, name.starts_with("--")) {
        ("", _) => next,
        (rest, true) => rest.strip_prefix('='),
        (rest, false) => Some(rest.strip_prefix('=').unwrap_or(rest)),
    })
}

/// Whether a command, by its words, is about the service or the settings of a profile that the user chose.
pub fn takes_profile(path: &[&str]) -> bool {
    match path {
        ["config", verb, ..] => matches!(*verb, "show" | "get" | "set" | "unset"),
        ["testtakers", "apply", ..] => true,
        [noun, ..] => takes_project(path) || matches!(*noun, "projects" | "redirect-uris" | "journal" | "doctor"),
        [] => false,
    }
}

/// Whether a command, by its words, asks the service that the options name, or tells of their values.
fn asks_service(path: &[&str]) -> bool {
    match path {
        ["config", verb, ..] => matches!(*verb, "show" | "get"),
        _ => takes_profile(path),
    }
}

/// Whether a command, by its words, is about one project. A test of the command line holds this to the options there are.
pub fn takes_project(path: &[&str]) -> bool {
    match path {
        ["testtakers", "check" | "apply", ..] | ["journal", "list", ..] => false,
        ["testtakers" | "results" | "links" | "journal", _, ..] | ["doctor", ..] => true,
        // Here the project may also stand behind the verb.
        _ => matches!(path, ["projects", "get" | "link"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> CommandLine {
        let profile = Some("old".to_owned());
        CommandLine { profile, projects: vec!["Night shift".to_owned()], ..CommandLine::default() }
    }

    #[test]
    fn a_command_of_a_hint_carries_the_profile_and_the_project() {
        for (hint, complete) in [
            (
                "add --results-api legacy, or type `assessctl config set results-api legacy`",
                "add --results-api legacy, or type `assessctl config set results-api legacy --profile old`",
            ),
            (
                "`assessctl journal show --in-doubt` lists them; --force forgets them",
                "`assessctl journal show --in-doubt --profile old -p 'Night shift'` lists them; --force forgets them",
            ),
            ("assessctl config set results-api legacy", "assessctl config set results-api legacy --profile old"),
            ("`assessctl projects list` shows them", "`assessctl projects list --profile old` shows them"),
        ] {
            assert_eq!(line().complete(hint), complete);
            assert_eq!(CommandLine::default().complete(hint), hint);
        }
    }

    #[test]
    fn a_line_that_could_not_be_parsed_tells_its_profile_and_its_projects() {
        let of = |line: &str| CommandLine::of_words(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for (typed, profile, projects) in [
            ("a testtakers rm x -p North --yes", None, vec!["North"]),
            (
                "a --profile=old results lst -pNorth -p=South --project East",
                Some("old"),
                vec!["North", "South", "East"],
            ),
            ("a results lst -p --json --profile", None, vec![]),
            ("a results get -- -p North", None, vec![]),
        ] {
            let line = of(typed);
            assert_eq!(
                (line.profile.as_deref(), line.projects),
                (profile, projects.into_iter().map(str::to_owned).collect())
            );
        }
        let complete = |hint| of("a x -p North").complete(hint);
        assert_eq!(complete("`assessctl journal show -p NAME_OR_ID`"), "`assessctl journal show -p North`");
        for hint in ["`assessctl results export --all-projects --to FILE.csv`", "`assessctl projects get NAME || true`"]
        {
            assert_eq!(complete(hint), hint);
        }
    }

    #[test]
    fn a_hint_names_the_configuration_the_address_and_the_key_file_of_the_line_and_no_secret() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("my key");
        std::fs::write(&file, "").expect("written");
        let line = |url: &str, file: &str| {
            let words = ["a", "--config", "w v.toml", "--base-url", url, &format!("--api-key-file={file}"), "lst"];
            CommandLine::of_words(&words.map(OsString::from))
        };
        let file = file.to_str().expect("Unicode");
        let given = line("https://a.example", file);
        for (hint, complete) in [
            ("assessctl doctor", format!(" --config 'w v.toml' --base-url https://a.example --api-key-file '{file}'")),
            ("assessctl config init --base-url URL", " --config 'w v.toml'".to_owned()),
            ("assessctl config use b", " --config 'w v.toml'".to_owned()),
            ("assessctl testtakers check roster.csv", String::new()),
            ("assessctl config list --config=other.toml", String::new()),
        ] {
            assert_eq!(given.complete(hint), format!("{hint}{complete}"));
        }
        let with_placeholder = "assessctl testtakers check --config FILE x.csv";
        assert_eq!(given.complete(with_placeholder), "assessctl testtakers check --config 'w v.toml' x.csv");
        let only_config = "assessctl doctor --config 'w v.toml'";
        assert_eq!(given.of_configuration().complete("assessctl doctor"), only_config);
        for (url, file) in [("https://me:canary@a.example", "-"), ("https://a.example/?canary", "canary")] {
            assert_eq!(line(url, file).complete("assessctl doctor"), only_config);
        }
    }

    #[test]
    fn what_names_a_profile_already_or_needs_none_stays_as_it_is() {
        for hint in [
            "run `assessctl config init`, or try things out with --profile sandbox",
            "run `assessctl --profile sandbox testtakers list`",
            "`assessctl config set api-key-file FILE --profile main`, set ASSESSCTL_API_KEY",
            "try again later",
            "`--help` after the command shows its options",
        ] {
            assert_eq!(line().complete(hint), hint);
        }
    }
}
