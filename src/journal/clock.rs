//! When something was: the wall clock for people, and the clock of the boot for deciding, because the wall clock jumps.

use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

use crate::model::time;

/// A point in time: milliseconds since 1970, UTC.
pub type Millis = i64;

/// As we print it.
pub fn utc(millis: Millis) -> String {
    Timestamp::from_millisecond(millis).map(time::utc).unwrap_or_default()
}

/// The clock that counts from the start of the machine, asleep or not, and cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootTime {
    /// Which start of the machine.
    pub boot: Uuid,
    /// Milliseconds since then.
    pub ticks: Millis,
}

/// A moment by both clocks; that of the boot where the platform tells which boot it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// By the wall clock.
    pub wall: Millis,
    /// Since the start of the machine.
    pub boot: Option<BootTime>,
}

impl Moment {
    pub fn now() -> Self {
        Self { wall: Timestamp::now().as_millisecond(), boot: boot_time() }
    }

    /// So much later.
    #[must_use]
    pub fn after(self, elapsed: Duration) -> Self {
        let more = millis(elapsed);
        let boot = self.boot.map(|boot| BootTime { ticks: boot.ticks.saturating_add(more), ..boot });
        Self { wall: self.wall.saturating_add(more), boot }
    }

    /// When an earlier moment was, by this one's wall clock. Within one boot the boot clock counts, whatever the wall clock
    /// said then; else a time in the future counts as now.
    pub fn dates(&self, then: &Self) -> Millis {
        match (self.boot, then.boot) {
            (Some(now), Some(then)) if now.boot == then.boot => self.wall - now.ticks.saturating_sub(then.ticks).max(0),
            _ => then.wall.min(self.wall),
        }
    }
}

/// A length of time in milliseconds.
pub fn millis(time: Duration) -> Millis {
    Millis::try_from(time.as_millis()).unwrap_or(Millis::MAX)
}

/// Where Linux says which boot it is.
#[cfg(target_os = "linux")]
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

#[cfg(target_os = "linux")]
fn boot_time() -> Option<BootTime> {
    use crate::files::read_text;
    use rustix::time::{ClockId, clock_gettime};
    let boot = read_text(BOOT_ID.as_ref(), 100).ok()?.trim().parse().ok()?;
    let time = clock_gettime(ClockId::Boottime);
    Some(BootTime { boot, ticks: time.tv_sec * 1000 + time.tv_nsec / 1_000_000 })
}

/// Where the platform does not tell which boot it is, the wall clock alone counts.
#[cfg(not(target_os = "linux"))]
fn boot_time() -> Option<BootTime> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(wall: Millis, boot: u128, ticks: Millis) -> Moment {
        Moment { wall, boot: Some(BootTime { boot: Uuid::from_u128(boot), ticks }) }
    }

    #[test]
    fn within_one_boot_a_wall_clock_that_jumped_does_not_count() {
        let day = 86_400_000;
        let now = moment(day, 1, 70_000);
        assert_eq!(now.dates(&moment(0, 1, 60_000)), day - 10_000, "it was set forward meanwhile");
        assert_eq!(now.dates(&moment(2 * day, 1, 60_000)), day - 10_000, "it was set back meanwhile");
    }

    #[test]
    fn after_another_boot_the_wall_clock_counts_and_the_future_is_now() {
        let now = moment(5000, 2, 10);
        assert_eq!(now.dates(&moment(3000, 1, 60_000)), 3000);
        assert_eq!(now.dates(&moment(9000, 1, 60_000)), 5000);
        assert_eq!(Moment { boot: None, ..now }.dates(&moment(9000, 2, 5)), 5000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_boot_is_known_and_its_clock_goes_on() {
        let (one, other) = (Moment::now(), Moment::now());
        let (one, other) = (one.boot.expect("a boot"), other.boot.expect("a boot"));
        assert!(one.boot == other.boot && one.ticks > 0 && other.ticks >= one.ticks);
    }

    #[test]
    fn a_time_is_said_in_utc() {
        assert_eq!(utc(1_772_352_000_999), "2026-03-01T08:00:00Z");
        assert_eq!(utc(Millis::MAX), "", "no time");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_clock_of_the_boot_counts_milliseconds() {
        use rustix::time::{ClockId, clock_gettime};
        let since_boot = || {
            let time = clock_gettime(ClockId::Boottime);
            millis(Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).expect("below a second")))
        };
        let before = since_boot();
        let ticks = Moment::now().boot.expect("a boot").ticks;
        assert!(before <= ticks && ticks <= since_boot(), "{before} {ticks}");
    }
}
