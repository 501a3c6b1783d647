//! Phone numbers, proven by a text that the user sends.

use std::fmt;
use std::future::{Future, IntoFuture};

use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::BoxStream;
use http::Method;

use crate::call::{Call, limit_setters};
use crate::callback::{Once, call_if_given, once};
use crate::error::{BoxError, Error};
use crate::identity;
use crate::inner::Inner;
use crate::lists::{List, ListConfirmations};
use crate::request::{Repeat, Request, path_of, read, text_member};
use crate::retry::Limits;
use crate::store::{self, WEBHOOK_TTL};
use crate::types::{
    AcquireRequest, ConfirmRequest, Confirmation, ConfirmationPage, ConfirmationSession,
};

const LIST: List = List {
    path: "confirmations",
    member: "confirmations",
    item: "confirmation",
};

/// API calls for phone numbers.
#[derive(Clone, Copy)]
pub struct Confirmations<'a>(pub(crate) &'a Inner);

impl<'a> Confirmations<'a> {
    /// Starts a confirmation that accepts the first sender of the text and determines that number.
    ///
    /// Show `confirmation_message` to one user only.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a request is made for one call"
    )]
    pub fn acquire(self, request: AcquireRequest) -> StartConfirmation<'a> {
        let wants_client = request.client_channel == Some(true);
        let request =
            path_of(&["acquire-phone-number"]).and_then(|path| Request::post(path, &request));
        StartConfirmation::new(self.0, request, wants_client)
    }

    /// Starts a confirmation of a known number. Only a text from this number is accepted.
    ///
    /// Store and compare the answer's `phone_number`: it is in E.164, as in the webhook.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a request is made for one call"
    )]
    pub fn confirm(self, request: ConfirmRequest) -> StartConfirmation<'a> {
        let wants_client = request.start.client_channel == Some(true);
        let request =
            path_of(&["make-confirmation"]).and_then(|path| Request::post(path, &request));
        StartConfirmation::new(self.0, request, wants_client)
    }

    /// Reads a confirmation.
    pub fn get(self, id: &str) -> Call<'a, Confirmation> {
        self.one(Method::GET, &["confirmations", id], Repeat::Safe)
    }

    /// Cancels an open confirmation. Fails with a problem such as `confirmation_verified` if it is
    /// not open.
    pub fn cancel(self, id: &str) -> Call<'a, Confirmation> {
        self.one(Method::DELETE, &["confirmations", id], Repeat::Safe)
    }

    /// Erases the numbers and the metadata of a confirmation.
    pub fn redact(self, id: &str) -> Call<'a, Confirmation> {
        self.one(Method::POST, &["confirmations", id, "redact"], Repeat::Safe)
    }

    /// Sends the webhook of a verified confirmation again. Your handler answers `already accepted` if it has already
    /// acted on it.
    pub fn redeliver(self, id: &str) -> Call<'a, Confirmation> {
        self.one(
            Method::POST,
            &["confirmations", id, "redeliver"],
            Repeat::IfRefused,
        )
    }

    /// Returns one page, with the start of the next one in `next_cursor`.
    pub fn page(self, query: ListConfirmations) -> Call<'a, ConfirmationPage> {
        Call::new(self.0.limits(), move |limits| async move {
            let page = LIST.page(self.0, query.members(), limits).await?;
            Ok(ConfirmationPage {
                confirmations: page.items,
                next_cursor: page.next_cursor,
            })
        })
    }

    /// Returns all confirmations that match, page by page.
    #[must_use]
    pub fn list(self, query: ListConfirmations) -> BoxStream<'a, Result<Confirmation, Error>> {
        LIST.all(self.0, query.members())
    }

    fn one(self, method: Method, parts: &[&str], repeat: Repeat) -> Call<'a, Confirmation> {
        let path = path_of(parts);
        Call::new(self.0.limits(), move |limits| async move {
            let mut request = Request::new(method, path?);
            request.repeat = repeat;
            read(self.0.service.call(request, limits).await?, "confirmation")
        })
    }
}

impl fmt::Debug for Confirmations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Confirmations")
    }
}

/// A confirmation to start. The request is sent when this is awaited.
#[must_use = "a confirmation is started when this is awaited"]
pub struct StartConfirmation<'a> {
    client: &'a Inner,
    request: Result<Request, Error>,
    wants_client: bool,
    idempotency_key: Option<String>,
    on_started: Option<Once<'a, ConfirmationSession>>,
    limits: Limits,
}

impl<'a> StartConfirmation<'a> {
    fn new(client: &'a Inner, request: Result<Request, Error>, wants_client: bool) -> Self {
        Self {
            client,
            request,
            wants_client,
            idempotency_key: None,
            on_started: None,
            limits: client.limits(),
        }
    }

    /// Writes your record of the answer's `confirmation_id`, before the call returns and before a webhook about it
    /// is accepted; with a store in SQL, in the same transaction as the store's own writes.
    ///
    /// It is not called for a repeated answer. If it fails, the call fails too: show nothing then.
    pub fn on_started<E, F>(
        mut self,
        write: impl FnOnce(ConfirmationSession) -> F + Send + 'a,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'a,
        E: Into<BoxError>,
    {
        self.on_started = Some(once(write));
        self
    }

    /// Sets the idempotency key, by which the service recognizes repetitions. By default each call has a random
    /// one, which all its attempts share.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    limit_setters!("The client's by default.");

    async fn start(self) -> Result<ConfirmationSession, Error> {
        let key = match self.idempotency_key {
            Some(key) => key,
            None => identity::base64url(identity::random::<16>()?),
        };
        let request = self.request?.header("idempotency-key", &key)?;
        let answer = self.client.service.call(request, self.limits).await?;
        let id = text_member(&answer, "confirmationId")?.to_owned();
        let started: ConfirmationSession = read(answer, "confirmation")?;
        if self.wants_client && started.client.is_none() {
            return Err(Error::lacking("client"));
        }
        let act = call_if_given(self.on_started, started.clone());
        store::remember(&*self.client.store, &id, WEBHOOK_TTL, act).await?;
        Ok(started)
    }
}

impl<'a> IntoFuture for StartConfirmation<'a> {
    type Output = Result<ConfirmationSession, Error>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.start().boxed()
    }
}

impl fmt::Debug for StartConfirmation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartConfirmation")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
