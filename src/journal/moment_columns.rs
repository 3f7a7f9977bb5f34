//! A moment as columns: the wall clock's in one of a name that says what was then, the boot's in two.

use rusqlite::Row;
use uuid::Uuid;

use super::clock::{BootTime, Millis, Moment};

/// The values of the columns for the boot and its ticks.
pub(super) fn boot_columns(moment: &Moment) -> (Option<[u8; 16]>, Option<Millis>) {
    moment.boot.map(|boot| (boot.boot.into_bytes(), boot.ticks)).unzip()
}

/// The moment of a time by the wall clock, with the columns for the boot and its ticks.
pub(super) fn moment(row: &Row<'_>, wall: Millis, (boot, ticks): (&str, &str)) -> rusqlite::Result<Moment> {
    let boot: Option<[u8; 16]> = row.get(boot)?;
    let boot = boot.map(Uuid::from_bytes).zip(row.get(ticks)?).map(|(boot, ticks)| BootTime { boot, ticks });
    Ok(Moment { wall, boot })
}
