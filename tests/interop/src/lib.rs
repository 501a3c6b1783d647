//! tests/interop
