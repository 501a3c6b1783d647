use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use countersign_domain::app::quota::{Allowance, OpenCount, RateUsage};
use countersign_domain::delivery::{
    Decision, DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt,
};
use countersign_domain::login::history::{HistoryQuery, NameOutcome, NewNames, RiskHistory};
use countersign_domain::login::risk::{ConfirmedLogin, Denials, History, Novelty, PersonHistory};
use countersign_domain::login::store::{DueNotice, LoginStore};
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ClaimNoticeOutcome, ConfirmOutcome, CreateOutcome,
    DenyOutcome, DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{BrowserTokenHash, Login, Phone, UserKey, WatcherId, transitions};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::address_block::AddressBlock;

/// QR sessions, and what bears on later ones, in memory. Every method is one look under one lock.
#[derive(Debug, Default)]
pub struct ModelLogins {
    sessions: Mutex<BTreeMap<LoginId, Login>>,
    denials: Mutex<BTreeMap<(AppId, AddressBlock), Denials>>,
    persons: Mutex<BTreeMap<UserKey, PersonHistory>>,
    rates: Mutex<RateUsage>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ModelLogins {
    /// Every session by id, those whose time is over included.
    #[must_use]
    pub fn items(&self) -> Vec<Login> {
        locked(&self.sessions).values().cloned().collect()
    }

    /// Puts a session there, whatever was there before.
    pub fn put(&self, item: Login) {
        locked(&self.sessions).insert(item.id, item);
    }

    fn all_due(&self, now: Timestamp) -> Vec<DueNotice> {
        let items = locked(&self.sessions);
        let live = items.values().filter(|item| now < item.purge_at);
        let due = live.filter_map(|item| {
            Some(DueNotice {
                due_at: item.notice_due_at().filter(|due_at| *due_at <= now)?,
                session: item.id,
                lane: item.lane(),
            })
        });
        let mut due: Vec<_> = due.collect();
        due.sort();
        due
    }

    fn decide<O>(
        &self,
        id: LoginId,
        decide: impl FnOnce(Option<Login>) -> Decision<Login, O>,
    ) -> O {
        let mut items = locked(&self.sessions);
        let Decision { outcome, write } = decide(items.get(&id).cloned());
        if let Some(item) = write {
            items.insert(id, item);
        }
        outcome
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
        let found = locked(&self.sessions).get(&id).cloned();
        Ok(found.filter(|item| now < item.purge_at))
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
        answer: Answer,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::deny(current, &answer, now)))
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable> {
        Ok(self.decide(id, |current| transitions::redeem(current, browser, now)))
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
        browser: &BrowserTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::attach_watcher(current, browser, watcher, now)
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

    async fn claim_notice(
        &self,
        id: LoginId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimNoticeOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::claim_notice(current, attempts_claimed, now)
        }))
    }

    async fn settle_notice(
        &self,
        id: LoginId,
        settled: SettledAttempt,
        now: Timestamp,
    ) -> Result<SettleOutcome, Unavailable> {
        Ok(self.decide(id, |current| {
            transitions::settle_notice(current, settled, now)
        }))
    }

    async fn due_notice_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        let lanes: BTreeSet<_> = self.all_due(now).iter().map(|due| due.lane).collect();
        Ok(lanes.into_iter().collect())
    }

    async fn due_notices(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<DueNotice>,
        limit: usize,
    ) -> Result<Vec<DueNotice>, Unavailable> {
        let mut due = self.all_due(now);
        due.retain(|entry| entry.lane == lane && Some(*entry) > after);
        due.truncate(limit);
        Ok(due)
    }

    async fn postpone_notice(
        &self,
        due: DueNotice,
        now: Timestamp,
    ) -> Result<PostponeOutcome, Unavailable> {
        Ok(self.decide(due.session, |current| {
            transitions::postpone_notice(current, due.due_at, now)
        }))
    }
}

#[async_trait]
impl RiskHistory for ModelLogins {
    async fn recent(&self, query: &HistoryQuery, now: Timestamp) -> Result<History, Unavailable> {
        let key = (query.app.clone(), query.browser);
        let denials = locked(&self.denials).get(&key).cloned().unwrap_or_default();
        let mut history = History {
            denials: denials.count(now),
            browser: Novelty::Unknown,
            last_confirmation: None,
        };
        if let Some((user, mark)) = &query.person {
            let person = locked(&self.persons).get(user).cloned().unwrap_or_default();
            history.browser = person.novelty(mark, now);
            history.last_confirmation = person.last_at(now);
        }
        Ok(history)
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
