use countersign_domain::login::transitions::{
    AttachOutcome, CancelOutcome, DetachOutcome, RedeemOutcome,
};
use countersign_domain::login::{Login, MAX_WATCHERS, State, Status};

use super::steps::{
    Store, confirm_with, confirmed, confirmed_sealed, created, denied, redeem, scanned, stored,
};
use crate::check::{Checked, equal};
use crate::samples::logins::{
    browser, browser_device, clear, clear_with_proof, in_state, login_id, phone_device, receipt,
    sealed_with_proof, watcher,
};
use crate::samples::{MILLI, NOW, before};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login redeem: payload is returned once, and then removed",
        run: |store| Box::pin(redeem_once(store)),
    },
    Case {
        name: "login redeem: same receipt gets the sealed payload again, until it expires",
        run: |store| Box::pin(redeem_again(store)),
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
        name: "login watchers: phone that opened the login can watch it",
        run: |store| Box::pin(of_the_phone(store)),
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
    for (n, proof) in [(1, false), (2, true)] {
        let item = scanned(&store, n).await?;
        let payload = if proof {
            clear_with_proof("yes")
        } else {
            clear("yes")
        };
        let item = confirm_with(&store, &item, payload, NOW).await?;
        stored(&store, &item, NOW).await?;
        let item = redeem(&store, &item, NOW.plus(MILLI)).await?;
        stored(&store, &item, NOW).await?;
        for n in [1, 2] {
            let outcome = store
                .logins
                .redeem(item.id, &item.browser_token, &receipt(n), None, NOW)
                .await?;
            equal("redeem", outcome, RedeemOutcome::AlreadyRedeemed)?;
        }
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn redeem_again(store: Store) -> Checked {
    let item = confirmed_sealed(&store, 1).await?;
    stored(&store, &item, NOW).await?;
    let end = item.expires_at();
    let item = redeem(&store, &item, NOW.plus(MILLI)).await?;
    stored(&store, &item, NOW).await?;
    let same = || RedeemOutcome::Repeated(sealed_with_proof());
    let refused = || RedeemOutcome::AlreadyRedeemed;
    for (n, at, expected) in [
        (1, NOW.plus(MILLI), same()),
        (1, before(end, MILLI), same()),
        (1, end, refused()),
        (2, NOW.plus(MILLI), refused()),
    ] {
        let outcome = store
            .logins
            .redeem(item.id, &item.browser_token, &receipt(n), None, at)
            .await?;
        equal("redeem", outcome, expected)?;
        stored(&store, &item, at).await?;
    }
    Ok(())
}

async fn redeem_until(store: Store) -> Checked {
    let item = confirmed(&store, 1).await?;
    let last = before(item.expires_at(), MILLI);
    redeem(&store, &item, last).await?;
    let item = confirmed(&store, 2).await?;
    let end = item.expires_at();
    let outcome = store
        .logins
        .redeem(item.id, &item.browser_token, &receipt(1), None, end)
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
            .redeem(item.id, &item.browser_token, &receipt(1), None, NOW)
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
        let receipt = receipt(1);
        let redeemed = store.logins.redeem(id, &stranger, &receipt, None, NOW);
        let outcome = redeemed.await?;
        equal("redeem", outcome, RedeemOutcome::Unknown)?;
        let outcome = store.logins.cancel(id, &stranger, NOW).await?;
        equal("cancel", outcome, CancelOutcome::Unknown)?;
        let outcome = store
            .logins
            .attach_watcher(id, &browser_device(99), watcher(1), NOW)
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

/// Attaches a connection of browser 1.
async fn attach(store: &Store, item: &Login, n: u8) -> Checked {
    let own = browser_device(1);
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

async fn of_the_phone(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    let attach = async |n, name| {
        let device = phone_device(n);
        let attached = store
            .logins
            .attach_watcher(login_id(1), &device, watcher(name), NOW);
        attached.await
    };
    equal("attach", attach(1, 1).await?, AttachOutcome::Unknown)?;
    let mut item = super::steps::initiate(&store, &item, &[], NOW).await?;
    equal("attach", attach(2, 1).await?, AttachOutcome::Unknown)?;
    stored(&store, &item, NOW).await?;
    let attached = AttachOutcome::Attached(Status::Scanned);
    equal("attach", attach(1, 1).await?, attached)?;
    item.watchers.push(watcher(1));
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
    let outcome = store
        .logins
        .attach_watcher(item.id, &browser_device(1), watcher(3), NOW)
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
