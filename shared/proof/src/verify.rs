//! Verifying proofs.

mod error;
mod expected;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::proof_verifier::ProofIdentity;
use countersign_domain::login::{ClaimedUserId, KeyId, PayDigest};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use p256::ecdsa::Signature;
use p256::ecdsa::signature::Verifier as _;
use subtle::ConstantTimeEq as _;

use crate::digest::{context_digest, payload_digest};
use crate::header::{self, HeaderError};
use crate::members::Members;
use crate::{ACTION, LIFETIME_SECONDS, MAX_PROOF};

pub use error::ProofError;
pub use expected::{Expected, ExpectedPayload, ExpectedUser, KnownKey};

/// Maximum difference between the phone's corrected clock and the verifier's clock, in seconds. A
/// proof is valid from this long before `iat` until this long after `exp`.
pub const CLOCK_TOLERANCE: u64 = 60;

/// Length of an ES256 signature in base64url, in characters: 64 bytes.
pub(crate) const SIGNATURE_TEXT: usize = 86;

/// A proof that [`verify`] accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedProof {
    key_id: KeyId,
    user: Option<ClaimedUserId>,
    login: LoginId,
    pay: PayDigest,
    issued_at: Timestamp,
}

impl VerifiedProof {
    /// Returns the id of the key that signed it.
    #[must_use]
    pub const fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Returns the key's owner, who confirmed the login; `None` if the lookup returned no owner.
    #[must_use]
    pub const fn user(&self) -> Option<&ClaimedUserId> {
        self.user.as_ref()
    }

    /// Returns the confirmed login. A server must accept each login only once.
    #[must_use]
    pub const fn login(&self) -> LoginId {
        self.login
    }

    /// Returns the claim `pay`, which matches only one payload and salt.
    #[must_use]
    pub const fn pay(&self) -> PayDigest {
        self.pay
    }

    /// Returns the claim `iat`: the time of the confirmation, in whole seconds.
    #[must_use]
    pub const fn issued_at(&self) -> Timestamp {
        self.issued_at
    }
}

/// The three parts of a proof's text.
struct JwtParts<'a> {
    header: &'a str,
    claims: &'a str,
    signature: &'a str,
}

/// Returns the id of a proof's key, for a lookup before [`verify`]. No part of the proof has been
/// verified at this point.
///
/// # Errors
///
/// Fails if the proof or its header is malformed.
pub fn key_id(proof: &str) -> Result<KeyId, ProofError> {
    read_header(split(proof)?.header)
}

/// Checks a proof without its key: format, header, every claim, and time. Neither the signature nor
/// the owner of the key is checked, so this can show that a proof is invalid, but never that it is
/// valid.
///
/// # Errors
///
/// Fails with the first rule that the proof breaks.
pub fn check(proof: &str, expected: &Expected<'_>) -> Result<ProofIdentity, ProofError> {
    let parts = split(proof)?;
    let key = read_header(parts.header)?;
    read_signature(parts.signature)?;
    let claims = read_claims(parts.claims, expected)?;
    let user = claims.user.map(|user| user.parse::<ClaimedUserId>());
    let user = user.transpose().map_err(|_| ProofError::User)?;
    Ok(ProofIdentity { key, user })
}

/// Verifies a proof of who confirmed a login: format, signature, every claim, and time. `find`
/// returns the known key with an id.
///
/// A proof must be accepted only once. The caller must therefore refuse a login that it has already
/// accepted.
///
/// # Errors
///
/// Fails with the first rule that the proof breaks.
pub fn verify(
    proof: &str,
    expected: &Expected<'_>,
    find: impl FnOnce(&KeyId) -> Option<KnownKey>,
) -> Result<VerifiedProof, ProofError> {
    let parts = split(proof)?;
    let key_id = read_header(parts.header)?;
    let known = find(&key_id).ok_or(ProofError::UnknownKey)?;
    // The lookup may be wrong, so the id is computed again.
    if known.key.key_id() != key_id {
        return Err(ProofError::UnknownKey);
    }
    let input = &proof[..parts.header.len() + 1 + parts.claims.len()];
    check_signature(&known, input, parts.signature)?;
    let claims = read_claims(parts.claims, expected)?;
    let owner = known.owner.as_ref().map(ClaimedUserId::as_str);
    if claims.user.is_some() && claims.user.as_deref() != owner {
        return Err(ProofError::Owner);
    }
    Ok(VerifiedProof {
        key_id,
        user: known.owner,
        login: expected.login,
        pay: claims.pay,
        issued_at: claims.issued_at,
    })
}

/// Splits a proof before any part of it is decoded.
fn split(proof: &str) -> Result<JwtParts<'_>, ProofError> {
    if proof.len() > MAX_PROOF {
        return Err(ProofError::TooLong);
    }
    let mut parts = proof.split('.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(header), Some(claims), Some(signature), None) => Ok(JwtParts {
            header,
            claims,
            signature,
        }),
        _ => Err(ProofError::Malformed),
    }
}

fn read_header(text: &str) -> Result<KeyId, ProofError> {
    header::read(text).map_err(|error| match error {
        HeaderError::Malformed => ProofError::Malformed,
        HeaderError::Algorithm => ProofError::Algorithm,
        HeaderError::Type => ProofError::Type,
        HeaderError::KeyId => ProofError::UnknownKey,
        HeaderError::Surplus => ProofError::SurplusHeader,
    })
}

fn read_signature(text: &str) -> Result<Signature, ProofError> {
    if text.len() != SIGNATURE_TEXT {
        return Err(ProofError::Signature);
    }
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    let bytes = bytes.map_err(|_| ProofError::Signature)?;
    Signature::from_slice(&bytes).map_err(|_| ProofError::Signature)
}

fn check_signature(known: &KnownKey, input: &str, signature: &str) -> Result<(), ProofError> {
    let signature = read_signature(signature)?;
    let key = known.key.verifying();
    let valid = key.verify(input.as_bytes(), &signature);
    valid.map_err(|_| ProofError::Signature)
}

/// The claims that the caller cannot know in advance.
struct Claims {
    user: Option<String>,
    pay: PayDigest,
    issued_at: Timestamp,
}

/// Checks every claim except the owner of the key.
fn read_claims(text: &str, expected: &Expected<'_>) -> Result<Claims, ProofError> {
    let json = BASE64_URL_SAFE_NO_PAD.decode(text);
    let claims = json.ok().and_then(|json| Members::parse(&json));
    let mut claims = claims.ok_or(ProofError::Malformed)?;
    let mut is = |name: &str, value: &str| claims.take_text(name).as_deref() == Some(value);
    let rules = [
        (is("app", expected.app.as_str()), ProofError::App),
        (is("aud", expected.origin.as_str()), ProofError::Origin),
        (is("jti", &expected.login.to_string()), ProofError::Login),
        (is("act", ACTION), ProofError::Action),
    ];
    for (holds, error) in rules {
        if !holds {
            return Err(error);
        }
    }
    let user = read_user(&mut claims, expected.user)?;
    check_context(&mut claims, expected.context)?;
    let pay = check_payload(&mut claims, expected.payload)?;
    let issued_at = check_time(&mut claims, expected.now)?;
    if !claims.is_empty() {
        return Err(ProofError::SurplusClaim);
    }
    Ok(Claims {
        user,
        pay,
        issued_at,
    })
}

fn read_user(
    claims: &mut Members,
    expected: ExpectedUser<'_>,
) -> Result<Option<String>, ProofError> {
    let named = optional_text(claims, "sub", ProofError::User)?;
    match expected {
        ExpectedUser::Exactly(user) if named.as_deref() != user.map(ClaimedUserId::as_str) => {
            Err(ProofError::User)
        }
        _ => Ok(named),
    }
}

fn check_context(claims: &mut Members, context: Option<&str>) -> Result<(), ProofError> {
    let digest = optional_text(claims, "ctx", ProofError::Context)?;
    if digest == context.map(context_digest) {
        Ok(())
    } else {
        Err(ProofError::Context)
    }
}

fn check_payload(
    claims: &mut Members,
    expected: ExpectedPayload<'_>,
) -> Result<PayDigest, ProofError> {
    let pay = claims.take_text("pay").ok_or(ProofError::Payload)?;
    if let ExpectedPayload::Is { payload, salt } = expected {
        let digest = payload_digest(payload, salt);
        if !bool::from(digest.as_bytes().ct_eq(pay.as_bytes())) {
            return Err(ProofError::Payload);
        }
    }
    pay.parse::<PayDigest>().map_err(|_| ProofError::Payload)
}

fn check_time(claims: &mut Members, now: Timestamp) -> Result<Timestamp, ProofError> {
    let issued_at = claims.take_integer("iat").ok_or(ProofError::Lifetime)?;
    let expires_at = claims.take_integer("exp").ok_or(ProofError::Lifetime)?;
    if issued_at.checked_add(LIFETIME_SECONDS) != Some(expires_at) {
        return Err(ProofError::Lifetime);
    }
    let now = now.as_secs();
    if issued_at > now.saturating_add(CLOCK_TOLERANCE) {
        return Err(ProofError::TooEarly);
    }
    if now >= expires_at.saturating_add(CLOCK_TOLERANCE) {
        return Err(ProofError::Expired);
    }
    Ok(Timestamp::from_millis(issued_at.saturating_mul(1000)))
}

/// Removes a claim that may be absent. If it is present but not a string, it breaks the rule.
fn optional_text(
    claims: &mut Members,
    name: &str,
    rule: ProofError,
) -> Result<Option<String>, ProofError> {
    match claims.take(name) {
        None => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(rule),
    }
}
