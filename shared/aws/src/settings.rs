//! What each function reads from its environment, beside what all of them do.

use countersign_domain::use_cases::Times;

use crate::configuration::{
    Configuration, Endpoint, KeyArn, QueueUrl, SecretSource, SocketUrl, TopicArn,
};

/// Settings of a function.
pub trait Settings: Sized {
    /// Reads every variable, even after one was wrong.
    fn read(configuration: &mut Configuration<'_>) -> Option<Self>;
}

/// Of `acquire` and `confirm`.
#[derive(Debug)]
pub struct Sessions {
    /// The table.
    pub table: String,
    /// How long sessions are open and kept.
    pub times: Times,
}

/// Of `confirmations`.
#[derive(Debug)]
pub struct Confirmations {
    /// The table.
    pub table: String,
    /// How long sessions are kept.
    pub times: Times,
    /// The queue of first attempts.
    pub first_attempts: QueueUrl,
    /// The queue of all others.
    pub retries: QueueUrl,
}

/// Of `inbound-sms`.
#[derive(Debug)]
pub struct InboundSms {
    /// The table.
    pub table: String,
    /// How long sessions are kept.
    pub times: Times,
    /// The queue of first attempts.
    pub first_attempts: QueueUrl,
    /// Where the providers' secrets are.
    pub secrets: SecretSource,
}

/// Of `inbound-sns`.
#[derive(Debug)]
pub struct InboundSns {
    /// The table.
    pub table: String,
    /// How long sessions are kept.
    pub times: Times,
    /// The queue of first attempts.
    pub first_attempts: QueueUrl,
    /// The topic that texts arrive by.
    pub topic: TopicArn,
}

/// Of `dispatcher`.
#[derive(Debug)]
pub struct Dispatcher {
    /// The table.
    pub table: String,
    /// How long sessions are kept.
    pub times: Times,
    /// The queue of first attempts.
    pub first_attempts: QueueUrl,
    /// The queue of all others.
    pub retries: QueueUrl,
    /// The key that signs.
    pub signing_key: KeyArn,
}

/// Of `well-known`.
#[derive(Debug)]
pub struct WellKnown {
    /// The key that signs.
    pub signing_key: KeyArn,
    /// The others that are published.
    pub published_keys: Vec<KeyArn>,
}

/// Of `qr-session`.
#[derive(Debug)]
pub struct Login {
    /// The table.
    pub table: String,
    /// The queue of first attempts.
    pub first_attempts: QueueUrl,
    /// Where browsers are told of changes.
    pub socket_url: SocketUrl,
    /// Where their connections are managed.
    pub socket_endpoint: Endpoint,
    /// Where the origin secret is, if requests come through CloudFront.
    pub origin_secret: Option<SecretSource>,
}

/// Of `browser-socket`.
#[derive(Debug)]
pub struct BrowserSocket {
    /// The table.
    pub table: String,
    /// Where connections are managed.
    pub socket_endpoint: Endpoint,
}

impl Settings for Sessions {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, times) = (configuration.table(), configuration.times());
        Some(Self {
            table: table?,
            times: times?,
        })
    }
}

impl Settings for Confirmations {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, times) = (configuration.table(), configuration.times());
        let (first, retries) = (configuration.first_attempts(), configuration.retries());
        Some(Self {
            table: table?,
            times: times?,
            first_attempts: first?,
            retries: retries?,
        })
    }
}

impl Settings for InboundSms {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, times) = (configuration.table(), configuration.times());
        let (first, secrets) = (
            configuration.first_attempts(),
            configuration.inbound_secrets(),
        );
        Some(Self {
            table: table?,
            times: times?,
            first_attempts: first?,
            secrets: secrets?,
        })
    }
}

impl Settings for InboundSns {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, times) = (configuration.table(), configuration.times());
        let (first, topic) = (configuration.first_attempts(), configuration.topic());
        Some(Self {
            table: table?,
            times: times?,
            first_attempts: first?,
            topic: topic?,
        })
    }
}

impl Settings for Dispatcher {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, times) = (configuration.table(), configuration.times());
        let (first, retries) = (configuration.first_attempts(), configuration.retries());
        let signing_key = configuration.signing_key();
        Some(Self {
            table: table?,
            times: times?,
            first_attempts: first?,
            retries: retries?,
            signing_key: signing_key?,
        })
    }
}

impl Settings for WellKnown {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (signing_key, published) =
            (configuration.signing_key(), configuration.published_keys());
        Some(Self {
            signing_key: signing_key?,
            published_keys: published?,
        })
    }
}

impl Settings for Login {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, first) = (configuration.table(), configuration.first_attempts());
        let url = configuration.socket_url();
        let endpoint = configuration.socket_endpoint();
        let origin_secret = configuration.origin_secret();
        Some(Self {
            table: table?,
            first_attempts: first?,
            socket_url: url?,
            socket_endpoint: endpoint?,
            origin_secret,
        })
    }
}

impl Settings for BrowserSocket {
    fn read(configuration: &mut Configuration<'_>) -> Option<Self> {
        let (table, endpoint) = (configuration.table(), configuration.socket_endpoint());
        Some(Self {
            table: table?,
            socket_endpoint: endpoint?,
        })
    }
}
