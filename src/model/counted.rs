//! Numbers in sentences.

use std::fmt::Display;

/// A number of things, in words that agree with it: `1 row is`, `2 rows are`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let words = if count == N::from(1) { one } else { many };
    format!("{count} {words}")
}
