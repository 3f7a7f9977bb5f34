//! A part of a list, as other programs ask for it: so many records from an offset on.

use std::ffi::OsString;

use clap::Command;

use crate::commands::shell::argv::{at, knows, path};
use crate::commands::shell::unknown_options::has_format;
use crate::model::list_query::PAGE_SIZE_MAX;

const OFFSETS: [&str; 2] = ["--offset", "--skip"];
const SIZES: [&str; 6] = ["--page-size", "--per-page", "-n", "-L", "--limit", "--max-results"];

/// The line with the page of a list that an offset and a size mean, or else with the expression that takes these records.
pub fn with_page(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let here = at(root, &path(root, words));
    let can_jq = knows(root, here, "--jq") && !has_format(words);
    let (offset, size) = (number(words, &OFFSETS), number(words, &SIZES));
    // A limit beside a page is the size of the page, where that has no size of its own.
    let is_size = number(words, &["--page"]).is_some() && number(words, &SIZES[..2]).is_none();
    if !knows(root, here, "--page") {
        return words.to_vec();
    }
    let ours = match (offset, size) {
        (Some(from), Some(size)) if size > 0 && size <= u64::from(PAGE_SIZE_MAX) && from.is_multiple_of(size) => {
            ["--page".to_owned(), (from / size + 1).to_string(), "--page-size".to_owned(), size.to_string()].to_vec()
        }
        (None, Some(size)) if is_size && (1..=u64::from(PAGE_SIZE_MAX)).contains(&size) => {
            ["--page-size".to_owned(), size.to_string()].to_vec()
        }
        (Some(from), size) if can_jq => {
            let end = size.map(|size| from.saturating_add(size).to_string()).unwrap_or_default();
            ["--jq".to_owned(), format!(".[{from}:{end}]")].to_vec()
        }
        _ => return words.to_vec(),
    };
    let mut all = words.to_vec();
    for names in [OFFSETS.as_slice(), &SIZES] {
        if let Some((place, count, _)) = find(&all, names) {
            all.drain(place..place + count);
        }
    }
    all.extend(ours.into_iter().map(OsString::from));
    all
}

fn number(words: &[OsString], names: &[&str]) -> Option<u64> {
    find(words, names).map(|(_, _, number)| number)
}

/// Where an option with a number stands, of how many words, and the number.
fn find(words: &[OsString], names: &[&str]) -> Option<(usize, usize, u64)> {
    words.iter().enumerate().find_map(|(place, word)| match word.to_str()?.split_once('=') {
        Some((name, value)) => names.contains(&name).then_some((place, 1, value.parse().ok()?)),
        None => names.contains(&word.to_str()?).then_some((place, 2, words.get(place + 1)?.to_str()?.parse().ok()?)),
    })
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    #[test]
    fn an_offset_is_a_page_or_an_expression() {
        let option = |name: &'static str| Arg::new(name).long(name);
        let list = Command::new("list").arg(option("page")).arg(option("limit"));
        let root = Command::new("a").arg(option("jq")).subcommand(list).subcommand(Command::new("get"));
        for (typed, ours) in [
            ("a list -n 5 --offset 5 -q", "a list -q --page 2 --page-size 5"),
            ("a list --skip=0 --limit=20", "a list --page 1 --page-size 20"),
            ("a list --limit 5 --offset 7", "a list --jq .[7:12]"),
            ("a list --offset 7", "a list --jq .[7:]"),
            ("a list --limit 5", "a list --limit 5"),
            ("a list --limit 5 --page 2", "a list --page 2 --page-size 5"),
            ("a list --page 2 --page-size 5 -L 9", "a list --page 2 --page-size 5 -L 9"),
            ("a list --page-size 5 --page 2 -q", "a list --page-size 5 --page 2 -q"),
            ("a list --page 2 --limit 5000000", "a list --page 2 --limit 5000000"),
            ("a list --offset x --limit 5", "a list --offset x --limit 5"),
            ("a list --offset 3 -o csv", "a list --offset 3 -o csv"),
            ("a get --offset 5 --limit 5", "a get --offset 5 --limit 5"),
        ] {
            let words: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            let ours: Vec<OsString> = ours.split(' ').map(OsString::from).collect();
            assert_eq!(with_page(&root, &words), ours, "{typed}");
        }
    }
}
