//! Codes of refusals, from which the console's page makes sentences in other languages.

use countersign_domain::app::CallbackRefusal;
use countersign_domain::app::webhook_secrets::SecretRefusal;
use countersign_domain::openid::key_schedule::NextKeyWaits;
use countersign_domain::use_cases::test_webhook::TestWebhookError;

use super::AdminError;
use super::sentence::RefusalCode;
use super::started_refusal::StartedRefusal;

/// Returns the code of a refusal; `None` for what no button of the console leads to.
pub(super) fn of(error: &AdminError) -> Option<RefusalCode> {
    Some(match error {
        AdminError::UnknownApp(app) => RefusalCode::new("unknown_app", [("app", app)]),
        AdminError::UnlistedPage(app, page) => {
            RefusalCode::new("unlisted_page", [("app", app), ("page", page)])
        }
        AdminError::PageWithoutOrigin(page) => {
            RefusalCode::new("page_without_origin", [("page", page)])
        }
        AdminError::EmptyPool(_) => RefusalCode::new("no_sender_for_all", []),
        AdminError::LanguageTwice(language) => {
            RefusalCode::new("language_twice", [("language", language)])
        }
        AdminError::Callback(CallbackRefusal::OutsideOrigins(origin)) => {
            RefusalCode::new("callback_outside_origins", [("origin", origin)])
        }
        AdminError::Callback(CallbackRefusal::NotAllowed(_)) => {
            RefusalCode::new("callback_not_allowed", [])
        }
        AdminError::LoopbackLinkHost => RefusalCode::new("link_host_loopback", []),
        AdminError::LinkHostElsewhere { given, ours } => {
            RefusalCode::new("link_host_elsewhere", [("given", given), ("ours", ours)])
        }
        AdminError::TooManyKeys(app) => RefusalCode::new("too_many_keys", [("app", app)]),
        AdminError::UnknownKey { app, key } => {
            RefusalCode::new("unknown_key", [("app", app), ("key", &key.as_str())])
        }
        AdminError::UnknownAssociationKey { app, key } => {
            RefusalCode::new("unknown_association_key", [("app", app), ("key", key)])
        }
        AdminError::RotationRefused(_) => RefusalCode::new("too_many_signing_keys", []),
        AdminError::NextKeyWaits(NextKeyWaits(until)) => {
            RefusalCode::new("next_key_waits", [("until", until)])
        }
        AdminError::KeysInKms => RefusalCode::new("keys_in_kms", []),
        AdminError::WebhookSecret(SecretRefusal::TwoInForce) => {
            RefusalCode::new("two_secrets_in_force", [])
        }
        AdminError::WebhookSecret(SecretRefusal::OneInForce) => {
            RefusalCode::new("one_secret_in_force", [])
        }
        AdminError::Test(TestWebhookError::NoCallback) => RefusalCode::new("no_callback", []),
        AdminError::Test(TestWebhookError::CallbackOriginNotAllowed) => {
            RefusalCode::new("callback_origin_not_allowed", [])
        }
        AdminError::Started(refusal) => of_started(refusal),
        _ => return None,
    })
}

fn of_started(refusal: &StartedRefusal) -> RefusalCode {
    match refusal {
        StartedRefusal::Unknown(id) => RefusalCode::new("unknown_id", [("id", id)]),
        StartedRefusal::NotOpen(state) => RefusalCode::new("not_open", [("state", state)]),
        StartedRefusal::NotLive(state) => RefusalCode::new("not_live", [("state", state)]),
        StartedRefusal::PhoneSettled(state) => {
            RefusalCode::new("phone_settled", [("state", state)])
        }
        StartedRefusal::NotVerified(state) => RefusalCode::new("not_verified", [("state", state)]),
        StartedRefusal::InFlight => RefusalCode::new("attempt_under_way", []),
        StartedRefusal::Redacted => RefusalCode::new("data_erased", []),
        StartedRefusal::NoWebhook => RefusalCode::new("no_webhook", []),
        StartedRefusal::StillOpen => RefusalCode::new("still_open", []),
        StartedRefusal::WebhookPending => RefusalCode::new("webhook_pending", []),
        StartedRefusal::NoNumber => RefusalCode::new("no_number", []),
    }
}
