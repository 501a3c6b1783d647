//! The settings of functions. Each field is read from the variable with the same name in capitals,
//! which is prefixed with [`OURS`](super::OURS) in all structs except [`Lambda`].

use countersign_domain::use_cases::Times;
use serde::Deserialize;

use super::{
    CarrierLookupSource, Count, Endpoint, KeyArn, KeyArns, Locally, Name, PublicKeys, PublicUrl,
    QueueUrl, Retention, SecretName, SocketUrl, TableName, Text, TopicArn, Validity, WrappedKey,
};
use crate::store::DueShards;

/// The variables that Lambda sets for every function, and two that are set by tests and in VPCs.
#[derive(Deserialize)]
pub struct Lambda {
    /// The function's name, a dimension of its metrics.
    pub aws_lambda_function_name: Name,
    pub aws_region: Text,
    pub aws_access_key_id: Text,
    pub aws_secret_access_key: Text,
    pub aws_session_token: Option<Text>,
    /// The endpoint of all services, if not AWS's default.
    pub aws_endpoint_url: Option<Endpoint>,
    /// The file with the certificate authorities of that endpoint.
    pub ssl_cert_file: Option<Text>,
}

/// Settings of every function. Settings that a function does not use have their defaults.
#[derive(Debug, Deserialize)]
pub struct Common {
    /// The deployment's name, which is the dimension of its metrics.
    pub deployment: Name,
    /// Number of partitions over which due webhooks are distributed.
    pub due_shards: Option<DueShards>,
    /// The time for which a confirmation stays open (`5m`).
    pub validity: Option<Validity>,
    /// The time for which a verified confirmation is kept after the last retry (`7d`).
    pub retention: Option<Retention>,
}

impl Common {
    /// Returns the validity and retention of confirmations.
    #[must_use]
    pub fn times(&self) -> Times {
        let default = Times::default();
        Times {
            validity: self.validity.map_or(default.validity, |time| time.0),
            retention: self.retention.map_or(default.retention, |time| time.0),
        }
    }
}

/// Settings of the function `acquire`.
#[derive(Debug, Deserialize)]
pub struct Acquire {
    pub table: TableName,
    /// The address at which pages fetch the status of confirmations.
    pub public_url: PublicUrl,
    /// The URL at which pages open their WebSocket.
    pub socket_url: SocketUrl,
}

/// Settings of the function `confirm`.
#[derive(Debug, Deserialize)]
pub struct Confirm {
    pub table: TableName,
    /// Only needed in tests.
    pub first_attempts_queue_url: QueueUrl,
    /// The address at which pages fetch the status of confirmations.
    pub public_url: PublicUrl,
    /// The URL at which pages open their WebSocket.
    pub socket_url: SocketUrl,
}

/// Settings of the function `confirmations`.
#[derive(Debug, Deserialize)]
pub struct Confirmations {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The queue for all later attempts.
    pub retries_queue_url: QueueUrl,
}

/// Settings of the function `inbound-sms`.
#[derive(Debug, Deserialize)]
pub struct InboundSms {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The secret with the providers' settings.
    pub inbound_secrets: SecretName,
    /// The address that the providers call, unless their settings specify another.
    pub public_url: PublicUrl,
}

/// Settings of the function `inbound-sns`.
#[derive(Debug, Deserialize)]
pub struct InboundSns {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The topic that delivers texts.
    pub inbound_topic_arn: TopicArn,
}

/// Settings of the function `dispatcher`.
#[derive(Debug, Deserialize)]
pub struct Dispatcher {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The queue for all later attempts.
    pub retries_queue_url: QueueUrl,
    pub signing_key_arn: KeyArn,
    /// The private key that signs in place of the KMS key, encrypted by KMS.
    pub local_key: Option<WrappedKey>,
    /// The key that encrypted `local_key`.
    pub local_key_wrapper_arn: Option<KeyArn>,
    /// The secret from which the apps' webhook secrets are derived.
    pub webhook_secret: SecretName,
    /// Service that looks up carriers for texts whose provider did not report one, if enabled.
    pub carrier_lookup: Option<CarrierLookupSource>,
    /// Maximum number of carrier lookups per process and day.
    pub carrier_lookups_per_day: Option<Count>,
    /// The endpoint that manages the WebSocket connections of pages.
    pub socket_endpoint: Endpoint,
}

/// Settings of the function `sweeper`.
#[derive(Debug, Deserialize)]
pub struct Sweeper {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The queue for all later attempts.
    pub retries_queue_url: QueueUrl,
}

/// Settings of the function `well-known`.
#[derive(Debug, Deserialize)]
pub struct WellKnown {
    pub signing_key_arn: KeyArn,
    /// Additional published keys: former ones and the next one.
    pub published_key_arns: Option<KeyArns>,
    /// Published keys whose private halves are not in KMS: the one that signs, former ones and the next
    /// one.
    pub local_public_keys: Option<PublicKeys>,
    /// Present if the first of them signs; otherwise the KMS key does.
    pub signs: Option<Locally>,
}

/// Settings of the function `openid`.
#[derive(Debug, Deserialize)]
pub struct OpenId {
    pub table: TableName,
    /// The issuer, and the address at which the page fetches the status of confirmations.
    pub public_url: PublicUrl,
    /// The URL at which the page opens its WebSocket.
    pub socket_url: SocketUrl,
    /// The key that signs ID tokens, and nothing else.
    pub openid_key_arn: KeyArn,
    /// Additional published keys: former ones and the next one.
    pub openid_published_key_arns: Option<KeyArns>,
    /// The provider's secret.
    pub openid_secret: SecretName,
    /// The secret that CloudFront adds to the requests that it forwards, if the deployment uses CloudFront.
    pub origin_secret: Option<SecretName>,
}

/// Settings of the function `qr-session`.
#[derive(Debug, Deserialize)]
pub struct Login {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The URL at which browsers open their WebSocket.
    pub socket_url: SocketUrl,
    /// The endpoint that manages the WebSocket connections (`https://…/STAGE`).
    pub socket_endpoint: Endpoint,
    /// The issuer of the `OpenID` provider, whose page joins logins, if the deployment has the provider.
    pub openid_url: Option<PublicUrl>,
    /// The secret that CloudFront adds to the requests that it forwards, if the deployment uses CloudFront.
    pub origin_secret: Option<SecretName>,
}

/// Settings of the function `origin-check`.
#[derive(Debug, Deserialize)]
pub struct OriginCheck {
    /// The origin secret.
    pub origin_secret: SecretName,
}

/// Settings of the function `browser-socket`.
#[derive(Debug, Deserialize)]
pub struct BrowserSocket {
    pub table: TableName,
    /// The endpoint that manages the WebSocket connections of browsers.
    pub socket_endpoint: Endpoint,
}

/// Settings of the function `association-keys`.
#[derive(Debug, Deserialize)]
pub struct AssociationKeys {
    pub table: TableName,
    /// For the webhooks about phones that were set up.
    pub first_attempts_queue_url: QueueUrl,
    /// The secret that CloudFront adds to the requests that it forwards, if the deployment uses CloudFront.
    pub origin_secret: Option<SecretName>,
}
