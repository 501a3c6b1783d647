//! tests/conformance
