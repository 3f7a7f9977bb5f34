//! The root command: option groups and subcommands.
