//! Carrier lookups. The provider fails often, and returns a different carrier each time.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::carrier::{
    CarrierLookup, CarrierName, LOOKUP_TIMEOUT, LookupOutcome,
};
use countersign_domain::primitives::phone::PhoneNumber;

use crate::env::Link;

/// A process's link to the provider.
pub struct CarrierLink {
    /// The process.
    pub link: Link,
}

#[async_trait]
impl CarrierLookup for CarrierLink {
    /// Sometimes exceeds its time limit, like a process that is suspended in the meantime.
    async fn lookup(&self, _: &PhoneNumber, _within: Duration) -> LookupOutcome {
        let sim = self.link.env.sim.clone();
        let effect = async move {
            let limit = u64::try_from(LOOKUP_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
            let name = CarrierName::from_text(&format!("Carrier {}", sim.draw(|c| c.below(1000))));
            let (outcome, wait) = match sim.draw(|c| c.below(16)) {
                0 | 1 => (LookupOutcome::Failed, sim.millis_below(limit)),
                2 | 3 => (LookupOutcome::TimedOut, LOOKUP_TIMEOUT),
                4 | 5 => (LookupOutcome::Empty, sim.millis_below(limit)),
                6 | 7 => (LookupOutcome::Cached(name), Duration::ZERO),
                8 => (LookupOutcome::Limited, Duration::ZERO),
                9 => (LookupOutcome::Paused, Duration::ZERO),
                _ => (LookupOutcome::Found(name), sim.millis_below(limit)),
            };
            sim.pass(wait).await;
            Ok(outcome)
        };
        let outcome = self.link.call("carrier: look up", effect).await;
        outcome.unwrap_or(LookupOutcome::Failed)
    }
}
