//! Users of the operating system.

use std::fmt;

use nix::unistd::{Uid, User as Account};

/// A user of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct User(Uid);

impl User {
    /// Returns the user of this process.
    pub(crate) fn current() -> Self {
        Self(Uid::effective())
    }

    pub(crate) const fn of_id(id: u32) -> Self {
        Self(Uid::from_raw(id))
    }
}

/// Writes the name, or the numeric id if the user has no name.
impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Account::from_uid(self.0) {
            Ok(Some(account)) => f.write_str(&account.name),
            _ => write!(f, "uid {}", self.0),
        }
    }
}
