//! Operators' commands, as parsed from a command line and as sent over the admin socket.

mod association_keys;
mod login;
mod quota;

use clap::{ArgGroup, Args};
use countersign_domain::app::api_key::ApiKeyId;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde::{Deserialize, Serialize};

pub(crate) use association_keys::{AssociationKeyNamed, KeysOfUser, NewAssociationKey};
pub(crate) use login::{LoginChange, NewLogin};
pub(crate) use quota::{NewQuotas, QuotaChange};

use super::argument::{Argument, Sender};

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
    /// Issue an API key.
    IssueKey(AppNamed),
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
    /// Send a test webhook. Needs the running server.
    TestWebhook(WebhookTest),
    /// Show the counters. Needs the running server.
    ShowMetrics,
    /// Show the server's address. Needs the running server.
    ShowServer,
    /// Read the settings of SMS providers again. Needs the running server.
    RereadProviders,
    /// Explain the effect of a text. Needs the running server.
    ExplainText(SentText),
}

impl Command {
    /// Whether only a running server can carry it out.
    pub(crate) const fn needs_the_server(&self) -> bool {
        matches!(
            self,
            Self::TestWebhook(_)
                | Self::ShowMetrics
                | Self::ShowServer
                | Self::RereadProviders
                | Self::ExplainText(_)
        )
    }
}

/// The arguments of a command about one app.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct AppNamed {
    /// The app's name
    pub(crate) app: Argument<AppId>,
}

/// The arguments of a command about one API key.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct KeyNamed {
    /// The app's name
    pub(crate) app: Argument<AppId>,
    /// The key's id, from `countersign key list`
    pub(crate) key: Argument<ApiKeyId>,
}

/// The arguments of `app create`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct NewApp {
    /// The app's name: lower-case letters, digits and hyphens
    pub(crate) app: Argument<AppId>,
    /// The URL for webhooks when a request names no callbackUrl
    #[arg(long, value_name = "URL")]
    pub(crate) callback_url: Option<Argument<CallbackUrl>>,
    /// Allow callbacks to this origin only; may be repeated
    #[arg(long = "callback-origin", value_name = "ORIGIN")]
    #[serde(default)]
    pub(crate) callback_origins: Vec<Argument<CallbackOrigin>>,
    /// The message that people send, with {code} where the code goes
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) message_template: Option<Argument<MessageTemplate>>,
    /// The two to eight letters that codes begin with
    #[arg(long, value_name = "LETTERS")]
    pub(crate) code_prefix: Option<Argument<CodePrefix>>,
    /// A number that receives texts: +NUMBER for every country, CC=+NUMBER for senders from one
    /// country; may be repeated
    #[arg(long = "sender", value_name = "[CC=]+NUMBER")]
    #[serde(default)]
    pub(crate) senders: Vec<Argument<Sender>>,
    /// The number on WhatsApp that receives texts, too; a text from there proves an account, not a SIM
    #[arg(long, value_name = "+NUMBER")]
    #[serde(default)]
    pub(crate) whatsapp: Option<Argument<WhatsAppNumber>>,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) login: NewLogin,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) quotas: NewQuotas,
}

/// The arguments of `app update`; options that are left out change nothing.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(skip)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate flag on the command line"
)]
#[command(group(ArgGroup::new("change").required(true).multiple(true)))]
#[command(override_usage = "countersign app update [OPTIONS] <APP> <CHANGE>...")]
pub(crate) struct AppChange {
    /// The app's name
    pub(crate) app: Argument<AppId>,
    /// The URL for webhooks when a request names no callbackUrl
    #[arg(long, value_name = "URL", group = "change")]
    pub(crate) callback_url: Option<Argument<CallbackUrl>>,
    /// Require every request to name a callbackUrl
    #[arg(long, conflicts_with = "callback_url", group = "change")]
    #[serde(default)]
    pub(crate) no_callback_url: bool,
    /// Allow callbacks to this origin only; may be repeated; replaces all present origins
    #[arg(long = "callback-origin", value_name = "ORIGIN", group = "change")]
    #[serde(default)]
    pub(crate) callback_origins: Vec<Argument<CallbackOrigin>>,
    /// Allow callbacks to any public origin
    #[arg(long, conflicts_with = "callback_origins", group = "change")]
    #[serde(default)]
    pub(crate) no_callback_origins: bool,
    /// The message that people send, with {code} where the code goes
    #[arg(long, value_name = "TEMPLATE", group = "change")]
    pub(crate) message_template: Option<Argument<MessageTemplate>>,
    /// Use the bare code as the message
    #[arg(long, conflicts_with = "message_template", group = "change")]
    #[serde(default)]
    pub(crate) no_message_template: bool,
    /// The two to eight letters that codes begin with
    #[arg(long, value_name = "LETTERS", group = "change")]
    pub(crate) code_prefix: Option<Argument<CodePrefix>>,
    /// Begin codes with CS
    #[arg(long, conflicts_with = "code_prefix", group = "change")]
    #[serde(default)]
    pub(crate) no_code_prefix: bool,
    /// A number that receives texts: +NUMBER for every country, CC=+NUMBER for senders from one
    /// country; may be repeated; replaces all present numbers
    #[arg(long = "sender", value_name = "[CC=]+NUMBER", group = "change")]
    #[serde(default)]
    pub(crate) senders: Vec<Argument<Sender>>,
    /// The number on WhatsApp that receives texts, too; a text from there proves an account, not a SIM
    #[arg(long, value_name = "+NUMBER", group = "change")]
    #[serde(default)]
    pub(crate) whatsapp: Option<Argument<WhatsAppNumber>>,
    /// Take no texts from WhatsApp for new confirmations
    #[arg(long, conflicts_with = "whatsapp", group = "change")]
    #[serde(default)]
    pub(crate) no_whatsapp: bool,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) login: LoginChange,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) quotas: QuotaChange,
}

/// The arguments of `webhook test`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct WebhookTest {
    /// The app's name
    #[arg(long)]
    pub(crate) app: Argument<AppId>,
    /// The URL, if not the app's default
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<Argument<CallbackUrl>>,
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
