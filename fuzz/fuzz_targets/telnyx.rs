//! Runs the target `telnyx` of `countersign-fuzz-targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| countersign_fuzz_targets::check("telnyx", input));
