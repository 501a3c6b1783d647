//! Sample values for the tests of logins.

use super::{Denial, PhoneConfirmation};
use crate::login::risk::{Assessment, Flag};
use crate::login::sighting::{NetworkClass, Place, Sighting, UserAgent};
use crate::login::{
    BrowserPublicKey, BrowserToken, DenialPayload, DeviceToken, DeviceTokenHash, Encryption, Login,
    LoginCreator, MobileToken, Payload, Phone, PhonePayload, Proof, RETENTION_SINCE_CREATION,
    Receipt, ReceiptHash, State, UNSCANNED_TTL,
};
use crate::primitives::entropy::FixedEntropy;
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::time::Timestamp;
use crate::web::origin::WebOrigin;

pub(in crate::login) const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);

pub(in crate::login) fn app(name: &str) -> AppId {
    name.parse::<AppId>().unwrap()
}

pub(in crate::login) fn browser_token(n: u8) -> BrowserToken {
    BrowserToken::generate(&FixedEntropy(n))
}

pub(in crate::login) fn mobile_token(n: u8) -> MobileToken {
    MobileToken::generate(&FixedEntropy(n))
}

pub(in crate::login) fn key() -> BrowserPublicKey {
    BrowserPublicKey::from_bytes([4; 65]).unwrap()
}

pub(in crate::login) fn sighting(address: &str) -> Sighting {
    let agent = UserAgent::new("Mozilla/5.0 (X11; Linux) Firefox/140.0");
    let address = address.parse().unwrap();
    Sighting::new(address, agent, Place::default(), NetworkClass::Unknown)
}

/// A device that may be browser `n`.
pub(in crate::login) fn browser(n: u8) -> DeviceTokenHash {
    DeviceToken::from(&browser_token(n)).hash()
}

/// A device that may be phone `n`.
pub(in crate::login) fn mobile(n: u8) -> DeviceTokenHash {
    DeviceToken::from(&mobile_token(n)).hash()
}

pub(in crate::login) fn receipt(n: u8) -> ReceiptHash {
    use base64::Engine as _;
    let text = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode([n; 16]);
    text.parse::<Receipt>().unwrap().hash()
}

/// A login to the app `demo` whose browser, browser 0, has no key.
pub(in crate::login) fn plain(now: Timestamp) -> Login {
    created(now, Encryption::Plain)
}

/// A login to the app `demo` whose browser has a key.
pub(in crate::login) fn sealed(now: Timestamp) -> Login {
    created(now, Encryption::Sealed(key()))
}

fn created(now: Timestamp, encryption: Encryption) -> Login {
    let expires_at = now.plus(UNSCANNED_TTL);
    Login {
        id: LoginId::from_bytes(encryption.kind(), [7; 16]),
        app: app("demo"),
        origin: "https://shop.example".parse::<WebOrigin>().unwrap(),
        creator: LoginCreator::Page,
        browser_token: browser_token(0).hash(),
        requires_proof: false,
        requires_check_code: false,
        is_joined: false,
        test: false,
        page_token: None,
        openid: None,
        browser: sighting("203.0.113.7"),
        encryption,
        return_url: None,
        callback: None,
        created_at: now,
        watchers: Vec::new(),
        state: State::Created { expires_at },
        notice: None,
        purge_at: now.plus(RETENTION_SINCE_CREATION),
    }
}

/// Phone `n`, with these flags raised.
pub(in crate::login) fn phone(n: u8, flags: &[Flag], now: Timestamp) -> Phone {
    Phone {
        token: mobile_token(n).hash(),
        sighting: sighting("198.51.100.9"),
        user: None,
        risk: Assessment::from_flags(flags.iter().copied()),
        scanned_at: now,
        verified: None,
        binding: None,
    }
}

pub(in crate::login) fn sealed_with_proof() -> PhonePayload {
    let proof = "e30.e30.c2ln".parse::<Proof>().unwrap();
    PhonePayload::new(sealed_payload().payload().clone(), None, Some(proof)).unwrap()
}

pub(in crate::login) fn clear(text: &str) -> PhonePayload {
    PhonePayload::bare(Payload::clear(text.to_owned()).unwrap())
}

pub(in crate::login) fn sealed_payload() -> PhonePayload {
    use base64::Engine as _;
    let text = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode([4; 90]);
    PhonePayload::bare(Payload::encrypted(text).unwrap())
}

/// The answer of phone `n` with this payload.
pub(in crate::login) fn answer_of(n: u8, payload: PhonePayload) -> PhoneConfirmation {
    let token = mobile_token(n);
    PhoneConfirmation {
        token: token.hash(),
        fingerprint: token.fingerprint(&payload),
        payload,
        verified: None,
    }
}

/// The answer of phone `n` with readable text.
pub(in crate::login) fn answer(n: u8, text: &str) -> PhoneConfirmation {
    answer_of(n, clear(text))
}

/// The denial of phone `n`.
pub(in crate::login) fn denial(n: u8, text: &str) -> Denial {
    Denial {
        token: mobile_token(n).hash(),
        payload: DenialPayload::new(text.to_owned()).unwrap(),
        reason: None,
    }
}
