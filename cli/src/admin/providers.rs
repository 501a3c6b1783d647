//! SMS providers: whether they are on, what to set in their consoles, and what became of their last calls. No secret is
//! shown.

pub(crate) mod settings_store;
pub(crate) mod steps;
mod test_provider;
pub(crate) mod trial;

use std::str::FromStr;

use countersign_inbound::{CallSummary, ProviderSpec, RecentCall, SPECS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};

use super::deployment::Deployment;
use super::request::{Answer, Item, List, Request};
use super::sentence::Sentence;
use super::{Admin, AdminError, ProviderPlace};
use crate::schema::{Ours, Time};
use settings_store::{SettingsFile, SettingsStore};
use steps::Shown;
pub(crate) use test_provider::TestProvider;

/// A provider, by its name.
#[derive(Clone, Copy, Debug, SerializeDisplay, DeserializeFromStr)]
pub(crate) struct KnownProvider(pub(crate) &'static ProviderSpec);

impl FromStr for KnownProvider {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = SPECS.iter().find(|spec| spec.name == text);
        known.map(|spec| Self(spec)).ok_or_else(|| {
            let names: Vec<_> = SPECS.iter().map(|spec| spec.name).collect();
            format!("must be one of {}", names.join(", "))
        })
    }
}

impl std::fmt::Display for KnownProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

/// Lists SMS providers: which are on, and how many of their calls were accepted, ignored and refused.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListProviders {}

/// Shows one SMS provider: its URL and set-up steps, and what became of its last calls.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowProvider {
    /// The provider's name.
    #[schemars(with = "String")]
    provider: KnownProvider,
}

/// A provider in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProviderSummary {
    #[schemars(with = "Ours")]
    name: String,
    #[schemars(with = "Ours")]
    title: String,
    on: bool,
    /// Numbers of calls since the server started; `None` where nothing counts them.
    accepted: Option<u64>,
    ignored: Option<u64>,
    refused: Option<u64>,
    last_call: Option<ShownCall>,
}

/// A provider's call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownCall {
    /// UTC, ISO 8601 with milliseconds.
    #[schemars(with = "Time")]
    at: String,
    /// `accepted`, `ignored` or `refused`.
    #[schemars(with = "Ours")]
    result: String,
    /// A stable name: the effect of an accepted text, or why the call was ignored or refused.
    #[schemars(with = "Ours")]
    reason: String,
}

/// A provider with what to set in its console.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProviderDetails {
    #[serde(flatten)]
    summary: ProviderSummary,
    /// The URL to paste; `None` if it is not known.
    #[schemars(with = "Option<Ours>")]
    url: Option<String>,
    /// The topic that delivers the texts, if they come through one.
    #[schemars(with = "Option<Ours>")]
    topic: Option<String>,
    /// What to do in the provider's console, as numbered lines.
    #[schemars(with = "Ours")]
    steps: String,
    /// The number of secrets; `None` if the provider is off.
    secrets: Option<usize>,
    /// The holder of the private key, if only the provider itself can sign.
    #[schemars(with = "Option<Ours>")]
    sole_signer: Option<String>,
    /// The section of the documentation.
    #[schemars(with = "Ours")]
    docs: String,
    /// Newest first; `None` where nothing remembers them.
    calls: Option<Vec<ShownCall>>,
    /// Where the calls are, if they are not here.
    calls_elsewhere: Option<Sentence>,
}

impl Answer for ProviderDetails {}

impl Item for ProviderSummary {
    const EMPTY: &'static str = "There are no providers";
    const COLUMNS: &'static [&'static str] = &["name", "on", "accepted", "ignored", "refused"];
}

impl From<RecentCall> for ShownCall {
    fn from(call: RecentCall) -> Self {
        Self {
            at: call.at.to_string(),
            result: call.result.name().to_owned(),
            reason: call.result.reason().to_owned(),
        }
    }
}

impl ProviderSummary {
    fn of(spec: &ProviderSpec, on: bool, calls: Option<&CallSummary>) -> Self {
        let last = calls.and_then(|calls| calls.last.first());
        Self {
            name: spec.name.to_owned(),
            title: spec.title.to_owned(),
            on,
            accepted: calls.map(|calls| calls.accepted),
            ignored: calls.map(|calls| calls.ignored),
            refused: calls.map(|calls| calls.refused),
            last_call: last.copied().map(ShownCall::from),
        }
    }
}

impl Request for ListProviders {
    const NAME: &'static str = "list_providers";
    type Answer = List<ProviderSummary>;

    async fn execute(self, admin: &Admin) -> Result<Self::Answer, AdminError> {
        let settings = ReadSettings::of(admin).await?;
        let known = SPECS.iter().filter(|spec| settings.store.has(spec));
        let items = known.map(|spec| {
            let secrets = settings.secrets(spec)?;
            let calls = admin.calls(spec);
            Ok(ProviderSummary::of(spec, secrets.is_some(), calls.as_ref()))
        });
        let items = items.collect::<Result<Vec<_>, AdminError>>()?;
        Ok(items.into())
    }
}

impl Request for ShowProvider {
    const NAME: &'static str = "show_provider";
    type Answer = ProviderDetails;

    async fn execute(self, admin: &Admin) -> Result<ProviderDetails, AdminError> {
        let spec = self.provider.0;
        let settings = ReadSettings::of(admin).await?;
        let secrets = settings.secrets(spec)?;
        let calls = admin.calls(spec);
        let hint = format!(
            "TOKEN (`{} provider show {}` prints it)",
            settings.store.command(),
            spec.name
        );
        let has_token = settings.file.token(spec).is_some();
        let shown = Shown {
            spec,
            secrets,
            public_url: settings.public_url.as_deref(),
            topic: settings.store.topic(&settings.file, spec),
            token: has_token.then_some(hint.as_str()),
            command: "",
        };
        Ok(ProviderDetails {
            summary: ProviderSummary::of(spec, secrets.is_some(), calls.as_ref()),
            url: shown.url(),
            topic: shown
                .topic
                .filter(|_| !spec.has_settings())
                .map(str::to_owned),
            steps: shown.flowing_steps(),
            secrets,
            sole_signer: spec.sole_signer.map(str::to_owned),
            docs: format!("docs/providers.md#{}", spec.anchor),
            calls: calls.map(|calls| calls.last.into_iter().map(ShownCall::from).collect()),
            calls_elsewhere: settings.calls_elsewhere(admin),
        })
    }
}

/// The settings of providers as they are stored now.
struct ReadSettings {
    store: SettingsStore,
    file: SettingsFile,
    /// The URL from the settings, or the server's or the deployment's.
    public_url: Option<String>,
}

impl ReadSettings {
    async fn of(admin: &Admin) -> Result<Self, AdminError> {
        let opened = async {
            let store = match &admin.providers {
                ProviderPlace::Data(data) => SettingsStore::Data(data.clone()),
                ProviderPlace::Table(table) => {
                    SettingsStore::Deployment(Box::new(Deployment::find(table).await?))
                }
            };
            let file = store.read().await?;
            Ok((store, file))
        };
        let (store, file) = opened.await.map_err(AdminError::ProviderSettings)?;
        let running = admin.running.as_ref();
        let of_server = || running.map(|running| running.server.url.clone());
        Ok(Self {
            public_url: store.stored_public_url(&file).or_else(of_server),
            store,
            file,
        })
    }

    fn secrets(&self, spec: &ProviderSpec) -> Result<Option<usize>, AdminError> {
        let secrets = self.store.secrets(&self.file, spec);
        secrets.map_err(AdminError::ProviderSettings)
    }

    /// Says where the calls are that this process does not remember.
    fn calls_elsewhere(&self, admin: &Admin) -> Option<Sentence> {
        if admin.running.is_some() {
            return None;
        }
        Some(match self.store {
            SettingsStore::Data(_) => Sentence::new(
                "calls_of_stopped_server",
                "The server is stopped, and only a running one remembers the last calls. They are in its log, too.",
                [],
            ),
            SettingsStore::Deployment(_) => Sentence::new(
                "calls_of_functions",
                "The functions remember no calls. Each is in the log group of the function inbound-sms, with provider, \
                 status and reason; the metrics inbound_refused and inbound_ignored count them.",
                [],
            ),
        })
    }
}

impl Admin {
    /// Returns what the running server remembers of a provider's calls; `None` if no server is running.
    fn calls(&self, spec: &ProviderSpec) -> Option<CallSummary> {
        let running = self.running.as_ref()?;
        Some(running.calls.of(spec.name))
    }
}
