//! Webhook bodies survive a round trip through other languages: parsing and re-serializing them gives
//! the signed bytes again.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use countersign_domain::primitives::canonical_json::{CanonicalObject, Limits};
use countersign_interop::bodies::{Key, Peculiarities, Template};
use countersign_interop::hostile::{Document, Hazard};
use countersign_interop::notices::announce;
use countersign_interop::peer::{Frame, Peer, Report};
use countersign_interop::seeds::{FIXED, fresh};

/// One in this many bodies is signed and verified; every body is re-serialized. Signing takes most of the
/// time, and the validity of a signature does not depend on the content.
const SIGN_EVERY: usize = 10;

/// Counts of the bodies sent to a peer, by expected result.
#[derive(Default)]
struct Sent {
    bodies: usize,
    comparable: usize,
    signed: usize,
    refused: BTreeMap<Hazard, usize>,
}

impl Sent {
    /// Sends `count` bodies from `seed` to `peer`. Every document must be accepted, or refused for exactly
    /// the reason that the generator put into it.
    fn generate(
        &mut self,
        peer: &mut Peer,
        seed: u64,
        count: u64,
        comparable: fn(Peculiarities) -> bool,
    ) {
        let key = Key::new();
        let mut template = Template::new();
        for number in 0..count {
            let Document {
                text,
                hazard,
                carrier,
            } = Document::generate(seed, number);
            let place = format_args!("document {number} of seed {seed}: {text}");
            let metadata = match (CanonicalObject::parse(&text, Limits::METADATA), hazard) {
                (Ok(metadata), None) => metadata,
                (Err(error), Some(hazard)) if hazard.explains(error) => {
                    *self.refused.entry(hazard).or_default() += 1;
                    continue;
                }
                (result, hazard) => panic!("expected {hazard:?}, found {result:?}; {place}"),
            };
            let body = template.body(metadata, &carrier);
            let body = body.as_str();
            let comparable = comparable(Peculiarities::from_text(body));
            let signed = comparable && self.comparable.is_multiple_of(SIGN_EVERY);
            let signature = if signed { key.sign(body) } else { Vec::new() };
            self.bodies += 1;
            self.comparable += usize::from(comparable);
            self.signed += usize::from(signed);
            peer.send(Frame {
                written: &text,
                body,
                signature: &signature,
                comparable,
            });
        }
    }

    /// Compares the peer's report with what was sent.
    fn compare(&self, test: &str, report: &Report) {
        let Self {
            bodies,
            comparable,
            signed,
            refused,
        } = self;
        announce(&format!(
            "{test}: {bodies} bodies, {comparable} re-serialised, {signed} verified; refused {refused:?}"
        ));
        assert_eq!(report.wrong, [""; 0]);
        let found = (
            report.read,
            report.kept,
            report.reserialised,
            report.verified,
        );
        assert_eq!(found, (*bodies, *bodies, *comparable, *signed));

        // Checks that the generator creates enough documents of each kind.
        let refusals: usize = refused.values().sum();
        assert_eq!(
            refused.len(),
            Hazard::ALL.len(),
            "some reason never occurs: {refused:?}"
        );
        assert!(
            (5..20).contains(&(refusals * 100 / (refusals + bodies))),
            "{refused:?}"
        );
        assert!(*comparable * 5 > *bodies, "too few bodies can be compared");
    }
}

#[test]
fn javascript_reserialises_bodies_to_the_signed_bytes() {
    let test = "canonical bodies through Node.js";
    let Some(mut peer) = Peer::start(test, &["node"], "check.mjs", &Key::new().public_pem()) else {
        return;
    };
    let mut sent = Sent::default();
    sent.generate(&mut peer, FIXED, 85_000, |_| true);
    sent.generate(&mut peer, fresh(test), 30_000, |_| true);
    sent.compare(test, &peer.finish());
    assert!(sent.bodies >= 100_000, "{}", sent.bodies);
}

#[test]
fn python_reserialises_bodies_without_fractions_to_the_same_bytes() {
    let test = "canonical bodies through Python";
    let Some(mut peer) = Peer::start(test, &["python3"], "check.py", &Key::new().public_pem())
    else {
        return;
    };
    let mut sent = Sent::default();
    sent.generate(&mut peer, FIXED, 10_000, |body| !body.fraction);
    sent.generate(&mut peer, fresh(test), 10_000, |body| !body.fraction);
    // Python's standard library has no ECDSA.
    sent.signed = 0;
    sent.compare(test, &peer.finish());
}

#[test]
fn go_reserialises_bodies_without_numeric_keys_and_line_separators_to_the_same_bytes() {
    let test = "canonical bodies through Go";
    let Some(mut peer) = Peer::start(test, &["go", "run"], "check.go", &Key::new().public_pem())
    else {
        return;
    };
    let alike = |body: Peculiarities| !body.numeric_key && !body.separator;
    let mut sent = Sent::default();
    sent.generate(&mut peer, FIXED, 10_000, alike);
    sent.generate(&mut peer, fresh(test), 10_000, alike);
    sent.compare(test, &peer.finish());
}

/// Returns the body that an ordinary serializer would send.
fn plain(metadata: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(metadata).ok()?;
    Some(format!(r#"{{"metadata":{value}}}"#))
}

/// Shows that the checks above can fail.
#[test]
fn bodies_of_an_ordinary_serialiser_are_reported_as_wrong() {
    let test = "ordinary bodies through Node.js";
    let key = Key::new();
    let Some(mut peer) = Peer::start(test, &["node"], "check.mjs", &key.public_pem()) else {
        return;
    };
    let known = [
        r#"{"9":0,"10":0}"#,
        r#"{"a":1.0}"#,
        r#"{"a":1e20}"#,
        r#"{"a":-0.0}"#,
    ];
    for written in known {
        let body = plain(written).expect("JSON");
        let signature = key.sign(&body);
        peer.send(Frame {
            written,
            body: &body,
            signature: &signature,
            comparable: true,
        });
    }
    let good = plain(r#"{"a":1}"#).expect("JSON");
    let signature = key.sign(r#"{"metadata":{"a":2}}"#);
    peer.send(Frame {
        written: r#"{"a":1}"#,
        body: &good,
        signature: &signature,
        comparable: true,
    });
    peer.send(Frame {
        written: r#"{"a":2}"#,
        body: &good,
        signature: &[],
        comparable: true,
    });

    let report = peer.finish();
    assert_eq!(
        (
            report.read,
            report.reserialised,
            report.kept,
            report.verified
        ),
        (6, 2, 5, 0)
    );
    assert_eq!(
        report.wrong.len(),
        5,
        "the report lists at most five bodies: {:?}",
        report.wrong
    );
}

/// Shows that the generated documents are awkward enough.
#[test]
fn many_generated_documents_break_an_ordinary_serialiser() {
    let test = "ordinary bodies through Node.js, generated";
    let Some(mut peer) = Peer::start(test, &["node"], "check.mjs", &Key::new().public_pem()) else {
        return;
    };
    let mut bodies = 0;
    for number in 0..3_000 {
        let Document { text, hazard, .. } = Document::generate(FIXED, number);
        if let (None, Some(body)) = (hazard, plain(&text)) {
            bodies += 1;
            peer.send(Frame {
                written: &text,
                body: &body,
                signature: &[],
                comparable: true,
            });
        }
    }
    let report = peer.finish();
    assert_eq!(report.read, bodies);
    let broken = (bodies - report.reserialised) * 100 / bodies;
    announce(&format!(
        "an ordinary serialiser breaks {broken} % of the generated documents"
    ));
    assert!(broken > 20, "only {broken} % of the documents are hostile");
}
