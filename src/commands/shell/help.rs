//! Help: on a command, on a topic, and the short map for the program's name alone.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Args, Command};

use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::commands::shell::argv::{at, path};
pub use crate::commands::shell::topics::TOPICS;
use crate::commands::shell::topics::text;
use crate::commands::suggest::translation::translated;
use crate::commands::suggest::unknown_commands::elsewhere;
use crate::config::{Environment, Flags, locate, resolve};
use crate::model::did_you_mean::nearest;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::ErrorFormat;
use crate::output::{Console, print_now, terminal, wrapped};

/// Explain a topic or a command
///
/// The topics are exit-codes, environment, output, rosters, profiles and scripting.
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::Text))]
#[command(after_help = "\
Examples:
  assessctl help exit-codes
  assessctl help testtakers import")]
pub struct HelpArgs {
    /// A topic, or the words of a command
    #[arg(id = "explained", value_name = "TOPIC_OR_COMMAND")]
    words: Vec<String>,
}

/// Explains what the words name; `command` is the whole program.
pub fn run(args: &HelpArgs, mut command: Command) -> anyhow::Result<Verdict> {
    if let [topic] = args.words.as_slice()
        && let Some(text) = text(topic, width())
    {
        print_now(&text)?;
        return Ok(Verdict::Done);
    }
    command.build();
    let typed = ["assessctl"].into_iter().chain(args.words.iter().map(String::as_str)).map(OsString::from).collect();
    let words = translated(&command, typed).into_iter().skip(1);
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let mut named = &command;
    for (place, word) in words.iter().enumerate() {
        named = named.find_subcommand(word).ok_or_else(|| unknown(&command, named, &words[..place], word))?;
    }
    print_now(&shown(named.clone(), true).to_string())?;
    Ok(Verdict::Done)
}

/// Columns of help: those of the terminal, but no more than can be read well.
fn width() -> usize {
    terminal::terminal_width().unwrap_or(80).min(MAX_WIDTH)
}

fn topic_names() -> String {
    TOPICS.map(|(name, _)| name).join(" | ")
}

/// There is no help on a word after those that name the command `named`.
fn unknown(root: &Command, named: &Command, before: &[String], word: &str) -> Failure {
    let commands = named.get_subcommands().map(Command::get_name);
    let topics = TOPICS.into_iter().map(|(name, _)| name).filter(|_| before.is_empty());
    let near = nearest(word, commands.chain(topics)).map(|near| [before, &[near.to_owned()]].concat().join(" "));
    let hint = match (near, elsewhere(root, &[], word)) {
        (_, Some(hint)) if hint.commands().iter().any(|command| command.starts_with("help ")) => hint.to_string(),
        (Some(near), _) => format!("did you mean `assessctl help {near}`?"),
        (None, Some(hint)) => hint.to_string().replace("`assessctl ", "`assessctl help "),
        (None, None) => format!("the topics are {}; commands work, too", TOPICS.map(|(name, _)| name).join(", ")),
    };
    Failure::usage(format!("there is no help on {word:?}")).hint(hint)
}

/// The help that a line of words asks for: with `-h` the options alone, with `--help` all that is to be said and the
/// examples, on one screen if possible. Options of every command are told with the program's own help.
pub fn on_line(mut command: Command, words: &[OsString]) -> StyledStr {
    command.build();
    let named = at(&command, &path(&command, words));
    shown(named.clone(), words.iter().any(|word| word == "--help"))
}

/// The widest lines of help.
pub const MAX_WIDTH: usize = 100;

const EVERYWHERE: &str = "\
Every command takes -o table|csv|json|ndjson|xlsx, --fields, --to FILE, --profile, -q and more: `assessctl --help`.";

const OF_ALL: &str = "`assessctl --help` shows the options of every command.";

/// One command's help in the narrow layout. The wide one of clap takes two lines and a blank one for each option.
fn shown(command: Command, long: bool) -> StyledStr {
    let is_root = command.get_name() == "assessctl";
    let about = command.get_long_about().filter(|_| long).or(command.get_about()).cloned();
    let after = command.get_after_help().filter(|_| long).cloned().unwrap_or_default();
    let command = command.mut_args(|arg| match arg.get_long_help().filter(|_| long).cloned() {
        _ if arg.is_global_set() && !is_root => arg.hide(true),
        Some(help) => arg.help(help),
        None => arg,
    });
    let mut command = hang_lists(command).about(about.unwrap_or_default());
    if is_root {
        let topics = format!("Topics: assessctl help {}", topic_names());
        command = command.after_help(if long { format!("{after}\n\n{topics}") } else { topics });
    } else if !long {
        command = command.after_help("`--help` says more, with examples.");
    } else {
        let has_records = Prints::of(&command).is_none_or(Prints::has_records);
        let everywhere = if has_records { EVERYWHERE } else { OF_ALL };
        command = command.after_help(format!("{everywhere}\n\n{after}"));
    }
    command.render_help()
}

/// Breaks the lines of lists in the help of operands, each a word and what it means, so that they go on below the meaning.
fn hang_lists(command: Command) -> Command {
    let longest = command.get_positionals().map(|operand| operand.to_string().chars().count()).max().unwrap_or(0);
    let room = width().saturating_sub(longest + 4);
    command.mut_args(|arg| match arg.get_help().map(ToString::to_string).filter(|help| help.contains('\n')) {
        Some(help) => arg.help(help.lines().map(|line| hung(line, room)).collect::<Vec<_>>().join("\n")),
        None => arg,
    })
}

fn hung(line: &str, room: usize) -> String {
    let Some((word, meaning)) = line.split_once("  ") else { return line.to_owned() };
    let indent = line.len() - meaning.trim_start().len();
    let lines = wrapped(meaning.trim_start(), room.saturating_sub(indent), room.saturating_sub(indent));
    format!("{word:indent$}{}", lines.join(&format!("\n{:indent$}", "")))
}

/// What the program says where its name was typed alone.
pub fn map(flags: &Flags, environment: &Environment, console: Console) -> anyhow::Result<Verdict> {
    if console.format == ErrorFormat::Json {
        return Err(Failure::usage("no command is given").hint("`assessctl --help` lists them").into());
    }
    MAP.lines().for_each(|line| console.show(line));
    console.show("");
    next_step(flags, environment).lines().for_each(|line| console.show(line));
    Ok(Verdict::Usage)
}

/// Fits sixty columns.
const MAP: &str = "\
assessctl administers an assessment service.

  projects list                what is there
  testtakers import FILE.csv   enrol everybody, nobody twice
  links issue ref:EMP-00017    a one-time link for one person
  results list                 who is fit for duty

  --help                       every command
  COMMAND --help               one command, with examples
  help                         topics, such as exit-codes";

fn next_step(flags: &Flags, environment: &Environment) -> String {
    let file = locate(flags, environment).map(|file| file.value.display().to_string()).unwrap_or_default();
    match resolve(flags, environment) {
        Ok(settings) if settings.is_sandbox() => {
            "The profile is the sandbox, a service in this program.\nNext: assessctl projects list".to_owned()
        }
        Ok(settings) if settings.base_url.is_some() => {
            let profile = settings.profile.map_or_else(|| "none".to_owned(), |profile| profile.value);
            format!("The profile is {profile}.\nNext: assessctl projects list")
        }
        Ok(_) => "No service is set yet. To try things out without an account:\n\
                  \x20 assessctl --profile sandbox projects list\nFor a real service:\n\x20 assessctl config init"
            .to_owned(),
        Err(_) => format!("The configuration {file} cannot be used.\nNext: assessctl config show"),
    }
}
