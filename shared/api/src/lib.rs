//! The HTTP API: routers built on the ports.
//!
//! [`router`] serves the whole API, and [`functions`] has a router for each deployed function. A
//! host that adds its own routes merges them into [`routes`] and wraps everything in
//! [`with_middleware`]. [`socket`] is the protocol of the WebSocket that a host serves.
//!
//! Every error answer is a [`Problem`] (RFC 9457); `docs/problems.md` lists them. A request is checked
//! in this order: path (404), method (405), key and token (401), body (413, 415, 400), fields (422),
//! and then by the use case; the limits per address and per app (429) come last.

mod extract;
pub mod functions;
mod header;
mod middleware;
pub mod openapi;
pub mod problem;
mod rate_limit;
mod routes;
mod schema;
mod service;
pub mod socket;
mod state;
pub mod viewer;
mod webhooks;

pub use extract::body::{MAX_BODY, MAX_DRAINED};
pub use middleware::cors::let_page_read;
pub use middleware::problem_response;
pub use middleware::request_id::RequestId;
pub use middleware::{Unreadable, with_middleware, with_middleware_of};
pub use problem::paragraphs::paragraph as problem_paragraph;
pub use problem::{Causes, Problem, ProblemCode};
pub use rate_limit::RateLimits;
pub use routes::app_links::landing_routes;
pub use service::{router, routes};
pub use state::ApiState;
pub use state::parts::{
    ApiParts, ClientChannel, ConfirmSubscription, InboundParts, Logins, OpenIdParts, ProviderSource,
};
