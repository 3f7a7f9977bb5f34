//! What could be typed next: a shell's question at a key press, answered from files of this machine alone.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use clap::{Arg, Command, ValueEnum as _};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::Shells;

use crate::commands::shared::project_name_cache;
use crate::commands::shared::verb_traits::Prints;
use crate::commands::shell::argv::{at, path, rejoined, without_values};
use crate::commands::shell::help::TOPICS;
use crate::config::{Environment, Flags, Profiles, SANDBOX, locate, profile_settings, resolve, setting_names};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::results::ResultsApi;
use crate::model::sanitize::is_hidden;
use crate::output::print_now;

/// Prints what could stand in the place of the word under the cursor. `words` is the line, the program's name first;
/// `command` is the whole program.
pub fn answer(
    shell: &OsStr,
    words: Vec<OsString>,
    command: Command,
    environment: &Environment,
) -> anyhow::Result<Verdict> {
    let shell = shell.to_string_lossy();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell).ok_or_else(|| {
        let known = shells.names().collect::<Vec<_>>().join(", ");
        Failure::usage(format!("no completions for the shell {shell:?}: there are {known}"))
    })?;
    let is_bash = &*shell == "bash";
    let words = if is_bash { rejoined(words) } else { words };
    // bash puts a candidate on the line as it is.
    let known = Known::gather(&command, &words, environment, is_bash);
    let words = without_values(&command, words);
    let mut command = known.attach(command);
    let mut answer = Vec::new();
    completer.write_complete(&mut command, words, std::env::current_dir().ok().as_deref(), &mut answer)?;
    if !answer.is_empty() {
        print_now(&String::from_utf8_lossy(&answer))?;
    }
    Ok(Verdict::Done)
}

/// Values that only this machine knows.
struct Known {
    profiles: Arc<[String]>,
    projects: Arc<[String]>,
    fields: Arc<[String]>,
    keys: Arc<[String]>,
    explained: Arc<[String]>,
    escaped: bool,
}

impl Known {
    /// Gathers them from the configuration and the state. What can't be read offers nothing.
    fn gather(command: &Command, words: &[OsString], environment: &Environment, escaped: bool) -> Self {
        let flags = flags(words);
        let mut profiles: Vec<String> = locate(&flags, environment)
            .and_then(|file| Profiles::read(&file.value))
            .map(|profiles| profiles.all.into_iter().map(|profile| profile.name).collect())
            .unwrap_or_default();
        if cfg!(feature = "sandbox") {
            profiles.push(SANDBOX.to_owned());
        }
        let settings = resolve(&flags, environment).ok();
        let shape = settings.as_ref().map_or(ResultsApi::Current, |settings| settings.results_api.value);
        let mut projects = settings.as_ref().map(project_name_cache::recall).unwrap_or_default();
        // A shell prints what it is offered; such a name is not typed.
        projects.retain(|name| !name.contains(is_hidden));
        let prints = Prints::of(at(command, &path(command, words)));
        Self {
            profiles: profiles.into(),
            projects: projects.into(),
            fields: prints.into_iter().flat_map(|prints| prints.fields(shape)).map(str::to_owned).collect(),
            keys: keys(&path(command, words)),
            explained: explained(command, words).into(),
            escaped,
        }
    }

    /// Tells each argument of the whole program what it may be.
    fn attach(&self, command: Command) -> Command {
        let is_use = command.get_name() == "use";
        // In place: an argument that is taken out and put back would change the order of the operands.
        let command = command.mut_args(|arg| match arg.get_id().as_str() {
            "name" if is_use => self.offer(arg, &self.profiles),
            "profile" => self.offer(arg, &self.profiles),
            "project" | "operand" => self.offer(arg, &self.projects),
            "fields" => self.offer(arg, &self.fields),
            "key" if arg.is_positional() => self.offer(arg, &self.keys),
            "explained" => self.offer(arg, &self.explained),
            _ => arg,
        });
        command.mut_subcommands(|command| self.attach(command))
    }

    fn offer(&self, arg: Arg, values: &Arc<[String]>) -> Arg {
        let (values, escaped) = (Arc::clone(values), self.escaped);
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| -> Vec<CompletionCandidate> {
            let typed = typed.to_string_lossy();
            let begun = values.iter().filter(|value| value.starts_with(&*typed));
            begun.map(|value| CompletionCandidate::new(if escaped { escape(value) } else { value.clone() })).collect()
        }))
    }
}

/// The settings that a command of `config` takes: what is shown may be any, what is changed stands in a profile.
fn keys(path: &[&str]) -> Arc<[String]> {
    match path {
        ["config", "get" | "show", ..] => setting_names().map(str::to_owned).collect(),
        _ => profile_settings().map(|about| about.key.to_owned()).collect(),
    }
}

/// A value as it is typed in bash outside of quotes.
fn escape(value: &str) -> String {
    let mut typed = String::with_capacity(value.len());
    for c in value.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_./:@%+,".contains(c) {
            typed.push('\\');
        }
        typed.push(c);
    }
    typed
}

/// What is known of a line's service without a request.
#[derive(Clone, Debug, Default)]
pub struct KnownService {
    /// The names of projects: those read within the last day, the default, the sandbox's.
    pub projects: Vec<String>,
    /// Whether it is the one that is built in.
    pub is_sandbox: bool,
}

/// What is known of the service that a line is for; nothing where its settings are wrong.
pub fn known_service(words: &[OsString], environment: &Environment) -> KnownService {
    let Ok(settings) = resolve(&flags(words), environment) else { return KnownService::default() };
    let mut projects = project_name_cache::recall(&settings);
    let is_sandbox = settings.is_sandbox();
    projects.extend(settings.project.map(|project| project.value));
    KnownService { projects, is_sandbox }
}

/// The flags on the line that decide about the profile.
fn flags(words: &[OsString]) -> Flags {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    Flags {
        profile: value(&words, "--profile"),
        config: value(&words, "--config").map(Into::into),
        results_api: value(&words, "--results-api").and_then(|word| ResultsApi::from_str(&word, true).ok()),
        ..Flags::default()
    }
}

/// What a flag on the line says, in either spelling.
fn value(words: &[String], flag: &str) -> Option<String> {
    let after = words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
    let joined = words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('='));
    after.map(String::as_str).or(joined).map(str::to_owned)
}

/// What `help` may be asked for after the words that stand there.
fn explained(command: &Command, words: &[OsString]) -> Vec<String> {
    let after = words.iter().skip_while(|word| *word != "help").skip(1).map(|word| word.to_string_lossy());
    let before: Vec<_> = after.collect();
    let before: Vec<&str> = before.iter().map(AsRef::as_ref).take(before.len().saturating_sub(1)).collect();
    let commands = at(command, &before).get_subcommands().map(Command::get_name);
    let topics = TOPICS.iter().map(|(name, _)| *name).filter(|_| before.is_empty());
    commands.chain(topics).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bash_would_take_apart_is_escaped() {
        assert_eq!(escape("Night shift (north) & $1"), r"Night\ shift\ \(north\)\ \&\ \$1");
        assert_eq!(escape("Zoë-2.csv"), "Zoë-2.csv");
    }

    #[test]
    fn the_profile_of_the_line_is_found_in_both_spellings() {
        let of = |line: &str| flags(&line.split(' ').map(OsString::from).collect::<Vec<_>>()).profile;
        assert_eq!(of("assessctl --profile north projects").as_deref(), Some("north"));
        assert_eq!(of("assessctl projects --profile=north ").as_deref(), Some("north"));
        assert_eq!(of("assessctl projects list"), None);
    }
}
