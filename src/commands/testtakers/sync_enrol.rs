//! The import of a sync's rows: names and missing reference ids are changed, another e-mail is never another person.

use crate::api::Client;
use crate::bulk::on_existing::OnExisting;
use crate::bulk::outcome::Finished;
use crate::bulk::run_plan::Enrolling;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::enrol_run::{DoubtArgs, EnrolRun, LockMode};

/// Enrols and changes, or rehearses it. `again`: the old entries of these people have the same reference id and another
/// e-mail; they go once the new ones stand.
pub async fn enrol(
    session: &Session,
    client: &Client,
    enrolling: Enrolling<'_>,
    (doubt, lock_mode, again): (DoubtArgs, LockMode, bool),
) -> anyhow::Result<Finished> {
    if lock_mode == LockMode::Locked {
        session.may_write()?;
    }
    let enrol_run = EnrolRun {
        concurrency: session.settings.concurrency.value.most() as usize,
        lock_mode,
        on_existing: OnExisting::Update,
        again: false,
        allow_duplicates: again,
    };
    let bar = RunBar::new(session.console);
    enrol_run.run(session, client, enrolling, doubt, |progress| bar.show(progress)).await
}
