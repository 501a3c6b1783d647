//! Proofs that show who confirmed a login.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::{
    Expected, ExpectedPayload, ExpectedUser, KnownKey, MAX_PROOF, ProofClaims, TYPE, is_reserved,
    key_id, verify,
};

use super::{app, login, origin, private_key};
use crate::bits::flipped;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_795_500_000_000);
const SALT: [u8; 16] = [3; 16];

fn is_valid(proof: &str, payload: &str, user: &ClaimedUserId) -> bool {
    let known = KnownKey {
        key: private_key().public_key(),
        owner: Some(user.clone()),
        passkey: None,
    };
    is_valid_by(known, proof, payload, user)
}

/// Returns whether a proof by a known key of this user is valid.
pub(super) fn is_valid_by(
    known: KnownKey,
    proof: &str,
    payload: &str,
    user: &ClaimedUserId,
) -> bool {
    let (app, origin) = (app(), origin());
    let expected = Expected {
        app: &app,
        origin: &origin,
        login: login(),
        user: ExpectedUser::Exactly(Some(user)),
        context: None,
        payload: ExpectedPayload::Is {
            payload,
            salt: &SALT,
        },
        now: NOW,
    };
    verify(proof, &expected, |_| Some(known)).is_ok()
}

/// A proof is valid only for the login that it was signed for, and not after a change of any bit. The
/// app cannot get a proof signed as data.
pub(crate) fn proof(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let user: ClaimedUserId = "zoe@example.com".parse().expect("a user's id");
    if key_id(&text).is_ok() {
        assert!(text.len() <= MAX_PROOF);
        assert!(is_reserved(&text), "{text}");
    }
    if is_valid(&text, "a token", &user) {
        assert!(is_reserved(&text), "{text}");
    }
    assert!(is_reserved(&text) || !could_be_header(&text), "{text}");
    let sign = |claims: &ProofClaims<'_>| private_key().sign_proof(claims).expect("a short proof");
    let proof = sign_expected(&text, &user, sign);
    check_proof(&proof, input, |proof, payload| {
        is_valid(proof, payload, &user)
    });
}

/// Signs the claims that [`is_valid_by`] expects, with the input as the payload.
pub(super) fn sign_expected(
    text: &str,
    user: &ClaimedUserId,
    sign: impl FnOnce(&ProofClaims<'_>) -> String,
) -> String {
    sign(&ProofClaims {
        app: &app(),
        origin: &origin(),
        login: login(),
        user: Some(user),
        context: None,
        payload: text,
        salt: &SALT,
        at: NOW,
    })
}

/// Checks that a proof of the input is valid for it, for no other payload and not after a change of any bit.
pub(super) fn check_proof(proof: &str, input: &[u8], is_valid: impl Fn(&str, &str) -> bool) {
    let text = String::from_utf8_lossy(input);
    assert!(is_valid(proof, &text));
    assert!(!is_valid(proof, &format!("{text}x")));
    assert!(is_reserved(proof));
    let changed = flipped(proof.as_bytes(), input).expect("a proof has bits");
    if let Ok(changed) = String::from_utf8(changed) {
        assert!(!is_valid(&changed, &text), "{changed}");
    }
}

/// Returns whether a simple parser would consider the part before the first dot the header of a
/// proof.
fn could_be_header(text: &str) -> bool {
    let header = text.split_once('.').map(|(header, _)| header);
    let json = header.and_then(|header| BASE64_URL_SAFE_NO_PAD.decode(header).ok());
    let json: Option<serde_json::Value> = json.and_then(|json| serde_json::from_slice(&json).ok());
    json.is_some_and(|json| json["typ"] == TYPE)
}
