//! Verifies the proofs of logins.

use std::collections::HashMap;
use std::error::Error;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use p256::ecdsa::VerifyingKey;
use p256::pkcs8::DecodePublicKey as _;
use serde::{Deserialize, Deserializer};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::Detail;

const MAX_PROOF: usize = 2048;
const LIFETIME_SECONDS: u64 = 300;
const CLOCK_TOLERANCE_SECONDS: u64 = 60;

/// The reason why no user is logged in, for the log.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) &'static str);

fn holds(condition: bool, reason: &'static str) -> Result<(), Refused> {
    if condition {
        Ok(())
    } else {
        Err(Refused(reason))
    }
}

/// A public key and the user whom it is registered for.
pub(crate) struct Known {
    key: DecodingKey,
    owner: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    public_user_id: String,
    public_key: String,
}

/// Reads the users' public keys, by key id. In a real service this is a table; see the README.
pub(crate) fn read_keys(json: &str) -> Result<HashMap<String, Known>, Box<dyn Error>> {
    let mut keys = HashMap::new();
    for entry in serde_json::from_str::<Vec<Entry>>(json)? {
        let der = BASE64_STANDARD.decode(entry.public_key)?;
        let point = VerifyingKey::from_public_key_der(&der)?.to_sec1_bytes();
        let [x, y] = [&point[1..33], &point[33..]].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part));
        // The key's JWK thumbprint (RFC 7638).
        let jwk = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let id = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(jwk));
        let known = Known {
            key: DecodingKey::from_ec_components(&x, &y)?,
            owner: entry.public_user_id,
        };
        keys.insert(id, known);
    }
    Ok(keys)
}

/// The claims of a proof. There is no `ctx`: this page's logins have no context.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    act: String,
    app: String,
    aud: String,
    exp: u64,
    iat: u64,
    jti: String,
    pay: String,
    #[serde(default, deserialize_with = "present")]
    sub: Option<String>,
}

/// Reads a claim that may be absent, but is not null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// Verifies the proofs of logins.
pub(crate) struct Verifier {
    app_key: String,
    origin: String,
    keys: HashMap<String, Known>,
}

impl Verifier {
    pub(crate) fn new(app_key: String, origin: String, keys: HashMap<String, Known>) -> Self {
        Self {
            app_key,
            origin,
            keys,
        }
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the user who confirmed the login. Fails if the proof breaks a rule.
    pub(crate) fn verify(&self, detail: &Detail) -> Result<&str, Refused> {
        let proof = detail.proof.as_str();
        holds(proof.len() <= MAX_PROOF, "the proof is too long")?;
        let header = decode_header(proof).map_err(|_| Refused("the proof is malformed"))?;
        let kid = header.kid.unwrap_or_default();
        let known = self.keys.get(&kid).ok_or(Refused("the key is unknown"))?;
        // Comparing the whole header refuses other spellings and other members, such as `crit`.
        let right = proof.split('.').next() == Some(&header_of(&kid));
        holds(right, "the header is not that of a proof")?;
        let mut validation = Validation::new(Algorithm::ES256);
        validation.leeway = CLOCK_TOLERANCE_SECONDS;
        validation.set_audience(&[&self.origin]);
        let decoded = decode::<Claims>(proof, &known.key, &validation);
        let claims = decoded
            .map_err(|_| Refused("the proof is not valid"))?
            .claims;
        self.check(&claims, &detail.session_id)?;
        let owned = claims.sub.is_none_or(|sub| sub == known.owner);
        holds(owned, "the key belongs to another user")?;
        // The sender knows both values, so the comparison need not take constant time.
        let fits = claims.pay == pay_of(&detail.payload, &detail.salt)?;
        holds(fits, "for another payload")?;
        Ok(&known.owner)
    }

    fn check(&self, claims: &Claims, session_id: &str) -> Result<(), Refused> {
        holds(claims.app == self.app_key, "for another app")?;
        holds(claims.aud == self.origin, "for another origin")?;
        holds(claims.jti == session_id, "for another session")?;
        holds(claims.act == "confirm", "for another action")?;
        let lifetime = claims.exp.checked_sub(claims.iat);
        let right = lifetime == Some(LIFETIME_SECONDS);
        holds(right, "the lifetime is not that of a proof")?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |since| since.as_secs());
        holds(
            claims.iat <= now + CLOCK_TOLERANCE_SECONDS,
            "from the future",
        )
    }
}

/// Returns the header of a proof by this key. Headers of proofs differ only in `kid`.
fn header_of(kid: &str) -> String {
    let json = format!(r#"{{"alg":"ES256","kid":"{kid}","typ":"countersign-login+jwt"}}"#);
    BASE64_URL_SAFE_NO_PAD.encode(json)
}

/// Computes the claim `pay` of a payload and its salt.
fn pay_of(payload: &str, salt: &str) -> Result<String, Refused> {
    let raw = BASE64_URL_SAFE_NO_PAD.decode(salt).unwrap_or_default();
    holds(raw.len() == 16, "the salt is malformed")?;
    let digest = Sha256::new()
        .chain_update(b"countersign/pay/1\0")
        .chain_update(raw)
        .chain_update(payload)
        .finalize();
    Ok(BASE64_URL_SAFE_NO_PAD.encode(digest))
}
