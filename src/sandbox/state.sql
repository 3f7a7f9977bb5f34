-- The tables of a sandbox: projects, the people enrolled in them, links, redirect URIs.
CREATE TABLE service (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL);
CREATE TABLE projects (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, name_folded TEXT NOT NULL,
    created INTEGER NOT NULL, modified INTEGER NOT NULL, state TEXT NOT NULL, response TEXT NOT NULL,
    next_entry INTEGER NOT NULL DEFAULT 1);
CREATE TABLE test_takers (
    project INTEGER NOT NULL, entry INTEGER NOT NULL, id TEXT NOT NULL, email TEXT NOT NULL,
    email_folded TEXT NOT NULL, reference_id TEXT, reference_folded TEXT, first_name TEXT, last_name TEXT,
    full_name TEXT NOT NULL, full_name_folded TEXT NOT NULL, birth_year INTEGER, result TEXT,
    severity INTEGER NOT NULL DEFAULT 0, completed INTEGER, sent INTEGER, top_performer INTEGER NOT NULL DEFAULT 0,
    identity_status TEXT NOT NULL DEFAULT '', created INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0,
    removed_at INTEGER,
    PRIMARY KEY (project, entry)) WITHOUT ROWID;
CREATE INDEX test_takers_by_reference ON test_takers (project, reference_id);
CREATE INDEX test_takers_by_email ON test_takers (project, email_folded);
CREATE TABLE links (
    token TEXT PRIMARY KEY, project INTEGER NOT NULL, entry INTEGER NOT NULL, expires INTEGER NOT NULL,
    redirect_uri TEXT, ended TEXT, finished INTEGER) WITHOUT ROWID;
CREATE INDEX links_by_entry ON links (project, entry);
CREATE TABLE redirect_uris (seq INTEGER PRIMARY KEY, uri TEXT NOT NULL, folded TEXT NOT NULL UNIQUE);
