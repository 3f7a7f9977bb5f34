//! The import of a sync's rows: names and missing reference ids are changed, another e-mail is never another person.

use crate::api::Client;
use crate::bulk::outcome::Finished;
use crate::bulk::run::Enrolling;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::session::Session;
use crate::commands::testtakers::enrol_run::{DoubtArgs, EnrolRun, LockMode, OnExisting};

/// Enrols and changes, or rehearses it.
pub async fn enrol(
    session: &Session,
    client: &Client,
    enrolling: Enrolling<'_>,
    (doubt, lock_mode): (DoubtArgs, LockMode),
) -> anyhow::Result<Finished> {
    enrol_as(session, client, enrolling, (doubt, lock_mode, false)).await
}

/// Enrols people whose old entry has the same reference id and another e-mail: it goes once the new one stands.
pub async fn enrol_again(
    session: &Session,
    client: &Client,
    enrolling: Enrolling<'_>,
    (doubt, lock_mode): (DoubtArgs, LockMode),
) -> anyhow::Result<Finished> {
    enrol_as(session, client, enrolling, (doubt, lock_mode, true)).await
}

async fn enrol_as(
    session: &Session,
    client: &Client,
    enrolling: Enrolling<'_>,
    (doubt, lock_mode, allow_duplicates): (DoubtArgs, LockMode, bool),
) -> anyhow::Result<Finished> {
    if lock_mode == LockMode::Locked {
        session.may_write()?;
    }
    let enrol_run = EnrolRun {
        concurrency: session.settings.concurrency.value.most() as usize,
        lock_mode,
        on_existing: OnExisting::Update,
        again: false,
        allow_duplicates,
    };
    let bar = RunBar::new(session.console);
    enrol_run.run(session, client, enrolling, doubt, |progress| bar.show(progress)).await
}
