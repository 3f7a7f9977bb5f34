//! The consumers of `results changes`: their names, the list of them, and the end of one.

use std::str::FromStr;

use crate::commands::results::compare::Compared;
use crate::commands::shared::project_args::ProjectArg;
use crate::commands::shared::session::Session;
use crate::journal::consumers::{Consumer, all, forget};
use crate::journal::store::Store;
use crate::model::counted::counted;
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;
use crate::model::projects::ProjectId;
use crate::model::stored_name::stored_name;
use crate::model::time::utc;
use crate::output::{Columns, Record, Shape};

/// What is shown of each consumer.
pub const COLUMNS: Columns<'static> =
    Columns::of(&["consumer", "toldUtc", "results"]).no_truncate(&["consumer"]).times(&["toldUtc"]);

/// The name of a consumer of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerName(String);

impl FromStr for ConsumerName {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        stored_name(text).map(Self)
    }
}

impl Default for ConsumerName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

/// A consumer of one project's results, with everything that names its memory.
#[derive(Clone, Debug)]
pub struct Named {
    service: String,
    project: ProjectId,
    shape: &'static str,
    name: ConsumerName,
}

impl Named {
    /// The consumer of this service's project.
    pub fn new(
        session: &Session,
        project: ProjectId,
        compared: &Compared,
        name: Option<&ConsumerName>,
    ) -> anyhow::Result<Self> {
        let name = name.cloned().unwrap_or_default();
        Ok(Self { service: session.service_name()?, project, shape: compared.shape(), name })
    }

    /// What its memory goes by.
    pub fn key(&self) -> Consumer<'_> {
        Consumer { service: &self.service, project: self.project, shape: self.shape, name: &self.name.0 }
    }
}

/// Lists the consumers of a project, and when each was told last.
pub async fn list(session: &Session, project: &ProjectArg) -> anyhow::Result<Verdict> {
    let mut printer = session.printer(&COLUMNS, Shape::Many)?;
    let compared = Compared::new(session.settings.results_api.value);
    let project = project.open(session).await?.project;
    let store = session.journal()?;
    for (name, memory) in all(&store, &session.service_name()?, project, compared.shape())? {
        let told = utc(memory.told);
        let results = i64::try_from(memory.results)?;
        printer.push(Record::Cells(&[name.into(), told.into(), results.into()]))?;
    }
    printer.finish()?;
    Ok(Verdict::Done)
}

/// Forgets what a consumer was told of a project.
pub async fn end(session: &Session, project: &ProjectArg, name: &ConsumerName) -> anyhow::Result<Verdict> {
    let compared = Compared::new(session.settings.results_api.value);
    let project = project.open(session).await?.project;
    let named = Named::new(session, project, &compared, Some(name))?;
    let state = session.settings.state_dir()?;
    let _lock = super::lock_wait::consumer(&state, named.key())?;
    if forget(&mut session.journal()?, named.key())? {
        session.console.note(&format!("forgot what {} was told; its next run has nothing to compare with", name.0));
        return Ok(Verdict::Done);
    }
    let cause = format!("no consumer {} was told of this project", name.0);
    Err(Failure::new(Verdict::NotFound, cause).hint("`assessctl results changes --consumers` lists them").into())
}

/// What is said where nothing is remembered, also with `-q`: what happened in between cannot be told. `remembers`: how many
/// results the run is about to remember, which nothing can be said after.
pub fn no_memory(session: &Session, store: &Store, named: &Named, remembers: Option<u64>) -> Result<(), Failure> {
    let elsewhere = crate::journal::consumers::elsewhere(store, named.key())?;
    let other = elsewhere.first().map_or_else(String::new, |service| format!(" (there is one under {service})"));
    let next = remembers.map_or_else(String::new, |count| {
        let (results, name) = (counted(count, "result", "results"), &named.name.0);
        format!(
            "; at its end this run remembers {results} as told to {name}, and the next one tells what changed since"
        )
    });
    session.console.warn(&format!("no memory of this project{other}: nothing to compare with{next}"));
    Ok(())
}
