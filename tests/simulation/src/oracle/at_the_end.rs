//! Checks that must hold once nothing is left to do.

use countersign_conformance::model::ModelItems;
use countersign_domain::confirmation::{Confirmation, Flow, Redactable, State};
use countersign_domain::delivery::Progress;
use countersign_domain::delivery::due::DueEntry;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::primitives::ids::ConfirmationId;

use super::{Case, Finding, Oracle, Promise};

impl Oracle {
    /// Checks the stored items against every promise. `due` is the content of the due index.
    pub fn check_items(&mut self, model: &ModelItems, due: &[DueEntry]) {
        let items: Vec<Confirmation> = model.every();
        let cases: Vec<ConfirmationId> = self.cases.keys().copied().collect();
        for id in cases {
            let item = items.iter().find(|item| item.id == id);
            let found = self.case(id).check(item);
            if let Some((promise, what)) = found {
                self.broken(promise, format!("{id}: {what}"));
            }
        }
        for item in &items {
            let found = due.iter().any(|due| due.subject == item.id.into());
            if item.due_at().is_some() && !found {
                self.broken(Promise::Found, format!("{}: not in the index", item.id));
            }
            if item.due_at().is_some() {
                self.broken(Promise::Settled, format!("{}: {item:?}", item.id));
            }
        }
        self.check_logins(&model.every(), due);
        self.check_keys(&model.every());
    }

    /// Checks that each verified confirmation was delivered: by now, every receiver works, and deliveries
    /// that had been given up have been redelivered.
    pub fn check_deliveries(&mut self, model: &ModelItems) {
        for item in model.every::<Confirmation>() {
            let Some(delivery) = item.delivery() else {
                continue;
            };
            let accepted = self.posts(item.id.into()).accepted;
            let given_up = matches!(delivery.progress, Progress::Failed { .. });
            // A delivery whose data was erased after it was given up can no longer be delivered.
            let erased = item.redacted_at.is_some();
            if (accepted == 0 || given_up) && !erased {
                let what = format!("{}: {:?}", item.id, delivery.progress);
                self.broken(Promise::Delivered, what);
            }
        }
    }
}

impl Case {
    fn check(&self, item: Option<&Confirmation>) -> Option<Finding> {
        let Some(item) = item else {
            let told = self.told.as_ref()?;
            return Some((Promise::SessionKept, format!("gone: {told:?}")));
        };
        self.as_told(item)
            .or_else(|| self.ended_as_told(item))
            .or_else(|| self.erased_as_told(item))
            .or_else(|| self.redelivered_as_told(item))
    }

    fn as_told(&self, item: &Confirmation) -> Option<Finding> {
        let told = self.told.as_ref()?;
        let erased = item.redacted_at.is_some();
        let flow = match &item.flow {
            Flow::Acquisition => told.asked.phone_number.is_none(),
            Flow::Confirmation { expected } => {
                erased || expected.present() == told.asked.phone_number.as_ref()
            }
        };
        let same = flow
            && (erased || item.metadata == Redactable::Present(told.asked.metadata.clone()))
            && item.callback.as_ref() == Some(&told.asked.callback)
            && item.whatsapp == told.whatsapp
            && item.created_at == told.created_at
            && item.expires_at == told.expires_at;
        (!same).then(|| (Promise::SessionKept, format!("{told:?} is {item:?}")))
    }

    fn ended_as_told(&self, item: &Confirmation) -> Option<Finding> {
        let cancelled = matches!(item.state, State::Cancelled { .. });
        if self.promised.cancelled && !cancelled {
            return Some((Promise::CancelKept, format!("{:?}", item.state)));
        }
        (self.promised.verified && item.verified().is_none())
            .then(|| (Promise::TextKept, format!("{:?}", item.state)))
    }

    fn erased_as_told(&self, item: &Confirmation) -> Option<Finding> {
        let number = item.verified().and_then(|it| it.phone_number.present());
        let expected = match &item.flow {
            Flow::Acquisition => None,
            Flow::Confirmation { expected } => expected.present(),
        };
        let left = number.is_some() || expected.is_some() || item.metadata.present().is_some();
        (self.promised.redacted && left).then(|| (Promise::Redaction, "data is left".to_owned()))
    }

    fn redelivered_as_told(&self, item: &Confirmation) -> Option<Finding> {
        let then = self.redeliver_told?;
        let now = item.delivery()?.attempts_claimed;
        (now <= then).then(|| (Promise::Redelivered, format!("{now} attempts, as before")))
    }
}
