use countersign_domain::login::transitions::{
    AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, DenyOutcome, DetachOutcome,
    InitiateOutcome, RedeemOutcome,
};

use super::steps::{Store, confirmed, create, created, scanned, stored};
use crate::check::{Checked, equal};
use crate::samples::logins::{answer, browser, phone, session, session_id, watcher};
use crate::samples::{MILLI, NOW, app_id, before};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login create: new login can be read back",
        run: |store| Box::pin(found_after_create(store)),
    },
    Case {
        name: "login create: second login with the same id is refused",
        run: |store| Box::pin(second_is_refused(store)),
    },
    Case {
        name: "login purge: login is found until purge_at, and its id is free from then on",
        run: |store| Box::pin(found_until_purge(store)),
    },
    Case {
        name: "login purge: no method sees the login from purge_at on",
        run: |store| Box::pin(gone_from_purge(store)),
    },
];

async fn found_after_create(store: Store) -> Checked {
    equal("find", store.logins.find(session_id(1), NOW).await?, None)?;
    let item = created(&store, 1).await?;
    stored(&store, &item, NOW).await?;
    equal("find", store.logins.find(session_id(2), NOW).await?, None)
}

async fn second_is_refused(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    let mut other = session(1);
    other.browser_token = browser(2);
    let outcome = store.logins.create(other, NOW).await?;
    equal("create", outcome, CreateOutcome::Exists)?;
    stored(&store, &item, NOW).await
}

async fn found_until_purge(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    stored(&store, &item, before(item.purge_at, MILLI)).await?;
    let found = store.logins.find(item.id, item.purge_at).await?;
    equal("find", found, None)?;
    let mut next = session(1);
    next.created_at = item.purge_at;
    next.purge_at = item.purge_at.plus(MILLI);
    create(&store, &next).await?;
    stored(&store, &next, next.created_at).await
}

async fn gone_from_purge(store: Store) -> Checked {
    for n in 0..3 {
        let item = match n {
            0 => created(&store, n).await?,
            1 => scanned(&store, n).await?,
            _ => confirmed(&store, n).await?,
        };
        let (id, own, at) = (item.id, item.browser_token, item.purge_at);
        let demo = app_id("demo");
        let outcome = store
            .logins
            .initiate(id, &demo, phone(1, &[], at), at)
            .await?;
        equal("initiate", outcome, InitiateOutcome::Unknown)?;
        let outcome = store.logins.confirm(id, answer(1, "yes"), at).await?;
        equal("confirm", outcome, ConfirmOutcome::Unknown)?;
        let outcome = store.logins.deny(id, answer(1, "no"), at).await?;
        equal("deny", outcome, DenyOutcome::Unknown)?;
        equal(
            "redeem",
            store.logins.redeem(id, &own, at).await?,
            RedeemOutcome::Unknown,
        )?;
        equal(
            "cancel",
            store.logins.cancel(id, &own, at).await?,
            CancelOutcome::Unknown,
        )?;
        let outcome = store
            .logins
            .attach_watcher(id, &own, watcher(1), at)
            .await?;
        equal("attach", outcome, AttachOutcome::Unknown)?;
        let outcome = store.logins.detach_watcher(id, &watcher(1), at).await?;
        equal("detach", outcome, DetachOutcome::Unknown)?;
    }
    Ok(())
}
