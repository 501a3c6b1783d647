//! `show_console`: what the console is for.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::primitives::time::Clock as _;
use countersign_system::clock::SystemClock;
use serde::Serialize;

use super::Console;
use super::refusal::refuse;
use crate::admin::Place;
use crate::admin::request::{Offer, Request};
use crate::admin::requests::{Visitor, visit_all};
use crate::admin::running::ShowServer;
use crate::admin::table;
use crate::admin::target;
use crate::admin::user::User;
use crate::failure::Failure;

/// Facts that the page shows on every screen.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    read_only: bool,
    /// `data` or `table`.
    target: &'static str,
    name: String,
    /// The person whom the audit log names.
    person: String,
    version: &'static str,
    /// True if the running server is in local mode.
    local: bool,
    /// True if a server is running; always for a table.
    running: bool,
    /// The time on this machine. UTC, ISO 8601 with milliseconds.
    now: String,
    /// The names of the requests that this console answers: the page shows nothing that needs others.
    requests: Vec<&'static str>,
}

/// Collects the names of requests.
struct Names<'a> {
    console: &'a Console,
    names: Vec<&'static str>,
}

impl Visitor for Names<'_> {
    fn visit<R: Request>(&mut self) {
        let may = match R::OFFER {
            Offer::ToRead => true,
            Offer::ToChange => !self.console.read_only,
            Offer::Never => false,
        };
        let is_table = matches!(self.console.place, Place::Table(_));
        if may && (R::ON_TABLE || !is_table) {
            self.names.push(R::NAME);
        }
    }
}

/// Returns the names of the requests that a console answers.
fn requests(console: &Console) -> Vec<&'static str> {
    let mut names = Names {
        console,
        names: Vec::new(),
    };
    visit_all(&mut names);
    names.names
}

/// Handles `POST /api/show_console`.
pub(super) async fn show_console(State(console): State<Arc<Console>>) -> Response {
    match facts(&console).await {
        Ok(facts) => Json(facts).into_response(),
        Err(failure) => refuse(StatusCode::SERVICE_UNAVAILABLE, failure.to_string()),
    }
}

async fn facts(console: &Console) -> Result<Facts, Failure> {
    let facts = Facts {
        read_only: console.read_only,
        target: "data",
        name: console.place.to_string(),
        person: String::new(),
        version: env!("CARGO_PKG_VERSION"),
        local: false,
        running: true,
        now: SystemClock.now().to_string(),
        requests: requests(console),
    };
    match &console.place {
        Place::Table(_) => {
            let person = console.operator.get_or_try_init(table::operator).await?;
            Ok(Facts {
                target: "table",
                person: person.clone(),
                ..facts
            })
        }
        Place::Data(_) => {
            let server = target::try_ask(console.place.target(), ShowServer {}).await;
            Ok(Facts {
                person: User::current().to_string(),
                local: server.as_ref().is_ok_and(|server| server.local),
                running: server.is_ok(),
                ..facts
            })
        }
    }
}
