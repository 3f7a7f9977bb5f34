//! Which account of this machine writes.

/// The name of the account that runs this process, or its number where the machine's list has no name for it; empty
/// where the platform has neither.
#[cfg(unix)]
pub(super) fn account() -> String {
    let number = rustix::process::geteuid().as_raw();
    let list = crate::files::read_text("/etc/passwd".as_ref(), LONGEST_LIST).unwrap_or_default();
    let name = list.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(number)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("uid {number}"))
}

/// More than this is read of no list of accounts.
#[cfg(unix)]
const LONGEST_LIST: u64 = 1 << 20;

#[cfg(not(unix))]
pub(super) fn account() -> String {
    String::new()
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn an_account_has_a_name_or_a_number() {
        let account = super::account();
        assert!(!account.is_empty() && !account.contains(':'), "{account}");
    }

    #[test]
    fn the_account_is_the_one_that_the_machine_lists_by_our_number() {
        let number = rustix::process::geteuid().as_raw().to_string();
        let list = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let ours = list.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let ours = ours.filter(|fields| fields.get(2) == Some(&number.as_str()));
        let first = ours.map(|fields| fields[0].to_owned()).next();
        assert_eq!(super::account(), first.unwrap_or(format!("uid {number}")));
    }
}
