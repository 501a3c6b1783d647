//! Checks of changes to an item.

use std::mem::discriminant;

use countersign_domain::confirmation::client::ClientTokenHash;
use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use countersign_domain::confirmation::{Confirmation, Redactable, State, Verified};
use countersign_domain::delivery::Delivery;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::primitives::time::Timestamp;

use super::{Oracle, Promise};

impl Oracle {
    /// Checks a stored confirmation against the previously observed one.
    pub fn observe(&mut self, item: &Confirmation, now: Timestamp) {
        let id = item.id;
        let before = self.case(id).item.take();
        if before.as_ref() == Some(item) {
            self.case(id).item = before;
            return;
        }
        match &before {
            Some(before) => self.compare(before, item, now),
            None if item.state == (State::Open { last_miss: None }) => {}
            None => self.broken(Promise::HistoryKept, format!("{id}: new but not open")),
        }
        self.case(id).item = Some(item.clone());
    }

    fn compare(&mut self, before: &Confirmation, after: &Confirmation, now: Timestamp) {
        let id = after.id;
        let same = before.app == after.app
            && before.callback == after.callback
            && before.send_to == after.send_to
            && before.whatsapp == after.whatsapp
            && before.created_at == after.created_at
            && before.expires_at == after.expires_at
            && before.idempotency == after.idempotency
            && before.refused_types == after.refused_types
            && before.webhook_details == after.webhook_details
            && token(before) == token(after)
            && before.purge_at <= after.purge_at
            && discriminant(&before.flow) == discriminant(&after.flow)
            && (before.metadata == after.metadata || after.redacted_at.is_some())
            && (before.redacted_at.is_none() || before.redacted_at == after.redacted_at);
        if !same {
            self.broken(Promise::HistoryKept, format!("{id}: {before:?} {after:?}"));
        }
        match (&before.state, &after.state) {
            (State::Open { last_miss: was }, State::Open { last_miss: is }) if was == is => {}
            (State::Open { last_miss: was }, State::Open { last_miss: is }) => {
                self.missed(before, after, *was, *is);
            }
            (State::Open { .. }, State::Cancelled { at }) => {
                if after.expires_at <= *at {
                    self.broken(
                        Promise::HistoryKept,
                        format!("{id}: cancelled after its end"),
                    );
                }
            }
            (State::Cancelled { at: before }, State::Cancelled { at: after })
                if before == after => {}
            (State::Cancelled { .. }, _) => {
                self.broken(Promise::CancelKept, format!("{id}: {:?}", after.state));
            }
            (State::Open { .. }, State::Verified(verified)) => self.verified(after, verified),
            (State::Verified(was), State::Verified(is)) => self.moved_on(after, was, is, now),
            (State::Verified(_), _) => {
                self.broken(Promise::VerifiedOnce, format!("{id}: {:?}", after.state));
            }
        }
        let owed = after.delivery().is_some_and(Delivery::is_pending);
        if owed && after.redacted_at.is_some() {
            self.broken(Promise::Redaction, format!("{id}: erased while it is owed"));
        }
    }

    /// Checks that the first miss was recorded, and nothing else changed.
    fn missed(
        &mut self,
        before: &Confirmation,
        after: &Confirmation,
        was: Option<LastMiss>,
        is: Option<LastMiss>,
    ) {
        let rightly = is.is_some_and(|miss| {
            let late = after.expires_at <= miss.at();
            late == (miss.reason() == MissReason::Late)
        });
        let kept = before.purge_at == after.purge_at && before.redacted_at == after.redacted_at;
        if was.is_some() || !rightly || !kept || after.redacted_at.is_some() {
            let what = format!("{}: {was:?} {is:?}", after.id);
            self.broken(Promise::OneMiss, what);
        }
    }

    /// Checks that the right text verified a confirmation in time.
    fn verified(&mut self, item: &Confirmation, verified: &Verified) {
        let id = item.id;
        let skew = self.skew;
        if item.expires_at <= verified.at {
            self.broken(Promise::NotAfterItsEnd, format!("{id}: at {}", verified.at));
        }
        let Some(text) = self.texts.get(&verified.text).cloned() else {
            let what = format!("{id}: verified by a text that nobody sent");
            return self.broken(Promise::VerifiedOnce, what);
        };
        if item.expires_at.plus(skew) <= text.first_sent_at {
            let what = format!("{id}: by a text of {}", text.first_sent_at);
            self.broken(Promise::NotAfterItsEnd, what);
        }
        let told = self.case(id).told.as_ref();
        let expected = told.and_then(|told| told.asked.phone_number.clone());
        let right = text.confirmation == id
            && verified.phone_number == Redactable::Present(text.from.clone())
            && self.may_send(&text.from, expected.as_ref());
        if text.whatsapp.is_some() && text.whatsapp != item.whatsapp {
            let what = format!("{id}: by a text to {:?} on WhatsApp", text.whatsapp);
            self.broken(Promise::RightRecipient, what);
        }
        if !right {
            let what = format!("{id}: by {:?}", verified.phone_number);
            self.broken(Promise::RightSender, what);
        }
        let unclaimed = |it: &Delivery| it.attempts_claimed == 0 && it.is_pending();
        if !verified.delivery.as_ref().is_some_and(unclaimed) {
            self.broken(Promise::Settled, format!("{id}: {:?}", verified.delivery));
        }
    }

    /// Checks a change to a verified confirmation.
    fn moved_on(&mut self, item: &Confirmation, was: &Verified, is: &Verified, now: Timestamp) {
        let id = item.id;
        let redacted = item.redacted_at.is_some();
        let data_kept = was.phone_number == is.phone_number || redacted;
        if was.carrier != is.carrier && !redacted && !was.awaits_carrier() {
            self.broken(Promise::OneCarrier, format!("{id}: {was:?} {is:?}"));
        }
        if was.text != is.text || was.at != is.at || !data_kept {
            self.broken(Promise::VerifiedOnce, format!("{id}: {was:?} {is:?}"));
        }
        match (&was.delivery, &is.delivery) {
            (Some(was), Some(is)) => self.delivery_changed(id.into(), was, is, now),
            (was, is) => self.broken(Promise::Settled, format!("{id}: {was:?} {is:?}")),
        }
    }
}

/// Returns the page's token, which stays the same while its connections change.
fn token(item: &Confirmation) -> Option<ClientTokenHash> {
    item.client.as_ref().map(|client| client.token)
}
