//! The secret of the keyed hashes, in a file of its own: with the database alone no guess can be tried.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom as _, SystemRandom};

use super::keyed_hash::{Hash, KeyHasher};
use crate::files::{Replacement, read_secret};
use crate::model::exit_ranks::Verdict;
use crate::model::failure::Failure;

/// The ending of its name, beside the database.
const ENDING: &str = "secret";
/// The secret of a folder.
pub(super) type HashSecret = [u8; 32];

fn path(database: &Path) -> PathBuf {
    database.with_extension(ENDING)
}

/// The secret beside the database; `None` where there is none.
pub(super) fn read(database: &Path) -> Result<Option<HashSecret>, Failure> {
    let path = path(database);
    let bytes = read_secret(&path, size_of::<HashSecret>() as u64 + 1).map_err(|error| {
        let cause = format!("cannot read the secret of the journal {}: {error}", path.display());
        Failure::new(Verdict::Unforeseen, cause).hint(format!("it has to be yours alone: look at {}", path.display()))
    })?;
    match bytes.map(HashSecret::try_from) {
        None => Ok(None),
        Some(Ok(secret)) => Ok(Some(secret)),
        Some(Err(_)) => Err(lost(database, true)),
    }
}

/// Writes the secret, durably and for its owner alone.
pub(super) fn write(database: &Path, secret: &HashSecret) -> Result<(), Failure> {
    let path = path(database);
    let written = Replacement::begin(&path).and_then(|mut file| {
        file.write_all(secret)?;
        file.commit()
    });
    written.map_err(|error| {
        let cause = format!("cannot write the secret of the journal {}: {error}", path.display());
        Failure::new(Verdict::Unforeseen, cause).hint("set ASSESSCTL_STATE_DIR to a folder that you can write to")
    })
}

/// Makes a new one.
pub(super) fn make(database: &Path) -> Result<HashSecret, Failure> {
    let mut secret = HashSecret::default();
    SystemRandom::new()
        .fill(&mut secret)
        .map_err(|_| Failure::new(Verdict::Unforeseen, "the system gives no random bytes"))?;
    write(database, &secret).map(|()| secret)
}

/// By which the database knows its secret.
pub(super) fn hash(secret: &HashSecret) -> Hash {
    hash_with(&KeyHasher::new(secret))
}

/// The same, of what was keyed with it.
pub(super) fn hash_with(keyed: &KeyHasher) -> Hash {
    keyed.hash("secret", &[])
}

/// Why nothing is sent without the right secret: the people that this machine enrolled could not be told from others.
pub(super) fn lost(database: &Path, is_there: bool) -> Failure {
    let (path, what) = (path(database), if is_there { "is another journal's" } else { "is missing" });
    let cause = format!("the secret of the journal, {}, {what}: nothing was sent", path.display());
    Failure::new(Verdict::Unforeseen, cause)
        .hint(format!("restore it from the backup that {} is from", database.display()))
}
