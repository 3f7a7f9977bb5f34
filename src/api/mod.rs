//! The thin HTTP layer: one function sends, the gate paces, one pure machine walks pages.
