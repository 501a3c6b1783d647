//! The native library of the mobile SDK for Kotlin and Swift: the core's interface of foreign languages.

countersign_sdk::uniffi_reexport_scaffolding!();
