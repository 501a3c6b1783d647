//! Cases for stores of nonces and of message parts.

use std::sync::Arc;

use countersign_domain::confirmation::text::traces::{
    ContentHash, KeptPart, NonceHash, NonceOutcome, PARTS_RETENTION, TextKey, UsedNonce,
};
use countersign_domain::primitives::time::Timestamp;

use super::Case;
use super::races::{MANY, ROUNDS, at_once, only};
use crate::check::{Checked, equal};
use crate::samples::{MILLI, NOW};

type Store = Arc<countersign_domain::store::Store>;

const OURS: UsedNonce = with(1);
const OTHER: UsedNonce = with(2);

pub(super) const CASES: &[Case<countersign_domain::store::Store>] = &[
    Case {
        name: "texts: nonce counts once, with one content",
        run: |store| Box::pin(nonce(store)),
    },
    Case {
        name: "texts: nonce is forgotten at its end and no earlier",
        run: |store| Box::pin(nonce_end(store)),
    },
    Case {
        name: "texts: parts of one text are returned together",
        run: |store| Box::pin(parts(store)),
    },
    Case {
        name: "texts: first part with a number counts, and ten at most",
        run: |store| Box::pin(bounds(store)),
    },
    Case {
        name: "texts: parts are forgotten ten minutes after the first",
        run: |store| Box::pin(parts_end(store)),
    },
    Case {
        name: "race: one of 64 calls takes a nonce",
        run: |store| Box::pin(one_taker(store)),
    },
    Case {
        name: "race: ten parts at once are all kept, and one call sees them all",
        run: |store| Box::pin(parts_at_once(store)),
    },
];

fn part(number: u8, text: &str) -> KeptPart {
    KeptPart {
        number,
        message_id: format!("id-{number}"),
        text: text.to_owned(),
    }
}

const fn with(content: u8) -> UsedNonce {
    UsedNonce {
        content: ContentHash([content; 32]),
        purge_at: Timestamp::from_millis(NOW.as_millis() + 60_000),
    }
}

async fn nonce(store: Store) -> Checked {
    let (first, second) = (NonceHash([1; 32]), NonceHash([9; 32]));
    let take = async |nonce, wanted| store.use_nonce(nonce, wanted, NOW).await;
    equal("first", take(first, OURS).await?, NonceOutcome::New)?;
    equal(
        "same call",
        take(first, OURS).await?,
        NonceOutcome::Repeated,
    )?;
    equal(
        "other body",
        take(first, OTHER).await?,
        NonceOutcome::Reused,
    )?;
    equal("again", take(first, OURS).await?, NonceOutcome::Repeated)?;
    equal("other nonce", take(second, OTHER).await?, NonceOutcome::New)
}

async fn nonce_end(store: Store) -> Checked {
    let nonce = NonceHash([1; 32]);
    store.use_nonce(nonce, OURS, NOW).await?;
    let end = OURS.purge_at;
    let before = Timestamp::from_millis(end.as_millis() - 1);
    let outcome = store.use_nonce(nonce, OTHER, before).await?;
    equal("before its end", outcome, NonceOutcome::Reused)?;
    let outcome = store.use_nonce(nonce, OTHER, end).await?;
    equal("at its end", outcome, NonceOutcome::New)
}

async fn parts(store: Store) -> Checked {
    let (text, other) = (TextKey([1; 32]), TextKey([9; 32]));
    let kept = store.keep_part(text, part(2, "b"), NOW).await?;
    equal("first", kept, vec![part(2, "b")])?;
    let kept = store.keep_part(other, part(1, "x"), NOW).await?;
    equal("other text", kept, vec![part(1, "x")])?;
    let later = NOW.plus(MILLI);
    let kept = store.keep_part(text, part(1, "Grüße 😀"), later).await?;
    equal(
        "second",
        sorted(kept),
        vec![part(1, "Grüße 😀"), part(2, "b")],
    )
}

async fn bounds(store: Store) -> Checked {
    let text = TextKey([1; 32]);
    for number in 1..=10 {
        store.keep_part(text, part(number, "a"), NOW).await?;
    }
    let all: Vec<_> = (1..=10).map(|number| part(number, "a")).collect();
    let kept = store.keep_part(text, part(3, "other"), NOW).await?;
    equal("repeated number", sorted(kept), all.clone())?;
    let kept = store.keep_part(text, part(11, "b"), NOW).await?;
    equal("one too many", sorted(kept), all)
}

async fn parts_end(store: Store) -> Checked {
    let text = TextKey([1; 32]);
    store.keep_part(text, part(1, "a"), NOW).await?;
    let end = NOW.plus(PARTS_RETENTION);
    let before = Timestamp::from_millis(end.as_millis() - 1);
    let kept = store.keep_part(text, part(2, "b"), before).await?;
    equal("before their end", kept.len(), 2)?;
    let kept = store.keep_part(text, part(3, "c"), end).await?;
    equal("at their end", kept, vec![part(3, "c")])
}

async fn one_taker(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let outcomes = at_once(MANY, |n| {
            let store = Arc::clone(&store);
            async move {
                let wanted = with(n);
                store.use_nonce(NonceHash([round; 32]), wanted, NOW).await
            }
        })
        .await?;
        let winner = only(&outcomes, |outcome| *outcome != NonceOutcome::Reused)?;
        equal("winner", outcomes[usize::from(winner)], NonceOutcome::New)?;
    }
    Ok(())
}

async fn parts_at_once(store: Store) -> Checked {
    for round in 0..ROUNDS {
        let kept = at_once(10, |n| {
            let store = Arc::clone(&store);
            async move {
                let text = TextKey([round; 32]);
                store.keep_part(text, part(n + 1, "a"), NOW).await
            }
        })
        .await?;
        only(&kept, |parts| parts.len() == 10)?;
    }
    Ok(())
}

/// Stores may return parts in any order.
fn sorted(mut parts: Vec<KeptPart>) -> Vec<KeptPart> {
    parts.sort_by_key(|part| part.number);
    parts
}
