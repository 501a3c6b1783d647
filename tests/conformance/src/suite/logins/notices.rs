//! The webhook that a decided login owes. [`crate::suite::deliveries`] tests its delivery.

use std::time::Duration;

use countersign_domain::delivery::store::Due;
use countersign_domain::delivery::transitions::Owes as _;
use countersign_domain::delivery::{
    ClaimOutcome, DeliveryKind, DeliveryLane, HORIZON, Progress, WebhookBody,
};
use countersign_domain::login::transitions::{
    CancelOutcome, ConfirmOutcome, DenyOutcome, RedeemOutcome,
};
use countersign_domain::login::{Login, Status};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;

use super::steps::{Got, Store, confirmed, create, denied, initiate, stored};
use crate::all_due;
use crate::check::{Checked, Failure, equal, holds};
use crate::samples::logins::{
    answer, answer_of, denial, new_login, receipt, sealed_login, sealed_with_proof,
};
use crate::samples::{MILLI, NOW, app_id};
use crate::stores::Stores;
use crate::suite::Case;

pub(super) const CASES: &[Case<Stores>] = &[
    Case {
        name: "notice: owed from the decision on, if the app has a callback",
        run: |store| Box::pin(owed_from_decision(store)),
    },
    Case {
        name: "notice: body is kept when the payload is redeemed",
        run: |store| Box::pin(body_is_kept(store)),
    },
    Case {
        name: "notice: body is kept when the login is cancelled",
        run: |store| Box::pin(cancelled(store)),
    },
    Case {
        name: "notice: body is kept when a sealed payload is redeemed",
        run: |store| Box::pin(sealed_too(store)),
    },
];

/// Returns the time when the sweep first looks after a notice owed since [`NOW`].
fn first_due() -> Timestamp {
    NOW.plus(Duration::from_mins(1))
}

/// Stores a login with a callback that phone 1 opened at [`NOW`].
async fn scanned_with_callback(store: &Store, n: u8) -> Got {
    let mut item = new_login(n);
    item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    create(store, &item).await?;
    initiate(store, &item, &[], NOW).await
}

/// Stores a login with a callback that phone 1 confirmed at [`NOW`], and returns the stored item.
async fn owed(store: &Store, n: u8) -> Got {
    let item = scanned_with_callback(store, n).await?;
    match store.logins.confirm(item.id, answer(1, "yes"), NOW).await? {
        ConfirmOutcome::Confirmed(item) => Ok(*item),
        other => Err(Failure::new(format!("confirm: {other:?}"))),
    }
}

/// Checks that a login owes a notice with this body since [`NOW`].
fn owes_body(item: &Login, expected: &str) -> Checked {
    let notice = item.notice.as_ref().ok_or(Failure::new("no notice"))?;
    let claimed = item.claimed().ok_or(Failure::new("no notice"))?;
    let expected = WebhookBody::new(expected);
    equal("body", claimed.body.as_ref(), Some(&expected))?;
    let owed = Progress::Pending {
        next_attempt_at: NOW,
        due_at: first_due(),
        claimed_at: None,
    };
    equal("progress", &notice.delivery.progress, &owed)?;
    equal("attempts claimed", notice.delivery.attempts_claimed, 0)?;
    equal("purge_at", item.purge_at, NOW.plus(HORIZON))
}

async fn owed_from_decision(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    owes_body(
        &item,
        concat!(
            r#"{"claimedPublicUserId":"person@shop.example","event":"login.confirmed","payload":"yes","#,
            r#""result":"confirmed","sessionId":"qrp_01010101010101010101010101010101","#,
            r#""timestamp":"2026-01-02T03:04:05.678Z"}"#
        ),
    )?;
    stored(&store, &item, NOW).await?;
    let item = scanned_with_callback(&store, 2).await?;
    match store.logins.deny(item.id, denial(1, "no"), NOW).await? {
        DenyOutcome::Denied(item) => {
            owes_body(
                &item,
                concat!(
                    r#"{"claimedPublicUserId":"person@shop.example","event":"login.denied","payload":"no","#,
                    r#""result":"denied","sessionId":"qrp_02020202020202020202020202020202","#,
                    r#""timestamp":"2026-01-02T03:04:05.678Z"}"#
                ),
            )?;
            stored(&store, &item, NOW).await?;
        }
        other => return Err(Failure::new(format!("deny: {other:?}"))),
    }
    for item in [confirmed(&store, 3).await?, denied(&store, 4).await?] {
        equal("notice", item.notice, None)?;
    }
    // A repeated confirmation owes no second notice.
    let outcome = store
        .logins
        .confirm(item_id(1), answer(1, "yes"), NOW.plus(MILLI))
        .await?;
    equal("confirm", outcome, ConfirmOutcome::Repeated)?;
    let found = all_due::deliveries(&*store.deliveries, first_due()).await?;
    let expected = [1, 2].map(|n| Due {
        due_at: first_due(),
        subject: item_id(n).into(),
        lane: DeliveryLane::of(DeliveryKind::Logins, &app_id("demo")),
    });
    equal("due", found, expected.to_vec())
}

const fn item_id(n: u8) -> countersign_domain::primitives::ids::LoginId {
    crate::samples::logins::login_id(n)
}

async fn body_is_kept(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    let body = item.claimed().and_then(|claimed| claimed.body);
    holds("the payload is in the body", body.is_some())?;
    match store
        .logins
        .redeem(item.id, &item.browser_token, &receipt(1), None, NOW)
        .await?
    {
        RedeemOutcome::Redeemed { login, .. } => {
            equal("purge_at", login.purge_at, item.purge_at)?;
            equal("status", login.status(NOW), Status::Consumed)?;
            stored(&store, &login, NOW).await?;
        }
        other => return Err(Failure::new(format!("redeem: {other:?}"))),
    }
    claims(&store, &item, body).await
}

async fn cancelled(store: Store) -> Checked {
    let item = owed(&store, 1).await?;
    let body = item.claimed().and_then(|claimed| claimed.body);
    match store
        .logins
        .cancel(item.id, &item.browser_token, NOW)
        .await?
    {
        CancelOutcome::Cancelled(login) => stored(&store, &login, NOW).await?,
        other => return Err(Failure::new(format!("cancel: {other:?}"))),
    }
    claims(&store, &item, body).await
}

async fn sealed_too(store: Store) -> Checked {
    let mut item = sealed_login(1);
    item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    create(&store, &item).await?;
    let item = initiate(&store, &item, &[], NOW).await?;
    let item = match store
        .logins
        .confirm(item.id, answer_of(1, sealed_with_proof()), NOW)
        .await?
    {
        ConfirmOutcome::Confirmed(item) => *item,
        other => return Err(Failure::new(format!("confirm: {other:?}"))),
    };
    stored(&store, &item, NOW).await?;
    let body = item.claimed().and_then(|claimed| claimed.body);
    match store
        .logins
        .redeem(item.id, &item.browser_token, &receipt(1), None, NOW)
        .await?
    {
        RedeemOutcome::Redeemed { login, .. } => stored(&store, &login, NOW).await?,
        other => return Err(Failure::new(format!("redeem: {other:?}"))),
    }
    claims(&store, &item, body).await
}

/// Claims the webhook, which must have this body.
async fn claims(store: &Store, item: &Login, body: Option<WebhookBody>) -> Checked {
    match store.deliveries.claim(item.id.into(), 0, NOW).await? {
        ClaimOutcome::Claimed(claimed) => equal("body", claimed.body, body),
        ClaimOutcome::Stale => Err(Failure::new("no webhook is owed any more")),
    }
}
