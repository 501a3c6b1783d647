//! What an operator can ask for, as typed on a command line and as sent over the admin socket.

mod login;
mod quota;

use clap::{ArgGroup, Args};
use countersign_domain::app::api_key::ApiKeyId;
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};
use serde::{Deserialize, Serialize};

pub(crate) use login::{LoginChange, NewLogin};
pub(crate) use quota::{NewQuotas, QuotaChange};

use super::argument::{Argument, Sender};

/// Something to do or to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub(crate) enum Command {
    /// Make an app, and its first API key.
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
    /// Show the signing keys.
    ListSigningKeys,
    /// Sign with a new key from now on.
    RotateSigningKey,
    /// Send a test webhook. Needs the running server.
    TestWebhook(WebhookTest),
    /// Show what was counted. Needs the running server.
    ShowMetrics,
    /// Show where the server is. Needs the running server.
    ShowServer,
    /// Show what a text did. Needs the running server.
    ExplainText(SentText),
}

impl Command {
    /// Whether nobody but a running server can carry it out.
    pub(crate) const fn needs_the_server(&self) -> bool {
        matches!(
            self,
            Self::TestWebhook(_) | Self::ShowMetrics | Self::ShowServer | Self::ExplainText(_)
        )
    }
}

/// An app by its name.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct AppNamed {
    /// The app's name
    pub(crate) app: Argument<AppId>,
}

/// An API key by its name.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct KeyNamed {
    /// The app's name
    pub(crate) app: Argument<AppId>,
    /// The key's id, as `countersign key list` shows it
    pub(crate) key: Argument<ApiKeyId>,
}

/// A new app.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct NewApp {
    /// The app's name: lower-case letters, digits and hyphens
    pub(crate) app: Argument<AppId>,
    /// Where webhooks go when a request names no callbackUrl
    #[arg(long, value_name = "URL")]
    pub(crate) callback_url: Option<Argument<CallbackUrl>>,
    /// Allow callbacks to this origin, and to no others than those named so; may be repeated
    #[arg(long = "callback-origin", value_name = "ORIGIN")]
    #[serde(default)]
    pub(crate) callback_origins: Vec<Argument<CallbackOrigin>>,
    /// The message that people send, with {code} where the code goes
    #[arg(long, value_name = "TEMPLATE")]
    pub(crate) message_template: Option<Argument<MessageTemplate>>,
    /// What codes begin with: two to eight letters
    #[arg(long, value_name = "LETTERS")]
    pub(crate) code_prefix: Option<Argument<CodePrefix>>,
    /// A number that receives texts: +NUMBER for everybody, CC=+NUMBER for one country's people;
    /// may be repeated
    #[arg(long = "sender", value_name = "[CC=]+NUMBER")]
    #[serde(default)]
    pub(crate) senders: Vec<Argument<Sender>>,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) login: NewLogin,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) quotas: NewQuotas,
}

/// What is to change about an app; what is not named stays.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
#[group(skip)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
#[command(group(ArgGroup::new("change").required(true).multiple(true)))]
#[command(override_usage = "countersign app update [OPTIONS] <APP> <CHANGE>...")]
pub(crate) struct AppChange {
    /// The app's name
    pub(crate) app: Argument<AppId>,
    /// Where webhooks go when a request names no callbackUrl
    #[arg(long, value_name = "URL", group = "change")]
    pub(crate) callback_url: Option<Argument<CallbackUrl>>,
    /// Requests must name a callbackUrl
    #[arg(long, conflicts_with = "callback_url", group = "change")]
    #[serde(default)]
    pub(crate) no_callback_url: bool,
    /// Allow callbacks to this origin, and to no others than those named so; may be repeated
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
    /// The bare code is the message
    #[arg(long, conflicts_with = "message_template", group = "change")]
    #[serde(default)]
    pub(crate) no_message_template: bool,
    /// What codes begin with: two to eight letters
    #[arg(long, value_name = "LETTERS", group = "change")]
    pub(crate) code_prefix: Option<Argument<CodePrefix>>,
    /// Codes begin with CS
    #[arg(long, conflicts_with = "code_prefix", group = "change")]
    #[serde(default)]
    pub(crate) no_code_prefix: bool,
    /// The numbers that receive texts, all of them anew: +NUMBER for everybody, CC=+NUMBER for one
    /// country's people; may be repeated
    #[arg(long = "sender", value_name = "[CC=]+NUMBER", group = "change")]
    #[serde(default)]
    pub(crate) senders: Vec<Argument<Sender>>,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) login: LoginChange,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) quotas: QuotaChange,
}

/// A test webhook.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct WebhookTest {
    /// The app's name
    #[arg(long)]
    pub(crate) app: Argument<AppId>,
    /// Where to, if not to the app's default
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<Argument<CallbackUrl>>,
}

/// A text that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SentText {
    /// The sender.
    pub(crate) from: String,
    /// The recipient.
    pub(crate) to: String,
    /// What it says.
    pub(crate) message: String,
}
