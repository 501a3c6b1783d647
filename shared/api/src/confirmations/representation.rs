use axum::Json;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::confirmation::{Confirmation, Flow, State};
use countersign_domain::delivery::{Attempt, AttemptResult, Progress};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::frame::Noted;
use crate::openapi::{
    AttemptFailure, AttemptOutcome, ConfirmationFlow, ConfirmationStatus, DeliveryStatus,
};
use crate::problem::{Problem, ProblemCode};

/// A confirmation as its owner sees it. Times are UTC, ISO 8601 with milliseconds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Confirmation)]
pub(crate) struct ConfirmationDetails<'a> {
    /// Identifier of the session.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    /// Where it stands.
    #[schema(value_type = ConfirmationStatus)]
    status: &'static str,
    /// Whether the number is to be learnt or is known.
    #[schema(value_type = ConfirmationFlow)]
    flow: &'static str,
    /// The number that the text goes to.
    #[schema(examples("+12025550199"))]
    send_to: &'a str,
    /// Where the webhook goes.
    #[schema(examples("https://example.com/webhooks/countersign"))]
    callback_url: &'a str,
    /// When the session was started.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    created_at: String,
    /// When it ends, or would have ended.
    #[schema(format = DateTime, examples("2026-01-02T03:09:05.678Z"))]
    expires_at: String,
    /// What the caller sent, in canonical form. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, required = false, examples(json!({"orderId": "17"})))]
    metadata: Option<Box<RawValue>>,
    /// The number, in E.164: the one to be confirmed, or the one that was verified. Absent while
    /// it is not known, and once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("+12025550100"))]
    phone_number: Option<&'a str>,
    /// What the text showed. There once it is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    result: Option<Outcome<'a>>,
    /// When the owner ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    cancelled_at: Option<String>,
    /// When numbers and metadata were erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    redacted_at: Option<String>,
    /// The webhook, there once the session is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    delivery: Option<DeliveryDetails>,
}

/// What the text showed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConfirmationResult)]
struct Outcome<'a> {
    /// The sender of the text, in E.164. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("+12025550100"))]
    phone_number: Option<&'a str>,
    /// The sender's carrier; empty where nobody said. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("Example Wireless"))]
    carrier: Option<&'a str>,
    /// When the text was taken.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    timestamp: String,
}

/// The webhook and the attempts to deliver it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
struct DeliveryDetails {
    /// Header `webhook-id` of every attempt.
    #[schema(examples("msg_5f0c8a41f2d94e6b7a13c0de9b81d2a4"))]
    webhook_id: String,
    /// Where it stands.
    #[schema(value_type = DeliveryStatus)]
    status: &'static str,
    /// When the next attempt is made. There while it is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    next_attempt_at: Option<String>,
    /// The latest attempts, oldest first, thirty at most.
    attempts: Vec<AttemptDetails>,
}

/// One attempt to deliver a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryAttempt)]
struct AttemptDetails {
    /// 1 for the first.
    #[schema(examples(1))]
    number: u32,
    /// When it began.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.255Z"))]
    at: String,
    /// How long it took, in milliseconds.
    #[schema(examples(84))]
    duration_ms: u64,
    /// How it ended.
    #[schema(value_type = AttemptOutcome)]
    outcome: &'static str,
    /// The HTTP status that the receiver answered, where it answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(204))]
    status: Option<u16>,
    /// Why no answer came, where none came.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AttemptFailure, required = false)]
    failure: Option<&'static str>,
}

/// A confirmation as the answer to a request of its owner's.
pub(super) fn answer(status: StatusCode, item: &Confirmation, now: Timestamp) -> Response {
    let details = match details(item, now) {
        Ok(details) => details,
        Err(error) => return Problem::ours(ProblemCode::InternalError, error).into_response(),
    };
    let mut response = (status, Json(details)).into_response();
    response.extensions_mut().insert(Noted {
        app: Some(item.app.clone()),
        confirmation: Some(item.id),
        ..Noted::default()
    });
    response
}

fn details(
    item: &Confirmation,
    now: Timestamp,
) -> Result<ConfirmationDetails<'_>, serde_json::Error> {
    let verified = item.verified();
    let (flow, expected) = match &item.flow {
        Flow::Acquisition => ("acquisition", None),
        Flow::Confirmation { expected } => ("confirmation", expected.present()),
    };
    let sender = verified.and_then(|verified| verified.phone_number.present());
    let metadata = item.metadata.present();
    Ok(ConfirmationDetails {
        confirmation_id: item.id.to_string(),
        status: item.status(now).as_str(),
        flow,
        send_to: item.send_to.as_str(),
        callback_url: item.callback.as_str(),
        created_at: item.created_at.to_string(),
        expires_at: item.expires_at.to_string(),
        metadata: metadata
            .map(|metadata| RawValue::from_string(metadata.as_str().to_owned()))
            .transpose()?,
        phone_number: sender.or(expected).map(PhoneNumber::as_str),
        result: verified.map(|verified| Outcome {
            phone_number: sender.map(PhoneNumber::as_str),
            carrier: sender.map(|_| verified.carrier.as_str()),
            timestamp: verified.at.to_string(),
        }),
        cancelled_at: match &item.state {
            State::Cancelled { at } => Some(at.to_string()),
            State::Open | State::Verified(_) => None,
        },
        redacted_at: item.redacted_at.map(|at| at.to_string()),
        delivery: verified.map(|verified| delivery(item, &verified.delivery)),
    })
}

fn delivery(
    item: &Confirmation,
    delivery: &countersign_domain::delivery::Delivery,
) -> DeliveryDetails {
    let (status, next_attempt_at) = match delivery.progress {
        Progress::Pending {
            next_attempt_at, ..
        } => ("pending", Some(next_attempt_at.to_string())),
        Progress::Delivered { .. } => ("delivered", None),
        Progress::Failed { .. } => ("failed", None),
    };
    DeliveryDetails {
        webhook_id: item.webhook_id().as_str().to_owned(),
        status,
        next_attempt_at,
        attempts: delivery.attempts.iter().map(attempt).collect(),
    }
}

fn attempt(attempt: &Attempt) -> AttemptDetails {
    let (status, failure) = match attempt.result {
        AttemptResult::Answered(status) => (Some(status), None),
        AttemptResult::NoAnswer(reason) => (None, Some(reason.as_str())),
    };
    let succeeded = attempt.result.is_success();
    AttemptDetails {
        number: attempt.number,
        at: attempt.at.to_string(),
        duration_ms: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
        outcome: if succeeded { "succeeded" } else { "failed" },
        status,
        failure,
    }
}
