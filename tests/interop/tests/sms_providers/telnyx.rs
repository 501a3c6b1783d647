//! Telnyx: its library accepts what we accept and refuses what we refuse.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_inbound::telnyx::{Telnyx, TelnyxKey};
use countersign_interop::chance::Chance;
use ring::signature::Ed25519KeyPair;
use serde_json::{Map, Value, json};

use crate::generated::{content, now};
use crate::{Job, TELNYX_KEY, is_authentic, take};

/// A change to a call after it was signed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Nothing,
    /// Flips one bit of the body. The library reads text, so the change keeps the body ASCII.
    Body,
    /// Flips one bit of the signature.
    Signature,
    /// Changes the time by one second.
    Time,
    /// Signed six minutes ago.
    Old,
    /// Signed with another key.
    Key,
}

const CHANGES: [Change; 6] = [
    Change::Nothing,
    Change::Body,
    Change::Signature,
    Change::Time,
    Change::Old,
    Change::Key,
];

/// A call that we sign, verified by the library and by us.
pub(crate) fn ours(chance: &mut Chance, jobs: &mut Vec<Job>) {
    let body = json!({
        "data": {
            "event_type": "message.received",
            "id": "b301ed3f-1490-491f-995f-6e64e69674d4",
            "occurred_at": "2026-11-22T10:00:00.000+00:00",
            "record_type": "event",
            "payload": {
                "id": "m1", "type": "SMS", "direction": "inbound", "record_type": "message",
                "from": {"phone_number": "+12025550100", "carrier": "Example Wireless"},
                "to": [{"phone_number": "+12025550199"}],
                "text": content(chance),
            },
        },
    });
    for change in CHANGES {
        let mut bytes = body.to_string().into_bytes();
        let seed = if change == Change::Key {
            [2; 32]
        } else {
            [1; 32]
        };
        let age = if change == Change::Old { 360 } else { 0 };
        let mut at = now().as_secs() - age;
        let key = Ed25519KeyPair::from_seed_unchecked(&seed).unwrap();
        let signed = [at.to_string().as_bytes(), b"|", &bytes].concat();
        let mut signature = key.sign(&signed).as_ref().to_vec();
        match change {
            Change::Body => {
                let ascii: Vec<_> = (0..bytes.len())
                    .filter(|at| bytes[*at].is_ascii())
                    .collect();
                bytes[chance.pick(&ascii)] ^= 1;
            }
            Change::Signature => signature[chance.below(64)] ^= 1 << chance.below(8),
            Change::Time => at -= 1,
            Change::Nothing | Change::Old | Change::Key => {}
        }
        let headers = Map::from_iter([
            ("telnyx-timestamp".to_owned(), at.to_string().into()),
            (
                "telnyx-signature-ed25519".to_owned(),
                BASE64_STANDARD.encode(signature).into(),
            ),
        ]);
        let telnyx = Telnyx::new(TELNYX_KEY.parse::<TelnyxKey>().unwrap());
        let expected = change == Change::Nothing;
        let taken = take(&telnyx, None, &headers, &bytes);
        assert_eq!(is_authentic(&taken), expected, "{change:?}");
        let body = String::from_utf8(bytes).unwrap();
        let job = json!({
            "action": "verify", "provider": "telnyx", "headers": headers, "body": body,
        });
        let check = move |result: &Value| assert_eq!(*result, expected, "{change:?}: {body}");
        jobs.push((job, Box::new(check)));
    }
}
