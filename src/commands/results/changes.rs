//! `assessctl results changes`: who was added, whose result changed, who is gone, since a consumer was told last.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::commands::results::baseline::Earlier;
use crate::commands::results::change_records::{COLUMNS, ChangeRecord};
use crate::commands::results::compare::{Compared, id};
use crate::commands::results::consumers::{self, ConsumerName, Named};
use crate::commands::results::fail_on::{Alert, AlertArgs};
use crate::commands::results::result_words::OnlyFlaggedArg;
use crate::commands::results::tell_at_least_once::Telling;
use crate::commands::results::{lock_wait, verified_results};
use crate::commands::shared::project_args::{ProjectArg, ProjectContext};
use crate::commands::shared::session::Session;
use crate::commands::shared::verb_traits::{CommandEffect, JsonShape, JsonSource, Prints, VerbTraits};
use crate::journal::told_results::{Comparing, ResultChange, ResultEvent};
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::list_query::PeopleFilters;
use crate::model::time::parse_duration;
use crate::output::{self, Printer, Shape, terminal};

/// Show what changed since last time: who is new, whose result is another one, who is gone
#[derive(Debug, Args)]
#[command(add = VerbTraits::new(CommandEffect::Read, Prints::Records(&COLUMNS)).with_status().with_people().printing(JsonShape::Many, JsonSource::Own).or(Prints::Records(&consumers::COLUMNS)))]
#[command(after_help = "\
Each consumer (--as) has a memory of its own of what it was told: ids as they are, everything else as keyed hashes. It \
moves on when the output is written whole, as the last thing that a run does: whoever stands at a result of --fail-on is \
told at least once, and again after a run that was killed. A person who looks at a terminal moves nothing on. --flagged \
shows who is flagged now or was before, and what it leaves out counts as told, too.

Examples:
  assessctl results changes -p Demo
  assessctl results changes -p Demo --as cron --fail-on HighRisk,Emergency \\
      -o ndjson
  assessctl results changes -p Demo --consumers
  assessctl results changes -p Demo --forget --as cron
  assessctl results export -p Demo --to before.csv
  assessctl results changes -p Demo --since before.csv")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct ResultChanges {
    #[command(flatten)]
    project: ProjectArg,
    /// Who is told: each consumer has a memory of its own [default: default]
    #[arg(long = "as", value_name = "NAME")]
    consumer: Option<ConsumerName>,
    /// Show what would be told, and remember nothing; on a terminal this is meant unless --as is there
    #[arg(long)]
    look: bool,
    /// List the consumers of the project, and when each was told last
    #[arg(long, conflicts_with_all = ["consumer", "look", "since", "forget", "fail_on", "flagged"])]
    consumers: bool,
    /// Forget what the consumer of --as was told
    #[arg(long, requires = "consumer", conflicts_with_all = ["look", "since", "fail_on", "flagged"])]
    forget: bool,
    /// Compare with an earlier export (CSV, JSON or NDJSON, made without filters) instead; nothing is remembered then
    #[arg(long, value_name = "FILE", conflicts_with_all = ["consumer", "look"])]
    since: Option<PathBuf>,
    /// Believe an empty list where people are remembered: all are told as removed
    #[arg(long)]
    allow_empty: bool,
    /// Wait this long for another run for the same consumer to end [default: do not wait]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    wait_lock: Option<Duration>,
    #[command(flatten)]
    alert: AlertArgs,
    #[command(flatten)]
    flagged: OnlyFlaggedArg,
}

/// What is told about, ready to be compared.
struct Look<'a> {
    context: ProjectContext<'a>,
    compared: Compared,
    comparing: Comparing,
    alert: Alert<'a>,
}

impl ResultChanges {
    /// Runs the command.
    pub async fn run(self, session: &Session) -> anyhow::Result<Verdict> {
        if self.consumers {
            return consumers::list(session, &self.project).await;
        }
        if let Some(name) = self.consumer.as_ref().filter(|_| self.forget) {
            return consumers::end(session, &self.project, name).await;
        }
        let printer = session.printer(&COLUMNS, Shape::Many)?;
        let mut compared = Compared::new(session.settings.results_api.value);
        let earlier = self.since.as_deref().map(|path| Earlier::open(path, &mut compared)).transpose()?;
        let store = session.journal()?;
        let comparing = Comparing::begin(store, Timestamp::now(), compared.date())?.with_people(compared.people());
        let context = self.project.open(session).await?;
        verified_results::say_how_people_are_told_apart(session);
        let look = Look { context, compared, comparing, alert: self.alert.watch() };
        match earlier {
            Some(earlier) => self.since(look, &earlier, printer).await,
            None => self.told(look, printer).await,
        }
    }

    /// Compares with an earlier export.
    async fn since(&self, mut look: Look<'_>, earlier: &Earlier, mut printer: Printer) -> anyhow::Result<Verdict> {
        let session = look.context.session;
        let Look { compared, comparing, context, .. } = &mut look;
        let mut highest = i64::MIN;
        let of_others = earlier.each(context.project, |record, json| {
            highest = highest.max(id(record).unwrap_or(i64::MIN));
            Ok(compared.line(record, json, |_| false, |line| comparing.before(line))??)
        })?;
        if of_others > 0 {
            let results = counted(of_others, "result", "results");
            session.console.note(&format!("{results} of other projects in the file: left out"));
        }
        look.read(self.allow_empty || highest == i64::MIN).await?;
        let mut missing = 0_u64;
        look.comparing.each(true, |change| {
            missing += u64::from(change.event == ResultEvent::Added && change.id.is_some_and(|id| id < highest));
            let record = self.record(change, &look.compared, false, &mut look.alert)?;
            push(session, &mut printer, record)
        })?;
        if missing > 0 {
            let people = counted(missing, "person told as added has a lower id", "people told as added have lower ids");
            session.console.warn(&format!(
                "{people} than others in the file: it was made with filters or is cut off, and nothing can be said of \
                 those whom it left out"
            ));
        }
        printer.finish()?;
        Ok(look.alert.end(session))
    }

    /// Tells a consumer what it was not told yet, and remembers that once everything is written.
    async fn told(&self, mut look: Look<'_>, mut printer: Printer) -> anyhow::Result<Verdict> {
        let session = look.context.session;
        let only_look = self.only_look(session);
        let named = Named::new(session, look.context.project, &look.compared, self.consumer.as_ref())?;
        let state = session.settings.state_dir()?;
        let held = if only_look {
            None
        } else {
            Some(lock_wait::take(session, self.wait_lock, || lock_wait::consumer(&state, named.key())).await?)
        };
        let memory = look.comparing.recall(named.key())?;
        let remembered = memory.as_ref().map_or(0, |memory| memory.results);
        let count = look.read(self.allow_empty || remembered == 0).await?;
        let first = memory.is_none();
        if first {
            printer = printer.when_none("nothing was compared".to_owned(), false);
        }
        look.comparing.each(!first, |change| {
            session.counts.add("alerts", usize::from(change.alert));
            push(session, &mut printer, self.record(change, &look.compared, first, &mut look.alert)?)
        })?;
        let telling = Telling { session, named, held, only_look, unknown: first.then_some(count) };
        telling.end(look.comparing, printer, &look.alert)
    }

    /// Whether nothing is to be remembered: a person who looks at a terminal must not take an alert from a script.
    fn only_look(&self, session: &Session) -> bool {
        let is_person = terminal::stdout_is_terminal() || terminal::stderr_is_terminal();
        let is_meant = self.consumer.is_none() && is_person && !self.look;
        if is_meant {
            session
                .console
                .note("preview: nothing is remembered as told; add --as NAME, such as --as default, to remember");
        }
        self.look || is_meant
    }

    /// A change as it is printed, where it is wanted; an alert always is.
    fn record(
        &self,
        change: ResultChange,
        compared: &Compared,
        first: bool,
        alert: &mut Alert<'_>,
    ) -> anyhow::Result<Option<ChangeRecord>> {
        let is_alert = change.alert;
        let record = ChangeRecord::new(change, compared, first)?;
        if is_alert {
            alert.see(record.result.as_deref());
        }
        let results = [&record.result, &record.old_result];
        let is_wanted = is_alert || results.into_iter().any(|result| self.flagged.wants(result.as_deref()));
        Ok(is_wanted.then_some(record))
    }
}

fn push(session: &Session, printer: &mut Printer, record: Option<ChangeRecord>) -> anyhow::Result<()> {
    let Some(record) = record else { return Ok(()) };
    session.counts.add("changes", 1);
    Ok(printer.push(output::Record::Cells(&record.cells()))?)
}

impl Look<'_> {
    /// Reads the present state, and says how many results it has. One that is empty where `may_be_empty` does not allow
    /// it is read again before that is an error.
    async fn read(&mut self, may_be_empty: bool) -> anyhow::Result<u64> {
        for _ in 0..2 {
            let results = verified_results::read(&self.context, PeopleFilters::default(), false).await?;
            let (mut count, compared, comparing, alert) = (0, &self.compared, &mut self.comparing, &self.alert);
            results.each(|_, json| {
                count += 1;
                let record: Map<String, Value> = serde_json::from_str(json)?;
                Ok(compared.line(&record, json, |word| alert.is_about_word(word), |line| comparing.now(line))??)
            })?;
            if count > 0 || may_be_empty {
                if self.comparing.number_namesakes()? {
                    self.context.session.console.warn(
                        "people share both reference id and e-mail, and have no ids: which of them changed is a guess",
                    );
                }
                return Ok(count);
            }
        }
        Err(Failure::new(Verdict::Unfinished, "the list is empty, and people are remembered; nothing was told")
            .hint("--allow-empty tells all of them as removed")
            .into())
    }
}
