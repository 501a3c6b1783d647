//! Signature Version 4 with a signing key that is kept for its day.
//!
//! The SDK derives the signing key for each call, which takes four HMACs, and canonicalises each request
//! through several copies. All our calls are alike: a POST with a body in memory to the path `/`, whose
//! headers the SDK has just written. Those are signed here; any other call is left to the SDK's own
//! signer.
//!
//! Source: "Create a signed AWS API request" in the IAM User Guide.

mod key;
mod stamp;
#[cfg(test)]
mod tests;

use aws_runtime::auth::sigv4::{SCHEME_ID, SigV4Signer};
use aws_runtime::auth::{
    PayloadSigningOverride, SigV4OperationSigningConfig, SigV4SessionTokenNameOverride,
    SigningOptions,
};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::auth::{
    AuthScheme, AuthSchemeEndpointConfig, AuthSchemeId, Sign,
};
use aws_smithy_runtime_api::client::identity::{Identity, SharedIdentityResolver};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::{GetIdentityResolver, RuntimeComponents};
use aws_smithy_types::Document;
use aws_smithy_types::config_bag::ConfigBag;
use aws_types::SigningName;
use aws_types::region::SigningRegion;
use http::HeaderValue;
use ring::digest::{SHA256, digest};

use self::key::{KeptKey, Scope};
use self::stamp::Stamp;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const AUTHORIZATION: &str = "authorization";
const HOST: &str = "host";
const DATE: &str = "x-amz-date";
const TOKEN: &str = "x-amz-security-token";

/// Headers that are not signed, as the SDK has it: proxies change them.
const UNSIGNED: [&str; 4] = [
    AUTHORIZATION,
    "user-agent",
    "x-amzn-trace-id",
    "transfer-encoding",
];

/// The scheme `sigv4` with a kept key. One for each client, since a key is for one service.
#[derive(Debug, Default)]
pub(super) struct KeptKeyScheme(KeptKeySigner);

impl AuthScheme for KeptKeyScheme {
    fn scheme_id(&self) -> AuthSchemeId {
        SCHEME_ID
    }

    fn identity_resolver(
        &self,
        resolvers: &dyn GetIdentityResolver,
    ) -> Option<SharedIdentityResolver> {
        resolvers.identity_resolver(SCHEME_ID)
    }

    fn signer(&self) -> &dyn Sign {
        &self.0
    }
}

#[derive(Debug, Default)]
struct KeptKeySigner {
    key: KeptKey,
    sdk: SigV4Signer,
}

impl Sign for KeptKeySigner {
    fn sign_http_request(
        &self,
        request: &mut HttpRequest,
        identity: &Identity,
        endpoint: AuthSchemeEndpointConfig<'_>,
        components: &RuntimeComponents,
        config: &ConfigBag,
    ) -> Result<(), BoxError> {
        let now = components.time_source().unwrap_or_default().now();
        let call = Call::of(request, identity, &endpoint, config, Stamp::of(now));
        let Some(signed) = call.and_then(|call| call.sign(&self.key)) else {
            let sdk = &self.sdk;
            return sdk.sign_http_request(request, identity, endpoint, components, config);
        };
        for (name, value) in signed.into_iter().flatten() {
            request.headers_mut().insert(name, value);
        }
        Ok(())
    }
}

/// A call that is like all of ours.
struct Call<'a> {
    request: &'a HttpRequest,
    host: &'a str,
    body: &'a [u8],
    scope: Scope<'a>,
}

/// The headers that a signature adds: the signature, the time and the session's token.
type Added = [Option<(&'static str, HeaderValue)>; 3];

impl<'a> Call<'a> {
    /// Returns `None` if the SDK's signer must sign the call.
    fn of(
        request: &'a HttpRequest,
        identity: &'a Identity,
        endpoint: &AuthSchemeEndpointConfig<'a>,
        config: &'a ConfigBag,
        stamp: Stamp,
    ) -> Option<Self> {
        let operation = config.load::<SigV4OperationSigningConfig>()?;
        let is_usual = request.method() == "POST"
            && operation.signing_options == SigningOptions::default()
            && ["disableDoubleEncoding", "disableNormalizePath"]
                .iter()
                .all(|name| endpoint.get(name).is_none())
            && config.load::<PayloadSigningOverride>().is_none()
            && config.load::<SigV4SessionTokenNameOverride>().is_none();
        if !is_usual {
            return None;
        }
        let named = |name| endpoint.get(name).and_then(Document::as_string);
        let region = named("signingRegion")
            .or_else(|| operation.region.as_ref().map(AsRef::as_ref))
            .or_else(|| config.load::<SigningRegion>().map(AsRef::as_ref))?;
        let service = named("signingName")
            .or_else(|| operation.name.as_ref().map(AsRef::as_ref))
            .or_else(|| config.load::<SigningName>().map(AsRef::as_ref))?;
        Some(Self {
            request,
            host: host_of_root(request.uri())?,
            body: request.body().bytes()?,
            scope: Scope {
                credentials: identity.data()?,
                stamp,
                region,
                service,
            },
        })
    }

    fn sign(&self, key: &KeptKey) -> Option<Added> {
        let Scope {
            credentials, stamp, ..
        } = &self.scope;
        let token = credentials.session_token();
        let date_time = stamp.date_time();
        let mut headers: Vec<(&str, &str)> = Vec::with_capacity(self.request.headers().len() + 3);
        headers.extend([(HOST, self.host), (DATE, date_time)]);
        headers.extend(token.map(|token| (TOKEN, token)));
        let theirs = self.request.headers().iter();
        headers.extend(theirs.filter(|(name, _)| !UNSIGNED.contains(name)));
        headers.sort_unstable_by_key(|(name, _)| *name);
        let (names, canonical) = canonical(&headers, self.body)?;
        let scope = self.scope.text();
        let mut to_sign = format!("{ALGORITHM}\n{date_time}\n{scope}\n");
        push_hex(&mut to_sign, digest(&SHA256, canonical.as_bytes()).as_ref());
        let id = credentials.access_key_id();
        let mut authorization =
            format!("{ALGORITHM} Credential={id}/{scope}, SignedHeaders={names}, Signature=");
        push_hex(
            &mut authorization,
            key.sign(&self.scope, to_sign.as_bytes()).as_ref(),
        );
        let secret = |value: &str| {
            let mut value = HeaderValue::from_str(value).ok()?;
            value.set_sensitive(true);
            Some(value)
        };
        let token = match token {
            Some(token) => Some((TOKEN, secret(token)?)),
            None => None,
        };
        Some([
            Some((AUTHORIZATION, secret(&authorization)?)),
            Some((DATE, HeaderValue::from_str(date_time).ok()?)),
            token,
        ])
    }
}

/// Returns the host as hyper sends it, if the URI is that of the path `/`.
fn host_of_root(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once("://")?;
    let host = rest.strip_suffix('/').unwrap_or(rest);
    let default_port = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let is_host = !host.is_empty() && !host.contains(['/', '?', '#', '@']);
    is_host.then(|| host.strip_suffix(default_port).unwrap_or(host))
}

/// Returns the names of the headers, and the canonical request. Returns `None` if a header comes twice or
/// has a value that canonicalisation would change.
fn canonical(headers: &[(&str, &str)], body: &[u8]) -> Option<(String, String)> {
    let mut names = String::with_capacity(256);
    let mut request = String::with_capacity(2048);
    request.push_str("POST\n/\n\n");
    let mut former = "";
    for &(name, value) in headers {
        if name == former || value.trim() != value || value.contains("  ") {
            return None;
        }
        former = name;
        if !names.is_empty() {
            names.push(';');
        }
        names.push_str(name);
        request.push_str(name);
        request.push(':');
        request.push_str(value);
        request.push('\n');
    }
    request.push('\n');
    request.push_str(&names);
    request.push('\n');
    push_hex(&mut request, digest(&SHA256, body).as_ref());
    Some((names, request))
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from(DIGITS[usize::from(digit)]));
        }
    }
}
