//! The claims of a proof.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::login::{ClaimedUserId, PayDigest};
use countersign_domain::primitives::time::Timestamp;
use subtle::ConstantTimeEq as _;

use super::{Expected, ExpectedPayload, ExpectedUser};
use crate::digest::{context_digest, payload_digest};
use crate::error::ProofError;
use crate::members::Members;
use crate::{ACTION, CLOCK_TOLERANCE, LIFETIME_SECONDS};

/// The claims that the caller cannot know in advance.
pub(super) struct Claims {
    pub(super) user: Option<String>,
    pub(super) pay: PayDigest,
    pub(super) issued_at: Timestamp,
}

/// Checks every claim except the owner of the key.
pub(super) fn read(text: &str, expected: &Expected<'_>) -> Result<Claims, ProofError> {
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
