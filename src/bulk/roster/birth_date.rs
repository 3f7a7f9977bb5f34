//! The year in a date of birth, as people and spreadsheets write dates.

/// The four digits of the year; `None` where the text is no date. The order of day and month does not matter: the year is
/// the part that has four digits. A time after the date is what a spreadsheet adds.
pub(super) fn year_of(text: &str) -> Option<&str> {
    let date = text.split(['T', ' ']).next().unwrap_or_default();
    if date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()) {
        return fits(&date[4..6], &date[6..]).then(|| &date[..4]);
    }
    let separator = ['-', '.', '/'].into_iter().find(|separator| date.contains(*separator))?;
    let mut parts = date.trim_end_matches('.').split(separator);
    let (first, second, third) = (parts.next()?, parts.next()?, parts.next()?);
    match (is_year(first), is_year(third), parts.next()) {
        (true, false, None) => fits(second, third).then_some(first),
        (false, true, None) => fits(first, second).then_some(third),
        _ => None,
    }
}

fn is_year(part: &str) -> bool {
    part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether two numbers are a day and a month, in either order.
fn fits(one: &str, other: &str) -> bool {
    let parts = [one, other].map(|text| text.parse::<u8>().ok().filter(|_| text.len() <= 2));
    let [Some(one), Some(other)] = parts else { return false };
    (1..=12).contains(&one.min(other)) && (1..=31).contains(&one.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_year_is_found_wherever_it_stands() {
        for date in [
            "1984-03-01",
            "01.03.1984",
            "1.3.1984",
            "03/31/1984",
            "31/03/1984",
            "19840301",
            "1984-03-01T00:00:00",
            "1.3.1984 00:00",
        ] {
            assert_eq!(year_of(date), Some("1984"), "{date}");
        }
    }

    #[test]
    fn what_is_no_date_or_has_no_whole_year_has_none() {
        for text in [
            "",
            "1984",
            "01.03.84",
            "32.01.1984",
            "13/13/1984",
            "1984-3",
            "1984-01-01-01",
            "19841332",
            "a.b.1984",
            "1984.03.1984",
        ] {
            assert_eq!(year_of(text), None, "{text}");
        }
    }
}
