//! Tests of the running service, resource by resource, and one for each reading.

mod client;
mod faults;
mod links;
mod lists;
mod openapi;
mod projects;
mod redirect_uris;
mod requests;
mod results;
mod state;
mod testtakers;
