//! A process's memory of providers' last calls, for operators who set a provider up.
//!
//! It holds no numbers, texts, codes or headers: only when a call came, what became of it, and a constant that says why.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign_domain::primitives::time::Timestamp;

/// Number of calls that are kept of each provider and [kind](CallResult::is_refused). Strangers can cause refusals, so
/// refusals push out only refusals.
const KEPT: usize = 10;

/// The result of a call. Each variant has a constant that says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallResult {
    /// The call was taken: the effect of its text, or the provider's own check.
    Accepted(&'static str),
    /// The call was taken, but contained no text from a phone number.
    Ignored(&'static str),
    /// The call was refused, so its texts had no effect.
    Refused(&'static str),
}

impl CallResult {
    /// Returns the stable name of the variant.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted(_) => "accepted",
            Self::Ignored(_) => "ignored",
            Self::Refused(_) => "refused",
        }
    }

    /// Returns the stable name of the reason.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Accepted(reason) | Self::Ignored(reason) | Self::Refused(reason) => reason,
        }
    }

    /// Returns whether the call was refused.
    #[must_use]
    pub const fn is_refused(self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

/// A provider's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentCall {
    pub at: Timestamp,
    pub result: CallResult,
}

/// The calls of one provider since the process started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallSummary {
    /// Number of accepted calls.
    pub accepted: u64,
    /// Number of ignored calls.
    pub ignored: u64,
    /// Number of refused calls.
    pub refused: u64,
    /// The last calls, newest first.
    pub last: Vec<RecentCall>,
}

/// The last calls of every provider, by its name in the route.
#[derive(Debug, Default)]
pub struct RecentCalls(Mutex<BTreeMap<&'static str, Kept>>);

#[derive(Debug, Default)]
struct Kept {
    accepted: u64,
    ignored: u64,
    refused: u64,
    taken: VecDeque<RecentCall>,
    turned_away: VecDeque<RecentCall>,
}

impl RecentCalls {
    /// Remembers a call. The names must be those of known providers, because each takes memory.
    pub fn record(&self, provider: &'static str, call: RecentCall) {
        let mut all = self.lock();
        let kept = all.entry(provider).or_default();
        let count = match call.result {
            CallResult::Accepted(_) => &mut kept.accepted,
            CallResult::Ignored(_) => &mut kept.ignored,
            CallResult::Refused(_) => &mut kept.refused,
        };
        *count = count.saturating_add(1);
        let calls = if call.result.is_refused() {
            &mut kept.turned_away
        } else {
            &mut kept.taken
        };
        calls.truncate(KEPT - 1);
        calls.push_front(call);
    }

    /// Returns the calls of a provider.
    #[must_use]
    pub fn of(&self, provider: &str) -> CallSummary {
        let all = self.lock();
        let Some(kept) = all.get(provider) else {
            return CallSummary::default();
        };
        let mut last: Vec<_> = kept
            .taken
            .iter()
            .chain(&kept.turned_away)
            .copied()
            .collect();
        last.sort_by_key(|call| std::cmp::Reverse(call.at));
        CallSummary {
            accepted: kept.accepted,
            ignored: kept.ignored,
            refused: kept.refused,
            last,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(second: u64, result: CallResult) -> RecentCall {
        let at = Timestamp::from_millis(1_767_323_045_678 + second * 1_000);
        RecentCall { at, result }
    }

    #[test]
    fn strangers_refusals_do_not_push_out_what_the_provider_sent() {
        let calls = RecentCalls::default();
        calls.record("twilio", call(0, CallResult::Accepted("verified")));
        for second in 1..=1_000 {
            calls.record("twilio", call(second, CallResult::Refused("not_authentic")));
        }
        calls.record("twilio", call(1_001, CallResult::Ignored("not_a_text")));
        let summary = calls.of("twilio");
        let counts = (summary.accepted, summary.ignored, summary.refused);
        assert_eq!(counts, (1, 1, 1_000));
        let results: Vec<_> = summary.last.iter().map(|call| call.result.name()).collect();
        assert_eq!(results.len(), KEPT + 2);
        assert_eq!(results[0], "ignored");
        assert_eq!(results[KEPT + 1], "accepted");
        assert!(summary.last.is_sorted_by(|a, b| a.at >= b.at));
    }

    #[test]
    fn only_the_last_calls_are_kept_and_providers_are_apart() {
        let calls = RecentCalls::default();
        for second in 0..50 {
            calls.record("telnyx", call(second, CallResult::Accepted("miss_no_code")));
        }
        let summary = calls.of("telnyx");
        assert_eq!((summary.accepted, summary.last.len()), (50, KEPT));
        assert_eq!(
            summary.last[0],
            call(49, CallResult::Accepted("miss_no_code"))
        );
        assert_eq!(calls.of("twilio"), CallSummary::default());
    }
}
