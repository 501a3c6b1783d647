//! A server that logs browsers in by Countersign's proofs, in Rust, with axum and jsonwebtoken.
//!
//! ```sh
//! APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json \
//!     cargo run -p countersign-sample-receiver --bin login
//! ```
//!
//! `../README.md` lists the rules that it follows, and `../../logins.md` explains them.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "its output is what it is for"
)]

mod verifier;

use std::collections::HashSet;
use std::env;
use std::error::Error;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::StatusCode;
use axum::http::header::ORIGIN;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde::Deserialize;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::time::timeout;

use verifier::{Refused, Verifier};

const MAX_BODY: usize = 64 * 1024;
const INCOMING_TIMEOUT: Duration = Duration::from_secs(10);

/// A response that ends the handling of a request.
#[derive(Debug, Error)]
enum Refusal {
    /// No user is logged in. Only the log gets the reason.
    #[error("{0}")]
    NotLoggedIn(#[from] Refused),
    /// The body is not what the page sends.
    #[error("not a login")]
    NotALogin,
    /// The body is too large or incomplete.
    #[error("body not read")]
    BodyNotRead(StatusCode),
    /// The body took too long to arrive.
    #[error("body too slow")]
    TooSlow,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        eprintln!("refused: {self}");
        let status = match self {
            Self::NotLoggedIn(_) => {
                return (StatusCode::FORBIDDEN, "not logged in").into_response();
            }
            Self::NotALogin => StatusCode::BAD_REQUEST,
            Self::BodyNotRead(status) => status,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
        };
        (status, self.to_string()).into_response()
    }
}

/// Data of the event `confirmed`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Detail {
    session_id: String,
    payload: String,
    salt: String,
    proof: String,
}

/// The sessions that have logged a user in. In a real service this is a table, so that it survives a
/// restart and all processes share it: `take` is `INSERT ... ON CONFLICT DO NOTHING`, and true if it
/// wrote a row. Delete rows after ten minutes, when every proof of the session has expired.
#[derive(Default)]
struct UsedSessions(Mutex<HashSet<String>>);

impl UsedSessions {
    fn take(&self, session_id: &str) -> bool {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ids.insert(session_id.to_owned())
    }
}

struct Server {
    verifier: Verifier,
    used: UsedSessions,
}

/// Replace this with what your service does to log a user in.
fn on_login(user: &str) {
    println!("logged in {user}");
}

async fn login(
    State(server): State<Arc<Server>>,
    request: Request,
) -> Result<&'static str, Refusal> {
    // Otherwise another site could log its visitors in here.
    let origin = request.headers().get(ORIGIN);
    if origin.is_none_or(|origin| origin != server.verifier.origin()) {
        return Err(Refused("the request comes from another page").into());
    }
    let body = match timeout(INCOMING_TIMEOUT, Bytes::from_request(request, &())).await {
        Ok(Ok(body)) => body,
        Ok(Err(rejection)) => return Err(Refusal::BodyNotRead(rejection.status())),
        Err(_) => return Err(Refusal::TooSlow),
    };
    let detail: Detail = serde_json::from_slice(&body).map_err(|_| Refusal::NotALogin)?;
    let user = server.verifier.verify(&detail)?;
    // Last, so that a refused proof does not use up the session.
    if !server.used.take(&detail.session_id) {
        return Err(Refused("the session was used before").into());
    }
    on_login(user);
    Ok("logged in")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let setting = |name| env::var(name).map_err(|_| format!("set {name}"));
    let keys = setting("KEYS").unwrap_or_else(|_| "keys.json".to_owned());
    let keys = verifier::read_keys(&fs::read_to_string(keys)?)?;
    let server = Server {
        verifier: Verifier::new(setting("APP_KEY")?, setting("ORIGIN")?, keys),
        used: UsedSessions::default(),
    };
    let port: u16 = setting("PORT")
        .unwrap_or_else(|_| "4001".to_owned())
        .parse()?;
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}", listener.local_addr()?);
    let router = Router::new()
        .route("/login", post(login))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(Arc::new(server));
    axum::serve(listener, router).await?;
    Ok(())
}
