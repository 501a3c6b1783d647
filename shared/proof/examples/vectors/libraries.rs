//! The cases of passkeys' proofs that the server libraries judge alike: the section `passkeys` of `clients/vectors.json`.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_conformance::passkey::{Ceremony, SoftwarePasskey};
use countersign_domain::login::PasskeyAssertion;
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::passkey::proof_challenge;
use countersign_proof::{AssociationPrivateKey, ProofClaims};
use serde_json::{Value, json};

use super::forgeries;
use super::said::{AUTHENTICATOR_DATA, CLIENT_DATA, CLIENT_DATA_OF_BROWSERS};
use super::{APP, Result, base64url};

const ORIGIN: &str = "https://shop.example";
pub(super) const HOST: &str = "login.shop.example";
const SESSION: &str = "qrs_6584c4a8e3c6c4ccabfe5bb6ab4e5559";
pub(super) const ZOE: &str = "zoe@example.com";
const PAYLOAD: &str = "a token";
/// The vectors' time, in milliseconds since the epoch.
pub(super) const AT: u64 = 1_767_323_040_000;
/// Of Zoe's passkey, her app's key and her browser's key.
const PASSKEY: u8 = 0x21;
const APP_KEY: u8 = 0x22;
const BROWSER_KEY: u8 = 0x23;

/// The `passkeys` section.
pub(crate) fn section() -> Result<Value> {
    let keys = [
        listed(
            PASSKEY,
            &json!({"kind": "passkey", "rpId": HOST, "origin": format!("https://{HOST}")}),
        )?,
        listed(APP_KEY, &json!({"kind": "app"}))?,
        listed(BROWSER_KEY, &json!({"kind": "browser"}))?,
    ];
    Ok(json!({"origin": ORIGIN, "keys": keys, "cases": cases()?}))
}

/// A key as the service lists it, with its owner.
fn listed(n: u8, kind: &Value) -> Result<Value> {
    let key = AssociationPrivateKey::from_bytes(&[n; 32])?.public_key();
    let mut listed = json!({
        "keyId": key.key_id().to_string(),
        "publicKey": key.to_string(),
        "userId": ZOE,
    });
    if let (Some(listed), Some(kind)) = (listed.as_object_mut(), kind.as_object()) {
        listed.extend(kind.clone());
    }
    Ok(listed)
}

/// A case: what was sent, and the user who is logged in.
pub(super) struct Cases(Vec<Value>);

impl Cases {
    pub(super) fn add(&mut self, name: &str, proof: &str, user: Option<&str>) {
        self.add_detail(name, proof, Some(PAYLOAD), None, user);
    }

    fn add_detail(
        &mut self,
        name: &str,
        proof: &str,
        payload: Option<&str>,
        context: Option<&str>,
        user: Option<&str>,
    ) {
        let salt = payload.map(|_| base64url(SALT));
        self.0.push(json!({
            "name": name,
            "detail": {"sessionId": SESSION, "payload": payload, "salt": salt, "proof": proof},
            "context": context,
            "openedByServer": payload.is_none(),
            "userId": user,
        }));
    }
}

const SALT: [u8; 16] = [0x5a; 16];

pub(super) fn passkey() -> SoftwarePasskey {
    SoftwarePasskey::new(PASSKEY, HOST)
}

fn claims_with<T>(
    salt_payload: &str,
    context: Option<&str>,
    make: impl FnOnce(&ProofClaims<'_>) -> Result<T>,
) -> Result<T> {
    make(&ProofClaims {
        app: &APP.parse()?,
        origin: &ORIGIN.parse()?,
        login: SESSION.parse()?,
        user: Some(&ZOE.parse()?),
        context,
        payload: salt_payload,
        salt: &SALT,
        at: Timestamp::from_millis(AT),
    })
}

/// Header and claims of a proof by a passkey with the `n`th key pair.
fn input_of(n: u8, context: Option<&str>) -> Result<String> {
    let key = AssociationPrivateKey::from_bytes(&[n; 32])?.public_key();
    claims_with(PAYLOAD, context, |claims| {
        Ok(claims.unsigned_by_passkey(&key)?.signing_input().to_owned())
    })
}

fn jwt_of(n: u8) -> Result<String> {
    let key = AssociationPrivateKey::from_bytes(&[n; 32])?;
    claims_with(PAYLOAD, None, |claims| Ok(key.sign_proof(claims)?))
}

pub(super) fn decode(text: &str) -> Result<Vec<u8>> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    bytes.map_err(|_| "not base64url".into())
}

pub(super) fn joined(input: &str, assertion: &PasskeyAssertion) -> String {
    format!("{input}.{}", assertion.to_base64url().join("."))
}

/// Signs any header and claims with a passkey that says something else.
pub(super) fn signed_with(
    passkey: &SoftwarePasskey,
    input: &str,
    change: impl FnOnce(&mut Ceremony),
) -> String {
    let challenge = base64url(proof_challenge(input));
    joined(input, &passkey.assert_with(&challenge, change))
}

fn cases() -> Result<Vec<Value>> {
    let mut cases = Cases(Vec::new());
    let input = input_of(PASSKEY, None)?;
    let phone = passkey();
    let proof = signed_with(&phone, &input, |_| ());
    cases.add("a passkey's proof", &proof, Some(ZOE));
    let approved = input_of(PASSKEY, Some("Pay 20 EUR to Zoë"))?;
    let approved = signed_with(&phone, &approved, |_| ());
    let context = Some("Pay 20 EUR to Zoë");
    cases.add_detail(
        "with a context",
        &approved,
        Some(PAYLOAD),
        context,
        Some(ZOE),
    );
    cases.add_detail(
        "no payload, of a login that the server opened",
        &proof,
        None,
        None,
        Some(ZOE),
    );
    said(&mut cases, &input);
    forgeries::signatures(&mut cases, &input)?;
    forgeries::texts(&mut cases, &input, &proof)?;
    cases.add_detail(
        "payload that does not fit",
        &proof,
        Some("another token"),
        None,
        None,
    );
    cases.add_detail(
        "a context that is not in the proof",
        &proof,
        Some(PAYLOAD),
        context,
        None,
    );
    forgeries::claims(&mut cases, &input)?;
    for (name, n) in [("an app", APP_KEY), ("a browser", BROWSER_KEY)] {
        cases.add(&format!("JWT by the key of {name}"), &jwt_of(n)?, Some(ZOE));
        let of_passkey = signed_with(&SoftwarePasskey::new(n, HOST), &input_of(n, None)?, |_| ());
        cases.add(
            &format!("passkey's proof by the key of {name}"),
            &of_passkey,
            None,
        );
    }
    cases.add("JWT by the passkey's key pair", &jwt_of(PASSKEY)?, None);
    let stranger = signed_with(&SoftwarePasskey::new(9, HOST), &input_of(9, None)?, |_| ());
    cases.add("unknown passkey", &stranger, None);
    Ok(cases.0)
}

/// Cases of what authenticator and browser said.
fn said(cases: &mut Cases, input: &str) {
    for (name, is_valid, rp_id, flags, rest) in AUTHENTICATOR_DATA {
        let proof = signed_with(&passkey(), input, |it| {
            (*rp_id).clone_into(&mut it.rp_id);
            (it.flags, it.rest) = (*flags, rest.to_vec());
        });
        cases.add(name, &proof, is_valid.then_some(ZOE));
    }
    let challenge = base64url(proof_challenge(input));
    for (name, is_valid, was, becomes) in CLIENT_DATA {
        let proof = signed_with(&passkey(), input, |it| {
            let json = CLIENT_DATA_OF_BROWSERS.replace(was, becomes);
            let json = json.replace("TWICE", &base64url(&challenge));
            it.client_data = json.replace('@', &challenge);
        });
        cases.add(name, &proof, is_valid.then_some(ZOE));
    }
}
