//! Checks of changes to a stored login.

use countersign_domain::login::{Login, MAX_WATCHERS, Phone, RETENTION, State};
use countersign_domain::primitives::time::Timestamp;

use super::{BEGINNING, Finding, LoginCase, Seen};
use crate::logins::LoginRequest;
use crate::oracle::{Oracle, Promise};

impl Oracle {
    /// Checks a stored login against the previously observed one.
    pub fn observe_login(&mut self, item: &Login, now: Timestamp) {
        let id = item.id;
        let case = self.login(id);
        if case.item.as_ref() == Some(item) {
            return;
        }
        let before = case.item.replace(item.clone());
        let entered = before
            .as_ref()
            .is_none_or(|before| before.state != item.state);
        if entered {
            case.seen.push(Seen {
                since: now,
                status: item.status(BEGINNING),
                expires_at: item.expires_at(),
            });
        }
        let found = match &before {
            None => case.appeared(item),
            Some(before) => case.changed(before, item),
        };
        let found = found.or_else(|| self.proven(before.as_ref(), item, now));
        self.login_broken(id, found);
        if let Some(before) = before {
            self.watchers(&before, item);
            self.notice(&before, item, now);
            if entered && now >= self.calm_from {
                let watchers = item.watchers.iter().cloned();
                self.pokes_due.extend(watchers.map(|watcher| (watcher, id)));
            }
        }
    }

    /// Checks that a connection is dropped only if it is closed or replaced by a newer one.
    fn watchers(&mut self, before: &Login, after: &Login) {
        let (was, is) = (&before.watchers, &after.watchers);
        let added = is.iter().filter(|watcher| !was.contains(watcher)).count();
        let mut dropped = was.iter().filter(|watcher| !is.contains(watcher));
        let is_right = match (added, dropped.next(), dropped.next()) {
            (0, Some(gone), None) => self.gone.contains(gone),
            (1, Some(oldest), None) => was.len() == MAX_WATCHERS && was.first() == Some(oldest),
            (0 | 1, None, None) => true,
            _ => false,
        };
        if !is_right {
            let what = format!("{}: {was:?} {is:?}", after.id);
            self.broken(Promise::Watched, what);
        }
    }

    /// Checks the webhook of a decision.
    fn notice(&mut self, before: &Login, after: &Login, now: Timestamp) {
        let id = after.id;
        let was = before.notice.as_ref().map(|notice| &notice.delivery);
        let is = after.notice.as_ref().map(|notice| &notice.delivery);
        let decided =
            matches!(before.state, State::Scanned { .. }) && self.login(id).body.is_some();
        match (was, is) {
            (None, None) if decided && before.state != after.state => {
                self.broken(Promise::DecisionOwed, format!("{id}: {:?}", after.state));
            }
            (None, None) => {}
            (None, Some(is)) => {
                let is_new = is.is_pending() && is.attempts_claimed == 0;
                if !decided || !is_new {
                    self.broken(Promise::HistoryKept, format!("{id}: owes {is:?}"));
                }
            }
            (Some(was), Some(is)) => self.delivery_changed(id.into(), was, is, now),
            (Some(was), None) => self.delivery_ended(id.into(), was),
        }
    }
}

impl LoginCase {
    fn appeared(&self, item: &Login) -> Option<Finding> {
        let is_new = matches!(item.state, State::Created { .. })
            && item.notice.is_none()
            && item.watchers.is_empty();
        let is_asked = self.asked.iter().any(|(request, _)| match request {
            LoginRequest::Create { token, key, .. } => {
                token.hash() == item.browser_token && key.as_ref() == item.encryption.key()
            }
            _ => false,
        });
        let what = format!("nobody created {item:?}");
        (!is_new || !is_asked).then_some((Promise::HistoryKept, what))
    }

    fn changed(&mut self, before: &Login, after: &Login) -> Option<Finding> {
        let is_same = before.app == after.app
            && before.origin == after.origin
            && before.browser == after.browser
            && before.encryption == after.encryption
            && before.callback == after.callback;
        if before.browser_token != after.browser_token {
            return Some((Promise::CreatorOnly, format!("{before:?} {after:?}")));
        }
        if before.created_at != after.created_at {
            return Some((
                Promise::EndKept,
                format!("created again: {before:?} {after:?}"),
            ));
        }
        if !is_same {
            return Some((Promise::HistoryKept, format!("{before:?} {after:?}")));
        }
        if after.purge_at < after.expires_at().plus(RETENTION) {
            let what = format!("kept until {} only: {after:?}", after.purge_at);
            return Some((Promise::SessionKept, what));
        }
        if before.state == after.state {
            return None;
        }
        // The user that a confirmation verifies is checked separately.
        let known = |item: &Login| {
            let phone = item.phone()?.clone();
            Some(Phone {
                verified: None,
                ..phone
            })
        };
        if before.phone().is_some() && known(before) != known(after) {
            return Some((Promise::OnePhone, format!("{before:?} {after:?}")));
        }
        self.moved(before, after)
    }
}
