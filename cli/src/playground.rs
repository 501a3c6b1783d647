//! The playground: a page at `/` that walks through both flows and shows what the user, their phone
//! and the app's server see.
//!
//! The playground is an ordinary API caller. It starts confirmations through the public API with
//! the demo app's key, receives webhooks at its own callback, sends texts to the generic provider's
//! route with that provider's signature, and opens logins as any phone does. The page in the
//! browser never holds the API key, the inbound secret or a phone's token, only a separate token
//! for each confirmation and each phone that it started. It exists in local mode only.

mod assets;
mod body;
mod confirmations;
mod events;
mod in_process;
mod landing;
mod latest;
mod origin;
mod phone_platform;
mod phones;
mod qr;
mod receiver;
mod routes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::{Router, middleware};
use countersign_api::{Problem, ProblemCode};
use countersign_domain::app::AppKey;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_proof::AssociationPrivateKey;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use confirmations::Confirmation;
use in_process::InProcess;
use latest::LatestItems;
use origin::OwnServer;
use phone_platform::OneKey;
use phones::OpenedPhone;

use crate::own_pages::headers::{self, Hardening};
use crate::server_address::LocalNames;

/// Maximum number of confirmations in memory; beyond it, a new one evicts the oldest.
const MAX_CONFIRMATIONS: usize = 100;

/// Maximum number of phones in memory; beyond it, a new one evicts the oldest.
const MAX_PHONES: usize = 100;

/// Maximum number of pages that watch concurrently.
const MAX_WATCHERS: usize = 32;

/// The parts of the playground.
pub(crate) struct Playground {
    /// The hosts whose pages may make changes.
    pub(crate) names: Option<LocalNames>,
    /// The public API, as callers see it.
    pub(crate) api: Router,
    /// The routes for users who open a login's link, served at `/`.
    pub(crate) landing: Router,
    /// The full URL of the WebSocket that notifies browsers of changes to a login.
    pub(crate) socket_url: String,
    /// The app on whose behalf the page acts.
    pub(crate) demo: Demo,
    /// Supplies the current time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Generates tokens and keys.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Ends the event streams once it is true or its sender is dropped, so that watching pages do
    /// not delay the server's shutdown.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// The demo app's data that the playground needs.
#[derive(Clone, Debug)]
pub(crate) struct Demo {
    /// The server's URL, without a trailing slash.
    pub(crate) url: String,
    /// The server's URL on this machine, which receives the page's webhooks.
    pub(crate) nearby_url: String,
    /// The app's API key.
    pub(crate) api_key: PresentedApiKey,
    /// The app's public key.
    pub(crate) app_key: AppKey,
    /// The beginning of a command line for the server's data, for users to copy.
    pub(crate) command: String,
    /// The secret of the generic provider.
    pub(crate) inbound_secret: WebhookSecret,
}

/// State shared by the handlers.
struct Shared {
    api: Arc<InProcess>,
    nearby_url: String,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    stopping: watch::Receiver<bool>,
    confirmations: LatestItems<Confirmation>,
    phones: LatestItems<OpenedPhone>,
    /// The key of every simulated phone, for the server's lifetime.
    association_key: Arc<OneKey>,
    app_key: AppKey,
    command: String,
    watchers: Arc<Semaphore>,
}

impl Shared {
    /// Reserves a slot for a watching page.
    fn watcher(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.watchers)
            .try_acquire_owned()
            .map_err(|_| Problem::new(ProblemCode::ServiceUnavailable))
    }
}

/// Routes of the page at `/` and of everything under `/playground/`. Merge the router into the
/// API's routes before adding the middleware, so that problems and the body limit are the API's.
pub(crate) fn router(playground: Playground) -> Router {
    let Playground {
        names,
        api,
        landing,
        socket_url,
        demo,
        clock,
        entropy,
        stopping,
    } = playground;
    let url: Arc<str> = demo.url.as_str().into();
    let shared = Arc::new(Shared {
        association_key: Arc::new(OneKey(AssociationPrivateKey::generate(entropy.as_ref()))),
        app_key: demo.app_key.clone(),
        command: demo.command.clone(),
        nearby_url: demo.nearby_url.clone(),
        api: Arc::new(InProcess::new(api, demo)),
        clock,
        entropy,
        stopping,
        confirmations: LatestItems::new(MAX_CONFIRMATIONS),
        phones: LatestItems::new(MAX_PHONES),
        watchers: Arc::new(Semaphore::new(MAX_WATCHERS)),
    });
    routes::router(shared, Arc::new(OwnServer { url, names }))
        .merge(assets::router())
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
        .layer(middleware::map_response_with_state(
            Hardening::with_socket(&socket_url),
            headers::harden,
        ))
        .layer(middleware::from_fn_with_state(landing, landing::instead))
}
