//! Apps: the customers of a deployment.

pub mod api_key;
pub mod audit;
pub mod client_secret;
pub mod code;
pub mod key_label;
pub mod login;
pub mod openid;
pub mod quota;
pub mod refused_types;
pub mod scope;
mod secret_text;
pub mod senders;
pub mod template;
pub mod webhook_secrets;
pub mod whatsapp;

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::DeserializeFromStr;
use thiserror::Error;

use self::code::CodePrefix;
use self::login::LoginSettings;
use self::openid::{OpenIdRefusal, OpenIdSettings};
use self::quota::AppQuotas;
use self::refused_types::RefusedTypes;
use self::senders::{Recipient, SenderPool};
use self::template::{MessageTemplate, TemplateLanguage};
use self::webhook_secrets::SecretsInForce;
use self::whatsapp::WhatsAppNumber;
use crate::primitives::base62;
use crate::primitives::entropy::Entropy;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::{CallbackOrigin, CallbackPolicy, CallbackUrl, CallbackUrlError};

/// The public identifier of an app, sent by browsers and phones in the header `x-app-key`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, DeserializeFromStr)]
pub struct AppKey(String);

/// The error for a malformed app key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a well-formed app key")]
pub struct MalformedAppKey;

impl AppKey {
    /// Creates a random app key.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        Self(format!("cs_app_{}", base62::encode(&bytes, 22)))
    }

    /// Returns the text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AppKey {
    type Err = MalformedAppKey;

    /// Parses the text form.
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
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct App {
    /// Name that operators use for the app.
    pub id: AppId,
    /// Public identifier of the app, used by browsers and phones.
    pub app_key: AppKey,
    /// Time at which the app was created.
    pub created_at: Timestamp,
    /// Destination of webhooks for requests without a `callbackUrl`.
    pub default_callback: Option<CallbackUrl>,
    /// The only origins that webhooks may go to; if empty, the callback policy alone decides.
    pub callback_origins: Vec<CallbackOrigin>,
    /// The words around the code in `confirmationMessage`.
    pub template: MessageTemplate,
    /// The words around the code for requests that name a language.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub templates: BTreeMap<TemplateLanguage, MessageTemplate>,
    pub prefix: CodePrefix,
    /// The numbers that receive the app's texts.
    pub senders: SenderPool,
    /// The number that receives the app's texts on WhatsApp; `None` if the app does not use
    /// WhatsApp.
    pub whatsapp: Option<WhatsAppNumber>,
    /// The types of numbers that the app's confirmations refuse.
    #[serde(default, skip_serializing_if = "RefusedTypes::is_empty")]
    pub refused_types: RefusedTypes,
    /// True if the app's confirmation webhooks include the channel of the text and the type of the
    /// number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub webhook_details: bool,
    /// The secrets that sign the app's webhooks in addition to the deployment's key.
    #[serde(default)]
    pub webhook_secrets: SecretsInForce,
    /// Settings for logins by QR code or app link.
    pub login: LoginSettings,
    /// Settings as a client of the OpenID provider.
    #[serde(default, skip_serializing_if = "OpenIdSettings::is_default")]
    pub openid: OpenIdSettings,
    /// The operator's limits on confirmations and logins.
    pub quotas: AppQuotas,
}

impl App {
    /// Returns an app with only the required settings; all others have their defaults.
    #[must_use]
    pub fn new(id: AppId, app_key: AppKey, created_at: Timestamp, senders: SenderPool) -> Self {
        Self {
            id,
            app_key,
            created_at,
            default_callback: None,
            callback_origins: Vec::new(),
            template: MessageTemplate::default(),
            templates: BTreeMap::new(),
            prefix: CodePrefix::default(),
            senders,
            whatsapp: None,
            refused_types: RefusedTypes::default(),
            webhook_details: false,
            webhook_secrets: SecretsInForce::default(),
            login: LoginSettings::default(),
            openid: OpenIdSettings::default(),
            quotas: AppQuotas::default(),
        }
    }

    /// Returns the template for a language, or the default template if there is none.
    #[must_use]
    pub fn template_in(&self, language: Option<TemplateLanguage>) -> &MessageTemplate {
        let found = language.and_then(|language| self.templates.get(&language));
        found.unwrap_or(&self.template)
    }

    /// Returns whether the app's webhooks may go to `url`.
    #[must_use]
    pub fn allows_callback(&self, url: &CallbackUrl) -> bool {
        self.callback_origins.is_empty()
            || self
                .callback_origins
                .contains(&CallbackOrigin::from_url(url))
    }

    /// Checks that the deployment allows the app's callbacks and that they are consistent with each
    /// other.
    ///
    /// # Errors
    /// Fails with the first problem found.
    pub fn check_callbacks(&self, policy: &CallbackPolicy) -> Result<(), CallbackRefusal> {
        for origin in &self.callback_origins {
            CallbackUrl::parse(origin.as_str(), policy)?;
        }
        for url in [&self.default_callback, &self.login.callback] {
            let Some(url) = url else { continue };
            url.check(policy)?;
            if !self.allows_callback(url) {
                return Err(CallbackRefusal::OutsideOrigins(url.origin()));
            }
        }
        Ok(())
    }

    /// Checks that the settings for the OpenID provider are consistent with each other and with those for logins.
    ///
    /// # Errors
    /// Fails with the first problem found.
    pub fn check_openid(&self) -> Result<(), OpenIdRefusal> {
        self.openid.check(self.login.link_host.is_some())
    }
}

/// The reason why an app's callbacks are refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CallbackRefusal {
    /// The deployment does not allow one of the callbacks.
    #[error(transparent)]
    NotAllowed(#[from] CallbackUrlError),
    #[error("the callback URL's origin {0} is not among the app's callback origins")]
    OutsideOrigins(String),
}

/// The data that a deployment needs to read an inbound text before it knows which app's code the
/// text contains.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InboundProfile {
    /// The prefixes of all apps' codes.
    pub prefixes: BTreeSet<CodePrefix>,
    /// The numbers of all apps that receive texts over mobile networks. WhatsApp numbers are stored
    /// with each confirmation instead.
    pub recipients: Vec<Recipient>,
}

impl InboundProfile {
    /// Builds the profile of a deployment with these apps.
    #[must_use]
    pub fn from_apps<'a>(apps: impl IntoIterator<Item = &'a App>) -> Self {
        apps.into_iter().fold(Self::default(), Self::with)
    }

    /// Adds an app's prefix and numbers.
    #[must_use]
    pub fn with(mut self, app: &App) -> Self {
        self.prefixes.insert(app.prefix.clone());
        for (_, number) in app.senders.numbers() {
            if !self.recipients.contains(number) {
                self.recipients.push(number.clone());
            }
        }
        self
    }
}
