//! The root command: its nouns, its options, and which function runs each command.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::config::ConfigVerb;
use crate::commands::journal::JournalVerb;
use crate::commands::links::LinkVerb;
use crate::commands::projects::ProjectVerb;
use crate::commands::redirect_uris::RedirectUriVerb;
use crate::commands::refused_line::not_taken;
use crate::commands::results::ResultVerb;
use crate::commands::sandbox::SandboxVerb;
use crate::commands::session::Session;
use crate::commands::testtakers::TestTakerVerb;
use crate::commands::{Ended, doctor, shell, shown};
use crate::config::GlobalArgs;
use crate::config::environment::Environment;
use crate::output::Console;

/// What needs no account.
const TRY: &str = "\
Try it without an account:
  assessctl sandbox seed
  assessctl --profile sandbox results list";

/// Administer an assessment service: projects, test takers, test links, results
#[derive(Parser)]
#[command(name = "assessctl", version, subcommand_required = true, disable_version_flag = true)]
#[command(after_help = TRY)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    noun: Noun,
}

#[derive(Subcommand)]
enum Noun {
    #[command(subcommand, alias = "project")]
    Projects(ProjectVerb),
    #[command(subcommand, aliases = ["testtaker", "test-takers", "takers", "people", "person", "users", "user", "participants", "candidates"])]
    Testtakers(TestTakerVerb),
    #[command(subcommand, alias = "result")]
    Results(ResultVerb),
    #[command(subcommand, alias = "link")]
    Links(LinkVerb),
    #[command(subcommand, alias = "redirect-uri")]
    RedirectUris(RedirectUriVerb),
    #[command(subcommand)]
    Journal(JournalVerb),
    #[command(subcommand, aliases = ["configure", "profile", "profiles"])]
    Config(ConfigVerb),
    #[command(subcommand)]
    Sandbox(SandboxVerb),
    Doctor(doctor::Doctor),
    #[command(alias = "completion")]
    Completions(shell::Completions),
    #[command(alias = "manual")]
    Man(shell::Manual),
}

/// What `assessctl` without a word prints.
fn start() -> String {
    let about = Cli::command().get_about().map(ToString::to_string).unwrap_or_default();
    format!(
        "{about}\n\n{TRY}\n\nUse it with your service:\n  assessctl config init\n\nAll commands: assessctl --help\n"
    )
}

/// The command line as clap knows it. The page of a command has its own options only; the global ones are on the root page.
fn command() -> Command {
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("Print version");
    let root = one_line_help(Cli::command()).arg(version).bin_name("assessctl");
    let root = root.mut_arg("help", |help| help.help_heading("Global options"));
    // The last one counts, so that a shell alias may hold some of them.
    let root = root.mut_args(|arg| {
        let id = arg.get_id().clone();
        if arg.is_global_set() { arg.overrides_with(id) } else { arg }
    });
    root.mut_subcommands(|noun| noun.defer(page))
}

/// The page of a noun or a verb, made when it is asked for.
fn page(command: Command) -> Command {
    let has_verbs = command.has_subcommands();
    let names_people = command.get_arguments().any(|arg| arg.get_id() == "people");
    one_line_help(command)
        .mut_args(|arg| {
            let is_rare = names_people && RARE.contains(&arg.get_id().as_str());
            if arg.is_global_set() || is_rare { arg.hide(true) } else { arg }
        })
        .help_template(PAGE)
        .subcommand_required(has_verbs)
        .arg_required_else_help(has_verbs)
        .mut_subcommands(|verb| verb.defer(page))
}

/// Options of a roster that lists of people seldom need: their pages leave them out.
const RARE: [&str; 4] = ["allowed", "shared_mailboxes", "encoding", "sheet"];

/// Examples come first: they are what most people look for.
const PAGE: &str = "\
{about-with-newline}
{usage-heading} {usage}{after-help}

{all-args}

Global options: assessctl --help";

/// `--help` is as short as `-h`: one line an option.
fn one_line_help(command: Command) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort).help("Print help");
    command.disable_help_flag(true).disable_help_subcommand(true).arg(help.help_heading(None))
}

/// Takes a command line, and runs its command to the end. The returned console says how it ended.
pub fn run(words: &[OsString]) -> (Console, Ended) {
    let environment = Environment::of_process();
    if words.len() <= 1 {
        let console = Console::new(environment.talk(&GlobalArgs::default()));
        return (console, shown(&start()));
    }
    let (mut root, mut words) = (command(), words.to_vec());
    if words[1] == "help" {
        // `help projects list` asks for the page of a command, as in git and cargo.
        words.remove(1);
        words.push("--help".into());
    }
    let found = root.try_get_matches_from_mut(&words).and_then(|found| Cli::from_arg_matches(&found));
    let global = found.as_ref().map(|cli| cli.global.clone()).unwrap_or_default();
    let console = Console::new(environment.talk(&global));
    let ended = match found {
        Ok(cli) => dispatch(cli.noun, &Session::new(global, environment, console.clone()), root),
        Err(error) => not_taken(&error, &root, &words),
    };
    (console, ended)
}

fn dispatch(noun: Noun, session: &Session, root: Command) -> Ended {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        match noun {
            Noun::Projects(ProjectVerb::List(command)) => command.run(session).await,
            Noun::Projects(ProjectVerb::Get(command)) => command.run(session).await,
            Noun::Projects(ProjectVerb::Create(command)) => command.run(session).await,
            Noun::Projects(ProjectVerb::Link(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::List(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::Get(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::Enrol(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::Import(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::Check(command)) => command.run(session),
            Noun::Testtakers(TestTakerVerb::Update(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::Remove(command)) => command.run(session).await,
            Noun::Testtakers(TestTakerVerb::Sync(command)) => command.run(session).await,
            Noun::Results(ResultVerb::List(command)) => command.run(session).await,
            Noun::Results(ResultVerb::Get(command)) => command.run(session).await,
            Noun::Results(ResultVerb::Export(command)) => command.run(session).await,
            Noun::Results(ResultVerb::Changes(command)) => command.run(session).await,
            Noun::Results(ResultVerb::Summary(command)) => command.run(session).await,
            Noun::Results(ResultVerb::Report(command)) => command.run(session).await,
            Noun::Links(LinkVerb::Issue(command)) => command.run(session).await,
            Noun::RedirectUris(RedirectUriVerb::List(command)) => command.run(session).await,
            Noun::RedirectUris(RedirectUriVerb::Add(command)) => command.run(session).await,
            Noun::Journal(JournalVerb::List(command)) => command.run(session),
            Noun::Journal(JournalVerb::Show(command)) => command.run(session).await,
            Noun::Journal(JournalVerb::Undo(command)) => command.run(session).await,
            Noun::Journal(JournalVerb::Forget(command)) => command.run(session).await,
            Noun::Config(ConfigVerb::Init(command)) => command.run(session).await,
            Noun::Config(ConfigVerb::Show(command)) => command.run(session),
            Noun::Config(ConfigVerb::Set(command)) => command.run(session).await,
            Noun::Config(ConfigVerb::Unset(command)) => command.run(session),
            Noun::Config(ConfigVerb::Use(command)) => command.run(session),
            Noun::Config(ConfigVerb::Remove(command)) => command.run(session),
            Noun::Sandbox(SandboxVerb::Serve(command)) => command.run(session).await,
            Noun::Sandbox(SandboxVerb::Seed(command)) => command.run(session),
            Noun::Sandbox(SandboxVerb::Set(command)) => command.run(session),
            Noun::Sandbox(SandboxVerb::Reset(command)) => command.run(session),
            Noun::Doctor(command) => command.run(session).await,
            Noun::Completions(command) => command.run(root),
            Noun::Man(command) => command.run(root),
        }
    })
}
