//! A list is the whole list, or it is an error.

mod files;
mod page_faults;
mod projects;
mod whole;
