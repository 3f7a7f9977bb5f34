//! An error or a verdict becomes a message, a hint and an exit code.
