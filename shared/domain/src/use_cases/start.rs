//! Starting a confirmation: `POST /acquire-phone-number` and `POST /make-confirmation`.

use std::time::Duration;

use thiserror::Error;

use super::{Ports, Times, wake_dispatcher};
use crate::app::App;
use crate::app::api_key::{KeyMode, PresentedApiKey};
use crate::app::code::Code;
use crate::app::quota::{Allowance, QuotaExceeded, QuotaLimit};
use crate::app::refused_types::RefusedTypes;
use crate::app::senders::PoolNumber;
use crate::app::template::TemplateLanguage;
use crate::confirmation::carrier::CarrierName;
use crate::confirmation::client::{Client, ClientToken};
use crate::confirmation::miss::UnusableText;
use crate::confirmation::simulation::{PROVIDER, Simulation};
use crate::confirmation::transitions::{
    CreateOutcome, InboundRoute, TextEvidence, record_miss, verify,
};
use crate::confirmation::uri::ConfirmationUri;
use crate::confirmation::{
    Confirmation, Flow, Idempotency, OpenIdConfirmation, Redactable, State, TextFingerprint,
};
use crate::delivery::Delivery;
use crate::delivery::transitions::HasDelivery as _;
use crate::event::{Event, Labels};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::idempotency::{IdempotencyKey, RequestHash, WINDOW};
use crate::primitives::phone::{Country, PhoneNumber};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::web::callback_url::CallbackUrl;

/// Maximum number of codes tried before the random number generator counts as broken. Two equal
/// codes are not expected within the lifetime of the universe.
pub const MAX_CODES_TRIED: u32 = 8;

/// A request to start a confirmation.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub app: &'a App,
    /// The mode of the caller's key.
    pub mode: KeyMode,
    /// The number to confirm; `None` acquires the number of the first sender.
    pub phone_number: Option<PhoneNumber>,
    /// The country whose numbers receive the text. `None` means the country of the number to
    /// confirm.
    pub country: Option<Country>,
    /// The language of the message.
    pub language: Option<TemplateLanguage>,
    /// Destination of the webhook; `None` for the app's default.
    pub callback: Option<CallbackUrl>,
    /// The caller's data, returned in the webhook.
    pub metadata: CanonicalObject,
    /// True if the page that shows the confirmation may watch it.
    pub client_channel: bool,
    /// Present if the request has an `Idempotency-Key`.
    pub idempotency: Option<IdempotentRequest<'a>>,
    /// The app's quota.
    pub allowance: Allowance,
}

/// The data that identifies an idempotent request.
#[derive(Clone, Debug)]
pub struct IdempotentRequest<'a> {
    /// The presented API key, from whose secret the code is derived.
    pub api_key: &'a PresentedApiKey,
    /// Value of the header `Idempotency-Key`.
    pub key: IdempotencyKey,
    /// Hash of route and body.
    pub hash: RequestHash,
}

/// A started confirmation, as the caller sees it. The message in it is secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Started {
    pub confirmation: Confirmation,
    /// The country of the number that receives the text; `None` for a short code.
    pub send_to_country: Option<Country>,
    /// The text that the person must send.
    pub message: String,
    /// The token of the page that shows the confirmation, if the page may watch.
    pub client_token: Option<ClientToken>,
    /// Links that open the message ready to send.
    pub uri: ConfirmationUri,
    /// True if this answers a replayed request.
    pub replayed: bool,
}

/// The reason why no confirmation was started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Neither the request nor the app names a callback URL.
    #[error("no callback URL in the request, and the app has no default")]
    NoCallback,
    /// The app's list of callback origins does not contain this one.
    #[error("the app does not allow callbacks to this origin")]
    CallbackOriginNotAllowed,
    /// The app refuses numbers of this type.
    #[error("the app refuses numbers of this type")]
    NumberTypeRefused,
    /// The idempotency key was used with a different request within the last 24 hours.
    #[error("the idempotency key was used with a different request")]
    IdempotencyKeyReused,
    /// The app's quota is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Starts a confirmation, or returns the same answer to a replayed request.
///
/// # Errors
///
/// Fails if the app's settings or its quota do not allow the confirmation, if the idempotency key was
/// used with a different request, or if a port fails.
pub async fn start(
    ports: Ports<'_>,
    times: Times,
    request: Request<'_>,
) -> Result<Started, StartError> {
    let callback = check(&request)?;
    let ports = ports.uncounted_if(request.mode == KeyMode::Test);
    let now = ports.clock.now();
    match &request.idempotency {
        None => start_once(ports, times, &request, callback, now).await,
        Some(idempotent) => {
            start_idempotent(ports, times, &request, idempotent, callback, now).await
        }
    }
}

/// Starts a confirmation with this code for the service's own page: it has no webhook. If the confirmation exists, returns
/// it again.
///
/// # Errors
///
/// Fails if the app's settings or its quota do not allow the confirmation, or if a port fails.
pub(super) async fn start_for_own_page(
    ports: Ports<'_>,
    times: Times,
    request: &Request<'_>,
    code: &Code,
) -> Result<Started, StartError> {
    check_number(request)?;
    let now = ports.clock.now();
    let sender = choose_sender(request, code);
    let new = open(request, code, sender, None, None, times, now);
    let started = ports
        .store
        .start_confirmation(new.clone(), request.allowance, now);
    let (item, replayed) = match started.await? {
        CreateOutcome::Created => {
            let labels = labels(request, sender.country());
            ports.metrics.count(&Event::Created, labels);
            (new, false)
        }
        CreateOutcome::Exists(earlier) => (*earlier, true),
        CreateOutcome::Exceeded(exceeded) => return Err(refuse(ports, request, exceeded)),
    };
    let template = request.app.template_in(request.language);
    let message = template.render(code, &request.app.prefix);
    let country = item.send_to.country();
    Ok(answer(item, country, code, message, replayed))
}

/// Returns the same answer to a replayed request, or `None` if the request is not a replay. Never
/// starts a confirmation; used when there is no space for new ones.
///
/// # Errors
///
/// Fails if the app's settings do not allow the request, if the idempotency key was used with a
/// different request, or if the store fails.
pub async fn find_replay(
    ports: Ports<'_>,
    request: &Request<'_>,
) -> Result<Option<Started>, StartError> {
    check(request)?;
    let Some(idempotent) = &request.idempotency else {
        return Ok(None);
    };
    let now = ports.clock.now();
    if let Some((earlier, code)) = find_of_yesterday(ports, request, idempotent, now).await? {
        return replay(ports, idempotent, earlier, &code).map(Some);
    }
    let code = code_of(request, idempotent, day_of(now));
    let earlier = ports
        .store
        .find::<Confirmation>(code.confirmation_id(), now)
        .await?;
    earlier
        .map(|earlier| replay(ports, idempotent, earlier, &code))
        .transpose()
}

/// Returns the destination of the webhook if the app's settings allow it and the number.
fn check(request: &Request<'_>) -> Result<CallbackUrl, StartError> {
    let callback = request.callback.as_ref();
    let callback = callback
        .or(request.app.default_callback.as_ref())
        .ok_or(StartError::NoCallback)?;
    if !request.app.allows_callback(callback) {
        return Err(StartError::CallbackOriginNotAllowed);
    }
    check_number(request)?;
    Ok(callback.clone())
}

/// Checks that the app accepts the number to confirm.
fn check_number(request: &Request<'_>) -> Result<(), StartError> {
    // A test number has no phone, so its type is meaningless.
    let test = request.mode == KeyMode::Test;
    let judged = request.phone_number.as_ref();
    let judged = judged.filter(|number| !test || Simulation::from_number(number).is_none());
    if judged.is_some_and(|number| request.app.refused_types.refuse(number)) {
        return Err(StartError::NumberTypeRefused);
    }
    Ok(())
}

async fn start_once(
    ports: Ports<'_>,
    times: Times,
    request: &Request<'_>,
    callback: CallbackUrl,
    now: Timestamp,
) -> Result<Started, StartError> {
    for _ in 0..MAX_CODES_TRIED {
        let code = Code::generate(ports.entropy);
        let sender = choose_sender(request, &code);
        let callback = Some(callback.clone());
        let new = open(request, &code, sender, None, callback, times, now);
        let created = ports
            .store
            .start_confirmation(new.clone(), request.allowance, now);
        match created.await? {
            CreateOutcome::Created => {
                let country = sender.country();
                ports
                    .metrics
                    .count(&Event::Created, labels(request, country));
                wake_for_test(ports, &new).await;
                let message = request
                    .app
                    .template_in(request.language)
                    .render(&code, &request.app.prefix);
                return Ok(answer(new, country, &code, message, false));
            }
            CreateOutcome::Exceeded(exceeded) => return Err(refuse(ports, request, exceeded)),
            // The confirmation belongs to an earlier request, so the answer must not contain any of
            // it.
            CreateOutcome::Exists(_) => {}
        }
    }
    let cause = format!("{MAX_CODES_TRIED} random codes in a row were in use already");
    Err(Unavailable::new("entropy: new code", cause).into())
}

/// Derives the code of an idempotent request. The code depends on the day, so that a key that is
/// used again later yields a new code, whether or not the earlier confirmation is still stored.
fn code_of(request: &Request<'_>, idempotent: &IdempotentRequest<'_>, day: u64) -> Code {
    Code::derive(idempotent.api_key, &request.app.id, &idempotent.key, day)
}

/// Finds the confirmation that the same key started yesterday, if that was less than 24 hours ago.
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
    let earlier = ports
        .store
        .find::<Confirmation>(code.confirmation_id(), now)
        .await?;
    let earlier = earlier.filter(|item| now.since(item.created_at) < WINDOW);
    Ok(earlier.map(|earlier| (earlier, code)))
}

/// Starts a confirmation for an idempotent request, unless it is a replay. The window of 24 hours
/// includes part of yesterday, so yesterday's confirmation is searched first.
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
    let message = stored_message(request);
    let answered_again = Idempotency {
        request: idempotent.hash,
        message: message.clone(),
    };
    let sender = choose_sender(request, &code);
    let again = Some(answered_again);
    let new = open(request, &code, sender, again, Some(callback), times, now);
    let created = ports
        .store
        .start_confirmation(new.clone(), request.allowance, now);
    match created.await? {
        CreateOutcome::Exceeded(exceeded) => Err(refuse(ports, request, exceeded)),
        CreateOutcome::Created => {
            let country = sender.country();
            ports
                .metrics
                .count(&Event::Created, labels(request, country));
            wake_for_test(ports, &new).await;
            let message = spell_into(&message, &code);
            Ok(answer(new, country, &code, message, false))
        }
        CreateOutcome::Exists(earlier) => replay(ports, idempotent, *earlier, &code),
    }
}

/// Counts a refusal and converts it to an error.
fn refuse(ports: Ports<'_>, request: &Request<'_>, exceeded: QuotaExceeded) -> StartError {
    let event = match exceeded.limit {
        QuotaLimit::Rate => Event::RateExceeded,
        QuotaLimit::Open => Event::OpenExceeded,
    };
    ports.metrics.count(&event, Labels::of_app(&request.app.id));
    exceeded.into()
}

/// Returns the first answer again if the request is the same.
fn replay(
    ports: Ports<'_>,
    idempotent: &IdempotentRequest<'_>,
    earlier: Confirmation,
    code: &Code,
) -> Result<Started, StartError> {
    match &earlier.idempotency {
        Some(known) if known.request == idempotent.hash => {
            ports
                .metrics
                .count(&Event::Replayed, Labels::of_app(&earlier.app));
            let message = spell_into(&known.message, code);
            let country = earlier.send_to.country();
            Ok(answer(earlier, country, code, message, true))
        }
        _ => Err(StartError::IdempotencyKeyReused),
    }
}

/// Returns the number of days since the Unix epoch.
fn day_of(now: Timestamp) -> u64 {
    now.as_secs() / WINDOW.as_secs()
}

/// Returns the labels of a new confirmation. An acquisition's number is not known yet, so it is counted for
/// the country that the caller names, or that of the number that the person texts.
fn labels<'a>(request: &Request<'a>, send_to_country: Option<Country>) -> Labels<'a> {
    let number = request.phone_number.as_ref();
    let country = number.and_then(PhoneNumber::country).or(request.country);
    Labels {
        country: country.or(send_to_country),
        ..Labels::of_app(&request.app.id)
    }
}

/// Chooses the number that receives the text.
fn choose_sender<'a>(request: &Request<'a>, code: &Code) -> &'a PoolNumber {
    let of_number = || request.phone_number.as_ref().and_then(PhoneNumber::country);
    let country = request.country.or_else(of_number);
    request.app.senders.choose(country, &code.confirmation_id())
}

/// Creates the item of a new confirmation.
fn open(
    request: &Request<'_>,
    code: &Code,
    sender: &PoolNumber,
    idempotency: Option<Idempotency>,
    callback: Option<CallbackUrl>,
    times: Times,
    now: Timestamp,
) -> Confirmation {
    let id = code.confirmation_id();
    let (flow, refused_types) = match request.phone_number.clone() {
        None => (Flow::Acquisition, request.app.refused_types.clone()),
        Some(number) => {
            let expected = Redactable::Present(number);
            (Flow::Confirmation { expected }, RefusedTypes::default())
        }
    };
    let test = request.mode == KeyMode::Test;
    let simulation = request
        .phone_number
        .as_ref()
        .and_then(Simulation::from_number);
    let validity = match simulation {
        Some(Simulation::Late) if test => Duration::ZERO,
        _ => times.validity,
    };
    let expires_at = now.plus(validity);
    let new = Confirmation {
        id,
        app: request.app.id.clone(),
        flow,
        openid: callback.is_none().then(OpenIdConfirmation::default),
        callback,
        metadata: Redactable::Present(request.metadata.clone()),
        send_to: sender.number().clone(),
        whatsapp: request.app.whatsapp.clone(),
        created_at: now,
        expires_at,
        idempotency,
        state: State::Open { last_miss: None },
        test,
        refused_types,
        webhook_details: request.app.webhook_details,
        client: request
            .client_channel
            .then(|| Client::new(&ClientToken::from_code(code))),
        redacted_at: None,
        // Long enough for replays, and for callers to see that the confirmation has expired.
        purge_at: expires_at.max(now.plus(WINDOW)),
    };
    simulated(new, times.retention)
}

/// Delay of the webhook for a test number that is verified automatically. The answer must reach the caller first,
/// because it contains the id that the webhook refers to. The delay is longer than an answer takes, and no longer
/// than the wait before the second attempt.
const TEST_WEBHOOK_DELAY: Duration = Duration::from_secs(2);

/// A number other than the one that a test confirms.
const OTHER_NUMBER: &str = "+15005550009";

/// Returns a new confirmation with the simulated effect of its test number.
fn simulated(new: Confirmation, retention: Duration) -> Confirmation {
    let Flow::Confirmation { expected } = &new.flow else {
        return new;
    };
    let number = expected.present().filter(|_| new.test);
    let Some((number, simulation)) = number.and_then(|n| Some((n, Simulation::from_number(n)?)))
    else {
        return new;
    };
    if simulation == Simulation::NumberHidden {
        let hidden = UnusableText::NumberHidden;
        let decision = record_miss(Some(new.clone()), hidden, Some(&new.app), new.created_at);
        return decision.write.unwrap_or(new);
    }
    let other = PhoneNumber::parse_e164(OTHER_NUMBER).ok();
    let from = other.filter(|_| simulation == Simulation::WrongSender);
    let text = TextEvidence {
        from: from.unwrap_or_else(|| number.clone()),
        route: InboundRoute::Simulated(new.app.clone()),
        carrier: CarrierName::default(),
        text: TextFingerprint::new(PROVIDER, &new.id.to_string()),
        provider: PROVIDER.to_owned(),
    };
    let decision = verify(Some(new.clone()), &text, new.created_at, retention);
    let mut after = decision.write.unwrap_or(new);
    if let State::Verified(verified) = &mut after.state {
        let begins_at = after.created_at.plus(TEST_WEBHOOK_DELAY);
        verified.delivery = Some(Delivery::pending(begins_at));
    }
    after
}

/// Wakes the dispatcher after the answer, if a test number simulates a text that has arrived.
async fn wake_for_test(ports: Ports<'_>, new: &Confirmation) {
    if let Some(pointer) = new.pointer() {
        wake_dispatcher(ports, pointer, TEST_WEBHOOK_DELAY).await;
    }
}

/// Returns the message for storage: prefix and words, with `{code}` instead of the secret symbols.
fn stored_message(request: &Request<'_>) -> String {
    let symbols = format!("{}-{{code}}", request.app.prefix);
    let template = request.app.template_in(request.language);
    template.as_str().replace("{code}", &symbols)
}

/// Inserts the code into a stored message.
fn spell_into(stored: &str, code: &Code) -> String {
    stored.replace("{code}", &code.symbols())
}

fn answer(
    confirmation: Confirmation,
    send_to_country: Option<Country>,
    code: &Code,
    message: String,
    replayed: bool,
) -> Started {
    let client = confirmation.client.as_ref();
    let client_token = client.map(|_| ClientToken::from_code(code));
    let whatsapp = confirmation.whatsapp.as_ref();
    let uri = ConfirmationUri::new(&confirmation.send_to, whatsapp, &message);
    Started {
        confirmation,
        send_to_country,
        message,
        client_token,
        uri,
        replayed,
    }
}
