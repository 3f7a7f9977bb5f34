//! The embedded service: a model of the assessment service over real HTTP on loopback.
