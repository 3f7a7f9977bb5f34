//! From the header to the columns: what is a field, what is left out, and what the user has to decide.

use csv::StringRecord;

use super::csv_rows::{QUOTED, RawRow, has_address, is_quoted_line, walk};
use super::header_words::{field_beside, field_of, folded, is_nearly, shares_word};
use super::{Field, Header, Mistake, Needs, ReadOptions, Source, refused, trimmed};
use crate::model::show::{shell_word, visible};
use crate::model::verdict::{Failure, Verdict};

/// The columns of our own lists, reports and link files that are not read, spelled exactly as we write them.
const OURS: &str = "fullName result status dateCompleted lastTestSentUtc topPerformer identityVerified identityStatus \
                    line outcome message projectEntryId enrolmentId state url expiresAtUtc";

fn is_ours(header: &str) -> bool {
    OURS.split(' ').any(|ours| ours == header)
}

/// The columns of a file.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) headers: Vec<Header>,
    /// The column of `--only`.
    pub(super) only: Option<usize>,
    pub(super) mistakes: Vec<Mistake>,
}

impl Columns {
    /// Which cell of a row has a field.
    pub(super) fn index_of(&self, field: Field) -> Option<usize> {
        self.headers.iter().position(|header| header.field == Some(field))
    }
}

/// What is known of a column: nothing, that it is left out, or its field.
type Role = Option<Option<Field>>;

/// Whether a header has a column that identifies people.
pub(super) fn has_people(cells: &StringRecord, options: &ReadOptions) -> bool {
    let is_naming = |role: &Role| role.flatten().is_some_and(|field| options.needs.naming().contains(&field));
    roles(cells, options).is_ok_and(|roles| roles.iter().any(is_naming))
}

/// Whether a first row is no header but a person: a list with one person a line needs none.
pub(super) fn is_list(cells: &StringRecord, options: &ReadOptions) -> bool {
    options.needs == Needs::Person && cells.len() == 1 && !has_people(cells, options)
}

/// Reads the header.
pub(super) fn read(row: &RawRow, source: &Source, options: &ReadOptions) -> Result<Columns, Failure> {
    refuse_other_rows(row, source)?;
    let usage = |why: String| Failure::usage(format!("{} {why}", source.file));
    let mut roles = roles(row.cells, options).map_err(usage)?;
    let only = match &options.only {
        Some((header, _)) => named(row.cells, header, "--only").map_err(usage)?.first().copied(),
        None => None,
    };
    for (index, role) in roles.iter_mut().enumerate() {
        let is_ignored = Some(index) == only || options.ignore.iter().any(|name| name == "*");
        *role = role.or(is_ignored.then_some(None));
    }
    let (asked, may_be) = ask(row, &roles, source, options.needs);
    if asked.is_empty() && !roles.iter().any(|role| role.flatten().is_some()) {
        return Err(no_header(row, source, "names none of the fields"));
    }
    let header = |(name, role): (&str, Role)| Header { name: name.to_owned(), field: role.flatten() };
    let headers = row.cells.iter().zip(roles).map(header).collect();
    let mut columns = Columns { headers, only, mistakes: asked };
    two_of_one_meaning(row, source, &mut columns);
    let naming = options.needs.naming();
    if !naming.iter().any(|field| columns.index_of(*field).is_some() || may_be.contains(field)) {
        let names: Vec<&str> = naming.iter().map(|field| field.name()).collect();
        let mistake = source.mistake(row.line, row.raw, 0, format!("header: no column is {}", names.join(" or ")));
        let hint = Some(format!("add --map HEADER={}", names[names.len() - 1]));
        columns.mistakes.push(Mistake { hint, ..mistake });
    }
    Ok(columns)
}

/// Refuses a first row that cannot be a header.
fn refuse_other_rows(row: &RawRow, source: &Source) -> Result<(), Failure> {
    let (starts, flaw) = walk(row.raw, source.delimiter);
    let is_quoted = [',', ';', '\t'].into_iter().any(|delimiter| is_quoted_line(row, delimiter));
    if let Some(why) = flaw.or(is_quoted.then_some(QUOTED)) {
        let mistake = source.mistake(row.line, row.raw, starts.len() - 1, format!("header: {why}"));
        return Err(Failure::new(Verdict::Refused, mistake.to_string()));
    }
    // A whole cell, or a line that a quote swallowed. A header may have an address as an example.
    let is_person = |cell: &str| has_address(cell) && (!cell.contains(' ') || cell.contains('\n'));
    if row.cells.iter().map(trimmed).any(is_person) {
        return Err(no_header(row, source, "has an e-mail address"));
    }
    Ok(())
}

fn no_header(row: &RawRow, source: &Source, why: &str) -> Failure {
    let hint = "begin the file with a line such as email,firstName,lastName,birthYear,referenceId";
    refused(source.file, &format!("has no header: {} {why}", source.line(row.line))).hint(hint)
}

/// The role of each column as far as options and words tell it.
fn roles(cells: &StringRecord, options: &ReadOptions) -> Result<Vec<Role>, String> {
    let mut roles: Vec<Role> = vec![None; cells.len()];
    let mapped = options.map.iter().map(|(header, field)| (header, "--map", Some(*field)));
    let ignored = options.ignore.iter().filter(|name| *name != "*").map(|header| (header, "--ignore-column", None));
    for (header, option, field) in mapped.chain(ignored) {
        for index in named(cells, header, option)? {
            if roles[index].replace(field).is_some_and(|given| given != field) {
                return Err(format!("has one column \"{}\", and options give it two meanings", visible(header)));
            }
        }
    }
    let is_list = cells.iter().any(|cell| cell == "fullName");
    for (role, cell) in roles.iter_mut().zip(cells) {
        *role = role.or_else(|| role_of(trimmed(cell), is_list, options));
    }
    let known = roles.clone();
    for (role, cell) in roles.iter_mut().zip(cells) {
        let beside = || field_beside(cell, |field| known.contains(&Some(Some(field))));
        *role = role.or_else(|| Some(Some(beside()?)));
    }
    Ok(roles)
}

/// The columns that an option names: by their exact spelling, else ignoring case, accents and decoration.
fn named(cells: &StringRecord, name: &str, option: &str) -> Result<Vec<usize>, String> {
    let columns = |is_it: &dyn Fn(&str) -> bool| -> Vec<usize> {
        cells.iter().enumerate().filter(|(_, cell)| is_it(cell)).map(|(index, _)| index).collect()
    };
    let exact = columns(&|cell| trimmed(cell) == trimmed(name));
    let found = if exact.is_empty() { columns(&|cell| folded(cell) == folded(name)) } else { exact };
    if !found.is_empty() {
        return Ok(found);
    }
    let headers: Vec<&str> = cells.iter().map(trimmed).filter(|cell| !cell.is_empty()).collect();
    let headers = headers.join(", ");
    Err(format!("has no column \"{}\" for {option}. Its columns: {}", visible(name), visible(&headers)))
}

/// What a header is by itself. A bare `id` is the entry id in our own lists, which have `fullName`, and where people are
/// named; elsewhere it may be anybody's number.
fn role_of(header: &str, is_list: bool, options: &ReadOptions) -> Role {
    let is_id = header == "id" && (is_list || options.needs != Needs::Enrolment);
    let field = if is_id { Some(Field::EntryId) } else { field_of(header) };
    match field {
        // The user has decided by `--map` which column it is.
        Some(field) if options.map.iter().any(|(_, mapped)| *mapped == field) => Some(None),
        Some(field) => Some(options.needs.fields().contains(&field).then_some(field)),
        None => (header.is_empty() || is_ours(header)).then_some(None),
    }
}

/// Asks about the columns that may be a field which no column is yet; also gives those fields.
fn ask(row: &RawRow, roles: &[Role], source: &Source, needs: Needs) -> (Vec<Mistake>, Vec<Field>) {
    let has = |field: &Field| roles.contains(&Some(Some(*field)));
    let is_named = needs.naming().iter().any(has);
    let open = || needs.fields().iter().copied().filter(|field| !has(field) && (needs != Needs::Person || !is_named));
    let (mut mistakes, mut may_be, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    for (index, header) in row.cells.iter().map(trimmed).enumerate().filter(|(index, _)| roles[*index].is_none()) {
        let near = open().find(|field| is_nearly(header, *field));
        let shared = || open().filter(|field| shares_word(header, *field)).collect();
        let fields: Vec<Field> = near.map_or_else(shared, |field| vec![field]);
        if fields.is_empty() {
            continue;
        }
        let names: Vec<&str> = fields.iter().map(|field| field.name()).collect();
        let message =
            format!("header: \"{}\" may be {}: --map or --ignore-column decides", visible(header), names.join(" or "));
        mistakes.push(source.mistake(row.line, row.raw, index, message));
        match near {
            Some(field) => flags.push(format!("--map {}", shell_word(&format!("{header}={}", field.name())))),
            // Without a column that names people there would be nothing to read.
            None if !is_named && fields.iter().any(|field| needs.naming().contains(field)) => {}
            None => flags.push(format!("--ignore-column {}", shell_word(header))),
        }
        may_be.extend(fields);
    }
    if let Some(first) = mistakes.first_mut() {
        let flags = if flags.is_empty() { "--map HEADER=FIELD".to_owned() } else { flags.join(" ") };
        first.hint = Some(format!("add {flags}"));
    }
    (mistakes, may_be)
}

fn two_of_one_meaning(row: &RawRow, source: &Source, columns: &mut Columns) {
    for (index, header) in columns.headers.iter().enumerate() {
        let Some(field) = header.field else { continue };
        if let Some(first) = columns.index_of(field).filter(|first| *first < index) {
            let (first, second) = (trimmed(&columns.headers[first].name), trimmed(&header.name));
            let both = format!("header: \"{}\" and \"{}\" are both {}", visible(first), visible(second), field.name());
            // An option cannot tell equal headers apart.
            let hint =
                (first != second).then(|| format!("to leave one out: add --ignore-column {}", shell_word(second)));
            columns.mistakes.push(Mistake { hint, ..source.mistake(row.line, row.raw, index, both) });
        }
    }
}

/// What is not plain about the columns: `; E-mail = email; left out: Department`.
pub(super) fn read_as(headers: &[Header]) -> String {
    let name = |header: &Header| visible(trimmed(&header.name)).into_owned();
    let fields = headers.iter().filter_map(|header| Some((name(header), header.field?.name())));
    let renamed = fields.filter(|(name, field)| name != field).map(|(name, field)| format!("{name} = {field}"));
    let left_out = headers.iter().filter(|header| header.field.is_none()).map(name);
    let left_out = left_out.filter(|name| !name.is_empty() && !is_ours(name));
    let part = |what: &str, names: Vec<String>| match names.join(", ") {
        none if none.is_empty() => none,
        names => format!("; {what}{names}"),
    };
    part("", renamed.collect()) + &part("left out: ", left_out.collect())
}
