//! The processes that serve callers and providers, and the network to them.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::App;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::quota::Allowance;
use countersign_domain::app::scope::Scope;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::confirmation::transitions::{
    self, CancelOutcome, RedactOutcome, RedeliverOutcome,
};
use countersign_domain::primitives::idempotency::{IdempotencyKey, RequestHash};
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::receive_text::{TextOutcome, receive_text};
use countersign_domain::use_cases::start::{
    IdempotentRequest, Request, StartError, Started, start,
};
use countersign_domain::use_cases::{Ports, Times, wake_dispatcher};
use tokio::sync::oneshot;

use crate::env::{Env, Link};
use crate::oracle::Asked;
use crate::ports::{Connections, ItemsLink, Queue, QueueLink, Watched};

/// Time for which a caller waits for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// The client that callers and providers use to reach us.
#[derive(Clone)]
pub struct Api {
    /// The shared parts of the run.
    pub env: Env,
    /// The processes that serve requests.
    pub processes: Vec<Link>,
    /// The documents.
    pub watched: Arc<Watched>,
    pub queue: Queue,
    /// The open connections of browsers and phones.
    pub connections: Connections,
    /// The app that owns all confirmations and logins, and its API key.
    pub app: Arc<(App, PresentedApiKey)>,
}

/// Serves one request in a process.
pub struct Handler {
    pub(super) link: Link,
    pub(super) store: Arc<Store>,
    pub(super) queue: QueueLink,
    pub(super) connections: Connections,
    pub(super) app: Arc<(App, PresentedApiKey)>,
}

impl Api {
    /// Sends a request to one of the processes and waits for the answer. Returns `None` if no answer
    /// comes; even then, the request may have had its effect.
    pub async fn ask<T, Work, Answering>(&self, work: Work) -> Option<T>
    where
        T: Send + 'static,
        Work: FnOnce(Handler) -> Answering,
        Answering: Future<Output = T> + Send + 'static,
    {
        let sim = &self.env.sim;
        let link = sim.draw(|chance| chance.one_of(&self.processes));
        sim.pass(sim.millis_below(20)).await;
        if self.env.loses_message() {
            self.env.count("fault: request lost");
            return None;
        }
        let (process, (replying, reply)) = (link.process, oneshot::channel());
        let handler = Handler {
            store: ItemsLink {
                link: link.clone(),
                watched: Arc::clone(&self.watched),
            }
            .store(),
            queue: QueueLink {
                link: link.clone(),
                queue: self.queue.clone(),
            },
            link,
            connections: self.connections.clone(),
            app: Arc::clone(&self.app),
        };
        let answering = work(handler);
        sim.spawn(process, async move {
            // The one who asked may have left.
            let _ = replying.send(answering.await);
        });
        let answer = sim.within(sim.now().plus(ANSWER_TIMEOUT), reply).await;
        let answer = answer.and_then(Result::ok);
        if answer.is_some() && self.env.loses_message() {
            self.env.count("fault: answer lost");
            return None;
        }
        answer
    }
}

impl Handler {
    pub(super) fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &self.queue,
            clock: &self.link,
            entropy: &self.link,
            metrics: &self.link,
        }
    }

    /// `POST /acquire-phone-number` or `/make-confirmation`.
    ///
    /// # Errors
    /// Returns the error of the use case, if any.
    pub async fn start(self, asked: Asked, body: u64) -> Result<Started, StartError> {
        let (app, api_key) = &*self.app;
        let key = asked.key.as_deref().map(str::parse::<IdempotencyKey>);
        let idempotency = key.and_then(Result::ok).map(|key| IdempotentRequest {
            api_key,
            key,
            hash: RequestHash::new("/start", &body.to_be_bytes()),
        });
        let request = Request {
            mode: countersign_domain::app::api_key::KeyMode::Live,
            country: None,
            language: None,
            app,
            phone_number: asked.phone_number,
            callback: Some(asked.callback),
            metadata: asked.metadata,
            idempotency,
            client_channel: false,
            allowance: Allowance::Unlimited,
        };
        start(self.ports(), Times::default(), request).await
    }

    /// `POST /inbound-sms/{provider}`.
    ///
    /// # Errors
    /// Returns the error of the use case, if any.
    pub async fn receive(self, message: InboundMessage) -> Result<TextOutcome, Unavailable> {
        let (received, _) = receive_text(self.ports(), None, Times::default(), &message).await?;
        Ok(received)
    }

    /// `GET /confirmations/{id}`.
    ///
    /// # Errors
    /// Returns the error of the store, if any.
    pub async fn look(self, id: ConfirmationId) -> Result<Option<Confirmation>, Unavailable> {
        self.store.find(id, self.link.now()).await
    }

    /// `DELETE /confirmations/{id}`.
    ///
    /// # Errors
    /// Returns the error of the store, if any.
    pub async fn cancel(self, id: ConfirmationId) -> Result<CancelOutcome, Unavailable> {
        let (scope, now) = (Scope::live(&self.app.0.id), self.link.now());
        let decide = |current| transitions::cancel(current, scope, now);
        self.store.change(id, decide).await
    }

    /// `POST /confirmations/{id}/redact`.
    ///
    /// # Errors
    /// Returns the error of the store, if any.
    pub async fn redact(self, id: ConfirmationId) -> Result<RedactOutcome, Unavailable> {
        let (scope, now) = (Scope::live(&self.app.0.id), self.link.now());
        self.store.redact(id, scope, now).await
    }

    /// `POST /confirmations/{id}/redeliver`.
    ///
    /// # Errors
    /// Returns the error of the store, if any.
    pub async fn redeliver(self, id: ConfirmationId) -> Result<RedeliverOutcome, Unavailable> {
        let (scope, now) = (Scope::live(&self.app.0.id), self.link.now());
        let retention = Times::default().retention;
        let decide = |current| transitions::redeliver(current, scope, now, retention);
        let outcome = self.store.change(id, decide).await?;
        if let RedeliverOutcome::Pending { pointer, .. } = outcome {
            wake_dispatcher(self.ports(), pointer, Duration::ZERO).await;
        }
        Ok(outcome)
    }
}
