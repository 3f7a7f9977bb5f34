//! The thin HTTP layer: one function sends, the throttle paces, one pure machine walks pages, and each of the 13 operations
//! is one method.
//!
//! What answers mean and what is repeated follows one table (see `error::Class` and `retries::Repeat`). Reads and
//! operations that are safe to repeat are repeated here; an enrolment and a test link get exactly one attempt a call,
//! because the caller must know of each attempt.

mod accepted_certificates;
mod adaptive_limiter;
mod circuit_breaker;
mod client;
mod connection_probe;
mod count_proof;
mod deadline;
mod error;
mod error_causes;
#[cfg(test)]
pub mod error_samples;
mod error_verdict;
mod list_builder;
mod list_record;
#[cfg(test)]
mod modelled_services;
mod no_answer;
mod page_text;
mod page_walk;
#[cfg(test)]
mod page_walk_model;
mod projects;
mod proxy;
mod read_list;
mod record_decode;
mod record_file;
mod record_key;
mod record_table;
mod redaction;
mod redirect_uris;
mod refused_certificate;
mod rejection;
mod request_limits;
mod results;
mod retries;
mod retry_after;
mod seen_records;
mod send;
mod success_body;
mod test_links;
mod testtakers;
mod throttle;
mod url_path;
mod whole_list;

pub use client::{Client, Connection, Exchange};
pub use connection_probe::{Certificate, connect, fetch_certificate, resolve};
pub use error::{Class, Error, Kind, SetupFault};
pub use list_builder::{UnreadPerson, VerifiedList};
pub use list_record::{Listed, Read};
pub use no_answer::is_no_such_host;
pub use projects::{ProjectQuery, word};
pub use proxy::Route;
pub use read_list::Listing;
pub use request_limits::time_for;
pub use results::{ResultSource, SingleResult};
pub use retries::{ATTEMPTS, backoff, backoff_ceiling};
pub use retry_after::LONGEST_WAIT;
pub use seen_records::IdBitmap;
pub use testtakers::PeopleQuery;
pub use throttle::{Stats, sleep_until};
