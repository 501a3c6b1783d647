//! What happened, in order: a hash of all of it, and lines to read where one seed is replayed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use countersign_domain::primitives::time::Timestamp;

/// Who reads lines.
type Reader = Box<dyn FnMut(&str) + Send>;

/// The trace of one run.
pub struct Trace {
    hasher: DefaultHasher,
    /// Who reads its lines, if somebody does.
    reader: Option<Reader>,
}

impl Trace {
    /// A trace that keeps its hash alone.
    #[must_use]
    pub fn hashed() -> Self {
        Self {
            // Not keyed: the same in each run.
            hasher: DefaultHasher::new(),
            reader: None,
        }
    }

    /// A trace whose lines are read as they come.
    #[must_use]
    pub fn read_by(reader: impl FnMut(&str) + Send + 'static) -> Self {
        Self {
            reader: Some(Box::new(reader)),
            ..Self::hashed()
        }
    }

    /// Notes something.
    pub(crate) fn note(
        &mut self,
        now: Timestamp,
        process: usize,
        name: &str,
        what: &'static str,
        detail: impl FnOnce() -> String,
    ) {
        (now, process, what).hash(&mut self.hasher);
        if let Some(read) = &mut self.reader {
            read(&format!("{now} {name:<12} {what:<22} {}", detail()));
        }
    }

    /// The hash of everything noted.
    pub(crate) fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}
