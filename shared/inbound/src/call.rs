//! A provider's call, as received.

use std::time::Duration;

use countersign_domain::primitives::time::Timestamp;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, Method};
use sha2::{Digest as _, Sha256};

use crate::age;
use crate::error::InboundError;

/// The parts of a provider's call. Host and path are omitted on purpose: where a provider signs the
/// address, the configured one is used.
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

    /// Returns whether the body has this media type, ignoring parameters.
    pub(crate) fn is(&self, media_type: &str) -> bool {
        self.header(CONTENT_TYPE.as_str()).is_some_and(|value| {
            let essence = value.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case(media_type)
        })
    }
}

/// A call that was authenticated as its provider's. Only
/// [`authenticate`](crate::InboundProvider::authenticate) creates one, so nothing else can be
/// parsed.
#[derive(Clone, Copy)]
pub struct AuthenticCall<'a> {
    pub(crate) call: Call<'a>,
    pub(crate) single_use: Option<SingleUse>,
}

impl<'a> AuthenticCall<'a> {
    /// Marks a call as authenticated by a provider's module.
    pub(crate) const fn new(call: Call<'a>) -> Self {
        Self {
            call,
            single_use: None,
        }
    }

    /// Accepts a call whose valid signature covers this time, in seconds, if the time is close to the current
    /// time.
    ///
    /// # Errors
    ///
    /// Fails if there is no time, which means that the signature is wrong or missing, or if the time is too early
    /// or too late.
    pub(crate) fn recent(
        call: Call<'a>,
        signed_at: Option<u64>,
        now: Timestamp,
    ) -> Result<Self, InboundError> {
        age::check(signed_at.ok_or(InboundError::NotAuthentic)?, now)?;
        Ok(Self::new(call))
    }

    /// Adds a value that the caller must accept only once.
    pub(crate) const fn once(self, single_use: SingleUse) -> Self {
        Self {
            single_use: Some(single_use),
            ..self
        }
    }
}

/// The time for which a nonce is stored if its signature covers nothing of the call's content. Such
/// a nonce stays valid as long as the secret that signed it: operators should replace the secrets of
/// such providers within this time.
const NONCE_RETENTION: Duration = Duration::from_hours(400 * 24);

/// The time for which a signed call is remembered if its signature covers the text: no code lives
/// longer.
const SIGNED_RETENTION: Duration = Duration::from_hours(24);

/// A value that may be used with only one content: a nonce whose signature does not cover the body, or signed
/// characters whose signature leaves the ends of parameters ambiguous.
///
/// The caller MUST store `nonce` with `content` before it acts on the call, in one conditional
/// write, and refuse the call as not authentic if `nonce` is stored with another `content`. The same
/// `content` again is a redelivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleUse {
    /// Hash of the provider's name and either the nonce or the signed characters.
    pub nonce: [u8; 32],
    /// Hash of the call's content.
    pub content: [u8; 32],
    /// The time for which `nonce` is stored.
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

    /// Creates the hashes of the characters that are signed after the address, and of the parts that they
    /// consist of: the characters of `Body=CODEFrom` could be sent as `Body=CODE` and another `From`.
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

/// A call that our own code signed like a provider, for tests and for trying out a deployment. The
/// method is POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCall {
    pub headers: Vec<(HeaderName, String)>,
    pub body: Vec<u8>,
}

/// Returns the content type header of a JSON body.
pub(crate) fn json_type() -> (HeaderName, String) {
    (CONTENT_TYPE, "application/json".to_owned())
}

/// Returns a header with a constant, lower-case name.
pub(crate) fn named(name: &'static str, value: String) -> (HeaderName, String) {
    (HeaderName::from_static(name), value)
}
