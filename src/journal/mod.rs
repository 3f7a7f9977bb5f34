//! What this machine remembers between runs: people it enrolled, rosters it followed, results it reported.

pub mod database;
pub mod forget;
pub mod lock;
pub mod news;
pub mod people;
pub mod rosters;
pub mod told;

pub use database::Journal;

/// A folder that only we can open, for a test.
#[cfg(test)]
pub fn scratch() -> tempfile::TempDir {
    let mut folder = tempfile::Builder::new();
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.tempdir().expect("a folder")
}
