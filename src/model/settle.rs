//! How late requests may take effect whose answer was lost: our assumptions, because the specification says nothing of it.

use std::time::Duration;

/// This long after its answer was given up, a request has had its effect, and every list shows it (`--settle`).
pub const SETTLE: Duration = Duration::from_mins(5);

/// So late may a request for a link take effect. It would void a link that came after it, so the next request waits.
pub const LATE: Duration = Duration::from_secs(10);
