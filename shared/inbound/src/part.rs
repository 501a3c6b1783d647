//! Parts of a longer text.
//!
//! A provider that does not assemble long texts passes on each part in a separate call, in any
//! order. One part almost always holds the whole code, so the caller tries each part by itself
//! first, and stores it only if it has no code: under [`TextPart::key`], for ten minutes, at most
//! [`MAX_PARTS`] per key. When a part arrives, the caller passes all parts of its key to
//! [`assemble`].

use countersign_domain::confirmation::text::InboundMessage;
use sha2::{Digest as _, Sha256};

/// Maximum number of parts of a text that is assembled. Longer texts are only tried part by part.
pub const MAX_PARTS: u8 = 10;

/// One part of a longer text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPart {
    /// The part, with its own content and its own message id.
    pub message: InboundMessage,
    /// The number that all parts of the text share.
    pub reference: String,
    /// The part's number, from 1 to `total`.
    pub number: u8,
    /// Number of parts of the text, at least 2.
    pub total: u8,
}

impl TextPart {
    /// Returns the key that the parts of one text share: a hash of provider, sender, recipient,
    /// reference and the number of parts. Senders reuse references, so a key identifies a text only
    /// for minutes.
    #[must_use]
    pub fn key(&self) -> [u8; 32] {
        let message = &self.message;
        let mut hash = Sha256::new().chain_update("countersign/text-parts/1");
        for field in [
            message.provider,
            &message.from,
            &message.to,
            &self.reference,
        ] {
            hash.update((field.len() as u64).to_be_bytes());
            hash.update(field);
        }
        hash.update([self.total]);
        hash.finalize().into()
    }
}

/// Assembles a text if each of its parts is present at least once. Of two parts with the same
/// number, the first is used. The message has the id of its first part, so that a redelivery of any
/// part gives the same message.
#[must_use]
pub fn assemble(parts: &[TextPart]) -> Option<InboundMessage> {
    let first = parts.first()?;
    let key = first.key();
    if first.total > MAX_PARTS || parts.iter().any(|part| part.key() != key) {
        return None;
    }
    let in_order = (1..=first.total)
        .map(|number| parts.iter().find(|part| part.number == number))
        .collect::<Option<Vec<_>>>()?;
    let text = in_order
        .iter()
        .map(|part| part.message.text.as_str())
        .collect();
    let head = in_order.first()?.message.clone();
    Some(InboundMessage { text, ..head })
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_domain::confirmation::text::Channel;

    fn part(number: u8, text: &str) -> TextPart {
        TextPart {
            message: InboundMessage {
                provider: "vonage-sms",
                channel: Channel::Sms,
                message_id: format!("id-{number}"),
                from: "+12025550100".to_owned(),
                to: "12025550199".to_owned(),
                text: text.to_owned(),
                carrier: None,
            },
            reference: "7".to_owned(),
            number,
            total: 3,
        }
    }

    #[test]
    fn parts_in_any_order_are_put_together() {
        let parts = [part(3, "NPQ"), part(1, "CS-01AB"), part(2, "CDEFGHJKM")];
        let message = assemble(&parts).unwrap();
        assert_eq!(message.text, "CS-01ABCDEFGHJKMNPQ");
        assert_eq!(message.message_id, "id-1");
    }

    #[test]
    fn repeated_part_counts_once() {
        let parts = [part(1, "a"), part(2, "b"), part(2, "x"), part(3, "c")];
        assert_eq!(assemble(&parts).unwrap().text, "abc");
    }

    #[test]
    fn incomplete_or_mixed_parts_give_no_text() {
        assert_eq!(assemble(&[]), None);
        assert_eq!(assemble(&[part(1, "a"), part(3, "c")]), None);
        let mut other = part(2, "b");
        other.reference = "8".to_owned();
        assert_eq!(assemble(&[part(1, "a"), other, part(3, "c")]), None);
        let changes: [fn(&mut TextPart); 4] = [
            |part| part.message.from = "+12025550101".to_owned(),
            |part| part.message.to = "12025550198".to_owned(),
            |part| part.message.provider = "twilio",
            |part| part.total = 4,
        ];
        for change in changes {
            let mut stranger = part(2, "b");
            change(&mut stranger);
            assert_ne!(stranger.key(), part(2, "b").key());
            assert_eq!(assemble(&[part(1, "a"), stranger, part(3, "c")]), None);
        }
        // The same applies to parts whose fields read the same when concatenated.
        let [mut one, mut two] = [part(1, "a"), part(1, "a")];
        (one.message.from, one.message.to) = ("1".to_owned(), "23".to_owned());
        (two.message.from, two.message.to) = ("12".to_owned(), "3".to_owned());
        assert_ne!(one.key(), two.key());
    }

    #[test]
    fn text_of_too_many_parts_is_not_put_together() {
        let of = |total| {
            let parts = (1..=total).map(|number| TextPart {
                total,
                ..part(number, "x")
            });
            assemble(&parts.collect::<Vec<_>>())
        };
        assert!(of(MAX_PARTS).is_some());
        assert_eq!(of(MAX_PARTS + 1), None);
    }
}
