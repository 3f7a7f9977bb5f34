//! What stands in the fields that `--mask` leaves as they are: a service may write anything into a field of a word or a time.

use crate::model::flagged::UNLISTED;
use crate::model::time::parse_service_time;

/// As long a word as is shown.
const LONGEST_WORD: usize = 60;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// One word, as results and states are.
    Word,
    /// A time of the service or of ours.
    Time,
    /// Yes or no.
    Flag,
    /// A number or a UUID.
    Id,
    /// What the program or the operator wrote: outcomes, places in a file, names of files, projects and consumers.
    Own,
}

/// Whether a field of a person's record that is no name or address stays with this value. `None` for all others, which do
/// not appear: a roster's own columns, messages in the service's words, links, whatever the service adds.
pub fn stays(field: &str, text: &str) -> Option<bool> {
    let holds = match field {
        "id" | "enrolmentId" | "projectId" => Holds::Id,
        "result" | "oldResult" | "status" | "identityStatus" => Holds::Word,
        "dateCompleted" | "lastTestSentUtc" | "expiresAtUtc" | "toldUtc" => Holds::Time,
        "topPerformer" | "identityVerified" => Holds::Flag,
        "project" | "consumer" | "file" | "line" | "row" | "column" | "field" | "outcome" | "change"
        | "changedFields" | "results" | "attempts" => Holds::Own,
        _ => return None,
    };
    Some(fits(holds, text))
}

/// Whether a field of a record that is about no person stays with this value: a service may write anything into some.
pub fn stays_of_others(field: &str, text: &str) -> bool {
    match field {
        "id" => fits(Holds::Id, text),
        "state" => fits(Holds::Word, text),
        "dateCreated" | "lastModified" => fits(Holds::Time, text),
        _ => true,
    }
}

fn fits(holds: Holds, text: &str) -> bool {
    match holds {
        Holds::Own => true,
        Holds::Word => is_word(text),
        Holds::Time => parse_service_time(text.trim()).is_some(),
        Holds::Flag => matches!(text, "true" | "false"),
        Holds::Id => text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'),
    }
}

fn is_word(text: &str) -> bool {
    text.chars().count() <= LONGEST_WORD && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
}

/// A result as it is told of many: one that is no word goes as one that the specification does not list.
pub fn result_of_many(result: &str) -> &str {
    if is_word(result) { result } else { UNLISTED }
}

/// Where a redirect leads: its scheme and host, without what its path and its query say.
pub fn shown_redirect(uri: &str) -> String {
    let Some((scheme, rest)) = uri.trim().split_once("://") else { return "…".to_owned() };
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let is_host = host.chars().all(|c| c.is_alphanumeric() || "-.*:[]".contains(c));
    if !is_host || !is_word(scheme) {
        return "…".to_owned();
    }
    format!("{scheme}://{host}{}", if path.len() <= 1 { path } else { "/…" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_stays_where_its_value_is_what_it_holds() {
        for (field, kept, hidden) in [
            ("result", "HighRisk", "Ann Lee is ill"),
            ("status", "Needs_Review-2", "call +49 170 1234567"),
            ("oldResult", "unlisted", "see https://x.example/ann"),
            ("identityStatus", "Verified", "ann@example.com"),
            ("dateCompleted", "2026-03-01T06:00:00.1234567", "on Monday, said Ann"),
            ("lastTestSentUtc", "2026-03-01T06:00:00Z", "+49 170 1234567"),
            ("topPerformer", "true", "Ann"),
            ("enrolmentId", "5a1f0a30-6c8e-4d52-9f3a-0d9d6c1f2b11", "ann-lee"),
            ("id", "4711", "ann"),
        ] {
            assert_eq!((stays(field, kept), stays(field, hidden)), (Some(true), Some(false)), "{field}");
        }
        assert_eq!(stays("nickname", "A"), None);
        assert!(stays_of_others("state", "Active") && !stays_of_others("state", "as Ann Lee wished"));
        assert!(stays_of_others("name", "Night shift") && !stays_of_others("dateCreated", "by Ann"));
        assert_eq!((result_of_many("Critical"), result_of_many("Ann Lee is ill")), ("Critical", UNLISTED));
    }

    #[test]
    fn of_a_redirect_its_scheme_and_host_are_shown() {
        for (uri, shown) in [
            ("https://hr.example.com", "https://hr.example.com"),
            ("https://hr.example.com/", "https://hr.example.com/"),
            ("https://hr.example.com:8443/ann.lee/done?of=ann#lee", "https://hr.example.com:8443/…"),
            ("https://*.example.com/*", "https://*.example.com/…"),
            ("https://ann:lee@hr.example.com/", "https://hr.example.com/"),
            ("https://hr.example.com\\ann", "https://hr.example.com/…"),
            ("hrapp:ann.lee", "…"),
            ("hrapp://done/ann", "hrapp://done/…"),
            ("*", "…"),
            ("ann lee", "…"),
        ] {
            assert_eq!(shown_redirect(uri), shown, "{uri}");
        }
    }
}
