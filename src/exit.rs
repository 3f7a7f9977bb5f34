//! An error or a verdict becomes a message, a hint and an exit code: the only file with those numbers.

use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::api;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::{FORBIDDEN_KEY, Failure, TEMPORARY_FOLDER, WRONG_BASE_URL};
use crate::model::max_records::TooManyRecords;
use crate::model::output_format::ErrorFormat;
use crate::model::results::ResultsApi;
use crate::output::{self, CommandError, Console};

/// The exit code of a verdict: of several the gravest, by the ranks of `model/exit_ranks.rs`. What each means stands in the
/// README's table alone, which a test compares with this one.
fn code(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Done => 0,
        Verdict::Unforeseen => 1,
        Verdict::Usage => 2,
        Verdict::Key => 3,
        Verdict::NotFound => 4,
        Verdict::Refused => 5,
        Verdict::NoAnswer => 6,
        Verdict::Unfinished => 7,
        Verdict::Matched => 8,
        Verdict::Locked => 9,
        Verdict::RowsToFix => 10,
        Verdict::Held => 11,
        Verdict::Interrupted => 130,
        Verdict::Terminated => 143,
    }
}

/// What a verdict means, for a command that ends without an error of its own.
fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Done => "done",
        Verdict::Unforeseen => "unexpected error",
        Verdict::Usage => "the call has to be corrected",
        Verdict::Key => "the key was refused",
        Verdict::NotFound => "not found",
        Verdict::Refused => "the data was refused",
        Verdict::NoAnswer => "no answer",
        Verdict::Unfinished => "unfinished",
        Verdict::Matched => "a result of --fail-on is there, or a plan has changes",
        Verdict::Locked => "another run is at work",
        Verdict::RowsToFix => "finished, but not for everything that was named",
        Verdict::Held => "held",
        Verdict::Interrupted | Verdict::Terminated => "interrupted or declined",
    }
}

/// Whether the same command may succeed later, nothing else being changed.
fn is_retryable(verdict: Verdict) -> bool {
    use Verdict::{Interrupted, Locked, NoAnswer, Terminated, Unfinished};
    matches!(verdict, NoAnswer | Unfinished | Locked | Interrupted | Terminated)
}

/// Ends the program: an error gets one line of cause and at most one hint, which `complete` makes one to type as it
/// stands.
pub fn end(ended: anyhow::Result<Verdict>, console: Console, complete: impl Fn(&str) -> String) -> ExitCode {
    match ended {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(verdict) => {
            let (code, retryable) = (code(verdict), is_retryable(verdict));
            console.end_said(&CommandError { code, error: meaning(verdict), hint: None, retryable });
            code.into()
        }
        Err(error) => {
            let (verdict, hint) = classify(&error);
            let hint = hint.map(|hint| complete(&hint));
            let (code, retryable) = (code(verdict), is_retryable(verdict));
            console.end(&CommandError { code, error: &format!("{error:#}"), hint: hint.as_deref(), retryable });
            code.into()
        }
    }
}

/// How a command ended, and its exit code.
pub fn judge(ended: &anyhow::Result<Verdict>) -> (Verdict, u8) {
    let verdict = match ended {
        Ok(verdict) => *verdict,
        Err(error) => classify(error).0,
    };
    (verdict, code(verdict))
}

/// What an error means for a script, and what to type next.
fn classify(error: &anyhow::Error) -> (Verdict, Option<String>) {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return (failure.verdict, failure.hint.clone());
    }
    if let Some(error) = error.downcast_ref::<output::Error>() {
        return (error.verdict(), error.hint());
    }
    if let Some(error) = error.downcast_ref::<api::Error>() {
        return (error.verdict(), hint(error).map(str::to_owned));
    }
    (Verdict::Unforeseen, None)
}

/// What to type next where the service, or the way to it, is the reason.
fn hint(error: &api::Error) -> Option<&'static str> {
    use api::{Error, Kind, SetupFault};
    Some(match (error.kind(), error) {
        (Kind::UnknownKey, _) => "check the API key; `assessctl config show` tells where it comes from",
        (Kind::Forbidden, _) => FORBIDDEN_KEY,
        (Kind::NotTheService, _) => WRONG_BASE_URL,
        (_, Error::Misconfigured { fault: SetupFault::Certificate(refused), .. }) => refused.remedy.advice(),
        (_, Error::NoCertificateStore) => {
            "install the package ca-certificates, or give --ca-cert FILE with the service's authority"
        }
        (Kind::Misconfigured, _) => WRONG_BASE_URL,
        (_, Error::ToldToWait { .. }) => "try again later",
        (Kind::OutOfTime, _) => "try again later, or give more time with --deadline",
        (_, Error::OtherShape { found: ResultsApi::Legacy }) => {
            "add --results-api legacy, or type `assessctl config set results-api legacy`"
        }
        (_, Error::OtherShape { found: ResultsApi::Current }) => {
            "add --results-api current, or type `assessctl config set results-api current`"
        }
        (_, Error::SharedReferenceId(_)) => "`assessctl testtakers get id:N` shows the latest result of each",
        (_, Error::Unverified) => "run the same command again when the list is quieter; -v tells what is odd about it",
        (_, Error::TooManyRecords(_)) => TooManyRecords::HINT,
        (_, Error::Collect(_)) => TEMPORARY_FOLDER,
        (_, Error::NeverSent { .. }) => "check the base URL and the network, then try again",
        _ if error.verdict() == Verdict::NoAnswer => "try again later",
        _ => return None,
    })
}

/// Ends the program with a text on standard output.
pub fn end_text(text: &str, console: Console) -> ExitCode {
    end(output::print_now(text).map(|()| Verdict::Done).map_err(Into::into), console, str::to_owned)
}

/// Ends the program where the command line could not be read, or asked for the version or for `help`.
/// `shown` is the help or the version as the line asks for it, `meant` a hint about a slip, and `complete` makes a hint one to type as it stands.
pub fn end_parsing(
    error: &clap::Error,
    shown: impl FnOnce(&clap::Error) -> StyledStr,
    (meant, complete): (impl FnOnce(&clap::Error) -> Option<String>, impl Fn(&str) -> String),
    console: Console,
) -> ExitCode {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let shown = shown(error);
        let colored = output::terminal::stdout_is_terminal() && console.color;
        return end_text(&if colored { shown.ansi().to_string() } else { shown.to_string() }, console);
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        if console.format == ErrorFormat::Json {
            return end(Err(incomplete("the command is not complete").into()), console, str::to_owned);
        }
        shown(error).to_string().trim_end().lines().for_each(|line| console.show(line));
        if let Some(hint) = meant(error) {
            console.show("");
            console.show(&format!("hint: {}", complete(&hint)));
        }
        return code(Verdict::Usage).into();
    }
    end(Err(usage(error, meant(error)).into()), console, complete)
}

/// Words are missing that name a command.
fn incomplete(cause: &str) -> Failure {
    Failure::usage(cause).hint("`--help` lists what can follow")
}

/// A usage error in our words. A value that a rule refuses and a word too many are not quoted: they may be personal.
fn usage(error: &clap::Error, meant: Option<String>) -> Failure {
    let argument = context(error, ContextKind::InvalidArg);
    let reason = std::error::Error::source(error);
    let text = error.render().to_string();
    let cause = match (error.kind(), reason) {
        (ErrorKind::ValueValidation, Some(reason)) if !argument.is_empty() => {
            let name = argument.split(' ').next().unwrap_or(argument).trim_end_matches('.');
            let (name, reason) = (name.trim_matches(['<', '>', '[', ']']), reason.to_string());
            // A reason that is the end of a sentence, as of a variable.
            let colon = if reason.starts_with("is ") { "" } else { ":" };
            format!("{name}{colon} {reason}")
        }
        (ErrorKind::UnknownArgument, _) if argument.starts_with('-') => format!("there is no option {argument} here"),
        (ErrorKind::UnknownArgument, _) => "unexpected argument".to_owned(),
        (ErrorKind::InvalidSubcommand, _) => match context(error, ContextKind::InvalidSubcommand) {
            word if may_be_command(word) => format!("there is no command {word:?} here"),
            _ => "there is no such command here".to_owned(),
        },
        _ => one_line(text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ")),
    };
    let own = reason.and_then(|reason| reason.downcast_ref::<Failure>()?.hint.clone());
    let hint = meant.or(own);
    Failure::usage(cause)
        .hint(hint.unwrap_or_else(|| "`--help` after the command shows its options and examples".to_owned()))
}

/// Whether a word can be a command's: any other may be a person's reference id, address or name.
fn may_be_command(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b':'))
}

fn context(error: &clap::Error, kind: ContextKind) -> &str {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text,
        _ => "",
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
