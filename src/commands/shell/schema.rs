//! `schema`: the command line and its outputs as a program reads them, drawn from the declarations that the program runs on.

use clap::builder::{PossibleValue, StyledStr};
use clap::{Arg, Args, Command};
use serde_json::{Map, Value, json};

use crate::commands::shared::output_schema::output_schema;
use crate::commands::shared::verb_traits::{CommandEffect, Prints, VerbTraits};
use crate::commands::shell::topics::exit_codes;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::output::{Options, print_whole};

/// Describe the commands as JSON for programs: options, values, effects, exit codes, and a JSON Schema of each output
#[derive(Args, Debug)]
#[command(add = VerbTraits::new(CommandEffect::Local, Prints::File))]
#[command(after_help = "\
Examples:
  assessctl schema
  assessctl schema testtakers import
  assessctl schema results list --to results-list.json")]
pub struct SchemaArgs {
    /// The words of a command; without them all commands are described
    #[arg(id = "explained", value_name = "COMMAND")]
    words: Vec<String>,
}

/// Describes the commands that the words name; `root` is the whole program.
pub fn run(args: &SchemaArgs, mut root: Command, options: &Options) -> anyhow::Result<Verdict> {
    root.build();
    let mut named = &root;
    for word in &args.words {
        named = named.find_subcommand(word).ok_or_else(|| {
            Failure::usage(format!("there is no command {:?}", args.words.join(" ")))
                .hint("`assessctl schema` describes all of them")
        })?;
    }
    let mut commands = Vec::new();
    describe(named, &args.words.join(" "), &mut commands);
    let global = root.get_arguments().filter(|arg| arg.is_global_set() && !arg.is_hide_set()).map(option);
    let codes = exit_codes().map(|(code, meaning)| json!({ "code": code, "meaning": meaning }));
    let schema = json!({
        "program": root.get_name(),
        "version": env!("CARGO_PKG_VERSION"),
        "globalOptions": global.collect::<Vec<_>>(),
        "exitCodes": codes.collect::<Vec<_>>(),
        "commands": commands,
    });
    print_whole(options, "schema", &(serde_json::to_string_pretty(&schema)? + "\n"))?;
    Ok(Verdict::Done)
}

/// The version as a program reads it.
pub fn version_as_json() -> StyledStr {
    let built = env!("BUILT_FROM").split(['(', ')']).nth(1).unwrap_or_default();
    let (commit, target) = built.split_once(", ").unwrap_or(("", built));
    let version = json!({
        "program": "assessctl",
        "version": env!("CARGO_PKG_VERSION"),
        "commit": Some(commit).filter(|commit| !commit.is_empty()),
        "target": target,
    });
    format!("{version:#}\n").into()
}

/// Adds the verbs at and below a command.
fn describe(command: &Command, path: &str, commands: &mut Vec<Value>) {
    let mut below = command.get_subcommands().filter(|below| !below.is_hide_set()).peekable();
    if below.peek().is_none() {
        commands.extend(verb(command, path));
        return;
    }
    for verb in below {
        describe(verb, format!("{path} {}", verb.get_name()).trim(), commands);
    }
}

fn verb(command: &Command, path: &str) -> Option<Value> {
    let traits = VerbTraits::of(command)?;
    let own = command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_hide_set());
    let (operands, options): (Vec<_>, Vec<_>) = own.partition(|arg| arg.is_positional());
    Some(json!({
        "command": path,
        "about": command.get_about().map(ToString::to_string),
        "effect": traits.effect,
        "printsPeople": traits.people,
        "printsSecrets": traits.secrets,
        "operands": operands.into_iter().map(operand).collect::<Vec<_>>(),
        "options": options.into_iter().map(option).collect::<Vec<_>>(),
        "output": output_schema(traits),
    }))
}

fn operand(arg: &Arg) -> Value {
    let mut described = described(arg);
    described.insert("name".to_owned(), names(arg).into());
    described.into()
}

fn option(arg: &Arg) -> Value {
    let mut described = described(arg);
    described.insert("long".to_owned(), arg.get_long().map(|long| format!("--{long}")).into());
    described.insert("short".to_owned(), arg.get_short().map(|short| format!("-{short}")).into());
    let takes = arg.get_action().takes_values();
    described.insert("value".to_owned(), takes.then(|| names(arg)).into());
    described.into()
}

/// What an argument's value is called.
fn names(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    if names.is_empty() { arg.get_id().as_str().to_uppercase() } else { names.join(" ") }
}

fn described(arg: &Arg) -> Map<String, Value> {
    let values = arg.get_possible_values();
    let values: Vec<_> = values.iter().filter(|value| !value.is_hide_set()).map(PossibleValue::get_name).collect();
    let takes = arg.get_action().takes_values();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let several = matches!(arg.get_action(), clap::ArgAction::Append)
        || arg.get_num_args().is_some_and(|count| count.max_values() > 1);
    let Value::Object(described) = json!({
        "about": arg.get_help().map(ToString::to_string),
        "required": arg.is_required_set(),
        "several": several,
        "values": (takes && !values.is_empty()).then_some(values),
        "default": (takes && !defaults.is_empty()).then(|| defaults.join(",")),
    }) else {
        return Map::new();
    };
    described
}
