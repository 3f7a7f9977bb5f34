//! What a hint has to repeat: the profile and the projects that the command line named.

use clap::ArgMatches;

use crate::model::shell_word::shell_word;

/// The options of this run without which a command that a hint names would be about something else.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    profile: Option<String>,
    projects: Vec<String>,
}

impl CommandLine {
    /// What was given on the line; a variable or a profile holds for the next command anyway.
    pub fn of(matches: &ArgMatches) -> Self {
        let mut line = Self::default();
        let mut here = Some(matches);
        while let Some(matches) = here {
            if let Ok(Some(profile)) = matches.try_get_one::<String>("profile") {
                line.profile = Some(profile.clone());
            }
            if let Ok(Some(projects)) = matches.try_get_many::<String>("project") {
                line.projects = projects.cloned().collect();
            }
            here = matches.subcommand().map(|(_, below)| below);
        }
        line
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
        let words: Vec<&str> = command.split(' ').collect();
        let ["assessctl", path @ ..] = words.as_slice() else { return command.to_owned() };
        let mut typed = command.to_owned();
        if takes_profile(path) && !path.contains(&"--profile") {
            typed.extend(self.profile.iter().map(|profile| format!(" --profile {}", shell_word(profile))));
        }
        if takes_project(path) && !path.contains(&"-p") {
            typed.extend(self.projects.iter().map(|project| format!(" -p {}", shell_word(project))));
        }
        typed
    }
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
        CommandLine { profile: Some("old".to_owned()), projects: vec!["Night shift".to_owned()] }
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
