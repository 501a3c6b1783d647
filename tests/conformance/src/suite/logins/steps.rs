//! Steps that cases share. Each must succeed; a failure is located in the step.

use countersign_domain::login::risk::Flag;
use countersign_domain::login::transitions::{
    ConfirmOutcome, CreateOutcome, DenyOutcome, InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{
    Login, MissedCodes, PayloadFingerprint, Phone, PhonePayload, REDEEMABLE, Redeemed, SCANNED,
    State,
};
use countersign_domain::primitives::time::Timestamp;

use crate::check::{Checked, Failure, equal};
use crate::samples::NOW;
use crate::samples::logins::{
    answer_of, check_code, clear, denial, in_state, new_login, phone, receipt, sealed_login,
    sealed_with_proof,
};

pub(in crate::suite) use crate::suite::steps::Store;

pub(in crate::suite) type Got = Result<Login, Failure>;

/// Stores a new login.
pub(in crate::suite) async fn create(store: &Store, item: &Login) -> Checked {
    let outcome = store.logins.create(item.clone(), item.created_at).await?;
    equal("create", outcome, CreateOutcome::Created)
}

/// Stores a login that browser `n` created at [`NOW`].
pub(in crate::suite) async fn created(store: &Store, n: u8) -> Got {
    let item = new_login(n);
    create(store, &item).await?;
    Ok(item)
}

/// Opens a login with phone 1, which shows the check code 42 if the login requires one, and returns the expected item.
pub(in crate::suite) async fn initiate(
    store: &Store,
    item: &Login,
    flags: &[Flag],
    at: Timestamp,
) -> Got {
    let phone = Phone {
        check_code: item.requires_check_code.then(|| check_code(42)),
        ..phone(1, flags, at)
    };
    let state = State::Scanned {
        phone: Box::new(phone.clone()),
        expires_at: at.plus(SCANNED),
    };
    let expected = in_state(item, state);
    let outcome = store.logins.initiate(item.id, &item.app, phone, at).await?;
    let opened = InitiateOutcome::Opened(Box::new(expected.clone()));
    equal("initiate", outcome, opened)?;
    Ok(expected)
}

/// Stores a login that phone 1 opened at [`NOW`].
pub(in crate::suite) async fn scanned(store: &Store, n: u8) -> Got {
    let item = created(store, n).await?;
    initiate(store, &item, &[], NOW).await
}

/// Confirms a login with phone 1 and an unencrypted payload, and returns the expected item.
pub(in crate::suite) async fn confirm(
    store: &Store,
    item: &Login,
    text: &str,
    at: Timestamp,
) -> Got {
    confirm_with(store, item, clear(text), at).await
}

/// The same with any payload.
pub(in crate::suite) async fn confirm_with(
    store: &Store,
    item: &Login,
    payload: PhonePayload,
    at: Timestamp,
) -> Got {
    let sent = answer_of(1, payload);
    let state = State::Confirmed {
        phone: first_phone(item)?,
        at,
        payload: sent.payload.clone(),
        fingerprint: sent.fingerprint,
        redeem_by: at.plus(REDEEMABLE),
        missed: MissedCodes::default(),
    };
    let expected = in_state(item, state);
    let outcome = store.logins.confirm(item.id, sent, at).await?;
    let confirmed = ConfirmOutcome::Confirmed(Box::new(expected.clone()));
    equal("confirm", outcome, confirmed)?;
    Ok(expected)
}

/// Stores a login that phone 1 confirmed at [`NOW`] with the payload `yes`.
pub(in crate::suite) async fn confirmed(store: &Store, n: u8) -> Got {
    let item = scanned(store, n).await?;
    confirm(store, &item, "yes", NOW).await
}

/// Stores a login of a browser with a key that phone 1 confirmed at [`NOW`].
pub(in crate::suite) async fn confirmed_sealed(store: &Store, n: u8) -> Got {
    let item = sealed_login(n);
    create(store, &item).await?;
    let item = initiate(store, &item, &[], NOW).await?;
    confirm_with(store, &item, sealed_with_proof(), NOW).await
}

/// Stores a login that phone 1 denied at [`NOW`] with the payload `no`.
pub(in crate::suite) async fn denied(store: &Store, n: u8) -> Got {
    let item = scanned(store, n).await?;
    let sent = denial(1, "no");
    let state = State::Denied {
        phone: first_phone(&item)?,
        at: NOW,
        payload: sent.payload.clone(),
    };
    let expected = in_state(&item, state);
    let outcome = store.logins.deny(item.id, sent, NOW).await?;
    let denied = DenyOutcome::Denied(Box::new(expected.clone()));
    equal("deny", outcome, denied)?;
    Ok(expected)
}

/// Redeems phone 1's payload with receipt 1 and the code that it shows, if any, and returns the expected item.
pub(in crate::suite) async fn redeem(store: &Store, item: &Login, at: Timestamp) -> Got {
    let State::Confirmed { payload, .. } = &item.state else {
        return Err(Failure::new("the sample is not confirmed"));
    };
    let fingerprint = answer_of(1, payload.clone()).fingerprint;
    redeem_any(store, item, fingerprint, at).await
}

/// Redeems any phone's payload, which has this fingerprint, and returns the expected item.
pub(in crate::suite) async fn redeem_any(
    store: &Store,
    item: &Login,
    fingerprint: PayloadFingerprint,
    at: Timestamp,
) -> Got {
    let State::Confirmed {
        phone,
        at: confirmed_at,
        payload,
        redeem_by,
        ..
    } = item.state.clone()
    else {
        return Err(Failure::new("the sample is not confirmed"));
    };
    let redeemed = if payload.is_encrypted() {
        Redeemed::Sealed {
            payload: payload.clone(),
            receipt: receipt(1),
            until: redeem_by,
        }
    } else {
        let proof = payload.proof().cloned();
        Redeemed::Removed { proof }
    };
    let state = State::Consumed {
        phone,
        confirmed_at,
        fingerprint,
        redeemed,
        at,
    };
    let expected = in_state(item, state);
    let check_code = item.phone().and_then(|phone| phone.check_code);
    let outcome = store
        .logins
        .redeem(item.id, &item.browser_token, &receipt(1), check_code, at)
        .await?;
    let redeemed = RedeemOutcome::Redeemed {
        payload,
        login: Box::new(expected.clone()),
    };
    equal("redeem", outcome, redeemed)?;
    Ok(expected)
}

/// Returns the phone that opened a login.
pub(in crate::suite) fn first_phone(item: &Login) -> Result<Box<Phone>, Failure> {
    let phone = item.phone().cloned().map(Box::new);
    phone.ok_or_else(|| Failure::new("no phone opened the sample"))
}

/// Checks that exactly this item is stored.
pub(in crate::suite) async fn stored(store: &Store, expected: &Login, at: Timestamp) -> Checked {
    let found = store.logins.find(expected.id, at).await?;
    equal("find", found.as_ref(), Some(expected))
}
