//! From the header to the columns: what is a field, what is left out, and what the user has to decide.

use csv::StringRecord;

use super::csv_rows::{QUOTED, RawRow, Table, has_address, is_quoted, walk};
use super::header_words::{field_beside, folded, is_nearly, shares_word};
use super::{Field, Header, Mistake, Needs, ReadOptions, refused, trimmed};
use crate::model::show::{shell_word, visible};
use crate::model::verdict::{Failure, Verdict};

/// The columns of our own lists, reports and link files that are not read, spelled exactly as we write them.
const OURS: &str = "fullName result status dateCompleted lastTestSentUtc topPerformer identityVerified identityStatus \
                    line outcome message projectEntryId enrolmentId state since url expiresAtUtc project projectId \
                    change oldResult";

fn is_ours(header: &str) -> bool {
    OURS.split(' ').any(|ours| ours == header)
}

/// The columns of a file.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) headers: Vec<Header>,
    /// The fields that are read, each with its column.
    pub(super) fields: Vec<(Field, usize)>,
    /// The column of `--only`.
    pub(super) only: Option<usize>,
    pub(super) mistakes: Vec<Mistake>,
}

/// Which cell of a row has a field.
pub(super) fn index_of(headers: &[Header], field: Field) -> Option<usize> {
    headers.iter().position(|header| header.field == Some(field))
}

/// What is known of a column: nothing, that it is left out, or its field.
type Role = Option<Option<Field>>;

/// Whether a header has a column that identifies people.
pub(super) fn has_people(row: &RawRow, options: &ReadOptions) -> bool {
    let is_naming = |role: &Role| role.flatten().is_some_and(|field| options.needs.naming().contains(&field));
    roles(row.cells, options).is_ok_and(|roles| roles.iter().any(is_naming))
}

/// Reads the header. A list with one person a line needs none.
pub(super) fn read(row: &RawRow, table: &Table, options: &ReadOptions) -> Result<Columns, Failure> {
    let is_one_a_line = row.cells.len() == 1 && !has_people(row, options) && folded(&row.cells[0]) != "id";
    if options.needs == Needs::Person && is_one_a_line {
        return Ok(Columns::default());
    }
    let (starts, flaw) = walk(row.raw, table.delimiter);
    if let Some(why) = flaw.or(is_quoted(row).then_some(QUOTED)) {
        let mistake = table.mistake(&row.row, starts.len() - 1, format!("header: {why}"));
        return Err(Failure::new(Verdict::Refused, mistake.to_string()));
    }
    // A whole cell, or a line that a quote swallowed. A header may have an address as an example.
    let is_person = |cell: &str| has_address(cell) && (!cell.contains(' ') || cell.contains('\n'));
    if row.cells.iter().map(trimmed).any(is_person) {
        return Err(no_header(row, table, "has an e-mail address"));
    }
    // A row without a known word, in which an option finds nothing, is a person's, and no word of it may be shown.
    let is_near = |cell: &str| Field::ALL.into_iter().any(|field| is_nearly(cell, field));
    let is_word = |cell: &str| cell.parse::<Field>().is_ok() || is_ours(cell) || is_near(cell) || folded(cell) == "id";
    let has_word = row.cells.iter().any(is_word);
    let unnamed = || no_header(row, table, "names none of the fields");
    let usage = |why: String| if has_word { Failure::usage(format!("{} {why}", table.file)) } else { unnamed() };
    let mut roles = roles(row.cells, options).map_err(usage)?;
    let mut only = None;
    if let Some((header, _)) = &options.only {
        let [index] = named(row.cells, header, "--only").map_err(usage)?[..] else {
            return Err(usage(format!("has several columns that --only \"{}\" could mean", visible(header))));
        };
        roles[index].get_or_insert(None);
        only = Some(index);
    }
    if !has_word && roles.iter().all(|role| role.flatten().is_none()) {
        return Err(unnamed());
    }
    let mistakes = [ask(row, &roles, table, options.needs), doubles(row, &roles, table)].concat();
    let header = |(name, role): (&str, Role)| Header { name: name.to_owned(), field: role.flatten() };
    let headers: Vec<Header> = row.cells.iter().zip(roles).map(header).collect();
    let place = |field: &Field| Some((*field, index_of(&headers, *field)?));
    let fields = options.needs.fields().iter().filter_map(place).collect();
    Ok(Columns { headers, fields, only, mistakes })
}

fn no_header(row: &RawRow, table: &Table, why: &str) -> Failure {
    let hint = "line 1 must name the columns, such as email,firstName,lastName,referenceId";
    refused(&table.file, &format!("has no header: {} {why}", table.line(row.row.line))).hint(hint)
}

/// The role of each column as far as options and words tell it.
fn roles(cells: &StringRecord, options: &ReadOptions) -> Result<Vec<Role>, String> {
    let mut roles: Vec<Role> = vec![None; cells.len()];
    let is_read = |field: &Field| options.needs.fields().contains(field);
    let mapped = options.map.iter().map(|(header, field)| (header, "--map", Some(*field).filter(is_read)));
    let ignored = options.ignore.iter().filter(|name| *name != "*").map(|header| (header, "--ignore-column", None));
    for (header, option, field) in mapped.chain(ignored) {
        for index in named(cells, header, option)? {
            if roles[index].replace(field).is_some_and(|given| given != field) {
                return Err(format!("has one column \"{}\", and options give it two meanings", visible(header)));
            }
        }
    }
    let is_list = cells.iter().any(|cell| ["topPerformer", "lastTestSentUtc", "oldResult"].contains(&cell));
    for (role, cell) in roles.iter_mut().zip(cells) {
        *role = role.or_else(|| role_of(trimmed(cell), is_list, options));
    }
    let (known, ignores_all) = (roles.clone(), options.ignore.iter().any(|name| name == "*"));
    for (role, cell) in roles.iter_mut().zip(cells) {
        let beside = || field_beside(cell, |field| known.contains(&Some(Some(field))));
        *role = role.or_else(|| beside().map(Some)).or(ignores_all.then_some(None));
    }
    Ok(roles)
}

/// The columns that an option names, at least one: by their exact spelling, else ignoring case, accents and decoration.
fn named(cells: &StringRecord, name: &str, option: &str) -> Result<Vec<usize>, String> {
    let is_exact = |cell: &str| trimmed(cell) == trimmed(name);
    let has_exact = cells.iter().any(is_exact);
    let is_it = |cell: &str| if has_exact { is_exact(cell) } else { folded(cell) == folded(name) };
    let found: Vec<usize> = (0..cells.len()).filter(|index| is_it(&cells[*index])).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let headers: Vec<&str> = cells.iter().map(trimmed).filter(|cell| !cell.is_empty()).collect();
    Err(format!("has no column \"{}\" for {option}. Its columns: {}", visible(name), visible(&headers.join(", "))))
}

/// What a header is by itself. A bare `id` is the entry id in our own lists, which have columns that no other program has;
/// elsewhere it may be anybody's number, and somebody else would be changed.
fn role_of(header: &str, is_list: bool, options: &ReadOptions) -> Role {
    let field = if header == "id" && is_list { Some(Field::EntryId) } else { header.parse().ok() };
    // The user has decided by `--map` which column it is.
    let is_mapped = |field| options.map.iter().any(|(_, mapped)| *mapped == field);
    match field {
        Some(field) => Some((options.needs.fields().contains(&field) && !is_mapped(field)).then_some(field)),
        None => (header.is_empty() || is_ours(header)).then_some(None),
    }
}

/// Asks about the columns that may be a field which no column is yet, and for one that names people.
fn ask(row: &RawRow, roles: &[Role], table: &Table, needs: Needs) -> Vec<Mistake> {
    let has = |field: &Field| roles.contains(&Some(Some(*field)));
    let is_named = needs.naming().iter().any(has);
    // An id beside an e-mail decides who is named.
    let has_id = has(&Field::EntryId) || has(&Field::ReferenceId);
    let open = || needs.fields().iter().copied().filter(|field| !has(field) && (needs != Needs::Person || !has_id));
    let any_of = |fields: &[Field]| fields.iter().map(|field| field.name()).collect::<Vec<_>>().join(" or ");
    let (mut mistakes, mut maps, mut may_name) = (Vec::new(), Vec::new(), is_named);
    for (index, header) in row.cells.iter().map(trimmed).enumerate().filter(|(index, _)| roles[*index].is_none()) {
        let near = open().find(|field| is_nearly(header, *field));
        // `Old ID` is no number of the service.
        let fits = |field: &Field| shares_word(header, *field) && (*field != Field::EntryId || folded(header) == "id");
        let shared = || open().filter(fits).collect();
        let fields: Vec<Field> = near.map_or_else(shared, |field| vec![field]);
        if fields.is_empty() {
            continue;
        }
        maps.extend(near.map(|field| format!("--map {}", shell_word(&format!("{header}={}", field.name())))));
        may_name |= fields.iter().any(|field| needs.naming().contains(field));
        let may_be = format!("may be {}: --map or --ignore-column decides", any_of(&fields));
        mistakes.push(table.mistake(&row.row, index, format!("header: \"{}\" {may_be}", visible(header))));
    }
    if !may_name {
        maps.push("--map HEADER=email".to_owned());
        mistakes.push(table.mistake(&row.row, 0, format!("header: no column is {}", any_of(needs.naming()))));
    }
    // What only shares a word may be the field or not.
    let options = if maps.len() == mistakes.len() { maps.join(" ") } else { "--map HEADER=FIELD".to_owned() };
    if let Some(first) = mistakes.first_mut() {
        first.hint = Some(format!("add {options}"));
    }
    mistakes
}

/// The columns that are a field which an earlier one is.
fn doubles(row: &RawRow, roles: &[Role], table: &Table) -> Vec<Mistake> {
    let double = |(index, role): (usize, &Role)| {
        let field = role.flatten()?;
        let first = roles[..index].iter().position(|first| first == role)?;
        let (first, second) = (trimmed(&row.cells[first]), trimmed(&row.cells[index]));
        let both = format!("header: \"{}\" and \"{}\" are both {}", visible(first), visible(second), field.name());
        let odd = if second == field.name() { first } else { second };
        // An option cannot tell equal headers apart.
        let hint = (first != second).then(|| format!("to leave one out: add --ignore-column {}", shell_word(odd)));
        Some(Mistake { hint, ..table.mistake(&row.row, index, both) })
    };
    roles.iter().enumerate().filter_map(double).collect()
}

/// What is not plain about the columns: `, with E-mail as email; columns not used: Department`, and whether one is left out.
pub(super) fn read_as(columns: &Columns) -> (String, bool) {
    let name = |header: &Header| visible(trimmed(&header.name)).into_owned();
    let fields = columns.headers.iter().filter_map(|header| Some((name(header), header.field?.name())));
    let renamed = fields.filter(|(name, field)| name != field).map(|(name, field)| format!("{name} as {field}"));
    let unread =
        columns.headers.iter().enumerate().filter(|(at, header)| header.field.is_none() && columns.only != Some(*at));
    let left_out = unread.map(|(_, header)| name(header)).filter(|name| !name.is_empty() && !is_ours(name));
    let parts = [(", with ", renamed.collect::<Vec<_>>()), ("; columns not used: ", left_out.collect())];
    let said = parts.iter().filter(|(_, names)| !names.is_empty());
    let said: Vec<String> = said.map(|(what, names)| format!("{what}{}", names.join(", "))).collect();
    (said.concat(), !parts[1].1.is_empty())
}
