//! What pages began, in memory, each by a token that cannot be guessed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::primitives::entropy::Entropy;

/// A random name: 128 bits, base64url.
pub(super) fn token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The latest of a kind.
pub(super) struct Latest<T> {
    most: usize,
    kept: Mutex<VecDeque<(String, Arc<T>)>>,
}

impl<T> Latest<T> {
    /// None yet, and never more than `most`.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// Keeps one under its token. The oldest makes room.
    pub(super) fn keep(&self, token: String, one: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == self.most {
            kept.pop_front();
        }
        kept.push_back((token, Arc::new(one)));
    }

    /// The one with this token.
    pub(super) fn find(&self, token: &str) -> Option<Arc<T>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(known, _)| known == token);
        found.map(|(_, one)| Arc::clone(one))
    }
}
