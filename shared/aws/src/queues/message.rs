//! The text of a queue message.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;
use countersign_domain::delivery::{DeliveryPointer, DeliverySubject, ReceiverGroup};
use countersign_domain::primitives::ids::{ConfirmationId, LoginId, PhoneRegistrationId};
use countersign_domain::primitives::watcher::WatcherId;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Version of pointers to confirmations.
const CONFIRMATIONS: u8 = 1;

/// Version of pointers to logins. A release that only supports confirmations leaves them in the queue.
const LOGINS: u8 = 2;

/// Version of pointers to phone registrations, and the newest version that this release reads.
const PHONES: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerMessage(pub DeliveryPointer);

/// A page to be notified that its confirmation has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageMessage(pub WatcherId);

/// Messages in the dispatcher's queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueMessage {
    Pointer(DeliveryPointer),
    Page(WatcherId),
}

/// The JSON of a message.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageBody {
    v: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    confirmation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    registration_id: Option<String>,
    attempts_claimed: u32,
    group: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    watcher: Option<WatcherId>,
}

/// A message is not a pointer. The message ends up in the dead-letter queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UnreadablePointer {
    /// The message is not the JSON of a pointer.
    #[error("the message is not a pointer")]
    Malformed,
    /// The message was written by a later release.
    #[error("the message has version {0}, but this release reads versions up to {PHONES}")]
    Newer(u8),
}

impl fmt::Display for PointerMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = &self.0;
        let id = Some(pointer.subject.to_string());
        let mut body = MessageBody {
            v: CONFIRMATIONS,
            confirmation_id: None,
            session_id: None,
            registration_id: None,
            attempts_claimed: pointer.attempts_claimed,
            group: lower::encode_string(pointer.group.as_bytes()),
            watcher: None,
        };
        match pointer.subject {
            DeliverySubject::Confirmation(_) => body.confirmation_id = id,
            DeliverySubject::Login(_) => (body.v, body.session_id) = (LOGINS, id),
            DeliverySubject::PhoneRegistration(_) => (body.v, body.registration_id) = (PHONES, id),
        }
        f.write_str(&serde_json::to_string(&body).map_err(|_| fmt::Error)?)
    }
}

/// To a release without page notifications the message is a pointer to nothing, and it removes the
/// message from the queue.
impl fmt::Display for PageMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = MessageBody {
            v: CONFIRMATIONS,
            confirmation_id: Some(ConfirmationId::from_bytes([0; 16]).to_string()),
            session_id: None,
            registration_id: None,
            attempts_claimed: 0,
            group: lower::encode_string(&[0; 16]),
            watcher: Some(self.0.clone()),
        };
        f.write_str(&serde_json::to_string(&body).map_err(|_| fmt::Error)?)
    }
}

impl FromStr for QueueMessage {
    type Err = UnreadablePointer;

    fn from_str(text: &str) -> Result<Self, UnreadablePointer> {
        let body: MessageBody =
            serde_json::from_str(text).map_err(|_| UnreadablePointer::Malformed)?;
        if body.v > PHONES {
            return Err(UnreadablePointer::Newer(body.v));
        }
        if let Some(watcher) = body.watcher {
            return Ok(Self::Page(watcher));
        }
        let ids = (
            &body.confirmation_id,
            &body.session_id,
            &body.registration_id,
        );
        let subject = match ids {
            (Some(id), None, None) => id
                .parse::<ConfirmationId>()
                .map(DeliverySubject::Confirmation),
            (None, Some(id), None) => id.parse::<LoginId>().map(DeliverySubject::Login),
            (None, None, Some(id)) => id
                .parse::<PhoneRegistrationId>()
                .map(DeliverySubject::PhoneRegistration),
            _ => return Err(UnreadablePointer::Malformed),
        };
        let subject = subject.map_err(|_| UnreadablePointer::Malformed)?;
        let mut group = [0; 16];
        match lower::decode(&body.group, &mut group) {
            Ok(bytes) if bytes.len() == 16 => {}
            _ => return Err(UnreadablePointer::Malformed),
        }
        Ok(Self::Pointer(DeliveryPointer {
            subject,
            attempts_claimed: body.attempts_claimed,
            group: ReceiverGroup::from_bytes(subject.kind(), group),
        }))
    }
}

#[cfg(test)]
mod tests {
    use countersign_domain::delivery::DeliveryKind;
    use countersign_domain::primitives::ids::LoginKind;

    use super::*;

    #[test]
    fn pointer_round_trips() {
        let pointer = DeliveryPointer {
            subject: ConfirmationId::from_bytes([7; 16]).into(),
            attempts_claimed: 3,
            group: ReceiverGroup::from_bytes(DeliveryKind::Confirmations, [9; 16]),
        };
        let body = PointerMessage(pointer).to_string();
        assert_eq!(
            body,
            "{\"v\":1,\"confirmationId\":\"cfm_07070707070707070707070707070707\",\
             \"attemptsClaimed\":3,\"group\":\"09090909090909090909090909090909\"}"
        );
        assert_eq!(body.parse(), Ok(QueueMessage::Pointer(pointer)));
        let pointer = DeliveryPointer {
            subject: LoginId::from_bytes(LoginKind::Plain, [7; 16]).into(),
            group: ReceiverGroup::from_bytes(DeliveryKind::Logins, [9; 16]),
            ..pointer
        };
        let body = PointerMessage(pointer).to_string();
        assert_eq!(
            body,
            "{\"v\":2,\"sessionId\":\"qrp_07070707070707070707070707070707\",\
             \"attemptsClaimed\":3,\"group\":\"09090909090909090909090909090909\"}"
        );
        assert_eq!(body.parse(), Ok(QueueMessage::Pointer(pointer)));
        let pointer = DeliveryPointer {
            subject: PhoneRegistrationId::from_bytes([7; 16]).into(),
            ..pointer
        };
        let body = PointerMessage(pointer).to_string();
        assert_eq!(
            body,
            "{\"v\":3,\"registrationId\":\"phr_07070707070707070707070707070707\",\
             \"attemptsClaimed\":3,\"group\":\"09090909090909090909090909090909\"}"
        );
        assert_eq!(body.parse(), Ok(QueueMessage::Pointer(pointer)));
    }

    #[test]
    fn page_is_a_pointer_to_nothing_for_an_older_release() {
        let watcher: WatcherId = "L0SM9cOFvHcCIhw=".parse().unwrap();
        let body = PageMessage(watcher.clone()).to_string();
        assert_eq!(
            body,
            "{\"v\":1,\"confirmationId\":\"cfm_00000000000000000000000000000000\",\
             \"attemptsClaimed\":0,\"group\":\"00000000000000000000000000000000\",\
             \"watcher\":\"L0SM9cOFvHcCIhw=\"}"
        );
        assert_eq!(body.parse(), Ok(QueueMessage::Page(watcher)));
    }

    #[test]
    fn newer_version_is_told_apart_from_malformed_text() {
        let newer = r#"{"v":4,"confirmationId":"x","attemptsClaimed":0,"group":"y"}"#;
        assert_eq!(
            newer.parse::<QueueMessage>(),
            Err(UnreadablePointer::Newer(4))
        );
        for body in [
            "",
            "{}",
            "[]",
            "poison",
            r#"{"v":1,"confirmationId":"cfm_1","attemptsClaimed":0,"group":"09090909090909090909090909090909"}"#,
            r#"{"v":1,"confirmationId":"cfm_07070707070707070707070707070707","attemptsClaimed":0,"group":"09090909090909090909090909090909","watcher":"a b"}"#,
            r#"{"v":1,"confirmationId":"cfm_07070707070707070707070707070707","attemptsClaimed":-1,"group":"09090909090909090909090909090909"}"#,
            r#"{"v":1,"confirmationId":"cfm_07070707070707070707070707070707","attemptsClaimed":0,"group":"0909"}"#,
        ] {
            assert_eq!(
                body.parse::<QueueMessage>(),
                Err(UnreadablePointer::Malformed),
                "{body}"
            );
        }
    }
}
