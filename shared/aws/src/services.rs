//! Clients of AWS's services: which region, whose credentials, how long to wait, how often to try
//! again.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region, SharedHttpClient};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_types::SdkConfig;
use countersign_domain::web::callback_url::CallbackPolicy;

use crate::configuration::{Configuration, Endpoint};
use crate::push::SocketPush;

/// How long one attempt of a call may take. Calls take a few milliseconds; what takes this long is
/// stuck.
const ATTEMPT: Duration = Duration::from_millis(1500);

/// How long a call may take, all attempts and the waits between them included: callers and
/// providers wait for it, and some providers only two seconds before they try again.
const OPERATION: Duration = Duration::from_secs(4);

/// How long connecting may take.
const CONNECT: Duration = Duration::from_millis(750);

/// How often a call is attempted, where throttling or trouble at the other end asks for it.
const ATTEMPTS: u32 = 4;

/// The wait before the second attempt, doubled for each one after it, with full jitter.
const FIRST_WAIT: Duration = Duration::from_millis(40);

/// Which of the SDK's changing defaults we were written for.
#[must_use]
pub fn behavior() -> BehaviorVersion {
    BehaviorVersion::v2026_01_12()
}

/// Makes clients.
#[derive(Clone, Debug)]
pub struct Services {
    sdk: SdkConfig,
    on_loopback: bool,
}

impl Services {
    /// Reads what Lambda sets for every function, and `AWS_ENDPOINT_URL`.
    ///
    /// The credentials of a function live as long as its environment does, so they are read once
    /// and nothing is asked for them.
    pub fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let text = |text: &str| Some(text.to_owned());
        let region = configuration.required("AWS_REGION", "a region", text);
        let id = configuration.required("AWS_ACCESS_KEY_ID", "an access key", text);
        let secret = configuration.required("AWS_SECRET_ACCESS_KEY", "a secret key", text);
        let token = configuration.optional("AWS_SESSION_TOKEN", "a token", text);
        let endpoint =
            configuration.optional("AWS_ENDPOINT_URL", "an http or https URL", Endpoint::parse);
        let credentials = Credentials::new(id?, secret?, token, None, "lambda");
        let mut sdk = bounded(SdkConfig::builder())
            .http_client(transport())
            .region(Region::new(region?))
            .credentials_provider(SharedCredentialsProvider::new(credentials));
        sdk.set_endpoint_url(endpoint.as_ref().map(|url| url.as_str().to_owned()));
        Some(Self {
            sdk: sdk.build(),
            on_loopback: endpoint.is_some_and(|endpoint| endpoint.is_loopback()),
        })
    }

    /// DynamoDB.
    #[must_use]
    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        aws_sdk_dynamodb::Client::new(&self.sdk)
    }

    /// KMS.
    #[must_use]
    pub fn kms(&self) -> aws_sdk_kms::Client {
        aws_sdk_kms::Client::new(&self.sdk)
    }

    /// SQS.
    #[must_use]
    pub fn sqs(&self) -> aws_sdk_sqs::Client {
        aws_sdk_sqs::Client::new(&self.sdk)
    }

    /// Secrets Manager.
    #[must_use]
    pub fn secrets_manager(&self) -> aws_sdk_secretsmanager::Client {
        aws_sdk_secretsmanager::Client::new(&self.sdk)
    }

    /// Systems Manager, for its Parameter Store.
    #[must_use]
    pub fn parameter_store(&self) -> aws_sdk_ssm::Client {
        aws_sdk_ssm::Client::new(&self.sdk)
    }

    /// What pokes the browsers of the WebSocket API that is managed at that endpoint.
    #[must_use]
    pub fn sockets(&self, endpoint: &Endpoint) -> SocketPush {
        SocketPush::new(&self.sdk, endpoint)
    }

    /// What callbacks may be. Where AWS itself is an emulator on this machine, there is nothing to
    /// guard, and receivers on this machine are what one tests with: the rules of local mode hold.
    #[must_use]
    pub fn callback_policy(&self) -> CallbackPolicy {
        if self.on_loopback {
            CallbackPolicy::local()
        } else {
            CallbackPolicy::deployed()
        }
    }
}

/// Adds to a configuration what every client of ours has: its bounds in time, and how often it
/// tries. The SDK has no bounds of its own.
#[must_use]
pub fn bounded(sdk: aws_types::sdk_config::Builder) -> aws_types::sdk_config::Builder {
    sdk.behavior_version(behavior())
        .timeout_config(
            TimeoutConfig::builder()
                .connect_timeout(CONNECT)
                .operation_attempt_timeout(ATTEMPT)
                .operation_timeout(OPERATION)
                .build(),
        )
        .retry_config(
            RetryConfig::standard()
                .with_max_attempts(ATTEMPTS)
                .with_initial_backoff(FIRST_WAIT),
        )
}

/// HTTPS by rustls with ring, which starts without gathering entropy for 20 ms as aws-lc does.
#[must_use]
pub fn transport() -> SharedHttpClient {
    Builder::new()
        .tls_provider(Provider::rustls(CryptoMode::Ring))
        .build_https()
}
