//! Test takers: list, enrol, update and remove.

use rusqlite::{OptionalExtension, TransactionBehavior, params};
use uuid::Uuid;

use super::fault_spell::{Respelling, respell};
use super::people_list::{full_name, one, people_page, project_seq};
use super::request::Call;
use super::response::{OperationResult, Refusal, ServiceReply};
use super::service::RunningService;
use super::state::{fold, now};
use crate::model::field_rules::{BirthYear, Email, ReferenceId, fold_email};
use crate::model::list_query::Order;
use crate::model::projects::ProjectId;
use crate::model::testtakers::{Change, Enrolment, EntryId, TestTaker, TestTakerOrderBy};

/// GET /projects/{projectId}/testtakers. Without `order` the declared schema default counts, `Desc` (our reading).
pub(super) fn list(service: &RunningService, call: &Call) -> OperationResult {
    people_page(service, call, true, (TestTakerOrderBy::Priority, Order::Desc), |record| record)
}

/// POST /projects/{projectId}/testtakers. The same e-mail or reference id again is another entry (our reading).
pub(super) fn enrol(service: &RunningService, call: &Call) -> OperationResult {
    let project = call.project()?;
    let fields = call.fields()?;
    let new = Newcomer {
        email: fields.required::<Email>("email")?.into(),
        first_name: set(fields.name("firstName")?),
        last_name: set(fields.name("lastName")?),
        birth_year: fields.optional::<BirthYear>("birthYear")?.map(|year| year.0),
        reference_id: fields.optional::<ReferenceId>("referenceId")?.map(String::from),
    };
    Ok(ServiceReply::created(&insert(service, project, new, &call.faults.spelling)?))
}

fn set(change: Change<String>) -> Option<String> {
    match change {
        Change::Set(text) => Some(text),
        Change::Leave | Change::Clear => None,
    }
}

/// A test taker to enrol, checked by the rules of the specification.
pub(super) struct Newcomer {
    pub(super) email: String,
    pub(super) first_name: Option<String>,
    pub(super) last_name: Option<String>,
    pub(super) birth_year: Option<i32>,
    pub(super) reference_id: Option<String>,
}

/// Enrols a test taker, in a spelling of the service's own where `spelling` says so; gives the record that is answered.
pub(super) fn insert(
    service: &RunningService,
    project: ProjectId,
    new: Newcomer,
    spelling: &[Respelling],
) -> Result<Enrolment, Refusal> {
    let mut state = service.state();
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let next = transaction
        .prepare_cached("UPDATE projects SET next_entry = next_entry + 1 WHERE id = ?1 RETURNING seq, next_entry - 1")?
        .query_row([project.to_string()], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))
        .optional()?;
    let (seq, entry) = next.ok_or_else(|| Refusal::not_found("project"))?;
    let sent = Enrolment {
        id: Uuid::new_v4(),
        project_entry_id: EntryId(entry),
        email: Some(new.email),
        first_name: new.first_name,
        last_name: new.last_name,
        birth_year: new.birth_year,
        reference_id: new.reference_id,
    };
    let mut enrolment = sent.clone();
    respell(&mut enrolment, spelling);
    let email = enrolment.email.as_deref().unwrap_or_default();
    let name = full_name(enrolment.first_name.as_deref(), enrolment.last_name.as_deref());
    transaction
        .prepare_cached(
            "INSERT INTO test_takers (project, entry, id, email, email_folded, reference_id, reference_folded,
                first_name, last_name, full_name, full_name_folded, birth_year, created)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            seq,
            entry,
            enrolment.id.to_string(),
            email,
            fold_email(email),
            enrolment.reference_id,
            enrolment.reference_id.as_deref().map(fold),
            enrolment.first_name,
            enrolment.last_name,
            name,
            fold(&name),
            enrolment.birth_year,
            now(),
        ])?;
    transaction.commit()?;
    Ok(if spelling.contains(&Respelling::Echo) { sent } else { enrolment })
}

/// PATCH /projects/{projectId}/testtakers/{id}. What is omitted stays, null clears, the body's id is ignored (our
/// readings).
pub(super) fn update(service: &RunningService, call: &Call) -> OperationResult {
    let (project, entry) = (call.project()?, call.entry()?);
    let fields = call.fields()?;
    fields.change::<i32>("id")?;
    let (first_name, last_name) = (fields.name("firstName")?, fields.name("lastName")?);
    let reference_id = fields.change::<ReferenceId>("referenceId")?;
    let mut state = service.state();
    let transaction = state.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let seq = project_seq(&transaction, project)?;
    let mut record = one(&transaction, seq, entry.0)?.record;
    change(&mut record.first_name, first_name);
    change(&mut record.last_name, last_name);
    change(&mut record.reference_id, reference_id);
    let name = full_name(record.first_name.as_deref(), record.last_name.as_deref());
    record.full_name = Some(name.clone());
    transaction
        .prepare_cached(
            "UPDATE test_takers SET reference_id = ?3, reference_folded = ?4, first_name = ?5, last_name = ?6,
                full_name = ?7, full_name_folded = ?8
             WHERE project = ?1 AND entry = ?2",
        )?
        .execute(params![
            seq,
            entry.0,
            record.reference_id,
            record.reference_id.as_deref().map(fold),
            record.first_name,
            record.last_name,
            name,
            fold(&name),
        ])?;
    transaction.commit()?;
    // The answer of the update has no topPerformer (specification, Test takers).
    Ok(ServiceReply::ok(&TestTaker { top_performer: None, ..record }))
}

fn change<T: Into<String>>(value: &mut Option<String>, change: Change<T>) {
    match change {
        Change::Leave => {}
        Change::Clear => *value = None,
        Change::Set(new) => *value = Some(new.into()),
    }
}

/// DELETE /projects/{projectId}/testtakers/{id}. Results are kept; a repeat answers 204 again; an id that was never
/// given out is not found (our reading).
pub(super) fn remove(service: &RunningService, call: &Call) -> OperationResult {
    let (project, entry) = (call.project()?, call.entry()?);
    let state = service.state();
    let seq = project_seq(&state, project)?;
    let mut update = state.prepare_cached(
        "UPDATE test_takers SET removed = 1, removed_at = coalesce(removed_at, ?3) WHERE project = ?1 AND entry = ?2",
    )?;
    match update.execute((seq, entry.0, now()))? {
        0 => Err(Refusal::not_found("test taker in this project")),
        _ => Ok(ServiceReply::no_content()),
    }
}
