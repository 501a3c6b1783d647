//! Answers to operators' commands.

mod association_keys;
mod audit;
mod login;
mod master_secret;
mod quota;
mod redactions;
mod text;

use std::collections::BTreeMap;
use std::fmt;

use countersign_domain::app::App;
use countersign_domain::app::api_key::{ApiKeyRecord, PresentedApiKey};
use countersign_domain::delivery::sender::SendOutcome;
use countersign_domain::delivery::signing::PublicKey;
use countersign_domain::use_cases::test_webhook::TestSent;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use association_keys::AssociationKeyView;
pub(crate) use audit::AuditView;
pub(crate) use login::LoginView;
pub(crate) use master_secret::MasterSecretView;
pub(crate) use quota::QuotasView;
pub(crate) use redactions::RepeatedView;

use super::argument::Sender;
use super::command::Redaction;
use crate::metrics::Snapshot;

/// The answer to a command. `Display` is for people; scripts read [`AdminAnswer::to_json`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "answer", content = "content", rename_all = "snake_case")]
pub(crate) enum AdminAnswer {
    /// A new app, and its first API key.
    NewApp(NewAppView),
    App(AppView),
    /// Every app.
    Apps(ListView<AppView>),
    /// The name of an app that is deleted.
    DeletedApp(String),
    /// A new API key.
    NewKey(NewKeyView),
    /// An API key.
    Key(KeyView),
    /// An app's API keys.
    Keys(Vec<KeyView>),
    AssociationKey(AssociationKeyView),
    /// A user's association keys.
    AssociationKeys(Vec<AssociationKeyView>),
    /// The id of an association key that is revoked.
    RevokedAssociationKey(String),
    SigningKeys(Vec<SigningKeyView>),
    WebhookSecrets(WebhookSecretsView),
    MasterSecret(MasterSecretView),
    /// A change that is made elsewhere is recorded.
    Recorded,
    /// The confirmations whose personal data was erased.
    Redactions(ListView<Redaction>),
    Repeated(RepeatedView),
    /// The actions of administrators, newest first.
    Audit(ListView<AuditView>),
    /// The result of a test webhook.
    Test(TestView),
    /// The running server's counters.
    Metrics(MetricsView),
    /// The same in Prometheus's text format.
    ExportedMetrics(String),
    /// The running server's address and mode.
    Server(ServerView),
    /// The names of the SMS providers that are on.
    Providers(Vec<String>),
    Text(TextEffect),
}

impl AdminAnswer {
    /// Returns how many documents a list lacks because they cannot be read.
    pub(crate) const fn left_out(&self) -> usize {
        match self {
            Self::Apps(ListView { left_out, .. })
            | Self::Audit(ListView { left_out, .. })
            | Self::Redactions(ListView { left_out, .. }) => *left_out,
            _ => 0,
        }
    }

    /// Returns only the content, as pretty-printed JSON.
    pub(crate) fn to_json(&self) -> Result<String, serde_json::Error> {
        match self {
            Self::NewApp(view) => serde_json::to_string_pretty(view),
            Self::App(view) => serde_json::to_string_pretty(view),
            Self::Apps(list) => serde_json::to_string_pretty(&list.views),
            Self::DeletedApp(app) => {
                serde_json::to_string_pretty(&serde_json::json!({ "app": app }))
            }
            Self::NewKey(view) => serde_json::to_string_pretty(view),
            Self::Key(view) => serde_json::to_string_pretty(view),
            Self::Keys(views) => serde_json::to_string_pretty(views),
            Self::AssociationKey(view) => serde_json::to_string_pretty(view),
            Self::AssociationKeys(views) => serde_json::to_string_pretty(views),
            Self::RevokedAssociationKey(id) => {
                serde_json::to_string_pretty(&serde_json::json!({ "keyId": id }))
            }
            Self::SigningKeys(views) => serde_json::to_string_pretty(views),
            Self::WebhookSecrets(view) => serde_json::to_string_pretty(view),
            Self::MasterSecret(view) => serde_json::to_string_pretty(view),
            Self::Recorded => serde_json::to_string_pretty(&Value::Null),
            Self::Redactions(list) => serde_json::to_string_pretty(&list.views),
            Self::Repeated(view) => serde_json::to_string_pretty(view),
            Self::Audit(list) => serde_json::to_string_pretty(&list.views),
            Self::Test(view) => serde_json::to_string_pretty(view),
            Self::ExportedMetrics(text) => serde_json::to_string_pretty(text),
            Self::Metrics(snapshot) => serde_json::to_string_pretty(snapshot),
            Self::Server(view) => serde_json::to_string_pretty(view),
            Self::Providers(names) => serde_json::to_string_pretty(names),
            Self::Text(effect) => serde_json::to_string_pretty(effect),
        }
    }
}

/// A list, from which damaged documents are missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListView<T> {
    pub(crate) views: Vec<T>,
    /// The number of unreadable ones.
    pub(crate) left_out: usize,
}

/// A new app, and its first API key, which is never shown again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewAppView {
    #[serde(flatten)]
    pub(crate) app: AppView,
    #[serde(flatten)]
    pub(crate) key: NewKeyView,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppView {
    /// The app's name.
    pub(crate) app: String,
    /// The public key that browsers and phones name the app by.
    pub(crate) app_key: String,
    /// When the app was created, in ISO 8601.
    pub(crate) created_at: String,
    /// The URL of webhooks when a request names no `callbackUrl`.
    pub(crate) callback_url: Option<String>,
    /// The origins that callbacks may have; empty means any public origin.
    pub(crate) callback_origins: Vec<String>,
    /// The template of the message that people send.
    pub(crate) message_template: String,
    /// The templates for requests that name a language.
    pub(crate) message_templates: BTreeMap<String, String>,
    /// The letters that codes begin with.
    pub(crate) code_prefix: String,
    /// The numbers that receive texts: `+NUMBER` for every country, `CC=+NUMBER` for one country.
    pub(crate) senders: Vec<String>,
    /// The number on WhatsApp that receives texts, too.
    pub(crate) whatsapp: Option<String>,
    /// The types of number that are refused.
    pub(crate) refused_number_types: Vec<String>,
    /// True if webhooks say how the text came and which type the number has.
    pub(crate) webhook_details: bool,
    /// The app's settings for logins by QR code or app link.
    pub(crate) login: LoginView,
    pub(crate) quotas: QuotasView,
}

impl AppView {
    /// Describes an app.
    pub(crate) fn of(app: &App) -> Self {
        let senders = app.senders.numbers().map(|(country, number)| {
            let number = number.clone();
            Sender { country, number }.to_string()
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
            message_templates: app
                .templates
                .iter()
                .map(|(language, template)| (language.to_string(), template.as_str().to_owned()))
                .collect(),
            code_prefix: app.prefix.to_string(),
            senders: senders.collect(),
            whatsapp: app.whatsapp.as_ref().map(ToString::to_string),
            refused_number_types: app.refused_types.iter().map(|it| it.to_string()).collect(),
            webhook_details: app.webhook_details,
            login: LoginView::of(&app.login),
            quotas: QuotasView::of(app),
        }
    }
}

/// A new API key, which is never shown again.
///
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewKeyView {
    /// The key's public id.
    pub(crate) key_id: String,
    /// The key itself, a secret.
    pub(crate) api_key: String,
}

impl NewKeyView {
    /// Describes a key that was just created.
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

/// The secrets that sign an app's webhooks, the newest first. `Debug` hides them.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSecretsView {
    pub(crate) webhook_secrets: Vec<String>,
}

impl fmt::Debug for WebhookSecretsView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecretsView(…)")
    }
}

/// An API key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KeyView {
    /// The key's public id.
    pub(crate) key_id: String,
    /// When the key was issued, in ISO 8601.
    pub(crate) issued_at: String,
    /// When the key was revoked, in ISO 8601; `None` if it is active.
    pub(crate) revoked_at: Option<String>,
}

impl KeyView {
    /// Describes a key.
    pub(crate) fn of(key: &ApiKeyRecord) -> Self {
        Self {
            key_id: key.hash.id().as_str().to_owned(),
            issued_at: key.issued_at.to_string(),
            revoked_at: key.revoked_at.map(|at| at.to_string()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SigningKeyView {
    /// The key's RFC 7638 thumbprint.
    pub(crate) key_id: String,
    /// True if new signatures are made with this key.
    pub(crate) current: bool,
    /// The public key, in PEM.
    pub(crate) pem: String,
}

impl SigningKeyView {
    /// Describes the signing keys, the current one first.
    pub(crate) fn all(keys: &[PublicKey]) -> Vec<Self> {
        let view = |(index, key): (usize, &PublicKey)| Self {
            key_id: key.key_id().to_string(),
            current: index == 0,
            pem: key.to_pem(),
        };
        keys.iter().enumerate().map(view).collect()
    }
}

/// The result of a test webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestView {
    pub(crate) webhook_id: String,
    /// The HTTP status of the answer, if there was one.
    pub(crate) status: Option<u16>,
    /// The reason for a missing answer, as a stable name.
    pub(crate) failure: Option<String>,
    /// Time until the outcome, in milliseconds.
    pub(crate) duration_ms: u64,
}

impl TestView {
    /// Describes the outcome of a test.
    pub(crate) fn of(sent: &TestSent) -> Self {
        let (status, failure) = match &sent.outcome {
            SendOutcome::Answered { status, .. } => (Some(*status), None),
            SendOutcome::NoAnswer(reason) => (None, Some(reason.into_str().to_owned())),
        };
        Self {
            webhook_id: sent.webhook_id.as_str().to_owned(),
            status,
            failure,
            duration_ms: u64::try_from(sent.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }

    /// Returns whether the receiver answered 2xx.
    pub(crate) fn succeeded(&self) -> bool {
        self.status
            .is_some_and(|status| (200..300).contains(&status))
    }
}

/// The running server's counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MetricsView {
    /// Events, and the latencies of first attempts.
    #[serde(flatten)]
    pub(crate) counted: Snapshot,
    /// Delivery attempts that are waiting or under way.
    pub(crate) queued: usize,
    /// Write operations that the store has run.
    pub(crate) store_writes: u64,
    /// Times that the store has flushed writes to disk.
    pub(crate) store_flushes: u64,
}

/// The running server's address and mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServerView {
    /// The URL that callers use.
    pub(crate) url: String,
    /// The URL that programs on the same machine use.
    pub(crate) nearby_url: String,
    /// True if the server is in local mode.
    pub(crate) local: bool,
    /// True if it has a source of places.
    #[serde(default)]
    pub(crate) knows_places: bool,
    pub(crate) version: String,
}

/// The effect of a text, as far as it shows afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextEffect {
    /// True if the confirmation is verified with this sender.
    pub(crate) verified: bool,
    /// The confirmation that the text's code belongs to, if there is one.
    pub(crate) confirmation_id: Option<String>,
    /// A sentence that explains the effect of the text.
    pub(crate) summary: String,
}
