//! The version of the stored form.

/// The version of the records that this release writes, and the newest that it reads. A reader
/// needs to know this version, so it rises only when the meaning of a record changes, and not when a
/// field is added.
///
/// Version 1 was JSON in redb and attributes without a common source in DynamoDB. No release wrote
/// it.
pub const VERSION: u8 = 2;

/// The oldest version that this release reads.
pub const OLDEST_VERSION: u8 = 2;
