//! Sample phone registrations.
#![allow(
    clippy::unwrap_used,
    reason = "an invalid sample is a bug in this file"
)]

use countersign_domain::app::scope::Scope;
use countersign_domain::login::phone_registration::transitions::{
    SetupParty, cancel, check_digits, finish, open, sign,
};
use countersign_domain::login::phone_registration::{
    NewPhoneKey, SetupPageToken, SetupPageTokenHash, SetupPhone, SetupPhoneToken, SetupSecret,
    SetupSecretHash, SetupState,
};
use countersign_domain::login::sighting::{City, Place, PlaceCredit, UserAgent};
use countersign_domain::login::{CheckCode, KeyKind, PhoneRegistration};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::PhoneRegistrationId;
use countersign_domain::store::{Document, Entity as _, Key, OwnerRegistrations};
use countersign_domain::web::callback_url::CallbackUrl;

use super::association_keys::{passkey, point, user};
use super::logins::check_code;
use super::{NOW, app_id};

/// Entropy whose bytes are all the same.
struct Same(u8);

impl Entropy for Same {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// Returns the hash of the page token of every sample.
#[must_use]
pub fn page() -> SetupPageTokenHash {
    SetupPageToken::generate(&Same(1)).hash()
}

/// Returns the hash of the secret in every sample's link.
#[must_use]
pub fn secret() -> SetupSecretHash {
    SetupSecret::generate(&Same(2)).hash()
}

/// Returns the digits that the phone of every sample shows.
#[must_use]
pub fn digits() -> CheckCode {
    check_code(42)
}

fn phone() -> SetupPhone {
    SetupPhone {
        token: SetupPhoneToken::generate(&Same(3)).hash(),
        user_agent: UserAgent::new("Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0"),
        place: Place {
            country: "DE".parse().ok(),
            city: City::new("Berlin"),
            coordinates: None,
            credit: Some(PlaceCredit::DbIp),
        },
    }
}

/// Returns the `n`th registration of a user, which no phone has opened.
///
/// # Panics
/// If the names are malformed.
#[must_use]
pub fn registration(app: &str, owner: &str, n: u8) -> PhoneRegistration {
    PhoneRegistration {
        id: PhoneRegistrationId::from_bytes([n; 16]),
        app: app_id(app),
        owner: user(owner),
        label: "Pixel 9".parse().ok(),
        host: "login.shop.example".parse().unwrap(),
        test: false,
        page_token: page(),
        secret: secret(),
        callback: CallbackUrl::from_stored("https://shop.example/logins").ok(),
        created_at: NOW,
        state: SetupState::Created {},
        notice: None,
        purge_at: PhoneRegistration::kept_until(NOW),
    }
}

/// Returns the `n`th registration of a user, whose phone shows [`digits`]. Its key is the `n`th.
///
/// # Panics
/// If the names are malformed.
#[must_use]
pub fn signed(app: &str, owner: &str, n: u8, kind: KeyKind) -> PhoneRegistration {
    let opened = opened(registration(app, owner, n));
    let key = NewPhoneKey {
        point: point(n),
        kind,
        credential: None,
        request: [n; 32],
    };
    let token = phone().token;
    sign(Some(opened), &token, key, digits(), NOW)
        .write
        .unwrap()
}

fn opened(item: PhoneRegistration) -> PhoneRegistration {
    open(Some(item), &secret(), phone(), NOW).write.unwrap()
}

fn typed(item: PhoneRegistration, digits: CheckCode) -> PhoneRegistration {
    check_digits(Some(item), &page(), digits, NOW)
        .write
        .unwrap()
}

/// Returns a registration after the user has typed the right digits.
///
/// # Panics
/// If the phone of the registration shows no digits.
#[must_use]
pub fn accepted(item: PhoneRegistration) -> PhoneRegistration {
    typed(item, digits())
}

/// Returns registrations in every state, each with a name.
pub(super) fn documents() -> Vec<(&'static str, Key, Document)> {
    let created = registration("shop", "zoë@example.com", 1);
    let bare = PhoneRegistration {
        label: None,
        callback: None,
        test: true,
        ..created.clone()
    };
    let signed = |kind| signed("shop", "zoë@example.com", 1, kind);
    let missed = typed(signed(KeyKind::Browser), check_code(1));
    let failed = typed(typed(missed.clone(), check_code(2)), check_code(3));
    let accepted = accepted(signed(passkey(true)));
    let completed = finish(Some(accepted.clone()), true, NOW).write.unwrap();
    let refused = finish(Some(accepted.clone()), false, NOW).write.unwrap();
    let app = app_id("shop");
    let by = SetupParty::Server(Scope::live(&app));
    let cancelled = cancel(Some(created.clone()), by, NOW).write.unwrap();
    let owner = Key::OwnerRegistrations(created.owner_key());
    let list = OwnerRegistrations {
        registrations: [(created.id, created.purge_at)].into(),
    };
    let mut all: Vec<_> = [
        ("phone-registration-created", created.clone()),
        ("phone-registration-bare", bare),
        ("phone-registration-opened", opened(created)),
        ("phone-registration-signed", signed(KeyKind::Browser)),
        ("phone-registration-missed", missed),
        ("phone-registration-accepted", accepted),
        ("phone-registration-completed", completed),
        ("phone-registration-failed", failed),
        ("phone-registration-refused", refused),
        ("phone-registration-cancelled", cancelled),
    ]
    .into_iter()
    .map(|(name, item)| (name, Key::PhoneRegistration(item.id), item.into_document()))
    .collect();
    all.push(("phone-registrations-of-owner", owner, list.into_document()));
    all
}
