//! A login where none is needed: the sandbox has no account.

use std::ffi::OsString;

/// Words that make a profile, or ask for its key.
const LOGINS: [&str; 6] = ["auth", "login", "setup", "configure", "init", "signin"];

/// What is said of such a word in a line that names the profile which is built in.
pub fn no_login(words: &[OsString], word: &str) -> Option<&'static str> {
    let is_named = words.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == "sandbox");
    let is_sandbox = is_named || words.iter().any(|word| word == "--profile=sandbox");
    (is_sandbox && LOGINS.contains(&word))
        .then_some("the sandbox needs no login: `assessctl projects list --profile sandbox` works as it is")
}
