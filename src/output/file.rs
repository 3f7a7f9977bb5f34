//! What is asked of a target by its name: whether it is a stream, and how a text in it begins.

use std::fs;
use std::io::{self, BufRead as _};
use std::path::Path;

/// Whether a path names something that is no regular file. Below `/dev` and `/proc` even a regular file is an
/// open stream (`/dev/stdout` behind `> file`), which a rename would tear off.
pub fn is_straight(path: &Path) -> bool {
    let stream = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder)) && !path.starts_with("/dev/shm");
    stream || fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

/// The first `count` lines of a text, whatever their encoding and however long they are.
pub fn first_lines(text: impl io::Read, count: usize) -> io::Result<Vec<String>> {
    let mut text = io::BufReader::new(text.take(FIRST_LINES));
    let mut lines = Vec::new();
    let mut line = Vec::new();
    while lines.len() < count && text.read_until(b'\n', &mut line)? > 0 {
        lines.push(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
    Ok(lines)
}

/// As much of a file as its first lines are looked for in.
const FIRST_LINES: u64 = 1 << 20;
