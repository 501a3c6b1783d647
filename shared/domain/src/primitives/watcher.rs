//! Connections of browsers and phones that wait for a change.

use std::str::FromStr;

use serde::Serialize;
use serde_with::DeserializeFromStr;
use thiserror::Error;

/// The id of an open connection of a watching device, in the host's form (on AWS, the connection id
/// of the WebSocket API): 1 to 128 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct WatcherId(String);

/// The error for a malformed connection id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a connection id is 1 to 128 visible ASCII characters")]
pub struct MalformedWatcherId;

impl WatcherId {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WatcherId {
    type Err = MalformedWatcherId;

    /// Parses a connection id.
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
    fn connection_id_is_1_to_128_visible_ascii_characters() {
        assert!("L0SM9cOFvHcCIhw=".parse::<WatcherId>().is_ok());
        for bad in ["", "a b", "ä", &"a".repeat(129)] {
            assert!(bad.parse::<WatcherId>().is_err(), "{bad:?}");
        }
    }
}
