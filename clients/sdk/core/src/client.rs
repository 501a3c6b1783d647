//! The SDK's operations for an app.

use std::sync::Arc;

use countersign_domain::app::AppKey;
use countersign_domain::login::{ClaimedUserId, LoginLink};
use countersign_domain::primitives::ids::{LoginId, LoginKind};

use crate::configuration::Configuration;
use crate::error::{AnswerFault, InvalidLinkReason, SdkError};
use crate::key_ring::KeyRing;
use crate::opened::OpenedLogin;
use crate::phone::{Phone, PhoneParts};
use crate::ports::Platform;
use crate::session::Session;
use crate::stored_answer::StoredAnswer;

/// The SDK for one app. Clones share all state.
#[derive(Clone)]
pub struct Client(Arc<PhoneParts>);

impl Client {
    /// Creates the SDK for an app on a platform. This neither reads nor sends anything yet.
    #[must_use]
    pub fn new(configuration: Configuration, platform: Platform) -> Self {
        Self(Arc::new(PhoneParts {
            configuration,
            platform,
        }))
    }

    /// Returns the phone's association keys.
    #[must_use]
    pub fn keys(&self) -> KeyRing {
        KeyRing::new(self.0.platform.keys.clone())
    }

    /// Returns the session id in a scanned or opened link: the first `sessionId` of its query.
    ///
    /// The link must be `https://HOST?sessionId=ID`, with or without a slash before the query, and the host
    /// must be one of the configured ones: case is ignored, and the port must match. If the host is
    /// `localhost`, `127.0.0.1` or `[::1]`, the link begins with `http://` instead. Other parameters and a
    /// fragment are ignored.
    ///
    /// # Errors
    ///
    /// Fails with [`SdkError::InvalidLink`] and the reason. If the reason is
    /// [`InvalidLinkReason::SessionIdMissing`], the app should log it and open nothing.
    pub fn session_id(&self, link: &str) -> Result<String, SdkError> {
        let parsed = link.parse::<LoginLink>();
        let parsed = parsed.map_err(|error| SdkError::InvalidLink(error.into()))?;
        if !self.0.configuration.is_link_host(&parsed.host) {
            return Err(SdkError::InvalidLink(InvalidLinkReason::HostNotAllowed));
        }
        Ok(parsed.id.to_string())
    }

    /// Opens a login, and checks that its id matches the service's answer.
    ///
    /// Opening it again, after a failure or in another process, continues the same login. If this phone
    /// has stored an answer to it, that answer is sent again instead, and the user is not asked again:
    /// the function then fails with [`SdkError::AlreadyAnswered`].
    ///
    /// `public_user_id` identifies the user; `None` and [`ANON`](crate::ANON) mean an unknown user.
    ///
    /// # Errors
    ///
    /// Fails if an argument is malformed, if the service does not answer, if it refuses, or if the
    /// login must not be shown: [`SdkError::KeyMismatch`], [`SdkError::PlainRefused`],
    /// [`SdkError::ContextUnsupported`].
    pub async fn initialize_qr_session(
        &self,
        app_key: &str,
        session_id: &str,
        public_user_id: Option<&str>,
    ) -> Result<Session, SdkError> {
        let phone = self.phone(app_key, session_id, public_user_id)?;
        if let Some(former) = phone.answers().load()? {
            finish(&phone, &former).await?;
        }
        let answer = phone.initiate().await?;
        let opened_at = phone.since_boot();
        let opened = OpenedLogin::read(answer, phone.id, &phone.app);
        if let Err(SdkError::KeyMismatch(_)) = opened {
            // The service may be the one that cheats, so its response is ignored.
            let _ = phone.report_mismatch().await;
        }
        let opened = opened?;
        if !phone.believes(opened.server_time) {
            return Err(SdkError::MalformedAnswer(AnswerFault::WrongTime));
        }
        // Answers that could not be removed are removed the next time.
        let _ = phone.answers().purge(opened.server_time);
        if opened.context.is_some() && !self.0.configuration.shows_context() {
            return Err(SdkError::ContextUnsupported);
        }
        Ok(Session::new(phone, opened, opened_at))
    }

    fn phone(
        &self,
        app_key: &str,
        session_id: &str,
        public_user_id: Option<&str>,
    ) -> Result<Phone, SdkError> {
        let app = app_key.parse::<AppKey>();
        let app = app.map_err(|_| SdkError::InvalidAppKey)?;
        let id = session_id.parse::<LoginId>();
        let id = id.map_err(|_| SdkError::InvalidSessionId)?;
        let user = public_user_id.map(str::parse::<ClaimedUserId>).transpose();
        let user = user.map_err(|_| SdkError::InvalidPublicUserId)?;
        let user = user.filter(|user| !user.is_anonymous());
        if id.kind() == LoginKind::Plain && !self.0.configuration.accepts_plain() {
            return Err(SdkError::PlainRefused);
        }
        Phone::new(Arc::clone(&self.0), app, id, user)
    }
}

/// Sends the answer stored by an earlier call. Returns normally if the service refused the answer
/// and the login is still undecided.
async fn finish(phone: &Phone, former: &StoredAnswer) -> Result<(), SdkError> {
    let deadline = phone.since_boot() + countersign_domain::login::UNSCANNED_TTL;
    match phone.send(former, deadline).await {
        Ok(()) => Err(SdkError::AlreadyAnswered {
            decision: former.decision,
            return_url: former.return_url.clone(),
        }),
        Err(error) if error.is_refusal() && !error.ends_login() => Ok(()),
        Err(error) => Err(error),
    }
}
