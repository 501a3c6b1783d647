//! Changing the settings of providers, and what a running server knows beside them.

use countersign_domain::primitives::webhook_secret::WebhookSecret;

use crate::admin::audit::ChangeProvider;
use crate::admin::deployment::Deployment;
use crate::admin::providers::settings_store::{self, ANY_URL, DEPLOYMENT};
use crate::admin::target::{self, Target};
use crate::data_dir::{DataDir, PROVIDERS};
use crate::failure::Failure;
use crate::{inbound_secret, providers};

pub(super) use crate::admin::providers::settings_store::{SettingsFile, SettingsStore};

/// Maximum number of times that a change is decided. Each repetition means that another administrator
/// changed the settings in the meantime.
const MAX_DECISIONS: usize = 16;

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
                    settings_store::parse(&text, url.as_deref().unwrap_or(ANY_URL))?;
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

    /// Returns the public URL from the settings, or else the server's or the deployment's.
    pub(super) async fn public_url(
        &self,
        settings: &SettingsFile,
    ) -> Result<Option<String>, Failure> {
        match (self.stored_public_url(settings), self) {
            (None, Self::Data(data)) => target::public_url(data).await,
            (stored, _) => Ok(stored),
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
}
