//! Checks of logins that must hold once nothing is left to do.

use countersign_domain::delivery::Progress;
use countersign_domain::delivery::due::DueEntry;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::login::{Login, State};

use super::{Finding, LoginCase};
use crate::logins::LoginRequest;
use crate::oracle::{Oracle, Promise};

impl Oracle {
    /// Checks the stored logins. `due` is the content of the due index.
    pub(in crate::oracle) fn check_logins(&mut self, items: &[Login], due: &[DueEntry]) {
        let calm_from = self.calm_from;
        let cases = self.logins.iter();
        let found = cases.filter_map(|(id, case)| {
            let item = items.iter().find(|item| item.id == *id);
            let asked = case.asked.first().map(|(_, at)| *at);
            let calm = asked.is_some_and(|at| at >= calm_from);
            let finding = case.check(item, calm)?;
            Some((*id, finding))
        });
        for (id, finding) in found.collect::<Vec<_>>() {
            self.login_broken(id, Some(finding));
        }
        for item in items {
            let Some(at) = item.due_at() else { continue };
            if !due.iter().any(|due| due.subject == item.id.into()) {
                self.broken(Promise::Found, format!("{}: not in the index", item.id));
            }
            self.broken(Promise::Settled, format!("{}: due at {at}", item.id));
        }
        if let Some((watcher, id)) = self.pokes_due.first_key_value() {
            let what = format!("{id}: {watcher:?} was not notified");
            self.broken(Promise::Watched, what);
        }
        self.check_notices();
    }

    /// Checks that each webhook about a login was accepted, unless its delivery was given up.
    fn check_notices(&mut self) {
        let owed = self.logins.iter().filter(|(_, case)| case.body.is_some());
        for id in owed.map(|(id, _)| *id).collect::<Vec<_>>() {
            let posts = self.posts(id.into());
            if posts.accepted == 0 && posts.claimed == 0 {
                self.broken(Promise::Delivered, format!("{id}: never attempted"));
            }
        }
    }
}

impl LoginCase {
    /// Checks a login after its browser, phones and strangers have finished. `calm` means that all of
    /// it happened in calm weather.
    fn check(&self, item: Option<&Login>, calm: bool) -> Option<Finding> {
        let told = self.told.as_ref()?;
        let Some(item) = item else {
            return Some((Promise::SessionKept, format!("gone: {told:?}")));
        };
        let pending = |progress: &Progress| matches!(progress, Progress::Pending { .. });
        let notice = item.notice.as_ref();
        if notice.is_some_and(|notice| !pending(&notice.delivery.progress)) {
            let what = format!("an ended webhook is kept: {notice:?}");
            return Some((Promise::HistoryKept, what));
        }
        let mut asked = self.asked.iter();
        let cancelled = asked.any(|(request, _)| matches!(request, LoginRequest::Cancel(_)));
        let kept_asking = calm && !self.left && !cancelled;
        if kept_asking && self.confirm_told && self.got.is_empty() {
            let what = format!("its browser kept asking, and got nothing: {:?}", self.seen);
            return Some((Promise::PayloadKept, what));
        }
        let redeemed = matches!(item.state, State::Consumed { .. });
        (!self.got.is_empty() && !redeemed).then(|| {
            (
                Promise::PayloadOnce,
                format!("redeemed, and {:?}", item.state),
            )
        })
    }
}
