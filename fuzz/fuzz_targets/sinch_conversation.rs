//! Runs the target `sinch_conversation` of `countersign-fuzz-targets`.
#![no_main]

use countersign_fuzz_targets::check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check("sinch_conversation", input));
