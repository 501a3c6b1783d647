//! `GET /confirmations`: the confirmations of an app, newest first.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::confirmation::Status;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::store::{ConfirmationFilter, LastDigits};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::confirmation::{ConfirmationDetails, ConfirmationStatus, details};
use crate::extract::api_key::{self, Caller};
use crate::extract::period::{self, PeriodQuery, QueryOf, log_left_out, malformed};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::{ApiState, LIST_PROBLEMS};

const PATH: &str = "/confirmations";

problems![api_key::PROBLEMS, period::PROBLEMS, LIST_PROBLEMS];

/// The query of `GET /confirmations`. Omitted parameters do not narrow the list.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// The status of the confirmations.
    #[param(value_type = Option<ConfirmationStatus>, nullable = false)]
    status: Option<String>,
    /// The last two to six digits of the number to confirm, or of the verified number.
    #[param(pattern = "^[0-9]{2,6}$", nullable = false, example = "0100")]
    last_digits: Option<String>,
    /// `nextCursor` of the previous page, with the same other parameters.
    #[param(nullable = false, pattern = r"^[0-9]{1,15}\.cfm_[0-9a-f]{32}$")]
    cursor: Option<String>,
}

/// A page of confirmations.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationPage {
    /// Newest first. There may be fewer than `limit`, or none, even if more follow.
    #[schema(value_type = Vec<ConfirmationDetails>)]
    confirmations: Vec<Box<RawValue>>,
    /// The cursor of the next page. Absent after the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

pub(crate) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(list))
}

/// List confirmations
///
/// Returns the confirmations of the app that fit the query, newest first, as `GET /confirmations/{id}` shows them.
/// Confirmations of the last seconds may be missing. With a test key, only tests.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "listConfirmations",
    tag = "confirmations",
    params(ListQuery, PeriodQuery),
    responses(
        (status = 200, description = "A page of confirmations.", body = ConfirmationPage),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn list(
    State(state): State<ApiState>,
    caller: Caller,
    QueryOf(query): QueryOf<ListQuery>,
    QueryOf(period): QueryOf<PeriodQuery>,
) -> Result<Json<ConfirmationPage>, Problem> {
    let (now, cursor) = (state.clock.now(), query.cursor.as_deref());
    let wanted = ConfirmationFilter {
        status: query.status.as_deref().map(status).transpose()?,
        last_digits: query.last_digits.as_deref().map(last_digits).transpose()?,
        period: period.period(cursor, DeliveryKind::Confirmations, now)?,
    };
    let limit = period.limit()?;
    let permit = state.begin_list(&caller.app, now)?;
    let listed = state
        .store
        .list_confirmations(&permit, caller.key.mode(), &wanted, limit, now);
    let page = listed.await?;
    log_left_out(&caller.app, page.left_out);
    let shown = page.items.iter().map(|item| {
        let shown = details(item, now).and_then(|shown| serde_json::value::to_raw_value(&shown));
        shown.map_err(|error| Problem::ours(ProblemCode::InternalError, error))
    });
    Ok(Json(ConfirmationPage {
        confirmations: shown.collect::<Result<_, _>>()?,
        next_cursor: page.next.map(|cursor| cursor.to_string()),
    }))
}

fn status(text: &str) -> Result<Status, Problem> {
    let status = text.parse();
    status.map_err(|_| malformed("Send open, verified, expired or cancelled as status."))
}

fn last_digits(text: &str) -> Result<LastDigits, Problem> {
    let digits = text.parse();
    digits.map_err(|_| malformed("Send two to six digits as lastDigits."))
}
