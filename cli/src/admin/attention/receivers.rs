//! Receivers that do not accept webhooks.

use std::collections::BTreeMap;

use countersign_api::Causes;
use countersign_domain::app::App;
use countersign_domain::confirmation::{Confirmation, Status};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{AttemptResult, Progress};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::ConfirmationSearch;
use countersign_domain::web::callback_url::CallbackUrl;

use super::Attention;
use crate::admin::confirmations::FUTURE;
use crate::admin::{Admin, AdminError, Host};

/// Number of the latest verified confirmations whose webhooks are looked at.
const LOOKED_AT: usize = 300;

/// Age of the oldest of them, in milliseconds.
const SINCE: u64 = 24 * 3600 * 1000;

/// Number of failed attempts from which a pending webhook counts: a single failure is usual during a deployment.
const MIN_FAILED_ATTEMPTS: usize = 2;

/// The webhooks of an app that a receiver did not accept.
#[derive(Default)]
struct Failing {
    given_up: usize,
    waiting: usize,
    /// The result of the newest confirmation's last attempt.
    last: Option<AttemptResult>,
}

pub(super) async fn look(admin: &Admin, apps: &[&App]) -> Result<Vec<Attention>, AdminError> {
    let now = admin.clock.now();
    let search = ConfirmationSearch {
        statuses: vec![Status::Verified],
        last_digits: None,
        failed: false,
        no_text: false,
        from: Timestamp::from_millis(now.as_millis().saturating_sub(SINCE)),
        before: now.plus(FUTURE),
    };
    let ids: Vec<AppId> = apps.iter().map(|app| app.id.clone()).collect();
    let page = admin
        .store
        .search_confirmations(&ids, &search, None, LOOKED_AT, now);
    let page = match (page.await, &admin.host) {
        // Administrators of a table need no permission for confirmations.
        (Err(error), Host::Table(_)) => return Ok(vec![unknown(&error)]),
        (page, _) => page?,
    };
    let mut receivers: BTreeMap<(AppId, String), Failing> = BTreeMap::new();
    for item in page.items {
        let Some(callback) = &item.callback else {
            continue;
        };
        let key = (item.app.clone(), origin_of(callback));
        receivers.entry(key).or_default().add(&item);
    }
    let failing = receivers
        .into_iter()
        .filter_map(|((app, receiver), it)| it.report(&app, &receiver));
    Ok(failing.collect())
}

/// Returns the origin without the usual port.
fn origin_of(url: &CallbackUrl) -> String {
    url.as_url().origin().ascii_serialization()
}

fn unknown(error: &Unavailable) -> Attention {
    Attention::new(
        "receiver_unknown",
        "Whether receivers accept webhooks is unknown",
        format!("The confirmations cannot be read: {}", Causes(error)),
        "Use credentials that may read confirmations.",
    )
    .with([("cause", &Causes(error))])
}

impl Failing {
    /// Adds a confirmation that is older than those before.
    fn add(&mut self, item: &Confirmation) {
        let Some(delivery) = item.delivery() else {
            return;
        };
        match delivery.progress {
            Progress::Failed { .. } => self.given_up += 1,
            Progress::Pending { .. } if delivery.attempts.len() >= MIN_FAILED_ATTEMPTS => {
                self.waiting += 1;
            }
            Progress::Pending { .. } | Progress::Delivered { .. } => return,
        }
        let last = delivery.attempts.last().map(|attempt| attempt.result);
        self.last = self.last.or(last);
    }

    fn report(&self, app: &AppId, receiver: &str) -> Option<Attention> {
        let Self {
            given_up, waiting, ..
        } = self;
        if given_up + waiting == 0 {
            return None;
        }
        let answer = match self.last {
            Some(AttemptResult::Answered(status)) => format!("It last answered {status}."),
            Some(AttemptResult::NoAnswer(reason)) => {
                format!("It last gave no answer ({}).", reason.into_str())
            }
            None => "No attempt was made.".to_owned(),
        };
        let counts = [
            (*given_up, "given up"),
            (*waiting, "waiting for another attempt"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<_> = counts
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let step = if *given_up > 0 {
            "Repair the receiver, then redeliver what failed."
        } else {
            "Repair the receiver; the attempts go on."
        };
        let (status, failure) = match self.last {
            Some(AttemptResult::Answered(status)) => (status.to_string(), ""),
            Some(AttemptResult::NoAnswer(reason)) => (String::new(), reason.into_str()),
            None => (String::new(), ""),
        };
        let item = Attention::new(
            "receiver_failing",
            format!("{receiver} does not accept webhooks of {app}"),
            format!(
                "Webhooks of the last 24 hours: {}. {answer}",
                counts.join(", ")
            ),
            step,
        );
        Some(item.with([
            ("app", app),
            ("receiver", &receiver),
            ("givenUp", given_up),
            ("waiting", waiting),
            ("status", &status),
            ("failure", &failure),
        ]))
    }
}
