//! Runs the target `vonage_sms` of `countersign-fuzz-targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| countersign_fuzz_targets::check("vonage_sms", input));
