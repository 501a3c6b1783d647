//! Passkeys' proofs and assertions, among them those of dishonest browsers and authenticators.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_conformance::passkey::{Ceremony, SoftwarePasskey};
use countersign_domain::login::proof_verifier::{
    PasskeyIdentification, PasskeyRegistration, ProofVerifier as _,
};
use countersign_domain::login::{ClaimedUserId, CredentialId, KeyPoint, PasskeyAssertion};
use countersign_domain::web::link_host::LinkHost;
use countersign_proof::passkey::{identification_challenge, registration_challenge};
use countersign_proof::{AssociationPublicKey, KnownKey, Proofs, is_reserved};
use serde_json::Value;

use super::app;
use super::proofs::{NOW, check_proof, is_valid_by, sign_expected};

const HOST: &str = "login.shop.example";
const REGISTRATION: &str = "phr_abababababababababababababababab";

fn passkey() -> SoftwarePasskey {
    SoftwarePasskey::new(7, HOST)
}

fn user() -> ClaimedUserId {
    "zoe@example.com".parse().expect("a user's id")
}

fn public_key() -> AssociationPublicKey {
    AssociationPublicKey::from_point(&passkey().point()).expect("a key")
}

/// A passkey's proof is valid only for its login and under its key, and not after a change of any bit.
pub(crate) fn proof(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let user = user();
    let known = |is_passkey: bool| KnownKey {
        key: public_key(),
        owner: Some(user.clone()),
        passkey: is_passkey.then(|| passkey().passkey),
    };
    let is_valid = |proof: &str, payload: &str| is_valid_by(known(true), proof, payload, &user);
    assert!(!is_valid(&text, "a token") || is_reserved(&text), "{text}");
    let proof = sign_expected(&text, &user, |claims| {
        let unsigned = claims
            .unsigned_by_passkey(&public_key())
            .expect("a short proof");
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(unsigned.challenge());
        let assertion = passkey().assert(&challenge);
        unsigned
            .assemble(&passkey().passkey, &assertion)
            .expect("a valid assertion")
    });
    check_proof(&proof, input, is_valid);
    assert!(!is_valid_by(known(false), &proof, &text, &user));
}

/// An assertion that signs the input as client data, or as authenticator data, is accepted only if a lenient reader agrees
/// with every rule. In the input, `@` stands for the challenge.
pub(crate) fn assertion(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(id) = text.parse::<CredentialId>() {
        assert_eq!(id.to_string(), text);
    }
    parts(&text);
    let (host, user) = (HOST.parse().expect("a host"), user());
    let registered =
        BASE64_URL_SAFE_NO_PAD.encode(registration_challenge(REGISTRATION, &app(), &user));
    let identified = BASE64_URL_SAFE_NO_PAD.encode(identification_challenge(&app(), NOW));
    let written = text.replace('@', &registered);
    if let Some(assertion) = signed(|it| it.client_data.clone_from(&written)) {
        let is_accepted = registers(&host, &user, &assertion);
        assert!(
            !is_accepted || is_honest(&written, &registered),
            "{written}"
        );
        // An assertion for one purpose is worthless for another.
        assert!(!is_accepted || !identifies(&host, &assertion), "{written}");
    }
    let written = text.replace('@', &identified);
    if let Some(assertion) = signed(|it| it.client_data.clone_from(&written)) {
        let is_accepted = identifies(&host, &assertion);
        assert!(
            !is_accepted || is_honest(&written, &identified),
            "{written}"
        );
        assert!(!registers(&host, &user, &assertion), "{written}");
    }
    let Some((&flags, rest)) = input.split_first() else {
        return;
    };
    let ceremony = Ceremony {
        flags,
        rest: rest.iter().copied().take(1_024).collect(),
        ..passkey().ceremony(&registered)
    };
    let is_accepted = registers(&host, &user, &passkey().sign(&ceremony));
    let has = |bits: u8| flags & bits == bits;
    let is_allowed =
        has(0b101) && !has(0b0100_0000) && (has(0b1000) || !has(0b1_0000)) && rest.len() >= 4;
    assert_eq!(is_accepted, is_allowed, "{flags:08b}, {} bytes", rest.len());
}

/// The parts of an assertion have one spelling each.
fn parts(text: &str) {
    let mut parts = text.split('.').map(str::trim_end);
    let [data, client, signature] = [(); 3].map(|()| parts.next().unwrap_or_default());
    if let Ok(assertion) = PasskeyAssertion::from_base64url(data, client, signature) {
        assert_eq!(assertion.to_base64url(), [data, client, signature]);
        let (host, user) = (HOST.parse().expect("a host"), user());
        assert!(!registers(&host, &user, &assertion), "{text}");
        assert!(recovered(&host, &assertion).len() <= 4, "{text}");
    }
}

/// Returns the passkey's assertion after a change; `None` if it would be too short or too long.
fn signed(change: impl FnOnce(&mut Ceremony)) -> Option<PasskeyAssertion> {
    let mut ceremony = passkey().ceremony("");
    change(&mut ceremony);
    (1..1_024)
        .contains(&ceremony.client_data.len())
        .then(|| passkey().sign(&ceremony))
}

fn registers(host: &LinkHost, user: &ClaimedUserId, assertion: &PasskeyAssertion) -> bool {
    let facts = PasskeyRegistration {
        host,
        registration: REGISTRATION,
        app: &app(),
        user,
    };
    let passkey = Proofs.verify_registration(&passkey().point(), &facts, assertion);
    passkey.is_some()
}

/// Returns whether the passkey is among the keys that can have made an assertion.
fn identifies(host: &LinkHost, assertion: &PasskeyAssertion) -> bool {
    recovered(host, assertion).contains(&passkey().point())
}

fn recovered(host: &LinkHost, assertion: &PasskeyAssertion) -> Vec<KeyPoint> {
    let app = app();
    let facts = PasskeyIdentification {
        host,
        app: &app,
        at: NOW,
    };
    Proofs.recover_keys(&facts, assertion)
}

/// Returns whether a lenient reader finds client data of our page, without a frame, over this challenge.
fn is_honest(json: &str, challenge: &str) -> bool {
    let Ok(data) = serde_json::from_str::<Value>(json) else {
        return false;
    };
    let is_framed = data.get("topOrigin").is_some()
        || !matches!(data.get("crossOrigin"), None | Some(Value::Bool(false)));
    data["type"] == "webauthn.get"
        && data["challenge"] == challenge
        && data["origin"] == format!("https://{HOST}")
        && !is_framed
}
