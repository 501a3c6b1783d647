//! Proofs by registered keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_conformance::failing::Access;
use countersign_conformance::samples::association_keys::user;
use countersign_conformance::samples::logins::{browser_key, mobile_token, sealed};
use countersign_domain::app::AppKey;
use countersign_domain::app::login::WebPhoneKey;
use countersign_domain::app::quota::Allowance;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::login::Refusal;
use countersign_domain::login::{
    AssociationKey, Encryption, KeyId, KeyKind, Login, Payload, PhonePayload, Proof, Salt, Status,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::Key;
use countersign_domain::use_cases::logins::CreateRequest;
use countersign_domain::use_cases::logins::LoginError::Refused;
use countersign_domain::web::origin::WebOrigin;
use countersign_proof::{AssociationPrivateKey, LIFETIME_SECONDS, ProofClaims};

use super::host::Logins;
use crate::world::now_or_never;

const SALT: [u8; 16] = [7; 16];

pub(super) fn private_key(byte: u8) -> AssociationPrivateKey {
    AssociationPrivateKey::from_bytes(&[byte; 32]).unwrap()
}

impl Logins {
    fn requiring_proof() -> Self {
        let mut logins = Self::new();
        logins.set(|login| login.require_proof = true);
        logins
    }

    /// Registers the key for a user of the app.
    pub(super) fn register(&self, key: &AssociationPrivateKey, owner: &str) -> KeyId {
        self.register_as(key, owner, KeyKind::App)
    }

    fn register_as(&self, key: &AssociationPrivateKey, owner: &str, kind: KeyKind) -> KeyId {
        let key = key.public_key();
        let (app, now) = (self.app.id.clone(), self.world.now());
        let new = AssociationKey::new(app, key.point(), user(owner), now, kind, None);
        let (store, unlimited) = (&self.world.store, Allowance::Unlimited);
        now_or_never(store.register_association_key(new, unlimited, now))
            .unwrap()
            .unwrap();
        key.key_id()
    }

    /// Returns a login that phone 1 opened as this user.
    fn opened_as(&self, name: Option<&str>) -> Login {
        let login = self.create().login;
        self.initiate_as(login.id, &mobile_token(1), name).unwrap()
    }

    fn found(&self, login: &Login) -> Login {
        self.world.login(login.id)
    }

    /// Returns the claims of a proof of the login with the payload `yes`.
    pub(super) fn claims<'a>(&'a self, login: &'a Login) -> ProofClaims<'a> {
        ProofClaims {
            app: &self.app.app_key,
            origin: &login.origin,
            login: login.id,
            user: None,
            context: None,
            payload: "yes",
            salt: &SALT,
            at: self.world.now(),
        }
    }
}

/// Returns a confirmation with the payload `yes` and a proof with these claims.
pub(super) fn sign(key: &AssociationPrivateKey, claims: &ProofClaims<'_>) -> PhonePayload {
    let proof = key.sign_proof(claims).unwrap().parse::<Proof>().unwrap();
    let payload = Payload::clear("yes".to_owned()).unwrap();
    PhonePayload::new(payload, Some(Salt::from_bytes(SALT)), Some(proof)).unwrap()
}

fn is_verified(login: &Login) -> Option<&str> {
    login.verified_user().map(|user| user.user.as_str())
}

#[test]
fn proof_by_a_registered_key_verifies_the_user() {
    for logins in [Logins::new(), Logins::requiring_proof()] {
        let key = private_key(1);
        logins.register(&key, "zoe");
        for name in [None, Some("zoe")] {
            let login = logins.opened_as(name);
            let payload = sign(&key, &logins.claims(&login));
            logins.confirm_with(login.id, payload.clone()).unwrap();
            assert_eq!(is_verified(&logins.found(&login)), Some("zoe"));
            // A repetition gets the same answer, even if the key was revoked and the proof is old.
            logins.confirm_with(login.id, payload).unwrap();
        }
    }
}

#[test]
fn browsers_key_proves_nothing_where_the_app_demands_passkeys() {
    let mut logins = Logins::new();
    let (apps, browsers) = (private_key(1), private_key(2));
    logins.register_as(&apps, "zoe", KeyKind::App);
    logins.register_as(&browsers, "zoe", KeyKind::Browser);
    let login = logins.opened_as(Some("zoe"));
    let payload = sign(&browsers, &logins.claims(&login));
    logins.set(|login| login.web_phone_key = WebPhoneKey::Passkey);
    let outcome = logins.confirm_with(login.id, payload.clone());
    assert!(matches!(outcome, Err(Refused(Refusal::ProofInvalid))));
    logins.set(|login| login.web_phone_key = WebPhoneKey::Any);
    logins.confirm_with(login.id, payload).unwrap();
    assert_eq!(is_verified(&logins.found(&login)), Some("zoe"));

    logins.set(|login| login.web_phone_key = WebPhoneKey::Passkey);
    let login = logins.opened_as(Some("zoe"));
    let payload = sign(&apps, &logins.claims(&login));
    logins.confirm_with(login.id, payload).unwrap();
    assert_eq!(is_verified(&logins.found(&login)), Some("zoe"));
}

#[test]
fn confirmation_with_a_proof_reads_the_login_once() {
    let logins = Logins::new();
    let key = private_key(1);
    logins.register(&key, "zoe");
    let login = logins.opened_as(Some("zoe"));
    let payload = sign(&key, &logins.claims(&login));
    let reads = Arc::new(AtomicUsize::new(0));
    let (counted, read) = (Arc::clone(&reads), Key::from(login.id));
    logins.world.items.fail(move |access| {
        if access == Access::Read(&read) {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        false
    });
    logins.confirm_with(login.id, payload).unwrap();
    assert_eq!(reads.load(Ordering::SeqCst), 1);
    assert_eq!(is_verified(&logins.found(&login)), Some("zoe"));
}

#[test]
fn unknown_key_verifies_nobody() {
    let logins = Logins::new();
    let login = logins.opened_as(Some("zoe"));
    let payload = sign(&private_key(1), &logins.claims(&login));
    logins.confirm_with(login.id, payload).unwrap();
    assert_eq!(is_verified(&logins.found(&login)), None);
}

#[test]
fn required_proof_must_be_by_a_registered_key() {
    let logins = Logins::requiring_proof();
    logins.register(&private_key(1), "zoe");
    let login = logins.opened_as(Some("zoe"));
    let outcome = logins.confirm(login.id, 1, "yes");
    assert!(matches!(outcome, Err(Refused(Refusal::ProofRequired))));
    let payload = sign(&private_key(2), &logins.claims(&login));
    let outcome = logins.confirm_with(login.id, payload);
    assert!(matches!(outcome, Err(Refused(Refusal::ProofInvalid))));
    let forged: PhonePayload = {
        let payload = sign(&private_key(1), &logins.claims(&login));
        let salt = payload.salt().copied();
        let other = Payload::clear("another".to_owned()).unwrap();
        PhonePayload::new(other, salt, payload.proof().cloned()).unwrap()
    };
    let outcome = logins.confirm_with(login.id, forged);
    assert!(matches!(outcome, Err(Refused(Refusal::ProofInvalid))));
    // The login is still undecided, so the phone can send a valid proof.
    assert_eq!(
        logins.found(&login).status(logins.world.now()),
        Status::Scanned
    );
    let payload = sign(&private_key(1), &logins.claims(&login));
    logins.confirm_with(login.id, payload).unwrap();
}

#[test]
fn proof_that_contradicts_the_login_is_refused() {
    let other_app = "cs_app_zZ9000000000000000000a".parse::<AppKey>().unwrap();
    for logins in [Logins::new(), Logins::requiring_proof()] {
        let key = private_key(1);
        logins.register(&key, "zoe");
        let login = logins.opened_as(Some("zoe"));
        let (another, stranger) = (logins.create().login, user("max"));
        let elsewhere = "https://evil.example".parse::<WebOrigin>().unwrap();
        let early = Timestamp::from_millis(
            logins.world.now().as_millis() - 1000 * (LIFETIME_SECONDS + 300),
        );
        let claims = || logins.claims(&login);
        // An app with the same page: a proof for one app is not valid for another.
        let app = ProofClaims {
            app: &other_app,
            ..claims()
        };
        let origin = ProofClaims {
            origin: &elsewhere,
            ..claims()
        };
        let replayed = ProofClaims {
            login: another.id,
            ..claims()
        };
        let user = ProofClaims {
            user: Some(&stranger),
            ..claims()
        };
        let context = ProofClaims {
            context: Some("Pay 20 EUR"),
            ..claims()
        };
        let old = ProofClaims {
            at: early,
            ..claims()
        };
        for claims in [app, origin, replayed, user, context, old] {
            let outcome = logins.confirm_with(login.id, sign(&key, &claims));
            assert!(
                matches!(outcome, Err(Refused(Refusal::ProofInvalid))),
                "{claims:?}"
            );
        }
    }
}

#[test]
fn proof_of_another_user_than_the_claimed_one_is_refused() {
    for logins in [Logins::new(), Logins::requiring_proof()] {
        let key = private_key(1);
        logins.register(&key, "zoe");
        let login = logins.opened_as(Some("max"));
        let payload = sign(&key, &logins.claims(&login));
        let outcome = logins.confirm_with(login.id, payload);
        assert!(matches!(outcome, Err(Refused(Refusal::ProofMismatch))));
        assert_eq!(
            logins.found(&login).status(logins.world.now()),
            Status::Scanned
        );
    }
}

#[test]
fn revoked_key_counts_no_more_at_once() {
    for logins in [Logins::new(), Logins::requiring_proof()] {
        let key = private_key(1);
        let id = logins.register(&key, "zoe");
        let login = logins.opened_as(Some("zoe"));
        let payload = sign(&key, &logins.claims(&login));
        let (store, now) = (&logins.world.store, logins.world.now());
        let revoked = store.revoke_association_key(&logins.app.id, id, now);
        now_or_never(revoked).unwrap();
        let outcome = logins.confirm_with(login.id, payload);
        assert!(matches!(outcome, Err(Refused(Refusal::ProofInvalid))));
    }
}

#[test]
fn key_of_another_app_verifies_nobody() {
    let logins = Logins::new();
    let key = private_key(1);
    let app = "other".parse().unwrap();
    let (store, now) = (&logins.world.store, logins.world.now());
    let point = key.public_key().point();
    let new = AssociationKey::new(app, point, user("zoe"), now, KeyKind::App, None);
    now_or_never(store.register_association_key(new, Allowance::Unlimited, now))
        .unwrap()
        .unwrap();
    let login = logins.opened_as(Some("zoe"));
    let payload = sign(&key, &logins.claims(&login));
    logins.confirm_with(login.id, payload).unwrap();
    assert_eq!(is_verified(&logins.found(&login)), None);
}

#[test]
fn proof_beside_a_sealed_payload_verifies_the_user() {
    let logins = Logins::requiring_proof();
    let key = private_key(1);
    logins.register(&key, "zoe");
    let token = countersign_conformance::samples::logins::browser_token(77);
    let request = CreateRequest {
        browser_key: Some(browser_key()),
        ..logins.request(&token)
    };
    let login = logins.send(request).unwrap().login;
    assert!(matches!(login.encryption, Encryption::Sealed(_)));
    logins
        .initiate_as(login.id, &mobile_token(1), Some("zoe"))
        .unwrap();
    let proof = sign(&key, &logins.claims(&login)).proof().cloned();
    let payload = PhonePayload::new(sealed().payload().clone(), None, proof).unwrap();
    logins.confirm_with(login.id, payload).unwrap();
    let login = logins.found(&login);
    assert_eq!(is_verified(&login), Some("zoe"));
    let body = login.claimed().unwrap().body.unwrap().into_text();
    assert!(body.contains(r#""verifiedPublicUserId":"zoe""#), "{body}");
}

#[test]
fn strangers_learn_nothing_by_sending_proofs() {
    let logins = Logins::new();
    let key = private_key(1);
    logins.register(&key, "zoe");
    let login = logins.opened_as(Some("zoe"));
    let payload = sign(&key, &logins.claims(&login));
    let token = mobile_token(2);
    let outcome = logins.with(async |ports| {
        countersign_domain::use_cases::logins::confirm(ports, login.id, &token, payload).await
    });
    assert!(matches!(outcome, Err(Refused(Refusal::Unknown))));
}
