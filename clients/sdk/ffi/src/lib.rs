//! The native library of the mobile SDK for Kotlin and Swift: the core's interface for foreign
//! languages.

countersign_sdk::uniffi_reexport_scaffolding!();
