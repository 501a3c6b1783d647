//! The counts of a row, where the tools for them are installed.

use super::rows::Row;
use crate::{callgrind, strace};

/// Missing tool for counts.
#[derive(Clone, Debug)]
pub struct Tools {
    /// Missing tool to count system calls.
    pub strace: Option<String>,
    /// Missing tool to count instructions.
    pub valgrind: Option<String>,
}

impl Tools {
    /// Looks for the tools.
    #[must_use]
    pub fn find() -> Self {
        Self {
            strace: strace::missing(),
            valgrind: callgrind::missing(),
        }
    }

    /// Returns the system calls of a warm call, in tenths.
    #[must_use]
    pub fn system_calls(&self, row: &Row) -> Option<usize> {
        let count = || strace::count(&row.function, &row.program);
        self.strace.is_none().then(count)
    }

    /// Returns the instructions of a warm call. `None` if they cannot be counted.
    #[must_use]
    pub fn instructions(&self, row: &Row) -> Option<u64> {
        let can = self.valgrind.is_none() && row.is_countable;
        can.then(|| callgrind::count(&row.function, &row.program))
    }
}
