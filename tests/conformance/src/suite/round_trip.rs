//! Every field of a confirmation is read back as it was written.

use std::time::Duration;

use countersign_domain::app::senders::Recipient;
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::confirmation::{Confirmation, Idempotency, Redactable, TextFingerprint};
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    Attempt, AttemptResult, FailureReason, KeptSignature, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::primitives::idempotency::RequestHash;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;

use super::Case;
use super::steps::{Store, claim, create, pending, pointer_to, settle_as, stored, verify};
use crate::chance::Chance;
use crate::check::{Checked, Failure};
use crate::samples::{
    NOW, WHATSAPP, acquisition, app_id, confirmation, metadata, phone, text, whatsapp,
    with_delivery,
};
use crate::stores::Stores;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "round trip: metadata is preserved",
        run: |store| Box::pin(metadata_forms(store)),
    },
    Case {
        name: "round trip: callbacks, recipients and messages are preserved",
        run: |store| Box::pin(texts(store)),
    },
    Case {
        name: "round trip: times from the first to the last are preserved",
        run: |store| Box::pin(times(store)),
    },
    Case {
        name: "round trip: sender, carrier and fingerprint of a text are preserved",
        run: |store| Box::pin(evidence(store)),
    },
    Case {
        name: "round trip: every result of an attempt is preserved",
        run: |store| Box::pin(attempts(store)),
    },
    Case {
        name: "round trip: arbitrary bytes are preserved",
        run: |store| Box::pin(arbitrary_bytes(store)),
    },
];

async fn is_preserved(store: &Store, item: &Confirmation) -> Checked {
    create(store, item).await?;
    stored(store, item, item.created_at).await
}

async fn metadata_forms(store: Store) -> Checked {
    let longest = format!(r#"{{"long":"{}"}}"#, "x".repeat(4000));
    let wide = (0..50).map(|n| format!(r#""k{n}":{n}"#));
    let wide = format!("{{{}}}", wide.collect::<Vec<_>>().join(","));
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(15), "]".repeat(15));
    for (n, json) in (0..).zip([
        "{}",
        r#"{"":""}"#,
        r#"{"quote\"":"back\\slash","control":"\u0000\u001f\n","line":"\u2028"}"#,
        r#"{"text":"Grüße 電話 👩‍👩‍👧 \ud83d\ude00","ünï":null}"#,
        r#"{"9":1,"10":2,"b":[true,false,null,{}],"a":{"z":[],"y":{}}}"#,
        r#"{"big":1e20,"small":-1.5e-7,"max":9007199254740991,"zero":-0}"#,
        &longest,
        &wide,
        &deep,
    ]) {
        let mut item = acquisition(n);
        item.metadata = Redactable::Present(metadata(json));
        is_preserved(&store, &item).await?;
        // Verification rewrites the item, which must preserve it too.
        let item = verify(&store, &item, &text(1), NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn texts(store: Store) -> Checked {
    let longest = format!("https://example.com/{}", "a".repeat(2028));
    let callbacks = [
        "https://example.com",
        "https://example.com:8443/a%20b/%F0%9F%93%9E?x=1&y=%22quoted%22",
        "https://[2606:4700::1111]/hook",
        "https://xn--bcher-kva.example/?q='(x)'",
        "http://127.0.0.1:9000/hook",
        &longest,
    ];
    let recipients = ["+12025550199", "12345", "999", "+9991234567"];
    let messages = ["CS-{code}", "Für Lädle: SHOP-{code}", "\"{code}\"\\", ""];
    for (n, callback) in (0_u8..).zip(callbacks) {
        let invalid = |what: &str| Failure::new(format_args!("invalid sample: {what}"));
        let pick = usize::from(n) % recipients.len();
        let mut item = if n % 2 == 0 {
            acquisition(n)
        } else {
            confirmation(n)
        };
        item.callback = CallbackUrl::from_stored(callback).map_err(|_| invalid(callback))?;
        item.send_to = recipients[pick]
            .parse::<Recipient>()
            .map_err(|_| invalid("number"))?;
        item.whatsapp = (n % 3 != 0).then(|| whatsapp(WHATSAPP));
        item.app = app_id(["a", "shop-eu", "demo2"][usize::from(n) % 3]);
        item.idempotency = Some(Idempotency {
            request: RequestHash::of("/acquire-phone-number", &[n]),
            message: messages[usize::from(n) % messages.len()].to_owned(),
        });
        is_preserved(&store, &item).await?;
        let item = verify(&store, &item, &text(1), NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn times(store: Store) -> Checked {
    let last = Timestamp::from_millis(u64::MAX);
    for (n, [created_at, expires_at, purge_at]) in (0..).zip([
        [0, 1, 2],
        [0, 0, 1],
        [1_767_323_045_001, 1_767_323_045_999, 1_767_323_046_000],
        [1 << 32, 1 << 40, 1 << 41],
    ]) {
        let mut item = acquisition(n);
        item.created_at = Timestamp::from_millis(created_at);
        item.expires_at = Timestamp::from_millis(expires_at);
        item.purge_at = Timestamp::from_millis(purge_at);
        is_preserved(&store, &item).await?;
    }
    let mut item = acquisition(9);
    (item.expires_at, item.purge_at) = (last, last);
    is_preserved(&store, &item).await?;
    let at = Timestamp::from_millis(last.as_millis() - 1);
    let item = verify(&store, &item, &text(1), at).await?;
    stored(&store, &item, at).await
}

async fn evidence(store: Store) -> Checked {
    let longest = "\u{10FFFF}".repeat(64);
    let carriers = ["", "O2 \"DE\"", "NTT ドコモ", "a\\b/c", &longest];
    let numbers = ["+1234567", "+123456789012345", "+12025550100"];
    for (n, carrier) in (0_u8..).zip(carriers) {
        let open = acquisition(n);
        create(&store, &open).await?;
        let mut text = text(1);
        text.carrier = CarrierName::of(carrier);
        text.from = phone(numbers[usize::from(n) % numbers.len()]);
        text.text = TextFingerprint::from_bytes([n.wrapping_sub(1); 16]);
        let item = verify(&store, &open, &text, NOW).await?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn attempts(store: Store) -> Checked {
    let statuses = [100, 200, 204, 301, 404, 410, 429, 503, 599, u16::MAX];
    let answered = statuses.map(AttemptResult::Answered);
    let reasons = FailureReason::ALL.map(AttemptResult::NoAnswer);
    let durations = [0, 1, 9_999, 3_600_000];
    let mut item = pending(&store, 1).await?;
    for (n, result) in (1_u32..).zip(answered.into_iter().chain(reasons)) {
        item = claim(&store, &item, NOW).await?;
        let made = Attempt {
            number: n,
            at: Timestamp::from_millis(u64::from(n)),
            duration: Duration::from_millis(durations[(n % 4) as usize]),
            result,
        };
        let settlement = Settlement::Retry {
            at: NOW,
            due_at: NOW,
        };
        let settled = SettledAttempt {
            attempt: made.clone(),
            signature: None,
            settlement,
        };
        let outcome = SettleOutcome::Settled {
            pointer: Some(pointer_to(&item, n)),
        };
        settle_as(&store, item.id, settled, NOW, outcome).await?;
        item = with_delivery(&item, |delivery| {
            delivery.attempts.push(made);
            delivery.progress = countersign_domain::delivery::Progress::Pending {
                next_attempt_at: NOW,
                due_at: NOW,
                claimed_at: None,
            };
        });
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn arbitrary_bytes(store: Store) -> Checked {
    let mut chance = Chance::of(17);
    for n in 0..16 {
        let mut open = acquisition(n);
        open.id = countersign_domain::primitives::ids::ConfirmationId::from_bytes(chance.bytes());
        open.idempotency = Some(Idempotency {
            request: RequestHash::from_bytes(chance.bytes()),
            message: String::new(),
        });
        create(&store, &open).await?;
        let mut text = text(1);
        text.text = TextFingerprint::from_bytes(chance.bytes());
        let item = verify(&store, &open, &text, NOW).await?;
        let item = claim(&store, &item, NOW).await?;
        let der = chance.bytes::<72>()[..usize::from(n) * 72 / 15].to_vec();
        let kept = KeptSignature {
            body_hash: chance.bytes(),
            key_id: KeyId::from_stored("xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M".to_owned()),
            der,
        };
        let made = crate::samples::attempt(1, 200);
        let settled = SettledAttempt {
            attempt: made.clone(),
            signature: Some(kept.clone()),
            settlement: Settlement::Delivered,
        };
        let done = SettleOutcome::Settled { pointer: None };
        settle_as(&store, item.id, settled, NOW, done).await?;
        let item = with_delivery(&item, |delivery| {
            delivery.attempts.push(made);
            delivery.signature = Some(kept);
            delivery.progress = countersign_domain::delivery::Progress::Delivered { at: NOW };
        });
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}
