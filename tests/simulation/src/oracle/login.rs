//! The oracle's knowledge of logins: requests, answers, and stored states with their times.

mod answers;
mod at_the_end;
mod changes;
mod decisions;
mod proofs;
mod steady;

use std::time::Duration;

use countersign_domain::login::{BrowserToken, Login, PhonePayload, ReceiptHash, Status};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::web::callback_url::CallbackUrl;

use super::{Exchange, Finding, Oracle, Promise};
use crate::logins::LoginRequest;
pub use proofs::Signed;

/// A time before the expiry of every stored login, so that each has its stored state.
const BEGINNING: Timestamp = Timestamp::from_millis(0);

/// An observed state of a login.
#[derive(Clone, Copy, Debug)]
struct Seen {
    since: Timestamp,
    status: Status,
    expires_at: Timestamp,
}

/// Everything that the oracle knows about one login.
#[derive(Debug, Default)]
pub(super) struct LoginCase {
    /// Every request that may change the login, with the time at which it was sent.
    asked: Vec<(LoginRequest, Timestamp)>,
    /// The item as last seen in the store.
    item: Option<Login>,
    /// Every observed state, oldest first.
    seen: Vec<Seen>,
    /// The login in the first answer to its browser.
    told: Option<Login>,
    /// The payload of the confirmation, and the time at which the payload expires.
    confirmed: Option<(PhonePayload, Timestamp)>,
    /// True if the browser may stop asking before the login has ended.
    left: bool,
    /// True if the phone got the answer to its confirmation.
    confirm_told: bool,
    /// The receipts that were answered with the payload.
    got: Vec<ReceiptHash>,
    /// The body of the decision's webhook.
    body: Option<String>,
}

impl LoginCase {
    /// Returns the body and the URL of the decision's webhook, if it has one.
    pub(super) fn notice(&self) -> Option<(String, CallbackUrl)> {
        Some((self.body.clone()?, self.item.as_ref()?.callback.clone()?))
    }

    /// Returns the token and the page of the browser that created the login.
    fn owner(&self) -> Option<(&BrowserToken, &'static str)> {
        self.asked.iter().find_map(|(request, _)| match request {
            LoginRequest::Create { token, origin, .. } => Some((token, *origin)),
            _ => None,
        })
    }

    /// Returns whether a matching request was sent before `end`.
    fn was_asked(&self, end: Timestamp, is: impl Fn(&LoginRequest) -> bool) -> bool {
        let mut asked = self.asked.iter();
        asked.any(|(request, at)| *at < end && is(request))
    }

    /// Returns whether the login had this status at some time during the exchange.
    fn was(&self, status: Status, exchange: Exchange, skew: Duration) -> bool {
        let until = exchange.answered_at.plus(skew);
        let ends = self.seen.iter().skip(1).map(|next| next.since);
        let ends = ends.chain([until]);
        let during = self.seen.iter().zip(ends);
        let mut during = during.filter(|(_, end)| exchange.asked_at <= *end);
        during.any(|(seen, _)| {
            let ran_out = seen.status.is_live() && seen.expires_at <= until;
            seen.status == status || (status == Status::Expired && ran_out)
        })
    }

    /// Returns the item and its status if neither changed during the whole exchange.
    fn steady(&self, exchange: Exchange, skew: Duration) -> Option<(&Login, Status)> {
        let (item, last) = (self.item.as_ref()?, self.seen.last()?);
        let status = item.status(exchange.asked_at);
        let same = item.status(exchange.answered_at.plus(skew)) == status;
        (same && last.since < exchange.asked_at).then_some((item, status))
    }
}

impl Oracle {
    fn login(&mut self, id: LoginId) -> &mut LoginCase {
        self.logins.entry(id).or_default()
    }

    fn login_broken(&mut self, id: LoginId, finding: Option<Finding>) {
        if let Some((promise, what)) = finding {
            self.broken(promise, format!("{id}: {what}"));
        }
    }

    /// Records that a browser, a phone or a stranger sends a request.
    pub fn login_asked(&mut self, id: LoginId, request: &LoginRequest, now: Timestamp) {
        let reads = matches!(request, LoginRequest::Status(_) | LoginRequest::Watch(..));
        if !reads {
            self.login(id).asked.push((request.clone(), now));
        }
    }

    /// Records that the browser may stop asking before the login has ended.
    pub fn login_left(&mut self, id: LoginId) {
        self.login(id).left = true;
    }

    /// Records that a request got no answer.
    pub fn login_unanswered(&mut self, id: LoginId, request: &LoginRequest, asked_at: Timestamp) {
        if asked_at >= self.calm_from {
            let what = format!("{id}: {}", request.name());
            self.broken(Promise::Answered, what);
        }
    }

    /// Records that a connection was notified, or that its carrier reported it as closed.
    pub(crate) fn notified(&mut self, watcher: &WatcherId, is_open: bool) {
        self.pokes_due.remove(watcher);
        if !is_open {
            self.gone.insert(watcher.clone());
        }
    }
}
