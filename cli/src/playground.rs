//! The playground: a page at `/` on which a person goes through the whole flow and sees what their
//! user, their phone and their server would see.
//!
//! It is a caller like any other: it makes sessions through the public API with the demo app's
//! key, receives webhooks at a callback of its own, and sends texts to the generic provider's route
//! with the signature that a provider makes, and its phone opens logins as anybody's would. The page
//! in the browser holds neither the API key nor the inbound secret nor a phone's token, only a token
//! of its own for each session and each phone that it began. Local mode alone.

mod assets;
mod body;
mod events;
mod headers;
mod in_process;
mod landing;
mod latest;
mod origin;
mod phones;
mod qr;
mod receiver;
mod routes;
mod sessions;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::{Router, middleware};
use countersign_api::{Problem, ProblemCode};
use countersign_domain::app::AppKey;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::Clock;
use countersign_inbound::generic::InboundSecret;
use tokio::sync::{Semaphore, watch};

use headers::Hardening;
use in_process::InProcess;
use latest::Latest;
use phones::OpenedPhone;
use sessions::Session;

/// How many sessions the playground keeps in memory; the oldest makes room for a new one.
const MAX_SESSIONS: usize = 100;

/// How many phones that opened a login; the oldest makes room for a new one.
const MAX_PHONES: usize = 100;

/// How many pages may watch at once.
const MAX_WATCHERS: usize = 32;

/// What the playground is made of.
pub(crate) struct Playground {
    /// The public API, as the outside sees it.
    pub(crate) api: Router,
    /// What stands at `/` for people who open a login's link.
    pub(crate) landing: Router,
    /// Where browsers listen for changes of a login: a whole URL.
    pub(crate) socket_url: String,
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
    /// The app's app key, which is public.
    pub(crate) app_key: AppKey,
    /// How this command is called for the server's data, for people to copy.
    pub(crate) command: String,
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
    sessions: Latest<Session>,
    phones: Latest<OpenedPhone>,
    app_key: AppKey,
    command: String,
    watchers: Arc<Semaphore>,
}

/// The page at `/` and everything under `/playground/`, to be merged into the API's routes and
/// framed with them: its problems are the API's, and so is the bound on bodies.
pub(crate) fn router(playground: Playground) -> Router {
    let Playground {
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
        app_key: demo.app_key.clone(),
        command: demo.command.clone(),
        api: InProcess::new(api, demo),
        url: Arc::clone(&url),
        clock,
        entropy,
        stopping,
        sessions: Latest::new(MAX_SESSIONS),
        phones: Latest::new(MAX_PHONES),
        watchers: Arc::new(Semaphore::new(MAX_WATCHERS)),
    });
    routes::router(shared, url)
        .merge(assets::router())
        .method_not_allowed_fallback(async || Problem::new(ProblemCode::MethodNotAllowed))
        .layer(middleware::map_response_with_state(
            Hardening::with_socket(&socket_url),
            headers::harden,
        ))
        .layer(middleware::from_fn_with_state(landing, landing::instead))
}
