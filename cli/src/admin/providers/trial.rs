//! A correctly signed text, sent to a service as the provider would send it.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::{InboundError, InboundProvider, Outcome, ProviderSpec};
use countersign_system::entropy::OsEntropy;
use reqwest::StatusCode;

use crate::demo;
use crate::failure::Failure;
use crate::web;

/// A fictional number (NANP 555-0100).
const FROM: &str = "+12025550100";

/// Returns random bytes in hexadecimal.
pub(crate) fn random(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    OsEntropy.fill(&mut random);
    let hex = random.iter().map(|byte| format!("{byte:02x}"));
    hex.collect()
}

/// The answer to a trial.
pub(crate) struct Trial {
    /// The URL that was called.
    pub(crate) url: String,
    pub(crate) status: StatusCode,
    body: String,
    /// The status with which the service refuses calls that are not the provider's.
    status_of_refusal: u16,
}

impl Trial {
    pub(crate) fn is_accepted(&self) -> bool {
        self.status.is_success()
    }

    /// Returns the likely cause of a refusal, after a colon; empty if it is not known.
    pub(crate) fn cause(&self) -> &'static str {
        self.refusal_cause().1
    }

    /// Returns the stable name of the refusal's sentence.
    pub(super) fn refusal_code(&self) -> &'static str {
        self.refusal_cause().0
    }

    fn refusal_cause(&self) -> (&'static str, &'static str) {
        match self.status.as_u16() {
            status if status == self.status_of_refusal => (
                "trial_not_authentic",
                ": the server has other secrets or another public URL",
            ),
            421 => (
                "trial_other_host",
                ": the server does not know this host; start it with --public-url",
            ),
            404 => ("trial_off", ": the provider is off there"),
            _ => ("trial_refused", ""),
        }
    }

    /// Returns the answer's body in one line, with a link to the documentation of its problem.
    pub(crate) fn refusal(&self, server: &str) -> String {
        web::refusal(server, self.status, &self.body)
    }
}

/// Sends a text without a code to the service at `server`; `None` if only the provider itself can sign.
pub(crate) async fn send(
    provider: &dyn InboundProvider,
    spec: &ProviderSpec,
    server: &str,
    now: Timestamp,
) -> Option<Result<Trial, Failure>> {
    let text = InboundMessage {
        provider: provider.name(),
        channel: spec.channel,
        message_id: format!("test-{}", random(12)),
        from: FROM.to_owned(),
        to: demo::NUMBER.to_owned(),
        text: "A test of Countersign, without a code".to_owned(),
        carrier: None,
    };
    let signed = provider.sign(&text, now, &random(12))?;
    let url = format!("{server}/inbound-sms/{}", spec.name);
    let refused = provider.answer(Outcome::Refused(InboundError::NotAuthentic));
    let exchange = async {
        let mut request = web::client()?.post(&url).body(signed.body);
        for (name, value) in signed.headers {
            request = request.header(name, value);
        }
        web::send(server, request).await
    };
    Some(exchange.await.map(|(status, body)| Trial {
        url,
        status,
        body,
        status_of_refusal: refused.status,
    }))
}

/// Explains why no trial is possible.
pub(crate) fn unsigned(name: &str) -> String {
    format!("only the provider itself can sign for {name}: send a real text from a phone")
}
