//! Look-ups of carriers. The provider fails often, and names another carrier each time.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::confirmation::carrier::{CarrierLookup, CarrierName, LookupOutcome};
use countersign_domain::primitives::phone::PhoneNumber;

use crate::env::Link;

/// A process's link to the provider.
pub struct CarrierLink {
    /// The process.
    pub link: Link,
}

#[async_trait]
impl CarrierLookup for CarrierLink {
    async fn look_up(&self, _: &PhoneNumber, within: Duration) -> LookupOutcome {
        let sim = self.link.env.sim.clone();
        let effect = async move {
            let limit = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
            let name = CarrierName::of(&format!("Carrier {}", sim.draw(|c| c.below(1000))));
            let (outcome, wait) = match sim.draw(|c| c.below(8)) {
                0 => (LookupOutcome::Failed, sim.millis_below(limit)),
                1 => (LookupOutcome::TimedOut, within),
                2 => (LookupOutcome::Empty, sim.millis_below(limit)),
                3 => (LookupOutcome::Cached(name), Duration::ZERO),
                4 => (LookupOutcome::Limited, Duration::ZERO),
                _ => (LookupOutcome::Found(name), sim.millis_below(limit)),
            };
            sim.pass(wait).await;
            Ok(outcome)
        };
        let outcome = self.link.call("carrier: look up", effect).await;
        outcome.unwrap_or(LookupOutcome::Failed)
    }
}
