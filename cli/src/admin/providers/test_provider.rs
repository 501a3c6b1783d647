//! The trial of a provider in the console.

use serde::{Deserialize, Serialize};

use super::{KnownProvider, ReadSettings, trial};
use crate::admin::request::{Answer, Offer, Request};
use crate::admin::sentence::Sentence;
use crate::admin::{Admin, AdminError};
use crate::failure::Failure;

/// Sends a signed text to the service, as the provider would.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestProvider {
    provider: KnownProvider,
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TrialResult {
    accepted: bool,
    /// The HTTP status; `None` without an answer.
    status: Option<u16>,
    #[serde(flatten)]
    said: Sentence,
}

impl Answer for TrialResult {
    fn is_success(&self) -> bool {
        self.accepted
    }
}

impl Request for TestProvider {
    const NAME: &'static str = "test_provider";
    const OFFER: Offer = Offer::ToChange;
    const REACHES_OUT: bool = true;
    type Answer = TrialResult;

    async fn execute(self, admin: &Admin) -> Result<TrialResult, AdminError> {
        let spec = self.provider.0;
        let settings = ReadSettings::of(admin).await?;
        let server = match (&settings.public_url, admin.running()) {
            (Some(url), _) => url.clone(),
            (None, Ok(running)) => running.server.nearby_url.clone(),
            (None, Err(not_running)) => return Err(not_running),
        };
        let unsigned = || AdminError::Provider(Failure::new(trial::unsigned(spec.name)));
        if !spec.has_settings() {
            return Err(unsigned());
        }
        let all = settings.store.load(&settings.file, Some(&server));
        let all = all.map_err(AdminError::ProviderSettings)?;
        let provider = all.get(spec.name).ok_or_else(|| {
            let add = format!("{} provider add {}", settings.store.command(), spec.name);
            AdminError::Provider(Failure::new(format!("{} is off: `{add}`", spec.name)))
        })?;
        let sent = trial::send(provider, spec, &server, admin.clock.now()).await;
        Ok(match sent.ok_or_else(unsigned)? {
            Ok(trial) if trial.is_accepted() => TrialResult {
                accepted: true,
                status: Some(trial.status.as_u16()),
                said: Sentence::new(
                    "trial_accepted",
                    "{url} took the signed text ({status}). Only a real text from a phone shows that {title} has this \
                     {secret} and this URL.",
                    [
                        ("url", &trial.url),
                        ("status", &trial.status),
                        ("title", &spec.title),
                        ("secret", &spec.secrets.label),
                    ],
                ),
            },
            Ok(trial) => TrialResult {
                accepted: false,
                status: Some(trial.status.as_u16()),
                said: Sentence::said(
                    trial.refusal_code(),
                    format!("{} answered {}{}.", trial.url, trial.status, trial.cause()),
                    [("url", &trial.url), ("status", &trial.status)],
                ),
            },
            Err(failure) => TrialResult {
                accepted: false,
                status: None,
                said: Sentence::new(
                    "trial_unanswered",
                    "{server} did not answer this machine ({failure}). {title} cannot reach it either, unless only \
                     this machine cannot.",
                    [
                        ("server", &server),
                        ("failure", &failure),
                        ("title", &spec.title),
                    ],
                ),
            },
        })
    }
}
