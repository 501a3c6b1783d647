//! The calls and the write capacity that a login costs.

use countersign_conformance::samples::association_keys::{user, verified as proven_user};
use countersign_conformance::samples::logins::{
    answer_of, browser_device, check_code, denial, new_login, phone, phone_device, receipt, sealed,
    sealed_id, sealed_login, watcher,
};
use countersign_conformance::samples::{NOW, RETENTION, app_id, settled};
use countersign_domain::delivery::store::{DeliveryStore as _, Due};
use countersign_domain::delivery::{
    ClaimOutcome, PostponeOutcome, SWEEP_LEASE, SettleOutcome, SettledAttempt, Settlement,
};
use countersign_domain::login::history::{HistoryQuery, NamedUser, RiskHistory};
use countersign_domain::login::risk::{BrowserMark, ConfirmedLogin, Flag};
use countersign_domain::login::sighting::UserAgent;
use countersign_domain::login::store::LoginStore;
use countersign_domain::login::transitions::{
    Answer, AttachOutcome, CancelOutcome, ConfirmOutcome, DenyOutcome, DetachOutcome,
    InitiateOutcome, RedeemOutcome,
};
use countersign_domain::login::{Login, PhonePayload, Proof};
use countersign_domain::web::address_block::AddressBlock;
use countersign_domain::web::callback_url::CallbackUrl;

use super::{measured, real_signature};

/// Returns a login of a browser with typical headers and a key.
fn real_session(n: u8) -> Login {
    let mut item = sealed_login(n);
    item.browser.user_agent = UserAgent::new(
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
         Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    );
    item
}

#[tokio::test]
async fn login_costs_six_units_in_six_writes() {
    let test = "the cost of a login in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let item = real_session(1);
    let (id, browser) = (item.id, item.browser_token);
    store.create(item.clone(), NOW).await.unwrap();
    assert_eq!(meter.writes(), [1.0], "create");

    let attached = store
        .attach_watcher(id, &browser_device(1), watcher(1), NOW)
        .await;
    assert!(matches!(attached, Ok(AttachOutcome::Attached(_))));
    assert_eq!(meter.writes(), [1.0], "attach");

    let mut phone = phone(1, &[Flag::NewBrowser, Flag::PlaceUnknown], NOW);
    phone.sighting.user_agent = UserAgent::new("ShopApp/7.31.0 (iPhone; iOS 19.1; Scale/3.00)");
    let user = phone.user.clone().unwrap();
    meter.reads();
    let query = HistoryQuery {
        app: item.app.clone(),
        browser: item.browser.block(),
        user: Some(NamedUser::of(&user, &item.app, &item.browser)),
    };
    store.recent(&query, NOW).await.unwrap();
    // Denials, claimed and verified logins, all at once.
    assert_eq!(meter.reads(), [1.0; 3], "recent");
    let opened = store.initiate(id, &item.app, phone, NOW).await;
    assert!(matches!(opened, Ok(InitiateOutcome::Opened(_))));
    assert_eq!(meter.writes(), [1.0], "initiate");

    // 90 encrypted bytes, as for a short session token.
    let confirmed = store.confirm(id, answer_of(1, sealed()), NOW).await;
    assert!(matches!(confirmed, Ok(ConfirmOutcome::Confirmed(_))));
    assert_eq!(meter.writes(), [1.0], "confirm");

    let login = ConfirmedLogin {
        browser: BrowserMark::of(&item.browser),
        coordinates: item.browser.place.coordinates,
        at: NOW,
    };
    let key = user.claimed_key(&item.app);
    store.note_confirmation(key, login).await.unwrap();
    // The first write is refused (NaN), because this person has no history yet.
    let first = meter.writes();
    assert!(first[0].is_nan() && first[1..] == [1.0], "{first:?}");
    store.note_confirmation(key, login).await.unwrap();
    assert_eq!(meter.writes(), [1.0], "a later login");

    let redeemed = store.redeem(id, &browser, &receipt(1), None, NOW).await;
    assert!(matches!(redeemed, Ok(RedeemOutcome::Redeemed { .. })));
    assert_eq!(meter.writes(), [1.0], "redeem");
}

#[tokio::test]
async fn verified_confirmation_costs_as_much_as_an_unverified_one() {
    let test = "the cost of a verified confirmation in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let part = |length| "A".repeat(length);
    // As long as a proof that names its user.
    let proof = format!("{}.{}.{}", part(137), part(460), part(86));
    let proof = proof.parse::<Proof>().unwrap();
    let payload = PhonePayload::new(sealed().payload().clone(), None, Some(proof)).unwrap();
    let mut costs = Vec::new();
    for (n, verified) in [(1, None), (2, Some("zoe@example.com"))] {
        let item = real_session(n);
        let opened = phone(1, &[Flag::NewBrowser, Flag::PlaceUnknown], NOW);
        store.create(item.clone(), NOW).await.unwrap();
        let opened = store.initiate(item.id, &item.app, opened, NOW).await;
        opened.unwrap();
        meter.writes();
        let answer = Answer {
            verified: verified.map(proven_user),
            ..answer_of(1, payload.clone())
        };
        let confirmed = store.confirm(item.id, answer, NOW).await;
        assert!(matches!(confirmed, Ok(ConfirmOutcome::Confirmed(_))));
        let login = ConfirmedLogin {
            browser: BrowserMark::of(&item.browser),
            coordinates: item.browser.place.coordinates,
            at: NOW,
        };
        let zoe = user("zoe@example.com");
        let key = match verified {
            None => zoe.claimed_key(&item.app),
            Some(_) => zoe.verified_key(&item.app),
        };
        for _ in 0..2 {
            store.note_confirmation(key, login).await.unwrap();
        }
        let (browser, receipt) = (item.browser_token, receipt(1));
        let redeemed = store.redeem(item.id, &browser, &receipt, None, NOW).await;
        assert!(matches!(redeemed, Ok(RedeemOutcome::Redeemed { .. })));
        // The first write of a history is refused (NaN), because there is none yet.
        costs.push(
            meter
                .writes()
                .into_iter()
                .filter(|units| !units.is_nan())
                .collect::<Vec<_>>(),
        );
    }
    // Confirm, note the first and a later login, redeem. The proof makes the login longer than a unit.
    assert_eq!(costs[0], [2.0, 1.0, 1.0, 2.0]);
    assert_eq!(costs[1], costs[0]);
}

#[tokio::test]
async fn fast_path_of_every_login_transition_is_one_call() {
    let test = "the cost of every transition of a login in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    for n in 1..=2 {
        store.create(real_session(n), NOW).await.unwrap();
        let demo = app_id("demo");
        let opened = store
            .initiate(sealed_id(n), &demo, phone(1, &[], NOW), NOW)
            .await;
        opened.unwrap();
        store
            .attach_watcher(sealed_id(n), &browser_device(n), watcher(1), NOW)
            .await
            .unwrap();
    }
    meter.writes();
    let phone = phone_device(1);
    let attached = store.attach_watcher(sealed_id(1), &phone, watcher(2), NOW);
    attached.await.unwrap();
    assert_eq!(meter.writes(), [1.0], "attach a phone");
    let denied = store.deny(sealed_id(1), denial(1, ""), NOW).await;
    assert!(matches!(denied, Ok(DenyOutcome::Denied(_))));
    assert_eq!(meter.writes(), [1.0], "deny");
    let block = AddressBlock::of("203.0.113.7".parse().unwrap());
    let noted = store.note_denial(&app_id("demo"), block, NOW).await;
    noted.unwrap();
    assert_eq!(meter.writes(), [1.0], "note a denial");
    let detached = store.detach_watcher(sealed_id(2), &watcher(1), NOW).await;
    assert_eq!(detached.unwrap(), DetachOutcome::Detached);
    assert_eq!(meter.writes(), [1.0], "detach");
    let browser = new_login(2).browser_token;
    let cancelled = store.cancel(sealed_id(2), &browser, NOW).await;
    assert!(matches!(cancelled, Ok(CancelOutcome::Cancelled(_))));
    assert_eq!(meter.writes(), [1.0], "cancel");
    let query = HistoryQuery {
        app: app_id("demo"),
        browser: block,
        user: None,
    };
    assert_eq!(store.recent(&query, NOW).await.unwrap().denials, 1);
    assert_eq!(meter.reads(), [1.0], "recent, without a person");
}

#[tokio::test]
async fn check_code_costs_nothing_and_a_miss_costs_a_refused_write_and_another() {
    let test = "the cost of a check code in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let mut item = real_session(1);
    item.requires_check_code = true;
    let (id, browser) = (item.id, item.browser_token);
    store.create(item, NOW).await.unwrap();
    assert_eq!(meter.writes(), [1.0], "create");
    let mut phone = phone(1, &[], NOW);
    phone.check_code = Some(check_code(42));
    let opened = store.initiate(id, &app_id("demo"), phone, NOW).await;
    assert!(matches!(opened, Ok(InitiateOutcome::Opened(_))));
    assert_eq!(meter.writes(), [1.0], "initiate");
    store
        .confirm(id, answer_of(1, sealed()), NOW)
        .await
        .unwrap();
    assert_eq!(meter.writes(), [1.0], "confirm");

    let guess = async |code: Option<u8>| {
        let code = code.map(check_code);
        let redeemed = store.redeem(id, &browser, &receipt(1), code, NOW).await;
        redeemed.unwrap()
    };
    // A refused write (NaN here) is charged as one, too.
    let without = guess(None).await;
    assert_eq!(without, RedeemOutcome::CheckCodeRequired);
    let cost = meter.writes();
    assert!(cost.len() == 1 && cost[0].is_nan(), "no code: {cost:?}");
    let wrong = guess(Some(1)).await;
    assert_eq!(wrong, RedeemOutcome::CheckCodeWrong { tries_left: 2 });
    let cost = meter.writes();
    assert!(cost[0].is_nan() && cost[1..] == [1.0], "a miss: {cost:?}");
    let again = guess(Some(1)).await;
    assert_eq!(again, RedeemOutcome::CheckCodeWrong { tries_left: 2 });
    let cost = meter.writes();
    assert!(cost.len() == 1 && cost[0].is_nan(), "the same: {cost:?}");
    let right = guess(Some(42)).await;
    assert!(matches!(right, RedeemOutcome::Redeemed { .. }));
    assert_eq!(meter.writes(), [1.0], "the right code");
}

#[tokio::test]
async fn login_webhook_costs_as_much_as_a_confirmation_webhook() {
    let test = "the cost of a login's webhook in DynamoDB";
    let Some((store, meter)) = measured(test).await else {
        return;
    };
    let mut item = new_login(1);
    item.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    let id = item.id;
    store.create(item, NOW).await.unwrap();
    let demo = app_id("demo");
    let opened = store.initiate(id, &demo, phone(1, &[], NOW), NOW);
    opened.await.unwrap();
    meter.writes();
    let denied = store.deny(id, denial(1, ""), NOW).await;
    assert!(matches!(denied, Ok(DenyOutcome::Denied(_))));
    assert_eq!(meter.writes(), [2.0], "decide, with the entry put in");

    let claimed = store.claim(id.into(), 0, NOW).await;
    assert!(matches!(claimed, Ok(ClaimOutcome::Claimed(_))));
    assert_eq!(meter.writes(), [1.0], "claim");
    let due_at = NOW.plus(SWEEP_LEASE * 2);
    let retry = settled(1, 503, Settlement::Retry { at: NOW, due_at });
    store
        .settle(id.into(), retry, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(
        meter.writes(),
        [3.0],
        "settle, with the index entry deleted and written"
    );
    let [lane] = store.due_lanes(due_at).await.unwrap()[..] else {
        panic!("one lane");
    };
    let due = Due {
        due_at,
        subject: id.into(),
        lane,
    };
    assert_eq!(store.due(lane, due_at, None, 9).await.unwrap(), [due]);
    meter.writes();
    let postponed = store.postpone(due, due_at).await;
    assert!(matches!(postponed, Ok(PostponeOutcome::Postponed(_))));
    assert_eq!(meter.writes(), [3.0], "postpone");
    store.claim(id.into(), 1, NOW).await.unwrap();
    meter.writes();
    let delivered = SettledAttempt {
        signature: Some(real_signature()),
        ..settled(2, 200, Settlement::Delivered)
    };
    let over = store
        .settle(id.into(), delivered, NOW, RETENTION)
        .await
        .unwrap();
    assert_eq!(over, SettleOutcome::Settled { pointer: None });
    assert_eq!(meter.writes(), [2.0], "settle");
}
