//! A confirmation as its owner sees it: the answer of several routes.

use axum::Json;
use axum::response::{IntoResponse as _, Response};
use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use countersign_domain::confirmation::{Confirmation, Flow, State, Status, TextChannel};
use countersign_domain::delivery::{
    Attempt, AttemptResult, Delivery, FailureReason, Progress, Refusal,
};
use countersign_domain::primitives::canonical_json::CanonicalObject;
use countersign_domain::primitives::phone::{NumberType, PhoneNumber};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use http::StatusCode;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::middleware::log::LogFields;
use crate::problem::{Problem, ProblemCode};
use crate::schema::words::words;

words! {
    /// The status of a confirmation.
    ConfirmationStatus(Status)
}

words! {
    /// Why a text with the code did not complete the confirmation. `wrong_sender`: the text came from another number, a
    /// name or a short code. `number_hidden`: the text came without its sender's number, from a user who hides it on
    /// WhatsApp, or over a network that does not verify numbers, such as RCS or Messenger. `late`: the text came at or
    /// after `expiresAt`. `wrong_recipient`: the text was sent to a number that no app uses, or on WhatsApp to a
    /// different number from the one in `confirmationUri.whatsapp`. `number_type_refused`: the text came from a number
    /// of a type that the app refuses.
    LastMissReason(MissReason)
}

words! {
    /// Why an attempt got no answer. `signing_failed` is an error of the service; the others
    /// concern the receiver, its name or its network. `address_refused` concerns the URL itself and
    /// is final; `dns_address_refused` concerns an address that the host name resolved to, and is
    /// retried. `receiver_down`: nothing was sent, because the receiver had just let other attempts
    /// time out.
    AttemptFailure(FailureReason)
}

/// Whether the number is learned from the text or known in advance.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ConfirmationFlow {
    Acquisition,
    Confirmation,
}

/// The status of a delivery.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
}

/// The outcome of an attempt, which succeeded if the receiver answered 2xx.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum AttemptOutcome {
    Succeeded,
    Failed,
}

/// A confirmation as its owner sees it. Times are UTC, ISO 8601 with milliseconds.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Confirmation)]
pub(crate) struct ConfirmationDetails<'a> {
    /// The id of the confirmation.
    #[schema(
        pattern = "^cfm_[0-9a-f]{32}$",
        examples("cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    confirmation_id: String,
    /// The status of the confirmation.
    status: ConfirmationStatus,
    /// Whether the number is learned from the text or known in advance.
    flow: ConfirmationFlow,
    /// The number to send the text to.
    #[schema(examples("+12025550199"))]
    send_to: &'a str,
    /// Where the webhook is sent. Empty if the OpenID provider started the confirmation, which has no webhook.
    #[schema(examples("https://example.com/webhooks/countersign"))]
    callback_url: &'a str,
    /// When the confirmation was started.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    created_at: String,
    /// When the confirmation expires, or would have expired.
    #[schema(format = DateTime, examples("2026-01-02T03:09:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over. Use this if your clock may be wrong.
    #[schema(examples(240))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:05.678Z"))]
    server_time: String,
    /// `true` if a test key started it: no text from a phone completes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    test: bool,
    /// The metadata that the caller sent, in canonical form. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CanonicalObject, required = false)]
    metadata: Option<Box<RawValue>>,
    /// The number to confirm, or the number that was verified, in E.164. Absent while the number is
    /// unknown, and once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("+12025550100"))]
    phone_number: Option<&'a str>,
    /// The result. Present once the confirmation is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    result: Option<ConfirmationResult<'a>>,
    /// The first text with the code that did not complete the confirmation; later ones are not
    /// recorded. Present only while the status is `open` or `expired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    last_miss: Option<LastMissDetails>,
    /// The first number that sent the code after another number had completed the confirmation: somebody shared or
    /// stole the code. It had no effect. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    second_sender: Option<SecondSenderDetails<'a>>,
    /// When the owner cancelled the confirmation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    cancelled_at: Option<String>,
    /// When numbers and metadata were erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    redacted_at: Option<String>,
    /// The delivery of the webhook. Present once a confirmation with a webhook is verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    delivery: Option<DeliveryDetails>,
}

/// The result of a verified confirmation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ConfirmationResult<'a> {
    /// The sender of the text, in E.164. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("+12025550100"))]
    phone_number: Option<&'a str>,
    /// The sender's carrier; empty if unknown. Absent once redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("Example Wireless"))]
    carrier: Option<&'a str>,
    /// When the text was received.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    timestamp: String,
    /// The channel over which the text came. Absent if the text came before the service recorded
    /// this.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = TextChannel, required = false)]
    channel: Option<TextChannel>,
    /// The provider that delivered the text, as in its route. Absent if `channel` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("twilio"))]
    provider: Option<&'a str>,
    /// The type of the sender's number. Absent if the numbering plan does not specify it, and once
    /// redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = NumberType, required = false)]
    number_type: Option<NumberType>,
}

/// A number that sent the code of a confirmation already completed by another number.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SecondSender)]
struct SecondSenderDetails<'a> {
    /// The number, in E.164.
    #[schema(examples("+12025550101"))]
    phone_number: &'a str,
    /// When its text was received.
    #[schema(format = DateTime, examples("2026-01-02T03:05:31.900Z"))]
    at: String,
}

/// A text with the code that did not complete the confirmation.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LastMiss)]
struct LastMissDetails {
    /// Why the text did not complete the confirmation.
    reason: LastMissReason,
    /// When the text was received.
    #[schema(format = DateTime, examples("2026-01-02T03:04:31.900Z"))]
    at: String,
}

/// The delivery of a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Delivery)]
struct DeliveryDetails {
    /// The header `webhook-id` of every attempt.
    #[schema(examples("msg_5f0c8a41f2d94e6b7a13c0de9b81d2a4"))]
    webhook_id: String,
    /// The status of the delivery.
    status: DeliveryStatus,
    /// When the next attempt is made. Present while the delivery is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    next_attempt_at: Option<String>,
    /// The latest attempts, oldest first; thirty at most.
    attempts: Vec<AttemptDetails>,
}

/// One attempt to deliver a webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeliveryAttempt)]
struct AttemptDetails {
    /// The number of the attempt; 1 for the first.
    #[schema(examples(1))]
    number: u32,
    /// When the attempt began.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.255Z"))]
    at: String,
    /// The duration of the attempt, in milliseconds.
    #[schema(examples(84))]
    duration_ms: u64,
    /// The outcome of the attempt.
    outcome: AttemptOutcome,
    /// The HTTP status of the receiver's answer. Absent if the receiver did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(204))]
    status: Option<u16>,
    /// Why the receiver did not answer. Absent if the receiver answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AttemptFailure, required = false)]
    failure: Option<AttemptFailure>,
    /// The beginning of the receiver's answer, up to a kilobyte. Present only for the latest attempt, if the receiver
    /// refused it with a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("unknown confirmation"))]
    answer: Option<String>,
}

/// Builds the answer that shows a confirmation to its owner.
pub(super) fn answer(status: StatusCode, item: &Confirmation, now: Timestamp) -> Response {
    let details = match details(item, now) {
        Ok(details) => details,
        Err(error) => return Problem::ours(ProblemCode::InternalError, error).into_response(),
    };
    let mut response = (status, Json(details)).into_response();
    response.extensions_mut().insert(LogFields {
        app: Some(item.app.clone()),
        confirmation: Some(item.id),
        ..LogFields::default()
    });
    response
}

pub(super) fn details(
    item: &Confirmation,
    now: Timestamp,
) -> Result<ConfirmationDetails<'_>, serde_json::Error> {
    let verified = item.verified();
    let (flow, expected) = match &item.flow {
        Flow::Acquisition => (ConfirmationFlow::Acquisition, None),
        Flow::Confirmation { expected } => (ConfirmationFlow::Confirmation, expected.present()),
    };
    let sender = verified.and_then(|verified| verified.phone_number.present());
    let metadata = item.metadata.present();
    Ok(ConfirmationDetails {
        confirmation_id: item.id.to_string(),
        status: ConfirmationStatus(item.status(now)),
        flow,
        send_to: item.send_to.as_str(),
        callback_url: item.callback.as_ref().map_or("", CallbackUrl::as_str),
        created_at: item.created_at.to_string(),
        expires_at: item.expires_at.to_string(),
        expires_in: item.expires_at.since(now).as_secs(),
        server_time: now.to_string(),
        test: item.test,
        metadata: metadata
            .map(|metadata| RawValue::from_string(metadata.as_str().to_owned()))
            .transpose()?,
        phone_number: sender.or(expected).map(PhoneNumber::as_str),
        result: verified.map(|verified| ConfirmationResult {
            phone_number: sender.map(PhoneNumber::as_str),
            carrier: sender.map(|_| verified.carrier.name()),
            timestamp: verified.at.to_string(),
            channel: verified.origin.as_ref().map(|origin| origin.channel),
            provider: verified
                .origin
                .as_ref()
                .map(|origin| origin.provider.as_str()),
            number_type: sender.and_then(PhoneNumber::number_type),
        }),
        last_miss: item.last_miss().map(last_miss),
        second_sender: verified
            .and_then(|verified| verified.second_sender.as_ref())
            .map(|second| SecondSenderDetails {
                phone_number: second.phone_number.as_str(),
                at: second.at.to_string(),
            }),
        cancelled_at: match &item.state {
            State::Cancelled { at } => Some(at.to_string()),
            State::Open { .. } | State::Verified(_) => None,
        },
        redacted_at: item.redacted_at.map(|at| at.to_string()),
        delivery: verified
            .and_then(|verified| verified.delivery.as_ref())
            .map(|it| delivery(item, it)),
    })
}

fn last_miss(miss: LastMiss) -> LastMissDetails {
    LastMissDetails {
        reason: LastMissReason(miss.reason()),
        at: miss.at().to_string(),
    }
}

fn delivery(item: &Confirmation, delivery: &Delivery) -> DeliveryDetails {
    let (status, next_attempt_at) = match delivery.progress {
        Progress::Pending {
            next_attempt_at, ..
        } => (DeliveryStatus::Pending, Some(next_attempt_at.to_string())),
        Progress::Delivered { .. } => (DeliveryStatus::Delivered, None),
        Progress::Failed { .. } => (DeliveryStatus::Failed, None),
    };
    DeliveryDetails {
        webhook_id: item.webhook_id().as_str().to_owned(),
        status,
        next_attempt_at,
        attempts: delivery
            .attempts
            .iter()
            .map(|made| attempt(made, delivery.refusal.as_ref()))
            .collect(),
    }
}

fn attempt(attempt: &Attempt, refusal: Option<&Refusal>) -> AttemptDetails {
    let (status, failure) = match attempt.result {
        AttemptResult::Answered(status) => (Some(status), None),
        AttemptResult::NoAnswer(reason) => (None, Some(AttemptFailure(reason))),
    };
    let outcome = if attempt.result.is_success() {
        AttemptOutcome::Succeeded
    } else {
        AttemptOutcome::Failed
    };
    AttemptDetails {
        number: attempt.number,
        at: attempt.at.to_string(),
        duration_ms: u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX),
        outcome,
        status,
        failure,
        answer: refusal
            .filter(|refusal| refusal.attempt == attempt.number)
            .map(|refusal| refusal.body.clone()),
    }
}
