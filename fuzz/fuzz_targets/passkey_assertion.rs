//! Runs the target `passkey_assertion` of `countersign-fuzz-targets`.
#![no_main]

use countersign_fuzz_targets::check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check("passkey_assertion", input));
