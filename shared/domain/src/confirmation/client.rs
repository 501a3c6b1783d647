//! The channel that tells the caller's page that its confirmation has changed.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::app::code::Code;
use crate::primitives::token::{Holder, Token, TokenHash};
use crate::primitives::watcher::WatcherId;

/// The page that shows a confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {}

impl Holder for Page {
    const DOMAIN: &'static [u8] = b"countersign/confirmation/client-token/1\0";
    const NAME: &'static str = "ClientToken";
}

/// The token with which a page gets the status of its confirmation, and nothing else about it.
pub type ClientToken = Token<Page>;

/// The stored hash of a [`ClientToken`].
pub type ClientTokenHash = TokenHash<Page>;

impl ClientToken {
    /// Derives the token from the confirmation's code, which the page shows anyway. The answer to a
    /// replayed request therefore contains the same token, although it is not stored. The code cannot
    /// be computed from the token.
    #[must_use]
    pub fn from_code(code: &Code) -> Self {
        let digest = Sha256::new()
            .chain_update(b"countersign/confirmation/client/1\0")
            .chain_update(code.symbols())
            .finalize();
        Self::from_bytes(digest.into())
    }
}

/// The state of a confirmation's page.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    pub token: ClientTokenHash,
    /// The latest connection, which is notified when the number is verified or a text misses.
    pub watcher: Option<WatcherId>,
}

impl Client {
    /// Creates the channel of a new confirmation.
    #[must_use]
    pub fn new(token: &ClientToken) -> Self {
        Self {
            token: token.hash(),
            watcher: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    #[test]
    fn token_depends_on_the_code_and_does_not_tell_it() {
        let [one, two] = [1, 2].map(|n| Code::generate(&FixedEntropy(n)));
        let token = ClientToken::from_code(&one);
        assert_eq!(token.hash(), ClientToken::from_code(&one).hash());
        assert_ne!(token.hash(), ClientToken::from_code(&two).hash());
        assert!(!format!("{:?}", Client::new(&token)).contains(&token.reveal()));
    }
}
