//! How records are shown: fields, table, CSV, JSON, the terminal door, files.
