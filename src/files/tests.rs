//! Files that are written by name: whole or not at all, and never what another account put there.

use std::fs;
use std::path::Path;

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
fn what_the_dead_left_is_removed_by_the_next_writer_whatever_it_was_for_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    let at_work = Replacement::begin(&path).expect("begun");
    let strangers = [".assessctl-out.csv-notes", ".other-out.csv-abcdefghijkl", "out.csv"];
    for name in strangers.iter().chain(&[".assessctl-out.csv-abcdefghijkl", ".assessctl-other-1.csv-abcdefghijkl"]) {
        fs::write(folder.path().join(name), "left").expect("written");
    }
    let second = Replacement::begin(&path).expect("begun");
    let left = names(folder.path());
    assert_eq!(left.len(), strangers.len() + 2, "{left:?}");
    assert!(!left.iter().any(|name| name.starts_with(".assessctl-") && name.ends_with("-abcdefghijkl")), "{left:?}");
    drop(second);
    at_work.commit().expect("whoever is at work is not disturbed");
    assert_eq!(names(folder.path()).len(), strangers.len());
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

#[cfg(unix)]
mod of_another_account {
    use std::io::Read as _;
    use std::os::unix::fs::{MetadataExt as _, chown, symlink};

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    const STRANGER: Option<u32> = Some(4002);

    /// A folder, where this account may give files away; says that the test is left out otherwise.
    fn shared_folder(test: &str) -> Option<tempfile::TempDir> {
        let folder = tempfile::tempdir().expect("a folder");
        let probe = folder.path().join("probe");
        fs::write(&probe, "").expect("written");
        let given = chown(&probe, STRANGER, STRANGER);
        fs::remove_file(&probe).expect("removed");
        if given.is_err() {
            println!("{test} is left out: it needs root, to act as two accounts");
        }
        given.is_ok().then_some(folder)
    }

    fn fifo(path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o666), 0).expect("a pipe");
    }

    #[test]
    fn a_pipe_is_refused_and_an_own_one_is_written() {
        let Some(folder) = shared_folder("a pipe of another account") else { return };
        let (theirs, own) = (folder.path().join("theirs"), folder.path().join("own"));
        fifo(&theirs);
        chown(&theirs, STRANGER, STRANGER).expect("given away");
        for refused in [Replacement::begin(&theirs).map(drop), open_to_continue(&theirs).map(drop)] {
            let refused = refused.expect_err("not ours");
            assert_eq!(refused.to_string(), "it is a pipe or device of another account");
        }
        fifo(&own);
        let reader = std::thread::spawn({
            let own = own.clone();
            move || fs::read_to_string(own).expect("text")
        });
        write(&own, "whole").expect("written");
        assert_eq!(reader.join().expect("read"), "whole");
    }

    /// Writes over a file of this account, group and mode in a folder of this mode, whose group is the stranger's, and says
    /// what the new one has.
    fn replaced(owner: u32, group: Option<u32>, mode: u32, folder_mode: u32) -> Option<(u32, u32)> {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = shared_folder("a group's folder")?;
        chown(folder.path(), None, STRANGER).expect("given");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(folder_mode)).expect("permissions");
        let path = folder.path().join("out.csv");
        fs::write(&path, "old").expect("written");
        chown(&path, Some(owner), group).expect("given");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
        let mut file = Replacement::begin_shared(&path, None).expect("begun");
        file.write_all(b"new").expect("written");
        file.commit().expect("committed");
        let found = fs::metadata(&path).expect("the file");
        assert_eq!((fs::read_to_string(&path).expect("text").as_str(), found.uid()), ("new", 0));
        Some((found.mode() & 0o7777, found.gid()))
    }

    #[test]
    fn a_file_stays_with_the_group_that_it_was_given_to_and_with_nobody_else() {
        let (own_group, theirs) = (rustix::process::getegid().as_raw(), 4002);
        let cases = [
            // In a group's folder, whichever account wrote the file; others than the group are never let in.
            ((0, STRANGER, 0o664, 0o2770), (0o660, theirs)),
            ((theirs, STRANGER, 0o644, 0o2770), (0o640, theirs)),
            ((0, STRANGER, 0o600, 0o2770), (0o600, theirs)),
            // A group that all our files have was not chosen, and a file of another account chooses nothing.
            ((0, Some(own_group), 0o664, 0o770), (0o600, own_group)),
            ((theirs, STRANGER, 0o664, 0o770), (0o600, own_group)),
            ((0, STRANGER, 0o640, 0o755), (0o640, theirs)),
        ];
        for ((owner, group, mode, folder), expected) in cases {
            let Some(found) = replaced(owner, group, mode, folder) else { return };
            assert_eq!(found, expected, "{owner} {group:?} {mode:o} {folder:o}");
        }
    }

    #[test]
    fn a_second_name_that_another_account_may_have_given_an_own_file_chooses_no_group() {
        use std::os::unix::fs::PermissionsExt as _;
        let Some(folder) = shared_folder("a second name") else { return };
        let (own, path) = (folder.path().join("own.csv"), folder.path().join("out.csv"));
        fs::write(&own, "old").expect("written");
        chown(&own, None, STRANGER).expect("given");
        fs::set_permissions(&own, fs::Permissions::from_mode(0o660)).expect("permissions");
        fs::hard_link(&own, &path).expect("a second name");
        let mut file = Replacement::begin_shared(&path, None).expect("begun");
        file.write_all(b"new").expect("written");
        file.commit().expect("committed");
        assert_eq!(fs::metadata(&path).expect("the file").mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&own).expect("the file"), "old");
    }

    #[test]
    fn a_link_is_refused_wherever_it_stands_and_an_own_one_is_followed() {
        let Some(folder) = shared_folder("a link of another account") else { return };
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("private")).expect("a folder");
        fs::write(at("private/precious"), "old").expect("written");
        symlink(at("private/precious"), at("file-link")).expect("a link");
        symlink(at("private"), at("folder-link")).expect("a link");
        write(&at("folder-link/precious"), "new").expect("an own link");
        write(&at("file-link"), "newer").expect("an own link");
        assert_eq!(fs::read_to_string(at("private/precious")).expect("text"), "newer");
        for link in ["file-link", "folder-link"] {
            std::os::unix::fs::lchown(at(link), STRANGER, STRANGER).expect("given away");
        }
        for path in ["file-link", "folder-link/precious", "folder-link/other"] {
            for refused in [write(&at(path), "stolen"), open_to_continue(&at(path)).map(drop)] {
                let refused = refused.expect_err("not ours").to_string();
                assert_eq!(refused, "a link on the way belongs to another account", "{path}");
            }
        }
        assert_eq!(names(&at("private")), ["precious"]);
        assert_eq!(fs::read_to_string(at("private/precious")).expect("text"), "newer");
    }

    /// A folder of ours in a folder that is shared, and a link to it that the other account made.
    fn foreign_folder_link(test: &str) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
        let folder = shared_folder(test)?;
        let link = folder.path().join("link");
        fs::create_dir(folder.path().join("private")).expect("a folder");
        symlink(folder.path().join("private"), &link).expect("a link");
        std::os::unix::fs::lchown(&link, STRANGER, STRANGER).expect("given away");
        Some((folder, link))
    }

    #[test]
    fn no_folder_and_no_lock_is_made_through_the_link_of_another_account() {
        let Some((folder, link)) = foreign_folder_link("a folder behind a link") else { return };
        for path in [link.clone(), link.join("new"), link.join("new/deeper")] {
            let refused = create_folder(&path).expect_err("not ours").to_string();
            assert_eq!(refused, "a link on the way belongs to another account", "{}", path.display());
            assert!(prepare_database(&path.join("journal.db")).is_err());
            assert!(matches!(open_lock(&path.join("x.lock")), Err(Distrust::Io(_))), "{}", path.display());
        }
        assert_eq!(names(&folder.path().join("private")), [""; 0]);
        symlink("private", folder.path().join("own")).expect("a link");
        create_folder(&folder.path().join("own/new/deeper")).expect("behind a link of ours");
        assert!(open_lock(&folder.path().join("own/locks/x.lock")).is_ok());
        assert_eq!(names(&folder.path().join("private")), ["locks", "new"]);
    }

    #[test]
    fn whatever_another_account_put_in_a_locks_place_is_told_as_that_accounts() {
        let Some(folder) = shared_folder("a lock of another account") else { return };
        let lock = folder.path().join("x.lock");
        let put: [fn(&Path); 5] = [
            |at| fs::write(at, "").expect("written"),
            |at| fs::create_dir(at).expect("a folder"),
            |at| symlink("not-there", at).expect("a link"),
            |at| symlink(at.with_file_name("precious"), at).expect("a link"),
            fifo,
        ];
        fs::write(folder.path().join("precious"), "mine").expect("written");
        for (kind, put) in put.iter().enumerate() {
            put(&lock);
            std::os::unix::fs::lchown(&lock, STRANGER, STRANGER).expect("given away");
            assert!(matches!(open_lock(&lock), Err(Distrust::Foreign)), "{kind}");
            assert!(fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock)).is_ok());
        }
        assert_eq!(names(folder.path()), ["precious"]);
    }

    #[test]
    fn a_second_name_in_a_folder_where_others_write_is_not_trusted() {
        use std::os::unix::fs::PermissionsExt as _;
        let Some(folder) = shared_folder("second names") else { return };
        let at = |name: &str| folder.path().join(name);
        for name in ["own", "open"] {
            fs::create_dir(at(name)).expect("a folder");
        }
        fs::set_permissions(at("open"), fs::Permissions::from_mode(0o1777)).expect("permissions");
        fs::write(at("own/file"), "ours").expect("written");
        fs::set_permissions(at("own/file"), fs::Permissions::from_mode(0o700)).expect("permissions");
        assert!(Trusted::open(&at("own/file")).is_ok() && check_program(&at("own/file")).is_ok());
        for folder in ["own", "open"] {
            fs::hard_link(at("own/file"), at(folder).join("second")).expect("a second name");
        }
        assert!(Trusted::open(&at("own/second")).is_ok() && check_program(&at("own/second")).is_ok());
        assert!(matches!(Trusted::open(&at("open/second")), Err(Distrust::Linked)));
        assert!(matches!(check_program(&at("open/second")), Err(Distrust::Linked)));
        // The same of a link: of ours, but another account has put it there.
        symlink(at("own/file"), at("own/link")).expect("a link");
        fs::hard_link(at("own/link"), at("open/link")).expect("a second name");
        let refused = write(&at("open/link"), "astray").expect_err("put there").to_string();
        assert_eq!(refused, "a link on the way has a second name, which another account may have given it");
        write(&at("own/link"), "new").expect("ours");
        assert_eq!(fs::read_to_string(at("own/file")).expect("text"), "new");
    }

    #[test]
    fn what_stands_in_a_folder_called_fd_below_proc_is_judged_as_anywhere_else() {
        let Some(folder) = shared_folder("a folder called fd") else { return };
        let fd = folder.path().canonicalize().expect("a path").join("fd");
        fs::create_dir(&fd).expect("a folder");
        fifo(&fd.join("1"));
        chown(fd.join("1"), STRANGER, STRANGER).expect("given away");
        fs::write(fd.join("precious"), "mine").expect("written");
        symlink(fd.join("precious"), fd.join("2")).expect("a link");
        std::os::unix::fs::lchown(fd.join("2"), STRANGER, STRANGER).expect("given away");
        let pid = std::process::id();
        for begin in ["/proc/self/root".to_owned(), format!("/proc/{pid}/root"), format!("/proc/self/task/{pid}/root")]
        {
            for name in ["1", "2"] {
                let path = std::path::PathBuf::from(format!("{begin}{}/{name}", fd.display()));
                for refused in [Replacement::begin(&path).map(drop), open_to_continue(&path).map(drop)] {
                    let refused = refused.expect_err("not ours").to_string();
                    assert!(
                        refused.contains("of another account") || refused.contains("to another account"),
                        "{refused}"
                    );
                }
                assert!(open_to_read(&path).is_err(), "{}", path.display());
            }
        }
        assert_eq!(fs::read_to_string(fd.join("precious")).expect("text"), "mine");
    }

    #[test]
    fn a_regular_file_is_replaced_and_never_written_into() {
        let Some(folder) = shared_folder("a file of another account") else { return };
        let path = folder.path().join("results.csv");
        fs::write(&path, "theirs").expect("written");
        let mut held = File::open(&path).expect("held open by the other account");
        chown(&path, STRANGER, STRANGER).expect("given away");
        assert_eq!(open_to_continue(&path).expect_err("not ours").to_string(), "it belongs to another account");
        write(&path, "ours").expect("replaced");
        let mut text = String::new();
        held.read_to_string(&mut text).expect("text");
        assert_eq!(text, "theirs");
        assert_ne!(fs::metadata(&path).expect("the file").uid(), 4002);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_to_nothing_or_in_a_circle_is_refused_and_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("not/there", at("dangling")).expect("a link");
    std::os::unix::fs::symlink("gone", at("beside")).expect("a link");
    std::os::unix::fs::symlink("circle", at("circle")).expect("a link");
    for link in ["dangling", "beside", "circle"] {
        let refused = write(&at(link), "x").expect_err("a link that leads nowhere");
        assert!(link == "circle" || refused.to_string() == "the link leads to nothing", "{link}: {refused}");
        assert!(fs::symlink_metadata(at(link)).expect("the link").is_symlink(), "{link}");
    }
    assert_eq!(names(folder.path()).len(), 3);
}

#[cfg(unix)]
#[test]
fn a_new_file_may_stand_behind_an_own_link_to_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).expect("a folder");
    std::os::unix::fs::symlink("real", at("link")).expect("a link");
    write(&at("link/new.csv"), "x").expect("written");
    drop(open_to_continue(&at("link/newer.csv")).expect("made"));
    assert_eq!(names(&at("real")), ["new.csv", "newer.csv"]);
    assert!(write(&at("link/none/new.csv"), "x").is_err());
}

#[cfg(unix)]
#[test]
fn what_a_process_has_open_is_named_as_the_system_names_it_and_not_by_what_leads_on_from_there() {
    for stream in ["/dev/stdout", "/dev/null", "/dev/fd/3", "/dev/pts/0", "/proc/self/fd/1", "/proc/17/task/18/fd/1"] {
        assert!(names_open_stream(Path::new(stream)), "{stream}");
    }
    for other in [
        "/dev/shm/out.csv",
        "/dev/fd/3/out.csv",
        "/dev/fd/x",
        "/dev/../var/x",
        "/proc/self/root/var/fd/1",
        "/proc/self/cwd/fd/1",
        "/proc/self/fd/../fd/1",
        "/proc/self/fd/3/fd/1",
        "/proc/x/fd/1",
        "proc/self/fd/1",
        "/dev",
    ] {
        assert!(!names_open_stream(Path::new(other)), "{other}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_own_link_to_a_stream_leads_to_the_stream() {
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("/dev/null", folder.path().join("out.csv")).expect("a link");
    write(&folder.path().join("out.csv"), "x").expect("written");
    assert!(fs::symlink_metadata(folder.path().join("out.csv")).expect("the link").is_symlink());
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_leads_out_of_devices_and_processes_again_is_like_any_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a path").join("out.csv");
    let second = folder.path().join("second");
    for begin in ["/dev/..", "/proc/self/root", "/proc/self/fd/../root"] {
        fs::write(&path, "old").expect("written");
        fs::hard_link(&path, &second).expect("a second name");
        write(Path::new(&format!("{begin}{}", path.display())), "new").expect("written");
        let texts = [&path, &second].map(|path| fs::read_to_string(path).expect("a file"));
        assert_eq!(texts, ["new", "old"], "{begin}: replaced, and not written into");
        fs::remove_file(&second).expect("removed");
    }
}
