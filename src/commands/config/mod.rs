//! `config`: profiles, and where each value comes from.

pub mod context;
mod get;
mod init;
mod list;
mod path;
mod set;
mod show;
#[cfg(test)]
mod test_folder;
mod unset;
mod use_profile;

use clap::Subcommand;

use crate::commands::config::context::ConfigContext;
use crate::model::exit_ranks::Verdict;

/// Profiles: named settings in the configuration file.
///
/// A profile holds the address of a service, where its key is, and the defaults of options. A flag goes before a
/// variable, a variable before the profile, the profile before the default.
#[derive(Subcommand, Debug)]
#[command(after_help = "\
Examples:
  assessctl config init --name main --base-url https://assess.example.com \\
      --api-key-file key.txt --no-check
  assessctl config show
  assessctl config set project 'Night shift' --profile main")]
pub enum ConfigCommand {
    Init(init::InitProfile),
    List(list::ListProfiles),
    Show(show::ShowSettings),
    Get(get::GetSetting),
    Set(set::SetValue),
    Unset(unset::UnsetValue),
    Use(use_profile::UseProfile),
    Path(path::ShowPath),
}

/// Runs a command about the configuration.
pub async fn run(command: &ConfigCommand, context: ConfigContext<'_>) -> anyhow::Result<Verdict> {
    match command {
        ConfigCommand::Init(args) => init::run(args, context).await?,
        ConfigCommand::List(_) => list::run(context)?,
        ConfigCommand::Show(args) => show::run(args, context)?,
        ConfigCommand::Get(args) => return get::run(args, context),
        ConfigCommand::Set(args) => set::run(args, context)?,
        ConfigCommand::Unset(args) => unset::run(args, context)?,
        ConfigCommand::Use(args) => use_profile::run(args, context)?,
        ConfigCommand::Path(_) => path::run(context)?,
    }
    Ok(Verdict::Done)
}

#[cfg(test)]
mod tests {
    use super::init::InitProfile;
    use super::path::ShowPath;
    use super::set::SetValue;
    use super::test_folder::ConfigFolder;
    use super::unset::UnsetValue;
    use super::use_profile::UseProfile;
    use super::*;
    use crate::config::Flags;

    fn init(name: &str) -> ConfigCommand {
        ConfigCommand::Init(InitProfile {
            name: Some(name.to_owned()),
            project: Some("Demo".to_owned()),
            allow_http: false,
            no_check: true,
        })
    }

    fn at(url: &str) -> Flags {
        Flags { base_url: Some(url.to_owned()), ..Flags::default() }
    }

    #[test]
    fn init_writes_a_profile_that_can_be_used() {
        let account = ConfigFolder::new("");
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
        let account = ConfigFolder::new("");
        account.run(&init("main"), &at("https://a.example")).expect("written");
        for (path, mode) in [("own", 0o700), ("own/config.toml", 0o600)] {
            let meta = std::fs::metadata(account.folder.path().join(path)).expect("there");
            assert_eq!(meta.permissions().mode() & 0o777, mode, "{path}");
        }
    }

    #[test]
    fn a_change_is_for_the_profile_in_use_and_a_default_that_is_gone_can_be_mended() {
        let account = ConfigFolder::new("profile = \"gone\"\n\n[profiles.b] # mine\n");
        let set = ConfigCommand::Set(SetValue { key: "project".into(), value: "Demo".into() });
        assert!(account.run(&set, &Flags::default()).is_err());
        account.run(&ConfigCommand::Use(UseProfile { name: "b".into() }), &Flags::default()).expect("mended");
        account.run(&set, &Flags::default()).expect("set");
        assert_eq!(account.text(), "profile = \"b\"\n\n[profiles.b] # mine\nproject = \"Demo\"\n");
        let unset = ConfigCommand::Unset(UnsetValue { key: "project".into() });
        account.run(&unset, &Flags::default()).expect("unset");
        account.run(&unset, &Flags::default()).expect("was not set");
        assert_eq!(account.text(), "profile = \"b\"\n\n[profiles.b] # mine\n");
    }

    #[test]
    fn path_is_the_path_alone() {
        let account = ConfigFolder::new("");
        let shown = account.run(&ConfigCommand::Path(ShowPath {}), &Flags::default()).expect("shown");
        assert_eq!(shown.trim_end(), account.folder.path().join("own/config.toml").to_string_lossy());
    }
}
