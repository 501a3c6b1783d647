//! Keys, proofs and payloads of logins.

mod passkeys;
mod proofs;

use countersign_domain::app::AppKey;
use countersign_domain::login::{BrowserPublicKey, ClaimedUserId, Payload, Salt};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::{AssociationPrivateKey, AssociationPublicKey, registration};
use countersign_sealing::{BrowserPrivateKey, Envelope, SealError, seal};

use crate::bits::flipped;

pub(crate) use passkeys::{assertion, proof as passkey_proof};
pub(crate) use proofs::proof;

fn app() -> AppKey {
    let app = "cs_app_0000000000000000000001".parse();
    app.expect("an app key")
}

fn login() -> LoginId {
    let id = "qrs_abababababababababababababababab".parse();
    id.expect("a login's id")
}

fn origin() -> WebOrigin {
    "https://shop.example".parse().expect("an origin")
}

/// Bytes that are the same in each run.
struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(0x5a);
    }
}

fn private_key() -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[7; 32]).expect("a key")
}

/// A key has only one spelling, and a signature with a changed bit is refused.
pub(crate) fn key(input: &[u8]) {
    if let Ok(key) = AssociationPublicKey::from_der(input) {
        assert_eq!(key.to_der(), input);
        assert_eq!(AssociationPublicKey::from_point(&key.point()), Ok(key));
    }
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(key) = text.parse::<AssociationPublicKey>() {
        assert_eq!(key.to_string(), text);
    }
    if let Ok(key) = text.parse::<BrowserPublicKey>() {
        assert_eq!(key.to_string(), text);
    }
    let key = private_key();
    let public = key.public_key();
    assert!(!public.verify_user_signature("data", text));
    if let Ok(signature) = key.generate_user_signature(text) {
        assert!(public.verify_user_signature(text, &signature));
        let changed = flipped(signature.as_bytes(), input).expect("a signature has bits");
        if let Ok(changed) = String::from_utf8(changed) {
            assert!(!public.verify_user_signature(text, &changed), "{changed}");
        }
    }
    if let Ok(user) = text.parse::<ClaimedUserId>() {
        let signature = registration::sign(&key, &app(), &user);
        assert!(registration::verify(&public, &app(), &user, &signature));
    }
}

/// A sealed payload opens only in its own login, and not after any change.
pub(crate) fn payload(input: &[u8]) {
    let browser = BrowserPrivateKey::from_bytes(&[9; 32]).expect("a key");
    let (id, origin) = (login(), origin());
    let text = String::from_utf8_lossy(input).into_owned();
    // Other bytes can only be opened if they were sealed for this key.
    if let Ok(payload) = Payload::encrypted(text.clone()) {
        let opened = browser.open(id, &origin, &payload);
        assert!(opened.is_err() || input.len() > 108, "{text}");
    }
    if let Ok(payload) = Payload::clear(text.clone()) {
        assert_eq!(payload.as_str(), text);
        assert!(browser.open(id, &origin, &payload).is_err());
    }
    let envelope = Envelope {
        payload: text.clone(),
        salt: Salt::from_bytes([3; 16]),
    };
    let public = browser.public_key().expect("a key");
    let sealed = match seal(&public, id, &origin, &envelope, &Fixed) {
        Ok(sealed) => sealed,
        Err(error) => {
            assert_eq!(error, SealError::TooLong);
            return;
        }
    };
    assert_eq!(browser.open(id, &origin, &sealed), Ok(envelope));
    let changed = flipped(sealed.as_str().as_bytes(), input).expect("a payload has bits");
    if let Ok(changed) = String::from_utf8(changed)
        && let Ok(changed) = Payload::encrypted(changed)
    {
        assert!(browser.open(id, &origin, &changed).is_err());
    }
}
