//! Assertions of passkeys: what a passkey signs, and the checks of what it signed.
//!
//! A passkey does not sign bytes of ours. It signs data of its authenticator and the hash of data of its browser
//! (Web Authentication, section 6.3.3); the browser's data contains our challenge. Each challenge here is a hash of what
//! the passkey shall confirm, under a label of its own.

mod assertion;
mod authenticator_data;
mod client_data;

use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::Timestamp;
use sha2::{Digest as _, Sha256};

pub(crate) use assertion::{check, recover_keys, verify};

/// What a passkey is asked to sign.
pub type Challenge = [u8; 32];

/// Returns the challenge of a proof: SHA-256 over a label, and the proof's header and claims as they are sent.
#[must_use]
pub fn proof_challenge(signing_input: &str) -> Challenge {
    hash("countersign/webauthn/1", &[signing_input])
}

/// Returns the challenge of a registration, with which a passkey proves that the phone has it: SHA-256 over a label,
/// the id of the phone's registration, the app key and the public user id. None of them contains the separator, a zero
/// byte.
#[must_use]
pub fn registration_challenge(registration: &str, app: &AppKey, user: &ClaimedUserId) -> Challenge {
    let parts = [registration, app.as_str(), user.as_str()];
    hash("countersign/webauthn-registration/1", &parts)
}

/// Returns the challenge with which a phone shows which passkey it has: SHA-256 over a label, the app key and
/// the phone's time in decimal milliseconds.
#[must_use]
pub fn identification_challenge(app: &AppKey, at: Timestamp) -> Challenge {
    let at = at.as_millis().to_string();
    hash("countersign/webauthn-identify/1", &[app.as_str(), &at])
}

fn hash(label: &str, parts: &[&str]) -> Challenge {
    let start = Sha256::new().chain_update(label.as_bytes());
    let add = |hash: Sha256, part: &&str| hash.chain_update([0]).chain_update(part.as_bytes());
    parts.iter().fold(start, add).finalize().into()
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;

    use super::*;

    #[test]
    fn challenges_agree_with_other_tools() {
        // Expected values computed with Python's hashlib.
        let app = "cs_app_0123456789abcdefABCDEF".parse().unwrap();
        let user = "zoe@example.com".parse().unwrap();
        let at = Timestamp::from_millis(1_767_323_045_678);
        for (challenge, expected) in [
            (proof_challenge("e30.e30"), PROOF),
            (registration_challenge("phr_1", &app, &user), REGISTRATION),
            (identification_challenge(&app, at), IDENTIFICATION),
        ] {
            assert_eq!(BASE64_URL_SAFE_NO_PAD.encode(challenge), expected);
        }
    }

    const PROOF: &str = "iuzy5SjUS2u3j8mcno5BHsvXqdZEhGJtNJ6fr-ocuNU";
    const REGISTRATION: &str = "kAIj_UKqVBLBpUvMIlEBIqSufwYGGeKon9x06QJ6BLE";
    const IDENTIFICATION: &str = "_MmdxavIiXTcFTDZiK26HEYJVvaWslKJt4h8AGqLdew";
}
