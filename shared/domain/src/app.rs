//! An app: one customer of a deployment.

pub mod api_key;
pub mod code;
pub mod login;
pub mod quota;
pub mod senders;
pub mod store;
pub mod template;

use std::collections::BTreeSet;
use std::str::FromStr;

use thiserror::Error;

use self::code::CodePrefix;
use self::login::LoginSettings;
use self::quota::AppQuotas;
use self::senders::{Recipient, SenderPool};
use self::template::MessageTemplate;
use crate::primitives::base62;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::{CallbackOrigin, CallbackUrl};

/// The app key: public identifier of an app, used by browsers and phones, header `x-app-key`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AppKey(String);

/// A text that is no app key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed app key")]
pub struct MalformedAppKey;

impl AppKey {
    /// A new random app key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(format!("cs_app_{}", base62::encode(&bytes, 22)))
    }

    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AppKey {
    type Err = MalformedAppKey;

    /// Reads the written form.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.strip_prefix("cs_app_") {
            Some(digits) if digits.len() == 22 && base62::is_base62(digits) => {
                Ok(Self(text.to_owned()))
            }
            _ => Err(MalformedAppKey),
        }
    }
}

/// One customer of a deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct App {
    /// The app's name, by which operators speak of it.
    pub id: AppId,
    /// By which browsers and phones speak of it.
    pub app_key: AppKey,
    /// When it was made.
    pub created_at: Timestamp,
    /// Where webhooks go when a request names no `callbackUrl`.
    pub default_callback: Option<CallbackUrl>,
    /// Where webhooks may go at all; empty means anywhere that the address guard allows.
    pub callback_origins: Vec<CallbackOrigin>,
    /// The words around the code.
    pub template: MessageTemplate,
    /// What the code begins with.
    pub prefix: CodePrefix,
    /// The numbers that receive its texts.
    pub senders: SenderPool,
    /// What it wants of logins by QR code or app link.
    pub login: LoginSettings,
    /// What the operator said about how much it may begin.
    pub quotas: AppQuotas,
}

impl App {
    /// Whether the app's webhooks may go there.
    #[must_use]
    pub fn allows_callback(&self, url: &CallbackUrl) -> bool {
        self.callback_origins.is_empty() || self.callback_origins.contains(&CallbackOrigin::of(url))
    }
}

/// What a deployment must know to take a text, before it knows whose code is in it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct InboundProfile {
    /// The prefixes that its codes begin with.
    pub prefixes: BTreeSet<CodePrefix>,
    /// The numbers that are ours.
    pub recipients: Vec<Recipient>,
}

impl InboundProfile {
    /// The profile of a deployment with these apps.
    #[must_use]
    pub fn of<'a>(apps: impl IntoIterator<Item = &'a App>) -> Self {
        let mut profile = Self::default();
        for app in apps {
            profile.prefixes.insert(app.prefix.clone());
            for (_, number) in app.senders.numbers() {
                if !profile.recipients.contains(number) {
                    profile.recipients.push(number.clone());
                }
            }
        }
        profile
    }
}
