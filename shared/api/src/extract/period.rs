//! The query of a list request: the period and the number of items.

use std::borrow::Cow;
use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use countersign_domain::app::App;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{Cursor, PageStart, Period};
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::problem::{Problem, ProblemCode};

/// Problems of a list's query.
pub(crate) const PROBLEMS: &[ProblemCode] = &[ProblemCode::QueryMalformed];

/// Time by which the clocks of other machines may be ahead.
const MAX_CLOCK_LEAD: Duration = Duration::from_hours(1);

/// Number of items on a page.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 100;

/// The query of a list. Omitted parameters do not narrow the list.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct PeriodQuery {
    /// Lists only items that were started at or after this time. UTC, ISO 8601.
    #[param(format = DateTime, nullable = false)]
    created_from: Option<String>,
    /// Lists only items that were started before this time. UTC, ISO 8601.
    #[param(format = DateTime, nullable = false)]
    created_before: Option<String>,
    /// The maximum number of items, from 1 to 100; 20 by default.
    #[param(minimum = 1, maximum = 100, nullable = false, value_type = Option<u32>)]
    limit: Option<String>,
}

impl PeriodQuery {
    /// Returns the period in which the listed items were started. The period ends at `cursor`, which is the
    /// `nextCursor` of a list of the same kind.
    pub(crate) fn period(
        &self,
        cursor: Option<&str>,
        kind: DeliveryKind,
        now: Timestamp,
    ) -> Result<Period, Problem> {
        let before = match (cursor, &self.created_before) {
            (Some(text), _) => {
                let cursor = text.parse().ok();
                let cursor = cursor.filter(|cursor: &Cursor| cursor.kind() == kind);
                let wrong = || malformed("Send nextCursor of the page before as cursor.");
                cursor.ok_or_else(wrong)?.into()
            }
            (None, Some(text)) => PageStart::Time(time(text, "createdBefore")?),
            // The start time of an item from another machine may be slightly in the future.
            (None, None) => PageStart::Time(now.plus(MAX_CLOCK_LEAD)),
        };
        let from = self.created_from.as_deref();
        let from = from.map(|text| time(text, "createdFrom")).transpose()?;
        let from = from.unwrap_or(Timestamp::from_millis(0));
        Ok(Period { from, before })
    }

    pub(crate) fn limit(&self) -> Result<usize, Problem> {
        let Some(text) = &self.limit else {
            return Ok(DEFAULT_LIMIT);
        };
        let limit = text.parse().ok();
        limit
            .filter(|limit| (1..=MAX_LIMIT).contains(limit))
            .ok_or_else(|| malformed("Send a number from 1 to 100 as limit."))
    }
}

/// A query, or a part of one. Each parameter may occur once.
pub(crate) struct QueryOf<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        let query = query.map_err(|_| malformed("Send each parameter once, percent-encoded."));
        query.map(|Query(query)| Self(query))
    }
}

pub(crate) fn malformed(detail: impl Into<Cow<'static, str>>) -> Problem {
    Problem::new(ProblemCode::QueryMalformed).detail(detail)
}

fn time(text: &str, name: &str) -> Result<Timestamp, Problem> {
    text.parse().map_err(|_| {
        malformed(format!(
            "Send a time in UTC as {name}, such as 2026-01-02T03:04:05Z."
        ))
    })
}

/// Logs that a page omits documents that could not be read. The caller gets the remaining ones.
pub(crate) fn log_left_out(app: &App, left_out: usize) {
    if left_out > 0 {
        tracing::error!(app = %app.id, left_out, "left out of a list what cannot be read");
    }
}
