//! Backups: the whole content of a data directory in one file.
//!
//! A running server makes its own backup, a snapshot of one moment, and keeps serving meanwhile.

mod check;
pub(crate) mod file;
mod format;
mod restore;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use check::{check_backup, check_data};
pub(crate) use restore::restore;
pub(crate) use write::write;
