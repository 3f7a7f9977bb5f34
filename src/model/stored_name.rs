//! The name of a memory: of an HR source (`--source`) and of a consumer of changes (`--as`). It stands in messages and file
//! names: short, and without anything that needs quoting.

/// Longest name, in characters.
const NAME_MAX: usize = 64;

/// Reads a name: letters, digits, `_`, `-` and `.`, 64 characters at most.
pub fn stored_name(text: &str) -> Result<String, String> {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if text.is_empty() || text.len() > NAME_MAX || !is_plain {
        return Err(format!("needs 1 to {NAME_MAX} letters, digits, _ - or ."));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_a_file_can_have() {
        for good in ["default", "cron-2", "A.b_c"] {
            assert!(stored_name(good).is_ok(), "{good}");
        }
        for bad in ["", "a b", "a/b", "ü", &"x".repeat(65)] {
            assert!(stored_name(bad).is_err(), "{bad}");
        }
    }
}
