//! Lookups whose settings could not be read when the process started.

use std::time::Duration;

use async_trait::async_trait;
use countersign_api::Causes;
use countersign_carrier::BoundedLookup;
use countersign_domain::confirmation::carrier::{CarrierLookup, LookupOutcome};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::unavailable::Unavailable;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// Reads the settings on the first lookup, and again until that succeeds. Until then every lookup
/// fails, which shows in the counters.
pub(crate) struct LazyLookup<R> {
    /// Reads the settings and creates the lookup.
    read: R,
    lookup: OnceCell<BoundedLookup>,
}

impl<R> LazyLookup<R> {
    /// Creates a lookup that calls `read` to get its settings.
    pub(crate) fn new(read: R) -> Self {
        Self {
            read,
            lookup: OnceCell::new(),
        }
    }
}

#[async_trait]
impl<R, F> CarrierLookup for LazyLookup<R>
where
    R: Fn() -> F + Send + Sync,
    F: Future<Output = Result<BoundedLookup, Unavailable>> + Send,
{
    async fn lookup(&self, number: &PhoneNumber, within: Duration) -> LookupOutcome {
        let looked_up = async {
            match self.lookup.get_or_try_init(&self.read).await {
                Ok(lookup) => lookup.lookup(number, within).await,
                Err(error) => {
                    let cause = Causes(&error);
                    tracing::warn!(%cause, "cannot read the settings of carrier lookups");
                    LookupOutcome::Failed
                }
            }
        };
        let outcome = timeout(within, looked_up).await;
        outcome.unwrap_or(LookupOutcome::TimedOut)
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use countersign_carrier::{CarrierSource, SourceError};
    use countersign_domain::confirmation::carrier::{CarrierName, LOOKUP_TIMEOUT};
    use countersign_system::entropy::OsEntropy;
    use tokio::time::Instant;

    use super::*;

    struct Acme;

    #[async_trait]
    impl CarrierSource for Acme {
        async fn ask(&self, _: &PhoneNumber) -> Result<CarrierName, SourceError> {
            Ok(CarrierName::from_text("Acme"))
        }
    }

    fn number() -> PhoneNumber {
        PhoneNumber::parse_international("+12025550100").unwrap()
    }

    #[tokio::test]
    async fn settings_are_read_until_they_are_readable() {
        let reads = AtomicUsize::new(0);
        let late = LazyLookup::new(|| {
            let earlier = reads.fetch_add(1, Ordering::Relaxed);
            async move {
                if earlier < 2 {
                    return Err(Unavailable::new("settings", "throttled"));
                }
                Ok(BoundedLookup::new(Arc::new(Acme), 9, &OsEntropy))
            }
        });
        assert_eq!(
            late.lookup(&number(), LOOKUP_TIMEOUT).await,
            LookupOutcome::Failed
        );
        assert_eq!(
            late.lookup(&number(), LOOKUP_TIMEOUT).await,
            LookupOutcome::Failed
        );
        let name = CarrierName::from_text("Acme");
        let found = late.lookup(&number(), LOOKUP_TIMEOUT).await;
        assert_eq!(found, LookupOutcome::Found(name.clone()));
        let again = late.lookup(&number(), LOOKUP_TIMEOUT).await;
        assert_eq!(again, LookupOutcome::Cached(name));
        assert_eq!(reads.load(Ordering::Relaxed), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn reading_takes_no_longer_than_a_lookup_may() {
        let late = LazyLookup::new(pending);
        let began = Instant::now();
        assert_eq!(
            late.lookup(&number(), LOOKUP_TIMEOUT).await,
            LookupOutcome::TimedOut
        );
        assert_eq!(began.elapsed(), LOOKUP_TIMEOUT);
    }
}
