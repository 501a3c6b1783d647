//! `GET /qr-sessions`: the logins of an app, newest first.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::Status;
use countersign_domain::use_cases::logins::InspectedLogin;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::create::PATH;
use super::show::SessionState;
use super::show::server::InspectedBody;
use crate::extract::api_key::{self, Caller};
use crate::extract::period::{self, PeriodQuery, QueryOf, log_left_out, malformed};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::{ApiState, LIST_PROBLEMS};

problems![api_key::PROBLEMS, period::PROBLEMS, LIST_PROBLEMS];

/// The query of `GET /qr-sessions`. Omitted parameters do not narrow the list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// The status of the logins.
    #[param(value_type = Option<SessionState>, nullable = false)]
    state: Option<String>,
    /// `nextCursor` of the previous page, with the same other parameters.
    #[param(nullable = false, pattern = r"^[0-9]{1,15}\.qr[sp]_[0-9a-f]{32}$")]
    cursor: Option<String>,
}

/// A page of logins.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionPage {
    /// Newest first. There may be fewer than `limit`, or none, even if more follow.
    #[schema(value_type = Vec<InspectedBody>)]
    sessions: Vec<Box<RawValue>>,
    /// The cursor of the next page. Absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Returns the route, which may be served by a different function from the other login routes.
pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(list))
}

/// List logins
///
/// Returns the logins of the app that fit the query, newest first, as `GET /qr-sessions/{id}` shows them to the app's
/// server. A login is kept for about 15 minutes, or about 25 minutes if it has a context, and longer only while its
/// webhook is pending. With a test key, only tests. Logins of the last seconds may be missing.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "listSessions",
    tag = "logins",
    params(ListQuery, PeriodQuery),
    responses(
        (status = 200, description = "A page of logins.", body = SessionPage),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn list(
    State(state): State<ApiState>,
    caller: Caller,
    QueryOf(query): QueryOf<ListQuery>,
    QueryOf(period): QueryOf<PeriodQuery>,
) -> Result<Json<SessionPage>, Problem> {
    let (now, cursor) = (state.clock.now(), query.cursor.as_deref());
    let status = query.state.as_deref().map(status).transpose()?;
    let (limit, period) = (
        period.limit()?,
        period.period(cursor, DeliveryKind::Logins, now)?,
    );
    let permit = state.begin_list(&caller.app, now)?;
    let mode = caller.key.mode();
    let listed = state
        .store
        .list_logins(&permit, mode, status, period, limit, now);
    let page = listed.await?;
    log_left_out(&caller.app, page.left_out);
    let shown = page.items.into_iter().map(|login| {
        let login = InspectedLogin {
            status: login.status(now),
            login,
            server_time: now,
        };
        let shown = serde_json::value::to_raw_value(&InspectedBody::new(&login));
        shown.map_err(|error| Problem::ours(ProblemCode::InternalError, error))
    });
    Ok(Json(SessionPage {
        sessions: shown.collect::<Result<_, _>>()?,
        next_cursor: page.next.map(|cursor| cursor.to_string()),
    }))
}

fn status(text: &str) -> Result<Status, Problem> {
    let status = text.parse();
    status.map_err(|_| malformed("Send a state of a login as state, such as confirmed."))
}
