//! Where the settings of providers are stored: in a data directory, or in the secret of a deployment on AWS.

use std::fmt::Display;

use countersign_inbound::{ProviderSpec, Providers, Rotating, Settings, generic, sns};
use serde_json::{Map, Value};

use crate::admin::deployment::Deployment;
use crate::data_dir::{DataDir, PROVIDERS};
use crate::failure::Failure;
use crate::{inbound_secret, providers};

/// Placeholder for the public URL when settings are checked before it is known.
pub(crate) const ANY_URL: &str = "https://public-url.invalid";

/// The name of a deployment's settings in error messages.
pub(crate) const DEPLOYMENT: &str = "the deployment's secret";

/// The member that contains the secrets of each API key.
pub(crate) const KEYS: &str = "keys";

/// Returns whether this is the generic provider, which has a separate file for its secrets in a data
/// directory.
pub(crate) fn is_generic(spec: &ProviderSpec) -> bool {
    spec.name == generic::NAME
}

/// Where the settings are stored.
pub(crate) enum SettingsStore {
    /// `DATA/providers.json`, and `DATA/inbound-secret` for the generic provider.
    Data(DataDir),
    /// One document for all providers of a deployment on AWS.
    Deployment(Box<Deployment>),
}

impl SettingsStore {
    /// Reads the settings; they are empty if they were never written.
    pub(crate) async fn read(&self) -> Result<SettingsFile, Failure> {
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

    /// Creates the providers that are on.
    pub(crate) fn load(
        &self,
        settings: &SettingsFile,
        public_url: Option<&str>,
    ) -> Result<Providers, Failure> {
        match self {
            Self::Data(data) => {
                let certificates = Some(providers::no_certificates());
                Ok(providers::load(data, public_url, certificates)?)
            }
            Self::Deployment(_) => parse(&settings.text()?, public_url.unwrap_or(ANY_URL)),
        }
    }

    /// Returns the number of a provider's secrets; `None` if the provider is off.
    pub(crate) fn secrets(
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
    pub(crate) fn has(&self, spec: &ProviderSpec) -> bool {
        matches!(self, Self::Deployment(_)) || spec.has_settings()
    }

    /// Returns the public URL from the settings, or else the deployment's.
    pub(crate) fn stored_public_url(&self, settings: &SettingsFile) -> Option<String> {
        let of_deployment = match self {
            Self::Data(_) => None,
            Self::Deployment(deployment) => deployment.public_url(),
        };
        let url = settings.public_url().or(of_deployment);
        url.map(str::to_owned)
    }

    /// Returns the topic that delivers a provider's texts.
    pub(crate) fn topic<'a>(
        &'a self,
        settings: &'a SettingsFile,
        spec: &ProviderSpec,
    ) -> Option<&'a str> {
        match self {
            _ if spec.has_settings() => settings.topic(),
            Self::Data(_) => None,
            Self::Deployment(deployment) => deployment.topic(),
        }
    }

    /// Returns the beginning of a command line for this store.
    pub(crate) fn command(&self) -> String {
        match self {
            Self::Data(_) => "countersign".to_owned(),
            Self::Deployment(deployment) => format!("countersign --table {}", deployment.table()),
        }
    }
}

/// Parses the settings of a deployment.
pub(crate) fn parse(text: &str, public_url: &str) -> Result<Providers, Failure> {
    let settings = Settings::parse(text.as_bytes());
    let providers = settings.and_then(|settings| {
        let settings = settings.or_public_url(public_url);
        settings.providers(Some(providers::no_certificates()))
    });
    providers.map_err(|error| Failure::because("the settings", &error))
}

/// The settings as stored.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct SettingsFile(pub(crate) Map<String, Value>);

impl SettingsFile {
    /// Parses settings from `place`; `None` if they were never written.
    pub(crate) fn parse(text: Option<&str>, place: impl Display) -> Result<Self, Failure> {
        let Some(text) = text else {
            return Ok(Self::default());
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            // The parser's own message would quote values.
            _ => Err(Failure::new(format!("{place} is not a JSON object"))),
        }
    }

    /// Returns the settings in their stored form.
    pub(crate) fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(&self.0);
        let text = text.map_err(|error| Failure::because("the settings", &error))?;
        Ok(format!("{text}\n"))
    }

    fn public_url(&self) -> Option<&str> {
        self.0.get("publicUrl")?.as_str()
    }

    /// Returns the token for the provider's console.
    pub(crate) fn token(&self, spec: &ProviderSpec) -> Option<&str> {
        self.0.get(spec.name)?.get(spec.secrets.token?)?.as_str()
    }

    fn topic(&self) -> Option<&str> {
        self.0.get(sns::NAME)?.get("topic")?.as_str()
    }

    /// Returns the secrets of a provider; `None` if it is off.
    pub(crate) fn secrets(&self, spec: &ProviderSpec) -> Option<Vec<&Value>> {
        let settings = self.0.get(spec.name)?;
        let lists = spec
            .secrets
            .lists
            .iter()
            .filter_map(|list| settings.get(*list));
        let keys = settings.get(KEYS).filter(|_| spec.secrets.by_key);
        let keys = keys
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::values);
        let secrets = lists.chain(keys).flat_map(|list| match list {
            Value::Array(several) => several.as_slice(),
            one => std::slice::from_ref(one),
        });
        Some(secrets.collect())
    }
}
