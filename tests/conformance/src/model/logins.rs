use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, OpenCount, RateUsage};
use countersign_domain::delivery::Decision;
use countersign_domain::login::history::{HistoryQuery, NameOutcome, NewNames, RiskHistory};
use countersign_domain::login::risk::{ConfirmedLogin, Denials, History, PersonHistory};
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, Denial, DenyOutcome,
    DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    BrowserTokenHash, CheckCode, DeviceTokenHash, Login, Phone, ReceiptHash, UserKey, WatcherId,
    transitions,
};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::address_block::AddressBlock;

use super::entities::Items;
use super::locked;

/// Logins in memory, with the history by which later logins are judged. Methods are atomic because
/// they hold a lock. The [`ModelStore`](super::ModelStore) that holds this serves the deliveries of
/// these logins.
#[derive(Debug, Default)]
pub struct ModelLogins {
    items: Mutex<Items<Login>>,
    denials: Mutex<BTreeMap<(AppId, AddressBlock), Denials>>,
    persons: Mutex<BTreeMap<UserKey, PersonHistory>>,
    rates: Mutex<RateUsage>,
}

impl ModelLogins {
    /// Returns every login, ordered by id, including those past their `purge_at`.
    #[must_use]
    pub fn items(&self) -> Vec<Login> {
        self.locked().all()
    }

    /// Stores a login, replacing the one with the same id.
    pub fn put(&self, item: Login) {
        self.locked().put(item);
    }

    pub(super) fn locked(&self) -> MutexGuard<'_, Items<Login>> {
        locked(&self.items)
    }

    pub(super) fn decide<O>(
        &self,
        id: LoginId,
        decide: impl FnOnce(Option<Login>) -> Decision<Login, O>,
    ) -> O {
        self.locked().decide(id, decide)
    }
}

#[async_trait]
impl LoginStore for ModelLogins {
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
        Ok(self.decide(new.id, |current| transitions::create(current, new, now)))
    }

    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        let Allowance::Within(quota) = allowance else {
            return self.create(new, now).await;
        };
        let mut rates = locked(&self.rates);
        let mut open = OpenCount::default();
        for item in self.items() {
            if let Some(end) = item.open_until() {
                open.enter(&item.app, end);
            }
        }
        let app = new.app.clone();
        let outcome = self.decide(new.id, |current| {
            let check = |item: &Login| {
                rates.check(&item.app, &quota, now)?;
                open.check(&item.app, &quota, now)
            };
            transitions::create_within(current, new, check, now)
        });
        if outcome == CreateOutcome::Created {
            rates.take(&app, &quota, now);
        }
        Ok(outcome)
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable> {
        Ok(self.locked().find(id, now))
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::initiate(current, app, phone, now)
        }))
    }

    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::confirm(current, answer, now)))
    }

    async fn deny(
        &self,
        id: LoginId,
        denial: Denial,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::deny(current, denial, now)))
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        receipt: &ReceiptHash,
        check_code: Option<CheckCode>,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::redeem(current, browser, receipt, check_code, now)
        }))
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::cancel(current, browser, now)))
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        device: &DeviceTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::attach_watcher(current, device, watcher, now)
        }))
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::detach_watcher(current, watcher, now)
        }))
    }
}

#[async_trait]
impl RiskHistory for ModelLogins {
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable> {
        let key = (query.app.clone(), query.browser);
        let denials = locked(&self.denials).get(&key).cloned().unwrap_or_default();
        let persons = locked(&self.persons);
        let person = |key| persons.get(&key).cloned().unwrap_or_default();
        Ok(History {
            denials: denials.count(now),
            name: query
                .user
                .map(|user| user.compare(&person(user.claimed), &person(user.verified), now)),
        })
    }

    async fn note_denial(
        &self,
        app: &AppId,
        browser: AddressBlock,
        at: Timestamp,
    ) -> Result<(), Unavailable> {
        let mut all = locked(&self.denials);
        let denials = all.entry((app.clone(), browser)).or_default();
        *denials = std::mem::take(denials).with(at);
        Ok(())
    }

    async fn note_confirmation(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
    ) -> Result<(), Unavailable> {
        self.note_name(user, login, NewNames::Remember).await?;
        Ok(())
    }

    async fn note_name(
        &self,
        user: UserKey,
        login: ConfirmedLogin,
        new_names: NewNames,
    ) -> Result<NameOutcome, Unavailable> {
        let mut all = locked(&self.persons);
        let outcome = match (all.contains_key(&user), new_names) {
            (true, _) => NameOutcome::Known,
            (false, NewNames::Remember) => NameOutcome::New,
            (false, NewNames::LeaveOut) => return Ok(NameOutcome::LeftOut),
        };
        let person = all.entry(user).or_default();
        *person = std::mem::take(person).with(login);
        Ok(outcome)
    }
}
