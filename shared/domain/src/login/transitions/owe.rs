//! Notices owed for decisions.

use crate::delivery::{Delivery, HORIZON};
use crate::login::{Login, Notice, NoticeBody, Payload, State};
use crate::primitives::canonical_json::ObjectWriter;
use crate::primitives::time::Timestamp;

impl Login {
    /// Makes the webhook about the decision owed, if the app wants one. The item stays until the
    /// delivery ends.
    pub(super) fn owe_notice(&mut self, said: &Payload, now: Timestamp) {
        if self.callback.is_none() {
            return;
        }
        if let Some(body) = self.notice_body(said) {
            self.notice = Some(Box::new(Notice {
                body,
                delivery: Delivery::owed(now),
            }));
            self.purge_at = self.purge_at.max(now.plus(HORIZON));
        }
    }

    /// Returns the body of the webhook: the decision, the claimed user, and the phone's payload,
    /// unless it is encrypted for the browser or is readable where the app requires encryption.
    fn notice_body(&self, said: &Payload) -> Option<NoticeBody> {
        let (event, result, at) = match &self.state {
            State::Confirmed { at, .. } => ("login.confirmed", "confirmed", *at),
            State::Denied { at, .. } => ("login.denied", "denied", *at),
            _ => return None,
        };
        let mut body = ObjectWriter::new()
            .string("event", event)
            .string("sessionId", &self.id.to_string())
            .string("result", result)
            .string("timestamp", &at.to_string());
        if let Some(user) = self.phone().and_then(|phone| phone.user.as_ref()) {
            body = body.string("claimedPublicUserId", user.as_str());
        }
        if !said.is_encrypted() && self.encryption.suits(said) {
            body = body.string("payload", said.as_str());
        }
        Some(NoticeBody::from_stored(body.finish().into_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{answer, answer_of, created, key, phone, sealed};
    use super::*;
    use crate::login::transitions::{confirm, deny, initiate};
    use crate::login::{ClaimedUserId, Encryption};
    use crate::web::callback_url::CallbackUrl;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

    fn scanned(user: Option<&str>) -> Login {
        let mut item = created(NOW);
        item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
        item.encryption = Encryption::Offered(key());
        let app = item.app.clone();
        let mut phone = phone(1, &[], NOW);
        phone.user = user.and_then(|user| user.parse::<ClaimedUserId>().ok());
        initiate(Some(item), &app, phone, NOW).write.unwrap()
    }

    fn body(item: &Login) -> &str {
        item.notice.as_ref().unwrap().body.as_str()
    }

    #[test]
    fn notice_of_a_confirmation_contains_the_payload() {
        let item = confirm(Some(scanned(Some("p@shop.example"))), answer(1, "yes"), NOW)
            .write
            .unwrap();
        assert_eq!(
            body(&item),
            r#"{"claimedPublicUserId":"p@shop.example","event":"login.confirmed","payload":"yes","result":"confirmed","sessionId":"qrs_07070707070707070707070707070707","timestamp":"2026-01-02T03:04:05.678Z"}"#
        );
    }

    #[test]
    fn notice_of_a_denial_contains_the_payload() {
        let item = deny(Some(scanned(None)), &answer(1, "not me"), NOW)
            .write
            .unwrap();
        assert_eq!(
            body(&item),
            r#"{"event":"login.denied","payload":"not me","result":"denied","sessionId":"qrs_07070707070707070707070707070707","timestamp":"2026-01-02T03:04:05.678Z"}"#
        );
    }

    #[test]
    fn encrypted_payload_is_left_out_of_the_notice() {
        let item = confirm(Some(scanned(None)), answer_of(1, sealed()), NOW)
            .write
            .unwrap();
        assert!(!body(&item).contains("payload"), "{}", body(&item));
    }

    #[test]
    fn readable_payload_is_left_out_where_encryption_is_required() {
        let mut item = scanned(None);
        item.encryption = Encryption::Required(key());
        let item = deny(Some(item), &answer(1, "slipped"), NOW).write.unwrap();
        assert!(!body(&item).contains("slipped"), "{}", body(&item));
        assert!(!format!("{:?}", item.state).contains("slipped"));
    }

    #[test]
    fn login_without_callback_owes_no_notice() {
        let mut item = scanned(None);
        item.callback = None;
        let item = confirm(Some(item), answer(1, "yes"), NOW).write.unwrap();
        assert_eq!(item.notice, None);
    }

    #[test]
    fn debug_hides_the_body() {
        let item = confirm(Some(scanned(None)), answer(1, "a secret"), NOW)
            .write
            .unwrap();
        assert!(Payload::clear("a secret".to_owned()).is_ok());
        assert!(!format!("{item:?}").contains("a secret"));
    }
}
