//! A time of the journal as we print times.

use jiff::Timestamp;

use crate::journal::clock::Millis;

/// With whole seconds, in UTC.
pub fn utc(millis: Millis) -> String {
    Timestamp::from_millisecond(millis).map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}
