//! The callers' servers, which fail like real ones until they heal.

use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::{AttemptResult, FailureReason};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;

use crate::env::{Env, Link};
use crate::sim::{OUTSIDE, Sim};
use crate::weather::Ending;
use crate::wire::Arrived;

/// The webhook client's timeout for a whole exchange.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(10);

/// The servers of a run.
#[derive(Clone)]
pub struct Receivers {
    env: Env,
    all: Vec<Receiver>,
}

#[derive(Clone)]
struct Receiver {
    url: CallbackUrl,
    illness: Illness,
    heals_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Illness {
    /// Answers 500, 502, 404 or 302.
    Errs,
    /// Answers 429 or 503, with or without `Retry-After`.
    Busy,
    /// Receives the webhook, and answers too late.
    Silent,
    /// Receives the webhook, then breaks the connection.
    Breaks,
    Unreachable,
    /// Answers 410.
    Gone,
    /// Its name resolves to a private address.
    Private,
}

const ILLNESSES: [Illness; 7] = [
    Illness::Errs,
    Illness::Busy,
    Illness::Silent,
    Illness::Breaks,
    Illness::Unreachable,
    Illness::Gone,
    Illness::Private,
];

impl Receivers {
    /// Draws three servers, each with its own fault for its own time (or without any).
    #[must_use]
    pub fn draw(env: Env) -> Self {
        let now = env.sim.now();
        let all = (1..=3).filter_map(|n| {
            let url = CallbackUrl::from_stored(&format!("https://shop-{n}.example/hook")).ok()?;
            let (illness, ill_for) = env.sim.draw(|chance| {
                let minutes = chance.one_of(&[0, 0, 2, 20, 120, 20 * 60, 40 * 60]);
                (chance.one_of(&ILLNESSES), Duration::from_mins(minutes))
            });
            Some(Receiver {
                url,
                illness,
                heals_at: now.plus(ill_for),
            })
        });
        Self {
            all: all.collect(),
            env,
        }
    }

    /// Draws the URL of one server.
    #[must_use]
    pub fn one(&self) -> Option<CallbackUrl> {
        let n = self
            .env
            .sim
            .draw(|chance| chance.below(self.all.len() as u64));
        Some(self.all.get(usize::try_from(n).ok()?)?.url.clone())
    }

    /// Returns the time from which all servers work.
    #[must_use]
    pub fn well_from(&self) -> Option<Timestamp> {
        self.all.iter().map(|receiver| receiver.heals_at).max()
    }

    /// Posts a webhook to the server of a URL, and returns the outcome.
    fn take(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        let now = self.env.sim.now();
        let illness = self
            .all
            .iter()
            .find(|receiver| receiver.url == *url)
            .filter(|receiver| now < receiver.heals_at)
            // Even faulty servers work now and then.
            .filter(|_| !self.env.sim.draw(|chance| chance.once_in(16)))
            .map(|receiver| receiver.illness);
        let (reached, accepted) = match illness {
            None | Some(Illness::Silent | Illness::Breaks) => (true, true),
            Some(Illness::Errs | Illness::Busy | Illness::Gone) => (true, false),
            Some(Illness::Unreachable | Illness::Private) => (false, false),
        };
        if reached {
            let arrived = Arrived {
                url: url.clone(),
                request: request.clone(),
                accepted,
                heard: illness.is_none() && now > self.env.weather.calm_from(),
            };
            self.env.oracle.with(|oracle| oracle.posted(&arrived, now));
        }
        let outcome = answer(&self.env.sim, illness);
        let is_final = match &outcome {
            SendOutcome::Answered { status, .. } => AttemptResult::Answered(*status).is_final(),
            SendOutcome::NoAnswer(reason) => AttemptResult::NoAnswer(*reason).is_final(),
        };
        if is_final {
            let id = request.webhook_id.as_str();
            self.env.oracle.with(|oracle| oracle.refused_for_good(id));
        }
        outcome
    }
}

fn answer(sim: &Sim, illness: Option<Illness>) -> SendOutcome {
    let answered = |statuses: &[u16], retry_after| SendOutcome::Answered {
        status: sim.draw(|chance| chance.one_of(statuses)),
        retry_after,
        beginning: String::new(),
    };
    match illness {
        None => answered(&[200, 202, 204], None),
        Some(Illness::Errs) => answered(&[500, 502, 404, 302], None),
        Some(Illness::Busy) => {
            let asks =
                sim.draw(|chance| chance.one_of(&[None, Some(1), Some(90), Some(901), Some(7200)]));
            answered(&[429, 503], asks.map(Duration::from_secs))
        }
        Some(Illness::Gone) => answered(&[410], None),
        Some(Illness::Silent) => SendOutcome::NoAnswer(FailureReason::TimedOut),
        Some(Illness::Breaks) => SendOutcome::NoAnswer(FailureReason::ProtocolError),
        Some(Illness::Private) => SendOutcome::NoAnswer(sim.draw(|chance| {
            chance.one_of(&[
                FailureReason::AddressRefused,
                FailureReason::DnsAddressRefused,
            ])
        })),
        Some(Illness::Unreachable) => SendOutcome::NoAnswer(sim.draw(|chance| {
            chance.one_of(&[
                FailureReason::NameNotResolved,
                FailureReason::ConnectFailed,
                FailureReason::TlsFailed,
            ])
        })),
    }
}

/// A process's link to the servers.
pub struct ReceiversLink {
    /// The process.
    pub link: Link,
    /// The servers.
    pub receivers: Receivers,
}

#[async_trait]
impl WebhookSender for ReceiversLink {
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        let what = "webhook: post";
        let sim = &self.link.env.sim;
        let now = sim.now();
        let fate = sim.draw(|chance| self.link.env.weather.fate(chance, now));
        sim.pass(fate.before.min(EXCHANGE_TIMEOUT / 2)).await;
        match fate.ending {
            Ending::DeathBefore => return self.link.dies(what, "fault: death before").await,
            Ending::Refused => return SendOutcome::NoAnswer(FailureReason::ConnectFailed),
            Ending::Late(by) => {
                let (receivers, url, request) =
                    (self.receivers.clone(), url.clone(), request.clone());
                let later = sim.clone();
                sim.spawn(OUTSIDE, async move {
                    later.pass(by).await;
                    receivers.take(&url, &request);
                });
                return SendOutcome::NoAnswer(FailureReason::TimedOut);
            }
            Ending::Answered | Ending::Lost | Ending::DeathAfter => {}
        }
        let outcome = self.receivers.take(url, request);
        sim.note(self.link.process, what, || {
            format!("{} {outcome:?}", request.webhook_id.as_str())
        });
        if fate.ending == Ending::DeathAfter {
            return self.link.dies(what, "fault: death after").await;
        }
        sim.pass(fate.after.min(EXCHANGE_TIMEOUT / 2)).await;
        if fate.ending == Ending::Lost {
            return SendOutcome::NoAnswer(FailureReason::TimedOut);
        }
        outcome
    }
}
