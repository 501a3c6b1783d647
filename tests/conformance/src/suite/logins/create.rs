use countersign_domain::login::Status;
use countersign_domain::login::transitions::{
    AttachOutcome, CancelOutcome, ConfirmOutcome, CreateOutcome, DenyOutcome, DetachOutcome,
    InitiateOutcome, RedeemOutcome,
};

use super::steps::{Store, confirmed, create, created, denied, initiate, scanned, stored};
use crate::check::{Checked, equal};
use crate::samples::logins::{
    answer, browser, browser_device, denial, login_id, new_login, phone, receipt, sealed_login,
    watcher,
};
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
        name: "login create: same token gets the same answer while the login is live",
        run: |store| Box::pin(repeated(store)),
    },
    Case {
        name: "login create: plain and sealed id with the same bits are two logins",
        run: |store| Box::pin(both_kinds(store)),
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
    equal("find", store.logins.find(login_id(1), NOW).await?, None)?;
    let item = created(&store, 1).await?;
    stored(&store, &item, NOW).await?;
    equal("find", store.logins.find(login_id(2), NOW).await?, None)
}

async fn second_is_refused(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    let mut token = new_login(1);
    token.browser_token = browser(2);
    let mut app = new_login(1);
    app.app = app_id("other");
    for other in [token, app] {
        for at in [NOW, item.expires_at()] {
            let outcome = store.logins.create(other.clone(), at).await?;
            equal("create", outcome, CreateOutcome::Taken)?;
            stored(&store, &item, at).await?;
        }
    }
    Ok(())
}

async fn repeated(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    let mut again = new_login(1);
    let last = before(item.expires_at(), MILLI);
    again.created_at = last;
    let outcome = store.logins.create(again.clone(), last).await?;
    let same = CreateOutcome::Repeated(Box::new(item.clone()));
    equal("create", outcome, same)?;
    let end = item.expires_at();
    let outcome = store.logins.create(again, end).await?;
    equal("create", outcome, CreateOutcome::Ended(Status::Expired))?;
    stored(&store, &item, end).await?;
    let item = denied(&store, 2).await?;
    let outcome = store.logins.create(new_login(2), NOW).await?;
    equal("create", outcome, CreateOutcome::Ended(Status::Denied))?;
    stored(&store, &item, NOW).await
}

async fn both_kinds(store: Store) -> Checked {
    let plain = created(&store, 1).await?;
    let sealed = sealed_login(1);
    create(&store, &sealed).await?;
    let plain = initiate(&store, &plain, &[], NOW).await?;
    stored(&store, &plain, NOW).await?;
    stored(&store, &sealed, NOW).await
}

async fn found_until_purge(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    stored(&store, &item, before(item.purge_at, MILLI)).await?;
    let found = store.logins.find(item.id, item.purge_at).await?;
    equal("find", found, None)?;
    let mut next = new_login(1);
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
        let outcome = store.logins.deny(id, denial(1, "no"), at).await?;
        equal("deny", outcome, DenyOutcome::Unknown)?;
        equal(
            "redeem",
            store.logins.redeem(id, &own, &receipt(1), None, at).await?,
            RedeemOutcome::Unknown,
        )?;
        equal(
            "cancel",
            store.logins.cancel(id, &own, at).await?,
            CancelOutcome::Unknown,
        )?;
        let outcome = store
            .logins
            .attach_watcher(id, &browser_device(n), watcher(1), at)
            .await?;
        equal("attach", outcome, AttachOutcome::Unknown)?;
        let outcome = store.logins.detach_watcher(id, &watcher(1), at).await?;
        equal("detach", outcome, DetachOutcome::Unknown)?;
    }
    Ok(())
}
