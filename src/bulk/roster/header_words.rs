//! How HR systems spell the headers of a roster, language by language.

use super::fields::Field;

/// The words of one language for e-mail, first name, last name, year of birth and the employee's number, in the form of
/// [`folded`].
struct Words {
    email: &'static [&'static str],
    first: &'static [&'static str],
    last: &'static [&'static str],
    year: &'static [&'static str],
    reference: &'static [&'static str],
}

/// One line a language: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish and
/// Norwegian, Finnish, Czech.
#[rustfmt::skip]
const LANGUAGES: [Words; 12] = [
    Words { email: &["email", "mail", "emailaddress", "mailaddress", "emailid"], first: &["firstname", "first", "givenname", "givennames", "given", "forename", "forenames"], last: &["lastname", "last", "surname", "familyname", "family"], year: &["birthyear", "yearofbirth", "yearborn", "yob"], reference: &["referenceid", "refid", "reference", "ref", "referencenumber", "referenceno", "refno", "externalid", "employeeid", "employeenumber", "employeeno", "personnelnumber", "staffid", "staffnumber", "badgeid", "badgenumber", "driverid", "drivernumber"] },
    Words { email: &["emailadresse", "mailadresse"], first: &["vorname", "vornamen", "rufname"], last: &["nachname", "familienname", "zuname"], year: &["geburtsjahr", "jahrgang"], reference: &["personalnummer", "personalnr", "mitarbeiternummer", "mitarbeiternr", "mitarbeiterid", "ausweisnummer", "ausweisnr", "stammnummer", "referenznummer", "referenz"] },
    Words { email: &["courriel", "adressecourriel", "adresseelectronique", "adresseemail", "adressemail"], first: &["prenom", "prenoms"], last: &["nomdefamille"], year: &["anneedenaissance", "anneenaissance"], reference: &["matricule", "numeromatricule", "numerodematricule", "numeroemploye", "numerodemploye", "numerodebadge", "idemploye"] },
    Words { email: &["correo", "correoelectronico", "direcciondecorreo", "direcciondecorreoelectronico"], first: &["nombredepila", "primernombre"], last: &["apellido", "apellidos"], year: &["anodenacimiento", "anonacimiento"], reference: &["numerodeempleado", "numeroempleado", "noempleado", "nempleado", "codigodeempleado", "codigoempleado", "idempleado", "legajo", "referencia"] },
    Words { email: &["postaelettronica", "indirizzoemail", "indirizzomail", "indirizzodipostaelettronica"], first: &["nomedibattesimo"], last: &["cognome"], year: &["annodinascita", "annonascita"], reference: &["matricola", "numeromatricola", "numerodimatricola", "codicedipendente", "riferimento"] },
    Words { email: &["correioeletronico", "correioelectronico", "enderecodeemail"], first: &["primeironome", "nomeproprio"], last: &["apelido", "apelidos", "sobrenome", "ultimonome", "nomedefamilia"], year: &["anodenascimento", "anonascimento"], reference: &["matricula", "numerodefuncionario", "numerofuncionario", "nfuncionario", "codigofuncionario", "numeromecanografico", "numerodecolaborador"] },
    Words { email: &["emailadres", "mailadres"], first: &["voornaam", "voornamen", "roepnaam"], last: &["achternaam", "familienaam"], year: &["geboortejaar"], reference: &["personeelsnummer", "personeelsnr", "medewerkernummer", "medewerkersnummer", "medewerkernr", "badgenummer", "referentie"] },
    Words { email: &["adresemail", "pocztaelektroniczna", "adrespocztyelektronicznej"], first: &["imie", "imiona", "pierwszeimie"], last: &["nazwisko"], year: &["rokurodzenia"], reference: &["numerpracownika", "nrpracownika", "numerewidencyjny", "nrewidencyjny", "numersluzbowy", "identyfikatorpracownika"] },
    Words { email: &["epost", "epostadress", "mejl", "mejladress"], first: &["fornamn", "tilltalsnamn"], last: &["efternamn"], year: &["fodelsear"], reference: &["anstallningsnummer", "anstallningsnr", "anstallningsid", "anstnr", "referens"] },
    Words { email: &["epostadresse"], first: &["fornavn", "fornavne"], last: &["efternavn", "etternavn"], year: &["fodselsar", "fodselsaar"], reference: &["medarbejdernummer", "medarbejdernr", "lonnummer", "medarbeidernummer", "medarbeidernr", "ansattnummer", "ansattnr", "ansattid", "referanse"] },
    Words { email: &["sahkoposti", "sahkopostiosoite"], first: &["etunimi", "etunimet", "kutsumanimi"], last: &["sukunimi"], year: &["syntymavuosi"], reference: &["henkilonumero", "tyontekijanumero", "viitenumero"] },
    Words { email: &["emailovaadresa", "mailovaadresa", "elektronickaposta", "elektronickaadresa"], first: &["krestnijmeno"], last: &["prijmeni"], year: &["roknarozeni"], reference: &["osobnicislo", "cislozamestnance", "idzamestnance", "evidencnicislo"] },
];

/// Words that mean one part of a name beside a header of the other part, and by themselves may be the whole name: French
/// `Nom`, Spanish `Nombre`, Italian and Portuguese `Nome`, Czech `Jméno`.
const BESIDE: [(&str, Field, Field); 4] = [
    ("nom", Field::LastName, Field::FirstName),
    ("nombre", Field::FirstName, Field::LastName),
    ("nome", Field::FirstName, Field::LastName),
    ("jmeno", Field::FirstName, Field::LastName),
];

/// Words for a name as a whole, which no program can take apart.
const WHOLE_NAMES: &[&str] = &[
    "name",
    "names",
    "fullname",
    "employeename",
    "vollername",
    "nom",
    "nomcomplet",
    "nometprenom",
    "nomprenom",
    "nombre",
    "nombrecompleto",
    "nombreyapellidos",
    "apellidosynombre",
    "nome",
    "nomecompleto",
    "nominativo",
    "cognomeenome",
    "nomeecognome",
    "naam",
    "volledigenaam",
    "imieinazwisko",
    "nazwiskoiimie",
    "namn",
    "navn",
    "nimi",
    "kokonimi",
    "jmeno",
    "jmenoaprijmeni",
    "prijmeniajmeno",
];

/// Words for numbers that a state gives to people. They say more than a test needs, and are never taken by themselves.
const NATIONAL_IDS: &[&str] = &[
    "nationalid",
    "socialsecuritynumber",
    "ssn",
    "nationalinsurancenumber",
    "sozialversicherungsnummer",
    "svnummer",
    "steuerid",
    "numerodesecuritesociale",
    "nir",
    "dni",
    "nif",
    "nie",
    "codicefiscale",
    "cpf",
    "niss",
    "bsn",
    "burgerservicenummer",
    "pesel",
    "personnummer",
    "cpr",
    "cprnummer",
    "cprnr",
    "fodselsnummer",
    "henkilotunnus",
    "hetu",
    "rodnecislo",
];

/// Words for a whole date of birth, of which `--birth-date` takes the year.
const BIRTH_DATES: &[&str] = &[
    "birthdate",
    "dateofbirth",
    "birthday",
    "dob",
    "geburtsdatum",
    "geburtstag",
    "datedenaissance",
    "datenaissance",
    "fechadenacimiento",
    "fechanacimiento",
    "datadinascita",
    "datanascita",
    "datadenascimento",
    "datanascimento",
    "geboortedatum",
    "dataurodzenia",
    "fodelsedatum",
    "fodelsedag",
    "fodselsdato",
    "fodselsdag",
    "syntymaaika",
    "syntymapaiva",
    "datumnarozeni",
];

/// What a header is about that no field holds as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unmapped {
    /// A name as a whole.
    WholeName,
    /// A number that a state gives.
    NationalId,
    /// A whole date of birth.
    BirthDate,
}

/// Every spelling of a field.
pub(super) fn spellings(field: Field) -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(move |words| words.of(field)).copied()
}

impl Words {
    fn of(&self, field: Field) -> &'static [&'static str] {
        match field {
            Field::Email => self.email,
            Field::FirstName => self.first,
            Field::LastName => self.last,
            Field::BirthYear => self.year,
            Field::ReferenceId => self.reference,
            Field::EntryId => &["projectentryid", "entryid", "id"],
        }
    }
}

/// What a header in the form of [`folded`] means by itself.
pub(super) fn field_of(header: &str) -> Option<Field> {
    Field::ALL.into_iter().find(|field| spellings(*field).any(|word| word == header))
}

/// What a header means beside a header of the other part of a name.
pub(super) fn field_beside(header: &str, others: impl Fn(Field) -> bool) -> Option<Field> {
    let (_, field, beside) = BESIDE.into_iter().find(|(word, ..)| *word == header)?;
    others(beside).then_some(field)
}

/// What a header in the form of [`folded`] is about, if it is one of those that are never mapped by themselves.
pub(super) fn unmapped(header: &str) -> Option<Unmapped> {
    let kinds =
        [(WHOLE_NAMES, Unmapped::WholeName), (NATIONAL_IDS, Unmapped::NationalId), (BIRTH_DATES, Unmapped::BirthDate)];
    kinds.into_iter().find_map(|(words, kind)| words.contains(&header).then_some(kind))
}

/// A header in small letters without white space, punctuation and accents, however those are encoded.
pub(super) fn folded(header: &str) -> String {
    header.chars().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).map(without_accent).collect()
}

fn without_accent(c: char) -> char {
    match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ř' => 'r',
        'ś' | 'š' => 's',
        'ť' => 't',
        'ù' | 'ú' | 'û' | 'ü' | 'ů' => 'u',
        'ý' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_word_means_two_fields_and_none_that_is_never_mapped_means_one() {
        let mut meanings: HashMap<&str, Field> = HashMap::new();
        for field in Field::ALL {
            for word in spellings(field) {
                assert_eq!(folded(word), word, "stands in the table as headers are compared");
                assert_eq!(*meanings.entry(word).or_insert(field), field, "{word}");
                assert_eq!(unmapped(word), None, "{word}");
            }
        }
        for words in [WHOLE_NAMES, NATIONAL_IDS, BIRTH_DATES] {
            for word in words {
                assert_eq!(folded(word), *word, "stands in the table as headers are compared");
            }
        }
    }

    #[test]
    fn every_language_has_words_for_all_five_fields() {
        for (number, words) in LANGUAGES.iter().enumerate() {
            for field in Field::ALL {
                assert!(!words.of(field).is_empty(), "language {number} has no word for {field}");
            }
        }
    }

    #[test]
    fn headers_of_thirteen_languages_are_understood_with_accents_and_without() {
        let headers = [
            ("E-Mail-Adresse", Field::Email),
            ("Personalnummer", Field::ReferenceId),
            ("Geburtsjahr", Field::BirthYear),
            ("Courriel", Field::Email),
            ("PRÉNOM", Field::FirstName),
            ("Pre\u{301}nom", Field::FirstName),
            ("Année de naissance", Field::BirthYear),
            ("Correo electrónico", Field::Email),
            ("Año de nacimiento", Field::BirthYear),
            ("Cognome", Field::LastName),
            ("Matrícula", Field::ReferenceId),
            ("Achternaam", Field::LastName),
            ("Imię", Field::FirstName),
            ("Förnamn", Field::FirstName),
            ("Fødselsår", Field::BirthYear),
            ("Sähköposti", Field::Email),
            ("Příjmení", Field::LastName),
            ("Osobní číslo", Field::ReferenceId),
        ];
        for (header, field) in headers {
            assert_eq!(field_of(&folded(header)), Some(field), "{header}");
        }
    }

    #[test]
    fn a_word_for_a_part_of_a_name_counts_beside_the_other_part_alone() {
        assert_eq!(field_beside("nom", |field| field == Field::FirstName), Some(Field::LastName));
        assert_eq!(field_beside("nome", |field| field == Field::LastName), Some(Field::FirstName));
        assert_eq!(field_beside("nome", |_| false), None);
        assert_eq!(field_beside("name", |_| true), None);
        assert_eq!(unmapped("nome"), Some(Unmapped::WholeName));
    }
}
