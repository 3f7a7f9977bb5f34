//! Numbers in sentences, and numbers that are typed.

use std::fmt::Display;

/// A number of things, in words that agree with it: `1 row is`, `2,000 rows are`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let words = if count == N::from(1) { one } else { many };
    format!("{} {words}", grouped(&count.to_string()))
}

/// A number with a comma between groups of three digits.
pub fn thousands(number: u64) -> String {
    grouped(&number.to_string())
}

fn grouped(digits: &str) -> String {
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

/// Reads a whole number from `least` to `most`; the message says which.
pub fn whole_number<N: TryFrom<u64>>(text: &str, least: u64, most: u64) -> Result<N, String> {
    let number: u64 = text.parse().map_err(|_| "not a whole number".to_owned())?;
    let fits = if (least..=most).contains(&number) { N::try_from(number).ok() } else { None };
    fits.ok_or_else(|| match most {
        u64::MAX => format!("{number} is not {least} or more"),
        _ => format!("{number} is not between {least} and {most}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_range_is_told_its_range() {
        assert_eq!(whole_number::<u32>("7", 1, 100), Ok(7));
        assert_eq!(whole_number::<u32>("0", 1, 100), Err("0 is not between 1 and 100".to_owned()));
        assert_eq!(whole_number::<u64>("0", 1, u64::MAX), Err("0 is not 1 or more".to_owned()));
        assert_eq!(whole_number::<u8>("300", 0, 1000), Err("300 is not between 0 and 1000".to_owned()));
        assert_eq!(whole_number::<u32>("-1", 1, 100), Err("not a whole number".to_owned()));
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(["1 row", "2,000 rows"], [1_u32, 2000].map(|count| counted(count, "row", "rows")));
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
