//! Registrations of passkeys, and phones that show which passkey they have, through the domain's port.

use countersign_conformance::passkey::{ELIGIBLE, PRESENT, SoftwarePasskey, VERIFIED};
use countersign_domain::login::proof_verifier::{
    PasskeyIdentification, PasskeyRegistration, ProofVerifier as _,
};
use countersign_domain::login::{Passkey, PasskeyAssertion};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::link_host::LinkHost;
use countersign_proof::Proofs;
use countersign_proof::passkey::{
    identification_challenge, proof_challenge, registration_challenge,
};
use p256::ecdsa::Signature;

use crate::support::{NOW, app, encode, user};

const HOST: &str = "login.shop.example";
const REGISTRATION: &str = "phr_0123456789abcdef0123456789abcdef";
const AT: Timestamp = Timestamp::from_millis(NOW);

fn host(text: &str) -> LinkHost {
    text.parse().unwrap()
}

fn registration_of(n: u8) -> (SoftwarePasskey, String) {
    let challenge = registration_challenge(REGISTRATION, &app("a"), &user("zoe"));
    (SoftwarePasskey::new(n, HOST), encode(challenge))
}

/// Verifies an assertion as the registration of the 7th passkey for Zoe.
fn registers(assertion: &PasskeyAssertion, host_text: &str, app_digit: &str) -> Option<Passkey> {
    let registration = PasskeyRegistration {
        host: &host(host_text),
        registration: REGISTRATION,
        app: &app(app_digit),
        user: &user("zoe"),
    };
    let key = SoftwarePasskey::new(7, HOST).point();
    Proofs.verify_registration(&key, &registration, assertion)
}

#[test]
fn registration_says_whether_the_passkey_is_synced() {
    let (phone, challenge) = registration_of(7);
    let synced = registers(&phone.assert(&challenge), HOST, "a");
    assert_eq!(synced, Some(phone.passkey.clone()));
    let flags = PRESENT | VERIFIED | ELIGIBLE;
    let eligible = phone.assert_with(&challenge, |it| it.flags = flags);
    assert_eq!(registers(&eligible, HOST, "a"), Some(phone.passkey.clone()));
    let bound = phone.bound_to_device();
    let registered = registers(&bound.assert(&challenge), HOST, "a");
    assert_eq!(registered, Some(bound.passkey));
}

#[test]
fn registration_is_for_its_page_app_user_and_key() {
    let (phone, challenge) = registration_of(7);
    let assertion = phone.assert(&challenge);
    assert!(registers(&assertion, HOST, "a").is_some());
    assert_eq!(registers(&assertion, HOST, "b"), None);
    for other in ["shop.example", "login.shop.example:8443", "127.0.0.1:8787"] {
        assert_eq!(registers(&assertion, other, "a"), None, "{other}");
    }
    let mallorys = registration_of(8).0.assert(&challenge);
    assert_eq!(registers(&mallorys, HOST, "a"), None);
    for challenge in [
        registration_challenge("phr_1", &app("a"), &user("zoe")),
        registration_challenge(REGISTRATION, &app("a"), &user("mallory")),
        identification_challenge(&app("a"), AT),
        proof_challenge("e30.e30"),
    ] {
        let assertion = phone.assert(&encode(challenge));
        assert_eq!(registers(&assertion, HOST, "a"), None);
    }
    let framed = phone.assert_with(&challenge, |it| {
        it.client_data = it.client_data.replace("false", "true");
    });
    assert_eq!(registers(&framed, HOST, "a"), None);
    let unverified = phone.assert_with(&challenge, |it| it.flags = PRESENT);
    assert_eq!(registers(&unverified, HOST, "a"), None);
}

#[test]
fn signature_leads_to_its_key() {
    let app = app("a");
    for n in 1..=20 {
        let phone = SoftwarePasskey::new(n, HOST);
        let identification = PasskeyIdentification {
            host: &host(HOST),
            app: &app,
            at: AT,
        };
        let challenge = encode(identification_challenge(&app, AT));
        let assertion = phone.assert(&challenge);
        let keys = Proofs.recover_keys(&identification, &assertion);
        assert!(keys.contains(&phone.point()), "{n}");
        assert!((1..=4).contains(&keys.len()), "{n}");
        // A phone may give either half.
        let signature = Signature::from_der(assertion.signature()).unwrap();
        let (r, s) = signature.split_scalars();
        let der = Signature::from_scalars(*r, -*s).unwrap().to_der();
        let (data, client) = (assertion.authenticator_data(), assertion.client_data());
        let other = PasskeyAssertion::new(data.to_vec(), client.to_vec(), der.as_bytes().to_vec());
        let keys = Proofs.recover_keys(&identification, &other.unwrap());
        assert!(keys.contains(&phone.point()), "{n}");
    }
}

#[test]
fn only_valid_assertions_lead_to_keys() {
    let phone = SoftwarePasskey::new(7, HOST);
    let challenge = encode(identification_challenge(&app("a"), AT));
    let recovered = |assertion: &PasskeyAssertion, host_text: &str, at: Timestamp| {
        let identification = PasskeyIdentification {
            host: &host(host_text),
            app: &app("a"),
            at,
        };
        Proofs.recover_keys(&identification, assertion)
    };
    let assertion = phone.assert(&challenge);
    assert!(!recovered(&assertion, HOST, AT).is_empty());
    assert_eq!(
        recovered(&assertion, HOST, Timestamp::from_millis(NOW + 1)),
        []
    );
    assert_eq!(recovered(&assertion, "shop.example", AT), []);
    assert_eq!(recovered(&assertion, "127.0.0.1:8787", AT), []);
    let unverified = phone.assert_with(&challenge, |it| it.flags = PRESENT);
    assert_eq!(recovered(&unverified, HOST, AT), []);
    // The signature of something else leads to other keys.
    let (data, client) = (assertion.authenticator_data(), assertion.client_data());
    let other = phone.assert(&encode([1; 32]));
    let mixed = PasskeyAssertion::new(data.to_vec(), client.to_vec(), other.signature().to_vec());
    assert!(!recovered(&mixed.unwrap(), HOST, AT).contains(&phone.point()));
}
