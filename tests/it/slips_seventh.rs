//! First guesses of three more people, by their kinds: commands and options in other spellings, several slips in a line,
//! and words of gcloud, az, heroku, sf, terraform, kubectl and psql.

use crate::slips::Comes::{self, Line, Thing};
use crate::slips::prepared;

pub(crate) const SEVENTH_GUESSES: &[(&str, Comes)] = &[
    // Noun and verb in one word.
    ("employees:list", Thing),
    ("list-projects", Thing),
    ("projects:list -o json", Thing),
    ("results_list -p Demo", Thing),
    ("apps:create 'Night Shift'", Line("did you mean `assessctl projects create 'Night Shift'`?")),
    ("projects:rename Demo Demo2", Line("projects are changed and deleted in the portal alone")),
    ("bulk-enroll people.csv Demo", Line("did you mean `assessctl testtakers import people.csv -p Demo`?")),
    ("users:info A-1", Line("write `assessctl testtakers get ref:REFERENCE_ID`")),
    // A noun without its verb.
    (
        "results --flagged -o json -p Demo",
        Line("did you mean `assessctl results list --flagged --output json -p Demo`?"),
    ),
    ("results --since 24h", Line("did you mean `assessctl results list --completed-since 24h`?")),
    ("links A-1", Line("write `assessctl links issue ref:REFERENCE_ID`")),
    (
        "links A-1 -p Demo --expires 48h",
        Line(
            "leave it out: how long a link works is the service's, 24 hours (`assessctl links issue ref:REFERENCE_ID -p Demo`)",
        ),
    ),
    ("results A-1", Line("did you mean `assessctl results get REFERENCE_ID`?")),
    ("projects Demo", Line("did you mean `assessctl projects get Demo`?")),
    ("sandbox serve --key abc", Line("`--key-file FILE` has the key")),
    // A project by itself.
    ("results list Demo", Line("did you mean `assessctl results list -p Demo`?")),
    ("testtakers upload people.csv Demo", Line("did you mean `assessctl testtakers import people.csv -p Demo`?")),
    ("copy people.csv demo:", Line("did you mean `assessctl testtakers import people.csv -p demo`?")),
    (
        "testtakers get A-1 -n Demo -o yaml",
        Line("did you mean `assessctl testtakers get ref:REFERENCE_ID -p Demo --output json`?"),
    ),
    ("use-project Demo", Line("did you mean `assessctl config set project Demo`?")),
    // Other spellings of options and fields.
    ("testtakers list -project Demo -json", Thing),
    ("testtakers list --fields reference_id,first_name", Thing),
    (
        "results list --columns reference,score,completed_at",
        Line("did you mean `--fields referenceId,result,dateCompleted`?"),
    ),
    (
        "testtakers list --json email,referenceId",
        Line("did you mean `assessctl testtakers list --output json --fields email,referenceId`?"),
    ),
    // Expressions over the output.
    ("testtakers list --format '{{.Email}}'", Line("did you mean `assessctl testtakers list --jq '.[].email'`?")),
    (
        "testtakers list -o jsonpath='{.items[*].email}'",
        Line("did you mean `assessctl testtakers list --jq '.[].email'`?"),
    ),
    ("testtakers list --query '[].email' -o tsv", Line("did you mean `assessctl testtakers list --jq '.[].email'`?")),
    ("projects list --format='value(name)'", Line("did you mean `assessctl projects list --jq '.[].name'`?")),
    ("projects get Demo --format='value(name)'", Line("did you mean `assessctl projects get Demo --jq .name`?")),
    (
        "results list --format='csv(reference,email,flagged)'",
        Line("did you mean `assessctl results list --fields referenceId,email,result --output csv`?"),
    ),
    (
        "projects list -o custom-columns=ID:.id,NAME:.spec.name",
        Line("did you mean `assessctl projects list --fields id,name`?"),
    ),
    ("results list --sort-by=.lastName", Line("did you mean `assessctl results list --jq 'sort_by(.lastName)'`?")),
    (
        "testtakers list --sort email --order desc",
        Line("did you mean `assessctl testtakers list --jq 'sort_by(.email) | reverse'`?"),
    ),
    // Times.
    (
        "results list --from 2026-01-01 --to 2026-01-31",
        Line(
            "did you mean `assessctl results list --completed-since 2026-01-01T00:00:00Z --jq '[.[] | select(.dateCompleted != null and .dateCompleted < \"2026-02-01\")]'`?",
        ),
    ),
    (
        "results list --before 2026-01-31 -o json",
        Line(
            "did you mean `assessctl results list --jq '[.[] | select(.dateCompleted != null and .dateCompleted < \"2026-01-31\")]' --output json`?",
        ),
    ),
    ("results list --max-age 24h", Line("did you mean `assessctl results list --completed-since 24h`?")),
    (
        "results list --created.gte 2026-01-01",
        Line("did you mean `assessctl results list --completed-since 2026-01-01T00:00:00Z`?"),
    ),
    // Fields that are set.
    (
        "testtakers edit A-1 --set lastName=Miller",
        Line("did you mean `assessctl testtakers update ref:REFERENCE_ID --last-name NAME`?"),
    ),
    (
        "testtakers create -d email=zoe@example.com -d reference=E-1 -d project=Demo",
        Line("did you mean `assessctl testtakers enrol --email ADDRESS --reference-id REFERENCE_ID -p Demo`?"),
    ),
    (
        "testtakers add zoe@example.com --name 'Zoe Day'",
        Line("did you mean `assessctl testtakers enrol --email ADDRESS --first-name NAME --last-name NAME`?"),
    ),
    (
        "testtakers set A-1 email=new@example.com",
        Line("did you mean assessctl testtakers update? The service changes no e-mail"),
    ),
    ("testtakers update A-1 -p Demo --email new@example.com", Line("the service changes no e-mail")),
    ("testtakers get --id A-1 --json", Line("did you mean `assessctl testtakers get ref:REFERENCE_ID --output json`?")),
    ("testtakers find --email ann@example.com", Line("did you mean `assessctl testtakers get email:ADDRESS`?")),
    ("testtakers rm -f A-1 B-2", Line("did you mean `assessctl testtakers remove --yes ref:REFERENCE_ID`?")),
    // Several slips at once.
    (
        "projects create --name 'Night Shift' --description 'Plant 2'",
        Line("did you mean `assessctl projects create 'Night Shift'`?"),
    ),
    (
        "testtakers import people.csv --upsert --external-id reference",
        Line("did you mean `assessctl testtakers import people.csv --on-existing update`?"),
    ),
    (
        "testtakers import people.csv --batch-size 2 --async",
        Line("did you mean `assessctl testtakers import people.csv`?"),
    ),
    ("sandbox serve --port 8080 --daemon", Line("did you mean `assessctl sandbox serve --listen 127.0.0.1:8080`?")),
    ("testtakers import people.csv -auto-approve", Line("leave it out: nothing is asked")),
    (
        "results export --target-dir FOLDER -p Demo",
        Line("did you mean `assessctl results export --to-dir FOLDER -p Demo`?"),
    ),
    ("projects list --archived", Line("did you mean `assessctl projects list --state Inactive`?")),
    // Profiles.
    ("configure --profile prod", Line("did you mean `assessctl config init --name prod`?")),
    (
        "profile add prod --url https://a.example --token-file key.txt",
        Line("did you mean `assessctl config init --name prod --base-url https://a.example --api-key-file key.txt`?"),
    ),
    (
        "login --profile prod --api-key sk_1",
        Line("did you mean `assessctl config init --name prod`? It asks for the address and the key"),
    ),
    ("config configurations create prod", Line("did you mean `assessctl config init --name prod`?")),
    ("profiles use prod", Line("did you mean `assessctl config use prod`?")),
    ("org list", Thing),
    ("-v", Thing),
    // A list of its own in other styles: gcloud, terraform, fly, npm, psql, az.
    ("get-results -p Demo --flagged", Thing),
    ("groups list", Thing),
    ("workspace list", Thing),
    ("-p Demo results list -o yaml", Line("did you mean `assessctl results list --output json -p Demo`?")),
    ("workspace select prod", Line("did you mean `assessctl config use prod`?")),
    (
        "projects list --sort-by=~dateCreated",
        Line("did you mean `assessctl projects list --order-by DateCreated --order Desc`?"),
    ),
    ("testtakers list -n 5", Line("did you mean `assessctl testtakers list --limit 5`?")),
    ("testtakers list --page-token abc", Line("leave it out: a list is the whole list")),
    ("results list --where 'result=HighRisk'", Line("did you mean `assessctl results list --result HighRisk`?")),
    ("results list --where status=completed", Line("did you mean `assessctl results list --completed-only`?")),
    ("results list --tail 10", Line("did you mean `assessctl results list --jq 'sort_by(.dateCompleted) | .[-10:]'`?")),
    (
        "testtakers list -o table --query '[].{Name:fullName,Mail:email}'",
        Line("did you mean `assessctl testtakers list --output table --fields fullName,email`?"),
    ),
    ("testtakers get --ids A-1", Line("did you mean `assessctl testtakers get ref:REFERENCE_ID`?")),
    ("testtakers get A-1 Demo", Line("write `assessctl testtakers get ref:REFERENCE_ID -p Demo`")),
    ("testtakers remove people.csv Demo", Line("write `assessctl testtakers remove --file people.csv -p Demo`")),
    ("destroy -target=A-1", Line("did you mean `assessctl testtakers remove ref:REFERENCE_ID`?")),
    ("deploy people.csv", Line("did you mean `assessctl testtakers import people.csv`?")),
    ("auth application-default login", Line("did you mean `assessctl config init`?")),
    ("auth print-access-token", Line("no key is printed: `assessctl config show`")),
    ("-c 'select * from people'", Line("`assessctl help` tells what")),
    ("results list --days 7", Line("did you mean `assessctl results list --completed-since 7d`?")),
    ("projects Demo results list", Line("`assessctl help` tells what")),
    ("links issue --everyone --to links.csv", Line("did you mean `assessctl links issue --all --to links.csv`?")),
    (
        "testtakers import people.csv Demo --test",
        Line("did you mean `assessctl testtakers import people.csv -p Demo --dry-run`?"),
    ),
    ("results latest", Line("`assessctl results list --completed-since 24h`")),
    // Nouns of other programs.
    ("cluster-info", Thing),
    ("autocomplete bash", Thing),
    ("runs list", Thing),
    ("explain people", Line("`assessctl schema testtakers list` describes")),
    ("rollout undo", Line("did you mean `assessctl journal undo FILE.csv`?")),
    (
        "listen --forward-to http://localhost:4242/hook",
        Line("there are no webhooks: `assessctl results changes -o ndjson`"),
    ),
    ("reports download A-1 --format pdf", Line("there is no PDF: `assessctl results get REFERENCE_ID`")),
    ("invitations list --status pending", Line("`assessctl results list --not-completed`")),
    (
        "reminders send -p Demo",
        Line("nothing is mailed from here: `assessctl results list --not-completed --to open.csv -p Demo`"),
    ),
    ("data export", Line("`assessctl results export --all-projects --to FILE.csv`")),
    ("projects unarchive Demo", Line("projects are changed and deleted in the portal alone")),
];

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
