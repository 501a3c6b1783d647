//! The vectors of passkeys: what a phone's page asks a passkey to sign, and what it sends.

use countersign_conformance::passkey::{SoftwarePasskey, to_json};
use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, PasskeyAssertion};
use countersign_domain::primitives::time::Timestamp;
use countersign_proof::passkey::{Challenge, identification_challenge, registration_challenge};
use countersign_proof::{AssociationPublicKey, ProofClaims};
use serde_json::{Value, json};

use super::{APP, Confirmation, Result, base64url, confirmations};

/// The link hosts, in turn.
const HOSTS: [&str; 3] = [
    "login.shop.example",
    "login.shop.example:8443",
    "localhost:8787",
];

fn passkey(n: u8) -> SoftwarePasskey {
    SoftwarePasskey::new(n, HOSTS[usize::from(n) % HOSTS.len()])
}

/// Returns the members that all vectors have: the passkey, the challenge and the assertion.
fn of_passkey(
    passkey: &SoftwarePasskey,
    n: u8,
    challenge: &Challenge,
) -> Result<(Value, PasskeyAssertion)> {
    let challenge = base64url(challenge);
    let assertion = passkey.assert(&challenge);
    let key = AssociationPublicKey::from_point(&passkey.point())?;
    let mut vector = json!({
        "privateKey": base64url([n; 32]),
        "publicKey": key.to_string(),
        "keyId": key.key_id().to_string(),
        "rpId": passkey.passkey.rp_id.to_string(),
        "linkOrigin": passkey.passkey.origin.to_string(),
        "synced": passkey.passkey.synced,
        "appKey": APP,
        "challenge": challenge,
    });
    add(&mut vector, to_json(&assertion));
    Ok((vector, assertion))
}

/// Adds the members of another object.
fn add(vector: &mut Value, more: Value) {
    if let (Value::Object(vector), Value::Object(more)) = (vector, more) {
        vector.extend(more);
    }
}

/// Returns the proofs of the same confirmations as those of other keys.
pub(super) fn proofs() -> Result<Value> {
    // The last payload is long, which changes nothing here.
    confirmations().iter().take(4).map(proof).collect()
}

fn proof(it: &Confirmation) -> Result<Value> {
    let passkey = passkey(it.key);
    let key = AssociationPublicKey::from_point(&passkey.point())?;
    let user = it.user.map(str::parse::<ClaimedUserId>).transpose()?;
    let claims = ProofClaims {
        app: &APP.parse::<AppKey>()?,
        origin: &it.origin.parse()?,
        login: it.session.parse()?,
        user: user.as_ref(),
        context: it.context,
        payload: &it.payload,
        salt: &it.salt,
        at: Timestamp::from_millis(it.at),
    };
    let unsigned = claims.unsigned_by_passkey(&key)?;
    let (mut vector, assertion) = of_passkey(&passkey, it.key, &unsigned.challenge())?;
    let facts = json!({
        "origin": it.origin,
        "sessionId": it.session,
        "publicUserId": it.user,
        "context": it.context,
        "payload": it.payload,
        "salt": base64url(it.salt),
        "at": it.at,
        "signingInput": unsigned.signing_input(),
        "proof": unsigned.assemble(&passkey.passkey, &assertion)?,
    });
    add(&mut vector, facts);
    Ok(vector)
}

pub(super) fn registrations() -> Result<Value> {
    let users = ["zoe@example.com", "max", "Zoë \"Z\" 🦀"];
    let registered = (1..).zip(users).map(|(n, user)| {
        let passkey = if n == 2 {
            passkey(n).bound_to_device()
        } else {
            passkey(n)
        };
        let id = format!("phr_{}", format!("{n:02x}").repeat(16));
        let (app, owner) = (APP.parse::<AppKey>()?, user.parse::<ClaimedUserId>()?);
        let challenge = registration_challenge(&id, &app, &owner);
        let (mut vector, _) = of_passkey(&passkey, n, &challenge)?;
        add(
            &mut vector,
            json!({"registrationId": id, "publicUserId": user}),
        );
        Ok(vector)
    });
    registered.collect()
}

pub(super) fn identifications() -> Result<Value> {
    let times = [0, 1_767_323_045_678, 253_402_300_000_000];
    let identified = (1..).zip(times).map(|(n, at)| {
        let app = APP.parse::<AppKey>()?;
        let challenge = identification_challenge(&app, Timestamp::from_millis(at));
        let (mut vector, _) = of_passkey(&passkey(n), n, &challenge)?;
        add(&mut vector, json!({"at": at}));
        Ok(vector)
    });
    identified.collect()
}
