//! What cron does with results: whole files.

mod export;
mod projects;
mod report;
