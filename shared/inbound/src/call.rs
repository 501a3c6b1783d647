//! A provider's call, as it arrived.

use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, Method};
use sha2::{Digest as _, Sha256};

use crate::age;
use crate::error::InboundError;

/// The parts of a provider's call. Host and path are absent on purpose: where a provider signs the
/// address, it is the configured one.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The request's method.
    pub method: &'a Method,
    /// The raw query, without `?`.
    pub query: Option<&'a str>,
    /// The request's headers.
    pub headers: &'a HeaderMap,
    /// The raw body.
    pub body: &'a [u8],
}

impl<'a> Call<'a> {
    /// Returns a header's value if the header occurs exactly once and is visible ASCII.
    pub(crate) fn header(&self, name: &str) -> Option<&'a str> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    }

    /// Returns whether the body has this media type, whatever its parameters.
    pub(crate) fn is(&self, media_type: &str) -> bool {
        self.header(CONTENT_TYPE.as_str()).is_some_and(|value| {
            let essence = value.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case(media_type)
        })
    }
}

/// A call that its provider made. Only [`authenticate`](crate::InboundProvider::authenticate)
/// creates one, so nothing else is parsed.
#[derive(Clone, Copy)]
pub struct Authentic<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) single_use: Option<SingleUse>,
}

impl<'a> Authentic<'a> {
    /// Creates the proof that a provider's module has authenticated a call.
    pub(crate) const fn new(call: Call<'a>) -> Self {
        Self {
            call,
            single_use: None,
        }
    }

    /// Accepts a call whose signature is right and covers this time, in seconds, if the time is close to now.
    ///
    /// # Errors
    ///
    /// Fails without a time, which means that the signature is wrong or missing, and if it is too old or too early.
    pub(crate) fn recent(
        call: Call<'a>,
        signed_at: Option<u64>,
        now: Timestamp,
    ) -> Result<Self, InboundError> {
        age::check(signed_at.ok_or(InboundError::NotAuthentic)?, now)?;
        Ok(Self::new(call))
    }

    /// Adds what the caller must take once.
    pub(crate) const fn once(self, single_use: SingleUse) -> Self {
        Self {
            single_use: Some(single_use),
            ..self
        }
    }
}

/// Time that a nonce is kept whose signature covers nothing that the call brings. It stays good for as
/// long as the secret that signed it: secrets of such providers are to be replaced within this time.
const NONCE_RETENTION: Duration = Duration::from_hours(400 * 24);

/// Time that a signed call is remembered whose signature covers the text: no code lives longer.
const SIGNED_RETENTION: Duration = Duration::from_hours(24);

/// A value that is good for one content: a nonce whose signature does not cover the body, or signed characters
/// of which the signature does not say where a parameter ends.
///
/// The caller MUST store `nonce` with `content` before it acts on the call, in one conditional
/// write, and refuse the call as not authentic if `nonce` is stored with another `content`. The same
/// `content` again is a repeated delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleUse {
    /// Hash of the provider's name and the nonce or the signed characters.
    pub nonce: [u8; 32],
    /// Hash of what the call brings.
    pub content: [u8; 32],
    /// Time that `nonce` is stored.
    pub retention: Duration,
}

impl SingleUse {
    /// Creates the hashes of a nonce and of the body that its signature does not cover.
    pub(crate) fn of_nonce(provider: &str, nonce: &str, body: &[u8]) -> Self {
        let named = Sha256::new()
            .chain_update("countersign/inbound-nonce/1\n")
            .chain_update(provider)
            .chain_update("\n")
            .chain_update(nonce);
        Self {
            nonce: named.finalize().into(),
            content: Sha256::digest(body).into(),
            retention: NONCE_RETENTION,
        }
    }

    /// Creates the hashes of the characters that are signed after the address, and of the parts that
    /// they are made of: the characters of `Body=CODEFrom` could be sent as `Body=CODE` and another `From`.
    pub(crate) fn of_signed(provider: &str, signed: &[u8], parts: &[&[u8]]) -> Self {
        let named = Sha256::new()
            .chain_update("countersign/inbound-signed/1\n")
            .chain_update(provider)
            .chain_update("\n")
            .chain_update(signed);
        let mut content = Sha256::new();
        for part in parts {
            content.update((part.len() as u64).to_be_bytes());
            content.update(part);
        }
        Self {
            nonce: named.finalize().into(),
            content: content.finalize().into(),
            retention: SIGNED_RETENTION,
        }
    }
}

/// A call that our own code signed as a provider does, for tests and for trying out a deployment.
/// Its method is POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCall {
    pub headers: Vec<(HeaderName, String)>,
    pub body: Vec<u8>,
}

/// Returns the header that says that a body is JSON.
pub(crate) fn json_type() -> (HeaderName, String) {
    (CONTENT_TYPE, "application/json".to_owned())
}

/// Returns a header with a constant, lower-case name.
pub(crate) fn named(name: &'static str, value: String) -> (HeaderName, String) {
    (HeaderName::from_static(name), value)
}
