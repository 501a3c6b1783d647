//! QR sessions to try stores with.

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

struct Fill(u8);

impl Entropy for Fill {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// An id.
#[must_use]
pub const fn session_id(n: u8) -> LoginId {
    LoginId::from_bytes([n; 16])
}

/// What is kept of browser `n`'s token.
#[must_use]
pub fn browser(n: u8) -> BrowserTokenHash {
    BrowserToken::generate(&Fill(n)).hash()
}

/// The token of phone `n`.
#[must_use]
pub fn mobile_token(n: u8) -> MobileToken {
    MobileToken::generate(&Fill(n))
}

/// The browser's key.
#[must_use]
pub fn browser_key() -> BrowserPublicKey {
    BrowserPublicKey::from_bytes([4; 65]).expect("a key")
}

/// What was seen of somebody in Berlin.
#[must_use]
pub fn sighting(address: &str) -> Sighting {
    let place = Place {
        country: "DE".parse::<CountryCode>().ok(),
        city: City::new("Berlin"),
        coordinates: Coordinates::from_degrees(52.52, 13.405).ok(),
    };
    Sighting::new(
        address.parse().expect("an address"),
        UserAgent::new("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"),
        place,
        NetworkClass::Access,
    )
}

/// A new session of the app `demo` that browser `n` opened at [`NOW`].
#[must_use]
pub fn session(n: u8) -> Login {
    let expires_at = NOW.plus(UNSCANNED);
    Login {
        id: session_id(n),
        app: app_id("demo"),
        origin: "https://shop.example"
            .parse::<WebOrigin>()
            .expect("an origin"),
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

/// Phone `n` as it was seen at that instant, with what was noticed then.
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

/// A payload that anybody can read.
#[must_use]
pub fn clear(text: &str) -> Payload {
    Payload::clear(text.to_owned()).expect("a payload")
}

/// A payload that only the browser can read.
#[must_use]
pub fn sealed() -> Payload {
    // 0x04 and zeros, in base64url: enc || ciphertext of 90 bytes.
    Payload::encrypted(format!("BA{}", "A".repeat(118))).expect("a payload")
}

/// What phone `n` sends with its decision.
#[must_use]
pub fn answer_of(n: u8, payload: Payload) -> Answer {
    let token = mobile_token(n);
    Answer {
        token: token.hash(),
        fingerprint: token.fingerprint(&payload),
        payload,
    }
}

/// The same with readable text.
#[must_use]
pub fn answer(n: u8, text: &str) -> Answer {
    answer_of(n, clear(text))
}

/// What phone `n`'s confirmation with that text is known by.
#[must_use]
pub fn fingerprint(n: u8, text: &str) -> PayloadFingerprint {
    answer(n, text).fingerprint
}

/// A connection.
#[must_use]
pub fn watcher(n: u8) -> WatcherId {
    format!("connection-{n}")
        .parse::<WatcherId>()
        .expect("a name")
}

/// The same session in another state, kept for its time after that state's end.
#[must_use]
pub fn in_state(item: &Login, state: State) -> Login {
    let mut item = item.clone();
    item.state = state;
    item.purge_at = item.purge_at.max(item.expires_at().plus(KEPT));
    item
}
