//! Drives the real program from outside: its own sandbox, sockets that answer typed bytes, and a terminal.

#![cfg(test)]
#![allow(clippy::disallowed_methods, reason = "tests prepare the files that the program finds")]
#![allow(clippy::needless_raw_string_hashes, reason = "snapshots are written with them")]

mod alerts;
#[cfg(target_os = "linux")]
mod alerts_killed;
mod answers;
mod assessments;
mod bad_input;
mod campaign;
mod campaign_edits;
mod canary;
mod changes;
mod completions;
#[cfg(target_os = "linux")]
mod crash_calls;
#[cfg(target_os = "linux")]
mod crash_points;
#[cfg(target_os = "linux")]
mod crash_service;
mod crashes;
mod cron;
mod doctor;
mod doubts;
mod doubts_of_writes;
mod enrols;
mod exports;
mod exports_of_several;
mod forgetting;
mod formats;
mod habits;
mod handouts;
mod harness;
mod help;
mod home;
mod hostile;
mod http1;
mod http2;
mod imports;
mod journal;
mod journal_busy;
mod journal_secret;
#[cfg(feature = "jq")]
mod jq;
#[cfg(unix)]
mod kept;
mod late_updates;
mod layers;
mod leaks;
mod links_files;
mod links_in_bulk;
mod links_late;
mod links_of_others;
mod lists;
mod mask_messages;
mod masks;
mod memory_functions;
mod messages;
mod named;
mod nights;
mod nights_files;
mod nights_killed;
mod nights_movers;
mod nights_movers_oracle;
mod nights_oracle;
mod nights_site;
mod pace;
mod page_fault_commands;
mod page_faults;
mod parts_of_commands;
mod paths;
mod people;
mod picture;
mod projects;
mod protection;
mod pty;
mod readme;
mod rehearsals;
mod relations;
mod removed_and_listed;
mod results;
mod retries;
mod reused_entries;
mod rooms;
mod schemas;
mod screens;
mod settings;
mod shell;
mod slips;
mod slips_directories;
mod slips_hints;
mod slips_links;
mod slips_no_repeats;
mod slips_option_values;
mod slips_projects;
mod slips_rest;
mod slips_results;
mod slips_sentences;
mod slips_testtakers;
mod slips_whole_lines;
mod socket;
mod spreadsheets;
mod status;
mod supply;
mod sweeps;
mod sync;
mod sync_clocks;
mod sync_doubts;
mod sync_files;
mod sync_limits;
mod sync_movers;
mod sync_plans;
mod sync_replaced;
mod tasks;
mod terminals;
mod tls;
mod transport;
#[cfg(unix)]
mod two_accounts;
#[cfg(unix)]
mod two_accounts_trust;
mod wire;
mod witness;
mod witness_sandbox;
mod words;
mod workbooks;
