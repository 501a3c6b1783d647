//! Starts AWS emulators on loopback for the tests that need them.
