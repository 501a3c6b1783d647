//! Who waits for a session to change.

use std::str::FromStr;

use thiserror::Error;

/// How many connections watch one session at most. A page has one; after a lost connection the old
/// one may linger beside the new.
pub const MAX_WATCHERS: usize = 4;

/// Names an open connection of a watching browser, in the words of whatever carries it (on AWS the
/// WebSocket API's connection id): 1 to 128 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatcherId(String);

/// A text that names no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a connection's name is 1 to 128 visible ASCII characters")]
pub struct MalformedWatcherId;

impl WatcherId {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WatcherId {
    type Err = MalformedWatcherId;

    /// Reads a connection's name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=128).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedWatcherId)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_visible() {
        assert!("L0SM9cOFvHcCIhw=".parse::<WatcherId>().is_ok());
        for bad in ["", "a b", "ä", &"a".repeat(129)] {
            assert!(bad.parse::<WatcherId>().is_err(), "{bad:?}");
        }
    }
}
