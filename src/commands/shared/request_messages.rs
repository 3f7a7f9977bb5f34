//! What is said of requests: each one with `-v`, and a pause to people who wait for its end.

use std::time::Duration;

use crate::api::Exchange;
use crate::output::Console;

/// A pause that is said on a terminal.
const PAUSE: Duration = Duration::from_secs(1);
/// A pause that is said where no terminal is watched, too.
const LONG_PAUSE: Duration = Duration::from_secs(5);

/// Says what happened on the wire.
pub fn tell(console: Console, on_terminal: bool, exchange: &Exchange<'_>) {
    match exchange {
        Exchange::Ended { method, path, status, took } => {
            let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
            console.detail(&format!("{method} {path}: {status} after {} ms", took.as_millis()));
        }
        Exchange::Waiting { pause, why } => {
            let message = format!("waiting {:.1} s: {why}", pause.as_secs_f64());
            let is_worth_saying = if on_terminal { PAUSE } else { LONG_PAUSE };
            if *pause >= is_worth_saying { console.note(&message) } else { console.detail(&message) }
        }
        Exchange::Remark { text } => console.detail(text),
    }
}
