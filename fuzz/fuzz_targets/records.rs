//! Runs the target `records` of `countersign-fuzz-targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| countersign_fuzz_targets::check("records", input));
