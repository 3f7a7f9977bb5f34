//! Whether a reference id that an update gives is another person's already: the service lets two people share one, and
//! nobody is given one of them by mistake.

use std::collections::{HashMap, HashSet};

use anyhow::Context as _;

use crate::bulk::find_people::{LookupKey, taken_reference_ids};
use crate::bulk::plan::Progress;
use crate::bulk::update_sender::UpdateSender;
use crate::commands::shared::progress::RunBar;
use crate::commands::shared::project_args::ProjectContext;
use crate::commands::shared::project_journal::FreshPeople;
use crate::commands::shared::run_failure::UNREAD;
use crate::model::testtakers::{Change, EntryId, TestTaker, TestTakerUpdate};

/// The reference id that an update gives a person anew; `None` where it leaves them theirs, or takes it away.
fn given<'u>(before: &TestTaker, update: &'u TestTakerUpdate) -> Option<&'u str> {
    match &update.reference_id {
        Change::Set(id) => Some(id.as_str()).filter(|id| before.reference_id.as_deref() != Some(*id)),
        Change::Clear | Change::Leave => None,
    }
}

/// What is said of the people whom these updates would give the reference id of another entry, as the service shows it or
/// as this machine enrolled it a short time ago; an entry that it gave another one since is none of those. Nothing is asked
/// where `is_meant` says that both may have it.
pub async fn objections<'u>(
    context: &ProjectContext<'_>,
    updates: impl Iterator<Item = (&'u TestTaker, &'u TestTakerUpdate)>,
    sender: &UpdateSender<'_>,
    is_meant: bool,
) -> anyhow::Result<HashMap<EntryId, String>> {
    let given: Vec<(EntryId, &str)> =
        updates.filter_map(|(before, update)| Some((before.entry_id(), given(before, update)?))).collect();
    if given.is_empty() || is_meant {
        return Ok(HashMap::new());
    }
    let bar = RunBar::new(context.session.console);
    let taken = taken_reference_ids(&context.client, context.project, &given, |records| {
        bar.show(Progress::Reading(records));
    });
    let (taken, fresh) = (taken.await.context(UNREAD)?, FreshPeople::read(context)?);
    let mut objections = HashMap::new();
    let giving: HashSet<EntryId> = given.iter().map(|(entry, _)| *entry).collect();
    for (entry, id) in &given {
        let shown = taken.get(entry).into_iter().flatten().map(|other| (*other, "has this reference id already"));
        let enrolled = fresh.called((LookupKey::ReferenceId, id)).filter(|other| *other != *entry);
        let enrolled = enrolled.map(|other| (other, "was enrolled with this reference id a short time ago"));
        let unshown = enrolled.filter(|(other, _)| sender.may_have_reference_id(*other, id).unwrap_or(true));
        if let Some((other, has)) = shown.chain(unshown).next() {
            let way = if giving.contains(&other) {
                "its own row gives it another one: run the same command again; "
            } else {
                ""
            };
            objections.insert(*entry, format!("entry {other} {has} ({way}--allow-duplicates lets both have it)"));
        }
    }
    Ok(objections)
}
