//! `config`: profiles, and where each value comes from.

mod init;
mod show;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

pub use self::init::InitArgs;
pub(in crate::commands) use self::show::{LIST, SHOW};
use crate::config::{self, Environment, Given, Profiles, edit, locate, profile_in_use, settle};
use crate::model::verdict::{Failure, Verdict};
use crate::output::file::Replacement;
use crate::output::{Columns, Options, Printer, Shape, Talk};

/// Profiles: named settings in the configuration file.
///
/// A profile holds the address of a service, where its key is, and the defaults of options. A flag goes before a
/// variable, a variable before the profile, the profile before the default.
#[derive(Subcommand, Debug)]
pub enum ConfigCommand {
    Init(InitArgs),
    List(ListArgs),
    Show(ShowArgs),
    Set(SetArgs),
    Unset(UnsetArgs),
    Use(UseArgs),
    Path(PathArgs),
}

/// Lists the profiles.
///
/// Keys are never shown, only how each is kept.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config list
  assessctl config list --output json")]
pub struct ListArgs {}

/// Show each setting in use and where it comes from.
///
/// The key is never shown, only whether there is one. Variables that the sandbox ignores are named.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config show
  assessctl config show --profile sandbox --output json")]
pub struct ShowArgs {}

/// Set one value of a profile: of the one in use, or of --profile.
///
/// Comments and order of the file stay. A key can't be set so (`ps` and the shell's history would show it): put it
/// into a file of its own and set api-key-file.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # a profile, and two values more
  assessctl config init --name main --base-url https://assess.example.com
  assessctl config set project \"Night shift\" --profile main
  assessctl config set output csv --profile main")]
pub struct SetArgs {
    /// base-url, api-key-file, api-key-command, project, output, results-api, ca-cert, allow-http, concurrency,
    /// max-rate, read-only or confirm
    pub key: String,
    /// The value
    #[arg(allow_hyphen_values = true)]
    pub value: String,
}

/// Take one value out of a profile: of the one in use, or of --profile.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  # a profile, and one value less
  assessctl config init --name main --base-url https://assess.example.com \\
      --project Demo
  assessctl config unset project --profile main")]
pub struct UnsetArgs {
    /// A key as `config set` takes it, or api-key
    pub key: String,
}

/// Make a profile the default: the one in use where neither --profile nor the environment says otherwise.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config use sandbox")]
pub struct UseArgs {
    /// Name of the profile
    pub name: String,
}

/// Print where the configuration file is, or would be.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  assessctl config path")]
pub struct PathArgs {}

/// What the commands about the configuration work with. They settle nothing beforehand, so that they can mend a file
/// from which nothing can be settled.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// What the flags say.
    pub given: &'a Given,
    /// What the environment says.
    pub environment: &'a Environment,
    /// How to print; the format counts where none can be settled.
    pub options: &'a Options,
    /// Notes and questions.
    pub talk: Talk,
}

/// Runs a command about the configuration.
pub fn run(command: &ConfigCommand, around: Around<'_>) -> anyhow::Result<Verdict> {
    match command {
        ConfigCommand::Init(args) => init::run(args, around)?,
        ConfigCommand::List(_) => show::list(around)?,
        ConfigCommand::Show(_) => show::show(around)?,
        ConfigCommand::Set(args) => set(args, around)?,
        ConfigCommand::Unset(args) => unset(args, around)?,
        ConfigCommand::Use(args) => use_profile(args, around)?,
        ConfigCommand::Path(_) => path(around)?,
    }
    Ok(Verdict::Done)
}

fn set(args: &SetArgs, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    let profile = around.profile(&text, &file)?;
    let value = match args.key.as_str() {
        "api-key-file" | "ca-cert" => absolute(&args.value)?,
        _ => args.value.clone(),
    };
    write(&file, &edit::set(&text, &file, &profile, &args.key, &value)?)?;
    around.talk.aside(&format!("{} of profile {profile} is set", args.key));
    Ok(())
}

fn unset(args: &UnsetArgs, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    let profile = around.profile(&text, &file)?;
    match edit::unset(&text, &file, &profile, &args.key)? {
        Some(text) => {
            write(&file, &text)?;
            around.talk.aside(&format!("{} of profile {profile} is not set any more", args.key));
        }
        None => around.talk.aside(&format!("{} of profile {profile} was not set", args.key)),
    }
    Ok(())
}

fn use_profile(args: &UseArgs, around: Around<'_>) -> anyhow::Result<()> {
    let (file, text) = around.read()?;
    write(&file, &edit::use_profile(&text, &file, &args.name)?)?;
    around.talk.aside(&format!("profile {} is the default now", args.name));
    if around.environment.profile.as_ref().is_some_and(|other| *other != *args.name) {
        around.talk.warn("ASSESSCTL_PROFILE is set and goes before the default");
    }
    Ok(())
}

pub const PATH: Columns<'static> = Columns::of(&["path"]);

fn path(around: Around<'_>) -> anyhow::Result<()> {
    let options = around.options();
    let mut printer = Printer::new(&PATH, Shape::OneString, &options)?;
    let file = std::path::absolute(around.file()?)?;
    printer.push(&json!(file.to_string_lossy()).to_string())?;
    Ok(printer.finish()?)
}

impl Around<'_> {
    fn file(self) -> Result<PathBuf, config::Error> {
        locate(self.given, self.environment).map(|file| file.value)
    }

    /// The file and its text, empty where there is none yet.
    fn read(self) -> anyhow::Result<(PathBuf, String)> {
        let file = self.file()?;
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok((file, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((file, String::new())),
            Err(error) => Err(error).with_context(|| format!("cannot read the configuration {}", file.display())),
        }
    }

    /// The profile that a change is for.
    fn profile(self, text: &str, file: &Path) -> Result<String, config::Error> {
        let profiles = Profiles::parse(text, file)?;
        let profile = profile_in_use(self.given, self.environment, &profiles)?;
        profile.map(|profile| profile.value).ok_or_else(|| {
            Failure::usage("no profile is in use")
                .hint("name one with --profile, or make one with `assessctl config init`")
        })
    }

    /// How to print: in the format that can be settled, else in the one of the flags.
    pub fn options(self) -> Options {
        let settled = settle(self.given, self.environment).map(|settings| settings.output.value);
        Options { format: settled.unwrap_or(self.options.format), ..self.options.clone() }
    }
}

/// Replaces the configuration file as a whole; it and a new folder are for their owner alone, since it may hold a key.
fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let written = || -> io::Result<()> {
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            config::create_private(folder)?;
        }
        let mut replacement = Replacement::begin(file)?;
        replacement.write_all(text.as_bytes())?;
        replacement.commit()
    };
    written().with_context(|| format!("cannot write the configuration {}", file.display()))
}

/// A path as it can be kept in the file: the user means it from where they are, or from home.
fn absolute(path: &str) -> anyhow::Result<String> {
    if path.is_empty() || path.starts_with("~/") {
        return Ok(path.to_owned());
    }
    let absolute = std::path::absolute(path).with_context(|| format!("cannot tell where {path} is"))?;
    let text = absolute.to_str().ok_or_else(|| Failure::usage("the path is not valid Unicode"))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A private folder with a configuration; what is printed goes to a file beside it.
    pub struct Account {
        folder: tempfile::TempDir,
        pub environment: Environment,
    }

    impl Account {
        pub fn new(text: &str) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("own/config.toml");
            if !text.is_empty() {
                write(&path, text).expect("written");
            }
            Self { environment: Environment { config: Some(path.into()), ..Environment::default() }, folder }
        }

        pub fn run(&self, command: &ConfigCommand, given: &Given) -> anyhow::Result<String> {
            let to = self.folder.path().join("out");
            let format = given.output.unwrap_or_default();
            let options = Options { format, to: Some(to.clone()), ..Options::default() };
            let talk = Talk { quiet: true, ..Talk::default() };
            run(command, Around { given, environment: &self.environment, options: &options, talk })?;
            Ok(std::fs::read_to_string(to).unwrap_or_default())
        }

        fn text(&self) -> String {
            std::fs::read_to_string(self.folder.path().join("own/config.toml")).expect("a configuration")
        }
    }

    fn init(name: &str) -> ConfigCommand {
        ConfigCommand::Init(InitArgs {
            name: Some(name.to_owned()),
            project: Some("Demo".to_owned()),
            allow_http: false,
        })
    }

    fn at(url: &str) -> Given {
        Given { base_url: Some(url.to_owned()), ..Given::default() }
    }

    #[test]
    fn init_writes_a_profile_that_can_be_used() {
        let account = Account::new("");
        account.run(&init("main"), &at("https://a.example")).expect("written");
        let expected = "profile = \"main\"\n\n[profiles.main]\nbase-url = \"https://a.example\"\nproject = \"Demo\"\n";
        assert_eq!(account.text(), expected);
        assert!(account.run(&init("main"), &at("https://a.example")).is_err());
        assert!(account.run(&init("sandbox"), &at("https://a.example")).is_err());
        assert!(account.run(&init("plain"), &at("http://a.example")).is_err());
        assert_eq!(account.text(), expected);
    }

    #[cfg(unix)]
    #[test]
    fn the_file_and_its_folder_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let account = Account::new("");
        account.run(&init("main"), &at("https://a.example")).expect("written");
        for (path, mode) in [("own", 0o700), ("own/config.toml", 0o600)] {
            let meta = std::fs::metadata(account.folder.path().join(path)).expect("there");
            assert_eq!(meta.permissions().mode() & 0o777, mode, "{path}");
        }
    }

    #[test]
    fn a_change_is_for_the_profile_in_use_and_a_default_that_is_gone_can_be_mended() {
        let account = Account::new("profile = \"gone\"\n\n[profiles.b] # mine\n");
        let set = ConfigCommand::Set(SetArgs { key: "project".into(), value: "Demo".into() });
        assert!(account.run(&set, &Given::default()).is_err());
        account.run(&ConfigCommand::Use(UseArgs { name: "b".into() }), &Given::default()).expect("mended");
        account.run(&set, &Given::default()).expect("set");
        assert_eq!(account.text(), "profile = \"b\"\n\n[profiles.b] # mine\nproject = \"Demo\"\n");
        let unset = ConfigCommand::Unset(UnsetArgs { key: "project".into() });
        account.run(&unset, &Given::default()).expect("unset");
        account.run(&unset, &Given::default()).expect("was not set");
        assert_eq!(account.text(), "profile = \"b\"\n\n[profiles.b] # mine\n");
    }

    #[test]
    fn path_is_the_path_alone() {
        let account = Account::new("");
        let shown = account.run(&ConfigCommand::Path(PathArgs {}), &Given::default()).expect("shown");
        assert_eq!(shown.trim_end(), account.folder.path().join("own/config.toml").to_string_lossy());
    }
}
