//! Sample logins.

use countersign_domain::login::risk::{Assessment, Flag};
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};
use countersign_domain::login::transitions::Answer;
use countersign_domain::login::{
    BrowserPublicKey, BrowserToken, BrowserTokenHash, ClaimedUserId, Encryption, KEPT, Login,
    MobileToken, Payload, PayloadFingerprint, Phone, State, UNSCANNED, WatcherId,
};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::origin::WebOrigin;

use super::{NOW, app_id};

/// Entropy that repeats one byte, so each `n` gives its own token.
struct Fill(u8);

impl Entropy for Fill {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// Returns the `n`th login id.
#[must_use]
pub const fn session_id(n: u8) -> LoginId {
    LoginId::from_bytes([n; 16])
}

/// Returns the hash of browser `n`'s token.
#[must_use]
pub fn browser(n: u8) -> BrowserTokenHash {
    BrowserToken::generate(&Fill(n)).hash()
}

/// Returns the token of phone `n`.
#[must_use]
pub fn mobile_token(n: u8) -> MobileToken {
    MobileToken::generate(&Fill(n))
}

/// Returns a public key of a browser.
#[must_use]
pub fn browser_key() -> BrowserPublicKey {
    BrowserPublicKey::from_bytes([4; 65]).expect("valid key")
}

/// Returns the sighting of a device in Berlin at this address.
#[must_use]
pub fn sighting(address: &str) -> Sighting {
    let place = Place {
        country: "DE".parse::<CountryCode>().ok(),
        city: City::new("Berlin"),
        coordinates: Coordinates::from_degrees(52.52, 13.405).ok(),
    };
    Sighting::new(
        address.parse().expect("valid address"),
        UserAgent::new("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"),
        place,
        NetworkClass::Access,
    )
}

/// Returns a login of the app `demo` that browser `n` created at [`NOW`].
#[must_use]
pub fn session(n: u8) -> Login {
    let expires_at = NOW.plus(UNSCANNED);
    Login {
        id: session_id(n),
        app: app_id("demo"),
        origin: "https://shop.example"
            .parse::<WebOrigin>()
            .expect("valid origin"),
        browser_token: browser(n),
        browser: sighting("203.0.113.7"),
        encryption: Encryption::Unavailable,
        callback: None,
        created_at: NOW,
        watchers: Vec::new(),
        state: State::Created { expires_at },
        notice: None,
        purge_at: expires_at.plus(KEPT),
    }
}

/// Returns phone `n` as it was seen at this time, with these risk flags.
#[must_use]
pub fn phone(n: u8, flags: &[Flag], at: Timestamp) -> Phone {
    Phone {
        token: mobile_token(n).hash(),
        sighting: sighting("198.51.100.9"),
        user: "person@shop.example".parse::<ClaimedUserId>().ok(),
        risk: Assessment::of(flags.iter().copied()),
        scanned_at: at,
    }
}

/// Returns an unencrypted payload.
#[must_use]
pub fn clear(text: &str) -> Payload {
    Payload::clear(text.to_owned()).expect("valid payload")
}

/// Returns an encrypted payload.
#[must_use]
pub fn sealed() -> Payload {
    // 0x04 and zeros, in base64url: enc || ciphertext of 90 bytes.
    Payload::encrypted(format!("BA{}", "A".repeat(118))).expect("valid payload")
}

/// Returns the answer with which phone `n` decides a login.
#[must_use]
pub fn answer_of(n: u8, payload: Payload) -> Answer {
    let token = mobile_token(n);
    Answer {
        token: token.hash(),
        fingerprint: token.fingerprint(&payload),
        payload,
    }
}

/// Returns the answer with which phone `n` decides a login, with an unencrypted payload.
#[must_use]
pub fn answer(n: u8, text: &str) -> Answer {
    answer_of(n, clear(text))
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

/// Returns the login in another state, with the `purge_at` that follows from that state.
#[must_use]
pub fn in_state(item: &Login, state: State) -> Login {
    let mut item = item.clone();
    item.state = state;
    item.purge_at = item.purge_at.max(item.expires_at().plus(KEPT));
    item
}
