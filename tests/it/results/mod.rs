//! What cron does with results: whole files, and alerts that are told at least once.

mod changes;
mod export;
mod projects;
mod report;
