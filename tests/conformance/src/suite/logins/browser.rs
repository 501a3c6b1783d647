use countersign_domain::login::transitions::{
    AttachOutcome, CancelOutcome, DetachOutcome, RedeemOutcome,
};
use countersign_domain::login::{Login, MAX_WATCHERS, State, Status};

use super::steps::{Store, confirmed, created, denied, redeem, scanned, stored};
use crate::check::{Checked, equal};
use crate::samples::logins::{browser, in_state, watcher};
use crate::samples::{MILLI, NOW, before};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login redeem: payload is returned once, and then removed",
        run: |store| Box::pin(redeem_once(store)),
    },
    Case {
        name: "login redeem: payload can be redeemed until it expires, to the millisecond",
        run: |store| Box::pin(redeem_until(store)),
    },
    Case {
        name: "login redeem: refused unless the login is confirmed",
        run: |store| Box::pin(redeem_confirmed_only(store)),
    },
    Case {
        name: "login browser: other browsers' logins are unknown",
        run: |store| Box::pin(own_only(store)),
    },
    Case {
        name: "login cancel: live login can be cancelled once",
        run: |store| Box::pin(cancel(store)),
    },
    Case {
        name: "login watchers: only the latest are kept",
        run: |store| Box::pin(latest_kept(store)),
    },
    Case {
        name: "login watchers: transitions keep them, and an ended login refuses new ones",
        run: |store| Box::pin(transitions_keep_watchers(store)),
    },
    Case {
        name: "login watchers: each can be detached once",
        run: |store| Box::pin(detached_once(store)),
    },
];

async fn redeem_once(store: Store) -> Checked {
    let item = confirmed(&store, 1).await?;
    let item = redeem(&store, &item, NOW.plus(MILLI)).await?;
    stored(&store, &item, NOW).await?;
    let outcome = store
        .logins
        .redeem(item.id, &item.browser_token, NOW)
        .await?;
    equal("redeem", outcome, RedeemOutcome::Refused(Status::Consumed))
}

async fn redeem_until(store: Store) -> Checked {
    let item = confirmed(&store, 1).await?;
    let last = before(item.expires_at(), MILLI);
    redeem(&store, &item, last).await?;
    let item = confirmed(&store, 2).await?;
    let end = item.expires_at();
    let outcome = store
        .logins
        .redeem(item.id, &item.browser_token, end)
        .await?;
    equal("redeem", outcome, RedeemOutcome::Expired)?;
    stored(&store, &item, end).await
}

async fn redeem_confirmed_only(store: Store) -> Checked {
    for item in [
        created(&store, 1).await?,
        scanned(&store, 2).await?,
        denied(&store, 3).await?,
    ] {
        let outcome = store
            .logins
            .redeem(item.id, &item.browser_token, NOW)
            .await?;
        let refused = RedeemOutcome::Refused(item.status(NOW));
        equal("redeem", outcome, refused)?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn own_only(store: Store) -> Checked {
    let stranger = browser(99);
    for item in [created(&store, 1).await?, confirmed(&store, 2).await?] {
        let id = item.id;
        let outcome = store.logins.redeem(id, &stranger, NOW).await?;
        equal("redeem", outcome, RedeemOutcome::Unknown)?;
        let outcome = store.logins.cancel(id, &stranger, NOW).await?;
        equal("cancel", outcome, CancelOutcome::Unknown)?;
        let outcome = store
            .logins
            .attach_watcher(id, &stranger, watcher(1), NOW)
            .await?;
        equal("attach", outcome, AttachOutcome::Unknown)?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn cancel(store: Store) -> Checked {
    for item in [
        created(&store, 1).await?,
        scanned(&store, 2).await?,
        confirmed(&store, 3).await?,
    ] {
        let at = before(item.expires_at(), MILLI);
        let phone = item.phone().cloned().map(Box::new);
        let cancelled = in_state(&item, State::Cancelled { phone, at });
        let outcome = store
            .logins
            .cancel(item.id, &item.browser_token, at)
            .await?;
        let answered = CancelOutcome::Cancelled(Box::new(cancelled.clone()));
        equal("cancel", outcome, answered)?;
        let outcome = store
            .logins
            .cancel(item.id, &item.browser_token, at)
            .await?;
        equal("cancel", outcome, CancelOutcome::Ended(Status::Cancelled))?;
        stored(&store, &cancelled, at).await?;
    }
    let item = created(&store, 4).await?;
    let end = item.expires_at();
    let outcome = store
        .logins
        .cancel(item.id, &item.browser_token, end)
        .await?;
    equal("cancel", outcome, CancelOutcome::Expired)?;
    stored(&store, &item, end).await
}

async fn attach(store: &Store, item: &Login, n: u8) -> Checked {
    let own = item.browser_token;
    let outcome = store
        .logins
        .attach_watcher(item.id, &own, watcher(n), NOW)
        .await?;
    equal("attach", outcome, AttachOutcome::Attached(item.status(NOW)))
}

async fn latest_kept(store: Store) -> Checked {
    let mut item = created(&store, 1).await?;
    let most = u8::try_from(MAX_WATCHERS).unwrap_or(u8::MAX);
    for n in 0..=most {
        attach(&store, &item, n).await?;
        // Attaching the same watcher again adds nothing.
        attach(&store, &item, n).await?;
    }
    item.watchers = (1..=most).map(watcher).collect();
    stored(&store, &item, NOW).await
}

async fn transitions_keep_watchers(store: Store) -> Checked {
    let mut item = created(&store, 1).await?;
    attach(&store, &item, 1).await?;
    item.watchers.push(watcher(1));
    let mut item = super::steps::initiate(&store, &item, &[], NOW).await?;
    stored(&store, &item, NOW).await?;
    attach(&store, &item, 2).await?;
    item.watchers.push(watcher(2));
    let watched = item;
    let item = super::steps::confirm(&store, &watched, "yes", NOW).await?;
    stored(&store, &item, NOW).await?;
    let item = redeem(&store, &item, NOW).await?;
    stored(&store, &item, NOW).await?;
    let own = item.browser_token;
    let outcome = store
        .logins
        .attach_watcher(item.id, &own, watcher(3), NOW)
        .await?;
    equal("attach", outcome, AttachOutcome::Ended(Status::Consumed))?;
    stored(&store, &item, NOW).await
}

async fn detached_once(store: Store) -> Checked {
    let mut item = created(&store, 1).await?;
    attach(&store, &item, 1).await?;
    attach(&store, &item, 2).await?;
    let outcome = store
        .logins
        .detach_watcher(item.id, &watcher(1), NOW)
        .await?;
    equal("detach", outcome, DetachOutcome::Detached)?;
    let outcome = store
        .logins
        .detach_watcher(item.id, &watcher(1), NOW)
        .await?;
    equal("detach", outcome, DetachOutcome::Unknown)?;
    item.watchers = vec![watcher(2)];
    stored(&store, &item, NOW).await
}
