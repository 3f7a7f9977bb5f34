//! What the whole command line has to keep: declarations of verbs, and hints that can be typed.

use clap::error::ErrorKind;

use super::*;

fn without_declaration(command: &clap::Command, line: &str) -> Vec<String> {
    let verbs: Vec<_> = command.get_subcommands().collect();
    if verbs.is_empty() {
        return if commands::VerbTraits::of(command).is_some() { Vec::new() } else { vec![line.to_owned()] };
    }
    verbs.iter().flat_map(|verb| without_declaration(verb, &format!("{line} {}", verb.get_name()))).collect()
}

#[test]
fn every_verb_declares_what_it_prints() {
    assert_eq!(without_declaration(&Cli::command(), "assessctl"), Vec::<String>::new());
    assert_eq!(without_declaration(&clap::Command::new("x"), "x"), ["x"]);
}

#[test]
fn hints_name_a_project_to_the_commands_that_take_one() {
    let root = Cli::command();
    for noun in root.get_subcommands() {
        for verb in noun.get_subcommands() {
            let path = [noun.get_name(), verb.get_name()];
            let has = verb.get_arguments().any(|arg| arg.get_long() == Some("project"));
            if !matches!(path[0], "config" | "sandbox") {
                assert_eq!(commands::takes_project(&path), has, "{path:?}");
            }
        }
    }
}

/// What stands for a placeholder of a hint, so that the parser can be asked about the line.
fn filled(word: &str) -> &str {
    match word {
        "ref:REFERENCE_ID" => "ref:EMP-1",
        "HEADER=FIELD" => "No=referenceId",
        "RESULT" | "RESULT,…" => "HighRisk",
        "KIND@OPERATION:WHEN" => "503@list-results:nth=1",
        "ADDRESS" => "zoe@example.com",
        "FILE" => "people.csv",
        "N" => "3",
        "TIME" => "24h",
        "YEAR" => "1984",
        _ => word,
    }
}

/// The commands that a hint tells to type, each as words.
fn commands_in(hint: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = hint.split('`').skip(1).step_by(2).flat_map(|typed| typed.split(" || "));
    // What stands behind a pipe is another program's.
    let lines = lines.filter_map(|line| line.split(" | ").next());
    lines.filter(|line| line.starts_with("assessctl ")).map(|line| line.split(' ').map(filled).collect())
}

#[test]
fn each_command_of_a_hint_can_be_typed() {
    let root = Cli::command();
    let hints = commands::FOREIGN_COMMANDS.iter().chain(commands::FOREIGN_OPTIONS);
    let mut count = 0;
    let mut faults = Vec::new();
    let hints: Vec<String> = hints.map(|(_, _, ours)| ours.to_string()).collect();
    for words in hints.iter().flat_map(|hint| commands_in(hint)) {
        count += 1;
        let Err(error) = root.clone().try_get_matches_from(&words) else { continue };
        // A verb may be named alone, or ask for more: what is missing is said then.
        let is_cut = matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::DisplayHelp
                | ErrorKind::DisplayVersion
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        );
        if !is_cut && words.get(1) != Some(&"NOUN") {
            faults.push(format!("{words:?}: {error}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count > 80, "{count}");
}
