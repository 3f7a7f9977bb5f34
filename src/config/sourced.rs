//! Values with their origin, and the rules of values that flag, environment and profile share.

use std::fmt;
use std::time::Duration;

use clap::ValueEnum;

use crate::model::time::parse_duration;

/// Where a value came from, the strongest first: flag > environment > profile > default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The option of this name.
    Flag(&'static str),
    /// The variable of this name.
    Environment(&'static str),
    /// The profile in the configuration file.
    Profile,
    /// The configuration file, outside its profiles.
    File,
    /// The built-in profile `sandbox`.
    Sandbox,
    /// What holds where nothing is set.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag(name) | Self::Environment(name) => name,
            Self::Profile => "profile",
            Self::File => "config file",
            Self::Sandbox => "sandbox",
            Self::Default => "default",
        })
    }
}

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sourced<T> {
    pub value: T,
    /// Where it came from.
    pub origin: Origin,
}

impl<T> Sourced<T> {
    pub fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

/// The first value that is given; candidates stand in the order of precedence.
pub(super) fn first<T, const N: usize>(candidates: [(Option<T>, Origin); N]) -> Option<Sourced<T>> {
    candidates.into_iter().find_map(|(value, origin)| value.map(|value| Sourced::new(value, origin)))
}

/// Reads a length of time that is not zero.
pub fn positive(text: &str) -> Result<Duration, String> {
    match parse_duration(text) {
        Ok(time) if !time.is_zero() => Ok(time),
        Ok(_) => Err("is not longer than zero".to_owned()),
        Err(_) => Err("is not a length of time such as 500ms, 30s, 5m or 24h".to_owned()),
    }
}

/// Reads one of a few words, in any case; the reason lists them.
pub(super) fn parse_word<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, true).map_err(|_| {
        let words = T::value_variants().iter().filter_map(T::to_possible_value);
        let words: Vec<String> = words.map(|word| word.get_name().to_owned()).collect();
        format!("is not one of {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_any_case_and_listed_when_unknown() {
        use crate::model::output_format::Format;
        assert_eq!(parse_word::<Format>("CSV"), Ok(Format::Csv));
        assert_eq!(parse_word::<Format>("xml"), Err("is not one of table, csv, json, ndjson, xlsx".to_owned()));
    }

    #[test]
    fn precedence_is_the_order_of_the_candidates() {
        let flag = Origin::Flag("--project");
        let value = first([(None, flag), (Some(1), Origin::Profile), (Some(2), Origin::Default)]);
        assert_eq!(value, Some(Sourced::new(1, Origin::Profile)));
        assert_eq!(first::<u8, 1>([(None, flag)]), None);
    }
}
