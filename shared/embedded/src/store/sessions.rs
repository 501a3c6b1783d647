//! The store of QR sessions: each transition is the domain's, made atomic by the writer's thread.

use async_trait::async_trait;
use countersign_domain::app::quota::Allowance;
use countersign_domain::delivery::Decision;
use countersign_domain::delivery::{DeliveryLane, PostponeOutcome, SettleOutcome, SettledAttempt};
use countersign_domain::login::store::{DueNotice, LoginStore};
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ClaimNoticeOutcome, ConfirmOutcome, CreateOutcome,
    DenyOutcome, DetachOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{BrowserTokenHash, Login, Phone, WatcherId, transitions};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;

use super::EmbeddedStore;
use super::checked;
use super::due;
use super::tables::{DUE_NOTICES, SESSIONS, due_key, due_notice_of};

impl EmbeddedStore {
    async fn decide_session<O: Send + 'static>(
        &self,
        what: &'static str,
        id: LoginId,
        decide: impl FnOnce(Option<Login>) -> Decision<Login, O> + Send + 'static,
    ) -> Result<O, Unavailable> {
        self.write(what, move |batch| batch.decide_session(id, decide))
            .await
    }
}

#[async_trait]
impl LoginStore for EmbeddedStore {
    async fn create(&self, new: Login, now: Timestamp) -> Result<CreateOutcome, Unavailable> {
        let id = new.id;
        let decide = move |current| transitions::create(current, new, now);
        self.decide_session("session store: create", id, decide)
            .await
    }

    async fn create_within(
        &self,
        new: Login,
        allowance: Allowance,
        now: Timestamp,
    ) -> Result<CreateOutcome, Unavailable> {
        self.write("session store: create", move |batch| {
            batch.create_session(new, allowance, now)
        })
        .await
    }

    async fn find(&self, id: LoginId, now: Timestamp) -> Result<Option<Login>, Unavailable> {
        let found = self.read("session store: find", |transaction| {
            let table = transaction.open_table(SESSIONS)?;
            let Some(record) = table.get(id.as_bytes())? else {
                return Ok(None);
            };
            let item = checked::read(&SESSIONS, id.as_bytes(), id, record.value())?;
            Ok(Some(item))
        })?;
        Ok(found.filter(|item: &Login| now < item.purge_at))
    }

    async fn initiate(
        &self,
        id: LoginId,
        app: &AppId,
        phone: Phone,
        now: Timestamp,
    ) -> Result<InitiateOutcome, Unavailable> {
        let app = app.clone();
        self.decide_session("session store: initiate", id, move |current| {
            transitions::initiate(current, &app, phone, now)
        })
        .await
    }

    async fn confirm(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<ConfirmOutcome, Unavailable> {
        self.decide_session("session store: confirm", id, move |current| {
            transitions::confirm(current, answer, now)
        })
        .await
    }

    async fn deny(
        &self,
        id: LoginId,
        answer: Answer,
        now: Timestamp,
    ) -> Result<DenyOutcome, Unavailable> {
        self.decide_session("session store: deny", id, move |current| {
            transitions::deny(current, &answer, now)
        })
        .await
    }

    async fn redeem(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<RedeemOutcome, Unavailable> {
        let browser = *browser;
        self.decide_session("session store: redeem", id, move |current| {
            transitions::redeem(current, &browser, now)
        })
        .await
    }

    async fn cancel(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        now: Timestamp,
    ) -> Result<CancelOutcome, Unavailable> {
        let browser = *browser;
        self.decide_session("session store: cancel", id, move |current| {
            transitions::cancel(current, &browser, now)
        })
        .await
    }

    async fn attach_watcher(
        &self,
        id: LoginId,
        browser: &BrowserTokenHash,
        watcher: WatcherId,
        now: Timestamp,
    ) -> Result<AttachOutcome, Unavailable> {
        let browser = *browser;
        self.decide_session("session store: attach watcher", id, move |current| {
            transitions::attach_watcher(current, &browser, watcher, now)
        })
        .await
    }

    async fn detach_watcher(
        &self,
        id: LoginId,
        watcher: &WatcherId,
        now: Timestamp,
    ) -> Result<DetachOutcome, Unavailable> {
        let watcher = watcher.clone();
        self.decide_session("session store: detach watcher", id, move |current| {
            transitions::detach_watcher(current, &watcher, now)
        })
        .await
    }

    async fn claim_notice(
        &self,
        id: LoginId,
        attempts_claimed: u32,
        now: Timestamp,
    ) -> Result<ClaimNoticeOutcome, Unavailable> {
        self.decide_session("session store: claim notice", id, move |current| {
            transitions::claim_notice(current, attempts_claimed, now)
        })
        .await
    }

    async fn settle_notice(
        &self,
        id: LoginId,
        settled: SettledAttempt,
        now: Timestamp,
    ) -> Result<SettleOutcome, Unavailable> {
        self.decide_session("session store: settle notice", id, move |current| {
            transitions::settle_notice(current, settled, now)
        })
        .await
    }

    async fn due_notice_lanes(&self, now: Timestamp) -> Result<Vec<DeliveryLane>, Unavailable> {
        self.read("session store: due notice lanes", |transaction| {
            due::lanes(&transaction.open_table(DUE_NOTICES)?, now)
        })
    }

    async fn due_notices(
        &self,
        lane: DeliveryLane,
        now: Timestamp,
        after: Option<DueNotice>,
        limit: usize,
    ) -> Result<Vec<DueNotice>, Unavailable> {
        let after = after.map(|due| due_key(lane, due.due_at, due.session.as_bytes()));
        self.read("session store: due notices", |transaction| {
            let table = transaction.open_table(DUE_NOTICES)?;
            let keys = due::of_lane(&table, lane, now, after, limit)?;
            Ok(keys.iter().map(due_notice_of).collect())
        })
    }

    async fn postpone_notice(
        &self,
        due: DueNotice,
        now: Timestamp,
    ) -> Result<PostponeOutcome, Unavailable> {
        self.decide_session(
            "session store: postpone notice",
            due.session,
            move |current| transitions::postpone_notice(current, due.due_at, now),
        )
        .await
    }
}
