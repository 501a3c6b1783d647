//! Runs the target `end_user_messaging` of `countersign-fuzz-targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| countersign_fuzz_targets::check("end_user_messaging", input));
