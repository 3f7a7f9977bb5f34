//! What a user can ask for: one file per noun.
