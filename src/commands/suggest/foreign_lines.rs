//! Whole lines in the manner of another program, in ours: requests (`api GET /projects`), directories (`csv FILE …`) and
//! PowerShell (`-Identity X -Confirm:$false`).

use std::ffi::{OsStr, OsString};

use clap::Command;

use crate::commands::shell::argv::{Part, is_one_of, parts};
use crate::commands::suggest::respelled::long_option;
use crate::commands::suggest::respelled::our_noun;
use crate::commands::suggest::values::is_file;

/// Other programs, and parts of them, that a line may be copied from with their name.
const PROGRAMS: &str = "gcloud az gam okta aws kubectl gh stripe heroku entra iam ad assessctl";
/// Words before a request.
const CLIENTS: &str = "api curl raw request rest http call invoke";
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// What other programs do with the script of a shell.
const OF_A_SCRIPT: &str = "install generate script show print init setup add for";
/// Options for the person or the project that stands by itself here.
const IDENTITIES: &str = "identity id upn userprincipalname user-principal-name memberid member-id objectid object-id";

/// The line with the words of other programs' lines as ours have them. What is not known stays as it is.
pub fn in_our_manner(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let mut words = without_identities(root, words);
    while words.len() > 2 && is_one_of(PROGRAMS, &words[1].to_string_lossy()) {
        words.remove(1);
    }
    for word in &mut words {
        // Where it is rehearsed is said with it in some programs.
        if ["--dry-run=client", "--dry-run=server", "--dry-run=true"].iter().any(|rehearsal| *word == *rehearsal) {
            *word = "--dry-run".into();
        }
    }
    let words = of_an_email(&words).or_else(|| of_a_file(&words)).or_else(|| request(root, &words)).unwrap_or(words);
    of_completions(words)
}

/// The line with long options in place of those that PowerShell has, and without those that name who stands by itself.
fn without_identities(root: &Command, words: &[OsString]) -> Vec<OsString> {
    let writes =
        words.get(1).is_some_and(|verb| ["export", "out"].iter().any(|it| verb.to_string_lossy().starts_with(it)));
    let mut ours = Vec::new();
    for (word, part) in words.iter().zip(parts(root, words)) {
        let text = word.to_string_lossy();
        let (option, value) = text.split_once([':', '=']).unwrap_or((&text, ""));
        let name = option.trim_start_matches('-').to_ascii_lowercase();
        let has_capital =
            option.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
        let is_named = option.starts_with("--")
            && (name != "id" && is_one_of(IDENTITIES, &name) || text.starts_with("--confirm:"));
        let value = value.trim_start_matches('$');
        match () {
            () if part == Part::Value || !(has_capital && option.len() > 2 || is_named) => ours.push(word.clone()),
            () if is_one_of(IDENTITIES, &name) => ours.extend(Some(value.into()).filter(|_| !value.is_empty())),
            // The shell takes $false away, and no user asks to be asked.
            () if name == "confirm" => ours.extend((value != "true" && text.contains(':')).then(|| "--yes".into())),
            () if is_one_of("path filepath literalpath inputfile", &name) => ours.extend(writes.then(|| "--to".into())),
            () if value == "false" => {}
            () => match long_option(option) {
                Some(long) if value.is_empty() || value == "true" => ours.push(long.into()),
                Some(long) => ours.push(format!("{long}={value}").into()),
                None => ours.push(word.clone()),
            },
        }
    }
    ours
}

/// The line about another address of a person: `change email X NEW`.
fn of_an_email(words: &[OsString]) -> Option<Vec<OsString>> {
    let [program, verb, field, who, address, rest @ ..] = words else { return None };
    let is_one = ["change", "update", "set", "edit"].iter().any(|known| verb == known)
        && ["email", "mail", "e-mail"].iter().any(|known| field == known)
        && address.to_string_lossy().contains('@');
    let update = ["testtakers", "update"].map(OsString::from);
    is_one.then(|| {
        [std::slice::from_ref(program), &update[..], &[who.clone(), "--email".into(), address.clone()], rest].concat()
    })
}

/// The line about the people of a file, where the file stands before what is done with each of them.
fn of_a_file(words: &[OsString]) -> Option<Vec<OsString>> {
    /// What is done with each of them, in the order in which it counts, and the command that does it.
    const DONE: [(&[&str], &[&str]); 5] = [
        (&["link", "links", "invite", "send", "issue"], &["links", "issue", "--file"]),
        (&["delete", "remove", "rm", "unenrol"], &["testtakers", "remove", "--file"]),
        (&["update", "modify", "edit", "change"], &["testtakers", "update", "--file"]),
        (&["result", "results"], &["results", "get", "--ids-from"]),
        (&["get", "show", "info", "print"], &["testtakers", "get", "--ids-from"]),
    ];
    let file = words.get(2).filter(|file| words[1] == "csv" && is_file(&file.to_string_lossy()))?;
    let rest = &words[3..];
    let done = DONE.iter().find(|(said, _)| rest.iter().any(|word| said.iter().any(|said| word == said)));
    let command = done.map_or(&["testtakers", "import"][..], |(_, command)| command);
    let mut ours: Vec<OsString> = std::iter::once(&"assessctl").chain(command).map(OsString::from).collect();
    ours.push(file.clone());
    for (place, word) in rest.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| rest[before].as_os_str());
        let is_value = before.is_some_and(|before| begins(before, "-")) && !begins(word, "-");
        let is_option = begins(word, "-");
        // A column in place of a value is what the file is read for.
        let is_of_a_column = begins(word, "~") || rest.get(place + 1).is_some_and(|next| begins(next, "~"));
        if (is_option || is_value) && !is_of_a_column {
            ours.push(word.clone());
        }
    }
    Some(ours)
}

fn begins(word: &OsStr, sign: &str) -> bool {
    word.to_string_lossy().starts_with(sign)
}

/// The command that does what a request would: `api GET /projects/Demo/testtakers`.
fn request(root: &Command, words: &[OsString]) -> Option<Vec<OsString>> {
    let first = words.get(1)?.to_str()?;
    let behind = words[2..].iter();
    let path = behind.clone().find(|word| is_path(word)).or_else(|| {
        let mut nouns = behind.filter(|word| word.to_str().is_some_and(|word| our_noun(root, word).is_some()));
        nouns.next().filter(|_| is_one_of(CLIENTS, first))
    })?;
    let method = words[1..].iter().find_map(|word| method(word));
    if !is_one_of(CLIENTS, first) && method.is_none() {
        return None;
    }
    let path_text = path.to_str()?;
    let path_text =
        path_text.split_once("://").map_or(path_text, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let path_text = path_text.split('?').next()?;
    let (mut noun, mut operand, mut project) = (None, None, None);
    for segment in path_text.split('/').filter(|segment| !segment.is_empty()) {
        match our_noun(root, segment) {
            Some(ours) => {
                project = project.or(operand.take().filter(|_| noun == Some("projects")));
                noun = Some(ours);
            }
            None => operand = Some(segment).filter(|_| noun.is_some()),
        }
    }
    let noun = noun?;
    let verb = match (method.unwrap_or("GET"), noun) {
        (_, "links") => "issue",
        ("GET", _) if operand.is_some() => "get",
        ("GET", _) => "list",
        ("POST", "testtakers") => "enrol",
        ("POST", "projects") => "create",
        ("POST", "redirect-uris") => "add",
        ("PUT" | "PATCH", _) => "update",
        ("DELETE", "testtakers") => "remove",
        _ => "delete",
    };
    let named = [Some(noun), Some(verb), operand].into_iter().flatten().map(OsString::from);
    let project = project.into_iter().flat_map(|project| ["-p", project].map(OsString::from));
    let rest = words[2..]
        .iter()
        .filter(|word| *word != path && *word != "-X" && *word != "--method" && self::method(word).is_none());
    Some(std::iter::once(words[0].clone()).chain(named).chain(project).chain(rest.cloned()).collect())
}

fn is_path(word: &OsStr) -> bool {
    let word = word.to_string_lossy();
    word.starts_with(['/', 'h']) && word.contains('/')
}

fn method(word: &OsStr) -> Option<&'static str> {
    METHODS.into_iter().find(|method| word.eq_ignore_ascii_case(method))
}

/// The line without what other programs do with the script of a shell, which is printed here.
fn of_completions(words: Vec<OsString>) -> Vec<OsString> {
    const NAMES: &str = "completions completion autocomplete autocompletion";
    let mut ours = words.clone();
    if let Some(word) = ours.get_mut(1) {
        let alone = word.to_string_lossy().trim_start_matches('-').to_owned();
        let is_named =
            alone.split_once('-').is_some_and(|(verb, name)| is_one_of(OF_A_SCRIPT, verb) && is_one_of(NAMES, name));
        if is_named {
            *word = "completions".into();
        }
    }
    if !ours.iter().any(|word| is_one_of(NAMES, &word.to_string_lossy())) {
        return words;
    }
    ours.retain(|word| !is_one_of(OF_A_SCRIPT, &word.to_string_lossy()));
    ours
}
