//! Registrations for the tests of this folder.

use super::super::credential::SetupSecret;
use super::super::tokens::{SetupPageToken, SetupPhoneToken};
use super::*;
use crate::login::sighting::{Place, UserAgent};
use crate::login::{KeyKind, KeyPoint};
use crate::primitives::entropy::FixedEntropy;
use crate::primitives::ids::{AppId, PhoneRegistrationId};
use crate::web::callback_url::CallbackUrl;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

pub(super) fn page(n: u8) -> SetupPageTokenHash {
    SetupPageToken::generate(&FixedEntropy(n)).hash()
}

pub(super) fn secret(n: u8) -> SetupSecretHash {
    SetupSecret::generate(&FixedEntropy(n)).hash()
}

/// Returns the token of a phone, which is no page's.
pub(super) fn phone_token(n: u8) -> SetupPhoneToken {
    SetupPhoneToken::generate(&FixedEntropy(100 + n))
}

pub(super) fn phone(n: u8) -> SetupPhone {
    SetupPhone {
        token: phone_token(n).hash(),
        user_agent: UserAgent::new("Mozilla/5.0 (Linux; Android 15; K) Chrome/140.0.0.0"),
        place: Place::default(),
    }
}

pub(super) fn key(n: u8) -> NewPhoneKey {
    let mut point = [n; 65];
    point[0] = 4;
    NewPhoneKey {
        point: KeyPoint::from_bytes(point).unwrap(),
        kind: KeyKind::Browser,
        credential: None,
        request: [n; 32],
    }
}

pub(super) fn code(number: u8) -> CheckCode {
    CheckCode::from_number(number).unwrap()
}

pub(super) fn created() -> PhoneRegistration {
    PhoneRegistration {
        id: PhoneRegistrationId::from_bytes([7; 16]),
        app: "shop".parse().unwrap(),
        owner: "zoe".parse().unwrap(),
        label: "Zoë Example".parse().ok(),
        host: "login.shop.example".parse().unwrap(),
        test: false,
        page_token: page(1),
        secret: secret(1),
        callback: CallbackUrl::from_stored("https://shop.example/logins").ok(),
        created_at: NOW,
        state: SetupState::Created {},
        notice: None,
        purge_at: PhoneRegistration::kept_until(NOW),
    }
}

pub(super) fn opened() -> PhoneRegistration {
    open(Some(created()), &secret(1), phone(1), NOW)
        .write
        .unwrap()
}

pub(super) fn signed() -> PhoneRegistration {
    sign(Some(opened()), &phone(1).token, key(1), code(42), NOW)
        .write
        .unwrap()
}

pub(super) fn accepted() -> PhoneRegistration {
    check_digits(Some(signed()), &page(1), code(42), NOW)
        .write
        .unwrap()
}

pub(super) fn completed() -> PhoneRegistration {
    finish(Some(accepted()), true, NOW).write.unwrap()
}

pub(super) fn cancelled() -> PhoneRegistration {
    let app: AppId = "shop".parse().unwrap();
    let by = SetupParty::Server(Scope::live(&app));
    cancel(Some(opened()), by, NOW).write.unwrap()
}

/// Returns the outcome, and whether the transition writes.
pub(super) fn of<T>(decision: Outcome<T>) -> (Result<T, SetupRefusal>, bool) {
    (decision.outcome, decision.write.is_some())
}
