//! The version of the stored form.

/// The version of the records that this release writes, and the newest version that it reads. Older
/// releases refuse records of a newer version. It therefore rises only when the meaning of a record
/// changes, and not when a field is added.
///
/// No release wrote the versions before 3.
pub const VERSION: u8 = 3;

/// The oldest version that this release reads.
pub const OLDEST_VERSION: u8 = 3;
