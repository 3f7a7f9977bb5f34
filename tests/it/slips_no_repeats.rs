//! What a hint's line may not do: name a person or an option more often than the line that was typed, or write over a file.

use crate::slips::{hints_have, prepared};

/// Lines with slips, and a line that their hint has.
const HINTS: &[(&str, &str)] = &[
    // Each person and each option once.
    (
        "testtakers get A-1 B-2 C-3 -p Demo -o json",
        "`assessctl testtakers get ref:REFERENCE_ID ref:REFERENCE_ID ref:REFERENCE_ID -p Demo --output json`",
    ),
    (
        "testtakers remove A-1 B-2 -p Demo --yes",
        "`assessctl testtakers remove ref:REFERENCE_ID ref:REFERENCE_ID -p Demo --yes`",
    ),
    ("testtakers get id:5 B-2 -o csv", "`assessctl testtakers get id:5 ref:REFERENCE_ID --output csv`"),
    ("wait testtaker/A-1 -p Demo --for=completed", "`assessctl results get REFERENCE_ID --fail-on flagged -p Demo`"),
    ("wait A-1 --for condition=done", "`assessctl results get REFERENCE_ID --fail-on flagged`"),
    ("export testtakers -p Demo -o out.csv", "`assessctl testtakers list --to out.csv -p Demo`"),
    // The value of an option that goes, goes with it; an address that is not personal stays.
    ("redirect-uris add https://a.example/done -p Demo", "(`assessctl redirect-uris add https://a.example/done`)"),
    ("redirect-uris add -p Demo https://u:k@a.example/done", "(`assessctl redirect-uris add URI`)"),
    // The project that one of two lines leaves out is not added to it.
    (
        "testtakers sync sites.csv -p Demo --project-column site",
        "`assessctl testtakers sync sites.csv --project-column site` or `assessctl testtakers sync sites.csv -p Demo`",
    ),
    (
        "journal forget -p Demo --everything",
        "`assessctl journal forget --everything` or `assessctl journal forget -p Demo`",
    ),
    // A name of a file that is made up is of none that is there.
    (
        "testtakers delete --all -p Demo --yes",
        "`assessctl testtakers list --to people-2.csv -p Demo` writes one, `assessctl testtakers remove --file people-2.csv --dry-run",
    ),
    (
        "testtakers list -p Demo --not-completed --json",
        "`assessctl results list --not-completed --output json -p Demo`",
    ),
    ("testtakers list --pending", "`assessctl results list --not-completed`"),
    // Where nobody is named, a reference id names the person.
    ("testtakers update --ref A-1 --last-name Ray", "name the person by `ref:REFERENCE_ID`"),
    ("testtakers update --ref=A-1 --last-name Ray", "name the person by `ref:REFERENCE_ID`"),
    ("testtakers update id:5 --ref A-9", "`assessctl testtakers update id:5 --reference-id REFERENCE_ID`"),
];

#[test]
fn a_hint_repeats_what_was_typed_and_makes_up_no_name_that_is_taken() {
    hints_have(&prepared(), HINTS);
}

/// Whether a word of a hint stands for one person.
fn is_person(word: &str) -> bool {
    word.starts_with("ref:") || word.starts_with("id:") || word == "email:ADDRESS" || word == "REFERENCE_ID"
}

/// The options of a hint's line that stand in it twice, and whether it has more people than were typed.
fn doubled(line: &str, people: usize) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let options: Vec<&&str> = words.iter().filter(|word| word.starts_with('-') && word.len() > 1).collect();
    let twice = options.iter().find(|option| options.iter().filter(|other| other == option).count() > 1);
    let named = (1..words.len()).filter(|place| is_person(words[*place]) && words[*place - 1] != "--reference-id");
    twice
        .map(|option| format!("{option} twice"))
        .or_else(|| (named.count() > people.max(1)).then(|| "more people".into()))
}

#[test]
fn no_person_and_no_option_stands_more_often_in_a_hint_than_in_the_line() {
    const COMMANDS: [&str; 16] = [
        "testtakers get",
        "testtakers show",
        "testtakers remove",
        "testtakers rm",
        "testtakers delete",
        "testtakers update --last-name Ray",
        "links issue",
        "links create",
        "link",
        "results get",
        "results show",
        "wait",
        "get testtaker",
        "delete users",
        "invite",
        "sandbox set --result Fit",
    ];
    const PEOPLE: [&[&str]; 6] = [
        &["A-1"],
        &["A-1", "B-2"],
        &["A-1", "B-2", "C-3"],
        &["id:5", "A-1"],
        &["ann@site.example", "B-2"],
        &["ref:A-1", "B-2"],
    ];
    const OPTIONS: [&str; 6] = [
        "",
        "-o json",
        "--json -p Demo",
        "-p Demo --force -y",
        "--output json --project Demo --verbose",
        "--to x.csv --dry-run",
    ];
    let env = prepared();
    let mut faults = Vec::new();
    for (number, (command, people)) in COMMANDS.iter().flat_map(|it| PEOPLE.map(|people| (it, people))).enumerate() {
        let options = OPTIONS[number % 5 + usize::from(number % 7 == 0)];
        for line in
            [format!("{command} {} {options}", people.join(" ")), format!("{command} {options} {}", people.join(" "))]
        {
            let said = env.line(line.trim());
            let hint = said.stderr.lines().find(|line| line.starts_with("hint: ")).unwrap_or_default();
            let lines = hint.split('`').skip(1).step_by(2).filter(|line| line.starts_with("assessctl "));
            faults.extend(lines.filter_map(|ours| Some(format!("{line}: {}: {hint}", doubled(ours, people.len())?))));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A key that stands where a hint repeats a line is none that the hint repeats.
#[test]
fn a_key_is_not_repeated_by_the_hint_of_a_slip() {
    let env = prepared();
    for line in [
        "configure set api-key sk_canary",
        "configure set --profile prod secret sk_canary",
        "login --api-key sk_canary",
        "login --profile prod --token=sk_canary",
        "profile add prod --url https://u:sk_canary@a.example",
        "config configurations create prod --api-key sk_canary",
    ] {
        let said = env.line(line).fails(2);
        let hint = said.stderr.lines().find(|line| line.starts_with("hint: ")).unwrap_or_default();
        assert!(!hint.is_empty() && !said.stderr.contains("sk_canary"), "{said}");
    }
}
