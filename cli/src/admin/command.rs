//! Operators' commands, as parsed from a command line and as sent over the admin socket.

mod association_keys;
mod audit;
mod login;
mod quota;
mod redactions;

use clap::Args;
use countersign_domain::app::api_key::ApiKeyId;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::refused_types::RefusableType;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use countersign_domain::web::origin::WebOrigin;
use countersign_domain::web::return_url::ReturnUrl;
use serde::{Deserialize, Serialize};

pub(crate) use association_keys::{AssociationKeyNamed, KeysOfUser, NewAssociationKey};
pub(crate) use audit::{AuditQuery, ProviderChange};
pub(crate) use login::LoginOptions;
pub(crate) use quota::QuotaOptions;
pub(crate) use redactions::{Redaction, Redactions};

use super::argument::{
    Sender, TemplateInLanguage, api_key_id, callback_origin, callback_url, whatsapp_number,
};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Command {
    /// Create an app and its first API key.
    CreateApp(NewApp),
    /// Show every app.
    ListApps,
    /// Show an app.
    ShowApp(AppNamed),
    /// Change an app.
    UpdateApp(AppChange),
    /// Delete an app.
    DeleteApp(AppNamed),
    /// Issue an API key.
    IssueKey(NewKey),
    /// Show an app's API keys.
    ListKeys(AppNamed),
    /// Revoke an API key.
    RevokeKey(KeyNamed),
    /// Register an association key.
    AddAssociationKey(NewAssociationKey),
    /// Show a user's association keys.
    ListAssociationKeys(KeysOfUser),
    /// Revoke an association key.
    RevokeAssociationKey(AssociationKeyNamed),
    /// Show the signing keys.
    ListSigningKeys,
    /// Sign with a new key from now on.
    RotateSigningKey,
    /// Record that the settings of an SMS provider are being changed, which happens elsewhere.
    ChangeProvider(ProviderChange),
    /// Show what administrators did.
    ListAudit(AuditQuery),
    /// Show the confirmations whose personal data was erased.
    ListRedactions,
    /// Erase the personal data of confirmations again, which a restored store has.
    RepeatRedactions(Redactions),
    /// Show the secrets that sign an app's webhooks.
    ShowWebhookSecret(AppNamed),
    /// Sign an app's webhooks with a new secret in addition to the present one.
    RotateWebhookSecret(AppNamed),
    /// Sign an app's webhooks with the newest secret only.
    RetireWebhookSecret(AppNamed),
    /// Derive the webhook secrets of all apps from a new secret, beside the present one.
    ReplaceMasterSecret,
    /// Derive the webhook secrets of all apps only from the newest secret.
    RetireMasterSecret,
    /// Send a test webhook. Needs the running server.
    TestWebhook(WebhookTest),
    /// Show the counters. Needs the running server.
    ShowMetrics,
    /// Show the counters in Prometheus's text format. Needs the running server.
    ExportMetrics,
    /// Show the server's address. Needs the running server.
    ShowServer,
    /// Read the settings of SMS providers again. Needs the running server.
    RereadProviders,
    /// Read the files of places again. Needs the running server.
    RereadPlaces,
    /// Explain the effect of a text. Needs the running server.
    ExplainText(SentText),
}

impl Command {
    /// Returns whether it changes something, which is recorded.
    pub(crate) const fn changes(&self) -> bool {
        matches!(
            self,
            Self::CreateApp(_)
                | Self::UpdateApp(_)
                | Self::DeleteApp(_)
                | Self::IssueKey(_)
                | Self::RevokeKey(_)
                | Self::AddAssociationKey(_)
                | Self::RevokeAssociationKey(_)
                | Self::RotateSigningKey
                | Self::RotateWebhookSecret(_)
                | Self::RetireWebhookSecret(_)
                | Self::ReplaceMasterSecret
                | Self::RetireMasterSecret
                | Self::ChangeProvider(_)
                | Self::RepeatRedactions(_)
        )
    }

    /// Returns whether it uses what the webhook secrets of apps derive from.
    #[cfg(feature = "aws")]
    pub(crate) const fn uses_master_secret(&self) -> bool {
        matches!(
            self,
            Self::ShowWebhookSecret(_)
                | Self::RotateWebhookSecret(_)
                | Self::RetireWebhookSecret(_)
                | Self::ReplaceMasterSecret
                | Self::RetireMasterSecret
        )
    }

    /// Returns whether only a running server can carry it out.
    pub(crate) const fn needs_the_server(&self) -> bool {
        matches!(
            self,
            Self::TestWebhook(_)
                | Self::ShowMetrics
                | Self::ExportMetrics
                | Self::ShowServer
                | Self::RereadProviders
                | Self::RereadPlaces
                | Self::ExplainText(_)
        )
    }
}

/// The arguments of a command about one app.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct AppNamed {
    /// The app's name
    pub(crate) app: AppId,
}

/// The arguments of `key issue`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct NewKey {
    /// The app's name
    pub(crate) app: AppId,
    /// Issue a test key (`cs_test_…`): no text from a phone completes what it starts
    #[arg(long)]
    pub(crate) test: bool,
}

/// The arguments of a command about one API key.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct KeyNamed {
    /// The app's name
    pub(crate) app: AppId,
    /// The key's id, from `countersign key list`
    #[arg(value_parser = api_key_id)]
    pub(crate) key: ApiKeyId,
}

/// The arguments of `app create`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct NewApp {
    /// The app's name: lower-case letters, digits and hyphens
    pub(crate) app: AppId,
    #[command(flatten)]
    pub(crate) settings: AppSettings,
}

/// The arguments of `app update`, of which at least one has to be given in addition to the name.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[command(override_usage = "countersign app update [OPTIONS] <APP> <CHANGE>...")]
pub(crate) struct AppChange {
    /// The app's name
    pub(crate) app: AppId,
    #[command(flatten)]
    pub(crate) settings: AppSettings,
    #[command(flatten)]
    pub(crate) removed: RemovedSettings,
}

/// Settings of an app. What is left out keeps its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(skip)]
pub(crate) struct AppSettings {
    /// The URL for webhooks when a request names no callbackUrl
    #[arg(long, value_name = "URL", value_parser = callback_url)]
    pub(crate) callback_url: Option<CallbackUrl>,
    /// Allow callbacks to this origin only; may be repeated; replaces all present origins
    #[arg(long = "callback-origin", value_name = "ORIGIN", value_parser = callback_origin)]
    pub(crate) callback_origins: Vec<CallbackOrigin>,
    /// The message that people send, with {code} where the code goes
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) message_template: Option<MessageTemplate>,
    /// The message for requests that name this language; may be repeated; replaces all present ones
    #[arg(long = "message-template-in", value_name = "LANGUAGE=TEMPLATE")]
    pub(crate) message_templates: Vec<TemplateInLanguage>,
    /// The two to eight letters that codes begin with
    #[arg(long, value_name = "LETTERS")]
    pub(crate) code_prefix: Option<CodePrefix>,
    /// A number that receives texts: +NUMBER for every country, CC=+NUMBER for senders from one
    /// country; may be repeated; replaces all present numbers
    #[arg(long = "sender", value_name = "[CC=]+NUMBER")]
    pub(crate) senders: Vec<Sender>,
    /// The number on WhatsApp that receives texts, too; a text from there proves an account, not a SIM
    #[arg(long, value_name = "+NUMBER", value_parser = whatsapp_number)]
    pub(crate) whatsapp: Option<WhatsAppNumber>,
    /// Refuse numbers of this type: premium-rate, toll-free, shared-cost, voip, personal, pager, uan,
    /// voicemail or fixed-line; may be repeated; replaces all present types
    #[arg(long = "refuse-number-type", value_name = "TYPE")]
    pub(crate) refused_number_types: Vec<RefusableType>,
    /// Say in webhooks how the text came and which type the number has
    #[arg(long)]
    pub(crate) webhook_details: bool,
    #[command(flatten)]
    pub(crate) login: LoginOptions,
    #[command(flatten)]
    pub(crate) quotas: QuotaOptions,
}

/// Settings that an app loses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Removing settings")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate flag on the command line"
)]
pub(crate) struct RemovedSettings {
    /// Require every request to name a callbackUrl
    #[arg(long, conflicts_with = "callback_url")]
    pub(crate) no_callback_url: bool,
    /// Allow callbacks to any public origin
    #[arg(long, conflicts_with = "callback_origins")]
    pub(crate) no_callback_origins: bool,
    /// Use the bare code as the message
    #[arg(long, conflicts_with = "message_template")]
    pub(crate) no_message_template: bool,
    /// Use one message for all languages
    #[arg(long, conflicts_with = "message_templates")]
    pub(crate) no_message_templates: bool,
    /// Begin codes with CS
    #[arg(long, conflicts_with = "code_prefix")]
    pub(crate) no_code_prefix: bool,
    /// Take no texts from WhatsApp for new confirmations
    #[arg(long, conflicts_with = "whatsapp")]
    pub(crate) no_whatsapp: bool,
    /// Take numbers of every type
    #[arg(long, conflicts_with = "refused_number_types")]
    pub(crate) no_refused_number_types: bool,
    /// Keep webhooks to the fields of the specification
    #[arg(long, conflicts_with = "webhook_details")]
    pub(crate) no_webhook_details: bool,
    /// Remove the link host; no logins can be opened
    #[arg(long, conflicts_with = "link_host")]
    pub(crate) no_link_host: bool,
    /// Let no page open logins
    #[arg(long, conflicts_with = "origins")]
    pub(crate) no_origins: bool,
    /// Let this page open no logins; may be repeated
    #[arg(
        long = "remove-origin",
        value_name = "ORIGIN",
        conflicts_with_all = ["origins", "no_origins"]
    )]
    #[serde(default)]
    pub(crate) removed_origins: Vec<WebOrigin>,
    /// Let the app return to this page no more; may be repeated
    #[arg(long = "remove-return-page", value_name = "URL")]
    #[serde(default)]
    pub(crate) removed_return_pages: Vec<ReturnUrl>,
    /// Let no Android app open the links
    #[arg(long, conflicts_with = "android")]
    pub(crate) no_android: bool,
    /// Let no iOS app open the links
    #[arg(long, conflicts_with = "ios")]
    pub(crate) no_ios: bool,
    /// Send no webhooks about confirmations and denials
    #[arg(long, conflicts_with = "login_callback")]
    pub(crate) no_login_callback: bool,
}

/// The arguments of `webhook test`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct WebhookTest {
    /// The app's name
    #[arg(long)]
    pub(crate) app: AppId,
    /// The URL, if not the app's default
    #[arg(long, value_name = "URL", value_parser = callback_url)]
    pub(crate) url: Option<CallbackUrl>,
}

/// A text that was sent to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentText {
    /// The sender's number.
    pub(crate) from: String,
    /// The recipient's number.
    pub(crate) to: String,
    /// The message.
    pub(crate) message: String,
}
