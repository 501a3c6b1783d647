//! The settings of functions. Each field is read from the variable that has its name in capitals, after
//! [`OURS`](super::OURS) in all but [`Lambda`].

use countersign_domain::use_cases::Times;
use serde::Deserialize;

use super::{
    CarrierLookupSource, Count, Endpoint, KeyArn, KeyArns, Locally, Name, PublicKeys, PublicUrl,
    QueueUrl, Retention, SecretName, SocketUrl, TableName, Text, TopicArn, Validity, WrappedKey,
};
use crate::store::DueShards;

/// The variables that Lambda sets for every function, and two that tests and VPCs set.
#[derive(Deserialize)]
pub struct Lambda {
    /// The function's name, a dimension of its metrics.
    pub aws_lambda_function_name: Name,
    pub aws_region: Text,
    pub aws_access_key_id: Text,
    pub aws_secret_access_key: Text,
    pub aws_session_token: Option<Text>,
    /// The endpoint of all services, in place of AWS's.
    pub aws_endpoint_url: Option<Endpoint>,
    /// The file with the authorities of that endpoint.
    pub ssl_cert_file: Option<Text>,
}

/// Settings of every function. What a function does not use has its default.
#[derive(Debug, Deserialize)]
pub struct Common {
    /// The deployment's name, which is the dimension of its metrics.
    pub deployment: Name,
    /// Number of partitions over which due webhooks are spread.
    pub due_shards: Option<DueShards>,
    /// Time that a confirmation stays open (`5m`).
    pub validity: Option<Validity>,
    /// Time that a verified confirmation is kept after the last retry (`7d`).
    pub retention: Option<Retention>,
}

impl Common {
    /// Returns the times of confirmations.
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
    /// The address at which pages ask for the status of confirmations.
    pub public_url: PublicUrl,
    /// The URL that they open their WebSocket at.
    pub socket_url: SocketUrl,
}

/// Settings of the function `confirm`.
#[derive(Debug, Deserialize)]
pub struct Confirm {
    pub table: TableName,
    /// Only tests need it.
    pub first_attempts_queue_url: QueueUrl,
    /// The address at which pages ask for the status of confirmations.
    pub public_url: PublicUrl,
    /// The URL that they open their WebSocket at.
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
    /// The place of the providers' settings.
    pub inbound_secrets: SecretName,
    /// The address at which the providers call, unless their settings name another.
    pub public_url: PublicUrl,
}

/// Settings of the function `inbound-sns`.
#[derive(Debug, Deserialize)]
pub struct InboundSns {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The topic that brings texts.
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
    /// The private key that signs in its place, if there is one, encrypted by KMS.
    pub local_key: Option<WrappedKey>,
    /// The key that encrypted it.
    pub local_key_wrapper_arn: Option<KeyArn>,
    /// The place of the secret from which the apps' secrets derive.
    pub webhook_secret: SecretName,
    /// Service that looks up carriers that no provider named, if any.
    pub carrier_lookup: Option<CarrierLookupSource>,
    /// Limit of carriers that a process looks up in a day.
    pub carrier_lookups_per_day: Option<Count>,
    /// The endpoint that manages the connections of pages.
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
    /// Other keys that are published: former ones and the next one.
    pub published_key_arns: Option<KeyArns>,
    /// Published keys whose private halves are not in KMS: that of the one that signs, former ones and the
    /// next one.
    pub local_public_keys: Option<PublicKeys>,
    /// Present if the first of them signs; otherwise the key in KMS does.
    pub signs: Option<Locally>,
}

/// Settings of the function `qr-session`.
#[derive(Debug, Deserialize)]
pub struct Login {
    pub table: TableName,
    pub first_attempts_queue_url: QueueUrl,
    /// The URL that browsers open their WebSocket at.
    pub socket_url: SocketUrl,
    /// The endpoint that manages their connections (`https://…/STAGE`).
    pub socket_endpoint: Endpoint,
    /// The place of the secret that CloudFront adds to the requests that it forwards, if they come through it.
    pub origin_secret: Option<SecretName>,
}

/// Settings of the function `origin-check`.
#[derive(Debug, Deserialize)]
pub struct OriginCheck {
    /// The place of the origin secret.
    pub origin_secret: SecretName,
}

/// Settings of the function `browser-socket`.
#[derive(Debug, Deserialize)]
pub struct BrowserSocket {
    pub table: TableName,
    /// The endpoint that manages the connections of browsers.
    pub socket_endpoint: Endpoint,
}

/// Settings of the function `association-keys`.
#[derive(Debug, Deserialize)]
pub struct AssociationKeys {
    pub table: TableName,
}
