//! A pointer as it lies in a queue.

use base16ct::lower;
use countersign_domain::delivery::{DeliveryGroup, DeliveryPointer, DeliverySubject};
use countersign_domain::primitives::ids::{ConfirmationId, LoginId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The version of pointers to confirmations.
const CONFIRMATIONS: u8 = 1;

/// The version of pointers to logins, and the newest that this release reads. A release that knows
/// confirmations alone leaves them in the queue for this one.
const LOGINS: u8 = 2;

/// The body of a queue's message.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PointerMessage {
    v: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    attempts_claimed: u32,
    group: String,
}

/// A message that is no pointer. It is left to the dead-letter queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnreadablePointer {
    /// Not the JSON that a pointer has.
    #[error("the message is no pointer")]
    Malformed,
    /// A later release wrote it.
    #[error("the message has version {0}, and this release knows {LOGINS} at most")]
    Newer(u8),
}

impl PointerMessage {
    /// The message for a pointer.
    #[must_use]
    pub fn of(pointer: &DeliveryPointer) -> Self {
        let id = Some(pointer.subject.to_string());
        let (v, confirmation_id, session_id) = match pointer.subject {
            DeliverySubject::Confirmation(_) => (CONFIRMATIONS, id, None),
            DeliverySubject::Login(_) => (LOGINS, None, id),
        };
        Self {
            v,
            confirmation_id,
            session_id,
            attempts_claimed: pointer.attempts_claimed,
            group: lower::encode_string(pointer.group.as_bytes()),
        }
    }

    /// The message's text.
    #[must_use]
    pub fn to_body(&self) -> String {
        // Three strings and two numbers: there is nothing in it that could not be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a message's text back.
    pub fn parse(body: &str) -> Result<DeliveryPointer, UnreadablePointer> {
        let message: Self = serde_json::from_str(body).map_err(|_| UnreadablePointer::Malformed)?;
        if message.v > LOGINS {
            return Err(UnreadablePointer::Newer(message.v));
        }
        let subject = match (&message.confirmation_id, &message.session_id) {
            (Some(id), None) => id
                .parse::<ConfirmationId>()
                .map(DeliverySubject::Confirmation),
            (None, Some(id)) => id.parse::<LoginId>().map(DeliverySubject::Login),
            _ => return Err(UnreadablePointer::Malformed),
        };
        let subject = subject.map_err(|_| UnreadablePointer::Malformed)?;
        let mut group = [0; 16];
        match lower::decode(&message.group, &mut group) {
            Ok(bytes) if bytes.len() == 16 => {}
            _ => return Err(UnreadablePointer::Malformed),
        }
        Ok(DeliveryPointer {
            subject,
            attempts_claimed: message.attempts_claimed,
            group: DeliveryGroup::from_bytes(subject.kind(), group),
        })
    }
}

#[cfg(test)]
mod tests {
    use countersign_domain::delivery::DeliveryKind;

    use super::*;

    #[test]
    fn a_pointer_reads_back() {
        let pointer = DeliveryPointer {
            subject: ConfirmationId::from_bytes([7; 16]).into(),
            attempts_claimed: 3,
            group: DeliveryGroup::from_bytes(DeliveryKind::Confirmations, [9; 16]),
        };
        let body = PointerMessage::of(&pointer).to_body();
        assert_eq!(
            body,
            "{\"v\":1,\"confirmationId\":\"cfm_07070707070707070707070707070707\",\
             \"attemptsClaimed\":3,\"group\":\"09090909090909090909090909090909\"}"
        );
        assert_eq!(PointerMessage::parse(&body), Ok(pointer));
        let pointer = DeliveryPointer {
            subject: LoginId::from_bytes([7; 16]).into(),
            ..pointer
        };
        let body = PointerMessage::of(&pointer).to_body();
        assert_eq!(
            body,
            "{\"v\":2,\"sessionId\":\"qrs_07070707070707070707070707070707\",\
             \"attemptsClaimed\":3,\"group\":\"09090909090909090909090909090909\"}"
        );
        assert_eq!(PointerMessage::parse(&body), Ok(pointer));
    }

    #[test]
    fn what_is_no_pointer_is_told_from_what_a_later_release_wrote() {
        let newer = r#"{"v":3,"confirmationId":"x","attemptsClaimed":0,"group":"y"}"#;
        assert_eq!(
            PointerMessage::parse(newer),
            Err(UnreadablePointer::Newer(3))
        );
        for body in [
            "",
            "{}",
            "[]",
            "poison",
            r#"{"v":1,"confirmationId":"cfm_1","attemptsClaimed":0,"group":"09090909090909090909090909090909"}"#,
            r#"{"v":1,"confirmationId":"cfm_07070707070707070707070707070707","attemptsClaimed":-1,"group":"09090909090909090909090909090909"}"#,
            r#"{"v":1,"confirmationId":"cfm_07070707070707070707070707070707","attemptsClaimed":0,"group":"0909"}"#,
        ] {
            assert_eq!(
                PointerMessage::parse(body),
                Err(UnreadablePointer::Malformed),
                "{body}"
            );
        }
    }
}
