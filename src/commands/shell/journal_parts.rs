//! A part of the journal, as other programs' logs take it: the last records, or those since a time.

use clap::Command;
use jiff::Zoned;

use crate::commands::shell::argv::knows;
use crate::commands::shell::conditions::{BEGINNINGS, ENDS};
use crate::commands::shell::spoken_times::spoken;
use crate::model::time::{parse_time, utc};

/// The expression that takes the last records of the journal, or those from a time on or up to it.
pub fn journal_part(root: &Command, path: &[&str], (name, value): (&str, &str)) -> Option<String> {
    const COUNTS: [&str; 9] = ["--limit", "-n", "--last", "--tail", "--max", "--lines", "-L", "--count", "--newest"];
    let (sent, sorted) = match path {
        ["journal", "list"] => ("last", "sort_by(.last) | "),
        ["journal", "show"] => ("sent", ""),
        _ => return None,
    };
    if !knows(root, root, "--jq") {
        return None;
    }
    if let Ok(count) = value.parse::<u16>() {
        let ours = ["--first", "--head", "--top"].contains(&name).then(|| format!(":{count}"));
        let ours = ours.or_else(|| COUNTS.contains(&name).then(|| format!("-{count}:")))?;
        return Some(format!("--jq '{sorted}.[{ours}]'"));
    }
    let now = Zoned::now();
    let time = utc(parse_time(&spoken(value, &now)?, now.timestamp()).ok()?);
    let chosen = match () {
        () if BEGINNINGS.contains(&name) => format!(".{sent} > \"{time}\""),
        () if ENDS.contains(&name) => format!(".{sent} != null and .{sent} < \"{time}\""),
        () => return None,
    };
    Some(format!("--jq '[.[] | select({chosen})]'"))
}
