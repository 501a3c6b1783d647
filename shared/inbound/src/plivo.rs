//! Plivo: a form.
//!
//! - **V2** signs messaging by default, and **not the body**: `X-Plivo-Signature-V2` is the Base64
//!   of HMAC-SHA256 over the address without its query and the nonce. Whoever sees one call could
//!   send others, so a nonce counts once: see [`SingleUse`].
//! - **V3** signs the address, the sorted query, the sorted parameters and the nonce.
//!
//! Both headers may hold several signatures, separated by commas: those of the account's and of the
//! subaccount's auth token. Only the configured version counts. Neither signs a time. Numbers have
//! no `+`. Plivo waits for 2xx, and retries otherwise.

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;

use crate::call::{Authentic, Call, SignedCall, SingleUse, named};
use crate::error::{InboundError, MalformedText};
use crate::form::{self, Form};
use crate::mac::{HashAlgorithm, equal};
use crate::numbers::{bare, sender};
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::public_url::PublicUrl;
use crate::secret::{Rotating, SharedSecret};

/// The provider's name in the route.
pub const NAME: &str = "plivo";

const FORM: &str = "application/x-www-form-urlencoded";
/// Maximum length of a nonce, in bytes.
const MAX_NONCE: usize = 128;
/// Maximum number of signatures to check.
const MAX_SIGNATURES: usize = 4;

/// Version of the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlivoVersion {
    /// The body is not signed.
    V2,
    /// The body is signed.
    V3,
}

impl PlivoVersion {
    const fn headers(self) -> (&'static str, &'static str) {
        match self {
            Self::V2 => ("x-plivo-signature-v2", "x-plivo-signature-v2-nonce"),
            Self::V3 => ("x-plivo-signature-v3", "x-plivo-signature-v3-nonce"),
        }
    }
}

/// Plivo, with the auth tokens of an account.
#[derive(Clone, Debug)]
pub struct Plivo {
    url: String,
    tokens: Rotating<SharedSecret>,
    version: PlivoVersion,
}

impl Plivo {
    /// Creates the provider.
    #[must_use]
    pub fn new(
        url: &PublicUrl,
        tokens: impl Into<Rotating<SharedSecret>>,
        version: PlivoVersion,
    ) -> Self {
        Self {
            url: url.of(NAME),
            tokens: tokens.into(),
            version,
        }
    }

    /// Returns the nonce if one of the signatures is right.
    fn nonce<'a>(&self, call: &Call<'a>) -> Option<&'a str> {
        let (signatures, nonce) = self.version.headers();
        let nonce = call.header(nonce)?;
        if !(1..=MAX_NONCE).contains(&nonce.len()) {
            return None;
        }
        let signed = self.signed(call, nonce)?;
        let given: Vec<_> = call
            .header(signatures)?
            .split(',')
            .take(MAX_SIGNATURES)
            .filter_map(|encoded| BASE64_STANDARD.decode(encoded.trim()).ok())
            .collect();
        let fits = self.tokens.any(|token| {
            let expected = mac(token, &signed);
            given.iter().any(|given| equal(&expected, given))
        });
        fits.then_some(nonce)
    }

    /// Returns the text that is signed.
    fn signed(&self, call: &Call<'_>, nonce: &str) -> Option<String> {
        let url = &self.url;
        if self.version == PlivoVersion::V2 {
            return Some(format!("{url}{nonce}"));
        }
        let query = Form::parse(call.query.unwrap_or_default().as_bytes()).ok()?;
        let query = query.sorted().into_iter().map(|(n, v)| format!("{n}={v}"));
        let query = query.collect::<Vec<_>>().join("&");
        let form = Form::parse(call.body).ok()?;
        let body: String = form
            .sorted()
            .into_iter()
            .flat_map(|(n, v)| [n, v])
            .collect();
        // As Plivo's libraries: `?` where there is a query or a body, `.` where there are both.
        let separator = match (query.is_empty(), form.0.is_empty()) {
            (false, false) => ("?", "."),
            (true, true) => ("", ""),
            _ => ("?", ""),
        };
        Some(format!(
            "{url}{}{query}{}{body}.{nonce}",
            separator.0, separator.1
        ))
    }
}

fn mac(token: &SharedSecret, signed: &str) -> Vec<u8> {
    HashAlgorithm::Sha256.mac(token.bytes(), &[signed.as_bytes()])
}

#[async_trait]
impl InboundProvider for Plivo {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn authenticate<'a>(
        &self,
        call: Call<'a>,
        _now: Timestamp,
    ) -> Result<Authentic<'a>, InboundError> {
        let nonce = call.is(FORM).then(|| self.nonce(&call)).flatten();
        let nonce = nonce.ok_or(InboundError::NotAuthentic)?;
        let authentic = Authentic::new(call);
        Ok(match self.version {
            PlivoVersion::V2 => authentic.once(SingleUse::new(NAME, nonce, call.body)),
            PlivoVersion::V3 => authentic,
        })
    }

    fn parse(&self, call: &Authentic<'_>) -> Result<Content, MalformedText> {
        let form = Form::parse(call.call.body)?;
        let ignored = |why| Ok(Content::Events(vec![Inbound::Ignored(why)]));
        // A phone sends a long text, or one to a group, as MMS.
        match form.optional("Type")? {
            None | Some("sms" | "mms") => {}
            Some(_) => return ignored(Ignored::OtherChannel),
        }
        let Some(text) = form.optional("Text")? else {
            return ignored(Ignored::NotAText);
        };
        Ok(Content::Events(vec![Inbound::text(InboundMessage {
            provider: NAME,
            channel: Channel::Sms,
            message_id: form.required("MessageUUID")?,
            from: sender(&form.required("From")?),
            to: form.required("To")?,
            text: text.to_owned(),
            carrier: None,
        })]))
    }

    fn sign(&self, text: &InboundMessage, _now: Timestamp, nonce: &str) -> Option<SignedCall> {
        let body = form::encode(&[
            ("From", bare(&text.from)),
            ("To", bare(&text.to)),
            ("MessageUUID", &text.message_id),
            ("Text", &text.text),
            ("Type", "sms"),
        ]);
        let headers = http::HeaderMap::new();
        let call = Call {
            method: &http::Method::POST,
            query: None,
            headers: &headers,
            body: body.as_bytes(),
        };
        let signature = mac(self.tokens.first(), &self.signed(&call, nonce)?);
        let (name, nonce_name) = self.version.headers();
        Some(SignedCall {
            headers: vec![
                named("content-type", FORM.to_owned()),
                named(name, BASE64_STANDARD.encode(signature)),
                named(nonce_name, nonce.to_owned()),
            ],
            body: body.into_bytes(),
        })
    }
}
