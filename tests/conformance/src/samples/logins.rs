//! Sample logins.

use countersign_domain::login::risk::{Assessment, Flag};
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};
use countersign_domain::login::transitions::{Denial, PhoneConfirmation};
use countersign_domain::login::{
    BrowserPublicKey, BrowserToken, BrowserTokenHash, CheckCode, ClaimedUserId, Context,
    DenialPayload, DeviceToken, DeviceTokenHash, Encryption, Login, LoginCreator,
    LoginPageTokenHash, MobileToken, Payload, PayloadFingerprint, Phone, PhonePayload, Proof,
    RETENTION_SINCE_CREATION, Receipt, ReceiptHash, Salt, State, UNSCANNED_TTL,
};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::{LoginId, LoginKind};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::web::origin::WebOrigin;

use super::{NOW, app_id};

/// Entropy that repeats one byte, so each `n` gives its own token.
struct Fill(u8);

impl Entropy for Fill {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// Returns the `n`th id of a login whose browser has no key.
#[must_use]
pub const fn login_id(n: u8) -> LoginId {
    LoginId::from_bytes(LoginKind::Plain, [n; 16])
}

/// Returns the id with the same bits of a login whose browser has a key.
#[must_use]
pub const fn sealed_id(n: u8) -> LoginId {
    LoginId::from_bytes(LoginKind::Sealed, [n; 16])
}

/// Returns the token of browser `n`.
#[must_use]
pub fn browser_token(n: u8) -> BrowserToken {
    BrowserToken::generate(&Fill(n))
}

/// Returns the hash of browser `n`'s token.
#[must_use]
pub fn browser(n: u8) -> BrowserTokenHash {
    browser_token(n).hash()
}

/// Returns the hash of the token with which a page watches browser `n`'s login.
#[must_use]
pub fn page_token(n: u8) -> LoginPageTokenHash {
    browser_token(n).page_token().hash()
}

/// Returns the hashes of browser `n`'s token, for calls that both browsers and phones may make.
#[must_use]
pub fn browser_device(n: u8) -> DeviceTokenHash {
    DeviceToken::from(&browser_token(n)).hash()
}

/// Returns the hashes of phone `n`'s token, for calls that both browsers and phones may make.
#[must_use]
pub fn phone_device(n: u8) -> DeviceTokenHash {
    DeviceToken::from(&mobile_token(n)).hash()
}

/// Returns the hash of receipt `n`.
#[must_use]
pub fn receipt(n: u8) -> ReceiptHash {
    const DIGITS: [&str; 4] = ["A", "Q", "g", "w"];
    let last = DIGITS[usize::from(n % 4)];
    let text = format!("{n:0>21}{last}");
    text.parse::<Receipt>().expect("valid receipt").hash()
}

/// Returns the check code with this number, below 100.
///
/// # Panics
///
/// Panics if the number is 100 or more.
#[must_use]
pub fn check_code(number: u8) -> CheckCode {
    CheckCode::from_number(number).expect("valid check code")
}

/// Returns the token of phone `n`. Its bytes differ from those of browser `n`'s token.
#[must_use]
pub fn mobile_token(n: u8) -> MobileToken {
    MobileToken::generate(&Fill(!n))
}

#[must_use]
pub fn browser_key() -> BrowserPublicKey {
    BrowserPublicKey::from_bytes([4; 65]).expect("valid key")
}

/// Returns the sighting of a device at this address, in Berlin.
#[must_use]
pub fn sighting(address: &str) -> Sighting {
    let place = Place {
        country: "DE".parse::<CountryCode>().ok(),
        city: City::new("Berlin"),
        coordinates: Coordinates::from_degrees(52.52, 13.405).ok(),
        credit: None,
    };
    Sighting::new(
        address.parse().expect("valid address"),
        UserAgent::new("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"),
        place,
        NetworkClass::Access,
    )
}

/// Returns a login of the app `demo` that browser `n`, which has no key, opened at [`NOW`].
#[must_use]
pub fn new_login(n: u8) -> Login {
    session_of(n, Encryption::Plain)
}

/// Returns the same login for a browser that has a key.
#[must_use]
pub fn sealed_login(n: u8) -> Login {
    session_of(n, Encryption::Sealed(browser_key()))
}

/// Returns the details of a login that the app's server opened with this context.
///
/// # Panics
///
/// Panics if the text is not a valid context.
#[must_use]
pub fn server(context: Option<&str>) -> LoginCreator {
    let context = context.map(|text| text.parse::<Context>().expect("valid context"));
    LoginCreator::Server {
        context,
        user: None,
    }
}

fn session_of(n: u8, encryption: Encryption) -> Login {
    let expires_at = NOW.plus(UNSCANNED_TTL);
    Login {
        id: LoginId::from_bytes(encryption.kind(), [n; 16]),
        app: app_id("demo"),
        origin: "https://shop.example"
            .parse::<WebOrigin>()
            .expect("valid origin"),
        creator: LoginCreator::Page,
        browser_token: browser(n),
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
        created_at: NOW,
        watchers: Vec::new(),
        state: State::Created { expires_at },
        notice: None,
        purge_at: NOW.plus(RETENTION_SINCE_CREATION),
    }
}

/// Returns phone `n`, seen at this time, with these risk flags.
#[must_use]
pub fn phone(n: u8, flags: &[Flag], at: Timestamp) -> Phone {
    Phone {
        token: mobile_token(n).hash(),
        sighting: sighting("198.51.100.9"),
        user: "person@shop.example".parse::<ClaimedUserId>().ok(),
        risk: Assessment::from_flags(flags.iter().copied()),
        scanned_at: at,
        verified: None,
        binding: None,
    }
}

/// Returns an unencrypted payload without salt and proof.
#[must_use]
pub fn clear(text: &str) -> PhonePayload {
    PhonePayload::bare(clear_payload(text))
}

/// Returns an encrypted payload without proof.
#[must_use]
pub fn sealed() -> PhonePayload {
    PhonePayload::bare(sealed_payload())
}

/// Returns an unencrypted payload with salt and proof.
#[must_use]
pub fn clear_with_proof(text: &str) -> PhonePayload {
    let salt = Salt::from_bytes([0xa7; 16]);
    PhonePayload::new(clear_payload(text), Some(salt), Some(proof())).expect("valid payload")
}

/// Returns an encrypted payload with a proof.
#[must_use]
pub fn sealed_with_proof() -> PhonePayload {
    PhonePayload::new(sealed_payload(), None, Some(proof())).expect("valid payload")
}

fn clear_payload(text: &str) -> Payload {
    Payload::clear(text.to_owned()).expect("valid payload")
}

fn sealed_payload() -> Payload {
    // 0x04 and zeros, in base64url: enc || ciphertext of 90 bytes.
    Payload::encrypted(format!("BA{}", "A".repeat(118))).expect("valid payload")
}

fn proof() -> Proof {
    "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"
        .parse::<Proof>()
        .expect("valid proof")
}

/// Returns the answer with which phone `n` confirms a login with this payload.
#[must_use]
pub fn answer_of(n: u8, payload: PhonePayload) -> PhoneConfirmation {
    let token = mobile_token(n);
    PhoneConfirmation {
        token: token.hash(),
        fingerprint: token.fingerprint(&payload),
        payload,
        verified: None,
    }
}

/// Returns the answer with which phone `n` decides a login, with an unencrypted payload.
#[must_use]
pub fn answer(n: u8, text: &str) -> PhoneConfirmation {
    answer_of(n, clear(text))
}

/// Returns the denial of phone `n`.
#[must_use]
pub fn denial(n: u8, text: &str) -> Denial {
    Denial {
        token: mobile_token(n).hash(),
        payload: DenialPayload::new(text.to_owned()).expect("valid payload"),
        reason: None,
    }
}

/// Returns the fingerprint of phone `n`'s [`answer`] with this text.
#[must_use]
pub fn fingerprint(n: u8, text: &str) -> PayloadFingerprint {
    answer(n, text).fingerprint
}

/// Returns the id of the `n`th watching connection.
#[must_use]
pub fn watcher(n: u8) -> WatcherId {
    format!("connection-{n}")
        .parse::<WatcherId>()
        .expect("valid watcher id")
}

/// Returns a copy of the login in another state.
#[must_use]
pub fn in_state(item: &Login, state: State) -> Login {
    let mut item = item.clone();
    item.state = state;
    item
}
