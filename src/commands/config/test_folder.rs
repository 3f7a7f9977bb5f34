//! A private folder with a configuration, for the tests of the commands about it.

use crate::commands::config::context::{ConfigContext, write};
use crate::commands::config::{ConfigCommand, run};
use crate::commands::shared::commands_in_hints::CommandLine;
use crate::config::{CONFIG, Declaration, Environment, Flags};
use crate::output::{Console, Options};

/// A private folder with a configuration; what is printed goes to a file beside it.
pub struct ConfigFolder {
    pub folder: tempfile::TempDir,
    environment: Environment,
}

impl ConfigFolder {
    pub fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own/config.toml");
        if !text.is_empty() {
            write(&path, text).expect("written");
        }
        Self { environment: Environment::default().with(&CONFIG.about, path.to_str().expect("Unicode")), folder }
    }

    pub fn set(&mut self, about: &'static Declaration, value: &str) {
        self.environment = std::mem::take(&mut self.environment).with(about, value);
    }

    pub fn run(&self, command: &ConfigCommand, flags: &Flags) -> anyhow::Result<String> {
        let to = self.folder.path().join("out.txt");
        let format = flags.output.unwrap_or_default();
        let options = Options { format, to: Some(to.clone()), ..Options::default() };
        let console = Console { quiet: true, ..Console::default() };
        let context = ConfigContext {
            flags,
            environment: &self.environment,
            options: &options,
            console,
            line: &CommandLine::default(),
        };
        tokio::runtime::Builder::new_current_thread().build()?.block_on(run(command, context))?;
        Ok(std::fs::read_to_string(to).unwrap_or_default())
    }

    pub fn text(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("own/config.toml")).expect("a configuration")
    }
}
