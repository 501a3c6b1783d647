use std::sync::Arc;

use async_trait::async_trait;
use countersign_conformance::model::ModelTexts;
use countersign_conformance::suite;
use countersign_domain::confirmation::text::store::{
    KeptPart, NonceHash, TakeOutcome, TakenNonce, TextKey, TextStore,
};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

/// A fault of a store of nonces and of parts of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Nothing,
    ContentIsIgnored,
    RepeatedIsReused,
    NonceIsForgottenEarly,
    NonceIsKeptForEver,
    TakingIsNotAtomic,
    TextsAreMixed,
    LastPartIsMissing,
    LastPartCounts,
    PartsAreKeptForEver,
    KeepingIsNotAtomic,
}

/// Each fault with the case that must catch it.
const FAULTS: &[(Fault, &str)] = &[
    (Fault::ContentIsIgnored, "texts: nonce counts once"),
    (Fault::RepeatedIsReused, "texts: nonce counts once"),
    (Fault::NonceIsForgottenEarly, "texts: nonce is forgotten"),
    (Fault::NonceIsKeptForEver, "texts: nonce is forgotten"),
    (Fault::TakingIsNotAtomic, "race: one of 64 calls takes"),
    (Fault::TextsAreMixed, "texts: parts of one text"),
    (Fault::LastPartIsMissing, "texts: parts of one text"),
    (Fault::LastPartCounts, "texts: first part with a number"),
    (Fault::PartsAreKeptForEver, "texts: parts are forgotten"),
    (Fault::KeepingIsNotAtomic, "race: ten parts at once"),
];

#[tokio::test(start_paused = true)]
async fn every_fault_is_caught() {
    let make = async |fault| Arc::new(Broken::new(fault));
    suite::texts(async || make(Fault::Nothing).await)
        .await
        .assert_passed();
    let mut missed = Vec::new();
    for (fault, case) in FAULTS {
        let case = super::named(suite::text_cases(), case);
        let make = async || make(*fault).await as Arc<dyn TextStore>;
        missed.extend(super::caught(fault, &suite::run(vec![case], make).await).err());
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// The model with one fault.
struct Broken {
    model: ModelTexts,
    fault: Fault,
}

impl Broken {
    fn new(fault: Fault) -> Self {
        Self {
            model: ModelTexts::default(),
            fault,
        }
    }
}

#[async_trait]
impl TextStore for Broken {
    async fn take_nonce(
        &self,
        nonce: NonceHash,
        wanted: TakenNonce,
        now: Timestamp,
    ) -> Result<TakeOutcome, Unavailable> {
        let at = match self.fault {
            Fault::NonceIsForgottenEarly => now.plus(std::time::Duration::from_millis(1)),
            Fault::NonceIsKeptForEver => Timestamp::from_millis(0),
            _ => now,
        };
        let outcome = self.model.take_nonce(nonce, wanted, at).await?;
        Ok(match (self.fault, outcome) {
            (Fault::RepeatedIsReused, TakeOutcome::Repeated) => TakeOutcome::Reused,
            // In a race this is what several calls see that read before the first one wrote.
            (Fault::ContentIsIgnored | Fault::TakingIsNotAtomic, TakeOutcome::Reused) => {
                TakeOutcome::Repeated
            }
            (_, outcome) => outcome,
        })
    }

    async fn keep_part(
        &self,
        text: TextKey,
        part: KeptPart,
        now: Timestamp,
    ) -> Result<Vec<KeptPart>, Unavailable> {
        let number = part.number;
        let text = match self.fault {
            Fault::TextsAreMixed => TextKey([0; 32]),
            _ => text,
        };
        let at = match self.fault {
            Fault::PartsAreKeptForEver => Timestamp::from_millis(0),
            _ => now,
        };
        let mut parts = self.model.keep_part(text, part.clone(), at).await?;
        match self.fault {
            Fault::LastPartIsMissing => parts.retain(|kept| kept.number != number),
            Fault::LastPartCounts => {
                parts.retain(|kept| kept.number != number);
                parts.push(part);
            }
            Fault::KeepingIsNotAtomic => parts.truncate(9),
            _ => {}
        }
        Ok(parts)
    }
}
