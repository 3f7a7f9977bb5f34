//! What a user can ask for: one file per noun.

#[cfg(feature = "sandbox")]
pub mod sandbox;
