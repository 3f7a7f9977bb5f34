//! What travels, compared with what was typed from the specification.

mod records;
mod requests;
mod sandbox;
