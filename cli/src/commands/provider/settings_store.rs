//! Where the settings are stored: in a data directory, or in the secret of a deployment on AWS.

use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::{ProviderSpec, Providers, Rotating, Settings};

use super::{SettingsFile, is_generic};
use crate::admin::audit::ChangeProvider;
use crate::admin::table::Deployment;
use crate::admin::target::{self, Target};
use crate::data_dir::{DataDir, PROVIDERS};
use crate::failure::Failure;
use crate::{inbound_secret, providers};

/// Placeholder for the public URL when settings are checked before it is known.
const ANY_URL: &str = "https://public-url.invalid";

/// The name of a deployment's settings in error messages.
const DEPLOYMENT: &str = "the deployment's secret";

/// Maximum number of times that a change is decided. Each repetition means that another administrator
/// changed the settings in the meantime.
const MAX_DECISIONS: usize = 16;

/// Where the settings are stored.
pub(super) enum SettingsStore {
    /// `DATA/providers.json`, and `DATA/inbound-secret` for the generic provider.
    Data(DataDir),
    /// One document for all providers of a deployment on AWS.
    Deployment(Box<Deployment>),
}

/// When changed settings take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Immediately: the running server uses them.
    Now,
    /// At the next start: no server is running.
    AtStart,
    /// Within a minute, when the functions read them.
    WithinAMinute,
}

impl SettingsStore {
    /// Returns the store of the settings, which must exist.
    pub(super) async fn existing(target: Target<'_>) -> Result<Self, Failure> {
        match target {
            Target::Data(path) => {
                let data = DataDir::existing(path)?;
                data.check_served()?;
                Ok(Self::Data(data))
            }
            Target::Table(table) => {
                let found = Deployment::find(table).await?;
                Ok(Self::Deployment(Box::new(found)))
            }
        }
    }

    /// Reads the settings; they are empty if they were never written.
    pub(super) async fn read(&self) -> Result<SettingsFile, Failure> {
        match self {
            Self::Data(data) => {
                SettingsFile::parse(data.read(PROVIDERS)?.as_deref(), data.providers().display())
            }
            Self::Deployment(deployment) => {
                let text = deployment.read().await?;
                SettingsFile::parse(text.as_deref(), DEPLOYMENT)
            }
        }
    }

    /// Records an administrator's change of a provider's settings.
    pub(super) async fn record(&self, change: ChangeProvider) -> Result<(), Failure> {
        let target = match self {
            Self::Data(data) => Target::Data(data.path()),
            Self::Deployment(deployment) => Target::Table(deployment.table()),
        };
        target::ask(target, change).await
    }

    /// Changes the settings with `decide`, and returns its outcome. Calls `decide` again if another
    /// administrator changed the settings in the meantime, so that no change is lost. A change is
    /// validated and recorded before it is written.
    pub(super) async fn change<T>(
        &self,
        change: &ChangeProvider,
        decide: impl Fn(&mut SettingsFile) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let decide = |before: SettingsFile| {
            let mut after = before.clone();
            let outcome = decide(&mut after)?;
            Ok::<_, Failure>((outcome, (after != before).then_some(after)))
        };
        match self {
            Self::Data(data) => {
                let _alone = data.lock_settings()?;
                let (outcome, changed) = decide(self.read().await?)?;
                if let Some(settings) = changed {
                    let text = settings.text()?;
                    let url = self.public_url(&settings).await?;
                    let url = url.as_deref().unwrap_or(ANY_URL);
                    let certificates = Some(providers::no_certificates());
                    providers::parse(data, &text, Some(url), certificates)?;
                    self.record(change.clone()).await?;
                    data.write(PROVIDERS, &text)?;
                }
                Ok(outcome)
            }
            Self::Deployment(deployment) => {
                let mut is_recorded = false;
                for _ in 0..MAX_DECISIONS {
                    let seen = deployment.read_to_change().await?;
                    let settings = SettingsFile::parse(seen.text(), DEPLOYMENT)?;
                    let (outcome, changed) = decide(settings)?;
                    let Some(settings) = changed else {
                        return Ok(outcome);
                    };
                    let text = settings.text()?;
                    let url = self.public_url(&settings).await?;
                    parse(&text, url.as_deref().unwrap_or(ANY_URL))?;
                    if !is_recorded {
                        self.record(change.clone()).await?;
                        is_recorded = true;
                    }
                    if deployment.replace(&seen, &text).await? {
                        return Ok(outcome);
                    }
                }
                Err(Failure::new(
                    "other administrators keep changing the settings of providers: try again",
                ))
            }
        }
    }

    /// Replaces the generic provider's secret, and keeps the newest of the present ones unless `alone`.
    /// Returns the new secret, and whether another one was dropped.
    pub(super) async fn put_inbound_secret(
        data: &DataDir,
        change: &ChangeProvider,
        secret: &WebhookSecret,
        alone: bool,
    ) -> Result<usize, Failure> {
        let _lock = data.lock_settings()?;
        if !alone {
            inbound_secret::read_all(data)?;
        }
        target::ask(Target::Data(data.path()), change.clone()).await?;
        Ok(inbound_secret::put(data, secret, alone)?)
    }

    /// Returns whether carriers are looked up if the provider does not report them, as far as this is known
    /// here: on AWS, the deployment's parameters determine it.
    pub(super) fn looks_carriers_up(&self) -> bool {
        match self {
            Self::Data(data) => data.carrier_lookup().exists(),
            Self::Deployment(_) => false,
        }
    }

    /// Makes the settings take effect.
    pub(super) async fn apply(&self) -> Result<Effect, Failure> {
        Ok(match self {
            Self::Data(data) if target::reread_providers(data).await? => Effect::Now,
            Self::Data(_) => Effect::AtStart,
            Self::Deployment(_) => Effect::WithinAMinute,
        })
    }

    pub(super) async fn load(&self, settings: &SettingsFile) -> Result<Providers, Failure> {
        let url = self.public_url(settings).await?;
        match self {
            Self::Data(data) => {
                let certificates = Some(providers::no_certificates());
                Ok(providers::load(data, url.as_deref(), certificates)?)
            }
            Self::Deployment(_) => parse(&settings.text()?, url.as_deref().unwrap_or(ANY_URL)),
        }
    }

    /// Returns the number of a provider's secrets; `None` if the provider is off.
    pub(super) fn secrets(
        &self,
        settings: &SettingsFile,
        spec: &ProviderSpec,
    ) -> Result<Option<usize>, Failure> {
        match self {
            Self::Data(data) if is_generic(spec) => {
                let secrets = inbound_secret::read_all(data)?;
                let count = |secrets: Rotating<_>| if secrets.is_pair() { 2 } else { 1 };
                Ok(secrets.map(count))
            }
            // The topic is part of the deployment.
            Self::Deployment(_) if !spec.has_settings() => Ok(Some(0)),
            _ => Ok(settings.secrets(spec).map(|secrets| secrets.len())),
        }
    }

    /// Returns whether this store supports the provider: the function for a topic exists only on AWS.
    pub(super) fn has(&self, spec: &ProviderSpec) -> bool {
        matches!(self, Self::Deployment(_)) || spec.has_settings()
    }

    /// Returns the public URL from the settings, or else the server's or the deployment's.
    pub(super) async fn public_url(
        &self,
        settings: &SettingsFile,
    ) -> Result<Option<String>, Failure> {
        match (settings.public_url(), self) {
            (Some(url), _) => Ok(Some(url.to_owned())),
            (None, Self::Data(data)) => target::public_url(data).await,
            (None, Self::Deployment(deployment)) => Ok(deployment.public_url().map(str::to_owned)),
        }
    }

    /// Returns the URL at which a command reaches the service.
    pub(super) async fn server_url(&self, settings: &SettingsFile) -> Result<String, Failure> {
        match self {
            Self::Data(data) => target::server_url(data.path()).await,
            Self::Deployment(_) => {
                let url = self.public_url(settings).await?;
                url.ok_or_else(|| Failure::new("the deployment names no public URL: give --url"))
            }
        }
    }

    /// Returns the topic that delivers texts to a deployment's function.
    pub(super) fn own_topic(&self) -> Option<&str> {
        match self {
            Self::Data(_) => None,
            Self::Deployment(deployment) => deployment.topic(),
        }
    }

    /// Returns the beginning of a command line for this store.
    pub(super) fn command(&self) -> String {
        match self {
            Self::Data(_) => "countersign".to_owned(),
            Self::Deployment(deployment) => format!("countersign --table {}", deployment.table()),
        }
    }
}

/// Parses the settings of a deployment.
fn parse(text: &str, public_url: &str) -> Result<Providers, Failure> {
    let settings = Settings::parse(text.as_bytes());
    let providers = settings.and_then(|settings| {
        let settings = settings.or_public_url(public_url);
        settings.providers(Some(providers::no_certificates()))
    });
    providers.map_err(|error| Failure::because("the settings", &error))
}
