//! Files that are replaced as a whole: readers see the old one or the new one, and a failure leaves the old one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file being written beside the one that it will replace. Dropped without [`commit`](Self::commit) it is gone and
/// the previous file is as it was. New files are for their owner alone (0600), whatever the umask says.
#[derive(Debug)]
pub struct Replacement(Target);

#[derive(Debug)]
enum Target {
    Regular {
        temporary: NamedTempFile,
        path: PathBuf,
        folder: PathBuf,
    },
    /// A pipe or a device has no previous content to keep and cannot be renamed over: it is written straight.
    Straight(File),
}

impl Replacement {
    /// Starts a file that will stand at `path`, through symbolic links. Nothing at `path` changes yet, but a folder
    /// that is not there or not ours to write is found out now.
    pub fn begin(path: &Path) -> io::Result<Self> {
        if is_straight(path) {
            // Appending keeps what a shell's `>>` had; on pipes and terminals it makes no difference.
            return Ok(Self(Target::Straight(OpenOptions::new().append(true).open(path)?)));
        }
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        // tempfile creates it 0600.
        let temporary = tempfile::Builder::new().prefix(&prefix(&path)).rand_bytes(RANDOM).tempfile_in(&folder)?;
        // The lock tells `sweep` that somebody is at work; where there are no locks, nothing is swept either.
        let _ = temporary.as_file().try_lock();
        Ok(Self(Target::Regular { temporary, path, folder }))
    }

    /// Puts the file in its place and makes that durable: everything written, or an error and the previous file.
    pub fn commit(self) -> io::Result<()> {
        match self.0 {
            Target::Straight(mut file) => file.flush(),
            Target::Regular { mut temporary, path, folder } => {
                temporary.flush()?;
                temporary.as_file().sync_all()?;
                temporary.persist(path).map_err(|refused| refused.error)?;
                sync_folder(&folder)
            }
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Target::Regular { temporary, .. } => temporary.write(bytes),
            Target::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Target::Regular { temporary, .. } => temporary.flush(),
            Target::Straight(file) => file.flush(),
        }
    }
}

/// Removes what writers of this path left beside it when they were killed. Whoever still writes holds a lock on its
/// file. What can't be removed stays: it harms nobody.
pub fn sweep(path: &Path) {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let prefix = prefix(&path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let rest = name.to_str().and_then(|name| name.strip_prefix(&prefix));
        let is_left = rest.is_some_and(|rest| rest.len() == RANDOM && rest.bytes().all(|b| b.is_ascii_alphanumeric()));
        if is_left && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// What the names of files begin with that are being written for a path; short enough for any file system.
fn prefix(path: &Path) -> String {
    let name: String = path.file_name().unwrap_or_default().to_string_lossy().chars().take(40).collect();
    format!(".assessctl-{}-", safe_name(&name, "file"))
}

/// Random letters at the end of such a name.
const RANDOM: usize = 12;

/// Whether a path names something that is no regular file. Below `/dev` and `/proc` even a regular file is somebody's
/// open stream (`/dev/stdout` behind `> file`), which a rename would tear off.
pub fn is_straight(path: &Path) -> bool {
    let stream = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder)) && !path.starts_with("/dev/shm");
    let special = |kind: fs::FileType| !kind.is_file() && !kind.is_dir();
    stream || fs::metadata(path).is_ok_and(|meta| special(meta.file_type()))
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

/// A text as part of a file's name: letters, digits and `_ - .` as they are, what stands between them as one hyphen;
/// no path, nothing hidden, 60 characters at most. `fallback` where nothing is left.
pub fn safe_name(text: &str, fallback: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { ' ' };
    let plain: String = text.chars().map(plain).take(60).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name = words.join("-");
    match name.trim_matches(['-', '.']) {
        "" => fallback.to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        let mut file = Replacement::begin(path)?;
        file.write_all(text.as_bytes())?;
        file.commit()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_safe_name_leads_nowhere_else() {
        for (text, name) in [
            ("../../etc/passwd", "etc-passwd"),
            (".hidden", "hidden"),
            ("Früh / spät: 24 h", "Früh-spät-24-h"),
            ("a\u{0}b\u{202e}c\\d", "a-b-c-d"),
            (" .. ", "any"),
        ] {
            assert_eq!(safe_name(text, "any"), name, "{text:?}");
        }
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_stays_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        write(&path, "old").expect("written");
        write(&path, "new").expect("written");
        assert_eq!(fs::read_to_string(&path).expect("the file"), "new");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn without_a_commit_the_previous_file_stays_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("written");
        let mut file = Replacement::begin(&path).expect("begun");
        file.write_all(b"half").expect("written");
        drop(file);
        assert_eq!(fs::read_to_string(&path).expect("the file"), "old");
        assert_eq!(names(folder.path()), ["out.csv"]);
    }

    #[test]
    fn a_sweep_removes_what_the_dead_left_for_this_file_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.csv");
        let at_work = Replacement::begin(&path).expect("begun");
        let strangers = [".assessctl-out.csv-notes", ".assessctl-other.csv-abcdefghijkl", "out.csv"];
        for name in strangers.iter().chain(&[".assessctl-out.csv-abcdefghijkl"]) {
            fs::write(folder.path().join(name), "left").expect("written");
        }
        sweep(&path);
        let left = names(folder.path());
        assert_eq!(left.len(), strangers.len() + 1, "{left:?}");
        assert!(!left.contains(&".assessctl-out.csv-abcdefghijkl".to_owned()), "{left:?}");
        at_work.commit().expect("whoever is at work is not disturbed");
    }

    #[test]
    fn a_folder_that_is_not_there_and_a_folder_as_target_are_refused_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Replacement::begin(&folder.path().join("no/out.csv")).is_err());
        assert!(Replacement::begin(folder.path()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_for_its_owner_alone_and_a_link_stays_a_link() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (path, link) = (folder.path().join("out.csv"), folder.path().join("link.csv"));
        fs::write(&path, "old").expect("written");
        symlink(&path, &link).expect("a link");
        write(&link, "new").expect("written");
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("the file"), "new");
        assert_eq!(fs::metadata(&path).expect("the file").permissions().mode() & 0o777, 0o600);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_an_error_and_no_file() {
        assert!(write(Path::new("/dev/full"), "x").is_err());
        assert!(write(Path::new("/dev/null"), "x").is_ok());
    }
}
