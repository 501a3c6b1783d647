//! A record of what happened, in order: a hash of everything, and readable lines when a seed is replayed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use countersign_domain::primitives::time::Timestamp;

/// A function that receives each line.
type Reader = Box<dyn FnMut(&str) + Send>;

/// The trace of one run.
pub struct Trace {
    hasher: DefaultHasher,
    /// Receives each line, if the trace has a reader.
    reader: Option<Reader>,
}

impl Trace {
    /// Creates a trace that keeps only a hash.
    #[must_use]
    pub fn hashed() -> Self {
        Self {
            // An unkeyed hasher, so that the hashes of two runs can be compared.
            hasher: DefaultHasher::new(),
            reader: None,
        }
    }

    /// Creates a trace that passes each line to `reader` as it is written.
    #[must_use]
    pub fn read_by(reader: impl FnMut(&str) + Send + 'static) -> Self {
        Self {
            reader: Some(Box::new(reader)),
            ..Self::hashed()
        }
    }

    /// Adds an event.
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

    /// Returns the hash of all events.
    pub(crate) fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}
