//! Carrier lookups with AWS End User Messaging.
//!
//! Source: `CarrierLookup`, AWS End User Messaging SMS and Voice v2 API reference,
//! <https://docs.aws.amazon.com/pinpoint/latest/apireference_smsvoicev2/API_CarrierLookup.html>, read
//! on 22 November 2026. The SDK's crate for this service has more than a hundred operations, and only
//! one is needed here: the request is signed with the SDK's signer and sent by the webhook client.

mod lazy;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use async_trait::async_trait;
use aws_credential_types::provider::ProvideCredentials as _;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use aws_types::SdkConfig;
use bytes::Bytes;
use countersign_carrier::{CarrierSource, MAX_ANSWER, SourceError};
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_webhook::client::WebhookClient;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::json;

pub(crate) use lazy::LazyLookup;

/// The service's name in signatures.
const SERVICE: &str = "sms-voice";

/// The media type of requests in the service's protocol, AWS JSON 1.0.
const MEDIA_TYPE: &str = "application/x-amz-json-1.0";

/// The operation, in the header `x-amz-target`.
const TARGET: &str = "PinpointSMSVoiceV2.CarrierLookup";

/// Looks up carriers with AWS End User Messaging. `Debug` shows no credentials.
pub struct EndUserMessagingLookup {
    /// Sends the requests.
    pub client: WebhookClient,
    /// The region, the credentials, and the endpoint unless it is the region's default.
    pub sdk: SdkConfig,
    /// The clock for signatures.
    pub clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Lookup {
    #[serde(rename = "Carrier")]
    carrier: Option<String>,
    /// Always present.
    #[serde(rename = "E164PhoneNumber")]
    _number: String,
}

impl EndUserMessagingLookup {
    fn url(&self) -> Option<String> {
        Some(match self.sdk.endpoint_url() {
            Some(endpoint) => endpoint.to_owned(),
            None => format!("https://{SERVICE}.{}.amazonaws.com/", self.sdk.region()?),
        })
    }

    /// Returns the headers of a request, including the signature.
    async fn headers(&self, url: &str, body: &[u8], now: Timestamp) -> Option<HeaderMap> {
        let provider = self.sdk.credentials_provider()?;
        let identity = provider.provide_credentials().await.ok()?.into();
        let params = SigningParams::builder()
            .identity(&identity)
            .region(self.sdk.region()?.as_ref())
            .name(SERVICE)
            .time(UNIX_EPOCH + Duration::from_millis(now.as_millis()))
            .settings(SigningSettings::default())
            .build()
            .ok()?
            .into();
        let signed = [
            (CONTENT_TYPE.as_str(), MEDIA_TYPE),
            ("x-amz-target", TARGET),
        ];
        let signable =
            SignableRequest::new("POST", url, signed.into_iter(), SignableBody::Bytes(body));
        let (instructions, _) = sign(signable.ok()?, &params).ok()?.into_parts();
        let mut request = http::Request::new(());
        for (name, value) in signed {
            request.headers_mut().insert(name, value.parse().ok()?);
        }
        instructions.apply_to_request_http1x(&mut request);
        Some(std::mem::take(request.headers_mut()))
    }
}

#[async_trait]
impl CarrierSource for EndUserMessagingLookup {
    async fn ask(&self, number: &PhoneNumber) -> Result<CarrierName, SourceError> {
        let body = json!({ "PhoneNumber": number.as_str() }).to_string();
        let to = self
            .url()
            .and_then(|url| CallbackUrl::from_stored(&url).ok());
        let to = to.ok_or(SourceError::Request)?;
        // The URL as the client writes it, since the signature covers that form.
        let url = to.as_url().as_str();
        let headers = self.headers(url, body.as_bytes(), self.clock.now());
        let headers = headers.await.ok_or(SourceError::Request)?;
        let body = Some(Bytes::from(body));
        let answer = self.client.call(&to, headers, body, MAX_ANSWER).await?;
        let answer: Lookup = serde_json::from_slice(&answer).map_err(|_| SourceError::Malformed)?;
        Ok(CarrierName::from_text(&answer.carrier.unwrap_or_default()))
    }
}

impl fmt::Debug for EndUserMessagingLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EndUserMessagingLookup")
            .field("region", &self.sdk.region())
            .finish_non_exhaustive()
    }
}
