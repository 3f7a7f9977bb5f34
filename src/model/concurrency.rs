//! The user's limits on speed: requests under way at a time, and requests a second.

use std::fmt;
use std::str::FromStr;

/// Most requests at a time that a user may ask for (our rule: more was never faster).
pub const CONCURRENCY_MAX: u32 = 64;
/// Most requests at a time that we try by ourselves.
pub const AUTO_MAX: u32 = 32;

/// `--concurrency`: requests under way at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Concurrency {
    /// As many as the service takes, from 2 up to 32.
    #[default]
    Auto,
    /// So many at most, 1 to 64; fewer while the service refuses.
    AtMost(u32),
}

impl Concurrency {
    /// A number that a user gave; the reason where it is none.
    pub fn at_most(number: i64) -> Result<Self, String> {
        let within = u32::try_from(number).ok().filter(|number| (1..=CONCURRENCY_MAX).contains(number));
        within.map(Self::AtMost).ok_or_else(|| format!("is neither auto nor a number from 1 to {CONCURRENCY_MAX}"))
    }

    /// Most requests that are ever under way at once.
    pub fn most(self) -> u32 {
        match self {
            Self::Auto => AUTO_MAX,
            Self::AtMost(number) => number,
        }
    }
}

impl FromStr for Concurrency {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        // What is no whole number is outside the range too.
        Self::at_most(text.parse().unwrap_or(-1))
    }
}

impl fmt::Display for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::AtMost(number) => number.fmt(f),
        }
    }
}

/// `--max-rate`: requests a second, at most; from 0.001 to 1,000 (our limits).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct MaxRate(f64);

// Equality is total: a rate is never NaN.
impl Eq for MaxRate {}

impl MaxRate {
    /// A number that a user gave; the reason where it cannot be a rate.
    pub fn new(number: f64) -> Result<Self, String> {
        let within = (0.001..=1000.0).contains(&number);
        if within { Ok(Self(number)) } else { Err("is not a number from 0.001 to 1000".to_owned()) }
    }

    /// Requests a second.
    pub fn per_second(self) -> f64 {
        self.0
    }
}

impl FromStr for MaxRate {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::new(text.parse().unwrap_or(f64::NAN))
    }
}

impl fmt::Display for MaxRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrency_is_auto_or_a_number_within_limits() {
        assert_eq!("AUTO".parse(), Ok(Concurrency::Auto));
        assert_eq!("64".parse(), Ok(Concurrency::AtMost(64)));
        for bad in ["", "0", "65", "-1", "many", "4.5"] {
            assert!(bad.parse::<Concurrency>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_rate_may_be_a_fraction_and_is_above_nothing() {
        assert_eq!("0.5".parse::<MaxRate>().map(MaxRate::per_second), Ok(0.5));
        for bad in ["", "0", "1e-320", "-1", "NaN", "inf", "1001", "fast"] {
            assert!(bad.parse::<MaxRate>().is_err(), "{bad}");
        }
    }
}
