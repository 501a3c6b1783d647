//! The requests that browsers, phones and strangers send about logins. The oracle checks each answer.

use std::time::Duration;

use countersign_conformance::chance::Chance;
use countersign_domain::login::{DeviceToken, Refusal, Status};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::watcher::WatcherId;

use super::World;
use crate::logins::{LoginAnswer, LoginRequest};
use crate::oracle::Exchange;
use crate::sim::OUTSIDE;

/// Time after its creation for which clients send requests about a login. The login is stored for
/// longer than that.
pub(super) const ASKED_ABOUT: Duration = Duration::from_mins(9);

/// Sends a request and lets the oracle check the answer. Returns `None` if there was no answer.
pub(super) async fn send(
    world: &World,
    id: LoginId,
    request: &LoginRequest,
) -> Option<LoginAnswer> {
    let (sim, oracle) = (&world.env.sim, &world.env.oracle);
    let asked_at = sim.now();
    oracle.with(|oracle| oracle.login_asked(id, request, asked_at));
    let copy = request.clone();
    let answer = world.api.ask(|handler| handler.serve(id, copy)).await;
    sim.note(OUTSIDE, request.name(), || format!("{id} {answer:?}"));
    let exchange = Exchange {
        asked_at,
        answered_at: sim.now(),
    };
    let answer = answer.filter(|answer| *answer != LoginAnswer::Unavailable);
    oracle.with(|oracle| match &answer {
        Some(answer) => oracle.login_told(id, request, answer, exchange),
        None => oracle.login_unanswered(id, request, asked_at),
    });
    world.env.count(counted(request, answer.as_ref()));
    answer
}

/// Returns the name under which the tally counts an answer.
fn counted(request: &LoginRequest, answer: Option<&LoginAnswer>) -> &'static str {
    match (request, answer) {
        (_, None) => "login: no answer",
        (
            LoginRequest::Create { .. },
            Some(LoginAnswer::Refused(Refusal::WrongStatus(_) | Refusal::Over)),
        ) => "login: created again after its end",
        (LoginRequest::Redeem { .. }, Some(LoginAnswer::Refused(Refusal::Redeemed))) => {
            "login: another receipt"
        }
        (_, Some(LoginAnswer::Refused(Refusal::Unknown))) => "login: not found",
        (_, Some(LoginAnswer::Refused(Refusal::Expired))) => "login: expired",
        (_, Some(LoginAnswer::Refused(Refusal::WrongStatus(_) | Refusal::Over))) => "login: ended",
        (_, Some(LoginAnswer::Taken)) => "login: taken",
        (_, Some(LoginAnswer::Refused(Refusal::Different))) => "login: another body",
        (_, Some(LoginAnswer::Refused(Refusal::SecondPhone))) => "login: second phone",
        (_, Some(LoginAnswer::Refused(Refusal::Forbidden))) => "login: forbidden",
        (_, Some(LoginAnswer::Refused(Refusal::Encrypted | Refusal::Readable))) => {
            "login: unsuitable"
        }
        (_, Some(LoginAnswer::Refused(Refusal::ProofRequired))) => "login: proof required",
        (_, Some(LoginAnswer::Refused(Refusal::ProofInvalid))) => "login: proof invalid",
        (_, Some(LoginAnswer::Refused(Refusal::ProofMismatch))) => "login: proof mismatch",
        (_, Some(LoginAnswer::NotAllowed)) => "login: not allowed",
        (_, Some(LoginAnswer::Payload(_))) => "login: payload",
        (LoginRequest::Status(_), Some(LoginAnswer::Is(status))) => seen(*status),
        (_, Some(_)) => "login: answered",
    }
}

/// Returns the name under which the tally counts a status in an answer to a device.
const fn seen(status: Status) -> &'static str {
    match status {
        Status::Created => "login is created",
        Status::Scanned => "login is scanned",
        Status::Confirmed => "login is confirmed",
        Status::Consumed => "login is consumed",
        Status::Denied => "login is denied",
        Status::Blocked => "login is blocked",
        Status::Expired => "login is expired",
        Status::Cancelled => "login is cancelled",
    }
}

/// Opens a connection and subscribes it to changes of the login.
pub(super) async fn watch(world: &World, id: LoginId, device: &DeviceToken) -> Option<WatcherId> {
    let sim = &world.env.sim;
    let name = format!("connection-{}", sim.draw(Chance::number));
    let watcher = name.parse::<WatcherId>().ok()?;
    // The connection is open before its first message is sent.
    drop(world.api.connections.listen(&watcher));
    let request = LoginRequest::Watch(device.clone(), watcher.clone());
    send(world, id, &request).await?;
    Some(watcher)
}

/// Entropy that was drawn earlier.
pub(super) struct Fixed(pub(super) [u8; 32]);

impl Entropy for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        let length = buffer.len().min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
    }
}
