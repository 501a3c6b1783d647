//! Answers webhooks.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use super::{Refusal, Reply, callback_error, check, reply};
use crate::approvals::ApprovalResult;
use crate::callback::{Callback, callback, shared};
use crate::client::Countersign;
use crate::error::{BoxError, Error, RecordMissing, WebhookReason};
use crate::inner::Inner;
use crate::proof::KnownKey;
use crate::store::{self, Acceptance, login_webhook_id};
use crate::types::{LoginWebhook, PhoneRegistered, VerifiedNumber};
use crate::webhooks::{Event, Headers, Webhooks};

/// The service waits ten seconds for the answer to a webhook, which may require two requests.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(4);

/// Answers webhooks. Clones share the callbacks.
#[derive(Clone)]
pub struct WebhookHandler {
    client: Arc<Inner>,
    on_verified: Option<Callback<VerifiedNumber>>,
    on_login: Option<Callback<LoginWebhook>>,
    on_approval: Option<Callback<ApprovalResult>>,
    on_phone_registered: Option<Callback<PhoneRegistered>>,
    find_key: Option<Callback<String, Option<KnownKey>>>,
}

/// Callbacks of a handler; at least one `on_…` is required.
///
/// If a callback fails, the answer is 500, and the service sends the webhook again. Return [`RecordMissing`] if you
/// have no record of the webhook's subject: once a callback has succeeded, the webhook is not sent again.
#[must_use = "`build` returns the handler"]
pub struct WebhookHandlerBuilder(WebhookHandler);

impl WebhookHandler {
    /// Returns a builder.
    pub fn builder(client: &Countersign) -> WebhookHandlerBuilder {
        WebhookHandlerBuilder(Self {
            client: Arc::clone(&client.inner),
            on_verified: None,
            on_login: None,
            on_approval: None,
            on_phone_registered: None,
            find_key: None,
        })
    }

    /// Answers a request. `headers` are pairs of name and value, such as `&http::HeaderMap`.
    pub async fn answer<N: AsRef<str>, V: AsRef<[u8]>>(
        &self,
        method: impl AsRef<str>,
        headers: impl IntoIterator<Item = (N, V)>,
        body: &[u8],
    ) -> Reply {
        let headers = Headers::new(headers);
        let method = method.as_ref().to_owned();
        match self.accept(&method, &headers, body).await {
            Ok(text) => reply(StatusCode::OK, text),
            Err(refusal) => refusal.reply(),
        }
    }

    async fn accept(
        &self,
        method: &str,
        headers: &Headers,
        body: &[u8],
    ) -> Result<&'static str, Refusal> {
        check(method, headers, body)?;
        let event = Webhooks(&self.client).verify_named(body, headers).await;
        let event = event.map_err(|error| match error {
            Error::Webhook(refused) if refused.reason == WebhookReason::NotAnEvent => {
                not_a_confirmation()
            }
            Error::Webhook(refused) => {
                let reason = refused.reason.as_str().to_owned();
                Refusal::because(StatusCode::FORBIDDEN, "signature refused", reason)
            }
            error => error.into(),
        })?;
        let accepted = match event {
            Event::VerifiedNumber(number) => self.accept_number(number).await,
            Event::Login(login) => self.accept_login(login).await,
            Event::PhoneRegistered(phone) => self.accept_phone(phone).await,
        };
        accepted.map_err(|refusal| match &refusal {
            Refusal::Failed(error) => match callback_error::<RecordMissing>(error) {
                Some(missing) => {
                    let reason = missing.to_string();
                    Refusal::because(StatusCode::SERVICE_UNAVAILABLE, "record missing", reason)
                }
                None => refusal,
            },
            _ => refusal,
        })
    }

    async fn accept_number(&self, number: VerifiedNumber) -> Result<&'static str, Refusal> {
        let on_verified = self.on_verified.as_ref().ok_or_else(not_a_confirmation)?;
        let id = number.confirmation_id.clone();
        // Only the store calls the callback: the record may be unknown, or the callback may already have
        // run.
        let acceptance = store::accept(&*self.client.store, &id, async {
            on_verified(number).await
        })
        .await?;
        let unknown = || Refusal::new(StatusCode::NOT_FOUND, "unknown confirmation");
        answer_of(acceptance).ok_or_else(unknown)
    }

    async fn accept_phone(&self, phone: PhoneRegistered) -> Result<&'static str, Refusal> {
        let Some(on_phone_registered) = &self.on_phone_registered else {
            // The key is registered, and the app may read that from the service instead.
            return Ok("acknowledged");
        };
        let id = phone.registration_id.clone();
        let acceptance = store::accept(&*self.client.store, &id, async {
            on_phone_registered(phone).await
        })
        .await?;
        let unknown = || Refusal::new(StatusCode::NOT_FOUND, "unknown registration");
        answer_of(acceptance).ok_or_else(unknown)
    }

    /// Accepts a webhook about a login, which may be an approval. `on_login` is not called for
    /// approvals.
    async fn accept_login(&self, login: LoginWebhook) -> Result<&'static str, Refusal> {
        let session_id = login.session_id.clone();
        if let Some(on_login) = &self.on_login {
            let id = login_webhook_id(&session_id);
            let acceptance =
                store::accept(&*self.client.store, &id, async { on_login(login).await }).await?;
            if let Some(answer) = answer_of(acceptance) {
                return Ok(answer);
            }
        }
        match &self.on_approval {
            Some(on_approval) => self.accept_approval(&session_id, on_approval).await,
            None if self.on_login.is_none() => Err(not_a_confirmation()),
            None => Err(Refusal::new(StatusCode::NOT_FOUND, "unknown login")),
        }
    }

    /// Reads an approval from the service, because the webhook does not contain its proof.
    async fn accept_approval(
        &self,
        id: &str,
        on_approval: &Callback<ApprovalResult>,
    ) -> Result<&'static str, Refusal> {
        let timeout = APPROVAL_TIMEOUT.min(self.client.limits().timeout);
        let find_key = self.find_key.as_ref().map(shared);
        let question = crate::approvals::Approvals(&self.client)
            .result(id)
            .timeout(timeout);
        let question = question.callbacks(find_key, Some(shared(on_approval)));
        let result = question
            .read_for_webhook()
            .await
            .map_err(|error| match error {
                Error::UnknownApproval { .. } => {
                    Refusal::new(StatusCode::NOT_FOUND, "unknown approval")
                }
                error @ (Error::Problem(_) | Error::Connection(_)) => {
                    tracing::warn!(target: "countersign", %error, "an approval cannot be read");
                    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "cannot verify just now")
                }
                error => error.into(),
            })?;
        match result {
            ApprovalResult::Pending { id, .. } => {
                let reason = format!("the digits of {id} have yet to be typed");
                Err(Refusal::because(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "not decided yet",
                    reason,
                ))
            }
            ApprovalResult::AlreadyReported { .. } => Ok("already accepted"),
            _ => Ok("accepted"),
        }
    }
}

impl WebhookHandlerBuilder {
    /// Sets the callback for each verified number that this service asked for; it runs once for
    /// each.
    pub fn on_verified<E, F>(
        mut self,
        save: impl Fn(VerifiedNumber) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.0.on_verified = Some(callback(save));
        self
    }

    /// Sets the callback for each decided login that this server opened. Never log a user in because of
    /// this callback.
    pub fn on_login<E, F>(
        mut self,
        save: impl Fn(LoginWebhook) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.0.on_login = Some(callback(save));
        self
    }

    /// Sets the callback for the result of each approval; it runs once, unless a call already
    /// returned the result.
    pub fn on_approval<E, F>(
        mut self,
        save: impl Fn(ApprovalResult) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.0.on_approval = Some(callback(save));
        self
    }

    /// Sets the callback for each phone that was set up with a registration of this server; it runs once for each.
    /// Its key is registered already, so use this to tell the user about the new phone. Without it, such webhooks are
    /// acknowledged.
    pub fn on_phone_registered<E, F>(
        mut self,
        save: impl Fn(PhoneRegistered) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.0.on_phone_registered = Some(callback(save));
        self
    }

    /// Finds the keys of approvals. Without it, the keys registered with the service are used.
    pub fn find_key<E, F>(mut self, find: impl Fn(String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Option<KnownKey>, E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.0.find_key = Some(callback(find));
        self
    }

    /// Builds the handler.
    ///
    /// # Errors
    ///
    /// Fails if the client does not specify how to verify webhooks, if there is no callback, or if a callback's
    /// requirements are missing.
    pub fn build(self) -> Result<WebhookHandler, Error> {
        let handler = self.0;
        handler.client.verification.require()?;
        if handler.on_verified.is_none()
            && handler.on_login.is_none()
            && handler.on_approval.is_none()
            && handler.on_phone_registered.is_none()
        {
            return Err(Error::invalid(
                "the webhook handler needs on_verified, on_login, on_approval or on_phone_registered",
            ));
        }
        if handler.find_key.is_some() && handler.on_approval.is_none() {
            return Err(Error::invalid("find_key is only for on_approval"));
        }
        if handler.on_approval.is_some() {
            handler.client.require_app_key()?;
        }
        Ok(handler)
    }
}

impl fmt::Debug for WebhookHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookHandler")
    }
}

impl fmt::Debug for WebhookHandlerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookHandlerBuilder")
    }
}

fn not_a_confirmation() -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "not a confirmation")
}

fn answer_of(acceptance: Acceptance) -> Option<&'static str> {
    match acceptance {
        Acceptance::Accepted => Some("accepted"),
        Acceptance::Repeated => Some("already accepted"),
        Acceptance::Unknown => None,
    }
}
