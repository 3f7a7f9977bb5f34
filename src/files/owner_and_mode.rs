//! Which account owns a file, and which may use one that we make: its owner alone (0600), and the group that the file
//! before it was given to.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Gid, Mode, Stat};

/// The permissions of every new file.
pub(super) const OWNER_ALONE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Ours or root's.
pub(super) fn is_ours(found: &Stat) -> bool {
    found.st_uid == 0 || found.st_uid == rustix::process::geteuid().as_raw()
}

/// What others may do, of a file's permissions.
pub(super) const OTHERS_WRITE: u32 = 0o022;

/// Whether other accounts may give names in a folder. Root's group shares what root gave it: that is the machine's
/// administration.
pub(super) fn can_others_write_in(folder: &Stat) -> bool {
    let bits = if folder.st_uid == 0 { 0o002 } else { OTHERS_WRITE };
    !is_ours(folder) || folder.st_mode & bits != 0
}

/// The group of a file, and what it may do with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    id: Gid,
    bits: Mode,
}

impl Group {
    pub(super) fn of(found: &Stat) -> Self {
        let bits = Mode::from_raw_mode(found.st_mode) & (Mode::RGRP | Mode::WGRP);
        Self { id: Gid::from_raw(found.st_gid), bits }
    }

    /// This group, where the file in `folder` was given to it on purpose: by a folder that belongs to the group (setgid),
    /// whichever account wrote it; or by us, where it is not the group that all our files have. `may_be_anothers`: another
    /// account wrote the file, or gave it a second name.
    pub(super) fn given_on_purpose(self, folder: &OwnedFd, may_be_anothers: bool) -> io::Result<Option<Self>> {
        let folder = rustix::fs::fstat(folder)?;
        let is_of_folder = is_ours(&folder)
            && Mode::from_raw_mode(folder.st_mode).contains(Mode::SGID)
            && folder.st_gid == self.id.as_raw();
        let is_given = !may_be_anothers && self.id != rustix::process::getegid();
        Ok(Some(self).filter(|group| (is_of_folder || is_given) && !group.bits.is_empty()))
    }

    /// Gives a file to the group that shares it. Where we are not in that group it stays ours alone.
    pub(super) fn share(self, file: &File) -> io::Result<()> {
        let is_given = rustix::fs::fstat(file)?.st_gid == self.id.as_raw()
            || rustix::fs::fchown(file, None, Some(self.id)).is_ok();
        if is_given {
            rustix::fs::fchmod(file, OWNER_ALONE | self.bits)?;
        }
        Ok(())
    }
}
