//! ID tokens (`OpenID` Connect Core, section 2): JWTs signed with ES256 by the provider's own key.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Method;
use crate::delivery::signing::{KeyId, Signer};
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// Time for which an ID token is valid.
pub const VALIDITY: Duration = Duration::from_mins(10);

/// Time before the signature at which a token says that it was issued. Some clients allow for no difference of clocks, and
/// refuse tokens from the future: without this, nobody could log in at a client whose clock is slow by a second.
const BACKDATING: Duration = Duration::from_secs(5);

/// Maximum number of signatures for one token. Each repetition means that the key was replaced in the meantime.
const MAX_SIGNATURES: usize = 3;

#[derive(Serialize)]
struct Header<'a> {
    alg: &'static str,
    /// `JWT` or nothing: some clients refuse everything else.
    typ: &'static str,
    kid: &'a str,
}

/// The claims of an ID token. Times are in whole seconds, rounded down. There is no `nbf`, which clients with slow clocks
/// would check as well.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
pub struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    exp: u64,
    iat: u64,
    auth_time: u64,
    nonce: Option<&'a str>,
    acr: &'static str,
    amr: [&'static str; 1],
    at_hash: &'a str,
    #[serde(flatten)]
    phone: PhoneClaims<'a>,
}

/// The claims of the scope `phone` (`OpenID` Connect Core, section 5.4), if the client gets the number.
#[serde_with::skip_serializing_none]
#[derive(Serialize)]
pub struct PhoneClaims<'a> {
    phone_number: Option<&'a str>,
    phone_number_verified: Option<bool>,
}

impl<'a> PhoneClaims<'a> {
    /// Returns the claims about a number, which a text has verified.
    #[must_use]
    pub fn new(number: Option<&'a PhoneNumber>) -> Self {
        Self {
            phone_number: number.map(PhoneNumber::as_str),
            phone_number_verified: number.map(|_| true),
        }
    }
}

/// What an ID token says.
#[derive(Clone, Copy)]
pub struct Statement<'a> {
    pub issuer: &'a str,
    pub sub: &'a str,
    /// The client.
    pub audience: &'a str,
    pub nonce: Option<&'a str>,
    pub method: Method,
    /// Time of the proof.
    pub proven_at: Timestamp,
    /// The claim `at_hash` of the access token.
    pub access_token: &'a str,
    pub number: Option<&'a PhoneNumber>,
}

impl<'a> Claims<'a> {
    /// Returns the claims of a token that is issued now.
    #[must_use]
    pub fn new(statement: Statement<'a>, now: Timestamp) -> Self {
        let iat = now.as_secs().saturating_sub(BACKDATING.as_secs());
        Self {
            iss: statement.issuer,
            sub: statement.sub,
            aud: statement.audience,
            exp: now.as_secs() + VALIDITY.as_secs(),
            iat,
            // A token is not older than the login.
            auth_time: statement.proven_at.as_secs().min(iat),
            nonce: statement.nonce,
            acr: statement.method.acr(),
            amr: [statement.method.amr()],
            at_hash: statement.access_token,
            phone: PhoneClaims::new(statement.number),
        }
    }

    /// Returns the signed token, in the compact form (RFC 7515, section 3.1).
    ///
    /// # Errors
    /// Fails if the signer does, or if its key is replaced again and again.
    pub async fn sign(&self, signer: &dyn Signer) -> Result<String, Unavailable> {
        let what = "ID token";
        let keys = signer.public_keys().await?;
        let current = keys
            .first()
            .ok_or_else(|| Unavailable::new(what, "the signer has no key"))?;
        let mut key = current.key_id();
        // The header names the key, so the key must be known before it signs.
        for _ in 0..MAX_SIGNATURES {
            let content = self.signed_part(&key)?;
            let signature = signer
                .sign(&Sha256::digest(content.as_bytes()).into())
                .await?;
            if signature.key_id == key {
                let raw = raw(&signature.der);
                let raw = raw.ok_or_else(|| Unavailable::new(what, "the signature is not DER"))?;
                return Ok(format!("{content}.{}", BASE64_URL_SAFE_NO_PAD.encode(raw)));
            }
            key = signature.key_id;
        }
        Err(Unavailable::new(
            what,
            "the signing key changes all the time",
        ))
    }

    fn signed_part(&self, key: &KeyId) -> Result<String, Unavailable> {
        let header = Header {
            alg: "ES256",
            typ: "JWT",
            kid: key.as_str(),
        };
        let failed = |error| Unavailable::new("ID token: JSON", error);
        let header = serde_json::to_vec(&header).map_err(failed)?;
        let claims = serde_json::to_vec(self).map_err(failed)?;
        let encode = |bytes| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        Ok(format!("{}.{}", encode(header), encode(claims)))
    }
}

/// Returns the 64 bytes of JWS (RFC 7518, section 3.4) for a signature in DER, a sequence of two integers.
fn raw(der: &[u8]) -> Option<[u8; 64]> {
    let body = der.strip_prefix(&[0x30])?;
    let (length, body) = body.split_first()?;
    let (r, rest) = integer(body)?;
    let (s, rest) = integer(rest)?;
    let whole = rest.is_empty() && usize::from(*length) == body.len();
    let mut raw = [0; 64];
    raw[..32].copy_from_slice(&r);
    raw[32..].copy_from_slice(&s);
    whole.then_some(raw)
}

/// Reads an unsigned integer of at most 32 bytes, and returns what follows it.
fn integer(der: &[u8]) -> Option<([u8; 32], &[u8])> {
    let (length, body) = der.strip_prefix(&[0x02])?.split_first()?;
    let (digits, rest) = body.split_at_checked(usize::from(*length))?;
    // A zero precedes a first byte that would otherwise make the number negative.
    let digits = digits.strip_prefix(&[0]).unwrap_or(digits);
    let start = 32_usize.checked_sub(digits.len())?;
    let mut integer = [0; 32];
    integer[start..].copy_from_slice(digits);
    Some((integer, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Writes an integer as DER does.
    fn written(bytes: &[u8; 32]) -> Vec<u8> {
        let significant = bytes.iter().skip_while(|byte| **byte == 0);
        let mut digits: Vec<u8> = significant.copied().collect();
        if digits.first().is_none_or(|first| *first >= 0x80) {
            digits.insert(0, 0);
        }
        let length = u8::try_from(digits.len()).unwrap();
        [vec![0x02, length], digits].concat()
    }

    proptest! {
        #[test]
        fn der_becomes_two_numbers_of_32_bytes(r: [u8; 32], s: [u8; 32], zeros in 0_usize..32) {
            let mut r = r;
            r[..zeros].fill(0);
            let body = [written(&r), written(&s)].concat();
            let der = [vec![0x30, u8::try_from(body.len()).unwrap()], body].concat();
            prop_assert_eq!(raw(&der), [r, s].concat().try_into().ok());
            prop_assert_eq!(raw(&der[..der.len() - 1]), None);
            prop_assert_eq!(raw(&[der, vec![0]].concat()), None);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = raw(&bytes);
        }
    }

    #[test]
    fn claims_of_absent_values_are_absent() {
        let number = PhoneNumber::parse_e164("+12025550100").unwrap();
        let mut statement = Statement {
            issuer: "https://id.example",
            sub: "num_1",
            audience: "cs_app_1",
            nonce: Some("n"),
            method: Method::Text,
            proven_at: Timestamp::from_millis(1_767_323_040_999),
            access_token: "hash",
            number: Some(&number),
        };
        let now = Timestamp::from_millis(1_767_323_045_999);
        let json = |statement| serde_json::to_string(&Claims::new(statement, now)).unwrap();
        assert_eq!(
            json(statement),
            r#"{"iss":"https://id.example","sub":"num_1","aud":"cs_app_1","exp":1767323645,"iat":1767323040,"auth_time":1767323040,"nonce":"n","acr":"urn:countersign:text","amr":["sms"],"at_hash":"hash","phone_number":"+12025550100","phone_number_verified":true}"#
        );
        statement.proven_at = now;
        assert!(json(statement).contains(r#""iat":1767323040,"auth_time":1767323040"#));
        statement.proven_at = Timestamp::from_millis(1_767_323_030_000);
        assert!(json(statement).contains(r#""iat":1767323040,"auth_time":1767323030"#));
        (statement.number, statement.nonce) = (None, None);
        assert!(!json(statement).contains("phone") && !json(statement).contains("nonce"));
    }
}
