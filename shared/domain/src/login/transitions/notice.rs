//! Pending notices of decisions.

use crate::delivery::{Delivery, MAX_RETRY_WINDOW};
use crate::login::webhook::notice_body;
use crate::login::{Login, Notice, State};
use crate::primitives::time::Timestamp;

impl Login {
    /// Adds the pending webhook about a decision if the app wants one. The item is kept until the
    /// delivery ends.
    pub(super) fn add_notice(&mut self, now: Timestamp) {
        if self.callback.is_some() {
            self.notice = Some(Box::new(Notice {
                body: None,
                delivery: Delivery::pending(now),
            }));
            self.purge_at = self.purge_at.max(now.plus(MAX_RETRY_WINDOW));
        }
    }

    /// Enters a state. If the content of a pending webhook could no longer be derived from the new
    /// state, the notice stores it.
    pub(super) fn change_state(&mut self, state: State) {
        let before = notice_body(self);
        self.state = state;
        if before.is_some()
            && notice_body(self) != before
            && let Some(notice) = &mut self.notice
        {
            notice.body = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{
        NOW, answer, answer_of, browser_token, denial, phone, plain, receipt, sealed,
        sealed_payload,
    };
    use super::*;
    use crate::delivery::transitions::HasDelivery as _;
    use crate::login::transitions::{cancel, confirm, deny, initiate, redeem};
    use crate::login::{ClaimedUserId, DenyReason};
    use crate::web::callback_url::CallbackUrl;

    const PLAIN: &str = "qrp_07070707070707070707070707070707";
    const SEALED: &str = "qrs_07070707070707070707070707070707";

    fn scanned(mut item: Login, user: Option<&str>) -> Option<Login> {
        item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
        let app = item.app.clone();
        let mut phone = phone(1, &[], NOW);
        phone.user = user.and_then(|user| user.parse::<ClaimedUserId>().ok());
        initiate(Some(item), &app, phone, NOW).write
    }

    fn body(item: &Login) -> String {
        let claimed = item.claimed().unwrap();
        claimed.body.unwrap().into_text().to_string()
    }

    #[test]
    fn notice_of_a_confirmation_contains_the_readable_payload() {
        let item = scanned(plain(NOW), Some("p@shop.example"));
        let item = confirm(item, answer(1, "yes"), NOW).write.unwrap();
        let expected = format!(
            r#"{{"claimedPublicUserId":"p@shop.example","event":"login.confirmed","payload":"yes","result":"confirmed","sessionId":"{PLAIN}","timestamp":"2026-01-02T03:04:05.678Z"}}"#
        );
        assert_eq!(body(&item), expected);
        assert_eq!(
            item.notice.as_ref().unwrap().body,
            None,
            "it is not stored twice"
        );
        assert_eq!(item.purge_at, NOW.plus(MAX_RETRY_WINDOW));
    }

    #[test]
    fn notice_of_a_denial_contains_the_payload_whatever_the_kind() {
        for (item, id) in [(plain(NOW), PLAIN), (sealed(NOW), SEALED)] {
            let item = deny(scanned(item, None), denial(1, "not me"), NOW);
            let expected = format!(
                r#"{{"event":"login.denied","payload":"not me","result":"denied","sessionId":"{id}","timestamp":"2026-01-02T03:04:05.678Z"}}"#
            );
            assert_eq!(body(&item.write.unwrap()), expected);
        }
    }

    #[test]
    fn notice_of_a_key_mismatch_names_the_reason() {
        let mut said = denial(1, "");
        said.reason = Some(DenyReason::KeyMismatch);
        let item = deny(scanned(sealed(NOW), None), said, NOW).write.unwrap();
        let expected = format!(
            r#"{{"event":"login.denied","payload":"","reason":"key_mismatch","result":"denied","sessionId":"{SEALED}","timestamp":"2026-01-02T03:04:05.678Z"}}"#
        );
        assert_eq!(body(&item), expected);
    }

    #[test]
    fn sealed_payload_is_left_out_of_the_notice() {
        let item = scanned(sealed(NOW), None);
        let item = confirm(item, answer_of(1, sealed_payload()), NOW).write;
        assert!(!body(&item.unwrap()).contains("payload"));
    }

    #[test]
    fn notice_stays_the_same_while_the_login_moves_on() {
        let own = browser_token(0).hash();
        let later = NOW.plus(std::time::Duration::from_secs(1));
        let confirmed = [
            confirm(scanned(plain(NOW), Some("a")), answer(1, "yes"), NOW).write,
            confirm(
                scanned(sealed(NOW), None),
                answer_of(1, sealed_payload()),
                NOW,
            )
            .write,
        ];
        for item in confirmed {
            let expected = body(item.as_ref().unwrap());
            let redeemed = redeem(item.clone(), &own, &receipt(1), None, later)
                .write
                .unwrap();
            assert_eq!(body(&redeemed), expected);
            let cancelled = cancel(item, &own, later).write.unwrap();
            assert_eq!(body(&cancelled), expected);
        }
    }

    #[test]
    fn login_without_callback_owes_no_notice() {
        let item = initiate(Some(plain(NOW)), &plain(NOW).app, phone(1, &[], NOW), NOW).write;
        let item = confirm(item, answer(1, "yes"), NOW).write.unwrap();
        assert_eq!(item.notice, None);
        assert!(item.purge_at < NOW.plus(MAX_RETRY_WINDOW));
    }

    #[test]
    fn debug_hides_the_body() {
        let item = confirm(scanned(plain(NOW), None), answer(1, "a secret"), NOW).write;
        let item = redeem(item, &browser_token(0).hash(), &receipt(1), None, NOW).write;
        assert!(body(item.as_ref().unwrap()).contains("a secret"));
        assert!(!format!("{item:?}").contains("a secret"));
    }
}
