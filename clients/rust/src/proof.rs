//! Verifies login proofs: JWTs signed by a phone, or what its passkey signed. Nothing here performs I/O.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::DecodePublicKey as _;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::error::{Error, LoginRefused, holds};
use crate::identity::{base64url, digest, from_base64url};
use crate::passkey_proof::{self, Passkey};
use crate::types::{AssociationKeyKind, RegisteredKey};

const MAX_JWT: usize = 2048;
const MAX_BY_PASSKEY: usize = 2560;
/// Validity of a proof, in seconds.
pub(crate) const LIFETIME: i64 = 300;
const TOLERANCE_SECONDS: f64 = 60.0;
const SALT: usize = 16;

/// A user's association key: the public half in the mobile SDK's format (Base64), or as PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownKey {
    /// The public half.
    pub public_key: String,
    /// The user to whom the key belongs.
    pub user_id: String,
    kind: AssociationKeyKind,
    rp_id: Option<String>,
    origin: Option<String>,
}

impl KnownKey {
    /// Creates the key of a user's app or browser. For a passkey, call [`passkey`](Self::passkey) or
    /// [`registered`](Self::registered).
    #[must_use]
    pub fn new(public_key: impl Into<String>, user_id: impl Into<String>) -> Self {
        Self {
            public_key: public_key.into(),
            user_id: user_id.into(),
            kind: AssociationKeyKind::App,
            rp_id: None,
            origin: None,
        }
    }

    /// Creates a user's key as the service lists it.
    #[must_use]
    pub fn registered(key: &RegisteredKey, user_id: impl Into<String>) -> Self {
        let mut known = Self::new(&key.public_key, user_id);
        known.rp_id.clone_from(&key.rp_id);
        known.origin.clone_from(&key.origin);
        // An older service lists keys without their kind: all of them are apps' keys.
        if !key.kind.as_str().is_empty() {
            known.kind.clone_from(&key.kind);
        }
        known
    }

    /// Says that the key is a passkey of this domain, used on the page with this origin.
    #[must_use]
    pub fn passkey(mut self, rp_id: impl Into<String>, origin: impl Into<String>) -> Self {
        self.kind = AssociationKeyKind::Passkey;
        self.rp_id = Some(rp_id.into());
        self.origin = Some(origin.into());
        self
    }

    /// Returns the page of a key that is a passkey.
    fn page(&self) -> Result<Option<Passkey>, Error> {
        match (&self.kind, &self.rp_id, &self.origin) {
            (AssociationKeyKind::App | AssociationKeyKind::Browser, ..) => Ok(None),
            (AssociationKeyKind::Passkey, Some(rp_id), Some(origin)) => Ok(Some(Passkey {
                rp_id: rp_id.clone(),
                origin: origin.clone(),
            })),
            (AssociationKeyKind::Passkey, ..) => {
                Err(Error::invalid("a passkey has no rpId or no origin"))
            }
            _ => Err(Error::invalid(
                "a key is of a kind that this version does not know",
            )),
        }
    }
}

/// The user who confirmed a login, and the key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Login {
    /// The user to whom the key belongs.
    pub user_id: String,
    /// The id of the key.
    pub key_id: String,
}

/// The values that a proof must contain.
pub(crate) struct Expected<'a> {
    pub(crate) app_key: &'a str,
    pub(crate) origin: &'a str,
    pub(crate) session_id: &'a str,
    pub(crate) context: Option<&'a str>,
}

/// The payload and the salt from a browser, which show that the browser created the login.
pub(crate) struct BrowserEvidence<'a> {
    pub(crate) payload: &'a str,
    pub(crate) salt: &'a str,
}

/// The claims of a proof; no other claims are allowed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claims {
    pub(crate) act: String,
    pub(crate) app: String,
    pub(crate) aud: String,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) ctx: Option<String>,
    pub(crate) exp: i64,
    pub(crate) iat: i64,
    pub(crate) jti: String,
    pub(crate) pay: String,
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) sub: Option<String>,
}

/// Reads a claim that may be absent, but not null.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    String::deserialize(from).map(Some)
}

/// Returns the id of the key that a proof specifies.
pub(crate) fn named_key(proof: &str) -> Result<String, LoginRefused> {
    #[derive(Deserialize)]
    struct Header {
        kid: String,
    }
    let (max_length, header_of) = if is_by_passkey(proof) {
        (MAX_BY_PASSKEY, passkey_header_of as fn(&str) -> String)
    } else {
        (MAX_JWT, header_of as fn(&str) -> String)
    };
    holds(proof.len() <= max_length, "the proof is too long")?;
    let head = proof.split('.').next().unwrap_or_default();
    let header = from_base64url(head).and_then(|raw| serde_json::from_slice::<Header>(&raw).ok());
    let kid = header
        .ok_or_else(|| LoginRefused::because("the proof names no key"))?
        .kid;
    // Comparing the whole header rejects other encodings and other members, such as `crit`.
    holds(head == header_of(&kid), "the header is not that of a proof")?;
    Ok(kid)
}

/// Returns whether a proof has the five parts of one that a passkey signed.
fn is_by_passkey(proof: &str) -> bool {
    proof.split('.').count() == 5
}

fn passkey_header_of(kid: &str) -> String {
    base64url(format!(
        r#"{{"alg":"WebAuthn-ES256","kid":"{kid}","typ":"countersign-login+webauthn"}}"#
    ))
}

pub(crate) fn header_of(kid: &str) -> String {
    base64url(format!(
        r#"{{"alg":"ES256","kid":"{kid}","typ":"countersign-login+jwt"}}"#
    ))
}

/// Returns the login that a proof confirms. The caller must have found the key by [`named_key`].
///
/// Without data from the browser, the proof only shows who confirmed: the caller must identify the browser itself.
/// `now` is in seconds since 1970.
pub(crate) fn verify(
    proof: &str,
    brought: Option<&BrowserEvidence<'_>>,
    key: &KnownKey,
    expected: &Expected<'_>,
    now: f64,
) -> Result<Login, Error> {
    let key_id = named_key(proof)?;
    let (public_key, page) = (verifying_key(&key.public_key)?, key.page()?);
    let parts: Vec<_> = proof.split('.').collect();
    let claims = match (page, <[&str; 5]>::try_from(parts)) {
        (None, Err(_)) => signed_claims(proof, &public_key)?,
        (Some(page), Ok(parts)) => {
            read_claims(&passkey_proof::signed_claims(parts, &public_key, &page)?)?
        }
        _ => {
            return Err(
                LoginRefused::because("the proof has another form than those of its key").into(),
            );
        }
    };
    check(&claims, expected, &key.user_id)?;
    check_times(&claims, now)?;
    let pay = from_base64url(&claims.pay).filter(|raw| raw.len() == 32);
    holds(pay.is_some(), "the claims are not those of a proof")?;
    if let Some(brought) = brought {
        let expected = pay_of(brought)?;
        let is_same = expected.as_bytes().ct_eq(claims.pay.as_bytes());
        holds(is_same.into(), "for another payload")?;
    }
    Ok(Login {
        user_id: key.user_id.clone(),
        key_id,
    })
}

fn signed_claims(proof: &str, key: &VerifyingKey) -> Result<Claims, LoginRefused> {
    let malformed = || LoginRefused::because("the proof is malformed");
    let (signed, signature) = proof.rsplit_once('.').ok_or_else(malformed)?;
    let (_, claims) = signed.split_once('.').ok_or_else(malformed)?;
    let signature = from_base64url(signature).ok_or_else(malformed)?;
    let signature = Signature::from_slice(&signature).map_err(|_| malformed())?;
    let verified = key.verify(signed.as_bytes(), &signature);
    verified.map_err(|_| LoginRefused::because("signed by another key"))?;
    read_claims(&from_base64url(claims).ok_or_else(malformed)?)
}

fn read_claims(json: &[u8]) -> Result<Claims, LoginRefused> {
    serde_json::from_slice(json)
        .map_err(|_| LoginRefused::because("the claims are not those of a proof"))
}

fn check(claims: &Claims, expected: &Expected<'_>, owner: &str) -> Result<(), LoginRefused> {
    holds(claims.app == expected.app_key, "for another app")?;
    holds(claims.aud == expected.origin, "for another origin")?;
    holds(claims.jti == expected.session_id, "for another session")?;
    holds(claims.act == "confirm", "for another action")?;
    let user = claims.sub.as_deref().unwrap_or(owner);
    holds(user == owner, "the key belongs to another user")?;
    let context = expected
        .context
        .map(|context| digest("ctx", context.as_bytes()));
    holds(claims.ctx == context, "for another context")
}

fn check_times(claims: &Claims, now: f64) -> Result<(), LoginRefused> {
    let lifetime = claims.exp.checked_sub(claims.iat);
    holds(
        lifetime == Some(LIFETIME),
        "the lifetime is not that of a proof",
    )?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "seconds of this millennium are exact"
    )]
    let (issued, expires) = (claims.iat as f64, claims.exp as f64);
    holds(issued <= now + TOLERANCE_SECONDS, "from the future")?;
    holds(expires > now - TOLERANCE_SECONDS, "expired")
}

/// Computes the claim `pay` of a payload and its salt.
pub(crate) fn pay_of(brought: &BrowserEvidence<'_>) -> Result<String, LoginRefused> {
    let salt = from_base64url(brought.salt).filter(|raw| raw.len() == SALT);
    let mut content = salt.ok_or_else(|| LoginRefused::because("the salt is malformed"))?;
    content.extend_from_slice(brought.payload.as_bytes());
    Ok(digest("pay", &content))
}

fn verifying_key(text: &str) -> Result<VerifyingKey, Error> {
    let is_pem = text.trim_start().starts_with("-----BEGIN");
    let key = if is_pem {
        VerifyingKey::from_public_key_pem(text.trim()).ok()
    } else {
        let der = BASE64_STANDARD.decode(text).ok();
        der.and_then(|der| VerifyingKey::from_public_key_der(&der).ok())
    };
    key.ok_or_else(|| Error::invalid("a public key is not of P-256, in Base64 or PEM"))
}

/// Returns the id of an association key as used in proofs: its JWK thumbprint ([RFC
/// 7638](https://www.rfc-editor.org/rfc/rfc7638)).
///
/// # Errors
///
/// Fails unless the text is a P-256 public key, in Base64 or PEM.
pub fn key_id(public_key: &str) -> Result<String, Error> {
    Ok(id_of(&verifying_key(public_key)?))
}

pub(crate) fn id_of(key: &VerifyingKey) -> String {
    let point = crate::identity::point_of(key);
    let (x, y) = (base64url(&point[1..33]), base64url(&point[33..]));
    base64url(Sha256::digest(format!(
        r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#
    )))
}
