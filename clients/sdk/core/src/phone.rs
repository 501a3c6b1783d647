//! One login on this phone: its requests, and its stored answer.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, DenyReason, MobileToken, UNSCANNED_TTL};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::error::{AnswerFault, SdkError};
use crate::ports::Platform;
use crate::ports::http::{Header, Request};
use crate::secret::DeviceSecret;
use crate::stored_answer::{Answers, StoredAnswer};
use crate::wire::Wire;

/// Maximum correction of the phone's wall clock by a service.
const MAX_CORRECTION: Duration = Duration::from_hours(24);

/// The configuration and the platform of an app.
pub(crate) struct PhoneParts {
    pub(crate) configuration: Configuration,
    pub(crate) platform: Platform,
}

/// A login on this phone.
pub(crate) struct Phone {
    pub(crate) parts: Arc<PhoneParts>,
    pub(crate) app: AppKey,
    pub(crate) id: LoginId,
    /// The user id that the phone sends.
    pub(crate) user: Option<ClaimedUserId>,
    token: MobileToken,
}

impl Phone {
    pub(crate) fn new(
        parts: Arc<PhoneParts>,
        app: AppKey,
        id: LoginId,
        user: Option<ClaimedUserId>,
    ) -> Result<Self, SdkError> {
        let Platform {
            secrets, entropy, ..
        } = &parts.platform;
        let secret = DeviceSecret::load(secrets.as_ref(), entropy.as_ref())?;
        let token = secret.token(parts.configuration.service(), &app, id)?;
        Ok(Self {
            parts,
            app,
            id,
            user,
            token,
        })
    }

    pub(crate) fn answers(&self) -> Answers<'_> {
        let PhoneParts {
            configuration,
            platform,
        } = &*self.parts;
        let store = platform.answers.as_ref();
        Answers::new(store, configuration.service(), &self.app, self.id)
    }

    /// Returns whether a time is plausible, at most a day from the phone's clock; otherwise a service
    /// could obtain proofs that are valid at a time of its choice.
    pub(crate) fn believes(&self, time: Timestamp) -> bool {
        let own = self.parts.platform.wall_clock.now();
        own.since(time).max(time.since(own)) <= MAX_CORRECTION
    }

    pub(crate) fn since_boot(&self) -> Duration {
        (self.parts.platform.since_boot)()
    }

    /// Opens the login, and returns the service's answer.
    pub(crate) async fn initiate(&self) -> Result<Value, SdkError> {
        let mut body = match &self.user {
            Some(user) => json!({ "publicUserId": user.as_str() }),
            None => json!({}),
        };
        if self.parts.configuration.returns() {
            body["canReturn"] = true.into();
        }
        let mut request = self.request("initiate", body.to_string());
        let app = Header::new("x-app-key", self.app.as_str());
        request.headers.push(app);
        // An unopened code does not live longer.
        let deadline = self.since_boot() + UNSCANNED_TTL;
        self.wire().post(&request, deadline, &|| Ok(())).await
    }

    /// Reports to the service that the id does not match its answer, so that the browser need not
    /// wait.
    pub(crate) async fn report_mismatch(&self) -> Result<(), SdkError> {
        let reason = DenyReason::KeyMismatch.into_str();
        let body = json!({ "payload": "", "reason": reason });
        let request = self.request("deny", body.to_string());
        let deadline = self.since_boot() + UNSCANNED_TTL;
        granted(&self.wire().post(&request, deadline, &|| Ok(())).await?)
    }

    /// Sends the stored answer until a deadline in time since boot. If the service refuses an answer
    /// permanently, the answer is removed from the store.
    pub(crate) async fn send(
        &self,
        answer: &StoredAnswer,
        deadline: Duration,
    ) -> Result<(), SdkError> {
        let request = self.request(answer.decision.route(), answer.body.clone());
        // A denial may replace a confirmation whose request is in flight.
        let still_stands = || match self.answers().load()? {
            Some(other) if other.decision != answer.decision => Err(SdkError::AlreadyAnswered {
                decision: other.decision,
                return_url: other.return_url,
            }),
            _ => Ok(()),
        };
        let sent = self.wire().post(&request, deadline, &still_stands).await;
        let sent = sent.and_then(|value| granted(&value));
        if sent.as_ref().is_err_and(SdkError::is_refusal) {
            // If this fails, the answer is sent again, and refused again.
            let _ = self.answers().forget(answer);
        }
        sent
    }

    fn wire(&self) -> Wire<'_> {
        Wire {
            platform: &self.parts.platform,
            retries: self.parts.configuration.retries(),
        }
    }

    fn request(&self, route: &str, body: String) -> Request {
        let configuration = &self.parts.configuration;
        let bearer = format!("Bearer {}", self.token.reveal());
        let mut headers = vec![
            Header::new("authorization", bearer),
            Header::new("content-type", "application/json"),
        ];
        let languages = configuration.accept_language();
        headers.extend(languages.map(|languages| Header::new("accept-language", languages)));
        Request {
            url: format!(
                "{}/qr-sessions/{}/{route}",
                configuration.service(),
                self.id
            ),
            headers,
            body: body.into_bytes(),
        }
    }
}

/// Checks that the answer to a decision is `true`.
fn granted(answer: &Value) -> Result<(), SdkError> {
    if *answer == Value::Bool(true) {
        Ok(())
    } else {
        Err(SdkError::MalformedAnswer(AnswerFault::NotTrue))
    }
}
