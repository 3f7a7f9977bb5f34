//! Numbers in sentences, and numbers that are typed.

use std::fmt::Display;

/// A number of things, in words that agree with it: `1 row is`, `2 rows are`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let words = if count == N::from(1) { one } else { many };
    format!("{count} {words}")
}

/// Reads a whole number from `least` to `most`; the message says which.
pub fn whole_number<N: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<N, String> {
    let number: u64 = text.parse().map_err(|_| "is no whole number".to_owned())?;
    let range = || if most == u64::MAX { format!("from {least} on") } else { format!("from {least} to {most}") };
    let fits =
        Some(number).filter(|number| (least..=most).contains(number)).and_then(|number| N::try_from(number).ok());
    fits.ok_or_else(|| format!("is {number}, and may be {}", range()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_range_is_told_its_range() {
        assert_eq!(whole_number::<u32>("7", 1, 100), Ok(7));
        assert_eq!(whole_number::<u32>("0", 1, 100), Err("is 0, and may be from 1 to 100".to_owned()));
        assert_eq!(whole_number::<u64>("0", 1, u64::MAX), Err("is 0, and may be from 1 on".to_owned()));
        assert_eq!(whole_number::<u8>("300", 0, 1000), Err("is 300, and may be from 0 to 1000".to_owned()));
        assert_eq!(whole_number::<u32>("-1", 1, 100), Err("is no whole number".to_owned()));
    }
}
