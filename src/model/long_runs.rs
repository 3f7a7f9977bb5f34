//! How long and from which seed tests of models and fuzzing run: a little in each build, and as much as is asked for by hand.

/// A number of the environment, such as `ASSESSCTL_MODEL_ROWS`; `None` where it is not set.
#[expect(clippy::disallowed_methods, reason = "no setting of the program: it chooses what a test runs")]
pub fn asked(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().expect("a number"))
}
