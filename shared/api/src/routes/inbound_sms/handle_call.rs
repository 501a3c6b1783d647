//! Processes a provider's call.

use countersign_domain::app::code::NoCode;
use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::confirmation::text::traces::{
    ContentHash, KeptPart, NonceHash, NonceOutcome, TextKey, UsedNonce,
};
use countersign_domain::event::{Event, Labels, Miss};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::use_cases::receive_text::{TextOutcome, receive_text};
use countersign_inbound::part::{MAX_PARTS, assemble};
use countersign_inbound::{
    Call, CallResult, Content, Inbound, InboundError, InboundProvider, NetworkCode,
    ProviderResponse, RecentCall, SingleUse, TextPart, read,
};
use futures_util::future::try_join_all;

use crate::middleware::log::LogFields;
use crate::state::ApiState;

/// Number of events of a call that are handled concurrently.
const MAX_CONCURRENT: usize = 32;

/// A call that was accepted.
pub(super) struct CallOutcome {
    /// The answer that the call requires, if it differs from the usual one.
    pub(super) answer: Option<ProviderResponse>,
    /// Fields of the call's log line.
    pub(super) fields: LogFields,
    /// The result for operators.
    result: CallResult,
}

/// Why a call was not accepted.
pub(super) enum CallError {
    /// The call was refused.
    Refused(InboundError),
    /// A port failed, so the provider should call again.
    Unavailable(Unavailable),
}

impl From<InboundError> for CallError {
    fn from(error: InboundError) -> Self {
        Self::Refused(error)
    }
}

impl From<Unavailable> for CallError {
    fn from(error: Unavailable) -> Self {
        Self::Unavailable(error)
    }
}

/// Authenticates a call and handles its events.
pub(super) async fn handle_call(
    state: &ApiState,
    provider: &dyn InboundProvider,
    call: Call<'_>,
) -> Result<CallOutcome, CallError> {
    let outcome = try_to_handle(state, provider, call).await;
    // The provider repeats calls that get 429, and they do not indicate an attacker.
    if let Err(CallError::Refused(error)) = &outcome
        && error.status() != 429
    {
        state
            .metrics
            .count(&Event::InboundRefused, labels(provider.name()));
    }
    let result = match &outcome {
        Ok(outcome) => outcome.result,
        // The provider repeats such a call with its credential.
        Err(CallError::Refused(error @ InboundError::Unsigned)) => {
            CallResult::Ignored(error.code())
        }
        Err(CallError::Refused(error)) => CallResult::Refused(error.code()),
        Err(CallError::Unavailable(_)) => CallResult::Refused("unavailable"),
    };
    remember(state, provider.name(), result);
    outcome
}

/// Remembers a call for operators, if this process keeps such a list.
pub(super) fn remember(state: &ApiState, provider: &'static str, result: CallResult) {
    if let Some(calls) = &state.inbound.calls {
        let at = state.clock.now();
        calls.record(provider, RecentCall { at, result });
    }
}

async fn try_to_handle(
    state: &ApiState,
    provider: &dyn InboundProvider,
    call: Call<'_>,
) -> Result<CallOutcome, CallError> {
    let reading = read(provider, call, state.clock.now()).await?;
    if let Some(single_use) = reading.single_use {
        use_once(state, single_use).await?;
    }
    let mut fields = LogFields::default();
    let mut answer = None;
    let result = match reading.content {
        Content::Handshake(wanted) => {
            answer = Some(wanted);
            CallResult::Accepted("handshake")
        }
        Content::Subscription(url) => {
            let confirm = state.inbound.confirm_subscription.as_ref();
            let confirm = confirm.ok_or_else(|| absent("confirm_subscription"))?;
            confirm(url).await?;
            CallResult::Accepted("subscription")
        }
        Content::Events(events) => {
            // A handler has nine seconds, and a call may contain thousands of texts.
            for events in events.chunks(MAX_CONCURRENT) {
                let handled = events.iter().map(|event| handle(state, provider, event));
                for handled in try_join_all(handled).await? {
                    // The log line describes the last text, and why an event was ignored.
                    let ignored = handled.ignored.or(fields.ignored);
                    if handled.text.is_some() {
                        fields = handled;
                    }
                    fields.ignored = ignored;
                }
            }
            match fields.text {
                Some(effect) => CallResult::Accepted(effect),
                None => CallResult::Ignored(fields.ignored.unwrap_or("empty")),
            }
        }
    };
    fields.provider = Some(provider.name());
    Ok(CallOutcome {
        answer,
        fields,
        result,
    })
}

/// Sets the carrier from the network's code, if the provider did not specify one.
fn with_carrier(mut message: InboundMessage, network: Option<&NetworkCode>) -> InboundMessage {
    if message.carrier().is_empty() {
        let name = network.and_then(NetworkCode::carrier);
        message.carrier = name.map(str::to_owned);
    }
    message
}

/// Handles one event, and returns its log fields.
async fn handle(
    state: &ApiState,
    provider: &dyn InboundProvider,
    event: &Inbound,
) -> Result<LogFields, Unavailable> {
    match event {
        Inbound::Text { message, network } => {
            let message = with_carrier(message.clone(), network.as_ref());
            Ok(receive(state, &message).await?.1)
        }
        Inbound::Part(part) => receive_part(state, part).await,
        Inbound::Ignored(why) => {
            state
                .metrics
                .count(&Event::InboundIgnored, labels(provider.name()));
            Ok(LogFields {
                ignored: Some(why.name()),
                ..LogFields::default()
            })
        }
    }
}

/// Returns the labels of an event that concerns only a provider.
fn labels(provider: &str) -> Labels<'_> {
    Labels {
        provider: Some(provider),
        ..Labels::default()
    }
}

/// Accepts a single-use value for one content only. The same content again is a redelivery.
async fn use_once(state: &ApiState, single_use: SingleUse) -> Result<(), CallError> {
    let now = state.clock.now();
    let wanted = UsedNonce {
        content: ContentHash(single_use.content),
        purge_at: now.plus(single_use.retention),
    };
    let taken = state
        .store
        .use_nonce(NonceHash(single_use.nonce), wanted, now);
    match taken.await? {
        NonceOutcome::New | NonceOutcome::Repeated => Ok(()),
        NonceOutcome::Reused => Err(InboundError::NotAuthentic.into()),
    }
}

/// Handles a text and returns its log fields.
async fn receive(
    state: &ApiState,
    message: &InboundMessage,
) -> Result<(TextOutcome, LogFields), Unavailable> {
    let pages = state.inbound.pages.as_deref();
    let (received, sender) = receive_text(state.ports(), pages, state.times, message).await?;
    let fields = LogFields {
        confirmation: received.confirmation(),
        text: Some(received.event().name()),
        sender: sender.map(|sender| sender.masked()),
        ..LogFields::default()
    };
    Ok((received, fields))
}

/// Tries a part by itself, and stores it only if it has no code: one part almost always holds the
/// whole code.
async fn receive_part(state: &ApiState, part: &TextPart) -> Result<LogFields, Unavailable> {
    let (received, fields) = receive(state, &part.message).await?;
    let has_no_code = received == TextOutcome::Missed(Miss::Code(NoCode::Absent));
    if !has_no_code || part.total > MAX_PARTS {
        return Ok(fields);
    }
    let new = KeptPart {
        number: part.number,
        message_id: part.message.message_id.clone(),
        text: part.message.text.clone(),
    };
    let key = TextKey(part.key());
    let kept = state.store.keep_part(key, new, state.clock.now()).await?;
    state
        .metrics
        .count(&Event::TextPartKept, labels(part.message.provider));
    let parts: Vec<_> = kept
        .into_iter()
        .map(|kept| TextPart {
            message: InboundMessage {
                message_id: kept.message_id,
                text: kept.text,
                ..part.message.clone()
            },
            number: kept.number,
            ..part.clone()
        })
        .collect();
    match assemble(&parts) {
        Some(whole) => Ok(receive(state, &whole).await?.1),
        None => Ok(fields),
    }
}

fn absent(what: &'static str) -> Unavailable {
    Unavailable::new(what, "this host has none")
}

#[cfg(test)]
mod tests {
    use countersign_domain::confirmation::text::Channel;

    use super::*;

    fn carrier(reported: Option<&str>, network: Option<&str>) -> String {
        let message = InboundMessage {
            provider: "sinch",
            channel: Channel::Sms,
            message_id: String::new(),
            from: String::new(),
            to: String::new(),
            text: String::new(),
            carrier: reported.map(str::to_owned),
        };
        let network = network.and_then(NetworkCode::parse);
        let message = with_carrier(message, network.as_ref());
        message.carrier().as_str().to_owned()
    }

    #[test]
    fn network_code_names_the_carrier_if_the_provider_does_not() {
        assert_eq!(carrier(None, Some("26201")), "Telekom");
        assert_eq!(carrier(Some(" \n"), Some("26201")), "Telekom");
        assert_eq!(carrier(Some("Acme"), Some("26201")), "Acme");
        assert_eq!(carrier(None, Some("00101")), "");
        assert_eq!(carrier(None, None), "");
    }
}
