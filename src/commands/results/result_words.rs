//! Results as `--result`, `--fail-on` and `--flagged` name them: any word, because the specification's list is not closed.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Args, Command, ValueEnum as _};

use crate::model::did_you_mean::nearest;
use crate::model::failure::Failure;
use crate::model::flagged::{FLAGGED_WORDS, UNLISTED, is_flagged};
use crate::model::test_status::TestStatus;

/// Results that an option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultWord {
    /// One result, whether the specification lists it or not.
    One(TestStatus),
    /// All that the specification does not list.
    Unlisted,
    /// An everyday word for those that are flagged, as it was typed: a gate that looked for it in vain would let through.
    Flagged(String),
    /// An everyday word for one that is done and not flagged.
    Cleared(String),
}

impl ResultWord {
    /// Reads a word in any case. Refused is an empty one, and one that is nearly another word: a gate that looked for it in
    /// vain would let everybody pass.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        match text.trim() {
            "" => Err(Failure::usage("names no result")),
            text if text.eq_ignore_ascii_case(UNLISTED) => Ok(Self::Unlisted),
            text if is_word_of(&FLAGGED_IN_OTHER_WORDS, text) => Ok(Self::Flagged(text.to_owned())),
            text if is_word_of(&CLEARED_IN_OTHER_WORDS, text) => Ok(Self::Cleared(text.to_owned())),
            text => match (TestStatus::listed(text), meant_by(text)) {
                (Some(listed), _) => Ok(Self::One(listed)),
                (None, None) => Ok(Self::One(TestStatus::Unlisted(text.to_owned()))),
                (None, Some(near)) => Err(Failure::usage(format!("the specification lists no result {text}"))
                    .hint(format!(
                        "did you mean {near}? {UNLISTED} is every result that the specification does not list"
                    ))
                    .meant(near)),
            },
        }
    }

    /// The word as it is shown.
    pub fn word(&self) -> &str {
        match self {
            Self::One(status) => status.word(),
            Self::Unlisted => UNLISTED,
            Self::Flagged(typed) | Self::Cleared(typed) => typed,
        }
    }

    fn is(&self, status: &str) -> bool {
        match self {
            Self::One(wanted) => wanted.word().eq_ignore_ascii_case(status),
            Self::Unlisted => TestStatus::listed(status).is_none(),
            Self::Flagged(_) => is_flagged(status),
            Self::Cleared(typed) => {
                TestStatus::listed(status) == Some(TestStatus::Completed) || typed.eq_ignore_ascii_case(status)
            }
        }
    }
}

/// Whether a result is one of those named; no result is none of them.
pub fn is_one_of(status: Option<&str>, named: &[ResultWord]) -> bool {
    status.is_some_and(|status| named.iter().any(|word| word.is(status)))
}

const FLAGGED_IN_OTHER_WORDS: [&str; 8] = ["flagged", "unfit", "failed", "fail", "failure", "at-risk", "risk", "red"];
const CLEARED_IN_OTHER_WORDS: [&str; 6] = ["fit", "passed", "pass", "cleared", "ok", "green"];

fn is_word_of(words: &[&str], text: &str) -> bool {
    words.iter().any(|word| word.eq_ignore_ascii_case(text))
}

/// The word that a slip of the hand was meant to be, or the listed result that an everyday word means.
fn meant_by(word: &str) -> Option<&'static str> {
    if is_word_of(&["pending", "open"], word) {
        return Some("NotStarted");
    }
    // Of the short everyday words many others are near.
    let everyday = FLAGGED_IN_OTHER_WORDS.into_iter().chain(CLEARED_IN_OTHER_WORDS).filter(|word| word.len() > 4);
    nearest(word, TestStatus::value_variants().iter().map(TestStatus::word).chain([UNLISTED]).chain(everyday))
}

/// Reads a result of an option, and offers the listed ones for completion.
#[derive(Clone, Debug)]
pub struct ResultWords;

impl TypedValueParser for ResultWords {
    type Value = ResultWord;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<ResultWord, clap::Error> {
        StringValueParser::new().try_map(|text| ResultWord::parse(&text)).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let listed = TestStatus::value_variants().iter().map(TestStatus::word);
        Some(Box::new(listed.chain([UNLISTED]).map(PossibleValue::new)))
    }
}

/// `--flagged` of commands that count.
#[derive(Debug, Default, Args)]
pub struct FlaggedArg {
    /// The results that count as flagged; `unlisted` is every result that the specification does not list [default:
    /// HighRisk, Fatigued, Distressed, ReasonableCause, Escalated, Emergency, unlisted]
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', hide_possible_values = true, value_parser = ResultWords)]
    flagged: Vec<ResultWord>,
}

impl FlaggedArg {
    /// Whether a result counts.
    pub fn has(&self, status: Option<&str>) -> bool {
        if self.flagged.is_empty() { status.is_some_and(is_flagged) } else { is_one_of(status, &self.flagged) }
    }

    /// The results that count, in words.
    pub fn words(&self) -> Vec<&str> {
        match self.flagged.as_slice() {
            [] => FLAGGED_WORDS.into_iter().chain([UNLISTED]).collect(),
            named => named.iter().map(ResultWord::word).collect(),
        }
    }
}

/// `--flagged` of commands that show people.
#[derive(Debug, Args)]
pub struct OnlyFlaggedArg {
    /// Only people whose result is flagged: HighRisk, Fatigued, Distressed, ReasonableCause, Escalated, Emergency, or
    /// one that the specification does not list; or of these instead
    #[arg(long, value_name = "RESULT,…", value_delimiter = ',', num_args = 0..=1, hide_possible_values = true,
        value_parser = ResultWords)]
    flagged: Option<Vec<ResultWord>>,
}

impl OnlyFlaggedArg {
    /// Whether a result is wanted; all are without the option.
    pub fn wants(&self, status: Option<&str>) -> bool {
        match self.flagged.as_deref() {
            None => true,
            Some([]) => status.is_some_and(is_flagged),
            Some(named) => is_one_of(status, named),
        }
    }

    /// Whether the option is there.
    pub fn is_given(&self) -> bool {
        self.flagged.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(texts: &[&str]) -> Vec<ResultWord> {
        texts.iter().map(|text| ResultWord::parse(text).expect("a word")).collect()
    }

    #[test]
    fn any_word_is_taken_and_found_in_any_case() {
        let named = words(&["highrisk", "Critical"]);
        assert_eq!(named[0], ResultWord::One(TestStatus::HighRisk));
        for (status, found) in
            [(Some("HIGHRISK"), true), (Some("critical"), true), (Some("Completed"), false), (None, false)]
        {
            assert_eq!(is_one_of(status, &named), found, "{status:?}");
        }
        assert!(ResultWord::parse(" ").is_err());
    }

    #[test]
    fn an_everyday_word_names_the_results_that_it_means() {
        let [flagged, cleared] = [words(&["Unfit"]), words(&["fit"])];
        for (status, is_flagged, is_cleared) in [
            ("HighRisk", true, false),
            ("Critical", true, false),
            ("Completed", false, true),
            ("Fit", true, true),
            ("Started", false, false),
        ] {
            assert_eq!(is_one_of(Some(status), &flagged), is_flagged, "{status}");
            assert_eq!(is_one_of(Some(status), &cleared), is_cleared, "{status}");
        }
        assert!(!is_one_of(None, &flagged) && !is_one_of(None, &cleared));
        assert_eq!(flagged[0].word(), "Unfit");
    }

    #[test]
    fn help_names_the_results_that_count_as_flagged() {
        let of_counts = FlaggedArg::augment_args(Command::new("")).render_long_help().to_string();
        let of_people = OnlyFlaggedArg::augment_args(Command::new("")).render_long_help().to_string();
        let one_line = |help: String| help.split_whitespace().collect::<Vec<_>>().join(" ");
        let flagged = FLAGGED_WORDS.join(", ");
        assert!(one_line(of_counts).contains(&format!("[default: {flagged}, {UNLISTED}]")));
        assert!(one_line(of_people).contains(&format!("is flagged: {flagged}, or one that")));
    }

    #[test]
    fn unlisted_is_every_word_that_the_specification_does_not_list() {
        let named = words(&["unlisted"]);
        assert!(is_one_of(Some("Critical"), &named));
        assert!(!is_one_of(Some("highRisk"), &named) && !is_one_of(None, &named));
    }

    #[test]
    fn what_is_flagged_unless_it_is_said_holds_the_unknown() {
        let flagged = FlaggedArg::default();
        for (status, is) in [("Critical", true), ("emergency", true), ("Confirming", false), ("Completed", false)] {
            assert_eq!(flagged.has(Some(status)), is, "{status}");
            assert_eq!(OnlyFlaggedArg { flagged: Some(Vec::new()) }.wants(Some(status)), is, "{status}");
            assert!(OnlyFlaggedArg { flagged: None }.wants(Some(status)));
        }
        assert!(!flagged.has(None));
        assert_eq!(flagged.words().last(), Some(&"unlisted"));
    }

    #[test]
    fn a_slip_of_the_hand_is_refused_and_a_foreign_word_is_looked_for() {
        for (typed, meant) in [
            ("HighRiks", "HighRisk"),
            ("high_risk", "HighRisk"),
            ("Emergancy", "Emergency"),
            ("unlistd", "unlisted"),
            ("flaged", "flagged"),
            ("pending", "NotStarted"),
        ] {
            let hint = ResultWord::parse(typed).expect_err("a slip").hint.expect("a hint");
            assert!(hint.starts_with(&format!("did you mean {meant}? ")), "{typed}: {hint}");
        }
        for word in ["Critical", "Impaired", "Fair", "Suspended"] {
            assert_eq!(words(&[word]), [ResultWord::One(TestStatus::Unlisted(word.to_owned()))]);
        }
    }
}
