//! Why a command is refused or fails.

use std::collections::BTreeMap;

use countersign_domain::app::CallbackRefusal;
use countersign_domain::app::api_key::{ApiKeyId, MAX_ACTIVE_KEYS};
use countersign_domain::app::client_secret::{ClientSecretId, MAX_ACTIVE_SECRETS};
use countersign_domain::app::login::WebPhoneRefusal;
use countersign_domain::app::openid::{MalformedMethods, OpenIdRefusal};
use countersign_domain::app::senders::EmptyPool;
use countersign_domain::app::template::TemplateLanguage;
use countersign_domain::app::webhook_secrets::SecretRefusal;
use countersign_domain::login::KeyId;
use countersign_domain::openid::key_schedule::NextKeyWaits;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::association_keys::RegisterError;
use countersign_domain::use_cases::test_webhook::TestWebhookError;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::redirect_uri::RedirectUri;
use countersign_embedded::places::PlacesError;
use serde_json::Value;
use thiserror::Error;

use super::seen_settings::SeenRefusal;
use super::started_refusal::StartedRefusal;
use crate::failure::Failure;
use crate::master_secret::MasterSecretError;
use crate::providers::ProvidersError;

/// Why a command is refused or fails: the message tells the user what to do.
#[derive(Debug, Error)]
pub(crate) enum AdminError {
    /// No app has this name.
    #[error("there is no app called {0}; `countersign app list` shows every app")]
    UnknownApp(AppId),
    #[error("an app called {0} already exists; `countersign app update {0}` changes it")]
    NameTaken(AppId),
    #[error("an app called {0} was deleted, and its name cannot be reused; choose another name")]
    NameOfDeleted(AppId),
    #[error("{0} does not list the page {1}; `countersign app show {0}` shows its pages")]
    UnlistedPage(AppId, String),
    /// No login can return to the page, because only pages of a listed origin can create logins.
    #[error(
        "the app cannot return to {0}, because it does not list that page's origin and so its logins never name \
         it; add the origin with --add-origin, in the same command or before"
    )]
    PageWithoutOrigin(String),
    #[error("{0} does not list {1}; `countersign app show {0}` shows its redirect URIs")]
    UnlistedRedirectUri(AppId, RedirectUri),
    #[error(transparent)]
    OpenId(#[from] OpenIdRefusal),
    #[error(transparent)]
    Methods(#[from] MalformedMethods),
    #[error(transparent)]
    WebPhone(#[from] WebPhoneRefusal),
    /// The command has no number for texts, and there is no default.
    #[error("give a number that receives the app's texts, such as --sender +12025550199")]
    NoSender,
    /// The app has numbers for some countries only.
    #[error("{0}; give one without a country, such as --sender +12025550199")]
    EmptyPool(#[from] EmptyPool),
    /// Two templates are for the same language, possibly under two codes of it.
    #[error("--message-template-in specifies the language {0} twice")]
    LanguageTwice(TemplateLanguage),
    #[error(transparent)]
    Callback(#[from] CallbackRefusal),
    /// Links to localhost outside local mode.
    #[error(
        "links to localhost lead each person to their own machine; give the name of this service, \
         such as --link-host login.shop.example"
    )]
    LoopbackLinkHost,
    /// Links to localhost with a port that is not the server's.
    #[error(
        "links to {given} do not lead to this server, which phones and browsers on this machine reach at {ours}; \
         give --link-host {ours}"
    )]
    LinkHostElsewhere { given: LinkHost, ours: LinkHost },
    /// The app already has the maximum number of active keys.
    #[error(
        "{0} already has {MAX_ACTIVE_KEYS} active keys; revoke one first: `countersign key list \
         {0}` shows them"
    )]
    TooManyKeys(AppId),
    /// The app does not have this key.
    #[error("{app} has no key {}; `countersign key list {app}` shows its keys", key.as_str())]
    UnknownKey { app: AppId, key: ApiKeyId },
    /// The app already has the maximum number of active client secrets.
    #[error(
        "{0} already has {MAX_ACTIVE_SECRETS} active client secrets; revoke one first: `countersign openid \
         list-secrets {0}` shows them"
    )]
    TooManySecrets(AppId),
    #[error(
        "{0} is a public client, which has no secret; `countersign app update {0} --openid-client confidential` \
         changes that"
    )]
    PublicClient(AppId),
    /// The app does not have this client secret.
    #[error(
        "{app} has no client secret {}; `countersign openid list-secrets {app}` shows its secrets",
        secret.as_str()
    )]
    UnknownSecret { app: AppId, secret: ClientSecretId },
    /// The app does not have this association key.
    #[error(
        "{app} has no association key {key}; `countersign app keys list {app} --user USER` shows a user's"
    )]
    UnknownAssociationKey { app: AppId, key: KeyId },
    /// The association key cannot be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// The command needs a running server.
    #[error("no server is running on this data; start `countersign serve` with the same --data")]
    NotRunning,
    /// Too many old signing keys are still published.
    #[error("{0}")]
    RotationRefused(String),
    /// The new key for ID tokens does not sign yet.
    #[error(transparent)]
    NextKeyWaits(NextKeyWaits),
    #[error(
        "the keys of a deployment on AWS are in KMS; its /.well-known/jwks.json shows those of webhooks and \
         /openid/jwks.json those of ID tokens, and docs/operations.md says how to replace them"
    )]
    KeysInKms,
    #[error("the secret for webhooks was not read")]
    NoWebhookSecret,
    #[error(transparent)]
    WebhookSecret(#[from] SecretRefusal),
    #[error(transparent)]
    MasterSecret(#[from] MasterSecretError),
    #[error("no problem has this code; docs/problems.md lists all")]
    UnknownProblem,
    #[error(transparent)]
    Seen(#[from] SeenRefusal),
    #[error(transparent)]
    Started(#[from] StartedRefusal),
    /// The test webhook could not be sent.
    #[error(transparent)]
    Test(#[from] TestWebhookError),
    /// The settings of SMS providers cannot be used.
    #[error(transparent)]
    Providers(#[from] ProvidersError),
    /// The settings of SMS providers do not allow what was asked for.
    #[error("{0}")]
    Provider(Failure),
    /// The settings of SMS providers cannot be read.
    #[error("{0}")]
    ProviderSettings(Failure),
    /// The files of places cannot be used.
    #[error(transparent)]
    Places(#[from] PlacesError),
    #[error(transparent)]
    Metrics(#[from] prometheus::Error),
    /// The store or the signer is unavailable.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

impl AdminError {
    /// Returns the present values of settings that differ from those that the operator saw.
    pub(crate) const fn now(&self) -> Option<&BTreeMap<String, Value>> {
        match self {
            Self::Seen(SeenRefusal::Changed { now }) => Some(now),
            _ => None,
        }
    }

    /// Returns whether the error is internal, not caused by the command's arguments.
    pub(crate) const fn is_ours(&self) -> bool {
        matches!(
            self,
            Self::Unavailable(_)
                | Self::MasterSecret(MasterSecretError::Data(_))
                | Self::Metrics(_)
                | Self::Register(RegisterError::Unavailable(_))
                | Self::Test(TestWebhookError::Unavailable(_))
        )
    }
}
