//! Readings: what the sandbox does where the specification says "not shown", says two things, or says nothing.

/// One place where the specification leaves something open, and how the sandbox reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Counted from 1, in the order of the specification; "not shown" first, then contradictions and silences.
    pub number: u16,
    /// The section of the specification.
    pub section: &'static str,
    /// What is open.
    pub open: &'static str,
    /// How the sandbox behaves.
    pub behaviour: &'static str,
    /// The test that shows it.
    pub test: &'static str,
}

const fn reading(
    number: u16,
    section: &'static str,
    open: &'static str,
    behaviour: &'static str,
    test: &'static str,
) -> Reading {
    Reading { number, section, open, behaviour, test }
}

/// All readings.
pub fn readings() -> &'static [Reading] {
    &READINGS
}

#[rustfmt::skip]
const READINGS: [Reading; 63] = [
    reading(1, "What the service does", "the assessment's content: not shown",
        "a page with one form: starting, then finishing with an outcome that the test taker chooses",
        "taking_the_assessment_goes_from_null_over_started_to_its_outcome"),
    reading(2, "What the service does", "the scheduling of test invitations: not shown",
        "none is sent; issuing a link is no invitation, only `sandbox set --sent` writes lastTestSentUtc",
        "issuing_a_link_is_no_invitation"),
    reading(3, "Project link", "its format: not shown",
        "an address of the sandbox with the project's id, the same each time",
        "a_project_link_is_the_same_each_time"),
    reading(4, "Redirect URI set", "length limits and validation rules for entries: not shown",
        "an entry is any text that is not blank",
        "a_redirect_uri_is_any_text_that_is_not_blank"),
    reading(5, "Project state", "the state a new project starts in: not shown",
        "Active", "a_new_project_is_active"),
    reading(6, "Project state", "transitions, and what a state allows: not shown",
        "any state follows any other, by `sandbox set --state` alone; links open in Active only, and nothing else \
         depends on the state", "a_state_other_than_active_closes_links_and_nothing_else"),
    reading(7, "Project state", "what becomes of a deleted project: not shown",
        "it stays in the list and is read as before", "a_deleted_project_stays_in_the_list"),
    reading(8, "Test taker assessment status", "transitions: not shown",
        "starting an assessment makes any result Started, finishing makes it the outcome; a new start takes the \
         completion time away", "starting_again_takes_the_completion_time_away"),
    reading(9, "Test taker assessment status", "which values end an assessment: not shown",
        "Completed, HighRisk, Fatigued, Distressed, ReasonableCause, Escalated and Emergency have a completion time",
        "results_that_end_an_assessment_have_a_completion_time"),
    reading(10, "Update test taker body", "whether omitted fields are left unchanged: not shown",
        "they are; null clears", "an_update_leaves_what_it_omits_and_clears_what_is_null"),
    reading(11, "Update test taker body", "what the body id does: not shown",
        "nothing", "the_id_in_the_body_of_an_update_is_ignored"),
    reading(12, "Workspace redirect URIs", "what the answer of an addition contains: not shown",
        "the whole set, in the order in which it came together", "adding_redirect_uris_answers_the_whole_set"),
    reading(13, "Workspace redirect URIs", "how a redirectUri is compared with the entries: not shown",
        "ignoring case, `*` for any run of characters",
        "a_redirect_follows_the_allowlist_with_wildcards_and_ignoring_case"),
    reading(14, "Authentication", "key format and expiry: not shown",
        "a key is what was given at the start, it never expires; without it every path answers 401",
        "without_a_known_key_everything_is_401"),
    reading(15, "Authentication", "scopes and per-operation permissions: not shown",
        "one key may do everything; a second one may read, and gets 403 for the rest",
        "the_read_only_key_reads_and_changes_nothing"),
    reading(16, "Events", "webhook registration, names, payloads, signing, retries: not shown",
        "there are none", "there_are_no_webhooks"),
    reading(17, "Errors", "other codes in the code and message body: not shown",
        "there is none but test_taker_not_provisioned; every other refusal is a problem body",
        "only_an_unprovisioned_test_taker_gets_a_code"),
    reading(18, "Errors", "status codes of the remaining operations: not shown",
        "400, 401, 403, 404 as for the test taker list; an id that is none is 404, a wrong method 405",
        "each_refusal_is_a_problem_with_its_status"),
    reading(19, "Errors", "handling of out-of-range paging values: not shown",
        "400", "paging_outside_the_limits_is_refused"),
    reading(20, "Errors", "handling of malformed filters: not shown",
        "400", "filters_outside_their_rules_are_refused"),
    reading(21, "Limits", "rate limits: not shown",
        "there are none but those rehearsed with --fault", "there_is_no_rate_limit"),
    reading(22, "Limits", "quotas: not shown", "there are none", "there_is_no_quota"),
    reading(23, "Versioning", "version header or parameter: none is shown",
        "unknown headers, query parameters and body fields are ignored",
        "unknown_parameters_and_fields_are_ignored"),
    reading(24, "Versioning", "version negotiation, deprecation, which results variant is authoritative: not shown",
        "--results-api chooses one for as long as the service runs; the current one by default",
        "the_results_shape_is_chosen_at_start"),
    reading(25, "Paging, sorting and filter parameters", "the default order is Asc in prose and Desc in the schema",
        "Desc for test takers and results", "lists_of_people_are_descending_by_default"),
    reading(26, "Paging, sorting and filter parameters", "a page beyond the end",
        "an empty array", "a_page_beyond_the_end_is_empty"),
    reading(27, "Paging, sorting and filter parameters", "the case of enum values and booleans",
        "exactly as the specification spells them, else 400",
        "enum_values_are_spelled_as_in_the_specification"),
    reading(28, "Paging, sorting and filter parameters", "a parameter that is given twice",
        "400", "a_parameter_given_twice_is_refused"),
    reading(29, "Paging, sorting and filter parameters", "whether a substring match regards case",
        "it does not", "a_filter_ignores_case"),
    reading(30, "Paging, sorting and filter parameters", "an empty value of filter or referenceId",
        "as if it were not given", "an_empty_filter_is_no_filter"),
    reading(31, "Paging, sorting and filter parameters", "the order of names and the place of equal keys in it",
        "ignoring case; no name comes first", "names_are_sorted_ignoring_case"),
    reading(32, "Paging, sorting and filter parameters", "what Priority, Performance and Risk rank by",
        "Priority and Risk by the gravity of the result, Performance by the top performers and falling gravity",
        "people_are_ranked_by_the_gravity_of_their_result"),
    reading(33, "Paging, sorting and filter parameters", "the order of equal keys",
        "by entry id, whatever the direction", "equal_keys_stand_in_the_order_of_enrolment"),
    reading(34, "Paging, sorting and filter parameters", "where LastTestSent puts those who were never invited",
        "first when ascending", "who_was_never_invited_comes_first_ascending"),
    reading(35, "Projects", "what the server cache holds, and for how long",
        "each project list for five seconds, within one process; bypassCache reads past it",
        "the_project_list_may_be_seconds_old_unless_the_cache_is_bypassed"),
    reading(36, "Projects", "the order of states, and what counts as a modification",
        "as the specification lists them; a change of the project's own fields",
        "projects_are_sorted_in_every_order_and_direction"),
    reading(37, "Projects", "whether names are unique", "they are not", "two_projects_may_share_a_name"),
    reading(38, "Projects", "the status of a creation", "200, the default of all operations",
        "creating_a_project_answers_200"),
    reading(39, "Projects", "a name of white space", "400, as an empty one",
        "a_project_has_the_limits_of_the_specification"),
    reading(40, "Test takers", "a second enrolment of the same e-mail or reference id",
        "a second entry", "enrolling_somebody_twice_makes_two_entries"),
    reading(41, "Test takers", "what an e-mail address is",
        "something on both sides of one @, no white space; else 400",
        "an_email_is_required_and_has_an_at_sign"),
    reading(42, "Test takers", "an empty first or last name", "400; null clears",
        "an_empty_name_is_refused"),
    reading(43, "Test takers", "which letters and digits a reference id may have, and whether updates hold to it",
        "those of ASCII; they do", "a_reference_id_has_ascii_letters_and_digits"),
    reading(44, "Test takers", "how project-entry ids are given out",
        "ascending from 1 in each project, none twice",
        "entry_ids_ascend_in_each_project_and_are_never_reused"),
    reading(45, "Test takers", "whether the id of a read record is the project-entry id",
        "it is", "the_id_of_a_record_is_the_entry_id"),
    reading(46, "Test takers", "whether referenceId= regards case", "equal to the byte",
        "the_reference_id_parameter_is_exact_to_the_byte"),
    reading(47, "Test takers", "a date and time without a zone", "UTC", "a_time_without_a_zone_is_utc"),
    reading(48, "Test takers", "what completed means in completedOnly",
        "there is a completion time", "completed_only_means_a_completion_time"),
    reading(49, "Test taker enrolment", "DELETE of an id that was never given out",
        "404", "removing_an_id_that_never_was_is_not_found"),
    reading(50, "Test taker enrolment", "other operations on somebody who was removed",
        "404, the result by reference id included", "a_removed_test_taker_is_in_no_read"),
    reading(51, "Test link", "a request without a body", "as with an empty object", "a_test_link_needs_no_body"),
    reading(52, "Test link", "a redirectUri that the allowlist does not admit",
        "the link is issued; the redirect does not happen", "a_link_is_issued_whatever_the_allowlist_says"),
    reading(53, "Test link", "what the referenceId of a link does to the record",
        "nothing", "a_reference_id_of_a_link_changes_no_record"),
    reading(54, "Test link", "how long provisioning takes",
        "as long as --provisioning says, not at all by default",
        "a_link_is_refused_while_the_test_taker_is_provisioned"),
    reading(55, "Results", "whether those without a result are listed",
        "they are, with null", "everybody_enrolled_has_a_result_record"),
    reading(56, "Results", "whose result is read where several share a reference id",
        "the latest completion; without one, the latest enrolment",
        "the_latest_result_wins_among_those_who_share_a_reference_id"),
    reading(57, "Results", "the reference ids . and .. in a path, which URL libraries fold",
        "404; the list's referenceId= finds them", "dots_name_nobody_in_a_path"),
    reading(58, "Result", "identityVerified while verification is pending, off, or compromised",
        "null, null, false", "identity_verified_follows_the_identity_status"),
    reading(59, "Result", "values of result beyond the list",
        "`sandbox set --unlisted-result` makes one; it travels as it is",
        "a_result_that_is_not_listed_travels_as_it_is"),
    reading(60, "Result", "absent names, the status and the completion time of the older record",
        "empty strings; the words of result, or null; null", "the_older_results_have_the_older_shape"),
    reading(61, "Workspace redirect URIs", "what their list is sorted by",
        "their text, ignoring case, ascending by default", "redirect_uris_are_listed_by_their_text"),
    reading(62, "Errors", "bodies that are not labelled as JSON, or are too large",
        "415; 413 above 4 MiB", "a_body_must_be_labelled_as_json"),
    reading(63, "Errors", "which of the offered media types an answer has",
        "the first that Accept names, application/json otherwise", "bodies_are_labelled_as_the_caller_accepts"),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Every Rust source below a folder, one after the other.
    fn sources(folder: &Path) -> String {
        let mut text = String::new();
        for entry in fs::read_dir(folder).expect("a folder of the project") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                text.push_str(&sources(&path));
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                text.push_str(&fs::read_to_string(&path).expect("a source file"));
            }
        }
        text
    }

    #[test]
    fn each_reading_names_a_test_that_exists() {
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sandbox"));
        for reading in readings() {
            let test = format!("#[test]\nfn {}() {{", reading.test);
            assert!(sources.contains(&test), "{}: {}", reading.number, reading.test);
        }
    }

    #[test]
    fn readings_are_numbered_from_1() {
        assert!(readings().iter().zip(1..).all(|(reading, number)| reading.number == number));
    }
}
