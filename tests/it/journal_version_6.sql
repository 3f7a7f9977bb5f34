-- The journal's tables as version 6 left them.
CREATE TABLE secret (only INTEGER PRIMARY KEY CHECK (only = 1), bytes BLOB NOT NULL CHECK (length(bytes) = 32));
CREATE TABLE scopes (
        scope INTEGER PRIMARY KEY, service TEXT NOT NULL, project TEXT NOT NULL, UNIQUE (service, project));
CREATE TABLE rows (
        number INTEGER PRIMARY KEY AUTOINCREMENT, scope INTEGER NOT NULL, key BLOB NOT NULL, email BLOB NOT NULL,
        reference BLOB, state TEXT NOT NULL CHECK (state IN ('open', 'free', 'refused', 'enrolled')),
        attempts INTEGER NOT NULL, intended INTEGER NOT NULL, until INTEGER NOT NULL, locked INTEGER NOT NULL,
        given_up INTEGER, known INTEGER, entry INTEGER, enrolment BLOB, before TEXT NOT NULL, line INTEGER NOT NULL, answered INTEGER NOT NULL DEFAULT 0, boot BLOB, ticks INTEGER, respelt INTEGER NOT NULL DEFAULT 0,
        UNIQUE (scope, key), CHECK ((state = 'enrolled') = (entry IS NOT NULL)));
CREATE INDEX rows_in_doubt ON rows (scope) WHERE state = 'open';
CREATE INDEX rows_by_entry ON rows (scope, entry) WHERE entry IS NOT NULL;
CREATE TABLE links (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, issued INTEGER NOT NULL,
        until INTEGER NOT NULL, seen INTEGER NOT NULL, result TEXT, completed TEXT, link BLOB, redirect BLOB,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;
CREATE TABLE removals (
        service TEXT NOT NULL, project TEXT NOT NULL, key BLOB NOT NULL, removed INTEGER NOT NULL,
        PRIMARY KEY (service, project, key)) WITHOUT ROWID;
CREATE TABLE consumers (
        consumer INTEGER PRIMARY KEY, service TEXT NOT NULL, project TEXT NOT NULL, shape TEXT NOT NULL,
        name TEXT NOT NULL, told INTEGER, telling BLOB, UNIQUE (service, project, shape, name));
CREATE TABLE told_results (
        consumer INTEGER NOT NULL, key NOT NULL, ordinal INTEGER NOT NULL, result BLOB NOT NULL, fields BLOB NOT NULL,
        told BLOB, until INTEGER, PRIMARY KEY (consumer, key, ordinal)) WITHOUT ROWID;
CREATE TABLE exported (
        service TEXT NOT NULL, target BLOB NOT NULL, project TEXT NOT NULL, had_results INTEGER NOT NULL,
        PRIMARY KEY (service, target, project)) WITHOUT ROWID;
CREATE TABLE link_intents (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, before BLOB,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;
CREATE INDEX rows_respelt ON rows (scope) WHERE respelt;
CREATE TABLE removing (
        service TEXT NOT NULL, project TEXT NOT NULL, entry INTEGER NOT NULL, key BLOB, begun INTEGER NOT NULL,
        PRIMARY KEY (service, project, entry)) WITHOUT ROWID;
PRAGMA application_id = 1634365036;
PRAGMA user_version = 6;
