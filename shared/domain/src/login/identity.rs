//! Derivation of a login's id, and the phone's check of it.
//!
//! Only the id reaches the phone through the screen, so it covers everything for which the phone
//! must not trust the service: the app, the page, the context and the browser's key.

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::browser_key::BrowserPublicKey;
use super::state::Encryption;
use super::token::BrowserToken;
use crate::app::AppKey;
use crate::primitives::framing::framed;
use crate::primitives::ids::{LoginId, LoginKind};
use crate::web::origin::WebOrigin;

/// Purpose and version of the ids of logins with a browser key.
const SEALED_LABEL: &[u8] = b"countersign/login-id/1";

/// Purpose and version of the ids of logins without a browser key.
const PLAIN_LABEL: &[u8] = b"countersign/login-id/plain/1";

/// The facts about a login that its id covers.
#[derive(Clone, Copy, Debug)]
pub struct IdInputs<'a> {
    /// The app that the person logs in to.
    pub app_key: &'a AppKey,
    /// Origin of the page that created the login.
    pub origin: &'a WebOrigin,
    /// Text that the person approves; empty if there is none.
    pub context: &'a str,
}

/// Returns the id of a login whose browser has a key.
#[must_use]
pub fn sealed_id(inputs: IdInputs<'_>, key: &BrowserPublicKey) -> LoginId {
    let parts = framed(&[
        SEALED_LABEL,
        inputs.app_key.as_str().as_bytes(),
        inputs.origin.as_str().as_bytes(),
        inputs.context.as_bytes(),
        key.as_bytes(),
    ]);
    LoginId::from_bytes(LoginKind::Sealed, first_half(&Sha256::digest(parts).into()))
}

/// Returns the id of a login whose browser has no key. This id covers none of the facts; it
/// prevents a browser from choosing an id that another browser has.
#[must_use]
pub fn plain_id(token: &BrowserToken) -> LoginId {
    let digest = Sha256::new()
        .chain_update(PLAIN_LABEL)
        .chain_update(token.as_bytes())
        .finalize();
    LoginId::from_bytes(LoginKind::Plain, first_half(&digest.into()))
}

fn first_half(digest: &[u8; 32]) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&digest[..16]);
    half
}

/// The reason why a phone must not continue with a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum IdentityError {
    /// The id requires a key, but the service returned none.
    #[error("the service did not return the browser's key")]
    KeyMissing,
    /// The id requires that there is no key, but the service returned one.
    #[error("the service returned a key for a login without one")]
    KeyUnexpected,
    /// The id covers no context, but the service returned one.
    #[error("the service returned a context for a login that cannot have one")]
    ContextUnexpected,
    /// The id belongs to a different app, page, context or key.
    #[error("the app, page, context or key from the service does not match the code on the screen")]
    Mismatch,
}

/// Checks the service's answer about a login against the id from the screen, and returns how the
/// payload must be sent. `inputs.app_key` must be the app key built into the phone's app.
///
/// # Errors
///
/// Fails if the id does not match the service's answer. The phone must then send no payload, and
/// deny the login as [`DenyReason::KeyMismatch`](super::DenyReason::KeyMismatch).
pub fn check(
    id: LoginId,
    inputs: IdInputs<'_>,
    key: Option<&BrowserPublicKey>,
) -> Result<Encryption, IdentityError> {
    match (id.kind(), key) {
        (LoginKind::Sealed, Some(key)) if sealed_id(inputs, key) == id => {
            Ok(Encryption::Sealed(*key))
        }
        (LoginKind::Sealed, Some(_)) => Err(IdentityError::Mismatch),
        (LoginKind::Sealed, None) => Err(IdentityError::KeyMissing),
        (LoginKind::Plain, None) if !inputs.context.is_empty() => {
            Err(IdentityError::ContextUnexpected)
        }
        (LoginKind::Plain, None) => Ok(Encryption::Plain),
        (LoginKind::Plain, Some(_)) => Err(IdentityError::KeyUnexpected),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primitives::entropy::FixedEntropy;

    fn key(fill: u8) -> BrowserPublicKey {
        let mut bytes = [fill; 65];
        bytes[0] = 4;
        BrowserPublicKey::from_bytes(bytes).unwrap()
    }

    fn app_key(n: u8) -> AppKey {
        let text = format!("cs_app_000000000000000000000{n}");
        text.parse::<AppKey>().unwrap()
    }

    fn origin(text: &str) -> WebOrigin {
        text.parse::<WebOrigin>().unwrap()
    }

    #[test]
    fn ids_are_derived_as_specified() {
        let (app_key, origin) = (app_key(1), origin("https://shop.example"));
        let id = |context| {
            let inputs = IdInputs {
                app_key: &app_key,
                origin: &origin,
                context,
            };
            sealed_id(inputs, &key(9)).to_string()
        };
        assert_eq!(id(""), "qrs_2baefb8dcd8e90ac976f95a683ce0999");
        assert_eq!(id("Pay 20 EUR"), "qrs_d1edcf5570a9e5c972d1d2ebef59100f");
        let plain = plain_id(&BrowserToken::generate(&FixedEntropy(9)));
        assert_eq!(plain.to_string(), "qrp_827527519a880f921fa054db0e074618");
    }

    #[test]
    fn id_covers_app_page_context_and_key() {
        let (own, foreign) = (app_key(1), app_key(2));
        let (shop, other) = (origin("https://shop.example"), origin("https://a.example"));
        let inputs = IdInputs {
            app_key: &own,
            origin: &shop,
            context: "",
        };
        let id = sealed_id(inputs, &key(1));
        let right = check(id, inputs, Some(&key(1)));
        assert_eq!(right, Ok(Encryption::Sealed(key(1))));
        let mismatch = Err(IdentityError::Mismatch);
        assert_eq!(check(id, inputs, Some(&key(2))), mismatch);
        for wrong in [
            IdInputs {
                app_key: &foreign,
                ..inputs
            },
            IdInputs {
                origin: &other,
                ..inputs
            },
            IdInputs {
                context: "Pay 20 EUR",
                ..inputs
            },
        ] {
            assert_eq!(check(id, wrong, Some(&key(1))), mismatch);
        }
        let other_id = LoginId::from_bytes(LoginKind::Sealed, [7; 16]);
        assert_eq!(check(other_id, inputs, Some(&key(1))), mismatch);
    }

    #[test]
    fn neither_kind_can_be_turned_into_the_other() {
        let (own, shop) = (app_key(1), origin("https://shop.example"));
        let inputs = IdInputs {
            app_key: &own,
            origin: &shop,
            context: "",
        };
        let sealed = sealed_id(inputs, &key(1));
        let missing = Err(IdentityError::KeyMissing);
        assert_eq!(check(sealed, inputs, None), missing);
        let plain = plain_id(&BrowserToken::generate(&FixedEntropy(1)));
        let unexpected = Err(IdentityError::KeyUnexpected);
        assert_eq!(check(plain, inputs, Some(&key(1))), unexpected);
        assert_eq!(check(plain, inputs, None), Ok(Encryption::Plain));
        let said = IdInputs {
            context: "Pay 20 EUR",
            ..inputs
        };
        let unvouched = Err(IdentityError::ContextUnexpected);
        assert_eq!(check(plain, said, None), unvouched);
    }
}
