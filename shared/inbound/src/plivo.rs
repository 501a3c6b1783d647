//! Plivo: a form.
//!
//! - **V2** signs messaging by default, and **not the body**: `X-Plivo-Signature-V2` is the Base64 of
//!   HMAC-SHA256 over the address without its query and the nonce. An attacker who sees one call could
//!   send others, so a nonce may be used only once: see [`SingleUse`].
//! - **V3** signs the address, the sorted query, the sorted parameters and the nonce, all without
//!   separators. A signature is therefore accepted for one content only.
//!
//! The settings specify the lowest accepted version. A call that claims V3 must be valid under V3,
//! whatever its V2 signature.
//!
//! The headers may contain several signatures, separated by commas. Signatures of a subaccount come
//! with headers of the main account (`-Ma-`), signed with its auth token. Neither version signs a
//! time. Numbers have no `+`. The text of an SMS is in `Text`, that of an MMS in `Body`. Plivo
//! expects a 2xx, and retries otherwise.

use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use serde::Deserialize;

use crate::call::{AuthenticCall, Call, SignedCall, SingleUse, named};
use crate::error::{InboundError, MalformedText};
use crate::form::{self, Form, Pairs};
use crate::mac::{HashAlgorithm, equal};
use crate::numbers::bare;
use crate::outcome::{Content, Ignored, Inbound};
use crate::provider::InboundProvider;
use crate::public_url::PublicUrl;
use crate::secret::{Rotating, SharedSecret};
use crate::secret_list::SecretList;
use crate::spec::{
    OptionKind, OptionSpec, PROVIDERS_SECRET, ProviderSpec, SecretSpec, USUAL, Value, mistake,
    parse_settings,
};

/// The provider's name in the route.
pub const NAME: &str = "plivo";

/// The provider's facts.
pub(crate) const SPEC: ProviderSpec = ProviderSpec {
    name: NAME,
    title: "Plivo",
    anchor: "plivo",
    secrets: SecretSpec {
        label: "auth token",
        lists: &["authTokens"],
        mistaken_for: &[
            mistake("MA", 20, "an auth ID"),
            mistake("SA", 20, "the auth ID of a subaccount"),
        ],
        ..PROVIDERS_SECRET
    },
    options: &[OptionSpec {
        member: "signature",
        flag: "signature",
        help: "the lowest version of a signature",
        kind: OptionKind::Required(Value {
            name: "VERSION",
            possible: &["v2", "v3"],
        }),
    }],
    signs_url: true,
    steps: STEPS,
    create: Some(|settings, surroundings| {
        let settings: Settings = parse_settings(settings)?;
        let tokens = settings.auth_tokens.parse::<SharedSecret>()?;
        let url = surroundings.public_url()?;
        Ok(Arc::new(Plivo::new(url, tokens, settings.signature)))
    }),
    ..USUAL
};

const STEPS: &str = r"1. Console > Messaging > Applications: a new application.
2. Message URL: the URL. Method: POST. Not GET.
3. Phone Numbers > your number: choose the application.
Secret: Auth Token on the Overview page; for a number of a subaccount, the subaccount's.
Signature v2: the URL only. THE BODY IS NOT SIGNED. v3: URL and body; v2 takes it where Plivo sends it.";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Settings {
    auth_tokens: SecretList,
    signature: PlivoVersion,
}

const FORM: &str = "application/x-www-form-urlencoded";
/// Maximum length of a nonce, in bytes.
const MAX_NONCE: usize = 128;
/// Maximum number of signatures to check.
const MAX_SIGNATURES: usize = 4;

/// Version of the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlivoVersion {
    /// The body is not signed.
    V2,
    /// The body is signed.
    V3,
}

/// The names of the headers of a version.
struct Headers {
    /// Contains signatures made with the auth token of the number's account.
    signatures: &'static str,
    /// Contains signatures made with the auth token of the main account.
    main_signatures: &'static str,
    nonce: &'static str,
}

const V2: Headers = Headers {
    signatures: "x-plivo-signature-v2",
    main_signatures: "x-plivo-signature-ma-v2",
    nonce: "x-plivo-signature-v2-nonce",
};
const V3: Headers = Headers {
    signatures: "x-plivo-signature-v3",
    main_signatures: "x-plivo-signature-ma-v3",
    nonce: "x-plivo-signature-v3-nonce",
};

impl PlivoVersion {
    const fn headers(self) -> &'static Headers {
        match self {
            Self::V2 => &V2,
            Self::V3 => &V3,
        }
    }

    /// Returns whether a call has a signature of this version, valid or not.
    fn is_claimed(self, call: &Call<'_>) -> bool {
        let headers = self.headers();
        [headers.signatures, headers.main_signatures]
            .iter()
            .any(|name| call.headers.contains_key(*name))
    }
}

/// Plivo, with the auth tokens of an account.
#[derive(Clone, Debug)]
pub struct Plivo {
    url: String,
    tokens: Rotating<SharedSecret>,
    at_least: PlivoVersion,
}

impl Plivo {
    /// Creates the provider. Refuses calls that have only signatures of an older version.
    #[must_use]
    pub fn new(
        url: &PublicUrl,
        tokens: impl Into<Rotating<SharedSecret>>,
        at_least: PlivoVersion,
    ) -> Self {
        Self {
            url: url.provider_url(NAME),
            tokens: tokens.into(),
            at_least,
        }
    }

    /// Returns the value that the signature restricts to one content, if one of the signatures of a
    /// version is valid.
    fn single_use(&self, call: &Call<'_>, version: PlivoVersion) -> Option<SingleUse> {
        let headers = version.headers();
        let nonce = call.header(headers.nonce)?;
        if !(1..=MAX_NONCE).contains(&nonce.len()) {
            return None;
        }
        let given: Vec<_> = [headers.signatures, headers.main_signatures]
            .into_iter()
            .filter_map(|name| call.header(name))
            .flat_map(|list| list.split(',').take(MAX_SIGNATURES))
            .filter_map(|encoded| BASE64_STANDARD.decode(encoded.trim()).ok())
            .collect();
        let is_signed = |signed: &[u8]| {
            self.tokens.any(|token| {
                let expected = mac(token, signed);
                given.iter().any(|given| equal(&expected, given))
            })
        };
        if version == PlivoVersion::V2 {
            return is_signed(&self.signed_v2(nonce))
                .then(|| SingleUse::of_nonce(NAME, nonce, call.body));
        }
        let query = call.query.unwrap_or_default();
        form::signed(call.body).ok()?.into_iter().find_map(|form| {
            let form = in_order(form);
            let signed = self.signed_v3(query, &form, nonce)?;
            let parameters = form.iter().flat_map(|(n, v)| [&n[..], v]);
            let rest = [query.as_bytes(), nonce.as_bytes()].into_iter();
            let parts: Vec<_> = rest.chain(parameters).collect();
            is_signed(&signed).then(|| SingleUse::of_signed(NAME, &signed, &parts))
        })
    }

    fn signed_v2(&self, nonce: &str) -> Vec<u8> {
        [self.url.as_bytes(), nonce.as_bytes()].concat()
    }

    fn signed_v3(&self, query: &str, form: &Pairs, nonce: &str) -> Option<Vec<u8>> {
        let query = form::signed(query.as_bytes()).ok()?.into_iter().next()?;
        let query = in_order(query).into_iter();
        let query: Vec<_> = query.map(|(n, v)| [n, v].join(&b'=')).collect();
        let query = query.join(&b'&');
        let body: Vec<_> = form.iter().flat_map(|(n, v)| [&n[..], v]).collect();
        // As in Plivo's libraries: `?` if there is a query or a body, `.` if there are both.
        let separator = match (query.is_empty(), form.is_empty()) {
            (false, false) => ("?", "."),
            (true, true) => ("", ""),
            _ => ("?", ""),
        };
        let (before, between) = (separator.0.as_bytes(), separator.1.as_bytes());
        let (url, body) = (self.url.as_bytes(), body.concat());
        let parts = [url, before, &query, between, &body, b".", nonce.as_bytes()];
        Some(parts.concat())
    }
}

/// Sorts the parameters in the order in which they are signed.
fn in_order(mut form: Pairs) -> Pairs {
    form.sort_unstable();
    form
}

fn mac(token: &SharedSecret, signed: &[u8]) -> Vec<u8> {
    HashAlgorithm::Sha256.mac(token.bytes(), &[signed])
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
    ) -> Result<AuthenticCall<'a>, InboundError> {
        let version = if PlivoVersion::V3.is_claimed(&call) {
            PlivoVersion::V3
        } else {
            PlivoVersion::V2
        };
        let taken = call.is(FORM) && version >= self.at_least;
        let single_use = taken.then(|| self.single_use(&call, version)).flatten();
        let single_use = single_use.ok_or(InboundError::NotAuthentic)?;
        Ok(AuthenticCall::new(call).once(single_use))
    }

    fn parse(&self, call: &AuthenticCall<'_>) -> Result<Content, MalformedText> {
        let form = Form::parse(call.call.body)?;
        // A phone sends a long or a group text as MMS.
        let channel = match form.optional("Type")? {
            None | Some("sms" | "mms") => Channel::Sms,
            Some(_) => Channel::Other,
        };
        let text = match form.optional("Text")? {
            Some(text) => Some(text),
            None => form.optional("Body")?,
        };
        let from = form.optional("From")?.unwrap_or_default();
        let both = (form.optional("MessageUUID")?, form.optional("To")?);
        Ok(Content::one(match (text, both) {
            // A receipt has no text.
            (None, _) => Inbound::Ignored(Ignored::NotAText),
            (Some(text), (Some(id), Some(to))) => Inbound::text(InboundMessage {
                provider: NAME,
                channel,
                message_id: id.to_owned(),
                from: from.to_owned(),
                to: to.to_owned(),
                text: text.to_owned(),
                carrier: None,
            }),
            (Some(_), _) => Inbound::Ignored(Ignored::Malformed),
        }))
    }

    fn sign(&self, text: &InboundMessage, _now: Timestamp, nonce: &str) -> Option<SignedCall> {
        let body = form::encode(&[
            ("From", bare(&text.from)),
            ("To", bare(&text.to)),
            ("MessageUUID", &text.message_id),
            ("Text", &text.text),
            ("Type", "sms"),
        ]);
        let signed = match self.at_least {
            PlivoVersion::V2 => self.signed_v2(nonce),
            PlivoVersion::V3 => {
                let form = in_order(form::signed(body.as_bytes()).ok()?.pop()?);
                self.signed_v3("", &form, nonce)?
            }
        };
        let signature = mac(self.tokens.first(), &signed);
        let names = self.at_least.headers();
        Some(SignedCall {
            headers: vec![
                named("content-type", FORM.to_owned()),
                named(names.signatures, BASE64_STANDARD.encode(signature)),
                named(names.nonce, nonce.to_owned()),
            ],
            body: body.into_bytes(),
        })
    }
}
