//! Guesses about test links, typed as for other programs, and what comes of each.

use crate::slips::Comes::{self, Line};

pub(crate) const LINKS: &[(&str, Comes)] = &[
    ("config set base-url --profile=main", Line("add VALUE")),
    ("config set base_url https://assess.example.com", Line("name another profile with --profile")),
    ("config set base_url=https://a.example --profile prod", Line("write `assessctl config set KEY VALUE`")),
    ("invite A-1", Line("nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID --to links.csv` writes")),
    ("link create --email ann@example.com --project Demo", Line("did you mean `assessctl links issue`?")),
    ("links A-1", Line("write `assessctl links issue ref:REFERENCE_ID`")),
    (
        "links A-1 -p Demo --expires 48h",
        Line(
            "leave it out: how long a link works is the service's, 24 hours (`assessctl links issue ref:REFERENCE_ID -p Demo`)",
        ),
    ),
    ("links cancel ref:A-1", Line("a new link voids the old one")),
    (
        "links create -p Demo",
        Line("did you mean `assessctl links issue -p Demo ref:REFERENCE_ID`? Or --file FILE or --all in its place"),
    ),
    (
        "links create -p Demo --all --expires-in 7d",
        Line("did you mean `assessctl links issue -p Demo --all`? Leave --expires-in out"),
    ),
    ("links create -p Demo --all -o csv", Line("did you mean `assessctl links issue`?")),
    ("links create ann@example.com -p Demo", Line("did you mean `assessctl links issue`?")),
    ("links create ref:A-1", Line("did you mean `assessctl links issue`?")),
    ("links issue", Line("add TEST_TAKER or --file FILE or --all")),
    ("links issue --all --expires-in 7d", Line("leave it out: how long a link works is the service's")),
    ("links issue --all --to links.xlsx", Line("add --to FILE.csv")),
    ("links issue --all -p Demo --to links.csv -y", Line("leave it out: nothing is asked here (`assessctl links")),
    ("links issue --everyone --to links.csv", Line("did you mean `assessctl links issue --all --to links.csv`?")),
    ("links issue --pending-only", Line("`assessctl results list --not-completed --to open.csv`")),
    ("links issue --stdin", Line("`--file -` reads standard input")),
    ("links issue -p Demo --all --to links.csv --yes", Line("leave it out: nothing is asked here")),
    ("links issue -p Demo --pending", Line("`assessctl results list --not-completed --to open.csv`")),
    ("links issue -p Demo email:ann@example.com --lang de", Line("leave it out: the service takes no language")),
    ("links issue -p Demo email:ann@example.com --qr", Line("leave it out: a test link is one person's for a day")),
    ("links issue people.csv", Line("write `assessctl links issue --file")),
    ("links issue ref:A-1 --copy", Line("`--fields url --no-header -o csv`")),
    ("links issue ref:A-1 --expires 48h", Line("leave it out: how long a link works is the service's")),
    ("links issue ref:A-1 --force", Line("leave it out: people who are named get a new link")),
    ("links issue ref:A-1 --valid-for 7d", Line("leave it out: how long a link works is the service's")),
    ("links issue ref:A-1 ref:nobody", Line("`assessctl testtakers list --filter TEXT` searches")),
    ("links list", Line("links cannot be read again")),
    ("links list -p Demo", Line("links cannot be read again")),
    (
        "links mail --not-tested",
        Line("nothing is mailed from here: `assessctl results list --not-completed --to open.csv`"),
    ),
    ("links regenerate", Line("did you mean `assessctl links issue`?")),
    ("links resend ref:A-1", Line("nothing is mailed from here: `assessctl links issue ref:REFERENCE_ID` prints")),
    ("links revoke ann@example.com -p Demo", Line("a new link voids the old one")),
    ("links revoke ref:A-1", Line("a new link voids the old one")),
    ("links send -p Demo", Line("nothing is mailed from here")),
];
