//! Confirmations and logins that pages started, kept in memory under unguessable tokens.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::primitives::entropy::Entropy;

/// Generates a random token: 128 bits, base64url.
pub(super) fn new_token(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// The most recent items of one kind.
pub(super) struct LatestItems<T> {
    most: usize,
    kept: Mutex<VecDeque<(String, Arc<T>)>>,
}

impl<T> LatestItems<T> {
    /// Creates an empty collection with room for `most` items.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            kept: Mutex::default(),
        }
    }

    /// Stores an item under its token, and evicts the oldest if the collection is full.
    pub(super) fn keep(&self, token: String, one: T) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == self.most {
            kept.pop_front();
        }
        kept.push_back((token, Arc::new(one)));
    }

    /// Returns the item with this token.
    pub(super) fn find(&self, token: &str) -> Option<Arc<T>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(known, _)| known == token);
        found.map(|(_, one)| Arc::clone(one))
    }
}
