use std::time::Duration;

use countersign_domain::login::risk::Flag;
use countersign_domain::login::transitions::{
    Answer, ConfirmOutcome, DenyOutcome, InitiateOutcome,
};
use countersign_domain::login::{
    BlockReason, ClaimedUserId, DenyReason, Login, MissedCodes, REDEEMABLE, State, Status,
};

use super::steps::{
    Store, confirm, confirmed, create, created, denied, first_phone, initiate, redeem, scanned,
    stored,
};
use crate::check::{Checked, equal, holds};
use crate::samples::association_keys::verified;
use crate::samples::logins::{
    answer, answer_of, clear, clear_with_proof, denial, in_state, login_id, new_login, phone,
    sealed, sealed_login, sealed_with_proof, server,
};
use crate::samples::{MILLI, NOW, app_id, before};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "login confirm: required proof is demanded, and the verified user is kept",
        run: |store| Box::pin(proof_required(store)),
    },
    Case {
        name: "login initiate: login can be opened until expires_at, to the millisecond",
        run: |store| Box::pin(initiate_until_expiry(store)),
    },
    Case {
        name: "login initiate: same token gets the same answer",
        run: |store| Box::pin(same_token_again(store)),
    },
    Case {
        name: "login initiate: same token with another user is refused",
        run: |store| Box::pin(another_user(store)),
    },
    Case {
        name: "login initiate: second phone blocks the login",
        run: |store| Box::pin(second_phone_blocks(store)),
    },
    Case {
        name: "login initiate: other apps' logins are unknown",
        run: |store| Box::pin(own_app_only(store)),
    },
    Case {
        name: "login initiate: decided login stays decided",
        run: |store| Box::pin(decided_stays_decided(store)),
    },
    Case {
        name: "login confirm: phone can confirm until expires_at, to the millisecond",
        run: |store| Box::pin(confirm_until_expiry(store)),
    },
    Case {
        name: "login confirm: only the phone that opened the login can decide it",
        run: |store| Box::pin(own_phone_only(store)),
    },
    Case {
        name: "login confirm: same payload can be sent again, another is refused",
        run: |store| Box::pin(confirm_again(store)),
    },
    Case {
        name: "login confirm: login is blocked if the risk forbids it",
        run: |store| Box::pin(risk_blocks(store)),
    },
    Case {
        name: "login confirm: payload must suit the browser and the app",
        run: |store| Box::pin(suitable_payload_only(store)),
    },
    Case {
        name: "login confirm: context needs a proof",
        run: |store| Box::pin(context_needs_proof(store)),
    },
    Case {
        name: "login deny: denial can be repeated, but a confirmed login cannot be denied",
        run: |store| Box::pin(deny(store)),
    },
    Case {
        name: "login deny: key mismatch blocks the login, and can be repeated",
        run: |store| Box::pin(mismatch(store)),
    },
];

async fn initiate_until_expiry(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    let last = before(item.expires_at(), MILLI);
    let item = initiate(&store, &item, &[Flag::BrowserVpn], last).await?;
    stored(&store, &item, last).await?;
    let item = created(&store, 2).await?;
    let end = item.expires_at();
    let late = phone(1, &[], end);
    let outcome = store
        .logins
        .initiate(item.id, &app_id("demo"), late, end)
        .await?;
    equal("initiate", outcome, InitiateOutcome::Unknown)?;
    stored(&store, &item, end).await
}

async fn same_token_again(store: Store) -> Checked {
    let item = scanned(&store, 1).await?;
    let demo = app_id("demo");
    for at in [NOW, before(item.expires_at(), MILLI)] {
        let again = phone(1, &[Flag::BrowserTor], at);
        let outcome = store.logins.initiate(item.id, &demo, again, at).await?;
        let same = InitiateOutcome::Repeated(Box::new(item.clone()));
        equal("initiate", outcome, same)?;
        stored(&store, &item, at).await?;
    }
    let end = item.expires_at();
    let late = phone(1, &[], end);
    let outcome = store.logins.initiate(item.id, &demo, late, end).await?;
    equal("initiate", outcome, InitiateOutcome::Expired)?;
    let late = phone(2, &[], end);
    let outcome = store.logins.initiate(item.id, &demo, late, end).await?;
    equal("initiate", outcome, InitiateOutcome::Unknown)
}

async fn another_user(store: Store) -> Checked {
    let item = scanned(&store, 1).await?;
    for user in ["somebody@else.example".parse::<ClaimedUserId>().ok(), None] {
        let mut again = phone(1, &[], NOW);
        again.user = user;
        let outcome = store
            .logins
            .initiate(item.id, &app_id("demo"), again, NOW)
            .await?;
        equal("initiate", outcome, InitiateOutcome::Different)?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn second_phone_blocks(store: Store) -> Checked {
    let item = scanned(&store, 1).await?;
    let at = NOW.plus(MILLI);
    let state = State::Blocked {
        phone: first_phone(&item)?,
        at,
        reason: BlockReason::SecondPhone,
    };
    let blocked = in_state(&item, state);
    let demo = app_id("demo");
    let outcome = store
        .logins
        .initiate(item.id, &demo, phone(2, &[], at), at)
        .await?;
    let answered = InitiateOutcome::SecondPhone(Box::new(blocked.clone()));
    equal("initiate", outcome, answered)?;
    stored(&store, &blocked, at).await?;
    let outcome = store.logins.confirm(item.id, answer(1, "yes"), at).await?;
    equal("confirm", outcome, ConfirmOutcome::Ended(Status::Blocked))?;
    for n in [1, 2] {
        let outcome = store
            .logins
            .initiate(item.id, &demo, phone(n, &[], at), at)
            .await?;
        equal("initiate", outcome, InitiateOutcome::Ended(Status::Blocked))?;
    }
    stored(&store, &blocked, at).await
}

async fn own_app_only(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    for (id, app) in [(item.id, "other"), (login_id(2), "demo")] {
        let opening = phone(1, &[], NOW);
        let outcome = store
            .logins
            .initiate(id, &app_id(app), opening, NOW)
            .await?;
        equal("initiate", outcome, InitiateOutcome::Unknown)?;
    }
    stored(&store, &item, NOW).await
}

async fn decided_stays_decided(store: Store) -> Checked {
    let redeemed = confirmed(&store, 3).await?;
    for item in [
        confirmed(&store, 1).await?,
        denied(&store, 2).await?,
        redeem(&store, &redeemed, NOW).await?,
    ] {
        for n in [1, 2] {
            let demo = app_id("demo");
            let outcome = store
                .logins
                .initiate(item.id, &demo, phone(n, &[], NOW), NOW)
                .await?;
            equal(
                "initiate",
                outcome,
                InitiateOutcome::Ended(item.status(NOW)),
            )?;
        }
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn confirm_until_expiry(store: Store) -> Checked {
    let item = scanned(&store, 1).await?;
    let last = before(item.expires_at(), MILLI);
    let item = confirm(&store, &item, "yes", last).await?;
    stored(&store, &item, last).await?;
    let item = scanned(&store, 2).await?;
    for late in [
        item.expires_at(),
        item.expires_at().plus(Duration::from_secs(1)),
    ] {
        let outcome = store
            .logins
            .confirm(item.id, answer(1, "yes"), late)
            .await?;
        equal("confirm", outcome, ConfirmOutcome::Expired)?;
        let outcome = store.logins.deny(item.id, denial(1, "no"), late).await?;
        equal("deny", outcome, DenyOutcome::Expired)?;
        stored(&store, &item, late).await?;
    }
    Ok(())
}

async fn own_phone_only(store: Store) -> Checked {
    for item in [created(&store, 1).await?, scanned(&store, 2).await?] {
        let n = if item.phone().is_some() { 2 } else { 1 };
        let outcome = store.logins.confirm(item.id, answer(n, "yes"), NOW).await?;
        equal("confirm", outcome, ConfirmOutcome::Unknown)?;
        let outcome = store.logins.deny(item.id, denial(n, "no"), NOW).await?;
        equal("deny", outcome, DenyOutcome::Unknown)?;
        stored(&store, &item, NOW).await?;
    }
    Ok(())
}

async fn confirm_again(store: Store) -> Checked {
    let first = confirmed(&store, 1).await?;
    let second = confirmed(&store, 2).await?;
    for item in [first, redeem(&store, &second, NOW).await?] {
        let outcome = store.logins.confirm(item.id, answer(1, "yes"), NOW).await?;
        equal("confirm", outcome, ConfirmOutcome::Repeated)?;
        let outcome = store.logins.confirm(item.id, answer(1, "YES"), NOW).await?;
        equal("confirm", outcome, ConfirmOutcome::Ended(item.status(NOW)))?;
        stored(&store, &item, NOW).await?;
    }
    let item = denied(&store, 3).await?;
    let outcome = store.logins.confirm(item.id, answer(1, "yes"), NOW).await?;
    equal("confirm", outcome, ConfirmOutcome::Ended(Status::Denied))?;
    stored(&store, &item, NOW).await
}

async fn risk_blocks(store: Store) -> Checked {
    let item = created(&store, 1).await?;
    let item = initiate(&store, &item, &[Flag::BrowserTor, Flag::PlaceUnknown], NOW).await?;
    let state = State::Blocked {
        phone: first_phone(&item)?,
        at: NOW,
        reason: BlockReason::Risk,
    };
    let blocked = in_state(&item, state);
    let outcome = store.logins.confirm(item.id, answer(1, "yes"), NOW).await?;
    let answered = ConfirmOutcome::Forbidden(Box::new(blocked.clone()));
    equal("confirm", outcome, answered)?;
    let outcome = store.logins.confirm(item.id, answer(1, "yes"), NOW).await?;
    equal("confirm", outcome, ConfirmOutcome::StillForbidden)?;
    stored(&store, &blocked, NOW).await
}

async fn suitable_payload_only(store: Store) -> Checked {
    for (item, payload) in [(new_login(1), sealed()), (sealed_login(2), clear("yes"))] {
        create(&store, &item).await?;
        let item = initiate(&store, &item, &[], NOW).await?;
        let sent = answer_of(1, payload);
        let outcome = store.logins.confirm(item.id, sent, NOW).await?;
        equal("confirm", outcome, ConfirmOutcome::Unsuitable)?;
        stored(&store, &item, NOW).await?;
        let state = State::Denied {
            phone: first_phone(&item)?,
            at: NOW,
            payload: denial(1, "no").payload,
        };
        let denied = in_state(&item, state);
        let outcome = store.logins.deny(item.id, denial(1, "no"), NOW).await?;
        equal("deny", outcome, DenyOutcome::Denied(Box::new(denied)))?;
    }
    Ok(())
}

async fn proof_required(store: Store) -> Checked {
    for (n, requires_proof) in [(1, true), (2, false)] {
        let item = Login {
            requires_proof,
            ..new_login(n)
        };
        create(&store, &item).await?;
        let item = initiate(&store, &item, &[], NOW).await?;
        let unproven = answer_of(1, clear_with_proof("yes"));
        if requires_proof {
            let outcome = store.logins.confirm(item.id, unproven.clone(), NOW).await?;
            equal("confirm", outcome, ConfirmOutcome::ProofRequired)?;
            stored(&store, &item, NOW).await?;
        }
        // The key's owner and the claimed user may differ in what the store is told.
        let owner = Some(verified("owner@example.com"));
        let sent = Answer {
            verified: owner.clone(),
            ..unproven.clone()
        };
        let mut phone = first_phone(&item)?;
        phone.verified = owner;
        let state = State::Confirmed {
            phone,
            at: NOW,
            payload: sent.payload.clone(),
            fingerprint: sent.fingerprint,
            redeem_by: NOW.plus(REDEEMABLE),
            missed: MissedCodes::default(),
        };
        let confirmed = in_state(&item, state);
        let outcome = store.logins.confirm(item.id, sent, NOW).await?;
        let answered = ConfirmOutcome::Confirmed(Box::new(confirmed.clone()));
        equal("confirm", outcome, answered)?;
        // A repetition needs no proof, since its key may have been revoked.
        let outcome = store.logins.confirm(item.id, unproven, NOW).await?;
        equal("confirm", outcome, ConfirmOutcome::Repeated)?;
        let item = redeem(&store, &confirmed, NOW).await?;
        stored(&store, &item, NOW).await?;
        holds("the user stays", item.verified_user().is_some())?;
    }
    Ok(())
}

async fn context_needs_proof(store: Store) -> Checked {
    let said = "Pay 20 EUR to Zoë";
    for (n, opener, needed) in [(1, server(Some(said)), true), (2, server(None), false)] {
        let item = Login {
            opener,
            ..sealed_login(n)
        };
        create(&store, &item).await?;
        let item = initiate(&store, &item, &[], NOW).await?;
        if needed {
            let bare = answer_of(1, sealed());
            let outcome = store.logins.confirm(item.id, bare, NOW).await?;
            equal("confirm", outcome, ConfirmOutcome::ProofRequired)?;
            stored(&store, &item, NOW).await?;
        }
        let payload = if needed {
            sealed_with_proof()
        } else {
            sealed()
        };
        let sent = answer_of(1, payload.clone());
        let state = State::Confirmed {
            phone: first_phone(&item)?,
            at: NOW,
            payload,
            fingerprint: sent.fingerprint,
            redeem_by: NOW.plus(REDEEMABLE),
            missed: MissedCodes::default(),
        };
        let confirmed = in_state(&item, state);
        let outcome = store.logins.confirm(item.id, sent, NOW).await?;
        let answered = ConfirmOutcome::Confirmed(Box::new(confirmed.clone()));
        equal("confirm", outcome, answered)?;
        stored(&store, &confirmed, NOW).await?;
    }
    Ok(())
}

async fn deny(store: Store) -> Checked {
    let item = denied(&store, 1).await?;
    let later = NOW.plus(MILLI);
    let outcome = store
        .logins
        .deny(item.id, denial(1, "still no"), later)
        .await?;
    equal("deny", outcome, DenyOutcome::Repeated)?;
    stored(&store, &item, later).await?;
    let item = confirmed(&store, 2).await?;
    let outcome = store.logins.deny(item.id, denial(1, "no"), NOW).await?;
    equal("deny", outcome, DenyOutcome::Ended(Status::Confirmed))?;
    stored(&store, &item, NOW).await
}

async fn mismatch(store: Store) -> Checked {
    let item = scanned(&store, 1).await?;
    let mut sent = denial(1, "swapped");
    sent.reason = Some(DenyReason::KeyMismatch);
    let state = State::Blocked {
        phone: first_phone(&item)?,
        at: NOW,
        reason: BlockReason::KeyMismatch(sent.payload.clone()),
    };
    let blocked = in_state(&item, state);
    let outcome = store.logins.deny(item.id, sent.clone(), NOW).await?;
    let answered = DenyOutcome::Denied(Box::new(blocked.clone()));
    equal("deny", outcome, answered)?;
    stored(&store, &blocked, NOW).await?;
    let outcome = store.logins.deny(item.id, sent, NOW).await?;
    equal("deny", outcome, DenyOutcome::Repeated)?;
    let outcome = store.logins.deny(item.id, denial(1, ""), NOW).await?;
    equal("deny", outcome, DenyOutcome::Ended(Status::Blocked))?;
    let outcome = store.logins.confirm(item.id, answer(1, "yes"), NOW).await?;
    equal("confirm", outcome, ConfirmOutcome::Ended(Status::Blocked))?;
    stored(&store, &blocked, NOW).await
}
