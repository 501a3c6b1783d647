//! `GET /confirmations`: the confirmations of an app, newest first.

use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::confirmation::Status;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Before, Cursor, LastDigits, Wanted};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::confirmation::{ConfirmationDetails, ConfirmationStatus, details};
use crate::extract::api_key::{self, Caller};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/confirmations";

/// How far ahead another machine's clock may be.
const FUTURE: Duration = Duration::from_hours(1);

/// Number of confirmations on a page.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

problems![api_key::PROBLEMS, &[ProblemCode::QueryMalformed]];

/// The query of `GET /confirmations`. What is left out narrows nothing.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Their status.
    #[param(value_type = Option<ConfirmationStatus>, nullable = false)]
    status: Option<String>,
    /// The last two to six digits of the number to confirm, or of the one that was verified.
    #[param(pattern = "^[0-9]{2,6}$", nullable = false, example = "0100")]
    last_digits: Option<String>,
    /// The earliest time at which they were started. UTC, ISO 8601.
    #[param(format = DateTime, nullable = false)]
    created_from: Option<String>,
    /// A time before which they were started. UTC, ISO 8601.
    #[param(format = DateTime, nullable = false)]
    created_before: Option<String>,
    /// The largest number of them, from 1 to 100; 20 if it is left out.
    #[param(minimum = 1, maximum = 100, nullable = false, value_type = Option<u32>)]
    limit: Option<String>,
    /// `nextCursor` of the page before, with the same other parameters.
    #[param(nullable = false, pattern = r"^[0-9]{1,15}\.cfm_[0-9a-f]{32}$")]
    cursor: Option<String>,
}

/// A page of confirmations.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationPage {
    /// Newest first. There may be fewer than `limit`, or none, although more follow.
    #[schema(value_type = Vec<ConfirmationDetails>)]
    confirmations: Vec<Box<RawValue>>,
    /// Where the next page begins. Absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(list))
}

/// List confirmations
///
/// Returns the confirmations of the app that fit the query, newest first, as `GET /confirmations/{id}` shows them. What was
/// started in the last seconds may be missing. With a test key, only those that test keys started.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "listConfirmations",
    tag = "confirmations",
    params(ListQuery),
    responses(
        (status = 200, description = "A page of confirmations.", body = ConfirmationPage),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn list(
    State(state): State<ApiState>,
    caller: Caller,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<ConfirmationPage>, Problem> {
    let Query(query) =
        query.map_err(|_| malformed("Send each parameter once, percent-encoded."))?;
    let now = state.clock.now();
    let wanted = wanted(&query, now)?;
    let limit = limit(query.limit.as_deref())?;
    let listed = state
        .store
        .list_started(caller.scope(), &wanted, limit, now);
    let page = listed.await?;
    let shown = page.items.iter().map(|item| {
        let shown = details(item, now).and_then(|shown| serde_json::value::to_raw_value(&shown));
        shown.map_err(|error| Problem::ours(ProblemCode::InternalError, error))
    });
    Ok(Json(ConfirmationPage {
        confirmations: shown.collect::<Result<_, _>>()?,
        next_cursor: page.next.map(|cursor| cursor.to_string()),
    }))
}

fn wanted(query: &ListQuery, now: Timestamp) -> Result<Wanted, Problem> {
    let before = match (&query.cursor, &query.created_before) {
        (Some(cursor), _) => {
            let cursor = cursor.parse::<Cursor>();
            cursor
                .map_err(|_| malformed("Send nextCursor of the page before as cursor."))?
                .into()
        }
        (None, Some(text)) => Before::Time(time(text, "createdBefore")?),
        // One that another machine starts may be a little in the future.
        (None, None) => Before::Time(now.plus(FUTURE)),
    };
    let from = query.created_from.as_deref();
    let from = from.map(|text| time(text, "createdFrom")).transpose()?;
    Ok(Wanted {
        status: query.status.as_deref().map(status).transpose()?,
        last_digits: query.last_digits.as_deref().map(last_digits).transpose()?,
        from: from.unwrap_or(Timestamp::from_millis(0)),
        before,
    })
}

fn status(text: &str) -> Result<Status, Problem> {
    let status = text.parse();
    status.map_err(|_| malformed("Send open, verified, expired or cancelled as status."))
}

fn last_digits(text: &str) -> Result<LastDigits, Problem> {
    let digits = text.parse();
    digits.map_err(|_| malformed("Send two to six digits as lastDigits."))
}

fn time(text: &str, name: &str) -> Result<Timestamp, Problem> {
    text.parse().map_err(|_| {
        malformed(format!(
            "Send a time in UTC as {name}, such as 2026-01-02T03:04:05Z."
        ))
    })
}

fn limit(text: Option<&str>) -> Result<usize, Problem> {
    let Some(text) = text else {
        return Ok(DEFAULT_LIMIT);
    };
    let limit = text.parse().ok();
    limit
        .filter(|limit| (1..=MAX_LIMIT).contains(limit))
        .ok_or_else(|| malformed("Send a number from 1 to 100 as limit."))
}

fn malformed(detail: impl Into<std::borrow::Cow<'static, str>>) -> Problem {
    Problem::new(ProblemCode::QueryMalformed).detail(detail)
}
