//! The environment: variables, home and the platform's folders. Nothing else in the program reads a variable.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::GlobalArgs;
use crate::model::talk::{ColorChoice, Talk};

/// Variables and the user's home. An empty variable is unset.
pub struct Environment {
    variables: HashMap<OsString, OsString>,
    pub(super) home: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process. Without `HOME`, as under cron, the home is that of the password database.
    pub fn of_process() -> Self {
        Self { variables: std::env::vars_os().collect(), home: dirs::home_dir() }
    }

    /// The same without what names a service, a key or a project: for a profile that is tried by itself.
    pub fn without_service(&self) -> Self {
        let names = ["ASSESSCTL_BASE_URL", "ASSESSCTL_API_KEY", "ASSESSCTL_PROJECT"];
        let mut variables = self.variables.clone();
        variables.retain(|name, _| !names.iter().any(|known| name == known));
        Self { variables, home: self.home.clone() }
    }

    /// What a variable holds, without the end of line that a file from Windows leaves there. What is not Unicode is replaced
    /// by U+FFFD, which only paths take.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let value = self.variables.get(OsStr::new(name))?.to_string_lossy();
        Some(value.trim_end_matches(['\r', '\n']).to_owned()).filter(|value| !value.is_empty())
    }

    /// What variables say about where a command goes, as options.
    pub fn place(&self) -> impl Iterator<Item = (&'static str, String)> {
        let options = [
            ("--config", "ASSESSCTL_CONFIG"),
            ("--profile", "ASSESSCTL_PROFILE"),
            ("--base-url", "ASSESSCTL_BASE_URL"),
        ];
        // A file that is not there is only tolerated as a variable.
        let is_option = |(option, value): &(&str, String)| *option != "--config" || PathBuf::from(value).exists();
        options.into_iter().filter_map(|(option, name)| Some((option, self.get(name)?))).filter(is_option)
    }

    /// How to talk, for the options that are known; a line that clap refuses has none.
    pub fn talk(&self, args: &GlobalArgs) -> Talk {
        let is = |name, word: &str| self.get(name).is_some_and(|value| value.eq_ignore_ascii_case(word));
        let is_dumb = is("TERM", "dumb");
        let color = match args.color {
            ColorChoice::Auto if self.get("NO_COLOR").is_some() => ColorChoice::Never,
            ColorChoice::Auto if self.get("CLICOLOR_FORCE").is_some_and(|value| value != "0") => ColorChoice::Always,
            ColorChoice::Auto if is_dumb => ColorChoice::Never,
            option => option,
        };
        let errors_json = is("ASSESSCTL_ERRORS", "json");
        Talk { quiet: args.quiet, verbose: args.verbose, color, is_dumb, errors_json }
    }

    /// Our folder in one of XDG's, which macOS has too, as other command-line programs do, or in Windows' own. A variable with
    /// a relative path counts as unset (XDG's rule).
    pub(super) fn folder(&self, xdg: &str, below_home: &str, windows: fn() -> Option<PathBuf>) -> Option<PathBuf> {
        let xdg = || self.get(xdg).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let unix = || xdg().or_else(|| self.home.as_ref().map(|home| home.join(below_home)));
        let folder = if cfg!(windows) { windows() } else { unix() };
        folder.map(|folder| folder.join("assessctl"))
    }
}

#[cfg(test)]
impl Environment {
    /// An environment of these variables only; `HOME` is the home.
    pub(super) fn of(variables: &[(&str, &str)]) -> Self {
        let variables: HashMap<_, _> = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let home = variables.get(OsStr::new("HOME")).map(PathBuf::from);
        Self { variables, home }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(option: ColorChoice, variables: &[(&str, &str)]) -> Talk {
        Environment::of(variables).talk(&GlobalArgs { color: option, ..GlobalArgs::default() })
    }

    #[test]
    fn an_empty_variable_is_unset() {
        let environment = Environment::of(&[("ASSESSCTL_PROFILE", ""), ("ASSESSCTL_ERRORS", "JSON")]);
        assert_eq!(environment.get("ASSESSCTL_PROFILE"), None);
        assert!(environment.talk(&GlobalArgs::default()).errors_json);
        assert_eq!(talk(ColorChoice::Auto, &[]), Talk::default());
    }

    #[test]
    fn the_option_decides_about_colors_before_the_variables() {
        let cases = [
            (ColorChoice::Auto, &[][..], ColorChoice::Auto),
            (ColorChoice::Auto, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], ColorChoice::Never),
            (ColorChoice::Auto, &[("NO_COLOR", ""), ("CLICOLOR_FORCE", "1")], ColorChoice::Always),
            (ColorChoice::Auto, &[("CLICOLOR_FORCE", "0")], ColorChoice::Auto),
            (ColorChoice::Auto, &[("TERM", "dumb")], ColorChoice::Never),
            (ColorChoice::Always, &[("NO_COLOR", "1")], ColorChoice::Always),
            (ColorChoice::Never, &[("CLICOLOR_FORCE", "1")], ColorChoice::Never),
        ];
        for (option, variables, expected) in cases {
            assert_eq!(talk(option, variables).color, expected, "{option:?} {variables:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_xdgs_or_below_home() {
        let folder = |variables: &[_]| Environment::of(variables).folder("XDG_STATE_HOME", ".local/state", || None);
        let home = ("HOME", "/home/ann");
        assert_eq!(folder(&[home]), Some("/home/ann/.local/state/assessctl".into()));
        assert_eq!(folder(&[home, ("XDG_STATE_HOME", "/state")]), Some("/state/assessctl".into()));
        assert_eq!(folder(&[home, ("XDG_STATE_HOME", "state")]), Some("/home/ann/.local/state/assessctl".into()));
        assert_eq!(folder(&[]), None);
    }
}
