//! tests/load
