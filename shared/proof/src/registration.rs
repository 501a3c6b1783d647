//! Signatures that prove possession of an association key at registration, so that no phone can
//! register another phone's key as its own.

use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;

use crate::key::{AssociationPrivateKey, AssociationPublicKey};
use crate::signature;

/// Purpose and version of the signed text.
const PURPOSE: &str = "countersign-association-key/1";

/// Returns the text to sign: purpose, app key and public user id, one per line, without a final
/// line feed. None of the three contains a line feed.
#[must_use]
pub fn text(app: &AppKey, user: &ClaimedUserId) -> String {
    format!("{PURPOSE}\n{}\n{}", app.as_str(), user.as_str())
}

/// Signs the registration of a key for a user of an app. The result is the same as that of
/// [`generate_user_signature`](AssociationPrivateKey::generate_user_signature) over [`text`].
#[must_use]
pub fn sign(key: &AssociationPrivateKey, app: &AppKey, user: &ClaimedUserId) -> String {
    // The text's beginning does not decode to `{`, so it is never the signing input of a proof.
    signature::sign(key.signing(), &text(app, user))
}

/// Returns whether the holder of the key signed the registration for this user of this app.
#[must_use]
pub fn verify(
    key: &AssociationPublicKey,
    app: &AppKey,
    user: &ClaimedUserId,
    signature: &str,
) -> bool {
    signature::is_valid(key.verifying(), &text(app, user), signature)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(digit: &str) -> AppKey {
        format!("cs_app_{}", digit.repeat(22)).parse().unwrap()
    }

    fn user(id: &str) -> ClaimedUserId {
        id.parse().unwrap()
    }

    #[test]
    fn registration_holds_only_for_its_key_app_and_user() {
        let [zoes, mallorys] = [7, 8].map(|byte| AssociationPrivateKey::from_bytes(&[byte; 32]));
        let (zoes, mallorys) = (zoes.unwrap(), mallorys.unwrap());
        let zoe = user("zoe@example.com");
        let signature = sign(&zoes, &app("a"), &zoe);
        assert!(verify(&zoes.public_key(), &app("a"), &zoe, &signature));
        assert!(!verify(&zoes.public_key(), &app("b"), &zoe, &signature));
        assert!(!verify(&mallorys.public_key(), &app("a"), &zoe, &signature));
        let mallory = user("mallory");
        // Another user's key, registered as one's own.
        assert!(!verify(&zoes.public_key(), &app("a"), &mallory, &signature));
    }

    #[test]
    fn registration_is_a_user_signature() {
        let key = AssociationPrivateKey::from_bytes(&[7; 32]).unwrap();
        let zoe = user("zoe@example.com");
        let text = text(&app("a"), &zoe);
        assert_eq!(
            text,
            format!(
                "countersign-association-key/1\ncs_app_{}\nzoe@example.com",
                "a".repeat(22)
            )
        );
        assert_eq!(
            key.generate_user_signature(&text),
            Ok(sign(&key, &app("a"), &zoe))
        );
    }
}
