//! A provider's call, as it arrived.

use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderName, Method};
use sha2::{Digest as _, Sha256};

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

    /// Adds what the caller must take once.
    pub(crate) const fn once(self, single_use: SingleUse) -> Self {
        Self {
            single_use: Some(single_use),
            ..self
        }
    }
}

/// A nonce whose signature does not cover the body.
///
/// The caller MUST store `nonce` with `content` before it acts on the call, in one conditional
/// write, and refuse the call as not authentic if `nonce` is stored with another `content`. The same
/// `content` again is a repeated delivery. The signature has no time, so the nonce is to be kept for
/// as long as the secret is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SingleUse {
    /// Hash of the provider's name and the nonce.
    pub nonce: [u8; 32],
    /// Hash of the body.
    pub content: [u8; 32],
}

impl SingleUse {
    /// Creates the hashes of a nonce and of what it came with.
    pub(crate) fn new(provider: &str, nonce: &str, content: &[u8]) -> Self {
        let named = Sha256::new()
            .chain_update("countersign/inbound-nonce/1\n")
            .chain_update(provider)
            .chain_update("\n")
            .chain_update(nonce);
        Self {
            nonce: named.finalize().into(),
            content: Sha256::digest(content).into(),
        }
    }
}

/// A call that our own code signed as a provider does, for tests and for trying out a deployment.
/// Its method is POST.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCall {
    /// Headers.
    pub headers: Vec<(HeaderName, String)>,
    /// The body.
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
