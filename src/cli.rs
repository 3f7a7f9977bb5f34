//! The root command: option groups and subcommands.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::rc::Rc;

use clap::builder::StyledStr;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use tokio::time::Instant;

#[cfg(feature = "sandbox")]
use crate::commands::SandboxCommand;
use crate::commands::{
    self, CommandLine, CompletionsArgs, ConfigCommand, ConfigContext, DoctorArgs, HelpArgs, JournalCommand,
    LinksCommand, ManArgs, Prints, ProjectsCommand, RedirectUrisCommand, ResultsCommand, RunCounts, SchemaArgs,
    Session, StatusFile, TestTakersCommand, VerbTraits, pseudonyms, unless_asked,
};
#[cfg(feature = "sandbox")]
use crate::config::state_dir;
use crate::config::{Environment, Flags, error_format, resolve};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::output_format::{ErrorFormat, Format};
use crate::output::{self, Color, Console, Options, OutputFilter, terminal};

/// The version as `--version` prints it.
pub const VERSION: &str = concat!("assessctl ", env!("BUILT_FROM"), "\n");

/// Whether the line is `--version` and nothing else: most of a start is the tree of commands, and this needs none.
pub fn asks_for_version_alone() -> bool {
    let mut words = std::env::args_os().skip(1);
    words.next().is_some_and(|word| word == "--version") && words.next().is_none()
}

/// Administer an assessment service: enrol people, hand out test links, read who is fit for duty
#[derive(Debug, Parser)]
#[command(
    name = "assessctl",
    version,
    long_version = env!("BUILT_FROM"),
    propagate_version = false,
    disable_help_subcommand = true,
    max_term_width = commands::MAX_HELP_WIDTH,
    // Of an option that takes one value and is given twice the last counts.
    args_override_self = true,
    after_help = "\
Examples:
  assessctl --profile sandbox projects list
  assessctl --profile sandbox results list -p Demo

The profile `sandbox` is a service inside this program: no account is needed to try things out. For a real \
service, `assessctl config init` writes a profile. `assessctl COMMAND --help` shows examples of each command."
)]
pub struct Cli {
    #[command(flatten)]
    flags: Flags,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(subcommand)]
    command: Option<Command>,
    #[arg(skip)]
    named: Option<Named>,
}

/// The verb that the line names.
#[derive(Debug)]
struct Named {
    /// Its words.
    path: String,
    traits: VerbTraits,
    /// Why the line is refused, though it can be read.
    refusal: Option<Failure>,
}

/// What is given for one run and is no setting.
#[derive(Debug, Args)]
#[command(next_help_heading = "Service")]
struct RunArgs {
    /// The word that the profile asks for before many people are written to or anybody is removed
    #[arg(long, global = true, value_name = "WORD")]
    confirm: Option<String>,
    /// Write down how the run ended, when one last finished and what it counted, for monitoring: imports, exports, changes
    #[arg(long, global = true, value_name = "FILE.json|FILE.prom")]
    status: Option<PathBuf>,
}

/// How things are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
struct OutputArgs {
    /// Write to this file, as a whole or not at all; its ending names the format (.csv .json .ndjson .txt .xlsx), `-` is standard
    /// output
    #[arg(long, global = true, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Only these fields, in this order; a wrong one lists them all
    #[arg(long, global = true, value_name = "A,B", value_delimiter = ',')]
    fields: Option<Vec<String>>,
    /// What an expression of the jq language makes of the whole JSON output; texts come out as they are
    #[cfg(feature = "jq")]
    #[arg(long, global = true, value_name = "EXPR", allow_hyphen_values = true)]
    jq: Option<String>,
    /// No header line in tables and CSV
    #[arg(long, global = true)]
    no_header: bool,
    /// CSV for spreadsheets: with a byte order mark, and with an apostrophe in front of what would run as a formula
    ///
    /// Commands that read a file of people take exactly that off again with --excel.
    #[arg(long, global = true)]
    excel: bool,
    /// Whether to colour
    #[arg(long, global = true, value_enum, ignore_case = true, default_value = "auto", value_name = "WHEN")]
    color: Color,
    /// Say nothing but warnings and errors; records are their ids alone, and `links issue TEST_TAKER` prints the link
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Tell each request on standard error, without personal data
    #[arg(short, long, global = true)]
    verbose: bool,
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Service(Box<ServiceCommand>),
    /// Configuration: profiles, and where each value comes from
    #[command(subcommand)]
    Config(ConfigCommand),
    Doctor(DoctorArgs),
    /// The sandbox: a model of the service inside this program, to try things out and to rehearse failures
    #[cfg(feature = "sandbox")]
    #[command(subcommand)]
    Sandbox(SandboxCommand),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Schema(SchemaArgs),
    Help(HelpArgs),
}

/// What is asked of a service, with resolved settings.
#[derive(Debug, Subcommand)]
enum ServiceCommand {
    /// Projects: the groups that are tested together
    #[command(subcommand)]
    Projects(ProjectsCommand),
    /// Test takers: the people enrolled in a project
    #[command(subcommand, name = "testtakers")]
    TestTakers(TestTakersCommand),
    /// Results: who is fit for duty
    #[command(subcommand)]
    Results(ResultsCommand),
    /// Test links: one-time links that let a person take the test
    #[command(subcommand)]
    Links(LinksCommand),
    /// Redirect URIs: where browsers may go after an assessment
    #[command(subcommand)]
    RedirectUris(RedirectUrisCommand),
    /// The journal: what this machine sent, and what is not known yet
    #[command(subcommand)]
    Journal(JournalCommand),
}

/// Answers a shell that asks what could be typed next. Of the program's arguments only those after `--` are the line.
pub fn answer_shell(shell: &OsStr, environment: &Environment) -> anyhow::Result<Verdict> {
    let line = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    commands::answer_shell(shell, line, Cli::command(), environment)
}

/// The help or the version that the program's arguments ask for.
pub fn shown(error: &clap::Error) -> StyledStr {
    let command = Cli::command();
    let words: Vec<_> = words(&command).into_iter().take_while(|word| word != "--").collect();
    if error.kind() != ErrorKind::DisplayVersion {
        return commands::help_on_line(command, &words);
    }
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let format = last_value(&words, "-o").or_else(|| last_value(&words, "--output"));
    match format {
        Some(Format::Json | Format::Ndjson) => commands::version_as_json(),
        _ => error.render(),
    }
}

/// What was probably meant by a line that could not be read.
pub fn meant(error: &clap::Error, environment: &Environment) -> Option<String> {
    let command = Cli::command();
    let words = words(&command);
    let known = commands::known_service(&words, environment);
    commands::meant(command, &words, error, &known)
}

/// A hint about such a line that carries the profile and the project which the line names.
pub fn completed(hint: &str) -> String {
    CommandLine::of_words(&words(&Cli::command())).complete(hint)
}

/// The program's arguments, with words of other programs in ours where they mean the same.
fn words(command: &clap::Command) -> Vec<OsString> {
    commands::translated(command, std::env::args_os().collect())
}

/// How to talk before the command line is understood.
pub fn plain_talk(environment: &Environment) -> Console {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<_> = words.take_while(|word| word != "--").collect();
    let color = last_value::<Color>(&words, "--color").unwrap_or(Color::Auto);
    let color = color.decide(environment.no_color, environment.dumb_terminal, terminal::stderr_is_terminal());
    // What the variable should not say has a message of its own, later.
    let format = error_format(last_value(&words, "--errors"), environment).unwrap_or_default();
    let mask = words.iter().any(|word| word == "--mask");
    Console { quiet: false, verbose: false, color, progress: false, mask, format }
}

/// The last value that the words give to an option, in either spelling, if it is one that the option takes.
fn last_value<T: ValueEnum>(words: &[String], option: &str) -> Option<T> {
    let mut values = words.iter().enumerate().filter_map(|(at, word)| match word.strip_prefix(option)? {
        "" => words.get(at + 1).map(String::as_str),
        joined => joined.strip_prefix('='),
    });
    T::from_str(values.next_back()?, true).ok()
}

impl Cli {
    /// Reads the program's arguments, and what hints have to repeat of them.
    pub fn read() -> Result<(Self, CommandLine), clap::Error> {
        let mut command = Self::command();
        let words = words(&command);
        let mut matches = command.try_get_matches_from_mut(&words)?;
        let (mut named, line) = (named(&command, &matches), CommandLine::of(&matches));
        if let Some(named) = &mut named {
            named.refusal = commands::two_values(&command, &words)
                .or_else(|| commands::idle_status(&command, &words))
                .or_else(|| commands::shared_status(&matches));
        }
        let cli = Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
        Ok((Self { named, ..cli }, line))
    }

    /// How to talk in this run.
    pub fn console(&self, environment: &Environment) -> Console {
        let is_terminal = terminal::stderr_is_terminal();
        let color = self.output.color.decide(environment.no_color, environment.dumb_terminal, is_terminal);
        let mask = self.flags.mask;
        let format = error_format(self.flags.errors, environment).unwrap_or_default();
        let is_text = format == ErrorFormat::Text;
        let progress = is_text && is_terminal && !self.output.quiet && !environment.dumb_terminal;
        Console { quiet: self.output.quiet, verbose: self.output.verbose, color, progress, mask, format }
    }

    /// Refuses an option that does nothing for the command, or whose value would be passed over.
    fn refuse_idle(&self) -> Result<(), Failure> {
        let Some((command, named)) = self.command.as_ref().zip(self.named.as_ref()) else { return Ok(()) };
        if let Some(refusal) = &named.refusal {
            return Err(refusal.clone());
        }
        let status = (self.run.status.is_some() && !named.traits.status).then_some("--status");
        let idle = command.idle(named.traits.prints, &self.flags, &self.output);
        let Some(option) = idle.or(status) else { return Ok(()) };
        let hint = commands::instead(&named.path, option).unwrap_or_else(|| "leave it out".to_owned());
        Err(Failure::usage(format!("{option} does nothing for this command")).hint(hint))
    }

    /// How to show records, as far as the line alone says it.
    fn options(&self, environment: &Environment) -> Result<Options, output::Error> {
        let to_file = self.output.to.as_ref().is_some_and(|to| to.as_os_str() != "-");
        let is_terminal = terminal::stdout_is_terminal() && !to_file;
        let show = Options {
            fields: self.output.fields.clone(),
            header: !self.output.no_header,
            color: self.output.color.decide(environment.no_color, environment.dumb_terminal, is_terminal),
            excel: self.output.excel,
            jq: self.output.filter()?,
            is_write: self.named.as_ref().is_some_and(|named| named.traits.writes()),
            console: self.console(environment),
            ..Options::default()
        };
        Ok(show.to(self.output.to.clone(), self.flags.output))
    }

    /// Resolves the settings and runs the command.
    pub fn run(
        self,
        environment: &Environment,
        (line, said_by): (&CommandLine, &mut Console),
        judge: Judge,
    ) -> anyhow::Result<Verdict> {
        let console = *said_by;
        let began = Instant::now();
        error_format(self.flags.errors, environment)?;
        self.refuse_idle()?;
        warn_of_variables(environment, console);
        let show = self.options(environment)?;
        let flags = self.flags;
        let Some(command) = self.command else { return commands::map(&flags, environment, console) };
        let command = match command {
            Command::Service(command) => *command,
            Command::Completions(args) => return commands::complete(&args, &mut Self::command(), &show),
            Command::Schema(args) => return commands::describe(&args, Self::command(), &show),
            Command::Man(_) => return commands::write_manual(Self::command(), &show),
            Command::Help(args) => return commands::explain(&args, Self::command()),
            // Resolves by itself, where it must: it mends what cannot be resolved.
            Command::Config(command) => {
                let context = ConfigContext { flags: &flags, environment, options: &show, console, line };
                return block_on(commands::configure(&command, context));
            }
            Command::Doctor(args) => {
                let context = ConfigContext { flags: &flags, environment, options: &show, console, line };
                return block_on(commands::examine(&args, context, began));
            }
            #[cfg(feature = "sandbox")]
            Command::Sandbox(command) => {
                return block_on(commands::run_sandbox(&command, &state_dir(environment)?, console));
            }
        };
        let (path, people) = self.named.map(|named| (named.path, named.traits.people)).unwrap_or_default();
        let status = self.run.status.map(|file| StatusFile::begin(file, path)).transpose()?;
        let write_down = |ended, counts: &_| match &status {
            Some(status) => {
                let judged = judge(&ended);
                status.end(ended, judged, counts)
            }
            None => Ok(ended?),
        };
        let resolved = resolve(&flags, environment);
        let (mask, settings) = match resolved.and_then(|found| Ok((pseudonyms(&found, people)?, found))) {
            Ok(resolved) => resolved,
            Err(failure) => return write_down(Err(failure.into()), &RunCounts::default()),
        };
        said_by.mask = settings.mask.value;
        let console = *said_by;
        let to = show.to.clone();
        let show = Options { format: settings.output.value, mask, console, ..show }.to(to, flags.output);
        let session = Session::new(settings, show, console, self.run.confirm, began, line.clone());
        // A run that only reads may die at once, unless `--status` has to say so.
        let ended = match (&status, &command) {
            (Some(_), ServiceCommand::Results(_)) => block_on(unless_asked(command.run(&session))),
            _ => block_on(command.run(&session)),
        };
        session.end(ended, write_down)
    }
}

impl OutputArgs {
    #[cfg(feature = "jq")]
    fn has_jq(&self) -> bool {
        self.jq.is_some()
    }

    #[cfg(not(feature = "jq"))]
    #[expect(clippy::unused_self, reason = "the twin of a method that reads the option")]
    fn has_jq(&self) -> bool {
        false
    }

    /// The expression of `--jq`, so that a mistake in it comes before anything is asked.
    #[cfg(feature = "jq")]
    fn filter(&self) -> Result<Option<Rc<dyn OutputFilter>>, output::Error> {
        let Some(code) = &self.jq else { return Ok(None) };
        Ok(Some(Rc::new(output::JqFilter::compile(code)?)))
    }

    #[cfg(not(feature = "jq"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the twin of a method that compiles the option")]
    fn filter(&self) -> Result<Option<Rc<dyn OutputFilter>>, output::Error> {
        Ok(None)
    }
}

impl Command {
    /// An option that was given to a command which has no use for it: it asks no service, or does not print so.
    fn idle(&self, prints: Prints, flags: &Flags, output: &OutputArgs) -> Option<&'static str> {
        let asks = matches!(self, Self::Service(_) | Self::Doctor(_));
        let idle = [
            ("--deadline", !asks && flags.deadline.is_some()),
            ("--timeout", !asks && flags.timeout.is_some()),
            ("--max-records", !asks && flags.max_records.is_some()),
            ("--mask", !matches!(self, Self::Service(_)) && flags.mask),
            ("--output", !prints.has_format() && flags.output.is_some()),
            ("--profile", matches!(self, Self::Config(ConfigCommand::List(_))) && flags.profile.is_some()),
            ("--fields", !prints.has_records() && output.fields.is_some()),
            ("--jq", !prints.has_records() && output.has_jq()),
            ("--no-header", !prints.has_records() && output.no_header),
            ("--excel", !prints.knows_spreadsheets() && output.excel),
            ("--to", !prints.fills_a_file() && output.to.is_some()),
        ];
        idle.into_iter().find_map(|(name, given)| given.then_some(name))
    }
}

/// Warns of variables that are set in vain.
fn warn_of_variables(environment: &Environment, console: Console) {
    for (typed, meant) in environment.mistyped() {
        console.warn(&format!("{typed} does nothing; did you mean {meant}?"));
    }
}

/// The verb that the line names; for a noun alone the parser has an error.
fn named(root: &clap::Command, matches: &ArgMatches) -> Option<Named> {
    let (mut command, mut matches, mut words) = (root, matches, Vec::new());
    while let Some((name, below)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, below);
        words.push(name);
    }
    Some(Named { path: words.join(" "), traits: VerbTraits::of(command)?, refusal: None })
}

/// Says how a command ended, and its exit code.
pub type Judge = fn(&anyhow::Result<Verdict>) -> (Verdict, u8);

fn block_on(command: impl Future<Output = anyhow::Result<Verdict>>) -> anyhow::Result<Verdict> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(tokio::task::LocalSet::new().run_until(command))
}

impl ServiceCommand {
    async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        match self {
            Self::Projects(command) => command.run(session).await,
            Self::TestTakers(command) => command.run(session).await,
            Self::Results(command) => command.run(session).await,
            Self::Links(command) => command.run(session).await,
            Self::RedirectUris(command) => command.run(session).await,
            Self::Journal(command) => command.run(session).await,
        }
    }
}

#[cfg(test)]
mod tests;
