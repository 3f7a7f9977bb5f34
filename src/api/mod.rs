//! The thin HTTP layer: one function sends, the throttle paces, one pure machine walks pages, and each of the 13 operations
//! is one method.
//!
//! What answers mean and what is repeated follows one table (see `error::Class` and `send::Repeat`). Reads and
//! operations that are safe to repeat are repeated here; an enrolment and a test link get exactly one attempt a call,
//! because the caller must know of each attempt.

mod certificate;
mod circuit_breaker;
mod connect;
mod convergence;
mod count_proof;
mod decode;
mod error;
mod key_set;
mod limiter;
mod limits;
mod links;
mod listed;
mod listing;
mod own_certificate;
mod page;
#[cfg(test)]
mod paging_model;
mod path;
mod probe;
mod projects;
mod record_file;
mod record_key;
mod record_table;
mod redaction;
mod redirect_uris;
mod rejection;
mod results;
mod retries;
mod retry_after;
mod send;
mod success_body;
mod testtakers;
mod throttle;
mod transport;
mod verified_list;
mod walk;
#[cfg(test)]
mod walk_model;

pub use connect::{Client, Connection, Exchange};
pub use error::{Class, Error, Kind, SetupFault};
pub use key_set::IdBitmap;
pub use limits::time_for;
pub use listed::{Listed, Read};
pub use listing::Listing;
pub use probe::{Certificate, Route, connect, fetch_certificate, resolve};
pub use projects::ProjectQuery;
pub use results::{LegacyQuery, SingleResult};
pub use retries::{ATTEMPTS, LONGEST_WAIT, backoff, backoff_ceiling};
pub use testtakers::PeopleQuery;
pub use throttle::Stats;
pub use transport::is_no_such_host;
pub use verified_list::VerifiedList;
