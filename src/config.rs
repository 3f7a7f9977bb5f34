//! Profiles (TOML), precedence, and where each value came from.
