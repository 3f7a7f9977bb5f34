//! The environment: variables, home and the platform's folders. Nothing else in the program reads a variable.

use std::ffi::OsString;
use std::path::PathBuf;

use super::GlobalArgs;
use crate::model::talk::{ColorChoice, Talk};
use crate::model::verdict::Failure;

type Lookup = Box<dyn Fn(&str) -> Option<OsString>>;

/// Variables and the user's home. An empty variable is unset.
pub struct Environment {
    lookup: Lookup,
    home: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process. Without `HOME` (cron) the home is that of the password database.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
    pub fn of_process() -> Self {
        Self { lookup: Box::new(|name| std::env::var_os(name)), home: dirs::home_dir() }
    }

    /// What a variable holds.
    pub(super) fn raw(&self, name: &str) -> Option<OsString> {
        (self.lookup)(name).filter(|value| !value.is_empty())
    }

    /// What a variable holds, which must be text.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let text = self.raw(name).map(OsString::into_string).transpose();
        text.map_err(|_| Failure::usage(format!("{name} is not valid Unicode")))
    }

    pub(super) fn home(&self) -> Option<&PathBuf> {
        self.home.as_ref()
    }

    /// The folder of the program's configuration.
    pub(super) fn config_folder(&self) -> Option<PathBuf> {
        self.folder("XDG_CONFIG_HOME", ".config", dirs::config_dir)
    }

    /// The folder of what the program remembers.
    pub(super) fn state_folder(&self) -> Option<PathBuf> {
        self.folder("XDG_STATE_HOME", ".local/state", dirs::data_local_dir)
    }

    /// macOS has the XDG folders too, as other command-line programs do. A relative one counts as unset (XDG's rule).
    fn folder(&self, variable: &str, below_home: &str, on_windows: fn() -> Option<PathBuf>) -> Option<PathBuf> {
        let xdg = || self.raw(variable).map(PathBuf::from).filter(|folder| folder.is_absolute());
        let folder = if cfg!(windows) { on_windows() } else { xdg().or_else(|| Some(self.home()?.join(below_home))) };
        Some(folder?.join("assessctl"))
    }

    /// How to talk, for the options that are known; a line that clap refuses has none.
    pub fn talk(&self, args: &GlobalArgs) -> Talk {
        let is = |name, word: &str| self.raw(name).is_some_and(|value| value.eq_ignore_ascii_case(word));
        let is_dumb = is("TERM", "dumb");
        let color = match args.color {
            ColorChoice::Auto if self.raw("NO_COLOR").is_some() => ColorChoice::Never,
            ColorChoice::Auto if self.raw("CLICOLOR_FORCE").is_some() && !is("CLICOLOR_FORCE", "0") => {
                ColorChoice::Always
            }
            ColorChoice::Auto if is_dumb => ColorChoice::Never,
            choice => choice,
        };
        let errors_json = is("ASSESSCTL_ERRORS", "json");
        Talk { quiet: args.quiet, verbose: args.verbose, color, is_dumb, errors_json }
    }
}
