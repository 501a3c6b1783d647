//! Clients of AWS services, with their region, credentials, timeouts and retries.

mod roots;

use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_async::rt::sleep::{SharedAsyncSleep, TokioSleep};
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext};
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use aws_types::SdkConfig;
use aws_types::region::Region;
use countersign_domain::primitives::time::Clock;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_webhook::client::WebhookClient;

pub use self::roots::Roots;
use crate::carrier::EndUserMessagingLookup;
use crate::config::Endpoint;
use crate::config::settings::Lambda;
use crate::push::SocketPush;

/// Time limit for one attempt of a call. Calls take a few milliseconds; one that takes this long is
/// stuck.
const ATTEMPT_TIMEOUT: Duration = Duration::from_millis(1500);

/// Time limit for a call, including all attempts and the pauses between them. Callers and SMS
/// providers wait for it, some providers for two seconds before they retry.
const CALL_TIMEOUT: Duration = Duration::from_secs(4);

/// Time limit for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(750);

/// Maximum number of attempts per call, if the service throttles or fails.
const MAX_ATTEMPTS: u32 = 4;

/// Pause before the second attempt, doubled for each later one, with full jitter.
const FIRST_PAUSE: Duration = Duration::from_millis(40);

/// Returns the version of the SDK's defaults that this code is written for.
#[must_use]
pub fn behavior() -> BehaviorVersion {
    BehaviorVersion::v2026_01_12()
}

/// Creates clients of AWS services.
#[derive(Clone, Debug)]
pub struct Services {
    sdk: SdkConfig,
    on_loopback: bool,
}

impl Services {
    /// Creates the factory for a function. The credentials live as long as the process.
    #[must_use]
    pub fn new(lambda: Lambda) -> Self {
        let region = String::from(lambda.aws_region);
        let endpoint = lambda.aws_endpoint_url;
        let custom = endpoint.is_some() || lambda.ssl_cert_file.is_some();
        let token = lambda.aws_session_token.map(String::from);
        let (id, secret) = (lambda.aws_access_key_id, lambda.aws_secret_access_key);
        let credentials = Credentials::new(id, secret, token, None, "lambda");
        let mut sdk = bounded(SdkConfig::builder())
            .http_client(transport(Roots::of_function(&region, custom)))
            .region(Region::new(region))
            .credentials_provider(SharedCredentialsProvider::new(credentials));
        sdk.set_endpoint_url(endpoint.as_ref().map(|url| url.as_str().to_owned()));
        Self::with(sdk.build())
    }

    /// Creates the factory with these settings, which include region and credentials.
    #[must_use]
    pub fn with(sdk: SdkConfig) -> Self {
        let endpoint = sdk
            .endpoint_url()
            .and_then(|url| url.parse::<Endpoint>().ok());
        Self {
            on_loopback: endpoint.is_some_and(|endpoint| endpoint.is_loopback()),
            sdk,
        }
    }

    /// Returns the settings for clients of other services.
    #[must_use]
    pub fn sdk(&self) -> &SdkConfig {
        &self.sdk
    }

    #[must_use]
    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        aws_sdk_dynamodb::Client::new(&self.sdk)
    }

    #[must_use]
    pub fn kms(&self) -> aws_sdk_kms::Client {
        aws_sdk_kms::Client::new(&self.sdk)
    }

    #[must_use]
    pub fn sqs(&self) -> aws_sdk_sqs::Client {
        aws_sdk_sqs::Client::new(&self.sdk)
    }

    #[must_use]
    pub fn secrets_manager(&self) -> aws_sdk_secretsmanager::Client {
        aws_sdk_secretsmanager::Client::new(&self.sdk)
    }

    /// Creates a client of the WebSocket API that this endpoint manages.
    #[must_use]
    pub fn sockets(&self, endpoint: &Endpoint) -> SocketPush {
        SocketPush::new(&self.sdk, endpoint)
    }

    /// Creates a carrier source for AWS End User Messaging, which sends its requests with this
    /// client.
    #[must_use]
    pub fn end_user_messaging(
        &self,
        client: WebhookClient,
        clock: Arc<dyn Clock>,
    ) -> EndUserMessagingLookup {
        EndUserMessagingLookup {
            client,
            sdk: self.sdk.clone(),
            clock,
        }
    }

    /// Returns the rules for callback URLs. If AWS is emulated on this machine, receivers on this
    /// machine are allowed, as in local mode.
    #[must_use]
    pub fn callback_policy(&self) -> CallbackPolicy {
        if self.on_loopback {
            CallbackPolicy::local()
        } else {
            CallbackPolicy::deployed()
        }
    }
}

/// Adds timeouts and retries. The SDK sets no timeouts by default. Its stalled-stream protection is
/// off: no answer is streamed, and each attempt has a time limit anyway.
#[must_use]
pub fn bounded(sdk: aws_types::sdk_config::Builder) -> aws_types::sdk_config::Builder {
    sdk.behavior_version(behavior())
        .sleep_impl(SharedAsyncSleep::new(TokioSleep::new()))
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .timeout_config(
            TimeoutConfig::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .operation_attempt_timeout(ATTEMPT_TIMEOUT)
                .operation_timeout(CALL_TIMEOUT)
                .build(),
        )
        .retry_config(
            RetryConfig::standard()
                .with_max_attempts(MAX_ATTEMPTS)
                .with_initial_backoff(FIRST_PAUSE),
        )
}

/// Creates the SDK's HTTP client, with rustls and ring. aws-lc would spend 20 ms of each cold start on
/// entropy.
#[must_use]
pub fn transport(roots: Roots) -> SharedHttpClient {
    let tls = TlsContext::builder()
        .with_trust_store(roots.store())
        .build();
    let Ok(tls) = tls else {
        // Only a custom provider's settings can be refused.
        unreachable!("a trust store alone makes a context")
    };
    aws_smithy_http_client::Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .tls_context(tls)
        .build_https()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulator_on_this_machine_allows_local_callbacks() {
        for (endpoint, expected) in [
            (None, CallbackPolicy::deployed()),
            (Some("https://vpce.example"), CallbackPolicy::deployed()),
            (Some("http://127.0.0.1:4566"), CallbackPolicy::local()),
        ] {
            let mut sdk = SdkConfig::builder();
            sdk.set_endpoint_url(endpoint.map(str::to_owned));
            assert_eq!(Services::with(sdk.build()).callback_policy(), expected);
        }
    }
}
