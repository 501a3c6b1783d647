//! The playground: a page at `/` on which a person goes through the whole flow and sees what their
//! user, their phone and their server would see.
//!
//! It is a caller like any other: it makes sessions through the public API with the demo app's
//! key, receives webhooks at a callback of its own, and sends texts to the generic provider's route
//! with the signature that a provider makes. The page in the browser holds neither the API key nor
//! the inbound secret, only a token for each session that it began. Local mode alone.

mod assets;
mod events;
mod headers;
mod in_process;
mod origin;
mod qr;
mod receiver;
mod routes;
mod sessions;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use countersign_api::{Problem, ProblemCode};
use countersign_domain::api_key::PresentedApiKey;
use countersign_domain::ports::{Clock, Entropy};
use countersign_inbound::generic::InboundSecret;
use tokio::sync::{Semaphore, watch};

use in_process::InProcess;
use sessions::Sessions;

/// How many sessions the playground keeps in memory; the oldest makes room for a new one.
const MOST_SESSIONS: usize = 100;

/// How many pages may watch at once.
const MOST_WATCHERS: usize = 32;

/// What the playground is made of.
pub(crate) struct Playground {
    /// The public API, as the outside sees it.
    pub(crate) api: Router,
    /// The app on whose behalf the page calls.
    pub(crate) demo: Demo,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Chance.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Ends the event streams once it is true or its sender is gone, so that a server that stops
    /// does not wait for pages that watch.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// The demo app, as the playground needs it.
#[derive(Clone, Debug)]
pub(crate) struct Demo {
    /// Where the server is reached, without a slash at the end.
    pub(crate) url: String,
    /// The app's API key.
    pub(crate) api_key: PresentedApiKey,
    /// The secret of the generic provider.
    pub(crate) inbound_secret: InboundSecret,
}

/// What the handlers share.
struct Shared {
    api: InProcess,
    url: Arc<str>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    stopping: watch::Receiver<bool>,
    sessions: Sessions,
    watchers: Arc<Semaphore>,
}

/// The page at `/` and everything under `/playground/`, to be merged into the API's routes and
/// framed with them: its problems are the API's, and so is the bound on bodies.
pub(crate) fn router(playground: Playground) -> Router {
    let Playground {
        api,
        demo,
        clock,
        entropy,
        stopping,
    } = playground;
    let url: Arc<str> = demo.url.as_str().into();
    let shared = Arc::new(Shared {
        api: InProcess::new(api, demo),
        url: Arc::clone(&url),
        clock,
        entropy,
        stopping,
        sessions: Sessions::new(MOST_SESSIONS),
        watchers: Arc::new(Semaphore::new(MOST_WATCHERS)),
    });
    routes::router(shared, url)
        .merge(assets::router())
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
        .layer(axum::middleware::map_response(headers::harden))
}
