//! The codes that colour a terminal.

/// What an error begins with, and a value that must catch the eye.
pub const BOLD_RED: &str = "\x1b[1;31m";
pub const BOLD_YELLOW: &str = "\x1b[1;33m";
pub const BOLD_CYAN: &str = "\x1b[1;36m";
pub const BOLD: &str = "\x1b[1m";
pub const DIM: &str = "\x1b[2m";
pub const RED: &str = "\x1b[31m";
pub const GREEN: &str = "\x1b[32m";
/// White blocks on black, as a QR code is drawn on any terminal.
pub const WHITE_ON_BLACK: &str = "\x1b[97;40m";
/// Ends any of them.
pub const PLAIN: &str = "\x1b[0m";
