//! What an operator is answered.

mod login;
mod quota;
mod text;

use std::fmt;

use countersign_domain::app::App;
use countersign_domain::app::api_key::{ApiKeyRecord, PresentedApiKey};
use countersign_domain::delivery::sender::SendOutcome;
use countersign_domain::delivery::signing::PublicKey;
use countersign_domain::use_cases::test_webhook::TestSent;
use serde::{Deserialize, Serialize};

pub(crate) use login::LoginView;
pub(crate) use quota::QuotasView;

use super::argument::{Sender, Word};
use crate::metrics::Snapshot;

/// The answer to a command. `Display` is for people; what scripts read is [`Answer::to_json`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "content", rename_all = "snake_case")]
pub(crate) enum Answer {
    /// A new app, and its first API key.
    NewApp(NewAppView),
    /// An app.
    App(AppView),
    /// Every app.
    Apps(Vec<AppView>),
    /// A new API key.
    NewKey(NewKeyView),
    /// An API key.
    Key(KeyView),
    /// An app's API keys.
    Keys(Vec<KeyView>),
    /// The signing keys.
    SigningKeys(Vec<SigningKeyView>),
    /// A test webhook that was sent.
    Test(TestView),
    /// What was counted.
    Metrics(MetricsView),
    /// Where the server is.
    Server(ServerView),
    /// What a text did.
    Text(TextEffect),
}

impl Answer {
    /// The content alone, as JSON over several lines.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::NewApp(view) => serde_json::to_string_pretty(view),
            Self::App(view) => serde_json::to_string_pretty(view),
            Self::Apps(views) => serde_json::to_string_pretty(views),
            Self::NewKey(view) => serde_json::to_string_pretty(view),
            Self::Key(view) => serde_json::to_string_pretty(view),
            Self::Keys(views) => serde_json::to_string_pretty(views),
            Self::SigningKeys(views) => serde_json::to_string_pretty(views),
            Self::Test(view) => serde_json::to_string_pretty(view),
            Self::Metrics(snapshot) => serde_json::to_string_pretty(snapshot),
            Self::Server(view) => serde_json::to_string_pretty(view),
            Self::Text(effect) => serde_json::to_string_pretty(effect),
        }
    }
}

/// A new app, and the only sight of its first API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewAppView {
    /// The app.
    #[serde(flatten)]
    pub(crate) app: AppView,
    /// Its key.
    #[serde(flatten)]
    pub(crate) key: NewKeyView,
}

/// An app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppView {
    /// Its name.
    pub(crate) app: String,
    /// By which browsers and phones speak of it.
    pub(crate) app_key: String,
    /// When it was made.
    pub(crate) created_at: String,
    /// Where webhooks go when a request names no `callbackUrl`.
    pub(crate) callback_url: Option<String>,
    /// Where webhooks may go at all; empty means anywhere.
    pub(crate) callback_origins: Vec<String>,
    /// The message that people send.
    pub(crate) message_template: String,
    /// What codes begin with.
    pub(crate) code_prefix: String,
    /// The numbers that receive texts: `+NUMBER` for everybody, `CC=+NUMBER` for one country.
    pub(crate) senders: Vec<String>,
    /// Its logins by QR code or app link.
    pub(crate) login: LoginView,
    /// How much it may begin and have open.
    pub(crate) quotas: QuotasView,
}

impl AppView {
    /// How an operator sees an app.
    pub(crate) fn of(app: &App) -> Self {
        let senders = app.senders.numbers().map(|(country, number)| {
            let number = number.clone();
            Sender { country, number }.write()
        });
        Self {
            app: app.id.to_string(),
            app_key: app.app_key.as_str().to_owned(),
            created_at: app.created_at.to_string(),
            callback_url: app
                .default_callback
                .as_ref()
                .map(|url| url.as_str().to_owned()),
            callback_origins: app
                .callback_origins
                .iter()
                .map(ToString::to_string)
                .collect(),
            message_template: app.template.as_str().to_owned(),
            code_prefix: app.prefix.to_string(),
            senders: senders.collect(),
            login: LoginView::of(&app.login),
            quotas: QuotasView::of(app),
        }
    }
}

/// A new API key, shown this once.
///
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewKeyView {
    /// The key's public name.
    pub(crate) key_id: String,
    /// The key.
    pub(crate) api_key: String,
}

impl NewKeyView {
    /// How an operator sees a key that was just made.
    pub(crate) fn of(key: &PresentedApiKey) -> Self {
        Self {
            key_id: key.hash().id().as_str().to_owned(),
            api_key: key.reveal().to_owned(),
        }
    }
}

impl fmt::Debug for NewKeyView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewKeyView({}, …)", self.key_id)
    }
}

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyView {
    /// Its public name.
    pub(crate) key_id: String,
    /// When it was issued.
    pub(crate) issued_at: String,
    /// When it was revoked, if it was.
    pub(crate) revoked_at: Option<String>,
}

impl KeyView {
    /// How an operator sees a key.
    pub(crate) fn of(key: &ApiKeyRecord) -> Self {
        Self {
            key_id: key.hash.id().as_str().to_owned(),
            issued_at: key.issued_at.to_string(),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
        }
    }
}

/// A signing key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SigningKeyView {
    /// Its RFC 7638 thumbprint.
    pub(crate) key_id: String,
    /// Whether new signatures are made with it.
    pub(crate) current: bool,
    /// The public key.
    pub(crate) pem: String,
}

impl SigningKeyView {
    /// How an operator sees the keys, the current one first.
    pub(crate) fn all(keys: &[PublicKey]) -> Vec<Self> {
        let view = |(index, key): (usize, &PublicKey)| Self {
            key_id: key.key_id().to_string(),
            current: index == 0,
            pem: key.to_pem(),
        };
        keys.iter().enumerate().map(view).collect()
    }
}

/// A test webhook that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestView {
    /// Its id.
    pub(crate) webhook_id: String,
    /// The HTTP status of the answer, if one came.
    pub(crate) status: Option<u16>,
    /// Why none came, if none did.
    pub(crate) failure: Option<String>,
    /// How long it took, in milliseconds.
    pub(crate) duration_ms: u64,
}

impl TestView {
    /// How an operator sees a test.
    pub(crate) fn of(sent: &TestSent) -> Self {
        let (status, failure) = match &sent.outcome {
            SendOutcome::Answered { status, .. } => (Some(*status), None),
            SendOutcome::NoAnswer(reason) => (None, Some(reason.as_str().to_owned())),
        };
        Self {
            webhook_id: sent.webhook_id.as_str().to_owned(),
            status,
            failure,
            duration_ms: u64::try_from(sent.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Whether the receiver took it (2xx).
    pub(crate) fn succeeded(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }
}

/// What the running server counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetricsView {
    /// Events, and how long first attempts took.
    #[serde(flatten)]
    pub(crate) counted: Snapshot,
    /// Attempts to deliver that wait or are under way.
    pub(crate) queued: usize,
    /// Operations that the store's writer ran.
    pub(crate) store_writes: u64,
    /// How often it put what they changed on disk.
    pub(crate) store_flushes: u64,
}

/// Where the running server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerView {
    /// The URL under which callers reach it.
    pub(crate) url: String,
    /// The URL under which programs on the same machine reach it.
    pub(crate) nearby_url: String,
    /// Whether it is in local mode.
    pub(crate) local: bool,
    /// Its version.
    pub(crate) version: String,
}

/// What a text did, as far as it can be seen afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEffect {
    /// Whether its session is verified with this sender.
    pub(crate) verified: bool,
    /// The session that its code belongs to, if there is one.
    pub(crate) confirmation_id: Option<String>,
    /// What happened, in a sentence.
    pub(crate) summary: String,
}
