//! Readings.
/// A reading.
pub struct Reading;
/// All.
pub fn readings() -> &'static [Reading] {
    &[]
}
