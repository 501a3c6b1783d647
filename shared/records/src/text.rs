//! The stored form of what providers' calls leave behind: nonces, and parts of texts.

use countersign_domain::confirmation::text::received::{
    ContentHash, KeptPart, KeptText, TakenNonce,
};
use serde::{Deserialize, Serialize};

use crate::entity::Entity;
use crate::error::RecordError;
use crate::value::{Bytes, Millis, Text};

/// A nonce, stored under its hash.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct NonceRecord<'a> {
    /// Hash of the body that it came with.
    #[serde(rename = "h")]
    content: Bytes<'a>,
    #[serde(rename = "p")]
    purge_at: Millis,
}

/// The parts of a text, stored under the hash of what they share.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct KeptTextRecord<'a> {
    #[serde(rename = "t")]
    parts: Vec<PartRecord<'a>>,
    #[serde(rename = "p")]
    purge_at: Millis,
}

/// One part.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
struct PartRecord<'a> {
    #[serde(rename = "n")]
    number: u8,
    #[serde(rename = "i")]
    message_id: Text<'a>,
    #[serde(rename = "x")]
    text: Text<'a>,
}

impl Entity for TakenNonce {
    type Id = ();
    type Record<'a> = NonceRecord<'a>;

    fn record(&self) -> NonceRecord<'_> {
        NonceRecord {
            content: (&self.content.0).into(),
            purge_at: self.purge_at.into(),
        }
    }

    fn from_record((): (), record: NonceRecord<'_>) -> Result<Self, RecordError> {
        Ok(Self {
            content: ContentHash(record.content.fixed("content")?),
            purge_at: record.purge_at.into(),
        })
    }
}

impl Entity for KeptText {
    type Id = ();
    type Record<'a> = KeptTextRecord<'a>;

    fn record(&self) -> KeptTextRecord<'_> {
        let parts = self.parts.iter().map(|part| PartRecord {
            number: part.number,
            message_id: part.message_id.as_str().into(),
            text: part.text.as_str().into(),
        });
        KeptTextRecord {
            parts: parts.collect(),
            purge_at: self.purge_at.into(),
        }
    }

    fn from_record((): (), record: KeptTextRecord<'_>) -> Result<Self, RecordError> {
        let parts = record.parts.into_iter().map(|part| KeptPart {
            number: part.number,
            message_id: part.message_id.into_string(),
            text: part.text.into_string(),
        });
        Ok(Self {
            parts: parts.collect(),
            purge_at: record.purge_at.into(),
        })
    }
}
