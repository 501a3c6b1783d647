//! SMS providers whose calls the running server refuses.

use std::time::Duration;

use countersign_api::ProviderSource as _;
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::{CallSummary, InboundError, ProviderSpec, RecentCall, SPECS};

use super::Attention;
use crate::admin::Admin;

/// Age of the oldest refused call that counts.
const SINCE: Duration = Duration::from_hours(24);

/// Number of refused calls from which a provider counts whose calls were taken before: strangers can call the URL, too.
const MIN_REFUSED: usize = 3;

pub(super) async fn look(admin: &Admin) -> Vec<Attention> {
    // Without a running server, no call is remembered.
    let Some(running) = &admin.running else {
        return Vec::new();
    };
    let on = running.providers.current().await;
    let (calls, now) = (&running.calls, admin.clock.now());
    let items = SPECS
        .iter()
        .filter(|spec| on.get(spec.name).is_some())
        .filter_map(|spec| report(spec, &calls.of(spec.name), now));
    items.collect()
}

/// Reports that the latest calls of a provider were refused because of their signature or time. Calls that were refused for
/// another reason say nothing, and one that was taken ends the report.
fn report(spec: &ProviderSpec, calls: &CallSummary, now: Timestamp) -> Option<Attention> {
    let refused: Vec<&RecentCall> = calls
        .last
        .iter()
        .take_while(|call| call.result.is_refused() && now.since(call.at) < SINCE)
        .filter(|call| is_unproven(call))
        .collect();
    let was_taken = calls.accepted + calls.ignored > 0;
    let enough = if was_taken { MIN_REFUSED } else { 1 };
    let latest = refused.first().filter(|_| refused.len() >= enough)?;
    let ProviderSpec { name, title, .. } = spec;
    let cause = if latest.result.reason() == InboundError::TooOld.code() {
        "It is signed correctly, but its time is wrong: the clock of this machine, or an old call was repeated."
    } else {
        "Its signature does not fit: another secret than the provider's, or another public URL for providers that sign \
         it. Anyone can call the URL, so it may also be a stranger's."
    };
    let item = Attention::new(
        "provider_refused",
        format!("Calls of {title} are refused"),
        format!(
            "A call at {} was refused ({}), and none was taken since. {cause} Correct it with `countersign \
             provider add {name}`; `countersign provider test {name}` sends a signed call, which ends this.",
            latest.at,
            latest.result.reason(),
        ),
        format!("countersign provider show {name}"),
    );
    Some(item.with([
        ("title", title),
        ("at", &latest.at),
        ("reason", &latest.result.reason()),
    ]))
}

/// Returns whether a call was refused because nothing proves that the provider made it now.
fn is_unproven(call: &RecentCall) -> bool {
    let reasons = [InboundError::NotAuthentic, InboundError::TooOld];
    reasons
        .map(InboundError::code)
        .contains(&call.result.reason())
}

#[cfg(test)]
mod tests {
    use countersign_inbound::{CallResult, RecentCalls};

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
    const UNPROVEN: CallResult = CallResult::Refused("not_authentic");

    /// Reports on calls, each a minute after the one before and the last one a minute ago.
    fn after(results: &[CallResult]) -> Option<Attention> {
        report_at(results, NOW)
    }

    fn report_at(results: &[CallResult], now: Timestamp) -> Option<Attention> {
        let (calls, spec) = (RecentCalls::default(), &SPECS[0]);
        for (minutes, result) in (1..=results.len() as u64).rev().zip(results) {
            let at = Timestamp::from_millis(NOW.as_millis() - minutes * 60_000);
            let result = *result;
            calls.record(spec.name, RecentCall { at, result });
        }
        report(spec, &calls.of(spec.name), now)
    }

    #[test]
    fn first_refused_call_of_a_new_provider_is_reported() {
        let item = after(&[UNPROVEN]).unwrap();
        let name = SPECS[0].name;
        assert_eq!(item.kind, "provider_refused");
        assert_eq!(item.step, format!("countersign provider show {name}"));
        assert!(item.detail.contains("not_authentic"), "{}", item.detail);
        assert_eq!(after(&[]), None);
    }

    #[test]
    fn call_that_is_taken_ends_the_report() {
        let accepted = CallResult::Accepted("verified");
        assert_eq!(after(&[UNPROVEN, UNPROVEN, UNPROVEN, accepted]), None);
        let ignored = CallResult::Ignored("not_a_text");
        assert_eq!(after(&[UNPROVEN, ignored]), None);
    }

    #[test]
    fn two_calls_of_a_stranger_are_not_reported() {
        let accepted = CallResult::Accepted("verified");
        assert_eq!(after(&[accepted, UNPROVEN, UNPROVEN]), None);
        assert!(after(&[accepted, UNPROVEN, UNPROVEN, UNPROVEN]).is_some());
    }

    #[test]
    fn wrong_clock_is_named() {
        let item = after(&[CallResult::Refused("too_old")]).unwrap();
        assert!(item.detail.contains("clock"), "{}", item.detail);
    }

    #[test]
    fn other_reasons_and_old_calls_are_not_reported() {
        for reason in ["not_configured", "malformed", "method", "unavailable"] {
            assert_eq!(after(&[CallResult::Refused(reason)]), None, "{reason}");
        }
        let next_day = NOW.plus(SINCE);
        assert_eq!(report_at(&[UNPROVEN], next_day), None);
        let mixed = [UNPROVEN, CallResult::Refused("method")];
        assert!(after(&mixed).is_some());
    }
}
