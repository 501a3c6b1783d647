//! Backups: everything that a data directory knows, in one file.
//!
//! A running server hands out its own, from one moment's state, and goes on meanwhile.

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
