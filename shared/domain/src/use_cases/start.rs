//! Starting a session: `POST /acquire-phone-number` and `POST /make-confirmation`.

use thiserror::Error;

use super::Times;
use crate::app::App;
use crate::app::api_key::PresentedApiKey;
use crate::app::code::Code;
use crate::app::quota::{Allowance, QuotaExceeded, QuotaLimit};
use crate::app::senders::Recipient;
use crate::confirmation::store::ConfirmationStore;
use crate::confirmation::transitions::CreateOutcome;
use crate::confirmation::uri::ConfirmationUri;
use crate::confirmation::{Confirmation, Flow, Idempotency, Redactable, State};
use crate::event::{Event, Metrics};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::entropy::Entropy;
use crate::primitives::idempotency::{IdempotencyKey, RequestHash, WINDOW};
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::{Clock, Timestamp};
use crate::primitives::unavailable::Unavailable;
use crate::web::callback_url::CallbackUrl;

/// What starting needs.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where sessions are kept.
    pub store: &'a dyn ConfirmationStore,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Chance.
    pub entropy: &'a dyn Entropy,
    /// What is counted.
    pub metrics: &'a dyn Metrics,
}

/// A request to start a session.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Whose session it will be.
    pub app: &'a App,
    /// The flow: `None` acquires a number, `Some` confirms that one.
    pub phone_number: Option<PhoneNumber>,
    /// Where the webhook goes; the app's default where the request names none.
    pub callback: Option<CallbackUrl>,
    /// What the caller wants back.
    pub metadata: CanonicalObject,
    /// Present where the request had an `Idempotency-Key`.
    pub idempotency: Option<IdempotentRequest<'a>>,
    /// What the app may begin.
    pub allowance: Allowance,
}

/// What an idempotent request is known by.
#[derive(Clone, Debug)]
pub struct IdempotentRequest<'a> {
    /// The API key that was presented: its secret makes the code.
    pub api_key: &'a PresentedApiKey,
    /// The header's value.
    pub key: IdempotencyKey,
    /// Route and body.
    pub hash: RequestHash,
}

/// A started session, as the caller sees it. It holds the secret message.
#[derive(Clone, PartialEq, Eq)]
pub struct Started {
    /// The confirmation session.
    pub confirmation: Confirmation,
    /// The text that the person must send.
    pub message: String,
    /// Links that open it ready to send.
    pub uri: ConfirmationUri,
    /// Whether this is the answer to a replayed request.
    pub replayed: bool,
}

/// Why no session was started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Neither the request nor the app says where the webhook goes.
    #[error("no callback URL in the request, and the app has no default")]
    NoCallback,
    /// The app's list of callback origins does not hold this one.
    #[error("the app does not allow callbacks to this origin")]
    CallbackOriginNotAllowed,
    /// The idempotency key was used with another request in the last 24 hours.
    #[error("the idempotency key was used with another request")]
    IdempotencyKeyReused,
    /// The app's quota is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Starts a session, or answers the replay of a request as it was answered before.
pub async fn start(
    ports: Ports<'_>,
    times: Times,
    request: Request<'_>,
) -> Result<Started, StartError> {
    let callback = callback_of(&request)?;
    let now = ports.clock.now();
    match &request.idempotency {
        None => start_once(ports, times, &request, callback, now).await,
        Some(idempotent) => {
            start_idempotent(ports, times, &request, idempotent, callback, now).await
        }
    }
}

/// Answers the replay of a request as it was answered before, and begins nothing: `None` where the
/// request is no replay. For when there is no room for new sessions.
pub async fn find_replay(
    ports: Ports<'_>,
    request: &Request<'_>,
) -> Result<Option<Started>, StartError> {
    callback_of(request)?;
    let Some(idempotent) = &request.idempotency else {
        return Ok(None);
    };
    let now = ports.clock.now();
    if let Some((earlier, code)) = find_of_yesterday(ports, request, idempotent, now).await? {
        return replay(ports, idempotent, earlier, &code).map(Some);
    }
    let code = code_of(request, idempotent, day_of(now));
    let earlier = ports.store.find(code.confirmation_id(), now).await?;
    earlier
        .map(|earlier| replay(ports, idempotent, earlier, &code))
        .transpose()
}

/// Returns where the webhook goes.
fn callback_of(request: &Request<'_>) -> Result<CallbackUrl, StartError> {
    let callback = request.callback.as_ref();
    let callback = callback
        .or(request.app.default_callback.as_ref())
        .ok_or(StartError::NoCallback)?;
    if !request.app.allows_callback(callback) {
        return Err(StartError::CallbackOriginNotAllowed);
    }
    Ok(callback.clone())
}

async fn start_once(
    ports: Ports<'_>,
    times: Times,
    request: &Request<'_>,
    callback: CallbackUrl,
    now: Timestamp,
) -> Result<Started, StartError> {
    loop {
        let code = Code::generate(ports.entropy);
        let new = open(request, &code, None, callback.clone(), times, now);
        // Two equal codes in the store are not expected in the lifetime of the universe; should
        // the generator be broken, an endless loop is better than a session of somebody else's.
        let created = ports
            .store
            .create_within(new.clone(), request.allowance, now);
        match created.await? {
            CreateOutcome::Created => {
                ports.metrics.count(&Event::Created);
                let message = request.app.template.render(&code, &request.app.prefix);
                return Ok(answer(new, message, false));
            }
            CreateOutcome::Exceeded(exceeded) => return Err(refuse(ports, exceeded)),
            CreateOutcome::Exists(_) => {}
        }
    }
}

/// Derives the code of an idempotent request. It belongs to a day, so that a key that is used again
/// later leads to a new code whether or not the earlier session is still kept.
fn code_of(request: &Request<'_>, idempotent: &IdempotentRequest<'_>, day: u64) -> Code {
    Code::derive(idempotent.api_key, &request.app.id, &idempotent.key, day)
}

/// Finds the session that the same key began yesterday, less than a day ago.
async fn find_of_yesterday(
    ports: Ports<'_>,
    request: &Request<'_>,
    idempotent: &IdempotentRequest<'_>,
    now: Timestamp,
) -> Result<Option<(Confirmation, Code)>, Unavailable> {
    let Some(yesterday) = day_of(now).checked_sub(1) else {
        return Ok(None);
    };
    let code = code_of(request, idempotent, yesterday);
    let earlier = ports.store.find(code.confirmation_id(), now).await?;
    let earlier = earlier.filter(|item| now.since(item.created_at) < WINDOW);
    Ok(earlier.map(|earlier| (earlier, code)))
}

/// The window of a day reaches into yesterday, so yesterday's session is looked for first.
async fn start_idempotent(
    ports: Ports<'_>,
    times: Times,
    request: &Request<'_>,
    idempotent: &IdempotentRequest<'_>,
    callback: CallbackUrl,
    now: Timestamp,
) -> Result<Started, StartError> {
    if let Some((earlier, code)) = find_of_yesterday(ports, request, idempotent, now).await? {
        return replay(ports, idempotent, earlier, &code);
    }
    let code = code_of(request, idempotent, day_of(now));
    let message = stored_message(request.app);
    let answered_again = Idempotency {
        request: idempotent.hash,
        message: message.clone(),
    };
    let new = open(request, &code, Some(answered_again), callback, times, now);
    let created = ports
        .store
        .create_within(new.clone(), request.allowance, now);
    match created.await? {
        CreateOutcome::Exceeded(exceeded) => Err(refuse(ports, exceeded)),
        CreateOutcome::Created => {
            ports.metrics.count(&Event::Created);
            Ok(answer(new, spell_into(&message, &code), false))
        }
        CreateOutcome::Exists(earlier) => replay(ports, idempotent, *earlier, &code),
    }
}

/// Counts a refusal.
fn refuse(ports: Ports<'_>, exceeded: QuotaExceeded) -> StartError {
    ports.metrics.count(&match exceeded.limit {
        QuotaLimit::Rate => Event::RateExceeded,
        QuotaLimit::Open => Event::OpenExceeded,
    });
    exceeded.into()
}

/// Answers as the first time, if the request is the same.
fn replay(
    ports: Ports<'_>,
    idempotent: &IdempotentRequest<'_>,
    earlier: Confirmation,
    code: &Code,
) -> Result<Started, StartError> {
    match &earlier.idempotency {
        Some(known) if known.request == idempotent.hash => {
            ports.metrics.count(&Event::Replayed);
            let message = spell_into(&known.message, code);
            Ok(answer(earlier, message, true))
        }
        _ => Err(StartError::IdempotencyKeyReused),
    }
}

/// The day that an instant belongs to, counted from the Unix epoch.
fn day_of(now: Timestamp) -> u64 {
    now.as_secs() / WINDOW.as_secs()
}

/// The item of a new session.
fn open(
    request: &Request<'_>,
    code: &Code,
    idempotency: Option<Idempotency>,
    callback: CallbackUrl,
    times: Times,
    now: Timestamp,
) -> Confirmation {
    let id = code.confirmation_id();
    let country = request.phone_number.as_ref().and_then(PhoneNumber::country);
    let flow = match request.phone_number.clone() {
        None => Flow::Acquisition,
        Some(number) => Flow::Confirmation {
            expected: Redactable::Present(number),
        },
    };
    let expires_at = now.plus(times.validity);
    Confirmation {
        id,
        app: request.app.id.clone(),
        flow,
        callback,
        metadata: Redactable::Present(request.metadata.clone()),
        send_to: request.app.senders.choose(country, &id).clone(),
        created_at: now,
        expires_at,
        idempotency,
        state: State::Open,
        redacted_at: None,
        // Long enough for replays, and for callers to learn that it expired.
        purge_at: expires_at.max(now.plus(WINDOW)),
    }
}

/// What is stored of the message for replays: prefix and words, and `{code}` where the secret
/// symbols go.
fn stored_message(app: &App) -> String {
    let symbols = format!("{}-{{code}}", app.prefix);
    app.template.as_str().replace("{code}", &symbols)
}

/// The message, rebuilt around a code.
fn spell_into(stored: &str, code: &Code) -> String {
    stored.replace("{code}", &code.symbols())
}

fn answer(confirmation: Confirmation, message: String, replayed: bool) -> Started {
    let recipient: &Recipient = &confirmation.send_to;
    let uri = ConfirmationUri::new(recipient, &message);
    Started {
        confirmation,
        message,
        uri,
        replayed,
    }
}
