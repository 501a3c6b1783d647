//! Descriptions of failures for the page that shows how far users get.
//!
//! Every counter is listed here, so that a new one either gets a description or is omitted
//! deliberately.

use countersign_domain::event::{Counter, LoginEvent};
use serde_json::{Value, json};
use strum::VariantArray as _;

/// The part of the page to which a counter belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Texts that verified nothing, including texts for no app.
    Texts,
    /// Confirmations of an app.
    Numbers,
    /// Confirmations and logins of an app.
    Both,
}

/// Returns the counters with their descriptions, in the page's order: texts that verified nothing, other
/// confirmations, logins.
pub(super) fn reasons() -> Value {
    let counters = || Counter::VARIANTS.iter().copied();
    let of = |parts: &[Part]| -> Vec<(&'static str, &'static str)> {
        let found = counters().filter_map(|counter| {
            let (part, words) = of_counter(counter)?;
            parts.contains(&part).then_some((counter.into_str(), words))
        });
        found.collect()
    };
    let logins = LoginEvent::VARIANTS.iter().copied();
    let logins = logins.filter_map(|event| Some((event.into_str(), of_login(event)?)));
    let logins: Vec<_> = logins.chain(of(&[Part::Both])).collect();
    json!({
        "texts": of(&[Part::Texts]),
        "numbers": of(&[Part::Numbers, Part::Both]),
        "logins": logins,
    })
}

const fn of_counter(counter: Counter) -> Option<(Part, &'static str)> {
    Some(match counter {
        Counter::MissExpired => (Part::Texts, "The text came too late"),
        Counter::MissWrongSender => (Part::Texts, "Another number sent it"),
        Counter::MissRecipient => (Part::Texts, "It went to a number that is not ours"),
        Counter::MissAlreadyUsed => (Part::Texts, "Another text had the code before"),
        Counter::MissNumberTypeRefused => {
            (Part::Texts, "The app refuses numbers of the sender's type")
        }
        Counter::MissCancelled => (Part::Texts, "The app had cancelled it"),
        Counter::MissNoCode => (Part::Texts, "It has no code"),
        Counter::MissAmbiguousCode => (Part::Texts, "It has more than one code"),
        Counter::MissUnknown => (Part::Texts, "No confirmation has its code"),
        Counter::MissSender => (Part::Texts, "The sender is not a phone number"),
        Counter::MissNumberHidden => (Part::Texts, "The sender's number is hidden"),
        Counter::InboundRefused => (Part::Texts, "The provider's call was not authentic"),
        Counter::InboundIgnored => (Part::Texts, "The provider's call brought no text"),
        Counter::RateExceeded => (Part::Numbers, "Not started: too many in a short time"),
        Counter::OpenExceeded => (Part::Numbers, "Not started: too many are open"),
        Counter::DeliveryFailed => (Part::Both, "The webhook was given up"),
        // Steps and repetitions.
        Counter::Created
        | Counter::Replayed
        | Counter::Verified
        | Counter::TextRepeated
        | Counter::TextPartKept
        | Counter::Delivered
        // After an attempt comes another one, or the end of the delivery.
        | Counter::AttemptSucceeded
        | Counter::AttemptFailedReceiver
        | Counter::AttemptFailedOurs
        | Counter::CarrierFound
        | Counter::CarrierEmpty
        | Counter::CarrierCached
        | Counter::CarrierFailed
        | Counter::CarrierTimedOut
        | Counter::CarrierPaused
        | Counter::CarrierLimited
        // The list request is repeated.
        | Counter::ListsExceeded
        // Problems of the server itself.
        | Counter::Swept
        | Counter::EnqueueFailed
        | Counter::LeftToSweep
        | Counter::ClockAhead
        | Counter::StoreDamaged => return None,
    })
}

const fn of_login(event: LoginEvent) -> Option<&'static str> {
    Some(match event {
        LoginEvent::Denied => "The person denied it",
        LoginEvent::Cancelled => "The page or the app cancelled it",
        LoginEvent::RiskDenied => "The risk was too high",
        LoginEvent::ForbiddenConfirmed => "Confirmed in spite of its risk",
        LoginEvent::SecondPhone => "A second phone opened it",
        LoginEvent::KeyMismatch => "The phone found another key",
        LoginEvent::CheckCodeWrong => "The check code was wrong",
        LoginEvent::CheckCodeBlocked => "The check code was wrong too often",
        LoginEvent::OriginRefused => "The app does not list the page",
        LoginEvent::PageRefused => "A page tried, but only the server may",
        LoginEvent::RateExceeded => "Not created: too many in a short time",
        LoginEvent::OpenExceeded => "Not created: too many are open",
        LoginEvent::OpeningLimited => "Not created: too many from one address",
        LoginEvent::MissLimited => "Too many failed requests from one address",
        // Steps and repetitions.
        LoginEvent::Created
        | LoginEvent::Replayed
        | LoginEvent::Scanned
        | LoginEvent::Confirmed
        | LoginEvent::Redeemed
        // The login continues.
        | LoginEvent::PushFailed
        | LoginEvent::HistoryFailed
        | LoginEvent::NameLimited => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_miss_has_words_of_its_own() {
        let reasons = reasons();
        let texts = reasons["texts"].as_array().unwrap();
        let named: Vec<_> = texts.iter().map(|pair| pair[0].as_str().unwrap()).collect();
        let misses: Vec<_> = countersign_domain::event::Event::names()
            .filter(|name| name.starts_with("miss_"))
            .collect();
        assert!(misses.contains(&"miss_number_type_refused"));
        for miss in misses {
            assert!(named.contains(&miss), "{miss}");
        }
        let mut words: Vec<_> = texts.iter().map(|pair| pair[1].as_str().unwrap()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), texts.len());
        assert_eq!(reasons["logins"][0][0], "qr_origin_refused");
        let delivery = json!(["delivery_failed", "The webhook was given up"]);
        for part in ["numbers", "logins"] {
            assert!(reasons[part].as_array().unwrap().contains(&delivery));
        }
    }
}
